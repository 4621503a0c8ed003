//! Validity of a run on the testbed: each reason against it comes with the number, its bound and
//! advice.
//!
//! A router that is late still forwards, and a host with checksum offload still sends: everything
//! seems to work, and the numbers are wrong. So there is no result without its validity: only
//! [`crate::router::Finished::judge`] returns what a network found, and only [`judge`] makes a
//! [`Validity`].
mod accuracy;
mod rules;
#[cfg(test)]
mod tests;
mod traffic;

pub use accuracy::{Accuracy, Load, Missed};
pub use traffic::Traffic;

use crate::calibrate::Calibration;
use crate::packet::defects::Findings;
use crate::router::Finished;
use crate::router::measures::Measured;
use crate::router::measures::lateness::Percentiles;
use dumbbell_plan::Class;
use serde::{Deserialize, Serialize};

/// The bounds that are not of a class.
pub mod bound {
    /// Largest relative error of the bottleneck's rate.
    pub const RATE: f64 = 0.005;
    /// Largest share of steal time.
    pub const STEAL: f64 = 0.05;
    /// Retransmissions that need no loss, for each flow: a handshake's or a close's, and a tail
    /// loss probe (RFC 8985 section 7) whose packet was on its way.
    pub const PER_FLOW: u64 = 2;
    /// The mean lateness of a flow's datagrams that is permitted, microseconds: as long as the
    /// kernel may delay a thread without real-time priority, time and again.
    pub const SENT_LATE_US: f64 = 1_000.0;
    /// Retransmissions that need no loss, as a share of losses: spurious timeouts.
    pub const SPURIOUS: f64 = 0.01;
}

/// Facts about a run besides the router's measures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The class that the run must reach.
    pub required: Class,
    /// The length of the part that results leave out, seconds.
    pub warmup_s: f64,
    /// Load of the busiest queue; `None`: no queue is reported.
    pub load: Option<Load>,
    /// The kind of NIC.
    pub datapath: String,
    /// Calibration before the run; `None`: there was none.
    pub calibration: Option<Calibration>,
    /// Counts of losses and retransmissions; `None`: no sender could be asked.
    pub retransmissions: Option<Retransmissions>,
    /// Result of the replay; `None`: there was none.
    pub replay: Option<Replay>,
    /// Checks of its own traffic.
    pub traffic: Traffic,
    /// True if the run ends with the user's programs, and the plan says only the latest end.
    pub open_ended: bool,
}

/// Losses as the router knows them, and as the senders do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retransmissions {
    /// Packets with data of TCP flows that the network dropped or damaged.
    pub router_drops: u64,
    /// Segments that their senders sent again.
    pub retransmits: u64,
    /// Of these, as the log has it, segments whose last transmission had arrived: what a timeout
    /// without SACK, or one that came too early, sends again in vain.
    pub needless: u64,
    /// Of these, those by which there are more because a packet that was too large for a link is
    /// repeated as several.
    pub resized: u64,
    /// Packets that were on their way at the end: their senders do not know yet what happened to
    /// them.
    pub in_flight: u64,
    /// Flows.
    pub flows: u64,
}

impl Retransmissions {
    /// The permitted difference of the two counts.
    pub fn tolerance(&self) -> u64 {
        let share = (self.router_drops as f64 * bound::SPURIOUS) as u64;
        self.in_flight + bound::PER_FLOW * self.flows + share
    }
    /// The difference of the two counts.
    pub fn apart(&self) -> u64 {
        (self.router_drops + self.needless + self.resized).abs_diff(self.retransmits)
    }
}

/// A log that was given to another network of the same plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// Packets that came in.
    pub packets: u64,
    /// Packets that came out differently than in the run.
    pub mismatches: u64,
}

/// The verdict on a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Validity {
    /// True if it is valid.
    pub valid: bool,
    /// The class that it reached; `None`: none, or a rule is broken that holds for every class.
    pub class: Option<Class>,
    /// The class that it had to reach.
    pub required: Class,
    /// The largest errors that lateness and stalls may have made.
    pub bound_percent: Accuracy,
    /// Load of the busiest queue.
    pub load: Option<Load>,
    /// The better classes that it missed, with reasons.
    pub missed: Vec<Missed>,
    /// Reasons against its validity.
    pub reasons: Vec<String>,
    /// Warnings: they may have changed the results, and are no fault of the router.
    pub warnings: Vec<String>,
    /// The kind of NIC.
    pub datapath: String,
    /// True if the router ran with real-time priority.
    pub realtime: bool,
    /// The core that the router kept to; `None`: it went where the kernel put it.
    pub core: Option<usize>,
    /// Privileges that the kernel refused.
    pub denied: Vec<String>,
    /// Calibration before the run; `None`: there was none.
    pub calibration: Option<Calibration>,
    /// Lateness of written packets.
    pub lateness_us: Percentiles,
    /// The time for which packets waited at NICs until the router read them.
    pub door_wait_us: Percentiles,
    /// By how much gaps between packets that left the bottleneck back to back were wrong.
    pub gap_error_us: Percentiles,
    /// Stalls.
    pub stalls: crate::router::measures::stalls::Stalls,
    /// The error of the bottleneck's rate as a share; `None`: it was never busy.
    pub rate_error: Option<f64>,
    /// Packets that got lost between a host and the router.
    pub port_drops: PortDrops,
    /// Packets above the MTU.
    pub oversized_frames: u64,
    /// Packets with a wrong checksum, and what was no IP packet.
    pub bad_checksums: u64,
    /// Packets of no flow of the plan.
    pub strangers: u64,
    /// All of these by their reasons, the first of each in words.
    pub turned_away: Findings,
    /// The account of packets.
    pub conservation: Conservation,
    /// Losses and repetitions.
    pub retransmissions: Option<Retransmissions>,
    /// Checks of its own traffic.
    pub traffic: Traffic,
    /// Processor time.
    pub cpu: crate::router::measures::cpu::Cpu,
    /// Records of packets that were lost on their way to the log.
    pub log_overflow: u64,
    /// Packets that were to be captured, and that the log had no room for.
    pub uncaptured: u64,
    /// The replay.
    pub replay: Option<Replay>,
}

/// Packets that got lost at NICs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PortDrops {
    /// Sent by a host, never read.
    pub sent: u64,
    /// Written by the router, never taken.
    pub written: u64,
}

/// Every packet is somewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Conservation {
    /// True if `incoming = out + dropped + inside`, and nothing came out that had not come in.
    pub ok: bool,
    /// Packets that came in.
    #[serde(rename = "in")]
    pub incoming: u64,
    /// Packets of which something came out.
    pub out: u64,
    /// Packets that the network dropped.
    pub dropped: u64,
    /// Packets that are in it at the end.
    pub inside: u64,
}

impl<N, W> Finished<N, W> {
    /// The network of a run, with the run's validity.
    pub fn judge(self, facts: &Facts) -> (N, Validity) {
        (self.network, judge(&self.measured, facts))
    }
}

/// Judges a run.
pub fn judge(measured: &Measured, facts: &Facts) -> Validity {
    let counts = &measured.counts;
    let (incoming, out, dropped, inside) =
        (counts.incoming, counts.delivered, counts.dropped, measured.inside);
    let losses = measured.losses.iter();
    let (sent, written) = losses.fold((0, 0), |(s, w), loss| (s + loss.sent, w + loss.written));
    let ok = incoming == out + dropped + inside && counts.orphans == 0;
    let mut validity = Validity {
        valid: false,
        class: None,
        required: facts.required,
        bound_percent: accuracy::accuracy(measured, facts),
        load: facts.load.clone(),
        missed: vec![],
        reasons: vec![],
        warnings: vec![],
        datapath: facts.datapath.clone(),
        realtime: measured.privilege.real_time,
        core: measured.privilege.core,
        denied: measured.privilege.denied.clone(),
        calibration: facts.calibration,
        lateness_us: measured.lateness_us,
        door_wait_us: measured.door_wait_us,
        gap_error_us: measured.gap_error_us,
        stalls: measured.stalls,
        rate_error: measured.rate_error,
        port_drops: PortDrops { sent, written },
        oversized_frames: counts.oversized,
        bad_checksums: counts.bad_checksums + counts.malformed,
        strangers: counts.strangers,
        turned_away: counts.findings.clone(),
        conservation: Conservation { ok, incoming, out, dropped, inside },
        retransmissions: facts.retransmissions,
        traffic: facts.traffic.clone(),
        cpu: measured.cpu,
        log_overflow: counts.log_overflow,
        uncaptured: counts.uncaptured,
        replay: facts.replay,
    };
    let broken_off = rules::broken_off(measured).filter(|_| !facts.open_ended);
    validity.reasons = rules::RULES.iter().filter_map(|rule| rule(&validity, measured)).collect();
    validity.reasons.splice(0..0, broken_off);
    (validity.class, validity.missed) = accuracy::reached(&validity, measured);
    let short_of = accuracy::short_of(&validity);
    validity.class = validity.class.filter(|_| validity.reasons.is_empty());
    validity.reasons.extend(short_of);
    validity.warnings = validity.traffic.warnings();
    validity.valid = validity.reasons.is_empty();
    validity
}
