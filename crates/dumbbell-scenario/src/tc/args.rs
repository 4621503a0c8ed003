//! The words of a line, each with its place, and what may follow a word.
use super::units;
use crate::language::deser;
use crate::language::problem::{Check, Diagnostic, Place};
use dumbbell_core::units::{Bytes, Rate, Span};

/// A word and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Arg<'t> {
    /// The word.
    pub text: &'t str,
    /// Its place.
    pub place: Place,
}

/// A word that tc knows and a scenario does not: the word, why, and what to do.
pub type Refused = (&'static str, &'static str, &'static str);

/// The words after the name of a discipline.
pub struct Args<'t, 'c> {
    /// The name.
    pub kind: Arg<'t>,
    words: &'t [Arg<'t>],
    /// Remarks about units that a reader may take for others.
    pub remarks: Vec<String>,
    /// The cause.
    pub check: &'c mut Check,
}

impl<'t, 'c> Args<'t, 'c> {
    /// Makes the arguments after `kind`.
    pub fn new(kind: Arg<'t>, words: &'t [Arg<'t>], check: &'c mut Check) -> Self {
        Args { kind, words, remarks: Vec::new(), check }
    }

    /// The next word.
    pub fn next(&mut self) -> Option<Arg<'t>> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(*first)
    }

    /// The next word, left where it is.
    pub fn peek(&self) -> Option<Arg<'t>> {
        self.words.first().copied()
    }

    /// The next word, if it is a number with or without a unit.
    pub fn next_number(&mut self) -> Option<Arg<'t>> {
        let number = self
            .words
            .first()
            .is_some_and(|w| w.text.starts_with(|c: char| c.is_ascii_digit() || c == '.'));
        if number { self.next() } else { None }
    }

    /// One more error at `word`.
    pub fn error(&mut self, word: Arg<'_>, cause: impl Into<String>, fix: impl Into<String>) {
        self.check.error(Diagnostic::new(cause).at(word.place).fix(fix));
    }

    /// An error at a word that stands where an option should: one of `refused`, or unknown. Its
    /// values are left out.
    pub fn unknown(&mut self, word: Arg<'t>, known: &[&str], refused: &[Refused]) {
        match refused.iter().find(|(name, ..)| *name == word.text) {
            Some((_, cause, fix)) => self.error(word, *cause, *fix),
            None => {
                let kind = self.kind.text;
                let d = Diagnostic::new(format!("`{}` is no word of tc's {kind}", word.text))
                    .at(word.place);
                self.check.error(deser::suggest(d, word.text, known));
            }
        }
        while self.next_number().is_some() {}
    }

    /// The value after `word`, as `read` takes it.
    fn value<T>(
        &mut self,
        word: Arg<'t>,
        example: &str,
        read: fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let Some(value) = self.next() else {
            self.error(
                word,
                format!("`{0}` needs a value", word.text),
                format!(
                    "write {} \
                {example}",
                    word.text
                ),
            );
            return None;
        };
        self.read(value, &format!("write {} {example}", word.text), read)
    }

    /// The value of an argument.
    pub fn read<T>(
        &mut self,
        value: Arg<'t>,
        fix: &str,
        read: fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        self.remarks.extend(units::remark(value.text));
        match read(value.text) {
            Ok(v) => Some(v),
            Err(cause) => {
                self.error(value, cause, fix);
                None
            }
        }
    }

    /// A size in bytes.
    pub fn size(&mut self, word: Arg<'t>, example: &str) -> Option<Bytes> {
        self.value(word, example, units::size)
    }
    /// A rate.
    pub fn rate(&mut self, word: Arg<'t>, example: &str) -> Option<Rate> {
        self.value(word, example, units::rate)
    }
    /// A time.
    pub fn time(&mut self, word: Arg<'t>, example: &str) -> Option<Span> {
        self.value(word, example, units::time)
    }
    /// A whole number.
    pub fn count(&mut self, word: Arg<'t>, example: &str) -> Option<u32> {
        self.value(word, example, units::count)
    }
    /// A time in whole microseconds.
    pub fn micros(&mut self, word: Arg<'t>, example: &str) -> Option<Span> {
        self.value(word, example, units::micros)
    }
    /// A whole number without a unit.
    pub fn whole(&mut self, word: Arg<'t>, example: &str) -> Option<u32> {
        self.value(word, example, units::whole)
    }
    /// A number of zero or more.
    pub fn real(&mut self, word: Arg<'t>, example: &str) -> Option<f64> {
        self.value(word, example, units::real)
    }
    /// A probability, in per cent.
    pub fn percent(&mut self, word: Arg<'t>, example: &str) -> Option<f64> {
        self.value(word, example, units::percent)
    }
    /// A probability, as a number from 0 to 1 or in per cent.
    pub fn probability(&mut self, word: Arg<'t>, example: &str) -> Option<f64> {
        self.value(word, example, units::probability)
    }

    /// A value that must be there: an error at the discipline's name if it is not.
    pub fn needed<T>(&mut self, value: Option<T>, name: &str, example: &str) -> Option<T> {
        if value.is_none() && self.check.ok() {
            let kind = self.kind;
            self.error(
                kind,
                format!("tc's {} needs `{name}`", kind.text),
                format!(
                    "write {name} \
                {example}"
                ),
            );
        }
        value
    }
}
