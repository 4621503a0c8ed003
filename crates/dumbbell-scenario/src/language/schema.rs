//! JSON Schema of a scenario file, with each algorithm's parameters: what an editor completes from.
mod alternatives;
use crate::language::lookup::Family;
use crate::language::lookup::algorithm::KnownAlgorithm;
use crate::language::scenario::{Scenario, pattern, routing};
use crate::language::stop_rule::{LEAST, MOST};
use dumbbell_algos::service::host_cpu::presets;
use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::{Limit, Packets};
use dumbbell_quic::QuicConfig;
use dumbbell_scream::ScreamConfig;
use dumbbell_tcp::TcpConfig;
use serde_json::{Map, Value, json};

/// The schema. Its definitions `queue`, `cc`, `source`, `impairment`, `conditioner` and `service`
/// list the catalogue.
pub fn schema(plugins: &Plugins) -> Value {
    let mut schema: Value = schemars::schema_for!(Scenario).into();
    schema["$id"] = json!("dumbbell-scenario-1");
    may_extend(&mut schema);
    let mut defs = schema["$defs"].as_object().cloned().unwrap_or_default();
    defs.insert("Limit".into(), bare(schemars::schema_for!(Limit).into()));
    let mut packets = bare(schemars::schema_for!(Packets).into());
    let pattern = packets["pattern"].as_str().unwrap_or_default();
    packets["pattern"] = format!("{pattern}|\\blimit\\b").into();
    defs.insert("PacketsOrLimit".into(), packets);
    for family in Family::ALL.into_iter().filter(|f| !f.is_queue() && !f.is_edge()) {
        let definition = choice(family.name(), &[family], plugins, &mut defs);
        defs.insert(family.name().into(), definition);
    }
    let rule = choice("rule", &[Family::Meter, Family::Conditioner], plugins, &mut defs);
    defs.insert("rule".into(), rule);
    let rule = json!({ "$ref": "#/$defs/rule" });
    let rules = json!({ "type": "array", "items": rule, "description": "Rules: the first that \
        takes a packet has it." });
    defs.insert("conditioner".into(), json!({ "anyOf": [rule, rules] }));
    let queue = choice("queue", &[Family::Aqm, Family::Qdisc], plugins, &mut defs);
    defs.insert("queue".into(), queue);
    let child = choice("queue", &[Family::Aqm], &Plugins::default(), &mut defs);
    defs.insert("Aqm".into(), child);
    let tcp = lift("tcp", schemars::schema_for!(TcpConfig).into(), &mut defs);
    defs.insert("tcp".into(), tcp);
    let quic = lift("quic", schemars::schema_for!(QuicConfig).into(), &mut defs);
    defs.insert("quic".into(), quic);
    let scream = lift("scream", schemars::schema_for!(ScreamConfig).into(), &mut defs);
    defs.insert("scream".into(), scream);
    let rule = json!({
        "type": "string",
        "pattern": "^ *ci95 *(\\((flows|queues|sessions)\\..+\\))? *< *[0-9.]+ *% *$",
        "description": "As in \"ci95 < 2%\": half the 95 % interval of the goodput of all flows, \
            over its mean; or of one number, as in \"ci95(queues.bottleneck.mean_packets) < 5%\".",
    });
    let most = json!({ "type": "integer", "minimum": LEAST, "maximum": 100_000, "default": MOST,
        "description": "The most runs of a point." });
    let table = json!({ "type": "object", "properties": { "rule": rule, "most": most },
        "required": ["rule"], "additionalProperties": false });
    defs.insert("stop.table".into(), table);
    defs.insert("stop".into(), json!({ "anyOf": [rule, { "$ref": "#/$defs/stop.table" }] }));
    defs.extend(routing::tables().chain(pattern::tables()));
    let processor = processor(&mut defs);
    defs.insert("cpu".into(), processor);
    defs.insert(
        "framing".into(),
        json!({
            "anyOf": [
                { "enum": ["ethernet", "vlan", "pppoe", "none"] }, { "$ref": "#/$defs/Bytes" },
            ],
            "description": "Bytes that the link adds to each packet: \"ethernet\" is 38 B, with \
                preamble and gap, and pads to 84 B."
        }),
    );
    schema["$defs"] = Value::Object(defs);
    without_null(&mut schema);
    alternatives::tell_apart(&mut schema);
    schema
}

/// TOML has no null: what may be left out has the default null instead.
fn without_null(schema: &mut Value) {
    let null = json!({ "type": "null" });
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(without_null);
            let mut found = false;
            if let Some(Value::Array(kinds)) = map.get_mut("type") {
                found |= kinds.contains(&json!("null"));
                kinds.retain(|kind| kind != "null");
                if let [one] = &kinds[..] {
                    let one = one.clone();
                    map.insert("type".into(), one);
                }
            }
            if let Some(Value::Array(options)) = map.get("anyOf")
                && options.contains(&null)
            {
                found = true;
                let mut rest = options.clone();
                rest.retain(|option| *option != null);
                match &rest[..] {
                    [Value::Object(one)] => {
                        let own = std::mem::take(map);
                        map.extend(one.clone());
                        map.extend(own.into_iter().filter(|(key, _)| key != "anyOf"));
                    }
                    _ => drop(map.insert("anyOf".into(), Value::Array(rest))),
                }
            }
            if found {
                map.entry("default").or_insert(Value::Null);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// A host's processor: a preset's name, or a table.
fn processor(defs: &mut Map<String, Value>) -> Value {
    let known = Family::Service.known("host_cpu", &Plugins::default());
    let own = known.map(|k| lift(k.name(), k.schema().clone(), defs)).unwrap_or_default();
    let names: Vec<&str> = presets::all().iter().map(|p| p.name).chain(["none"]).collect();
    let ring: Value = schemars::schema_for!(Packets).into();
    let mut properties = Map::new();
    properties.insert(
        "preset".into(),
        described(
            json!({ "enum": names }),
            "The host whose numbers \
        these change.",
        ),
    );
    properties.insert(
        "ring".into(),
        described(
            ring,
            "Packets that the card keeps until the \
        processor takes them.",
        ),
    );
    properties.extend(own["properties"].as_object().cloned().unwrap_or_default());
    let table =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    defs.insert("cpu.table".into(), table);
    json!({ "anyOf": [{ "enum": names }, { "$ref": "#/$defs/cpu.table" }] })
}

/// A file that extends another need not repeat what that one says: tables of the network may be
/// parts.
fn may_extend(schema: &mut Value) {
    if let Some(top) = schema.as_object_mut() {
        top.shift_remove("required");
        top.insert("if".into(), json!({ "not": { "required": ["extends"] } }));
        top.insert("then".into(), json!({ "required": ["duration"] }));
    }
    let parts = ["Dumbbell", "ParkingLot", "Wire", "Star", "LeafSpine", "FatTree", "Wan", "Cable"];
    for name in parts {
        schema["$defs"][name].as_object_mut().map(|table| table.shift_remove("required"));
    }
}

/// A name, or a table with `kind` and that algorithm's parameters: the definition `PLACE.NAME`.
fn choice(
    place: &str,
    families: &[Family],
    plugins: &Plugins,
    defs: &mut Map<String, Value>,
) -> Value {
    let known: Vec<(Family, KnownAlgorithm)> =
        families.iter().flat_map(|f| f.all(plugins).into_iter().map(|e| (*f, e))).collect();
    let names: Vec<&str> = known.iter().map(|(_, e)| e.name()).collect();
    let mut options = vec![json!({ "enum": names })];
    for (family, entry) in &known {
        let name = format!("{place}.{}", entry.name());
        let table = table(*family, entry, defs);
        options.push(json!({ "$ref": format!("#/$defs/{name}") }));
        defs.insert(name, table);
    }
    json!({ "anyOf": options })
}

/// The table of one algorithm.
fn table(family: Family, entry: &KnownAlgorithm, defs: &mut Map<String, Value>) -> Value {
    let schema = lift(entry.name(), entry.schema().clone(), defs);
    let mut properties = Map::new();
    properties.insert("kind".into(), json!({ "const": entry.name(), "description": entry.idea() }));
    if family.is_queue() {
        let limit = json!({ "$ref": "#/$defs/Limit" });
        let doc = "How much may wait; default 50 pkt in a short form.";
        properties.insert("limit".into(), described(limit.clone(), doc));
        let doc = "When a queue with a limit in bytes is full: a packet must fit (`fits`, the \
            default), or comes in until the limit is reached (`reached`), which the last one may \
            exceed, as in ns-2.";
        let rule = json!({ "enum": ["fits", "reached"] });
        properties.insert("limit_rule".into(), described(rule, doc));
        let doc = "Results tell how long more than this waited (`time_above_share`); default half \
            the limit.";
        properties.insert("watch_above".into(), described(limit, doc));
        let doc = "Whether backlog and limit count the packet in transmission; default false, as \
            in ns-2 and Linux.";
        let truth = json!({ "type": "boolean" });
        properties.insert("count_in_service".into(), described(truth.clone(), doc));
        let doc = "Whether results report the queue; default true. A run with fewer measures takes \
            less time and memory.";
        properties.insert("report".into(), described(truth, doc));
    }
    if family.is_edge() {
        properties.extend(around_an_edge());
    }
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        properties.insert(
            key.clone(),
            if family.is_queue() { or_of_limit(property) } else { property.clone() },
        );
    }
    json!({
        "title": entry.title(),
        "description": entry.idea(),
        "type": "object",
        "properties": properties,
        // A queue may lie over another.
        "required": if family.is_queue() { json!([]) } else { json!(["kind"]) },
        "additionalProperties": false,
    })
}

/// The words around a meter or conditioner.
fn around_an_edge() -> Vec<(String, Value)> {
    let names = json!({ "anyOf": [
        { "type": "string" }, { "type": "array", "items": { "type": "string" } },
    ] });
    let codepoint = json!({ "$ref": "#/$defs/Codepoint" });
    let several = json!({ "anyOf": [codepoint, { "type": "array", "items": codepoint }] });
    let action = json!({ "anyOf": [{ "enum": ["drop", "pass"] }, codepoint] });
    let words = [
        (
            "per",
            json!({ "enum": ["flow", "aggregate"] }),
            "One for each flow, with its reservation, or one for all (default).",
        ),
        (
            "flows",
            names,
            "Whose data it takes, by name; `gold*` is all that begin so. Default: all \
            packets.",
        ),
        ("dscp", several, "Codepoints that it takes; default all."),
        ("green", action.clone(), "What packets in profile get; default \"af11\"."),
        ("yellow", action.clone(), "What packets of the middle color get; default \"af12\"."),
        ("red", action.clone(), "What packets of the last color get; default \"af13\"."),
        ("in", action.clone(), "The same as `green`."),
        ("out", action, "Both `yellow` and `red`."),
    ];
    words.into_iter().map(|(key, schema, doc)| (key.to_string(), described(schema, doc))).collect()
}

fn described(schema: Value, doc: &str) -> Value {
    let mut schema = bare(schema);
    schema["description"] = doc.into();
    schema
}

fn bare(mut schema: Value) -> Value {
    schema.as_object_mut().map(|m| (m.shift_remove("$schema"), m.shift_remove("title")));
    schema
}

/// A number of packets may be written in terms of the queue's limit.
fn or_of_limit(property: &Value) -> Value {
    let mut out = property.clone();
    if property["$ref"] == "#/$defs/Packets" {
        out["$ref"] = json!("#/$defs/PacketsOrLimit");
    }
    out
}

/// Moves a schema's definitions up into `defs`. Units are shared; all others get their owner's
/// name, so that two algorithms may each have a `Mode`.
fn lift(owner: &str, mut schema: Value, defs: &mut Map<String, Value>) -> Value {
    let own = schema.as_object_mut().and_then(|m| {
        m.shift_remove("$schema");
        m.shift_remove("$defs")
    });
    let Some(Value::Object(own)) = own else { return schema };
    let is_unit = |definition: &Value| definition.get("x-unit").is_some();
    let renamed: Vec<&String> =
        own.iter().filter(|(_, d)| !is_unit(d)).map(|(name, _)| name).collect();
    for (name, definition) in &own {
        let key = if is_unit(definition) { name.clone() } else { format!("{owner}.{name}") };
        defs.insert(key, point_to(definition, owner, &renamed));
    }
    point_to(&schema, owner, &renamed)
}

/// Returns the same schema with references to the definitions `renamed`.
fn point_to(schema: &Value, owner: &str, renamed: &[&String]) -> Value {
    match schema {
        Value::Object(map) => map
            .iter()
            .map(|(key, v)| {
                let name =
                    v.as_str().and_then(|s| s.strip_prefix("#/$defs/")).filter(|_| key == "$ref");
                let v = match name {
                    Some(name) if renamed.iter().any(|r| *r == name) => {
                        format!("#/$defs/{owner}.{name}").into()
                    }
                    _ => point_to(v, owner, renamed),
                };
                (key.clone(), v)
            })
            .collect(),
        Value::Array(items) => items.iter().map(|v| point_to(v, owner, renamed)).collect(),
        leaf => leaf.clone(),
    }
}
