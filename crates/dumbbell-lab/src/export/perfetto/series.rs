//! The series of flows and queues as counters. A counter has an event where its value changes.
use super::draft::{Draft, Order, Piece};
use crate::export::record_reader::{Record, Rows, ps};
use crate::formats::perfetto::{Unit, counter};
use crate::language::problem::Problem;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use dumbbell_plan::Plan;
use std::collections::HashMap;
use std::io;

/// A column as a counter: its name, its unit, and what a value is multiplied by.
struct Shown {
    column: &'static str,
    name: &'static str,
    unit: Unit,
    scale: f64,
}

const fn shown(column: &'static str, name: &'static str, unit: Unit, scale: f64) -> Shown {
    Shown { column, name, unit, scale }
}

const FLOWS: [Shown; 7] = [
    shown("cwnd_bytes", "cwnd", Unit::Bytes, 1.0),
    shown("ssthresh_bytes", "ssthresh", Unit::Bytes, 1.0),
    shown("in_flight_bytes", "in flight", Unit::Bytes, 1.0),
    shown("srtt_us", "srtt", Unit::Named("ms"), 1e-3),
    shown("rto_us", "rto", Unit::Named("ms"), 1e-3),
    shown("goodput_bps", "goodput", Unit::Named("bit/s"), 1.0),
    shown("retransmits", "retransmissions", Unit::Named("packets"), 1.0),
];
/// Of these a datagram sender has none.
const OF_TCP: [&str; 6] = ["cwnd", "ssthresh", "in flight", "srtt", "rto", "retransmissions"];
const QUEUES: [Shown; 3] = [
    shown("queue_packets", "length", Unit::Named("packets"), 1.0),
    shown("queue_bytes", "bytes", Unit::Bytes, 1.0),
    shown("dropped_packets", "drops", Unit::Named("packets"), 1.0),
];
/// The instant of a row, which is no counter.
const TIME: &str = "time_s";

/// Writes an error of the output as a problem.
pub type Fail<'a> = dyn Fn(io::Error) -> Problem + 'a;

/// The counters of a record's tracks, and their last values.
#[derive(Default)]
struct Counters(HashMap<u64, u64>);

impl Counters {
    fn add(
        &mut self,
        draft: &mut Draft<'_>,
        (parent, name, unit): (u64, &str, Unit),
        (time_s, value): (f64, f64),
    ) -> io::Result<()> {
        let track = draft.tracks.below(parent, name, Some(unit));
        if self.0.insert(track, value.to_bits()) == Some(value.to_bits()) {
            return Ok(());
        }
        draft.push(ps(time_s), Order::Counter, &Piece::Event(&counter(track, value)))
    }
}

/// Adds the series of flows, or of one; the names of all.
///
/// # Errors
/// Code 3: the record is damaged; 1: a temporary file cannot be written.
pub fn flows(
    mut record: Record,
    only: Option<&str>,
    draft: &mut Draft<'_>,
    fail: &Fail<'_>,
) -> Result<Vec<String>, Problem> {
    let (mut counters, mut known) = (Counters::default(), Vec::new());
    while let Some(rows) = record.next()? {
        let (names, time, window) =
            (rows.words("flow")?, rows.reals("time_s")?, rows.reals("cwnd_packets")?);
        let more: Vec<String> = names.names.iter().flatten().map(String::from).collect();
        known.extend(more.into_iter().filter(|n| !known.contains(n)).collect::<Vec<_>>());
        let columns = columns(&rows, &FLOWS, "cc_");
        for row in 0..rows.len() {
            let Some(name) = names.get(row).filter(|n| only.is_none_or(|o| o == *n)) else {
                continue;
            };
            let track = draft.tracks.flow(name);
            let tcp = window.is_valid(row) && window.value(row) > 0.0;
            for column in &columns {
                if !tcp && OF_TCP.contains(&column.name) {
                    continue;
                }
                if let Some(value) = column.value(&rows.batch, row) {
                    let at = (track, column.name, column.unit);
                    counters.add(draft, at, (time.value(row), value)).map_err(fail)?;
                }
            }
        }
    }
    Ok(known)
}

/// Adds the series of queues. plan: the network; with it a queue of a constant rate has its delay.
///
/// # Errors
/// Code 3: the record is damaged; 1: a temporary file cannot be written.
pub fn queues(
    mut record: Record,
    plan: Option<&Plan>,
    draft: &mut Draft<'_>,
    fail: &Fail<'_>,
) -> Result<(), Problem> {
    let mut counters = Counters::default();
    while let Some(rows) = record.next()? {
        let (names, time, bytes) =
            (rows.words("queue")?, rows.reals("time_s")?, rows.counts("queue_bytes")?);
        let rates: Vec<Option<f64>> =
            names.names.iter().map(|n| rate(plan?, n.unwrap_or_default())).collect();
        let columns = columns(&rows, &QUEUES, "");
        for row in 0..rows.len() {
            let Some(name) = names.get(row) else { continue };
            let group = draft.tracks.queue(name);
            for column in &columns {
                if let Some(value) = column.value(&rows.batch, row) {
                    let at = (group, column.name, column.unit);
                    counters.add(draft, at, (time.value(row), value)).map_err(fail)?;
                }
            }
            if let Some(bps) = names.key(row).and_then(|k| rates[k]) {
                let delay_ms = bytes.value(row) as f64 * 8e3 / bps;
                let at = (group, "delay", Unit::Named("ms"));
                counters.add(draft, at, (time.value(row), delay_ms)).map_err(fail)?;
            }
        }
    }
    Ok(())
}

/// The constant rate of a link, bit/s.
fn rate(plan: &Plan, name: &str) -> Option<f64> {
    let link = plan.links.iter().find(|l| l.name == name)?;
    let constant = link.service.as_ref().is_none_or(|s| s.kind == "constant");
    constant.then(|| link.rate.bps() as f64).filter(|bps| *bps > 0.0)
}

/// A column of a batch as a counter.
struct Column<'a> {
    place: usize,
    name: &'a str,
    unit: Unit,
    scale: f64,
}

impl Column<'_> {
    fn value(&self, batch: &RecordBatch, row: usize) -> Option<f64> {
        let column = batch.column(self.place);
        if column.is_null(row) {
            return None;
        }
        let real = column.as_primitive_opt::<Float64Type>().map(|c| c.value(row));
        real.or_else(|| column.as_primitive_opt::<UInt64Type>().map(|c| c.value(row) as f64))
            .map(|x| x * self.scale)
    }
}

/// The columns that are counters: those of `table`, and the algorithm's own numbers, whose names
/// begin with `prefix`.
fn columns<'r>(rows: &'r Rows<'_>, table: &[Shown], prefix: &str) -> Vec<Column<'r>> {
    let fields = rows.batch.schema_ref().fields();
    let of = |(place, field): (usize, &'r arrow_schema::FieldRef)| {
        let name = field.name().as_str();
        if let Some(s) = table.iter().find(|s| s.column == name) {
            return Some(Column { place, name: s.name, unit: s.unit, scale: s.scale });
        }
        let real = *field.data_type() == arrow_schema::DataType::Float64;
        let own = real && name.starts_with(prefix) && name != TIME;
        own.then_some(Column { place, name, unit: Unit::Named(""), scale: 1.0 })
    };
    fields.iter().enumerate().filter_map(of).collect()
}
