//! The whole catalogue as one document, for tests in Python: `--show-output` prints it.
#![allow(clippy::print_stdout)]

use dumbbell_algos::meter::AnyMeter;
use dumbbell_algos::source::AnySource;
use dumbbell_algos::{aqm, cc, conditioner, impairment, meter, qdisc, service, source};
use dumbbell_core::catalogue::Entry;
use dumbbell_core::meter::{Color, Meter};
use dumbbell_core::source::Source;
use dumbbell_core::testing::contract;
use dumbbell_core::units::Time;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const KINDS: [(&str, &[Entry]); 8] = [
    ("aqm", aqm::CATALOGUE),
    ("qdisc", qdisc::CATALOGUE),
    ("cc", cc::CATALOGUE),
    ("meter", meter::CATALOGUE),
    ("conditioner", conditioner::CATALOGUE),
    ("impairment", impairment::CATALOGUE),
    ("service", service::CATALOGUE),
    ("source", source::CATALOGUE),
];

/// `{kind: [{name, title, ..., parameters: [{name, default}]}]}`.
fn document() -> Value {
    let page = |entry: &Entry| {
        let defaults = (entry.defaults)();
        let parameters: Vec<Value> = (defaults.as_object().into_iter().flatten())
            .map(|(name, default)| json!({ "name": name, "default": default }))
            .collect();
        let mut page = json!(entry.about);
        page["parameters"] = parameters.into();
        page
    };
    let all = |(kind, entries): (&str, &[Entry])| {
        (kind.to_string(), entries.iter().map(page).collect::<Vec<_>>().into())
    };
    Value::Object(KINDS.into_iter().map(all).collect::<Map<_, _>>())
}

/// A scenario names a queue, and an edge, by its name alone.
#[test]
fn names_are_unique_where_one_is_written() {
    for place in [&["aqm", "qdisc"][..], &["cc"], &["meter", "conditioner"]] {
        let of_place = KINDS.iter().filter(|(kind, _)| place.contains(kind));
        let names: Vec<&str> =
            of_place.flat_map(|(_, entries)| entries.iter().map(|e| e.about.name)).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    }
    println!("catalogue {}", document());
}

/// What the profile `linux` sets is a parameter with another default, and a value that it can have.
#[test]
fn the_parameters_of_linux_are_valid() {
    for entry in KINDS.iter().flat_map(|(_, entries)| *entries) {
        let (usual, linux) = ((entry.defaults)(), entry.linux_defaults());
        assert_eq!((entry.resolve)(&linux).as_ref(), Ok(&linux), "{}", entry.about.name);
        for (key, _) in entry.about.linux {
            assert_ne!(usual[key], linux[key], "{}: {key}", entry.about.name);
        }
    }
}

/// The names of those of a kind of which something holds.
fn those<T>(
    entries: &[Entry],
    build: impl Fn(&str) -> T,
    holds: impl Fn(&mut T) -> bool,
) -> Vec<&'static str> {
    let names = entries.iter().map(|entry| entry.about.name);
    names.filter(|name| holds(&mut build(name))).collect()
}

/// What sources say of themselves, by which a plan gives them their transport.
#[test]
fn sources_of_each_sort() {
    let build = |name: &str| AnySource::build(name, &json!({}), &()).unwrap();
    let sources = |holds: fn(&mut AnySource) -> bool| those(source::CATALOGUE, build, holds);
    assert_eq!(sources(|s| s.hears_delivery()), ["dash", "web"]);
    assert_eq!(sources(|s| s.voice().is_some()), ["voip"]);
    assert_eq!(sources(|s| s.coder().is_some()), ["camera"]);
    assert_eq!(sources(|s| s.awaits()), ["dash", "request_response", "video", "web"]);
    assert_eq!(
        sources(|s| s.datagrams() && s.largest().is_some()),
        sources(|s| s.datagrams()),
        "a datagram has a largest size"
    );
    let others = ["bulk", "camera", "dash", "fixed", "request_response", "video", "web"];
    assert_eq!(sources(|s| !s.datagrams()), others);
}

/// What meters say of themselves: who tells senders, whose worst color is which, who has an account
/// of a bucket.
#[test]
fn meters_of_each_sort() {
    let build = |name: &str| AnyMeter::build(name, &json!({}), &contract()).unwrap();
    let meters = |holds: fn(&mut AnyMeter) -> bool| those(meter::CATALOGUE, build, holds);
    assert_eq!(meters(|m| m.tells_sender()), ["marker_feedback"]);
    assert_eq!(meters(|m| m.worst() == Color::Red), ["srtcm", "trtcm", "trtcm_4115", "tsw3cm"]);
    assert_eq!(
        meters(|m| m.tokens(Time::ZERO).is_none()),
        ["adaptive_packet_marking", "etsw", "tsw2cm", "tsw3cm", "tsw_slack"]
    );
    assert!(meters(|m| m.tokens(Time::ZERO).is_some_and(|t| !t.balanced())).is_empty());
}
