//! The measurements of a queue.
use crate::metrics::metric::{Group, Metric, Statistic};
use crate::report::QueueReport;
use dumbbell_algos::service::duplex_mismatch::medium::Counters;
use dumbbell_core::aqm::Reason;

type Of = Metric<QueueReport>;
type OfProfile = Metric<QueueProfile>;
type OfEthernet = Metric<Counters>;

/// Of every reported queue.
pub static QUEUE: Group<QueueReport> = Group {
    when: "",
    metrics: &[
        Of::text("name", "", |q| &q.name, "The link's name."),
        Of::text("kind", "", |q| &q.kind, "Its algorithm."),
        Of::real(
            "mean_packets",
            "pkt",
            |q| q.mean_packets,
            "Length, weighted by time. The packet in transmission does not count, unless the queue \
             says `count_in_service = true`.",
        )
        .by(Statistic::TimeMean)
        .title("mean queue")
        .head("mean")
        .lower(),
        Of::count(
            "max_packets",
            "pkt",
            |q| q.max_packets.into(),
            "Largest length, by the same convention.",
        )
        .by(Statistic::Largest)
        .title("max queue")
        .head("max")
        .lower(),
        Of::count(
            "p50_packets",
            "pkt",
            |q| q.measures.packets[0].into(),
            "Median of the length over time, exact: the smallest length that was not exceeded for \
             50 % of the window.",
        )
        .by(Statistic::TimePercentile)
        .lower(),
        Of::count(
            "p95_packets",
            "pkt",
            |q| q.measures.packets[1].into(),
            "95th percentile of the length over time, exact.",
        )
        .by(Statistic::TimePercentile)
        .lower(),
        Of::count(
            "p99_packets",
            "pkt",
            |q| q.measures.packets[2].into(),
            "99th percentile of the length over time, exact.",
        )
        .by(Statistic::TimePercentile)
        .lower(),
        Of::real(
            "mean_bytes",
            "B",
            |q| q.measures.bytes.0,
            "Length in bytes of IP packets, weighted by time, by the same convention.",
        )
        .by(Statistic::TimeMean)
        .lower(),
        Of::count(
            "max_bytes",
            "B",
            |q| q.measures.bytes.1,
            "Largest length in bytes of IP packets.",
        )
        .by(Statistic::Largest)
        .lower(),
        Of::real(
            "empty_share",
            "1",
            |q| q.measures.empty_share,
            "Share of time without a packet in the queue.",
        ),
        Of::real(
            "mean_sojourn_s",
            "s",
            |q| q.mean_sojourn_s,
            "Waiting time from arrival to the start of transmission, of packets that were sent.",
        )
        .by(Statistic::Mean)
        .title("mean sojourn")
        .head("sojourn")
        .lower(),
        Of::real(
            "p50_sojourn_s",
            "s",
            |q| q.measures.sojourn_s[0],
            "Median of the waiting time, from a histogram, within 1/32.",
        )
        .by(Statistic::Percentile)
        .binned()
        .title("median sojourn")
        .lower(),
        Of::real(
            "p95_sojourn_s",
            "s",
            |q| q.measures.sojourn_s[1],
            "95th percentile of the waiting time, within 1/32.",
        )
        .by(Statistic::Percentile)
        .binned()
        .title("p95 sojourn")
        .lower(),
        Of::real(
            "p99_sojourn_s",
            "s",
            |q| q.measures.sojourn_s[2],
            "99th percentile of the waiting time, within 1/32.",
        )
        .by(Statistic::Percentile)
        .binned()
        .title("p99 sojourn")
        .lower(),
        Of::maybe_real(
            "time_above_share",
            "1",
            |q| q.measures.time_above_share,
            "Share of time with more than the threshold in the queue; null without one.",
        )
        .lower(),
        Of::maybe_real(
            "watch_above_packets",
            "pkt",
            |q| q.measures.watch_above_packets,
            "The threshold if it is in packets: the queue's `watch_above`, else half of its \
             `limit`.",
        )
        .by(Statistic::Setting),
        Of::maybe_count(
            "watch_above_bytes",
            "B",
            |q| q.measures.watch_above_bytes,
            "The threshold if it is in bytes.",
        )
        .by(Statistic::Setting),
        Of::maybe_real(
            "standing_packets",
            "pkt",
            |q| q.measures.standing_packets,
            "Mean over intervals of the smallest length in each; null without a whole interval.",
        )
        .by(Statistic::Mean)
        .lower(),
        Of::maybe_real(
            "standing_sojourn_s",
            "s",
            |q| q.measures.standing_sojourn_s,
            "Mean over intervals of the smallest waiting time in each; null without a whole \
             interval.",
        )
        .by(Statistic::Mean)
        .lower(),
        Of::real(
            "standing_interval_s",
            "s",
            |q| q.measures.standing_interval_s,
            "The length of these intervals.",
        )
        .by(Statistic::Setting),
        Of::maybe_real(
            "synchronization",
            "",
            |q| q.measures.synchronization,
            "Global synchronization: the mean correlation of losses over pairs of flows, 1 if all \
             lose in the same round trips.",
        )
        .lower(),
        Of::maybe_real(
            "loss_epoch_share",
            "1",
            |q| q.measures.loss_epoch_share,
            "Mean over loss epochs of the share of flows that lose in one.",
        )
        .by(Statistic::Mean)
        .lower(),
        Of::real(
            "loss_bin_s",
            "s",
            |q| q.measures.loss_bin_s,
            "The round trip that these two measurements use.",
        )
        .by(Statistic::Setting),
        Of::maybe_real(
            "lock_out",
            "1",
            |q| q.measures.lock_out,
            "Mean share of flows that others keep out of the queue.",
        )
        .by(Statistic::Mean)
        .title("locked out")
        .lower(),
        Of::count(
            "arrivals",
            "",
            |q| q.counters.arrivals,
            "Packets that came, dropped packets included.",
        ),
        Of::count(
            "departures",
            "",
            |q| q.counters.departures,
            "Packets that were transmitted, and not lost on the wire.",
        ),
        Of::count(
            "arrived_bytes",
            "B",
            |q| q.counters.arrived_bytes,
            "Bytes of IP packets that came, without framing.",
        ),
        Of::count(
            "departed_bytes",
            "B",
            |q| q.counters.departed_bytes,
            "Bytes of IP packets that were transmitted, without framing.",
        ),
        Of::counts(
            "drops",
            "",
            |q| Reason::ALL.iter().map(|r| (r.name(), q.counters.drops[r.index()])).collect(),
            "Dropped packets by reason.",
        )
        .title("drops")
        .lower(),
        Of::count("marks", "", |q| q.counters.marks, "Packets marked Congestion Experienced here.")
            .title("marks"),
        Of::real(
            "utilization",
            "1",
            |q| q.utilization,
            "Share of the window in which the transmitter was busy, from 0 to 1.",
        )
        .title("utilization")
        .higher(),
    ],
};

/// Packets that came in profile and out of it, and of these the dropped ones.
pub type QueueProfile = ([u64; 2], [u64; 2]);

/// Of a queue in a plan with profiles.
pub static PROFILE_QUEUE: Group<QueueProfile> = Group {
    when: "with profiles",
    metrics: &[
        OfProfile::count(
            "arrivals_in",
            "",
            |(arrivals, _)| arrivals[0],
            "Packets that came to the queue in profile, dropped packets included.",
        ),
        OfProfile::count(
            "drops_in",
            "",
            |(_, drops)| drops[0],
            "Of these, what the queue dropped.",
        )
        .lower(),
        OfProfile::count(
            "arrivals_out",
            "",
            |(arrivals, _)| arrivals[1],
            "Packets that came to the queue out of profile, dropped packets included.",
        ),
        OfProfile::count(
            "drops_out",
            "",
            |(_, drops)| drops[1],
            "Of these, what the queue dropped.",
        )
        .lower(),
    ],
};

/// Of each end of an Ethernet whose other end may send at the same time.
pub static DUPLEX: Group<Counters> = Group {
    when: "at each end of an Ethernet with half duplex",
    metrics: &[
        OfEthernet::count("collisions", "", |d| d.collisions, "Collisions that it heard.")
            .title("collisions")
            .lower(),
        OfEthernet::count(
            "late_collisions",
            "",
            |d| d.late_collisions,
            "Of these, those beyond the slot.",
        )
        .title("late")
        .lower(),
        OfEthernet::count(
            "excessive_collisions",
            "",
            |d| d.excessive_collisions,
            "Frames given up after 16 collisions.",
        )
        .title("excessive")
        .lower(),
        OfEthernet::count(
            "broken_frames",
            "pkt",
            |d| d.broken_frames,
            "Frames that it sent and that arrived broken.",
        )
        .title("arrived broken")
        .lower(),
    ],
};
