//! The catalogue for people and programs: every algorithm's page and parameters, the fields of TCP,
//! QUIC and SCReAM, and TCP's profiles.
use crate::language::lookup::algorithm::KnownAlgorithm;
use crate::language::lookup::{Family, unit_of};
use crate::language::scenario::Profile;
use dumbbell_algos::service::host_cpu::{HostCpu, presets};
use dumbbell_core::catalogue::{Algorithm, range_text};
use dumbbell_core::plugin::Plugins;
use dumbbell_quic::QuicConfig;
use dumbbell_scream::ScreamConfig;
use dumbbell_tcp::TcpConfig;
use serde_json::{Map, Value, json};

/// The kinds of algorithm, in the order in which the catalogue lists them.
pub const KINDS: [&str; 8] =
    ["aqm", "qdisc", "cc", "meter", "conditioner", "impairment", "service", "source"];

/// `{kind: [{name, title, idea, equations, sources, provenance, parameters, presets?}], "tcp":
/// [...], "quic": [...], "scream": [...], "profiles": {...}}`.
pub fn catalogue(plugins: &Plugins) -> Value {
    let mut out: Map<String, Value> = KINDS.iter().map(|k| ((*k).to_string(), json!([]))).collect();
    for family in Family::ALL {
        out.insert(family.name().into(), family.all(plugins).iter().map(page).collect());
    }
    out.insert("tcp".into(), tcp_fields());
    out.insert("quic".into(), fields(&QuicConfig::default()));
    out.insert("scream".into(), fields(&ScreamConfig::default()));
    out.insert("profiles".into(), profiles());
    Value::Object(out)
}

fn page(entry: &KnownAlgorithm) -> Value {
    let mut page = entry.page();
    page["parameters"] = parameters(entry.schema(), &entry.defaults());
    if entry.name() == HostCpu::ABOUT.name {
        page["presets"] = json!(presets::all());
    }
    page
}

/// A configuration's parameters, from its schema.
fn parameters(schema: &Value, defaults: &Value) -> Value {
    let known = schema["properties"].as_object();
    let row = |(name, property): (&String, &Value)| {
        let range = range_text(property);
        json!({
            "name": name,
            "unit": Some(unit_of(property, schema)).filter(|u| !u.is_empty()),
            "default": defaults.get(name),
            "range": Some(range).filter(|r| !r.is_empty()),
            "choices": choices(property, schema),
            "type": property["anyOf"].as_array().filter(|options| is_mixed(options)).map(|_| "any"),
            "doc": property["description"],
            "source": property["x-source"],
        })
    };
    known.into_iter().flatten().map(row).collect()
}

/// True if a parameter has more than one form, as a distribution has.
fn is_mixed(options: &[Value]) -> bool {
    options.iter().filter(|option| option["type"] != "null").count() > 1
}

/// The words that a parameter chooses from; null if it is not a choice.
fn choices(property: &Value, schema: &Value) -> Option<Vec<String>> {
    let name = property["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/"));
    let rule = name.map_or(property, |n| &schema["$defs"][n]);
    let words = |list: &Value| -> Option<Vec<String>> {
        list.as_array().map(|l| l.iter().filter_map(|w| w.as_str().map(str::to_string)).collect())
    };
    let documented = |list: &Value| -> Option<Vec<String>> {
        Some(
            list.as_array()?
                .iter()
                .filter_map(|v| v["const"].as_str().map(str::to_string))
                .collect(),
        )
    };
    words(&rule["enum"]).or_else(|| documented(&rule["oneOf"])).filter(|l| !l.is_empty())
}

fn tcp_fields() -> Value {
    let schema: Value = schemars::schema_for!(TcpConfig).into();
    parameters(&schema, &all_fields(&TcpConfig::default()))
}

/// The fields of a transport's configuration that no profile changes.
fn fields<C: schemars::JsonSchema + serde::Serialize>(default: &C) -> Value {
    let schema: Value = schemars::schema_for!(C).into();
    parameters(&schema, &serde_json::to_value(default).unwrap_or_default())
}

/// All fields of a TCP configuration, also those that a plan leaves out at their default.
fn all_fields(config: &TcpConfig) -> Value {
    let schema: Value = schemars::schema_for!(TcpConfig).into();
    let mut fields = serde_json::to_value(config).unwrap_or_default();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if fields[name].is_null() {
            fields[name] = property["x-default"].clone();
        }
    }
    fields
}

/// Every profile, field by field, with the congestion control of a flow that names none.
fn profiles() -> Value {
    let all = [Profile::Ns2, Profile::Rfc, Profile::Linux];
    let one = |p: Profile| {
        let fields = all_fields(&TcpConfig::profile(p.name()).unwrap_or_default());
        (p.name().to_string(), json!({ "cc": p.default_cc(), "tcp": fields }))
    };
    Value::Object(all.into_iter().map(one).collect())
}
