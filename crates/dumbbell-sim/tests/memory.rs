//! A flow's memory has a bound, and the work of setting up grows with the flows and not with their
//! square.
mod counting;
mod plans;

use counting::{Cost, counted};
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::Plan;
use dumbbell_sim::{Options, World};
use serde_json::json;

/// Flows of the smaller and of the larger network that are compared.
const FEW: usize = 1000;
const MANY: usize = 8000;

/// Bytes of a flow's part of the world: its sockets, four wires, legs, an entry. The aim is 1024;
/// what stands between is the sender's and the receiver's own state. Lower it with them, never
/// raise it: what few flows need goes into a box.
const WORLD: i64 = 2112;
/// Bytes of a flow's part of the plan: four links, two hosts, their names.
const PLAN: i64 = 1024;

fn plan(flows: usize) -> Plan {
    let queue = plans::spec("drop_tail", json!({}));
    plans::dumbbell(
        1,
        flows,
        Rate::from_mbps(10_000),
        queue,
        Capacity::Packets(1000),
        Span::from_secs(1),
    )
}

/// The cost of a plan of so many flows, of its world, and of the report of a run that ends at once.
fn costs(flows: usize) -> [Cost; 3] {
    let (plan, planned) = counted(|| plan(flows));
    let (mut world, built) = counted(|| World::new(&plan, Options::default()).unwrap());
    drop(plan);
    world.run(&mut (), 1);
    let (report, told) = counted(|| world.finish(&mut ()));
    assert_eq!(report.flows.len(), flows);
    assert_eq!(report.flows[flows - 1].name, format!("flow{}", flows - 1));
    [planned, built, told]
}

#[test]
fn a_flow_has_its_bytes_and_no_more() {
    let (few, many) = (costs(FEW), costs(MANY));
    let each = |of: fn(&Cost) -> i64, part: usize| {
        (of(&many[part]) - of(&few[part])) / (MANY - FEW) as i64
    };
    let (plan, world) = (each(|c| c.held, 0), each(|c| c.held, 1));
    assert!(plan <= PLAN, "a flow takes {plan} bytes of a plan");
    assert!(world <= WORLD, "a flow takes {world} bytes of a world");
    let peak = each(|c| c.peak, 1);
    assert!(peak <= WORLD + 512, "setting up takes {peak} bytes a flow at once");
    // A million flows: the plan, its world and what making them takes for a while.
    assert!(
        (plan + peak) * 1_000_000 < 4_000_000_000,
        "a million flows take {} bytes",
        (plan + peak) * 1_000_000
    );
}

/// Eight times the flows ask the allocator eight times as often, give or take what does not depend
/// on them.
#[test]
fn setting_up_is_linear() {
    let (few, many) = (costs(FEW), costs(MANY));
    for (part, what) in ["plan", "world", "report"].iter().enumerate() {
        let (a, b) = (few[part].calls as f64, many[part].calls as f64);
        assert!(b <= 8.1 * a, "{what}: {a} calls of the allocator for {FEW} flows, {b} for {MANY}");
    }
}

/// Flows of one kind have one configuration, one source and one control between them, however many
/// they are.
#[test]
fn what_is_equal_is_kept_once() {
    let (plan, copy) = {
        let plan = plan(FEW);
        let (copy, cost) = counted(|| plan.clone());
        drop(copy);
        (plan, cost)
    };
    // Twelve calls a flow: names of four links, of two nodes and of the flow, its two routes, no
    // configuration.
    let calls = copy.calls as usize;
    assert!(calls < 12 * FEW, "a copy of {FEW} flows took {calls} calls of the allocator");
    assert_eq!(
        serde_json::to_value(&plan).unwrap()["flows"][7]["transport"]["cc"]["kind"],
        "newreno"
    );
}
