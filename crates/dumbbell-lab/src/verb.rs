//! A verb of the API: what it is asked, what it answers, and who calls it. [`crate::api`] has the
//! table of all verbs.
use crate::formats::arrow_table::ArrowTable;
use crate::language::plugins::{NoPlugins, PluginLoader};
use crate::language::problem::{Check, Diagnostic, Problem, Texts, code};
use crate::language::{deser, read};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::marker::PhantomData;

/// The progress of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Runs that are finished.
    pub finished: usize,
    /// All runs.
    pub runs: usize,
    /// The part that is done, 0 to 1: of runs, simulated time of all runs together.
    pub fraction: f64,
}

/// The caller of a verb.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// Algorithms of the caller's own, beside the catalogue.
    pub plugins: &'a dyn PluginLoader,
    /// Called on the caller's thread about ten times a second by verbs that are
    /// [`Interrupt::Stops`]; false: the call ends.
    pub progress: &'a dyn Fn(Progress) -> bool,
    /// Called on the caller's thread a few times a second by verbs that make runs, with what is
    /// new of those that the request watches, as JSON: see [`crate::run::watch`].
    pub watch: &'a dyn Fn(&str),
}

impl Caller<'_> {
    /// A caller without plugins, who waits until the call is over.
    pub const PLAIN: Caller<'static> =
        Caller { plugins: &NoPlugins, progress: &|_| true, watch: &|_| () };
}

/// What an interrupt (Ctrl-C) does to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// It waits: the call is short, or starts a program that the interrupt is for.
    Waits,
    /// It stops the call: [`Caller::progress`] says no, or code of a plugin is interrupted.
    Stops,
}

/// The request of a verb, as JSON.
pub trait Asked: DeserializeOwned + JsonSchema {
    /// Reads a request.
    ///
    /// # Errors
    /// Code 2: an unknown or missing key, or a value of the wrong type.
    fn read(request: &Value) -> Result<Self, Problem> {
        typed(request)
    }
}

/// Reads a request: at a second attempt with everything that is wrong with it.
///
/// # Errors
/// As [`Asked::read`].
pub(crate) fn typed<T: DeserializeOwned>(request: &Value) -> Result<T, Problem> {
    if let Ok(read) = T::deserialize(request) {
        return Ok(read);
    }
    let (mut texts, mut check) = (Texts::default(), Check::default());
    let node = read::json(&mut texts, "<request>", request);
    deser::read(&node, &[], &mut check)
        .ok_or_else(|| Problem::new(code::SCENARIO, &in_words(check.found), &texts))
}

/// Rewords the diagnostics of a request. No user wrote its JSON, so a message names the key and
/// quotes no text.
fn in_words(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let say = |d: Diagnostic| {
        let cause = d.key.as_ref().map_or(d.cause.clone(), |key| format!("`{key}`: {}", d.cause));
        Diagnostic { cause, place: None, ..d }
    };
    found.into_iter().map(say).collect()
}

/// The request of a verb that is asked nothing: `{}`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

impl Asked for Nothing {}

/// A request with the schema of `T`, as JSON: its room reads it itself.
#[derive(Deserialize)]
#[serde(transparent, bound = "")]
pub struct Unread<T>(pub Value, #[serde(skip)] PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Unread<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T: JsonSchema> Asked for Unread<T> {}

/// The answer of a verb.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A document.
    Document(Value),
    /// A document as JSON text: its tree would be ten times as large.
    Text(String),
    /// Columns.
    Table(ArrowTable),
}

/// A type that a verb answers.
pub trait Reply {
    /// True for columns, false for a document.
    const TABLE: bool = false;
    /// The answer.
    fn answer(self) -> Answer;
}

impl Reply for Value {
    fn answer(self) -> Answer {
        Answer::Document(self)
    }
}

impl Reply for String {
    fn answer(self) -> Answer {
        Answer::Text(self)
    }
}

impl Reply for ArrowTable {
    const TABLE: bool = true;
    fn answer(self) -> Answer {
        Answer::Table(self)
    }
}

type Run = Box<dyn Fn(&Value, &Caller<'_>) -> Result<Answer, Problem> + Send + Sync>;

/// One verb.
pub struct Verb {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// What an interrupt does to a call.
    pub interrupt: Interrupt,
    /// True if it answers columns, false for a document.
    pub table: bool,
    /// The schema of its request.
    pub request: fn(&mut SchemaGenerator) -> Schema,
    run: Run,
}

impl Verb {
    /// The verb `name` that `run` does.
    pub fn new<T: Asked, R: Reply>(
        name: &'static str,
        interrupt: Interrupt,
        about: &'static str,
        run: impl Fn(T, &Caller<'_>) -> Result<R, Problem> + Send + Sync + 'static,
    ) -> Verb {
        Verb {
            name,
            about,
            interrupt,
            table: R::TABLE,
            request: |generator| generator.subschema_for::<T>(),
            run: Box::new(move |request, caller| run(T::read(request)?, caller).map(R::answer)),
        }
    }

    /// Calls it.
    ///
    /// # Errors
    /// Code 2: the request is wrong; and those of the verb.
    pub fn call(&self, request: &Value, caller: &Caller<'_>) -> Result<Answer, Problem> {
        (self.run)(request, caller)
    }
}
