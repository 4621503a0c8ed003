//! Floor 3 of Dumbbell: scripts that test a TCP sender or receiver step by step, as packetdrill does a kernel's.
//!
//! A script hands one end of a connection data and segments at stated times, and says which segments it must send
//! then, and what state it must be in. [`read`] turns a text into a [`Script`], [`Script::run`] says what did not
//! hold. Offsets are those of the stream: 0 is the SYN's, data begins at 1. docs/scripts.md has the language.
#![forbid(unsafe_code)]

mod endpoint;
mod quantity;
mod read;
mod run;
mod segment;
mod tokens;
mod values;

use dumbbell_core::transport::segment::PacketTooBig;
use dumbbell_core::transport::HostSignal;
use dumbbell_core::units::{Span, Time};
use dumbbell_tcp::TcpConfig;
pub use read::read;
use segment::SegmentPattern;
use serde_json::Value;

/// What is wrong with a script's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// First byte of the place.
    pub from: usize,
    /// Byte after its last.
    pub to: usize,
    /// The cause.
    pub cause: String,
    /// What to write instead, if that is known.
    pub fix: Option<String>,
}

/// An expectation that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// First byte of the expectation in the script.
    pub from: usize,
    /// Byte after its last.
    pub to: usize,
    /// When, in the script's time.
    pub at: Span,
    /// What the script says.
    pub expected: String,
    /// What was so instead.
    pub came: String,
    /// What happened before, the latest last, as a script would say it.
    pub history: Vec<String>,
}

/// A script that can run, any number of times: runs share nothing.
#[derive(Clone, Debug)]
pub struct Script {
    side: Side,
    config: TcpConfig,
    cc: (String, Value),
    lines: Vec<Line>,
}

/// Which end of the connection is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Sender,
    Receiver,
}

/// What happens, or must have happened, at an instant.
#[derive(Clone, Debug)]
struct Line {
    at: Time,
    /// How much earlier or later a segment may leave.
    tolerance: Span,
    act: Action,
    from: usize,
    to: usize,
}

#[derive(Clone, Debug)]
enum Action {
    /// The application hands over bytes; [`u64::MAX`]: without end.
    Write(u64),
    Close,
    /// The receiving application has room for so many bytes.
    Offer(u64),
    /// The host says something to its end.
    Say(HostSignal),
    /// Segments arrive.
    Inject(Vec<SegmentPattern>),
    /// A router tells of a packet that was too large for it.
    Notify(PacketTooBig),
    /// These segments leave, in this order.
    Expect(Vec<SegmentPattern>),
    /// Nothing has left that no line expected.
    Nothing,
    /// Whatever left until now is as well.
    Any,
    Assertions(Vec<Assertion>),
}

/// A word about the state of the end.
#[derive(Clone, Debug)]
struct Assertion {
    left: Name,
    relation: Relation,
    right: Operand,
    tolerance: f64,
    text: String,
    from: usize,
    to: usize,
}

/// One of the names of [`values`], or a gauge of the congestion control.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Own(&'static str),
    Gauge(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    /// Within one percent.
    About,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Number(f64),
    Token(String),
    Other(Name),
}
