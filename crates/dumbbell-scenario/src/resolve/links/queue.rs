//! The queue of a link: its algorithm, its limit, and the checks of both.
use crate::language::lookup::{Family, drop_tail, resolve as algorithm};
use crate::language::node::{Node, below, path};
use crate::language::problem::{Check, Diagnostic};
use crate::resolve::topology::{LinkDraft, QueueFrom};
use dumbbell_core::units::{Capacity, Limit, Packets, Span, taken};
use dumbbell_plan::{Shared, Spec};
use serde_json::Value;

/// A bottleneck's limit where none is written: ns-2's `Queue set limit_ 50`.
const DEFAULT_LIMIT: Limit = Limit::Packets(Packets(50.0));

/// A queue as the plan has it.
#[derive(Clone)]
pub struct Queue {
    pub aqm: Shared<Spec>,
    pub capacity: Capacity,
    pub count_in_service: bool,
    pub watch_above: Option<Capacity>,
}

impl Queue {
    /// The queue of a link that names none.
    pub fn drop_tail(capacity: Capacity) -> Queue {
        Queue { aqm: drop_tail().into(), capacity, count_in_service: false, watch_above: None }
    }
}

/// The queue of one link.
pub fn queue(
    draft: &LinkDraft,
    mean_rtt: Option<Span>,
    root: &Node,
    check: &mut Check,
) -> Option<Queue> {
    let QueueFrom::Written(at) = &draft.queue else {
        return Some(Queue::drop_tail(DEFAULT_LIMIT.resolve(draft.rate, Span::ZERO)));
    };
    let node = root.at(at)?;
    let limit = size("limit", node, at, check)?.unwrap_or(DEFAULT_LIMIT);
    let watch_above = size("watch_above", node, at, check)?;
    if matches!((limit, watch_above), (Limit::Bdp(_), _) | (_, Some(Limit::Bdp(_))))
        && mean_rtt.is_none()
    {
        let d = Diagnostic::new(format!(
            "a limit in BDP needs a flow whose data crosses `{}`",
            draft.name
        ));
        check.error(d.at(node.nearest_place(&path(&["limit"]))).fix(
            "write the limit in packets, \
            or add a flow",
        ));
        return None;
    }
    let resolve = |limit: Limit| limit.resolve(draft.rate, mean_rtt.unwrap_or(Span::ZERO));
    let (capacity, watch_above) = (resolve(limit), watch_above.map(resolve));
    if capacity.in_packets(draft.mtu).is_some_and(|n| n < 1.0) {
        let (why, fix) = too_small(capacity, draft.mtu);
        let d = Diagnostic::new(format!(
            "a limit of {limit} does not hold one packet of {} B{why}",
            draft.mtu
        ));
        check.error(d.at(node.nearest_place(&path(&["limit"]))).fix(fix));
        return None;
    }
    if let Some(Capacity::Buffers { size, .. }) = watch_above
        && capacity.buffer_size() != Some(size)
    {
        let d = Diagnostic::new(format!(
            "buffers of {size} B are watched, and the limit, {limit}, does \
                not count them"
        ));
        let fix = format!(
            "write the limit in buffers of {size} B too, or watch_above in packets \
            or bytes"
        );
        check.error(d.at(node.nearest_place(&path(&["watch_above"]))).fix(fix));
        return None;
    }
    let count_in_service = match node.get("count_in_service").map(Node::to_json) {
        None => false,
        Some(Value::Bool(b)) => b,
        Some(_) => {
            let key = below(at, "count_in_service");
            let d = Diagnostic::new("this is neither true nor false").at(root.nearest_place(&key));
            check.error(d.fix("write count_in_service = true").key(&key));
            return None;
        }
    };
    let aqm = algorithm(Family::of_queue(node), node, at, capacity.in_packets(draft.mtu), check)?;
    Some(Queue { aqm: aqm.into(), capacity, count_in_service, watch_above })
}

/// Why not one packet of the link's MTU fits into a limit, and what to do.
fn too_small(capacity: Capacity, mtu: u32) -> (String, String) {
    let Capacity::Buffers { count, size } = capacity else {
        return (String::new(), "raise it, as in limit = \"36 pkt\"".into());
    };
    let takes = taken(size, mtu);
    let why = format!(": {mtu} B need {takes} x {size} B, and it has {count}");
    (why, format!("raise it to {takes} x {size} B at least, or give the link a smaller mtu"))
}

/// A size that a queue may name, if it does.
fn size(key: &str, node: &Node, at: &[String], check: &mut Check) -> Option<Option<Limit>> {
    let Some(size) = node.get(key) else { return Some(None) };
    let read: Result<Limit, _> = serde_json::from_value(size.to_json());
    if let Err(e) = &read {
        check.error(
            crate::language::deser::plain(&e.to_string()).at(size.place).key(&below(at, key)),
        );
    }
    read.ok().map(Some)
}
