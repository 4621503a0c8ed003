//! Packets: the stay of each in a queue as a slice, and what a flow's sender sends and hears, from
//! which the trace finds what is sent again.
use super::draft::{Draft, Order, Piece};
use super::series::Fail;
use crate::export::outstanding::Outstanding;
use crate::export::packet_hops::{Hop, PacketHops, PacketWithHops};
use crate::export::packet_rows::Names;
use crate::export::record_reader::Record;
use crate::formats::perfetto::{self, Kind, TrackEvent, Value};
use crate::language::problem::Problem;
use dumbbell_plan::Plan;
use std::collections::HashMap;
use std::io;

/// The number of the arrow that begins at the drop of a data packet: flow and packet.
pub fn arrow((flow, packet): (usize, u64)) -> u64 {
    (flow as u64 + 1) << 40 | packet
}

/// Adds the packets of the wanted flows.
///
/// # Errors
/// Code 3: a record is damaged; 1: a temporary file cannot be written.
pub fn packets(
    record: Record,
    hops: Option<Record>,
    (plan, names): (&Plan, Names),
    draft: &mut Draft<'_>,
    fail: &Fail<'_>,
) -> Result<(), Problem> {
    let mut journeys = PacketHops::new(plan, names, record, hops, None);
    while let Some(journey) = journeys.next()? {
        sent(plan, &journey, draft).map_err(fail)?;
        for hop in journey.hops.iter().filter(|h| plan.links[h.link].report) {
            stay(plan, &journey, hop, draft).map_err(fail)?;
        }
    }
    Ok(())
}

/// What the sender sends, and what it hears.
fn sent(plan: &Plan, journey: &PacketWithHops, draft: &mut Draft<'_>) -> io::Result<()> {
    let p = &journey.packet;
    let (flow, data, number) = p.name;
    match (data, p.bytes(), p.delivered, p.ack) {
        (true, Some((seq, end)), ..) => {
            let track = draft.tracks.flow(&plan.flows[flow].name);
            let bits = u64::from(p.retransmit) | u64::from(p.dropped.is_some()) << 1;
            let packet = [number, seq, end, p.payload, bits];
            draft.push(p.sent, Order::Sent, &Piece::Sent { track, flow: flow as u64, packet })
        }
        (false, _, Some(ps), Some(ack)) => {
            let piece = Piece::Acknowledged { flow: flow as u64, ack };
            draft.push(ps, Order::Acknowledged, &piece)
        }
        _ => Ok(()),
    }
}

/// A packet in a queue: from its arrival until its last bit left, or until it was dropped. One that
/// is there at the end of the run stays.
fn stay(plan: &Plan, journey: &PacketWithHops, hop: &Hop, draft: &mut Draft<'_>) -> io::Result<()> {
    let end = hop.departed.or(hop.dropped);
    if end.is_some_and(|ps| ps <= hop.arrived) {
        return Ok(()); // Refused at its arrival: an instant says so.
    }
    let p = &journey.packet;
    let (flow, data, number) = p.name;
    let queue = draft.tracks.queue(&plan.links[hop.link].name);
    let flow = &plan.flows[flow].name;
    let names = &mut draft.names;
    let name = if data { flow.clone() } else { format!("{flow}, to its sender") };
    let mut slice = names.event(Kind::Begin, &name);
    slice.debug_annotations = [
        ("packet", Some(number)),
        ("ip_len_bytes", Some(p.ip_len)),
        ("backlog_packets", Some(hop.backlog)),
        ("seq", p.seq.filter(|_| data)),
        ("ack", p.ack.filter(|_| !data)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some(names.annotation(name, Value::Count(value?))))
    .collect();
    let stay = draft.stay();
    draft.push(hop.arrived, Order::Arrives, &Piece::Arrives { queue, stay, slice: &slice })?;
    end.map_or(Ok(()), |ps| draft.push(ps, Order::Leaves, &Piece::Leaves { stay }))
}

/// What senders have in flight, by the number of the flow; true of what was dropped.
pub type Flights = HashMap<u64, Outstanding<bool>>;

/// A repetition: an instant on the flow's track, and the end of the arrow from the drop. Number,
/// first byte and payload are the packet's; `before` is the packet that it repeats, and whether
/// that was dropped.
pub fn repetition(
    names: &mut perfetto::Names,
    (track, flow): (u64, u64),
    [number, seq, payload]: [u64; 3],
    before: Option<(u64, bool)>,
) -> TrackEvent {
    let mut event = names.event(Kind::Instant, "retransmission");
    event.track_uuid = Some(track);
    let counts = [("packet", number), ("seq", seq), ("payload_bytes", payload)];
    event.debug_annotations = counts
        .into_iter()
        .chain(before.map(|(packet, _)| ("repeats_packet", packet)))
        .map(|(name, value)| names.annotation(name, Value::Count(value)))
        .collect();
    if let Some((packet, dropped)) = before {
        event.debug_annotations.push(names.annotation("was_dropped", Value::Truth(dropped)));
        event.terminating_flow_ids =
            dropped.then(|| arrow((flow as usize, packet))).into_iter().collect();
    }
    event
}
