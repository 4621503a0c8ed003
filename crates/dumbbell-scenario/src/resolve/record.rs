//! What a plan records: the scenario's `record` with the numbers of the flows that it names.
use crate::language::node::{Node, path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::{Followed, Scenario};
use dumbbell_core::catalogue::nearest;
use dumbbell_plan::{Flow, Record, Transport};

/// The plan's records. Flows that they name must exist.
pub fn build(scenario: &Scenario, flows: &[Flow], root: &Node, check: &mut Check) -> Record {
    let r = &scenario.record;
    let packets = followed(&r.packets, "packets", flows, root, check);
    let mut acks = followed(&r.acks, "acks", flows, root, check);
    if let Followed::Of(names) = &r.acks {
        let udp = |name: &String| {
            flows.iter().any(|f| f.name == *name && matches!(f.transport, Transport::Udp { .. }))
        };
        for (i, name) in names.iter().enumerate().filter(|(_, name)| udp(name)) {
            let p = path(&["record", "acks", &i.to_string()]);
            let d = Diagnostic::new(format!("`{name}` sends datagrams, which nobody acknowledges"));
            check.error(d.at(root.nearest_place(&p)).fix("take it out").key(&p));
        }
    }
    acks.retain(|i| matches!(flows[*i].transport, Transport::Tcp { .. }));
    let mut delays = followed(&r.delays, "delays", flows, root, check);
    if let Followed::All(_) = r.delays {
        delays.retain(|i| flows[*i].session.is_none()); // They are too many and too short.
    }
    let completions = r.completions && !scenario.session.is_empty();
    if r.markers && r.every.is_none() {
        check.note("record.markers has no effect without record.every: markers have series");
    }
    Record {
        every: r.every,
        flows: r.flows,
        queues: r.queues,
        drops: r.drops,
        packets,
        acks,
        delays,
        completions,
        markers: r.markers,
    }
}

/// The numbers of the flows that `record.KEY` follows, ascending.
fn followed(
    choice: &Followed,
    key: &str,
    flows: &[Flow],
    root: &Node,
    check: &mut Check,
) -> Vec<usize> {
    let names = match choice {
        Followed::All(false) => return Vec::new(),
        Followed::All(true) => return (0..flows.len()).collect(),
        Followed::Of(names) => names,
    };
    let number = |(i, name): (usize, &String)| {
        let found = flows.iter().position(|f| f.name == *name);
        if found.is_none() {
            let p = path(&["record", key, &i.to_string()]);
            let all: Vec<&str> = flows.iter().take(10).map(|f| f.name.as_str()).collect();
            let fix = nearest(name, &all).map_or(format!("flows are {}", all.join(", ")), |n| {
                format!(
                    "did \
                    you mean `{n}`?"
                )
            });
            let cause = format!("there is no flow named `{name}`");
            check.error(Diagnostic::new(cause).at(root.nearest_place(&p)).fix(fix).key(&p));
        }
        found
    };
    let mut numbers: Vec<usize> = names.iter().enumerate().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
