//! Conditioners (RFC 2475): stages before a port that may color a packet, hold it, or release
//! others. A meter ([`crate::meter`]) is the simple case, which answers at once.
use crate::aqm::{Cx, Reason};
use crate::meter::{Color, Tokens};
use crate::packet::Packet;
use crate::probe::Probe;
use crate::units::{Span, Time};
use dumbbell_macros::delegate;

/// Receives the packets that a conditioner releases or drops.
#[delegate()]
pub trait Emit<P> {
    /// `p` continues to the port unchanged, at once.
    fn emit(&mut self, p: P) {
        self.release(p, None, Span::ZERO);
    }
    /// `p` continues to the port, with a color if it was metered, after it was held for a time.
    fn release(&mut self, p: P, color: Option<Color>, held: Span);
    /// `p` is dropped.
    fn drop(&mut self, p: P, why: Reason);
}

#[delegate(**self)]
impl<P, E: Emit<P> + ?Sized> Emit<P> for &mut E {}

/// A stage before a port: for each arrival zero, one or several packets go on, at once or later,
/// and not necessarily the arriving one. It owns the packets that it holds.
#[delegate(
    object = DynConditioner: Send,
    names = crate::{conditioner::*, aqm::Cx, meter::Tokens, probe::Probe, units::Time},
)]
pub trait Conditioner<P: Packet> {
    /// A packet arrives.
    #[inline]
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
