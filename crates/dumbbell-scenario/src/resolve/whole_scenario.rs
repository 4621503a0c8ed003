//! Checks of values that concern the scenario as a whole: its times, its records, its network.
use crate::language::node::{Node, path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::Scenario;
use dumbbell_core::units::Span;

/// Checks the values that concern the scenario as a whole.
pub fn check(scenario: &Scenario, root: &Node, check: &mut Check) {
    let mut refuse = |key: &str, cause: String, fix: &str| {
        let p = path(&[key]);
        check.error(Diagnostic::new(cause).at(root.nearest_place(&p)).fix(fix).key(&p));
    };
    if scenario.duration == Span::ZERO {
        refuse("duration", "a run must last some time".into(), "write duration = \"60 s\"");
    }
    if scenario.warmup >= scenario.duration && scenario.duration > Span::ZERO {
        let cause = format!(
            "the warm-up of {} leaves nothing of {} to measure",
            scenario.warmup, scenario.duration
        );
        refuse("warmup", cause, "make it shorter than `duration`");
    }
    if scenario.reassembly.timeout == Span::ZERO || scenario.reassembly.memory.0 < 68 {
        let cause = "hosts that keep fragments for no time, or have no room for one, put nothing \
            together";
        refuse(
            "reassembly",
            cause.into(),
            "write reassembly = { timeout = \"30 s\", memory = \"4 \
            MB\" }",
        );
    }
    if scenario.testbed.sample < Span::from_ms(1) {
        let cause =
            format!("{} between two looks at a sender is too little", scenario.testbed.sample);
        refuse("testbed", cause, "write sample = \"10 ms\", or \"1 ms\" at least");
    }
    if scenario.record.every == Some(Span::ZERO) {
        refuse("record", "a period of zero records nothing".into(), "write every = \"10 ms\"");
    }
    let own = [
        ("host", scenario.host.len()),
        ("router", scenario.router.len()),
        ("link", scenario.link.len()),
    ];
    let drawn = own.iter().find(|(_, n)| *n > 0);
    let shapes: Vec<&str> = [
        scenario.dumbbell.as_ref().map(|_| "dumbbell"),
        scenario.parking_lot.as_ref().map(|_| "parking_lot"),
        drawn.map(|d| d.0),
    ]
    .into_iter()
    .flatten()
    .collect();
    match shapes[..] {
        [] => refuse(
            "dumbbell",
            "this scenario has no network".into(),
            "add a [dumbbell], a [parking_lot], or hosts and links",
        ),
        [_] => {}
        [a, b, ..] => refuse(
            b,
            format!("a network is drawn in one way, and this has `{a}` and `{b}`"),
            "keep \
                one of them",
        ),
    }
    if scenario.flow.is_empty() && scenario.session.is_empty() {
        refuse("flow", "this scenario has no flows".into(), "add a [[flow]]");
    }
    let on_links = drawn.is_some();
    for (key, given) in
        [("queue", scenario.queue.is_some()), ("queue_reverse", scenario.queue_reverse.is_some())]
    {
        if given && on_links {
            refuse(
                key,
                format!("`{key}` belongs to a short form"),
                "write the queue in its \
                [[link]]",
            );
        }
    }
}
