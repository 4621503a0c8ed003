//! The measurements of a flow of SCReAM.
use crate::metrics::metric::{Group, Metric, Statistic};
use dumbbell_scream::Media;

type Of = Metric<Media>;

/// Of a flow of SCReAM: of the window, but for counts of events, which are of the whole run.
pub static MEDIA: Group<Media> = Group {
    when: "",
    metrics: &[
        Of::maybe_real(
            "target_bps",
            "bps",
            |m| m.target_bps,
            "Rate that the control wants of the coder, RTP headers included, weighted by time.",
        )
        .by(Statistic::TimeMean)
        .title("target")
        .higher(),
        Of::maybe_real(
            "media_bps",
            "bps",
            |m| m.media_bps,
            "RTP packets that the coder made, sent or not.",
        )
        .by(Statistic::Rate)
        .higher(),
        Of::maybe_real(
            "qdelay_mean_s",
            "s",
            |m| m.qdelay_s[0],
            "Mean of the network's queue delay, as the sender estimates it with each report.",
        )
        .by(Statistic::Mean)
        .title("queue delay")
        .lower(),
        Of::maybe_real("qdelay_p95_s", "s", |m| m.qdelay_s[1], "Its 95th percentile.")
            .title("p95 queue delay")
            .by(Statistic::Percentile)
            .binned()
            .lower(),
        Of::maybe_real("qdelay_max_s", "s", |m| m.qdelay_s[2], "Its largest value.")
            .by(Statistic::Largest)
            .lower(),
        Of::real("qdelay_target_s", "s", |m| m.qdelay_target_s, "Its target at the end.")
            .by(Statistic::Last),
        Of::maybe_real(
            "rtp_queue_mean_s",
            "s",
            |m| m.rtp_queue_s[0],
            "Mean time from the capture of a packet's frame until the packet is sent.",
        )
        .by(Statistic::Mean)
        .title("RTP queue")
        .lower(),
        Of::maybe_real("rtp_queue_p95_s", "s", |m| m.rtp_queue_s[1], "Its 95th percentile.")
            .title("p95 RTP queue")
            .by(Statistic::Percentile)
            .binned()
            .lower(),
        Of::maybe_real("rtp_queue_max_s", "s", |m| m.rtp_queue_s[2], "Its largest value.")
            .by(Statistic::Largest)
            .lower(),
        Of::count(
            "frames",
            "",
            |m| m.frames,
            "Frames that were captured in the window, but for those of the last `budget`.",
        ),
        Of::count("frames_late", "", |m| m.late, "Of these, complete after the budget.")
            .title("late")
            .lower(),
        Of::count(
            "frames_lost",
            "",
            |m| m.lost,
            "Of these, not complete at the end: a packet was lost, or the frame was discarded.",
        )
        .title("lost")
        .lower(),
        Of::real(
            "missed",
            "1",
            |m| if m.frames > 0 { m.missed() as f64 / m.frames as f64 } else { 0.0 },
            "Part of the frames that missed the budget, late or lost.",
        )
        .title("missed")
        .lower(),
        Of::maybe_real(
            "frame_delay_mean_s",
            "s",
            |m| m.frame_delay_s[0],
            "Mean time from the capture of a frame until its last packet has arrived.",
        )
        .by(Statistic::Mean)
        .title("frame delay")
        .lower(),
        Of::maybe_real("frame_delay_p50_s", "s", |m| m.frame_delay_s[1], "Its median.")
            .by(Statistic::Percentile)
            .binned()
            .lower(),
        Of::maybe_real("frame_delay_p95_s", "s", |m| m.frame_delay_s[2], "Its 95th percentile.")
            .title("p95 frame delay")
            .by(Statistic::Percentile)
            .binned()
            .lower(),
        Of::maybe_real("frame_delay_p99_s", "s", |m| m.frame_delay_s[3], "Its 99th percentile.")
            .by(Statistic::Percentile)
            .binned()
            .lower(),
        Of::maybe_real("frame_delay_max_s", "s", |m| m.frame_delay_s[4], "Its largest value.")
            .by(Statistic::Largest)
            .lower(),
        Of::count(
            "discarded_frames",
            "",
            |m| m.stats.discarded_frames,
            "Frames that were discarded in the RTP queue, at least in part.",
        )
        .lower(),
        Of::count(
            "declared_lost",
            "pkt",
            |m| m.stats.lost_packets,
            "Packets that the sender declared lost.",
        ),
        Of::count(
            "spurious_losses",
            "pkt",
            |m| m.stats.spurious_losses,
            "Of these, packets that were reported later.",
        ),
        Of::count("loss_events", "", |m| m.stats.loss_events, "Congestion events by loss."),
        Of::count("ecn_events", "", |m| m.stats.ecn_events, "Congestion events by ECN."),
        Of::count(
            "fast_increases",
            "",
            |m| m.stats.fast_increases,
            "Times that the fast increase began, the first one included.",
        ),
        Of::count(
            "probes",
            "pkt",
            |m| m.stats.probes,
            "Packets sent whatever the window, because no report came.",
        ),
        Of::count("reports", "", |m| m.reports, "Reports that the receiver sent."),
    ],
};
