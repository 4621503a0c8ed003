//! The point where packets leave a socket: fingerprint, codepoint, jitter, and the links until the
//! first merge.
use crate::engine::entry::Pkt;
use crate::engine::path::RunAhead;
use dumbbell_core::packet::Dscp;
use dumbbell_core::packet::fingerprint::Fingerprint;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};

/// The egress of one socket.
pub struct Egress {
    /// Fingerprint of what left.
    pub sent: Fingerprint,
    /// From the socket to the first merge; unused for UDP receivers.
    pub run_ahead: RunAhead,
    /// The codepoint of all that leaves.
    pub dscp: Dscp,
    jitter: Option<Box<Jitter>>,
}

/// Random delay of each departure, which never reorders (ns-2's `overhead_`).
struct Jitter {
    most: Span,
    last: Time,
    rng: Stream,
}

impl Egress {
    /// The way out along `run_ahead`, with the codepoint `dscp`; `jitter`: the most that a
    /// departure is delayed by, and the chance of it.
    pub fn new(run_ahead: RunAhead, dscp: Dscp, jitter: Option<(Span, Stream)>) -> Self {
        let jitter = jitter.map(|(most, rng)| Box::new(Jitter { most, last: Time::ZERO, rng }));
        Egress { sent: Fingerprint::default(), run_ahead, dscp, jitter }
    }

    /// A packet that its socket hands over at `t`: when it leaves the host.
    #[inline(always)]
    pub fn leaves(&mut self, t: Time, packet: &Pkt) -> Time {
        self.sent.mix(t.ps());
        self.sent.mix(packet.word());
        if self.jitter.is_none() { t } else { self.leaves_late(t) }
    }

    #[inline(never)]
    fn leaves_late(&mut self, t: Time) -> Time {
        let Some(j) = &mut self.jitter else { return t };
        j.last = j.last.max(t + j.most.scaled(j.rng.unit()));
        j.last
    }
}
