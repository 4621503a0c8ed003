//! Reading: the records of runs, and the summaries that a result has of them, as one table.
use crate::formats::arrow_table::{ArrowTable, Labels, of_rows, stack};
use crate::language::problem::Problem;
use crate::results::manifest::damaged;
use crate::results::read_records::Records;
use crate::results::row_order;
use crate::results::row_order::Order;
use crate::verb::Asked;
use arrow_array::{Array, ArrayRef, RecordBatch, make_array};
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Rows that are decoded at once.
const BATCH: usize = 1 << 16;

/// A run's part of a table.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Part {
    /// The labels that tell its rows from those of other runs.
    labels: Labels,
    /// A file of records...
    file: Option<PathBuf>,
    /// ...or the rows themselves, such as a result's `flows`.
    rows: Option<Vec<Map<String, Value>>>,
}

/// The runs of a table.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TableRequest(Vec<Part>);

impl Asked for TableRequest {}

/// One table of several runs, in tidy form: each row of a run has its labels (such as point and
/// seed) before its own columns.
///
/// # Errors
/// Code 3: a file is missing or damaged; 1: it does not go with the others.
pub fn table(TableRequest(parts): TableRequest) -> Result<ArrowTable, Problem> {
    let read = parts.into_par_iter().map(|part| {
        let own = match (&part.file, part.rows) {
            (Some(file), _) => records(file)?,
            (None, rows) => of_rows(&rows.unwrap_or_default()).map_err(|e| odd(&e.to_string()))?,
        };
        Ok((part.labels, own))
    });
    stack(read.collect::<Result<Vec<_>, Problem>>()?).map_err(|e| odd(&e.to_string()))
}

/// Every row of a file of records.
fn records(file: &Path) -> Result<ArrowTable, Problem> {
    let mut reader = Records::open(file, BATCH)?.ok_or_else(|| damaged(file, "it is missing"))?;
    let order = reader
        .metadata
        .iter()
        .find(|(key, _)| key == row_order::KEY)
        .map(|(_, value)| value.as_str());
    let order = Order::read(order);
    let batches = reader.by_ref().collect::<Result<Vec<_>, Problem>>()?;
    let batches = in_order(&reader.schema, batches, &order).map_err(|e| damaged(file, e))?;
    Ok(ArrowTable { schema: reader.schema, batches })
}

/// Sorts the rows by `order`, if they have a time and are not sorted.
fn in_order(
    schema: &SchemaRef,
    batches: Vec<RecordBatch>,
    order: &Order,
) -> Result<Vec<RecordBatch>, ArrowError> {
    let places: Option<Vec<_>> = batches.iter().map(|batch| order.places(batch)).collect();
    let Some(places) = places.filter(|of_batches| !of_batches.iter().flatten().is_sorted()) else {
        return Ok(batches);
    };
    let in_batches = places.iter().enumerate();
    let mut rows: Vec<(usize, usize)> =
        in_batches.flat_map(|(batch, rows)| (0..rows.len()).map(move |row| (batch, row))).collect();
    // Stable: what happened at one instant stays as it was written.
    rows.sort_by_key(|(batch, row)| places[*batch][*row]);
    let column = |i| gathered(batches.iter().map(|b| b.column(i).to_data()).collect(), &rows);
    let columns = (0..schema.fields().len()).map(column).collect::<Result<Vec<_>, _>>()?;
    Ok(vec![RecordBatch::try_new(schema.clone(), columns)?])
}

/// One array of the rows (part, row), in their order.
fn gathered(parts: Vec<ArrayData>, rows: &[(usize, usize)]) -> Result<ArrayRef, ArrowError> {
    let mut out = MutableArrayData::new(parts.iter().collect(), false, rows.len());
    for run in rows.chunk_by(|a, b| a.0 == b.0 && a.1 + 1 == b.1) {
        let (part, first) = run[0];
        out.try_extend(part, first, first + run.len())?;
    }
    Ok(make_array(out.freeze()))
}

fn odd(why: &str) -> Problem {
    Problem::failure(format!("these results do not make one table: {why}"), None)
}
