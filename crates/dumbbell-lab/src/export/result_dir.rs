//! A run's directory of results, and what is in it.
use crate::export::capture_point::named;
use crate::export::packet_rows::Names;
use crate::export::record_reader::{Record, usage};
use crate::language::problem::{Diagnostic, Problem};
use crate::results::manifest;
use crate::results::manifest::SUMMARY;
use crate::run::logged::LOG;
use dumbbell_plan::Plan;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A directory that `--out` has made, of one run.
pub struct Run {
    dir: PathBuf,
}

impl Run {
    /// The directory.
    ///
    /// # Errors
    /// Code 2: there is none.
    pub fn open(dir: &Path) -> Result<Run, Problem> {
        if !dir.is_dir() {
            let d = Diagnostic::new(format!("there is no result directory {}", dir.display()));
            return Err(usage(d.fix("`dumbbell run FILE --out DIR` makes one")));
        }
        Ok(Run { dir: dir.into() })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// `summary.json`; of `point-N` and `seed-N` their part of the document above them, which alone
    /// has one.
    ///
    /// # Errors
    /// Code 2: there is none; 3: it is damaged.
    pub fn summary(&self) -> Result<Value, Problem> {
        if self.dir.join(SUMMARY).exists() {
            return manifest::summary(&self.dir);
        }
        let part = self.dir.canonicalize().ok().map_or(Ok(None), |dir| part(&dir))?;
        part.map_or_else(|| manifest::summary(&self.dir), Ok)
    }

    /// The log of a live run; `None` of a simulation.
    pub fn log(&self) -> Option<PathBuf> {
        Some(self.dir.join(LOG)).filter(|log| log.exists())
    }

    /// A record; `None` if it was not made.
    ///
    /// # Errors
    /// Code 3: it is damaged.
    pub fn optional(&self, name: &str) -> Result<Option<Record>, Problem> {
        Record::open(&self.dir, name)
    }

    /// A record that must be there.
    ///
    /// # Errors
    /// Code 2: it was not made, and how to; 3: it is damaged.
    pub fn record(&self, name: &str) -> Result<Record, Problem> {
        if let Some(record) = self.optional(name)? {
            return Ok(record);
        }
        let dir = self.dir.display();
        let runs = self.below(name);
        if let Some(first) = runs.first() {
            let d =
                Diagnostic::new(format!("{dir} holds {} runs: an export is of one", runs.len()));
            return Err(usage(d.fix(format!("name one of them, as in {}", first.display()))));
        }
        let how = match name {
            "packets" | "hops" => "record.packets=true",
            "acks" => "record.acks=true",
            "delays" => "record.delays=true",
            "signals" | "reactions" => "record.drops=true",
            "completions" => "record.completions=true",
            "markers" => "record.every=\"100 ms\"' -s 'record.markers=true",
            _ => "record.every=\"100 ms\"",
        };
        let d = Diagnostic::new(format!("{dir} has no record of {name}"));
        Err(usage(d.fix(format!("record them: dumbbell run FILE -s '{how}' --out {dir}"))))
    }

    /// The packets.
    ///
    /// # Errors
    /// See [`Self::record`].
    pub fn packets(&self) -> Result<Record, Problem> {
        self.record("packets")
    }

    /// The records of packets at links.
    ///
    /// # Errors
    /// See [`Self::record`].
    pub fn hops(&self) -> Result<Record, Problem> {
        self.record("hops")
    }

    /// The names of a plan, with one flow wanted, or all that were recorded.
    ///
    /// # Errors
    /// Code 2: there is no such flow, or it was not recorded.
    pub fn names(&self, plan: &Plan, flow: Option<&str>) -> Result<Names, Problem> {
        let recorded = |i: usize| plan.record.packets.contains(&i);
        let Some(name) = flow else {
            return Ok(Names::new(plan, (0..plan.flows.len()).map(recorded).collect()));
        };
        let Some(i) = plan.flows.iter().position(|f| f.name == name) else {
            let known: Vec<&str> = plan.flows.iter().map(|f| f.name.as_str()).collect();
            return Err(usage(named(
                Diagnostic::new(format!("there is no flow `{name}`")),
                name,
                &known,
            )));
        };
        if !recorded(i) {
            let d = Diagnostic::new(format!("packets of the flow `{name}` were not recorded"));
            return Err(usage(d.fix(format!(
                "run with -s 'record.packets=[\"{name}\"]', or with \
                true for all"
            ))));
        }
        let mut wanted = vec![false; plan.flows.len()];
        wanted[i] = true;
        Ok(Names::new(plan, wanted))
    }

    /// Directories one or two levels below that have the record.
    fn below(&self, name: &str) -> Vec<PathBuf> {
        let inside = |dir: &Path| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
            entries.map(|e| e.path()).filter(|p| p.is_dir()).collect()
        };
        let first = inside(&self.dir);
        let second: Vec<PathBuf> = first.iter().flat_map(|d| inside(d)).collect();
        let mut runs: Vec<PathBuf> = first.into_iter().chain(second).collect();
        runs.retain(|d| d.join(format!("{name}.parquet")).exists());
        runs.sort();
        runs
    }
}

/// Returns the entry of the summary above for `point-N`, or for `seed-N` in it; `None` if there is
/// none.
fn part(dir: &Path) -> Result<Option<Value>, Problem> {
    let (Some(name), Some(above)) = (dir.file_name().and_then(|n| n.to_str()), dir.parent()) else {
        return Ok(None);
    };
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u64>().ok();
    let (point, seed) = (number("point-"), number("seed-"));
    if point.or(seed).is_none() {
        return Ok(None);
    }
    let of =
        if above.join(SUMMARY).exists() { Some(manifest::summary(above)?) } else { part(above)? };
    let Some(of) = of else { return Ok(None) };
    if let Some(point) = point {
        let place = usize::try_from(point).ok().and_then(|n| n.checked_sub(1)); // From 1.
        return Ok(place.and_then(|i| of["points"].get(i)).cloned());
    }
    let run =
        of["runs"].as_array().into_iter().flatten().find(|r| r["seed"].as_u64() == seed).cloned();
    Ok(run.map(|mut run| {
        run["overrides"] = of["overrides"].clone();
        run
    }))
}
