//! Traffic: when an application hands over how many bytes.
use crate::rng::Stream;
use crate::units::Span;

/// One hand-over: `bytes` become available `after` the previous one (or after the flow's start).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Time since the previous hand-over.
    pub after: Span,
    /// Bytes for TCP's stream, or one datagram's payload for UDP. `u64::MAX`: more than any run can send.
    pub bytes: u64,
}

/// A traffic source: an ordered list of hand-overs, made as it is asked for.
pub trait Source {
    /// The next hand-over; `None` when the application has closed.
    fn next(&mut self, rng: &mut Stream) -> Option<Burst>;
    /// The transport it is made for: datagram sources (CBR, on-off) go over UDP unless the flow says TCP.
    fn datagrams(&self) -> bool {
        false
    }
}
