//! The two ends of an Ethernet: one service for each direction of a link, which must belong
//! together.
use crate::language::node::{Node, below};
use crate::language::problem::{Check, Diagnostic};
use crate::resolve::topology::LinkDraft;
use dumbbell_algos::service::duplex_mismatch::{DuplexMismatch, FASTEST};
use dumbbell_core::catalogue::Algorithm;
use dumbbell_plan::Spec;
use serde_json::Value;

/// True if a direction's service is an end of an Ethernet.
fn is_end(draft: &LinkDraft) -> bool {
    draft.service.as_ref().is_some_and(|spec| spec.kind == DuplexMismatch::ABOUT.name)
}

/// Sees to it that both directions of the link at `table` are ends of one Ethernet, if one of them
/// is: an end that nothing is written for is the opposite of the other. Results report both.
pub fn couple(
    ahead: &mut LinkDraft,
    back: &mut LinkDraft,
    root: &Node,
    table: &[String],
    check: &mut Check,
) {
    let reverse = below(table, "reverse");
    match (is_end(ahead), is_end(back)) {
        (false, false) => return,
        (true, true) => {}
        (true, false) => complement(ahead, back, root, &reverse, check),
        (false, true) => complement(back, ahead, root, table, check),
    }
    let fast = ahead.rate.max(back.rate);
    if fast > FASTEST {
        let at = below(table, "rate");
        let d = Diagnostic::new(format!(
            "half duplex is Ethernet's at 10 and 100 Mbps, and this \
            link has {fast}"
        ));
        check.error(
            d.at(root.nearest_place(&at)).fix(format!("write rate = \"{FASTEST}\"")).key(&at),
        );
    } else if ahead.rate != back.rate {
        let at = below(&reverse, "rate");
        let cause = format!(
            "an Ethernet has one rate, and these ends have {} and {}",
            ahead.rate, back.rate
        );
        let d = Diagnostic::new(cause).at(root.nearest_place(&at));
        check.error(d.fix("take the `rate` of `reverse` out").key(&at));
    }
    (ahead.report, back.report) = (true, true);
}

/// Makes `other`, whose table is at `at`, the opposite of `end`.
fn complement(
    end: &LinkDraft,
    other: &mut LinkDraft,
    root: &Node,
    at: &[String],
    check: &mut Check,
) {
    let Some(spec) = end.service.as_deref() else { return };
    let half = spec.config["half"] == Value::Bool(true);
    let at = below(at, "service");
    if other.service.is_some() || root.at(&at).is_some() {
        let name = DuplexMismatch::ABOUT.name;
        let own = other.service.as_ref().map_or("constant", |spec| &spec.kind);
        let cause = format!("one end of this link is of {name}, and the other of {own}");
        let d = Diagnostic::new(cause).at(root.nearest_place(&at));
        let fix = format!(
            "write service = {{ kind = \"{name}\", half = {} }} here, or take it out",
            !half
        );
        return check.error(d.fix(fix).key(&at));
    }
    let mut config = spec.config.clone();
    config["half"] = Value::Bool(!half);
    config["rate"] = serde_json::json!(other.rate);
    other.service = Some(
        Spec { kind: spec.kind.clone(), config, source_hash: spec.source_hash.clone() }.into(),
    );
}
