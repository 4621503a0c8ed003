//! Sizes of packets, and how a [`Segment`] carries them.
//!
//! | packet | `seq` | `ts` | `flags` | [`Extra`] |
//! |---|---|---|---|---|
//! | media | number of the packet | capture of its frame | PSH: first of it, FIN: last | none |
//! | report | highest number + 1 | arrival of that packet | ACK | which arrived, marks |
//!
//! All of them have the flag UDP, too. Numbers are the low 32 bits of those of a session: RTP has
//! 16 of them, and widens them the same way (RFC 3550 appendix A.1). Times are in units of
//! `2^TS_UNIT_SHIFT` ps. A report's [`Extra`] has a bit for each packet that it tells of in `sack`,
//! the highest number first, how many it tells of in `window`, and the count of Congestion
//! Experienced in `ecn_bytes[1]`.
use dumbbell_core::transport::segment::{Extra, Segment, Special, flag, widen};

/// UDP header, bytes (RFC 768).
pub const UDP_HEADER: u64 = 8;
/// RTP header, bytes (RFC 3550 section 5.1).
pub const RTP_HEADER: u64 = 12;
/// Sizes that an RTP packet may have at most.
pub const LEAST_MSS: u64 = 100;
/// See [`LEAST_MSS`].
pub const LARGEST_MSS: u64 = 65_000;
/// The most packets that a report tells of: what [`Extra::sack`] holds.
pub const LONGEST: u64 = 256;
/// RTCP header, the two SSRCs, the first number and the count, and the time of the report, bytes
/// (RFC 8888 section 3.1).
const REPORT: u64 = 4 + 4 + 4 + 4 + 4;

/// Which of the last packets arrived, the highest number first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrived([u64; 4]);

impl Arrived {
    /// Whether the packet `back` below the highest one arrived.
    pub fn has(&self, back: u64) -> bool {
        back < LONGEST && self.0[(back / 64) as usize] >> (back % 64) & 1 == 1
    }
    /// It arrived.
    pub fn set(&mut self, back: u64) {
        if back < LONGEST {
            self.0[(back / 64) as usize] |= 1 << (back % 64);
        }
    }
    /// The highest number is `by` more than before.
    pub fn advance(&mut self, by: u64) {
        if by >= LONGEST {
            *self = Arrived::default();
            return;
        }
        let (words, bits) = ((by / 64) as usize, by % 64);
        for i in (0..4usize).rev() {
            let at = |i: Option<usize>| i.map_or(0, |i| self.0[i]);
            let high = at(i.checked_sub(words)) << bits;
            let low = match bits {
                0 => 0,
                _ => at(i.checked_sub(words + 1)) >> (64 - bits),
            };
            self.0[i] = high | low;
        }
    }
}

/// A report of the receiver (RFC 8888): of the packets `from..end`, `end - 1` arrived last in the
/// order of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The first packet that it tells of.
    pub from: u64,
    /// One more than the highest number that arrived.
    pub end: u64,
    /// When that packet arrived, as a timestamp.
    pub arrival: u32,
    /// Which of them arrived.
    pub arrived: Arrived,
    /// Packets that arrived with Congestion Experienced, since the start.
    pub ce: u32,
}

impl Report {
    /// Whether it says that `number` arrived.
    pub fn has(&self, number: u64) -> bool {
        (self.from..self.end).contains(&number) && self.arrived.has(self.end - 1 - number)
    }
    /// RTCP packet, bytes: two for each packet that it tells of, in whole words (RFC 8888 section
    /// 3.1).
    pub fn size(&self) -> u64 {
        REPORT + 2 * (self.end - self.from).next_multiple_of(2)
    }
    /// The packet of this report behind an IP and UDP header of `header` bytes.
    pub fn segment(&self, header: u64) -> (Segment, Extra) {
        let segment = Segment {
            seq: self.end as u32,
            ts: self.arrival,
            ip_len: (header + self.size()) as u16,
            flags: flag::UDP | flag::ACK,
            ..Segment::default()
        };
        let extra = Extra {
            window: (self.end - self.from) as u32,
            sack: self.arrived.0.map(|word| (word as u32, (word >> 32) as u32)),
            special: Special::EcnCounts { valid: 2, counts: [0, self.ce, 0] },
            ..Extra::default()
        };
        (segment, extra)
    }
    /// What a sender reads, which has sent packets below `next`; `None` if it is no report of
    /// those.
    pub fn read(s: &Segment, x: &Extra, next: u64) -> Option<Report> {
        let end = widen(s.seq, next);
        let count = u64::from(x.window).min(LONGEST);
        if end > next || count == 0 || count > end {
            return None;
        }
        let arrived = Arrived(x.sack.map(|(low, high)| u64::from(low) | u64::from(high) << 32));
        let (from, arrival, ce) = (end - count, s.ts, x.ecn_counts()?[1]);
        Some(Report { from, end, arrival, arrived, ce })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(from: u64, end: u64, missing: &[u64]) -> Report {
        let mut arrived = Arrived::default();
        (from..end).filter(|n| !missing.contains(n)).for_each(|n| arrived.set(end - 1 - n));
        Report { from, end, arrival: 77, arrived, ce: 5 }
    }

    /// What is written is what is read, above 2^32, too.
    #[test]
    fn a_report_comes_back() {
        let high = 3u64 << 32;
        for written in [
            report(0, 1, &[]),
            report(high - 3, high + 200, &[high - 2, high, high + 63, high + 64, high + 128]),
        ] {
            let (segment, extra) = written.segment(28);
            let next = written.end + 7;
            assert_eq!(Report::read(&segment, &extra, next), Some(written));
            assert!(!written.has(written.end) && written.has(written.end - 1));
        }
        let (segment, extra) = report(0, 5, &[]).segment(28);
        assert_eq!(Report::read(&segment, &extra, 4), None, "of a packet that was never sent");
    }

    /// RFC 8888 section 3.1: 20 bytes, and two for each packet, padded to words.
    #[test]
    fn sizes_of_reports() {
        let size = |n| report(0, n, &[]).size();
        assert_eq!((size(1), size(2), size(3), size(256)), (24, 24, 28, 532));
    }

    /// Against a list of numbers.
    #[test]
    fn advancing_moves_every_bit() {
        for by in [0, 1, 5, 63, 64, 65, 127, 128, 200, 255, 256, 1000] {
            let set: Vec<u64> = vec![0, 1, 31, 62, 63, 64, 100, 127, 128, 191, 192, 255];
            let mut arrived = Arrived::default();
            set.iter().for_each(|back| arrived.set(*back));
            arrived.advance(by);
            for back in 0..LONGEST {
                let was = back >= by && set.contains(&(back - by));
                assert_eq!(arrived.has(back), was, "{back} after {by}");
            }
        }
    }
}
