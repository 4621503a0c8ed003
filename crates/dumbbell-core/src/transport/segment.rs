//! A transport segment as it travels in a simulation: small, because each byte of a packet costs
//! time.
use crate::packet::{Dscp, Ecn};
use crate::units::{Span, Time};

/// Bits of [`Segment::flags`].
pub mod flag {
    /// Opens a connection.
    pub const SYN: u8 = 1;
    /// Closes the sender's direction.
    pub const FIN: u8 = 2;
    /// Carries an acknowledgment (in [`super::Segment::seq`], if it carries no data).
    pub const ACK: u8 = 4;
    /// ECN echo (RFC 3168).
    pub const ECE: u8 = 8;
    /// Congestion window reduced (RFC 3168).
    pub const CWR: u8 = 16;
    /// A datagram, not TCP.
    pub const UDP: u8 = 32;
    /// A retransmission; for the simulator's counters, never read by a receiver.
    pub const RETRANSMIT: u8 = 64;
    /// The third bit of accurate ECN (RFC 9768): with CWR and ECE the ACE field. On acknowledgments
    /// and SYNs.
    pub const AE: u8 = 128;
    /// Push (RFC 9293 section 3.9.1.2), on data: the bit that is [`AE`] on other segments.
    pub const PSH: u8 = AE;
    /// The ACE field of an acknowledgment that carries no SYN, AE highest.
    pub const ACE: u8 = AE | CWR | ECE;
}

/// One segment. Sequence numbers are the low 32 bits of stream offsets; endpoints widen them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Segment {
    /// First byte of data; in a pure acknowledgment the next byte expected.
    pub seq: u32,
    /// Sender's clock on data; in an acknowledgment the clock echoed. In units of
    /// `2^TS_UNIT_SHIFT` ps.
    pub ts: u32,
    /// Length of the IP packet, bytes.
    pub ip_len: u16,
    /// See [`flag`].
    pub flags: u8,
    /// The ECN field.
    pub ecn: Ecn,
}

/// The fields that only some segments carry: one line of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Extra {
    /// SACK blocks (RFC 2018), `[from, to)`, the most recent first; a D-SACK (RFC 2883) is the
    /// first.
    pub sack: [(u32, u32); 4],
    /// The receiver's own clock (TSval of an acknowledgment), in units of `2^TS_UNIT_SHIFT` ps.
    pub ts_val: u32,
    /// Receive window in bytes, as scaled back by the reader.
    pub window: u32,
    /// The tag that a congestion control gave to a segment, to come back with its acknowledgment;
    /// 0: none.
    pub tag: u32,
    /// The fields of one kind of segment.
    pub special: Special,
    /// The number of valid blocks.
    pub blocks: u8,
    /// True for a dummy segment, which only asks for an answer with its tag, and for that answer.
    pub dummy: bool,
    /// The number of times that the receiver has moved to another point of attachment, modulo 256:
    /// on every acknowledgment after the first move.
    pub moved: u8,
}

const _: () = assert!(size_of::<Option<Extra>>() == 64, "one line of the cache");

/// The fields of [`Extra`] that one kind of segment carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Special {
    /// None.
    #[default]
    Nothing,
    /// The options of a SYN.
    Syn(SynOptions),
    /// What an acknowledgment tells of the ECN field of what arrived.
    EcnCounts {
        /// The number of valid counts: none, two (ECT(0) and CE), or three (ECT(1) too).
        valid: u8,
        /// ECT(0), CE, ECT(1): the low 24 bits of byte counters in an AccECN option (RFC 9768
        /// section 3.2.3), or packets in an ACK frame of QUIC (RFC 9000 section 19.3.2).
        counts: [u32; 3],
    },
    /// The codepoint that a congestion control gave to data, instead of the flow's.
    Color(Dscp),
    /// The message of a router to the sender.
    TooBig(PacketTooBig),
}

/// Options of a SYN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SynOptions {
    /// Maximum segment size.
    pub mss: u16,
    /// Window scale; 255: none.
    pub window_scale: u8,
    /// True if it permits SACK.
    pub sack_permitted: bool,
    /// True if it carries timestamps.
    pub timestamps: bool,
}

impl Extra {
    /// The valid SACK blocks.
    pub fn blocks(&self) -> &[(u32, u32)] {
        &self.sack[..usize::from(self.blocks)]
    }
    /// The options of a SYN; the default if it has none.
    pub fn syn(&self) -> SynOptions {
        if let Special::Syn(options) = self.special { options } else { SynOptions::default() }
    }
    /// What it tells of the ECN field, if it has valid counts: see [`Special::EcnCounts`].
    pub fn ecn_counts(&self) -> Option<[u32; 3]> {
        match self.special {
            Special::EcnCounts { valid, counts } if valid > 0 => Some(counts),
            _ => None,
        }
    }
    /// The codepoint that a congestion control gave to the segment; `None`: the flow's.
    pub fn color(&self) -> Option<Dscp> {
        if let Special::Color(dscp) = self.special { Some(dscp) } else { None }
    }
    /// The message of a router to the sender, if this is one.
    pub fn notice(&self) -> Option<PacketTooBig> {
        if let Special::TooBig(notice) = self.special { Some(notice) } else { None }
    }
    /// True if an acknowledgment carries here what the next one does not repeat. Its window and its
    /// clock are replaced by those of the next one.
    pub fn is_told_once(&self) -> bool {
        self.blocks > 0
            || self.ecn_counts().is_some()
            || self.tag != 0
            || self.dummy
            || self.moved != 0
            || self.color().is_some()
            || self.notice().is_some()
    }
}

/// The unit of timestamps in segments: 2^14 ps = 16.384 ns, so that 32 bits last 70 s.
pub const TS_UNIT_SHIFT: u32 = 14;

/// The low 32 bits of `now` in timestamp units.
#[inline]
pub fn timestamp(now: Time) -> u32 {
    (now.ps() >> TS_UNIT_SHIFT) as u32
}

/// The span from timestamp `then` to `now`, if it is below 35 s.
#[inline]
pub fn since_timestamp(now: Time, then: u32) -> Span {
    Span::from_ps(u64::from(timestamp(now).wrapping_sub(then)) << TS_UNIT_SHIFT)
}

/// The 64-bit offset nearest to `near` whose low 32 bits are `low`.
#[inline]
pub fn widen(low: u32, near: u64) -> u64 {
    let ahead = low.wrapping_sub(near as u32) as i32;
    near.wrapping_add_signed(i64::from(ahead))
}

/// A router's message about a packet that was too large: ICMP type 3 code 4 (RFC 1191), or ICMPv6
/// packet too big (RFC 8201).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PacketTooBig {
    /// The MTU of the link, bytes; 0: not given, as by routers older than RFC 1191.
    pub mtu: u32,
    /// The sequence number of the packet: the notice carries its first bytes.
    pub seq: u32,
}

/// Takes the segments that an endpoint sends, in order, at the instant at which it was called.
pub trait Outbox {
    /// One segment, and what it carries besides.
    fn send(&mut self, segment: Segment, extra: Option<Extra>);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widening_finds_the_nearest_offset() {
        let near = (5u64 << 32) + 10;
        assert_eq!(widen(12, near), near + 2);
        assert_eq!(widen(u32::MAX, near), near - 11);
        assert_eq!(widen(near as u32, near), near);
        assert_eq!(widen(3, u64::from(u32::MAX)), (1 << 32) + 3);
    }
}
