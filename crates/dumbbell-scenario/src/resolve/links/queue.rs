//! The queue of a link: its algorithm, its limit, and the checks of both.
use crate::language::deser;
use crate::language::lookup::{Family, drop_tail};
use crate::language::node::Node;
use crate::resolve::context::{At, Context};
use crate::resolve::topology::{LinkSettings, QueueFrom};
use dumbbell_algos::qdisc::sharing::SHARING;
use dumbbell_core::units::{Bytes, Capacity, Limit, Packets, Span, taken};
use dumbbell_plan::{Shared, SharedBuffer, Spec};
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
    /// False if results shall not report it.
    pub report: bool,
}

impl Queue {
    /// The queue of a link that names none.
    pub fn drop_tail(capacity: Capacity) -> Queue {
        Queue {
            aqm: drop_tail().into(),
            capacity,
            count_in_service: false,
            watch_above: None,
            report: true,
        }
    }
}

/// What a buffer that ports share leaves to them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Room {
    /// The most that one queue ever gets.
    queue: Bytes,
    /// An upper bound for a port with several queues: the whole buffer.
    port: Bytes,
}

impl Room {
    /// The room in `buffer`.
    pub fn of(buffer: &SharedBuffer) -> Room {
        Room { queue: buffer.most(), port: buffer.size }
    }
}

/// The queue of the link `name`; `shared`: its room in a shared buffer, which is its limit if none
/// is written.
pub fn queue(
    name: &str,
    link: &LinkSettings,
    mean_rtt: Option<Span>,
    shared: Option<Room>,
    cx: &Context<'_>,
) -> Option<Queue> {
    let default =
        |room: fn(Room) -> Bytes| shared.map_or(DEFAULT_LIMIT, |shared| Limit::Bytes(room(shared)));
    let QueueFrom::Written(path) = &link.queue else {
        let default = default(|room| room.queue);
        return Some(Queue::drop_tail(default.resolve(link.rate, Span::ZERO)));
    };
    let at = At { cx, path: path.to_vec() };
    let node = at.node()?;
    let default = match Family::of_queue(node) {
        Family::Qdisc => default(|room| room.port),
        _ => default(|room| room.queue),
    };
    if shared.is_some() && !may_share(node) {
        let cause = format!(
            "`{name}` shares a buffer, and this discipline cannot limit each of its queues"
        );
        let fix = format!(
            "write a single queue, such as drop_tail, red or codel, or classes: {}",
            SHARING.join(", ")
        );
        at.below("kind").refuse(cause, &fix);
        return None;
    }
    let written = size(&at.below("limit"))?;
    let limit = written.unwrap_or(default);
    let watch_above = size(&at.below("watch_above"))?;
    if matches!((limit, watch_above), (Limit::Bdp(_), _) | (_, Some(Limit::Bdp(_))))
        && mean_rtt.is_none()
    {
        let cause = format!("a limit in BDP needs a flow whose data crosses `{name}`");
        at.below("limit").refuse(cause, "write the limit in packets, or add a flow");
        return None;
    }
    let resolve = |limit: Limit| limit.resolve(link.rate, mean_rtt.unwrap_or(Span::ZERO));
    let watch_above = watch_above.map(resolve);
    let capacity = full_by(&at.below("limit_rule"), resolve(limit), Family::of_queue(node))?;
    let packets = capacity.in_packets(link.mtu);
    if packets.is_some_and(|n| n < 1.0) && shared.is_some() && written.is_none() {
        return None; // The shared buffer is refused.
    }
    if packets.is_some_and(|n| n < 1.0) {
        let (why, fix) = too_small(capacity, link.mtu);
        let cause = format!("a limit of {limit} does not hold one packet of {} B{why}", link.mtu);
        at.below("limit").refuse(cause, fix);
        return None;
    }
    if let Some(Capacity::Buffers { size, .. }) = watch_above
        && capacity.buffer_size() != Some(size)
    {
        let cause =
            format!("buffers of {size} B are watched, and the limit, {limit}, does not count them");
        let fix = format!(
            "write the limit in buffers of {size} B too, or watch_above in packets or bytes"
        );
        at.below("watch_above").refuse(cause, fix);
        return None;
    }
    let count_in_service = truth(&at, "count_in_service")?.unwrap_or(false);
    let report = truth(&at, "report")?.unwrap_or(true);
    let aqm = at.algorithm(Family::of_queue(node), node, packets)?;
    Some(Queue { aqm: aqm.into(), capacity, count_in_service, watch_above, report })
}

/// True if a queue may share a buffer: one queue, or a discipline that permits it.
fn may_share(node: &Node) -> bool {
    let kind = node.as_str().or_else(|| node.get("kind").and_then(Node::as_str));
    Family::of_queue(node) != Family::Qdisc || kind.is_some_and(|kind| SHARING.contains(&kind))
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
fn size(at: &At<'_>) -> Option<Option<Limit>> {
    let Some(node) = at.node() else { return Some(None) };
    let read: Result<Limit, _> = serde_json::from_value(node.to_json());
    let size = read.map_err(|e| at.error(deser::plain(&e.to_string()).at(node.place))).ok()?;
    match size.part_of_packet() {
        None => Some(Some(size)),
        Some((cause, fix)) => {
            at.refuse(cause, fix);
            None
        }
    }
}

/// The capacity by the rule that a queue may name.
fn full_by(rule: &At<'_>, capacity: Capacity, family: Family) -> Option<Capacity> {
    match rule.node().map(Node::to_json).as_ref().map(Value::as_str) {
        None | Some(Some("fits")) => Some(capacity),
        Some(Some("reached")) if family == Family::Qdisc => {
            let cause = "several queues share a limit, of which none is the one that reaches it";
            rule.refuse(cause, "leave limit_rule out");
            None
        }
        Some(Some("reached")) => {
            let reached = capacity.until_reached();
            if reached.is_none() {
                let cause = "a packet takes whole buffers, so it fits or it does not";
                rule.refuse(cause, "leave limit_rule out, or write limit in bytes");
            }
            reached
        }
        Some(_) => {
            let cause = "a queue is full when a packet does not fit, or when its limit is reached";
            rule.refuse(cause, "write limit_rule = \"fits\" or \"reached\"");
            None
        }
    }
}

/// A truth value that a queue may name, if it does.
fn truth(queue: &At<'_>, key: &str) -> Option<Option<bool>> {
    let at = queue.below(key);
    match at.node().map(Node::to_json) {
        None => Some(None),
        Some(Value::Bool(b)) => Some(Some(b)),
        Some(_) => {
            let fix = format!("write {key} = true or {key} = false");
            at.refuse("this is neither true nor false", fix);
            None
        }
    }
}
