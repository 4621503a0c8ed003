//! What a router may have been told about its flows: reservations, round-trip hints, weights.
use crate::packet::FlowId;
use crate::units::{Rate, Span};

/// What is known of one flow. Everything is optional: most queues ask for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FlowInfo {
    /// Reserved (committed) rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Rate>,
    /// Round-trip time as signalled or configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt: Option<Span>,
    /// Scheduling weight, default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

/// The flows' information by flow number.
#[derive(Clone, Debug, Default)]
pub struct FlowTable(pub Vec<FlowInfo>);

impl FlowTable {
    /// What is known of `flow`; a flow that nobody described has the defaults.
    pub fn get(&self, flow: FlowId) -> FlowInfo {
        self.0.get(flow.0 as usize).copied().unwrap_or_default()
    }
}
