//! Fast recovery without SACK: Reno (RFC 5681 section 3.2) and NewReno (RFC 6582).
use super::Guard;
use crate::config::{Exit, PartialAck};
use dumbbell_core::transport::{Detect, Flight, Recover, Step};

/// Each duplicate acknowledgment tells that a segment has left the network and inflates the window
/// by one.
#[derive(Clone, Debug)]
pub struct Reno {
    /// The inflation of the window beyond cwnd; below zero after a partial acknowledgment larger
    /// than it was.
    inflation: i64,
    partial_seen: bool,
    guard: Guard,
    /// NewReno's reaction to partial acknowledgments; `None`: Reno, whose recovery ends at the
    /// first one.
    newreno: Option<(PartialAck, Exit)>,
}

impl Reno {
    /// RFC 5681: the first new acknowledgment ends recovery. There `guard` is open.
    pub fn rfc5681(guard: Guard) -> Self {
        Reno { inflation: 0, partial_seen: false, guard, newreno: None }
    }
    /// RFC 6582: recovery lasts until everything outstanding at its start is acknowledged.
    pub fn newreno(guard: Guard, partial: PartialAck, exit: Exit) -> Self {
        Reno { inflation: 0, partial_seen: false, guard, newreno: Some((partial, exit)) }
    }
}

impl Recover for Reno {
    fn may_enter(&self, una: u64, recover: u64) -> bool {
        self.guard.allows(una, recover)
    }

    fn enter(&mut self, f: &Flight<'_>, dupacks: u32) -> Step {
        self.inflation = (u64::from(dupacks) * f.mss) as i64;
        self.partial_seen = false;
        Step { resend: true, restart_timer: true, ..Step::default() }
    }

    fn on_ack(&mut self, f: &Flight<'_>, acked: u64, _sacked: u64) -> Step {
        if acked == 0 {
            self.inflation += f.mss as i64;
            return Step::default();
        }
        let Some((partial, exit)) = self.newreno else {
            return Step { exit: Some(u64::MAX), restart_timer: true, ..Step::default() };
        };
        if f.una >= f.recover {
            let bound = match exit {
                Exit::Deflated => f.size().max(f.mss) + f.mss,
                Exit::Ssthresh => u64::MAX,
            };
            return Step { exit: Some(bound), restart_timer: true, ..Step::default() };
        }
        self.inflation -= acked as i64;
        if acked >= f.mss {
            self.inflation += f.mss as i64;
        }
        let restart_timer = partial == PartialAck::SlowButSteady || !self.partial_seen;
        self.partial_seen = true;
        Step { resend: true, restart_timer, ..Step::default() }
    }

    fn room(&self, f: &Flight<'_>, _: &impl Detect) -> u64 {
        f.cwnd.saturating_add_signed(self.inflation).max(f.mss).saturating_sub(f.size())
    }
}
