//! Traffic: when an application hands over how many bytes.
use crate::probe::Probe;
use crate::rng::Stream;
use crate::units::{Span, Time};

/// From which moment the next hand-over counts; at that moment the source is asked for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// From this one: an open loop, which the network does not slow down.
    #[default]
    HandOver,
    /// From when everything handed over so far was acknowledged: a closed loop.
    Acknowledged,
}

/// One hand-over: `bytes` become available `after` the moment at which the source was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Time since that moment: the flow's start, the previous hand-over, or the last acknowledgement.
    pub after: Span,
    /// Bytes for TCP's stream, or one datagram's payload for UDP. `u64::MAX`: more than any run can send.
    pub bytes: u64,
    /// When to ask for the one after it.
    pub next: Since,
}

impl Burst {
    /// A hand-over that the next one follows without regard to the network.
    pub const fn new(after: Span, bytes: u64) -> Self {
        Burst { after, bytes, next: Since::HandOver }
    }
    /// A hand-over that is waited for.
    pub const fn awaited(after: Span, bytes: u64) -> Self {
        Burst { after, bytes, next: Since::Acknowledged }
    }
}

/// A traffic source: an ordered list of hand-overs, made as it is asked for.
pub trait Source {
    /// The next hand-over; `None` when the application has closed. `now` is the moment from which [`Burst::after`]
    /// counts, as the [`Burst::next`] before it said.
    fn next(&mut self, now: Time, rng: &mut Stream) -> Option<Burst>;
    /// The transport it is made for: datagram sources (CBR, on-off) go over UDP unless the flow says TCP.
    fn datagrams(&self) -> bool {
        false
    }
    /// Whether it ever waits for acknowledgements, which datagrams do not have.
    fn awaits(&self) -> bool {
        false
    }
    /// What it measured of itself by `now`: the times of its responses, the stalls of its player.
    fn probe(&self, _now: Time, _out: &mut dyn Probe) {}
}
