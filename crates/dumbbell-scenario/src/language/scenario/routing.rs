//! How packets find their way through a network of hosts and routers.
use dumbbell_core::catalogue::nearest;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

/// A rule that chooses paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RoutingKind {
    /// The path of least cost; of several the one with the smallest delay, then the first by name.
    #[default]
    Shortest,
    /// At each router a hash of the flow chooses among the links that lie on a path of least cost.
    Ecmp,
    /// Each flow names its path.
    Static,
}

impl RoutingKind {
    const ALL: [(&'static str, RoutingKind); 3] = [
        ("shortest", RoutingKind::Shortest),
        ("ecmp", RoutingKind::Ecmp),
        ("static", RoutingKind::Static),
    ];

    /// The rule of this name.
    ///
    /// # Errors
    /// There is none: the cause, with a suggestion.
    fn named(name: &str) -> Result<Self, String> {
        let found = RoutingKind::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            let names = RoutingKind::ALL.map(|(known, _)| known);
            let fix = nearest(name, &names).map_or_else(
                || "write \"shortest\", \"ecmp\" or \"static\"".into(),
                |known| format!("did you mean \"{known}\"?"),
            );
            format!("there is no routing \"{name}\": {fix}")
        })
    }
}

/// A rule that chooses paths, with its settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Routing {
    /// The rule.
    pub kind: RoutingKind,
    /// The seed of ECMP's hash; `None`: that of the run.
    pub seed: Option<u64>,
    /// True if acknowledgments take the links of the data backward.
    pub symmetric: bool,
}

impl<'de> Deserialize<'de> for Routing {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        read(&Value::deserialize(d)?).map_err(serde::de::Error::custom)
    }
}

/// A name, or a table with `kind`, `seed` and `symmetric`.
fn read(value: &Value) -> Result<Routing, String> {
    let example = "write \"ecmp\", or { kind = \"ecmp\", seed = 1 }";
    let table = match value {
        Value::String(name) => {
            return Ok(Routing { kind: RoutingKind::named(name)?, ..Routing::default() });
        }
        Value::Object(table) => table,
        other => return Err(format!("{other} is not a routing: {example}")),
    };
    let mut routing = Routing::default();
    let mut kind = None;
    for (key, value) in table {
        match (key.as_str(), value) {
            ("kind", Value::String(name)) => kind = Some(RoutingKind::named(name)?),
            ("seed", Value::Number(n)) if n.is_u64() => routing.seed = n.as_u64(),
            ("symmetric", Value::Bool(yes)) => routing.symmetric = *yes,
            ("kind" | "seed" | "symmetric", other) => {
                return Err(format!("{other} is not a value of `{key}` in a routing: {example}"));
            }
            _ => return Err(format!("a routing has no key `{key}`: {example}")),
        }
    }
    routing.kind = kind.ok_or_else(|| format!("this routing has no `kind`: {example}"))?;
    if routing.kind != RoutingKind::Ecmp && (routing.seed.is_some() || routing.symmetric) {
        return Err("`seed` and `symmetric` belong to ECMP: take them out".into());
    }
    Ok(routing)
}

impl JsonSchema for Routing {
    fn schema_name() -> Cow<'static, str> {
        "Routing".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = RoutingKind::ALL.map(|(name, _)| name);
        let table = |(name, _): (String, Value)| json!({ "$ref": format!("#/$defs/{name}") });
        let options: Vec<Value> =
            std::iter::once(json!({ "enum": names })).chain(tables().map(table)).collect();
        schemars::json_schema!({
            "description": "A rule that chooses paths: its name, or a table.",
            "anyOf": options,
        })
    }
}

/// The tables of a routing by the names of their definitions, for the schema.
pub fn tables() -> impl Iterator<Item = (String, Value)> {
    RoutingKind::ALL.into_iter().map(|(name, kind)| {
        let mut properties =
            json!({ "kind": { "const": name, "description": "Rule that chooses paths." } });
        if kind == RoutingKind::Ecmp {
            properties["seed"] = json!({
                "type": "integer", "minimum": 0, "default": null,
                "description": "Seed of ECMP's hash; default: the run's.",
            });
            properties["symmetric"] = json!({
                "type": "boolean", "default": false,
                "description": "Whether acknowledgments take the links of the data backward.",
            });
        }
        let table = json!({
            "type": "object",
            "properties": properties,
            "required": ["kind"],
            "additionalProperties": false,
        });
        (format!("routing.{name}"), table)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_or_a_table() {
        let ecmp = Routing { kind: RoutingKind::Ecmp, ..Routing::default() };
        assert_eq!(read(&json!("ecmp")), Ok(ecmp));
        assert_eq!(read(&json!("shortest")), Ok(Routing::default()));
        let table = json!({ "kind": "ecmp", "seed": 7, "symmetric": true });
        assert_eq!(read(&table), Ok(Routing { seed: Some(7), symmetric: true, ..ecmp }));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (value, said) in [
            (json!("ecmpp"), "did you mean \"ecmp\"?"),
            (json!(3), "3 is not a routing"),
            (json!({ "seed": 3 }), "no `kind`"),
            (json!({ "kind": "ecmp", "seed": -1 }), "-1 is not a value of `seed`"),
            (json!({ "kind": "ecmp", "sead": 1 }), "no key `sead`"),
            (json!({ "kind": "static", "seed": 1 }), "belong to ECMP"),
        ] {
            let e = read(&value).unwrap_err();
            assert!(e.contains(said), "{value}: {e}");
        }
    }
}
