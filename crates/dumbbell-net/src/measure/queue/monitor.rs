//! All measures of one queue, updated together.
use super::levels::Levels;
use super::shares::Shares;
use super::standing::{Length, Sojourn};
use super::synchrony::Losses;
use super::volume::Volume;
use dumbbell_core::histogram::Histogram;
use dumbbell_core::packet::{Dscp, FlowId};
use dumbbell_core::units::Backlog;
use dumbbell_core::units::{Span, Time};

/// The passage of a packet through a queue that decides at arrival.
#[derive(Clone, Copy)]
pub(crate) struct Transit {
    /// Its arrival.
    pub arrived: Time,
    /// The start of its transmission.
    pub start: Time,
    /// The time when it leaves the backlog, by the port's convention.
    pub leaves: Time,
    /// The end of its transmission.
    pub done: Time,
    /// The backlog, including this packet if it waits.
    pub backlog: Backlog,
    /// Length of the IP packet, bytes.
    pub ip_len: u32,
    /// Its flow.
    pub flow: FlowId,
    /// Its codepoint.
    pub dscp: Dscp,
}

/// Configuration of one queue's measures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MonitorConfig {
    /// The largest round trip of its flows, without queues.
    pub rtt: Span,
    /// The interval of the standing queue.
    pub interval: Span,
    /// The number of these intervals in a window in which lock-out is looked for.
    pub window: u32,
    /// The threshold beyond which the queue counts as long.
    pub threshold: Threshold,
    /// The codepoints that are IN, one bit each; `None`: nobody asks for colors.
    pub inside: Option<u64>,
    /// True if few of the flows of the plan come to this queue.
    pub few_flows: bool,
}

/// A length of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Threshold {
    /// Counted.
    Packets(f64),
    /// In bytes.
    Bytes(u64),
    /// In buffers of the limit's size.
    Buffers(u64),
    /// There is none.
    None,
}

/// The measures of a queue, within the window from the warm-up to the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures {
    /// Percentiles of the waiting time before transmission, seconds: 50, 95, 99.
    pub sojourn_s: [f64; 3],
    /// Percentiles of the length over time, packets: 50, 95, 99.
    pub packets: [u32; 3],
    /// Mean over time and largest number of bytes that wait.
    pub bytes: (f64, u64),
    /// Share of time without a packet in the queue.
    pub empty_share: f64,
    /// Share of time above the threshold; `None` without one.
    pub time_above_share: Option<f64>,
    /// The threshold, packets.
    pub watch_above_packets: Option<f64>,
    /// The threshold, bytes.
    pub watch_above_bytes: Option<u64>,
    /// Mean over intervals of the smallest length, packets; `None` without a whole interval.
    pub standing_packets: Option<f64>,
    /// Mean over intervals of the smallest waiting time, seconds.
    pub standing_sojourn_s: Option<f64>,
    /// The interval, seconds.
    pub standing_interval_s: f64,
    /// Global synchronization index: mean correlation of losses over pairs of flows.
    pub synchronization: Option<f64>,
    /// Mean over loss epochs of the share of flows that lose.
    pub loss_epoch_share: Option<f64>,
    /// The round trip that these two measures use, seconds.
    pub loss_bin_s: f64,
    /// Mean share of flows that were locked out.
    pub lock_out: Option<f64>,
    /// Packets that came in profile, and out of it; `None` in a plan without profiles.
    pub arrivals: Option<[u64; 2]>,
    /// Of these, what the queue dropped.
    pub drops: Option<[u64; 2]>,
}

/// The state of all of them. What each packet touches stands together, and behind it what one that
/// waits touches.
#[repr(C, align(64))]
pub(crate) struct QueueMonitor {
    /// The end of the present interval; at first the end of the warm-up.
    turn: Time,
    turns: u32,
    held: u32,
    /// The share of each flow.
    pub shares: Shares,
    standing: Sojourn,
    length: Length,
    levels: Levels,
    volume: Volume,
    sojourn: Histogram,
    warm: Time,
    end: Time,
    interest: MonitorConfig,
    losses: Losses,
}

impl QueueMonitor {
    /// Measures between `warm` and `end`.
    pub(crate) fn new(warm: Time, end: Time, interest: MonitorConfig) -> Self {
        let levels = match interest.threshold {
            Threshold::Bytes(bytes) => Levels::above_bytes(bytes),
            Threshold::Buffers(count) => Levels::above_buffers(count),
            _ => Levels::default(),
        };
        QueueMonitor {
            warm,
            end,
            interest,
            turn: warm,
            turns: 0,
            held: 0,
            sojourn: Histogram::default(),
            levels,
            volume: Volume::new(warm),
            length: Length::default(),
            standing: Sojourn::new(warm, interest.interval),
            losses: Losses::new(warm, end, interest.rtt.max(Span::from_us(1))),
            shares: Shares::new(interest.inside, interest.few_flows),
        }
    }

    /// A packet that had waited began its transmission at `start`, within the window.
    #[inline]
    pub(crate) fn left(&mut self, start: Time, wait: Span) {
        self.sojourn.record(wait);
        self.standing.left(start, wait);
    }

    /// A packet comes that stays, `inside` of its stay in the window.
    #[inline(always)]
    pub(crate) fn joins(&mut self, p: &Transit, inside: Span) {
        self.shares.came(p.flow.0, p.ip_len, p.dscp);
        if p.leaves > p.arrived {
            self.levels.rose(p.arrived, p.backlog);
            self.volume.stays(inside, p.ip_len, p.backlog.bytes);
        }
    }

    /// A packet left the queue, which now holds `now`.
    #[inline(always)]
    pub(crate) fn fell(&mut self, t: Time, now: Backlog) {
        self.levels.fell(t, now);
        self.length.fell(now.packets);
    }

    /// The queue holds `now`, which may differ by any number from what it held when this was said
    /// before.
    #[inline]
    pub(crate) fn became(&mut self, t: Time, now: Backlog) {
        self.volume.holds(t, now.bytes);
        if now.packets == self.held + 1 {
            self.held += 1;
            self.levels.rose(t, now);
        } else if now.packets + 1 == self.held {
            self.held -= 1;
            self.fell(t, now);
        } else {
            self.leapt(t, now);
        }
    }

    /// The backlog changed by more than a packet, or by none: one may have taken the place of
    /// another.
    #[cold]
    fn leapt(&mut self, t: Time, now: Backlog) {
        while self.held < now.packets {
            self.held += 1;
            self.levels.rose(t, Backlog { packets: self.held, ..now });
        }
        while self.held > now.packets {
            self.held -= 1;
            self.fell(t, Backlog { packets: self.held, ..now });
        }
        self.levels.weigh(t, now);
    }

    /// A packet of `flow` was marked at `t`.
    pub(crate) fn marked(&mut self, t: Time, flow: u32) {
        self.losses.lost(t, flow as usize);
    }

    /// A packet of `flow` was dropped at `t`.
    pub(crate) fn refused(&mut self, t: Time, flow: u32, bytes: u32, dscp: Dscp) {
        self.losses.lost(t, flow as usize);
        self.shares.refused(flow, bytes, dscp);
    }

    /// The time when [`Self::turn`] is due.
    #[inline]
    pub(crate) fn next_turn(&self) -> Time {
        self.turn
    }

    /// The warm-up or an interval ends, with `now` in the queue.
    pub(crate) fn turn(&mut self, now: Backlog) {
        let t = self.turn;
        self.turn += self.interest.interval;
        if t == self.warm {
            self.levels.begin(t, now);
            self.volume.begin(now.bytes);
            self.length.begin(now.packets);
            self.shares.begin();
            return;
        }
        self.length.turn(now.packets);
        self.turns += 1;
        if self.turns == self.interest.window {
            self.turns = 0;
            self.shares.turn();
        }
    }

    /// The run is over at `end`, with `now` in the queue.
    pub(crate) fn close(&mut self, end: Time, now: Backlog) {
        self.levels.end(end, now);
        self.volume.end(end);
        self.standing.end(end);
        self.shares.end();
    }

    /// The measures after the end; `sojourn_s` is the mean waiting time.
    pub(crate) fn measures(&self, sojourn_s: f64) -> Measures {
        let window = self.end.since(self.warm);
        let share = |span: Span| {
            if window == Span::ZERO { 0.0 } else { span.ps() as f64 / window.ps() as f64 }
        };
        let (packets, bytes) = match self.interest.threshold {
            Threshold::Packets(n) => (Some(n), None),
            Threshold::Bytes(n) => (None, Some(n)),
            Threshold::Buffers(_) | Threshold::None => (None, None),
        };
        let more = packets.map(|n| self.levels.at_least(libm::floor(n) as u32 + 1));
        let time_above = more.or(self.levels.time_above());
        let losses = self.losses.measure(self.interest.rtt + Span::from_secs_f64(sojourn_s));
        let flows = f64::from(self.shares.seen().max(1));
        Measures {
            sojourn_s: [0.5, 0.95, 0.99].map(|q| self.sojourn.quantile(q).seconds()),
            packets: [0.5, 0.95, 0.99].map(|q| self.levels.quantile(q, window)),
            bytes: (self.volume.mean(window), self.volume.most()),
            empty_share: 1.0 - share(self.levels.at_least(1)),
            time_above_share: time_above.map(share),
            watch_above_packets: packets,
            watch_above_bytes: bytes,
            standing_packets: self.length.mean(),
            standing_sojourn_s: self.standing.mean_s(),
            standing_interval_s: self.interest.interval.seconds(),
            synchronization: losses.index,
            loss_epoch_share: losses.flows_in_epoch.map(|n| n / flows),
            loss_bin_s: losses.bin.seconds(),
            lock_out: self.shares.lock_out(),
            arrivals: self.shares.colors().map(|h| h.arrivals),
            drops: self.shares.colors().map(|h| h.drops),
        }
    }
}
