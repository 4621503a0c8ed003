//! Rows of a file of records, picked for several tables in one pass.
use crate::language::problem::Problem;
use crate::results::manifest::damaged;
use crate::results::read_records::Records;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use dumbbell_results::pack::columns::{Values, Words};
use dumbbell_results::pack::rows::{Batch, Cells, PICOSECONDS, Rows, TIME, Wanted, sort, wrong};
use std::collections::BTreeSet;
use std::path::Path;

/// Rows that are decoded at once.
const BATCH: usize = 1 << 16;
/// Picoseconds in a second.
const PS_PER_S: f64 = 1e12;
/// Reads a file once, for several tables.
///
/// # Errors
/// Code 3: it is missing or damaged; 2: it lacks a column.
pub fn gather(file: &Path, tables: &[Wanted<'_>]) -> Result<Vec<Rows>, Problem> {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for table in tables {
        names.extend(table.of.iter().map(|(name, _)| *name));
        names.extend(table.columns.iter().map(String::as_str));
    }
    let may_be_time = |name: &str| name == TIME || name.ends_with(PICOSECONDS);
    let wanted = |name: &str| names.contains(name) || may_be_time(name);
    let mut reader = Records::open_columns(file, BATCH, wanted)?
        .ok_or_else(|| damaged(file, "it is missing"))?;
    if let Some(lacking) = names.iter().find(|name| reader.schema.index_of(name).is_err()) {
        return Err(wrong(format!("{} has no column `{lacking}`", file.display())));
    }
    let schema = reader.schema.clone();
    let time = time_column(&schema);
    names.extend(time);
    let mut rows: Vec<Rows> = tables.iter().map(|table| empty(table, &schema)).collect();
    for batch in reader.by_ref() {
        let batch = batch?;
        let batch = batch_of(&batch, &names).map_err(|why| damaged(file, why))?;
        batch.append(tables, time, &mut rows);
    }
    rows.iter_mut().for_each(sort);
    Ok(rows)
}

/// The column with the time of a row: in a file without `time_s`, the first of picoseconds.
fn time_column(schema: &SchemaRef) -> Option<&str> {
    let mut names = schema.fields().iter().map(|field| field.name().as_str());
    let of_picoseconds = || names.find(|name| name.ends_with(PICOSECONDS));
    schema.index_of(TIME).is_ok().then_some(TIME).or_else(of_picoseconds)
}

fn empty(table: &Wanted<'_>, schema: &SchemaRef) -> Rows {
    let column = |name: &String| match schema.field_with_name(name).map(|field| field.data_type()) {
        Ok(DataType::Dictionary(..) | DataType::Utf8) => Values::Words(Words::default()),
        _ => Values::Numbers(Vec::new()),
    };
    Rows { times: Vec::new(), columns: table.columns.iter().map(column).collect() }
}

/// The columns of a batch of a file.
fn batch_of<'a>(batch: &'a RecordBatch, names: &BTreeSet<&'a str>) -> Result<Batch<'a>, String> {
    let cells = |name: &&'a str| {
        let column = batch.column_by_name(name).and_then(|column| cells(name, column));
        let column = column.ok_or(format!("the column `{name}` is of another type"))?;
        Ok((*name, column))
    };
    let columns = names.iter().map(cells).collect::<Result<_, String>>()?;
    Ok(Batch { rows: batch.num_rows(), columns })
}

/// The cells of a column; `None` if they are of a type that records do not have.
fn cells<'a>(name: &str, column: &'a dyn Array) -> Option<Cells<'a>> {
    let scale = if name.ends_with(PICOSECONDS) { PS_PER_S } else { 1.0 };
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    Some(match column.data_type() {
        DataType::Float64 => {
            Cells::Numbers(column.as_primitive_opt::<Float64Type>()?.iter().map(number).collect())
        }
        DataType::UInt64 => {
            let counts = column.as_primitive_opt::<UInt64Type>()?.iter();
            Cells::Numbers(counts.map(|n| number(n.map(|n| n as f64 / scale))).collect())
        }
        DataType::Boolean => {
            let truths = column.as_boolean_opt()?.iter();
            Cells::Numbers(truths.map(|truth| number(truth.map(f64::from))).collect())
        }
        DataType::Utf8 => Cells::Words(column.as_string_opt::<i32>()?.iter().collect()),
        _ => {
            let words = column.as_dictionary_opt::<Int32Type>()?;
            let names = words.values().as_string_opt::<i32>()?;
            let word = |row| words.key(row).map(|key| names.value(key));
            Cells::Words((0..words.len()).map(word).collect())
        }
    })
}
