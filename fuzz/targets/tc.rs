//! Lines of tc: always a meaning, or a problem that says something; and what means something here
//! is sent back to tc in lines that mean the same again.
use dumbbell_core::plugin::Plugins;
use dumbbell_lab::{api, tc};
use serde_json::{Value, json};

/// Lines of tc.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match tc::import(text) {
        Ok(read) => there_and_back(&read),
        Err(problem) => assert!(!problem.rendered.trim().is_empty(), "a problem that says nothing"),
    }
}

fn there_and_back(read: &Value) {
    let toml = read["toml"].as_str().expect("text").replace("[dumbbell.bottleneck]\n", "");
    let (queue, wire) = toml.split_once("\n\n").map_or((toml.as_str(), ""), |halves| halves);
    let (queue, wire) = if read["queue"].is_null() { ("", queue) } else { (queue, wire) };
    let missing: String = [("rate", "10 Mbps"), ("delay", "0 s")]
        .into_iter()
        .filter(|(key, _)| read["link"][*key].is_null())
        .map(|(key, value)| format!("{key} = \"{value}\"\n"))
        .collect();
    let scenario = format!(
        "duration = \"1 \
        s\"\n[[flow]]\n[dumbbell.bottleneck]\n{missing}{wire}\n{queue}"
    );
    let request = json!({ "source": { "text": scenario } });
    // A scenario may refuse what a line of tc can say: a queue that holds no packet of the MTU, for
    // instance.
    let Ok(planned) = api::plan(&request) else { return };
    let links = planned["points"][0]["plan"]["links"].as_array().expect("links");
    let link = links.iter().find(|l| l["name"] == "bottleneck").expect(
        "a dumbbell has a \
        bottleneck",
    );
    let sent = tc::export(&json!({ "link": link }), &Plugins::default()).unwrap_or_else(|p| {
        panic!(
            "not sent back: \
        {}",
            p.rendered
        )
    });
    let lines: Vec<&str> =
        sent["lines"].as_array().expect("lines").iter().filter_map(Value::as_str).collect();
    let again =
        tc::import(&lines.join("\n")).unwrap_or_else(|p| panic!("not read again: {}", p.rendered));
    if !read["queue"].is_null() {
        assert_eq!(read["queue"], again["queue"], "{lines:?}");
    }
    assert_eq!(read["conditioner"], again["conditioner"], "{lines:?}");
    assert_eq!(read["impairment"], again["impairment"], "{lines:?}");
}
