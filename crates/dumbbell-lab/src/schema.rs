//! JSON Schema of a scenario file, with each algorithm's parameters: what an editor completes from.
use crate::choice::Family;
use crate::scenario::Scenario;
use dumbbell_core::catalogue::Entry;
use dumbbell_core::units::Limit;
use dumbbell_tcp::TcpConfig;
use serde_json::{Map, Value, json};

/// The schema. Its definitions `queue`, `cc`, `source` and `impairment` list the catalogue.
pub fn schema() -> Value {
    let mut schema: Value = schemars::schema_for!(Scenario).into();
    schema["$id"] = json!("dumbbell-scenario-1");
    let mut defs = schema["$defs"].as_object().cloned().unwrap_or_default();
    for (name, family) in
        [("queue", Family::Aqm), ("cc", Family::Cc), ("source", Family::Source), ("impairment", Family::Impairment)]
    {
        let definition = choice(family, &mut defs);
        defs.insert(name.into(), definition);
    }
    let mut tcp: Value = schemars::schema_for!(TcpConfig).into();
    lift(&mut tcp, &mut defs);
    defs.insert("tcp".into(), tcp);
    defs.insert("framing".into(), json!({
        "anyOf": [{ "enum": ["ethernet", "none"] }, { "$ref": "#/$defs/Bytes" }],
        "description": "Bytes that the link adds to each packet: \"ethernet\" is 38 B, with preamble and gap."
    }));
    schema["$defs"] = Value::Object(defs);
    schema
}

/// A name, or a table with `kind` and that algorithm's parameters.
fn choice(family: Family, defs: &mut Map<String, Value>) -> Value {
    let names: Vec<&str> = family.catalogue().iter().map(|e| e.about.name).collect();
    let tables = family.catalogue().iter().map(|e| table(family, e, defs));
    let options: Vec<Value> = std::iter::once(json!({ "enum": names })).chain(tables).collect();
    json!({ "anyOf": options })
}

/// The table of one algorithm.
fn table(family: Family, entry: &Entry, defs: &mut Map<String, Value>) -> Value {
    let mut schema = (entry.schema)();
    lift(&mut schema, defs);
    let mut properties = Map::new();
    properties.insert("kind".into(), json!({ "const": entry.about.name, "description": entry.about.idea }));
    if family == Family::Aqm {
        let limit: Value = schemars::schema_for!(Limit).into();
        let doc = "How much may wait; default 50 pkt in a short form.";
        properties.insert("limit".into(), described(limit, doc));
        let doc = "Whether backlog and limit count the packet in transmission; default false, as in ns-2 and Linux.";
        properties.insert("count_in_service".into(), described(json!({ "type": "boolean" }), doc));
    }
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        properties.insert(key.clone(), if family == Family::Aqm { or_of_limit(property) } else { property.clone() });
    }
    json!({
        "title": entry.about.title,
        "description": entry.about.idea,
        "type": "object",
        "properties": properties,
        "required": ["kind"],
        "additionalProperties": false,
    })
}

fn described(mut schema: Value, doc: &str) -> Value {
    schema["description"] = doc.into();
    schema.as_object_mut().map(|m| (m.shift_remove("$schema"), m.shift_remove("title")));
    schema
}

/// A number of packets may be written in terms of the queue's limit.
fn or_of_limit(property: &Value) -> Value {
    let packets = property["$ref"] == "#/$defs/Packets";
    if !packets {
        return property.clone();
    }
    let mut out = property.clone();
    out.as_object_mut().map(|m| m.shift_remove("$ref"));
    out["anyOf"] = json!([{ "$ref": "#/$defs/Packets" }, { "type": "string", "pattern": "\\blimit\\b" }]);
    out
}

/// Moves a schema's definitions up into `defs`. Two definitions of one name and different content would be a
/// mistake of ours; a test looks.
fn lift(schema: &mut Value, defs: &mut Map<String, Value>) {
    let Some(map) = schema.as_object_mut() else { return };
    map.shift_remove("$schema");
    if let Some(Value::Object(own)) = map.shift_remove("$defs") {
        defs.extend(own);
    }
}
