//! Settings of TCP that do not fit the path: windows, and the retransmission timeout.
use super::site::{Bottleneck, time};
use crate::language::problem::Check;
use crate::language::warnings::{MIN_RTO, WINDOW_CAP};
use crate::resolve::lints::Site;
use dumbbell_core::units::Rate;
use dumbbell_plan::Transport;

/// The longest minimum timeout without a warning, round-trip times.
const MOST_RTTS: f64 = 200.0;

impl Site<'_> {
    /// The receiver's window of flow `i`, bytes.
    pub(crate) fn window(&self, i: usize) -> f64 {
        match &self.plan.flows[i].transport {
            Transport::Tcp { tcp, .. } => tcp.window_bytes() as f64,
            Transport::Quic { quic, .. } => quic.window.0 as f64,
            Transport::Scream { .. } | Transport::Udp { .. } => f64::INFINITY,
        }
    }
}

/// Warns of a bottleneck that its flows cannot fill with their receivers' windows.
pub(crate) fn cap(site: &Site<'_>, bottleneck: &Bottleneck, check: &mut Check) {
    let plan = site.plan;
    // Other flows across the link may use what these windows leave.
    if bottleneck.shared || bottleneck.crossing > bottleneck.flows.len() {
        return;
    }
    let rate = |i: &usize| 8.0 * site.window(*i) / plan.base_rtt(&plan.flows[*i]).seconds();
    let sum: f64 = bottleneck.flows.iter().map(rate).sum();
    let link = &plan.links[bottleneck.link];
    if sum >= link.rate.bps() as f64 {
        return;
    }
    let first = bottleneck.flows[0];
    let needed = bottleneck.bdp(plan) / bottleneck.flows.len() as f64;
    site.warn(
        &WINDOW_CAP,
        (site.tcp_key(first, "receive_window"), Some(site.flow_key(first, "profile"))),
        format!(
            "the receivers' windows allow {} in sum, and `{}` carries {}",
            Rate::from_bps(sum as u64),
            link.name,
            link.rate
        ),
        format!("write tcp.receive_window = \"{:.0} B\" or more", (needed * 2.0).ceil()),
        check,
    );
}

/// Warns of a retransmission timeout that is long for the round-trip time, once.
pub(crate) fn min_rto(site: &Site<'_>, bottlenecks: &[Bottleneck], check: &mut Check) {
    for bottleneck in bottlenecks {
        let rtt = bottleneck.rtt.seconds() + bottleneck.wait(site.plan);
        for &i in &bottleneck.flows {
            let Transport::Tcp { tcp, .. } = &site.plan.flows[i].transport else { continue };
            let least = tcp.min_rto.seconds();
            if least <= MOST_RTTS * rtt {
                continue;
            }
            site.warn(
                &MIN_RTO,
                (site.tcp_key(i, "min_rto"), Some(site.flow_key(i, "profile"))),
                format!(
                    "the least retransmission timeout of {} is {:.0} round-trip times of {}",
                    tcp.min_rto,
                    least / rtt,
                    time(rtt)
                ),
                format!("write tcp.min_rto = \"{}\"", time(10.0 * rtt)),
                check,
            );
            return;
        }
    }
}
