//! Captures of live runs: the packets that crossed the router, as the run's log has them.
//!
//! Packets from a host are inbound at its interface, before every queue; packets from the router to
//! the host are outbound, behind the last queue. A link's view shows the packets as they came in,
//! with the marks and codepoints that they had got by then.
use super::Options;
use crate::export::capture_point::View;
use crate::export::external_sort::Sorter;
use crate::export::output::Output;
use crate::export::packet_hops::{Hop, Lookahead, Note, read_hops, read_notes};
use crate::export::packet_rows::{Name, Names};
use crate::export::pcap::{Encoding, emit, fill, sentences};
use crate::export::record_reader::usage;
use crate::export::result_dir::Run;
use crate::formats::pcapng::{self, Way};
use crate::language::problem::{Diagnostic, Problem};
use crate::run::logged::log_problem;
use dumbbell_core::packet::Dscp;
use dumbbell_emu::live::host_map::HostMap;
use dumbbell_emu::live::replay::ReplayFault;
use dumbbell_emu::log::{LogFault, Reader, Record};
use dumbbell_plan::{Ip, LinkId, NodeId, Plan};
use dumbbell_wire::frame::{self, ether_type};
use dumbbell_wire::rewrite;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::net::IpAddr;
use std::path::Path;

/// The address that stands for the router's end of each host's interface in Ethernet headers.
const ROUTER: [u8; 4] = [0xff; 4];

/// Writes a capture of the run whose log is `path`.
///
/// # Errors
/// Code 2: packets were not captured, or there is no such flow, host or link; 3: the log was
/// altered or cut off; 1: a record is damaged, the file cannot be written.
pub fn write(
    run: &Run,
    path: &Path,
    options: &Options,
    classic: bool,
    out: &mut Output,
) -> Result<Value, Problem> {
    let shown = path.display().to_string();
    let bad = |fault: LogFault| log_problem(&ReplayFault::Log(fault), &shown);
    let file = File::open(path)
        .map_err(|e| Problem::failure(format!("{shown} cannot be read: {e}"), None))?;
    let mut log = Reader::new(BufReader::with_capacity(1 << 20, file)).map_err(bad)?;
    let Some(capture) = log.header.capture else { return Err(not_captured(&shown)) };
    let plan = log.header.plan.clone();
    let mut scene = CaptureContext::new(run, &plan, options)?;
    let mut sorter = Sorter::default();
    while let Some(record) = log.next_record().map_err(bad)? {
        let seen = scene.sees(&record, log.packet())?;
        seen.map_or(Ok(()), |seen| seen.push(&mut sorter)).map_err(|e| out.failed(&e))?;
    }
    let snap = options.snaplen.unwrap_or(u32::MAX).min(capture.snaplen + frame::ETHERNET as u32);
    let mut head = Vec::new();
    if classic {
        pcapng::classic_header(&mut head, Some(snap));
    } else {
        let about = format!(
            "a live run of scenario {}, seed {}; times are CLOCK_REALTIME; each packet is as it \
                was from its IP header on, the Ethernet header before it belongs to this file",
            plan.name, plan.seed
        );
        pcapng::section(
            &mut head,
            &format!("Dumbbell {}", log.header.made_by),
            "a network between \
            real hosts",
            &about,
        );
        scene
            .interfaces
            .iter()
            .for_each(|(_, name, what)| pcapng::interface(&mut head, name, what, Some(snap)));
        pcapng::names(
            &mut head,
            addresses(&plan).iter().map(|(address, name)| (address, name.as_str())),
        );
    }
    let form = Encoding { classic, snap: Some(snap), zeros: false, epoch_ns: capture.realtime_ns };
    let written = out.write_all(&head).and_then(|()| emit(sorter, form, out));
    let count = written.map_err(|e| out.failed(&e))?;
    Ok(json!({
        "packets": count,
        "interfaces": scene.interfaces.len(),
        "missing_packets": scene.missing,
        "notes": scene.remarks(),
    }))
}

fn not_captured(log: &str) -> Problem {
    let d = Diagnostic::new(format!(
        "{log} is the log of a live run whose packets were not \
        captured"
    ));
    usage(d.fix(
        "run it again with `-s record.packets=true`, or `dumbbell shell --pcap FILE`: the headers \
            of real packets cannot be made up afterwards",
    ))
}

/// The addresses of the hosts of both versions of IP, and their names.
fn addresses(plan: &Plan) -> Vec<(Vec<u8>, String)> {
    let topology = HostMap::of(plan);
    let of = |node: &NodeId, ip| match topology.address(*node, ip) {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets().to_vec(),
    };
    let both =
        |node: &NodeId| [Ip::V4, Ip::V6].map(|ip| (of(node, ip), plan.nodes[*node].name.clone()));
    topology.nodes().iter().flat_map(both).collect()
}

/// A packet, seen at an interface.
struct InterfacePacket<'a> {
    /// The instant, ps, and the place in the log.
    key: (u64, u64),
    interface: u32,
    way: Way,
    /// The host that it came from or went to.
    host: [u8; 4],
    /// From its IP header on.
    bytes: &'a [u8],
    /// Set by the time that a link has it.
    marked: bool,
    dscp: Option<u8>,
    comment: String,
}

impl InterfacePacket<'_> {
    fn push(&self, sorter: &mut Sorter) -> io::Result<()> {
        let version = if self.bytes[0] >> 4 == 6 { ether_type::V6 } else { ether_type::V4 };
        let (from, to) =
            if self.way == Way::Outbound { (ROUTER, self.host) } else { (self.host, ROUTER) };
        sorter.push(self.key, |out| {
            fill(out, (self.interface, self.way), |out| {
                frame::ethernet(version, from, to, out);
                let at = out.len();
                out.extend_from_slice(self.bytes);
                self.dscp
                    .into_iter()
                    .for_each(|dscp| rewrite::set_dscp(&mut out[at..], Dscp(dscp)));
                if self.marked {
                    rewrite::set_ce(&mut out[at..]);
                }
                frame::ETHERNET as u32 + whole(self.bytes)
            });
            out.extend_from_slice(self.comment.as_bytes());
        })
    }
}

/// The length of an IP packet, as its header says it.
fn whole(packet: &[u8]) -> u32 {
    let word = |at: usize| {
        packet.get(at..at + 2).map_or(0, |b| u32::from(u16::from_be_bytes([b[0], b[1]])))
    };
    let said = if packet[0] >> 4 == 6 { 40 + word(4) } else { word(2) };
    said.max(packet.len() as u32)
}

/// The state of an export: the capture point, and what records say of packets.
struct CaptureContext<'p> {
    plan: &'p Plan,
    names: Names,
    /// `None`: every host.
    view: Option<View>,
    interfaces: Vec<(Option<NodeId>, String, String)>,
    by_node: Vec<u32>,
    hops: Lookahead<Hop>,
    /// The notes of queues about each packet until it arrives; `None`: they were not recorded.
    notes: Option<HashMap<Name, Vec<Note>>>,
    /// The notes by the packet's number in the log, from its arrival on.
    told: HashMap<u64, String>,
    /// Packets of each socket so far.
    sent: Vec<u64>,
    /// Records so far.
    records: u64,
    /// Packets that the log had no room for.
    missing: u64,
}

impl<'p> CaptureContext<'p> {
    fn new(run: &Run, plan: &'p Plan, options: &Options) -> Result<Self, Problem> {
        let names = run.names(plan, options.flow.as_deref())?;
        let view =
            options.at.as_deref().map(|at| View::named(plan, at, options.departed)).transpose()?;
        if options.departed && view.is_none() {
            let d = Diagnostic::new(
                "--departed is for a link: departures are those of a link's \
                transmitter",
            );
            return Err(usage(d.fix("leave it out, or name a link with --at")));
        }
        let mut interfaces = match view {
            Some(view) => view.interfaces(plan, &names.wanted),
            None => [View::Senders, View::Receivers]
                .iter()
                .flat_map(|v| v.interfaces(plan, &names.wanted))
                .collect(),
        };
        let mut by_node = vec![u32::MAX; plan.nodes.len()];
        interfaces.retain(|(node, ..)| {
            node.is_none_or(|n| std::mem::replace(&mut by_node[n], 0) == u32::MAX)
        });
        for (i, (node, name, description)) in interfaces.iter_mut().enumerate() {
            let Some(node) = *node else { continue };
            by_node[node] = i as u32;
            *description = format!(
                "host {name}: inbound is what it sent, outbound what it was \
                given"
            );
        }
        let hops = if view.is_some_and(View::needs_hops) { Some(run.hops()?) } else { None };
        let notes = match run.optional("signals")? {
            Some(mut record) => {
                let mut notes = HashMap::new();
                while let Some(rows) = record.next()? {
                    read_notes(&rows, &names, &mut notes)?;
                }
                Some(notes)
            }
            None => None,
        };
        let (sent, hops) = (vec![0; 2 * plan.flows.len()], Lookahead::new(hops));
        let told = HashMap::new();
        Ok(CaptureContext {
            plan,
            names,
            view,
            interfaces,
            by_node,
            hops,
            notes,
            told,
            sent,
            records: 0,
            missing: 0,
        })
    }

    /// The host whose socket it is.
    fn node(&self, socket: u32) -> NodeId {
        let flow = &self.plan.flows[socket as usize / 2];
        if socket.is_multiple_of(2) { flow.from } else { flow.to }
    }

    /// True if what passes at the host of `socket` is examined.
    fn at_host(&self, socket: u32) -> bool {
        match self.view {
            None => true,
            Some(View::Senders) => socket.is_multiple_of(2),
            Some(View::Receivers) => socket % 2 == 1,
            Some(View::Host(host)) => self.node(socket) == host,
            Some(View::Arrivals(_) | View::Departures(_)) => false,
        }
    }

    /// The packet of a record, if it is examined.
    fn sees<'a>(
        &mut self,
        record: &Record,
        bytes: &'a [u8],
    ) -> Result<Option<InterfacePacket<'a>>, Problem> {
        self.records += 1;
        let socket = match record {
            Record::In { packet, .. } => packet.socket,
            Record::Out { out, .. } => out.socket,
        };
        if !self.names.wanted.get(socket as usize / 2).copied().unwrap_or(false) {
            return Ok(None);
        }
        let refused = matches!(record, Record::Out { refused: true, .. });
        self.missing += u64::from(bytes.is_empty() && !refused);
        let node = self.node(socket);
        let mut seen = InterfacePacket {
            key: (0, self.records),
            interface: self.by_node[node],
            way: Way::Outbound,
            host: (node as u32).to_be_bytes(),
            bytes,
            marked: false,
            dscp: None,
            comment: String::new(),
        };
        match record {
            Record::In { t, packet } => {
                self.sent[socket as usize] += 1;
                let name =
                    (socket as usize / 2, socket.is_multiple_of(2), self.sent[socket as usize]);
                let notes =
                    self.notes.as_mut().and_then(|notes| notes.remove(&name)).unwrap_or_default();
                seen.comment = sentences(&notes);
                if !notes.is_empty() {
                    self.told.insert(packet.number, seen.comment.clone());
                }
                (seen.key.0, seen.way) = (t.ps(), Way::Inbound);
                let at_link = match self.view {
                    Some(View::Arrivals(link)) => Some((link, false)),
                    Some(View::Departures(link)) => Some((link, true)),
                    _ => None,
                };
                if let Some(at_link) = at_link {
                    let passed = self.pass(name, at_link, &mut seen)?;
                    return Ok(Some(seen).filter(|_| passed && !bytes.is_empty()));
                }
            }
            Record::Out { out, late, .. } => {
                seen.key.0 = (out.at + Record::late(*late)).ps();
                let done = [
                    (out.damaged, "a wire gave it a wrong bit"),
                    (out.fragment.is_some(), "a fragment that a router made"),
                    (out.icmp_error.is_some(), "a router's answer to a packet that was too large"),
                ];
                let told = self.told.get(&out.number).map(String::as_str);
                let done = done.iter().filter(|(is, _)| *is).map(|(_, what)| *what);
                seen.comment = told.into_iter().chain(done).collect::<Vec<_>>().join("; ");
            }
        }
        Ok(Some(seen).filter(|_| !bytes.is_empty() && !refused && self.at_host(socket)))
    }

    /// A packet at a link: when, and what it had become by then. False if it did not come so far.
    fn pass(
        &mut self,
        name: Name,
        (link, departed): (LinkId, bool),
        seen: &mut InterfacePacket<'_>,
    ) -> Result<bool, Problem> {
        let names = &self.names;
        let enough =
            |hops: &[Hop]| hops.iter().any(|hop| hop.link == link || hop.dropped.is_some());
        let hops = self.hops.take(name, enough, |rows, out| read_hops(rows, names, out))?;
        let Some(k) = hops.iter().position(|hop| hop.link == link) else { return Ok(false) };
        let instant = if departed { hops[k].departed } else { Some(hops[k].arrived) };
        seen.marked = hops[..k + usize::from(departed)].iter().any(|hop| hop.marked);
        (seen.dscp, seen.interface) = (hops[k].dscp, 0);
        (seen.key.0, seen.way) =
            (instant.unwrap_or(0), if departed { Way::Outbound } else { Way::Inbound });
        Ok(instant.is_some())
    }

    /// Notes for the reader of the file.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.notes.is_none() {
            remarks.push(
                "drops and marks have no comments: record them with -s record.drops=true".into(),
            );
        }
        if self.missing > 0 {
            remarks.push(format!(
                "{} packets are not in the capture: the run had no room for their \
                    bytes",
                self.missing
            ));
        }
        remarks
    }
}
