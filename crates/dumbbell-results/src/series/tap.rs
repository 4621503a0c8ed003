//! Rows of the series for a reader of a run in progress: copies of the watched columns, as numbers,
//! which another thread takes a few times a second.
use crate::series::cells::{Cell, Type};
use crate::series::columns::{FLOWS, QUEUES};
use dumbbell_core::probe::Gauges;
use dumbbell_plan::Plan;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Rows that a run gathers before it hands them over.
const BATCH: usize = 1 << 10;
/// Rows that a simulation shows, about: they come faster than anybody can look, and each costs.
const MOST: u64 = 40_000;
/// Instants of each flow and queue that it shows at least.
const LEAST: u64 = 100;
/// What the names of a congestion control's gauges begin with in the series of flows.
const OF_CONTROL: &str = "cc_";

/// Rows of one series, by column.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The flow or the queue of each row, as a number of the plan.
    pub members: Vec<u32>,
    /// Its time, seconds.
    pub times: Vec<f64>,
    /// The watched columns, in their order; NaN is no value.
    pub columns: Vec<Vec<f64>>,
}

impl Block {
    fn of(columns: usize) -> Block {
        Block { columns: vec![Vec::new(); columns], ..Block::default() }
    }

    fn append(&mut self, other: &mut Block) {
        self.members.append(&mut other.members);
        self.times.append(&mut other.times);
        self.columns.iter_mut().zip(&mut other.columns).for_each(|(own, new)| own.append(new));
    }
}

/// The series that can be watched.
#[derive(Debug, Default)]
pub struct OfBoth<T> {
    /// Of flows.
    pub flows: T,
    /// Of queues.
    pub queues: T,
}

/// What a run and its watcher share.
pub struct Watched {
    columns: OfBoth<Vec<String>>,
    names: OnceLock<OfBoth<Vec<String>>>,
    fresh: Mutex<OfBoth<Block>>,
}

impl Watched {
    /// These columns of the series are watched.
    pub fn new(columns: OfBoth<Vec<String>>) -> Watched {
        let fresh = OfBoth {
            flows: Block::of(columns.flows.len()),
            queues: Block::of(columns.queues.len()),
        };
        Watched { columns, names: OnceLock::new(), fresh: Mutex::new(fresh) }
    }

    /// The names of the columns.
    pub fn columns(&self) -> &OfBoth<Vec<String>> {
        &self.columns
    }

    /// The names of the flows and links of the run; `None` before it began.
    pub fn names(&self) -> Option<&OfBoth<Vec<String>>> {
        self.names.get()
    }

    /// Takes the rows since the last call.
    pub fn take(&self) -> OfBoth<Block> {
        let mut fresh = self.lock();
        let of = |block: &mut Block| {
            let columns = block.columns.len();
            std::mem::replace(block, Block::of(columns))
        };
        OfBoth { flows: of(&mut fresh.flows), queues: of(&mut fresh.queues) }
    }

    fn lock(&self) -> MutexGuard<'_, OfBoth<Block>> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a watched column comes from.
enum Pick {
    Cell(usize),
    Gauge(String),
}

impl Pick {
    fn of(name: &str, fixed: &[(&str, Type)], prefix: &str) -> Pick {
        match fixed.iter().position(|(known, _)| *known == name) {
            Some(index) => Pick::Cell(index),
            None => Pick::Gauge(name.strip_prefix(prefix).unwrap_or(name).into()),
        }
    }
}

/// One series: its watched columns, and the rows that were not handed over.
#[derive(Default)]
struct Side {
    picks: Vec<Pick>,
    block: Block,
}

impl Side {
    fn of(names: &[String], fixed: &[(&str, Type)], prefix: &str) -> Side {
        let picks: Vec<Pick> = names.iter().map(|name| Pick::of(name, fixed, prefix)).collect();
        Side { block: Block::of(picks.len()), picks }
    }

    /// The first cell is the time. True if there are many rows.
    fn row(&mut self, member: usize, cells: &[Cell<'_>], gauges: &Gauges) -> bool {
        if self.picks.is_empty() {
            return false;
        }
        let Side { picks, block } = self;
        block.members.push(member as u32);
        block.times.push(number(cells[0]));
        for (pick, column) in picks.iter().zip(&mut block.columns) {
            column.push(match pick {
                Pick::Cell(index) => number(cells[*index]),
                Pick::Gauge(name) => gauges.get(name).unwrap_or(f64::NAN),
            });
        }
        block.times.len() >= BATCH
    }
}

fn number(cell: Cell<'_>) -> f64 {
    match cell {
        Cell::Real(x) => x,
        Cell::Count(n) => n as f64,
        Cell::Truth(truth) => f64::from(truth),
        Cell::Word(_) | Cell::Text(_) | Cell::Nothing => f64::NAN,
    }
}

/// The end of a run through which its rows leave.
pub struct Tap<'a> {
    to: &'a Watched,
    sides: OfBoth<Side>,
    /// Of so many instants, a period [s] apart, one is shown.
    step: u64,
    every_s: f64,
}

impl<'a> Tap<'a> {
    /// For a run of `plan` in real time: all rows are shown.
    pub fn of(plan: &Plan, to: &'a Watched) -> Tap<'a> {
        let names = OfBoth {
            flows: plan.flows.iter().map(|flow| flow.name.to_string()).collect(),
            queues: plan.links.iter().map(|link| link.name.to_string()).collect(),
        };
        // A run that is made once more has the same names.
        drop(to.names.set(names));
        let sides = OfBoth {
            flows: Side::of(&to.columns.flows, &FLOWS, OF_CONTROL),
            queues: Side::of(&to.columns.queues, &QUEUES, ""),
        };
        let every_s = plan.record.every.map_or(0.0, |every| every.seconds());
        Tap { to, sides, step: 1, every_s }
    }

    /// For a simulation of `plan`: of a run with many rows, those of every n-th instant.
    pub fn thinned(plan: &Plan, to: &'a Watched) -> Tap<'a> {
        let mut tap = Tap::of(plan, to);
        let instants = plan.record.every.map_or(0, |every| plan.duration.ps() / every.ps().max(1));
        let flows = if to.columns.flows.is_empty() { 0 } else { plan.flows.len() };
        let links = plan.links.iter().filter(|link| link.report);
        let queues = if to.columns.queues.is_empty() { 0 } else { links.count() };
        let rows = instants.saturating_mul((flows + queues) as u64);
        tap.step = rows.div_ceil(MOST).min(instants / LEAST).max(1);
        tap
    }

    /// Whether the rows of this instant are shown.
    fn shows(&self, time: Cell<'_>) -> bool {
        let instant = || (number(time) / self.every_s).round() as u64;
        self.step == 1 || instant().is_multiple_of(self.step)
    }

    /// A row of a flow.
    pub fn flow(&mut self, flow: usize, cells: &[Cell<'_>], gauges: &Gauges) {
        if self.shows(cells[0]) && self.sides.flows.row(flow, cells, gauges) {
            self.publish();
        }
    }

    /// A row of a queue.
    pub fn queue(&mut self, link: usize, cells: &[Cell<'_>], gauges: &Gauges) {
        if self.shows(cells[0]) && self.sides.queues.row(link, cells, gauges) {
            self.publish();
        }
    }

    /// Hands over what was gathered.
    pub fn publish(&mut self) {
        let OfBoth { flows, queues } = &mut self.sides;
        if flows.block.times.is_empty() && queues.block.times.is_empty() {
            return;
        }
        let mut fresh = self.to.lock();
        fresh.flows.append(&mut flows.block);
        fresh.queues.append(&mut queues.block);
    }
}

impl Drop for Tap<'_> {
    fn drop(&mut self) {
        self.publish();
    }
}
