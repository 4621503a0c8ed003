//! Services in scenarios, and the origins of traces.
mod common;

use common::{GRAPH, RED, plan};
use dumbbell_core::units::{Capacity, Rate};
use dumbbell_lab::api;
use dumbbell_plan::{Link, Plan};
use serde_json::{Value, json};
use std::path::Path;

fn named(p: &Plan, name: &str) -> Link {
    p.links.iter().find(|l| l.name == name).cloned().expect("a link of this name")
}

/// A scenario without the bottleneck's rate, with this service.
fn with_service(service: &str) -> String {
    let written = "rate = \"10 Mbps\", delay = \"10 ms\"";
    assert!(RED.contains(written));
    RED.replace(written, &format!("delay = \"10 ms\", service = {service}"))
}

fn refused(request: &Value) -> String {
    api::plan(request).expect_err("refused").rendered
}

#[test]
fn a_service_brings_its_mean_rate() {
    let p = plan(
        &with_service("{ kind = \"mahimahi\", trace = \"1x2*500 500\" }"),
        &["queue.limit=100 \
        ms"],
    );
    let b = named(&p, "bottleneck");
    // 1001 opportunities in a second.
    assert_eq!(b.rate, Rate::from_bps(12_012_000));
    assert_eq!(b.capacity, Capacity::Bytes(150_150), "a limit in time goes by the mean");
    assert_eq!(b.service.as_ref().unwrap().config["trace"], "1x2*500 500");
    let back = named(&p, "bottleneck_reverse");
    assert_eq!(
        (back.rate, back.service),
        (b.rate, None),
        "the other direction has the rate, not \
        the trace"
    );
    assert_eq!(
        p.links.last().unwrap().rate,
        Rate::from_bps(120_120_000),
        "access links are ten \
        times as fast"
    );
}

#[test]
fn each_direction_has_its_own() {
    let p = plan(&with_service("\"mahimahi\""), &["dumbbell.bottleneck.reverse.service=steps"]);
    assert_eq!(named(&p, "bottleneck").service.unwrap().kind.clone(), "mahimahi");
    assert_eq!(named(&p, "bottleneck_reverse").service.unwrap().kind.clone(), "steps");
    let p = plan(GRAPH, &["link.1.service=mahimahi", "link.1.reverse.service=steps"]);
    assert_eq!(named(&p, "r1->r2").service.unwrap().kind.clone(), "mahimahi");
    assert_eq!(
        (named(&p, "r2->r1").service.unwrap().kind.clone(), named(&p, "r2->r1").rate),
        ("steps".into(), Rate::from_mbps(8))
    );
}

/// Of an Ethernet both ends are one service's: an end that nothing is written for is the opposite
/// of the other; both are reported.
#[test]
fn the_ends_of_an_ethernet_belong_together() {
    let ends = |overrides: &[&str]| {
        let p = plan(RED, overrides);
        ["bottleneck", "bottleneck_reverse"].map(|name| {
            let link = named(&p, name);
            let half = link.service.map(|spec| spec.config["half"].clone());
            (half, link.rate, link.report)
        })
    };
    let (rate, service) = (Rate::from_mbps(10), "dumbbell.bottleneck.service=duplex_mismatch");
    let (half, full) = ((Some(json!(true)), rate, true), (Some(json!(false)), rate, true));
    assert_eq!(ends(&[service]), [half.clone(), full.clone()]);
    let reverse = "dumbbell.bottleneck.reverse.service=duplex_mismatch";
    assert_eq!(ends(&[reverse]), [full, half.clone()]);
    assert_eq!(ends(&[service, reverse]), [half.clone(), half]);
    let refusal =
        |overrides: &[&str]| refused(&json!({ "source": { "text": RED }, "overrides": overrides }));
    for (more, says) in [
        ("dumbbell.bottleneck.reverse.service=constant", "half = false } here, or take it out"),
        ("dumbbell.bottleneck.reverse.service={kind=\"arq\", loss=0.1}", "and the other of arq"),
        ("dumbbell.bottleneck.reverse.rate=1 Mbps", "an Ethernet has one rate"),
        ("dumbbell.bottleneck.rate=1 Gbps", "write rate = \"100 Mbps\""),
    ] {
        let said = refusal(&[service, more]);
        assert!(said.contains(says), "{more}: {said}");
    }
}

#[test]
fn the_constant_rate_needs_no_word() {
    let hash = |text: &str, overrides: &[&str]| {
        let request = json!({ "source": { "text": text }, "overrides": overrides });
        api::plan(&request).unwrap()["points"][0]["plan_hash"].clone()
    };
    assert_eq!(hash(RED, &[]), hash(RED, &["dumbbell.bottleneck.service=constant"]));
    assert!(!serde_json::to_string(&plan(RED, &[])).unwrap().contains("\"service\":"));
}

#[test]
fn a_rate_beside_one_does_not_apply_and_none_at_all_is_an_error() {
    let request =
        json!({ "source": { "text": RED }, "overrides": ["dumbbell.bottleneck.service=mahimahi"] });
    let planned = api::plan(&request).unwrap();
    assert!(
        planned["notes"][0].as_str().unwrap().contains(
            "mahimahi has its own, 12 Mbps in the \
        mean"
        ),
        "{planned}"
    );
    let said = refused(&json!({ "source": { "text": with_service("\"constant\"") } }));
    assert!(said.contains("`rate` is missing"), "{said}");
    let said = refused(&json!({ "source": { "text": with_service("\"mahimahy\"") } }));
    assert!(said.contains("did you mean `mahimahi`?"), "{said}");
    let said = refused(
        &json!({ "source": { "text": with_service("{ kind = \"steps\", steps = [[\"0 s\", \
            \"9\"]] }") } }),
    );
    assert!(said.contains("a rate needs its unit"), "{said}");
}

/// A service without a rate of its own takes the link's, which is in the plan what it is in the
/// mean; the other direction has the rate as written.
#[test]
fn a_service_goes_by_the_rate_of_its_link() {
    let with = |service: &str| format!("dumbbell.bottleneck.service={service}");
    for (service, nominal) in [
        ("{kind=\"sine\", depth=0.9}", 10_000_000),
        ("{kind=\"square\", low=\"2 Mbps\", duty=0.25}", 4_000_000),
        ("{kind=\"outage\", at=[[\"1 s\", \"1 s\"]], period=\"4 s\"}", 7_500_000),
        ("{kind=\"outage\", mean_up=\"900 ms\", mean_down=\"100 ms\"}", 9_000_000),
        ("{kind=\"arq\", loss=0.5, limit=2, turnaround=\"0 s\"}", 6_666_667),
        ("{kind=\"handoff\", handoffs=[[\"1 s\", \"1 s\", \"3 Mbps\", \"0 s\"]]}", 3_000_000),
    ] {
        let p = plan(RED, &[&with(service)]);
        let b = named(&p, "bottleneck");
        assert_eq!(
            (b.rate, &b.service.as_ref().unwrap().config["rate"]),
            (
                Rate::from_bps(nominal),
                &json!(
                    "10 \
            Mbps"
                )
            )
        );
        assert_eq!(named(&p, "bottleneck_reverse").rate, Rate::from_mbps(10), "{service}");
        let p = plan(
            RED,
            &[
                &with(service),
                "dumbbell.bottleneck.reverse.service={kind=\"square\", \
            low=\"5 Mbps\"}",
            ],
        );
        assert_eq!(named(&p, "bottleneck_reverse").rate, Rate::from_bps(7_500_000), "{service}");
        // A world that is built from the plan gets the same service again: the rate is not lowered
        // twice.
        let again = dumbbell_sim::World::new(&p, dumbbell_sim::Options::default());
        assert!(again.is_ok());
    }
    let said = refused(&json!({ "source": { "text": with_service("\"arq\"") } }));
    assert!(said.contains("`rate` is missing"), "{said}");
    let p = plan(&with_service("{ kind = \"arq\", rate = \"8 Mbps\", loss = 0.0 }"), &[]);
    assert_eq!(named(&p, "bottleneck").rate, Rate::from_mbps(8));
}

/// A loss trace is read as its words are said to be, and stands in the plan in few of them.
#[test]
fn a_loss_trace_is_read_beside_its_scenario() {
    let dir = tempfile::tempdir().unwrap();
    let planned = |of: &str, words: &str| {
        write(dir.path(), "losses.txt", words);
        let one = format!(
            "impairment = [\"bernoulli\", {{ kind = \"loss_trace\", of = \"{of}\", file = \
                \"losses.txt\" }}]"
        );
        write(
            dir.path(),
            "s.toml",
            &RED.replace(
                "delay = \"10 ms\"",
                &format!(
                    "delay = \"10 ms\", \
            {one}"
                ),
            ),
        );
        api::plan(&json!({ "source": { "path": dir.path().join("s.toml") } }))
    };
    for (of, words, trace) in [
        ("bits", "0\n0\n0\n1\n", "0x3 1"),
        ("packets", "# two\n4 7\n", "4 7"),
        (
            "times",
            "0.50\n3\n",
            "0.5 \
            3",
        ),
    ] {
        let config = &planned(of, words).unwrap()["points"][0]["plan"]["links"][0]["impairments"]
            [1]["config"];
        assert_eq!(*config, json!({ "file": "", "of": of, "trace": trace, "repeat": false }));
    }
    for (of, words, part) in [
        ("bits", "0\n2\n", "losses.txt, line 2: `2` is neither 0 nor 1"),
        ("packets", "4\n4\n", "losses.txt, line 2: it is not after the one before it"),
        ("times", "", "losses.txt: there is nothing in it"),
        ("seconds", "1\n", "of"),
    ] {
        let problem = planned(of, words).expect_err(of);
        assert!(problem.rendered.contains(part), "{}", problem.rendered);
        assert!(
            problem.json["problems"][0]["line"].is_u64() && problem.code == 2,
            "{}",
            problem.json
        );
    }
}

fn write(dir: &Path, name: &str, text: &str) {
    let file = dir.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

/// A file is beside the scenario that names it, also when another extends that; two contents are
/// two plans, and two names of one content are one.
#[test]
fn a_trace_is_read_beside_its_scenario_and_is_part_of_the_plan() {
    let dir = tempfile::tempdir().unwrap();
    let base = with_service("{ kind = \"mahimahi\", file = \"up.trace\" }");
    write(dir.path(), "below/base.toml", &base);
    write(dir.path(), "below/up.trace", "1\n2\n2\n7\n");
    write(dir.path(), "below/same.trace", "1\n2\n2\n7\n");
    write(dir.path(), "below/other.trace", "1\n2\n2\n8\n");
    write(dir.path(), "top.toml", "extends = \"below/base.toml\"\n");
    write(
        dir.path(),
        "below/swept.toml",
        "extends = \"base.toml\"\n[sweep.grid]\n\"dumbbell.bottleneck.service.file\" = \
            [\"up.trace\", \"same.trace\", \"other.trace\"]\n",
    );
    let planned =
        |name: &str| api::plan(&json!({ "source": { "path": dir.path().join(name) } })).unwrap();
    let top = planned("top.toml");
    let config = &top["points"][0]["plan"]["links"][0]["service"]["config"];
    assert_eq!(*config, json!({ "file": "", "trace": "1 1x2 5" }));
    assert_eq!(
        top["scenario"]["dumbbell"]["bottleneck"]["service"],
        json!({ "kind": "mahimahi", "trace": "1 \
        1x2 5" })
    );
    let swept = planned("below/swept.toml");
    let hash = |i: usize| swept["points"][i]["plan_hash"].as_str().unwrap();
    assert_eq!(hash(0), hash(1));
    assert_ne!(hash(0), hash(2));
}

/// Results hold the trace: their scenario runs again when the file is gone.
#[test]
fn results_need_no_file() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "s.toml", &with_service("{ kind = \"mahimahi\", file = \"up.trace\" }"));
    write(dir.path(), "up.trace", "1\n2\n2\n7\n");
    let out = dir.path().join("out");
    let overrides = ["duration=2 s", "warmup=0 s"];
    let run = |source: &Path, out: Option<&Path>| {
        let request = json!({ "source": { "path": source }, "overrides": overrides, "out": out });
        api::run(&request, &|_| true).unwrap()["fingerprint"].clone()
    };
    let first = run(&dir.path().join("s.toml"), Some(&out));
    std::fs::remove_file(dir.path().join("up.trace")).unwrap();
    assert_eq!(run(&out.join("scenario.toml"), None), first);
}

#[test]
fn a_bad_trace_is_named_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "s.toml", &with_service("{ kind = \"mahimahi\", file = \"up.trace\" }"));
    let request = json!({ "source": { "path": dir.path().join("s.toml") } });
    let said = |bytes: Option<&[u8]>| {
        let _ = std::fs::remove_file(dir.path().join("up.trace"));
        if let Some(bytes) = bytes {
            std::fs::write(dir.path().join("up.trace"), bytes).unwrap();
        }
        let problem = api::plan(&request).expect_err("refused");
        assert_eq!(problem.code, 2);
        assert!(problem.json["problems"][0]["line"].is_u64(), "{}", problem.json);
        problem.rendered
    };
    for (bytes, part) in [
        (&b""[..], "up.trace: the trace is empty"),
        (b"1\n-1\n", "up.trace, line 2: `-1` is negative"),
        (b"5\n1\n", "up.trace, line 2: 1 ms comes after 5 ms"),
        (b"\x80\xff\n", "is not a whole number"),
        (b"1\r\n", "carriage return"),
        (b"1\n2", "may be truncated"),
    ] {
        let rendered = said(Some(bytes));
        assert!(rendered.contains(part), "{rendered}");
    }
    assert!(said(None).contains("there is no file"));
    std::fs::create_dir(dir.path().join("up.trace")).unwrap();
    let problem = api::plan(&request).expect_err("a directory");
    assert!(problem.rendered.contains("cannot be read"), "{}", problem.rendered);
}
