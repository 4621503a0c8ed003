//! The module's conversation, natively: slices change nothing, and messages are those of
//! the reader. tests/view/test_lab.py tries the module itself.
use dumbbell_web::request::Session;
use serde_json::{Value, json};

const SCENARIO: &str = r#"
duration = "5 s"
warmup = "1 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "red", limit = "60 pkt" }
[[flow]]
name = "near"
count = 2
rtt = "30 ms"
start_spread = "1 s"
"#;

fn ask(session: &mut Session, request: &Value) -> Value {
    session.answer(request.to_string().as_bytes()).json
}

fn scenario(text: &str) -> Value {
    json!({ "text": text, "name": "lab.toml", "instants": 600 })
}

/// The end of a run that goes on in slices of so many events.
fn ran(begin: &Value, events: u64) -> Value {
    let mut session = Session::default();
    let begun = ask(&mut session, begin);
    assert!(begun.get("problem").is_none(), "{begun}");
    loop {
        let went = ask(&mut session, &json!({ "verb": "go", "events": events }));
        if went["done"] == true {
            return ask(&mut session, &json!({ "verb": "finish" }));
        }
        assert!(went["fraction"].as_f64().unwrap() < 1.0, "{went}");
    }
}

#[test]
fn slices_change_nothing_and_tables_have_a_row_for_each_instant() {
    let table = json!({
        "id": "one", "file": "flows.parquet", "columns": ["time_s", "cwnd_packets"],
        "of": { "flow": "near.1" },
    });
    let begin = json!({
        "verb": "begin", "scenario": scenario(SCENARIO), "tables": [table], "signals": 3,
    });
    let (whole, sliced) = (ran(&begin, u64::MAX), ran(&begin, 1000));
    assert_eq!(whole, sliced);
    assert_eq!(whole["run"]["valid"], true);
    // 600 instants or more in 5 s are 5 ms apart.
    assert!((900..=1001).contains(&whole["tables"]["one"]["rows"].as_u64().unwrap()));
    let (count, rows) = (&whole["signals"]["count"], &whole["signals"]["rows"]);
    assert!(count.as_u64().unwrap() > 3);
    assert_eq!(rows.as_array().unwrap().len(), 3);
    assert!(rows[0]["gauges"]["avg"].as_f64().unwrap() > 0.0, "{rows}");
}

#[test]
fn recording_moves_no_fingerprint() {
    let plain = json!({ "verb": "begin", "scenario": { "text": SCENARIO, "name": "lab.toml" } });
    let recorded = json!({ "verb": "begin", "scenario": scenario(SCENARIO) });
    let print = |begin: &Value| ran(begin, u64::MAX)["run"]["fingerprint"].clone();
    assert_eq!(print(&plain), print(&recorded));
}

#[test]
fn a_plan_tells_who_is_in_it() {
    let mut request = scenario(SCENARIO);
    request["verb"] = json!("plan");
    let told = ask(&mut Session::default(), &request);
    assert_eq!(told["every_s"], 0.005);
    assert_eq!(told["flows"][1]["name"], "near.2");
    assert_eq!(told["queues"][0]["rate_bps"], 1e7);
    assert!(told["queues"][0]["gauges"]["min_th"].as_f64().unwrap() > 0.0, "{told}");
}

#[test]
fn problems_have_the_place_and_the_fix() {
    let wrong = scenario(&SCENARIO.replace("\"red\"", "\"redd\""));
    let told = ask(&mut Session::default(), &json!({ "verb": "begin", "scenario": wrong }));
    let rendered = told["problem"]["rendered"].as_str().unwrap();
    assert!(rendered.contains("lab.toml:5:"), "{rendered}");
    assert!(rendered.contains("did you mean `red`?"), "{rendered}");
    let go = ask(&mut Session::default(), &json!({ "verb": "go", "events": 1 }));
    assert_eq!(go["problem"]["problems"][0]["cause"], "no run has begun");
    assert_eq!(Session::default().answer(b"{").json["problem"]["code"], 1);
}

#[test]
fn files_are_those_of_the_request() {
    let files = json!({ "base.toml": SCENARIO, "in/a.toml": "extends = \"../base.toml\"" });
    let of = |files: &Value| {
        let scenario = json!({ "name": "in/a.toml", "files": files });
        json!({ "verb": "begin", "scenario": scenario })
    };
    assert_eq!(ran(&of(&files), u64::MAX)["run"]["valid"], true);
    let lacking = json!({ "in/a.toml": "extends = \"../base.toml\"" });
    let told = ask(&mut Session::default(), &of(&lacking));
    assert!(told["problem"]["rendered"].as_str().unwrap().contains("no files"), "{told}");
}
