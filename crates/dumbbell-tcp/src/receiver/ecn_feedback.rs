//! ECN feedback: the flags and counters on acknowledgments that report CE marks to the sender.
use crate::config::Ecn;
use dumbbell_core::packet::Ecn as EcnField;
use dumbbell_core::transport::segment::flag;
use dumbbell_core::transport::{Arrival, NegotiatedEcn};

/// The feedback of a receiver, by mode:
///
/// - `Off`: none.
/// - `Rfc3168`: ECE from a CE mark until the sender's CWR (RFC 3168 section 6.1.3).
/// - `PerPacket`: ECE on an ACK if a segment since the previous ACK carried CE.
/// - `Dctcp`: ECE if the segments that an ACK covers carried CE. Data in order with and without CE
///   is acknowledged apart (RFC 8257 section 3.2).
/// - `Accecn` and `L4s`: the number of segments with CE in the ACE field, and byte counters in the
///   AccECN option (RFC 9768).
#[derive(Clone, Debug)]
pub(super) struct EcnFeedback {
    mode: Ecn,
    /// True if the next ACK carries ECE.
    ece: bool,
    /// In the mode `Dctcp`: [`Self::ece`] before the last segment, for an ACK of only the data
    /// before it.
    previous_ece: bool,
    /// The counters of `Accecn` and `L4s`; none in other modes. In a box because few flows use it.
    counters: Option<Box<AccEcnCounters>>,
}

impl EcnFeedback {
    pub fn new(mode: Ecn) -> Self {
        let counters = mode.accurate().then(Box::default);
        EcnFeedback { mode, ece: false, previous_ece: false, counters }
    }

    #[inline]
    pub fn mode(&self) -> Ecn {
        self.mode
    }

    /// Takes note of a segment's ECN field and CWR flag. Returns true if the feedback changed; the
    /// segment is then acknowledged at once.
    #[inline]
    pub fn observe(&mut self, a: &Arrival) -> bool {
        let before = self.ece;
        match self.mode {
            Ecn::Off => {}
            // A segment may carry both: its CWR answers earlier marks, not its own.
            Ecn::Rfc3168 => self.ece = a.ce() || (self.ece && !a.cwr),
            Ecn::PerPacket => self.ece |= a.ce(),
            Ecn::Dctcp => (self.previous_ece, self.ece) = (before, a.ce()),
            Ecn::Accecn | Ecn::L4s => {
                return self.counters.as_mut().is_some_and(|counters| counters.count(a));
            }
        }
        self.ece != before
    }

    /// The ECN bits of an ACK that leaves now. `pending_only`: as for
    /// [`dumbbell_core::transport::Receive::echo`].
    #[inline]
    pub fn flags(&mut self, pending_only: bool) -> u8 {
        if let Some(counters) = &self.counters {
            return ace(counters.ce_packets);
        }
        let ece = if pending_only { self.previous_ece } else { self.ece };
        if self.mode == Ecn::PerPacket {
            self.ece = false;
        }
        if ece { flag::ECE } else { 0 }
    }

    /// Falls back from accurate ECN to what the handshake agreed on. The other modes stay: if ECN
    /// was not negotiated, no CE mark can arrive and they send no feedback.
    pub fn on_negotiated(&mut self, negotiated: NegotiatedEcn) {
        if !self.mode.accurate() {
            return;
        }
        self.mode = match negotiated {
            NegotiatedEcn::Accurate => return,
            NegotiatedEcn::Classic => Ecn::Rfc3168,
            NegotiatedEcn::Nothing => Ecn::Off,
        };
        self.counters = None;
    }

    /// The byte counters of the AccECN option; `None` without accurate ECN.
    pub fn byte_counters(&self) -> Option<[u64; 3]> {
        self.counters.as_ref().map(|counters| counters.bytes)
    }
}

/// The ACE field (AE, CWR, ECE): the low three bits of a number of packets.
fn ace(packets: u64) -> u8 {
    let bit = |n: u32, flag: u8| if packets >> n & 1 == 1 { flag } else { 0 };
    bit(2, flag::AE) | bit(1, flag::CWR) | bit(0, flag::ECE)
}

/// The counters of accurate ECN.
#[derive(Clone, Debug)]
struct AccEcnCounters {
    /// Segments with CE (r.cep).
    ce_packets: u64,
    /// Payload that arrived with ECT(0), CE, ECT(1), bytes (r.e0b, r.ceb, r.e1b).
    bytes: [u64; 3],
    /// The ECN field of the last segment.
    last: EcnField,
}

impl Default for AccEcnCounters {
    /// The initial values of RFC 9768 section 3.2.1.
    fn default() -> Self {
        AccEcnCounters { ce_packets: 5, bytes: [1, 0, 1], last: EcnField::NotEct }
    }
}

impl AccEcnCounters {
    /// Counts a segment by its ECN field. Returns true if the field differs from the previous
    /// segment's: a change to CE should be acknowledged at once (RFC 9768 section 3.2.2.5.1), and
    /// Linux does so for every change.
    fn count(&mut self, a: &Arrival) -> bool {
        match a.ecn {
            EcnField::NotEct => {}
            EcnField::Ect0 => self.bytes[0] += a.bytes,
            EcnField::Ce => {
                self.ce_packets += 1;
                self.bytes[1] += a.bytes;
            }
            EcnField::Ect1 => self.bytes[2] += a.bytes,
        }
        std::mem::replace(&mut self.last, a.ecn) != a.ecn
    }
}
