//! Reading: the records of runs, and the summaries that a result has of them, as one table.
use crate::problem::{Problem, code};
use crate::reading;
use crate::tidy::{Labels, Tidy, of_rows, stack};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value};
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
    let opened = reading::open(file).map_err(|e| unread(ParquetError::General(e.to_string())))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(opened).map_err(unread)?;
    let reader = reader.with_batch_size(BATCH).build().map_err(unread)?;
    // The schema of the reader, not of the file: it names the types that the batches have.
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|e| unread(e.into()))?;
    Ok(Tidy { schema, batches })
}

fn odd(why: &str) -> Problem {
    Problem::failure(format!("these results do not make one table: {why}"), None)
}
