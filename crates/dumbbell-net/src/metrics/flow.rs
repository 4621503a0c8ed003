//! The measurements of a flow.
use crate::measure::colors::{ColorCounts, ProfileCounts};
use crate::measure::delays::DelaySummary;
use crate::metrics::metric::{Group, Metric, Statistic, Window};
use crate::report::FlowReport;
use dumbbell_core::units::Span;
use dumbbell_quic::SenderStats;
use dumbbell_tcp::PathStats;

type Of = Metric<FlowReport>;
type OfProfile = Metric<ProfileReport>;
type OfDelays = Metric<DelaySummary>;
type OfPath = Metric<PathReport>;
type OfQuic = Metric<SenderStats>;

/// Of every flow.
pub static FLOW: Group<FlowReport> = Group {
    when: "",
    metrics: &[
        Of::text("name", "", |f| &f.name, "Its name."),
        Of::maybe_text("cc", "", |f| f.cc.as_deref(), "Its congestion control; null for UDP."),
        Of::real(
            "goodput_bps",
            "bps",
            |f| f.goodput_bps,
            "Distinct bytes handed to the receiving application, in order, over the length of the \
             window, also if the flow began later or ended earlier. Bytes that had arrived before \
             the window and waited for a gap (`held_back_bytes`) count when the gap closes.",
        )
        .by(Statistic::Rate)
        .title("goodput")
        .higher(),
        Of::real(
            "throughput_bps",
            "bps",
            |f| f.throughput_bps,
            "Payload bytes that arrived, repetitions included, without headers.",
        )
        .by(Statistic::Rate)
        .title("throughput")
        .higher(),
        Of::windowed(
            "share",
            "1",
            |f, w| if w.goodput_bps > 0.0 { f.goodput_bps / w.goodput_bps } else { 0.0 },
            "Its part of the goodput of all flows, from 0 to 1.",
        )
        .by(Statistic::Ratio)
        .title("share"),
        Of::count(
            "sent_packets",
            "pkt",
            |f| f.sent_packets,
            "Packets that the sender sent: data, repetitions, SYN, FIN, probes.",
        )
        .title("sent"),
        Of::count(
            "delivered_packets",
            "pkt",
            |f| f.delivered_packets,
            "Of the sender's packets, those that arrived in the window.",
        )
        .title("delivered"),
        Of::count(
            "lost_packets",
            "pkt",
            |f| f.lost_packets,
            "Of the sender's packets, those dropped in the window, by any queue or link.",
        )
        .title("lost")
        .lower(),
        Of::count("retransmits", "", |f| f.retransmits, "Segments sent again.")
            .title("retransmits")
            .lower(),
        Of::count("rtos", "", |f| f.rtos, "Expiries of the retransmission timer.")
            .title("timeouts")
            .lower(),
        Of::count("marks", "", |f| f.marks, "Packets that arrived with Congestion Experienced.")
            .title("marks"),
        Of::maybe_real(
            "srtt_mean_s",
            "s",
            |f| f.srtt_mean_s,
            "Mean of the round-trip samples, not of the smoothed value; null without samples.",
        )
        .by(Statistic::Mean)
        .title("smoothed RTT")
        .head("srtt")
        .lower(),
        Of::maybe_real(
            "cwnd_mean_packets",
            "pkt",
            |f| f.cwnd_mean_packets,
            "Congestion window in segments, weighted by time, from its start or the end of the \
             warm-up; null for UDP.",
        )
        .by(Statistic::TimeMean)
        .title("cwnd"),
        Of::maybe_real(
            "completion_s",
            "s",
            |f| f.completion.map(Span::seconds),
            "Time from its start until the receiving application had everything, of the whole run; \
             null if its application does not close, if something is missing, and for UDP.",
        )
        .by(Statistic::Last)
        .title("completion")
        .lower(),
    ],
};

/// A flow of a plan with profiles.
pub struct ProfileReport {
    /// The rate reserved for it.
    pub reserved_bps: Option<u64>,
    /// Its packets by color.
    pub colors: ProfileCounts,
    /// The bandwidth that was meant for it.
    pub target_bps: Option<f64>,
}

impl ProfileReport {
    /// The rate of what arrived in profile.
    pub fn in_bps(&self, w: &Window) -> f64 {
        self.colors.inside.delivered_bytes as f64 * 8.0 / w.seconds
    }

    /// The rate of what arrived out of profile.
    pub fn out_bps(&self, w: &Window) -> f64 {
        self.colors.outside.delivered_bytes as f64 * 8.0 / w.seconds
    }
}

/// Packets whose way ended with a color.
fn ended(color: ColorCounts) -> u64 {
    color.delivered_packets + color.lost_packets
}

/// Of a flow in a plan with profiles.
pub static PROFILE: Group<ProfileReport> = Group {
    when: "with profiles",
    metrics: &[
        OfProfile::maybe_count(
            "reserved_bps",
            "bps",
            |p| p.reserved_bps,
            "The rate reserved for it; null for best effort.",
        )
        .by(Statistic::Setting)
        .title("reserved"),
        OfProfile::windowed(
            "in_throughput_bps",
            "bps",
            ProfileReport::in_bps,
            "Whole IP packets of the sender that arrived in profile, repetitions included.",
        )
        .title("IN"),
        OfProfile::windowed(
            "out_throughput_bps",
            "bps",
            ProfileReport::out_bps,
            "Whole IP packets of the sender that arrived out of profile, repetitions included.",
        )
        .title("OUT"),
        OfProfile::count(
            "in_sent_packets",
            "pkt",
            |p| ended(p.colors.inside),
            "Packets that arrived or were dropped in the window and were in profile then.",
        )
        .title("IN sent"),
        OfProfile::count(
            "in_lost_packets",
            "pkt",
            |p| p.colors.inside.lost_packets,
            "Of those in profile, the dropped ones, wherever that was.",
        )
        .title("IN lost")
        .lower(),
        OfProfile::count(
            "out_sent_packets",
            "pkt",
            |p| ended(p.colors.outside),
            "Packets that arrived or were dropped in the window and were out of profile then.",
        )
        .title("OUT sent"),
        OfProfile::count(
            "out_lost_packets",
            "pkt",
            |p| p.colors.outside.lost_packets,
            "Of those out of profile, the dropped ones, wherever that was.",
        )
        .title("OUT lost")
        .lower(),
        OfProfile::maybe_real(
            "target_bps",
            "bps",
            |p| p.target_bps,
            "The bandwidth that was meant for it; null where there are no targets.",
        )
        .by(Statistic::Setting)
        .title("target"),
    ],
};

/// Of datagrams, and of connections whose delays are recorded.
pub static DELAYS: Group<DelaySummary> = Group {
    when: "of datagrams, and of connections that `record.delays` names",
    metrics: &[
        OfDelays::maybe_real(
            "delay_min_s",
            "s",
            |d| d.min_s,
            "Smallest one-way delay of the packets that arrived; null if none did.",
        )
        .by(Statistic::Smallest)
        .lower(),
        OfDelays::maybe_real("delay_mean_s", "s", |d| d.mean_s, "Mean one-way delay.")
            .by(Statistic::Mean)
            .lower(),
        OfDelays::maybe_real(
            "delay_p50_s",
            "s",
            |d| d.percentiles_s[0],
            "Median one-way delay, from a histogram: never too small, and too large by at most a \
             32nd of what the delay exceeds the propagation by.",
        )
        .by(Statistic::Percentile)
        .binned()
        .lower(),
        OfDelays::maybe_real(
            "delay_p95_s",
            "s",
            |d| d.percentiles_s[1],
            "95th percentile of the one-way delay, to the same accuracy.",
        )
        .by(Statistic::Percentile)
        .binned()
        .lower(),
        OfDelays::maybe_real(
            "delay_p99_s",
            "s",
            |d| d.percentiles_s[2],
            "99th percentile of the one-way delay, to the same accuracy.",
        )
        .by(Statistic::Percentile)
        .binned()
        .lower(),
        OfDelays::maybe_real(
            "delay_p999_s",
            "s",
            |d| d.percentiles_s[3],
            "99.9th percentile of the one-way delay, to the same accuracy.",
        )
        .by(Statistic::Percentile)
        .binned()
        .lower(),
        OfDelays::maybe_real("delay_max_s", "s", |d| d.max_s, "Largest one-way delay.")
            .by(Statistic::Largest)
            .lower(),
        OfDelays::maybe_real(
            "delay_range_s",
            "s",
            |d| d.range_s,
            "Largest less smallest one-way delay.",
        )
        .by(Statistic::Largest)
        .lower(),
        OfDelays::maybe_real(
            "jitter_s",
            "s",
            |d| d.jitter_s,
            "J of RFC 3550, section 6.4.1, after the last packet.",
        )
        .by(Statistic::Last)
        .lower(),
        OfDelays::maybe_real(
            "jitter_mean_s",
            "s",
            |d| d.jitter_mean_s,
            "Mean of J over the packets.",
        )
        .by(Statistic::Mean)
        .lower(),
        OfDelays::maybe_real(
            "ipdv_mean_abs_s",
            "s",
            |d| d.ipdv_mean_abs_s,
            "Mean of |IPDV|, the difference of the delays of two packets that were sent one after \
             the other (RFC 5481, section 4.1); pairs of which one is lost do not count.",
        )
        .by(Statistic::Mean)
        .lower(),
        OfDelays::maybe_real(
            "pdv_p99_s",
            "s",
            |d| d.pdv_p99_s,
            "99th percentile of PDV, the delay less the smallest one (RFC 5481, section 4.2).",
        )
        .by(Statistic::Percentile)
        .binned()
        .lower(),
        OfDelays::count(
            "reordered_packets",
            "pkt",
            |d| d.reordered,
            "Packets that arrived after one that was sent later (RFC 4737, section 3: \
             Type-P-Reordered).",
        )
        .lower(),
        OfDelays::count(
            "reordering_extent_max",
            "",
            |d| d.extent_max,
            "Largest reordering extent, packets (RFC 4737, section 4.2).",
        )
        .by(Statistic::Largest)
        .lower(),
        OfDelays::count(
            "duplicate_packets",
            "pkt",
            |d| d.duplicates,
            "Packets that arrived once more; a copy changes no other measurement of delay.",
        )
        .lower(),
        OfDelays::count(
            "loss_burst_max",
            "",
            |d| d.loss_burst_max,
            "Most packets in a row, in the order of sending, that were lost (a loss period, RFC \
             3357).",
        )
        .by(Statistic::Largest)
        .lower(),
    ],
};

/// Of a connection in a run with a warm-up.
pub static WAITING: Group<FlowReport> = Group {
    when: "of TCP, with a `warmup`",
    metrics: &[Of::maybe_count(
        "held_back_bytes",
        "B",
        |f| f.held_back_bytes,
        "Bytes that had arrived before the window, and waited at its start for missing data. They \
         count in `goodput_bps` once the gap closes, so a short window's goodput may exceed the \
         link's rate by as much.",
    )],
};

/// Of a flow that has a series.
pub static PEAK: Group<FlowReport> = Group {
    when: "with a series of flows (`record.every`)",
    metrics: &[
        Of::maybe_real(
            "peak_throughput_bps",
            "bps",
            |f| f.peak_throughput_bps,
            "Largest throughput of one of the periods of `record.every` that lie wholly in the \
             window; null if none does.",
        )
        .by(Statistic::Largest)
        .higher(),
        Of::maybe_real(
            "burstiness",
            "",
            |f| {
                let mean = Some(f.throughput_bps).filter(|mean| *mean > 0.0);
                f.peak_throughput_bps.zip(mean).map(|(peak, mean)| peak / mean)
            },
            "`peak_throughput_bps` over `throughput_bps`, at least about 1. It depends on the \
             period: the shorter, the larger.",
        ),
    ],
};

/// The path's MTU that a sender came to, bytes, and how.
pub type PathReport = (u32, PathStats);

/// Of a flow whose sender learned something of its path, since its start.
pub static PATH: Group<PathReport> = Group {
    when: "",
    metrics: &[
        OfPath::count("mtu_bytes", "B", |p| p.0.into(), "The packet size that it has reached.")
            .by(Statistic::Last),
        OfPath::count("mtu_changes", "", |p| p.1.mtu_changes.into(), "Changes of that size."),
        OfPath::count(
            "mtu_probes",
            "",
            |p| p.1.mtu_probes.into(),
            "Probes: segments larger than the current size.",
        ),
        OfPath::count("mtu_probes_lost", "", |p| p.1.mtu_probes_lost.into(), "Probes lost."),
        OfPath::count(
            "black_holes",
            "",
            |p| p.1.black_holes.into(),
            "Reductions of the size after repeated timeouts.",
        ),
        OfPath::count("notices", "", |p| p.1.notices.into(), "ICMP messages that it accepted."),
        OfPath::count(
            "notices_ignored",
            "",
            |p| p.1.notices_ignored.into(),
            "ICMP messages that it ignored: for data not in flight, without a smaller size, or \
             with discovery by ICMP off.",
        ),
    ],
};

/// Of a flow of QUIC, since its start.
pub static QUIC: Group<SenderStats> = Group {
    when: "",
    metrics: &[
        OfQuic::count(
            "declared_lost",
            "pkt",
            |s| s.lost_packets,
            "Packets that the sender declared lost (RFC 9002 section 6.1).",
        ),
        OfQuic::count(
            "spurious_losses",
            "pkt",
            |s| s.spurious_losses,
            "Of these, packets that were acknowledged later.",
        ),
        OfQuic::count("loss_events", "", |s| s.recoveries, "Congestion events by loss."),
        OfQuic::count("ecn_events", "", |s| s.ecn_reductions, "Congestion events by ECN."),
        OfQuic::count(
            "persistent_congestions",
            "",
            |s| s.persistent_congestions,
            "Times that losses spanned three probe timeouts (RFC 9002 section 7.6).",
        ),
    ],
};
