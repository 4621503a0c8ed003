//! The meaning of scenarios.
#[path = "../common/mod.rs"]
mod common;
mod detours;
mod fabrics;
mod flows;
mod loads;
mod network;
mod queues;
mod schema;
mod sweeps;
mod texts;

use dumbbell_plan::{Link, Plan};

fn bottleneck(p: &Plan) -> &Link {
    p.links.iter().find(|l| l.name == "bottleneck").expect("a bottleneck")
}
