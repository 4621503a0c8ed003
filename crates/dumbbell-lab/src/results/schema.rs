//! The JSON Schema of a result: of `summary.json`, and of what `run --json` and `sweep --json`
//! print. Measurements come from their registry ([`dumbbell_net::metrics`]).
mod keys;

use crate::results::schema::keys::{DOCUMENT, Key, POINT, RUN, Type, reference};
use dumbbell_net::metrics::{Better, Entry, Kind, Present, Row, rows};
use serde_json::{Map, Value, json};

/// Keys that a run has unless it failed.
const MEASURED: [&str; 9] = [
    "fingerprint",
    "wall_s",
    "packet_hops",
    "events",
    "flows",
    "jain",
    "totals",
    "queues",
    "conservation",
];

/// The schema.
pub fn schema() -> Value {
    let mut defs = numbers();
    for row in rows() {
        let (name, mut of) = (row.name, table(&row));
        complete(name, &mut of);
        defs.insert(name.into(), of);
    }
    defs.insert("error".into(), error());
    defs.insert("failure".into(), failure());
    defs.insert("stop".into(), stop());
    defs.insert("warning".into(), warning());
    let result = json!({ "anyOf": [{ "required": MEASURED }, { "required": ["error"] }] });
    defs.insert("run".into(), object(&[RUN], &["seed", "valid"], &result));
    defs.insert("point".into(), object(&[RUN, POINT], &["valid"], &result));
    let of_point = json!({
        "if": { "required": ["points"] },
        "then": { "required": ["fingerprint", "wall_s"] },
        "else": result,
    });
    let always = ["name", "title", "version", "valid", "code", "notes"];
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "dumbbell-result-1",
        "title": "A result of Dumbbell",
        "description": "The result of a scenario: of one point, or of the points of a sweep. A \
            number of several runs is their mean with its 95 % confidence interval.",
    });
    let document = object(&[DOCUMENT, RUN, POINT], &always, &of_point);
    if let (Some(schema), Value::Object(document)) = (schema.as_object_mut(), document) {
        schema.extend(document);
        schema.insert("$defs".into(), Value::Object(defs));
    }
    schema
}

/// The types of measurements.
fn numbers() -> Map<String, Value> {
    let bound = json!({ "type": "number" });
    let interval = json!({
        "type": "object",
        "description": "The mean of several runs, with Student's 95 % confidence interval.",
        "properties": {
            "mean": { "type": "number" },
            "ci95": {
                "anyOf": [
                    { "type": "null" },
                    { "type": "array", "items": bound, "minItems": 2, "maxItems": 2 },
                ],
                "description": "Null for a single run.",
            },
            "n": { "type": "integer", "minimum": 1, "description": "Runs that have the number." },
        },
        "required": ["mean", "ci95", "n"],
        "additionalProperties": false,
    });
    let (count, real) = (json!({ "type": "integer", "minimum": 0 }), json!({ "type": "number" }));
    let (mean, nothing) = (reference("interval"), json!({ "type": "null" }));
    let defs = [
        ("interval", interval),
        ("count", json!({ "anyOf": [count, mean] })),
        ("maybe_count", json!({ "anyOf": [count, mean, nothing] })),
        ("real", json!({ "anyOf": [real, mean] })),
        ("maybe_real", json!({ "anyOf": [real, mean, nothing] })),
    ];
    defs.into_iter().map(|(name, def)| (name.to_string(), def)).collect()
}

fn object(keys: &[&[Key]], required: &[&str], more: &Value) -> Value {
    let property = |Key(name, unit, doc, of): &Key| {
        let mut rule = of.schema();
        rule["description"] = json!(doc);
        rule["x-unit"] = json!(unit);
        (name.to_string(), rule)
    };
    let properties: Map<String, Value> = keys.iter().copied().flatten().map(property).collect();
    let mut object = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more.clone()) {
        object.extend(more);
    }
    object
}

/// A sort of row.
fn table(row: &Row) -> Value {
    let entries = || row.groups.iter().flat_map(|group| &group.entries);
    let properties: Map<String, Value> =
        entries().map(|entry| (entry.name.to_string(), property(entry))).collect();
    let always = row.groups.iter().filter(|group| group.when.is_empty());
    let required: Vec<&str> = always.flat_map(names).collect();
    let mut table = json!({
        "type": "object",
        "description": row.doc,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    let mut together = Map::new();
    for group in row.groups.iter().filter(|group| !group.when.is_empty()) {
        for name in names(group) {
            table["properties"][name]["x-when"] = json!(group.when);
            if entries().filter(|entry| entry.name == name).count() == 1 {
                together.insert(name.into(), names(group).collect());
            }
        }
    }
    if !together.is_empty() {
        table["dependentRequired"] = Value::Object(together);
    }
    table
}

fn names(group: &Present) -> impl Iterator<Item = &'static str> {
    group.entries.iter().map(|entry| entry.name)
}

/// A measurement.
fn property(entry: &Entry) -> Value {
    let mut rule = match entry.kind {
        Kind::Text => Type::Text.schema(),
        Kind::MaybeText => Type::MaybeText.schema(),
        Kind::Count => reference("count"),
        Kind::MaybeCount => reference("maybe_count"),
        Kind::Real => reference("real"),
        Kind::MaybeReal => reference("maybe_real"),
        Kind::Counts => json!({ "type": "object", "additionalProperties": reference("count") }),
        Kind::Reals => json!({ "type": ["array", "null"], "items": reference("maybe_real") }),
    };
    rule["description"] = json!(entry.doc);
    rule["x-unit"] = json!(entry.unit);
    rule["x-title"] = json!(entry.title);
    rule["x-head"] = json!(entry.head);
    rule["x-statistic"] = json!(entry.statistic.name());
    rule["x-better"] = match entry.better {
        Better::Higher => "higher".into(),
        Better::Lower => "lower".into(),
        Better::Neither => Value::Null,
    };
    rule["x-resolution"] = json!(entry.resolution);
    rule
}

/// Adds the keys of a row that are tables or lists of their own.
fn complete(name: &str, of: &mut Value) {
    let mut add = |key: &str, mut rule: Value, doc: &str, required: bool| {
        rule["description"] = json!(doc);
        of["properties"][key] = rule;
        if let (true, Some(all)) = (required, of["required"].as_array_mut()) {
            all.push(key.into());
        }
    };
    match name {
        "flow" => {
            let numbers =
                json!({ "type": "object", "additionalProperties": reference("maybe_real") });
            let doc = "What its application measured of itself, by the names of its source.";
            add("application", numbers, doc, false);
            add("path", reference("path"), "What its sender learned about its path.", false);
            add("quic", reference("quic"), "Of a flow of QUIC.", false);
            add("media", reference("media"), "Of a flow of SCReAM.", false);
            add("acks", reference("acks"), "Where `record.acks` follows it.", false);
        }
        "conservation" => {
            add("ok", Type::Truth.schema(), "True if the account closes.", true);
            add("faults", Type::Texts.schema(), "What does not balance, and where.", true);
        }
        "session" => {
            add("by_size", Type::Each("sizes").schema(), "The same of classes of sizes.", true);
        }
        _ => {}
    }
}

fn error() -> Value {
    json!({
        "type": "object",
        "properties": {
            "code": { "type": "integer", "description": "The exit code." },
            "message": { "type": "string" },
            "fix": { "type": "string" },
            "algorithm": { "type": "string", "description": "The plugin that failed." },
            "time_s": { "type": "number", "description": "Simulated time of its failure." },
            "traceback": { "type": "string", "description": "Where in the plugin it failed." },
        },
        "required": ["code", "message"],
        "additionalProperties": false,
    })
}

fn failure() -> Value {
    json!({
        "type": "object",
        "properties": {
            "point": { "type": "integer", "minimum": 1 },
            "overrides": { "type": "object" },
            "seed": { "type": ["integer", "null"], "description": "Null for all of the point." },
            "code": { "type": "integer" },
            "message": { "type": "string" },
        },
        "required": ["point", "overrides", "seed", "code", "message"],
        "additionalProperties": false,
    })
}

fn warning() -> Value {
    json!({
        "type": "object",
        "properties": {
            "code": {
                "type": "string",
                "description": "As in `allow`; docs/reference/warnings.md.",
            },
            "name": { "type": "string" },
            "message": { "type": "string" },
            "fix": { "type": ["string", "null"] },
            "key": { "type": ["string", "null"], "description": "The key of the scenario." },
            "file": { "type": "string" },
            "line": { "type": "integer", "minimum": 1 },
            "column": { "type": "integer", "minimum": 1 },
            "points": { "type": "integer", "minimum": 1, "description": "Points that have it." },
            "rendered": { "type": "string", "description": "The text for people." },
        },
        "required": ["code", "name", "message", "fix", "key", "points", "rendered"],
        "additionalProperties": false,
    })
}

fn stop() -> Value {
    json!({
        "type": "object",
        "properties": {
            "rule": { "type": "string" },
            "runs": { "type": "integer", "minimum": 0 },
            "most": { "type": "integer", "minimum": 1 },
            "reached": { "type": "boolean" },
            "relative_half_width": { "type": ["number", "null"] },
        },
        "required": ["rule", "runs", "most", "reached", "relative_half_width"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every reference leads somewhere.
    #[test]
    fn references_are_defined() {
        fn each(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(map) => {
                    found.extend(map.get("$ref").and_then(Value::as_str).map(String::from));
                    map.values().for_each(|value| each(value, found));
                }
                Value::Array(list) => list.iter().for_each(|value| each(value, found)),
                _ => {}
            }
        }
        let schema = schema();
        let mut found = vec![];
        each(&schema, &mut found);
        assert!(found.len() > 100);
        for name in found {
            let name = name.strip_prefix("#/$defs/").unwrap();
            assert!(schema["$defs"][name].is_object(), "{name}");
        }
    }

    #[test]
    fn a_measurement_brings_what_its_entry_states() {
        let schema = schema();
        let queue = &schema["$defs"]["queue"]["properties"]["p99_sojourn_s"];
        assert_eq!(queue["$ref"], "#/$defs/real");
        assert_eq!((&queue["x-unit"], &queue["x-better"]), (&json!("s"), &json!("lower")));
        let flow = &schema["$defs"]["flow"];
        assert_eq!(flow["dependentRequired"]["burstiness"][0], "peak_throughput_bps");
        assert!(!flow["required"].as_array().unwrap().contains(&json!("burstiness")));
    }
}
