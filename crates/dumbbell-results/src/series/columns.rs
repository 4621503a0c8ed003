//! The columns of the series and of signals, and the cells of a row.
use crate::series::cells::{Cell, Type};
use dumbbell_core::transport::Phase;
use dumbbell_core::units::Time;
use dumbbell_plan::Link;
use dumbbell_sim::{FlowRow, QueueRow};

/// Picoseconds in a microsecond.
pub const PS_PER_US: f64 = 1e6;

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
pub const QUEUES: [(&str, Type); 6] = [
    ("time_s", Type::Real),
    ("queue", Type::Word),
    ("queue_packets", Type::Count),
    ("queue_bytes", Type::Count),
    ("dropped_packets", Type::Count),
    ("sent_bytes", Type::Count),
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

/// The cells of a flow's row. `before`: the time and the delivered bytes of its previous row, which
/// this one takes the place of.
pub fn flow_cells<'a>(
    (name, t): (&'a str, Time),
    row: &FlowRow,
    before: &mut Option<(Time, u64)>,
) -> [Cell<'a>; FLOWS.len()] {
    let goodput = before.replace((t, row.delivered_bytes)).and_then(|(then, bytes)| {
        let span = t.since(then).seconds();
        (span > 0.0).then(|| (row.delivered_bytes - bytes) as f64 * 8.0 / span)
    });
    [
        Cell::Real(t.seconds()),
        Cell::Word(name),
        Cell::Count(row.cwnd_bytes),
        Cell::Real(row.cwnd_packets),
        row.ssthresh_bytes.into(),
        row.srtt.map(|s| s.ps() as f64 / PS_PER_US).into(),
        Cell::Real(row.rto.ps() as f64 / PS_PER_US),
        Cell::Count(row.in_flight_bytes),
        Cell::Count(row.delivered_bytes),
        Cell::Count(row.sent_bytes),
        Cell::Count(row.retransmits),
        goodput.into(),
        Cell::Word(phase(row.phase)),
        Cell::Count(row.sent_packets),
        Cell::Count(row.delivered_packets),
        Cell::Count(row.lost_packets),
        Cell::Count(row.received_bytes),
    ]
}

/// The cells of a queue's row.
pub fn queue_cells<'a>(link: &'a Link, t: Time, row: &QueueRow) -> [Cell<'a>; QUEUES.len()] {
    [
        Cell::Real(t.seconds()),
        Cell::Word(&link.name),
        Cell::Count(row.packets.into()),
        Cell::Count(row.bytes),
        Cell::Count(row.dropped),
        Cell::Count(row.sent_bytes),
    ]
}

/// The name of a sender's phase in records.
pub fn phase(p: Phase) -> &'static str {
    match p {
        Phase::Open => "open",
        Phase::Recovery => "recovery",
        Phase::Loss => "loss",
    }
}
