//! State of a connection: its flow, and the progress of both ends.
use dumbbell_core::transport::segment::flag;
use dumbbell_wire::five_tuple::FiveTuple;
use dumbbell_wire::view::{PacketView, Tcp, TransportHeader, tcp_flags};

/// The flags of packets that are not TCP.
pub const DATAGRAM: u8 = flag::UDP;

/// Progress of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Direction {
    /// The number of its SYN, if that, or anything that tells it, was seen.
    first: Option<u32>,
    /// The number behind the highest that it sent, counted from `first`.
    high: u32,
    /// Datagrams that it sent.
    datagrams: u32,
}

/// A conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// As its sender says it, the flow's end 0.
    pub tuple: FiveTuple,
    /// Its flow.
    pub flow: u32,
    /// Behind which NICs its ends are.
    pub nics: [u32; 2],
    halves: [Direction; 2],
}

impl Connection {
    pub fn new(tuple: FiveTuple, flow: u32, nics: [u32; 2]) -> Connection {
        Connection { tuple, flow, nics, halves: [Direction::default(); 2] }
    }

    /// Forgets the progress of both ends.
    pub fn forget(&mut self) {
        self.halves = [Direction::default(); 2];
    }

    /// True if a SYN of `end` with this number differs from the one seen before.
    pub fn is_new_syn(&self, end: usize, seq: u32) -> bool {
        self.halves[end].first.is_some_and(|first| first != seq)
    }

    /// The packet's numbers for the log, and its flags.
    #[inline]
    pub fn record_packet(&mut self, end: usize, view: &PacketView) -> (u32, u8) {
        if let TransportHeader::Tcp(tcp) = view.transport {
            return self.segment(end, tcp);
        }
        let half = &mut self.halves[end];
        let number = half.datagrams;
        half.datagrams = number.wrapping_add(1);
        (number, DATAGRAM)
    }

    #[inline]
    fn segment(&mut self, end: usize, tcp: Tcp) -> (u32, u8) {
        let is = |bit| tcp.flags & bit != 0;
        let half = &mut self.halves[end];
        // Without the SYN, the first byte seen counts as the first one behind it.
        let unseen = tcp.seq.wrapping_sub(u32::from(!is(tcp_flags::SYN)));
        let from = tcp.seq.wrapping_sub(*half.first.get_or_insert(unseen));
        let takes =
            u32::from(tcp.payload) + u32::from(is(tcp_flags::SYN)) + u32::from(is(tcp_flags::FIN));
        let mut flags = flags(tcp.flags);
        if takes > 0 {
            // Numbers wrap; half of them are behind.
            if (from.wrapping_sub(half.high) as i32) < 0 {
                flags |= flag::RETRANSMIT;
            }
            let after = from.wrapping_add(takes);
            if after.wrapping_sub(half.high) as i32 > 0 {
                half.high = after;
            }
        }
        let data = tcp.payload > 0 || is(tcp_flags::FIN) || !is(tcp_flags::ACK);
        if data && !is(tcp_flags::SYN) {
            flags = flags & !flag::AE | if is(tcp_flags::PSH) { flag::PSH } else { 0 };
        }
        if data {
            return (from, flags);
        }
        let other = self.halves[1 - end].first.get_or_insert(tcp.ack.wrapping_sub(1));
        (tcp.ack.wrapping_sub(*other), flags)
    }
}

/// Converts the wire's flag bits to the log's.
#[inline]
fn flags(bits: u16) -> u8 {
    const PAIRS: [(u16, u8); 6] = [
        (tcp_flags::SYN, flag::SYN),
        (tcp_flags::FIN, flag::FIN),
        (tcp_flags::ACK, flag::ACK),
        (tcp_flags::ECE, flag::ECE),
        (tcp_flags::CWR, flag::CWR),
        (tcp_flags::AE, flag::AE),
    ];
    PAIRS.iter().fold(0, |all, (bit, flag)| if bits & bit == 0 { all } else { all | flag })
}
