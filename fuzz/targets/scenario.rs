//! A scenario file: always a plan, or a problem that says something.
use dumbbell_lab::api;
use serde_json::json;

/// The text of a scenario, which is planned but not run.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    plan(text, &[]);
}

/// Plans the first point.
pub fn plan(text: &str, overrides: &[&str]) {
    let request = json!({
        "source": { "text": text, "name": "fuzz.toml" }, "overrides": overrides, "points": 1,
    });
    match api::plan(&request) {
        Ok(planned) => assert!(
            planned["runs_total"].as_u64().is_some_and(|n| n > 0),
            "a plan \
            without a run"
        ),
        Err(problem) => {
            assert!(!problem.rendered.trim().is_empty(), "a problem that says nothing");
            assert!(
                problem.json["problems"].as_array().is_some_and(|p| !p.is_empty()),
                "a problem \
                without a cause"
            );
        }
    }
}
