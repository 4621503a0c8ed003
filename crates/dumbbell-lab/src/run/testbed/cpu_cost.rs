//! Measures the processor time that a gigabyte costs two real hosts.
use super::refusal;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::run::engine::Stop;
use dumbbell_emu::cpu_cost::{Request, measure};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Between two questions whether it goes on.
const BEAT: Duration = Duration::from_millis(50);

/// Measures what a gigabyte costs: the request is a [`Request`], the answer a
/// [`dumbbell_emu::cpu_cost::Cost`]. It goes on as long as `going` says so, which is asked twenty
/// times a second.
///
/// # Errors
/// 2: the request is wrong; 4: this machine lacks something; 1: something broke; 130: it was
/// stopped.
pub fn cpu_cost(request: &Value, going: &dyn Fn() -> bool) -> Result<Value, Problem> {
    let refused = |cause: String, fix: String| {
        Problem::new(code::SCENARIO, &[Diagnostic::new(cause).fix(fix)], &Texts::default())
    };
    let wish: Request = serde_json::from_value(request.clone()).map_err(|e| {
        let fix = "a request has mtu_bytes, condition (plain, offloads or router), seconds, \
            warmup_s and idle_s";
        refused(e.to_string(), fix.into())
    })?;
    if let Some((field, range)) = wish.wrong() {
        return Err(refused(format!("`{field}` is {}", request[field]), format!("write {range}")));
    }
    let stop = AtomicBool::new(false);
    let done = thread::scope(|scope| {
        let work = scope.spawn(|| measure(&wish, &stop));
        while !work.is_finished() {
            if !going() {
                stop.store(true, Ordering::Relaxed);
            }
            thread::sleep(BEAT);
        }
        work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    match done.map_err(refusal) {
        Ok(cost) => Ok(json!(cost)),
        Err(Stop::Failed(problem) | Stop::Broken(problem)) => Err(problem),
        Err(_) => Err(Problem::new(
            code::INTERRUPTED,
            &[Diagnostic::new("it was stopped")],
            &Texts::default(),
        )),
    }
}
