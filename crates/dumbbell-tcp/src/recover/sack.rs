//! SACK-based recovery (RFC 6675): pipe says how much may go, NextSeg what.
use dumbbell_core::transport::{Detect, Flight, Pick, Recover, Step};

/// HighRxt and RescueRxt of RFC 6675 section 2.
#[derive(Clone, Debug, Default)]
pub struct Sack {
    high_rxt: u64,
    recover: u64,
    rescued: Option<u64>,
}

impl Sack {
    /// HighRxt: everything below it that was to be sent again went.
    pub(super) fn repaired(&self) -> u64 {
        self.high_rxt
    }
    /// The segment that holds the highest outstanding byte that is not selectively acknowledged.
    fn last_hole(f: &Flight<'_>) -> Option<Pick> {
        let (from, to) = match f.board.ranges() {
            [.., last] if last.1 < f.nxt => (last.1, f.nxt),
            [.., before, last] => (before.1, last.0),
            [last] => (f.una, last.0),
            [] => (f.una, f.nxt),
        };
        (from < to).then(|| Pick::Rescue(from.max(to.saturating_sub(f.mss)), to))
    }
}

impl Recover for Sack {
    /// A timeout forbids recovery until everything sent before it is acknowledged; the sender's
    /// phase says so.
    fn may_enter(&self, _una: u64, _recover: u64) -> bool {
        true
    }

    fn enter(&mut self, f: &Flight<'_>, _dupacks: u32) -> Step {
        (self.high_rxt, self.recover, self.rescued) = (f.una, f.recover, None);
        Step { resend: true, restart_timer: true, ..Step::default() }
    }

    fn on_ack(&mut self, f: &Flight<'_>, acked: u64, _sacked: u64) -> Step {
        self.high_rxt = self.high_rxt.max(f.una);
        let exit = (f.una >= f.recover).then_some(u64::MAX);
        Step { exit, restart_timer: acked > 0, ..Step::default() }
    }

    fn room(&self, f: &Flight<'_>, detect: &impl Detect) -> u64 {
        f.cwnd.saturating_sub(detect.pipe(f.board, f.una, f.nxt, self.high_rxt))
    }

    fn next(&self, f: &Flight<'_>, detect: &impl Detect) -> Option<Pick> {
        if let Some((from, to)) = detect.next_lost(f.board, self.high_rxt) {
            return Some(Pick::Again(from, to));
        }
        if f.unsent > 0 {
            return Some(Pick::New);
        }
        if detect.by_segment() {
            // Rules 3 and 4 make up for losses that cannot be told; time tells them, and a tail
            // loss probe.
            return None;
        }
        if let Some((from, to)) = f.board.hole(self.high_rxt) {
            return Some(Pick::Again(from, to));
        }
        if self.rescued.is_none_or(|r| f.una > r) { Self::last_hole(f) } else { None }
    }

    fn on_sent(&mut self, pick: Pick, _from: u64, to: u64) {
        match pick {
            Pick::New => {}
            Pick::Again(..) => self.high_rxt = self.high_rxt.max(to),
            Pick::Rescue(..) => self.rescued = Some(self.recover),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::DupAcks;
    use dumbbell_core::transport::Scoreboard;

    const MSS: u64 = 1000;

    /// RFC 6675 section 4, NextSeg: its rules in order. [0, 10000) is outstanding; 1, 2, 3 (from
    /// 0), 5 and 7 arrived.
    #[test]
    fn next_seg_rules() {
        let detect = DupAcks::new(3, true, MSS);
        let mut board = Scoreboard::default();
        for (from, to) in [(1000, 4000), (5000, 6000), (7000, 8000)] {
            board.insert(from, to);
        }
        let flight = |unsent| Flight::new(MSS, 0, 10_000, 20_000, 10_000, unsent, &board);
        let mut sack = Sack::default();
        assert!(sack.enter(&flight(5000), 3).resend);
        // (1) Three ranges lie above 0: lost. Above 4000 there are only two, of 2000 bytes: not
        // lost.
        assert_eq!(sack.next(&flight(5000), &detect), Some(Pick::Again(0, 1000)));
        sack.on_sent(Pick::Again(0, 1000), 0, 1000);
        // (2) New data.
        assert_eq!(sack.next(&flight(5000), &detect), Some(Pick::New));
        // (3) None left: holes below the highest SACK that are not (yet) lost.
        assert_eq!(sack.next(&flight(0), &detect), Some(Pick::Again(4000, 5000)));
        sack.on_sent(Pick::Again(4000, 5000), 4000, 5000);
        assert_eq!(sack.next(&flight(0), &detect), Some(Pick::Again(6000, 7000)));
        sack.on_sent(Pick::Again(6000, 7000), 6000, 7000);
        // (4) The last segment, once, and HighRxt stays.
        assert_eq!(sack.next(&flight(0), &detect), Some(Pick::Rescue(9000, 10_000)));
        sack.on_sent(Pick::Rescue(9000, 10_000), 9000, 10_000);
        assert_eq!(sack.next(&flight(0), &detect), None);
        assert_eq!(sack.next(&flight(5000), &detect), Some(Pick::New));
        // pipe: 4000, 6000 and [8000, 10000) not lost; 0, 4000 and 6000 repaired.
        assert_eq!(sack.room(&flight(0), &detect), 20_000 - 4000 - 3000);
    }

    /// RFC 6298 (5.3): new data starts the timer anew. RFC 6675 section 5: the recovery is over
    /// when all that was outstanding at its start is acknowledged.
    #[test]
    fn what_an_acknowledgment_leads_to() {
        let board = Scoreboard::default();
        for (una, acked, over) in [(0, 0, false), (1000, 1000, false), (9999, 1, false)]
            .into_iter()
            .chain([(10_000, 1, true), (10_001, 1, true)])
        {
            let flight = Flight::new(MSS, una, 12_000, 20_000, 10_000, 0, &board);
            let step = Sack::default().on_ack(&flight, acked, 0);
            let expected = (over.then_some(u64::MAX), acked > 0, false, false);
            assert_eq!(
                (step.exit, step.restart_timer, step.resend, step.go_back),
                expected,
                "{una}"
            );
        }
    }

    /// Rule (4): the segment, or what there is of it, with the highest byte that is outstanding and
    /// not selectively acknowledged. A second one only when RecoveryPoint has passed.
    #[test]
    fn the_last_hole_is_rescued_once() {
        let detect = DupAcks::new(3, true, MSS);
        for (ranges, hole) in [
            (&[][..], Some((9000, 10_000))),
            (&[(2000, 9700)], Some((9700, 10_000))),
            (&[(2000, 10_000)], Some((1000, 2000))),
            (&[(600, 10_000)], Some((0, 600))),
            (&[(2000, 3000), (9500, 10_000)], Some((8500, 9500))),
            (&[(2000, 3000), (3300, 10_000)], Some((3000, 3300))),
            (&[(0, 10_000)], None),
        ] {
            let mut board = Scoreboard::default();
            ranges.iter().for_each(|(from, to)| _ = board.insert(*from, *to));
            let flight = |una| Flight::new(MSS, una, 10_000, 20_000, 10_000, 0, &board);
            let mut sack = Sack::default();
            sack.enter(&flight(0), 3);
            sack.on_sent(Pick::Again(0, 10_000), 0, 10_000);
            assert_eq!(
                sack.next(&flight(0), &detect),
                hole.map(|(from, to)| Pick::Rescue(from, to)),
                "{ranges:?}"
            );
            if let Some((from, to)) = hole {
                sack.on_sent(Pick::Rescue(from, to), from, to);
                assert_eq!(sack.next(&flight(0), &detect), None, "{ranges:?}");
            }
        }
        let board = Scoreboard::default();
        let mut sack = Sack { high_rxt: 12_000, recover: 10_000, rescued: Some(10_000) };
        for (una, rescued) in [(10_000, None), (10_001, Some(Pick::Rescue(11_000, 12_000)))] {
            let flight = Flight::new(MSS, una, 12_000, 20_000, 10_000, 0, &board);
            assert_eq!(sack.next(&flight, &detect), rescued);
        }
        sack.on_sent(Pick::New, 12_000, 13_000);
        assert_eq!((sack.repaired(), sack.rescued), (12_000, Some(10_000)));
    }
}
