//! The processor time that a gigabyte costs two hosts at one MTU: one connection as fast as it
//! goes.
//!
//! A pair of Ethernet devices joins the hosts directly, so that only their own cost is measured; or
//! the router is between them, which shows what it adds. [`crate::traffic::cpu`] explains which
//! thread is charged for what; only the sum is a measure.
mod plan;

use crate::clock::{Clock, monotonic_ns};
use crate::error::EnvError;
use crate::host::hosts;
use crate::host::hosts::HostSpec;
use crate::live::error::LiveFault;
use crate::live::host_map::HostMap;
use crate::live::{self, RunOptions};
use crate::sys::sched::cores;
use crate::traffic::cpu::{Machine, SoftThreads};
use crate::traffic::usage::Role;
use crate::traffic::{self, Outcomes, StopSignal, ThreadOptions};
use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::Span;
use dumbbell_plan::Plan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The connection between the hosts, and their offloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// A pair of Ethernet devices that do nothing in the hosts' place.
    Plain,
    /// As [`Condition::Plain`], with segmentation, GRO and checksums left to the devices.
    Offloads,
    /// Our router, over its usual NIC; hosts as [`Condition::Plain`].
    Router,
}

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GigabyteRequest")]
pub struct Request {
    /// The largest IP packet, bytes: 576 to 65535.
    pub mtu_bytes: u16,
    /// Between which hosts.
    pub condition: Condition,
    /// Length of the run with its warm-up, seconds: 0.2 to 600.
    pub seconds: f64,
    /// Warm-up, left out of the result, seconds: at most half.
    pub warmup_s: f64,
    /// The time for which the idle machine is measured before the run, seconds: at most 10; 0: no
    /// such measurement.
    pub idle_s: f64,
}

/// The cost. Seconds are processor time; a gigabyte is 10^9 bytes of payload that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The largest IP packet, bytes.
    pub mtu_bytes: u16,
    /// Between which hosts.
    pub condition: Condition,
    /// Length of the measured part, seconds.
    pub seconds: f64,
    /// Payload that arrived in it.
    pub bytes: u64,
    /// Payload per time, bits a second.
    pub goodput_bps: f64,
    /// Segments sent again in it.
    pub retransmits: u32,
    /// Of the sending thread, and what it pays for.
    pub sender_s_per_gb: f64,
    /// Of the receiving thread, and what it pays for.
    pub receiver_s_per_gb: f64,
    /// Of the kernel's threads for soft interrupts, whoever gave them work; `None` where they
    /// cannot be seen.
    pub soft_interrupts_s_per_gb: Option<f64>,
    /// Of the router's thread, over the whole run; `None` where there is none.
    pub router_s_per_gb: Option<f64>,
    /// The four together.
    pub sum_s_per_gb: f64,
    /// Of the whole machine, less what it was busy with before; `None` if that was more than
    /// [`IDLE`], or not checked.
    pub machine_s_per_gb: Option<f64>,
    /// Share of all cores that were busy before; `None`: not checked.
    pub busy_before_share: Option<f64>,
    /// Share of all cores that the machine's owner gave to others meanwhile.
    pub steal_share: f64,
    /// The cores of the sending and the receiving thread, where they were kept on some.
    pub cores: Option<[usize; 2]>,
}

/// The share of its cores that a machine is busy with at most, for what it is busy with during a
/// run to be the run's.
pub const IDLE: f64 = 0.05;
/// Between two looks at who wants to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Time from the start of the last thread to the run's zero.
const HEAD_START: Duration = Duration::from_millis(20);

/// Measures it.
///
/// # Errors
/// This machine lacks something, the kernel refuses something, something broke, or the run was
/// stopped. The request is not checked: see [`Request::wrong`].
pub fn measure(request: &Request, stop: &AtomicBool) -> Result<Cost, LiveFault> {
    let soft = SoftThreads::find();
    let before = (request.idle_s > 0.0).then(|| -> Result<Elapsed, LiveFault> {
        let first = Reading::now(&soft)?;
        rest(monotonic_ns() + nanoseconds(request.idle_s), stop)?;
        Ok(Reading::now(&soft)?.since(&first))
    });
    let before = before.transpose()?;
    let plan = plan::of(request);
    let run = match request.condition {
        Condition::Router => through_router(&plan, &soft, stop)?,
        _ => connected_directly(request, &plan, &soft, stop)?,
    };
    costs(request, before, run)
}

impl Request {
    /// The first field that is out of range, and its range.
    pub fn wrong(&self) -> Option<(&'static str, &'static str)> {
        let Request { mtu_bytes, seconds, warmup_s, idle_s, .. } = *self;
        let rules = [
            (mtu_bytes >= 576, "mtu_bytes", "576 to 65535"),
            ((0.2..=600.0).contains(&seconds), "seconds", "0.2 to 600"),
            ((0.0..=seconds / 2.0).contains(&warmup_s), "warmup_s", "at most half of seconds"),
            ((0.0..=10.0).contains(&idle_s), "idle_s", "0 to 10"),
        ];
        rules.into_iter().find(|(right, ..)| !right).map(|(_, field, range)| (field, range))
    }
}

/// Counts of the machine at an instant.
#[derive(Clone, Copy)]
struct Reading {
    at_ns: u64,
    machine: Machine,
    soft: Option<Span>,
}

/// The difference of two readings.
#[derive(Clone, Copy)]
struct Elapsed {
    seconds: f64,
    machine: Machine,
    soft: Option<Span>,
}

impl Reading {
    fn now(soft: &SoftThreads) -> Result<Reading, LiveFault> {
        Ok(Reading {
            at_ns: monotonic_ns(),
            machine: Machine::so_far().map_err(failed)?,
            soft: soft.so_far(),
        })
    }

    fn since(&self, before: &Reading) -> Elapsed {
        let soft = self.soft.zip(before.soft).map(|(now, then)| now.saturating_sub(then));
        let seconds = (self.at_ns - before.at_ns).max(1) as f64 * 1e-9;
        Elapsed { seconds, machine: self.machine.since(before.machine), soft }
    }
}

impl Elapsed {
    /// Seconds of all cores.
    fn whole_s(&self) -> f64 {
        let Machine { idle, stolen, .. } = self.machine;
        (self.machine.busy() + idle + stolen).seconds().max(f64::MIN_POSITIVE)
    }

    fn busy_share(&self) -> f64 {
        self.machine.busy().seconds() / self.whole_s()
    }

    fn steal_share(&self) -> f64 {
        self.machine.stolen.seconds() / self.whole_s()
    }
}

/// The raw results of a run.
struct Run {
    outcomes: Outcomes,
    passed: Elapsed,
    /// Seconds of the router, and how long it ran.
    router_s: Option<f64>,
    cores: Option<[usize; 2]>,
}

fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}

/// Waits until nanosecond `until` of CLOCK_MONOTONIC.
fn rest(until: u64, stop: &AtomicBool) -> Result<(), LiveFault> {
    loop {
        let left = Duration::from_nanos(until.saturating_sub(monotonic_ns()));
        if stop.load(Ordering::Relaxed) {
            return Err(LiveFault::Stopped);
        }
        if left.is_zero() {
            return Ok(());
        }
        thread::sleep(left.min(POLL_INTERVAL));
    }
}

/// One core for each end, if there are two. The router elsewhere uses the last core, and the first
/// takes most interrupts.
fn separate_cores() -> Option<[usize; 2]> {
    let all = cores().ok()?;
    (all.len() > 1).then(|| [all[all.len() - 2], all[all.len() - 1]])
}

/// Two hosts and a wire.
fn connected_directly(
    request: &Request,
    plan: &Plan,
    soft: &SoftThreads,
    stop: &AtomicBool,
) -> Result<Run, LiveFault> {
    let host_map = HostMap::of(plan);
    let jobs = traffic::plan(plan, &|node, ip| host_map.address(node, ip))
        .map_err(LiveFault::Unsupported)?;
    let offloads = request.condition == Condition::Offloads;
    let mut specs = host_map.specs(plan, &jobs.host_settings);
    if offloads {
        specs.iter_mut().for_each(|spec| spec.segments = SEGMENTS);
    }
    let [first, second]: &[HostSpec; 2] = specs.as_slice().try_into().expect(
        "the plan has two \
        hosts",
    );
    let hosts = hosts::connected_pair([first, second], offloads)?;
    let opened = traffic::open(jobs, &|node, work| {
        hosts[usize::from(host_map.nic(node))].within(work).map_err(io::Error::other)?
    });
    let opened = opened.map_err(|e| {
        EnvError::new(
            e.to_string(),
            "`dumbbell doctor` says what this \
        kernel has",
        )
    })?;
    let threads = ThreadOptions { cores: separate_cores(), copies: true };
    let clock = Clock::from_epoch(monotonic_ns() + HEAD_START.as_nanos() as u64);
    let running = opened.with_threads(threads).start(clock, plan.testbed.sample).map_err(failed)?;
    let halt = running.halt();
    let watched = watched(clock.epoch(), request, soft, stop, &halt);
    let outcomes = running.join().map_err(failed)?;
    Ok(Run { outcomes, passed: watched?, router_s: None, cores: threads.cores })
}

/// Segments that TCP hands over at once where a device cuts them: the kernel's own default.
const SEGMENTS: u32 = 65535;

/// The machine from the warm-up's end to the run's; stops the traffic where that is wanted.
fn watched(
    epoch: u64,
    request: &Request,
    soft: &SoftThreads,
    stop: &AtomicBool,
    halt: &StopSignal,
) -> Result<Elapsed, LiveFault> {
    let seen = || {
        rest(epoch + nanoseconds(request.warmup_s), stop)?;
        let first = Reading::now(soft)?;
        rest(epoch + nanoseconds(request.seconds), stop)?;
        Ok(Reading::now(soft)?.since(&first))
    };
    seen().inspect_err(|_| halt.set())
}

/// Measures the same hosts with the router between them.
fn through_router(plan: &Plan, soft: &SoftThreads, stop: &AtomicBool) -> Result<Run, LiveFault> {
    let warm = plan.warmup.seconds() / plan.duration.seconds();
    let readings: Mutex<Vec<Reading>> = Mutex::default();
    let progress = |share: f64| {
        let mut readings = readings.lock().unwrap_or_else(PoisonError::into_inner);
        // From the warm-up's end on; the last that was taken before the end is the end's.
        if (warm..=1.0).contains(&share)
            && let Ok(now) = Reading::now(soft)
        {
            readings.truncate(1);
            readings.push(now);
        }
    };
    let (plugins, log) = (Plugins::default(), Box::new(io::sink()));
    let threads = ThreadOptions { cores: None, copies: true };
    let done = live::run(RunOptions {
        plan,
        plugins: &plugins,
        log,
        user_program: None,
        threads,
        stop,
        estimate: &|_| (),
        progress: &progress,
        watch: None,
    })?;
    let readings = readings.into_inner().unwrap_or_else(PoisonError::into_inner);
    let [first, last] = readings[..] else {
        return Err(LiveFault::Failed("the run was too short to look at the machine twice".into()));
    };
    let measured = done.finished.measured();
    let router_s = Some(measured.cpu.router_share * measured.seconds);
    Ok(Run { outcomes: done.outcomes, passed: last.since(&first), router_s, cores: None })
}

/// Computes the costs from the raw results.
fn costs(request: &Request, before: Option<Elapsed>, run: Run) -> Result<Cost, LiveFault> {
    let Run { outcomes, passed, router_s, cores } = run;
    let flow = outcomes
        .flows
        .first()
        .ok_or_else(|| LiveFault::Failed("there was no connection".into()))?;
    if let Some(failure) = &flow.failure {
        return Err(LiveFault::Failed(failure.clone()));
    }
    let bytes = flow.end.bytes - flow.warm.bytes;
    if bytes == 0 {
        return Err(LiveFault::Failed("nothing arrived".into()));
    }
    let seconds = flow.end.at.since(flow.warm.at).seconds();
    let each = |spent_s: f64| spent_s / (bytes as f64 * 1e-9);
    let of = |role: Role| -> f64 {
        each(
            outcomes
                .spent
                .iter()
                .filter(|s| s.role == role)
                .map(|s| (s.user + s.system).seconds())
                .sum(),
        )
    };
    let (sender, receiver) = (of(Role::Sender), of(Role::Receiver));
    let soft = passed.soft.map(|soft| each(soft.seconds() / passed.seconds * seconds));
    let router = router_s.map(|spent| spent / (flow.end.bytes as f64 * 1e-9));
    let share = before.map(|before| before.busy_share());
    // By the machine's own clock: it need not have been looked at exactly when the threads were.
    let rate = |share: &f64| {
        (passed.machine.busy().seconds() - share * passed.whole_s()).max(0.0) / passed.seconds
    };
    let machine = share.filter(|share| *share <= IDLE).map(|share| each(rate(&share) * seconds));
    Ok(Cost {
        mtu_bytes: request.mtu_bytes,
        condition: request.condition,
        seconds,
        bytes,
        goodput_bps: flow.goodput_bps(),
        retransmits: flow.retransmits(),
        sender_s_per_gb: sender,
        receiver_s_per_gb: receiver,
        soft_interrupts_s_per_gb: soft,
        router_s_per_gb: router,
        sum_s_per_gb: sender + receiver + soft.unwrap_or(0.0) + router.unwrap_or(0.0),
        machine_s_per_gb: machine,
        busy_before_share: share,
        steal_share: passed.steal_share(),
        cores,
    })
}

fn failed(error: impl Into<io::Error>) -> LiveFault {
    LiveFault::Failed(error.into().to_string())
}
