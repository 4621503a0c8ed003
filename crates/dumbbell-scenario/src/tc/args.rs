//! The arguments of a tc line, each with its place in the text, and how their values are read.
use super::units;
use crate::language::deser;
use crate::language::problem::{Check, Diagnostic, Place};
use dumbbell_core::units::{Bytes, Rate, Span};

/// An argument and its place in the text.
#[derive(Clone, Copy, Debug)]
pub struct Arg<'t> {
    /// The argument.
    pub text: &'t str,
    /// Its place.
    pub place: Place,
}

/// An option that tc has and a scenario lacks: its name, the reason, and what to do instead.
pub type Refused = (&'static str, &'static str, &'static str);

/// The arguments after the name of a discipline.
pub struct Args<'t, 'c> {
    /// The name.
    pub kind: Arg<'t>,
    args: &'t [Arg<'t>],
    /// What a unit means that a reader may take for another.
    pub remarks: Vec<String>,
    /// Collects the errors.
    pub check: &'c mut Check,
}

impl<'t, 'c> Args<'t, 'c> {
    /// Those after `kind`.
    pub fn new(kind: Arg<'t>, args: &'t [Arg<'t>], check: &'c mut Check) -> Self {
        Args { kind, args, remarks: Vec::new(), check }
    }

    /// The next argument.
    pub fn next(&mut self) -> Option<Arg<'t>> {
        let (first, rest) = self.args.split_first()?;
        self.args = rest;
        Some(*first)
    }

    /// The next argument, without taking it.
    pub fn peek(&self) -> Option<Arg<'t>> {
        self.args.first().copied()
    }

    /// The next argument, if it is a number with or without a unit.
    pub fn next_number(&mut self) -> Option<Arg<'t>> {
        let number = self
            .args
            .first()
            .is_some_and(|w| w.text.starts_with(|c: char| c.is_ascii_digit() || c == '.'));
        if number { self.next() } else { None }
    }

    /// Adds an error at `arg`.
    pub fn error(&mut self, arg: Arg<'_>, cause: impl Into<String>, fix: impl Into<String>) {
        self.check.error(Diagnostic::new(cause).at(arg.place).fix(fix));
    }

    /// Adds an error for an argument that is not an option: one of `refused`, or unknown. Skips its
    /// values.
    pub fn unknown(&mut self, arg: Arg<'t>, known: &[&str], refused: &[Refused]) {
        match refused.iter().find(|(name, ..)| *name == arg.text) {
            Some((_, cause, fix)) => self.error(arg, *cause, *fix),
            None => {
                let kind = self.kind.text;
                let d = Diagnostic::new(format!("`{}` is not a word of tc's {kind}", arg.text))
                    .at(arg.place);
                self.check.error(deser::suggest(d, arg.text, known));
            }
        }
        while self.next_number().is_some() {}
    }

    /// The value that follows the option `arg`, parsed by `read`.
    fn value<T>(
        &mut self,
        arg: Arg<'t>,
        example: &str,
        read: fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let Some(value) = self.next() else {
            self.error(
                arg,
                format!("`{0}` needs a value", arg.text),
                format!(
                    "write {} \
                {example}",
                    arg.text
                ),
            );
            return None;
        };
        self.read(value, &format!("write {} {example}", arg.text), read)
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
    pub fn size(&mut self, arg: Arg<'t>, example: &str) -> Option<Bytes> {
        self.value(arg, example, units::size)
    }
    /// A rate.
    pub fn rate(&mut self, arg: Arg<'t>, example: &str) -> Option<Rate> {
        self.value(arg, example, units::rate)
    }
    /// A time.
    pub fn time(&mut self, arg: Arg<'t>, example: &str) -> Option<Span> {
        self.value(arg, example, units::time)
    }
    /// A whole number.
    pub fn count(&mut self, arg: Arg<'t>, example: &str) -> Option<u32> {
        self.value(arg, example, units::count)
    }
    /// A time in whole microseconds.
    pub fn micros(&mut self, arg: Arg<'t>, example: &str) -> Option<Span> {
        self.value(arg, example, units::micros)
    }
    /// A whole number without a unit.
    pub fn whole(&mut self, arg: Arg<'t>, example: &str) -> Option<u32> {
        self.value(arg, example, units::whole)
    }
    /// A whole number with a sign or without.
    pub fn signed(&mut self, arg: Arg<'t>, example: &str) -> Option<i32> {
        self.value(arg, example, units::signed)
    }
    /// A number of zero or more.
    pub fn real(&mut self, arg: Arg<'t>, example: &str) -> Option<f64> {
        self.value(arg, example, units::real)
    }
    /// A probability, in per cent.
    pub fn percent(&mut self, arg: Arg<'t>, example: &str) -> Option<f64> {
        self.value(arg, example, units::percent)
    }
    /// A probability, as a number from 0 to 1 or in per cent.
    pub fn probability(&mut self, arg: Arg<'t>, example: &str) -> Option<f64> {
        self.value(arg, example, units::probability)
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
