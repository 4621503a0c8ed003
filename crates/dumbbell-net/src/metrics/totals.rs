//! The measurements of all flows together.
use crate::metrics::metric::{Group, Metric, Statistic};
use crate::report::FlowReport;

type Of = Metric<[FlowReport]>;
type OfTargets = Metric<TargetErrors>;

fn sum(flows: &[FlowReport], of: fn(&FlowReport) -> u64) -> u64 {
    flows.iter().map(of).sum()
}

/// Of all flows, those of sessions included.
pub static TOTALS: Group<[FlowReport]> = Group {
    when: "",
    metrics: &[
        Of::real(
            "goodput_bps",
            "bps",
            |flows| flows.iter().map(|f| f.goodput_bps).sum::<f64>(),
            "Sum of `goodput_bps` over all flows.",
        )
        .by(Statistic::Rate)
        .title("all flows")
        .higher(),
        Of::real(
            "throughput_bps",
            "bps",
            |flows| flows.iter().map(|f| f.throughput_bps).sum::<f64>(),
            "Sum of `throughput_bps` over all flows.",
        )
        .by(Statistic::Rate)
        .higher(),
        Of::count(
            "sent_packets",
            "pkt",
            |flows| sum(flows, |f| f.sent_packets),
            "Sum of `sent_packets` over all flows.",
        ),
        Of::count(
            "delivered_packets",
            "pkt",
            |flows| sum(flows, |f| f.delivered_packets),
            "Sum of `delivered_packets` over all flows.",
        ),
        Of::count(
            "lost_packets",
            "pkt",
            |flows| sum(flows, |f| f.lost_packets),
            "Sum of `lost_packets` over all flows.",
        )
        .lower(),
        Of::count(
            "retransmits",
            "",
            |flows| sum(flows, |f| f.retransmits),
            "Sum of `retransmits` over all flows.",
        )
        .title("retransmits")
        .lower(),
        Of::count("rtos", "", |flows| sum(flows, |f| f.rtos), "Sum of `rtos` over all flows.")
            .title("timeouts")
            .lower(),
        Of::count("marks", "", |flows| sum(flows, |f| f.marks), "Sum of `marks` over all flows.")
            .title("marks"),
        Of::maybe_real(
            "cwnd_mean_packets",
            "pkt",
            |flows| {
                let windows: Vec<f64> = flows.iter().filter_map(|f| f.cwnd_mean_packets).collect();
                (!windows.is_empty()).then(|| windows.iter().sum::<f64>() / windows.len() as f64)
            },
            "Mean of `cwnd_mean_packets` over the TCP flows; null if there are none.",
        )
        .by(Statistic::Mean),
    ],
};

/// The distance of flows from the bandwidth that was meant for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetErrors {
    /// Mean of |x - t| / t over the flows with a target above zero.
    pub mean: Option<f64>,
    /// Sum of |x - t|.
    pub sum_bps: f64,
}

/// Of flows that have targets.
pub static TARGETS: Group<TargetErrors> = Group {
    when: "where flows have targets",
    metrics: &[
        OfTargets::maybe_real(
            "target_error_mean",
            "1",
            |e| e.mean,
            "Mean of |x - t|/t over the flows whose target t is above zero; x is the throughput \
             in profile and out of it.",
        )
        .by(Statistic::Mean)
        .lower(),
        OfTargets::real(
            "target_error_sum_bps",
            "bps",
            |e| e.sum_bps,
            "Sum of |x - t| over all flows.",
        )
        .by(Statistic::Sum)
        .lower(),
    ],
};
