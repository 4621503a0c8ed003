//! Thresholds and averages of RED and its variants.
use super::site::{Bottleneck, time};
use crate::language::problem::Check;
use crate::language::warnings::{RED_THRESHOLDS, SLOW_AVERAGE};
use crate::resolve::lints::Site;
use dumbbell_core::units::{Bytes, Packets, Span};
use dumbbell_plan::{Link, Spec};
use serde_json::Value;

/// Upper thresholds among the parameters of queues, of one class or of each of several.
const UPPER: [&str; 3] = ["max_th", "max_in", "max_out"];
/// A time constant is slow above this, seconds, and above this many round-trip times.
const SLOW: f64 = 1.0;
const SLOW_RTTS: f64 = 10.0;
/// Time constants after which the average has settled (to 5 %).
const SETTLED: f64 = 3.0;

/// The largest upper threshold of a configuration: its parameter, and packets.
fn upper(config: &Value) -> Option<(&'static str, f64)> {
    let own = UPPER.iter().filter_map(|key| {
        let packets: Packets = serde_json::from_value(config.get(key)?.clone()).ok()?;
        Some((*key, packets.0))
    });
    let inner = config.as_object().into_iter().flatten().flat_map(|(_, value)| match value {
        Value::Array(items) => items.iter().filter_map(upper).collect::<Vec<_>>(),
        _ => Vec::new(),
    });
    own.chain(inner).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The size of the packets in which a queue counts: its own with `byte_mode`, else the link's.
fn unit(link: &Link) -> u32 {
    let typical = || serde_json::from_value::<Bytes>(link.aqm.config["mean_packet_size"].clone());
    match (link.aqm.config["byte_mode"].as_bool(), typical()) {
        (Some(true), Ok(size)) => size.0 as u32,
        _ => link.mtu,
    }
}

/// Warns of queues whose upper threshold is beyond their limit.
pub(crate) fn thresholds(site: &Site<'_>, check: &mut Check) {
    for (i, link) in site.plan.links.iter().enumerate().filter(|(i, _)| site.has_queue(*i)) {
        let (Some((key, threshold)), Some(limit)) =
            (upper(&link.aqm.config), link.capacity.in_packets(unit(link)))
        else {
            continue;
        };
        if threshold <= limit {
            continue;
        }
        site.warn(
            &RED_THRESHOLDS,
            (site.queue_key(i, key), Some(site.queue_key(i, "limit"))),
            format!(
                "{key} of `{}` is {threshold} packets, but its limit is {limit:.0}, so that it \
                    overflows first",
                link.name
            ),
            format!("write {key} = \"limit / 2\", or raise the limit"),
            check,
        );
    }
}

/// The time constant of a queue's average, packets; `None` if it has none or finds it itself.
fn constant(queue: &Spec) -> Option<f64> {
    let weight = match (queue.config["w_q"].as_f64(), queue.config["weight_shift"].as_u64()) {
        (Some(weight), _) => weight,
        (None, Some(shift)) => (0.5f64).powi(shift as i32),
        (None, None) => return None,
    };
    (weight > 0.0 && weight < 1.0).then(|| -1.0 / (1.0 - weight).ln())
}

/// Warns of averages that are too slow for the round-trip time, or for the warm-up.
pub(crate) fn slow(site: &Site<'_>, bottlenecks: &[Bottleneck], check: &mut Check) {
    for bottleneck in bottlenecks {
        let link = &site.plan.links[bottleneck.link];
        let Some(packets) = constant(&link.aqm) else { continue };
        let follows = packets * 8.0 * bottleneck.packet as f64 / link.rate.bps() as f64;
        let rtt = bottleneck.rtt.seconds() + bottleneck.full_wait(site.plan);
        let warmup = site.plan.warmup;
        let late = warmup > Span::ZERO && SETTLED * follows > warmup.seconds();
        let than = if follows > SLOW && follows > SLOW_RTTS * rtt {
            format!("{:.0} round-trip times", follows / rtt)
        } else if late {
            format!("and the warm-up is {warmup}")
        } else {
            continue;
        };
        let key = if link.aqm.config["w_q"].is_null() { "weight_shift" } else { "w_q" };
        let fix = if late && !than.contains("round") {
            format!("write warmup = \"{}\" or more, or raise {key}", time(SETTLED * follows))
        } else {
            let second = link.rate.bps() as f64 / 8.0 / bottleneck.packet as f64;
            match key {
                "w_q" => format!("write w_q = {:.1e} or more", 1.0 - (-1.0 / second).exp()),
                _ => format!("write weight_shift = {} or less", second.log2().floor()),
            }
        };
        site.warn(
            &SLOW_AVERAGE,
            (site.queue_key(bottleneck.link, key), Some(site.queue_key(bottleneck.link, "kind"))),
            format!(
                "the average of `{}` follows its queue with a time constant of {}, {than}",
                link.name,
                time(follows)
            ),
            fix,
            check,
        );
    }
}
