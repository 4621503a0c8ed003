//! Privileges of the router's thread: real-time priority, a core of its own, locked memory; as far
//! as the kernel grants them.
use crate::sys::sched::{self, Locked};
use dumbbell_core::units::Span;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use serde::{Deserialize, Serialize};

/// Real-time priority: above an administrator's usual choices, below the kernel's threads (50).
const PRIORITY: i32 = 40;

/// The privileges that the kernel granted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Privilege {
    /// True if the thread ran with real-time priority.
    pub real_time: bool,
    /// The core that it kept to, if there were several.
    pub core: Option<usize>,
    /// True if its memory was locked.
    pub locked: bool,
    /// The reason of each refusal.
    pub denied: Vec<String>,
}

/// Privileges while the thread runs; its memory is unlocked when this is dropped.
pub(crate) struct Privileges {
    privilege: Privilege,
    _memory: Option<Locked>,
}

impl Privileges {
    /// Asks for all of it, for the calling thread, which is to run on `core`; `None`: on the last
    /// that it may use.
    pub fn claim(core: Option<usize>) -> Self {
        let mut privilege = Privilege::default();
        match core.map_or_else(sched::cores, |core| Ok(vec![core])) {
            // The last: interrupts and people's programs come to the first.
            Ok(cores) if cores.len() > 1 || core.is_some() => {
                let last = cores[cores.len() - 1];
                match sched::pin(last) {
                    Ok(()) => privilege.core = Some(last),
                    Err(cause) => privilege.denied.push(format!("a core of its own: {cause}")),
                }
            }
            Ok(_) => privilege.denied.push("a core of its own: there is only one".into()),
            Err(cause) => privilege.denied.push(format!("a core of its own: {cause}")),
        }
        if let Err(cause) = sched::timer_slack(1) {
            privilege.denied.push(format!("timers without slack: {cause}"));
        }
        match sched::real_time(PRIORITY) {
            Ok(()) => privilege.real_time = true,
            Err(cause) => privilege.denied.push(format!(
                "real-time priority: {cause} (run as root, or give CAP_SYS_NICE, or raise `ulimit \
                    -r` to {PRIORITY})"
            )),
        }
        let memory = match Locked::present() {
            Ok(memory) => Some(memory),
            Err(cause) => {
                privilege.denied.push(format!("memory that stays: {cause}"));
                None
            }
        };
        privilege.locked = memory.is_some();
        Privileges { privilege, _memory: memory }
    }

    /// Asks for nothing.
    pub fn unprivileged() -> Self {
        Privileges { privilege: Privilege::default(), _memory: None }
    }

    /// The privileges that were granted.
    pub fn report(&self) -> Privilege {
        self.privilege.clone()
    }
}

/// Sleeps for `span`, below a second.
pub(crate) fn sleep_for(span: Span) {
    let time = TimeSpec::new(0, (span.ps() / 1_000) as i64);
    // A signal ends it early, which does no harm.
    let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::empty(), &time);
}
