//! The measurements of a marker or another conditioner.
use crate::edge::report::MarkerReport;
use crate::metrics::metric::{Group, Metric, Statistic, Window};
use dumbbell_algos::edge::TokenIncome;
use dumbbell_core::units::{Rate, Span};

type Of = Metric<MarkerReport>;
type OfTokens = Metric<TokenIncome>;

fn rate(bytes: u64, window: &Window) -> f64 {
    bytes as f64 * 8.0 / window.seconds
}

/// Of every marker: what passed it.
pub static MARKER: Group<MarkerReport> = Group {
    when: "",
    metrics: &[
        Of::text("link", "", |m| &m.link, "The link before whose queue it stands."),
        Of::count(
            "rule",
            "",
            |m| (m.rule + 1) as u64,
            "Its rule's place in the edge's list, from 1.",
        )
        .by(Statistic::Label),
        Of::maybe_text(
            "flow",
            "",
            |m| m.flow.as_deref(),
            "Its flow; null if it sees all that the rule takes.",
        ),
        Of::text("kind", "", |m| &m.kind, "The meter or conditioner."),
        Of::maybe_count(
            "reserved_bps",
            "bps",
            |m| m.reserved.map(Rate::bps),
            "The rate reserved for the flows whose data it sees; null if nothing is.",
        )
        .by(Statistic::Setting)
        .title("reserved"),
        Of::count(
            "in_packets",
            "pkt",
            |m| m.packets[0],
            "Packets that went on green, or without a color.",
        ),
        Of::count(
            "out_packets",
            "pkt",
            |m| m.packets[1] + m.packets[2],
            "Packets that went on yellow or red.",
        ),
        Of::count("red_packets", "pkt", |m| m.packets[2], "Of these, the red ones."),
        Of::count("dropped_packets", "pkt", |m| m.dropped, "Packets that it dropped.")
            .title("dropped")
            .lower(),
        Of::windowed(
            "in_rate_bps",
            "bps",
            |m, w| rate(m.bytes[0], w),
            "IP bytes that went on green, or without a color.",
        )
        .title("IN"),
        Of::windowed(
            "out_rate_bps",
            "bps",
            |m, w| rate(m.bytes[1] + m.bytes[2], w),
            "IP bytes that went on yellow or red.",
        )
        .title("OUT"),
    ],
};

/// The measurements of a committed bucket whose tokens stand for `unit`.
const fn tokens(names: [&'static str; 3], unit: &'static str) -> [Metric<TokenIncome>; 4] {
    let [made, lost, mean] = names;
    [
        OfTokens::real(made, unit, |i| i.made, "Tokens that came into its bucket.")
            .by(Statistic::Sum),
        OfTokens::real(lost, unit, |i| i.lost, "Of these, those that found the bucket full.")
            .by(Statistic::Sum)
            .lower(),
        OfTokens::maybe_real(
            "tokens_lost_share",
            "1",
            |i| (i.made > 0.0).then(|| i.lost / i.made),
            "Lost over made: 1 less the part of the reservation that was used.",
        )
        .title("tokens lost")
        .lower(),
        OfTokens::real(mean, unit, |i| i.mean, "Tokens in the bucket, weighted by time.")
            .by(Statistic::TimeMean)
            .title("tokens"),
    ]
}

const IN_BYTES: [&str; 3] = ["tokens_made_bytes", "tokens_lost_bytes", "tokens_mean_bytes"];
const IN_PACKETS: [&str; 3] = ["tokens_made_packets", "tokens_lost_packets", "tokens_mean_packets"];

/// Of a marker with a bucket of bytes.
pub static BYTE_TOKENS: Group<TokenIncome> =
    Group { when: "with a bucket of bytes", metrics: &tokens(IN_BYTES, "B") };

/// Of a marker with a bucket of packets.
pub static PACKET_TOKENS: Group<TokenIncome> =
    Group { when: "with a bucket of packets", metrics: &tokens(IN_PACKETS, "pkt") };

/// Of every marker: what it held.
pub static HELD: Group<MarkerReport> = Group {
    when: "",
    metrics: &[
        Of::count("held_packets", "pkt", |m| m.held, "Packets that went on after they were held."),
        Of::real(
            "held_mean_packets",
            "pkt",
            |m| m.mean_held,
            "Packets in its buffer, weighted by time.",
        )
        .by(Statistic::TimeMean)
        .title("held")
        .lower(),
        Of::maybe_real(
            "holding_mean_s",
            "s",
            |m| m.holding[0].map(Span::seconds),
            "Mean time for which packets were held; null if none was.",
        )
        .by(Statistic::Mean)
        .title("holding")
        .lower(),
        Of::maybe_real(
            "holding_p99_s",
            "s",
            |m| m.holding[1].map(Span::seconds),
            "99th percentile of that time, to one part in 32.",
        )
        .by(Statistic::Percentile)
        .binned()
        .title("p99 holding")
        .lower(),
        Of::maybe_real(
            "holding_max_s",
            "s",
            |m| m.holding[2].map(Span::seconds),
            "Longest of these times.",
        )
        .by(Statistic::Largest)
        .lower(),
    ],
};
