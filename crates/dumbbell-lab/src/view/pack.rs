//! The verb `pack`: tables of results in, columns for a page out.
use crate::language::problem::Problem;
use crate::verb::Asked;
use crate::view::deflated::{EFFORT, texts as deflated};
use crate::view::gather::gather;
use dumbbell_results::pack::blobs::{Blobs, Kind, Place};
use dumbbell_results::pack::columns::{Values, Words};
use dumbbell_results::pack::rows::{TIME, Wanted, wrong};
use dumbbell_results::pack::tables::{CodedColumn, TableRequest, place};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Tables and texts for a page.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackRequest {
    tables: Vec<TableRequest>,
    /// Texts that the page reads out of blobs.
    #[serde(default)]
    texts: Vec<String>,
}

impl Asked for PackRequest {}

/// Packs tables:
/// `{"tables": {ID: {"rows", "columns": {NAME: COLUMN}, "levels"?: [{"size", "columns": {NAME:
/// {"low": COLUMN, "high": COLUMN}}}]}}, "texts": [{"blob", "at", "bytes"}], "blobs": [BASE64],
/// "points", "bytes"}`. See [`crate::view`] for what a decoded value is.
///
/// # Errors
/// Code 2: the request is wrong; 3: a file is missing or damaged.
pub fn pack(request: PackRequest) -> Result<Value, Problem> {
    let PackRequest { tables: requests, texts } = request;
    let tables = read(requests)?;
    let mut blobs = Blobs::default();
    let (mut packed, mut points) = (Map::new(), 0);
    for Table { id, columns: values } in tables {
        let rows = values.first().map_or(0, |(_, column)| column.len());
        points += rows * values.len();
        let timed = values.iter().any(|(name, _)| name == TIME);
        let coded = values.into_par_iter().map(|(name, v)| CodedColumn::of(name, v, timed));
        packed.insert(id, place(&mut blobs, rows, coded.collect()));
    }
    let texts: Vec<Value> = texts
        .iter()
        .map(|text| {
            let (blob, at) = blobs.append(Place::Shared(Kind::Text), text.as_bytes());
            json!({ "blob": blob, "at": at, "bytes": text.len() })
        })
        .collect();
    let blobs = deflated(blobs, EFFORT);
    let bytes: usize = blobs.iter().map(String::len).sum();
    Ok(json!({
        "tables": packed, "texts": texts, "blobs": blobs, "points": points, "bytes": bytes,
    }))
}

/// A table in memory.
#[derive(Default)]
struct Table {
    id: String,
    columns: Vec<(String, Values)>,
}

/// The tables of a request in its order. Each file is read once.
fn read(requests: Vec<TableRequest>) -> Result<Vec<Table>, Problem> {
    let mut files: Vec<(&Path, Vec<usize>)> = Vec::new();
    for (index, request) in requests.iter().enumerate() {
        request.check()?;
        let Some(file) = request.file.as_deref() else { continue };
        match files.iter_mut().find(|(known, _)| *known == file) {
            Some((_, tables)) => tables.push(index),
            None => files.push((file, vec![index])),
        }
    }
    let mut tables: Vec<Table> = Vec::new();
    tables.resize_with(requests.len(), Table::default);
    for (file, indices) in files {
        let wanted: Vec<Wanted<'_>> = indices.iter().map(|i| requests[*i].wanted()).collect();
        for (index, rows) in indices.iter().zip(gather(file, &wanted)?) {
            tables[*index].columns = requests[*index].named(rows)?;
        }
    }
    for (table, request) in tables.iter_mut().zip(requests) {
        if let Some(rows) = request.rows {
            table.columns = given(&request.id, rows)?;
        }
        table.id = request.id;
    }
    Ok(tables)
}

/// Rows of a request, as columns.
fn given(id: &str, rows: Map<String, Value>) -> Result<Vec<(String, Values)>, Problem> {
    let odd = |name: &str, what: &str| wrong(format!("`{name}` of the table `{id}` {what}"));
    let mut columns: Vec<(String, Values)> = Vec::new();
    for (name, cells) in rows {
        let Value::Array(cells) = cells else { return Err(odd(&name, "is no list")) };
        if columns.first().is_some_and(|(_, first)| first.len() != cells.len()) {
            return Err(odd(&name, "is not as long as the first column"));
        }
        let of_words = cells.iter().any(Value::is_string);
        if !cells.iter().all(|c| c.is_null() || c.is_string() == of_words && is_plain(c)) {
            return Err(odd(&name, "has neither only numbers nor only texts"));
        }
        let values = if of_words {
            let mut words = Words::default();
            cells.iter().for_each(|cell| words.push(cell.as_str()));
            Values::Words(words)
        } else {
            Values::Numbers(cells.iter().map(|cell| cell.as_f64().unwrap_or(f64::NAN)).collect())
        };
        columns.push((name, values));
    }
    Ok(columns)
}

fn is_plain(cell: &Value) -> bool {
    cell.is_number() || cell.is_string()
}
