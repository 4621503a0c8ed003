//! A scenario that may still lack something: whether what it says has the right names.
use crate::language::deser;
use crate::language::lookup;
use crate::language::lookup::Family;
use crate::language::node::{Kind, Node, Path, below};
use crate::language::problem::Check;
use crate::language::scenario::Scenario;

/// Tables whose keys are not those of a network.
const APART: [&str; 8] = ["cpu", "quic", "record", "scream", "stop", "sweep", "tcp", "testbed"];

/// Checks keys, types and units of the scenario at `root`, and the names of algorithms and of their
/// parameters. Values of parameters and the network as a whole are left to the plan.
pub fn check(root: &Node, check: &mut Check) {
    deser::draft::<Scenario>(root, &[], check);
    algorithms(root, &Path::new(), check);
}

/// Checks the names of all algorithms below `node`, which stands at `at`.
fn algorithms(node: &Node, at: &Path, check: &mut Check) {
    for e in node.entries().iter().filter(|e| !APART.contains(&e.key.as_str())) {
        let here = below(at, &e.key);
        each(&e.node, &here, &mut |inner, at| match family(&e.key, inner) {
            Some(family) => lookup::names(family, inner, at, check),
            None => algorithms(inner, at, check),
        });
    }
}

/// A value, or each value of a list.
fn each(node: &Node, at: &Path, f: &mut dyn FnMut(&Node, &Path)) {
    match &node.kind {
        Kind::List(items) => items.iter().enumerate().for_each(|(i, item)| f(item, &below(at, i))),
        _ => f(node, at),
    }
}

/// The kind of algorithm that stands behind a key.
fn family(key: &str, node: &Node) -> Option<Family> {
    Some(match key {
        "queue" | "queue_reverse" => Family::of_queue(node),
        "cc" => Family::Cc,
        "source" => Family::Source,
        "service" => Family::Service,
        "impairment" => Family::Impairment,
        "conditioner" => Family::of_conditioner(node),
        _ => return None,
    })
}
