//! CSV of a record, or of the summary's flows and queues.
use super::Wish;
use super::records::usage;
use super::run::Run;
use super::target::Target;
use crate::formats::csv;
use crate::problem::{Diagnostic, Problem};
use crate::typed::suggest;
use serde_json::{Value, json};
use std::io::Write;

/// What `--table` may name: two parts of the summary, and the records.
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
/// Code 2: there is no such table, or it was not recorded, or no such flow; 3: it is damaged; 1: the file cannot be written.
pub fn write(run: &Run, wish: &Wish, out: &mut Target) -> Result<Value, Problem> {
    let table = wish.table.as_deref().unwrap_or(TABLES[0]);
    if !TABLES.contains(&table) {
        let d = Diagnostic::new(format!("there is no table `{table}`"));
        return Err(usage(suggest(d, table, &TABLES)));
    }
    if let Some(part) = table.strip_prefix("summary_") {
        let mut document = run.summary()?;
        if let Some(name) = &wish.flow {
            only(&mut document, table, part, name)?;
        }
        let text = csv::summary(&document, part);
        out.write_all(text.as_bytes()).map_err(|e| out.failed(&e))?;
        return Ok(json!({ "rows": text.matches("\r\n").count() - 1, "notes": [] }));
    }
    let mut record = run.record(table)?;
    let column = record.columns.iter().position(|c| c == "flow");
    if wish.flow.is_some() && column.is_none() {
        return Err(no_flows(table));
    }
    let mut text = String::new();
    csv::line(&mut text, record.columns.iter().map(String::as_str));
    let (mut rows, mut known) = (0, Vec::new());
    while let Some(some) = record.next()? {
        match &wish.flow {
            None => {
                rows += some.len();
                csv::rows(&mut text, &some.batch, |_| true);
            }
            Some(name) => {
                let flows = some.words("flow")?;
                let names = flows.names.iter().flatten().filter(|n| !known.iter().any(|k| k == n));
                let more: Vec<String> = names.map(String::from).collect();
                known.extend(more);
                let before = rows;
                let wanted = |r: usize| flows.get(r) == Some(name);
                rows = before + (0..some.len()).filter(|r| wanted(*r)).count();
                csv::rows(&mut text, &some.batch, wanted);
            }
        }
        if wish.flow.is_none() || rows > 0 {
            out.write_all(text.as_bytes()).map_err(|e| out.failed(&e))?;
            text.clear();
        } // Else the head waits: a flow that is not there is refused before anything is written.
    }
    if let Some(name) = wish.flow.as_ref().filter(|n| rows == 0 && !known.contains(n)) {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        return Err(no_flow(table, name, &known));
    }
    out.write_all(text.as_bytes()).map_err(|e| out.failed(&e))?;
    Ok(json!({ "rows": rows, "notes": [] }))
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
    usage(suggest(Diagnostic::new(format!("the table `{table}` has no flow `{name}`")), name, known))
}
