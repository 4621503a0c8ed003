//! The interface between the router and the network of a plan.
use dumbbell_core::units::Time;
use dumbbell_net::Observer;
use dumbbell_net::Relay;
pub use dumbbell_net::{Incoming, Outgoing};

/// A network whose sockets are outside. It knows no clock: instants are passed in and never go
/// back.
pub trait Network {
    /// A packet comes at `t`, after everything that is due before then.
    fn send(&mut self, t: Time, packet: Incoming);
    /// Everything happens that is due before `t`.
    fn run_until(&mut self, t: Time);
    /// The earliest instant at which anything can come out that is not known yet, unless a packet
    /// comes; `None`: never.
    fn next(&mut self) -> Option<Time>;
    /// Takes what is known to come out.
    fn outgoing(&mut self) -> impl Iterator<Item = Outgoing>;
    /// Takes the numbers of packets of which nothing more will come out.
    fn gone(&mut self) -> impl Iterator<Item = u64>;
}

/// The network of a plan, and who looks on.
pub struct ObservedRelay<O> {
    /// The network.
    pub relay: Relay,
    /// The observer; `()` observes nothing.
    pub observer: O,
}

impl<O: Observer> Network for ObservedRelay<O> {
    fn send(&mut self, t: Time, packet: Incoming) {
        self.relay.send(t, packet, &mut self.observer);
    }
    fn run_until(&mut self, t: Time) {
        self.relay.run_until(t, &mut self.observer);
    }
    fn next(&mut self) -> Option<Time> {
        self.relay.next()
    }
    fn outgoing(&mut self) -> impl Iterator<Item = Outgoing> {
        self.relay.outgoing()
    }
    fn gone(&mut self) -> impl Iterator<Item = u64> {
        self.relay.gone()
    }
}
