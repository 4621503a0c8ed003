//! The order of a series' rows: by time, then as the scenario lists its flows or queues. Files have
//! the rows as the run wrote them, which is in the order of time only for each flow and each queue.
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use std::collections::HashMap;

/// The key of a file's metadata with the names in the scenario's order, as a JSON list.
pub const KEY: &str = "dumbbell.order";
/// The columns that such names stand in.
const NAMED: [&str; 3] = ["flow", "queue", "link"];

/// The position of a row: its time (nonnegative numbers compare as their bits do), then its flow or
/// queue.
pub type Place = (u64, u64);

/// The scenario's order.
pub struct Order(HashMap<String, u64>);

impl Order {
    /// Of the metadata's text; a file without it is ordered by time alone.
    pub fn read(text: Option<&str>) -> Order {
        let names: Vec<String> =
            text.and_then(|t| serde_json::from_str(t).ok()).unwrap_or_default();
        Order(names.into_iter().zip(0..).collect())
    }

    /// The place of each row; `None`: these rows have no time.
    pub fn places(&self, batch: &RecordBatch) -> Option<Vec<Place>> {
        let times = batch.column_by_name("time_s")?.as_primitive_opt::<Float64Type>()?;
        let ranks = self.ranks(batch).unwrap_or_else(|| vec![0; batch.num_rows()]);
        Some(times.values().iter().map(|t| t.to_bits()).zip(ranks).collect())
    }

    /// The rank of each row's name in the first column that has names of this order.
    fn ranks(&self, batch: &RecordBatch) -> Option<Vec<u64>> {
        let columns = NAMED
            .iter()
            .filter_map(|name| batch.column_by_name(name)?.as_dictionary_opt::<Int32Type>());
        columns.into_iter().find_map(|column| {
            let names = column.values().as_string_opt::<i32>()?;
            let known: Vec<Option<u64>> =
                names.iter().map(|name| self.0.get(name?).copied()).collect();
            let rank = |row: usize| column.key(row).and_then(|key| known[key]).unwrap_or(u64::MAX);
            known.iter().any(Option::is_some).then(|| (0..column.len()).map(rank).collect())
        })
    }
}
