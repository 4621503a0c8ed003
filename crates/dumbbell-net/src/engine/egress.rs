//! The point where packets leave a socket: fingerprint, codepoint, jitter, and the links until the
//! first merge.
use crate::engine::entry::Pkt;
use crate::engine::path::RunAhead;
use crate::engine::path_choice::PathChoice;
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
    special: Option<Box<Special>>,
}

/// What few sockets have.
#[derive(Default)]
struct Special {
    jitter: Option<Jitter>,
    paths: Option<PathChoice>,
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
        let jitter = jitter.map(|(most, rng)| Jitter { most, last: Time::ZERO, rng });
        let special =
            jitter.map(|jitter| Box::new(Special { jitter: Some(jitter), ..Special::default() }));
        Egress { sent: Fingerprint::default(), run_ahead, dscp, special }
    }

    /// Gives the socket several paths.
    pub(crate) fn choose_among(&mut self, paths: PathChoice) {
        self.special.get_or_insert_default().paths = Some(paths);
    }

    /// A packet that its socket hands over at `t`: when it leaves the host. Its way out is
    /// `run_ahead` from then on.
    #[inline(always)]
    pub fn leaves(&mut self, t: Time, packet: &Pkt) -> Time {
        self.sent.mix(t.ps());
        self.sent.mix(packet.word());
        if self.special.is_none() { t } else { self.leaves_specially(t) }
    }

    #[inline(never)]
    fn leaves_specially(&mut self, mut t: Time) -> Time {
        let Some(special) = &mut self.special else { return t };
        if let Some(j) = &mut special.jitter {
            j.last = j.last.max(t + j.most.scaled(j.rng.unit()));
            t = j.last;
        }
        if let Some(paths) = &mut special.paths {
            self.run_ahead = paths.chosen(t).unwrap_or(self.run_ahead);
        }
        t
    }
}
