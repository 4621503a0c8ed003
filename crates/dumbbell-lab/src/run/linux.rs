//! Runs on user-mode kernels in virtual time: made by `dumbbell-linux`, recorded from their log.
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::resolve::study::Study;
use crate::results::run_output::RunOutput;
use crate::run::engine::{Engine, Stop};
use crate::run::logged::{LoggedRun, refusal};
use dumbbell_emu::live::error::LiveFault;
use dumbbell_emu::traffic::Outcomes;
use dumbbell_linux::run::{RunOptions, run};
use dumbbell_plan::Plan;
use std::path::Path;
use std::time::Instant;

/// What a kernel is called in keys of runs: a hash of its program, wherever that is, and of the
/// agent that runs in it. A program that cannot be read is refused by the first run.
pub(crate) fn kernel_id(kernel: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&std::fs::read(kernel).unwrap_or_default()).update(dumbbell_linux::AGENT);
    hasher.finalize().to_hex()[..16].to_string()
}

/// Refuses a study of which some point asks for what the kernel lacks, before its first run.
///
/// # Errors
/// What it lacks, at which point.
pub(crate) fn check(study: &Study) -> Result<(), Problem> {
    for point in study.points.iter().filter(|point| !point.seeds.is_empty()) {
        // A point whose plan is wrong says so when it is run.
        let Ok(mut plan) = study.plan(point, point.seed()) else { continue };
        plan.testbed = point.testbed();
        if let Err(Stop::Failed(problem)) = dumbbell_linux::run::check(&plan).map_err(refusal) {
            return Err(problem);
        }
    }
    Ok(())
}

/// One run on user-mode kernels.
///
/// # Errors
/// There is no kernel, the scenario asks for what it lacks, a guest broke, the run was stopped, or
/// a file cannot be written.
pub fn on_linux(
    engine: &Engine<'_>,
    plan: &Plan,
    hash: &str,
    dir: Option<&Path>,
) -> Result<RunOutput, Stop> {
    let began = Instant::now();
    let kernel = engine.kernel.ok_or_else(|| {
        let lack = Diagnostic::new("there is no kernel to run on")
            .fix("build one once: `dumbbell linux build`");
        Stop::Failed(Problem::new(code::ENVIRONMENT, &[lack], &Texts::default()))
    })?;
    let logged = LoggedRun::open(engine, plan, dir)?;
    let own = logged.writer()?;
    let progress = |share| logged.progress(share);
    let made = run(RunOptions {
        plan,
        plugins: engine.plugins,
        kernel,
        kernel_per_host: false,
        user_program: engine.user_program.as_ref(),
        log: Box::new(std::io::BufWriter::new(own)),
        stop: &engine.meter.stop,
        progress: &progress,
    });
    let made = made.map_err(|fault| match fault {
        LiveFault::Failed(cause) => Stop::Failed(Problem::failure(cause, None)),
        other => refusal(other),
    })?;
    // Programs end when they do, and the run with them.
    let shorter = made.program_outcome.as_ref().map(|(_, ended)| Plan {
        duration: *ended,
        warmup: plan.warmup.min(*ended),
        ..plan.clone()
    });
    let plan = shorter.as_ref().unwrap_or(plan);
    let replayed = logged.replay(plan, &made.outcomes)?;
    if let Some(first) = &replayed.replayed.first {
        let cause = format!("the replay of this run's log differs: {first}");
        return Err(Stop::Failed(Problem::failure(cause, None)));
    }
    agrees(&made.outcomes).map_err(Stop::Failed)?;
    let report = replayed.finish(hash, &made.outcomes)?;
    let wall_s = began.elapsed().as_secs_f64();
    Ok(RunOutput { report, wall_s, validity: None, visit: made.program_outcome, linux: true })
}

/// A flow that broke ends its run: an account of it would be that of another scenario.
fn agrees(outcomes: &Outcomes) -> Result<(), Problem> {
    let broken = outcomes.flows.iter().find_map(|flow| Some((flow.flow, flow.failure.as_ref()?)));
    broken.map_or(Ok(()), |(flow, cause)| {
        Err(Problem::failure(format!("flow {flow} broke: {cause}"), None))
    })
}
