//! From a scenario's text to its plan: `plan FLOWS`. The guard counts its instructions.
//!
//! Each flow has an access link slower than the bottleneck, so that each is a bottleneck of its
//! own to the rules that warn.
#![allow(clippy::print_stdout)]
use dumbbell_lab::files::environment::ThisMachine;
use dumbbell_lab::language::load::Source;
use dumbbell_lab::language::plugins::NoPlugins;
use dumbbell_lab::resolve::study::{Study, StudyInput};
use serde_json::Map;

const SCENARIO: &str = r#"duration = "2 s"

[dumbbell]
bottleneck = { rate = "10 Gbps", delay = "10 ms" }
access = { rate = "1 Gbps", delay = "1 ms" }

[queue]
kind = "drop_tail"

[[flow]]
name = "s"
"#;

fn main() {
    let flows = std::env::args().nth(1).expect("plan FLOWS");
    let input = StudyInput {
        source: Source::Text { text: SCENARIO.into(), name: "many.toml".into() },
        overrides: vec![format!("flow.s.count={flows}")],
        also: Map::new(),
        uses: vec![],
    };
    let study = Study::with(&input, &ThisMachine, &NoPlugins, false)
        .unwrap_or_else(|problem| panic!("{}", problem.rendered));
    let point = &study.points[0];
    let plan =
        study.plan(point, point.seeds[0]).unwrap_or_else(|problem| panic!("{}", problem.rendered));
    let warned = study.warnings().len();
    println!("planned {} warnings {warned} ok {}", plan.flows.len(), !plan.links.is_empty());
}
