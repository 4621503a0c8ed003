//! A packet on its way, which is an entry of the agenda as well: 32 bytes, copied, never allocated.
use dumbbell_core::packet::Ecn;
use dumbbell_core::segment::Segment;

/// No extra.
pub const NONE: u32 = 0;

/// No leg: the entry is a clock.
const NO_LEG: u32 = u32::MAX;

/// A packet that arrives somewhere at `t`, or a clock that is due then.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// When, picoseconds.
    pub t: u64,
    /// Who: the number of the stream or clock in the plan, see [`crate::ranks`].
    pub rank: u32,
    /// Which leg of which flow the packet is about to take; none for a clock.
    pub leg: u32,
    /// The packet.
    pub packet: Pkt,
}

/// The packet itself, 16 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Pkt {
    /// See [`Segment::seq`].
    pub seq: u32,
    /// See [`Segment::ts`].
    pub ts: u32,
    /// Length of the IP packet, bytes.
    pub ip_len: u16,
    /// See [`dumbbell_core::segment::flag`].
    pub flags: u8,
    /// The ECN field.
    pub ecn: Ecn,
    /// Handle of its [`dumbbell_core::segment::Extra`], [`NONE`] in the common case.
    pub extra: u32,
}

impl Pkt {
    /// A packet that carries `s`.
    pub fn of(s: Segment, extra: u32) -> Self {
        Pkt { seq: s.seq, ts: s.ts, ip_len: s.ip_len, flags: s.flags, ecn: s.ecn, extra }
    }
    /// The segment that it carries.
    pub fn segment(&self) -> Segment {
        Segment { seq: self.seq, ts: self.ts, ip_len: self.ip_len, flags: self.flags, ecn: self.ecn }
    }
    /// One word that tells packets of a flow apart, for the fingerprint.
    pub fn word(&self) -> u64 {
        u64::from(self.seq) << 32 | u64::from(self.ip_len) << 16 | u64::from(self.flags) << 8 | self.ecn as u64
    }
}

impl Entry {
    /// What the agenda orders by, as one number: two comparisons cost more than one of twice the width.
    #[inline]
    pub fn key(&self) -> u128 {
        u128::from(self.t) << 64 | u128::from(self.rank)
    }
    /// Whether it is a clock that is due, and no packet that arrives.
    #[inline]
    pub fn is_clock(&self) -> bool {
        self.leg == NO_LEG
    }
    /// A clock that is due at `t`.
    pub fn clock(t: u64, rank: u32) -> Self {
        let packet = Pkt { seq: 0, ts: 0, ip_len: 0, flags: 0, ecn: Ecn::NotEct, extra: NONE };
        Entry { t, rank, leg: NO_LEG, packet }
    }
}

const _: () = assert!(size_of::<Entry>() == 32, "bytes per packet are nanoseconds");
