//! The series of markers: a row for each place of an edge, each period.
use crate::results::records::parquet_table::{Cell, Table, Type};
use dumbbell_core::units::Time;
use dumbbell_plan::Plan;
use dumbbell_sim::MarkerRow;
use parquet::errors::ParquetError;
use std::path::Path;

const COLUMNS: [(&str, Type); 9] = [
    ("time_s", Type::Real),
    ("link", Type::Word),
    ("rule", Type::Count),
    ("flow", Type::Word),
    ("tokens", Type::MaybeReal),
    ("tokens_lost", Type::MaybeReal),
    ("held", Type::Count),
    ("in_packets", Type::Count),
    ("out_packets", Type::Count),
];

/// The file of a run, in `dir`.
pub fn create(dir: &Path) -> Result<Table, ParquetError> {
    Table::create(
        &dir.join("markers.parquet"),
        &COLUMNS.map(|(name, kind)| (name.to_string(), kind)),
    )
}

/// Writes a row. Rules count from 1, as people do.
pub fn write(
    table: &mut Table,
    plan: &Plan,
    t: Time,
    link: usize,
    row: &MarkerRow,
) -> Result<(), ParquetError> {
    table.row([
        Cell::Real(t.seconds()),
        Cell::Word(&plan.links[link].name),
        Cell::Count(row.rule as u64 + 1),
        row.flow.map_or(Cell::Nothing, |flow| Cell::Word(&plan.flows[flow].name)),
        row.tokens.into(),
        row.tokens_lost.into(),
        Cell::Count(row.held),
        Cell::Count(row.in_packets),
        Cell::Count(row.out_packets),
    ])
}
