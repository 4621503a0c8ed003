//! Global synchronization: whether flows lose together.
//!
//! Time is cut into bins of one round trip. x_i(b) is 1 if flow i lost a packet in bin b. With p_i
//! the mean of x_i and s_i^2 = p_i (1 - p_i), the phi coefficient (Pearson's correlation) of two
//! flows is cov_ij / (s_i s_j). The index is its mean over all pairs, a pair weighted by s_i s_j:
//! by how much there is to correlate. Since the sum of all covariances is the variance of the sum X
//! = x_1 + ... + x_N,
//!
//! ```text
//! index = (var X - sum s_i^2) / ((sum s_i)^2 - sum s_i^2)
//! ```
//!
//! which needs counts alone: a loss costs the same for two flows and for thousands. 1: all lose in
//! the same round trips; 0: independently; negative: in turns (at least -1/(N-1) for equal flows).
use super::flow_index::FlowIndex;
use dumbbell_core::units::{Span, Time};

/// The number of widths.
const SCALES: usize = 6;

/// Losses of one run at one queue.
pub(crate) struct Losses {
    from: Time,
    to: Time,
    /// The smallest width.
    width: Span,
    /// The time when the last packet was lost.
    last: Option<Time>,
    scales: [Scale; SCALES],
    /// Flows that lost, and their places in `flows`.
    index: FlowIndex,
    flows: Vec<Lossy>,
}

/// Bins of one width, and epochs that such a width parts.
#[derive(Clone, Copy)]
struct Scale {
    width: Span,
    /// Whole bins in the window.
    bins: u64,
    /// The bin of the last loss, and how many flows have lost in it.
    bin: u64,
    here: u64,
    /// Sum and sum of squares of that number, over the bins before.
    sum: u64,
    squares: u64,
    /// Epochs, when the present one began, and how many flows lost in each, summed.
    epochs: u64,
    epoch: Time,
    members: u64,
}

/// A flow that loses.
#[derive(Clone, Copy, Default)]
struct Lossy {
    /// The time when it last lost, and in which of the smallest bins.
    last: Option<(Time, u64)>,
    /// In how many bins of each width it lost.
    bins: [u32; SCALES],
}

/// The measures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Synchrony {
    /// The index; `None` if fewer than two flows have something to correlate.
    pub index: Option<f64>,
    /// Mean over loss epochs of how many flows lost in one; `None` without losses.
    pub flows_in_epoch: Option<f64>,
    /// The width that was taken.
    pub bin: Span,
}

impl Losses {
    /// Bins from `from`, of widths from `rtt` up.
    pub(crate) fn new(from: Time, to: Time, rtt: Span) -> Self {
        let scale = |k: usize| {
            let width = Span::from_ps(rtt.ps().max(1) << k);
            Scale {
                width,
                bins: to.since(from).ps() / width.ps(),
                bin: 0,
                here: 0,
                sum: 0,
                squares: 0,
                epochs: 0,
                epoch: from,
                members: 0,
            }
        };
        Losses {
            from,
            to,
            width: Span::from_ps(rtt.ps().max(1)),
            last: None,
            scales: std::array::from_fn(scale),
            index: FlowIndex::default(),
            flows: Vec::new(),
        }
    }

    /// A packet of `flow` was dropped or marked at `t`.
    pub(crate) fn lost(&mut self, t: Time, flow: usize) {
        if t < self.from || t > self.to {
            return;
        }
        let place = self.index.place(flow as u32);
        if self.flows.len() <= place {
            self.flows.push(Lossy::default());
        }
        let own = &mut self.flows[place];
        let bin = t.since(self.from).ps() / self.width.ps();
        for (k, scale) in self.scales.iter_mut().enumerate() {
            // A bin of the k-th width is 2^k of the smallest.
            if scale.counts(bin >> k, own.last.map(|(_, before)| before >> k)) {
                own.bins[k] += 1;
            }
            scale.joins(t, self.last, own.last.map(|(before, _)| before));
        }
        own.last = Some((t, bin));
        self.last = Some(t);
    }

    /// The measures for a round trip of `rtt`.
    pub(crate) fn measure(&self, rtt: Span) -> Synchrony {
        let wanted = libm::log2(rtt.ps().max(1) as f64 / self.scales[0].width.ps() as f64);
        let k = (libm::round(wanted).max(0.0) as usize).min(SCALES - 1);
        let scale = &self.scales[k];
        Synchrony {
            index: self.index(k),
            flows_in_epoch: (scale.epochs > 0).then(|| scale.members as f64 / scale.epochs as f64),
            bin: scale.width,
        }
    }

    fn index(&self, k: usize) -> Option<f64> {
        let s = &self.scales[k];
        let n = s.bins as f64;
        if s.bins < 2 {
            return None;
        }
        let mean = (s.sum + s.here) as f64 / n;
        let whole = (s.squares + s.here * s.here) as f64 / n - mean * mean;
        let (mut own, mut deviations, mut flows) = (0.0, 0.0, 0);
        // In the order of flows, so that sums round alike whoever lost first.
        for place in self.index.in_order() {
            let p = f64::from(self.flows[place].bins[k]) / n;
            let variance = p * (1.0 - p);
            own += variance;
            deviations += libm::sqrt(variance);
            flows += u32::from(variance > 0.0);
        }
        (flows > 1).then(|| (whole - own) / (deviations * deviations - own))
    }
}

impl Scale {
    /// True if a loss in `bin` is its flow's first in a whole bin; `before`: the bin of the flow's
    /// last one.
    fn counts(&mut self, bin: u64, before: Option<u64>) -> bool {
        if bin >= self.bins || before == Some(bin) {
            return false;
        }
        if bin != self.bin {
            self.sum += self.here;
            self.squares += self.here * self.here;
            (self.bin, self.here) = (bin, 0);
        }
        self.here += 1;
        true
    }

    /// A loss at `t`: of the present epoch, or the first of a new one if nobody lost for longer
    /// than the width.
    fn joins(&mut self, t: Time, anyone: Option<Time>, before: Option<Time>) {
        if anyone.is_none_or(|last| t.since(last) > self.width) {
            self.epochs += 1;
            self.epoch = t;
            self.members += 1;
        } else if before.is_none_or(|own| own < self.epoch) {
            self.members += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RTT: u64 = 100;

    fn of(losses: &[(u64, usize)], end: u64) -> Synchrony {
        let mut l = Losses::new(Time::from_ps(1000), Time::from_ps(1000 + end), Span::from_ps(RTT));
        losses.iter().for_each(|(t, flow)| l.lost(Time::from_ps(1000 + t), *flow));
        l.measure(Span::from_ps(RTT))
    }

    #[test]
    fn all_together_is_one() {
        let losses: Vec<_> =
            (0..10u64).flat_map(|e| (0..7).map(move |f| (e * 500 + f as u64, f))).collect();
        let s = of(&losses, 5000);
        assert!((s.index.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(s.flows_in_epoch, Some(7.0));
    }

    /// Two flows that lose in turns, never both: phi = -p / (1 - p), with p = 1/2 that is -1.
    #[test]
    fn in_turns_is_negative() {
        let turns: Vec<_> = (0..40).map(|b| (b * 100 + 50, (b % 2) as usize)).collect();
        assert!((of(&turns, 4000).index.unwrap() + 1.0).abs() < 1e-12);
        let rare: Vec<_> = (0..40).map(|b| (b * 500 + 50, (b % 2) as usize)).collect();
        assert!((of(&rare, 20_000).index.unwrap() + 1.0 / 9.0).abs() < 1e-12);
        assert_eq!(of(&rare, 20_000).flows_in_epoch, Some(1.0));
    }

    #[test]
    fn nothing_to_correlate_is_none() {
        assert_eq!(
            of(&[], 1000),
            Synchrony { index: None, flows_in_epoch: None, bin: Span::from_ps(RTT) }
        );
        assert_eq!(of(&[(10, 3), (510, 3)], 1000).index, None);
    }

    /// A longer round trip takes wider bins: what alternates in short ones coincides in long ones.
    #[test]
    fn the_nearest_width_is_taken() {
        let mut l = Losses::new(Time::ZERO, Time::from_ps(6400), Span::from_ps(RTT));
        (0..8).for_each(|e| {
            (0..2).for_each(|f| l.lost(Time::from_ps(e * 800 + 110 * f), f as usize))
        });
        assert!(l.measure(Span::from_ps(RTT)).index.unwrap() < 0.0);
        let wide = l.measure(Span::from_ps(430));
        assert_eq!(wide.bin, Span::from_ps(400));
        assert!((wide.index.unwrap() - 1.0).abs() < 1e-12);
    }

    fn phi(a: &[bool], b: &[bool]) -> (f64, f64) {
        let n = a.len() as f64;
        let p = |x: &[bool]| x.iter().filter(|v| **v).count() as f64 / n;
        let both = a.iter().zip(b).filter(|(x, y)| **x && **y).count() as f64 / n;
        let weight = (p(a) * (1.0 - p(a)) * p(b) * (1.0 - p(b))).sqrt();
        (if weight > 0.0 { (both - p(a) * p(b)) / weight } else { 0.0 }, weight)
    }

    proptest! {
        /// Against the definition: every pair by itself, and epochs from the sorted list.
        #[test]
        fn is_the_weighted_mean_over_pairs(
            mut losses in prop::collection::vec((0u64..3000, 0usize..6), 1..80),
        ) {
            losses.sort_unstable();
            let bins = 29; // 2950 ps: the last half bin does not count.
            let mut series = vec![vec![false; bins]; 6];
            for (t, flow) in losses.iter().filter(|(t, _)| *t < 2900) {
                series[*flow][(*t / RTT) as usize] = true;
            }
            let kept: Vec<_> = losses.iter().copied().filter(|(t, _)| *t <= 2950).collect();
            let (mut sum, mut weights) = (0.0, 0.0);
            for i in 0..6 {
                for j in 0..i {
                    let (phi, weight) = phi(&series[i], &series[j]);
                    sum += phi * weight;
                    weights += weight;
                }
            }
            let got = of(&losses, 2950);
            match got.index {
                Some(index) => prop_assert!(
                    (index - sum / weights).abs() < 1e-9,
                    "{index} for {}",
                    sum / weights
                ),
                None => prop_assert!(weights == 0.0),
            }
            let mut epochs: Vec<Vec<usize>> = Vec::new();
            let mut last = None;
            for (t, flow) in kept {
                if last.is_none_or(|l| t - l > RTT) {
                    epochs.push(Vec::new());
                }
                epochs.last_mut().unwrap().push(flow);
                last = Some(t);
            }
            let members: usize = epochs
                .iter_mut()
                .map(|e| {
                    e.sort_unstable();
                    e.dedup();
                    e.len()
                })
                .sum();
            let expected = (!epochs.is_empty()).then(|| members as f64 / epochs.len() as f64);
            prop_assert_eq!(got.flows_in_epoch, expected);
        }
    }
}
