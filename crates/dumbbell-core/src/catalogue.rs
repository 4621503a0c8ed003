//! The description of an algorithm: name, idea, equations, sources, and every parameter.
//!
//! From this follow, with no other edit, its name in scenario files, `dumbbell list`,
//! `dumbbell explain`, the typed Python class, the JSON Schema, the conformance suite, its look in
//! plots, its law, its words in `dumbbell why` and its rows in the documentation.
mod about;
pub mod from_json;
pub mod misread;
pub mod schema;

use crate::units::Number;
pub use about::{
    About, Explained, Kernel, Law, Look, Over, PlotColor, Provenance, Setting, Size, SizeLaw,
};
use from_json::from_json;
use misread::Misread;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// An algorithm of the catalogue.
pub trait Algorithm: Sized {
    /// Its parameters.
    type Config: Config;
    /// The surroundings that a new instance learns: the link of a queue, the path of a connection.
    type Site;
    /// Its page.
    const ABOUT: About;
    /// The name of its random stream. A variant may share its parent's stream: with its difference
    /// switched off it then equals the parent packet by packet.
    const CHANCE: &'static str = Self::ABOUT.name;
    /// A fresh instance.
    fn new(config: &Self::Config, site: &Self::Site) -> Self;
}

/// An algorithm's parameters: a serde struct whose doc comments, defaults and `schemars` ranges are
/// the documentation that a user reads.
///
/// Each field carries `#[schemars(extend("x-source" = "..."))]` with where its default comes from,
/// and `"x-unit"` where its type does not say it. `#[config]` of dumbbell-macros derives the rest.
pub trait Config:
    DeserializeOwned + Serialize + JsonSchema + Default + Clone + Send + Sync + 'static
{
    /// Relations between fields. The path is the field at fault, the text says the cause and the
    /// fix.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// An error in a configuration and its place: `at` is a path such as `min_th` or `curve[2]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The field, relative to the configuration; empty for the whole.
    pub at: String,
    /// The cause.
    pub cause: String,
    /// The suggested fix, if there is one.
    pub fix: Option<String>,
}

impl Fault {
    /// A fault at `field`.
    pub fn at(field: &str, cause: impl Into<String>) -> Self {
        Fault { at: field.into(), cause: cause.into(), fix: None }
    }
    /// With a fix.
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

/// A configuration without parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoConfig {}

impl Config for NoConfig {}

/// One row of a catalogue.
pub struct Entry {
    /// The page.
    pub about: About,
    /// See [`Algorithm::CHANCE`].
    pub chance: &'static str,
    /// JSON Schema of the parameters; made once.
    pub schema: fn() -> &'static Value,
    /// The defaults, written out.
    pub defaults: fn() -> Value,
    /// Reads a configuration, checks it and writes it out with all defaults.
    pub resolve: fn(&Value) -> Result<Value, Fault>,
}

impl Entry {
    /// The row of algorithm `A`.
    pub const fn of<A: Algorithm>() -> Self {
        Entry {
            about: A::ABOUT,
            chance: A::CHANCE,
            schema: schema_of::<A::Config>,
            defaults: || serde_json::to_value(A::Config::default()).unwrap_or(Value::Null),
            resolve: |v| {
                let config = read::<A::Config>(v)?;
                serde_json::to_value(config).map_err(unwritable)
            },
        }
    }

    /// The defaults under the profile `linux`.
    pub fn linux_defaults(&self) -> Value {
        let mut usual = (self.defaults)();
        for (key, value) in self.about.linux {
            usual[*key] = serde_json::to_value(value).unwrap_or(Value::Null);
        }
        usual
    }
}

/// The JSON Schema of a configuration. It is a constant that takes a while to write down: more than
/// half of the time that a small plan takes. So each type's is made once, and kept.
pub fn schema_of<C: Config>() -> &'static Value {
    schema_made_once(TypeId::of::<C>(), || schemars::schema_for!(C).into())
}

// Here and in `read`, what does not depend on the type of the configuration is compiled once, not
// once for each algorithm.
fn schema_made_once(of: TypeId, make: fn() -> Value) -> &'static Value {
    static MADE: RwLock<BTreeMap<TypeId, &'static Value>> = RwLock::new(BTreeMap::new());
    let kept = MADE.read().unwrap_or_else(PoisonError::into_inner).get(&of).copied();
    if let Some(schema) = kept {
        return schema;
    }
    let schema = make();
    let mut made = MADE.write().unwrap_or_else(PoisonError::into_inner);
    made.entry(of).or_insert_with(|| Box::leak(Box::new(schema)))
}

/// Reads and checks a configuration: unknown keys (with the nearest known one), types and units,
/// the ranges of its schema, then its own relations.
pub fn read<C: Config>(v: &Value) -> Result<C, Fault> {
    let schema = schema_of::<C>();
    check_keys(schema, v)?;
    let config: C = from_json(v).map_err(misread)?;
    check_ranges(schema, &serde_json::to_value(&config).map_err(unwritable)?)?;
    config.check()?;
    Ok(config)
}

fn misread(error: Misread) -> Fault {
    Fault::at(&error.place(), error.message())
}

fn unwritable(error: serde_json::Error) -> Fault {
    Fault::at("", error.to_string())
}

pub(crate) fn check_keys(schema: &Value, v: &Value) -> Result<(), Fault> {
    let (Some(table), Some(known)) = (v.as_object(), schema["properties"].as_object()) else {
        return Ok(());
    };
    let Some(key) = table.keys().find(|k| !known.contains_key(*k)) else { return Ok(()) };
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    let fault = Fault::at(key, format!("there is no parameter `{key}` here"));
    Err(match nearest(key, &names) {
        Some(name) => fault.fix(format!("did you mean `{name}`?")),
        None if names.is_empty() => fault.fix("this one takes no parameters"),
        None => fault.fix(format!("known are {}", names.join(", "))),
    })
}

pub(crate) fn check_ranges(schema: &Value, written: &Value) -> Result<(), Fault> {
    let (Some(table), Some(known)) = (written.as_object(), schema["properties"].as_object()) else {
        return Ok(());
    };
    for (key, value) in table {
        let (Some(x), Some(rule)) = (value.as_f64(), known.get(key)) else { continue };
        let beyond = |word: &str, f: fn(f64, f64) -> bool| {
            rule[word].as_f64().is_some_and(|bound| !f(x, bound))
        };
        if beyond("minimum", |x, b| x >= b)
            || beyond("maximum", |x, b| x <= b)
            || beyond("exclusiveMinimum", |x, b| x > b)
            || beyond("exclusiveMaximum", |x, b| x < b)
        {
            return Err(Fault::at(key, format!("{} is out of range", Number(x)))
                .fix(format!("it must be {}", range_text(rule))));
        }
    }
    Ok(())
}

/// A schema's range in words: `at least 0 and at most 1`, `above 0`; empty if it has none.
pub fn range_text(rule: &Value) -> String {
    let bound = |word: &str| rule[word].as_f64();
    let low =
        bound("minimum").map(|b| format!("at least {b}")).or(bound("exclusiveMinimum").map(|b| {
            format!(
                "above \
            {b}"
            )
        }));
    let high =
        bound("maximum").map(|b| format!("at most {b}")).or(bound("exclusiveMaximum").map(|b| {
            format!(
                "below \
            {b}"
            )
        }));
    [low, high].into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// The known name that `written` was probably meant to be: one within two edits (an insertion, a
/// deletion, another letter, two letters exchanged) and a third of the longer one's letters.
pub fn nearest<'a>(written: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        // Two characters: a long word costs nothing.
        .filter(|name| name.len().abs_diff(written.len()) <= 8)
        .map(|name| (strsim::damerau_levenshtein(written, name), *name))
        .filter(|(distance, name)| {
            *distance <= 2.min(name.chars().count().max(written.chars().count()) / 3)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}
