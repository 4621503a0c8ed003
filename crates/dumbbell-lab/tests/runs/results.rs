//! The result of a run: what it contains, and what does not change it.
use crate::common::{RED, request, study};
use crate::run;
use dumbbell_lab::api;
use dumbbell_lab::language::problem::code;
use serde_json::{Value, json};

#[test]
fn one_run_says_what_the_contract_promises() {
    let r = run(&request(RED, &["flow.0.count=2"]));
    for key in [
        "fingerprint",
        "valid",
        "duration_s",
        "wall_s",
        "packet_hops",
        "flows",
        "queues",
        "conservation",
    ] {
        assert!(!r[key].is_null(), "{key}");
    }
    let flow_keys = [
        "name",
        "cc",
        "goodput_bps",
        "throughput_bps",
        "share",
        "sent_packets",
        "delivered_packets",
        "lost_packets",
        "retransmits",
        "rtos",
        "marks",
        "srtt_mean_s",
        "cwnd_mean_packets",
    ];
    flow_keys.iter().for_each(|k| assert!(!r["flows"][0][k].is_null(), "{k}"));
    let queue_keys = [
        "name",
        "kind",
        "mean_packets",
        "max_packets",
        "mean_sojourn_s",
        "p99_sojourn_s",
        "arrivals",
        "departures",
        "drops",
        "marks",
        "utilization",
    ];
    queue_keys.iter().for_each(|k| assert!(!r["queues"][0][k].is_null(), "{k}"));
    assert_eq!(
        (&r["valid"], &r["conservation"]["ok"], &r["code"]),
        (&json!(true), &json!(true), &json!(0))
    );
    let print = r["fingerprint"].as_str().unwrap();
    assert!(print.len() == 16 && print.chars().all(|c| c.is_ascii_hexdigit()));
    let share: f64 =
        r["flows"].as_array().unwrap().iter().map(|f| f["share"].as_f64().unwrap()).sum();
    assert!((share - 1.0).abs() < 1e-12);
    // Goodput is below the link's rate times payload over packet, and two flows of NewReno fill
    // most of it.
    let goodput: f64 =
        r["flows"].as_array().unwrap().iter().map(|f| f["goodput_bps"].as_f64().unwrap()).sum();
    assert!(goodput < 10e6 * 1448.0 / 1500.0 && goodput > 7e6, "{goodput}");
}

#[test]
fn replications_become_intervals_and_stay_for_others() {
    let mut r = request(RED, &["flow.0.start_spread=100 ms"]);
    r["replications"] = json!(3);
    r["seed"] = json!(10);
    let all = run(&r);
    assert_eq!(all["seeds"], json!([10, 11, 12]));
    let single = |i: usize| all["runs"][i]["flows"][0]["goodput_bps"].as_f64().unwrap();
    let mean = (single(0) + single(1) + single(2)) / 3.0;
    let g = &all["flows"][0]["goodput_bps"];
    assert!((g["mean"].as_f64().unwrap() - mean).abs() < 1e-6 && g["n"] == 3);
    let half = g["ci95"][1].as_f64().unwrap() - mean;
    let s = ((0..3).map(|i| (single(i) - mean) * (single(i) - mean)).sum::<f64>() / 2.0).sqrt();
    assert!((half - 4.302_652_729_911_275 * s / 3f64.sqrt()).abs() < 1e-3);
    assert_eq!(
        (&all["flows"][0]["name"], &all["flows"][0]["cc"]),
        (&json!("s"), &json!("newreno"))
    );
    // A run of its own is the same run.
    let mut own = request(RED, &["flow.0.start_spread=100 ms"]);
    own["seed"] = json!(11);
    assert_eq!(run(&own)["fingerprint"], all["runs"][1]["fingerprint"]);
    assert_ne!(all["runs"][0]["fingerprint"], all["runs"][1]["fingerprint"]);
}

#[test]
fn threads_folding_and_audit_change_nothing() {
    let sweep = "sweep.grid={\"queue.kind\"=[\"drop_tail\", \"red\"], \"queue.limit\"=[\"20 pkt\", \
        \"40 pkt\"]}";
    let with = |threads: usize, fold: bool, audit: bool| {
        let mut r = request(RED, &[sweep, "replications=2", "duration=4 s"]);
        (r["threads"], r["fold"], r["audit"]) = (json!(threads), json!(fold), json!(audit));
        let all = run(&r);
        assert_eq!(all["points"].as_array().unwrap().len(), 4);
        (all["fingerprint"].clone(), all["points"][3]["queues"][0]["mean_packets"].clone())
    };
    let one = with(1, true, false);
    assert_eq!(one, with(3, true, true));
    assert_eq!(one, with(2, false, false));
}

#[test]
fn points_are_labelled() {
    let sweep = "sweep.grid={\"queue.kind\"=[\"drop_tail\", \"red\"]}";
    let all = run(&request(RED, &[sweep, "duration=3 s"]));
    assert_eq!(all["points"][1]["overrides"], json!({ "queue.kind": "red" }));
    assert_eq!(all["points"][0]["queues"][0]["kind"], "drop_tail");
    assert_eq!(all["notes"].as_array().unwrap().len(), 2);
}

#[test]
fn more_threads_than_runs_are_no_more_work() {
    let mut r = request(RED, &["duration=2 s"]);
    let alone = run(&r);
    r["threads"] = json!(1_000_000);
    assert_eq!(run(&r)["fingerprint"], alone["fingerprint"]);
}

#[test]
fn a_request_is_checked_like_a_scenario() {
    let problem =
        api::run(&json!({ "source": { "text": RED }, "thread": 3 }), &|_| true).unwrap_err();
    assert_eq!(
        (problem.code, problem.json["problems"][0]["fix"].as_str()),
        (
            2,
            Some(
                "did you mean \
        `threads`?"
            )
        )
    );
    assert_eq!(api::plan(&json!({ "source": {} })).unwrap_err().code, 2);
}

#[test]
fn a_broken_law_makes_a_result_invalid_and_says_where() {
    let study = study(RED, &["replications=2"]).unwrap();
    let sound = json!({
        "ok": true, "sent": 5, "delivered": 5, "dropped": 0, "in_network": 0, "faults": [],
    });
    let broken = json!({
        "ok": false, "sent": 5, "delivered": 4, "dropped": 0, "in_network": 0,
        "faults": ["one is gone"],
    });
    let outcome = |seed: u64, conservation: &Value| {
        json!({
            "seed": seed, "fingerprint": "00", "valid": conservation["ok"], "wall_s": 1.0,
            "packet_hops": 1, "events": 1,
            "flows": [], "queues": [], "conservation": conservation,
        })
    };
    let result = dumbbell_lab::results::assemble(
        &study,
        vec![vec![outcome(1, &sound), outcome(2, &broken)]],
        2.0,
    );
    assert_eq!((&result["valid"], &result["code"]), (&json!(false), &json!(code::INVALID)));
    assert_eq!(result["conservation"]["ok"], false);
    assert_eq!(result["conservation"]["faults"], json!(["seed 2: one is gone"]));
}
