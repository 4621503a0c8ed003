//! A lockstep in parts that can run side by side, and its result as a document.
use super::shrink::{Shrunk, shrink};
use super::stimulus::Stimulus;
use super::trace::{output, trace};
use crate::lockstep::parameter_sets::Mode;
use crate::lockstep::testbench::{BEFORE, Counts, Mismatch, Packet, Testbench, name};
use crate::verilated::Clocked;
use dumbbell_algos::aqm::red_hw::core::Decision;
use serde_json::{Value, json};

/// Packets of a part.
pub const PART: u64 = 1 << 20;
/// Packets between two looks at who wants to stop.
const LOOK: u64 = 1 << 14;

/// A part of a lockstep: one core, from its first reset on.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The mode.
    pub mode: &'a Mode,
    /// The number of the part.
    pub number: u64,
    /// Its packets.
    pub packets: u64,
    /// The seed of all.
    pub seed: u64,
    /// Clocks without an answer after which a core hangs.
    pub patience: u64,
}

/// The result of a part.
pub struct Ran {
    /// The counts.
    pub counts: Counts,
    /// The first mismatch of model and core; the run ends there.
    pub failed: Option<Failed>,
    /// True if it was stopped.
    pub stopped: bool,
}

/// A mismatch of model and core, and how to reproduce it.
pub struct Failed {
    /// The mismatch.
    pub mismatch: Mismatch,
    /// The packets before it.
    pub before: Vec<(u64, Packet, Decision)>,
    /// The shortest stimulus that was found.
    pub short: Option<Shrunk>,
    /// It, step by step: see [`trace`].
    pub trace: Value,
}

/// Splits `packets` over modes and parts.
pub fn parts(modes: &[Mode], packets: u64, seed: u64, patience: u64) -> Vec<Part<'_>> {
    let count = modes.len() as u64;
    let mut all = vec![];
    for (k, mode) in (0..).zip(modes) {
        let mut left = packets / count + u64::from(k < packets % count);
        let mut number = 0;
        while left > 0 {
            let packets = left.min(PART);
            all.push(Part { mode, number, packets, seed, patience });
            (left, number) = (left - packets, number + 1);
        }
    }
    all
}

impl Part<'_> {
    /// Runs it. `go_on` is informed of packets that were decided, and may say that it is enough.
    ///
    /// # Errors
    /// No core could be made.
    pub fn run(
        &self,
        make: &dyn Fn() -> Result<Box<dyn Clocked>, String>,
        go_on: &dyn Fn(u64) -> bool,
    ) -> Result<Ran, String> {
        let mut dut = make()?;
        self.run_on(&mut *dut, make, go_on)
    }

    /// Runs the part on an existing core.
    ///
    /// # Errors
    /// No further core could be made.
    pub fn run_on(
        &self,
        dut: &mut dyn Clocked,
        make: &dyn Fn() -> Result<Box<dyn Clocked>, String>,
        go_on: &dyn Fn(u64) -> bool,
    ) -> Result<Ran, String> {
        let parameters = &self.mode.parameters;
        let mut bench = Testbench::new(dut, parameters, self.patience);
        let mut stimulus = Stimulus::new(parameters, self.seed, self.number);
        let (mut actions, mut told) = (vec![], 0);
        while bench.counts.packets < self.packets {
            stimulus.next(&bench.core, &mut actions);
            for action in actions.drain(..) {
                if let Err(mismatch) = bench.act(&action) {
                    return Ok(self.failed(mismatch, &bench, make));
                }
            }
            if bench.counts.packets - told >= LOOK {
                if !go_on(bench.counts.packets - told) {
                    return Ok(Ran { counts: bench.counts, failed: None, stopped: true });
                }
                told = bench.counts.packets;
            }
        }
        if let Err(mismatch) = bench.settle(true) {
            return Ok(self.failed(mismatch, &bench, make));
        }
        let stopped = !go_on(bench.counts.packets - told);
        Ok(Ran { counts: bench.counts, failed: None, stopped })
    }

    fn failed(
        &self,
        mismatch: Mismatch,
        bench: &Testbench<'_>,
        make: &dyn Fn() -> Result<Box<dyn Clocked>, String>,
    ) -> Ran {
        let before = bench.recent().copied().collect();
        let short = self.again(&mismatch, make);
        let trace = short
            .as_ref()
            .map_or(Value::Null, |short| trace(short, &self.mode.parameters, self.patience, make));
        Ran {
            counts: bench.counts,
            failed: Some(Failed { mismatch, before, short, trace }),
            stopped: false,
        }
    }

    /// Runs once more to the mismatch, to have all that was done, and makes that short.
    fn again(
        &self,
        mismatch: &Mismatch,
        make: &dyn Fn() -> Result<Box<dyn Clocked>, String>,
    ) -> Option<Shrunk> {
        let parameters = &self.mode.parameters;
        let mut dut = make().ok()?;
        let mut bench = Testbench::new(&mut *dut, parameters, self.patience);
        let mut stimulus = Stimulus::new(parameters, self.seed, self.number);
        let mut done = vec![];
        while bench.counts.clocks <= mismatch.clock {
            let from = done.len();
            stimulus.next(&bench.core, &mut done);
            for k in from..done.len() {
                if bench.act(&done[k]).is_err() {
                    done.truncate(k + 1);
                    return shrink(done, parameters, self.patience, make);
                }
            }
        }
        None
    }
}

fn decision(d: &Decision) -> Value {
    json!({ "qid": d.qid, "drop": d.drop, "region": name(d.region), "avg": d.avg, "draw": d.draw })
}

fn mismatch(m: &Mismatch) -> Value {
    json!({
        "packet": m.packet,
        "clock": m.clock,
        "what": m.what,
        "presented": m.presented,
        "expected": m.expected.as_ref().map(decision),
        "got": m.got.as_ref().map(output),
    })
}

/// A failure for people and programs:
/// `{"mode", "part", "seed", "packet", "clock", "what", "presented", "expected", "got", "before",
/// "shrunk"}`. `before` are the last packets whose decisions were right, `shrunk` the short
/// stimulus with its [`trace`], `null` if the failure did not come again.
pub fn told(part: &Part<'_>, failed: &Failed) -> Value {
    let mut out = mismatch(&failed.mismatch);
    out["mode"] = json!(part.mode.name);
    out["part"] = json!(part.number);
    out["seed"] = json!(part.seed);
    let before = failed.before.iter().rev().take(BEFORE).rev();
    out["before"] = before
        .map(|(number, packet, d)| {
            json!({
                "packet": number, "presented": packet, "decision": decision(d),
            })
        })
        .collect();
    out["shrunk"] = failed.short.as_ref().map_or(Value::Null, |short| {
        json!({
            "actions": short.actions.len(), "fails": mismatch(&short.mismatch),
            "trace": failed.trace,
        })
    });
    out
}

/// The shares of the regions, and what else was measured:
/// `{"packets", "clocks", "shares": {"queueing", "random", "force"}, "drop_share",
/// "back_to_back_share", "queues", "resets", "writes", "latency_clocks"}`.
pub fn measured(counts: &Counts) -> Value {
    let share = |n: u64| n as f64 / counts.packets.max(1) as f64;
    let [queueing, random, force] = counts.regions.map(share);
    json!({
        "packets": counts.packets,
        "clocks": counts.clocks,
        "shares": { "queueing": queueing, "random": random, "force": force },
        "drop_share": share(counts.drops),
        "back_to_back_share": share(counts.back_to_back),
        "event_share": share(counts.resets + counts.writes),
        "queues": counts.queues,
        "resets": counts.resets,
        "writes": counts.writes,
        "latency_clocks": counts.latency,
    })
}
