//! Floor 4 of Dumbbell: the network between the sockets, in logical time.
//!
//! It has links, ports, queues, edges, wires and what befalls packets on them, and it measures them; it has no sockets and
//! no clock. `dumbbell_sim` puts its own TCP around it and turns the clock as fast as it can; `dumbbell_emu` puts real
//! hosts around it and lets the clock on the wall turn it. Both see the same decisions, because they are made here.
#![forbid(unsafe_code)]

mod build;
mod drive;
mod edge;
mod engine;
mod fragment;
mod link;
mod measure;
mod net;
mod observe;
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
pub use fragment::cut::FragmentationCounts;
pub use fragment::oversize::Fragment;
pub use fragment::reassembly::{Reassembler, ReassemblyCounts};
pub use measure::acks::{AckArrival, AckEnd, AckPath, AckRow, AckSummary, Spacings};
pub use measure::colors::{ColorCounts, FlowColors, ProfileCounts};
pub use measure::delays::{DelaySummary, OneWay};
pub use measure::queue::Measures;
pub use net::{Delivery, Net, RECEIVER, SENDER};
pub use observe::{Cause, FlowRow, Observer, PacketId, QueueRow, Reaction, SampleTimes, SenderSnapshot, Signal};
pub use relay::{Incoming, Outgoing, Relay, RelayFlow, RelayReport};
pub use report::names::ReportNames;
pub use report::{Conservation, FlowReport, Fragmentation, ProcessorReport, QueueReport, Report};
