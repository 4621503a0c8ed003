//! pcapng and pcap: packets as an interface saw them, in order of time.
use super::Options;
use crate::export::capture_point::{CapturedPacket, View};
use crate::export::external_sort::Sorter;
use crate::export::output::Output;
use crate::export::packet_bytes::Wire;
use crate::export::packet_hops::{Note, PacketHops, PacketWithHops};
use crate::export::result_dir::Run;
use crate::formats::address;
use crate::formats::pcapng::{self, Captured, Way};
use crate::language::problem::Problem;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Picoseconds in a nanosecond.
const PS_PER_NS: u64 = 1000;

/// Writes a capture; `classic`: a pcap file, which has no names, no comments, no interfaces.
/// Captures of live runs are [`crate::export::live_pcap`]'s.
///
/// # Errors
/// Code 2: there are no packets, or no such flow, host or link; 3: a record is damaged; 1: the file
/// cannot be written.
pub fn write(
    run: &Run,
    options: &Options,
    classic: bool,
    out: &mut Output,
) -> Result<Value, Problem> {
    let packets = run.packets()?;
    let plan = packets.plan()?;
    let names = run.names(&plan, options.flow.as_deref())?;
    let wanted = names.wanted.clone();
    let view = View::named(&plan, options.at.as_deref().unwrap_or("sender"), options.departed)?;
    let interfaces = view.interfaces(&plan, &wanted);
    let mut by_node = vec![0; plan.nodes.len()];
    for (i, (node, ..)) in interfaces.iter().enumerate() {
        node.iter().for_each(|n| by_node[*n] = i as u32);
    }
    let hops = if view.needs_hops() { Some(run.hops()?) } else { None };
    let about = format!(
        "scenario {}, seed {}, fingerprint {}; times are of the simulation, sequence numbers begin \
            at 0",
        packets.about("dumbbell.scenario"),
        packets.about("dumbbell.seed"),
        packets.about("dumbbell.fingerprint"),
    );
    let application = format!("Dumbbell {}", packets.about("dumbbell.version"));
    let signals = if classic { None } else { run.optional("signals")? };
    let mut journeys = PacketHops::new(&plan, names, packets, hops, signals);
    let (mut wire, mut sorter) = (Wire::new(&plan), Sorter::default());
    while let Some(j) = journeys.next()? {
        wire.learn(&j.packet);
        for seen in view.sightings(&plan, &by_node, journeys.route(j.packet.name), &j) {
            piece(&mut sorter, &mut wire, &j, &seen).map_err(|e| out.failed(&e))?;
        }
    }
    let mut head = Vec::new();
    if classic {
        pcapng::classic_header(&mut head, options.snaplen);
    } else {
        pcapng::section(&mut head, &application, "a simulated network", &about);
        for (_, name, description) in &interfaces {
            pcapng::interface(&mut head, name, description, options.snaplen);
        }
        let hosts =
            (0..plan.nodes.len()).filter(|n| plan.flows.iter().any(|f| f.from == *n || f.to == *n));
        pcapng::names(&mut head, hosts.map(|n| (address::host(n), plan.nodes[n].name.as_str())));
    }
    let form = Encoding { classic, snap: options.snaplen, zeros: true, epoch_ns: 0 };
    let written = out.write_all(&head).and_then(|()| emit(sorter, form, out));
    let count = written.map_err(|e| out.failed(&e))?;
    let mut notes = Vec::new();
    if wire.stretched {
        notes.push(
            "headers of the simulation are not those of IPv4 and TCP or UDP: lengths of \
            packets differ, payloads do not",
        );
    }
    Ok(json!({ "packets": count, "interfaces": interfaces.len(), "notes": notes }))
}

/// A packet for the sorter: interface, length, length of the headers, headers, comment.
fn piece(
    sorter: &mut Sorter,
    wire: &mut Wire<'_>,
    j: &PacketWithHops,
    seen: &CapturedPacket,
) -> io::Result<()> {
    let (flow, data, number) = j.packet.name;
    let tie =
        u64::from(seen.outgoing) << 63 | (flow as u64 & 0xff_ffff) << 39 | u64::from(!data) << 38;
    sorter.push((seen.ps, tie | number & ((1 << 38) - 1)), |out| {
        fill(out, (seen.interface, Way::Unsaid), |out| wire.write(&j.packet, seen, out) as u32);
        out.extend_from_slice(sentences(&j.notes).as_bytes());
    })
}

/// The decisions of queues about a packet, in one line.
pub(super) fn sentences(notes: &[Note]) -> String {
    notes.iter().map(Note::sentence).collect::<Vec<_>>().join("; ")
}

/// Writes the part of a piece that precedes its comment: interface, way, lengths of packet and
/// head, head. `write` appends the head and returns the packet's length.
pub(super) fn fill(
    out: &mut Vec<u8>,
    (interface, way): (u32, Way),
    write: impl FnOnce(&mut Vec<u8>) -> u32,
) {
    out.extend_from_slice(&interface.to_le_bytes());
    out.extend_from_slice(&(way as u32).to_le_bytes());
    let at = out.len();
    out.extend_from_slice(&[0; 8]);
    let length = write(out);
    let head = (out.len() - at - 8) as u32;
    out[at..at + 4].copy_from_slice(&length.to_le_bytes());
    out[at + 4..at + 8].copy_from_slice(&head.to_le_bytes());
}

/// The encoding of packets.
#[derive(Clone, Copy)]
pub(super) struct Encoding {
    /// True if the file is a classic one.
    pub classic: bool,
    /// The snap length, bytes. `None`: everything is kept.
    pub snap: Option<u32>,
    /// True if zeros follow a packet's head; else the head is all that there is of it.
    pub zeros: bool,
    /// Nanoseconds that are added to each instant.
    pub epoch_ns: u64,
}

/// Writes all packets in the order of time; how many.
pub(super) fn emit(sorter: Sorter, form: Encoding, out: &mut Output) -> io::Result<u64> {
    let (mut bytes, mut count) = (Vec::new(), 0);
    sorter.finish(|(ps, _), piece| {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| piece[at + i]));
        let (head, comment) = piece[16..].split_at(word(12) as usize);
        let there = if form.zeros { None } else { Some(head.len() as u32) };
        let p = Captured {
            ns: form.epoch_ns + ps / PS_PER_NS,
            interface: word(0),
            head,
            length: word(8),
            snap: form.snap.into_iter().chain(there).min(),
            way: [Way::Unsaid, Way::Inbound, Way::Outbound][word(4) as usize],
            comment: std::str::from_utf8(comment).unwrap_or_default(),
        };
        bytes.clear();
        if form.classic {
            pcapng::classic_packet(&mut bytes, &p)
        } else {
            pcapng::packet(&mut bytes, &p)
        }
        count += 1;
        out.write_all(&bytes)
    })?;
    Ok(count)
}
