//! Adaptive packet marking (W. Feng, D. Kandlur, D. Saha, K. Shin, ICNP 1998), the marker outside
//! of TCP: packets are IN with a probability that rises while a flow has less than its target, and
//! falls while it has more.
//!
//! The target is a mean throughput, not a reservation: a flow that has it without any mark is not
//! marked at all.
use super::tsw2cm::check_window;
use crate::bucket::config::committed;
use crate::meter::parts::tsw::{bytes_per_second, draw};
use dumbbell_core::aqm::Cx;
use dumbbell_core::catalogue::{About, Algorithm, Config, Explained, Fault, Provenance};
use dumbbell_core::meter::{Color, Contract, Meter};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`AdaptivePacketMarking`].
#[config]
pub struct AdaptivePacketMarkingConfig {
    /// Target of the average throughput; default what is reserved for the flow, or for all flows of
    /// the aggregate together.
    #[schemars(extend("x-source" = "Feng et al. 1998: the target bandwidth"))]
    pub rate: Option<Rate>,
    /// Interval at which the probability is updated, from what passed since the last update.
    #[schemars(extend("x-source" = "reconstructed: 1 s"))]
    #[config(default = Span::from_secs(1))]
    pub interval: Span,
    /// How much the probability rises in an interval without packets; in others it rises in
    /// proportion to the shortfall.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "reconstructed: the paper's scale is not known"),
    )]
    #[config(default = 0.01)]
    pub delta: f64,
    /// The probability at the start.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "reconstructed: nothing is marked until the target is missed"),
    )]
    #[config(default = 0.0)]
    pub initial: f64,
}

impl Config for AdaptivePacketMarkingConfig {
    fn check(&self) -> Result<(), Fault> {
        check_window("interval", self.interval)
    }
}

/// IN with a probability that is controlled.
#[derive(Clone, Debug)]
pub struct AdaptivePacketMarking {
    /// Bytes that the target is in an interval.
    target: f64,
    interval: Span,
    delta: f64,
    p: f64,
    /// The interval in which bytes are counted ends here.
    end: Time,
    bytes: u64,
}

impl AdaptivePacketMarking {
    /// Closes the intervals that ended by `now`; in all but the first of them nothing came.
    #[inline]
    fn close(&mut self, now: Time) {
        if now < self.end {
            return;
        }
        let idle = now.since(self.end).ps() / self.interval.ps();
        let missing = 1.0 - self.bytes as f64 / self.target;
        self.p = (self.p + self.delta * missing).clamp(0.0, 1.0);
        self.p = (self.p + self.delta * idle as f64).min(1.0);
        self.end += self.interval * (idle + 1);
        self.bytes = 0;
    }
}

impl Algorithm for AdaptivePacketMarking {
    type Config = AdaptivePacketMarkingConfig;
    type Site = Contract;
    const ABOUT: About = About {
        name: "adaptive_packet_marking",
        title: "Adaptive packet marking",
        idea: "Packets are IN with a probability that rises while the flow has less than its \
            target, and falls while it has more.",
        equations: "each interval:  P <- P + delta (1 - throughput / rate), from 0 to 1\n\
                    green (IN) with probability P, else yellow (OUT)",
        sources: &[
            "W. Feng, D. Kandlur, D. Saha, K. Shin, Adaptive packet marking for providing \
                differentiated services in the Internet, ICNP 1998",
            "S. Choi, C. Kim, TCP throughput guarantee using packet buffering, KISS 28(2), 2001, \
                section 2",
        ],
        provenance: Provenance::Reconstruction,
        explained: Explained::by(&[(
            "",
            "its throughput had lately been near {rate or 'the reserved rate'} or above, \
                    so that it was not marked, and the edge drops what is out of profile",
        )]),
        ..About::PLAIN
    };
    fn new(c: &AdaptivePacketMarkingConfig, site: &Contract) -> Self {
        let target = bytes_per_second(committed(c.rate, site)) * c.interval.seconds();
        let (target, delta, p) =
            if target > 0.0 { (target, c.delta, c.initial) } else { (1.0, 0.0, 0.0) };
        AdaptivePacketMarking {
            target,
            interval: c.interval,
            delta,
            p,
            end: Time::ZERO + c.interval,
            bytes: 0,
        }
    }
}

impl Meter for AdaptivePacketMarking {
    #[inline]
    fn color(&mut self, cx: &mut Cx<'_>, p: &Meta, _: Color) -> Color {
        self.close(cx.now);
        self.bytes += u64::from(p.ip_len);
        if draw(cx.rng) < self.p { Color::Green } else { Color::Yellow }
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("p", self.p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::meter::{Bench, share};

    fn bench(initial: f64) -> Bench<AdaptivePacketMarking> {
        let rate = Some(Rate::from_mbps(1));
        Bench::new(&AdaptivePacketMarkingConfig {
            rate,
            initial,
            ..AdaptivePacketMarkingConfig::default()
        })
    }

    /// A flow that has its target anyway is not marked in the end; one that cannot have it is
    /// marked always.
    #[test]
    fn it_backs_off_above_the_target_and_marks_all_below() {
        for (load, end) in [(1.25, 0.0), (2.0, 0.0), (0.5, 1.0), (0.9, 1.0)] {
            let mut b = bench(0.5);
            share(&mut b, 1e6 * load, 200_000);
            assert_eq!(b.meter.p, end, "load {load}");
        }
    }

    /// 100 bytes in the first second, none in the next two: P rises by 0.01 (3 - 100 / 125000) by
    /// the fourth.
    #[test]
    fn the_probability_by_hand() {
        let mut b = bench(0.25);
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        b.color(at(400), 100);
        assert_eq!(b.meter.p, 0.25);
        b.color(at(3500), 250_000);
        assert!(
            (b.meter.p - (0.25 + 0.01 * (3.0 - 100.0 / 125_000.0))).abs() < 1e-15,
            "{}",
            b.meter.p
        );
        let before = b.meter.p;
        b.color(at(4000), 40);
        assert!((b.meter.p - (before - 0.01)).abs() < 1e-15, "twice the target: {}", b.meter.p);
    }

    /// With `delta = 0` it is a coin.
    #[test]
    fn green_has_the_probability() {
        let config = AdaptivePacketMarkingConfig {
            delta: 0.0,
            initial: 0.3,
            ..AdaptivePacketMarkingConfig::default()
        };
        let green = share(&mut Bench::<AdaptivePacketMarking>::new(&config), 1e6, 100_000)[0];
        assert!((green - 0.3).abs() < 0.006, "{green}");
    }
}
