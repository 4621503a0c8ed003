//! One-way delay, its variation, reordering and losses in a row: of the packets of one flow, as
//! they arrive. docs/explanation/delays.md defines each measure.
mod order;
mod runs;
mod trips;

use dumbbell_core::histogram::Histogram;
use dumbbell_core::units::{Span, Time};
use order::Order;
use runs::Runs;
use trips::{Came, Trips};

/// Measures the packets of one flow, which are numbered from 0 in the order of sending.
///
/// Packets that arrive after the warm-up count. If one is late, a duplicate or next to another is
/// judged by all that came since the start.
pub struct OneWay {
    warm: Time,
    /// A delay that no packet can fall below: the histogram is of what comes on top, so that its
    /// steps are those of the queues.
    base: Span,
    trips: Trips,
    order: Order,
    runs: Runs,
    /// The delay of the packet that arrived last.
    last: Option<u64>,
    packets: u64,
    duplicates: u64,
    sum: u128,
    least: u64,
    most: u64,
    histogram: Histogram,
    /// RFC 3550's J, picoseconds, and the sum of its values.
    jitter: f64,
    jitter_sum: f64,
    /// Differences of neighbors in the order of sending, without their sign: how many, and their
    /// sum.
    pairs: u64,
    pair_sum: u128,
}

/// Measures of a flow's delays, seconds; `None` where nothing could be measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DelaySummary {
    /// Packets that arrived, each counted once.
    pub packets: u64,
    /// Smallest delay.
    pub min_s: Option<f64>,
    /// Mean delay.
    pub mean_s: Option<f64>,
    /// Percentiles 50, 95, 99 and 99.9; what a delay exceeds the propagation by is exact to one
    /// part in 32.
    pub percentiles_s: [Option<f64>; 4],
    /// Largest delay.
    pub max_s: Option<f64>,
    /// J of RFC 3550, section 6.4.1, after the last packet.
    pub jitter_s: Option<f64>,
    /// The mean of J over the packets.
    pub jitter_mean_s: Option<f64>,
    /// Mean of |IPDV| (RFC 5481, section 4.1).
    pub ipdv_mean_abs_s: Option<f64>,
    /// Percentile 99 of PDV (RFC 5481, section 4.2): the delay less the smallest one.
    pub pdv_p99_s: Option<f64>,
    /// Largest less smallest.
    pub range_s: Option<f64>,
    /// Packets of Type-P-Reordered (RFC 4737, section 3).
    pub reordered: u64,
    /// Largest reordering extent (RFC 4737, section 4.2), packets.
    pub extent_max: u64,
    /// Packets that arrived once more.
    pub duplicates: u64,
    /// Most packets in a row, in the order of sending, that were lost (RFC 3357: the longest loss
    /// period).
    pub loss_burst_max: u64,
    /// Histogram of delays: from, to, packets. Empty bins are left out.
    pub bins: Vec<(f64, f64, u64)>,
}

/// The percentiles of [`DelaySummary::percentiles_s`].
const QUANTILES: [f64; 4] = [0.5, 0.95, 0.99, 0.999];

impl OneWay {
    /// Measures from `warm` on delays of at least `base`.
    pub fn new(warm: Time, base: Span) -> Self {
        OneWay {
            warm,
            base,
            trips: Trips::default(),
            order: Order::default(),
            runs: Runs::default(),
            last: None,
            packets: 0,
            duplicates: 0,
            sum: 0,
            least: u64::MAX,
            most: 0,
            histogram: Histogram::default(),
            jitter: 0.0,
            jitter_sum: 0.0,
            pairs: 0,
            pair_sum: 0,
        }
    }

    /// The next packet is sent.
    #[inline]
    pub fn sent(&mut self, t: Time) {
        self.trips.leaves(t);
    }

    /// The number of a packet whose low 32 bits are `low`.
    #[inline]
    pub fn number(&self, low: u32) -> u64 {
        self.trips.number(low)
    }

    /// A packet arrives.
    #[inline]
    pub fn arrived(&mut self, t: Time, number: u64) {
        let counts = t >= self.warm;
        match self.trips.arrives(t, number) {
            Came::First { delay, before } => {
                let late = self.order.came(number, counts);
                if counts {
                    self.add(delay);
                    self.neighbours(delay, before);
                    if late {
                        self.neighbours(delay, self.trips.delay_behind(number));
                    }
                }
                self.last = Some(delay);
            }
            Came::Again => self.duplicates += u64::from(counts),
            Came::Forgotten => {}
        }
    }

    /// A packet was dropped somewhere.
    pub fn lost(&mut self, t: Time, number: u64) {
        self.trips.lost(number);
        if t >= self.warm {
            self.runs.add(number);
        }
    }

    #[inline]
    fn add(&mut self, delay: u64) {
        self.packets += 1;
        self.sum += u128::from(delay);
        self.least = self.least.min(delay);
        self.most = self.most.max(delay);
        self.histogram.record(Span::from_ps(delay.saturating_sub(self.base.ps())));
        if let Some(last) = self.last {
            // RFC 3550: D(i-1, i) is the difference of the two transits, in the order of arrival.
            self.jitter += (delay.abs_diff(last) as i64 as f64 - self.jitter) / 16.0;
            self.jitter_sum += self.jitter;
        }
    }

    #[inline]
    fn neighbours(&mut self, delay: u64, other: Option<u64>) {
        if let Some(other) = other {
            self.pairs += 1;
            self.pair_sum += u128::from(delay.abs_diff(other));
        }
    }

    /// The measures so far.
    pub fn summary(&self) -> DelaySummary {
        let some = |ps: f64| (self.packets > 0).then_some(ps * 1e-12);
        let (least, most) = (self.least as f64, self.most as f64);
        // The bucket's upper edge may lie beyond what was seen.
        let quantile = |q: f64| {
            ((self.base + self.histogram.quantile(q)).ps() as f64).clamp(least.min(most), most)
        };
        let bin = |(from, to, n): (Span, Span, u64)| {
            ((self.base + from).seconds(), (self.base + to).seconds(), n)
        };
        let mean = |sum: f64, n: u64| (n > 0).then(|| sum / n as f64 * 1e-12);
        DelaySummary {
            packets: self.packets,
            min_s: some(least),
            mean_s: mean(self.sum as f64, self.packets),
            percentiles_s: QUANTILES.map(|q| some(quantile(q))),
            max_s: some(most),
            jitter_s: some(self.jitter),
            jitter_mean_s: mean(self.jitter_sum, self.packets),
            ipdv_mean_abs_s: mean(self.pair_sum as f64, self.pairs),
            pdv_p99_s: some(quantile(0.99) - least),
            range_s: some(most - least),
            reordered: self.order.reordered(),
            extent_max: self.order.extent_max(),
            duplicates: self.duplicates,
            loss_burst_max: self.runs.longest(),
            bins: self.histogram.buckets().map(bin).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
