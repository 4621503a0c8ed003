//! From a plan to what is measured of each reported queue.
use crate::link::Element;
use crate::measure::colors;
use crate::measure::queue::{MonitorConfig, Threshold};
use dumbbell_core::units::{Capacity, Span};
use dumbbell_plan::{Link, Plan};

/// Shortest interval of the standing queue: CoDel's default `interval` (RFC 8289, section 4.3).
const INTERVAL: Span = Span::from_ms(100);
/// Shortest window in which lock-out is looked for, and how many of the largest round trips it
/// spans at least.
const WINDOW: Span = Span::from_secs(1);
const ROUND_TRIPS: u64 = 10;
/// The most places for flows in all queues together, one for each flow in each: beyond that a queue
/// has places for those that come to it. 128 MB.
const MOST_PLACES: usize = 4 << 20;

/// Watches every link that results report.
pub(crate) fn attach(plan: &Plan, elements: &mut [Element]) {
    let (rtts, inside) = (largest_rtts(plan), colors::inside(plan));
    let reported = plan.links.iter().filter(|link| link.report).count();
    let few_flows = reported.saturating_mul(plan.flows.len()) > MOST_PLACES;
    for (number, link) in plan.links.iter().enumerate().filter(|(_, link)| link.report) {
        if let Element::Port(port) = &mut elements[number] {
            port.account
                .stats
                .monitor(MonitorConfig { few_flows, ..interest(link, rtts[number], inside) });
        }
    }
}

/// Of each link the largest base round trip of the flows that cross it either way; zero where none
/// does.
fn largest_rtts(plan: &Plan) -> Vec<Span> {
    let mut largest = vec![Span::ZERO; plan.links.len()];
    for flow in &plan.flows {
        let rtt = plan.base_rtt(flow);
        (0..2)
            .flat_map(|end| flow.routes(end))
            .flatten()
            .for_each(|link| largest[*link] = largest[*link].max(rtt));
    }
    largest
}

fn interest(link: &Link, rtt: Span, inside: Option<u64>) -> MonitorConfig {
    let packet = link.rate.span_of(u64::from(link.framing().wire_len(link.mtu)));
    let interval = INTERVAL.max(rtt).max(packet * 2);
    let window = WINDOW.max(rtt * ROUND_TRIPS);
    let threshold = match (link.watch_above, link.capacity) {
        (Some(Capacity::Packets(n)), _) => Threshold::Packets(f64::from(n)),
        (None, Capacity::Packets(n)) => Threshold::Packets(f64::from(n) / 2.0),
        (Some(Capacity::Bytes(n) | Capacity::Reached(n)), _) => Threshold::Bytes(n),
        (None, Capacity::Bytes(n) | Capacity::Reached(n)) => Threshold::Bytes(n / 2),
        (Some(Capacity::Buffers { count, .. }), _) => Threshold::Buffers(u64::from(count)),
        (None, Capacity::Buffers { count, .. }) => Threshold::Buffers(u64::from(count) / 2),
        (Some(Capacity::Unlimited), _) | (None, Capacity::Unlimited) => Threshold::None,
    };
    MonitorConfig {
        rtt,
        interval,
        window: window.ps().div_ceil(interval.ps()) as u32,
        threshold,
        inside,
        few_flows: false,
    }
}
