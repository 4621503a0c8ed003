//! The records of a scenario besides the summary.
use dumbbell_core::units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is recorded besides the summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// Period of the time series; without it there are none.
    pub every: Option<Span>,
    /// Whether flows have series; default true.
    pub flows: bool,
    /// Whether reported queues have series; default true.
    pub queues: bool,
    /// Whether each drop and each mark is recorded, with what its decision saw, and each reaction
    /// of a sender; default false.
    pub drops: bool,
    /// Whether packets are recorded one by one: false (default), true, or a list of names of flows.
    /// Also records drops, marks and reactions.
    pub packets: Followed,
    /// Whether each flow of the sessions is recorded, with its start, its size and its completion
    /// time; default false.
    pub completions: bool,
    /// Whether acknowledgments are recorded one by one, when each left the receiver and when it
    /// came to the sender, and measured in the results: false (default), true for every TCP flow,
    /// or a list of names of flows.
    pub acks: Followed,
    /// Whose one-way delays are measured in the results and recorded as a distribution: false
    /// (default), true for every flow, or a list of names of flows. Those of datagrams are in the
    /// results in any case.
    pub delays: Followed,
    /// Whether markers and other conditioners have series, with `every`; default false.
    pub markers: bool,
}

/// Which flows' packets, or acknowledgments, are recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected `true`, `false` or names of flows, such as [\"far\"]")]
pub enum Followed {
    /// Those of every flow, or of none.
    All(bool),
    /// Those of the flows with these names.
    Of(Vec<String>),
}

impl Default for Record {
    fn default() -> Self {
        Record {
            every: None,
            flows: true,
            queues: true,
            drops: false,
            packets: Followed::All(false),
            completions: false,
            acks: Followed::All(false),
            delays: Followed::All(false),
            markers: false,
        }
    }
}
