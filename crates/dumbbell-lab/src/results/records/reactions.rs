//! The reactions of senders to congestion: one row for each reaction.
use crate::results::records::parquet_table::{Cell, Table, Type};
use dumbbell_plan::Plan;
use dumbbell_results::series::columns::{PS_PER_US, phase};
use dumbbell_sim::Reaction;
use parquet::errors::ParquetError;
use std::path::Path;

const COLUMNS: [(&str, Type); 16] = [
    ("time_s", Type::Real),
    ("flow", Type::Word),
    ("cause", Type::Word),
    ("phase_before", Type::Word),
    ("phase", Type::Word),
    ("cwnd_bytes_before", Type::Count),
    ("cwnd_bytes", Type::Count),
    ("ssthresh_bytes_before", Type::MaybeCount),
    ("ssthresh_bytes", Type::MaybeCount),
    ("in_flight_bytes_before", Type::Count),
    ("una", Type::Count),
    ("nxt", Type::Count),
    ("srtt_us", Type::MaybeReal),
    ("rto_us_before", Type::Real),
    ("rto_us", Type::Real),
    ("control", Type::Text),
];

/// Writes `reactions.parquet`.
pub struct Reactions(Table);

impl Reactions {
    /// A new file in `dir`.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(dir: &Path) -> Result<Self, ParquetError> {
        let columns: Vec<(String, Type)> =
            COLUMNS.iter().map(|(n, t)| (n.to_string(), *t)).collect();
        Ok(Reactions(Table::create(&dir.join("reactions.parquet"), &columns)?))
    }

    /// One more row.
    ///
    /// # Errors
    /// The disk is full, or the file is gone.
    pub fn row(&mut self, plan: &Plan, r: &Reaction) -> Result<(), ParquetError> {
        let (before, after) = (&r.before.view, &r.after.view);
        let us = |ps: u64| Cell::Real(ps as f64 / PS_PER_US);
        let shown: Vec<String> =
            r.after.gauges.0.iter().map(|(name, x)| format!("{name}={x}")).collect();
        self.0.row([
            Cell::Real(r.t.seconds()),
            Cell::Word(&plan.flows[r.flow].name),
            Cell::Word(r.cause.name()),
            Cell::Word(phase(before.phase)),
            Cell::Word(phase(after.phase)),
            Cell::Count(before.cwnd),
            Cell::Count(after.cwnd),
            before.ssthresh.into(),
            after.ssthresh.into(),
            Cell::Count(before.in_flight),
            Cell::Count(after.una),
            Cell::Count(after.nxt),
            after.srtt.map_or(Cell::Nothing, |s| us(s.ps())),
            us(before.rto.ps()),
            us(after.rto.ps()),
            Cell::Text(&shown.join(" ")),
        ])
    }

    /// Ends the file, with `metadata`.
    ///
    /// # Errors
    /// The disk is full, or the file is gone.
    pub fn close(self, metadata: &[(String, String)]) -> Result<(), ParquetError> {
        self.0.close(metadata)
    }
}
