//! Proportional rate reduction (RFC 9937): the flight falls to the new window evenly over the
//! recovery.
use super::Sack;
use dumbbell_core::transport::{Detect, Flight, Pick, Recover, Step};

/// SACK recovery whose window is metered out: `NextSeg` of RFC 6675 says what goes, PRR when.
#[derive(Clone, Debug, Default)]
pub struct Prr {
    sack: Sack,
    meter: Meter,
    /// The window that the last acknowledgment left: what was in the network, and what might go at
    /// once.
    cwnd: u64,
    /// The detector's count of losses at the last acknowledgment.
    losses: u64,
    /// True if the acknowledgment at hand began the recovery.
    fresh: bool,
    /// True if it counts segments.
    whole: bool,
}

impl Prr {
    /// `whole`: it counts segments instead of bytes.
    pub fn new(whole: bool) -> Self {
        Prr { whole, ..Prr::default() }
    }
}

/// PRR's account of one recovery, bytes (RFC 9937 section 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// Bytes that arrived since its start (prr_delivered).
    pub delivered: u64,
    /// Bytes that were sent since then (prr_out).
    pub out: u64,
    /// Bytes in flight at its start (RecoverFS).
    pub recover_fs: u64,
    /// What is due is rounded up to a multiple of this, bytes; 0: to a byte.
    pub unit: u64,
}

impl Meter {
    /// SndCnt: what may go now that `delivered` more bytes have arrived and `pipe` are in the
    /// network, on the way to a window of `ssthresh`. `safe`: SND.UNA moved and nothing more was
    /// found lost (SafeACK).
    pub fn sndcnt(
        &mut self,
        pipe: u64,
        ssthresh: u64,
        delivered: u64,
        safe: bool,
        smss: u64,
    ) -> u64 {
        self.delivered += delivered;
        let count = if pipe > ssthresh {
            let unit = self.unit.max(1);
            let due = u128::from(self.delivered) * u128::from(ssthresh);
            let of = u128::from(self.recover_fs.max(1)) * u128::from(unit);
            (due.div_ceil(of) as u64 * unit).saturating_sub(self.out)
        } else {
            let conserved = self.delivered.saturating_sub(self.out).max(delivered);
            let bound = if safe { conserved + smss } else { conserved };
            bound.min(ssthresh - pipe)
        };
        if self.out == 0 && count == 0 { smss } else { count }
    }
}

impl Recover for Prr {
    fn may_enter(&self, una: u64, recover: u64) -> bool {
        self.sack.may_enter(una, recover)
    }

    fn enter(&mut self, f: &Flight<'_>, dupacks: u32) -> Step {
        self.fresh = true;
        self.sack.enter(f, dupacks)
    }

    fn on_ack(&mut self, f: &Flight<'_>, acked: u64, sacked: u64) -> Step {
        self.sack.on_ack(f, acked, sacked)
    }

    fn meter(&mut self, f: &Flight<'_>, detect: &impl Detect, acked: u64, delivered: u64) {
        let losses = detect.losses(f.board);
        let pipe = detect.pipe(f.board, f.una, f.nxt, self.sack.repaired());
        if std::mem::take(&mut self.fresh) {
            // The flight before the acknowledgment that began the recovery, lost segments included.
            let recover_fs = f.size() - f.board.bytes_within(f.una, f.nxt) + delivered;
            let unit = if self.whole { f.mss } else { 1 };
            self.meter = Meter { recover_fs, unit, ..Meter::default() };
            self.losses = losses;
        } else if delivered == 0 && losses == self.losses {
            return;
        }
        let safe = acked > 0 && losses == self.losses;
        self.losses = losses;
        self.cwnd = pipe + self.meter.sndcnt(pipe, f.cwnd, delivered, safe, f.mss);
    }

    fn room(&self, f: &Flight<'_>, detect: &impl Detect) -> u64 {
        self.cwnd.saturating_sub(detect.pipe(f.board, f.una, f.nxt, self.sack.repaired()))
    }

    fn next(&self, f: &Flight<'_>, detect: &impl Detect) -> Option<Pick> {
        self.sack.next(f, detect)
    }

    fn on_sent(&mut self, pick: Pick, from: u64, to: u64) {
        self.meter.out += to - from;
        self.sack.on_sent(pick, from, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// Proportional part: half a segment for each that arrives, when ssthresh is half of the
    /// flight.
    #[test]
    fn the_proportional_part() {
        let mut m = Meter { delivered: 50_000, recover_fs: 200_000, ..Meter::default() };
        let count = m.sndcnt(200_000, 100_000, 1000, false, MSS);
        assert_eq!((m.delivered, count, 200_000 + count), (51_000, 25_500, 225_500));
    }

    /// More went out than arrived: signed differences, no wrap; what this acknowledgment delivered
    /// may go.
    #[test]
    fn below_the_window_what_arrives_may_go() {
        let mut m = Meter { delivered: 1000, out: 50_000, recover_fs: 200_000, unit: 1 };
        assert_eq!(50_000 + m.sndcnt(50_000, 100_000, 1000, false, MSS), 51_000);
        assert_eq!(m.delivered, 2000);
        // SafeACK: one segment more, to catch up in slow start.
        let mut m = Meter { delivered: 1000, out: 50_000, recover_fs: 200_000, unit: 1 };
        assert_eq!(m.sndcnt(50_000, 100_000, 1000, true, MSS), 2000);
        // Never beyond the window.
        assert_eq!(m.sndcnt(99_500, 100_000, 3000, true, MSS), 500);
    }

    /// The first repair goes, even if nothing is due yet.
    #[test]
    fn the_fast_retransmit_is_forced_once() {
        let mut m = Meter { recover_fs: 10_000, ..Meter::default() };
        assert_eq!(m.sndcnt(9000, 0, 0, false, MSS), MSS);
        m.out = MSS;
        assert_eq!(m.sndcnt(9000, 0, 0, false, MSS), 0);
    }

    /// Counted in segments, as RFC 9937 allows: half of a window of 134 is due with the first
    /// segment that arrives, the third, the fifth.
    #[test]
    fn whole_segments_are_due_early() {
        let mut m = Meter { recover_fs: 134 * MSS, unit: MSS, ..Meter::default() };
        let due = [0, 1, 2, 3, 4].map(|n| {
            let count = m.sndcnt((133 - n) * MSS, 67 * MSS, MSS, false, MSS);
            m.out += count;
            count / MSS
        });
        assert_eq!(due, [1, 0, 1, 0, 1]);
        let mut m = Meter { recover_fs: 134 * MSS, unit: 1, out: MSS, ..Meter::default() };
        assert_eq!([1, 2, 3].map(|_| m.sndcnt(133 * MSS, 67 * MSS, MSS, false, MSS)), [0, 0, 500]);
    }

    /// As long as more is in the network than ssthresh, what was sent is ssthresh / RecoverFS of
    /// what arrived, to a segment, whatever the reduction.
    #[test]
    fn what_goes_is_in_proportion_to_what_arrives() {
        for (ssthresh, fs) in
            [(100_000u64, 200_000u64), (70_000, 100_000), (14_000, 100_000), (99_000, 100_000)]
        {
            let (mut m, mut pipe) = (Meter { recover_fs: fs, ..Meter::default() }, fs);
            while pipe - MSS > ssthresh {
                pipe -= MSS;
                let mut count = m.sndcnt(pipe, ssthresh, MSS, true, MSS);
                while count >= MSS {
                    (count, m.out, pipe) = (count - MSS, m.out + MSS, pipe + MSS);
                }
                let due = (m.delivered * ssthresh).div_ceil(fs);
                assert!(m.out <= due.max(MSS) && due < m.out + MSS, "{m:?} {due}");
            }
        }
    }
}
