//! The average queue length of the RED family: an exponentially weighted moving average (a low-pass
//! filter) taken at each arrival, which decays while the link is idle.
use dumbbell_core::units::{Bytes, Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the first arrival after an idle period does to the average.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdleStyle {
    /// `m` decays for the idle time, then the update for this arrival (ns-2, ns-3).
    #[default]
    Ns2,
    /// `m` decays only (Floyd, Jacobson 1993, Fig. 2); with `m = 0` the arrival leaves the average
    /// as it is.
    Paper,
}

/// How many typical packets an idle time counts for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdleFraction {
    /// Only those that could have been sent whole.
    #[default]
    Floor,
    /// Fractions too.
    Real,
}

/// The rule by which an average is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AverageRule {
    /// Weight of the newest sample, `w_q`.
    pub weight: f64,
    /// Size of the typical packet, whose transmission takes `s`.
    pub mean_packet_size: Bytes,
    /// See [`IdleStyle`].
    pub idle_style: IdleStyle,
    /// See [`IdleFraction`].
    pub idle_fraction: IdleFraction,
}

/// An average and since when its link is idle.
#[derive(Clone, Debug)]
pub struct Average {
    rule: AverageRule,
    value: f64,
    idle_since: Option<Time>,
    /// True if the last arrival found the link idle.
    found_idle: bool,
}

impl Average {
    /// Zero, of a link that is idle since the start of the run.
    pub fn new(rule: AverageRule) -> Self {
        Average { rule, value: 0.0, idle_since: Some(Time::ZERO), found_idle: false }
    }

    /// The average.
    #[inline]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// True if the link is idle.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.idle_since.is_some()
    }

    /// The link has nothing to send since `now`.
    pub fn idle_from(&mut self, now: Time) {
        self.idle_since = Some(now);
    }

    /// A packet went in: the link is not idle, whatever was said since its arrival.
    pub fn admitted(&mut self) {
        self.idle_since = None;
        self.found_idle = false;
    }

    /// The packet of the last `arrive` is dropped at `now`: a link that was idle stays idle. The
    /// time until now is in the average already.
    pub fn refused(&mut self, now: Time) {
        if self.found_idle {
            self.idle_from(now);
        }
    }

    /// A packet arrives and finds a queue of length `queue`; the link sends at `rate`.
    #[inline]
    pub fn arrive(&mut self, now: Time, rate: Rate, queue: f64) {
        self.found_idle = self.is_idle();
        if let Some(since) = self.idle_since.take() {
            let m = self.typical_packets_in(now.since(since), rate);
            self.value *= libm::pow(1.0 - self.rule.weight, m);
            if self.rule.idle_style == IdleStyle::Paper {
                return;
            }
        }
        self.value = (1.0 - self.rule.weight) * self.value + self.rule.weight * queue;
    }

    /// `m = (time - q_time) / s`: the typical packets that could have been sent in `span`.
    fn typical_packets_in(&self, span: Span, rate: Rate) -> f64 {
        let size = self.rule.mean_packet_size.0;
        match self.rule.idle_fraction {
            IdleFraction::Floor => (rate.bytes_in(span) / size) as f64,
            IdleFraction::Real => span.seconds() * rate.bps() as f64 / (8.0 * size as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn average(weight: f64, idle_style: IdleStyle, idle_fraction: IdleFraction) -> Average {
        Average::new(AverageRule {
            weight,
            mean_packet_size: Bytes(500),
            idle_style,
            idle_fraction,
        })
    }

    /// An average that has seen an arrival, so that the link is busy.
    fn busy(weight: f64) -> Average {
        let mut a = average(weight, IdleStyle::Paper, IdleFraction::Floor);
        a.arrive(Time::ZERO, Rate::from_mbps(1), 0.0);
        a
    }

    fn step(a: &mut Average, queue: f64) -> f64 {
        a.arrive(Time::ZERO, Rate::from_mbps(1), queue);
        a.value()
    }

    /// avg_n = Q (1 - (1 - w)^n), and the number of arrivals to a threshold that follows from it.
    #[test]
    fn step_response() {
        for (theta, q, arrivals) in [
            (5.0, 25.0, 112),
            (5.0, 50.0, 53),
            (6.0, 36.0, 92),
            (12.0, 36.0, 203),
            (15.0, 25.0, 458),
            (70.0, 300.0, 133),
        ] {
            let mut a = busy(0.002);
            let n = (1..).find(|n| {
                let closed = q * (1.0 - libm::pow(0.998, f64::from(*n)));
                let avg = step(&mut a, q);
                assert!((avg - closed).abs() < 1e-9);
                avg >= theta
            });
            assert_eq!(n, Some(arrivals), "theta {theta}, Q {q}");
        }
    }

    /// A burst into an empty queue: avg_n = n + 1 + ((1 - w)^(n + 1) - 1) / w (Floyd, Jacobson
    /// 1993, eq. 3).
    #[test]
    fn ramp_response() {
        let ramp = |n: u32, from: u32| {
            let mut a = busy(0.002);
            (from..from + n).map(|q| step(&mut a, f64::from(q))).last().unwrap()
        };
        for (n, seen_after, seen_before) in [
            (10, 0.109_343, 0.089_522),
            (20, 0.414_728, 0.375_479),
            (50, 2.468_662, 2.373_409),
            (100, 9.464_836, 9.283_402),
        ] {
            assert!((ramp(n, 1) - seen_after).abs() < 1e-6, "n = {n}: {}", ramp(n, 1));
            assert!((ramp(n, 0) - seen_before).abs() < 1e-6, "n = {n}: {}", ramp(n, 0));
        }
        assert!(
            ramp(71, 1) < 5.0 && ramp(72, 1) >= 5.0,
            "the longest burst below min_th = 5 is 71 \
            packets"
        );
    }

    /// One typical packet of 500 B takes 4 ms at 1 Mbps: 10 ms are 2 whole ones, 2.5 in all.
    #[test]
    fn decay_while_idle() {
        let after_10_ms = |style, fraction| {
            let mut a = average(0.1, style, fraction);
            step(&mut a, 0.0);
            a.value = 8.0;
            a.idle_from(Time::from_ps(5_000_000_000));
            a.arrive(Time::from_ps(15_000_000_000), Rate::from_mbps(1), 0.0);
            assert!(!a.is_idle());
            a.value()
        };
        let near = |x: f64, m: f64| {
            assert!(
                (x - 8.0 * libm::pow(0.9, m)).abs() < 1e-12,
                "{x} is \
            not of m = {m}"
            )
        };
        near(after_10_ms(IdleStyle::Paper, IdleFraction::Floor), 2.0);
        near(after_10_ms(IdleStyle::Paper, IdleFraction::Real), 2.5);
        near(after_10_ms(IdleStyle::Ns2, IdleFraction::Floor), 3.0);
        near(after_10_ms(IdleStyle::Ns2, IdleFraction::Real), 3.5);
    }

    /// An arrival that is refused leaves an idle link idle, and a busy one busy; the time until it
    /// counts once.
    #[test]
    fn a_refused_arrival_leaves_the_link_as_it_was() {
        let ms = |n: u64| Time::from_ps(n * 1_000_000_000);
        let mut a = average(0.1, IdleStyle::Paper, IdleFraction::Real);
        a.value = 8.0;
        for arrival in [4, 12] {
            a.arrive(ms(arrival), Rate::from_mbps(1), 0.0);
            assert!(!a.is_idle());
            a.refused(ms(arrival));
            assert!(a.is_idle());
        }
        // 12 ms are 3 typical packets.
        assert!((a.value() - 8.0 * libm::pow(0.9, 3.0)).abs() < 1e-12, "{}", a.value());
        a.arrive(ms(12), Rate::from_mbps(1), 0.0);
        a.admitted();
        a.refused(ms(12));
        assert!(!a.is_idle(), "the refused packet is not the one that found the link idle");
        a.arrive(ms(12), Rate::from_mbps(1), 1.0);
        a.refused(ms(12));
        assert!(!a.is_idle());
    }
}
