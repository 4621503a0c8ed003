//! The receiver's policy that a profile chooses: delayed acknowledgements, how congestion is
//! echoed, and Freeze-TCP's window.
use crate::config::{DelayedAck, Ecn, TcpConfig};
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::transport::segment::flag;
use dumbbell_core::transport::{Arrival, HostSignal, NegotiatedEcn, Receive, Reply};
use dumbbell_core::units::{Span, Time};

/// The number of segments of one size in a row, smaller than the MSS, that count as full ones,
/// because the path carries no larger ones.
const ROW: u8 = 32;

/// Acknowledges each or every second full segment; echoes Congestion Experienced until the sender's
/// CWR (RFC 3168), of what is acknowledged at the moment, or in acknowledgements of their own (RFC
/// 8257).
#[derive(Clone, Debug)]
pub struct ReceiverPolicy {
    /// Bytes that may wait for an acknowledgement, in segments.
    wait_below: u64,
    delay: Span,
    /// Segments that are still acknowledged at once, at the start of a connection.
    quick: u32,
    /// Payload of the last segment that was smaller than the MSS, and how many of that size came in
    /// a row, where a path may be narrower than both ends ([`Self::full_size`]).
    size: u16,
    row: u8,
    estimates: bool,
    ecn: Ecn,
    echoing: bool,
    /// The echo of what came before the segment at hand (DCTCP.CE before it changed).
    echoed: bool,
    /// The counters of accurate ECN, in a box because few flows use it.
    marks: Option<Box<Marks>>,
    /// True if the window closes while the host says that the path is gone, and whether it says so
    /// now.
    freeze: bool,
    down: bool,
}

impl ReceiverPolicy {
    /// The policy of `config`.
    pub fn new(config: &TcpConfig) -> Self {
        ReceiverPolicy {
            wait_below: match config.delayed_ack {
                DelayedAck::Each => 0,
                DelayedAck::Second => 2,
            },
            delay: config.delayed_ack_timeout,
            quick: config.quick_acks,
            size: 0,
            row: 0,
            estimates: config.pmtu_discovery.listens(),
            ecn: config.ecn,
            echoing: false,
            echoed: false,
            marks: config.ecn.accurate().then(Box::default),
            freeze: config.freeze,
            down: false,
        }
    }
}

impl ReceiverPolicy {
    /// Returns the size of a full segment: the MSS, or the size that arrives again and again from a
    /// sender that has found a smaller path. Without that every acknowledgment would wait for two
    /// segments of the MSS (RFC 5681 section 4.2).
    #[inline]
    fn full_size(&mut self, a: &Arrival) -> u64 {
        if a.bytes >= a.mss {
            self.row = 0;
        } else if self.estimates {
            return self.smaller(a);
        }
        a.mss
    }
    #[cold]
    fn smaller(&mut self, a: &Arrival) -> u64 {
        let again = u64::from(self.size) == a.bytes;
        (self.size, self.row) =
            (a.bytes as u16, if again { self.row.saturating_add(1) } else { 1 });
        if self.row >= ROW { a.bytes } else { a.mss }
    }
}

/// The low three bits of a counter of packets, in the ACE field: AE, CWR, ECE.
pub(crate) fn ace(packets: u64) -> u8 {
    let bit = |n: u64, bit: u8| if packets >> n & 1 == 1 { bit } else { 0 };
    bit(2, flag::AE) | bit(1, flag::CWR) | bit(0, flag::ECE)
}

/// The bytes that arrived, by ECN field.
#[derive(Clone, Debug)]
struct Marks {
    /// Packets marked, from 5 on (r.cep of RFC 9768 section 3.2).
    packets: u64,
    /// Bytes with ECT(0), CE, ECT(1) (r.e0b, r.ceb, r.e1b).
    bytes: [u64; 3],
    /// The ECN field of the last segment.
    last: Codepoint,
}

impl Default for Marks {
    fn default() -> Self {
        Marks { packets: 5, bytes: [1, 0, 1], last: Codepoint::NotEct }
    }
}

impl Marks {
    /// Counts a segment by its ECN field; whether that is another one than the last segment's,
    /// which is told at once (RFC 9768 section 3.2.2.5.1).
    fn count(&mut self, a: &Arrival) -> bool {
        self.packets += u64::from(a.ce);
        match a.ecn {
            Codepoint::NotEct => {}
            Codepoint::Ect0 => self.bytes[0] += a.bytes,
            Codepoint::Ce => self.bytes[1] += a.bytes,
            Codepoint::Ect1 => self.bytes[2] += a.bytes,
        }
        std::mem::replace(&mut self.last, a.ecn) != a.ecn
    }
}

impl Receive for ReceiverPolicy {
    fn answers_each(&self) -> bool {
        self.wait_below == 0 && self.ecn == Ecn::Off && !self.freeze
    }

    #[inline]
    fn on_data(&mut self, a: &Arrival) -> Reply {
        let before = self.echoing;
        let mut changed = false;
        match self.ecn {
            Ecn::Off => {}
            // A segment may bring both: the reduction answers older marks than its own.
            Ecn::Rfc3168 => self.echoing = a.ce || (self.echoing && !a.cwr),
            Ecn::PerPacket => self.echoing |= a.ce,
            Ecn::Dctcp => (self.echoed, self.echoing) = (self.echoing, a.ce),
            Ecn::Accecn | Ecn::L4s => {
                changed = self.marks.as_mut().is_some_and(|marks| marks.count(a))
            }
        }
        if self.quick > 0 {
            self.quick -= 1;
            return Reply::Now;
        }
        changed |= before != self.echoing;
        let full = a.pending >= self.wait_below * self.full_size(a);
        match self.ecn {
            Ecn::Dctcp if changed => Reply::BeforeThenNow,
            _ if !a.in_order || full || changed => Reply::Now,
            _ => Reply::Within(self.delay),
        }
    }

    #[inline]
    fn echo(&mut self, before: bool) -> u8 {
        if let Some(marks) = &self.marks {
            return ace(marks.packets);
        }
        let echo = if before { self.echoed } else { self.echoing };
        self.echoing &= self.ecn != Ecn::PerPacket;
        if echo { flag::ECE } else { 0 }
    }

    fn on_ecn_negotiated(&mut self, ecn: NegotiatedEcn) {
        match ecn {
            NegotiatedEcn::Accurate => {}
            NegotiatedEcn::Classic if self.ecn.accurate() => self.ecn = Ecn::Rfc3168,
            NegotiatedEcn::Classic => {}
            // An echo of what never comes.
            NegotiatedEcn::Nothing if self.ecn.accurate() => self.ecn = Ecn::Off,
            NegotiatedEcn::Nothing => {}
        }
        if ecn != NegotiatedEcn::Accurate {
            self.marks = None;
        }
    }
    fn counters(&self) -> Option<[u64; 3]> {
        self.marks.as_ref().map(|marks| marks.bytes)
    }

    fn window(&self, free: u64) -> u64 {
        if self.down { 0 } else { free }
    }

    /// Freeze-TCP: a zero-window advertisement ahead of the disconnection, and three ACKs alike
    /// after it, because the sender's probes have become rare and one ACK may be lost.
    fn on_host_signal(&mut self, _: Time, signal: HostSignal) -> u32 {
        let before = self.down;
        self.down = self.freeze
            && (signal == HostSignal::PathDown || (before && signal != HostSignal::PathUp));
        match (before, self.down) {
            (false, true) => 1,
            (true, false) => 3,
            _ => 0,
        }
    }
}
