//! The scripts of scripts/tcp: each holds.
use dumbbell_script::{Failure, read};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/tcp")
}

fn told(name: &str, text: &str, f: &Failure) -> String {
    let line = text[..f.from].matches('\n').count() + 1;
    let history = f.history.join("\n      ");
    format!(
        "{name}:{line} at {}\n  expected {}\n  came     {}\n  before it:\n      {history}\n",
        f.at, f.expected, f.came
    )
}

#[test]
fn every_script_holds() {
    let mut names: Vec<_> =
        std::fs::read_dir(folder()).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    assert!(names.len() >= 20, "{names:?}");
    let mut wrong = Vec::new();
    for path in names {
        let (name, text) =
            (path.file_name().unwrap().to_string_lossy(), std::fs::read_to_string(&path).unwrap());
        match read(&text) {
            Ok(script) => wrong.extend(script.run().iter().map(|f| told(&name, &text, f))),
            Err(troubles) => wrong.extend(troubles.iter().map(|t| {
                let line = text[..t.from].matches('\n').count() + 1;
                format!("{name}:{line}: `{}`: {} ({:?})", &text[t.from..t.to], t.cause, t.fix)
            })),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
