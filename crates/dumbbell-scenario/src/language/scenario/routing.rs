//! How packets find their way through a network of hosts and routers.
use dumbbell_core::catalogue::nearest;
use dumbbell_core::units::Span;
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

/// What ECMP chooses a path for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpreadBy {
    /// A flow, by a hash.
    #[default]
    Flow,
    /// Each packet, by chance.
    Packet,
    /// Each flowlet, by chance: packets that follow one another within a gap.
    Flowlet,
}

impl SpreadBy {
    const ALL: [(&'static str, SpreadBy); 3] =
        [("flow", SpreadBy::Flow), ("packet", SpreadBy::Packet), ("flowlet", SpreadBy::Flowlet)];
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
    /// What ECMP chooses a path for.
    pub by: SpreadBy,
    /// The least pause between two flowlets.
    pub gap: Span,
    /// The time from a link's failure or return until paths follow.
    pub convergence: Span,
}

impl<'de> Deserialize<'de> for Routing {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        read(&Value::deserialize(d)?).map_err(serde::de::Error::custom)
    }
}

/// A name, or a table with `kind` and settings.
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
    let (mut kind, mut gap) = (None, None);
    for (key, value) in table {
        match (key.as_str(), value) {
            ("kind", Value::String(name)) => kind = Some(RoutingKind::named(name)?),
            ("seed", Value::Number(n)) if n.is_u64() => routing.seed = n.as_u64(),
            ("symmetric", Value::Bool(yes)) => routing.symmetric = *yes,
            ("by", Value::String(name)) => routing.by = spread_named(name)?,
            ("gap", Value::String(text)) => {
                let wrong = |e| format!("the gap between flowlets: {e}");
                gap = Some(text.parse().map_err(wrong)?);
                if !table.contains_key("by") {
                    routing.by = SpreadBy::Flowlet;
                }
            }
            ("convergence", Value::String(text)) => {
                let wrong = |e| format!("the time until paths follow: {e}");
                routing.convergence = text.parse().map_err(wrong)?;
            }
            ("kind" | "seed" | "symmetric" | "by" | "gap" | "convergence", other) => {
                return Err(format!("{other} is not a value of `{key}` in a routing: {example}"));
            }
            _ => return Err(format!("a routing has no key `{key}`: {example}")),
        }
    }
    routing.kind = kind.ok_or_else(|| format!("this routing has no `kind`: {example}"))?;
    let spread = routing.by != SpreadBy::Flow;
    if routing.kind != RoutingKind::Ecmp && (routing.seed.is_some() || routing.symmetric || spread)
    {
        return Err("`seed`, `symmetric`, `by` and `gap` belong to ECMP: take them out".into());
    }
    if routing.kind == RoutingKind::Static && routing.convergence > Span::ZERO {
        return Err("static paths never follow: take `convergence` out".into());
    }
    if spread && routing.symmetric {
        return Err("`symmetric` is for flows with one path: take it or `by` out".into());
    }
    match (routing.by, gap) {
        (SpreadBy::Flowlet, Some(gap)) if gap > Span::ZERO => routing.gap = gap,
        (SpreadBy::Flowlet, Some(_)) => {
            return Err("flowlets without a gap are packets: write by = \"packet\"".into());
        }
        (SpreadBy::Flowlet, None) => {
            return Err("flowlets need the pause between them: write gap = \"100 us\"".into());
        }
        (_, Some(_)) => return Err("`gap` belongs to by = \"flowlet\": take it out".into()),
        (_, None) => {}
    }
    Ok(routing)
}

/// What ECMP chooses for, by its name.
fn spread_named(name: &str) -> Result<SpreadBy, String> {
    let found = SpreadBy::ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, by)| *by).ok_or_else(|| {
        format!("ECMP does not choose by \"{name}\": write \"flow\", \"packet\" or \"flowlet\"")
    })
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
            properties["by"] = json!({
                "enum": SpreadBy::ALL.map(|(name, _)| name), "default": "flow",
                "description": "What a path is chosen for: a flow, by a hash, or each packet or \
                    flowlet, by chance.",
            });
            properties["gap"] = json!({
                "$ref": "#/$defs/Span", "default": null,
                "description": "Least pause between two flowlets.",
            });
        }
        if kind != RoutingKind::Static {
            properties["convergence"] = json!({
                "$ref": "#/$defs/Span", "default": "0 s",
                "description": "Time from a link's failure or return until paths follow.",
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
        let table =
            json!({ "kind": "ecmp", "by": "flowlet", "gap": "50 us", "convergence": "1 ms" });
        let (gap, convergence) = (Span::from_us(50), Span::from_ms(1));
        let flowlets = Routing { by: SpreadBy::Flowlet, gap, convergence, ..ecmp };
        assert_eq!(read(&table), Ok(flowlets));
        let table = json!({ "kind": "ecmp", "gap": "50 us", "convergence": "1 ms" });
        assert_eq!(read(&table), Ok(flowlets), "a gap means flowlets");
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
            (json!({ "kind": "shortest", "by": "packet" }), "belong to ECMP"),
            (json!({ "kind": "static", "convergence": "1 ms" }), "static paths never follow"),
            (json!({ "kind": "ecmp", "by": "pocket" }), "write \"flow\", \"packet\""),
            (json!({ "kind": "ecmp", "by": "flowlet" }), "write gap = \"100 us\""),
            (json!({ "kind": "ecmp", "by": "flowlet", "gap": "0 s" }), "are packets"),
            (json!({ "kind": "ecmp", "by": "packet", "gap": "1 us" }), "belongs to by"),
            (json!({ "kind": "ecmp", "by": "packet", "symmetric": true }), "with one path"),
            (json!({ "kind": "ecmp", "convergence": "1" }), "until paths follow"),
            (json!({ "kind": "ecmp", "convergence": 1 }), "is not a value of `convergence`"),
        ] {
            let e = read(&value).unwrap_err();
            assert!(e.contains(said), "{value}: {e}");
        }
    }
}
