//! Congestion controls that need marks, on paths without them.
use crate::language::lookup::Family;
use crate::language::problem::Check;
use crate::language::warnings::NO_MARKS;
use crate::resolve::flows::SITE;
use crate::resolve::lints::Site;
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::plugin::Alarm;
use dumbbell_core::transport::CongestionControl;
use dumbbell_plan::{LinkId, Spec};
use serde_json::Value;

/// True if a queue may mark packets: its `ecn` is on, or it has no such parameter and is a
/// discipline of several queues, one of which marks always. A plugin may.
fn marks(queue: &Spec) -> bool {
    marks_as(&queue.kind, &queue.config, queue.source_hash.is_some())
}

fn marks_as(kind: &str, config: &Value, plugin: bool) -> bool {
    match (&config["ecn"], &config["aqm"]) {
        (Value::Bool(on), _) => *on,
        (_, child @ Value::Object(_)) => {
            marks_as(child["kind"].as_str().unwrap_or_default(), child, false)
        }
        _ => plugin || Family::Aqm.find(kind).is_none(),
    }
}

/// True if a congestion control asks for ECN by its name.
fn needs_marks(cc: &Spec, check: &Check) -> bool {
    let built = match check.plugins.cc(&cc.kind) {
        Some(factory) => factory.make(&cc.config, &SITE, &Alarm::default()).map(AnyCc::Plugin),
        None => AnyCc::build(&cc.kind, &cc.config, &SITE),
    };
    built.is_ok_and(|cc| cc.tcp_overrides().ecn.is_some())
}

/// Warns of each entry of `flow` whose congestion control needs marks and gets none.
pub(crate) fn no_marks(site: &Site<'_>, check: &mut Check) {
    let mut told = vec![false; site.scenario().flow.len()];
    for (i, flow) in site.plan.flows.iter().enumerate() {
        let Some(cc) = flow.transport.cc() else { continue };
        if std::mem::replace(&mut told[site.entries[i]], true) || !needs_marks(cc, check) {
            continue;
        }
        let queue = |l: &LinkId| &site.plan.links[*l].aqm;
        if flow.forward.iter().any(|l| marks(queue(l))) {
            continue;
        }
        let rate = |l: &&LinkId| site.plan.links[**l].rate.bps();
        let Some(slowest) = flow.forward.iter().min_by_key(rate) else { continue };
        let known = Family::Cc.find(&cc.kind);
        let title = known.map_or(cc.kind.as_str(), |entry| entry.about.title);
        let spec = queue(slowest);
        let key = site.queue_key(*slowest, "").join(".");
        let key = key.trim_end_matches('.');
        let (why, what) = if spec.config.get("ecn").is_some() {
            (format!("{} has ecn = false", spec.kind), format!("{key}.ecn = true"))
        } else {
            let what = format!("{key}.kind = \"red\" with {key}.ecn = true");
            (format!("{} never marks", spec.kind), what)
        };
        site.warn(
            &NO_MARKS,
            (site.flow_key(i, "cc"), None),
            format!("{title} needs a queue that marks, but {why}"),
            format!("use {what}, or another congestion control"),
            check,
        );
    }
}
