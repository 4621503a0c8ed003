//! A packet on its way, which is an entry of the agenda as well: 32 bytes, copied, never allocated.
use dumbbell_core::packet::{Dscp, Ecn, FlowId, Framing, Meta};
use dumbbell_core::transport::segment::Segment;

/// No extra.
pub const NO_SIDECAR: u32 = 0;

/// No path segment: the entry is a clock.
const NO_SEGMENT: u32 = u32::MAX;

/// A packet that arrives somewhere at `t`, or a clock that is due then.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The time, picoseconds.
    pub t: u64,
    /// The number of the stream or clock in the plan, see [`crate::engine::ranks`].
    pub rank: u32,
    /// The path segment that the packet is about to take; none for a clock.
    pub path_segment: u32,
    /// The packet.
    pub packet: Pkt,
}

/// The packet itself: two words, because it is copied more often than it is read.
#[derive(Clone, Copy, Debug)]
pub struct Pkt {
    /// From the top: sequence number (32 bits), length of the IP packet (16), flags (8), and the
    /// octet that IP has for the codepoint (6) and the ECN field (2).
    word: u64,
    /// The timestamp, and above it the handle of its [`dumbbell_core::transport::segment::Extra`].
    rest: u64,
}

impl Pkt {
    /// A packet that carries `s` and `extra`, which is [`NO_SIDECAR`] in the common case.
    #[inline]
    pub fn new(s: Segment, extra: u32) -> Self {
        let word = u64::from(s.seq) << 32
            | u64::from(s.ip_len) << 16
            | u64::from(s.flags) << 8
            | s.ecn as u64;
        Pkt { word, rest: u64::from(extra) << 32 | u64::from(s.ts) }
    }
    /// The segment that it carries.
    #[inline]
    pub fn segment(&self) -> Segment {
        Segment {
            seq: self.seq(),
            ts: self.rest as u32,
            ip_len: self.ip_len(),
            flags: self.flags(),
            ecn: self.ecn(),
        }
    }
    /// See [`Segment::seq`].
    #[inline]
    pub fn seq(&self) -> u32 {
        (self.word >> 32) as u32
    }
    /// Length of the IP packet, bytes.
    #[inline]
    pub fn ip_len(&self) -> u16 {
        (self.word >> 16) as u16
    }
    /// See [`dumbbell_core::transport::segment::flag`].
    #[inline]
    pub fn flags(&self) -> u8 {
        (self.word >> 8) as u8
    }
    /// The ECN field.
    #[inline]
    pub fn ecn(&self) -> Ecn {
        match self.word & 3 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }
    /// Sets Congestion Experienced.
    pub fn set_ce(&mut self) {
        self.word |= Ecn::Ce as u64;
    }
    /// The DiffServ codepoint.
    #[inline]
    pub fn dscp(&self) -> Dscp {
        Dscp((self.word >> 2) as u8 & 63)
    }
    /// Sets the codepoint of a packet that has none yet; of one that has, bits that both have are
    /// cleared.
    #[inline]
    pub fn put_dscp(&mut self, dscp: Dscp) {
        self.word ^= u64::from(dscp.0) << 2;
    }
    /// Sets the codepoint.
    #[inline]
    pub fn set_dscp(&mut self, dscp: Dscp) {
        self.word = self.word & !(63 << 2) | u64::from(dscp.0 & 63) << 2;
    }
    /// Handle of what it carries besides, [`NO_SIDECAR`] in the common case.
    #[inline]
    pub fn sidecar(&self) -> u32 {
        (self.rest >> 32) as u32
    }
    /// Returns the same packet with another handle.
    #[must_use]
    pub fn with_sidecar(self, extra: u32) -> Self {
        Pkt { rest: u64::from(extra) << 32 | self.rest & 0xffff_ffff, ..self }
    }
    /// Returns the same packet with another length.
    #[must_use]
    pub fn with_len(self, ip_len: u16) -> Self {
        Pkt { word: self.word & !(0xffff << 16) | u64::from(ip_len) << 16, ..self }
    }
    /// One word that tells packets of a flow apart, for the fingerprint.
    #[inline]
    pub fn word(&self) -> u64 {
        self.word
    }
    /// What a queue sees of the packet of `flow`. `data`: it goes from sender to receiver.
    #[inline(always)]
    pub(crate) fn meta(&self, flow: u32, data: bool, framing: Framing, fragment: bool) -> Meta {
        let ip_len = u32::from(self.ip_len());
        Meta {
            ip_len,
            wire_len: framing.wire_len(ip_len),
            flow: FlowId(flow),
            ecn: self.ecn(),
            dscp: self.dscp(),
            fragment,
            back: !data,
        }
    }
}

impl Entry {
    /// The key of the agenda's order, as one number: two comparisons cost more than one of twice
    /// the width.
    #[inline]
    pub fn key(&self) -> u128 {
        u128::from(self.t) << 64 | u128::from(self.rank)
    }
    /// True if this is a clock and not a packet.
    #[inline]
    pub fn is_clock(&self) -> bool {
        self.path_segment == NO_SEGMENT
    }
    /// A clock that is due at `t`.
    pub fn clock(t: u64, rank: u32) -> Self {
        let packet = Pkt::new(Segment::default(), NO_SIDECAR);
        Entry { t, rank, path_segment: NO_SEGMENT, packet }
    }
}

const _: () = assert!(size_of::<Entry>() == 32, "bytes per packet are nanoseconds");
