//! Delay targets below the time of one packet.
use super::site::time;
use crate::language::problem::Check;
use crate::language::warnings::SMALL_TARGET;
use crate::resolve::lints::Site;
use dumbbell_core::units::Span;

/// Warns of queues whose target is below the transmission time of a packet of the link's MTU.
pub(crate) fn small(site: &Site<'_>, check: &mut Check) {
    for (i, link) in site.plan.links.iter().enumerate().filter(|(i, _)| site.has_queue(*i)) {
        let target = link.aqm.config.get("target").cloned();
        let Some(target) = target.and_then(|t| serde_json::from_value::<Span>(t).ok()) else {
            continue; // Some queues have a target in packets.
        };
        let packet = link.rate.span_of(u64::from(link.framing().wire_len(link.mtu)));
        if target >= packet {
            continue;
        }
        let least = time(packet.seconds() * 1.005);
        site.warn(
            &SMALL_TARGET,
            (site.queue_key(i, "target"), Some(site.queue_key(i, "kind"))),
            format!(
                "the target of `{}` is {target}, and one packet of {} B takes {}",
                link.name,
                link.mtu,
                time(packet.seconds())
            ),
            format!("write target = \"{least}\" or more"),
            check,
        );
    }
}
