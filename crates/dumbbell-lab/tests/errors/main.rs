//! What users and programs are told about mistakes.
#[path = "../common/mod.rs"]
mod common;
mod files;
mod mistakes;

use common::{RED, plan, study};
use dumbbell_lab::api;
use dumbbell_lab::language::problem::code;
use serde_json::json;

#[test]
fn a_problem_says_the_same_to_programs() {
    let request = json!({ "source": { "text": RED.replace("red", "redd"), "name": "net.toml" } });
    let problem = api::plan(&request).unwrap_err();
    assert_eq!(
        problem.json,
        json!({ "code": 2, "problems": [{
            "cause": "there is no queue named `redd`", "fix": "did you mean `red`?",
            "key": "queue.kind",
            "file": "net.toml", "line": 8, "column": 8,
        }] })
    );
}

#[test]
fn a_dictionary_is_shown_where_it_is_wrong() {
    let value = json!({
        "duration": "10 s", "dumbbell": { "bottleneck": { "rate": "10 Mbps", "delay": 10 } },
        "flow": [{ "rtt": "40 ms" }],
    });
    let problem = api::plan(&json!({ "source": { "value": value } })).unwrap_err();
    assert!(
        problem.rendered.contains("\"delay\": 10") && problem.rendered.contains("10 ms"),
        "{}",
        problem.rendered
    );
    assert_eq!(problem.json["problems"][0]["key"], "dumbbell.bottleneck.delay");
}

#[test]
fn independent_errors_are_reported_together() {
    let text = RED.replace("\"10 s\"", "10").replace("\"40 ms\"", "40").replace("\"1 s\"", "1");
    assert_eq!(study(&text, &[]).unwrap_err().json["problems"].as_array().unwrap().len(), 3);
    let text = RED.replace("min_th", "min_ht").replace("newreno", "neureno").replace(
        "40 ms",
        "4 \
        ms",
    );
    let causes = study(&text, &[]).unwrap_err().json["problems"].clone();
    assert!(causes.as_array().unwrap().len() >= 2, "{causes}");
}

/// Results call a flow by its address, whether its name was written or not.
#[test]
fn a_flow_without_a_name_is_addressed_as_results_show_it() {
    let text = RED.replacen("name = \"s\"\n", "", 1)
        + "[[flow]]\ncc = \"cubic\"\nrtt = \"50 \
        ms\"\n";
    let by_name = plan(&text, &["flow.flow2.rtt=80 ms"]);
    assert_eq!(
        by_name.flows.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(),
        ["flow1", "flow2"]
    );
    assert!(by_name == plan(&text, &["flow.1.rtt=80 ms"]) && by_name != plan(&text, &[]));
    let problem = study(&text, &["flow.flow3.rtt=80 ms"]).unwrap_err();
    assert_eq!(
        problem.json["problems"][0]["fix"],
        "there are 2: flow.0 to flow.1, or flow.* for all, named flow1, flow2"
    );
}

/// A TOML that is fine but for its depth is not called another language.
#[test]
fn brackets_within_brackets_are_said_to_be_too_deep() {
    let lists = format!("seed = {}{}", "[".repeat(500), "]".repeat(500));
    let tables = format!("seed = {}1{}", "{ a = ".repeat(500), " }".repeat(500));
    for text in [lists, tables, format!("seed{} = 1", ".a".repeat(500))] {
        let problem = study(&format!("{text}\n{RED}"), &[]).unwrap_err();
        let first = &problem.json["problems"][0];
        assert_eq!(first["cause"], "lists and tables are nested too deep here", "{first}");
        assert_eq!(first["line"], 1);
    }
}

/// After a syntax error keys land in the table that was meant before: they are not written twice.
#[test]
fn a_syntax_error_has_no_second_error_that_follows_from_it() {
    let text = RED.replacen("[queue]", "[queue", 1) + "[[flow]]\nname = \"t\"\nrtt = \"50 ms\"\n";
    let problems = study(&text, &[]).unwrap_err().json["problems"].clone();
    assert_eq!(problems.as_array().map(Vec::len), Some(1), "{problems}");
    let text =
        RED.replacen("warmup", "duration = \"1 s\"\nwarmup", 1).replacen("[queue]", "[queue", 1);
    let problems = study(&text, &[]).unwrap_err().json["problems"].clone();
    assert_eq!(
        problems.as_array().map(Vec::len),
        Some(2),
        "a key that was written twice before \
        it: {problems}"
    );
}

#[test]
fn a_request_of_a_program_is_named_by_its_key() {
    let request = json!({ "source": { "text": RED }, "seed": -1 });
    let problem = api::plan(&request).unwrap_err();
    assert_eq!(
        problem.rendered,
        "  × `seed`: -1 is negative\n  help: write a whole number from 0 \
        up\n"
    );
}

/// Processor time of this thread that a scenario with `n` unknown keys takes, the least of three,
/// seconds.
#[cfg(unix)]
fn cost(place: &str, n: usize) -> f64 {
    let keys: String = (0..n).map(|i| format!("k{i} = {i}\n")).collect();
    let text = if place.is_empty() {
        format!("{keys}{RED}")
    } else {
        RED.replacen(place, &format!("{place}\n{keys}"), 1)
    };
    let now = || {
        let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
    };
    let once = |_| {
        let start = now();
        assert_eq!(study(&text, &[]).unwrap_err().code, code::SCENARIO);
        now() - start
    };
    (0..3).map(once).fold(f64::INFINITY, f64::min)
}

/// Eight times the keys cost eight times as much, and not 64 times. It is a ratio of processor
/// time, not a time.
#[cfg(unix)]
#[test]
fn unknown_keys_cost_in_proportion_to_their_number() {
    for place in ["", "[queue]", "[[flow]]"] {
        let ratio = cost(place, 16_000) / cost(place, 2_000);
        assert!(
            ratio < 24.0,
            "unknown keys after `{place}`: eight times as many cost {ratio:.1} \
            times as much"
        );
    }
}
