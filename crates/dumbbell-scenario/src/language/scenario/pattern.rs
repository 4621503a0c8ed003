//! Patterns of traffic over a set of hosts.
use dumbbell_core::catalogue::nearest;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

/// Which hosts of a set send to which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PatternKind {
    /// Each host sends to one other and receives from one other.
    Permutation,
    /// Several hosts send to one.
    Incast,
    /// Each host sends to every other.
    AllToAll,
    /// Each sender and its receiver are drawn by chance.
    Random,
}

impl PatternKind {
    const ALL: [(&'static str, PatternKind); 4] = [
        ("permutation", PatternKind::Permutation),
        ("incast", PatternKind::Incast),
        ("all_to_all", PatternKind::AllToAll),
        ("random", PatternKind::Random),
    ];

    /// Its name in a scenario.
    pub fn name(self) -> &'static str {
        PatternKind::ALL[self as usize].0
    }
}

/// A pattern of traffic over a set of hosts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pattern {
    /// Which hosts send to which.
    pub kind: PatternKind,
    /// The hosts: names, or prefixes with `*`; none: all of them.
    pub hosts: Vec<String>,
    /// Of an incast, the number of senders.
    pub senders: Option<u64>,
    /// Of an incast, the receiver.
    pub to: Option<String>,
    /// Seed of what is drawn; `None`: that of the run.
    pub seed: Option<u64>,
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        read(&Value::deserialize(d)?).map_err(serde::de::Error::custom)
    }
}

const EXAMPLE: &str =
    "write \"permutation\", or { kind = \"incast\", senders = 8, to = \"leaf1/h1\" }";

/// A name, or a table with `kind`, `hosts`, `senders`, `to` and `seed`.
fn read(value: &Value) -> Result<Pattern, String> {
    let table = match value {
        Value::String(name) => return named(name).map(plain),
        Value::Object(table) => table,
        other => return Err(format!("{other} is not a pattern: {EXAMPLE}")),
    };
    let kind = match table.get("kind") {
        Some(Value::String(name)) => named(name)?,
        _ => return Err(format!("this pattern has no `kind`: {EXAMPLE}")),
    };
    let mut pattern = plain(kind);
    for (key, value) in table {
        let wrong = || format!("{value} is not a value of `{key}` in a pattern: {EXAMPLE}");
        match (key.as_str(), value) {
            ("kind", _) => {}
            ("hosts", Value::String(one)) => pattern.hosts = vec![one.clone()],
            ("hosts", Value::Array(all)) => {
                let text = |v: &Value| v.as_str().map(str::to_string).ok_or_else(wrong);
                pattern.hosts = all.iter().map(text).collect::<Result<_, _>>()?;
            }
            ("senders", Value::Number(n)) if n.as_u64().is_some_and(|n| n > 0) => {
                pattern.senders = n.as_u64();
            }
            ("to", Value::String(host)) => pattern.to = Some(host.clone()),
            ("seed", Value::Number(n)) if n.is_u64() => pattern.seed = n.as_u64(),
            ("hosts" | "senders" | "to" | "seed", _) => return Err(wrong()),
            _ => return Err(format!("a pattern has no key `{key}`: {EXAMPLE}")),
        }
    }
    let incast = kind == PatternKind::Incast;
    if !incast && (pattern.senders.is_some() || pattern.to.is_some()) {
        return Err("`senders` and `to` belong to an incast: take them out".into());
    }
    Ok(pattern)
}

fn plain(kind: PatternKind) -> Pattern {
    Pattern { kind, hosts: Vec::new(), senders: None, to: None, seed: None }
}

/// The pattern of this name, or why there is none.
fn named(name: &str) -> Result<PatternKind, String> {
    let found = PatternKind::ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, kind)| *kind).ok_or_else(|| {
        let names = PatternKind::ALL.map(|(known, _)| known);
        let fix = nearest(name, &names).map_or_else(
            || "write \"permutation\", \"incast\", \"all_to_all\" or \"random\"".into(),
            |known| format!("did you mean \"{known}\"?"),
        );
        format!("there is no pattern \"{name}\": {fix}")
    })
}

impl JsonSchema for Pattern {
    fn schema_name() -> Cow<'static, str> {
        "Pattern".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = PatternKind::ALL.map(|(name, _)| name);
        let table = |(name, _): (String, Value)| json!({ "$ref": format!("#/$defs/{name}") });
        let options: Vec<Value> =
            std::iter::once(json!({ "enum": names })).chain(tables().map(table)).collect();
        schemars::json_schema!({
            "description": "Which hosts send to which: a name, or a table.",
            "anyOf": options,
        })
    }
}

/// The tables of a pattern by the names of their definitions, for the schema.
pub fn tables() -> impl Iterator<Item = (String, Value)> {
    PatternKind::ALL.into_iter().map(|(name, kind)| {
        let mut properties = json!({
            "kind": { "const": name, "description": "Which hosts send to which." },
            "hosts": {
                "anyOf": [
                    { "type": "string" }, { "type": "array", "items": { "type": "string" } },
                ],
                "default": null,
                "description": "The hosts: names, or prefixes with `*` such as \"leaf1/*\"; \
                    default: all.",
            },
            "seed": { "type": "integer", "minimum": 0, "default": null,
                "description": "Seed of what is drawn; default: the run's." },
        });
        if kind == PatternKind::Incast {
            properties["senders"] = json!({
                "type": "integer", "minimum": 1, "default": null,
                "description": "Number of senders; default: all hosts but the receiver.",
            });
            properties["to"] = json!({
                "type": "string", "default": null,
                "description": "The receiver; default: drawn by chance.",
            });
        }
        let table = json!({
            "type": "object",
            "properties": properties,
            "required": ["kind"],
            "additionalProperties": false,
        });
        (format!("pattern.{name}"), table)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_or_a_table() {
        assert_eq!(read(&json!("all_to_all")), Ok(plain(PatternKind::AllToAll)));
        let incast = json!({ "kind": "incast", "senders": 8, "to": "h1", "hosts": "h*" });
        let expected = Pattern {
            senders: Some(8),
            to: Some("h1".into()),
            hosts: vec!["h*".into()],
            ..plain(PatternKind::Incast)
        };
        assert_eq!(read(&incast), Ok(expected));
        for (i, (name, kind)) in PatternKind::ALL.iter().enumerate() {
            assert_eq!((kind.name(), *kind as usize), (*name, i));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (value, said) in [
            (json!("permutations"), "did you mean \"permutation\"?"),
            (json!(["h1"]), "is not a pattern"),
            (json!({ "hosts": "h*" }), "no `kind`"),
            (json!({ "kind": "incast", "senders": 0 }), "0 is not a value of `senders`"),
            (json!({ "kind": "random", "to": "h1" }), "belong to an incast"),
            (json!({ "kind": "random", "host": "h1" }), "no key `host`"),
        ] {
            let e = read(&value).unwrap_err();
            assert!(e.contains(said), "{value}: {e}");
        }
    }
}
