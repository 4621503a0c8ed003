//! Helpers that the tests share.
#![allow(dead_code)] // Each test file is a crate and uses its part.
use dumbbell_lab::files::environment::ThisMachine;
use dumbbell_lab::language::load::Source;
use dumbbell_lab::language::plugins::NoPlugins;
use dumbbell_lab::language::problem::Problem;
use dumbbell_lab::resolve::study::{Study, StudyInput};
use dumbbell_plan::Plan;
use serde_json::{Map, Value, json};

/// A dumbbell with RED, one flow.
pub const RED: &str = r#"duration = "10 s"
warmup = "1 s"

[dumbbell]
bottleneck = { rate = "10 Mbps", delay = "10 ms" }

[queue]
kind = "red"
limit = "36 pkt"
min_th = "6 pkt"
max_th = "12 pkt"

[[flow]]
name = "s"
cc = "newreno"
rtt = "40 ms"
"#;

/// Hosts a, b and c behind a router, each on its own link.
pub const GRAPH: &str = r#"duration = "10 s"
host = [{ name = "a" }, { name = "b" }, { name = "c" }]
router = [{ name = "r1" }, { name = "r2" }]
link = [
  { between = ["a", "r1"], rate = "1 Gbps", delay = "1 ms" },
  { between = ["r1", "r2"], rate = "10 Mbps", delay = "5 ms", queue.limit = "20 pkt" },
  { between = ["r2", "b"], rate = "1 Gbps", delay = "1 ms" },
]

[[flow]]
from = "a"
to = "b"
"#;

/// The study of a text under overrides.
pub fn study(text: &str, overrides: &[&str]) -> Result<Study, Problem> {
    let input = StudyInput {
        source: Source::Text { text: text.into(), name: "net.toml".into() },
        overrides: overrides.iter().map(|s| s.to_string()).collect(),
        also: Map::new(),
        uses: vec![],
    };
    Study::with(&input, &ThisMachine, &NoPlugins, false)
}

/// The plan of the first point and its first seed.
pub fn plan(text: &str, overrides: &[&str]) -> Plan {
    let study = study(text, overrides).unwrap_or_else(|p| panic!("{}", p.rendered));
    let point = &study.points[0];
    study.plan(point, point.seeds[0]).unwrap_or_else(|p| panic!("{}", p.rendered))
}

/// A request to run a text.
pub fn request(text: &str, overrides: &[&str]) -> Value {
    json!({ "source": { "text": text, "name": "net.toml" }, "overrides": overrides, "audit": true })
}
