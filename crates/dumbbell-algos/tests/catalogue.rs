//! The whole catalogue as one document, for tests in Python: `--show-output` prints it.
#![allow(clippy::print_stdout)]

use dumbbell_algos::{aqm, cc, conditioner, impairment, meter, qdisc, service, source};
use dumbbell_core::catalogue::Entry;
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
