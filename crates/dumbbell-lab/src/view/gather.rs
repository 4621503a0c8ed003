//! Rows of a file of records, picked for several tables in one pass.
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::results::manifest::damaged;
use crate::results::read_records::Records;
use crate::view::columns::{Values, Words};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Rows that are decoded at once.
const BATCH: usize = 1 << 16;
/// Picoseconds in a second.
const PS_PER_S: f64 = 1e12;
/// The column with the time of a row, in most files.
pub const TIME: &str = "time_s";
/// The end of the names of columns of picoseconds.
const PICOSECONDS: &str = "_ps";

/// The rows and columns of a file that make one table.
pub struct Wanted<'a> {
    /// Columns of words, and those of which a row has one there.
    pub of: Vec<(&'a str, Vec<&'a str>)>,
    /// The first and the last instant.
    pub span: (f64, f64),
    /// The columns by their names in the file.
    pub columns: &'a [String],
}

/// Rows in the order of time.
#[derive(Debug)]
pub struct Rows {
    /// The time of each; empty if the file has no times.
    pub times: Vec<f64>,
    /// The wanted columns.
    pub columns: Vec<Values>,
}

/// The name of a column of which picoseconds have become seconds.
pub fn in_seconds(name: &str) -> String {
    name.strip_suffix(PICOSECONDS).map_or(name.into(), |stem| format!("{stem}_s"))
}

/// The problem of a request that cannot be satisfied.
pub fn wrong(cause: impl Into<String>) -> Problem {
    Problem::new(code::SCENARIO, &[Diagnostic::new(cause)], &Texts::default())
}

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
        let batch = Batch::of(&batch, &names).map_err(|why| damaged(file, why))?;
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

impl Rows {
    /// None of these columns of numbers yet.
    pub fn of_numbers(columns: usize) -> Rows {
        let column = || Values::Numbers(Vec::new());
        Rows { times: Vec::new(), columns: std::iter::repeat_with(column).take(columns).collect() }
    }

    /// Takes the first rows.
    pub fn take_first(&mut self, rows: usize) -> Rows {
        let columns = self.columns.iter_mut().map(|column| column.take_first(rows)).collect();
        Rows { times: self.times.drain(..rows).collect(), columns }
    }
}

/// Puts rows into the order of time. Rows of one instant stay as they were written.
pub fn sort(rows: &mut Rows) {
    if rows.times.is_sorted_by(|a, b| a.total_cmp(b).is_le()) {
        return;
    }
    let mut order: Vec<usize> = (0..rows.times.len()).collect();
    order.sort_by(|a, b| rows.times[*a].total_cmp(&rows.times[*b]));
    rows.columns.iter_mut().for_each(|column| column.reorder(&order));
    rows.times = order.iter().map(|row| rows.times[*row]).collect();
}

/// The cells of a column.
pub enum Cells<'a> {
    /// Numbers; NaN is no value.
    Numbers(Vec<f64>),
    /// Words.
    Words(Vec<Option<&'a str>>),
}

/// Some rows of a file.
pub struct Batch<'a> {
    /// How many.
    pub rows: usize,
    /// Their columns.
    pub columns: HashMap<&'a str, Cells<'a>>,
}

impl<'a> Batch<'a> {
    fn of(batch: &'a RecordBatch, names: &BTreeSet<&'a str>) -> Result<Batch<'a>, String> {
        let cells = |name: &&'a str| {
            let column = batch.column_by_name(name).and_then(|column| cells(name, column));
            let column = column.ok_or(format!("the column `{name}` is of another type"))?;
            Ok((*name, column))
        };
        let columns = names.iter().map(cells).collect::<Result<_, String>>()?;
        Ok(Batch { rows: batch.num_rows(), columns })
    }

    /// Appends to each table its rows of this batch.
    pub fn append(&self, tables: &[Wanted<'_>], time: Option<&str>, rows: &mut [Rows]) {
        let times = match time.map(|name| &self.columns[name]) {
            Some(Cells::Numbers(times)) => times.as_slice(),
            _ => &[],
        };
        let mut splits = HashMap::new();
        for (table, into) in tables.iter().zip(rows) {
            let mut picked: Vec<usize> = match table.of.first() {
                Some((name, words)) => {
                    let split = splits.entry(*name).or_insert_with(|| self.split(name));
                    words.iter().filter_map(|word| split.get(word)).flatten().copied().collect()
                }
                None => (0..self.rows).collect(),
            };
            if table.of.first().is_some_and(|(_, words)| words.len() > 1) {
                picked.sort_unstable(); // Rows that are in the order of time stay so.
            }
            for (name, words) in table.of.iter().skip(1) {
                let has = |row: &usize| self.word(name, *row).is_some_and(|w| words.contains(&w));
                picked.retain(has);
            }
            if !times.is_empty() {
                let (from, to) = table.span;
                picked.retain(|row| (from..=to).contains(&times[*row]));
                into.times.extend(picked.iter().map(|row| times[*row]));
            }
            for (name, column) in table.columns.iter().zip(&mut into.columns) {
                match (&self.columns[name.as_str()], column) {
                    (Cells::Numbers(cells), Values::Numbers(column)) => {
                        column.extend(picked.iter().map(|row| cells[*row]));
                    }
                    (Cells::Words(cells), Values::Words(column)) => {
                        picked.iter().for_each(|row| column.push(cells[*row]));
                    }
                    // Every batch of a file has the types of its schema.
                    _ => {}
                }
            }
        }
    }

    fn word(&self, name: &str, row: usize) -> Option<&str> {
        match &self.columns[name] {
            Cells::Words(cells) => cells[row],
            Cells::Numbers(_) => None,
        }
    }

    /// The rows with each word of a column.
    fn split(&self, name: &str) -> HashMap<&str, Vec<usize>> {
        let mut split: HashMap<&str, Vec<usize>> = HashMap::new();
        for row in 0..self.rows {
            if let Some(word) = self.word(name, row) {
                split.entry(word).or_default().push(row);
            }
        }
        split
    }
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
