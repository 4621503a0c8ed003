//! One-way delays: of connections that the plan names, measured here; of all flows that it names, a
//! table of how many packets took how long.
use crate::results::records::parquet_table::{Cell, Table, Type};
use dumbbell_core::units::Time;
use dumbbell_plan::Plan;
use dumbbell_sim::{OneWay, PacketId, Report, Signal};
use parquet::errors::ParquetError;
use std::path::Path;

const COLUMNS: [(&str, Type); 4] =
    [("flow", Type::Word), ("from_s", Type::Real), ("to_s", Type::Real), ("packets", Type::Count)];

/// Measures the packets of connections. Datagrams are measured by their own end: there is one of
/// each.
pub struct Delays {
    /// Of each flow that is followed: its measure, and how many packets its sender has sent.
    paths: Vec<Option<(Box<OneWay>, u64)>>,
}

impl Delays {
    /// Of the flows that the plan names.
    pub fn of(plan: &Plan) -> Delays {
        let mut paths: Vec<_> = plan.flows.iter().map(|_| None).collect();
        let answered = |number: &&usize| plan.flows[**number].transport.is_connection();
        for number in plan.record.delays.iter().filter(answered) {
            let one = OneWay::new(Time::ZERO + plan.warmup, plan.propagation(&plan.flows[*number]));
            paths[*number] = Some((Box::new(one), 0));
        }
        Delays { paths }
    }

    /// The number of the next packet of one end; 0 if it is not followed.
    pub fn follow(&mut self, flow: usize, data: bool) -> u64 {
        self.paths[flow].as_mut().filter(|_| data).map_or(0, |(_, sent)| {
            *sent += 1;
            *sent
        })
    }
    /// A packet left its socket.
    pub fn sent(&mut self, t: Time, who: PacketId) {
        if let Some(one) = self.one(who.flow, who.data) {
            one.sent(t);
        }
    }
    /// It arrived at the other end. Packets are numbered from 1 here and from 0 there.
    pub fn delivered(&mut self, t: Time, who: PacketId) {
        if let Some(one) = self.one(who.flow, who.data) {
            one.arrived(t, who.number - 1);
        }
    }
    /// It was dropped.
    pub fn dropped(&mut self, t: Time, who: PacketId) {
        if let Some(one) = self.one(who.flow, who.data) {
            one.lost(t, who.number - 1);
        }
    }
    /// A queue marked or dropped it.
    pub fn signal(&mut self, s: &Signal) {
        if !s.marked && s.number > 0 {
            self.dropped(s.t, PacketId { flow: s.flow, data: s.data, number: s.number });
        }
    }
    /// Writes what was measured into the report.
    pub fn summarize(&self, report: &mut Report) {
        for (flow, path) in report.flows.iter_mut().zip(&self.paths) {
            if let Some((one, _)) = path {
                flow.delays = Some(Box::new(one.summary()));
            }
        }
    }

    fn one(&mut self, flow: usize, data: bool) -> Option<&mut OneWay> {
        self.paths[flow].as_mut().filter(|_| data).map(|(one, _)| &mut **one)
    }
}

/// Writes how many packets took how long; the file ends when the table is closed.
///
/// # Errors
/// It cannot be written.
pub fn write(dir: &Path, plan: &Plan, report: &Report) -> Result<Table, ParquetError> {
    let columns: Vec<(String, Type)> = COLUMNS.iter().map(|(n, t)| (n.to_string(), *t)).collect();
    let mut table = Table::create(&dir.join("delays.parquet"), &columns)?;
    for number in &plan.record.delays {
        let name = Cell::Word(&plan.flows[*number].name);
        for (from, to, packets) in
            report.flows[*number].delays.iter().flat_map(|delays| &delays.bins)
        {
            table.row([name, Cell::Real(*from), Cell::Real(*to), Cell::Count(*packets)])?;
        }
    }
    Ok(table)
}
