//! Warnings about a scenario, for people and programs.
use super::{Diagnostic, Texts};
use crate::language::warnings::Lint;
use miette::{GraphicalTheme, ThemeCharacters};
use serde_json::{Value, json};

/// One warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Its kind.
    pub lint: &'static Lint,
    /// The cause, the place and the fix; of a sweep, those of the first point that has it.
    pub diagnostic: Diagnostic,
    /// The number of points that have it.
    pub points: usize,
}

impl Warning {
    /// Joins the warnings of a sweep's points: one of each kind and key, with the number of points
    /// that have it.
    pub fn merge(all: impl IntoIterator<Item = Warning>) -> Vec<Warning> {
        let mut out: Vec<Warning> = Vec::new();
        for one in all {
            let same =
                |w: &&mut Warning| w.lint == one.lint && w.diagnostic.key == one.diagnostic.key;
            match out.iter_mut().find(same) {
                Some(first) => first.points += one.points,
                None => out.push(one),
            }
        }
        out.sort_by_key(|w| w.lint.code);
        out
    }

    /// For programs: `{"code", "name", "message", "fix", "key", "file", "line", "column",
    /// "points", "rendered"}`, where `rendered` is the text for people. `total`: all points of the
    /// sweep; `None` without one.
    pub fn json(&self, texts: &Texts, total: Option<usize>) -> Value {
        let shown = self.diagnostic.json(texts);
        let mut out = json!({
            "code": self.lint.code,
            "name": self.lint.name,
            "message": shown["cause"],
            "fix": shown["fix"],
            "key": shown["key"],
        });
        for key in ["file", "line", "column"] {
            if let Some(value) = shown.get(key) {
                out[key] = value.clone();
            }
        }
        out["points"] = json!(self.points);
        out["rendered"] = json!(self.rendered(texts, total));
        out
    }

    /// For people, without colors: as an error, with `warning[CODE]:` before the cause.
    fn rendered(&self, texts: &Texts, total: Option<usize>) -> String {
        let theme = GraphicalTheme {
            characters: ThemeCharacters {
                error: format!("warning[{}]:", self.lint.code),
                ..ThemeCharacters::unicode()
            },
            ..GraphicalTheme::unicode_nocolor()
        };
        let mut diagnostic = self.diagnostic.clone();
        if let Some(total) = total {
            let first = if self.points > 1 { "; the first is shown" } else { "" };
            diagnostic.cause += &format!(" (in {} of {total} points{first})", self.points);
        }
        diagnostic.render(texts, &theme)
    }
}
