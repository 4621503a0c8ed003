//! The statistics of one meter state, since the start and within a window (a run less its warm-up).
use crate::edge::levels::Levels;
use dumbbell_core::histogram::Histogram;
use dumbbell_core::meter::Color;
use dumbbell_core::units::{Span, Time};

/// Counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeterCounts {
    /// Packets that went on, by color.
    pub packets: [u64; 3],
    /// The bytes of IP length of these packets.
    pub bytes: [u64; 3],
    /// Packets dropped.
    pub dropped: u64,
    /// Packets that were held before they went on.
    pub held: u64,
    /// The total time for which packets were held, picoseconds.
    holding: u128,
}

/// Packets, bytes and holding times, and the levels of bucket and buffer over time.
pub struct MeterStats {
    from: Time,
    total: MeterCounts,
    /// The part of it that lies before the window.
    early: MeterCounts,
    longest: Span,
    /// Of packets that were held; made with the first.
    holding: Option<Histogram>,
    /// Tokens and held packets over time.
    pub standing: Levels,
}

impl MeterStats {
    /// An empty one, with a window from `from` to `to`.
    pub fn new(from: Time, to: Time) -> Self {
        let (total, early) = (MeterCounts::default(), MeterCounts::default());
        MeterStats {
            from,
            total,
            early,
            longest: Span::ZERO,
            holding: None,
            standing: Levels::new(from, to),
        }
    }

    #[inline]
    fn count(&mut self, now: Time, f: impl Fn(&mut MeterCounts)) {
        f(&mut self.total);
        if now < self.from {
            f(&mut self.early);
        }
    }

    /// A packet of `bytes` went on at `now` after it was held; a packet without a color counts as
    /// green.
    #[inline]
    pub fn passed(&mut self, now: Time, color: Option<Color>, bytes: u32, held: Span) {
        let i = color.unwrap_or_default().index();
        self.count(now, |counts| {
            counts.packets[i] += 1;
            counts.bytes[i] += u64::from(bytes);
        });
        if held > Span::ZERO {
            self.held_for(now, held);
        }
    }

    fn held_for(&mut self, now: Time, held: Span) {
        self.count(now, |counts| {
            counts.held += 1;
            counts.holding += u128::from(held.ps());
        });
        if now >= self.from {
            self.longest = self.longest.max(held);
            self.holding.get_or_insert_default().record(held);
        }
    }

    /// A packet was dropped at `now`.
    pub fn dropped(&mut self, now: Time) {
        self.count(now, |counts| counts.dropped += 1);
    }

    /// Counts since the start of the run.
    pub fn total(&self) -> &MeterCounts {
        &self.total
    }
    /// Packets of a color, within the window.
    pub fn packets(&self, color: Color) -> u64 {
        self.total.packets[color.index()] - self.early.packets[color.index()]
    }
    /// Bytes of IP length of a color, within the window.
    pub fn bytes(&self, color: Color) -> u64 {
        self.total.bytes[color.index()] - self.early.bytes[color.index()]
    }
    /// Packets dropped within the window.
    pub fn drops(&self) -> u64 {
        self.total.dropped - self.early.dropped
    }
    /// Packets that went on within the window after they were held.
    pub fn held(&self) -> u64 {
        self.total.held - self.early.held
    }
    /// Mean time for which those were held; `None` if none was.
    pub fn mean_holding(&self) -> Option<Span> {
        let sum = self.total.holding - self.early.holding;
        sum.checked_div(u128::from(self.held())).map(|ps| Span::from_ps(ps as u64))
    }
    /// The time that `q` of those were not held longer than, to one part in 32; `None` if none was.
    pub fn holding_quantile(&self, q: f64) -> Option<Span> {
        // The upper edge of a bucket may lie beyond all that is in it.
        self.holding.as_ref().map(|h| h.quantile(q).min(self.longest))
    }
    /// The longest time for which one of those was held; `None` if none was.
    pub fn longest_holding(&self) -> Option<Span> {
        self.holding.as_ref().map(|_| self.longest)
    }
}
