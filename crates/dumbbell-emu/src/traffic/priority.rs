//! Being there at the instant: real-time priority for threads that need little.
use super::usage::{Role, CpuUsage};
use crate::sys::sched::{raise_nice, drop_real_time, real_time, timer_slack};
use dumbbell_core::units::{Span, Time};

/// Real-time priority (the lowest, below the router's), as long as the thread is modest: a flood of traffic would keep the
/// machine from all else. Without the permission, or when it is not modest, it is nicer to nobody than it must be.
pub struct Priority {
    /// When it was looked at, and what the thread had cost by then; `None`: it has no such priority.
    since: Option<(Time, CpuUsage)>,
}

impl Priority {
    /// How often it is looked at.
    const EVERY: Span = Span::from_ms(50);
    /// The share of a core that it may take.
    const MODEST: f64 = 0.4;

    /// For the calling thread, from `now` on.
    pub fn begin(now: Time) -> Priority {
        // Sleeps of ordinary threads are 50 us too long otherwise. Instants are kept less well where these are refused, and
        // what is sent and counted is the same.
        let _ = timer_slack(1);
        let since = real_time(1).is_ok().then(|| (now, CpuUsage::so_far(Role::Sender)));
        if since.is_none() {
            let _ = raise_nice();
        }
        Priority { since }
    }

    /// Looks whether the thread is still modest.
    pub fn look(&mut self, now: Time) {
        let Some((then, before)) = self.since.filter(|(then, _)| now.since(*then) >= Self::EVERY) else { return };
        let spent = CpuUsage::so_far(Role::Sender);
        let cost = spent.since(before);
        self.since = Some((now, spent));
        if (cost.user + cost.system).seconds() > Self::MODEST * now.since(then).seconds() && drop_real_time().is_ok() {
            self.since = None;
            let _ = raise_nice();
        }
    }
}
