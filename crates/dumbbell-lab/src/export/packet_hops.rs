//! Packets with the links that they came to and the verdicts of queues on them: three records read
//! side by side, each only as far as the packet at hand needs. What was read too early waits, which
//! is at most what is in flight.
use crate::export::packet_rows::{Name, Names, Packet, Packets};
use crate::export::record_reader::{Record, Rows, count};
use crate::language::problem::Problem;
use arrow_array::Array;
use dumbbell_plan::{LinkId, Plan};
use dumbbell_results::series::columns::SIGNALS;
use std::collections::HashMap;
use std::fmt::Write;

/// A packet at a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    /// The link.
    pub link: LinkId,
    /// Arrival, ps.
    pub arrived: u64,
    /// Packets that it found waiting.
    pub backlog: u64,
    /// Departure of its last bit, ps.
    pub departed: Option<u64>,
    /// Arrival at the other end, ps.
    pub far_end: Option<u64>,
    /// Drop, ps.
    pub dropped: Option<u64>,
    /// True if it was marked.
    pub marked: bool,
    /// The codepoint with which it came to the queue; `None` in records of older releases.
    pub dscp: Option<u8>,
}

/// The decision of a queue about a packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// True if it was marked, not dropped.
    pub marked: bool,
    /// The instant, s.
    pub time_s: f64,
    /// The queue.
    pub queue: String,
    /// The reason and what the decision saw.
    pub saw: String,
}

impl Note {
    /// A sentence: `dropped at bottleneck after 12.345678901 s: early; avg=23.1 p_b=0.013`.
    pub fn sentence(&self) -> String {
        let verb = if self.marked { "marked" } else { "dropped" };
        format!("{verb} at {} after {:.9} s: {}", self.queue, self.time_s, self.saw)
    }
}

/// A packet with all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketWithHops {
    /// The packet.
    pub packet: Packet,
    /// The links in the order of its way; empty if they were not asked for.
    pub hops: Vec<Hop>,
    /// Marks and drops.
    pub notes: Vec<Note>,
}

/// Rows that wait for their packet.
pub(super) struct Lookahead<T> {
    record: Option<Record>,
    waiting: HashMap<Name, Vec<T>>,
}

impl<T> Lookahead<T> {
    pub(super) fn new(record: Option<Record>) -> Self {
        Lookahead { record, waiting: HashMap::new() }
    }

    /// The rows of a packet, after reading on until they are `enough`.
    pub(super) fn take(
        &mut self,
        name: Name,
        enough: impl Fn(&[T]) -> bool,
        read: impl Fn(&Rows<'_>, &mut HashMap<Name, Vec<T>>) -> Result<(), Problem>,
    ) -> Result<Vec<T>, Problem> {
        while !enough(self.waiting.get(&name).map_or(&[], Vec::as_slice)) {
            let Some(record) = &mut self.record else { break };
            match record.next()? {
                Some(rows) => read(&rows, &mut self.waiting)?,
                None => self.record = None,
            }
        }
        Ok(self.waiting.remove(&name).unwrap_or_default())
    }
}

/// The journeys of a run, in the order of `packets.parquet`.
pub struct PacketHops<'p> {
    plan: &'p Plan,
    names: Names,
    packets: Packets,
    hops: Lookahead<Hop>,
    notes: Lookahead<Note>,
}

impl<'p> PacketHops<'p> {
    /// From records at their beginnings; what is `None` is left out.
    pub fn new(
        plan: &'p Plan,
        names: Names,
        packets: Record,
        hops: Option<Record>,
        signals: Option<Record>,
    ) -> Self {
        PacketHops {
            plan,
            names,
            packets: Packets::new(packets),
            hops: Lookahead::new(hops),
            notes: Lookahead::new(signals),
        }
    }

    /// The links of a packet's way.
    pub fn route(&self, name: Name) -> &'p [LinkId] {
        let flow = &self.plan.flows[name.0];
        if name.1 { &flow.forward } else { &flow.back }
    }

    /// The next one.
    ///
    /// # Errors
    /// Code 3: a record is damaged.
    pub fn next(&mut self) -> Result<Option<PacketWithHops>, Problem> {
        let Some(packet) = self.packets.next(&self.names)? else { return Ok(None) };
        let names = &self.names;
        // All links of its way, or those up to where it was dropped. Of a packet that is still on
        // its way at the end of the run everything is read.
        let route = self.route(packet.name);
        let passed = match (packet.delivered, packet.dropped) {
            (Some(_), _) => route.len(),
            (None, Some((_, link))) => {
                route.iter().position(|l| *l == link).map_or(usize::MAX, |i| i + 1)
            }
            (None, None) => usize::MAX,
        };
        let hops = self.hops.take(
            packet.name,
            |h| h.len() >= passed,
            |rows, out| read_hops(rows, names, out),
        )?;
        let (lost, open) =
            (packet.dropped.is_some(), packet.delivered.is_none() && packet.dropped.is_none());
        let enough = |notes: &[Note]| {
            let of = |marked: bool| notes.iter().any(|n| n.marked == marked);
            (!lost || of(false)) && (!packet.ce || of(true)) && (!open || packet.ecn == 0)
        };
        let notes =
            self.notes.take(packet.name, enough, |rows, out| read_notes(rows, names, out))?;
        Ok(Some(PacketWithHops { packet, hops, notes }))
    }
}

pub(super) fn read_hops(
    rows: &Rows<'_>,
    names: &Names,
    out: &mut HashMap<Name, Vec<Hop>>,
) -> Result<(), Problem> {
    let (flow, from, link, reason) =
        (rows.words("flow")?, rows.words("from")?, rows.words("link")?, rows.words("reason")?);
    let (flows, links) = (flow.places(|n| names.flow(n)), link.places(|n| names.link(n)));
    let (number, arrived, departed) =
        (rows.counts("packet")?, rows.counts("arrived_ps")?, rows.counts("departed_ps")?);
    let (far_end, dropped) = (rows.counts("far_end_ps")?, rows.counts("dropped_ps")?);
    let (backlog, dscp) = (rows.counts("backlog_packets")?, rows.newer_counts("dscp"));
    for row in 0..rows.len() {
        let (Some(f), Some(l)) =
            (flow.key(row).and_then(|k| flows[k]), link.key(row).and_then(|k| links[k]))
        else {
            continue;
        };
        let dropped = count(dropped, row);
        out.entry((f, from.get(row) == Some("sender"), number.value(row))).or_default().push(Hop {
            link: l,
            arrived: arrived.value(row),
            backlog: backlog.value(row),
            departed: count(departed, row),
            far_end: count(far_end, row),
            dropped,
            marked: dropped.is_none() && reason.key(row).is_some(),
            dscp: dscp.and_then(|c| count(c, row)).map(|n| n as u8),
        });
    }
    Ok(())
}

pub(super) fn read_notes(
    rows: &Rows<'_>,
    names: &Names,
    out: &mut HashMap<Name, Vec<Note>>,
) -> Result<(), Problem> {
    let (queue, flow, from, reason) =
        (rows.words("queue")?, rows.words("flow")?, rows.words("from")?, rows.words("reason")?);
    let flows = flow.places(|n| names.flow(n));
    let (time, number, marked, backlog) = (
        rows.reals("time_s")?,
        rows.counts("packet")?,
        rows.truths("marked")?,
        rows.counts("queue_packets")?,
    );
    let schema = rows.batch.schema();
    let fixed = |name: &str| SIGNALS.iter().any(|(n, _)| *n == name);
    let gauges = schema.fields().iter().map(|f| f.name().as_str()).filter(|n| !fixed(n));
    let gauges = gauges.map(|n| Ok((n, rows.reals(n)?))).collect::<Result<Vec<_>, Problem>>()?;
    for row in 0..rows.len() {
        let (Some(f), Some(n)) = (flow.key(row).and_then(|k| flows[k]), count(number, row)) else {
            continue;
        };
        let mut saw = format!(
            "{}; queue_packets={}",
            reason.get(row).unwrap_or_default(),
            backlog.value(row)
        );
        for (name, column) in gauges.iter().filter(|(_, c)| c.is_valid(row)) {
            let _ = write!(saw, " {name}={}", short(column.value(row)));
        }
        out.entry((f, from.get(row) == Some("sender"), n)).or_default().push(Note {
            marked: marked.value(row),
            time_s: time.value(row),
            queue: queue.get(row).unwrap_or_default().into(),
            saw,
        });
    }
    Ok(())
}

/// A number with six significant digits, for people.
fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    format!("{rounded}")
}
