//! The threads that one run may use, and why it uses only one.
use dumbbell_core::plugin::Plugins;
use dumbbell_plan::{Plan, Transport};
use dumbbell_sim::Options;
use dumbbell_sim::partition::{Partition, undivided};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Of Python, one thread at a time can run.
pub const INTERPRETED: &str = "the algorithms are Python's, which one thread at a time can run";
/// The reason of a run between real hosts.
pub const KERNEL: &str = "real hosts need the machine for themselves";
/// The reason of a run with the TCP of user-mode kernels.
pub const LINUX: &str = "the simulator and the user-mode kernels take turns";
/// The reason of a run with records.
pub const RECORDS: &str = "the run records series or packets";

/// The threads of each run, and why a run that might have used several used one.
#[derive(Default)]
pub struct Threads {
    of_each: AtomicUsize,
    one: Mutex<Option<String>>,
}

impl Threads {
    /// From now on a run may use `count` threads.
    pub fn share(&self, count: usize) {
        self.of_each.store(count, Relaxed);
    }

    /// True if a run may use more than one thread.
    pub fn several(&self) -> bool {
        self.of_each.load(Relaxed) > 1
    }

    /// A run keeps one thread because of `reason`. The first reason is kept.
    pub fn keep_one(&self, reason: &str) {
        let mut one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        one.get_or_insert_with(|| reason.to_string());
    }

    /// The note about runs that kept one thread, if several were asked for.
    pub fn note(&self) -> Option<String> {
        let one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        one.as_ref().map(|reason| format!("one thread: {reason}"))
    }

    /// The parts in which a plan is simulated on several threads; `None` if it is on one.
    pub fn partition(&self, plan: &Plan, plugins: &Plugins, options: Options) -> Option<Partition> {
        if !self.several() {
            return None;
        }
        let found = divisible(plan, plugins, options)
            .and_then(|()| worthwhile(plan, self.of_each.load(Relaxed)));
        found.map_err(|reason| self.keep_one(&reason)).ok()
    }
}

/// Nothing, or why a plan must not be divided.
fn divisible(plan: &Plan, plugins: &Plugins, options: Options) -> Result<(), String> {
    let own = plan.links.iter().any(|link| plugins.aqm(&link.aqm.kind).is_some())
        || plan.flows.iter().any(|flow| match &flow.transport {
            Transport::Tcp { cc, .. } => plugins.cc(&cc.kind).is_some(),
            Transport::Udp { .. } => false,
        });
    if own {
        Err("the scenario names an algorithm of your own".into())
    } else if options.audit {
        Err("the audit follows each packet".into())
    } else if options != Options::default() {
        Err("`fold`, `hold` or `straight` is not the default".into())
    } else {
        undivided(plan).map_or(Ok(()), |has| Err(format!("the scenario has {has}")))
    }
}

/// The partition with the most parts, up to `threads`, with which a plan takes less time; or why
/// there is none.
fn worthwhile(plan: &Plan, threads: usize) -> Result<Partition, String> {
    let mut reason = "no delay divides the network into parts with about the same work";
    for parts in (2..=threads.min(plan.nodes.len())).rev() {
        match Partition::of(plan, parts) {
            Some(partition) if partition.saves_time(plan) => return Ok(partition),
            Some(_) => {
                reason = "too few packets pass within the delay between parts of the network"
            }
            None => {}
        }
    }
    Err(reason.into())
}
