//! Records read back, a batch of rows at a time.
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::results::manifest::damaged;
use crate::results::read_records::Records;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{
    Array, BooleanArray, Float64Array, Int32Array, RecordBatch, StringArray, UInt64Array,
};
use dumbbell_plan::Plan;
use std::path::{Path, PathBuf};

/// Rows that are in memory at once, for each record.
const BATCH: usize = 1 << 13;

/// The problem of a request that cannot be satisfied.
pub fn usage(d: Diagnostic) -> Problem {
    Problem::new(code::SCENARIO, &[d], &Texts::default())
}

/// A record of a run that is being read.
pub struct Record {
    file: PathBuf,
    records: Records,
    /// Names of its columns.
    pub columns: Vec<String>,
}

impl Record {
    /// The record `name` of the run in `dir`; `None` if it was not recorded.
    ///
    /// # Errors
    /// Code 3: it is damaged.
    pub fn open(dir: &Path, name: &str) -> Result<Option<Record>, Problem> {
        let file = dir.join(format!("{name}.parquet"));
        let Some(records) = Records::open(&file, BATCH)? else { return Ok(None) };
        let columns = records.schema.fields().iter().map(|f| f.name().clone()).collect();
        Ok(Some(Record { file, records, columns }))
    }

    /// A text of the file's metadata; empty if there is none.
    pub fn about(&self, key: &str) -> &str {
        self.records.metadata.iter().find(|(k, _)| k == key).map_or("", |(_, v)| v)
    }

    /// The plan of the run, of `packets` and `hops`.
    ///
    /// # Errors
    /// Code 1: the file has none, or one that this version does not understand.
    pub fn plan(&self) -> Result<Plan, Problem> {
        let version = self.about("dumbbell.version");
        serde_json::from_str(self.about("dumbbell.plan")).map_err(|e| {
            let cause = format!(
                "{}: its plan cannot be read (written by version {version:?}): {e}",
                self.file.display()
            );
            Problem::failure(cause, Some("run the scenario again with this version".into()))
        })
    }

    /// The next rows; `None` at the end.
    ///
    /// # Errors
    /// Code 3: the file is damaged.
    pub fn next(&mut self) -> Result<Option<Rows<'_>>, Problem> {
        let batch = self.records.next().transpose()?;
        Ok(batch.map(|batch| Rows { file: &self.file, batch }))
    }
}

/// Some rows of a record.
pub struct Rows<'a> {
    file: &'a Path,
    /// The columns.
    pub batch: RecordBatch,
}

/// A column of names.
pub struct TextColumn<'a> {
    keys: &'a Int32Array,
    /// The names.
    pub names: &'a StringArray,
}

impl<'a> TextColumn<'a> {
    /// The place of the name in [`Self::names`]; `None`: null.
    pub fn key(&self, row: usize) -> Option<usize> {
        let known = |k: &usize| *k < self.names.len();
        (!self.keys.is_null(row))
            .then(|| usize::try_from(self.keys.value(row)).ok())
            .flatten()
            .filter(known)
    }
    /// The name; `None`: null.
    pub fn get(&self, row: usize) -> Option<&'a str> {
        self.key(row).map(|k| self.names.value(k))
    }
    /// For each name its place in `known`, which is found by `find`.
    pub fn places(&self, find: impl Fn(&str) -> Option<usize>) -> Vec<Option<usize>> {
        (0..self.names.len()).map(|i| find(self.names.value(i))).collect()
    }
}

impl Rows<'_> {
    /// The number of them.
    pub fn len(&self) -> usize {
        self.batch.num_rows()
    }

    fn column<'s, T>(
        &'s self,
        name: &str,
        cast: impl Fn(&'s dyn Array) -> Option<T>,
    ) -> Result<T, Problem> {
        let column = self.batch.column_by_name(name).and_then(|c| cast(c.as_ref()));
        column.ok_or_else(|| {
            damaged(
                self.file,
                format!(
                    "the column `{name}` is missing, or of \
            another type"
                ),
            )
        })
    }

    /// A column of counts.
    ///
    /// # Errors
    /// Code 3: there is none.
    pub fn counts(&self, name: &str) -> Result<&UInt64Array, Problem> {
        self.column(name, |c| c.as_primitive_opt::<UInt64Type>())
    }
    /// A column of counts that records of older releases lack.
    pub fn newer_counts(&self, name: &str) -> Option<&UInt64Array> {
        self.counts(name).ok()
    }
    /// A column of numbers.
    ///
    /// # Errors
    /// Code 3: there is none.
    pub fn reals(&self, name: &str) -> Result<&Float64Array, Problem> {
        self.column(name, |c| c.as_primitive_opt::<Float64Type>())
    }
    /// A column of truth values.
    ///
    /// # Errors
    /// Code 3: there is none.
    pub fn truths(&self, name: &str) -> Result<&BooleanArray, Problem> {
        self.column(name, |c| c.as_boolean_opt())
    }
    /// A column of texts.
    ///
    /// # Errors
    /// Code 3: there is none.
    pub fn texts(&self, name: &str) -> Result<&StringArray, Problem> {
        self.column(name, |c| c.as_string_opt::<i32>())
    }
    /// A column of names.
    ///
    /// # Errors
    /// Code 3: there is none.
    pub fn words(&self, name: &str) -> Result<TextColumn<'_>, Problem> {
        self.column(name, |c| {
            let dictionary = c.as_dictionary_opt::<Int32Type>()?;
            Some(TextColumn {
                keys: dictionary.keys(),
                names: dictionary.values().as_string_opt::<i32>()?,
            })
        })
    }
}

/// The value of a count that may be null.
pub fn count(a: &UInt64Array, row: usize) -> Option<u64> {
    (!a.is_null(row)).then(|| a.value(row))
}

/// Picoseconds of an instant in seconds.
pub fn ps(seconds: f64) -> u64 {
    (seconds * 1e12).round() as u64
}
