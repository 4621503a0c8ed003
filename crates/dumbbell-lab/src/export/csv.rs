//! CSV of a record, or of the summary's flows and queues.
use super::Options;
use crate::export::external_sort::Sorter;
use crate::export::output::Output;
use crate::export::record_reader::usage;
use crate::export::result_dir::Run;
use crate::formats::csv;
use crate::language::deser::suggest;
use crate::language::problem::{Diagnostic, Problem};
use crate::results::row_order;
use crate::results::row_order::Order;
use arrow_array::RecordBatch;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The names for `--table`: two parts of the summary, and the records.
pub const TABLES: [&str; 13] = [
    "summary_flows",
    "summary_queues",
    "summary_markers",
    "flows",
    "queues",
    "signals",
    "reactions",
    "packets",
    "hops",
    "acks",
    "completions",
    "markers",
    "delays",
];

/// Writes a table.
///
/// # Errors
/// Code 2: there is no such table, or it was not recorded, or no such flow; 3: it is damaged; 1:
/// the file cannot be written.
pub fn write(run: &Run, options: &Options, out: &mut Output) -> Result<Value, Problem> {
    let table = options.table.as_deref().unwrap_or(TABLES[0]);
    if !TABLES.contains(&table) {
        let d = Diagnostic::new(format!("there is no table `{table}`"));
        return Err(usage(suggest(d, table, &TABLES)));
    }
    if let Some(part) = table.strip_prefix("summary_") {
        let mut document = run.summary()?;
        if let Some(name) = &options.flow {
            only(&mut document, table, part, name)?;
        }
        let text = csv::summary(&document, part);
        out.write_all(text.as_bytes()).map_err(|e| out.failed(&e))?;
        return Ok(json!({ "rows": text.matches("\r\n").count() - 1, "notes": [] }));
    }
    let mut record = run.record(table)?;
    let column = record.columns.iter().position(|c| c == "flow");
    if options.flow.is_some() && column.is_none() {
        return Err(no_flows(table));
    }
    let order = Order::read(Some(record.about(row_order::KEY)));
    let mut lines =
        Lines { head: String::new(), text: String::new(), later: Sorter::default(), rows: 0 };
    csv::line(&mut lines.head, record.columns.iter().map(String::as_str));
    let mut known = Vec::new();
    while let Some(some) = record.next()? {
        let flows = options
            .flow
            .as_deref()
            .map(|name| some.words("flow").map(|flows| (name, flows)))
            .transpose()?;
        if let Some((_, flows)) = &flows {
            let names = flows.names.iter().flatten().filter(|n| !known.iter().any(|k| k == n));
            let more: Vec<String> = names.map(String::from).collect();
            known.extend(more);
        }
        let wanted =
            |r: &usize| flows.as_ref().is_none_or(|(name, flows)| flows.get(*r) == Some(name));
        let rows = (0..some.len()).filter(wanted);
        lines.take(&some.batch, rows, &order, out).map_err(|e| out.failed(&e))?;
    }
    if let Some(name) = options.flow.as_ref().filter(|n| lines.rows == 0 && !known.contains(n)) {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        return Err(no_flow(table, name, &known));
    }
    let rows = lines.finish(out).map_err(|e| out.failed(&e))?;
    Ok(json!({ "rows": rows, "notes": [] }))
}

/// Lines on their way out: rows with a time wait until all are there and can be put in order,
/// others go at once.
struct Lines {
    /// Not yet written: a flow that is not there is refused before anything is.
    head: String,
    text: String,
    later: Sorter,
    rows: usize,
}

impl Lines {
    fn take(
        &mut self,
        batch: &RecordBatch,
        rows: impl Iterator<Item = usize>,
        order: &Order,
        out: &mut Output,
    ) -> io::Result<()> {
        let places = order.places(batch);
        for row in rows {
            self.rows += 1;
            self.text.clear();
            csv::row(&mut self.text, batch, row);
            match &places {
                Some(places) => self
                    .later
                    .push(places[row], |piece| piece.extend_from_slice(self.text.as_bytes()))?,
                None => {
                    out.write_all(self.head.as_bytes())?;
                    self.head.clear();
                    out.write_all(self.text.as_bytes())?;
                }
            }
        }
        Ok(())
    }

    /// Writes what waits; how many rows there were.
    fn finish(self, out: &mut Output) -> io::Result<usize> {
        out.write_all(self.head.as_bytes())?;
        self.later.finish(|_, line| out.write_all(line))?;
        Ok(self.rows)
    }
}

/// Leaves one flow in a summary, at every point of a sweep.
fn only(document: &mut Value, table: &str, part: &str, name: &str) -> Result<(), Problem> {
    if part != "flows" {
        return Err(no_flows(table));
    }
    let points = match document["points"].as_array_mut() {
        Some(points) => points.iter_mut().collect(),
        None => vec![document],
    };
    let (mut known, mut found) = (Vec::new(), false);
    for flows in points.into_iter().filter_map(|p| p[part].as_array_mut()) {
        known.extend(flows.iter().filter_map(|f| f["name"].as_str().map(String::from)));
        flows.retain(|f| f["name"] == name);
        found |= !flows.is_empty();
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    if found { Ok(()) } else { Err(no_flow(table, name, &known)) }
}

fn no_flows(table: &str) -> Problem {
    usage(Diagnostic::new(format!("the table `{table}` has no flows")).fix("leave out --flow"))
}

fn no_flow(table: &str, name: &str, known: &[&str]) -> Problem {
    usage(suggest(
        Diagnostic::new(format!("the table `{table}` has no flow `{name}`")),
        name,
        known,
    ))
}
