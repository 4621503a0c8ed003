//! The reverse path of acknowledgments: a row for each, and what those of a flow had in common.
use crate::results::records::parquet_table::{Cell, Table, Type};
use dumbbell_core::aqm::Reason;
use dumbbell_core::transport::segment::{Extra, Segment};
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::Plan;
use dumbbell_results::series::columns::PS_PER_US;
use dumbbell_sim::{AckArrival, AckEnd, AckPath, AckRow, PacketId, Report, Signal};
use parquet::errors::ParquetError;
use std::path::Path;

const COLUMNS: [(&str, Type); 13] = [
    ("flow", Type::Word),
    ("packet", Type::Count),
    ("ack", Type::Count),
    ("sent_ps", Type::Count),
    ("arrived_ps", Type::MaybeCount),
    ("dropped_ps", Type::MaybeCount),
    ("dropped_at", Type::Word),
    ("reason", Type::Word),
    ("newly_acked_bytes", Type::MaybeCount),
    ("duplicate", Type::Truth),
    ("spacing_receiver_us", Type::MaybeReal),
    ("spacing_sender_us", Type::MaybeReal),
    ("pair_spacing_receiver_us", Type::MaybeReal),
];

/// Measures acknowledgments, and writes `acks.parquet` if it is to.
pub struct Acks<'a> {
    plan: &'a Plan,
    table: Option<Table>,
    /// Of each flow that is followed.
    paths: Vec<Option<AckPath>>,
}

impl<'a> Acks<'a> {
    /// Of the flows that the plan names, with a file in `dir` if there is one.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(plan: &'a Plan, dir: Option<&Path>) -> Result<Self, ParquetError> {
        let columns: Vec<(String, Type)> =
            COLUMNS.iter().map(|(n, t)| (n.to_string(), *t)).collect();
        let table =
            dir.map(|dir| Table::create(&dir.join("acks.parquet"), &columns)).transpose()?;
        let mut paths: Vec<Option<AckPath>> = plan.flows.iter().map(|_| None).collect();
        for flow in &plan.record.acks {
            paths[*flow] = Some(AckPath::new(Time::ZERO + plan.warmup, Time::ZERO + plan.duration));
        }
        Ok(Acks { plan, table, paths })
    }

    /// The number of the next packet of one end; 0 if it is not followed.
    pub fn follow(&mut self, flow: usize, data: bool) -> u64 {
        self.paths[flow].as_mut().filter(|_| !data).map_or(0, AckPath::follow)
    }

    /// A packet left its socket.
    pub fn sent(&mut self, t: Time, who: PacketId, segment: &Segment, extra: Option<&Extra>) {
        if let Some(path) = self.path(who.flow, who.data) {
            path.sent(t, who.number, segment, extra);
        }
    }

    /// It arrived at the other end.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn delivered(&mut self, t: Time, who: PacketId) -> Result<(), ParquetError> {
        let Some(path) = self.path(who.flow, who.data) else { return Ok(()) };
        path.arrived(t, who.number);
        self.flush(who.flow)
    }

    /// A queue marked or dropped it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn signal(&mut self, s: &Signal) -> Result<(), ParquetError> {
        if s.marked || s.number == 0 {
            return Ok(());
        }
        self.dropped(
            s.t,
            PacketId { flow: s.flow, data: s.data, number: s.number },
            s.link,
            s.reason,
        )
    }

    /// It ended at `link`, or at the sender with a wrong bit from there.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn dropped(
        &mut self,
        t: Time,
        who: PacketId,
        link: usize,
        reason: Reason,
    ) -> Result<(), ParquetError> {
        let Some(path) = self.path(who.flow, who.data) else { return Ok(()) };
        path.dropped(t, who.number, link, reason);
        self.flush(who.flow)
    }

    /// Writes what each flow's acknowledgments had in common into its report.
    pub fn summarize(&self, report: &mut Report) {
        for (flow, path) in report.flows.iter_mut().zip(&self.paths) {
            flow.acks = path.as_ref().map(AckPath::summary);
        }
    }

    /// Writes what is still on its way, and ends the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn close(self, metadata: &[(String, String)]) -> Result<(), ParquetError> {
        let Acks { plan, table: Some(mut table), paths } = self else { return Ok(()) };
        for (flow, path) in paths.into_iter().enumerate() {
            let Some(mut path) = path else { continue };
            while let Some(row) = path.next_open() {
                write(&mut table, plan, flow, &row)?;
            }
        }
        table.close(metadata)
    }

    fn path(&mut self, flow: usize, data: bool) -> Option<&mut AckPath> {
        self.paths[flow].as_mut().filter(|_| !data)
    }

    /// Those that have an end need not be kept any longer, whether or not somebody writes them
    /// down.
    fn flush(&mut self, flow: usize) -> Result<(), ParquetError> {
        let Some(path) = &mut self.paths[flow] else { return Ok(()) };
        while let Some(row) = path.next_ended() {
            if let Some(table) = &mut self.table {
                write(table, self.plan, flow, &row)?;
            }
        }
        Ok(())
    }
}

fn write(table: &mut Table, plan: &Plan, flow: usize, row: &AckRow) -> Result<(), ParquetError> {
    let us = |s: Option<Span>| -> Cell<'_> { s.map(|s| s.ps() as f64 / PS_PER_US).into() };
    let at_sender: Option<&AckArrival> =
        if let AckEnd::Arrived(a) = &row.end { Some(a) } else { None };
    let dropped =
        if let AckEnd::Dropped(t, link, reason) = row.end { Some((t, link, reason)) } else { None };
    table.row([
        Cell::Word(&plan.flows[flow].name),
        Cell::Count(row.number),
        Cell::Count(row.ack),
        Cell::Count(row.sent.ps()),
        at_sender.map(|a| a.t.ps()).into(),
        dropped.map(|d| d.0.ps()).into(),
        dropped.map_or(Cell::Nothing, |d| Cell::Word(&plan.links[d.1].name)),
        dropped.map_or(Cell::Nothing, |d| Cell::Word(d.2.name())),
        at_sender.map(|a| a.newly_acked).into(),
        Cell::Truth(at_sender.is_some_and(|a| a.duplicate)),
        us(row.spacing_receiver),
        us(at_sender.and_then(|a| a.spacing_sender)),
        us(at_sender.and_then(|a| a.pair_spacing_receiver)),
    ])
}
