//! Reading: the records of runs, and the summaries that a result has of them, as one table.
use crate::ordered::{self, Order};
use crate::problem::{Problem, code};
use crate::tidy::{Labels, Tidy, of_rows, stack};
use arrow_array::{RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Rows that are decoded at once.
const BATCH: usize = 1 << 16;

/// A run's part of a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    /// What tells its rows from those of the other runs.
    labels: Labels,
    /// A file of records...
    file: Option<PathBuf>,
    /// ...or the rows themselves, such as a result's `flows`.
    rows: Option<Vec<Map<String, Value>>>,
}

/// See [`crate::door::table`].
pub fn table(request: &Value) -> Result<Tidy, Problem> {
    let parts: Vec<Part> = Vec::deserialize(request).map_err(|e| Problem {
        code: code::SCENARIO,
        ..Problem::failure(format!("a table is asked for as a list of `labels` with `file` or `rows`: {e}"), None)
    })?;
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
fn records(file: &Path) -> Result<Tidy, Problem> {
    let unread = |e: ParquetError| {
        let cause = format!("the records in {} cannot be read: {e}", file.display());
        Problem::failure(
            cause,
            Some("the file is damaged, or another program wrote it: run again to replace it".into()),
        )
    };
    let opened = File::open(file).map_err(|e| unread(ParquetError::General(e.to_string())))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(opened).map_err(unread)?;
    let about = reader.metadata().file_metadata().key_value_metadata();
    let order =
        about.into_iter().flatten().find(|pair| pair.key == ordered::KEY).and_then(|pair| pair.value.as_deref());
    let order = Order::read(order);
    let reader = reader.with_batch_size(BATCH).build().map_err(unread)?;
    // The schema of the reader, not of the file: it names the types that the batches have.
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|e| unread(e.into()))?;
    let batches = in_order(&schema, batches, &order).map_err(|e| unread(e.into()))?;
    Ok(Tidy { schema, batches })
}

/// The same rows in the order of `order`, if they have a time and are not in it.
fn in_order(schema: &SchemaRef, batches: Vec<RecordBatch>, order: &Order) -> Result<Vec<RecordBatch>, ArrowError> {
    let places: Option<Vec<_>> = batches.iter().map(|batch| order.places(batch)).collect();
    let Some(places) = places.map(|of_batches| of_batches.concat()).filter(|places| !places.is_sorted()) else {
        return Ok(batches);
    };
    let mut rows: Vec<u64> = (0..places.len() as u64).collect();
    rows.sort_by_key(|row| places[*row as usize]); // Stable: what happened at one instant stays as it was written.
    let whole = concat_batches(schema, &batches)?;
    Ok(vec![take_record_batch(&whole, &UInt64Array::from(rows))?])
}

fn odd(why: &str) -> Problem {
    Problem::failure(format!("these results do not make one table: {why}"), None)
}
