//! Loss detection by duplicate acknowledgments and, with SACK, by RFC 6675 section 4.
use dumbbell_core::transport::{Detect, Evidence, Finding, Scoreboard};

/// DupThresh duplicate acknowledgments, or as much selectively acknowledged above SND.UNA; limited
/// transmit (RFC 3042) for those before.
#[derive(Clone, Debug)]
pub struct DupAcks {
    threshold: u32,
    limited_transmit: bool,
    mss: u64,
}

impl DupAcks {
    /// With `threshold` duplicates (DupThresh) of segments of `mss` bytes.
    pub fn new(threshold: u32, limited_transmit: bool, mss: u64) -> Self {
        DupAcks { threshold, limited_transmit, mss }
    }
}

impl Detect for DupAcks {
    fn has_timer(&self) -> bool {
        false
    }
    fn on_mss(&mut self, mss: u64) {
        self.mss = mss;
    }
    fn on_ack(&mut self, e: &Evidence, board: &Scoreboard) -> Finding {
        if e.dupacks >= self.threshold || (e.dupacks > 0 && self.lost_below(board) > e.una) {
            Finding::Loss
        } else if self.limited_transmit {
            Finding::Suspicion(u64::from(e.dupacks.min(2)) * self.mss)
        } else {
            Finding::Nothing
        }
    }

    /// RFC 6675 `IsLost`: DupThresh discontiguous ranges above, or more than (DupThresh - 1) * SMSS
    /// bytes.
    fn lost_below(&self, board: &Scoreboard) -> u64 {
        let (mut ranges, mut bytes) = (0, 0);
        for r in board.ranges().iter().rev() {
            (ranges, bytes) = (ranges + 1, bytes + r.1 - r.0);
            if ranges >= self.threshold || bytes > u64::from(self.threshold - 1) * self.mss {
                return r.0;
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(ranges: &[(u64, u64)]) -> Scoreboard {
        let mut b = Scoreboard::default();
        ranges.iter().for_each(|r| {
            b.insert(r.0, r.1);
        });
        b
    }

    #[test]
    fn is_lost_by_ranges_or_by_bytes() {
        let detect = DupAcks::new(3, true, 1000);
        assert_eq!(detect.lost_below(&board(&[(2000, 4000)])), 0);
        assert_eq!(detect.lost_below(&board(&[(2000, 4001)])), 2000);
        assert_eq!(detect.lost_below(&board(&[(2000, 2100), (3000, 3100), (4000, 4100)])), 2000);
        assert_eq!(detect.lost_below(&board(&[(2000, 2100), (3000, 5000), (6000, 6100)])), 3000);
    }

    /// RFC 3042: two segments of new data before the third duplicate, which tells of a loss; so do
    /// selective acknowledgments alone, but not without any duplicate.
    #[test]
    fn duplicates_lead_to_a_suspicion_and_a_loss() {
        let found = |limited_transmit, dupacks, ranges: &[(u64, u64)]| {
            let mut e = Evidence::default();
            (e.una, e.dupacks) = (1000, dupacks);
            DupAcks::new(4, limited_transmit, 1000).on_ack(&e, &board(ranges))
        };
        for (dupacks, spare) in [(0, 0), (1, 1000), (2, 2000), (3, 2000)] {
            assert_eq!(found(true, dupacks, &[]), Finding::Suspicion(spare));
            assert_eq!(found(false, dupacks, &[]), Finding::Nothing);
        }
        assert_eq!((found(true, 4, &[]), found(false, 5, &[])), (Finding::Loss, Finding::Loss));
        let much = &[(2000, 6000)];
        assert_eq!(
            (found(true, 1, much), found(true, 0, much)),
            (Finding::Loss, Finding::Suspicion(0))
        );
        // All of it below SND.UNA is old news.
        assert_eq!(found(true, 1, &[(1000, 5000)]), Finding::Suspicion(1000));
    }

    /// RFC 6675 SetPipe: not lost counts once, repaired counts once more.
    #[test]
    fn pipe_counts_the_original_and_its_repair() {
        let detect = DupAcks::new(3, true, 1000);
        let b = board(&[(3000, 6000), (7000, 8000)]);
        // [0,3000) is lost, [6000,7000) and [8000,10000) are not.
        assert_eq!(detect.lost_below(&b), 3000);
        assert_eq!(detect.pipe(&b, 0, 10_000, 0), 3000);
        assert_eq!(detect.pipe(&b, 0, 10_000, 1000), 4000);
        assert_eq!(detect.pipe(&b, 0, 10_000, 7000), 3000 + 3000 + 1000);
    }
}
