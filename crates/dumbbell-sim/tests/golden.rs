//! Fingerprints that must not move unnoticed: the same in every build profile, on every machine,
//! beside any thread.
mod plans;

use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::Plan;
use dumbbell_sim::Options;
use plans::{audited, dumbbell, spec};
use serde_json::json;

fn drop_tail(seed: u64) -> Plan {
    let queue = spec("drop_tail", json!({}));
    dumbbell(seed, 5, Rate::from_mbps(20), queue, Capacity::Packets(60), Span::from_secs(5))
}

fn red(seed: u64) -> Plan {
    let queue =
        spec("red", json!({"min_th": "6 pkt", "max_th": "18 pkt", "w_q": 0.002, "max_p": 0.02}));
    dumbbell(seed, 5, Rate::from_mbps(20), queue, Capacity::Packets(60), Span::from_secs(5))
}

fn fingerprint(plan: &Plan) -> String {
    format!("{:016x}", audited(plan, Options::default()).fingerprint)
}

/// A behavior change moves these; RESULTS.md lists it, with the reason.
#[test]
fn fingerprints_stand() {
    let raise = "results have changed: say so in RESULTS.md, and raise RESULTS_VERSION in \
        crates/dumbbell-lab/src/store/key.rs, so that no store mixes old results with new ones";
    assert_eq!(fingerprint(&drop_tail(1)), DROP_TAIL, "{raise}");
    assert_eq!(fingerprint(&red(1)), RED, "{raise}");
}

const DROP_TAIL: &str = "9b72cb109e6f6796";
const RED: &str = "db617b177d149ea9";

#[test]
fn another_seed_is_another_run_and_the_same_seed_the_same() {
    assert_ne!(fingerprint(&red(1)), fingerprint(&red(2)));
    assert_eq!(fingerprint(&red(7)), fingerprint(&red(7)));
}

#[test]
fn runs_on_two_threads_are_those_on_one() {
    let alone: Vec<String> = (1..5).map(|seed| fingerprint(&red(seed))).collect();
    let beside: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> =
            (1..5).map(|seed| scope.spawn(move || fingerprint(&red(seed)))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(alone, beside);
}

/// The audit and the order of visits must not be seen by anything simulated.
#[test]
fn looking_changes_nothing() {
    let mut watched = red(3);
    watched.record.every = Some(Span::from_ms(10));
    (watched.record.flows, watched.record.queues, watched.record.drops) = (true, true, true);
    let mut world = dumbbell_sim::World::new(&watched, Options::default()).unwrap();
    while !world.run(&mut (), 1000) {}
    assert_eq!(format!("{:016x}", world.finish(&mut ()).fingerprint), fingerprint(&red(3)));
}

/// For the module of the browser: `DUMBBELL_GOLDEN_PLANS` names the file.
#[test]
fn golden_plans_are_written_where_they_are_asked_for() {
    let Some(file) = std::env::var_os("DUMBBELL_GOLDEN_PLANS") else { return };
    let plans = [(drop_tail(1), DROP_TAIL), (red(1), RED)];
    let plans = plans.map(|(plan, print)| json!({ "plan": plan, "fingerprint": print }));
    std::fs::write(file, json!(plans).to_string()).expect("a file that can be written");
}
