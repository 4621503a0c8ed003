//! The threads that one run may use, and why it uses only one.
use crate::run::engine::cores;
use dumbbell_core::plugin::Plugins;
use dumbbell_plan::Plan;
use dumbbell_sim::Options;
use dumbbell_sim::partition::{Partition, packets_per_second, undivided};
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

/// Packets of 1500 bytes that must pass links of each part between two meetings of the threads:
/// fewer cost less than to meet.
const LEAST_WORK: f64 = 1_000.0;
/// Flows and links of a plan beyond which its state does not fit into the cache of a core.
const OUT_OF_CACHE: usize = 2_000;
/// A packet then takes so many times as long, at least: 13 ns in a dumbbell of 20 flows, where
/// `LEAST_WORK` was found, 69 ns in a fat tree of k = 4 and 96 ns in one of k = 8.
const SLOWER: f64 = 3.0;
/// What a run needs to be divided without being asked to.
mod unasked {
    /// Packets of each part between two meetings: so many that time is saved beyond doubt.
    pub const LEAST_WORK: f64 = 2.5 * super::LEAST_WORK;
    /// Packets in all: about a second of work.
    pub const PACKETS: f64 = 5e6;
    /// Flows of all parts together at most: each part has memory for all, two kilobytes for one.
    pub const FLOWS: usize = 1_000_000;
}

/// The threads of each run, and why a run that might have used several used one.
pub struct Threads {
    /// How many the user asked for; `None`: nothing.
    asked: Option<usize>,
    of_each: AtomicUsize,
    one: Mutex<Option<String>>,
}

impl Threads {
    /// As many as the user `asked` for, for all runs together; `None`: as many as there are free
    /// cores when a run begins.
    pub fn new(asked: Option<usize>) -> Self {
        Threads { asked, of_each: AtomicUsize::new(1), one: Mutex::default() }
    }

    /// So many `runs` go side by side now, and share the threads.
    pub fn share(&self, runs: usize) {
        let all = self.asked.unwrap_or_else(cores::all);
        self.of_each.store(all / runs.max(1), Relaxed);
    }

    /// True if a run may use more than one thread.
    pub fn several(&self) -> bool {
        self.of_each.load(Relaxed) > 1
    }

    /// A run keeps one thread because of `reason`. The first reason is told, if more threads were
    /// asked for.
    pub fn keep_one(&self, reason: &str) {
        if self.asked.is_none_or(|asked| asked < 2) {
            return;
        }
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
        let found = divisible(plan, plugins, options).and_then(|()| self.worthwhile(plan));
        found.map_err(|reason| self.keep_one(&reason)).ok()
    }

    /// A partition with many parts with which a plan takes less time than on one thread; or why
    /// there is none.
    fn worthwhile(&self, plan: &Plan) -> Result<Partition, String> {
        let large = plan.flows.len() + plan.links.len() > OUT_OF_CACHE;
        let per_s = packets_per_second(plan) * if large { SLOWER } else { 1.0 };
        let least = if self.asked.is_some() { LEAST_WORK } else { unasked::LEAST_WORK };
        let mut reason = "no delay divides the network into parts with about the same work";
        let mut parts = self.most(plan, per_s);
        while parts > 1 {
            if let Some(partition) = Partition::of(plan, parts) {
                if per_s * partition.lookahead().seconds() > least * parts as f64 {
                    return Ok(partition);
                }
                reason = "too few packets pass within the delay between parts of the network";
            }
            // Of many cores it matters little to leave some out.
            parts = if parts > 4 { parts / 2 } else { parts - 1 };
        }
        Err(reason.into())
    }

    /// The most parts that are tried of a plan whose links carry so many packets a second.
    fn most(&self, plan: &Plan, per_s: f64) -> usize {
        let most = self.of_each.load(Relaxed).min(plan.nodes.len());
        if self.asked.is_some() {
            most
        } else if per_s * plan.duration.seconds() < unasked::PACKETS {
            1
        } else {
            most.min(unasked::FLOWS / plan.flows.len().max(1)).min(cores::free())
        }
    }
}

/// Nothing, or why a plan must not be divided.
fn divisible(plan: &Plan, plugins: &Plugins, options: Options) -> Result<(), String> {
    let own = plan.links.iter().any(|link| plugins.aqm(&link.aqm.kind).is_some())
        || plan
            .flows
            .iter()
            .any(|flow| flow.transport.cc().is_some_and(|cc| plugins.cc(&cc.kind).is_some()));
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
