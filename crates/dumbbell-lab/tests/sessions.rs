//! Sessions: which flows they become, what is wrong with them, and what results say of them.
#![allow(clippy::disallowed_methods)] // intervals, not results
mod common;

use common::{GRAPH, plan};
use dumbbell_core::units::{Bytes, Span};
use dumbbell_lab::api;
use dumbbell_plan::{Flow, Plan};
use serde_json::{Value, json};
use std::path::Path;

const WEB: &str = r#"
duration = "20 s"
warmup = "2 s"
queue = { kind = "drop_tail", limit = "100 pkt" }
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }

[[flow]]
name = "bulk"

[[session]]
name = "web"
load = 0.4
size = { kind = "bounded_pareto", shape = 1.2, min = "1 kB", max = "1 MB" }
rtt = "40 ms"
"#;

/// E[X] of that law, by its integral of P(X > x) from 0 to 1 MB.
fn mean_bytes() -> f64 {
    let r = 1e-3f64.powf(1.2);
    let survival = |x: f64| (((1000.0 / x).powf(1.2) - r) / (1.0 - r)).min(1.0);
    let grid: Vec<f64> = (0..=60_000).map(|i| 10f64.powf(f64::from(i) / 1e4)).collect();
    1.0 + grid
        .windows(2)
        .map(|w| (w[1] - w[0]) * (survival(w[0]) + survival(w[1])) / 2.0)
        .sum::<f64>()
}

fn size(f: &Flow) -> u64 {
    f.source.config["size"].as_str().unwrap().parse::<Bytes>().unwrap().0
}

fn of_session(p: &Plan) -> Vec<(Span, u64)> {
    p.flows.iter().filter(|f| f.session.is_some()).map(|f| (f.start, size(f))).collect()
}

fn run(text: &str, overrides: &[&str]) -> Value {
    api::run(&json!({ "source": { "text": text }, "overrides": overrides }), &|_| true).unwrap()
}

fn refused(text: &str, overrides: &[&str]) -> Value {
    api::plan(&json!({ "source": { "text": text }, "overrides": overrides }))
        .expect_err("refused")
        .json
}

/// Two schemes under one seed see the same flows; so do those beside which others run. Another load
/// sees the same sizes.
#[test]
fn flows_are_of_the_seed_and_the_name() {
    let base = of_session(&plan(WEB, &[]));
    assert!(base.len() > 200);
    for same in
        [&["queue=codel"][..], &["flow.0.count=5"], &["session.0.cc=cubic"], &["profile=linux"]]
    {
        assert_eq!(of_session(&plan(WEB, same)), base, "{same:?}");
    }
    for other in ["seed=2", "session.0.name=w"] {
        assert_ne!(of_session(&plan(WEB, &[other])), base, "{other}");
    }
    let lighter = of_session(&plan(WEB, &["session.0.load=0.2"]));
    assert!(
        lighter.iter().zip(&base).all(|(a, b)| a.1 == b.1 && a.0 > b.0)
            && lighter.len() < base.len()
    );
}

/// The number of arrivals in 20 s over forty seeds is Poisson: its mean and its index of
/// dispersion; sizes have the mean of their law, and so the bits that arrive the load that was
/// asked for.
#[test]
fn arrivals_are_poisson_and_offer_their_load() {
    let per_s = 0.4 * 10e6 / 8.0 / mean_bytes();
    let runs: Vec<Vec<(Span, u64)>> =
        (1..=40).map(|s| of_session(&plan(WEB, &[&format!("seed={s}")]))).collect();
    let counts: Vec<f64> = runs.iter().map(|r| r.len() as f64).collect();
    let n = counts.len() as f64;
    let mean = counts.iter().sum::<f64>() / n;
    let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / (n - 1.0);
    assert!(
        (mean - 20.0 * per_s).abs() < 4.4 * (20.0 * per_s / n).sqrt(),
        "{mean} {}",
        20.0 * per_s
    );
    assert!((variance / mean - 1.0).abs() < 4.4 * (2.0 / n).sqrt(), "{variance} {mean}");
    let sizes: Vec<f64> = runs.iter().flatten().map(|(_, size)| *size as f64).collect();
    let m = sizes.len() as f64;
    let average = sizes.iter().sum::<f64>() / m;
    let deviation = (sizes.iter().map(|s| (s - average).powi(2)).sum::<f64>() / m).sqrt();
    assert!(
        (average - mean_bytes()).abs() < 4.4 * deviation / m.sqrt(),
        "{average} {}",
        mean_bytes()
    );
    let offered = plan(WEB, &[]).sessions[0].offered_bps.unwrap();
    assert!((offered - 4e6).abs() < 1.0, "{offered}");
}

#[test]
fn a_load_is_of_the_slowest_link_of_the_path() {
    let own = GRAPH.to_string()
        + "[[session]]\nfrom = \"a\"\nto = \"b\"\nload = 0.5\nsize = \"10 \
        kB\"\n";
    let p = plan(&own, &[]);
    let flow = p.flows.iter().find(|f| f.session.is_some()).unwrap();
    let slowest = flow.forward.iter().map(|l| p.links[*l].rate.bps()).min().unwrap();
    assert!((p.sessions[0].offered_bps.unwrap() - 0.5 * slowest as f64).abs() < 1.0);
    let reverse = &["session.0.direction=reverse", "dumbbell.bottleneck.reverse.rate=2 Mbps"];
    assert!((plan(WEB, reverse).sessions[0].offered_bps.unwrap() - 0.8e6).abs() < 1.0);
}

#[test]
fn a_window_and_a_most_hold() {
    let p = plan(WEB, &["session.0.start=5 s", "session.0.stop=6 s"]);
    let starts: Vec<Span> = of_session(&p).iter().map(|f| f.0).collect();
    assert!(
        starts.iter().all(|s| (Span::from_secs(5)..Span::from_secs(6)).contains(s))
            && starts.len() > 20
    );
    assert_eq!(of_session(&plan(WEB, &["session.0.most=7"])).len(), 7);
    assert_eq!(plan(WEB, &["session.0.most=7"]).flows[7].name, "web.7");
}

fn write(dir: &Path, name: &str, text: &str) -> std::path::PathBuf {
    std::fs::write(dir.join(name), text).unwrap();
    dir.join(name)
}

#[test]
fn a_list_is_replayed_and_no_longer_needed() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "flows.csv", "start,size\n1.5,20 kB\n250 ms,3000\n30,1\n");
    let text = "duration = \"10 s\"\ndumbbell.bottleneck = { rate = \"10 Mbps\", delay = \"10 ms\" \
        }\n[[session]]\nname = \"replay\"\nlist = \"flows.csv\"\nstart = \"1 s\"\n";
    let file = write(dir.path(), "s.toml", text);
    let planned = api::plan(&json!({ "source": { "path": file } })).unwrap();
    let p: Plan = serde_json::from_value(planned["points"][0]["plan"].clone()).unwrap();
    assert_eq!(
        of_session(&p),
        [(Span::from_ms(1250), 3000), (Span::from_ms(2500), 20_000)],
        "one \
        is beyond the end"
    );
    let out = api::run(&json!({ "source": { "path": file } }), &|_| true).unwrap();
    assert_eq!(
        (out["sessions"][0]["flows"].clone(), out["sessions"][0]["finished"].clone()),
        (json!(2), json!(2))
    );
    for (bad, said) in [
        ("start,size\n1,2\nx,5\n", "flows.csv, line 3"),
        ("1,2\n", "flows.csv, line 1: there is no column `1`"),
        ("start,size,from,to\n1,2,a,b\n", "a short form makes its own"),
    ] {
        write(dir.path(), "flows.csv", bad);
        let problem = api::plan(&json!({ "source": { "path": file } })).unwrap_err();
        assert!(problem.rendered.contains(said), "{bad}: {}", problem.rendered);
        assert_eq!(problem.json["problems"].as_array().unwrap().len(), 1, "{}", problem.rendered);
    }
    std::fs::remove_file(dir.path().join("flows.csv")).unwrap();
    let said = api::plan(&json!({ "source": { "path": file } })).unwrap_err().rendered;
    assert!(said.contains("there is no file") && said.contains("`list` is relative"), "{said}");
}

#[test]
fn a_list_may_name_hosts() {
    let list = "transfers = \"start,size,from,to\\n0,5 kB,a,b\\n1,6 kB,b,a\\n2,7 kB,a,b\\n\"\n";
    let p = plan(&(GRAPH.to_string() + "[[session]]\nname = \"w\"\n" + list), &[]);
    let of = |i: usize| {
        let f = p.flows.iter().find(|f| f.name == format!("w.{i}")).unwrap();
        (p.nodes[f.from].name.clone(), p.nodes[f.to].name.clone(), size(f))
    };
    assert_eq!(of(1), ("a".into(), "b".into(), 5000));
    assert_eq!(of(2), ("b".into(), "a".into(), 6000));
    assert_eq!(of(3), ("a".into(), "b".into(), 7000));
    let wrong = GRAPH.to_string() + "[[session]]\n" + &list.replace(",b,a\\n2", ",b,nobody\\n2");
    let said = refused(&wrong, &[]);
    assert_eq!(
        (said["problems"][0]["key"].clone(), said["problems"].as_array().unwrap().len()),
        (json!("session.0.to"), 1)
    );
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    for (overrides, key, said) in [
        (&["session.0.load=-1"][..], "session.0.load", "not a valid load"),
        (&["session.0.arrivals=5/s"], "session.0.load", "both say"),
        (&["session.0.arrivals=5"], "session.0.arrivals", "needs its unit"),
        (&["session.0.arrivals=5/year"], "session.0.arrivals", "not a valid arrival rate"),
        (&["session.0.arrivals=0/s"], "session.0.arrivals", "above zero"),
        (&["session.0.size.shape=0"], "session.0.size", "not a valid shape"),
        (&["session.0.size.min=2 MB"], "session.0.size", "not below the greatest"),
        (&["session.0.size.kind=paretto"], "session.0.size", "not one of the choices"),
        (&["session.0.size=web_serch"], "session.0.size", "not one of the choices"),
        (&["session.0.size=0 B"], "session.0.size", "at least one byte"),
        (
            &["session.0.size={ kind = \"pareto\", shape = 0.9, mean = \"1 kB\" }"],
            "session.0.size",
            "has \
            no mean",
        ),
        (
            &["session.0.stop=1 s", "session.0.start=2 s"],
            "session.0.stop",
            "arrivals begin at 2 s \
            and end at 1 s",
        ),
        (&["session.0.stop=21 s"], "session.0.stop", "after the run"),
        (&["session.0.start=20 s"], "session.0.start", "this session starts at 20 s"),
        (&["session.0.most=0"], "session.0.most", "no flows"),
        (&["session.0.cc=rhino"], "session.0.cc.kind", "no cc named"),
        (&["session.0.rtt=1 ms"], "session.0.rtt", "less than the 20 ms"),
        (&["session.0.tcp.sack=yes"], "session.0.tcp.sack", "boolean"),
        (&["session.0.from=a"], "session.0.from", "names a host"),
        (&["session.0.name=bulk"], "session.0.name", "have the name `bulk`"),
        (&["session.0.laod=1"], "session.0.laod", "no key `laod`"),
        (&["session.0.load=90", "duration=100000 s", "record={}"], "session.0", "flows arrive"),
        (
            &["flow.0.source=request_response", "flow.0.transport=udp"],
            "flow.0.transport",
            "waits \
            for acknowledgments",
        ),
    ] {
        let problems = refused(WEB, overrides);
        let first = &problems["problems"][0];
        assert_eq!(first["key"], key, "{overrides:?}: {problems}");
        assert!(first["cause"].as_str().unwrap().contains(said), "{overrides:?}: {problems}");
        assert!(
            first["fix"].is_string() || first["cause"].as_str().unwrap().contains("boolean"),
            "{problems}"
        );
    }
    let without = WEB.replace("load = 0.4\n", "");
    assert_eq!(refused(&without, &[])["problems"][0]["key"], "session.0");
}

/// Overrides replace a law by a quantity, a name or another law.
#[test]
fn laws_are_laid_over_laws() {
    let of = |overrides: &[&str]| {
        let sizes: Vec<u64> = of_session(&plan(WEB, overrides)).iter().map(|f| f.1).collect();
        (*sizes.iter().min().unwrap(), *sizes.iter().max().unwrap())
    };
    let light = "session.0.load=0.1";
    assert_eq!(of(&[light, "session.0.size=12 kB"]), (12_000, 12_000));
    assert!(of(&[light, "session.0.size=web_search", "session.0.load=20"]).1 > 1_000_000);
    assert!(
        of(&[light, "session.0.size={ kind = \"uniform\", min = \"5 kB\", max = \"6 kB\" }"]).0
            >= 5000
    );
    // `min` and `max` stay, `shape` does not apply.
    let (least, most) = of(&[light, "session.0.size.kind=uniform", "session.0.size.max=2 kB"]);
    assert!(least >= 1000 && most <= 2000, "{least} {most}");
    let think = [
        "flow.0.source=request_response",
        "flow.0.source.think={ kind = \"pareto\", mean = \"1 \
            s\", shape = 1.5 }",
    ];
    let p = plan(WEB, &[think[0], think[1], "flow.0.source.think=20 ms"]);
    assert_eq!(p.flows[0].source.config["think"], "20 ms");
}

#[test]
fn an_overload_is_noted_with_its_cause() {
    let notes = |overrides: &[&str]| {
        let request = json!({ "source": { "text": WEB }, "overrides": overrides });
        api::plan(&request).unwrap()["warnings"].to_string()
    };
    assert!(!notes(&[]).contains("offer"), "{}", notes(&[]));
    let said = notes(&["session.0.load=1.2"]);
    assert!(said.contains("sessions offer 120 % of what `bottleneck` carries"), "{said}");
}

/// Counts close; times are in order; nothing is faster than it can be.
#[test]
fn results_tell_of_sessions_together() {
    let out = run(WEB, &["queue.limit=20 pkt"]);
    assert_eq!(
        out["flows"].as_array().unwrap().len(),
        1,
        "flows are those that were written as \
        flows"
    );
    let web = &out["sessions"][0];
    let of = |key: &str| web[key].as_f64().unwrap();
    let p = plan(WEB, &["queue.limit=20 pkt"]);
    let begun = of_session(&p).iter().filter(|f| f.0 >= Span::from_secs(2)).count();
    assert_eq!(of("flows"), begun as f64);
    assert!(of("finished") <= of("flows") && of("finished") > 0.9 * of("flows"));
    assert!(
        of("p50_completion_s") <= of("p95_completion_s")
            && of("p95_completion_s") <= of("p99_completion_s")
    );
    let percentiles: Vec<f64> = web["completion_percentiles_s"]
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect();
    assert!(percentiles.len() == 101 && percentiles.windows(2).all(|w| w[0] <= w[1]));
    assert_eq!(percentiles[95], of("p95_completion_s"));
    let classes = web["by_size"].as_array().unwrap();
    let sum = |key: &str| classes.iter().map(|c| c[key].as_f64().unwrap()).sum::<f64>();
    assert_eq!((sum("flows"), sum("finished")), (of("flows"), of("finished")));
    assert!(classes.iter().filter_map(|c| c["p50_slowdown"].as_f64()).all(|s| s >= 1.0));
    let goodput = out["flows"][0]["goodput_bps"].as_f64().unwrap();
    assert!(out["totals"]["goodput_bps"].as_f64().unwrap() > goodput, "totals have the sessions");
    let several = run(WEB, &["replications=3"]);
    assert_eq!(several["sessions"][0]["p99_completion_s"]["n"], 3);
    assert_eq!(several["sessions"][0]["by_size"][0]["sizes"], "up to 10 kB");
    let ruled = run(WEB, &["stop=ci95(sessions.web.p50_completion_s) < 50%"]);
    assert_eq!(ruled["stop"]["reached"], true, "{}", ruled["stop"]);
}

/// A transfer alone, whose segments all fit into the first window: propagation, and its bytes on
/// each link of its way. 14 600 B are ten segments of 1500 B with headers: 10 x 1.2 ms at the
/// bottleneck, 0.12 ms for the first on the access link before it and 0.12 ms for the last on the
/// one behind. The handshake takes a round trip with the SYN's 60 bytes on three links each way.
#[test]
fn a_lone_transfer_takes_its_closed_form() {
    let lone = r#"
duration = "5 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "100 pkt" }
tcp = { handshake = false, initial_window = "10 pkt" }
profile = "ns2"
[[session]]
name = "one"
transfers = "start,size\n1,14600\n"
tcp = { mss = "1460 B" }
"#;
    let out = run(lone, &["flow=[]"]);
    let took = out["sessions"][0]["mean_completion_s"].as_f64().unwrap();
    let expected = 12e-3 + 10.0 * 1.2e-3 + 2.0 * 0.12e-3;
    assert!((took - expected).abs() < 1e-9, "{took} {expected}");
    // At least: 12 ms and ten segments at the bottleneck.
    let slowdown = out["sessions"][0]["mean_slowdown"].as_f64().unwrap();
    assert!((slowdown - expected / (12e-3 + 12e-3)).abs() < 1e-9, "{slowdown}");
}
