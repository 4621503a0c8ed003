//! Traffic: when an application sends, and how many bytes.
use crate::probe::Probe;
use crate::rng::Stream;
use crate::units::{Bytes, Rate, Span, Time};
use dumbbell_macros::delegate;

/// The moment from which the next hand-over counts, and at which the source is asked for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// The previous hand-over: an open loop, which the network does not slow down.
    #[default]
    HandOver,
    /// The acknowledgment of everything handed over so far: a closed loop.
    Acknowledged,
}

/// One hand-over: `bytes` become available `after` the moment at which the source was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Time since that moment: the flow's start, the previous hand-over, or the last
    /// acknowledgment.
    pub after: Span,
    /// Bytes for TCP's stream, or one datagram's payload for UDP. `u64::MAX`: more than any run can
    /// send.
    pub bytes: u64,
    /// The moment at which the source is asked for the next hand-over.
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

/// Voice in packets, as a measure of its quality needs to know it (ITU-T G.107).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voice {
    /// Speech in one packet: the sender waits so long before the packet is complete.
    pub interval: Span,
    /// Encoded speech in one packet.
    pub payload: Bytes,
    /// Speech that the coder must have heard beyond a frame before it can encode that.
    pub look_ahead: Span,
    /// The coder's place in the E-model; `None`: ITU-T G.113 has none.
    pub impairment: Option<Equipment>,
}

/// The parameters of a coder in the E-model (ITU-T G.113, Appendix I).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equipment {
    /// The equipment impairment factor Ie, without loss.
    pub ie: f64,
    /// The packet-loss robustness factor Bpl.
    pub bpl: f64,
}

/// A coder of live media, as a transport that sets its rate needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coder {
    /// Its lowest rate.
    pub least: Rate,
    /// Its highest rate.
    pub most: Rate,
    /// Its rate until the transport names one.
    pub start: Rate,
    /// Time from the capture of a frame within which all of it has to arrive.
    pub budget: Span,
}

/// A traffic source: an ordered list of hand-overs, made as it is asked for.
#[delegate(names = crate::{source::*, probe::Probe, rng::Stream, units::{Rate, Time}})]
pub trait Source {
    /// The next hand-over; `None` when the application has closed. `now` is the moment from which
    /// [`Burst::after`] counts, as the [`Burst::next`] before it said.
    fn next(&mut self, now: Time, rng: &mut Stream) -> Option<Burst>;
    /// The transport it is made for: datagram sources (CBR, on-off) go over UDP unless the flow
    /// says TCP.
    fn datagrams(&self) -> bool {
        false
    }
    /// True if it ever waits for acknowledgments, which datagrams do not have.
    fn awaits(&self) -> bool {
        false
    }
    /// True if it needs the instant at which its data arrived, not only that of the acknowledgment:
    /// [`Source::delivered`]. A simulator knows it; the sender of a real connection does not.
    fn hears_delivery(&self) -> bool {
        false
    }
    /// The receiving application had everything handed over so far, in order, at `at`. Told once
    /// for each hand-over that is waited for: before the source is asked for the next one, or at
    /// the end of the run, if the acknowledgment is still on its way then.
    fn delivered(&mut self, _at: Time) {}
    /// The largest datagram that it ever hands over, in bytes of UDP payload, if there is such a
    /// bound: a path whose MTU is smaller will cut it or drop it. `None` for sources of TCP, whose
    /// segments fit their path.
    fn largest(&self) -> Option<u64> {
        None
    }
    /// The voice that it carries, if it is voice.
    fn voice(&self) -> Option<Voice> {
        None
    }
    /// The coder that it is, if it hands over frames of live media.
    fn coder(&self) -> Option<Coder> {
        None
    }
    /// The transport wants its rate to be `rate` from the next hand-over on. Told to coders only.
    fn follow(&mut self, _rate: Rate) {}
    /// Reports its own measurements until `now`: response times, stalls of a video player.
    fn probe(&self, _now: Time, _out: &mut dyn Probe) {}
}
