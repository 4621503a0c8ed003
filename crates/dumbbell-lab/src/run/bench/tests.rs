//! A measurement changes nothing, and reports what it measured.
use super::*;

const TEXT: &str = r#"duration = "2 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
flow = [{ name = "s", count = 2, cc = "newreno", start_step = "100 ms" }]
"#;

fn bench(order: &Value) -> Result<Value, Problem> {
    super::bench(&BenchRequest::read(order)?)
}

fn order(extra: Value) -> Value {
    let mut run = json!({ "source": { "text": TEXT } });
    run.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    json!({ "run": run })
}

#[test]
fn the_run_is_the_one_that_users_have() {
    let ran = crate::api::run(&order(json!({}))["run"], &|_| true).unwrap();
    let told = bench(&order(json!({}))).unwrap();
    for key in ["fingerprint", "packet_hops", "events"] {
        assert_eq!(told[key], ran[key], "{key}");
    }
    assert_eq!(
        told["flow_goodput_bps"],
        json!([ran["flows"][0]["goodput_bps"], ran["flows"][1]["goodput_bps"]])
    );
    let queue = &ran["queues"][0];
    let drops =
        queue["drops"].as_object().unwrap().values().map(|n| n.as_f64().unwrap()).sum::<f64>();
    assert_eq!(told["delivered"], queue["departures"]);
    assert_eq!(told["drop_rate"], drops / queue["arrivals"].as_f64().unwrap());
    assert!(drops > 0.0, "a run without drops shows nothing");
}

#[test]
fn no_shortcut_and_no_record_changes_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let plain = bench(&order(json!({}))).unwrap();
    let record = json!({ "out": dir.path(), "record": { "every": "10 ms" } });
    for way in
        [json!({ "fold": false }), json!({ "hold": true }), json!({ "straight": false }), record]
    {
        let told = bench(&order(way.clone())).unwrap();
        for key in ["fingerprint", "packet_hops", "flow_goodput_bps", "drop_rate"] {
            assert_eq!(told[key], plain[key], "{key} of {way}");
        }
        assert_eq!(
            told["events"] == plain["events"],
            way.get("out").is_some() || way.get("straight").is_some(),
            "{way}: {}",
            told["events"]
        );
    }
    assert!(dir.path().join("flows.parquet").metadata().unwrap().len() > 1000);
}

#[test]
fn times_and_memory_are_those_of_this_process() {
    let told = bench(&order(json!({}))).unwrap();
    let of = |key: &str| told[key].as_f64().unwrap_or_else(|| panic!("{key} of {told}"));
    for key in ["plan_s", "setup_s", "run_s", "run_process_s", "run_wall_s"] {
        assert!(of(key) > 0.0 && of(key) < 60.0, "{key}: {}", of(key));
    }
    if cfg!(target_os = "linux") {
        assert!(of("rss_start_bytes") > 1e6 && of("peak_rss_bytes") >= of("rss_set_up_bytes"));
    }
}

#[test]
fn only_set_up_stops_there() {
    let mut order = order(json!({}));
    order["only_set_up"] = json!(true);
    let told = bench(&order).unwrap();
    assert!(told.get("setup_s").is_some() && told.get("run_s").is_none());
}

/// The loop is the same for ever: its result is, and so is its length.
#[test]
fn the_calibration_is_always_the_same_loop() {
    let calibration = Calibration::new();
    assert_eq!(calibration.walk(1 << 16), 2_830_820_948_400_561_908);
    let next = |at: &u32| Some(calibration.ring()[*at as usize]);
    let all: std::collections::BTreeSet<u32> =
        std::iter::successors(Some(0), next).take(1 << 16).collect();
    assert_eq!(all.len(), 1 << 16, "one ring through all words");
}
