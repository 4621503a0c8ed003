//! Records read back, a batch of rows at a time.
use crate::problem::{Diagnostic, Problem, Texts, code};
use crate::reading;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{Array, BooleanArray, Float64Array, Int32Array, RecordBatch, StringArray, UInt64Array};
use dumbbell_plan::Plan;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fmt::Display;
use std::path::Path;

/// Rows that are in memory at once, for each record.
const BATCH: usize = 1 << 13;

/// What a user asked cannot be done.
pub fn usage(d: Diagnostic) -> Problem {
    Problem::new(code::SCENARIO, &[d], &Texts::default())
}

/// A record of a run that is being read.
pub struct Record {
    file: String,
    reader: ParquetRecordBatchReader,
    metadata: Vec<(String, String)>,
    /// Names of its columns.
    pub columns: Vec<String>,
}

fn damaged(file: &str, e: impl Display) -> Problem {
    let fix = "run the scenario again, or export what other records have";
    Problem::failure(format!("{file} is damaged, or no record of Dumbbell's: {e}"), Some(fix.into()))
}

impl Record {
    /// The record `name` of the run in `dir`; `None` if it was not recorded.
    ///
    /// # Errors
    /// Code 1: it is damaged.
    pub fn open(dir: &Path, name: &str) -> Result<Option<Record>, Problem> {
        let path = dir.join(format!("{name}.parquet"));
        let file = path.display().to_string();
        if !path.exists() {
            return Ok(None);
        }
        let opened = reading::open(&path).map_err(|e| Problem::failure(format!("{file} cannot be read: {e}"), None))?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(opened).map_err(|e| damaged(&file, e))?;
        let about = builder.metadata().file_metadata();
        let pairs = about.key_value_metadata().into_iter().flatten();
        let metadata = pairs.map(|p| (p.key.clone(), p.value.clone().unwrap_or_default())).collect();
        let columns = builder.schema().fields().iter().map(|f| f.name().clone()).collect();
        let reader = builder.with_batch_size(BATCH).build().map_err(|e| damaged(&file, e))?;
        Ok(Some(Record { file, reader, metadata, columns }))
    }

    /// A text of the file's metadata; empty if there is none.
    pub fn about(&self, key: &str) -> &str {
        self.metadata.iter().find(|(k, _)| k == key).map_or("", |(_, v)| v)
    }

    /// The plan of the run, of `packets` and `hops`.
    ///
    /// # Errors
    /// Code 1: the file has none, or one that this version does not understand.
    pub fn plan(&self) -> Result<Plan, Problem> {
        let version = self.about("dumbbell.version");
        serde_json::from_str(self.about("dumbbell.plan")).map_err(|e| {
            let cause = format!("{}: its plan cannot be read (written by version {version:?}): {e}", self.file);
            Problem::failure(cause, Some("run the scenario again with this version".into()))
        })
    }

    /// The next rows; `None` at the end.
    ///
    /// # Errors
    /// Code 1: the file is damaged.
    pub fn next(&mut self) -> Result<Option<Rows<'_>>, Problem> {
        match self.reader.next() {
            None => Ok(None),
            Some(Ok(batch)) => Ok(Some(Rows { file: &self.file, batch })),
            Some(Err(e)) => Err(damaged(&self.file, e)),
        }
    }
}

/// Some rows of a record.
pub struct Rows<'a> {
    file: &'a str,
    /// The columns.
    pub batch: RecordBatch,
}

/// A column of names.
pub struct Words<'a> {
    keys: &'a Int32Array,
    /// The names.
    pub names: &'a StringArray,
}

impl<'a> Words<'a> {
    /// The place of the name in [`Self::names`]; `None`: null.
    pub fn key(&self, row: usize) -> Option<usize> {
        let known = |k: &usize| *k < self.names.len();
        (!self.keys.is_null(row)).then(|| usize::try_from(self.keys.value(row)).ok()).flatten().filter(known)
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
    /// How many.
    pub fn len(&self) -> usize {
        self.batch.num_rows()
    }

    fn column<'s, T>(&'s self, name: &str, cast: impl Fn(&'s dyn Array) -> Option<T>) -> Result<T, Problem> {
        let column = self.batch.column_by_name(name).and_then(|c| cast(c.as_ref()));
        column.ok_or_else(|| damaged(self.file, format!("the column `{name}` is missing, or of another type")))
    }

    /// A column of counts.
    ///
    /// # Errors
    /// Code 1: there is none.
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
    /// Code 1: there is none.
    pub fn reals(&self, name: &str) -> Result<&Float64Array, Problem> {
        self.column(name, |c| c.as_primitive_opt::<Float64Type>())
    }
    /// A column of truth values.
    ///
    /// # Errors
    /// Code 1: there is none.
    pub fn truths(&self, name: &str) -> Result<&BooleanArray, Problem> {
        self.column(name, |c| c.as_boolean_opt())
    }
    /// A column of texts.
    ///
    /// # Errors
    /// Code 1: there is none.
    pub fn texts(&self, name: &str) -> Result<&StringArray, Problem> {
        self.column(name, |c| c.as_string_opt::<i32>())
    }
    /// A column of names.
    ///
    /// # Errors
    /// Code 1: there is none.
    pub fn words(&self, name: &str) -> Result<Words<'_>, Problem> {
        self.column(name, |c| {
            let dictionary = c.as_dictionary_opt::<Int32Type>()?;
            Some(Words { keys: dictionary.keys(), names: dictionary.values().as_string_opt::<i32>()? })
        })
    }
}

/// The value of a count that may be null.
pub fn count(a: &UInt64Array, row: usize) -> Option<u64> {
    (!a.is_null(row)).then(|| a.value(row))
}
