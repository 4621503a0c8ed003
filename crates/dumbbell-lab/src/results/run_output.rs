//! A run that was made: the simulator's report, or the testbed's, with what the machine adds to it.
use crate::language::problem::code;
use dumbbell_core::units::Span;
use dumbbell_emu::live::user_program::ProgramOutcome;
use dumbbell_emu::validity::Validity;
use dumbbell_net::metrics;
use dumbbell_plan::Plan;
use dumbbell_results::run_json::{of_run, window};
use dumbbell_sim::Report;
use serde_json::{Value, json};

/// A run that was made.
pub struct RunOutput {
    /// The report.
    pub report: Report,
    /// Wall time, seconds.
    pub wall_s: f64,
    /// The validity of a run between real hosts.
    pub validity: Option<Validity>,
    /// The end of a user's programs, and its instant.
    pub visit: Option<(ProgramOutcome, Span)>,
    /// True if user-mode kernels were at the ends.
    pub linux: bool,
}

/// A run; between real hosts with its validity.
pub fn of_output(plan: &Plan, output: &RunOutput) -> Value {
    let mut run = of_run(plan, &output.report, output.wall_s);
    if let Some((visit, ended)) = &output.visit {
        run["program"] = json!(visit.program);
        run["server"] = json!(visit.server);
        run["duration_s"] = json!(ended.seconds());
    }
    let live = output.validity.is_some();
    if live || output.linux {
        run["on"] = if live { "kernel" } else { "linux" }.into();
    }
    if let (Some(all), Some(told)) =
        (&output.report.fragmentation, run.get_mut("fragmentation").and_then(Value::as_object_mut))
        && (live || output.linux)
    {
        // Nobody tells what hosts of their own kernel did with fragments.
        *told = metrics::FRAGMENTED.values(&all.cuts, &window(plan, &output.report)).collect();
    }
    let Some(validity) = &output.validity else { return run };
    run["validity"] = json!(validity);
    if !validity.valid {
        run["valid"] = false.into();
        let message = format!("this run is not valid: {}", validity.reasons.join("; "));
        run["error"] = json!({ "code": code::INVALID, "message": message });
    }
    run
}
