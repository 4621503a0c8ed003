//! TCP senders of a run as qlog: a trace for each flow, seen from its sender.
use super::Options;
use crate::export::external_sort::{Sorter, put, words};
use crate::export::output::Output;
use crate::export::outstanding::{Outstanding, sack_blocks};
use crate::export::packet_rows::{Names, Packet, Packets};
use crate::export::record_reader::{Record, count, ps, usage};
use crate::export::result_dir::Run;
use crate::formats::qlog::{self, Metrics};
use crate::language::problem::{Diagnostic, Problem};
use arrow_array::Array;
use dumbbell_plan::{Plan, Transport};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The order of events at one instant.
#[derive(Clone, Copy)]
enum Order {
    Received,
    Reaction,
    Sent,
    Series,
}
/// Bits of a sort key that hold the order.
const ORDER_BITS: u32 = 2;

/// Writes the events of one flow or of all.
///
/// # Errors
/// Code 2: there are no packets, or no series, or no such flow, or no TCP flow; 3: a record is
/// damaged; 1: the file cannot be written.
pub fn write(run: &Run, options: &Options, out: &mut Output) -> Result<Value, Problem> {
    let packets = run.packets()?;
    let plan = packets.plan()?;
    let mut names = run.names(&plan, options.flow.as_deref())?;
    let left = only_tcp(&plan, &mut names)?;
    let title =
        format!("{}, seed {}", packets.about("dumbbell.scenario"), packets.about("dumbbell.seed"));
    let description = format!(
        "Dumbbell {}, fingerprint {}",
        packets.about("dumbbell.version"),
        packets.about("dumbbell.fingerprint")
    );
    let mut pieces = Pieces { plan: &plan, names, sorter: Sorter::default() };
    let fail = |e| out.failed(&e);
    pieces.packets(packets, &fail)?;
    pieces.series(run.record("flows")?, &fail)?;
    if let Some(record) = run.optional("reactions")? {
        pieces.reactions(record, &fail)?;
    }
    let mut log = Log::new(&plan);
    let written = out
        .write_all(qlog::begin(&title, &description).as_bytes())
        .and_then(|()| pieces.sorter.finish(|key, piece| log.piece(key, piece, out)))
        .and_then(|()| log.end(out));
    written.map_err(|e| out.failed(&e))?;
    let notes: Vec<String> = (left > 0)
        .then(|| format!("{left} of the flows are UDP and left out"))
        .into_iter()
        .collect();
    Ok(json!({ "events": log.events, "notes": notes }))
}

/// Takes out the flows of datagrams, which detect no losses; how many.
fn only_tcp(plan: &Plan, names: &mut Names) -> Result<usize, Problem> {
    let before = names.wanted.iter().filter(|w| **w).count();
    for (wanted, flow) in names.wanted.iter_mut().zip(&plan.flows) {
        *wanted &= matches!(flow.transport, Transport::Tcp { .. });
    }
    let after = names.wanted.iter().filter(|w| **w).count();
    if after == 0 {
        let d = Diagnostic::new("there is no TCP flow to export");
        return Err(usage(
            d.fix("qlog has the events of loss recovery; export UDP flows with `csv`"),
        ));
    }
    Ok(before - after)
}

type Fail<'a> = dyn Fn(io::Error) -> Problem + 'a;

/// Events on their way to the order of flows and time.
struct Pieces<'p> {
    plan: &'p Plan,
    names: Names,
    sorter: Sorter,
}

impl Pieces<'_> {
    fn push(
        &mut self,
        flow: usize,
        ps: u64,
        order: Order,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> io::Result<()> {
        let at = ps.min(u64::MAX >> ORDER_BITS) << ORDER_BITS | order as u64;
        self.sorter.push((flow as u64, at), write)
    }

    fn packets(&mut self, record: Record, fail: &Fail<'_>) -> Result<(), Problem> {
        let mut packets = Packets::new(record);
        while let Some(p) = packets.next(&self.names)? {
            match (p.name.1, p.delivered) {
                (true, _) => self.sent(&p),
                (false, Some(ps)) => self.received(&p, ps),
                (false, None) => Ok(()),
            }
            .map_err(fail)?;
        }
        Ok(())
    }

    fn sent(&mut self, p: &Packet) -> io::Result<()> {
        let (flow, _, number) = p.name;
        let (seq, end) = p.bytes().unwrap_or_default();
        let fate = p.dropped.map_or(json!({ "spurious": true }), |(ps, link)| {
            let at = &self.plan.links[link].name;
            json!({ "dropped_ms": qlog::ms(ps), "dropped_at": at, "reason": p.reason })
        });
        let (fate, text) = (fate.to_string(), qlog::sent(p.sent, &packet(p)));
        let head = [1, number, seq, end, u64::from(p.retransmit), fate.len() as u64];
        self.push(flow, p.sent, Order::Sent, |out| {
            put(out, &head);
            out.extend_from_slice(fate.as_bytes());
            out.extend_from_slice(text.as_bytes());
        })
    }

    fn received(&mut self, p: &Packet, ps: u64) -> io::Result<()> {
        let (blocks, text) = (sack_blocks(&p.options), qlog::received(ps, &packet(p)));
        self.push(p.name.0, ps, Order::Received, |out| {
            put(out, &[2, p.ack.unwrap_or(0), blocks.len() as u64]);
            blocks.iter().for_each(|(from, to)| put(out, &[*from, *to]));
            out.extend_from_slice(text.as_bytes());
        })
    }

    /// What the sender knew and did at an instant: its metrics, its phase, and why it changed.
    fn known(
        &mut self,
        (flow, ps, order): (usize, u64, Order),
        metrics: &Metrics,
        (phase, cause): (&str, &str),
    ) -> io::Result<()> {
        let text = qlog::metrics(ps, metrics);
        self.push(flow, ps, order, |out| {
            put(out, &[3, phase.len() as u64, cause.len() as u64]);
            [phase, cause, &text].iter().for_each(|t| out.extend_from_slice(t.as_bytes()));
        })
    }

    fn series(&mut self, mut record: Record, fail: &Fail<'_>) -> Result<(), Problem> {
        while let Some(rows) = record.next()? {
            let (flow, time, phase) =
                (rows.words("flow")?, rows.reals("time_s")?, rows.words("phase")?);
            let flows = flow.places(|name| self.names.flow(name));
            let (cwnd, ssthresh) = (rows.counts("cwnd_bytes")?, rows.counts("ssthresh_bytes")?);
            let (flight, srtt) = (rows.counts("in_flight_bytes")?, rows.reals("srtt_us")?);
            for row in 0..rows.len() {
                let Some(f) = flow.key(row).and_then(|k| flows[k]) else { continue };
                let metrics = Metrics {
                    cwnd: count(cwnd, row),
                    ssthresh: count(ssthresh, row),
                    in_flight: count(flight, row),
                    srtt_us: srtt.is_valid(row).then(|| srtt.value(row)),
                };
                let at = (f, ps(time.value(row)), Order::Series);
                let phase = phase.get(row).unwrap_or_default();
                self.known(at, &metrics, (phase, "")).map_err(fail)?;
            }
        }
        Ok(())
    }

    fn reactions(&mut self, mut record: Record, fail: &Fail<'_>) -> Result<(), Problem> {
        while let Some(rows) = record.next()? {
            let (flow, time) = (rows.words("flow")?, rows.reals("time_s")?);
            let (phase, cause) = (rows.words("phase")?, rows.words("cause")?);
            let flows = flow.places(|name| self.names.flow(name));
            let (cwnd, ssthresh) = (rows.counts("cwnd_bytes")?, rows.counts("ssthresh_bytes")?);
            let srtt = rows.reals("srtt_us")?;
            for row in 0..rows.len() {
                let Some(f) = flow.key(row).and_then(|k| flows[k]) else { continue };
                let metrics = Metrics {
                    cwnd: count(cwnd, row),
                    ssthresh: count(ssthresh, row),
                    in_flight: None,
                    srtt_us: srtt.is_valid(row).then(|| srtt.value(row)),
                };
                let at = (f, ps(time.value(row)), Order::Reaction);
                let words =
                    (phase.get(row).unwrap_or_default(), cause.get(row).unwrap_or_default());
                self.known(at, &metrics, words).map_err(fail)?;
            }
        }
        Ok(())
    }
}

fn packet(p: &Packet) -> qlog::Packet<'_> {
    qlog::Packet {
        number: p.name.2,
        length: p.ip_len,
        payload: p.payload,
        flags: &p.flags,
        seq: p.seq,
        ack: p.ack,
        window: p.window,
        options: &p.options,
        retransmit: p.retransmit,
    }
}

/// The log on its way out, and the state of the flow whose events are written.
struct Log<'p> {
    plan: &'p Plan,
    flow: Option<u64>,
    /// In flight, each with the fate of its packet as JSON.
    flight: Outstanding<String>,
    phase: String,
    empty: bool,
    events: u64,
}

impl<'p> Log<'p> {
    fn new(plan: &'p Plan) -> Self {
        Log {
            plan,
            flow: None,
            flight: Outstanding::default(),
            phase: String::new(),
            empty: true,
            events: 0,
        }
    }

    fn piece(&mut self, (flow, at): (u64, u64), piece: &[u8], out: &mut Output) -> io::Result<()> {
        if self.flow != Some(flow) {
            self.next(flow, out)?;
        }
        let (ps, ([kind], rest)) = (at >> ORDER_BITS, words::<1>(piece));
        match kind {
            1 => self.sent(ps, rest, out),
            2 => self.received(rest, out),
            _ => self.known(ps, rest, out),
        }
    }

    /// The trace of another flow.
    fn next(&mut self, flow: u64, out: &mut Output) -> io::Result<()> {
        let separator =
            if self.flow.is_some() { [qlog::TRACE_END, ",\n"].concat() } else { "\n".into() };
        let plan = &self.plan.flows[flow as usize];
        let host = &self.plan.nodes[plan.from].name;
        (self.flow, self.flight) = (Some(flow), Outstanding::default());
        (self.empty, self.phase) = (true, String::new());
        out.write_all(separator.as_bytes())?;
        out.write_all(qlog::trace(&plan.name, host).as_bytes())
    }

    fn event(&mut self, parts: &[&[u8]], out: &mut Output) -> io::Result<()> {
        out.write_all(if self.empty { b"\n" } else { b",\n" })?;
        self.empty = false;
        self.events += 1;
        parts.iter().try_for_each(|part| out.write_all(part))
    }

    fn sent(&mut self, ps: u64, rest: &[u8], out: &mut Output) -> io::Result<()> {
        let ([number, seq, end, retransmit, length], text) = words::<5>(rest);
        let (fate, text) = text.split_at(length as usize);
        let fate = String::from_utf8_lossy(fate).into_owned();
        let repeated = self.flight.sent((seq, end), number, fate);
        if let Some(before) = repeated.filter(|_| retransmit != 0) {
            let fate = serde_json::from_str(&before.what).unwrap_or_default();
            let lost = qlog::lost(ps, before.number, self.phase == "loss", &fate);
            self.event(&[lost.as_bytes()], out)?;
        }
        self.event(&[text], out)
    }

    fn received(&mut self, rest: &[u8], out: &mut Output) -> io::Result<()> {
        let ([ack, blocks], mut rest) = words::<2>(rest);
        let mut sack = Vec::new();
        for _ in 0..blocks {
            let ([from, to], after) = words::<2>(rest);
            sack.push((from, to));
            rest = after;
        }
        let numbers = self.flight.acknowledged(ack, &sack);
        self.event(&[rest, qlog::acknowledges(&numbers).as_bytes()], out)
    }

    fn known(&mut self, ps: u64, rest: &[u8], out: &mut Output) -> io::Result<()> {
        let ([phase, cause], text) = words::<2>(rest);
        let (phase, text) = text.split_at(phase as usize);
        let (cause, text) = text.split_at(cause as usize);
        let (phase, cause) = (String::from_utf8_lossy(phase), String::from_utf8_lossy(cause));
        if phase != self.phase {
            let old = Some(&*self.phase).filter(|old| !old.is_empty());
            let cause = Some(&*cause).filter(|cause| !cause.is_empty());
            let state = qlog::state(ps, old, &phase, cause);
            self.phase = phase.into_owned();
            self.event(&[state.as_bytes()], out)?;
        }
        self.event(&[text], out)
    }

    fn end(&mut self, out: &mut Output) -> io::Result<()> {
        let last = if self.flow.is_some() { qlog::TRACE_END } else { "" };
        out.write_all(last.as_bytes())?;
        out.write_all(qlog::END.as_bytes())
    }
}
