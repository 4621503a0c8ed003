//! Sizes of QUIC packets, and how a [`Segment`] carries them.
//!
//! | packet | `seq` | `ts` | `flags` | [`Extra`] |
//! |---|---|---|---|---|
//! | STREAM data | packet number | stream offset | FIN, RETRANSMIT | a color, if the control has one |
//! | ACK | largest acknowledged + 1 | delay and first range | ACK | further ranges, ECN counts |
//! | Initial | packet number | 0 | SYN | none |
//! | server's answer | as ACK | as ACK | SYN, ACK | as ACK |
//!
//! All of them have the flag UDP, too. Numbers are the low 32 bits; endpoints widen them. The `ts`
//! of an acknowledgment holds the ACK Delay in its high half, in units of 8 us (the default
//! `ack_delay_exponent` of 3, RFC 9000 section 18.2), and in its low half the number of packets of
//! the first range, at most 65,535.
//!
//! Simplifications: handshake packets share the packet numbers of data; what the receiver would
//! announce by MAX_DATA the sender derives from acknowledgments.
use dumbbell_core::transport::segment::{Extra, Segment, Special, flag, widen};
use dumbbell_core::units::Span;

/// UDP header, bytes (RFC 768).
pub const UDP_HEADER: u64 = 8;
/// Short header: flags, a connection ID of 8 bytes, a packet number of 4 (RFC 9000 section 17.3.1).
pub const SHORT_HEADER: u64 = 1 + 8 + 4;
/// Authentication tag of the packet protection (RFC 9001 section 5.3).
pub const TAG: u64 = 16;
/// STREAM frame up to the end of its packet: type, stream ID, an offset of 8 bytes (RFC 9000
/// section 19.8).
pub const STREAM_FRAME: u64 = 1 + 1 + 8;
/// PING frame (RFC 9000 section 19.2).
pub const PING_FRAME: u64 = 1;
/// What a packet of stream data has beside the data, bytes of UDP payload.
pub const DATA_OVERHEAD: u64 = SHORT_HEADER + TAG + STREAM_FRAME;
/// UDP payload of a PING.
pub const PING: u64 = SHORT_HEADER + TAG + PING_FRAME;
/// UDP payload of a datagram with an Initial, either way (RFC 9000 section 14.1).
pub const INITIAL: u64 = 1200;
/// The largest number of ranges in an ACK: what [`Extra::sack`] holds.
pub const MAX_RANGES: usize = 4;
/// The unit of ACK Delay: 2^3 us.
const DELAY_UNIT: Span = Span::from_us(8);

/// The ranges `[from, to)` of packet numbers that an ACK reports, the most recent first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    list: [(u64, u64); MAX_RANGES],
    count: usize,
}

impl Ranges {
    /// Adds a range below the others; false if there is no room.
    pub fn push(&mut self, from: u64, to: u64) -> bool {
        let room = self.count < MAX_RANGES;
        if room {
            self.list[self.count] = (from, to);
            self.count += 1;
        }
        room
    }
    /// The ranges, the most recent first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        self.list[..self.count].iter().copied()
    }
}

/// The contents of an ACK frame (RFC 9000 section 19.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckFrame {
    /// Its ranges; the first ends after the largest acknowledged packet.
    pub ranges: Ranges,
    /// Time from the arrival of the largest acknowledged packet to the ACK.
    pub delay: Span,
    /// Packets that arrived with ECT(0), CE and ECT(1), if it reports them (section 13.4).
    pub ecn: Option<[u64; 3]>,
}

impl AckFrame {
    /// The packet of this frame behind an IP and UDP header of `header` bytes; `flags` beside UDP
    /// and ACK.
    pub fn segment(&self, header: u64, flags: u8) -> (Segment, Option<Extra>) {
        let (from, to) = self.ranges.list[0];
        let units = (self.delay.ps() / DELAY_UNIT.ps()).min(u64::from(u16::MAX)) as u32;
        let first = (to - from).min(u64::from(u16::MAX)) as u32;
        let size = if flags & flag::SYN != 0 { INITIAL } else { self.size() };
        let segment = Segment {
            seq: to as u32,
            ts: units << 16 | first,
            ip_len: (header + size) as u16,
            flags: flag::UDP | flag::ACK | flags,
            ..Segment::default()
        };
        (segment, self.extra())
    }

    fn extra(&self) -> Option<Extra> {
        if self.ranges.count <= 1 && self.ecn.is_none() {
            return None;
        }
        let mut extra = Extra::default();
        if self.ranges.count > 1 {
            extra.blocks = self.ranges.count as u8;
            extra.sack = self.ranges.list.map(|(from, to)| (from as u32, to as u32));
        }
        if let Some(counts) = self.ecn {
            let counts = counts.map(|count| count as u32);
            extra.special = Special::EcnCounts { valid: 3, counts };
        }
        Some(extra)
    }

    /// What a sender reads, which has sent packets below `next`; `None` if it is no ACK of those.
    pub fn read(s: &Segment, x: Option<&Extra>, next: u64) -> Option<AckFrame> {
        let largest = widen(s.seq, next);
        if largest > next || largest == 0 {
            return None;
        }
        let first = u64::from(s.ts & 0xffff).min(largest);
        let mut ranges = Ranges::default();
        ranges.push(largest - first, largest);
        let mut ecn = None;
        if let Some(x) = x {
            for (from, to) in x.blocks().iter().skip(1) {
                let (from, to) = (widen(*from, next), widen(*to, next));
                if from < to && to <= largest {
                    ranges.push(from, to);
                }
            }
            ecn = x.ecn_counts().map(|counts| counts.map(u64::from));
        }
        Some(AckFrame { ranges, delay: DELAY_UNIT * u64::from(s.ts >> 16), ecn })
    }

    /// UDP payload of a packet with only this frame, bytes.
    pub fn size(&self) -> u64 {
        let mut ranges = self.ranges.iter();
        let (from, to) = ranges.next().unwrap_or_default();
        let units = self.delay.ps() / DELAY_UNIT.ps();
        let mut frame = 1 + varint(to.saturating_sub(1)) + varint(units) + 1;
        frame += varint((to - from).saturating_sub(1));
        let mut above = from;
        for (from, to) in ranges {
            frame += varint((above - to).saturating_sub(1)) + varint((to - from).saturating_sub(1));
            above = from;
        }
        frame += self.ecn.map_or(0, |counts| counts.into_iter().map(varint).sum());
        SHORT_HEADER + TAG + frame
    }
}

/// Bytes of a variable-length integer (RFC 9000 section 16).
fn varint(value: u64) -> u64 {
    match value {
        0..0x40 => 1,
        0x40..0x4000 => 2,
        0x4000..0x4000_0000 => 4,
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(ranges: &[(u64, u64)]) -> AckFrame {
        let mut frame = AckFrame { delay: Span::from_us(800), ..AckFrame::default() };
        ranges.iter().for_each(|(from, to)| assert!(frame.ranges.push(*from, *to)));
        frame
    }

    /// What is written is what is read, above 2^32, too.
    #[test]
    fn an_ack_comes_back() {
        let high = 5u64 << 32;
        for frame in [
            frame(&[(0, 7)]),
            frame(&[(high + 9, high + 12), (high + 4, high + 8), (high - 3, high + 3)]),
            AckFrame { ecn: Some([4, 5, 6]), ..frame(&[(3, 9)]) },
        ] {
            let (segment, extra) = frame.segment(28, 0);
            let next = frame.ranges.list[0].1 + 3;
            assert_eq!(AckFrame::read(&segment, extra.as_ref(), next), Some(frame));
        }
        let (segment, _) = frame(&[(0, 7)]).segment(28, 0);
        assert_eq!(AckFrame::read(&segment, None, 6), None, "of a packet that was never sent");
    }

    /// RFC 9000 section 19.3: type, largest, delay, count, first range; then gap and length of
    /// each further range. Gaps and lengths are one less than the number of packets.
    #[test]
    fn sizes_of_acks() {
        let header = SHORT_HEADER + TAG;
        assert_eq!(frame(&[(0, 7)]).size(), header + 1 + 1 + 2 + 1 + 1);
        assert_eq!(frame(&[(0, 65)]).size(), header + 1 + 2 + 2 + 1 + 2);
        assert_eq!(frame(&[(90, 100), (10, 20)]).size(), header + 1 + 2 + 2 + 1 + 1 + 2 + 1);
        let marked = AckFrame { ecn: Some([100, 1, 0]), ..frame(&[(0, 7)]) };
        assert_eq!(marked.size(), header + 6 + 2 + 1 + 1);
        assert_eq!((varint(63), varint(64), varint(16_383), varint(16_384)), (1, 2, 2, 4));
    }
}
