//! Runs between real hosts, from the scenario to the result: what must hold however busy the
//! machine is.
use dumbbell_emu::host::testing::namespaces;
use dumbbell_lab::api::{self, Caller};
use serde_json::{Value, json};
use std::path::Path;

/// Two connections through a queue of 36 packets at 10 Mbit/s.
fn scenario() -> Value {
    json!({
        "name": "testbed",
        "duration": "2500 ms",
        "warmup": "500 ms",
        "testbed": { "class": "loose", "calibrate": false },
        "dumbbell": { "bottleneck": { "rate": "10 Mbps", "delay": "5 ms" } },
        "queue": { "kind": "red", "limit": "36 pkt", "min_th": "6 pkt", "max_th": "18 pkt" },
        "flow": [{ "name": "a", "cc": "sack" }, { "name": "b", "cc": "cubic" }],
        "record": { "every": "100 ms", "drops": true },
    })
}

fn run(
    scenario: &Value,
    on: &str,
    overrides: &[&str],
    out: Option<&Path>,
) -> Result<Value, (i32, String)> {
    let request = json!({
        "source": { "value": scenario, "name": "testbed" }, "on": on, "overrides": overrides,
        "out": out,
    });
    api::run(&request, &|_| true).map_err(|problem| (problem.code, problem.rendered))
}

/// Checks what a run must keep to on any machine: all but times.
fn sound(result: &Value) {
    let validity = &result["validity"];
    let reasons = validity["reasons"].as_array().unwrap();
    assert_eq!(validity["valid"], reasons.is_empty());
    assert_eq!(
        result["valid"], validity["valid"],
        "nothing else may be wrong: {}",
        result["conservation"]
    );
    for reason in reasons.iter().filter_map(Value::as_str) {
        let of_time = ["late", "stood still", "rate", "steal", "to sleep"]
            .iter()
            .any(|word| reason.contains(word));
        assert!(of_time, "{reason}");
    }
    assert_eq!(validity["conservation"]["ok"], true, "{validity}");
    assert_eq!(validity["replay"]["mismatches"], 0, "{validity}");
    assert!(validity["replay"]["packets"].as_u64().unwrap() > 100, "{validity}");
    let account = &validity["conservation"];
    let count = |key: &str| account[key].as_u64().unwrap();
    assert_eq!(count("in"), count("out") + count("dropped") + count("inside"), "{account}");
}

#[test]
fn a_run_has_what_a_simulation_has_and_can_be_made_again_from_its_log() {
    if !namespaces() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let live = run(&scenario(), "kernel", &[], Some(&dir.path().join("live"))).unwrap();
    sound(&live);
    let simulated =
        run(&scenario(), "sim", &["profile=linux"], Some(&dir.path().join("sim"))).unwrap();
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    // What waits in a receiver's kernel for missing data, nobody can ask.
    let told = |key: &String| key != "held_back_bytes";
    for part in ["flows", "queues"] {
        let expected: Vec<String> = keys(&simulated[part][0]).into_iter().filter(told).collect();
        assert_eq!(keys(&live[part][0]), expected, "{part}");
    }
    for flow in live["flows"].as_array().unwrap() {
        assert!(
            flow["goodput_bps"].as_f64().unwrap() > 1e5
                && flow["cwnd_mean_packets"].as_f64().unwrap() > 1.0,
            "{flow}"
        );
        assert!(flow["srtt_mean_s"].as_f64().unwrap() > 0.01, "its path alone takes 10 ms: {flow}");
    }
    for file in ["flows.parquet", "queues.parquet", "signals.parquet", "run.log"] {
        assert!(dir.path().join("live").join(file).exists(), "{file}");
    }
    let log = dir.path().join("live/run.log");
    let again = api::ask("replay", &json!({ "log": log }), &Caller::PLAIN).unwrap();
    assert_eq!((&again["verdict"], &again["mismatches"]), (&json!("same"), &json!(0)));
    assert_eq!(again["fingerprint"], live["fingerprint"]);
    let mut bytes = std::fs::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&log, bytes).unwrap();
    let problem = api::ask("replay", &json!({ "log": log }), &Caller::PLAIN).unwrap_err();
    assert_eq!(problem.code, 3, "{}", problem.rendered);
    assert!(problem.rendered.contains("run.log"), "{}", problem.rendered);
}

#[test]
fn fragments_answers_marks_and_damage_are_done_to_real_packets() {
    if !namespaces() {
        return;
    }
    let hop = |between: [&str; 2], mtu: &str| {
        json!({ "between": between, "rate": "50 Mbps", "delay": "1 \
            ms", "mtu": mtu })
    };
    let mut narrow = scenario();
    narrow
        .as_object_mut()
        .unwrap()
        .retain(|key, _| !["dumbbell", "queue", "flow"].contains(&key.as_str()));
    narrow["host"] = json!([{ "name": "h1" }, { "name": "h2" }]);
    narrow["router"] = json!([{ "name": "r1" }, { "name": "r2" }]);
    let mut middle = hop(["r1", "r2"], "1500 B");
    middle["rate"] = json!("10 Mbps");
    middle["queue"] = json!({ "kind": "drop_tail", "limit": "60 pkt" });
    narrow["link"] = json!([hop(["h1", "r1"], "9000 B"), middle, hop(["r2", "h2"], "9000 B")]);
    narrow["flow"] = json!([
        { "name": "told", "from": "h1", "to": "h2", "cc": "cubic" },
        { "name": "cut", "from": "h1", "to": "h2", "df": false,
          "source": { "kind": "cbr", "rate": "2 Mbps", "packet": "6000 B" } },
    ]);
    let result = run(&narrow, "kernel", &[], None).unwrap();
    sound(&result);
    let cuts = &result["fragmentation"];
    assert!(
        cuts["answers"].as_u64().unwrap() > 0 && cuts["fragments"].as_u64().unwrap() > 100,
        "{cuts}"
    );
    let goodput = |flow: usize| result["flows"][flow]["goodput_bps"].as_f64().unwrap();
    assert!(goodput(0) > 1e6, "TCP learned of the path's MTU: {result}");
    assert!(goodput(1) > 1.5e6, "its host put the pieces together: {result}");

    let mut marked = scenario();
    marked["queue"]["ecn"] = json!(true);
    marked["queue"]["gentle"] = json!(true);
    marked["tcp"] = json!({ "ecn": "rfc3168" });
    marked["dumbbell"]["bottleneck"]["impairment"] = json!([
        { "kind": "corrupt", "rate": 0.01 }, { "kind": "duplicate", "share": 0.01 },
        { "kind": "reorder", "share": 0.02, "delay": "2 ms" },
    ]);
    marked["flow"][1] = json!({ "name": "b", "cc": "cubic", "ip": 6 });
    let result = run(&marked, "kernel", &[], None).unwrap();
    sound(&result);
    assert!(
        result["conservation"]["discarded"].as_u64().unwrap() > 0,
        "wrong bits: {}",
        result["conservation"]
    );
    assert!(
        result["conservation"]["duplicated"].as_u64().unwrap() > 0,
        "{}",
        result["conservation"]
    );
}

#[test]
fn what_cannot_be_is_refused_with_what_to_do() {
    if !namespaces() {
        return;
    }
    let (code, text) = run(&scenario(), "kernel", &["flow.0.cc=tahoe"], None).unwrap_err();
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("tahoe") && text.contains("help"), "{text}");
    let fast = [
        "testbed.calibrate=true",
        r#"dumbbell.bottleneck.rate="40 Gbps""#,
        r#"dumbbell.access.rate="40 Gbps""#,
    ];
    let (code, text) = run(&scenario(), "kernel", &fast, None).unwrap_err();
    assert_eq!(code, 5, "{text}");
    assert!(
        text.contains("cannot keep up") && text.contains("lower the rate"),
        "{}",
        text.replace(
            "\n  \
        │",
            ""
        )
    );
}
