//! Buffers that the queues of a switch share.
use crate::language::scenario::{Scenario, SharedBuffer};
use crate::resolve::context::{At, Context};
use crate::resolve::topology::Network;
use dumbbell_plan::{Node, NodeId, NodeKind};

/// The least and the largest alpha: beyond them no queue gets anything, or each gets all.
const LEAST: f64 = 1e-4;
const MOST: f64 = 1e4;

/// The shared buffer of `node` that is written at `at`, if there is one.
pub fn resolve(
    written: Option<&SharedBuffer>,
    node: NodeId,
    at: &At<'_>,
) -> Option<dumbbell_plan::SharedBuffer> {
    let SharedBuffer { size, alpha } = *written?;
    if !(LEAST..=MOST).contains(&alpha) {
        let cause = format!("with alpha = {alpha} thresholds mean nothing");
        let fix = "write a number from 0.0001 to 10000, such as alpha = 1";
        at.below("alpha").refuse(cause, fix);
        return None;
    }
    Some(dumbbell_plan::SharedBuffer { node, size, alpha })
}

/// The shared buffers of the switches of the short form `key`.
pub fn of_fabric(
    key: &str,
    scenario: &Scenario,
    nodes: &[Node],
    cx: &Context<'_>,
) -> Vec<dumbbell_plan::SharedBuffer> {
    let written = [
        scenario.star.as_ref().map(|form| &form.shared_buffer),
        scenario.leaf_spine.as_ref().map(|form| &form.shared_buffer),
        scenario.fat_tree.as_ref().map(|form| &form.shared_buffer),
        scenario.wan.as_ref().map(|form| &form.shared_buffer),
    ];
    let Some(form) = written.into_iter().flatten().next() else { return Vec::new() };
    let Some(first) = resolve(form.as_ref(), 0, &cx.at(key).below("shared_buffer")) else {
        return Vec::new();
    };
    let routers = nodes.iter().enumerate().filter(|(_, node)| node.kind == NodeKind::Router);
    routers.map(|(node, _)| dumbbell_plan::SharedBuffer { node, ..first }).collect()
}

/// Refuses a shared buffer that holds no packet of a link of its switch. `form` is the key of the
/// short form that draws the network, if one does.
pub fn check(form: Option<&str>, scenario: &Scenario, net: &Network, cx: &Context<'_>) {
    for buffer in &net.shared_buffers {
        let links = net.links.iter().filter(|link| link.from == buffer.node);
        let mtu = links.map(|link| link.settings.mtu).max().unwrap_or(0);
        if buffer.most().0 >= u64::from(mtu) {
            continue;
        }
        let node = &net.nodes[buffer.node];
        let at = match form {
            Some(key) => cx.at(key),
            None => {
                let named = scenario.router.iter().position(|router| router.name == node.name);
                cx.item("router", named.unwrap_or(0))
            }
        };
        let cause = format!(
            "of {} a queue gets at most {} with alpha = {}, less than one packet of {mtu} B",
            buffer.size,
            buffer.most(),
            buffer.alpha
        );
        at.below("shared_buffer").below("size").refuse(cause, "write size = \"2 MB\"");
        if form.is_some() {
            return; // All switches have the same.
        }
    }
}

/// Refuses the shared buffer of a host.
pub fn only_of_router(written: bool, kind: NodeKind, at: &At<'_>) {
    if written && kind == NodeKind::Host {
        at.refuse("a host has one queue for each link, and nothing to share", "take it out");
    }
}
