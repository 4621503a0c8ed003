//! Measures the processor time that a gigabyte costs two real hosts.
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::run::engine::Stop;
use crate::run::logged::refusal;
use crate::verb::{self, Asked, Progress};
use dumbbell_emu::cpu_cost::{Request, measure};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Between two questions whether it goes on.
const BEAT: Duration = Duration::from_millis(50);

impl Asked for Request {
    fn read(request: &Value) -> Result<Request, Problem> {
        let read: Request = verb::typed(request)?;
        let Some((field, range)) = read.wrong() else { return Ok(read) };
        let d = Diagnostic::new(format!("`{field}` is {}", request[field]));
        let d = d.fix(format!("write {range}"));
        Err(Problem::new(code::SCENARIO, &[d], &Texts::default()))
    }
}

/// Measures what a gigabyte costs: the answer is a [`dumbbell_emu::cpu_cost::Cost`]. It goes on as
/// long as `progress` says so, which is asked twenty times a second.
///
/// # Errors
/// 4: this machine lacks something; 1: something broke; 130: it was
/// stopped.
pub fn cpu_cost(request: &Request, progress: &dyn Fn(Progress) -> bool) -> Result<Value, Problem> {
    let stop = AtomicBool::new(false);
    let done = thread::scope(|scope| {
        let work = scope.spawn(|| measure(request, &stop));
        while !work.is_finished() {
            if !progress(Progress { finished: 0, runs: 1, fraction: 0.0 }) {
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
