//! A relay with and without an observer. The network is compiled here for both; callers compile
//! nothing of it.
use super::{Incoming, Relay, RelayReport};
use crate::observe::{DynObserver, Following, Observer};
use dumbbell_core::units::Time;

impl Relay {
    /// A packet comes in at `t`, after everything that is due before then; `t` is not before the
    /// instant that was reached. What is due at `t` itself waits for what else comes then: their
    /// order is that of a simulation, and not of the calls.
    pub fn send<O: Observer>(&mut self, t: Time, packet: Incoming, observer: &mut O) {
        if O::SILENT { self.send_alone(t, packet) } else { self.send_observed(t, packet, observer) }
    }

    /// Everything happens that is due before `t`.
    pub fn run_until<O: Observer>(&mut self, t: Time, observer: &mut O) {
        if O::SILENT { self.run_unobserved(t) } else { self.run_observed(t, observer) }
    }

    /// The run is over, at the end of its plan: what the network saw.
    pub fn finish<O: Observer>(self, observer: &mut O) -> RelayReport {
        if O::SILENT { self.finish_unobserved() } else { self.finish_observed(observer) }
    }

    fn send_alone(&mut self, t: Time, packet: Incoming) {
        self.take_in(t, packet, &mut ());
    }

    fn run_unobserved(&mut self, t: Time) {
        self.run_before(t, &mut ());
    }

    fn finish_unobserved(self) -> RelayReport {
        self.close(&mut ())
    }

    fn send_observed(&mut self, t: Time, packet: Incoming, observer: &mut dyn DynObserver) {
        self.take_in(t, packet, &mut Following(observer));
    }

    fn run_observed(&mut self, t: Time, observer: &mut dyn DynObserver) {
        self.run_before(t, &mut Following(observer));
    }

    fn finish_observed(self, observer: &mut dyn DynObserver) -> RelayReport {
        self.close(&mut Following(observer))
    }
}
