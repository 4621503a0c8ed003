//! The columns of the series and of signals.
use crate::results::records::parquet_table::Type;

/// A flow at an instant; what its congestion control shows comes behind.
pub const FLOWS: [(&str, Type); 17] = [
    ("time_s", Type::Real),
    ("flow", Type::Word),
    ("cwnd_bytes", Type::Count),
    ("cwnd_packets", Type::Real),
    ("ssthresh_bytes", Type::MaybeCount),
    ("srtt_us", Type::MaybeReal),
    ("rto_us", Type::Real),
    ("in_flight_bytes", Type::Count),
    ("delivered_bytes", Type::Count),
    ("sent_bytes", Type::Count),
    ("retransmits", Type::Count),
    ("goodput_bps", Type::MaybeReal),
    ("phase", Type::Word),
    ("sent_packets", Type::Count),
    ("delivered_packets", Type::Count),
    ("lost_packets", Type::Count),
    ("received_bytes", Type::Count),
];
/// A queue at an instant; what its algorithm shows comes behind.
pub const QUEUES: [(&str, Type); 5] = [
    ("time_s", Type::Real),
    ("queue", Type::Word),
    ("queue_packets", Type::Count),
    ("queue_bytes", Type::Count),
    ("dropped_packets", Type::Count),
];
/// A drop or a mark; what the algorithm shows comes behind.
pub const SIGNALS: [(&str, Type); 11] = [
    ("time_s", Type::Real),
    ("queue", Type::Word),
    ("flow", Type::Word),
    ("from", Type::Word),
    ("packet", Type::MaybeCount),
    ("reason", Type::Word),
    ("marked", Type::Truth),
    ("seq", Type::Count),
    ("ip_len_bytes", Type::Count),
    ("retransmit", Type::Truth),
    ("queue_packets", Type::Count),
];
