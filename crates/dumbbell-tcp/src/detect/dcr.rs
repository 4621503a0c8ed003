//! TCP-DCR (Bhandarkar, Sadry, Reddy, Vaidya, IEEE TMC 4(5), 2005): a loss is declared only after a
//! delay, in which a packet that was merely late, or that a link layer sent again, arrives. RFC
//! 4653 (TCP-NCR) delays by duplicates instead.
use super::DupAcks;
use crate::config::TcpConfig;
use dumbbell_core::transport::{Detect, Evidence, Finding, Scoreboard};
use dumbbell_core::units::{Span, Time};

/// The delay is always less than the timeout by this.
const MARGIN: Span = Span::from_ms(1);

/// Duplicate acknowledgments whose meaning is awaited. Meanwhile each of them lets a new segment
/// go.
#[derive(Clone, Debug)]
pub struct Dcr {
    inner: DupAcks,
    /// tau, in smoothed round-trip times.
    delay: f64,
    in_slow_start: bool,
    at_window: bool,
    limited_transmit: bool,
    mss: u64,
    /// The time at which a suspected loss counts as one; [`Time::NEVER`]: nothing is suspected.
    due: Time,
}

impl Dcr {
    /// With the options of `config`.
    pub fn new(config: &TcpConfig) -> Self {
        Dcr {
            inner: DupAcks::new(
                config.dupack_threshold,
                config.limited_transmit,
                config.segment_bytes(),
            ),
            delay: config.dcr_delay,
            in_slow_start: config.dcr_in_slow_start,
            at_window: config.dcr_at_window,
            limited_transmit: config.limited_transmit,
            mss: config.segment_bytes(),
            due: Time::NEVER,
        }
    }

    /// The delay before a loss counts; `None`: no delay, because there is no sample, or in slow
    /// start.
    fn patience(&self, e: &Evidence) -> Option<Span> {
        let srtt = e.srtt.filter(|_| self.in_slow_start || !e.slow_start)?;
        let most = e.rto.ps().saturating_sub(MARGIN.ps());
        Some(srtt.scaled(self.delay).min(Span::from_ps(most)))
    }

    /// True if a whole window of duplicates has come: nothing of what was sent before the suspect
    /// is left in the network.
    fn window_answered(&self, e: &Evidence) -> bool {
        self.at_window && u64::from(e.dupacks) + 1 >= e.cwnd / self.mss
    }
}

impl Detect for Dcr {
    /// Any duplicate starts the wait, one that SND.UNA's advance left behind (SACK shows a hole
    /// above it) too.
    fn on_ack(&mut self, e: &Evidence, board: &Scoreboard) -> Finding {
        if e.acked > 0 {
            self.due = Time::NEVER;
            if board.is_empty() {
                return Finding::Suspicion(0);
            }
        }
        if self.due == Time::NEVER {
            let Some(patience) = self.patience(e) else { return self.inner.on_ack(e, board) };
            self.due = e.now + patience;
        }
        if self.window_answered(e) {
            return Finding::Loss;
        }
        let left = board.bytes().max(u64::from(e.dupacks) * self.mss);
        if self.limited_transmit { Finding::Suspicion(left) } else { Finding::Nothing }
    }
    fn on_mss(&mut self, mss: u64) {
        self.mss = mss;
        self.inner.on_mss(mss);
    }
    fn deadline(&self) -> Time {
        self.due
    }
    fn on_deadline(&mut self, _: Time, _: &Scoreboard) -> Finding {
        self.due = Time::NEVER;
        Finding::Loss
    }
    fn settled(&mut self) {
        self.due = Time::NEVER;
    }
    /// Within a recovery RFC 6675 decides as ever.
    fn lost_below(&self, board: &Scoreboard) -> u64 {
        self.inner.lost_below(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(at_ms: u64, dupacks: u32) -> Evidence {
        let mut e = Evidence::default();
        (e.now, e.dupacks, e.una, e.high, e.cwnd) =
            (Time::ZERO + Span::from_ms(at_ms), dupacks, 1, 20_001, 20_000);
        (e.srtt, e.rto) = (Some(Span::from_ms(100)), Span::from_ms(300));
        e
    }
    /// An advance of SND.UNA to `una` at 560 ms.
    fn advance(una: u64) -> Evidence {
        let mut e = evidence(560, 0);
        (e.acked, e.una) = (5000, una);
        e
    }
    fn dcr(delay: f64) -> Dcr {
        let mss = Some(dumbbell_core::units::Bytes(1000));
        Dcr::new(&TcpConfig { dcr_delay: delay, timestamps: false, mss, ..TcpConfig::rfc() })
    }
    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// The first duplicate starts the clock, later ones do not move it; an advance of SND.UNA stops
    /// it.
    #[test]
    fn the_delay_counts_from_the_first_duplicate() {
        let (mut d, board) = (dcr(1.0), Scoreboard::default());
        for n in 1..=9 {
            assert_eq!(
                d.on_ack(&evidence(500 + u64::from(n), n), &board),
                Finding::Suspicion(u64::from(n) * 1000)
            );
            assert_eq!(d.deadline(), at(601));
        }
        assert_eq!(d.on_ack(&advance(5001), &board), Finding::Suspicion(0));
        assert_eq!(d.deadline(), Time::NEVER);
    }

    /// tau is bounded by the timeout.
    #[test]
    fn the_delay_is_bounded_by_the_timeout() {
        let mut d = dcr(8.0);
        d.on_ack(&evidence(500, 1), &Scoreboard::default());
        assert_eq!(d.deadline(), at(500 + 299));
        assert_eq!(d.on_deadline(at(799), &Scoreboard::default()), Finding::Loss);
        assert_eq!(d.deadline(), Time::NEVER);
    }

    /// With SACK an advance that leaves a hole starts a new wait.
    #[test]
    fn a_hole_that_remains_is_awaited() {
        let (mut d, mut board) = (dcr(1.0), Scoreboard::default());
        board.insert(6001, 9001);
        assert_eq!(d.on_ack(&advance(5001), &board), Finding::Suspicion(3000));
        assert_eq!(d.deadline(), at(660));
    }

    #[test]
    fn slow_start_is_impatient_unless_asked() {
        let board = Scoreboard::default();
        let early = |n| {
            let mut e = evidence(500, n);
            e.slow_start = true;
            e
        };
        let mut d = dcr(1.0);
        let found: Vec<Finding> = (1..=3).map(|n| d.on_ack(&early(n), &board)).collect();
        assert_eq!(found, [Finding::Suspicion(1000), Finding::Suspicion(2000), Finding::Loss]);
        let mut d = Dcr { in_slow_start: true, ..dcr(1.0) };
        assert_eq!(d.on_ack(&early(3), &board), Finding::Suspicion(3000));
    }

    /// A window of 20 is answered by the duplicates of the 19 behind the suspect.
    #[test]
    fn a_window_of_duplicates_may_end_the_wait() {
        let board = Scoreboard::default();
        let mut d = Dcr { at_window: true, ..dcr(1.0) };
        let first = (1..=25).find(|n| d.on_ack(&evidence(500, *n), &board) == Finding::Loss);
        assert_eq!(first, Some(19));
    }
}
