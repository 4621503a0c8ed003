//! Networks: the short forms, and links with two directions.
use crate::bottleneck;
use crate::common::{GRAPH, RED, plan};
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::Plan;
use proptest::prelude::*;

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

proptest! {
    /// An rtt is realized to the picosecond, for any delays.
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
}
