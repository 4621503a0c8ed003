//! A directory of results. Everything is written under a temporary name beside its place and moved
//! when whole: a run that is killed leaves no half file, and what was there before stays until
//! then. The next run into the same directory removes what it left under the temporary name.
use crate::files::durable;
use crate::files::staging::StagingDir;
use crate::language::problem::Problem;
use crate::resolve::study::Study;
use crate::results::manifest;
use crate::results::manifest::{Digest, Digests, SUMMARY};
use crate::store::key::Key;
use crate::store::{Records, Store};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The scenario with every default resolved.
const SCENARIO: &str = "scenario.toml";

/// The records of a run.
const RECORDS: [&str; 11] = [
    "flows.parquet",
    "queues.parquet",
    "signals.parquet",
    "reactions.parquet",
    "packets.parquet",
    "hops.parquet",
    "completions.parquet",
    "markers.parquet",
    "acks.parquet",
    "delays.parquet",
    "run.log",
];

/// A directory that results will appear in.
pub struct Output {
    dir: PathBuf,
    /// True if it was not there before.
    made: bool,
    /// The directory in which they grow. It is removed when dropped.
    growing: StagingDir,
    /// Each point's directory, relative.
    points: Vec<PathBuf>,
    /// True if each seed has a directory of its own.
    per_seed: Vec<bool>,
}

fn failed(dir: &Path, e: &io::Error) -> Problem {
    let fix = match e.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a directory that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space, or record \
            less"
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "a file is in the way: \
            choose another directory"
        }
        _ => "choose another directory",
    };
    Problem::failure(
        format!("results cannot be written in {}: {e}", dir.display()),
        Some(fix.into()),
    )
}

impl Output {
    /// Makes the directory if need be, and finds out whether it can be written to, before anything
    /// runs.
    ///
    /// # Errors
    /// Code 1: it cannot.
    pub fn open(dir: &Path, study: &Study) -> Result<Output, Problem> {
        let fail = |e: io::Error| failed(dir, &e);
        let made = !dir.exists();
        durable::create_dir_all(dir).map_err(fail)?;
        let growing = StagingDir::new(dir).map_err(fail)?;
        let digits = study.points.len().to_string().len();
        let point = |i: usize| {
            if study.swept { format!("point-{:0digits$}", i + 1).into() } else { PathBuf::new() }
        };
        Ok(Output {
            dir: dir.into(),
            made,
            growing,
            points: (0..study.points.len()).map(point).collect(),
            per_seed: study.points.iter().map(|p| p.seeds.len() > 1 || p.stop.is_some()).collect(),
        })
    }

    /// A run's directory, relative to the whole.
    fn relative(&self, point: usize, seed: u64) -> PathBuf {
        let base = &self.points[point];
        if self.per_seed[point] { base.join(format!("seed-{seed}")) } else { base.clone() }
    }

    /// The directory in which the records of a run grow.
    ///
    /// # Errors
    /// Code 1: it cannot be made.
    pub fn run_dir(&self, point: usize, seed: u64) -> Result<PathBuf, Problem> {
        let dir = self.growing.path().join(self.relative(point, seed));
        std::fs::create_dir_all(&dir).map_err(|e| failed(&self.dir, &e))?;
        Ok(dir)
    }

    /// Copies a run's records from the store. Where the file system shares blocks between files,
    /// the copies do.
    ///
    /// # Errors
    /// Code 1: they cannot be written here.
    pub fn copy(
        &self,
        point: usize,
        seed: u64,
        store: &Store,
        key: Key,
        records: &Records,
    ) -> Result<(), Problem> {
        if records.is_empty() {
            return Ok(());
        }
        let (from, to) = (records.dir(store.dir(), key), self.run_dir(point, seed)?);
        let one = |name: &str| -> io::Result<()> {
            io::copy(&mut File::open(from.join(name))?, &mut File::create(to.join(name))?).map(drop)
        };
        records.names().try_for_each(one).map_err(|e| failed(&self.dir, &e))
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

    /// Moves everything to its place; `summary.json`, which names all files, comes last. `result`
    /// gets the same names. All that takes space is done before the first file moves, and the
    /// summary that was there goes first: results are whole, or they are not there.
    ///
    /// # Errors
    /// Code 1: a file cannot be written or moved.
    pub fn keep(
        self,
        result: &mut Value,
        study: &Study,
        seeds: &[Vec<u64>],
        overrides: &[String],
    ) -> Result<(), Problem> {
        let runs: Vec<PathBuf> = seeds
            .iter()
            .enumerate()
            .flat_map(|(i, seeds)| seeds.iter().map(move |seed| (i, *seed)))
            .map(|(i, s)| self.relative(i, s))
            .collect();
        let records = runs.iter().flat_map(|run| RECORDS.map(|name| run.join(name)));
        let (new, stale): (Vec<PathBuf>, Vec<PathBuf>) =
            records.partition(|r| self.growing.path().join(r).exists());
        result["out"] = json!(self.dir);
        result["files"] = json!(new);
        let mut summary = result.clone();
        summary["overrides_given"] = json!(overrides);
        summary["scenario"] = study.resolved.clone();
        self.write_and_move(summary, &new, &stale).map_err(|e| failed(&self.dir, &e))
    }

    fn write_and_move(
        &self,
        mut summary: Value,
        new: &[PathBuf],
        stale: &[PathBuf],
    ) -> io::Result<()> {
        let scenario = toml::to_string(&summary["scenario"]).map_err(io::Error::other)?;
        std::fs::write(self.growing.path().join(SCENARIO), scenario)?;
        let files: Vec<&Path> =
            new.iter().map(PathBuf::as_path).chain([Path::new(SCENARIO)]).collect();
        let digests = files.par_iter().map(|file| Ok((file.to_path_buf(), self.settle(file)?)));
        summary["digests"] = json!(digests.collect::<io::Result<Digests>>()?);
        std::fs::write(self.growing.path().join(SUMMARY), manifest::seal(&summary)?)?;
        File::open(self.growing.path().join(SUMMARY))?.sync_all()?;
        for old in std::iter::once(Path::new(SUMMARY)).chain(stale.iter().map(PathBuf::as_path)) {
            remove(&self.dir.join(old))?;
        }
        durable::sync_dir(&self.dir)?;
        files.iter().try_for_each(|file| self.place(file))?;
        let folders: BTreeSet<&Path> =
            files.iter().flat_map(|file| file.ancestors().skip(1)).collect();
        folders.iter().try_for_each(|folder| durable::sync_dir(&self.dir.join(folder)))?;
        self.place(Path::new(SUMMARY))?;
        durable::sync_dir(&self.dir)
    }

    /// Sees to it that a file that has grown is on the disk; its digest.
    fn settle(&self, relative: &Path) -> io::Result<Digest> {
        let file = self.growing.path().join(relative);
        File::open(&file)?.sync_all()?;
        Digest::of(&file)
    }

    /// Moves a file that has grown to its place.
    fn place(&self, relative: &Path) -> io::Result<()> {
        let place = self.dir.join(relative);
        place.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::rename(self.growing.path().join(relative), place)
    }
}

fn remove(file: &Path) -> io::Result<()> {
    match std::fs::remove_file(file) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
