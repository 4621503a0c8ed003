//! Checks of values that concern the scenario as a whole: its times, its records, its network.
use crate::language::scenario::Scenario;
use crate::resolve::context::Context;
use crate::resolve::topology::fabric;
use dumbbell_core::units::Span;

/// Checks the values that concern the scenario as a whole.
pub fn check(scenario: &Scenario, cx: &Context<'_>) {
    times(scenario, cx);
    network(scenario, cx);
}

/// The times of a run, of its hosts and of its records.
fn times(scenario: &Scenario, cx: &Context<'_>) {
    let Scenario { duration, warmup, reassembly, testbed, record, .. } = scenario;
    if *duration == Span::ZERO {
        cx.at("duration").refuse("a run must last some time", "write duration = \"60 s\"");
    }
    if warmup >= duration && *duration > Span::ZERO {
        let cause = format!("the warm-up of {warmup} leaves nothing of {duration} to measure");
        cx.at("warmup").refuse(cause, "make it shorter than `duration`");
    }
    if reassembly.timeout == Span::ZERO || reassembly.memory.0 < 68 {
        let cause = "hosts that keep fragments for no time, or have no room for one, put nothing \
            together";
        let fix = "write reassembly = { timeout = \"30 s\", memory = \"4 MB\" }";
        cx.at("reassembly").refuse(cause, fix);
    }
    if testbed.sample < Span::from_ms(1) {
        let cause = format!("{} between two looks at a sender is too little", testbed.sample);
        cx.at("testbed").refuse(cause, "write sample = \"10 ms\", or \"1 ms\" at least");
    }
    if record.every == Some(Span::ZERO) {
        cx.at("record").refuse("a period of zero records nothing", "write every = \"10 ms\"");
    }
}

/// One network, and something that goes through it.
fn network(scenario: &Scenario, cx: &Context<'_>) {
    let own = [
        ("host", scenario.host.len()),
        ("router", scenario.router.len()),
        ("link", scenario.link.len()),
    ];
    let drawn = own.iter().find(|(_, n)| *n > 0);
    let forms = [
        ("dumbbell", scenario.dumbbell.is_some()),
        ("parking_lot", scenario.parking_lot.is_some()),
        ("star", scenario.star.is_some()),
        ("leaf_spine", scenario.leaf_spine.is_some()),
        ("fat_tree", scenario.fat_tree.is_some()),
        ("wan", scenario.wan.is_some()),
        (drawn.map_or("", |d| d.0), drawn.is_some()),
    ];
    let shapes: Vec<&str> =
        forms.iter().filter(|(_, given)| *given).map(|(word, _)| *word).collect();
    match shapes[..] {
        [] => {
            let fix = "add a [dumbbell], [parking_lot], [star], [leaf_spine], [fat_tree] or [wan], \
                or hosts and links";
            cx.at("dumbbell").refuse("this scenario has no network", fix);
        }
        [_] => {}
        [a, b, ..] => {
            let cause = format!("a network is drawn in one way, and this has `{a}` and `{b}`");
            cx.at(b).refuse(cause, "keep one of them");
        }
    }
    if scenario.flow.is_empty() && scenario.session.is_empty() {
        cx.at("flow").refuse("this scenario has no flows", "add a [[flow]]");
    }
    for (key, given) in
        [("queue", scenario.queue.is_some()), ("queue_reverse", scenario.queue_reverse.is_some())]
    {
        if given && drawn.is_some() {
            let cause = format!("`{key}` belongs to a short form");
            cx.at(key).refuse(cause, "write the queue in its [[link]]");
        }
    }
    if scenario.queue_reverse.is_some() && fabric::key(scenario).is_some() {
        let cause = "`queue_reverse` belongs to a dumbbell or a parking lot";
        let fix = "write `queue`, which is that of both directions, or `links` for one of them";
        cx.at("queue_reverse").refuse(cause, fix);
    }
    let short = scenario.dumbbell.is_some() || scenario.parking_lot.is_some();
    let paths = [("links", !scenario.links.is_empty()), ("routing", scenario.routing.is_some())];
    for (key, _) in paths.iter().filter(|(_, given)| *given && short) {
        let cause = format!("`{key}` belongs to a network with named hosts, and this has `{}`", {
            shapes.first().copied().unwrap_or_default()
        });
        cx.at(key).refuse(cause, "take it out");
    }
}
