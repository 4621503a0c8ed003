//! The meaning of scenarios.
mod common;

use common::{GRAPH, RED, plan, study};
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_lab::api;
use dumbbell_lab::language::lookup::limit_factor;
use dumbbell_plan::{Plan, Transport};
use proptest::prelude::*;
use serde_json::{Value, json};

fn bottleneck(p: &Plan) -> &dumbbell_plan::Link {
    p.links.iter().find(|l| l.name == "bottleneck").expect("a bottleneck")
}

#[test]
fn a_dumbbell_is_two_routers_and_hosts_of_its_own() {
    let p = plan(RED, &["flow.0.count=2", "flow.0.rtt=44 ms"]);
    let names: Vec<&str> = p.flows.iter().map(|f| f.name.as_str()).collect();
    assert_eq!((names, p.nodes.len(), p.links.len()), (vec!["s.1", "s.2"], 6, 10));
    assert!(
        p.flows.iter().all(|f| p.base_rtt(f) == Span::from_ms(44)
            && f.forward.len() == 3
            && f.back.len() == 3)
    );
    let b = bottleneck(&p);
    assert_eq!((b.aqm.kind.as_str(), b.capacity, b.report), ("red", Capacity::Packets(36), true));
    assert!(
        p.links
            .iter()
            .filter(|l| l.name != "bottleneck")
            .all(|l| l.capacity == Capacity::Unlimited && !l.report)
    );
}

#[test]
fn the_other_direction_has_the_same_queue_if_data_goes_there() {
    let reverse =
        |p: &Plan| p.links.iter().find(|l| l.name == "bottleneck_reverse").cloned().unwrap();
    assert_eq!(reverse(&plan(RED, &[])).aqm.kind, "drop_tail");
    let two_ways = plan(RED, &["flow.0.direction=reverse"]);
    assert_eq!((reverse(&two_ways).aqm.kind.as_str(), reverse(&two_ways).report), ("red", true));
    let own = plan(
        RED,
        &["queue_reverse={kind=\"drop_tail\", limit=\"5 pkt\"}", "flow.0.direction=reverse"],
    );
    assert_eq!(reverse(&own).capacity, Capacity::Packets(5));
}

#[test]
fn a_parking_lot_has_cross_traffic() {
    let text = RED.replace("[dumbbell]", "[parking_lot]\nhops = 3");
    let p = plan(
        &text,
        &["flow=[{name=\"long\"}, {name=\"x\", path=[1, 2]}, {name=\"y\", path=[3, \
        1]}]"],
    );
    let route =
        |i: usize| p.flows[i].forward.iter().map(|l| p.links[*l].name.clone()).collect::<Vec<_>>();
    assert_eq!(route(0), ["long/sender->r0", "hop1", "hop2", "hop3", "r3->long/receiver"]);
    assert_eq!(route(1), ["x/sender->r1", "hop2", "r2->x/receiver"]);
    assert_eq!(route(2), ["y/sender->r3", "hop3_reverse", "hop2_reverse", "r1->y/receiver"]);
    assert!(p.links.iter().filter(|l| l.name.starts_with("hop")).all(|l| l.aqm.kind == "red"));
}

#[test]
fn each_direction_of_a_link_is_a_port() {
    let p = plan(GRAPH, &["link.1.reverse={rate=\"1 Mbps\", queue=\"red\"}"]);
    let link = |name: &str| p.links.iter().find(|l| l.name == name).unwrap();
    assert_eq!(
        (link("r1->r2").rate, link("r2->r1").rate),
        (Rate::from_mbps(10), Rate::from_mbps(1))
    );
    assert_eq!(
        (link("r1->r2").aqm.kind.as_str(), link("r2->r1").aqm.kind.as_str()),
        ("drop_tail", "red")
    );
    assert_eq!(p.base_rtt(&p.flows[0]), Span::from_ms(14));
    let longer = plan(GRAPH, &["flow.0.rtt=100 ms"]);
    assert_eq!(longer.base_rtt(&longer.flows[0]), Span::from_ms(100));
}

#[test]
fn a_new_kind_drops_what_it_does_not_know_with_a_remark() {
    for form in ["queue=drop_tail", "queue.kind=drop_tail", "queue={kind=\"drop_tail\"}"] {
        let s = study(RED, &[form]).unwrap();
        assert_eq!(
            s.notes,
            [
                "`queue.min_th` does not apply to drop_tail: left out",
                "`queue.max_th` does not apply to drop_tail: left out"
            ]
        );
        let b = bottleneck(&s.plan(&s.points[0], 1).unwrap()).clone();
        assert_eq!(
            (b.aqm.kind.as_str(), b.capacity),
            ("drop_tail", Capacity::Packets(36)),
            "the \
            buffer stays"
        );
    }
    // Only what was written for another kind goes silently: a slip of the pen is still an error.
    assert!(study(RED, &["queue=drop_tail", "queue.min_th=\"3 pkt\""]).is_err());
    assert!(study(&RED.replace("min_th", "min_ht"), &["queue=drop_tail"]).is_err());
}

#[test]
fn a_threshold_may_follow_the_buffer() {
    let p = plan(RED, &["queue.limit=60 pkt", "queue.min_th=limit / 6", "queue.max_th=0.5 limit"]);
    let config = &bottleneck(&p).aqm.config;
    assert_eq!((&config["min_th"], &config["max_th"]), (&json!("10 pkt"), &json!("30 pkt")));
    let bytes = plan(RED, &["queue.limit=45 kB", "queue.min_th=limit / 6", "queue.max_th=limit"]);
    assert_eq!(bottleneck(&bytes).aqm.config["max_th"], "30 pkt");
}

#[test]
fn a_limit_in_bdp_refers_to_the_mean_rtt_of_the_flows_that_cross() {
    let two = [
        "queue.limit=1 BDP",
        "flow=[{rtt=\"40 ms\"}, {rtt=\"80 ms\"}, {rtt=\"200 ms\", \
        direction=\"reverse\"}]",
    ];
    // 10 Mbps times 60 ms.
    assert_eq!(bottleneck(&plan(RED, &two)).capacity, Capacity::Bytes(75_000));
}

#[test]
fn tcp_is_profile_then_scenario_then_flow() {
    let tcp = |overrides: &[&str]| match plan(RED, overrides).flows.remove(0).transport {
        Transport::Tcp { cc, tcp } => (cc.kind.clone(), serde_json::to_value(tcp).unwrap()),
        Transport::Udp { .. } => panic!("TCP"),
    };
    let (_, rfc) = tcp(&[]);
    assert_eq!((&rfc["mss"], &rfc["min_rto"]), (&json!("1.46 kB"), &json!("1 s")));
    let (_, ns2) = tcp(&[
        "profile=ns2",
        "tcp.min_rto=\"300 ms\"",
        "flow.0.tcp={initial_window=\"4 \
        pkt\"}",
    ]);
    assert_eq!(
        (&ns2["mss"], &ns2["min_rto"], &ns2["initial_window"]),
        (&json!("1 kB"), &json!("300 ms"), &json!("4 pkt"))
    );
    // The name of a congestion control implies its recovery; SACK follows unless it was forbidden.
    let (_, sack) = tcp(&["profile=ns2", "flow.0.cc=sack"]);
    assert_eq!((&sack["recovery"], &sack["sack"]), (&json!("sack"), &json!(true)));
    assert!(study(RED, &["flow.0.cc=sack", "tcp.sack=false"]).is_err());
    assert_eq!(tcp(&["tcp.sack=false", "flow.0.cc={kind=\"aimd\"}"]).1["recovery"], "newreno");
}

#[test]
fn a_sweep_is_a_product_of_list_zip_and_grid() {
    let sweep = [
        "sweep.grid={\"queue.limit\"=[\"24 pkt\", \"30 pkt\"], \"queue.kind\"=[\"drop_tail\", \
            \"red\"]}",
        "sweep.zip={\"seed\"=[1, 5], \"warmup\"=[\"1 s\", \"2 s\"]}",
    ];
    let s = study(RED, &sweep).unwrap();
    let label = |i: usize| serde_json::to_string(&s.points[i].overrides).unwrap();
    assert_eq!(s.points.len(), 8);
    assert_eq!(
        label(0),
        r#"{"seed":1,"warmup":"1 s","queue.limit":"24 pkt","queue.kind":"drop_tail"}"#
    );
    assert_eq!(label(1), r#"{"seed":1,"warmup":"1 s","queue.limit":"24 pkt","queue.kind":"red"}"#);
    assert_eq!(
        label(6),
        r#"{"seed":5,"warmup":"2 s","queue.limit":"30 pkt","queue.kind":"drop_tail"}"#
    );
    assert_eq!(s.points[6].seeds, [5]);
    let kind = |i: usize| bottleneck(&s.plan(&s.points[i], 1).unwrap()).aqm.kind.clone();
    assert_eq!((kind(0).as_str(), kind(1).as_str()), ("drop_tail", "red"));
    let list = study(
        RED,
        &["sweep.list=[{\"queue.kind\"=\"drop_tail\"}, {\"queue.max_p\"=0.1, \
            \"queue.limit\"=\"50 pkt\"}]"],
    );
    assert_eq!(list.unwrap().points.len(), 2);
}

#[test]
fn what_is_set_from_outside_is_not_swept() {
    let sweep = "sweep.grid={\"queue.limit\"=[\"24 pkt\", \"30 pkt\"], \
        \"queue.kind\"=[\"drop_tail\", \"red\"], \"queue.max_p\"=[0.1, 0.2]}";
    for (form, points) in
        [("queue=drop_tail", 4), ("queue.kind=red", 4), ("queue.limit=10 pkt", 4), ("seed=3", 8)]
    {
        let s = study(RED, &[sweep, form]).unwrap_or_else(|p| panic!("{}", p.rendered));
        assert_eq!(s.points.len(), points, "{form}");
    }
    let s = study(RED, &[sweep, "queue=drop_tail"]).unwrap();
    assert!(s.points.iter().all(|p| bottleneck(&s.plan(p, 1).unwrap()).aqm.kind == "drop_tail"));
    // Rows that became alike are one.
    let list = "sweep.list=[{\"queue.kind\"=\"drop_tail\"}, {\"queue.kind\"=\"red\"}]";
    assert_eq!(study(RED, &[list, "queue=red"]).unwrap().points.len(), 1);
    // One flow's word stands against a sweep over all.
    let all = [
        "flow=[{name=\"a\"}, {name=\"b\"}]",
        "sweep.grid={\"flow.*.cc\"=[\"reno\", \"tahoe\"]}",
        "flow.b.cc=newreno",
        "flow.1.cc=newreno",
    ];
    let s = study(RED, &all).unwrap();
    let ccs = |i: usize| {
        s.plan(&s.points[i], 1)
            .unwrap()
            .flows
            .iter()
            .map(|f| match &f.transport {
                Transport::Tcp { cc, .. } => cc.kind.clone(),
                Transport::Udp { .. } => "udp".into(),
            })
            .collect::<Vec<String>>()
    };
    assert_eq!(
        (ccs(0), ccs(1)),
        (vec!["reno".into(), "newreno".into()], vec!["tahoe".into(), "newreno".into()])
    );
}

#[test]
fn a_scenario_lies_over_the_one_it_extends() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("sub")).unwrap();
    std::fs::write(dir.path().join("base.toml"), format!("name = \"base\"\n{RED}")).unwrap();
    let text = "extends = \"../base.toml\"\nseed = 7\n[queue]\nlimit = \"48 pkt\"\n[[flow]]\nname \
        = \"other\"\n";
    let file = dir.path().join("sub/derived.toml");
    std::fs::write(&file, text).unwrap();
    let shown = api::plan(&json!({ "source": { "path": file } })).unwrap();
    let p: Plan = serde_json::from_value(shown["points"][0]["plan"].clone()).unwrap();
    assert_eq!(
        (p.name.as_str(), p.seed, p.flows.len(), p.flows[0].name.as_str()),
        ("derived", 7, 1, "other")
    );
    assert_eq!(
        (bottleneck(&p).capacity, &bottleneck(&p).aqm.config["min_th"]),
        (Capacity::Packets(48), &json!("6 pkt"))
    );
}

#[test]
fn a_dictionary_and_a_file_mean_the_same() {
    let from_text = api::plan(&json!({ "source": { "text": RED } })).unwrap();
    let from_value = api::plan(&json!({ "source": { "value": from_text["scenario"] } })).unwrap();
    assert_eq!(from_text["points"], from_value["points"]);
}

#[test]
fn starts_are_spread_by_name_and_seed() {
    let starts = |seed: &str, spread: &str| {
        let p = plan(RED, &["flow.0.count=200", seed, spread]);
        p.flows.iter().map(|f| f.start.seconds()).collect::<Vec<_>>()
    };
    let a = starts("seed=1", "flow.0.start_spread=1 s");
    assert_eq!(a, starts("seed=1", "flow.0.start_spread=1 s"));
    assert_ne!(a, starts("seed=2", "flow.0.start_spread=1 s"));
    // 200 uniform numbers: the mean's standard deviation is 0.0204.
    let mean = a.iter().sum::<f64>() / 200.0;
    assert!(a.iter().all(|s| (0.0..1.0).contains(s)) && (mean - 0.5).abs() < 0.1, "{mean}");
}

#[test]
fn flows_that_are_alike_start_one_step_after_the_other() {
    let p = plan(RED, &["flow.0.count=3", "flow.0.start=1 s", "flow.0.start_step=250 ms"]);
    let starts: Vec<f64> = p.flows.iter().take(3).map(|f| f.start.seconds()).collect();
    assert_eq!(starts, [1.0, 1.25, 1.5]);
    for (too_far, key) in [("flow.0.start_step=30 s", "start_step"), ("flow.0.stop=1.5 s", "stop")]
    {
        let overrides = ["flow.0.count=3", "flow.0.start=1 s", "flow.0.start_step=250 ms", too_far];
        let problem =
            api::plan(&json!({ "source": { "text": RED }, "overrides": overrides })).unwrap_err();
        assert_eq!(
            problem.json["problems"][0]["key"],
            format!("flow.0.{key}"),
            "{}",
            problem.rendered
        );
    }
}

#[test]
fn the_plan_is_its_json() {
    for text in [RED, GRAPH] {
        let p = plan(text, &[]);
        assert_eq!(serde_json::from_value::<Plan>(serde_json::to_value(&p).unwrap()).unwrap(), p);
    }
}

/// Every reference of the schema is defined, and it names each algorithm of the catalogue.
#[test]
fn the_schema_is_closed_and_complete() {
    fn references<'a>(v: &'a Value, out: &mut Vec<&'a str>) {
        match v {
            Value::Object(m) => m.iter().for_each(|(k, v)| match v.as_str() {
                Some(s) if k == "$ref" => out.push(s),
                _ => references(v, out),
            }),
            Value::Array(a) => a.iter().for_each(|v| references(v, out)),
            _ => {}
        }
    }
    let schema = api::schema();
    let mut used = Vec::new();
    references(&schema, &mut used);
    for r in used {
        let name = r.strip_prefix("#/$defs/").unwrap_or_else(|| panic!("{r}"));
        assert!(schema["$defs"].get(name).is_some(), "{r}");
    }
    let catalogue = api::catalogue();
    let names = |kind: &str| {
        catalogue[kind].as_array().unwrap().iter().map(|e| e["name"].clone()).collect::<Vec<_>>()
    };
    let listed = |definition: &str| schema["$defs"][definition]["anyOf"][0]["enum"].clone();
    for (kind, definition) in [("cc", "cc"), ("source", "source"), ("impairment", "impairment")] {
        assert_eq!(json!(names(kind)), listed(definition), "{kind}");
    }
    // A scheduler makes its children from the catalogue; what is brought, the RTL with it, stands
    // at a port alone.
    let children: Vec<Value> = names("aqm").into_iter().filter(|name| name != "red_rtl").collect();
    assert_eq!(json!(children), listed("Aqm"));
    assert_eq!(json!([names("aqm"), names("qdisc")].concat()), listed("queue"));
    for kind in dumbbell_lab::language::catalogue::KINDS {
        assert!(catalogue[kind].is_array(), "{kind}");
    }
}

/// Every parameter has a documentation, and a default unless it may be absent.
#[test]
fn the_catalogue_documents_every_parameter() {
    let catalogue = api::catalogue();
    for kind in dumbbell_lab::language::catalogue::KINDS {
        for entry in catalogue[kind].as_array().unwrap() {
            for p in entry["parameters"].as_array().unwrap() {
                assert!(p["doc"].is_string() && p["source"].is_string(), "{} {p}", entry["name"]);
            }
        }
    }
    assert_eq!(catalogue["profiles"]["ns2"]["tcp"]["min_rto"], "200 ms");
}

/// The dictionary that a study says of itself is the study, whatever overrides were applied.
#[test]
fn the_resolved_scenario_is_the_same_study() {
    let grid = "sweep.grid={\"queue.kind\"=[\"drop_tail\", \"red\"], \"queue.max_p\"=[0.1, 0.2], \
        \"flow.*.cc\"=[\"reno\", \"tahoe\"]}";
    for overrides in [
        &[][..],
        &["queue=drop_tail"],
        &[grid],
        &[grid, "queue=drop_tail"],
        &[grid, "queue.kind=red", "flow.0.cc=newreno", "queue.max_p=0.3"],
    ] {
        let first = study(RED, overrides).unwrap_or_else(|p| panic!("{}", p.rendered));
        let again = api::plan(&json!({ "source": { "value": first.resolved } }))
            .unwrap_or_else(|p| panic!("{}", p.rendered));
        assert_eq!(again["points"].as_array().unwrap().len(), first.points.len(), "{overrides:?}");
        for (a, b) in first.points.iter().zip(again["points"].as_array().unwrap()) {
            let plan = first.plan(a, a.seeds[0]).unwrap();
            assert_eq!(api::plan_hash(&plan), b["plan_hash"].as_str().unwrap(), "{overrides:?}");
        }
    }
    // The caller's own keys win over a sweep, too.
    let request = json!({
        "source": { "text": RED }, "overrides": ["sweep.grid={seed=[1, 2, 3]}"], "seed": 7,
    });
    let shown = api::plan(&request).unwrap();
    assert_eq!(
        (shown["points"].as_array().unwrap().len(), &shown["points"][0]["seeds"]),
        (1, &json!([7]))
    );
}

/// The rate of a source bounds the estimate of the work: a slow source may run for long on a fast
/// link.
#[test]
fn work_is_estimated_from_what_is_sent() {
    let cbr = "flow.0={cc=\"reno\"}";
    assert!(study(RED, &["dumbbell.bottleneck.rate=100 Gbps", "duration=200 d", cbr]).is_err());
    let slow = RED.replace(
        "cc = \"newreno\"",
        "source = { kind = \"cbr\", rate = \"1 Mbps\", \
        packet = \"1000 B\" }",
    );
    let p = plan(&slow, &["dumbbell.bottleneck.rate=100 Gbps", "duration=200 d"]);
    // 1 Mbps, 8224 bits a packet, three links.
    let want = 1e6 * 200.0 * 86_400.0 / 8224.0 * 3.0;
    let got = dumbbell_lab::resolve::limits::packet_hops(&p);
    assert!((got / want - 1.0).abs() < 1e-9, "{got} {want}");
}

/// None in a dictionary is not said.
#[test]
fn null_is_absent() {
    let value = json!({
        "duration": "10 s", "queue": null,
        "dumbbell": { "bottleneck": { "rate": "10 Mbps", "delay": "10 ms" } },
        "flow": [{ "cc": null, "tcp": null, "rtt": "40 ms", "stop": null }],
    });
    assert!(api::plan(&json!({ "source": { "value": value } })).is_ok());
}

proptest! {
    /// An rtt is realised to the picosecond, for any delays.
    #[test]
    fn rtt_is_exact(
        extra in 0u64..1u64 << 40,
        fixed in 0u64..1u64 << 38,
        back in 0u64..1u64 << 38,
    ) {
        let wire = format!("dumbbell.bottleneck={{rate=\"1 Mbps\", delay=\"{fixed} ps\", \
            reverse={{delay=\"{back} ps\"}}}}");
        let p = plan(RED, &[&wire, &format!("flow.0.rtt={} ps", fixed + back + extra)]);
        prop_assert_eq!(p.base_rtt(&p.flows[0]).ps(), fixed + back + extra);
    }

    /// An override has the effect of the same value in the scenario, whatever its type, by number,
    /// name or star.
    #[test]
    fn overrides_set_what_they_say(
        seed in 0u64..i64::MAX as u64,
        sack in any::<bool>(),
        ms in 25u64..100_000,
        form in 0usize..3,
    ) {
        let at = ["0", "s", "*"][form];
        let s = study(
            RED,
            &[
                &format!("seed={seed}"),
                &format!("tcp.sack={sack}"),
                &format!(
                    "flow.{at}.rtt={ms} \
            ms"
                ),
            ],
        )
        .unwrap();
        prop_assert_eq!(&s.resolved["seed"], &json!(seed));
        prop_assert_eq!(&s.resolved["tcp"]["sack"], &json!(sack));
        prop_assert_eq!(&s.resolved["flow"][0]["rtt"], &json!(format!("{ms} ms")));
    }

    /// No text makes the reader fall over.
    #[test]
    fn any_text_is_a_scenario_or_an_error(text in "\\PC{0,80}", o in "\\PC{0,40}") {
        let _ = study(&text, &[]);
        let _ = study(RED, &[&o]);
    }

    /// A mutilated scenario, too.
    #[test]
    fn any_damage_is_survived(at in 0usize..250, length in 0usize..30, with in "[ -~]{0,6}") {
        let (a, b) = (at.min(RED.len()), (at + length).min(RED.len()));
        let _ = study(&format!("{}{with}{}", &RED[..a], &RED[b..]), &[]);
    }

    #[test]
    fn fractions_of_the_limit(x in 0.01f64..100.0) {
        prop_assert_eq!(limit_factor(&format!("limit / {x}")), Some((1.0, x)));
        prop_assert_eq!(limit_factor(&format!("limit*{x}")), Some((x, 1.0)));
        prop_assert_eq!(limit_factor(&format!("{x} * limit")), Some((x, 1.0)));
        prop_assert_eq!(limit_factor(&format!("{x} pkt")), None);
    }

    /// The number of points is the product of the factors' lengths, and no two are alike.
    #[test]
    fn a_grid_has_every_combination_once(a in 1usize..5, b in 1usize..5, c in 1usize..4) {
        let list =
            |n: usize, f: &dyn Fn(usize) -> String| (1..=n).map(f).collect::<Vec<_>>().join(", ");
        let grid = format!(
            "sweep.grid={{\"seed\"=[{}], \"queue.limit\"=[{}]}}",
            list(a, &|i| i.to_string()),
            list(b, &|i| format!("\"{} pkt\"", 20 + i))
        );
        let zip = format!("sweep.zip={{\"replications\"=[{}]}}", list(c, &|i| i.to_string()));
        let s = study(RED, &[&grid, &zip]).unwrap();
        let mut labels: Vec<String> =
            s.points.iter().map(|p| json!(p.overrides).to_string()).collect();
        labels.sort();
        labels.dedup();
        prop_assert_eq!(labels.len(), a * b * c);
    }
}
