use super::*;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn a_row_names_each_measurement_once_and_says_what_it_is() {
    for row in rows() {
        let mut names = BTreeSet::new();
        for group in &row.groups {
            for entry in &group.entries {
                let again = ["tokens_lost_share"].contains(&entry.name); // One bucket of two kinds.
                assert!(names.insert(entry.name) || again, "{} has {} twice", row.name, entry.name);
                assert!(entry.doc.ends_with('.'), "{}: {}", entry.name, entry.doc);
                assert!(!entry.doc.contains("  ") && !entry.doc.contains('\n'), "{}", entry.doc);
                assert!(!entry.title.is_empty() && !entry.head.is_empty(), "{}", entry.name);
            }
        }
    }
}

/// Columns of tables depend on it.
#[test]
fn one_name_has_one_unit_and_one_type() {
    let mut found: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for entry in rows().iter().flat_map(|r| &r.groups).flat_map(|g| &g.entries) {
        let of = match entry.kind {
            Kind::Text | Kind::MaybeText => "text",
            Kind::Count | Kind::MaybeCount => "count",
            Kind::Real | Kind::MaybeReal => "real",
            Kind::Counts | Kind::Reals => "several",
        };
        found.entry(entry.name).or_default().insert((entry.unit, of));
    }
    assert!(found.values().all(|found| found.len() == 1), "{found:?}");
}

/// The end of a name is its unit.
#[test]
fn names_end_in_their_units() {
    let ends =
        [("_bps", "bps"), ("_bytes", "B"), ("_share", "1"), ("_packets", "pkt"), ("_s", "s")];
    for entry in rows().iter().flat_map(|r| &r.groups).flat_map(|g| &g.entries) {
        if let Some((_, unit)) = ends.iter().find(|(end, _)| entry.name.ends_with(end)) {
            assert_eq!(entry.unit, *unit, "{}", entry.name);
        }
    }
}

#[test]
fn the_order_of_numbers_is_that_of_the_json() {
    let rows = rows();
    let flow = rows.iter().find(|row| row.name == "flow").unwrap();
    let always: Vec<&str> = flow.numbers(true).collect();
    assert_eq!(always[..3], ["goodput_bps", "throughput_bps", "share"]);
    assert_eq!(flow.numbers(false).next(), Some("held_back_bytes"));
    let queue = rows.iter().find(|row| row.name == "queue").unwrap();
    assert!(queue.numbers(true).all(|name| name != "drops"), "drops are no single number");
}
