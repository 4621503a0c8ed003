//! What could not be read from a JSON tree, and where. The path is written while an error returns:
//! what is read without an error pays nothing for it. Messages are those of `serde_json`.
use serde::de::{Error, Expected, Unexpected};
use serde_json::Value;
use std::fmt::{Display, Formatter};

/// A value that is not what the type at its place wants.
#[derive(Debug)]
pub struct Misread(Box<Inner>);

#[derive(Debug)]
struct Inner {
    message: String,
    /// From the inside to the outside.
    path: Vec<Step>,
}

/// A step down into a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the value of a key.
    Key(String),
    /// To an element of an array, from 0.
    Index(usize),
}

impl Misread {
    /// The steps from the root to the value. For an unknown key, the last one is that key.
    pub fn path(&self) -> impl Iterator<Item = &Step> {
        self.0.path.iter().rev()
    }

    /// What was found and what was expected, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The path as text, such as `curve[2].at`; empty at the root.
    pub fn place(&self) -> String {
        let mut text = String::new();
        for step in self.path() {
            match step {
                Step::Key(key) if text.is_empty() => text.push_str(key),
                Step::Key(key) => text += &format!(".{key}"),
                Step::Index(index) => text += &format!("[{index}]"),
            }
        }
        text
    }

    pub(super) fn new(message: String) -> Self {
        Misread(Box::new(Inner { message, path: Vec::new() }))
    }

    pub(super) fn below(mut self, step: Step) -> Self {
        self.0.path.push(step);
        self
    }
}

impl Display for Misread {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Misread {}

impl Error for Misread {
    fn custom<T: Display>(message: T) -> Self {
        Misread::new(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Misread::new(format!("invalid type: {}, expected {expected}", in_json(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Misread::new(format!("invalid value: {}, expected {expected}", in_json(found)))
    }
}

/// What was found, in JSON's words.
fn in_json(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Unit => "null".to_string(),
        Unexpected::Float(x) => format!("floating point `{}`", Value::from(x)),
        other => other.to_string(),
    }
}
