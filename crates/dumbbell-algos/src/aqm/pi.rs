//! The PI controller (Hollot, Misra, Towsley, Gong, INFOCOM 2001): proportional and integral, of
//! the queue's length.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | q, q_old | backlog, state | queue at this and at the last sample |
//! | q_ref | `q_ref` | queue to steer to |
//! | a, b, w | the same | gains, and samples in a second |
//! | p | state | probability of a signal |
//!
//! a > b: at a constant queue above q_ref the probability grows by (a - b) of the excess in each
//! sample. The gains are those of the paper's example: 3750 packets/s, at least 60 flows,
//! round-trip times of at most 246 ms.
use crate::aqm::parts::packet_size::{ByteDrop, SizePolicy, check_sizes};
use dumbbell_core::aqm::{Aqm, Cx, Hears, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Bytes, Packets, Span};
use dumbbell_macros::config;

/// Parameters of [`Pi`].
#[config]
pub struct PiConfig {
    /// Queue length that the controller steers to.
    #[schemars(extend("x-source" = "Hollot and others 2001: 200 packets of 800; ns-2 qref_ 50"))]
    #[config(default = Packets(50.0))]
    pub q_ref: Packets,
    /// Gain of the queue's distance from `q_ref` now; at least `b`.
    #[schemars(
        range(min = 0.0),
        extend("x-source" = "Hollot and others 2001, section VI: 1.822e-5"),
    )]
    #[config(default = 1.822e-5)]
    pub a: f64,
    /// Gain of its distance at the last sample, which is subtracted.
    #[schemars(
        range(min = 0.0),
        extend("x-source" = "Hollot and others 2001, section VI: 1.816e-5"),
    )]
    #[config(default = 1.816e-5)]
    pub b: f64,
    /// Samples of the queue in a second, at most 1e6.
    #[schemars(
        extend("exclusiveMinimum" = 0.0, "x-source" = "Hollot and others 2001, section VI: 160 Hz; \
            ns-2 w_ 170"),
    )]
    #[config(default = 170.0)]
    pub w: f64,
    /// Size of a typical packet, the unit of `byte_mode` and of `byte_drop`.
    #[schemars(extend("x-source" = "ns-2 mean_pktsize_ 500"))]
    #[config(default = Bytes(500))]
    pub mean_packet_size: Bytes,
    /// Whether the queue is measured in bytes over `mean_packet_size`.
    #[schemars(extend("x-source" = "Hollot and others 2001: packets; true: ns-2 queue_in_bytes_"))]
    pub byte_mode: bool,
    /// Whether larger packets are signaled more often. RFC 7141 section 2.2 advises against it.
    #[schemars(extend("x-source" = "Hollot and others 2001: no; \"mean_size\": ns-2 bytes_"))]
    #[config(default = ByteDrop::Off)]
    pub byte_drop: ByteDrop,
    /// Whether ECN-capable packets are marked rather than dropped.
    #[schemars(extend("x-source" = "as RED: ns-2 setbit_ false"))]
    pub ecn: bool,
}

impl Config for PiConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.w > 1e6 {
            return Err(Fault::at("w", format!("{} samples in a second are too many", self.w))
                .fix(
                    "at \
                most 1e6",
                ));
        }
        if self.w < 1e-3 {
            return Err(Fault::at("w", "a sample at least every 1000 s is asked for").fix(
                "write \
                170",
            ));
        }
        if self.a < self.b {
            let cause = format!(
                "with a = {} below b = {} the probability falls while the queue is too \
                    long",
                self.a, self.b
            );
            return Err(Fault::at("a", cause).fix(
                "make `a` larger than `b`: the difference is the \
                integral gain",
            ));
        }
        check_sizes(self.mean_packet_size, self.byte_drop, None)
    }
}

/// A controller of the queue's length.
#[derive(Clone, Debug)]
pub struct Pi {
    config: PiConfig,
    sizes: SizePolicy,
    period: Span,
    p: f64,
    q_old: f64,
    coin: f64,
}

impl Algorithm for Pi {
    type Config = PiConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "pi",
        title: "PI controller",
        idea: "A proportional integral controller moves the probability of a signal until the \
            queue has its target length.",
        equations: "p <- min(1, max(0, p + a (q - q_ref) - b (q_old - q_ref))),  q_old <- q   w \
            times in a second\neach packet that arrives is signaled with probability p",
        sources: &[
            "Hollot, Misra, Towsley, Gong: On Designing Improved Controllers for AQM Routers \
                Supporting TCP Flows, INFOCOM 2001",
            "ns-2 Queue/PI (sampling frequency, q_ref)",
        ],
        provenance: Provenance::TwoReadings,
        rule: "the length: proportional and integral, to a reference",
        family: "controllers",
        look: Some(Look::new(PlotColor::Purple, 'o', 1)),
        kernel: Kernel::Lacks { why: "no kernel has it: pie is its successor", fix: "" },
        size: Size { measures: "length, packets", byte_mode: "bytes", signals: SizeLaw::Constant },
        law: Law::Named { law: "pi", remark: "" },
        explained: Explained::by(&[
            (
                "reason == 'overflow'",
                "{full}; PI's p was {p}, the queue was last sampled with \
                    {q_old} packets, its reference is {q_ref}",
            ),
            (
                "",
                "p was {p}, and the coin, {coin}, fell below it; the queue was last sampled \
                    with {q_old} packets, its reference is {q_ref}",
            ),
        ]),
        ..About::PLAIN
    };
    fn new(config: &PiConfig, _: &LinkInfo) -> Self {
        Pi {
            sizes: SizePolicy::new(config.mean_packet_size, config.byte_mode, config.byte_drop),
            period: Span::from_secs_f64(1.0 / config.w),
            config: config.clone(),
            p: 0.0,
            q_old: 0.0,
            coin: 1.0,
        }
    }
}

impl Pi {
    /// The probability after a sample of the queue.
    fn update(&mut self, q: f64) {
        let PiConfig { a, b, q_ref: Packets(q_ref), .. } = self.config;
        self.p = (self.p + a * (q - q_ref) - b * (self.q_old - q_ref)).clamp(0.0, 1.0);
        self.q_old = q;
    }
}

impl Aqm for Pi {
    fn hears(&self) -> Hears {
        Hears::ARRIVALS
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, _: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        if self.p <= 0.0 || !fits {
            return Verdict::Pass;
        }
        let share = self.sizes.share(p.ip_len, cx.link.mtu);
        self.coin = cx.rng.unit();
        Verdict::early(self.coin < self.p * share, self.config.ecn)
    }

    fn tick(&mut self, _: &mut Cx<'_>, q: &impl QueueView) -> Option<Span> {
        self.update(self.sizes.length(q.backlog()));
        Some(self.period)
    }

    fn ticks(&self) -> bool {
        true
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("p", self.p);
        out.gauge("q_old", self.q_old);
        out.gauge("coin", self.coin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::aqm::Reason;
    use dumbbell_core::catalogue::read;
    use dumbbell_core::packet::Ecn;
    use dumbbell_core::probe::Gauges;
    use dumbbell_core::qdisc::{Fifo, Qdisc};
    use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
    use dumbbell_core::units::{Capacity, Rate, Time};

    fn pi(config: &PiConfig) -> Pi {
        Pi::new(config, &link(Capacity::Unlimited))
    }

    /// 50 (a + b), and from then on 50 (a - b) in each sample.
    #[test]
    fn the_probability_at_a_constant_queue() {
        let mut pi = pi(&PiConfig::default());
        for (i, p) in [0.001_819, 0.001_822, 0.001_825, 0.001_828].into_iter().enumerate() {
            pi.update(100.0);
            assert!((pi.p - p).abs() < 1e-9, "sample {i}: {} and not {p}", pi.p);
        }
        pi.update(0.0);
        let down = 0.001_828 - 50.0 * (1.822e-5 + 1.816e-5);
        assert!((pi.p - down).abs() < 1e-9, "{} and not {down}", pi.p);
        (0..100).for_each(|_| pi.update(0.0));
        assert_eq!(pi.p, 0.0);
        (0..40_000).for_each(|_| pi.update(1000.0));
        assert_eq!(pi.p, 1.0);
    }

    /// As often as it says: at 170 Hz every 5.882 ms, with the first sample at the start.
    #[test]
    fn it_samples_at_its_frequency() {
        let (site, mut rng) =
            (link(Capacity::Unlimited), dumbbell_core::rng::Stream::named(1, "pi"));
        let (flows, queue) = (
            dumbbell_core::packet::flow::FlowTable::default(),
            dumbbell_core::qdisc::packet_queue::PacketQueue::<Numbered>::default(),
        );
        let cx = &mut Cx { now: Time::ZERO, rng: &mut rng, link: &site, flows: &flows };
        assert_eq!(pi(&PiConfig::default()).tick(cx, &queue), Some(Span::from_ps(5_882_352_941)));
        assert_eq!(
            pi(&PiConfig { w: 1000.0, ..PiConfig::default() }).tick(cx, &queue),
            Some(Span::from_ms(1))
        );
    }

    fn bench(pi: Pi, mbps: u64) -> Bench<Fifo<Pi, Numbered>> {
        let site = LinkInfo { rate: Rate::from_mbps(mbps), ..link(Capacity::Packets(1000)) };
        Bench::new(Fifo::new(pi), site, 1, false)
    }

    #[test]
    fn byte_mode_counts_in_mean_packets() {
        let q = |byte_mode, bytes| {
            let mut bench = bench(pi(&PiConfig { byte_mode, ..PiConfig::default() }), 1);
            (0..11).for_each(|_| _ = bench.arrive(Time::ZERO, packet(0, bytes, Ecn::NotEct)));
            // The next sample is after 5.9 ms: the first of 1 ms to 8 ms has left by then, or is in
            // transmission.
            bench.run_to(Time::ZERO + Span::from_ms(6));
            let mut seen = Gauges::default();
            bench.port.qdisc().probe(&mut seen);
            seen.get("q_old").unwrap()
        };
        assert_eq!(
            [q(false, 1000), q(true, 1000), q(false, 1500), q(true, 1500)],
            [10.0, 20.0, 10.0, 30.0]
        );
        let share = |byte_drop, bytes| {
            let byte_drop = if byte_drop { ByteDrop::MeanSize } else { ByteDrop::Off };
            let steady = PiConfig { byte_drop, a: 0.0, b: 0.0, ..PiConfig::default() };
            let mut bench = bench(Pi { p: 0.1, ..pi(&steady) }, 100);
            (0..20_000).for_each(|i| {
                _ = bench.arrive(Time::ZERO + Span::from_ms(i), packet(0, bytes, Ecn::NotEct))
            });
            bench.journal.dropped(Reason::Early) as f64 / 20_000.0
        };
        for (byte_drop, bytes, expected) in
            [(false, 1000, 0.1), (true, 1000, 0.2), (true, 500, 0.1), (true, 50, 0.01)]
        {
            assert!((share(byte_drop, bytes) - expected).abs() < 0.012, "{byte_drop} {bytes}");
        }
    }

    #[test]
    fn what_cannot_be_marked_is_dropped() {
        for (ecn_on, ecn, dropped) in
            [(true, Ecn::Ect0, false), (true, Ecn::NotEct, true), (false, Ecn::Ect0, true)]
        {
            let steady = PiConfig { ecn: ecn_on, a: 0.0, b: 0.0, ..PiConfig::default() };
            let mut bench = bench(Pi { p: 1.0, ..pi(&steady) }, 1);
            bench.arrive(Time::ZERO, packet(0, 1000, ecn));
            let event = if dropped {
                Event::Dropped(0, Reason::Early)
            } else {
                Event::Marked(0, Reason::Early)
            };
            assert_eq!(bench.journal.0, [event]);
        }
    }

    /// A source of 1.25 times the rate that answers to nothing: a fifth is dropped and the queue
    /// has its length, wherever that is set. The gains are larger than the paper's, because the
    /// loop has no delay.
    #[test]
    fn the_queue_settles_at_its_reference() {
        for q_ref in [50.0, 120.0] {
            let config =
                PiConfig { q_ref: Packets(q_ref), a: 1.822e-3, b: 1.816e-3, ..PiConfig::default() };
            let mut bench = bench(pi(&config), 10);
            let (n, warm, mut queue) = (200_000, 100_000, 0.0);
            for i in 0..n {
                bench.arrive(Time::ZERO + Span::from_us(640 * i), packet(0, 1000, Ecn::NotEct));
                queue += if i >= warm { f64::from(bench.port.backlog().packets) } else { 0.0 };
            }
            let late = |e: &&Event| matches!(e, Event::Dropped(id, Reason::Early) if *id >= warm);
            let share = bench.journal.0.iter().filter(late).count() as f64 / (n - warm) as f64;
            let mean = queue / (n - warm) as f64;
            assert!(
                (share - 0.2).abs() < 0.005 && (mean / q_ref - 1.0).abs() < 0.05,
                "{q_ref}: \
                {share} {mean}"
            );
        }
    }

    #[test]
    fn contradictions_are_refused() {
        for (at, json) in [
            ("w", serde_json::json!({"w": 0})),
            ("w", serde_json::json!({"w": 1e-9})),
            ("w", serde_json::json!({"w": 1e13})),
            ("a", serde_json::json!({"a": 1e-5})),
            ("mean_packet_size", serde_json::json!({"mean_packet_size": "0 B"})),
        ] {
            let found = read::<PiConfig>(&json).unwrap_err();
            assert!(found.at == at && found.fix.is_some(), "{found:?}");
        }
    }
}
