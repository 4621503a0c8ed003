//! Runs between real hosts: made by the testbed, recorded from its log, judged.
mod cpu_cost;
mod replay;

pub use cpu_cost::cpu_cost;
pub use replay::replay;

use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::results::run_output::RunOutput;
use crate::run::engine::{Engine, Stop};
use crate::run::logged::{LogSummary, LoggedRun, ReplayedRun, refusal};
use crate::verb::Asked;
use dumbbell_core::units::Span;
use dumbbell_emu::calibrate::Calibration;
use dumbbell_emu::error::EnvError;
use dumbbell_emu::host::rootless;
use dumbbell_emu::live::replay::Replayed;
use dumbbell_emu::live::watch::{Seen, Watch};
use dumbbell_emu::live::{self, LiveRun, RunOptions};
use dumbbell_emu::validity::{Facts, Load, Replay, Retransmissions, Traffic};
use dumbbell_plan::{Class, Plan};
use dumbbell_results::series::columns::{flow_cells, queue_cells};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

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
    let logged = LoggedRun::open(engine, plan, dir)?;
    let own = logged.writer()?;
    let progress = |share| logged.progress(share);
    let mut tap = engine.watcher.and_then(|watcher| watcher.live_tap(plan));
    let mut before = vec![None; plan.flows.len()];
    let mut seen = |seen: Seen<'_>| {
        let Some(tap) = &mut tap else { return };
        match seen {
            Seen::Queue(t, link, row) if plan.links[link].report => {
                tap.queue(link, &queue_cells(&plan.links[link], t, row), &row.gauges);
            }
            Seen::Queue(..) => {}
            Seen::Flow(t, flow, row) => {
                let name = (&*plan.flows[flow].name, t);
                tap.flow(flow, &flow_cells(name, row, &mut before[flow]), &row.gauges);
            }
        }
        tap.publish();
    };
    let orders = RunOptions {
        plan,
        plugins: engine.plugins,
        log: Box::new(own),
        user_program: engine.user_program.as_ref(),
        threads: Default::default(),
        stop: &engine.meter.stop,
        estimate: &expect,
        progress: &progress,
        watch: engine.watcher.map(|_| &mut seen as Watch<'_>),
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
    let replayed = logged.replay(plan, &live.outcomes)?;
    let output = settle(engine, (plan, hash), live, replayed)?;
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

/// From a run's log to its records, its report and its validity.
fn settle(
    engine: &Engine<'_>,
    (plan, hash): (&Plan, &str),
    live: LiveRun,
    run: ReplayedRun<'_, '_, '_>,
) -> Result<RunOutput, Stop> {
    let Replayed { packets, mismatches, passed, .. } = &run.replayed;
    let replay = Some(Replay { packets: *packets, mismatches: *mismatches });
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
            &run.told,
            passed.fragmentation.as_ref().is_some_and(|all| all.cuts.refused > 0),
        ),
        replay,
        traffic,
        open_ended: engine.user_program.is_some(),
    };
    let (_, validity) = live.finished.judge(&facts);
    let report = run.finish(hash, &live.outcomes)?;
    Ok(RunOutput { report, wall_s: 0.0, validity: Some(validity), visit: None, linux: false })
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
