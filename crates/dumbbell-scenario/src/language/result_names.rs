//! Names of the numbers in a result, for rules of a scenario that refer to them.

/// The numbers of a flow.
pub const FLOW_NUMBERS: [&str; 12] = [
    "goodput_bps",
    "throughput_bps",
    "share",
    "sent_packets",
    "delivered_packets",
    "lost_packets",
    "retransmits",
    "rtos",
    "marks",
    "srtt_mean_s",
    "cwnd_mean_packets",
    "completion_s",
];

/// The numbers of a flow that has a series.
pub const PEAK_NUMBERS: [&str; 2] = ["peak_throughput_bps", "burstiness"];

/// The numbers of a flow in a plan with profiles.
pub const PROFILE_FLOW_NUMBERS: [&str; 8] = [
    "reserved_bps",
    "in_throughput_bps",
    "out_throughput_bps",
    "in_sent_packets",
    "in_lost_packets",
    "out_sent_packets",
    "out_lost_packets",
    "target_bps",
];

/// The numbers of a flow whose delays are measured.
pub const DELAY_NUMBERS: [&str; 16] = [
    "delay_min_s",
    "delay_mean_s",
    "delay_p50_s",
    "delay_p95_s",
    "delay_p99_s",
    "delay_p999_s",
    "delay_max_s",
    "delay_range_s",
    "jitter_s",
    "jitter_mean_s",
    "ipdv_mean_abs_s",
    "pdv_p99_s",
    "reordered_packets",
    "reordering_extent_max",
    "duplicate_packets",
    "loss_burst_max",
];

/// The numbers of a queue, its drops by reason apart.
pub const QUEUE_NUMBERS: [&str; 28] = [
    "mean_packets",
    "max_packets",
    "p50_packets",
    "p95_packets",
    "p99_packets",
    "mean_bytes",
    "max_bytes",
    "empty_share",
    "mean_sojourn_s",
    "p50_sojourn_s",
    "p95_sojourn_s",
    "p99_sojourn_s",
    "time_above_share",
    "watch_above_packets",
    "watch_above_bytes",
    "standing_packets",
    "standing_sojourn_s",
    "standing_interval_s",
    "synchronization",
    "loss_epoch_share",
    "loss_bin_s",
    "lock_out",
    "arrivals",
    "departures",
    "arrived_bytes",
    "departed_bytes",
    "marks",
    "utilization",
];

/// The numbers of a queue in a plan with profiles.
pub const PROFILE_QUEUE_NUMBERS: [&str; 4] =
    ["arrivals_in", "drops_in", "arrivals_out", "drops_out"];

/// The numbers of a session.
pub const SESSION_NUMBERS: [&str; 17] = [
    "flows",
    "finished",
    "offered_bps",
    "arrived_bps",
    "mean_bytes",
    "mean_completion_s",
    "p50_completion_s",
    "p95_completion_s",
    "p99_completion_s",
    "mean_slowdown",
    "p50_slowdown",
    "p95_slowdown",
    "p99_slowdown",
    "sent_packets",
    "lost_packets",
    "retransmits",
    "rtos",
];
