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
    /// A timeout forbids recovery until everything sent before it is acknowledged; the sender's phase says so.
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
