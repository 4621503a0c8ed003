//! Records: the series of flows and queues, every drop and mark with what its decision saw, every
//! reaction of a sender, every packet, every acknowledgment on the reverse path.
mod acks;
mod arrow_schema;
mod completions;
mod delays;
mod markers;
pub mod packet_fields;
mod packets;
pub(crate) mod parquet_table;
mod reactions;

use crate::results::records::parquet_table::{Cell, Table, Type};
use crate::results::row_order;
use acks::Acks;
use delays::Delays;
use dumbbell_core::aqm::Reason;
use dumbbell_core::meter::Color;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::plugin::Plugins;
use dumbbell_core::probe::Gauges;
use dumbbell_core::transport::segment::{Extra, Segment};
use dumbbell_core::units::Time;
use dumbbell_plan::Plan;
use dumbbell_results::series::columns::{FLOWS, QUEUES, SIGNALS, flow_cells, queue_cells};
use dumbbell_results::series::gauges;
use dumbbell_results::series::tap::Tap;
use dumbbell_sim::{
    FlowRow, MarkerRow, Observer, PacketId, QueueRow, Reaction, Report, SHARED_BUFFER_GAUGES,
    Signal,
};
use packets::PacketRecorder;
use parquet::errors::ParquetError;
use reactions::Reactions;
use serde_json::json;
use std::path::{Path, PathBuf};

/// A file of records and the gauges that are its last columns.
struct SeriesFile {
    table: Table,
    gauges: Vec<&'static str>,
}

impl SeriesFile {
    fn create(
        dir: &Path,
        file: &str,
        fixed: &[(&str, Type)],
        (prefix, gauges): (&str, Vec<&'static str>),
    ) -> Result<Option<SeriesFile>, ParquetError> {
        let own = gauges.iter().map(|g| (format!("{prefix}{g}"), Type::MaybeReal));
        let columns: Vec<(String, Type)> =
            fixed.iter().map(|(n, t)| (n.to_string(), *t)).chain(own).collect();
        Ok(Some(SeriesFile { table: Table::create(&dir.join(file), &columns)?, gauges }))
    }

    fn row<'a>(
        &mut self,
        fixed: impl IntoIterator<Item = Cell<'a>>,
        gauges: &Gauges,
    ) -> Result<(), ParquetError> {
        let own = self.gauges.iter().map(|name| gauges.get(name).into());
        self.table.row(fixed.into_iter().chain(own))
    }
}

/// Writes a run's records during the run. The first error stops the writing and is kept.
pub struct Recorder<'a> {
    plan: &'a Plan,
    flows: Option<SeriesFile>,
    queues: Option<SeriesFile>,
    signals: Option<SeriesFile>,
    reactions: Option<Reactions>,
    journeys: Option<PacketRecorder<'a>>,
    /// Tables that are written when the run is over.
    late: Vec<Table>,
    markers: Option<Table>,
    dir: Option<PathBuf>,
    acks: Option<Acks<'a>>,
    delays: Option<Delays>,
    /// Time and delivered bytes of each flow's previous row.
    before: Vec<Option<(Time, u64)>>,
    /// Whoever sees the rows of the series while the run goes on.
    tap: Option<Tap<'a>>,
    failed: Option<ParquetError>,
}

impl<'a> Recorder<'a> {
    /// A recorder of what the plan's `record` asks for, in `dir`. `makers` are of the algorithms
    /// that are not of the catalogue.
    ///
    /// # Errors
    /// A file cannot be made.
    pub fn new(plan: &'a Plan, plugins: &Plugins, dir: &Path) -> Result<Self, ParquetError> {
        let mut r = Recorder::measuring(plan, Some(dir))?;
        let series = plan.record.every.is_some();
        if series && plan.record.flows {
            r.flows = SeriesFile::create(
                dir,
                "flows.parquet",
                &FLOWS,
                ("cc_", gauges::of_controls(&plan.flows, plugins)),
            )?;
            r.before = vec![None; plan.flows.len()];
        }
        if series && plan.record.queues {
            let shown = gauges::of_queues(plan.links.iter().filter(|l| l.report), plugins);
            r.queues = SeriesFile::create(dir, "queues.parquet", &QUEUES, ("", shown))?;
        }
        if series && plan.record.markers {
            r.markers = Some(markers::create(dir)?);
        }
        let follows = !plan.record.packets.is_empty();
        if follows {
            r.journeys = Some(PacketRecorder::create(plan, dir)?);
        }
        if plan.record.drops || follows {
            r.reactions = Some(Reactions::create(dir)?);
            let mut shown = gauges::of_queues(plan.links.iter(), plugins);
            if !plan.shared_buffers.is_empty() {
                shown.extend(SHARED_BUFFER_GAUGES);
            }
            r.signals = SeriesFile::create(dir, "signals.parquet", &SIGNALS, ("", shown))?;
        }
        Ok(r)
    }

    /// One that writes no series: it measures what results say of flows and only an observer can
    /// see, and writes that down if there is a directory.
    ///
    /// # Errors
    /// A file cannot be made.
    pub fn measuring(plan: &'a Plan, dir: Option<&Path>) -> Result<Self, ParquetError> {
        let acks = (!plan.record.acks.is_empty()).then(|| Acks::create(plan, dir)).transpose()?;
        let delays = (!plan.record.delays.is_empty()).then(|| Delays::of(plan));
        let before = Vec::new();
        let (flows, queues, signals, reactions, journeys) = (None, None, None, None, None);
        Ok(Recorder {
            plan,
            flows,
            queues,
            signals,
            reactions,
            journeys,
            late: Vec::new(),
            markers: None,
            dir: dir.map(Path::to_path_buf),
            acks,
            delays,
            before,
            tap: None,
            failed: None,
        })
    }

    /// Shows the rows of the series to whoever watches the run.
    pub fn tapped(&mut self, tap: Option<Tap<'a>>) {
        self.tap = tap;
    }

    /// Hands over the rows that whoever watches has not seen.
    pub fn publish(&mut self) {
        self.tap.iter_mut().for_each(Tap::publish);
    }

    /// Puts what it measured into the report.
    pub fn summarize(&self, report: &mut Report) {
        self.acks.iter().for_each(|a| a.summarize(report));
        self.delays.iter().for_each(|d| d.summarize(report));
    }

    /// True if writing failed: the run may stop.
    pub fn failed(&self) -> bool {
        self.failed.is_some()
    }

    /// True if it records packets, acknowledgments or reactions, and not only series.
    pub fn follows(&self) -> bool {
        self.journeys.is_some()
            || self.reactions.is_some()
            || self.acks.is_some()
            || self.delays.is_some()
    }

    /// Writes what is known when the run is over, as far as it is wanted: the sessions' transfers,
    /// and delays.
    pub fn tables(&mut self, report: &Report) {
        let Some(dir) = self.dir.clone() else { return };
        let (plan, wanted) = (self.plan, &self.plan.record);
        let transfers = wanted.completions.then(|| completions::write(&dir, plan, report));
        let delays = (!wanted.delays.is_empty()).then(|| delays::write(&dir, plan, report));
        for table in transfers.into_iter().chain(delays) {
            match table {
                Ok(table) => self.late.push(table),
                Err(e) => self.keep(Err(e)),
            }
        }
    }

    /// Ends the files, with `metadata` and the units of the columns.
    ///
    /// # Errors
    /// The first error of the run, or that of the end.
    pub fn close(self, metadata: &[(String, String)]) -> Result<(), ParquetError> {
        if let Some(e) = self.failed {
            return Err(e);
        }
        let ordered = |names: Vec<&str>| {
            [metadata, &[(row_order::KEY.to_string(), json!(names).to_string())]].concat()
        };
        let links = || ordered(self.plan.links.iter().map(|l| &*l.name).collect());
        if let Some(sheet) = self.flows {
            sheet.table.close(&ordered(self.plan.flows.iter().map(|f| &*f.name).collect()))?;
        }
        self.queues.map_or(Ok(()), |sheet| sheet.table.close(&links()))?;
        self.markers.map_or(Ok(()), |table| table.close(&links()))?;
        self.signals.map_or(Ok(()), |sheet| sheet.table.close(metadata))?;
        self.late.into_iter().try_for_each(|table| table.close(metadata))?;
        self.reactions.map_or(Ok(()), |r| r.close(metadata))?;
        self.acks.map_or(Ok(()), |a| a.close(metadata))?;
        // A reader of packets needs the network: its links, its hosts, each flow's TCP.
        let Some(journeys) = self.journeys else { return Ok(()) };
        let plan = serde_json::to_string(self.plan).unwrap_or_default();
        journeys.close(&[metadata, &[("dumbbell.plan".to_string(), plan)]].concat())
    }

    fn keep(&mut self, result: Result<(), ParquetError>) {
        if let Err(e) = result {
            self.failed.get_or_insert(e);
            (self.flows, self.queues, self.signals, self.markers) = (None, None, None, None);
            (self.reactions, self.journeys, self.acks) = (None, None, None);
        }
    }
}

/// The metadata of every file.
pub fn metadata(
    plan: &Plan,
    plan_hash: &str,
    overrides: &str,
    fingerprint: &str,
) -> Vec<(String, String)> {
    let units = json!({
        "_s": "seconds", "_us": "microseconds", "_bytes": "bytes", "_packets": "packets",
        "_bps": "bits per second",
        "time_s": "seconds since the start of the run",
        "goodput_bps": "distinct bytes delivered since the flow's previous row, per time",
        "gauges": "columns after the named ones are the own values of the aqm, or with cc_ of the \
            congestion control, in its units (see the catalogue)",
        "order": "rows are in the order of time for each flow and each queue; exports and tables \
            sort them by time, then by `dumbbell.order`",
    });
    let pairs = [
        ("dumbbell.version", env!("CARGO_PKG_VERSION").to_string()),
        ("dumbbell.scenario", plan.name.clone()),
        ("dumbbell.seed", plan.seed.to_string()),
        ("dumbbell.overrides", overrides.to_string()),
        ("dumbbell.plan_hash", plan_hash.to_string()),
        ("dumbbell.fingerprint", fingerprint.to_string()),
        ("dumbbell.units", units.to_string()),
    ];
    pairs.map(|(k, v)| (k.to_string(), v)).to_vec()
}

/// A recorder that follows nothing: nothing of the kind is compiled into its runs.
pub struct Series<'r, 'a>(pub &'r mut Recorder<'a>);

impl Observer for Series<'_, '_> {
    fn flow(&mut self, t: Time, flow: usize, row: &FlowRow) {
        self.0.flow(t, flow, row);
    }
    fn queue(&mut self, t: Time, link: usize, row: &QueueRow) {
        self.0.queue(t, link, row);
    }
    fn marker(&mut self, t: Time, link: usize, row: &MarkerRow) {
        self.0.marker(t, link, row);
    }
    fn signal(&mut self, s: &Signal) {
        self.0.signal(s);
    }
}

impl Observer for Recorder<'_> {
    const FOLLOWS: bool = true;

    fn follow(&mut self, flow: usize, data: bool) -> u64 {
        // All count all packets of an end that they follow: where several do, they agree.
        let journey = self.journeys.as_mut().map_or(0, |j| j.follow(flow, data));
        let delay = self.delays.as_mut().map_or(0, |d| d.follow(flow, data));
        self.acks.as_mut().map_or(0, |a| a.follow(flow, data)).max(journey).max(delay)
    }
    fn sent(&mut self, t: Time, who: PacketId, segment: &Segment, extra: Option<&Extra>) {
        self.journeys.iter_mut().for_each(|j| j.sent(t, who, segment, extra));
        self.acks.iter_mut().for_each(|a| a.sent(t, who, segment, extra));
        self.delays.iter_mut().for_each(|d| d.sent(t, who));
    }
    fn entered(&mut self, t: Time, who: PacketId, link: usize, backlog: u32) {
        self.journeys.iter_mut().for_each(|j| j.entered(t, who, link, backlog));
    }
    fn released(&mut self, _: Time, who: PacketId, _: usize, dscp: Dscp, colour: Option<Color>) {
        self.journeys.iter_mut().for_each(|j| j.released(who, dscp, colour));
    }
    fn left(&mut self, who: PacketId, link: usize, done: Time, arrives: Time) {
        let written = self.journeys.as_mut().map_or(Ok(()), |j| j.left(who, link, done, arrives));
        self.keep(written);
    }
    fn delivered(&mut self, t: Time, who: PacketId, ecn: Ecn) {
        let written = self.journeys.as_mut().map_or(Ok(()), |j| j.delivered(t, who, ecn));
        self.keep(written);
        let written = self.acks.as_mut().map_or(Ok(()), |a| a.delivered(t, who));
        self.keep(written);
        self.delays.iter_mut().for_each(|d| d.delivered(t, who));
    }
    fn discarded(&mut self, t: Time, who: PacketId, link: usize) {
        let written = self.journeys.as_mut().map_or(Ok(()), |j| j.discarded(t, who, link));
        self.keep(written);
        let written = self.acks.as_mut().map_or(Ok(()), |a| a.dropped(t, who, link, Reason::Link));
        self.keep(written);
        self.delays.iter_mut().for_each(|d| d.dropped(t, who));
    }
    fn wants_reactions(&self) -> bool {
        self.reactions.is_some()
    }
    fn reacted(&mut self, reaction: &Reaction) {
        let written = self.reactions.as_mut().map_or(Ok(()), |r| r.row(self.plan, reaction));
        self.keep(written);
    }

    fn flow(&mut self, t: Time, flow: usize, row: &FlowRow) {
        let Some(sheet) = &mut self.flows else { return };
        let name = (&*self.plan.flows[flow].name, t);
        let cells = flow_cells(name, row, &mut self.before[flow]);
        if let Some(tap) = &mut self.tap {
            tap.flow(flow, &cells, &row.gauges);
        }
        let done = sheet.row(cells, &row.gauges);
        self.keep(done);
    }

    fn queue(&mut self, t: Time, number: usize, row: &QueueRow) {
        let link = &self.plan.links[number];
        let Some(sheet) = self.queues.as_mut().filter(|_| link.report) else { return };
        let cells = queue_cells(link, t, row);
        if let Some(tap) = &mut self.tap {
            tap.queue(number, &cells, &row.gauges);
        }
        let done = sheet.row(cells, &row.gauges);
        self.keep(done);
    }

    fn marker(&mut self, t: Time, link: usize, row: &MarkerRow) {
        let Some(table) = &mut self.markers else { return };
        let written = markers::write(table, self.plan, t, link, row);
        self.keep(written);
    }

    fn signal(&mut self, s: &Signal) {
        let written = self.journeys.as_mut().map_or(Ok(()), |j| j.signal(s));
        self.keep(written);
        let written = self.acks.as_mut().map_or(Ok(()), |a| a.signal(s));
        self.keep(written);
        self.delays.iter_mut().for_each(|d| d.signal(s));
        let Some(sheet) = &mut self.signals else { return };
        let cells = [
            Cell::Real(s.t.seconds()),
            Cell::Word(&self.plan.links[s.link].name),
            Cell::Word(&self.plan.flows[s.flow].name),
            Cell::Word(packet_fields::from(s.data)),
            Some(s.number).filter(|n| *n > 0).into(),
            Cell::Word(s.reason.name()),
            Cell::Truth(s.marked),
            Cell::Count(s.seq.into()),
            Cell::Count(s.ip_len.into()),
            Cell::Truth(s.retransmit),
            Cell::Count(s.backlog_packets.into()),
        ];
        let done = sheet.row(cells, &s.gauges);
        self.keep(done);
    }
}
