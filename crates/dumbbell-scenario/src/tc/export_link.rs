//! A link of a plan as lines for tc: netem at the root, tbf below it, the queue below that.
use super::KINDS;
use crate::tc::discipline::{ExportContext, ExportLog};
use crate::tc::qdisc::{netem, tbf};
use crate::tc::unsupported;
use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::Capacity;
use dumbbell_plan::{Link, Rule, SharedBuffer};

/// True if a device's name is one word that no shell takes for another thing.
pub fn plain(dev: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
    !dev.is_empty() && !dev.starts_with('-') && dev.chars().all(allowed)
}

/// The lines, in the order in which they are to be given.
pub fn lines(
    link: &Link,
    dev: &str,
    queue_only: bool,
    plugins: &Plugins,
    log: &mut ExportLog,
) -> Vec<String> {
    let chain = chain(link, queue_only, plugins, log);
    let place = |i: usize| match i {
        0 if chain.len() == 1 => "root".to_string(),
        0 => "root handle 1:".to_string(),
        i if i + 1 == chain.len() => format!("parent {i:x}:1"),
        i => format!("parent {i:x}:1 handle {:x}:", i + 1),
    };
    chain
        .iter()
        .enumerate()
        .map(|(i, words)| format!("tc qdisc add dev {dev} {} {words}", place(i)))
        .collect()
}

/// The words of each discipline, from the root down.
pub fn chain(link: &Link, queue_only: bool, plugins: &Plugins, log: &mut ExportLog) -> Vec<String> {
    let mut chain = Vec::new();
    if queue_only {
        log.explain(format!(
            "only the queue: the device itself is to send at {} and to delay by {}",
            link.rate, link.delay
        ));
    } else {
        chain.extend(netem::wire(link, log));
    }
    match link.rules() {
        [rule] if rule.spec.kind == "tbf" && is_for_all(rule) => {
            chain.extend(tbf::conditioner(&rule.spec, log));
            let queue = &link.aqm.kind;
            log.explain(format!(
                "the queue behind the shaper, {queue}, is the device's own: tc has one \
                place for both"
            ));
        }
        [rule, ..] => {
            let fix = "known is tbf, for all packets alike";
            log.refuse(
                format!("tc cannot say the conditioner `{}` of {}", rule.spec.kind, link.name),
                fix,
            );
        }
        [] => {
            if !queue_only {
                chain.push(tbf::shaper(link, log));
            }
            chain.extend(queue(link, plugins, log));
        }
    }
    chain
}

/// A queue of tc has a limit of its own only.
pub fn refuse_sharing(link: &Link, buffer: &SharedBuffer, log: &mut ExportLog) {
    let cause = format!(
        "tc has no buffer that queues share: the limit of {} is alpha = {} times what is free of \
        {}",
        link.name, buffer.alpha, buffer.size
    );
    let fix = format!(
        "take shared_buffer out and write a limit, such as limit = \"{} B\", which the queue has \
        when all others are empty",
        buffer.most().0
    );
    log.refuse(cause, fix);
}

/// True if a rule takes every packet, into one state.
fn is_for_all(rule: &Rule) -> bool {
    !rule.per_flow && rule.flows.is_none() && rule.codepoints.is_none()
}

/// The words for the queue.
fn queue(link: &Link, plugins: &Plugins, log: &mut ExportLog) -> Option<String> {
    if link.count_in_service {
        log.explain("tc does not count the packet in transmission, and this queue does");
    }
    if link.capacity == Capacity::Packets(0) {
        log.refuse("a limit of 0 packets is not a queue for tc", "raise the limit");
        return None;
    }
    if let Capacity::Buffers { size, .. } = link.capacity {
        let holds = link.capacity.in_packets(link.mtu).unwrap_or_default();
        let cause = format!("tc counts packets or bytes, and this limit buffers of {size} bytes");
        log.refuse(
            cause,
            format!(
                "write limit = \"{holds} pkt\": so many of the MTU, {} bytes, \
                it holds",
                link.mtu
            ),
        );
        return None;
    }
    let capacity = match link.capacity {
        Capacity::Reached(n) => {
            log.explain("tc drops a packet that does not fit, and this queue only when it is full");
            Capacity::Bytes(n)
        }
        other => other,
    };
    let site = ExportContext {
        aqm: &link.aqm,
        capacity,
        mtu: link.mtu,
        rate: link.rate,
        delay: link.delay,
    };
    let Some(kind) = KINDS.iter().find(|k| k.exports.contains(&link.aqm.kind.as_str())) else {
        let known: Vec<&str> = KINDS.iter().flat_map(|k| k.exports).copied().collect();
        let fix = format!("known are {}", known.join(", "));
        log.refuse(unsupported::ours(&link.aqm.kind, plugins), fix);
        return None;
    };
    (kind.export)(&site, log)
}
