//! Bad lines of a store: causes, fixes, exit codes.
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::store::line::{self, Fault};
use crate::store::scan::BadLine;
use serde_json::json;
use std::path::Path;

/// The number of bad lines that are shown to people.
const SHOWN: usize = 10;

/// Cause and fix of a bad line.
pub fn explain(bad: &BadLine, dir: &Path) -> (String, String) {
    match bad.fault {
        Fault::Newer(n) => (
            format!("this row is of format {n}, and this release reads up to {}", line::FORMAT),
            "use a newer release of dumbbell, or another store".into(),
        ),
        Fault::Damaged(why) => (
            format!("this row is damaged: {why}"),
            format!(
                "`dumbbell store repair {}` moves it aside and keeps the others",
                dir.display()
            ),
        ),
    }
}

/// The exit code of bad lines: damage is a check that failed, a newer format is not.
pub fn severity(bad: &[BadLine]) -> i32 {
    let damaged = bad.iter().any(|b| matches!(b.fault, Fault::Damaged(_)));
    if damaged { code::CHECK } else { code::FAILURE }
}

/// The refusal of a store with bad lines: each with its file, its line, the cause and the fix.
pub fn refuse(dir: &Path, bad: &[BadLine]) -> Problem {
    let say = |b: &BadLine| {
        let (cause, fix) = explain(b, dir);
        Diagnostic::new(format!("{}, line {}: {cause}", b.file.display(), b.line)).fix(fix)
    };
    let mut shown: Vec<Diagnostic> = bad.iter().take(SHOWN).map(say).collect();
    if bad.len() > SHOWN {
        shown.push(Diagnostic::new(format!(
            "and {} rows more of {}",
            bad.len() - SHOWN,
            dir.display()
        )));
    }
    let mut problem = Problem::new(severity(bad), &shown, &Texts::default());
    for (i, b) in bad.iter().take(SHOWN).enumerate() {
        problem.json["problems"][i]["file"] = json!(b.file);
        problem.json["problems"][i]["line"] = json!(b.line);
    }
    problem
}
