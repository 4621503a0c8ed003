//! The choice of the queue that sends next.
use super::config::{DualPi2Config, Scheduler};
use dumbbell_core::units::Span;

/// The times for which the heads have waited; `None`: the queue is empty.
#[derive(Clone, Copy, Debug)]
pub struct Heads {
    pub l: Option<Span>,
    pub c: Option<Span>,
}

/// The scheduler.
#[derive(Clone, Debug)]
pub struct Picker {
    scheduler: Scheduler,
    tshift: Span,
    c_share: f64,
    /// Under WRR: C is owed this many bytes, by its share, if it is above 0.
    credit: f64,
    begin: f64,
}

impl Picker {
    pub fn new(config: &DualPi2Config, mtu: u32) -> Self {
        let begin = f64::from(mtu) * (2.0 * config.c_protection - 1.0);
        Picker {
            scheduler: config.scheduler,
            tshift: config.tshift,
            c_share: config.c_protection,
            credit: begin,
            begin,
        }
    }

    /// True if L is next; `None`: both are empty.
    pub fn pick(&self, heads: Heads) -> Option<bool> {
        match (heads.l, heads.c) {
            (None, None) => None,
            (l, None) => Some(l.is_some()),
            (None, Some(_)) => Some(false),
            (Some(l), Some(c)) => Some(match self.scheduler {
                Scheduler::Wrr => self.credit <= 0.0,
                Scheduler::TimeShifted => l + self.tshift >= c,
            }),
        }
    }

    /// L (or C) sends `bytes`; `other`: the other queue holds packets.
    pub fn sends(&mut self, low: bool, bytes: u32, other: bool) {
        if other {
            self.credit += if low { self.c_share } else { self.c_share - 1.0 } * f64::from(bytes);
        }
    }

    /// Both are empty.
    pub fn reset(&mut self) {
        self.credit = self.begin;
    }
}
