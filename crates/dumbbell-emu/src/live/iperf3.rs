//! Results of `iperf3 --json`, versions 3.12 to 3.17, client and server, TCP and UDP.
//!
//! Each end knows only half: values of the other end that it was not told are 0 or stale in the
//! output, and `None` here. Some keys appear twice. A failed run reports its error inside the
//! output, and a killed one has no output.
mod parse;
#[cfg(test)]
mod tests;

use serde::Serialize;
use std::fmt;
use std::path::Path;

/// Bytes in a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Amount {
    /// Of payload.
    pub bytes: u64,
    /// Duration.
    pub seconds: f64,
    /// The quotient, as iperf3 has it.
    pub bps: f64,
}

/// One interval report of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Seconds since the start.
    pub start_s: f64,
    /// End, seconds since the start.
    pub end_s: f64,
    /// Payload sent or received.
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
    /// True if the totals leave it out (`--omit`).
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
    /// True if this end sends.
    pub sends: bool,
    /// The amount sent, if this end knows it.
    pub sent: Option<Amount>,
    /// The amount received, if this end knows it.
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
    /// Jitter of datagrams (RFC 3550).
    pub jitter_s: Option<f64>,
    /// Interval reports.
    pub intervals: Vec<Interval>,
}

/// Processor use, percent of one processor.
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
    /// iperf3's error message; results before the error may be present.
    pub error: Option<String>,
    /// Streams; none if no test began, or if it ended without a summary.
    pub streams: Vec<Stream>,
    /// Processor use.
    pub cpu: Option<Cpu>,
}

/// The reason for which a text is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// There is none: it was killed.
    Empty,
    /// It is no JSON, or not all of it.
    Syntax {
        /// Line, from 1.
        line: usize,
        /// The parser's message.
        cause: String,
    },
    /// It is of something else.
    Foreign,
    /// It is a stream of events.
    Events,
    /// It has more than one run.
    Several,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Empty => f.write_str("iperf3 wrote nothing: it was killed before its end"),
            ParseError::Syntax { line, cause } => {
                write!(
                    f,
                    "what iperf3 wrote is no JSON, line {line}: {cause}; start it with \
                    --json"
                )
            }
            ParseError::Foreign => f.write_str(
                "this is not what iperf3 --json writes: it has no \
                `start` and no `end`",
            ),
            ParseError::Events => f.write_str(
                "iperf3 was started with --json-stream: use --json \
                instead",
            ),
            ParseError::Several => f.write_str(
                "there is more than one run in what iperf3 wrote: start the server \
                    with --one-off",
            ),
        }
    }
}

impl std::error::Error for ParseError {}

/// True if a command line is iperf3's and asks for results in JSON.
pub fn is_json(argv: &[String]) -> bool {
    let Some((name, words)) = argv.split_first() else { return false };
    Path::new(name).file_name().is_some_and(|file| file == "iperf3")
        && words.iter().any(|word| word == "-J" || word == "--json")
}

/// Reads what iperf3 wrote.
///
/// # Errors
/// It is nothing of the kind.
pub fn read(text: &str) -> Result<Outcome, ParseError> {
    parse::outcome(text)
}
