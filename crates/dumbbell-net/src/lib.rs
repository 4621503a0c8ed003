//! Floor 4 of Dumbbell: the network between the sockets, in logical time.
//!
//! It simulates and measures links, ports, queues, edges and wire effects. It has no sockets and no
//! clock of its own. `dumbbell_sim` connects its own TCP to it ([`Net`]) and runs as fast as it
//! can. `dumbbell_emu` connects real hosts ([`Relay`]) and runs in real time. Both get the same
//! decisions, because all are made here.
//!
//! [`network`] builds a [`Net`] from a plan. The rooms: `engine` (agenda, entries, ranks, path
//! segments), `port` (queues and their account), `link` (wires, wire effects), `edge` (DiffServ),
//! `fragment` (packets above the MTU), `measure`. [`metrics`] is the registry of what is measured.
#![forbid(unsafe_code)]

mod build;
mod drive;
mod edge;
mod engine;
mod fragment;
mod link;
mod measure;
pub mod metrics;
mod net;
mod observe;
pub mod partition;
mod port;
mod relay;
mod report;

pub use build::{Built, Options, network, outages, sample_times, within};
pub use drive::{Arrival, PacketOutcome, drive};
pub use edge::report::{MarkerReport, MarkerRow};
pub use engine::agenda::Agenda;
pub use engine::egress::Egress;
pub use engine::entry::{Entry, NO_SIDECAR, Pkt};
pub use engine::ranks::Clock;
pub use engine::sidecar::Fragment;
pub use engine::socket::{RECEIVER, SENDER};
pub use fragment::oversize::FragmentationCounts;
pub use fragment::reassembly::{Reassembler, ReassemblyCounts};
pub use measure::acks::{AckArrival, AckEnd, AckPath, AckRow, AckSummary, Spacings};
pub use measure::colors::{ColorCounts, FlowColors, ProfileCounts};
pub use measure::delays::{DelaySummary, OneWay};
pub use measure::queue::Measures;
pub use net::{Delivery, Net, Tally};
pub use observe::{
    Cause, DynObserver, FlowRow, Following, Observer, PacketId, QueueRow, Reaction, SampleTimes,
    Sampling, SenderSnapshot, Signal,
};
pub use port::shared_buffer::{SHARED_BUFFER_GAUGES, SharedBufferReport};
pub use relay::{Incoming, Outgoing, Relay, RelayFlow, RelayReport};
pub use report::names::ReportNames;
pub use report::{Conservation, FlowReport, Fragmentation, ProcessorReport, QueueReport, Report};
