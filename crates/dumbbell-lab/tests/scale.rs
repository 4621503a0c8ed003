//! From a scenario's text to its plan and its hash, the work grows with the flows and not with
//! their square: counted by the allocator, so exact.
mod common;
#[path = "../../dumbbell-sim/tests/counting/mod.rs"]
mod counting;

use counting::{Cost, counted};
use dumbbell_lab::store::key::Digest;
use std::fmt::Write;

const FEW: usize = 300;
const MANY: usize = 2400;

/// One entry that stands for many flows.
fn counting_up(flows: usize) -> String {
    common::RED.replace(
        "name = \"s\"",
        &format!(
            "name = \"s\"\ncount = {flows}\nstart_spread = \
        \"1 s\""
        ),
    )
}

/// Draws `flows` pairs of hosts on both sides of two routers, each with links and a queue of its
/// own, one by one.
fn drawn(flows: usize) -> String {
    let mut text = String::from(
        "duration = \"10 s\"\nrouter = [{ name = \"left\" }, { name = \
        \"right\" }]\n",
    );
    let bottleneck = "between = [\"left\", \"right\"]\nrate = \"1 Gbps\"\ndelay = \"5 ms\"\nqueue \
        = { kind = \"red\", limit = \"90 pkt\" }";
    write!(text, "[[link]]\n{bottleneck}\n").unwrap();
    for i in 0..flows {
        write!(text, "[[host]]\nname = \"a{i}\"\n[[host]]\nname = \"b{i}\"\n").unwrap();
        for (host, router) in [("a", "left"), ("b", "right")] {
            let queue = "queue = { kind = \"drop_tail\", limit = \"20 pkt\" }";
            let ends = format!("between = [\"{host}{i}\", \"{router}\"]");
            write!(text, "[[link]]\n{ends}\nrate = \"10 Mbps\"\ndelay = \"1 ms\"\n{queue}\n")
                .unwrap();
        }
        write!(text, "[[flow]]\nfrom = \"a{i}\"\nto = \"b{i}\"\n").unwrap();
    }
    text
}

/// The cost of checking a scenario, of its plan, and of its hash; all on one thread.
fn costs(text: &str, flows: usize) -> [Cost; 3] {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let (study, checked) = counted(|| common::study(text, &[]).unwrap());
        let point = &study.points[0];
        let (mut plan, planned) = counted(|| study.plan(point, point.seeds[0]).unwrap());
        assert_eq!(plan.flows.len(), flows);
        let (_, hashed) = counted(|| Digest::of(&mut plan, false));
        [checked, planned, hashed]
    })
}

fn is_linear(text: fn(usize) -> String) -> [Cost; 3] {
    let (few, many) = (costs(&text(FEW), FEW), costs(&text(MANY), MANY));
    for (part, what) in ["check", "plan", "hash"].iter().enumerate() {
        let (a, b) = (few[part].calls as f64, many[part].calls as f64);
        assert!(b <= 8.2 * a, "{what}: {a} calls of the allocator for {FEW} flows, {b} for {MANY}");
        let (a, b) = (few[part].peak as f64, many[part].peak as f64);
        assert!(b <= 9.0 * a, "{what}: {a} bytes at once for {FEW} flows, {b} for {MANY}");
    }
    many
}

#[test]
fn a_count_of_flows_is_planned_in_a_time_that_grows_with_it() {
    let [_, planned, hashed] = is_linear(counting_up);
    let (plan, peak) = (planned.held / MANY as i64, planned.peak / MANY as i64);
    assert!(plan <= 1400, "a flow takes {plan} bytes of a plan");
    assert!(peak <= 3000, "planning takes {peak} bytes a flow at once");
    assert!(
        hashed.peak <= 1 << 18,
        "the text of a plan is never there as a whole, but {} bytes \
        are",
        hashed.peak
    );
}

#[test]
fn so_is_a_network_drawn_host_by_host() {
    is_linear(drawn);
}
