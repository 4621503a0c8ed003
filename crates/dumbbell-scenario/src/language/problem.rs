//! The errors of a scenario as diagnostics: cause, place with a caret, and fix.
//!
//! Texts come from users and may be of any size. What a [`Problem`] says is bounded: see
//! [`bounds`].
mod bounds;
mod warning;

use crate::language::warnings::Lint;
use bounds::{Excerpt, clipped};
use dumbbell_core::plugin::Plugins;
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, Report};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
pub use warning::Warning;

/// The most diagnostics that one [`Problem`] shows to people.
const SHOWN: usize = 20;
/// The most diagnostics that one [`Problem`] lists for programs.
const LISTED: usize = 100;
/// Columns of a rendered diagnostic that is wrapped.
const WIDTH: usize = 100;
/// False after [`leave_unwrapped`].
static WRAPPED: AtomicBool = AtomicBool::new(true);

/// From now on this process renders each cause and each fix in one line, whatever its length. For a
/// program that wraps messages where it prints them, as it knows the width there.
pub fn leave_unwrapped() {
    WRAPPED.store(false, Ordering::Relaxed);
}

/// A stretch of one of the [`Texts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Place {
    /// The number of the text.
    pub text: usize,
    /// First byte.
    pub from: usize,
    /// Byte after the last.
    pub to: usize,
}

/// Everything that a user wrote for one study: files, overrides, a dictionary. Diagnostics point
/// into it.
#[derive(Clone, Debug, Default)]
pub struct Texts(Vec<(String, String)>, BTreeMap<usize, PathBuf>);

impl Texts {
    /// Takes a text in and numbers it.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        self.0.push((name.into(), text.into()));
        self.0.len() - 1
    }
    /// Takes a file's text in: what it names is beside it.
    pub fn add_file(&mut self, file: &Path, text: impl Into<String>) -> usize {
        let id = self.add(file.display().to_string(), text);
        self.1.insert(id, file.parent().map(Path::to_path_buf).unwrap_or_default());
        id
    }
    /// The directory that a file which is named at `place` is relative to; empty: the present one.
    pub fn beside(&self, place: Place) -> PathBuf {
        self.1.get(&place.text).cloned().unwrap_or_default()
    }
    /// The name of a text: a path, `-s`, or what the caller said.
    pub fn name(&self, text: usize) -> &str {
        &self.0[text].0
    }
    /// A text.
    pub fn text(&self, text: usize) -> &str {
        &self.0[text].1
    }
    /// Writes a text again.
    pub fn replace(&mut self, text: usize, with: String) {
        self.0[text].1 = with;
    }
    /// Line and column of a place, both from 1; columns count characters.
    pub fn line_column(&self, place: Place) -> (usize, usize) {
        let before = &self.text(place.text)[..place.from.min(self.text(place.text).len())];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// One error: the cause, where it is written, and the fix if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The cause.
    pub cause: String,
    /// The fix: text to write instead.
    pub fix: Option<String>,
    /// The place in the text, if there is one.
    pub place: Option<Place>,
    /// The key, as `-s` would name it.
    pub key: Option<String>,
}

impl Diagnostic {
    /// An error at no place.
    pub fn new(cause: impl Into<String>) -> Self {
        Diagnostic { cause: cause.into(), fix: None, place: None, key: None }
    }
    /// With its place.
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
    /// With a fix.
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
    /// With the key, as `-s` would name it.
    pub fn key(mut self, path: &[String]) -> Self {
        self.key = (!path.is_empty()).then(|| path.join("."));
        self
    }

    /// For people, without colors.
    pub fn rendered(&self, texts: &Texts) -> String {
        self.render(texts, &GraphicalTheme::unicode_nocolor())
    }

    fn json(&self, texts: &Texts) -> Value {
        let mut out =
            json!({ "cause": clipped(&self.cause), "fix": self.fix.as_deref().map(clipped) });
        if let Some(key) = &self.key {
            out["key"] = json!(clipped(key));
        }
        if let Some(place) = self.place {
            let (line, column) = texts.line_column(place);
            out["file"] = json!(texts.name(place.text));
            out["line"] = json!(line);
            out["column"] = json!(column);
        }
        out
    }

    fn render(&self, texts: &Texts, theme: &GraphicalTheme) -> String {
        let cause = clipped(&self.cause);
        let mut d = MietteDiagnostic::new(cause.clone());
        if let Some(fix) = &self.fix {
            d = d.with_help(clipped(fix));
        }
        let report = match self.place {
            None => Report::new(d),
            Some(place) => {
                let (excerpt, label) = Excerpt::around(texts, place);
                Report::new(d.with_label(LabeledSpan::underline(label))).with_source_code(excerpt)
            }
        };
        let mut out = String::new();
        let handler = GraphicalReportHandler::new_themed(theme.clone())
            .with_width(WIDTH)
            .with_wrap_lines(WRAPPED.load(Ordering::Relaxed))
            .without_syntax_highlighting();
        match handler.render_report(&mut out, report.as_ref()) {
            Ok(()) => out,
            Err(fmt::Error) => cause,
        }
    }
}

/// Exit codes of the command line that a [`Problem`] stands for.
pub mod code {
    /// Something failed: a file that cannot be written, for instance.
    pub const FAILURE: i32 = 1;
    /// The scenario or the request is wrong; nothing was written.
    pub const SCENARIO: i32 = 2;
    /// The run broke a law that every run must keep: its results are not valid.
    pub const INVALID: i32 = 5;
    /// A check failed.
    pub const CHECK: i32 = 3;
    /// The machine lacks something.
    pub const ENVIRONMENT: i32 = 4;
    /// The user stopped it.
    pub const INTERRUPTED: i32 = 130;
}

/// Why a door could not do what was asked: for people (`rendered`) and for programs (`json`).
#[derive(Clone, Debug, thiserror::Error)]
#[error("{rendered}")]
pub struct Problem {
    /// The exit code of the command line, see [`code`].
    pub code: i32,
    /// For people, with file, line, caret and fix.
    pub rendered: String,
    /// For programs: `{"code", "problems": [{"file", "line", "column", "key", "cause", "fix"}]}`,
    /// and `omitted`, the number of further problems, if the list is not complete.
    pub json: Value,
}

impl Problem {
    /// From diagnostics, which must not be empty. Repetitions are left out.
    pub fn new(code: i32, found: &[Diagnostic], texts: &Texts) -> Self {
        let mut seen = HashSet::new();
        let unique: Vec<&Diagnostic> =
            found.iter().filter(|d| seen.insert((&d.cause, d.place))).collect();
        let theme = GraphicalTheme::unicode_nocolor();
        let mut rendered: Vec<String> =
            unique.iter().take(SHOWN).map(|d| d.render(texts, &theme)).collect();
        if unique.len() > SHOWN {
            rendered.push(format!("... and {} more", unique.len() - SHOWN));
        }
        let list: Vec<Value> = unique.iter().take(LISTED).map(|d| d.json(texts)).collect();
        let mut json = json!({ "code": code, "problems": list });
        if unique.len() > LISTED {
            json["omitted"] = json!(unique.len() - LISTED);
        }
        Problem { code, rendered: rendered.join("\n"), json }
    }

    /// The causes, in a line.
    pub fn message(&self) -> String {
        let causes = self.json["problems"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|p| p["cause"].as_str());
        causes.collect::<Vec<_>>().join("; ")
    }

    /// A failure that no text caused.
    pub fn failure(cause: impl Into<String>, fix: Option<String>) -> Self {
        let d = Diagnostic { cause: cause.into(), fix, place: None, key: None };
        Problem::new(code::FAILURE, &[d], &Texts::default())
    }
}

/// Collects what is wrong and what a user should know, and knows which names may be said.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// Algorithms that a scenario may name beside those of the catalogue.
    pub plugins: Plugins,
    /// Errors.
    pub found: Vec<Diagnostic>,
    /// Remarks: a parameter that no longer applies, a default that follows from another choice.
    pub notes: Vec<String>,
    /// Warnings: the plan is valid, but probably not what was meant.
    pub warnings: Vec<Warning>,
}

impl Check {
    /// A check of something that may name `makers` too.
    pub fn with(plugins: &Plugins) -> Self {
        Check { plugins: plugins.clone(), ..Check::default() }
    }
    /// One more error.
    pub fn error(&mut self, d: Diagnostic) {
        self.found.push(d);
    }
    /// One more remark, once.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
    /// One more warning, unless there is one of this kind about this key.
    pub fn warn(&mut self, lint: &'static Lint, diagnostic: Diagnostic) {
        let same = |w: &Warning| w.lint == lint && w.diagnostic.key == diagnostic.key;
        if !self.warnings.iter().any(same) {
            self.warnings.push(Warning { lint, diagnostic, points: 1 });
        }
    }
    /// True if no error was found.
    pub fn ok(&self) -> bool {
        self.found.is_empty()
    }
}
