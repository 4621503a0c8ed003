//! `red_rtl` is `red_hw` in every packet: the RTL decides real runs, and nothing but the name is
//! different.
mod common;

use common::request;
use dumbbell_lab::api::{self, Caller};
use dumbbell_rtl::testing::rtl;
use serde_json::{Value, json};
use std::path::Path;

/// The paper's scenario, for some seconds.
const PAPER: &str = "../../papers/red-on-netfpga/testbed.toml";
const SHORT: [&str; 4] = ["duration=4 s", "warmup=1 s", "record.drops=true", "seed=3"];

fn paper(queue: &[&str]) -> Value {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAPER);
    let overrides: Vec<&str> = SHORT.iter().chain(queue).copied().collect();
    json!({ "source": { "path": source }, "overrides": overrides })
}

fn run(request: &Value) -> Value {
    api::run(request, &|_| true).unwrap_or_else(|p| panic!("{}", p.rendered))
}

/// The queue of `kind` with the thresholds of a buffer of 36 packets and what `more` says.
fn queue(kind: &str, more: &str) -> String {
    format!("queue={{kind=\"{kind}\", limit=\"36 pkt\"{more}}}")
}

/// The values of a run's result that are compared.
fn said(result: &Value) -> Value {
    let keys = ["valid", "fingerprint", "flows", "queues"];
    let text = json!(keys.map(|key| (key, &result[key]))).to_string().replace("red_rtl", "red_hw");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_papers_scenario_has_one_history_whichever_decides() {
    if !rtl() {
        return;
    }
    let wred = ", classes=[{min_th=\"6 pkt\", max_th=\"12 pkt\"}, {min_th=\"5 pkt\", max_th=\"10 \
        pkt\", max_p=0.05}, {min_th=\"4 pkt\", max_th=\"8 pkt\"}, {min_th=\"3 pkt\", max_th=\"6 \
        pkt\"}]";
    let all = [
        "",
        ", mode=\"paper\"",
        ", mode=\"paper\", threshold=\"constant\", gap=true",
        ", gap=true, idle_half_life=\"1 ms\"",
        wred,
        ", adaptive=true, interval=\"100 ms\"",
        ", mode=\"paper\", idle_half_life=\"500 us\", adaptive=true, interval=\"50 ms\"",
    ];
    let mut prints = vec![];
    for more in all {
        let of = |kind: &str| run(&paper(&[&queue(kind, more)]));
        let (model, rtl) = (of("red_hw"), of("red_rtl"));
        assert_eq!(model["valid"], true, "{more}: {model}");
        assert!(model["fingerprint"].is_string(), "{model}");
        assert_eq!(model["fingerprint"], rtl["fingerprint"], "{more}");
        let drops = model["queues"][0]["drops"].as_object();
        assert!(
            drops.is_some_and(|of| of.values().any(|n| n.as_u64() > Some(0))),
            "{}",
            model["queues"]
        );
        assert_eq!(said(&model), said(&rtl), "{more}");
        prints.push(model["fingerprint"].to_string());
    }
    prints.sort();
    prints.dedup();
    assert!(prints.len() >= 5, "options that change nothing test nothing: {prints:?}");
}

/// Fates of packets one by one, with what the core showed after each: average, region, draw.
#[test]
fn a_link_alone_shows_the_same_to_the_last_bit() {
    if !rtl() {
        return;
    }
    use dumbbell_lab::language::plugins::NoPlugins;
    use dumbbell_lab::run::single_link::{Arrivals, drive};
    let count = 20_000u64;
    let arrivals = Arrivals {
        time_ps: (0..count)
            .map(|k| k * 9_000_000 + (k / 512 % 7) * 1_000_000_000)
            .scan(0, |t, at| {
                *t = at.max(*t);
                Some(*t)
            })
            .collect(),
        bytes: (0..count).map(|k| [1500, 40, 576][(k % 3) as usize]).collect(),
        ecn: vec![0; count as usize],
        flow: vec![0; count as usize],
        dscp: (0..count).map(|k| [0, 10, 12, 14][(k / 3 % 4) as usize]).collect(),
    };
    for mode in ["sound", "paper"] {
        let fates = |kind: &str| {
            let queue = json!({
                "kind": kind, "limit": "60 pkt", "mode": mode, "max_p": 0.1, "weight_shift": 5,
                "idle_half_life": "2 ms", "gap": true,
            });
            let link = json!({ "rate": "500 Mbps", "delay": "1 ms", "queue": queue });
            let tidy = drive(&json!({ "link": link, "seed": 5 }), &arrivals, &NoPlugins)
                .unwrap_or_else(|p| panic!("{}", p.rendered));
            tidy.batches
        };
        let (model, rtl) = (fates("red_hw"), fates("red_rtl"));
        assert_eq!(model, rtl, "{mode}");
        assert!(model[0].column_by_name("draw").is_some(), "the core's draw is shown");
        let verdicts = model[0].column_by_name("verdict").unwrap();
        let text = format!("{verdicts:?}");
        assert!(text.contains("drop") && text.contains("pass"), "{text}");
    }
}

#[test]
fn it_is_listed_and_explained_whether_or_not_it_can_run() {
    let catalogue = api::ask("catalogue", &json!({}), &Caller::PLAIN).unwrap();
    let find = |name: &str| {
        catalogue["aqm"].as_array().unwrap().iter().find(|a| a["name"] == name).cloned().unwrap()
    };
    let (model, rtl) = (find("red_hw"), find("red_rtl"));
    assert_eq!(model["parameters"], rtl["parameters"]);
    assert_eq!(
        (&rtl["language"], &rtl["provenance"]),
        (&json!("SystemVerilog"), &model["provenance"])
    );
    let plan = |kind: &str| {
        api::plan(&paper(&[&queue(kind, ", mode=\"paper\"")]))
            .unwrap_or_else(|p| panic!("{}", p.rendered))
    };
    let bottleneck = |kind: &str| {
        let plan = plan(kind);
        let links = plan["points"][0]["plan"]["links"].as_array().unwrap().clone();
        links.into_iter().find(|l| l["aqm"]["kind"] == kind).unwrap()["aqm"].clone()
    };
    let (model, rtl) = (bottleneck("red_hw"), bottleneck("red_rtl"));
    assert_eq!(model["config"], rtl["config"]);
    assert!(rtl["source_hash"].is_string(), "a result of an edited core is another one");
}

#[test]
fn what_is_wrong_with_its_parameters_is_said_as_the_models() {
    let refused = |kind: &str, more: &str| {
        let problem = api::plan(&paper(&[&queue(kind, more)])).unwrap_err();
        let one = &problem.json["problems"][0];
        let words = |key: &str| one[key].as_str().unwrap_or_default().replace("red_rtl", "red_hw");
        (problem.code, ["cause", "fix", "key"].map(words))
    };
    for more in [
        ", max_th=\"3 pkt\"",
        ", modus=\"paper\"",
        ", classes=[{}]",
        ", adaptive=true, \
        threshold=\"constant\"",
    ] {
        assert_eq!(refused("red_hw", more), refused("red_rtl", more), "{more}");
    }
    let name = api::plan(&request(common::RED, &["queue.kind=red_rtI"])).unwrap_err();
    assert!(name.rendered.contains("did you mean `red_rtl`?"), "{}", name.rendered);
}

/// Of a point's only run.
fn fingerprint(point: &Value) -> &Value {
    if point["fingerprint"].is_string() {
        &point["fingerprint"]
    } else {
        &point["runs"][0]["fingerprint"]
    }
}

/// A sweep goes over it as over any other, on several threads.
#[test]
fn a_sweep_over_thresholds_needs_one_library() {
    if !rtl() {
        return;
    }
    let text = "duration = \"2 s\"\n[dumbbell]\nbottleneck = { rate = \"10 Mbps\", delay = \"5 \
        ms\" }\n[queue]\nkind = \"red_rtl\"\nlimit = \"40 pkt\"\n[[flow]]\nname = \
        \"s\"\n[sweep.grid]\n\"queue.kind\" = [\"red_rtl\", \"red_hw\"]\n\"queue.max_p\" = [0.01, \
        0.05, 0.15]\n";
    let result = run(&request(text, &[]));
    let prints: Vec<&Value> =
        result["points"].as_array().unwrap().iter().map(fingerprint).collect();
    assert_eq!(prints.len(), 6);
    assert!(prints.iter().all(|p| p.is_string()));
    assert_eq!(prints[..3], prints[3..]);
    assert_ne!(prints[0], prints[2]);
}

#[test]
fn lockstep_through_the_door() {
    let wrong = |request: Value| api::ask("rtl_lockstep", &request, &Caller::PLAIN).unwrap_err();
    assert_eq!(wrong(json!({ "packets": 0 })).code, 2);
    assert_eq!(wrong(json!({ "modes": ["loud"] })).code, 2);
    assert_eq!(wrong(json!({ "dut": ["no/such.sv"] })).code, 2);
    if !rtl() {
        return;
    }
    let asked = json!({ "packets": 300_000, "seed": 9, "modes": ["sound", "paper+gap"] });
    let done = api::ask("rtl_lockstep", &asked, &Caller::PLAIN)
        .unwrap_or_else(|p| panic!("{}", p.rendered));
    assert_eq!(
        (&done["mismatches"], &done["first_mismatch"], &done["seed"]),
        (&json!(0), &Value::Null, &json!(9))
    );
    assert!(done["packets"].as_u64().unwrap() >= 300_000, "{done}");
    assert_eq!(done["short_of"], json!([]));
    let again = api::ask("rtl_lockstep", &asked, &Caller::PLAIN).unwrap();
    assert_eq!((&done["clocks"], &done["modes"]), (&again["clocks"], &again["modes"]));
    let endless = json!({ "packets": 1_000_000_000u64, "modes": ["sound"] });
    let impatient = Caller { progress: &|_| false, ..Caller::PLAIN };
    assert_eq!(api::ask("rtl_lockstep", &endless, &impatient).unwrap_err().code, 130);
}

#[test]
fn vectors_appear_whole_and_replace_only_vectors() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("deep/vectors");
    let asked = json!({ "dir": out, "packets": 200, "seed": 1, "mode": "sound" });
    let write = || api::ask("rtl_vectors", &asked, &Caller::PLAIN);
    let done = write().unwrap_or_else(|p| panic!("{}", p.rendered));
    let names = |dir: &Path| -> Vec<String> {
        let mut all: Vec<String> = std::fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        all.sort();
        all
    };
    assert_eq!(names(&out), ["README.md", "expected.hex", "red_vectors_tb.sv", "stimulus.hex"]);
    assert!(done["packets"].as_u64().unwrap() >= 200);
    write().unwrap();
    assert_eq!(names(out.parent().unwrap()), ["vectors"]);
    std::fs::write(out.join("mine.txt"), "x").unwrap();
    let refused = write().unwrap_err();
    assert!(refused.code == 2 && refused.rendered.contains("mine.txt"), "{}", refused.rendered);
}
