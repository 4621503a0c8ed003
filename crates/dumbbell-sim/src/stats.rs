//! What one port measures, whichever way it decides.
use crate::histogram::Histogram;
use dumbbell_core::aqm::Reason;
use dumbbell_core::ledger::Ledger;
use dumbbell_core::measure::Occupancy;
use dumbbell_core::units::{Span, Time};

/// Measures of one port, within the window from the warm-up to the end.
pub struct PortStats {
    warm: Time,
    end: Time,
    /// The account of the whole run.
    pub total: Ledger,
    /// The part of it that lies before the window.
    early: Ledger,
    occupancy: Occupancy,
    busy: Span,
    waited: u128,
    served: u64,
    /// Waiting times; only where somebody reads them.
    sojourn: Option<Box<Histogram>>,
}

impl PortStats {
    /// An empty account; `report`: whether percentiles are wanted.
    pub fn new(warm: Time, end: Time, report: bool) -> Self {
        PortStats {
            warm,
            end,
            total: Ledger::default(),
            early: Ledger::default(),
            occupancy: Occupancy::new(warm, end),
            busy: Span::ZERO,
            waited: 0,
            served: 0,
            sojourn: report.then(Box::default),
        }
    }

    /// Counts something at `t`, which is not after the end.
    #[inline]
    fn count(&mut self, t: Time, f: impl Fn(&mut Ledger)) {
        f(&mut self.total);
        if t < self.warm {
            f(&mut self.early);
        }
    }
    /// A packet of `bytes` came at `t`.
    #[inline]
    pub fn arrived(&mut self, t: Time, bytes: u32) {
        self.count(t, |l| {
            l.arrivals += 1;
            l.arrived_bytes += u64::from(bytes);
        });
    }
    /// A packet was dropped at `t`.
    pub fn dropped(&mut self, t: Time, why: Reason) {
        self.count(t, |l| l.drops[why.index()] += 1);
    }
    /// A packet was marked at `t`.
    pub fn marked(&mut self, t: Time) {
        self.count(t, |l| l.marks += 1);
    }
    /// When the run ends.
    #[inline]
    pub fn end(&self) -> Time {
        self.end
    }
    /// A packet of `bytes` is through at `t`: transmitted, and not lost on the wire.
    #[inline]
    pub fn departed(&mut self, t: Time, bytes: u32) {
        self.count(t, |l| {
            l.departures += 1;
            l.departed_bytes += u64::from(bytes);
        });
    }
    /// A packet was in the queue from `entered` to `left`, by the port's convention.
    #[inline]
    pub fn stayed(&mut self, entered: Time, left: Time) {
        self.occupancy.stayed(entered, left);
    }
    /// The transmitter took a packet that came at `arrived`, from `start` to `done`.
    #[inline]
    pub fn served(&mut self, arrived: Time, start: Time, done: Time) {
        if start < self.warm || done > self.end {
            self.busy = self.busy + done.min(self.end).since(start.max(self.warm));
        } else {
            self.busy = self.busy + done.since(start);
        }
        if arrived >= self.warm && start <= self.end {
            let wait = start.since(arrived);
            self.waited += u128::from(wait.ps());
            self.served += 1;
            if let Some(h) = &mut self.sojourn {
                h.record(wait);
            }
        }
    }
    /// A packet came at `arrived`, is in transmission from `start` to `done`, and leaves a backlog of `packets`, itself
    /// included, at `leaves`. What [`Self::stayed`], [`Self::served`] and [`Self::holds`] would say, at once.
    #[inline]
    pub fn passes(&mut self, arrived: Time, start: Time, leaves: Time, done: Time, packets: u32) {
        if arrived < self.warm || done > self.end {
            return self.passes_an_edge(arrived, start, leaves, done, packets);
        }
        let wait = start.since(arrived);
        self.occupancy.adds(leaves.since(arrived), packets);
        self.busy = self.busy + done.since(start);
        self.waited += u128::from(wait.ps());
        self.served += 1;
        if let Some(h) = &mut self.sojourn {
            h.record(wait);
        }
    }

    /// The same, not wholly within the window.
    #[cold]
    fn passes_an_edge(&mut self, arrived: Time, start: Time, leaves: Time, done: Time, packets: u32) {
        if leaves > arrived {
            self.stayed(arrived, leaves);
            self.holds(arrived, packets);
        }
        self.served(arrived, start, done);
    }

    /// The queue holds `packets` at `t`.
    #[inline]
    pub fn holds(&mut self, t: Time, packets: u32) {
        self.occupancy.saw(t, packets);
    }
    /// The account of the window.
    pub fn window(&self) -> Ledger {
        self.total.since(&self.early)
    }
    /// Time-weighted mean length, packets.
    pub fn mean_packets(&self) -> f64 {
        self.occupancy.mean_packets()
    }
    /// Largest length, packets.
    pub fn max_packets(&self) -> u32 {
        self.occupancy.max_packets()
    }
    /// Share of the window in which the transmitter was busy.
    pub fn busy_share(&self) -> f64 {
        self.busy.ps() as f64 / self.end.since(self.warm).ps().max(1) as f64
    }
    /// Mean waiting time before transmission, seconds.
    pub fn mean_sojourn_s(&self) -> f64 {
        if self.served == 0 { 0.0 } else { self.waited as f64 / self.served as f64 * 1e-12 }
    }
    /// The 99th percentile of the waiting time, seconds; 0 where nobody asked for it.
    pub fn p99_sojourn_s(&self) -> f64 {
        self.sojourn.as_ref().map_or(0.0, |h| h.quantile(0.99).seconds())
    }
}
