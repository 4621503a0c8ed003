//! The state of an endpoint by name, for assertions.
use crate::Side;
use dumbbell_core::units::{Span, Time};

/// A value by name.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bytes(u64),
    Span(Span),
    Count(u64),
    Token(&'static str),
    Gauge(f64),
}

/// The names of a sender's state.
pub const SENDER: &[&str] = &[
    "cwnd",
    "ssthresh",
    "in_flight",
    "una",
    "nxt",
    "srtt",
    "rttvar",
    "rto",
    "phase",
    "deadline",
    "finished",
    "retransmits",
    "rtos",
    "recoveries",
    "ecn_reductions",
    "spurious_retransmits",
    "probes",
    "tail_probes",
    "tail_losses",
    "spurious_timeouts",
    "spurious_recoveries",
    "path_mtu",
    "mtu_changes",
    "mtu_probes",
    "mtu_probes_lost",
    "black_holes",
    "notices",
    "notices_ignored",
    "sent_packets",
    "sent_bytes",
];
/// The names of a receiver's state.
pub const RECEIVER: &[&str] = &[
    "deadline",
    "finished",
    "delivered_bytes",
    "received_packets",
    "received_bytes",
    "duplicates",
    "ce_packets",
    "acks_sent",
];
/// Words that a value may be.
pub const WORDS: &[&str] = &["open", "recovery", "loss", "none", "never", "true", "false"];

/// The names that hold for a side.
pub fn names(side: Side) -> &'static [&'static str] {
    match side {
        Side::Sender => SENDER,
        Side::Receiver => RECEIVER,
    }
}

impl Value {
    /// A deadline.
    pub fn instant(at: Time) -> Self {
        if at == Time::NEVER { Value::Token("never") } else { Value::Span(at.since(Time::ZERO)) }
    }
    /// Yes or no.
    pub fn flag(on: bool) -> Self {
        Value::Token(if on { "true" } else { "false" })
    }
    /// A number, if it is one: bytes, seconds or what the gauge counts.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Bytes(n) | Value::Count(n) => Some(*n as f64),
            Value::Span(s) => Some(s.seconds()),
            Value::Gauge(x) => Some(*x),
            Value::Token(_) => None,
        }
    }
    /// For people; `mss` makes packets of bytes.
    pub fn text(&self, mss: u64) -> String {
        match self {
            Value::Bytes(n) => format!("{n} B ({} pkt)", *n as f64 / mss as f64),
            Value::Span(s) => s.to_string(),
            Value::Count(n) => n.to_string(),
            Value::Token(w) => (*w).into(),
            Value::Gauge(x) => x.to_string(),
        }
    }
}
