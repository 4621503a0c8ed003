//! The two ends of an Ethernet: one service for each direction of a link, which must belong
//! together.
use crate::resolve::context::At;
use crate::resolve::topology::LinkSettings;
use dumbbell_algos::service::duplex_mismatch::{DuplexMismatch, FASTEST};
use dumbbell_core::catalogue::Algorithm;
use dumbbell_plan::Spec;
use serde_json::{Value, json};

/// True if a direction's service is an end of an Ethernet.
fn is_end(direction: &LinkSettings) -> bool {
    direction.service.as_ref().is_some_and(|spec| spec.kind == DuplexMismatch::ABOUT.name)
}

/// Sees to it that both directions of the link at `at` are ends of one Ethernet, if one of them is:
/// an end that nothing is written for is the opposite of the other. Results report both.
pub fn couple(ahead: &mut LinkSettings, back: &mut LinkSettings, at: &At<'_>) {
    let reverse = at.below("reverse");
    match (is_end(ahead), is_end(back)) {
        (false, false) => return,
        (true, true) => {}
        (true, false) => complement(ahead, back, &reverse),
        (false, true) => complement(back, ahead, at),
    }
    let fast = ahead.rate.max(back.rate);
    if fast > FASTEST {
        let cause =
            format!("half duplex is Ethernet's at 10 and 100 Mbps, and this link has {fast}");
        at.below("rate").refuse(cause, format!("write rate = \"{FASTEST}\""));
    } else if ahead.rate != back.rate {
        let cause = format!(
            "an Ethernet has one rate, and these ends have {} and {}",
            ahead.rate, back.rate
        );
        reverse.below("rate").refuse(cause, "take the `rate` of `reverse` out");
    }
    (ahead.report, back.report) = (true, true);
}

/// Makes `other`, whose table is at `at`, the opposite of `end`.
fn complement(end: &LinkSettings, other: &mut LinkSettings, at: &At<'_>) {
    let Some(spec) = end.service.as_deref() else { return };
    let half = spec.config["half"] == Value::Bool(true);
    let at = at.below("service");
    if other.service.is_some() || at.node().is_some() {
        let name = DuplexMismatch::ABOUT.name;
        let own = other.service.as_ref().map_or("constant", |spec| &spec.kind);
        let cause = format!("one end of this link is of {name}, and the other of {own}");
        let fix = format!(
            "write service = {{ kind = \"{name}\", half = {} }} here, or take it out",
            !half
        );
        return at.refuse(cause, fix);
    }
    let mut config = spec.config.clone();
    config["half"] = Value::Bool(!half);
    config["rate"] = json!(other.rate);
    other.service = Some(Spec { config, ..spec.clone() }.into());
}
