//! Plugins: algorithms from other crates, from Python, or from the verilated RTL.
//!
//! The catalogue is closed and its calls are direct; plugins enter the `Plugin` variants of its
//! enums. The caller hands [`Plugins`] down, through the check of the plan, to the world that is
//! built.
use crate::aqm::{DynAqm, LinkInfo};
use crate::catalogue::{About, Fault, check_keys, check_ranges, range_text};
use crate::transport::{CongestionControl, Path};
use crate::units::{Bytes, Packets, Rate, Span, Time};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};

/// An algorithm's page, as [`crate::catalogue::About`] and the schema of a configuration together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// The name in scenario files.
    pub name: String,
    /// The name in prose.
    pub title: String,
    /// The idea, in a sentence.
    pub idea: String,
    /// The equations, as plain text.
    pub equations: String,
    /// Papers, RFCs, sections.
    pub sources: Vec<String>,
    /// The programming language.
    pub language: String,
    /// The source file.
    pub file: String,
    /// A hash of its source: results of one that was edited are not those of another.
    pub source_hash: String,
    /// JSON Schema of its parameters, flat: numbers, whole numbers, truth values, words (`enum`),
    /// and strings with an `x-unit` (`time`, `size`, `rate`, `number of packets`); each with its
    /// `default`.
    pub schema: Value,
}

impl Page {
    /// The defaults, written out.
    pub fn defaults(&self) -> Value {
        let known = self.schema["properties"].as_object();
        let written = |key: &String, rule: &Value| {
            let default = rule["default"].clone();
            (key.clone(), typed(key, &default, rule).unwrap_or(default))
        };
        Value::Object(known.into_iter().flatten().map(|(key, rule)| written(key, rule)).collect())
    }

    /// A configuration with all defaults, each value of its type and in its range.
    ///
    /// # Errors
    /// An unknown key (with the nearest known one), a wrong type, a missing unit, a value out of
    /// range.
    pub fn resolve(&self, written: &Value) -> Result<Value, Fault> {
        check_keys(&self.schema, written)?;
        let mut out = Map::new();
        for (key, rule) in self.schema["properties"].as_object().into_iter().flatten() {
            let value = written.get(key).filter(|v| !v.is_null()).unwrap_or(&rule["default"]);
            out.insert(key.clone(), typed(key, value, rule)?);
        }
        let out = Value::Object(out);
        check_ranges(&self.schema, &self.plain(&out))?;
        Ok(out)
    }

    /// A resolved configuration with every quantity as a number: seconds, bytes, bits a second,
    /// packets.
    pub fn plain(&self, config: &Value) -> Value {
        let unit = |key: &str| self.schema["properties"][key]["x-unit"].as_str().unwrap_or("");
        let known = config.as_object().into_iter().flatten();
        Value::Object(known.map(|(key, v)| (key.clone(), base(v, unit(key)))).collect())
    }
}

/// `value` in the form that `rule` demands.
fn typed(key: &str, value: &Value, rule: &Value) -> Result<Value, Fault> {
    fn unit<T: DeserializeOwned + Serialize>(key: &str, value: &Value) -> Result<Value, Fault> {
        let read: T =
            serde_json::from_value(value.clone()).map_err(|e| Fault::at(key, e.to_string()))?;
        Ok(json!(read))
    }
    match rule["x-unit"].as_str() {
        Some("time") => return unit::<Span>(key, value),
        Some("size") => return unit::<Bytes>(key, value),
        Some("rate") => return unit::<Rate>(key, value),
        Some("number of packets") => return unit::<Packets>(key, value),
        _ => {}
    }
    if let Some(words) = rule["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return match value.as_str() {
            Some(word) if words.contains(&word) => Ok(value.clone()),
            _ => Err(Fault::at(key, format!("{value} is not one of the choices"))
                .fix(format!("known are {}", words.join(", ")))),
        };
    }
    let (fits, what) = match rule["type"].as_str() {
        Some("integer") => (value.as_i64().is_some() || value.as_u64().is_some(), "a whole number"),
        Some("number") => (value.as_f64().is_some_and(f64::is_finite), "a number"),
        Some("boolean") => (value.is_boolean(), "true or false"),
        _ => (value.is_string(), "a text"),
    };
    if !fits {
        let fault = Fault::at(key, format!("{value} is not {what}"));
        let range = range_text(rule);
        return Err(if range.is_empty() {
            fault
        } else {
            fault.fix(format!("it must be {range}"))
        });
    }
    // A number is written as one number everywhere: 1 and 1.0 are the same plan.
    Ok(if rule["type"] == "number" { json!(value.as_f64()) } else { value.clone() })
}

/// A quantity in its base unit; anything else as it is.
fn base(value: &Value, unit: &str) -> Value {
    let text = value.as_str().unwrap_or("");
    let number = match unit {
        "time" => text.parse::<Span>().ok().map(Span::seconds),
        "size" => text.parse::<Bytes>().ok().map(|b| b.0 as f64),
        "rate" => text.parse::<Rate>().ok().map(|r| r.bps() as f64),
        "number of packets" => text.parse::<Packets>().ok().map(|p| p.0),
        _ => None,
    };
    number.map_or_else(|| value.clone(), |x| json!(x))
}

/// Makes instances of one plugin.
pub trait PluginFactory<A: ?Sized, Site>: Send + Sync {
    /// Its page.
    fn page(&self) -> &Page;
    /// Relations between the parameters of a resolved configuration.
    ///
    /// # Errors
    /// The parameter at fault, the cause and the fix.
    fn check(&self, config: &Value) -> Result<(), Fault>;
    /// A configuration, checked and written out with all defaults.
    ///
    /// # Errors
    /// As [`Page::resolve`] and [`PluginFactory::check`].
    fn resolve(&self, config: &Value) -> Result<Value, Fault> {
        let config = self.page().resolve(config)?;
        self.check(&config).map(|()| config)
    }
    /// The defaults, written out.
    fn defaults(&self) -> Value {
        self.page().defaults()
    }
    /// The facts of a catalogue's page that hold of it besides its own page: those of the algorithm
    /// of which it is another form. A user's algorithm has none.
    fn about(&self) -> Option<About> {
        None
    }
    /// The name of its random stream at a queue: its own, or that of the algorithm whose decisions
    /// it must reproduce.
    fn chance(&self) -> &str {
        &self.page().name
    }
    /// True if its instances call an interpreter, which does one thing at a time: such runs go one
    /// after another.
    fn interpreted(&self) -> bool {
        true
    }
    /// Returns what this machine lacks for making an instance, with the fix.
    fn lacks(&self) -> Option<Fault> {
        None
    }
    /// A fresh instance for its site. One that fails later says so through `alarm`.
    ///
    /// # Errors
    /// A configuration that it refuses.
    fn make(&self, config: &Value, site: &Site, alarm: &Alarm) -> Result<Box<A>, Fault>;
}

/// Makes AQM instances.
pub type AqmFactory = Arc<dyn PluginFactory<dyn DynAqm, LinkInfo>>;
/// Makes congestion control instances.
pub type CcFactory = Arc<dyn PluginFactory<dyn CongestionControl + Send, Path>>;

/// All plugins of a request.
#[derive(Clone, Default)]
pub struct Plugins {
    /// Active queue management.
    pub aqm: Vec<AqmFactory>,
    /// Congestion controls.
    pub cc: Vec<CcFactory>,
}

impl Plugins {
    /// True if there are no plugins.
    pub fn is_empty(&self) -> bool {
        self.aqm.is_empty() && self.cc.is_empty()
    }
    /// True if any of them calls an interpreter.
    pub fn interpreted(&self) -> bool {
        self.aqm.iter().any(|m| m.interpreted()) || self.cc.iter().any(|m| m.interpreted())
    }
    /// The queue algorithm `name`.
    pub fn aqm(&self, name: &str) -> Option<&AqmFactory> {
        self.aqm.iter().find(|m| m.page().name == name)
    }
    /// The congestion control `name`.
    pub fn cc(&self, name: &str) -> Option<&CcFactory> {
        self.cc.iter().find(|m| m.page().name == name)
    }
    /// Adds those of `other`. If both have a plugin of the same name, the first one stays.
    pub fn add(&mut self, other: Plugins) {
        for factory in other.aqm {
            if self.aqm(&factory.page().name).is_none() {
                self.aqm.push(factory);
            }
        }
        for factory in other.cc {
            if self.cc(&factory.page().name).is_none() {
                self.cc.push(factory);
            }
        }
    }
    /// The pages of all, queues first.
    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        self.aqm.iter().map(|m| m.page()).chain(self.cc.iter().map(|m| m.page()))
    }
}

impl std::fmt::Debug for Plugins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.pages().map(|p| &p.name)).finish()
    }
}

/// The failure of an algorithm during a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Its name.
    pub algorithm: String,
    /// The simulated instant.
    pub at: Time,
    /// The cause, in a line.
    pub cause: String,
    /// The traceback in the algorithm's own source; may have many lines.
    pub trace: Option<String>,
}

/// Reports that an algorithm of one run cannot go on. The first failure counts; after it the
/// algorithm lets everything pass. The driver of the run looks from time to time, and ends it.
#[derive(Clone, Debug, Default)]
pub struct Alarm(Arc<OnceLock<Failure>>);

impl Alarm {
    /// Reports a failure.
    pub fn raise(&self, failure: Failure) {
        // A second failure only follows from the first.
        let _ = self.0.set(failure);
    }
    /// The first failure that was reported.
    pub fn failure(&self) -> Option<&Failure> {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        Page {
            name: "mine".into(),
            title: "Mine".into(),
            idea: "An idea.".into(),
            equations: "p".into(),
            sources: vec!["here".into()],
            language: "Rust".into(),
            file: "mine.rs".into(),
            source_hash: "00".into(),
            schema: json!({ "type": "object", "properties": {
                "p": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5},
                "n": {"type": "integer", "default": 3},
                "on": {"type": "boolean", "default": false},
                "mode": {"enum": ["slow", "fast"], "default": "slow"},
                "target": {"type": "string", "x-unit": "time", "minimum": 0.001, "default": "5 ms"},
                "level": {"type": "string", "x-unit": "number of packets", "default": "8 pkt"},
            }}),
        }
    }

    #[test]
    fn defaults_are_written_out_and_read_back() {
        let (page, empty) = (page(), json!({}));
        let resolved = page.resolve(&empty).unwrap();
        assert_eq!(resolved, page.defaults());
        assert_eq!(page.resolve(&resolved), Ok(resolved.clone()));
        let plain = page.plain(&resolved);
        assert_eq!((plain["target"].as_f64(), plain["level"].as_f64()), (Some(0.005), Some(8.0)));
        assert_eq!(page.resolve(&json!({"p": 1})).unwrap()["p"], json!(1.0));
    }

    #[test]
    fn what_is_wrong_is_refused_where_it_is_wrong() {
        let refused = |value: Value| page().resolve(&value).unwrap_err();
        assert_eq!(refused(json!({"mdoe": 1})).fix.as_deref(), Some("did you mean `mode`?"));
        assert_eq!(
            refused(json!({"p": 1.5})).fix.as_deref(),
            Some(
                "it must be at least 0 and at \
            most 1"
            )
        );
        assert_eq!(refused(json!({"p": "much"})).cause, "\"much\" is not a number");
        assert_eq!(refused(json!({"n": 0.5})).cause, "0.5 is not a whole number");
        assert_eq!(refused(json!({"on": 1})).cause, "1 is not true or false");
        assert_eq!(refused(json!({"mode": "med"})).fix.as_deref(), Some("known are slow, fast"));
        assert_eq!(
            refused(json!({"target": "10 us"})).fix.as_deref(),
            Some(
                "it must be at least \
            0.001"
            )
        );
        assert!(
            refused(json!({"target": 5})).cause.contains("needs its unit"),
            "{:?}",
            refused(json!({"target": 5}))
        );
    }

    #[test]
    fn the_first_failure_counts() {
        let alarm = Alarm::default();
        let say = |cause: &str| Failure {
            algorithm: "mine".into(),
            at: Time::ZERO,
            cause: cause.into(),
            trace: None,
        };
        alarm.clone().raise(say("first"));
        alarm.raise(say("second"));
        assert_eq!(alarm.failure().map(|f| f.cause.as_str()), Some("first"));
    }
}
