//! The measurements of a session's transfers.
use crate::metrics::metric::{Group, Metric, Statistic};

type OfSession = Metric<SessionReport>;
type OfTransfers = Metric<Transfers>;

/// Transfers of a session: all, or those of one class of sizes.
pub struct Transfers {
    /// The session's name, or the class.
    pub name: String,
    /// Transfers.
    pub flows: u64,
    /// Of these, the finished ones.
    pub finished: u64,
    /// Mean size.
    pub mean_bytes: Option<f64>,
    /// Durations of the finished ones, ascending.
    pub completion_s: Vec<f64>,
    /// Their durations over the least possible ones, ascending.
    pub slowdown: Vec<f64>,
}

/// A session.
pub struct SessionReport {
    /// Its transfers.
    pub transfers: Transfers,
    /// Mean offered load; `None` for a list of transfers.
    pub offered_bps: Option<f64>,
    /// The size of all transfers.
    pub bytes: u64,
    /// Packets that their senders sent.
    pub sent_packets: u64,
    /// Of these, how many were dropped.
    pub lost_packets: u64,
    /// Packets sent again.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub rtos: u64,
}

/// Of a session.
pub static SESSION: Group<SessionReport> = Group {
    when: "",
    metrics: &[
        OfSession::text("name", "", |s| &s.transfers.name, "Its name."),
        OfSession::count("flows", "", |s| s.transfers.flows, "Transfers that started.")
            .title("flows"),
        OfSession::count("finished", "", |s| s.transfers.finished, "Of these, the finished ones.")
            .title("finished"),
        OfSession::maybe_real(
            "offered_bps",
            "bps",
            |s| s.offered_bps,
            "Mean offered load, payload; null for a list of transfers.",
        )
        .by(Statistic::Setting)
        .title("offered"),
        OfSession::windowed(
            "arrived_bps",
            "bps",
            |s, w| s.bytes as f64 * 8.0 / w.seconds,
            "Load of the transfers that started, payload.",
        )
        .title("arrived"),
        OfSession::maybe_real(
            "mean_bytes",
            "B",
            |s| s.transfers.mean_bytes,
            "Mean size of the transfers; null without any.",
        )
        .by(Statistic::Mean)
        .title("mean size"),
    ],
};

/// Of a class of sizes.
pub static SIZES: Group<Transfers> = Group {
    when: "",
    metrics: &[
        OfTransfers::text("sizes", "", |t| &t.name, "The class: `up to 10 kB`, `above 10 MB`."),
        OfTransfers::count("flows", "", |t| t.flows, "Transfers that started.").title("flows"),
        OfTransfers::count("finished", "", |t| t.finished, "Of these, the finished ones.")
            .title("finished"),
        OfTransfers::maybe_real(
            "mean_bytes",
            "B",
            |t| t.mean_bytes,
            "Mean size of the transfers; null without any.",
        )
        .by(Statistic::Mean)
        .title("mean size"),
    ],
};

/// Of the transfers that finished: durations, and slowdowns compared with a transfer alone.
pub static TRANSFERS: Group<Transfers> = Group {
    when: "",
    metrics: &[
        OfTransfers::maybe_real(
            "mean_completion_s",
            "s",
            |t| mean(t.completion_s.iter().copied()),
            "Mean completion time of the transfers that finished; null if none did.",
        )
        .by(Statistic::Mean)
        .title("mean completion")
        .head("completion")
        .lower(),
        OfTransfers::maybe_real(
            "p50_completion_s",
            "s",
            |t| rank(&t.completion_s, 50),
            "Median completion time, by the nearest rank.",
        )
        .by(Statistic::Percentile)
        .title("median completion")
        .head("p50")
        .lower(),
        OfTransfers::maybe_real(
            "p95_completion_s",
            "s",
            |t| rank(&t.completion_s, 95),
            "95th percentile of the completion time.",
        )
        .by(Statistic::Percentile)
        .title("p95 completion")
        .head("p95")
        .lower(),
        OfTransfers::maybe_real(
            "p99_completion_s",
            "s",
            |t| rank(&t.completion_s, 99),
            "99th percentile of the completion time.",
        )
        .by(Statistic::Percentile)
        .title("p99 completion")
        .head("p99")
        .lower(),
        OfTransfers::maybe_real(
            "p999_completion_s",
            "s",
            |t| rank_of(&t.completion_s, 999, 1000),
            "99.9th percentile of the completion time.",
        )
        .by(Statistic::Percentile)
        .title("p99.9 completion")
        .head("p99.9")
        .lower(),
        OfTransfers::maybe_real(
            "mean_slowdown",
            "",
            |t| mean(t.slowdown.iter().copied()),
            "Mean of the completion time over the least that the path allows.",
        )
        .by(Statistic::Mean)
        .title("slowdown")
        .lower(),
        OfTransfers::maybe_real(
            "p50_slowdown",
            "",
            |t| rank(&t.slowdown, 50),
            "Median of that ratio.",
        )
        .by(Statistic::Percentile)
        .title("p50 slowdown")
        .lower(),
        OfTransfers::maybe_real(
            "p95_slowdown",
            "",
            |t| rank(&t.slowdown, 95),
            "95th percentile of that ratio.",
        )
        .by(Statistic::Percentile)
        .title("p95 slowdown")
        .lower(),
        OfTransfers::maybe_real(
            "p99_slowdown",
            "",
            |t| rank(&t.slowdown, 99),
            "99th percentile of that ratio.",
        )
        .by(Statistic::Percentile)
        .title("p99 slowdown")
        .lower(),
        OfTransfers::maybe_real(
            "p999_slowdown",
            "",
            |t| rank_of(&t.slowdown, 999, 1000),
            "99.9th percentile of that ratio.",
        )
        .by(Statistic::Percentile)
        .title("p99.9 slowdown")
        .lower(),
    ],
};

/// Of a session: all percentiles, and its packets.
pub static SESSION_PACKETS: Group<SessionReport> = Group {
    when: "",
    metrics: &[
        OfSession::reals(
            "completion_percentiles_s",
            "s",
            |s| percentiles(&s.transfers.completion_s),
            "Completion time that so many percent do not exceed, from 0 to 100; null if nothing \
             finished.",
        ),
        OfSession::count(
            "sent_packets",
            "pkt",
            |s| s.sent_packets,
            "Packets that the senders of its transfers sent.",
        ),
        OfSession::count("lost_packets", "pkt", |s| s.lost_packets, "Of these, the dropped ones.")
            .lower(),
        OfSession::count("retransmits", "", |s| s.retransmits, "Segments sent again.").lower(),
        OfSession::count("rtos", "", |s| s.rtos, "Expiries of the retransmission timer.").lower(),
    ],
};

/// The mean; `None` of nothing.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (n, sum) = values.fold((0u64, 0.0), |(n, sum), x| (n + 1, sum + x));
    (n > 0).then(|| sum / n as f64)
}

/// The quantile by the nearest rank: the least value that so many percent do not exceed.
fn rank(sorted: &[f64], percent: usize) -> Option<f64> {
    rank_of(sorted, percent, 100)
}

/// The quantile by the nearest rank: the least value that `part` of `whole` do not exceed.
fn rank_of(sorted: &[f64], part: usize, whole: usize) -> Option<f64> {
    sorted.get((part * sorted.len()).div_ceil(whole).max(1) - 1).copied()
}

/// Quantiles by percent from 0 (the least) to 100; `None` of nothing.
fn percentiles(sorted: &[f64]) -> Option<Vec<f64>> {
    (!sorted.is_empty()).then(|| (0..=100).filter_map(|percent| rank(sorted, percent)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_the_nearest() {
        let x: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!(
            [0, 1, 50, 95, 99, 100].map(|p| rank(&x, p)),
            [1.0, 2.0, 100.0, 190.0, 198.0, 200.0].map(Some)
        );
        assert_eq!((rank(&[], 50), rank(&[7.0], 99)), (None, Some(7.0)));
        assert_eq!([998, 999].map(|p| rank_of(&x, p, 1000)), [200.0, 200.0].map(Some));
        let many: Vec<f64> = (1..=2000).map(f64::from).collect();
        assert_eq!(rank_of(&many, 999, 1000), Some(1998.0));
    }
}
