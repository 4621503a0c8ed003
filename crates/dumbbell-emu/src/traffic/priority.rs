//! Real-time priority for traffic threads that use little processor time.
use super::usage::{CpuUsage, Role};
use crate::sys::sched::{drop_real_time, raise_nice, real_time, timer_slack};
use dumbbell_core::units::{Span, Time};

/// Real-time priority (the lowest, below the router's), as long as the thread is modest: a flood of
/// traffic would keep the machine from all else. Without the permission, or when it is not modest,
/// it is nicer to nobody than it must be.
pub struct Priority {
    /// Time and processor use at the last check; `None`: the thread has no real-time priority.
    since: Option<(Time, CpuUsage)>,
}

impl Priority {
    /// Interval of checks.
    const EVERY: Span = Span::from_ms(50);
    /// The share of a core that it may take.
    const MODEST: f64 = 0.4;

    /// Raises the priority of the calling thread.
    pub fn begin(now: Time) -> Priority {
        // Sleeps of ordinary threads are 50 us too long otherwise. Instants are kept less well
        // where these are refused, and what is sent and counted is the same.
        let _ = timer_slack(1);
        let since = real_time(1).is_ok().then(|| (now, CpuUsage::so_far(Role::Sender)));
        if since.is_none() {
            let _ = raise_nice();
        }
        Priority { since }
    }

    /// Looks whether the thread is still modest.
    pub fn check(&mut self, now: Time) {
        let Some((then, before)) = self.since.filter(|(then, _)| now.since(*then) >= Self::EVERY)
        else {
            return;
        };
        let spent = CpuUsage::so_far(Role::Sender);
        let cost = spent.since(before);
        self.since = Some((now, spent));
        if (cost.user + cost.system).seconds() > Self::MODEST * now.since(then).seconds()
            && drop_real_time().is_ok()
        {
            self.since = None;
            let _ = raise_nice();
        }
    }
}
