//! The threads that send and receive datagrams.
//!
//! A datagram carries its number (four bytes) and the instant of its hand-over to the kernel (eight
//! bytes, nanoseconds of the run, the same clock at both ends). One of fewer than twelve bytes
//! carries only the number, one of fewer than four nothing.
mod receiver;
mod sender;

pub use receiver::{DatagramResult, Receiver};
pub use sender::{Sender, Task};

use dumbbell_core::probe::Gauges;
use dumbbell_core::units::{Span, Time};

/// Datagrams of one call.
const BATCH: usize = 64;
/// Bytes of number and instant.
const STAMP: usize = 12;

/// Results of the sending end of a flow of datagrams.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatagramsSent {
    /// Datagrams that the application handed over, since the start.
    pub count: u64,
    /// Payload bytes of these.
    pub bytes: u64,
    /// Of these, datagrams that the kernel did not take: no room, or larger than the device
    /// carries.
    pub refused: u64,
    /// Sum and maximum of how late they were, nanoseconds.
    pub late_sum_ns: u64,
    /// See `late_sum_ns`.
    pub late_max_ns: u64,
    /// Counts at the end of the warm-up: datagrams and bytes.
    pub warm: (u64, u64),
    /// True if the application has closed.
    pub closed: bool,
    /// Measures of the application.
    pub application: Gauges,
    /// Time of the first datagram.
    pub opened: Option<Time>,
}

/// One datagram that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Number, from 0.
    pub number: u32,
    /// Time of the hand-over to the sender's kernel.
    pub sent: Time,
    /// Time of the arrival in the receiver's kernel.
    pub came: Time,
    /// True if it came with Congestion Experienced.
    pub ce: bool,
}

/// Results of a flow of datagrams, since its start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Datagrams {
    /// The sending end.
    pub sent: DatagramsSent,
    /// Datagrams that came, copies included.
    pub count: u64,
    /// Of these, with Congestion Experienced.
    pub ce: u64,
    /// Of these, in the window.
    pub warm_ce: u64,
    /// Of these, whose number was smaller than one that had come (RFC 4737 section 3.3).
    pub reordered: u64,
    /// Of these, whose number had come before.
    pub copies: u64,
    /// Datagrams that the receiving socket had no room for.
    pub no_room: u32,
    /// One-way delays.
    pub delays: Delays,
    /// Each of them in the order in which they came, if they are written down.
    pub log: Vec<Datagram>,
}

/// One-way delays of datagrams, from the sender's hand-over to the receiver's kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// Number of measured delays.
    pub count: u64,
    /// Sum of the delays.
    pub sum: Span,
    /// The shortest.
    pub least: Option<Span>,
    /// The longest.
    pub most: Span,
}

impl Delays {
    fn add(&mut self, way: Span) {
        self.count += 1;
        self.sum = self.sum + way;
        self.least = Some(self.least.map_or(way, |least| least.min(way)));
        self.most = self.most.max(way);
    }
    /// Mean delay, seconds.
    pub fn mean_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.seconds() / self.count as f64)
    }
}

/// Makes of `piece` the datagram `number` of `bytes` bytes.
fn stamp(piece: &mut Vec<u8>, bytes: usize, number: u32, at: u64) {
    piece.resize(bytes, 0);
    let mut head = [0; STAMP];
    head[..4].copy_from_slice(&number.to_be_bytes());
    head[4..].copy_from_slice(&at.to_be_bytes());
    let whole = if bytes >= STAMP {
        STAMP
    } else if bytes >= 4 {
        4
    } else {
        0
    };
    piece[..whole].copy_from_slice(&head[..whole]);
}

/// Number and instant of a datagram that begins with `head`.
fn stamped(head: &[u8]) -> (Option<u32>, Option<u64>) {
    let number = head.first_chunk().map(|b| u32::from_be_bytes(*b));
    let at = head.get(4..).and_then(|rest| rest.first_chunk()).map(|b| u64::from_be_bytes(*b));
    (number, at)
}
