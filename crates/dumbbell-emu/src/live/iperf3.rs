//! What `iperf3 --json` says of a run, in few words: read from versions 3.12 to 3.17, of client and server, TCP and UDP.
//!
//! Its output has traps, which end here. Each end knows only half: what the other did is 0 or stale where it was not told, and
//! is `None` here. Keys appear twice. A run that went wrong says so inside its output, and one that was killed has none.
mod parse;
#[cfg(test)]
mod tests;

use serde::Serialize;
use std::fmt;

/// Bytes in a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Amount {
    /// Of payload.
    pub bytes: u64,
    /// How long it took.
    pub seconds: f64,
    /// The quotient, as iperf3 has it.
    pub bps: f64,
}

/// What one end saw of a stream between two reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Seconds since the start.
    pub start_s: f64,
    /// The same.
    pub end_s: f64,
    /// What it sent or received, payload.
    pub bytes: u64,
    /// That in a second.
    pub bps: f64,
    /// Segments sent again; of a sender of TCP.
    pub retransmits: Option<u64>,
    /// The congestion window at its end, bytes; of a sender of TCP.
    pub cwnd_bytes: Option<u64>,
    /// The smoothed round-trip time at its end; of a sender of TCP.
    pub rtt_s: Option<f64>,
    /// Datagrams that did not come; of a receiver of UDP.
    pub lost_packets: Option<u64>,
    /// Whether it is left out of the totals (`--omit`).
    pub omitted: bool,
}

/// One connection, or flow of datagrams.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stream {
    /// iperf3's number for it: its socket.
    pub socket: u64,
    /// The port at this end; 0 if it is not said.
    pub local_port: u16,
    /// The port at the other.
    pub remote_port: u16,
    /// Whether this end is the sender.
    pub sends: bool,
    /// What was sent, if this end knows.
    pub sent: Option<Amount>,
    /// What was received, if this end knows.
    pub received: Option<Amount>,
    /// TCP segments sent again.
    pub retransmits: Option<u64>,
    /// The largest congestion window, bytes.
    pub cwnd_max_bytes: Option<u64>,
    /// The mean of the smoothed round-trip times at the reports.
    pub rtt_mean_s: Option<f64>,
    /// The least of them.
    pub rtt_min_s: Option<f64>,
    /// The largest.
    pub rtt_max_s: Option<f64>,
    /// Datagrams sent.
    pub packets: Option<u64>,
    /// Datagrams that did not come.
    pub lost_packets: Option<u64>,
    /// Their jitter (RFC 3550).
    pub jitter_s: Option<f64>,
    /// Its reports.
    pub intervals: Vec<Interval>,
}

/// What a processor had to do for it, percent of one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cpu {
    /// At this end.
    pub local_percent: f64,
    /// At the other, if it was told.
    pub remote_percent: Option<f64>,
}

/// A run, as one end tells it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// "3.12".
    pub version: String,
    /// "TCP", "UDP", "SCTP"; nothing if no test began.
    pub protocol: String,
    /// The congestion control of the sender.
    pub congestion_control: Option<String>,
    /// What went wrong, in its words. What came before may be there.
    pub error: Option<String>,
    /// Its streams; none if no test began, or if it ended without a summary.
    pub streams: Vec<Stream>,
    /// What it cost.
    pub cpu: Option<Cpu>,
}

/// Why a text is no outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// There is none: it was killed.
    Empty,
    /// It is no JSON, or not all of it.
    Syntax {
        /// Where, from 1.
        line: usize,
        /// What is wrong there.
        cause: String,
    },
    /// It is of something else.
    Foreign,
    /// It is a stream of events.
    Events,
    /// It has more than one run.
    Several,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Empty => f.write_str("iperf3 wrote nothing: it was killed before its end"),
            Unread::Syntax { line, cause } => {
                write!(f, "what iperf3 wrote is no JSON, line {line}: {cause}; start it with --json")
            }
            Unread::Foreign => f.write_str("this is not what iperf3 --json writes: it has no `start` and no `end`"),
            Unread::Events => f.write_str("iperf3 was started with --json-stream: use --json instead"),
            Unread::Several => {
                f.write_str("there is more than one run in what iperf3 wrote: start the server with --one-off")
            }
        }
    }
}

impl std::error::Error for Unread {}

/// Reads what iperf3 wrote.
///
/// # Errors
/// It is nothing of the kind.
pub fn read(text: &str) -> Result<Outcome, Unread> {
    parse::outcome(text)
}
