//! Runs that are recorded from their log: of real hosts, and of user-mode kernels. What is alike in
//! them: where the log is, how far the run is, its replay, and its end as records and a report.
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::results::records::{self, Recorder, Series};
use crate::run::engine::{Engine, Stop, WHOLE, raised, unwritten, wanted};
use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::Time;
use dumbbell_emu::error::EnvError;
use dumbbell_emu::live::error::LiveFault;
use dumbbell_emu::live::replay::{ReplayFault, ReplayObserver, Replayed, replay as replay_log};
use dumbbell_emu::live::report;
use dumbbell_emu::live::series::{FlowCounts, rows};
use dumbbell_emu::live::spurious::SpuriousRetransmissions;
use dumbbell_emu::log::{Reader, Record};
use dumbbell_emu::traffic::Outcomes;
use dumbbell_plan::{Plan, Transport};
use dumbbell_results::run_json;
use dumbbell_sim::Report;
use parquet::errors::ParquetError;
use std::fs::File;
use std::io::{self, BufReader, Seek};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The log's name among a run's records.
pub const LOG: &str = "run.log";

/// A run whose log is being written.
pub(crate) struct LoggedRun<'a, 'e> {
    engine: &'a Engine<'e>,
    /// Where its records go, if it has any.
    dir: Option<&'a Path>,
    log: File,
    passed: AtomicU64,
}

impl<'a, 'e> LoggedRun<'a, 'e> {
    /// A run of `plan` that is about to begin: its log is among its records, or nobody sees it.
    pub(crate) fn open(
        engine: &'a Engine<'e>,
        plan: &Plan,
        dir: Option<&'a Path>,
    ) -> Result<Self, Stop> {
        let dir = dir.filter(|_| wanted(plan));
        let log = match dir {
            Some(dir) => File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(true)
                .open(dir.join(LOG)),
            None => tempfile::tempfile(),
        };
        let log = log.map_err(|e| unkept(&engine.shown, &e))?;
        Ok(LoggedRun { engine, dir, log, passed: AtomicU64::new(0) })
    }

    /// The log's file, for who writes it.
    pub(crate) fn writer(&self) -> Result<File, Stop> {
        self.log.try_clone().map_err(|e| unkept(&self.engine.shown, &e))
    }

    /// The run has come so far, 0 to 1.
    pub(crate) fn progress(&self, share: f64) {
        let now = (share.clamp(0.0, 1.0) * WHOLE) as u64;
        let before = self.passed.fetch_max(now, Relaxed);
        self.engine.meter.passed.fetch_add(now.saturating_sub(before), Relaxed);
    }

    /// Replays the log and records what the simulator would, with the series of the hosts. `plan`
    /// is that of the run as it ended.
    pub(crate) fn replay<'p>(
        mut self,
        plan: &'p Plan,
        outcomes: &Outcomes,
    ) -> Result<ReplayedRun<'p, 'a, 'e>, Stop> {
        self.log.rewind().map_err(|e| unkept(&self.engine.shown, &e))?;
        let unwritten = |e: ParquetError| Stop::Broken(unwritten(&self.engine.shown, &e));
        let recorder = self.dir.map_or_else(
            || Recorder::measuring(plan, None),
            |dir| Recorder::new(plan, self.engine.plugins, dir),
        );
        let mut recorder = recorder.map_err(unwritten)?;
        let every = plan.record.every.unwrap_or(plan.duration);
        let mut told = LogSummary {
            counted: FlowCounts::new(plan.flows.len(), every, Time::ZERO + plan.duration),
            tcp: plan
                .flows
                .iter()
                .map(|flow| matches!(flow.transport, Transport::Tcp { .. }))
                .collect(),
            dropped: 0,
            spurious: SpuriousRetransmissions::default(),
        };
        let replayed =
            replayed_into(self.log, (plan, self.engine.plugins), &mut recorder, &mut told);
        let replayed = replayed.map_err(|fault| match &fault {
            ReplayFault::Plugin(failure) => Stop::Failed(raised(failure, plan.seed)),
            _ => Stop::Failed(log_problem(&fault, "the log of this run")),
        })?;
        for (t, flow, row) in rows(&told.counted, outcomes, &outcomes.samples) {
            use dumbbell_sim::Observer;
            recorder.flow(t, flow, &row);
        }
        Ok(ReplayedRun { engine: self.engine, plan, recorder, told, replayed })
    }
}

/// A log that was replayed, into a recorder.
pub(crate) struct ReplayedRun<'p, 'a, 'e> {
    engine: &'a Engine<'e>,
    plan: &'p Plan,
    recorder: Recorder<'p>,
    pub(crate) told: LogSummary,
    pub(crate) replayed: Replayed,
}

impl ReplayedRun<'_, '_, '_> {
    /// Writes the records down; the report.
    pub(crate) fn finish(mut self, hash: &str, outcomes: &Outcomes) -> Result<Report, Stop> {
        let ReplayedRun { engine, plan, .. } = self;
        let passed = self.replayed.passed;
        let mut report = report::report(plan, passed, outcomes, &self.told.spurious);
        self.recorder.summarize(&mut report);
        self.recorder.tables(&report);
        let print = run_json::hex(report.fingerprint);
        let metadata = records::metadata(plan, hash, &engine.overrides, &print);
        self.recorder.close(&metadata).map_err(|e| Stop::Broken(unwritten(&engine.shown, &e)))?;
        Ok(report)
    }
}

fn replayed_into(
    log: File,
    of: (&Plan, &Plugins),
    recorder: &mut Recorder<'_>,
    told: &mut LogSummary,
) -> Result<Replayed, ReplayFault> {
    let mut log = Reader::new(BufReader::new(log))?;
    if recorder.follows() {
        return replay_log(&mut log, of, recorder, told);
    }
    replay_log(&mut log, of, &mut Series(recorder), told)
}

/// The part of a log that the network does not measure.
pub(crate) struct LogSummary {
    counted: FlowCounts,
    /// Of each flow whether it is a connection.
    tcp: Vec<bool>,
    /// Packets of connections' senders that were dropped.
    pub(crate) dropped: u64,
    pub(crate) spurious: SpuriousRetransmissions,
}

impl ReplayObserver for LogSummary {
    fn record(&mut self, record: &Record) {
        self.counted.record(record);
        self.spurious.record(record);
    }
    fn lost(&mut self, t: Time, flow: usize) {
        self.counted.lost(t, flow);
        self.dropped += u64::from(self.tcp.get(flow) == Some(&true));
    }
}

/// Why there is no run, for people.
pub(crate) fn refusal(fault: LiveFault) -> Stop {
    let one = |code, cause: String, fix: Option<String>| {
        let d = Diagnostic::new(cause);
        Stop::Failed(Problem::new(
            code,
            &[fix.map_or(d.clone(), |fix| d.fix(fix))],
            &Texts::default(),
        ))
    };
    match fault {
        LiveFault::Stopped => Stop::Interrupted,
        LiveFault::EnvError(EnvError { cause, fix }) => one(code::ENVIRONMENT, cause, Some(fix)),
        LiveFault::Program(EnvError { cause, fix }) => one(code::FAILURE, cause, Some(fix)),
        LiveFault::Overload(too_much) => one(code::INVALID, too_much.to_string(), None),
        LiveFault::OutOfReach(out_of_reach) => one(code::INVALID, out_of_reach.to_string(), None),
        LiveFault::Plan(fault) => {
            one(code::FAILURE, format!("at {}: {}", fault.at, fault.cause), fault.fix)
        }
        LiveFault::LogWrite(cause) => {
            let fix = "is the disk full?";
            Stop::Broken(Problem::failure(
                format!("the log of a run cannot be kept: {cause}"),
                Some(fix.into()),
            ))
        }
        LiveFault::Failed(cause) => {
            one(code::FAILURE, format!("the testbed broke down: {cause}"), None)
        }
        LiveFault::Unsupported(all) => {
            let each = |r: &dumbbell_emu::traffic::Unsupported| {
                Diagnostic::new(format!("flow `{}`, `{}`: {}", r.flow, r.field, r.cause))
                    .fix(r.fix.clone())
            };
            let all: Vec<Diagnostic> = all.iter().map(each).collect();
            Stop::Failed(Problem::new(code::SCENARIO, &all, &Texts::default()))
        }
    }
}

pub(crate) fn unkept(shown: &Path, error: &io::Error) -> Stop {
    let cause = format!("the log of a run cannot be kept in {}: {error}", shown.display());
    Stop::Broken(Problem::failure(cause, Some("is the disk full?".into())))
}

/// Why a log cannot be replayed, for people.
pub(crate) fn log_problem(fault: &ReplayFault, log: &str) -> Problem {
    let (code, cause, fix) = match fault {
        ReplayFault::Log(fault) => (
            code::CHECK,
            fault.to_string(),
            "take the file as the run wrote it; what it says \
                cannot be relied on",
        ),
        ReplayFault::Order(why) => (code::CHECK, why.clone(), "take the file as the run wrote it"),
        ReplayFault::Plugin(failure) => {
            let cause = format!(
                "{} failed at {} s: {}",
                failure.algorithm,
                failure.at.seconds(),
                failure.cause
            );
            (code::FAILURE, cause, "fix the algorithm and run again")
        }
        ReplayFault::Plan(fault) => {
            let cause = format!("its plan cannot be built, at {}: {}", fault.at, fault.cause);
            (
                code::FAILURE,
                cause,
                "use the release that made it; algorithms of your own cannot be \
                replayed",
            )
        }
    };
    Problem::new(code, &[Diagnostic::new(format!("{log}: {cause}")).fix(fix)], &Texts::default())
}
