//! Statistics of one port, the same for both kinds of queue.
use crate::measure::queue::{Measures, MonitorConfig, QueueMonitor, Transit};
use dumbbell_core::aqm::Reason;
use dumbbell_core::packet::Dscp;
use dumbbell_core::port::counters::PortCounters;
use dumbbell_core::port::occupancy::Occupancy;
use dumbbell_core::units::{Backlog, Span, Time};

/// Measures of one port, within the window from the warm-up to the end. What each packet touches
/// comes last.
#[repr(C)]
pub(crate) struct PortStats {
    /// The account of the whole run, but for [`Self::through`].
    total: PortCounters,
    /// The part of it that lies before the window.
    early: PortCounters,
    waited: u128,
    occupancy: Occupancy,
    busy: Span,
    served: u64,
    /// True if a packet counts as one in the queue until its transmission ends.
    count_in_service: bool,
    warm: Time,
    end: Time,
    /// More measures; only where somebody reads them.
    monitor: Option<Box<QueueMonitor>>,
    /// What went through wholly within the window, as nearly all does.
    through: Through,
}

/// Sums over packets that came, left and were counted as one, instead of in each measure by itself.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Through {
    /// The time until their transmissions began, and that of these, picoseconds.
    waited: u128,
    busy: u64,
    packets: u64,
    bytes: u64,
    /// The most that waited when one came.
    longest: u32,
}

impl PortStats {
    /// An empty account.
    pub(crate) fn new(warm: Time, end: Time, count_in_service: bool) -> Self {
        PortStats {
            warm,
            end,
            total: PortCounters::default(),
            early: PortCounters::default(),
            occupancy: Occupancy::new(warm, end),
            busy: Span::ZERO,
            waited: 0,
            served: 0,
            through: Through::default(),
            count_in_service,
            monitor: None,
        }
    }

    /// Somebody reads this queue's measures.
    pub(crate) fn monitor(&mut self, interest: MonitorConfig) {
        self.monitor = Some(Box::new(QueueMonitor::new(self.warm, self.end, interest)));
    }

    /// Counts something at `t`, which is not after the end.
    #[inline]
    fn count(&mut self, t: Time, f: impl Fn(&mut PortCounters)) {
        f(&mut self.total);
        if t < self.warm {
            f(&mut self.early);
        }
    }
    /// A packet of `bytes` came at `t`.
    #[inline]
    pub(crate) fn arrived(&mut self, t: Time, bytes: u32) {
        self.count(t, |l| {
            l.arrivals += 1;
            l.arrived_bytes += u64::from(bytes);
        });
    }
    /// A packet was dropped at `t`.
    pub(crate) fn dropped(&mut self, t: Time, why: Reason) {
        self.count(t, |l| l.drops[why.index()] += 1);
    }
    /// A packet of `flow` was marked at `t`.
    pub(crate) fn marked(&mut self, t: Time, flow: u32) {
        self.count(t, |l| l.marks += 1);
        if let Some(monitor) = &mut self.monitor {
            monitor.marked(t, flow);
        }
    }
    /// The end of the run.
    #[inline]
    pub(crate) fn end(&self) -> Time {
        self.end
    }
    /// A packet of `bytes` is through at `t`: transmitted, and not lost on the wire.
    #[inline]
    pub(crate) fn departed(&mut self, t: Time, bytes: u32) {
        self.count(t, |l| {
            l.departures += 1;
            l.departed_bytes += u64::from(bytes);
        });
    }
    /// A packet was in the queue from `entered` to `left`, by the port's convention.
    #[inline]
    pub(crate) fn stayed(&mut self, entered: Time, left: Time) {
        self.occupancy.stayed(entered, left);
    }
    /// The transmitter took a packet that came at `arrived`, from `start` to `done`.
    #[inline]
    pub(crate) fn served(&mut self, arrived: Time, start: Time, done: Time) {
        if start < self.warm || done > self.end {
            self.busy = self.busy + done.min(self.end).since(start.max(self.warm));
        } else {
            self.busy = self.busy + done.since(start);
        }
        if arrived >= self.warm && start <= self.end {
            let wait = start.since(arrived);
            self.waited += u128::from(wait.ps());
            self.served += 1;
            if let Some(monitor) = &mut self.monitor {
                monitor.left(start, wait);
            }
        }
    }
    /// What [`Self::served`] and [`Self::stayed`] say of a packet, at once.
    #[inline(always)]
    pub(crate) fn leaves(&mut self, arrived: Time, start: Time, done: Time) {
        if arrived < self.warm || done > self.end {
            return self.leaves_an_edge(arrived, start, done);
        }
        self.served += 1;
        self.waits(arrived, start, done);
    }

    /// The same if not all of it is within the window.
    #[cold]
    fn leaves_an_edge(&mut self, arrived: Time, start: Time, done: Time) {
        self.served(arrived, start, done);
        self.stayed(arrived, if self.count_in_service { done } else { start });
    }

    /// Adds a wait and a transmission within the window to the sums.
    #[inline(always)]
    fn waits(&mut self, arrived: Time, start: Time, done: Time) {
        let wait = Span::from_ps(start.ps() - arrived.ps());
        self.through.waited += u128::from(wait.ps());
        self.through.busy += done.ps() - start.ps();
        if let Some(monitor) = &mut self.monitor {
            monitor.left(start, wait);
        }
    }

    /// A packet goes through a queue that decides at arrival: what [`Self::stayed`],
    /// [`Self::served`], [`Self::holds`] and [`Self::came`] would say, at once, and that the queue
    /// grew.
    #[inline(always)]
    pub(crate) fn passes(&mut self, p: &Transit) {
        if p.arrived < self.warm || p.done > self.end {
            return self.passes_an_edge(*p);
        }
        self.served += 1;
        self.adds(p);
    }

    /// The short way of a packet, which is transmitted and lost nowhere: [`Self::arrived`],
    /// [`Self::passes`] and [`Self::departed`] at once, if all of it is within the window; else
    /// false.
    #[inline(always)]
    pub(crate) fn goes_through(&mut self, p: &Transit) -> bool {
        let inside = p.arrived >= self.warm && p.done <= self.end;
        if inside {
            self.through.packets += 1;
            self.through.bytes += u64::from(p.ip_len);
            self.adds(p);
        }
        inside
    }

    /// Adds a passage within the window to the sums.
    #[inline(always)]
    fn adds(&mut self, p: &Transit) {
        let wait = Span::from_ps(p.start.ps() - p.arrived.ps());
        self.through.longest = self.through.longest.max(p.backlog.packets);
        self.through.waited += u128::from(wait.ps());
        self.through.busy += p.done.ps() - p.start.ps();
        if let Some(monitor) = &mut self.monitor {
            monitor.joins(p, Span::from_ps(p.leaves.ps() - p.arrived.ps()));
            monitor.left(p.start, wait);
        }
    }

    /// A passage that is not wholly within the window.
    #[cold]
    fn passes_an_edge(&mut self, p: Transit) {
        if let Some(monitor) = &mut self.monitor {
            monitor.joins(&p, p.leaves.min(self.end).since(p.arrived.max(self.warm)));
        }
        if p.leaves > p.arrived {
            self.stayed(p.arrived, p.leaves);
            self.holds(p.arrived, p.backlog.packets);
        }
        self.served(p.arrived, p.start, p.done);
    }

    /// The queue holds `packets` at `t`.
    #[inline]
    pub(crate) fn holds(&mut self, t: Time, packets: u32) {
        self.occupancy.saw(t, packets);
    }
    /// The account of the whole run.
    pub(crate) fn total(&self) -> PortCounters {
        let Through { packets, bytes, .. } = self.through;
        PortCounters {
            arrivals: self.total.arrivals + packets,
            arrived_bytes: self.total.arrived_bytes + bytes,
            departures: self.total.departures + packets,
            departed_bytes: self.total.departed_bytes + bytes,
            ..self.total
        }
    }
    /// The account of the window.
    pub(crate) fn window(&self) -> PortCounters {
        self.total().since(&self.early)
    }
    /// Time-weighted mean length, packets.
    pub(crate) fn mean_packets(&self) -> f64 {
        let Through { waited, busy, .. } = self.through;
        let mut occupancy = self.occupancy;
        occupancy.adds(waited + if self.count_in_service { u128::from(busy) } else { 0 });
        occupancy.mean_packets()
    }
    /// Largest length, packets.
    pub(crate) fn max_packets(&self) -> u32 {
        self.occupancy.max_packets().max(self.through.longest)
    }
    /// Share of the window in which the transmitter was busy.
    pub(crate) fn busy_share(&self) -> f64 {
        let busy = self.busy + Span::from_ps(self.through.busy);
        busy.ps() as f64 / self.end.since(self.warm).ps().max(1) as f64
    }
    /// Mean waiting time before transmission, seconds.
    pub(crate) fn mean_sojourn_s(&self) -> f64 {
        let served = self.served + self.through.packets;
        let waited = self.waited + self.through.waited;
        if served == 0 { 0.0 } else { waited as f64 / served as f64 * 1e-12 }
    }
    /// More measures; `None` where nobody asked for them.
    pub(crate) fn measures(&self) -> Option<Measures> {
        self.monitor.as_ref().map(|monitor| monitor.measures(self.mean_sojourn_s()))
    }

    /// A packet of `flow` comes to the port, whatever happens to it.
    #[inline]
    pub(crate) fn came(&mut self, flow: u32, bytes: u32, dscp: Dscp) {
        if let Some(monitor) = &mut self.monitor {
            monitor.shares.came(flow, bytes, dscp);
        }
    }
    /// A packet of `flow` that came was dropped at `t`.
    pub(crate) fn refused(&mut self, t: Time, flow: u32, bytes: u32, dscp: Dscp) {
        if let Some(monitor) = &mut self.monitor {
            monitor.refused(t, flow, bytes, dscp);
        }
    }
    /// More measures, if somebody asked for them.
    #[inline]
    pub(crate) fn watching(&mut self) -> Option<&mut QueueMonitor> {
        self.monitor.as_deref_mut()
    }
    /// The queue holds `now`, whatever it held before.
    #[inline]
    pub(crate) fn became(&mut self, t: Time, now: Backlog) {
        if let Some(monitor) = &mut self.monitor {
            monitor.became(t, now);
        }
    }
    /// The time of the next end of an interval of the measures.
    #[inline]
    pub(crate) fn next_turn(&self) -> Time {
        self.monitor.as_ref().map_or(Time::NEVER, |monitor| monitor.next_turn())
    }
    /// It ends, with `now` in the queue.
    pub(crate) fn turn(&mut self, now: Backlog) {
        if let Some(monitor) = &mut self.monitor {
            monitor.turn(now);
        }
    }
    /// The run is over, with `now` in the queue.
    pub(crate) fn close(&mut self, now: Backlog) {
        let end = self.end;
        if let Some(monitor) = &mut self.monitor {
            monitor.close(end, now);
        }
    }
}
