//! Lines of tc, both ways.
#[path = "../common/mod.rs"]
mod common;
mod export;
mod lines;
mod meanings;
mod queues;
mod round_trip;
mod sent;

use common::plan;
use dumbbell_core::plugin::Plugins;
use dumbbell_lab::language::problem::Problem;
use dumbbell_lab::tc;
use serde_json::{Value, json};

/// Writes a link of a plan as lines.
fn export(request: &Value) -> Result<Value, Problem> {
    tc::export(request, &Plugins::default())
}

/// The scenario that an imported line is laid into; it has what the line does not say.
fn scenario(read: &Value) -> String {
    let head = "duration = \"1 s\"\n[[flow]]\n[dumbbell.access]\nrate = \"100 Gbps\"\n";
    let toml = read["toml"].as_str().unwrap();
    let toml = if toml.contains("[dumbbell.bottleneck]") {
        toml.to_string()
    } else {
        format!("{toml}\n[dumbbell.bottleneck]\n")
    };
    let missing = [("rate", "10 Mbps"), ("delay", "0 s")]
        .into_iter()
        .filter(|(k, _)| read["link"][k].is_null());
    missing.fold(format!("{head}{toml}"), |text, (k, v)| text + &format!("{k} = \"{v}\"\n"))
}

/// The bottleneck of the plan of an imported line.
fn link(read: &Value) -> Value {
    let plan = plan(&scenario(read), &[]);
    json!(plan.links.iter().find(|l| l.name == "bottleneck").expect("a dumbbell has a bottleneck"))
}

/// The meaning of a line, without its sentences.
fn meaning(read: &Value) -> Value {
    let mut meaning = read.clone();
    meaning.as_object_mut().unwrap().remove("explained");
    meaning
}

fn there_and_back(line: &str) -> (Value, Value, String) {
    let first = tc::import(line).unwrap_or_else(|p| panic!("{line}\n{}", p.rendered));
    let queue_only =
        first["link"].as_object().unwrap().is_empty() && first["impairment"] == json!([]);
    let wish = json!({ "link": link(&first), "dev": "eth0", "queue_only": queue_only });
    let written = export(&wish).unwrap_or_else(|p| panic!("{line}\n{}", p.rendered));
    let lines: Vec<&str> =
        written["lines"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
    let lines = lines.join("\n");
    let second = tc::import(&lines).unwrap_or_else(|p| panic!("{lines}\n{}", p.rendered));
    (first, second, lines)
}
