//! Information about flows that a router may have: reservations, round-trip hints, weights, hosts.
use crate::packet::FlowId;
use crate::units::{Rate, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Information about one flow. Everything is optional: most queues need nothing.
#[derive(Clone, Copy, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FlowInfo {
    /// Reserved (committed) rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Rate>,
    /// Round-trip time as signaled or configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt: Option<Span>,
    /// Scheduling weight, default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

/// The two hosts of a flow, by their numbers in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The host that sends its data.
    pub from: u32,
    /// The host that receives them.
    pub to: u32,
}

/// The flows' information by flow number. What many flows have in common is kept once, and so is
/// the table.
#[derive(Clone, Debug, Default)]
pub struct FlowTable {
    /// For each flow the index of its information.
    places: Arc<[u32]>,
    infos: Arc<[FlowInfo]>,
    /// The hosts of each flow; empty if nobody told them.
    ends: Arc<[Ends]>,
}

impl FlowTable {
    /// The table of flows, in the order of their numbers.
    pub fn new(flows: impl Iterator<Item = FlowInfo>) -> Self {
        let (mut infos, mut known) = (Vec::new(), BTreeMap::new());
        let mut place = |info: FlowInfo| {
            let bits = (info.reserved, info.rtt, info.weight.map(f64::to_bits));
            *known.entry(bits).or_insert_with(|| {
                infos.push(info);
                infos.len() as u32 - 1
            })
        };
        let places = flows.map(&mut place).collect();
        FlowTable { places, infos: infos.into(), ends: Arc::default() }
    }
    /// This table with the hosts of the flows, in the order of their numbers.
    #[must_use]
    pub fn between(self, ends: impl Iterator<Item = Ends>) -> Self {
        FlowTable { ends: ends.collect(), ..self }
    }
    /// The source and the destination of a packet of `flow`, which goes `back` to the sender of the
    /// flow or not; `None` if the table does not know them.
    pub fn hosts(&self, flow: FlowId, back: bool) -> Option<(u32, u32)> {
        let Ends { from, to } = *self.ends.get(flow.0 as usize)?;
        Some(if back { (to, from) } else { (from, to) })
    }
    /// The information about `flow`; the defaults if there is none.
    pub fn get(&self, flow: FlowId) -> FlowInfo {
        self.places
            .get(flow.0 as usize)
            .map(|place| self.infos[*place as usize])
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flow_has_its_own_and_strangers_the_defaults() {
        let heavy = FlowInfo { weight: Some(2.0), ..FlowInfo::default() };
        let near = FlowInfo { rtt: Some(Span::from_ms(1)), ..FlowInfo::default() };
        let table = FlowTable::new([heavy, near, heavy, FlowInfo::default(), near].into_iter());
        let all = [heavy, near, heavy, FlowInfo::default(), near, FlowInfo::default()];
        assert_eq!([0, 1, 2, 3, 4, 5].map(|flow| table.get(FlowId(flow))), all);
        assert_eq!(table.infos.len(), 3);
    }

    #[test]
    fn an_acknowledgment_comes_from_the_receiver() {
        let table = FlowTable::default().between([Ends { from: 3, to: 7 }].into_iter());
        let hosts = |flow, back| table.hosts(FlowId(flow), back);
        assert_eq!((hosts(0, false), hosts(0, true)), (Some((3, 7)), Some((7, 3))));
        assert_eq!((hosts(1, false), FlowTable::default().hosts(FlowId(0), false)), (None, None));
    }
}
