//! The largest error of a run's results that lateness may have caused, and the class that follows.
//!
//! The router's clock is virtual, so lateness does not add up. While the thread stalls for a time
//! D, due packets wait for their host, and packets from hosts are read at the end. Both delay the
//! control loop between sender and receiver once:
//!
//! - The queue misses the packets that did not arrive. It dips by at most D, twice in a loop: once
//!   for data that was read late, once for acknowledgments that were written late. The area of
//!   both dips over the length of the run, the sum of D² over it, is twice the mean time for which
//!   an instant waits for the thread.
//! - A queue longer than D hides the stall. A shorter one runs empty and idles the link for at most
//!   2 D. A stall shorter than a packet's transmission time cannot idle a link that has a packet.
//!   Lost capacity is idle time of the link, so the link's own idle share bounds it too.
//! - Senders that hear nothing for longer than a round trip retransmit what had arrived: that share
//!   of the link is lost, too.
//! - Flows that do not fill the link slow down as their round-trip time grows: by twice the mean
//!   time over it.
//! - Hosts whose threads wait for a processor send and read late. That costs at most that share of
//!   the time, and nothing while the sender's kernel has more to send and the receiver's has room.
use super::{Facts, Validity};
use crate::router::measures::Measured;
use dumbbell_net::QueueReport;
use dumbbell_plan::{Class, Flow, Plan};
use serde::{Deserialize, Serialize};

/// Errors of a wait below this are relative to this, microseconds: no result is read to a part of
/// it.
const SHORTEST_WAIT_US: f64 = 100.0;

/// Load of the busiest reported queue, after the warm-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// The name of its link.
    pub link: String,
    /// Transmission time of a packet of the link's MTU, microseconds.
    pub packet_time_us: f64,
    /// The share of the time in which the link sent.
    pub utilization: f64,
    /// The mean wait in the queue, microseconds.
    pub wait_us: f64,
    /// The shortest round trip of a flow through it, without queues, microseconds.
    pub base_rtt_us: f64,
}

impl Load {
    /// The load of the busiest reported queue; `None` if flows pass none.
    pub fn of(plan: &Plan, queues: &[QueueReport]) -> Option<Load> {
        let busiest = queues.iter().max_by(|a, b| a.utilization.total_cmp(&b.utilization))?;
        let place = plan.links.iter().position(|link| link.name == busiest.name)?;
        let link = &plan.links[place];
        let both_ways = |flow: &Flow| {
            let links = || flow.forward.iter().chain(&flow.back);
            let delay = links().map(|link| plan.links[*link].delay.seconds()).sum::<f64>();
            links().any(|link| *link == place).then_some(delay)
        };
        let base = plan.flows.iter().filter_map(both_ways).min_by(f64::total_cmp)?;
        Some(Load {
            link: link.name.clone(),
            packet_time_us: link
                .rate
                .span_of(u64::from(link.framing().wire_len(link.mtu)))
                .seconds()
                * 1e6,
            utilization: busiest.utilization,
            wait_us: busiest.mean_sojourn_s * 1e6,
            base_rtt_us: base * 1e6,
        })
    }
}

/// The largest relative errors that lateness and stalls may have made, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Of the flows' goodput together.
    pub goodput: f64,
    /// Of the mean wait in the busiest queue.
    pub wait: f64,
}

/// A class that a run did not reach.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Missed {
    /// The class.
    pub class: Class,
    /// The reasons.
    pub reasons: Vec<String>,
}

/// The errors that a run may have.
pub(super) fn accuracy(m: &Measured, facts: &Facts) -> Accuracy {
    let load = facts.load.clone().unwrap_or_default();
    // A stall of the warm-up counts as if it fell into the part that is measured.
    let measured_s = m.seconds - facts.warmup_s;
    let scale = if measured_s > 0.0 { m.seconds / measured_s } else { 1.0 };
    let waited_us = (scale * m.stalls.mean_wait_us).max(m.lateness_us.mean);
    let packet_us = load.packet_time_us.max(m.packet_time_us.unwrap_or(0.0));
    let slowed =
        2.0 * waited_us / (load.base_rtt_us + load.wait_us).max(packet_us).max(SHORTEST_WAIT_US);
    let stopped = 2.0 * scale * m.stalls.over_packet_share + facts.traffic.lost_to_starvation();
    let idle = if load.utilization > 0.0 {
        (1.0 - load.utilization).max(0.0) / load.utilization
    } else {
        f64::INFINITY
    };
    Accuracy {
        goodput: 100.0 * (idle.min(stopped + slowed) + repeated(m, facts, &load)),
        wait: 100.0 * 2.0 * waited_us / (load.wait_us + packet_us).max(SHORTEST_WAIT_US),
    }
}

/// The share of the link that went to segments that were sent again although they had arrived: a
/// stall that outlasts a round trip makes senders do that, and a shorter one does not.
fn repeated(m: &Measured, facts: &Facts, load: &Load) -> f64 {
    let needless = facts.retransmissions.filter(|_| m.stalls.longest_ms * 1e3 > load.base_rtt_us);
    needless
        .map_or(0.0, |sent| sent.needless as f64 * load.packet_time_us / (m.seconds * 1e6).max(1.0))
}

/// The best class that the run reached, `None` if it reached none, and what kept it from each
/// better one.
pub(super) fn reached(v: &Validity, m: &Measured) -> (Option<Class>, Vec<Missed>) {
    let mut missed = vec![];
    for class in Class::ALL {
        let reasons: Vec<String> = RULES.iter().filter_map(|rule| rule(class, v, m)).collect();
        if reasons.is_empty() {
            return (Some(class), missed);
        }
        missed.push(Missed { class, reasons });
    }
    (None, missed)
}

type Rule = fn(Class, &Validity, &Measured) -> Option<String>;
const RULES: [Rule; 3] = [in_time, goodput, wait];

fn in_time(class: Class, v: &Validity, m: &Measured) -> Option<String> {
    let (one, late) = (m.packet_time_us?, v.lateness_us.p99);
    let most = one * f64::from(class.packets());
    (late > most).then(|| {
        let times = if class.packets() == 1 { "packet time" } else { "packet times" };
        format!(
            "1 % of the packets were more than {late:.1} us late, and the class `{}` permits \
                {most:.1} us, {} {times} of the bottleneck",
            class.name(),
            class.packets()
        )
    })
}

fn goodput(class: Class, v: &Validity, m: &Measured) -> Option<String> {
    let error = v.bound_percent.goodput;
    let stalls = &v.stalls;
    beyond(class, error).then(|| {
        let idle = v.load.as_ref().map_or_else(String::new, |load| {
            format!(
                ", and the link `{}` was idle for {:.2} %",
                load.link,
                100.0 * (1.0 - load.utilization)
            )
        });
        let starved = match v.traffic.lost_to_starvation() {
            share if share > 0.0 => {
                format!("; a host without a processor may have cost {:.2} %", share * 100.0)
            }
            _ => String::new(),
        };
        format!(
            "stalls may have moved the goodput by {error:.2} %, and the class `{}` permits {:.1} \
                %: the router stood still for {:.2} % of the time in {} stalls longer than a \
                packet takes ({:.0} us), the longest {:.1} ms{idle}{starved}{}",
            class.name(),
            class.error() * 100.0,
            stalls.over_packet_share * 100.0,
            stalls.over_packet_time,
            m.packet_time_us.unwrap_or(0.0),
            stalls.longest_ms,
            causes(v)
        )
    })
}

fn wait(class: Class, v: &Validity, _: &Measured) -> Option<String> {
    let error = v.bound_percent.wait;
    beyond(class, error).then(|| {
        let queue = v.load.as_ref().map_or_else(String::new, |load| {
            format!("; a packet waited {:.0} us in the queue of `{}`", load.wait_us, load.link)
        });
        format!(
            "a late router may have moved the mean wait by {error:.2} %, and the class `{}` \
                permits {:.1} %: the network waited {:.1} us for the router in the mean, {:.1} ms \
                at most{queue}{}",
            class.name(),
            class.error() * 100.0,
            v.stalls.mean_wait_us.max(v.lateness_us.mean),
            v.stalls.longest_ms,
            causes(v)
        )
    })
}

fn beyond(class: Class, percent: f64) -> bool {
    percent > class.error() * 100.0
}

/// Known causes of the stalls.
fn causes(v: &Validity) -> String {
    let throttled = match v.stalls.throttled {
        0 => String::new(),
        n => format!("; {n} of the stalls were the kernel's limit for real-time threads"),
    };
    let stolen = match v.cpu.steal_share {
        Some(share) if share > 0.0 => {
            format!("; the machine's owner gave {:.2} % of its time to others", share * 100.0)
        }
        _ => String::new(),
    };
    throttled + &stolen
}

/// The reasons for which a run missed the class that it requires.
pub(super) fn short_of(v: &Validity) -> Vec<String> {
    let required = v.required;
    if v.class.is_some_and(|class| class <= required) {
        return vec![];
    }
    let of_required = v.missed.iter().find(|missed| missed.class == required);
    let mut reasons = of_required.map_or_else(Vec::new, |missed| missed.reasons.clone());
    if let Some(last) = reasons.last_mut() {
        let priority = if v.realtime { "" } else { ", give the router real-time priority" };
        let core = ", give the router a core of its own (`[testbed] core`)";
        let looser = v.class.map_or_else(String::new, |class| {
            format!(", or require only the class `{}`", class.name())
        });
        last.push_str(&format!(": free the machine, lower the rate{priority}{core}{looser}"));
    }
    reasons
}
