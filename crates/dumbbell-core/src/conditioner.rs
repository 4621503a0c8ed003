//! Conditioners (RFC 2475): stages before a port that may color a packet, hold it, or release
//! others. A meter ([`crate::meter`]) is the simple case, which answers at once.
use crate::aqm::{Cx, Reason};
use crate::meter::{Color, Tokens};
use crate::packet::Packet;
use crate::probe::Probe;
use crate::units::{Span, Time};

/// Receives the packets that a conditioner releases or drops.
pub trait Emit<P> {
    /// `p` goes on to the port unchanged, at once.
    fn emit(&mut self, p: P) {
        self.release(p, None, Span::ZERO);
    }
    /// `p` goes on to the port, with a color if it was metered, after it was held for a time.
    fn release(&mut self, p: P, color: Option<Color>, held: Span);
    /// `p` is dropped.
    fn drop(&mut self, p: P, why: Reason);
}

/// A stage before a port: for each arrival zero, one or several packets go on, at once or later,
/// and not necessarily the arriving one. It owns the packets that it holds.
pub trait Conditioner<P: Packet> {
    /// A packet arrives.
    fn arrive(&mut self, cx: &mut Cx<'_>, p: P, out: &mut impl Emit<P>);
    /// The time of the next call of `wake`; [`Time::NEVER`] if nothing waits for the clock.
    fn next_wakeup(&self) -> Time;
    /// The clock reached `next_wakeup`.
    fn wake(&mut self, cx: &mut Cx<'_>, out: &mut impl Emit<P>);
    /// The number of packets that it holds.
    fn held(&self) -> u64;
    /// The token account of its bucket until `now`, if it has one.
    fn tokens(&mut self, _now: Time) -> Option<Tokens> {
        None
    }
    /// Reports its inner values: tokens, fill.
    fn probe(&self, _out: &mut dyn Probe) {}
}

/// The object-safe twin of [`Conditioner`], which every `Conditioner` has for free: see
/// [`crate::aqm::DynAqm`].
pub trait DynConditioner<P>: Send {
    /// See [`Conditioner::arrive`].
    fn arrive(&mut self, cx: &mut Cx<'_>, p: P, out: &mut dyn Emit<P>);
    /// See [`Conditioner::next_wakeup`].
    fn next_wakeup(&self) -> Time;
    /// See [`Conditioner::wake`].
    fn wake(&mut self, cx: &mut Cx<'_>, out: &mut dyn Emit<P>);
    /// See [`Conditioner::held`].
    fn held(&self) -> u64;
    /// See [`Conditioner::tokens`].
    fn tokens(&mut self, now: Time) -> Option<Tokens>;
    /// See [`Conditioner::probe`].
    fn probe(&self, out: &mut dyn Probe);
}

/// A `dyn Emit` as an `impl Emit`.
struct DynEmit<'a, P>(&'a mut dyn Emit<P>);

impl<P> Emit<P> for DynEmit<'_, P> {
    fn release(&mut self, p: P, color: Option<Color>, held: Span) {
        self.0.release(p, color, held);
    }
    fn drop(&mut self, p: P, why: Reason) {
        self.0.drop(p, why);
    }
}

impl<P: Packet, C: Conditioner<P> + Send> DynConditioner<P> for C {
    fn arrive(&mut self, cx: &mut Cx<'_>, p: P, out: &mut dyn Emit<P>) {
        Conditioner::arrive(self, cx, p, &mut DynEmit(out));
    }
    fn next_wakeup(&self) -> Time {
        Conditioner::next_wakeup(self)
    }
    fn wake(&mut self, cx: &mut Cx<'_>, out: &mut dyn Emit<P>) {
        Conditioner::wake(self, cx, &mut DynEmit(out));
    }
    fn held(&self) -> u64 {
        Conditioner::held(self)
    }
    fn tokens(&mut self, now: Time) -> Option<Tokens> {
        Conditioner::tokens(self, now)
    }
    fn probe(&self, out: &mut dyn Probe) {
        Conditioner::probe(self, out);
    }
}
