//! The measurements of a flow's acknowledgments.
use crate::measure::acks::AckSummary;
use crate::metrics::metric::{Group, Metric, Statistic};

type Of = Metric<AckSummary>;

/// Of a flow whose acknowledgments were followed.
pub static ACKS: Group<AckSummary> = Group {
    when: "",
    metrics: &[
        Of::count(
            "sent",
            "pkt",
            |a| a.sent,
            "Acknowledgments that the receiver sent: `arrived` + `lost`, and those on their way \
             at the end.",
        )
        .title("sent"),
        Of::count("arrived", "pkt", |a| a.arrived, "Acknowledgments that reached the sender."),
        Of::count("lost", "pkt", |a| a.lost, "Acknowledgments that were dropped.")
            .title("lost")
            .lower(),
        Of::count("duplicates", "", |a| a.duplicates, "Duplicates among those that arrived.")
            .title("duplicates"),
        Of::maybe_real(
            "mean_newly_acked_bytes",
            "B",
            |a| a.mean_newly_acked_bytes,
            "Newly acknowledged bytes of one that arrived; lost acknowledgments make it larger.",
        )
        .by(Statistic::Mean)
        .title("acked by one"),
        Of::count(
            "max_newly_acked_bytes",
            "B",
            |a| a.max_newly_acked_bytes,
            "Most bytes that one of them acknowledged.",
        )
        .by(Statistic::Largest),
        Of::maybe_real(
            "mean_spacing_receiver_s",
            "s",
            |a| a.receiver.mean_s,
            "Time between neighbors when the receiver sent them.",
        )
        .by(Statistic::Mean),
        Of::maybe_real(
            "p50_spacing_receiver_s",
            "s",
            |a| a.receiver.p50_s,
            "Median time between neighbors when the receiver sent them.",
        )
        .by(Statistic::Percentile)
        .binned()
        .title("sent apart"),
        Of::maybe_real(
            "p99_spacing_receiver_s",
            "s",
            |a| a.receiver.p99_s,
            "99th percentile of the time between neighbors when the receiver sent them.",
        )
        .by(Statistic::Percentile)
        .binned(),
        Of::maybe_real(
            "mean_spacing_sender_s",
            "s",
            |a| a.sender.mean_s,
            "Time between neighbors when they arrived.",
        )
        .by(Statistic::Mean),
        Of::maybe_real(
            "p50_spacing_sender_s",
            "s",
            |a| a.sender.p50_s,
            "Median time between neighbors when they arrived.",
        )
        .by(Statistic::Percentile)
        .binned()
        .title("came apart"),
        Of::maybe_real(
            "p99_spacing_sender_s",
            "s",
            |a| a.sender.p99_s,
            "99th percentile of the time between neighbors when they arrived.",
        )
        .by(Statistic::Percentile)
        .binned(),
        Of::maybe_real(
            "compressed_share",
            "1",
            |a| a.compressed_share,
            "Share of the arrivals whose spacing at the sender is less than half of what the two \
             had at the receiver (`pair_spacing_receiver_us`).",
        )
        .title("compressed")
        .lower(),
        Of::maybe_real(
            "stretched_share",
            "1",
            |a| a.stretched_share,
            "Share of the arrivals whose spacing at the sender is more than twice that.",
        )
        .title("stretched"),
    ],
};
