//! The requests of the API as JSON.
use crate::language::load::Source;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::resolve::study::{Study, StudyInput};
use crate::run::watch::WatchRequest;
use crate::verb::{self, Asked};
use dumbbell_sim::Options;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// A request:
/// `{"source": {"path"} | {"text", "name"?} | {"value", "name"?}, "overrides": ["KEY=VALUE"],
/// "seed", "replications", "stop", "record", "threads", "out", "store", "keep_going", "assemble",
/// "audit", "fold", "hold", "straight", "on": "sim" | "kernel" | "linux", "kernel", "points",
/// "except", "use": ["FILE"], "watch"}`; all but the source are optional.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RunRequest")]
pub struct Request {
    source: From,
    #[serde(default)]
    overrides: Vec<String>,
    seed: Option<u64>,
    replications: Option<u64>,
    record: Option<Value>,
    stop: Option<Value>,
    /// Threads; 0: one for each core.
    #[serde(default)]
    pub threads: usize,
    /// Directory for records; without it nothing is written.
    pub out: Option<PathBuf>,
    /// The store: runs that it has are not run again, and all others are kept in it.
    pub store: Option<PathBuf>,
    /// A point of a sweep whose scenario is wrong is a row with its error, and the others are run.
    #[serde(default)]
    pub keep_going: bool,
    /// Run nothing: only put together what the store has.
    #[serde(default)]
    pub assemble: bool,
    /// Keys of runs that are not to be tried again.
    #[serde(default)]
    pub except: Vec<String>,
    /// The place where it runs: simulator, this machine's kernel, or user-mode kernels.
    #[serde(default)]
    pub on: On,
    /// The user-mode kernel of a run on `linux`: the program.
    pub kernel: Option<PathBuf>,
    /// Follow each packet by number.
    #[serde(default)]
    pub audit: bool,
    /// Run ahead between merges; changes nothing but the time it takes.
    #[serde(default = "yes")]
    pub fold: bool,
    /// Let every queue hold its packets, also those that could decide at arrival; changes nothing
    /// but the time it takes.
    #[serde(default)]
    pub hold: bool,
    /// Let TCP's ends take short ways where nothing out of the ordinary happens; changes nothing
    /// but the time it takes.
    #[serde(default = "yes")]
    pub straight: bool,
    /// Show at most this many points of a plan.
    pub points: Option<usize>,
    /// Files with algorithms of the user's own, relative to the present directory; those of the
    /// scenario come after.
    #[serde(default, rename = "use")]
    pub uses: Vec<PathBuf>,
    /// What the caller is told of the runs while they go on.
    pub watch: Option<WatchRequest>,
}

/// The place where a scenario runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum On {
    /// In virtual time.
    #[default]
    Sim,
    /// Between real hosts.
    Kernel,
    /// In virtual time, with the TCP of user-mode kernels.
    Linux,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Source")]
struct From {
    path: Option<PathBuf>,
    text: Option<String>,
    value: Option<Value>,
    name: Option<String>,
}

impl Asked for Request {
    fn read(request: &Value) -> Result<Request, Problem> {
        let read: Request = verb::typed(request)?;
        let From { path, text, value, .. } = &read.source;
        if [path.is_some(), text.is_some(), value.is_some()] == [false; 3] {
            let d = Diagnostic::new("the source is one of `path`, `text` and `value`");
            return Err(Problem::new(code::SCENARIO, &[d], &Texts::default()));
        }
        Ok(read)
    }
}

impl Request {
    /// The input of the study.
    pub fn study_input(&self) -> StudyInput {
        let named = |default: &str| self.source.name.clone().unwrap_or_else(|| default.into());
        let source = if let Some(path) = &self.source.path {
            Source::Path(path.clone())
        } else if let Some(text) = &self.source.text {
            Source::Text { text: text.clone(), name: named("<text>") }
        } else {
            Source::Value {
                value: self.source.value.clone().unwrap_or_default(),
                name: named("<scenario>"),
            }
        };
        let mut also = Map::new();
        let own = [
            ("seed", self.seed.map(|n| json!(n))),
            ("replications", self.replications.map(|n| json!(n))),
        ];
        also.extend(own.into_iter().filter_map(|(k, v)| Some((k.to_string(), v?))));
        also.extend(self.stop.clone().map(|r| ("stop".to_string(), r)));
        if self.on != On::Sim {
            // The kernel's TCP is no other's, whatever the scenario says.
            also.insert("profile".into(), json!("linux"));
        }
        also.extend(self.record.clone().map(|r| ("record".to_string(), r)));
        StudyInput { source, overrides: self.overrides.clone(), also, uses: self.uses.clone() }
    }
    /// Adds the warnings of a run on real kernels to `study`, if this asks for one.
    pub(crate) fn lint(&self, study: &mut Study) {
        if self.on != On::Sim {
            study.lint_for_kernel();
        }
    }

    /// Options of the simulator.
    pub fn options(&self) -> Options {
        Options { fold: self.fold, hold: self.hold, straight: self.straight, audit: self.audit }
    }
    /// The overrides as given.
    pub fn overrides(&self) -> &[String] {
        &self.overrides
    }
}
