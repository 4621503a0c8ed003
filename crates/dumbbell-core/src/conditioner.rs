//! Meters, markers, shapers (RFC 2475): stations before a port that may colour a packet, hold it, or let others go.
use crate::aqm::{Cx, Reason};
use crate::packet::Packet;
use crate::units::Time;

/// Takes what a conditioner lets out.
pub trait Emit<P> {
    /// `p` goes on to the port.
    fn emit(&mut self, p: P);
    /// `p` is dropped.
    fn drop(&mut self, p: P, why: Reason);
}

/// A station that packets pass before a port: for each arrival none, one or several packets go on, at once
/// or later, and not necessarily the arriving one. It owns what it holds.
pub trait Conditioner<P: Packet> {
    /// A packet arrives.
    fn arrive(&mut self, cx: &mut Cx<'_>, p: P, out: &mut impl Emit<P>);
    /// When `wake` is due next; [`Time::NEVER`] if nothing waits for the clock.
    fn next_wakeup(&self) -> Time;
    /// The clock reached `next_wakeup`.
    fn wake(&mut self, cx: &mut Cx<'_>, out: &mut impl Emit<P>);
    /// Packets held.
    fn held(&self) -> u64;
}

/// A meter's answer for one packet (RFC 2697, RFC 2698).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// In profile.
    Green,
    /// Above the committed, within the excess profile.
    Yellow,
    /// Out of profile.
    Red,
}
