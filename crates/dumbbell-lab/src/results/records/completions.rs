//! `completions.parquet`: a row for each transfer of a session, in the order of the plan, those of
//! the warm-up too.
use crate::results::records::parquet_table::{Cell, Table, Type};
use dumbbell_core::units::Span;
use dumbbell_plan::Plan;
use dumbbell_results::run_json::completions;
use dumbbell_sim::Report;
use parquet::errors::ParquetError;
use std::path::Path;

const COLUMNS: [(&str, Type); 9] = [
    ("session", Type::Word),
    ("flow", Type::Text),
    ("start_s", Type::Real),
    ("size_bytes", Type::Count),
    ("completion_s", Type::MaybeReal),
    ("ideal_s", Type::Real),
    ("sent_packets", Type::Count),
    ("retransmits", Type::Count),
    ("rtos", Type::Count),
];

/// Writes the rows; the file ends when the table is closed.
///
/// # Errors
/// It cannot be written.
pub fn write(dir: &Path, plan: &Plan, report: &Report) -> Result<Table, ParquetError> {
    let columns: Vec<(String, Type)> = COLUMNS.iter().map(|(n, t)| (n.to_string(), *t)).collect();
    let mut table = Table::create(&dir.join("completions.parquet"), &columns)?;
    for c in completions(plan, report) {
        let seen = &report.flows[c.flow];
        table.row([
            Cell::Word(&plan.sessions[c.session].name),
            Cell::Text(&seen.name),
            Cell::Real(c.start.seconds()),
            Cell::Count(c.size.0),
            c.took.map(Span::seconds).into(),
            Cell::Real(c.ideal.seconds()),
            Cell::Count(seen.sent_packets),
            Cell::Count(seen.retransmits),
            Cell::Count(seen.rtos),
        ])?;
    }
    Ok(table)
}
