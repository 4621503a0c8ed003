//! What a plan records: the scenario's `record` with the numbers of the flows that it names.
use crate::language::scenario::{Followed, Scenario};
use crate::resolve::context::{At, Context};
use dumbbell_core::catalogue::nearest;
use dumbbell_plan::{Flow, Record, Transport};

/// The plan's records. Flows that they name must exist.
pub fn build(scenario: &Scenario, flows: &[Flow], cx: &Context<'_>) -> Record {
    let (r, at) = (&scenario.record, cx.at("record"));
    let packets = followed(&r.packets, flows, &at.below("packets"));
    let mut acks = followed(&r.acks, flows, &at.below("acks"));
    if let Followed::Of(names) = &r.acks {
        let quic = |name: &String| {
            flows.iter().any(|f| f.name == *name && matches!(f.transport, Transport::Quic { .. }))
        };
        for (i, name) in names.iter().enumerate().filter(|(_, name)| quic(name)) {
            let cause = format!("`{name}` is QUIC, and this record reads acknowledgments of TCP");
            at.below("acks").below(i).refuse(cause, "take it out");
        }
        let scream = |name: &String| {
            flows.iter().any(|f| f.name == *name && matches!(f.transport, Transport::Scream { .. }))
        };
        for (i, name) in names.iter().enumerate().filter(|(_, name)| scream(name)) {
            let cause = format!("`{name}` is SCReAM, and this record reads acknowledgments of TCP");
            at.below("acks").below(i).refuse(cause, "take it out");
        }
        let udp = |name: &String| {
            flows.iter().any(|f| f.name == *name && matches!(f.transport, Transport::Udp { .. }))
        };
        for (i, name) in names.iter().enumerate().filter(|(_, name)| udp(name)) {
            let cause = format!("`{name}` sends datagrams, which nobody acknowledges");
            at.below("acks").below(i).refuse(cause, "take it out");
        }
    }
    acks.retain(|i| matches!(flows[*i].transport, Transport::Tcp { .. }));
    let mut delays = followed(&r.delays, flows, &at.below("delays"));
    if let Followed::All(_) = r.delays {
        delays.retain(|i| flows[*i].session.is_none()); // They are too many and too short.
    }
    let completions = r.completions && !scenario.session.is_empty();
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

/// The numbers of the flows that the choice at `at` follows, ascending.
fn followed(choice: &Followed, flows: &[Flow], at: &At<'_>) -> Vec<usize> {
    let names = match choice {
        Followed::All(false) => return Vec::new(),
        Followed::All(true) => return (0..flows.len()).collect(),
        Followed::Of(names) => names,
    };
    let number = |(i, name): (usize, &String)| {
        let found = flows.iter().position(|f| f.name == *name);
        if found.is_none() {
            let all: Vec<&str> = flows.iter().take(10).map(|f| f.name.as_str()).collect();
            let fix = match nearest(name, &all) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("flows are {}", all.join(", ")),
            };
            at.below(i).refuse(format!("there is no flow named `{name}`"), fix);
        }
        found
    };
    let mut numbers: Vec<usize> = names.iter().enumerate().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
