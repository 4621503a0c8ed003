//! Requests and answers.
//!
//! | `verb` | answer |
//! |---|---|
//! | `plan` | what the scenario's first point is, see [`crate::shown`] |
//! | `begin` | the same; the run of its first seed stands at its start |
//! | `go` | `{"done", "fraction"}`, after at most `events` events |
//! | `finish` | `{"run", "tables", "signals"}`: the numbers of the run, its series and its drops |
//!
//! Instead of its answer a verb may give `{"problem": {"code", "rendered", "problems"}}`, with the
//! text that the command line prints.
use crate::answer::Answer;
use crate::given::Given;
use crate::job::Job;
use crate::shown;
use dumbbell_plan::Plan;
use dumbbell_results::pack::tables::TableRequest;
use dumbbell_scenario::language::load::Source;
use dumbbell_scenario::language::plugins::NoPlugins;
use dumbbell_scenario::language::problem::{Problem, leave_unwrapped};
use dumbbell_scenario::resolve::study::{Study, StudyInput};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, tag = "verb", rename_all = "snake_case")]
pub enum Request {
    /// Reads a scenario.
    Plan(Written),
    /// Begins a run.
    Begin(Begun),
    /// Goes on with it.
    Go {
        /// The most events.
        events: u64,
    },
    /// Ends it.
    Finish,
}

/// A scenario.
#[derive(Deserialize)]
pub struct Written {
    /// Its text, unless it is one of the files.
    pub text: Option<String>,
    /// Its name in messages, or the path of the file.
    pub name: String,
    /// Files that it may name, by path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Instants that the series have at least if the scenario records none.
    #[serde(default)]
    pub instants: u64,
}

/// A run.
#[derive(Deserialize)]
pub struct Begun {
    /// Its scenario...
    pub scenario: Option<Written>,
    /// ...or its plan.
    pub plan: Option<Box<Plan>>,
    /// The tables of its series, see [`TableRequest`].
    #[serde(default)]
    pub tables: Vec<TableRequest>,
    /// The most drops and marks that are told one by one.
    #[serde(default)]
    pub signals: usize,
}

/// One page's conversation with the module.
#[derive(Default)]
pub struct Session(Option<Job>);

impl Session {
    /// Answers a request.
    pub fn answer(&mut self, request: &[u8]) -> Answer {
        leave_unwrapped(); // Pages wrap lines as they are wide.
        let done = match serde_json::from_slice(request) {
            Ok(request) => self.asked(request),
            Err(e) => Err(Problem::failure(format!("the request cannot be read: {e}"), None)),
        };
        done.unwrap_or_else(|problem| {
            let Problem { code, rendered, json } = problem;
            let told = json!({ "code": code, "rendered": rendered, "problems": json["problems"] });
            json!({ "problem": told }).into()
        })
    }

    fn asked(&mut self, request: Request) -> Result<Answer, Problem> {
        match request {
            Request::Plan(written) => {
                let (study, plan) = read(&written)?;
                Ok(shown::plan(&study, &plan).into())
            }
            Request::Begin(begun) => {
                self.0 = None; // Its memory may be needed.
                let (told, plan) = match (&begun.scenario, begun.plan) {
                    (Some(written), _) => {
                        let (study, plan) = read(written)?;
                        (shown::plan(&study, &plan), plan)
                    }
                    (None, Some(plan)) => (Value::Null, *plan),
                    (None, None) => {
                        return Err(Problem::failure("a run needs a scenario or a plan", None));
                    }
                };
                self.0 = Some(Job::new(plan, &begun.tables, begun.signals)?);
                Ok(told.into())
            }
            Request::Go { events } => self.0.as_mut().ok_or_else(none)?.go(events).map(Into::into),
            Request::Finish => self.0.take().ok_or_else(none)?.finish(),
        }
    }
}

fn none() -> Problem {
    Problem::failure("no run has begun", None)
}

/// Reads a scenario: the study, and the plan of its first point and seed, which records series.
fn read(written: &Written) -> Result<(Study, Plan), Problem> {
    let source = match &written.text {
        Some(text) => Source::Text { text: text.clone(), name: written.name.clone() },
        None => Source::Path(written.name.clone().into()),
    };
    let (overrides, also, uses) = (Vec::new(), Default::default(), Vec::new());
    let input = StudyInput { source, overrides, also, uses };
    let given = Given::new(written.files.clone());
    let study = Study::with(&input, &given, &NoPlugins, false)?;
    let point = &study.points[0];
    let mut plan = study.plan(point, point.seed())?;
    shown::record(&mut plan, written.instants);
    Ok((study, plan))
}
