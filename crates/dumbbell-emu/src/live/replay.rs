//! Replay of a log: the same packets at the same instants, through the network of the same plan.
//!
//! The log shows every verdict, mark, fragmentation and departure of the live run: packets that
//! went out, with their due times, or did not. The replay must show the same, to the picosecond.
use crate::log::{LogFault, Reader, Record};
use dumbbell_core::catalogue::Fault;
use dumbbell_core::plugin::{Failure, Plugins};
use dumbbell_core::units::Time;
use dumbbell_net::Observer;
use dumbbell_net::{Outgoing, Relay, RelayReport};
use dumbbell_plan::Plan;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;

/// Records in a row that a log may lack: more than its ring ever held. No honest one has such a gap
/// in its numbers.
const MOST_LOST: u64 = 1 << 22;

/// The result of a replay.
#[derive(Debug)]
pub struct Replayed {
    /// Packets that came in.
    pub packets: u64,
    /// Packets that went out in one run and not in the other.
    pub mismatches: u64,
    /// The first of them.
    pub first: Option<Mismatch>,
    /// The report of the replayed network.
    pub passed: RelayReport,
}

/// A packet that went out in only one of the two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The packet that went out.
    pub out: Outgoing,
    /// True if the live run has it, false if the replay has.
    pub live: bool,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outgoing { at, socket, number, .. } = self.out;
        let (has, lacks) = if self.live {
            ("the log", "the replay")
        } else {
            (
                "the replay",
                "the \
            log",
            )
        };
        let at = at.seconds();
        write!(
            f,
            "packet {number} to socket {socket} at {at} s: {has} has it going out so, and \
            {lacks} has not"
        )
    }
}

/// The reason for which there is no replay.
#[derive(Debug)]
pub enum ReplayFault {
    /// The log was altered, cut off, or cannot be read.
    Log(LogFault),
    /// The plan names an algorithm that this release does not have.
    Plan(Fault),
    /// Records contradict each other: packets out of order, or of no flow.
    Order(String),
    /// An algorithm of the caller's own could not go on: what happened since is not what it would
    /// have done.
    Plugin(Failure),
}

impl From<LogFault> for ReplayFault {
    fn from(fault: LogFault) -> Self {
        ReplayFault::Log(fault)
    }
}

/// The key by which outgoing packets are compared: all of their fields.
type Key = (Time, u64, u32, [u64; 2]);

fn key(out: &Outgoing) -> Key {
    let Outgoing { at, socket, number, ecn, dscp, fragment, damaged, icmp_error } = *out;
    let fragment = fragment.map_or(0, |f| {
        1 << 33 | u64::from(f.last) << 32 | u64::from(f.from) << 16 | u64::from(f.to)
    });
    let marks = u64::from(dscp.0) << 3 | (ecn as u64) << 1 | u64::from(damaged);
    let icmp_error =
        icmp_error.map_or(0, |e| 1 << 63 | u64::from(e.mtu as u16) << 32 | u64::from(e.seq));
    (at, number, socket, [fragment << 16 | marks, icmp_error])
}

/// Both runs side by side: what only one has had so far.
#[derive(Default)]
struct Comparison {
    open: BTreeMap<Key, (Outgoing, i64)>,
}

impl Comparison {
    fn add(&mut self, out: Outgoing, by: i64) {
        let key = key(&out);
        let entry = self.open.entry(key).or_insert((out, 0));
        entry.1 += by;
        if entry.1 == 0 {
            self.open.remove(&key);
        }
    }
}

/// Callbacks for each record and each drop while a log is replayed.
pub trait ReplayObserver {
    /// A record of the log, before it counts.
    fn record(&mut self, _record: &Record) {}
    /// A packet of a flow's sender was dropped at `t`, which may lie ahead.
    fn lost(&mut self, _t: Time, _flow: usize) {}
}

impl ReplayObserver for () {}

/// Replays the rest of a log, of `plan`, whose own algorithms are of `makers`.
///
/// # Errors
/// See [`ReplayFault`].
pub fn replay<R: Read, O: Observer>(
    log: &mut Reader<R>,
    (plan, plugins): (&Plan, &Plugins),
    observer: &mut O,
    witness: &mut impl ReplayObserver,
) -> Result<Replayed, ReplayFault> {
    let mut relay = Relay::new(plan, plugins).map_err(ReplayFault::Plan)?;
    relay.keep_losses();
    let (mut comparison, mut packets, mut last, mut latest) =
        (Comparison::default(), 0, Time::ZERO, Time::ZERO);
    let mut number = 0;
    while let Some(record) = log.next_record()? {
        witness.record(&record);
        match record {
            Record::In { t, packet } => {
                let skipped = packet.number.wrapping_sub(number + 1);
                if t < last || skipped > MOST_LOST || packet.socket as usize >= 2 * plan.flows.len()
                {
                    let (number, socket, t, last) =
                        (packet.number, packet.socket, t.seconds(), last.seconds());
                    let why = format!(
                        "packet {number} of socket {socket} at {t} s comes after one \
                        at {last} s"
                    );
                    return Err(ReplayFault::Order(why));
                }
                (last, number) = (t, packet.number);
                latest = latest.max(t);
                packets += 1;
                relay.send(t, packet, observer);
                relay.outgoing().for_each(|out| comparison.add(out, -1));
                relay.gone().for_each(drop);
                relay.losses().for_each(|(t, flow)| witness.lost(t, flow as usize));
            }
            // A packet that a host had no room for came out of the network all the same.
            Record::Out { out, .. } => {
                latest = latest.max(out.at);
                comparison.add(out, 1);
            }
        }
    }
    // A run that ended before its plan did, with its programs or by hand, has no more than this.
    let end = latest.min(Time::ZERO + plan.duration);
    relay.run_until(Time::ZERO + plan.duration, observer);
    relay.outgoing().for_each(|out| comparison.add(out, -1));
    relay.losses().for_each(|(t, flow)| witness.lost(t, flow as usize));
    if let Some(failure) = relay.failure() {
        return Err(ReplayFault::Plugin(failure.clone()));
    }
    let passed = relay.finish(observer);
    // Packets that were due at the very end had no time to be written.
    let open = comparison.open.into_values().filter(|(out, count)| *count > 0 || out.at < end);
    let mut different =
        open.map(|(out, count)| (Mismatch { out, live: count > 0 }, count.unsigned_abs()));
    let first = different.next();
    let mismatches =
        first.iter().map(|(_, n)| n).sum::<u64>() + different.map(|(_, n)| n).sum::<u64>();
    Ok(Replayed { packets, mismatches, first: first.map(|(m, _)| m), passed })
}
