//! Tables that grow with a run: rows as they are recorded, packed as whole tables
//! are. A page appends them.
use crate::pack::blobs::Blobs;
use crate::pack::rows::{Batch, Cells, Rows, TIME, sort, wrong};
use crate::pack::tables::{CodedColumn, TableRequest, place};
use crate::series::tap::{Block, OfBoth};
use dumbbell_scenario::language::problem::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// Files with the series, and the columns that name what a row is about.
const FLOWS: (&str, &str) = ("flows.parquet", "flow");
const QUEUES: (&str, &str) = ("queues.parquet", "queue");
/// Instants at the end of a group's rows that wait, because members may come later to them.
const OPEN: usize = 2;

/// A table, and its rows that were not packed yet.
struct Grown {
    request: TableRequest,
    held: Rows,
    /// The last instant that was packed.
    until: f64,
}

/// The tables of a page.
pub struct Growing(Vec<Grown>);

impl Growing {
    /// Tables of the series of flows and queues; of `file` only the name matters.
    ///
    /// # Errors
    /// Code 2: a table is of another file, or its parts do not go together.
    pub fn new(requests: &[TableRequest]) -> Result<Growing, Problem> {
        let grown = |request: &TableRequest| {
            request.check()?;
            let name = file(request);
            if ![FLOWS.0, QUEUES.0].contains(&name) {
                return Err(wrong(format!("the table `{}` does not grow with a run", request.id)));
            }
            let held = Rows::of_numbers(request.columns.len());
            Ok(Grown { request: request.clone(), held, until: f64::MIN })
        };
        requests.iter().map(grown).collect::<Result<_, Problem>>().map(Growing)
    }

    /// The columns of each series that the tables need.
    pub fn columns(&self) -> OfBoth<Vec<String>> {
        let of = |series: &str| {
            let mut names: Vec<String> = Vec::new();
            for Grown { request, .. } in &self.0 {
                let new = |name: &&String| *name != TIME && !names.contains(name);
                let new: Vec<String> = match file(request) == series {
                    true => request.columns.iter().filter(new).cloned().collect(),
                    false => Vec::new(),
                };
                names.extend(new);
            }
            names
        };
        OfBoth { flows: of(FLOWS.0), queues: of(QUEUES.0) }
    }

    /// Adds rows with these columns about these flows and queues.
    pub fn add(
        &mut self,
        rows: OfBoth<Block>,
        columns: &OfBoth<Vec<String>>,
        names: &OfBoth<Vec<String>>,
    ) {
        self.add_series(FLOWS, rows.flows, (&columns.flows, &names.flows));
        self.add_series(QUEUES, rows.queues, (&columns.queues, &names.queues));
    }

    fn add_series(
        &mut self,
        (series, key): (&str, &str),
        block: Block,
        (columns, names): (&[String], &[String]),
    ) {
        if block.times.is_empty() {
            return;
        }
        let word = |member: &u32| names.get(*member as usize).map(String::as_str);
        let mut cells: BTreeMap<&str, Cells<'_>> = BTreeMap::new();
        cells.insert(key, Cells::Words(block.members.iter().map(word).collect()));
        cells.extend(
            columns.iter().map(String::as_str).zip(block.columns.into_iter().map(Cells::Numbers)),
        );
        let rows = block.times.len();
        cells.insert(TIME, Cells::Numbers(block.times));
        let batch = Batch { rows, columns: cells };
        for Grown { request, held, .. } in &mut self.0 {
            if file(request) == series {
                batch.append(&[request.wanted()], Some(TIME), std::slice::from_mut(held));
            }
        }
    }

    /// Packs what can be packed: `{ID: {"rows", "columns"}}` of tables with new rows, and their
    /// blobs. `last`: no more rows will come.
    ///
    /// # Errors
    /// Code 2: quantiles are wanted of words.
    pub fn pack(&mut self, last: bool) -> Result<(Map<String, Value>, Blobs), Problem> {
        let (mut blobs, mut tables) = (Blobs::default(), Map::new());
        for grown in &mut self.0 {
            let rows = grown.ready(last);
            if rows.times.is_empty() {
                continue;
            }
            let columns = grown.request.named(rows)?;
            let rows = columns.first().map_or(0, |(_, column)| column.len());
            let coded = columns.into_iter().map(|(name, v)| CodedColumn::of(name, v, false));
            tables.insert(grown.request.id.clone(), place(&mut blobs, rows, coded.collect()));
        }
        Ok((tables, blobs))
    }
}

impl Grown {
    /// The rows to pack. Those of a group wait until their instant is over; what comes later still,
    /// as of a queue that stood idle, is left out.
    fn ready(&mut self, last: bool) -> Rows {
        sort(&mut self.held);
        let times = &self.held.times;
        if self.request.members.is_none() {
            return self.held.take_first(times.len());
        }
        let late = times.partition_point(|t| *t <= self.until);
        drop(self.held.take_first(late));
        let times = &self.held.times;
        let mut end = times.len();
        for _ in 0..if last { 0 } else { OPEN } {
            let newest = end.checked_sub(1).map(|row| times[row]);
            end = newest.map_or(0, |newest| times.partition_point(|t| *t < newest));
        }
        let ready = self.held.take_first(end);
        self.until = ready.times.last().copied().unwrap_or(self.until);
        ready
    }
}

fn file(request: &TableRequest) -> &str {
    let file = request.file.as_deref().and_then(Path::file_name);
    file.and_then(std::ffi::OsStr::to_str).unwrap_or_default()
}
