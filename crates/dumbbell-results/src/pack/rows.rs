//! Rows picked for tables out of batches of a series.
use crate::pack::columns::Values;
use dumbbell_scenario::language::problem::{Diagnostic, Problem, Texts, code};
use std::collections::BTreeMap;

/// The column with the time of a row, in most files.
pub const TIME: &str = "time_s";
/// The end of the names of columns of picoseconds.
pub const PICOSECONDS: &str = "_ps";

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
    pub columns: BTreeMap<&'a str, Cells<'a>>,
}

impl<'a> Batch<'a> {
    /// Appends to each table its rows of this batch.
    pub fn append(&self, tables: &[Wanted<'_>], time: Option<&str>, rows: &mut [Rows]) {
        let times = match time.map(|name| &self.columns[name]) {
            Some(Cells::Numbers(times)) => times.as_slice(),
            _ => &[],
        };
        let mut splits = BTreeMap::new();
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
    fn split(&self, name: &str) -> BTreeMap<&str, Vec<usize>> {
        let mut split: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for row in 0..self.rows {
            if let Some(word) = self.word(name, row) {
                split.entry(word).or_default().push(row);
            }
        }
        split
    }
}
