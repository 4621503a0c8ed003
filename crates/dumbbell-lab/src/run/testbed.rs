//! Runs between real hosts: made by the testbed, recorded from its log, judged.
mod cpu_cost;
mod replay;

pub use cpu_cost::cpu_cost;
pub(crate) use replay::problem as log_problem;
pub use replay::replay;

use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::results::records;
use crate::results::records::{Recorder, Series};
use crate::results::run_json;
use crate::results::run_output::RunOutput;
use crate::run::engine::{Engine, Stop, WHOLE, raised, unwritten, wanted};
use crate::verb::Asked;
use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::{Span, Time};
use dumbbell_emu::calibrate::Calibration;
use dumbbell_emu::error::EnvError;
use dumbbell_emu::host::rootless;
use dumbbell_emu::live::error::LiveFault;
use dumbbell_emu::live::replay::{ReplayFault, ReplayObserver, Replayed, replay as replay_log};
use dumbbell_emu::live::series::{FlowCounts, rows};
use dumbbell_emu::live::spurious::SpuriousRetransmissions;
use dumbbell_emu::live::{self, LiveRun, RunOptions, report};
use dumbbell_emu::log::{Reader, Record};
use dumbbell_emu::validity::{Facts, Load, Replay, Retransmissions, Traffic};
use dumbbell_plan::{Class, Plan, Transport};
use parquet::errors::ParquetError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufReader, Seek};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// The log's name among a run's records.
pub const LOG: &str = "run.log";

/// One run between real hosts.
///
/// # Errors
/// The kernel or this machine lacks something, the machine cannot keep up, the run was stopped, or
/// a file cannot be written.
pub fn emulate(
    engine: &Engine<'_>,
    plan: &Plan,
    hash: &str,
    dir: Option<&Path>,
) -> Result<RunOutput, Stop> {
    let began = Instant::now();
    let dir = dir.filter(|_| wanted(plan));
    let mut log = open_log(dir).map_err(|e| unkept(&engine.shown, &e))?;
    let passed = AtomicU64::new(0);
    let progress = |share: f64| {
        let now = (share.clamp(0.0, 1.0) * WHOLE) as u64;
        let before = passed.fetch_max(now, Relaxed);
        engine.meter.passed.fetch_add(now.saturating_sub(before), Relaxed);
    };
    let own = log.try_clone().map_err(|e| unkept(&engine.shown, &e))?;
    let orders = RunOptions {
        plan,
        plugins: engine.plugins,
        log: Box::new(own),
        user_program: engine.user_program.as_ref(),
        threads: Default::default(),
        stop: &engine.meter.stop,
        estimate: &expect,
        progress: &progress,
    };
    let live = live::run(orders).map_err(refusal)?;
    // Programs end when they do, and the run with them.
    let ended = Span::from_ps((live.finished.measured().seconds * 1e12) as u64);
    let shorter = engine.user_program.as_ref().map(|_| Plan {
        duration: ended,
        warmup: plan.warmup.min(ended),
        ..plan.clone()
    });
    let visit = live.program_outcome.clone().map(|visit| (visit, ended));
    let plan = shorter.as_ref().unwrap_or(plan);
    log.rewind().map_err(|e| unkept(&engine.shown, &e))?;
    let output = settle(engine, (plan, hash), (live, log), dir)?;
    Ok(RunOutput { wall_s: began.elapsed().as_secs_f64(), visit, ..output })
}

/// Says which class a run can expect on this machine now, if it is not the best.
fn expect(calibration: &Calibration) {
    let class = match calibration.expected_class {
        Some(Class::Exact) => return,
        Some(class) => format!("expect class {}", class.name()),
        None => "the run may reach no class".into(),
    };
    #[expect(
        clippy::print_stderr,
        reason = "who waits for a live run learns beforehand which class to expect"
    )]
    {
        eprintln!(
            "this machine stalls the router for {:.2} % of the time now, up to {:.1} ms: {class}; \
                an idle machine, a lower rate or a core for the router (`[testbed] core`) helps",
            100.0 * calibration.stalled_share,
            calibration.longest_stall_ms
        );
    }
}

/// The log's file: among the records, or one that nobody sees.
fn open_log(dir: Option<&Path>) -> io::Result<File> {
    match dir {
        Some(dir) => {
            File::options().read(true).write(true).create(true).truncate(true).open(dir.join(LOG))
        }
        None => tempfile::tempfile(),
    }
}

/// From a run's log to its records, its report and its validity.
fn settle(
    engine: &Engine<'_>,
    (plan, hash): (&Plan, &str),
    (live, log): (LiveRun, File),
    dir: Option<&Path>,
) -> Result<RunOutput, Stop> {
    let unwritten = |e: ParquetError| Stop::Broken(unwritten(&engine.shown, &e));
    let recorder = dir.map_or_else(
        || Recorder::measuring(plan, None),
        |dir| Recorder::new(plan, engine.plugins, dir),
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
    let replayed = replayed_into(log, (plan, engine.plugins), &mut recorder, &mut told);
    let replayed = replayed.map_err(|fault| match &fault {
        ReplayFault::Plugin(failure) => Stop::Failed(raised(failure, plan.seed)),
        _ => Stop::Failed(replay::problem(&fault, "the log of this run")),
    })?;
    let Replayed { packets, mismatches, passed, .. } = replayed;
    let replay = Some(Replay { packets, mismatches });
    for (t, flow, row) in rows(&told.counted, &live.outcomes, &live.outcomes.samples) {
        use dumbbell_sim::Observer;
        recorder.flow(t, flow, &row);
    }
    let mut traffic = Traffic::of(&live.outcomes);
    let user_program = live.program_outcome.as_ref().map_or(0.0, |visit| visit.starved_share);
    traffic.starved_share = traffic.starved_share.max(user_program);
    let facts = Facts {
        required: plan.testbed.class,
        warmup_s: plan.warmup.seconds(),
        load: Load::of(plan, &passed.queues),
        datapath: live.datapath.into(),
        calibration: live.calibration,
        retransmissions: retransmissions(
            &live,
            &told,
            passed.fragmentation.is_some_and(|all| all.cuts.refused > 0),
        ),
        replay,
        traffic,
        open_ended: engine.user_program.is_some(),
    };
    let (_, validity) = live.finished.judge(&facts);
    let mut report = report::report(plan, passed, &live.outcomes, &told.spurious);
    recorder.summarize(&mut report);
    recorder.tables(&report);
    let print = run_json::hex(report.fingerprint);
    recorder.close(&records::metadata(plan, hash, &engine.overrides, &print)).map_err(unwritten)?;
    Ok(RunOutput { report, wall_s: 0.0, validity: Some(validity), visit: None })
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
struct LogSummary {
    counted: FlowCounts,
    /// Of each flow whether it is a connection.
    tcp: Vec<bool>,
    /// Packets of connections' senders that were dropped.
    dropped: u64,
    spurious: SpuriousRetransmissions,
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

/// Losses as the router knows them, and as the senders do; `None` where no sender of ours can be
/// asked.
fn retransmissions(live: &LiveRun, told: &LogSummary, refused: bool) -> Option<Retransmissions> {
    let connections = || live.outcomes.flows.iter().filter(|o| o.control.is_some());
    let sum = |of: &dyn Fn(&dumbbell_emu::traffic::Outcome) -> u32| {
        connections().map(|o| u64::from(of(o))).sum()
    };
    let flows = connections().count() as u64;
    let (dropped, needless) = (told.dropped, told.spurious.needless());
    (flows > 0).then(|| Retransmissions {
        router_drops: dropped,
        retransmits: sum(&|o| o.sender_end.total_retrans),
        needless,
        resized: if refused {
            told.spurious.repeated().saturating_sub(dropped + needless)
        } else {
            0
        },
        in_flight: sum(&|o| o.sender_end.in_flight + o.sender_end.lost),
        flows,
    })
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

fn unkept(shown: &Path, error: &io::Error) -> Stop {
    let cause = format!("the log of a run cannot be kept in {}: {error}", shown.display());
    Stop::Broken(Problem::failure(cause, Some("is the disk full?".into())))
}

/// Returns the abilities of this machine, with a reason for each that is missing: see
/// `dumbbell_emu::doctor`.
pub fn doctor() -> Value {
    dumbbell_emu::doctor::doctor()
}

/// A command: the program and its arguments.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct EncloseRequest(Vec<String>);

impl Asked for EncloseRequest {}

/// Runs a command in a user namespace, where it may make hosts without being root: its exit code.
///
/// # Errors
/// 4: this machine permits no user namespaces, or there is no such command.
pub fn enclose(EncloseRequest(argv): EncloseRequest) -> Result<Value, Problem> {
    let mut words = argv.into_iter();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    let ended = rootless::run(command).map_err(|EnvError { cause, fix }| {
        Problem::new(code::ENVIRONMENT, &[Diagnostic::new(cause).fix(fix)], &Texts::default())
    })?;
    Ok(json!(ended))
}

/// The wall-clock time of a run.
pub fn wall(plan: &Plan) -> Span {
    plan.duration + live::OVERHEAD
}
