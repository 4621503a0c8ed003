//! A directory of results. Everything is written under a temporary name beside its place and moved when whole:
//! a run that is killed leaves no half file, and what was there before stays until then.
use crate::problem::Problem;
use crate::study::Study;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The records of a run.
const RECORDS: [&str; 3] = ["flows.parquet", "queues.parquet", "signals.parquet"];

/// A directory that results will appear in.
pub struct Output {
    dir: PathBuf,
    /// Whether it was not there before.
    made: bool,
    /// Where they grow; removed when dropped.
    growing: TempDir,
    /// Each point's directory, relative.
    points: Vec<PathBuf>,
    /// Whether each seed has a directory of its own.
    per_seed: Vec<bool>,
}

fn failed(dir: &Path, e: &io::Error) -> Problem {
    let fix = match e.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a directory that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space, or record less",
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => "a file is in the way: choose another directory",
        _ => "choose another directory",
    };
    Problem::failure(format!("results cannot be written in {}: {e}", dir.display()), Some(fix.into()))
}

impl Output {
    /// Makes the directory if need be, and finds out whether it can be written to, before anything runs.
    ///
    /// # Errors
    /// Code 1: it cannot.
    pub fn open(dir: &Path, study: &Study) -> Result<Output, Problem> {
        let fail = |e: io::Error| failed(dir, &e);
        let made = !dir.exists();
        std::fs::create_dir_all(dir).map_err(fail)?;
        let growing = tempfile::Builder::new().prefix(".growing-").tempdir_in(dir).map_err(fail)?;
        let digits = study.points.len().to_string().len();
        let point = |i: usize| if study.swept { format!("point-{:0digits$}", i + 1).into() } else { PathBuf::new() };
        Ok(Output {
            dir: dir.into(),
            made,
            growing,
            points: (0..study.points.len()).map(point).collect(),
            per_seed: study.points.iter().map(|p| p.seeds.len() > 1).collect(),
        })
    }

    /// A run's directory, relative to the whole.
    fn relative(&self, point: usize, seed: u64) -> PathBuf {
        let base = &self.points[point];
        if self.per_seed[point] { base.join(format!("seed-{seed}")) } else { base.clone() }
    }

    /// Where the records of a run grow.
    ///
    /// # Errors
    /// Code 1: it cannot be made.
    pub fn run_dir(&self, point: usize, seed: u64) -> Result<PathBuf, Problem> {
        let dir = self.growing.path().join(self.relative(point, seed));
        std::fs::create_dir_all(&dir).map_err(|e| failed(&self.dir, &e))?;
        Ok(dir)
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Nothing is kept: everything is as it was before.
    pub fn abandon(self) {
        drop(self.growing);
        if self.made {
            // Only if it is empty; if not, somebody else wrote there.
            let _ = std::fs::remove_dir(&self.dir);
        }
    }

    /// Moves everything to its place; `summary.json`, which names all files, comes last. `result` gets the same
    /// names.
    ///
    /// # Errors
    /// Code 1: a file cannot be written or moved.
    pub fn keep(self, result: &mut Value, study: &Study, overrides: &[String]) -> Result<(), Problem> {
        let fail = |e: io::Error| failed(&self.dir, &e);
        let mut files = Vec::new();
        for (i, point) in study.points.iter().enumerate() {
            for seed in &point.seeds {
                self.keep_run(&self.relative(i, *seed), &mut files).map_err(fail)?;
            }
        }
        let scenario = toml::to_string(&study.resolved).map_err(|e| fail(io::Error::other(e)))?;
        self.write("scenario.toml", scenario.as_bytes()).map_err(fail)?;
        result["out"] = json!(self.dir);
        result["files"] = json!(files);
        let mut summary = result.clone();
        summary["overrides_given"] = json!(overrides);
        summary["scenario"] = study.resolved.clone();
        let text = serde_json::to_string_pretty(&summary).map_err(|e| fail(e.into()))?;
        self.write("summary.json", (text + "\n").as_bytes()).map_err(fail)
    }

    fn keep_run(&self, relative: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
        let (from, to) = (self.growing.path().join(relative), self.dir.join(relative));
        for name in RECORDS {
            let (new, place) = (from.join(name), to.join(name));
            if new.exists() {
                std::fs::create_dir_all(&to)?;
                std::fs::rename(&new, &place)?;
                files.push(relative.join(name));
            } else if place.exists() {
                std::fs::remove_file(&place)?; // Of an earlier run, and not of this one.
            }
        }
        Ok(())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let growing = self.growing.path().join(name);
        let mut file = std::fs::File::create(&growing)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(growing, self.dir.join(name))
    }
}
