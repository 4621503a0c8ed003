//! The written form of a distribution: a quantity, a name, or a table with `kind`.
use super::{Distribution, Quantity, Shape, Table, tables};
use crate::catalogue::nearest;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use std::borrow::Cow;

impl<Q: Quantity> Serialize for Distribution<Q> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Shape::Fixed { value } => value.serialize(s),
            shape => shape.serialize(s),
        }
    }
}

impl<'de, Q: Quantity> Deserialize<'de> for Distribution<Q> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(d)?;
        match &value {
            Value::Object(map) => {
                match map.get("kind").and_then(Value::as_str).and_then(Q::named) {
                    Some(table) if map.len() == 1 => Ok(of_table(table)),
                    _ => serde_json::from_value(value).map(Distribution).map_err(Error::custom),
                }
            }
            Value::String(name) => match Q::named(name) {
                Some(table) => Ok(of_table(table)),
                None => one(&value).map_err(|said| Error::custom(named(name).unwrap_or(said))),
            },
            Value::Number(_) => one(&value).map_err(Error::custom),
            _ => Err(Error::custom(
                "this is not a distribution: write a quantity, or a table such as { kind = \
                    \"exponential\", mean = ... }",
            )),
        }
    }
}

fn of_table<Q: Quantity>(table: &Table) -> Distribution<Q> {
    let point = |(x, p): &(u64, f64)| (Q::from_base((x * table.unit) as f64), *p);
    Distribution(Shape::Empirical { cdf: table.cdf.iter().map(point).collect(), file: None })
}

/// True if the distribution `kind` has the parameter `key`; `None` if there is no such
/// distribution.
pub fn takes(kind: &str, key: &str) -> Option<bool> {
    let parameters: &[&str] = match kind {
        "fixed" => &["value"],
        "uniform" => &["min", "max"],
        "exponential" => &["mean"],
        "pareto" => &["mean", "shape"],
        "bounded_pareto" => &["shape", "min", "max"],
        "log_normal" => &["mean", "sigma"],
        "empirical" => &["cdf", "file"],
        _ if tables::table(kind).is_some() => &[],
        _ => return None,
    };
    Some(key == "kind" || parameters.contains(&key))
}

/// A quantity by itself.
fn one<Q: Quantity>(value: &Value) -> Result<Distribution<Q>, String> {
    serde_json::from_value(value.clone())
        .map(|value| Distribution(Shape::Fixed { value }))
        .map_err(|e| e.to_string())
}

/// The message about a word that should be the name of a table.
fn named(word: &str) -> Option<String> {
    let words = word.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    let names: Vec<&str> = tables::TABLES.iter().map(|t| t.name).collect();
    words.then(|| match nearest(word, &names) {
        Some(name) => format!("there is no measured distribution `{word}`: write \"{name}\""),
        None => {
            format!("there is no measured distribution `{word}`; known are {}", names.join(", "))
        }
    })
}

impl<Q: Quantity> JsonSchema for Distribution<Q> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Law_of_{}", Q::schema_name()).into()
    }
    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> =
            tables::TABLES.iter().map(|t| t.name).filter(|n| Q::named(n).is_some()).collect();
        let mut options =
            vec![g.subschema_for::<Q>().to_value(), g.subschema_for::<Shape<Q>>().to_value()];
        if !names.is_empty() {
            options.push(json!({ "enum": names }));
        }
        schemars::json_schema!({ "anyOf": options })
    }
}
