//! AVQ, the adaptive virtual queue (Kunniyur, Srikant, SIGCOMM 2001; IEEE/ACM ToN 12(2), 2004).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | C, C~ | the link's rate, state | capacity, and the virtual capacity, bytes per second |
//! | VQ, B | state, `buffer` | the virtual queue and what it holds, bytes |
//! | gamma | `gamma` | share of the capacity that is to be used |
//! | alpha | `alpha` | how fast the virtual capacity follows |
//! | s, t | state | the last arrival and this one |
//!
//! A virtual queue is a number: it grows by each packet and drains at C~. Packets that would
//! overflow it are signaled. All is done at arrivals: there is no clock and no random number.
use dumbbell_core::aqm::{Aqm, Cx, Hears, LinkInfo, QueueView, Reason, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Bytes, Capacity, Packets, Time};
use dumbbell_macros::config;

/// Parameters of [`Avq`].
#[config]
pub struct AvqConfig {
    /// Share of the link's rate at which arrivals balance.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "Kunniyur, Srikant 2001, section 4: 0.98")
    )]
    #[config(default = 0.98)]
    pub gamma: f64,
    /// How fast the virtual capacity follows: bytes per second for each byte of excess.
    #[schemars(range(min = 0.0), extend("x-source" = "Kunniyur, Srikant 2001, section 4: 0.15"))]
    #[config(default = 0.15)]
    pub alpha: f64,
    /// The virtual capacity at the start, as a share of the link's rate. ns-2 begins with 0.8.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Kunniyur, Srikant 2001: C"))]
    #[config(default = 1.0)]
    pub initial: f64,
    /// Size of the virtual queue, in packets of the mean size; `"0 pkt"`: the queue's limit, and at
    /// least a packet of the MTU if that is in packets.
    #[schemars(extend("x-source" = "Kunniyur, Srikant 2001: the buffer of the queue"))]
    #[config(default = Packets(0.0))]
    pub buffer: Packets,
    /// Size of a typical packet, by which a limit in packets becomes bytes.
    #[schemars(extend("x-source" = "ns-2 Queue/Vq mean_pktsize_ 1000"))]
    #[config(default = Bytes(1000))]
    pub mean_packet_size: Bytes,
    /// Whether the virtual capacity counts arrivals that are dropped, too. ns-2 counts only those
    /// that are marked or admitted.
    #[schemars(extend("x-source" = "Kunniyur, Srikant 2001: each arrival"))]
    #[config(default = true)]
    pub count_dropped: bool,
    /// Whether ECN-capable packets are marked rather than dropped.
    #[schemars(extend("x-source" = "as RED: ns-2 setbit_ false"))]
    pub ecn: bool,
}

impl Config for AvqConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.mean_packet_size.0 == 0 {
            return Err(Fault::at("mean_packet_size", "a packet has at least one byte").fix(
                "write \
                \"1000 B\"",
            ));
        }
        Ok(())
    }
}

/// A virtual queue, drained by a virtual capacity.
#[derive(Clone, Debug)]
pub struct Avq {
    config: AvqConfig,
    /// Bytes; infinite for a queue without a limit.
    buffer: f64,
    virtual_capacity: f64,
    virtual_queue: f64,
    last: Time,
}

impl Algorithm for Avq {
    type Config = AvqConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "avq",
        title: "Adaptive Virtual Queue (AVQ)",
        idea: "Packets that would overflow a slightly slower, virtual link are signaled; its rate \
            adapts to arrivals.",
        equations: "VQ <- max(0, VQ - C~ (t - s));   if VQ + b > B: signal;  else VQ <- VQ + b\n\
                    C~ <- max(0, min(C, C~ + alpha gamma C (t - s)) - alpha b);   s <- t\n\
                    at each arrival of b bytes; in balance arrivals come at  gamma C",
        sources: &[
            "Kunniyur, Srikant: Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm \
                for AQM, SIGCOMM 2001",
            "ns-2 Queue/Vq (initial capacity, what is counted)",
        ],
        provenance: Provenance::TwoReadings,
        rule: "arrivals at a virtual link that is a little slower",
        family: "controllers",
        look: Some(Look::new(PlotColor::Purple, '*', 3)),
        kernel: Kernel::Lacks { why: "no kernel has it", fix: "" },
        size: Size {
            measures: "a virtual queue, bytes",
            byte_mode: "always",
            signals: SizeLaw::None,
        },
        law: Law::Named { law: "avq", remark: "" },
        explained: Explained::by(&[
            (
                "reason == 'overflow'",
                "{full}; a virtual link of {virtual_capacity / 1e6} Mbps \
                    had {virtual_queue / 1e3} kB waiting",
            ),
            (
                "",
                "a virtual link of {virtual_capacity / 1e6} Mbps had {virtual_queue / 1e3} kB \
                    waiting, and no room for it",
            ),
        ]),
        ..About::PLAIN
    };
    fn new(config: &AvqConfig, link: &LinkInfo) -> Self {
        let mean = config.mean_packet_size.0 as f64;
        let buffer = match link.capacity {
            _ if config.buffer.0 > 0.0 => config.buffer.0 * mean,
            // Room for one packet is room for one of any size.
            Capacity::Packets(n) => {
                f64::from(n) * mean.max(f64::from(link.mtu) / f64::from(n.max(1)))
            }
            Capacity::Bytes(n) | Capacity::Reached(n) => n as f64,
            limit @ Capacity::Buffers { .. } => limit
                .in_packets(config.mean_packet_size.0 as u32)
                .map_or(0.0, |n| n * mean)
                .max(f64::from(link.mtu)),
            Capacity::Unlimited => f64::INFINITY,
        };
        let virtual_capacity = config.initial * link.rate.bps() as f64 / 8.0;
        Avq {
            config: config.clone(),
            buffer,
            virtual_capacity,
            virtual_queue: 0.0,
            last: Time::ZERO,
        }
    }
}

impl Avq {
    /// A packet of `size` bytes arrives `dt` seconds after the last: whether it is signaled.
    /// `dropped`: it is lost if it is.
    fn offer(&mut self, capacity: f64, dt: f64, size: f64, dropped: bool) -> bool {
        self.virtual_queue = (self.virtual_queue - self.virtual_capacity * dt).max(0.0);
        let overflows = self.virtual_queue + size > self.buffer;
        if !overflows {
            self.virtual_queue += size;
        }
        let AvqConfig { alpha, gamma, count_dropped, .. } = self.config;
        let grown = (self.virtual_capacity + alpha * gamma * capacity * dt).min(capacity);
        let arrived = if overflows && dropped && !count_dropped { 0.0 } else { size };
        self.virtual_capacity = (grown - alpha * arrived).max(0.0);
        overflows
    }
}

impl Aqm for Avq {
    fn hears(&self) -> Hears {
        Hears::ARRIVALS
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, _: &impl QueueView, p: &Meta, _fits: bool) -> Verdict {
        let dt = cx.now.since(self.last).seconds();
        self.last = cx.now;
        let marks = self.config.ecn && p.ecn.capable();
        match self.offer(cx.link.rate.bps() as f64 / 8.0, dt, f64::from(p.ip_len), !marks) {
            false => Verdict::Pass,
            true if marks => Verdict::Mark(Reason::Early),
            true => Verdict::Drop(Reason::Early),
        }
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("virtual_capacity", 8.0 * self.virtual_capacity);
        out.gauge("virtual_queue", self.virtual_queue);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::catalogue::read;
    use dumbbell_core::packet::Ecn;
    use dumbbell_core::qdisc::Fifo;
    use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
    use dumbbell_core::units::{Rate, Span};

    const C: f64 = 1.25e6;

    /// At a link of 10 Mbps.
    fn avq(config: &AvqConfig, capacity: Capacity) -> Avq {
        Avq::new(config, &LinkInfo { rate: Rate::from_mbps(10), ..link(capacity) })
    }

    /// C~ moves by alpha (gamma C - rate), up to C and down to nothing: 20 s of packets of 1000 B
    /// at `rate` C.
    #[test]
    fn the_virtual_capacity_integrates_the_excess() {
        for (initial, rate, expected) in [
            (1.0, 1.0, 1.0 - 0.15 * 0.02 * 20.0),
            (0.8, 0.98, 0.8),
            (0.2, 0.9, 0.2 + 0.15 * 0.08 * 20.0),
            (0.8, 0.5, 1.0),
            (0.8, 2.0, 0.0),
        ] {
            let mut avq = avq(&AvqConfig { initial, ..AvqConfig::default() }, Capacity::Unlimited);
            let (dt, mut t) = (1000.0 / (rate * C), 0.0);
            while t < 20.0 {
                assert!(
                    !avq.offer(C, dt, 1000.0, true),
                    "a virtual queue without a limit does not \
                    overflow"
                );
                t += dt;
            }
            let got = avq.virtual_capacity / C;
            assert!(
                (got - expected).abs() < 1e-3,
                "from {initial} at {rate}: {got} and not \
                {expected}"
            );
        }
    }

    /// With a virtual capacity that stands still, AVQ is a smaller link's Drop Tail: each packet
    /// that the fluid queue has no room for is signaled and does not enter it.
    #[test]
    fn the_virtual_queue_is_a_leaky_bucket() {
        let still = AvqConfig { alpha: 0.0, initial: 0.5, ..AvqConfig::default() };
        let mut avq = avq(&still, Capacity::Packets(3));
        // 625 000 B/s: a packet drains in 1.6 ms.
        let mut offer =
            |ms: f64| (avq.offer(C, ms / 1000.0, 1000.0, true), avq.virtual_queue.round());
        assert_eq!(
            [offer(5.0), offer(0.0), offer(0.0)],
            [(false, 1000.0), (false, 2000.0), (false, 3000.0)]
        );
        assert_eq!(
            [offer(0.0), offer(0.8), offer(0.9)],
            [(true, 3000.0), (true, 2500.0), (false, 2938.0)]
        );
        assert_eq!(offer(100.0), (false, 1000.0));
    }

    #[test]
    fn its_buffer_is_the_queues_or_its_own() {
        let buffer = |buffer, capacity| {
            avq(
                &AvqConfig {
                    buffer: Packets(buffer),
                    mean_packet_size: Bytes(500),
                    ..AvqConfig::default()
                },
                capacity,
            )
            .buffer
        };
        assert_eq!(buffer(0.0, Capacity::Packets(30)), 15_000.0);
        assert_eq!(
            [1, 2, 3, 4].map(|n| buffer(0.0, Capacity::Packets(n))),
            [1500.0, 1500.0, 1500.0, 2000.0]
        );
        assert_eq!(buffer(0.0, Capacity::Packets(0)), 0.0);
        assert_eq!(buffer(0.0, Capacity::Bytes(30)), 30.0);
        assert_eq!(buffer(0.0, Capacity::Unlimited), f64::INFINITY);
        assert_eq!(
            [buffer(2.5, Capacity::Packets(30)), buffer(2.5, Capacity::Unlimited)],
            [1250.0; 2]
        );
    }

    #[test]
    fn what_is_dropped_counts_where_asked() {
        let after = |count_dropped, dropped| {
            let mut avq =
                avq(&AvqConfig { count_dropped, ..AvqConfig::default() }, Capacity::Packets(0));
            assert!(avq.offer(C, 0.0, 1000.0, dropped));
            C - avq.virtual_capacity
        };
        assert_eq!(
            [after(true, true), after(true, false), after(false, false), after(false, true)],
            [150.0, 150.0, 150.0, 0.0]
        );
    }

    /// Sources that answer to their share of marks with 1.5 C (1 - share), a tenth of a second
    /// late: arrivals balance at gamma C, whatever that is, and the queue stays short.
    #[test]
    fn arrivals_balance_at_gamma_of_the_capacity() {
        for gamma in [0.98, 0.8] {
            let site = LinkInfo { rate: Rate::from_mbps(10), ..link(Capacity::Packets(100)) };
            let config = AvqConfig { gamma, ecn: true, ..AvqConfig::default() };
            let mut bench =
                Bench::new(Fifo::<_, Numbered>::new(Avq::new(&config, &site)), site, 1, false);
            let (mut now, mut marked, mut seen, mut share) = (Time::ZERO, 0, 0.0, 0.0);
            let (mut n, mut longest) = (0, 0);
            let (warm, end) =
                (Time::ZERO + Span::from_secs(100), Time::ZERO + Span::from_secs(300));
            while now < end {
                bench.arrive(now, packet(0, 1000, Ecn::Ect0));
                let hit = matches!(bench.journal.0.last(), Some(Event::Marked(..)));
                marked += i32::from(hit);
                seen += 0.01 * (f64::from(u8::from(hit)) - seen);
                share += 0.01 * (seen - share);
                if now >= warm {
                    n += 1;
                    longest = longest.max(bench.port.backlog().packets);
                }
                now += Span::from_secs_f64(1000.0 / (1.5 * C * (1.0 - share)));
            }
            let rate = f64::from(n) * 1000.0 / (200.0 * C);
            assert!((rate / gamma - 1.0).abs() < 0.005, "gamma {gamma}: {rate} C");
            assert!(marked > 10_000 && longest < 100, "{marked} marks, up to {longest} packets");
        }
    }

    #[test]
    fn what_cannot_be_marked_is_dropped() {
        for (ecn_on, ecn, dropped) in
            [(true, Ecn::Ect0, false), (true, Ecn::NotEct, true), (false, Ecn::Ect0, true)]
        {
            let config = AvqConfig { ecn: ecn_on, buffer: Packets(0.5), ..AvqConfig::default() };
            let site = link(Capacity::Unlimited);
            let mut bench =
                Bench::new(Fifo::<_, Numbered>::new(Avq::new(&config, &site)), site, 1, false);
            bench.arrive(Time::ZERO, packet(0, 1000, ecn));
            let event = if dropped {
                Event::Dropped(0, Reason::Early)
            } else {
                Event::Marked(0, Reason::Early)
            };
            assert_eq!(bench.journal.0, [event]);
        }
    }

    #[test]
    fn contradictions_are_refused() {
        for (at, json) in [
            ("gamma", serde_json::json!({"gamma": 0.0})),
            ("initial", serde_json::json!({"initial": 1.5})),
            ("mean_packet_size", serde_json::json!({"mean_packet_size": "0 B"})),
        ] {
            let found = read::<AvqConfig>(&json).unwrap_err();
            assert!(found.at == at && found.fix.is_some(), "{found:?}");
        }
    }
}
