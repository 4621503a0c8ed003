//! The traits of algorithms and the types in their signatures under one path: what `#[delegate]`
//! writes in other crates names them here.
pub use crate::aqm::{Aqm, Backlog, Cx, Gone, Limit, Needs, QueueView, Reason, Slot, Verdict};
pub use crate::conditioner::{Conditioner, Emit};
pub use crate::impairment::{Impairment, WireEffect};
pub use crate::meter::{Color, Meter, Tokens};
pub use crate::packet::{Dscp, Meta, Packet};
pub use crate::probe::Probe;
pub use crate::qdisc::packet_queue::Waiting;
pub use crate::qdisc::{Qdisc, Sink};
pub use crate::rng::Stream;
pub use crate::service::{CpuCost, Service, Transmitted};
pub use crate::source::{Burst, Source, Voice};
pub use crate::transport::{
    Ack, Capabilities, Commands, Congestion, CongestionControl, Detect, Evidence, Finding, Flight,
    HostSignal, Pick, Recover, Scoreboard, Sent, Step, Tag, TcpOverrides,
};
pub use crate::units::{Rate, Span, Time};
