//! `dumbbell replay`: replays a log by itself, in another process.
use crate::files::environment::builtin_plugins;
use crate::files::regular;
use crate::language::problem::Problem;
use crate::run::engine;
use crate::run::logged::log_problem;
use crate::verb::Asked;
use dumbbell_emu::live::replay::{ReplayFault, ReplayObserver, replay as replay_log};
use dumbbell_emu::log::{Reader, Record};
use dumbbell_emu::router::measures::lateness::Spans;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::BufReader;
use std::path::PathBuf;

/// The live run to make again.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayRequest {
    /// The `run.log` of a live run.
    log: PathBuf,
}

impl Asked for ReplayRequest {}

/// Replays the log of a live run:
/// `{"log", "scenario", "seed", "packets", "mismatches", "first_mismatch", "lost", "message",
/// "verdict": "same" | "differs", "fingerprint", "lateness_us", "required", "duration_s"}`.
///
/// # Errors
/// Code 3: it is not a log, or it was altered or cut off; 1: it cannot be read, or names algorithms
/// that are not in the catalogue.
pub fn replay(request: &ReplayRequest) -> Result<Value, Problem> {
    let path = &request.log.display().to_string();
    crate::results::manifest::check(&request.log)?;
    let file = regular::open(&request.log).map_err(|e| {
        let fix = "name the run.log in the directory of a run that was recorded";
        Problem::failure(format!("{path} cannot be read: {e}"), Some(fix.into()))
    })?;
    let told = |fault: &ReplayFault| log_problem(fault, path);
    let mut log =
        Reader::new(BufReader::new(file)).map_err(|fault| told(&ReplayFault::Log(fault)))?;
    let plan = log.header.plan.clone();
    let plugins = builtin_plugins();
    engine::lacking(plan.links.iter().map(|link| link.aqm.kind.as_str()), &plugins)
        .map_or(Ok(()), Err)?;
    let mut late = WriteDelay::default();
    let replayed = replay_log(&mut log, (&plan, &plugins), &mut (), &mut late)
        .map_err(|fault| told(&fault))?;
    let lost = log.totals().map_or(0, |totals| totals.lost);
    let message = (lost > 0).then(|| {
        format!(
            "{lost} records are missing in this log, for which the run had no room: it does \
            not tell the whole run"
        )
    });
    let first = replayed.first.map(|mismatch| {
        json!({
            "packet": mismatch.out.number,
            "flow": plan.flows[mismatch.out.socket as usize / 2].name,
            "time_s": mismatch.out.at.seconds(),
            "only_in": if mismatch.live { "the log" } else { "the replay" },
            "message": mismatch.to_string(),
        })
    });
    Ok(json!({
        "log": path,
        "scenario": plan.name,
        "seed": plan.seed,
        "packets": replayed.packets,
        "mismatches": replayed.mismatches,
        "first_mismatch": first,
        "lost": lost,
        "message": message,
        "verdict": if replayed.mismatches == 0 && lost == 0 { "same" } else { "differs" },
        "fingerprint": dumbbell_results::run_json::hex(replayed.passed.fingerprint),
        "lateness_us": late.0.percentiles(),
        "required": plan.testbed.class,
        "duration_s": plan.duration.seconds(),
    }))
}

/// The delay with which the packets of a log were written.
#[derive(Default)]
struct WriteDelay(Spans);

impl ReplayObserver for WriteDelay {
    fn record(&mut self, record: &Record) {
        if let Record::Out { late, refused: false, .. } = record {
            self.0.record(Record::late_by(*late));
        }
    }
}
