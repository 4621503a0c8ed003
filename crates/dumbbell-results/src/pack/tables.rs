//! Requests for tables of a page, and a table in blobs.
use crate::pack::blobs::{Blobs, Kind, Place};
use crate::pack::columns::{Coded, Grid, Values, code_numbers, code_words};
use crate::pack::rows::{Rows, TIME, Wanted, in_seconds, wrong};
use crate::pack::{bands, levels};
use dumbbell_scenario::language::problem::Problem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Rows from which a table's columns have blobs of their own.
const LARGE: usize = 4096;
/// Buckets of the coarsest level that shows something of a large table.
const SHOWN: usize = 64;

/// A table: a part of a file of records, quantiles of a group in one, or rows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableRequest {
    /// Its name.
    pub id: String,
    /// A file of records.
    pub file: Option<PathBuf>,
    /// Columns of the file. Picoseconds (`_ps`) become seconds (`_s`).
    #[serde(default)]
    pub columns: Vec<String>,
    /// New names of columns.
    #[serde(default)]
    rename: BTreeMap<String, String>,
    /// The words that rows of the file have in these columns: `{"flow": "near.1"}`.
    of: Option<BTreeMap<String, String>>,
    /// The first instant.
    from_s: Option<f64>,
    /// The last instant.
    to_s: Option<f64>,
    /// Of quantiles: the flows or queues of the group...
    pub members: Option<Vec<String>>,
    /// ...the column with their names...
    key: Option<String>,
    /// ...and which, 0 to 1.
    #[serde(default)]
    quantiles: Vec<f64>,
    /// Rows instead of a file, by column: numbers or texts; null is no value.
    pub rows: Option<Map<String, Value>>,
}

impl TableRequest {
    /// # Errors
    /// Code 2: its parts do not go together.
    pub fn check(&self) -> Result<(), Problem> {
        let id = &self.id;
        if self.file.is_some() == self.rows.is_some() {
            return Err(wrong(format!("the table `{id}` needs either `file` or `rows`")));
        }
        if self.members.is_some() != self.key.is_some() {
            return Err(wrong(format!("the table `{id}` needs both `members` and `key`")));
        }
        if self.quantiles.iter().any(|q| !(0.0..=1.0).contains(q)) {
            return Err(wrong(format!("the quantiles of the table `{id}` are from 0 to 1")));
        }
        Ok(())
    }

    /// Its rows and columns.
    pub fn wanted(&self) -> Wanted<'_> {
        let group = self.key.as_deref().zip(self.members.as_deref());
        let group = group.map(|(key, members)| (key, members.iter().map(String::as_str).collect()));
        let of = self.of.iter().flatten().map(|(key, word)| (key.as_str(), vec![word.as_str()]));
        Wanted {
            of: group.into_iter().chain(of).collect(),
            span: (self.from_s.unwrap_or(f64::MIN), self.to_s.unwrap_or(f64::MAX)),
            columns: &self.columns,
        }
    }

    /// The columns of rows that were read, by name.
    ///
    /// # Errors
    /// Code 2: quantiles are wanted of words.
    pub fn named(&self, rows: Rows) -> Result<Vec<(String, Values)>, Problem> {
        let name = |name: &String| self.rename.get(name).cloned().unwrap_or(in_seconds(name));
        let columns = self.columns.iter().map(name).zip(rows.columns);
        if self.members.is_none() {
            return Ok(columns.collect());
        }
        let mut quantiles = vec![(TIME.to_string(), Values::Numbers(bands::instants(&rows.times)))];
        for (name, values) in columns {
            let Values::Numbers(values) = values else {
                return Err(wrong(format!("the column `{name}` has words, and no quantiles")));
            };
            let names = self.quantiles.iter().map(|q| bands::name(&name, *q));
            quantiles.extend(names.zip(bands::of(&rows.times, &values, &self.quantiles)));
        }
        Ok(quantiles)
    }
}

/// A column in full and its levels.
pub struct CodedColumn {
    name: String,
    full: Coded,
    levels: Vec<(usize, Coded, Coded)>,
}

impl CodedColumn {
    /// Codes a column. `timed`: of a table with times, which has levels if it is large.
    pub fn of(name: String, values: Values, timed: bool) -> CodedColumn {
        let numbers = match values {
            Values::Numbers(numbers) => numbers,
            Values::Words(words) => {
                return CodedColumn { full: code_words(words), name, levels: Vec::new() };
            }
        };
        let grid = Grid::of(&name, &numbers, timed);
        let level = |size| {
            let (low, high) = levels::extremes(&numbers, size);
            (size, code_numbers(&low, grid), code_numbers(&high, grid))
        };
        let levels = levels::sizes(if timed { numbers.len() } else { 0 }).map(level).collect();
        CodedColumn { name, full: code_numbers(&numbers, grid), levels }
    }
}

/// Puts a table into blobs, so that a page inflates only what it draws: of a large table the coarse
/// levels are in the overview, and each column has a blob with its other levels and its rows.
pub fn place(blobs: &mut Blobs, rows: usize, coded: Vec<CodedColumn>) -> Value {
    let large = rows >= LARGE;
    let shown = levels::sizes(rows).find(|size| rows / size >= SHOWN).unwrap_or_default();
    let mut columns = Map::new();
    let mut by_size: Vec<(usize, Map<String, Value>)> = Vec::new();
    for CodedColumn { name, full, levels } in coded {
        let own = if large { blobs.own() } else { Place::Shared(Kind::Small) };
        for (size, low, high) in levels {
            let overview = large && size >= shown;
            let at = if overview { Place::Shared(Kind::Overview) } else { own };
            let level = json!({ "low": blobs.place(at, low), "high": blobs.place(at, high) });
            match by_size.iter_mut().find(|(known, _)| *known == size) {
                Some((_, columns)) => drop(columns.insert(name.clone(), level)),
                None => by_size.push((size, Map::from_iter([(name.clone(), level)]))),
            }
        }
        columns.insert(name, json!(blobs.place(own, full)));
    }
    let mut table = Map::new();
    table.insert("rows".into(), rows.into());
    table.insert("columns".into(), columns.into());
    if !by_size.is_empty() {
        let level = |(size, columns)| json!({ "size": size, "columns": columns });
        table.insert("levels".into(), by_size.into_iter().map(level).collect());
    }
    table.into()
}
