//! ns-2's trace lines of every link, in order of time.
use super::Options;
use crate::export::capture_point::View;
use crate::export::external_sort::Sorter;
use crate::export::output::Output;
use crate::export::packet_hops::{Hop, PacketHops, PacketWithHops};
use crate::export::result_dir::Run;
use crate::formats::ns2::{self, Event, Flags, Subject};
use crate::language::problem::Problem;
use dumbbell_core::units::Span;
use dumbbell_plan::{LinkId, Plan, Transport};
use serde_json::{Value, json};
use std::io::Write;

/// Picoseconds in a nanosecond.
const PS_PER_NS: u64 = 1000;

/// Writes the lines of one link or of all.
///
/// # Errors
/// Code 2: there are no packets, or no such flow or link; 3: a record is damaged; 1: the file
/// cannot be written.
pub fn write(run: &Run, options: &Options, out: &mut Output) -> Result<Value, Problem> {
    let packets = run.packets()?;
    let plan = packets.plan()?;
    let names = run.names(&plan, options.flow.as_deref())?;
    let only = match &options.at {
        None => None,
        Some(at) => match View::named(&plan, at, false)? {
            View::Arrivals(link) => Some(link),
            _ => return Err(super::no_link(&plan, at)),
        },
    };
    let mut journeys = PacketHops::new(&plan, names, packets, Some(run.hops()?), None);
    let (mut sorter, mut text) = (Sorter::default(), String::new());
    while let Some(j) = journeys.next()? {
        let mut s = subject(&plan, &j);
        for (k, hop) in j.hops.iter().enumerate() {
            let before = j.hops[..k].iter().any(|h| h.marked);
            for (order, (event, ps)) in events(&plan, &j, hop).into_iter().enumerate() {
                let Some(ps) = ps.filter(|_| only.is_none_or(|l| l == hop.link)) else { continue };
                s.flags.marked = before || hop.marked && event != Event::Enqueue;
                let link = &plan.links[hop.link];
                text.clear();
                ns2::line(&mut text, event, ps / PS_PER_NS, (link.from, link.to), &s);
                let key = (ps, (order as u64) << 60 | s.uid);
                sorter
                    .push(key, |out| out.extend_from_slice(text.as_bytes()))
                    .map_err(|e| out.failed(&e))?;
            }
        }
    }
    let mut lines = 0;
    let written = sorter.finish(|_, line| {
        lines += 1;
        out.write_all(line)
    });
    written.map_err(|e| out.failed(&e))?;
    Ok(json!({ "lines": lines, "notes": [] }))
}

/// An event of a packet at a link. At one instant arrivals come first.
fn events(plan: &Plan, j: &PacketWithHops, hop: &Hop) -> [(Event, Option<u64>); 4] {
    let start = hop
        .departed
        .map(|end| end.saturating_sub(transmission(plan, hop.link, &j.packet)).max(hop.arrived));
    [
        (Event::Receive, hop.far_end),
        (Event::Enqueue, Some(hop.arrived)),
        (Event::Dequeue, start),
        (Event::Drop, hop.dropped),
    ]
}

fn transmission(plan: &Plan, link: LinkId, p: &crate::export::packet_rows::Packet) -> u64 {
    let link = &plan.links[link];
    let span: Span = link.rate.span_of(u64::from(link.framing().wire_len(p.ip_len as u32)));
    span.ps()
}

fn subject(plan: &Plan, j: &PacketWithHops) -> Subject {
    let p = &j.packet;
    let (f, data, number) = p.name;
    let flow = &plan.flows[f];
    let (sender, receiver) = ((flow.from, f), (flow.to, f));
    let (from, to) = if data { (sender, receiver) } else { (receiver, sender) };
    let (kind, seq) = match &flow.transport {
        Transport::Udp { .. } if flow.source.kind == "cbr" => ("cbr", number as i64 - 1),
        Transport::Udp { .. } => ("udp", number as i64 - 1),
        // Packet numbers; ns-2 has no word for QUIC, nor for SCReAM.
        Transport::Quic { .. } | Transport::Scream { .. } => {
            (if data { "udp" } else { "ack" }, number as i64 - 1)
        }
        // ns-2 counts segments, from 0; an acknowledgment names the last one that it has.
        Transport::Tcp { tcp, .. } => {
            let segment = |offset: Option<u64>| {
                (offset.unwrap_or(0).max(1) - 1).div_ceil(tcp.segment_bytes()) as i64
            };
            if data { ("tcp", segment(p.seq)) } else { ("ack", segment(p.ack) - 1) }
        }
    };
    let flags = Flags {
        echo: p.flags.contains('E'),
        reduced: p.flags.contains('W'),
        marked: false,
        capable: p.ecn != 0,
    };
    let uid = ((number - 1) * plan.flows.len() as u64 + f as u64) * 2 + u64::from(!data);
    Subject { kind, size: p.ip_len, flags, fid: f + 1, from, to, seq, uid }
}
