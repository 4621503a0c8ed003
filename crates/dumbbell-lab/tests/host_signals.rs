//! Host signals, both written in a scenario and derived from a radio's outages.
mod common;

use common::{RED, plan, study};
use dumbbell_core::transport::HostSignal::{PathDown, PathUp};
use dumbbell_core::units::Span;
use dumbbell_plan::{Plan, SignalTarget};

fn said(p: &Plan, flow: usize) -> Vec<(u64, bool, SignalTarget)> {
    let words = p.flows[flow].words.iter().flat_map(|words| words.iter());
    words.map(|w| (w.at.ps() / 1_000_000_000, w.say == PathUp, w.to)).collect()
}

const OUTAGES: &str = "dumbbell.bottleneck.service={kind=\"outage\", at=[[\"1 s\", \"500 ms\"], \
    [\"3 s\", \"2 s\"], [\"5500 ms\", \"1 s\"]]}";

#[test]
fn a_radio_says_what_its_link_will_do() {
    let p = plan(
        RED,
        &[
            "duration=6 s",
            OUTAGES,
            "flow.0.radio={link=\"bottleneck\", warning=\"700 \
            ms\", to=\"sender\"}",
        ],
    );
    let s = SignalTarget::Sender;
    // The third outage is foreseen before the second is over, which is not said then; its end lies
    // beyond the run's.
    let expected =
        [(300, false, s), (1500, true, s), (2300, false, s), (5000, true, s), (5000, false, s)];
    assert_eq!(said(&p, 0), expected);
    // Further written signals are merged in order of time.
    let both = "flow.0.words=[{at=\"4 s\", say=\"path_up\"}, {at=\"100 ms\", say=\"path_down\"}]";
    let p = plan(
        RED,
        &["duration=6 s", OUTAGES, "flow.0.radio={link=\"bottleneck\"}", both, "flow.0.count=2"],
    );
    let r = SignalTarget::Receiver;
    assert_eq!(said(&p, 1)[..3], [(100, false, r), (1000, false, r), (1500, true, r)]);
    assert_eq!((said(&p, 1), said(&p, 1)[4]), (said(&p, 0), (4000, true, r)));
    assert_eq!(p.flows[0].words.as_ref().map(|w| w[0].say), Some(PathDown));
}

#[test]
fn chance_is_foreseen_as_it_will_be() {
    let by_chance = "dumbbell.bottleneck.service={kind=\"outage\", mean_up=\"2 s\", \
        mean_down=\"500 ms\"}";
    let p = plan(RED, &["duration=30 s", by_chance, "flow.0.radio={link=\"bottleneck\"}"]);
    let link = p.links.iter().position(|l| l.name == "bottleneck").unwrap();
    let told = dumbbell_sim::outages(&p, link).unwrap();
    let downs: Vec<Span> = p.flows[0]
        .words
        .iter()
        .flat_map(|w| w.iter())
        .filter(|w| w.say == PathDown)
        .map(|w| w.at)
        .collect();
    assert!(downs.len() > 4);
    assert_eq!(
        downs,
        told.iter()
            .map(|(from, _)| from.since(dumbbell_core::units::Time::ZERO))
            .collect::<Vec<_>>()
    );
}

#[test]
fn what_cannot_be_said_is_refused_where_it_stands() {
    let cause = |overrides: &[&str]| match study(RED, overrides) {
        Err(problem) => problem.rendered,
        Ok(study) => study.plan(&study.points[0], study.points[0].seeds[0]).err().unwrap().rendered,
    };
    for (overrides, expected) in [
        (vec!["flow.0.radio={link=\"bottlenick\"}"], "there is no link `bottlenick`"),
        (vec!["flow.0.radio={link=\"bottleneck\"}"], "never down"),
        (
            vec!["duration=4 s", "flow.0.words=[{at=\"4 s\", say=\"path_up\"}]"],
            "the run ends at 4 \
            s",
        ),
        (
            vec!["flow.0.source=cbr", "flow.0.words=[{at=\"1 s\", say=\"path_up\"}]"],
            "this flow is \
            UDP",
        ),
    ] {
        assert!(cause(&overrides).contains(expected), "{}", cause(&overrides));
    }
}
