//! Sweeps: which points there are, and that a resolved study is the same study.
use crate::bottleneck;
use crate::common::{RED, study};
use dumbbell_lab::api;
use dumbbell_plan::Transport;
use proptest::prelude::*;
use serde_json::json;

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
                Transport::Quic { .. } | Transport::Scream { .. } | Transport::Udp { .. } => {
                    "no TCP".into()
                }
            })
            .collect::<Vec<String>>()
    };
    assert_eq!(
        (ccs(0), ccs(1)),
        (vec!["reno".into(), "newreno".into()], vec!["tahoe".into(), "newreno".into()])
    );
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

proptest! {
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
