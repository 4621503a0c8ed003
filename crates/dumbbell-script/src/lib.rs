//! Floor 3 of Dumbbell: scripts that test a TCP sender or receiver step by step, as packetdrill
//! does a kernel's.
//!
//! A script hands one end of a connection data and segments at stated times, and says which
//! segments it must send then, and what state it must be in. [`read`] turns a text into a
//! [`Script`], [`Script::run`] says what did not hold. Offsets are those of the stream: 0 is the
//! SYN's, data begins at 1. docs/reference/scripts.md has the language.
#![forbid(unsafe_code)]

mod endpoint;
mod quantity;
mod read;
mod run;
mod segment;
mod tokens;
mod values;

use dumbbell_core::transport::HostSignal;
use dumbbell_core::transport::segment::PacketTooBig;
use dumbbell_core::units::{Span, Time};
use dumbbell_tcp::TcpConfig;
pub use read::read;
use segment::SegmentPattern;
use serde_json::Value;

/// An error in the text of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// First byte of the place.
    pub from: usize,
    /// Byte after its last.
    pub to: usize,
    /// The cause.
    pub cause: String,
    /// The suggested fix, if there is one.
    pub fix: Option<String>,
}

/// An expectation that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// First byte of the expectation in the script.
    pub from: usize,
    /// Byte after its last.
    pub to: usize,
    /// The time in the script.
    pub at: Span,
    /// The text of the expectation.
    pub expected: String,
    /// The actual state.
    pub came: String,
    /// The events before it in the script's language, the latest last.
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

/// The end of the connection that is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Sender,
    Receiver,
}

/// A line: an event, or an expectation, at a time.
#[derive(Clone, Debug)]
struct Line {
    at: Time,
    /// The tolerance for the time of a segment.
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
    /// A router reports a packet that was too large for it.
    Notify(PacketTooBig),
    /// These segments leave, in this order.
    Expect(Vec<SegmentPattern>),
    /// Nothing has left that no line expected.
    Nothing,
    /// Whatever left until now is as well.
    Any,
    Assertions(Vec<Assertion>),
}

/// An assertion about the state of the endpoint.
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
