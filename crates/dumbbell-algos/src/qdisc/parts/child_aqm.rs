//! The algorithm of a scheduler's queues, as a configuration names it: `"codel"`, or
//! `{ kind = "red", min_th = "5 pkt" }`.
use crate::aqm::{AnyAqm, CATALOGUE};
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::catalogue::{Algorithm, Fault};
use dumbbell_core::registry::unknown;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// An AQM by name with the parameters that differ from its defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Child {
    /// The name in the catalogue.
    pub kind: String,
    /// Its parameters, as written.
    pub config: Map<String, Value>,
}

impl Child {
    /// The algorithm `A` with its defaults.
    pub fn of<A: Algorithm>() -> Self {
        Child { kind: A::ABOUT.name.into(), config: Map::new() }
    }

    /// The parameters with every default written out.
    ///
    /// # Errors
    /// An unknown name, or a fault in the parameters, relative to this child.
    pub fn resolved(&self) -> Result<Value, Fault> {
        let entry = CATALOGUE.iter().find(|e| e.about.name == self.kind);
        let entry = entry.ok_or_else(|| unknown("aqm", &self.kind, CATALOGUE))?;
        (entry.resolve)(&Value::Object(self.config.clone()))
    }

    /// The fault of the child at the parameter `key` of its scheduler.
    ///
    /// # Errors
    /// As [`Child::resolved`], relative to the scheduler.
    pub fn check(&self, key: &str) -> Result<(), Fault> {
        let within =
            |at: String| if at.is_empty() { key.to_string() } else { format!("{key}.{at}") };
        self.resolved().map(drop).map_err(|fault| Fault { at: within(fault.at), ..fault })
    }

    /// Makes an instance for each queue of `link`.
    pub fn maker(&self, link: &LinkInfo) -> impl Fn(usize) -> AnyAqm + Send + 'static {
        let (child, link) = (self.clone(), *link);
        move |_| child.build(&link)
    }

    /// A fresh instance for a queue of `link`.
    ///
    /// # Panics
    /// If the configuration was never checked.
    pub fn build(&self, link: &LinkInfo) -> AnyAqm {
        let built = AnyAqm::build(&self.kind, &Value::Object(self.config.clone()), link);
        built.unwrap_or_else(|fault| panic!("{}: {}: checked before", fault.at, fault.cause))
    }
}

impl<'de> Deserialize<'de> for Child {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        match Value::deserialize(d)? {
            Value::String(kind) => Ok(Child { kind, config: Map::new() }),
            Value::Object(mut table) => match table.remove("kind") {
                Some(Value::String(kind)) => Ok(Child { kind, config: table }),
                Some(other) => Err(D::Error::custom(format!(
                    "the kind {other} is not a name; write \
                    kind = \"codel\""
                ))),
                None => Err(D::Error::custom("this names no aqm; write { kind = \"codel\" }")),
            },
            other => Err(D::Error::custom(format!(
                "{other} is not an aqm; write \"codel\" or {{ kind = \
                \"codel\" }}"
            ))),
        }
    }
}

/// Writes out every default, so that a plan says what runs; one that is wrong is written as it is.
impl Serialize for Child {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut table = Map::new();
        table.insert("kind".into(), self.kind.clone().into());
        let config = self
            .resolved()
            .ok()
            .and_then(|v| v.as_object().cloned())
            .unwrap_or_else(|| self.config.clone());
        table.extend(config);
        table.serialize(s)
    }
}

impl JsonSchema for Child {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Aqm".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "object"], "x-unit": "aqm" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(v: Value) -> Result<Child, String> {
        serde_json::from_value(v).map_err(|e| e.to_string())
    }

    #[test]
    fn a_name_and_a_table_say_the_same() {
        let (short, long) = (read(json!("red")).unwrap(), read(json!({"kind": "red"})).unwrap());
        assert_eq!(short, long);
        let written = serde_json::to_value(&short).unwrap();
        assert_eq!((&written["kind"], &written["min_th"]), (&json!("red"), &json!("5 pkt")));
        assert_eq!(
            serde_json::to_value(read(written.clone()).unwrap()).unwrap(),
            written,
            "it \
            reads back as itself"
        );
    }

    #[test]
    fn what_is_wrong_is_said_where_it_stands() {
        let at = |v: Value| read(v).unwrap().check("aqm").unwrap_err();
        assert_eq!(at(json!("rad")).fix.as_deref(), Some("did you mean `red`?"));
        assert_eq!(at(json!({"kind": "red", "max_p": 2})).at, "aqm.max_p");
        assert_eq!(at(json!({"kind": "red", "min_th": "20 pkt"})).at, "aqm.max_th");
        assert!(read(json!(3)).unwrap_err().contains("3 is not an aqm"));
        assert!(read(json!({"min_th": "5 pkt"})).unwrap_err().contains("names no aqm"));
    }
}
