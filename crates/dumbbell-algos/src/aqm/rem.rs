//! REM, Random Exponential Marking (Athuraliya, Li, Low, Yin, IEEE Network 15(3), 2001).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | p_l | state | the link's price |
//! | b, b* | backlog, `target` | queue, and the queue to steer to |
//! | x, c | state, the link's rate | packets that arrive, and that the link sends, in a `tupdate` |
//! | gamma, alpha, phi | the same | the price's step, weight of the queue, base of the probability |
//!
//! The probability is exponential in the price, so that over several links 1 minus the probability
//! of a mark is phi to minus the *sum* of their prices. ns-2 marks a packet when it departs; here
//! it is marked when it arrives, by the same probability, since a price lasts for many packets.
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

/// Parameters of [`Rem`].
#[config]
pub struct RemConfig {
    /// Queue length that the price steers to, `b*`.
    #[schemars(extend("x-source" = "Athuraliya and others 2001: 20 packets; ns-2 rembo_ 20"))]
    #[config(default = Packets(20.0))]
    pub target: Packets,
    /// Time between two updates of the price.
    #[schemars(extend("x-source" = "ns-2 pupdtime_ 2 ms"))]
    #[config(default = Span::from_ms(2))]
    pub tupdate: Span,
    /// Step of the price, for each packet of excess.
    #[schemars(range(min = 0.0), extend("x-source" = "Athuraliya and others 2001: 0.001"))]
    #[config(default = 0.001)]
    pub gamma: f64,
    /// Weight of the queue's excess relative to that of the rate.
    #[schemars(range(min = 0.0), extend("x-source" = "Athuraliya and others 2001: 0.1"))]
    #[config(default = 0.1)]
    pub alpha: f64,
    /// Base of the probability: at a price of 1, 1 / phi of the packets are not signaled.
    #[schemars(extend("exclusiveMinimum" = 1.0, "x-source" = "Athuraliya and others 2001: 1.001"))]
    #[config(default = 1.001)]
    pub phi: f64,
    /// Weight of the newest count of arrivals in their average; 1: no average.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "ns-2 reminw_: no average"),
    )]
    #[config(default = 1.0)]
    pub w: f64,
    /// Size of a typical packet, in which the link's rate is counted; the unit of `byte_mode` and
    /// of `byte_drop`.
    #[schemars(extend("x-source" = "ns-2 rempktsize_ 1000"))]
    #[config(default = Bytes(1000))]
    pub mean_packet_size: Bytes,
    /// Whether queue and arrivals are counted in bytes over `mean_packet_size`.
    #[schemars(extend("x-source" = "ns-2 qib_ false"))]
    pub byte_mode: bool,
    /// Whether larger packets are signaled more often. RFC 7141 section 2.2 advises against it.
    #[schemars(extend("x-source" = "Athuraliya and others 2001: no; \"mean_size\": ns-2 qib_"))]
    #[config(default = ByteDrop::Off)]
    pub byte_drop: ByteDrop,
    /// Whether ECN-capable packets are marked rather than dropped.
    #[schemars(extend("x-source" = "as RED: ns-2 setbit_ false"))]
    pub ecn: bool,
}

impl Config for RemConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.tupdate < Span::from_us(1) {
            return Err(Fault::at("tupdate", "the time between two updates is at least 1 us").fix(
                "write \
                \"2 ms\"",
            ));
        }
        check_sizes(self.mean_packet_size, self.byte_drop, None)
    }
}

/// A price, which grows with the excess of rate and queue.
#[derive(Clone, Debug)]
pub struct Rem {
    config: RemConfig,
    sizes: SizePolicy,
    price: f64,
    /// The traffic that arrived since the last update, and its average, in packets.
    arrived: f64,
    x: f64,
    /// Of a signal at the present price; `None`: not worked out yet, since many prices may pass
    /// without an arrival.
    p: Option<f64>,
    coin: f64,
}

impl Algorithm for Rem {
    type Config = RemConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "rem",
        title: "Random Exponential Marking (REM)",
        idea: "A price grows while rate or queue are too high; the probability of a signal is \
            exponential in it.",
        equations: "p_l <- max(0, p_l + gamma (alpha (b - b*) + x - c))   every tupdate\n\
                    each packet that arrives is signaled with probability  1 - phi^(-p_l)",
        sources: &[
            "Athuraliya, Li, Low, Yin: REM: Active Queue Management, IEEE Network 15(3), 2001",
            "ns-2 Queue/REM (parameters, average of the rate)",
        ],
        provenance: Provenance::Recollection,
        rule: "a price of length and rate",
        family: "controllers",
        look: Some(Look::new(PlotColor::Purple, 's', 2)),
        kernel: Kernel::Lacks { why: "no kernel has it", fix: "" },
        size: Size {
            measures: "length and arrivals, packets, over a rate in typical packets",
            byte_mode: "bytes",
            signals: SizeLaw::Constant,
        },
        law: Law::Named { law: "rem", remark: "" },
        explained: Explained::by(&[
            (
                "reason == 'overflow'",
                "{full}; the price was {price}, so p = 1 - {phi}^-price = \
                    {p}",
            ),
            (
                "",
                "the price was {price}, so p = 1 - {phi}^-price = {p}, and the coin, {coin}, \
                    fell below it",
            ),
        ]),
        ..About::PLAIN
    };
    fn new(config: &RemConfig, _: &LinkInfo) -> Self {
        Rem {
            sizes: SizePolicy::new(config.mean_packet_size, config.byte_mode, config.byte_drop),
            config: config.clone(),
            price: 0.0,
            arrived: 0.0,
            x: 0.0,
            p: Some(0.0),
            coin: 1.0,
        }
    }
}

/// `1 - phi^(-price)`.
fn probability(phi: f64, price: f64) -> f64 {
    -libm::expm1(-price * libm::log(phi))
}

impl Rem {
    /// The price after an update with a queue of `b` and a link that sends `c` packets in the time.
    fn update(&mut self, b: f64, c: f64) {
        self.x += self.config.w * (self.arrived - self.x);
        self.arrived = 0.0;
        let excess = self.config.alpha * (b - self.config.target.0) + self.x - c;
        let price = (self.price + self.config.gamma * excess).max(0.0);
        if price != self.price {
            self.price = price;
            self.p = None;
        }
    }

    fn p(&mut self) -> f64 {
        *self.p.get_or_insert_with(|| probability(self.config.phi, self.price))
    }
}

impl Aqm for Rem {
    fn hears(&self) -> Hears {
        Hears::ARRIVALS
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, _: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        self.arrived += self.sizes.amount(p.ip_len);
        if self.price <= 0.0 || !fits {
            return Verdict::Pass;
        }
        self.coin = cx.rng.unit();
        let share = self.sizes.share(p.ip_len, cx.link.mtu);
        Verdict::early(self.coin < self.p() * share, self.config.ecn)
    }

    fn tick(&mut self, cx: &mut Cx<'_>, q: &impl QueueView) -> Option<Span> {
        let c =
            self.config.tupdate.seconds() * cx.link.rate.bps() as f64 / (8.0 * self.sizes.mean());
        self.update(self.sizes.length(q.backlog()), c);
        Some(self.config.tupdate)
    }

    fn ticks(&self) -> bool {
        true
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("price", self.price);
        out.gauge("p", self.p.unwrap_or_else(|| probability(self.config.phi, self.price)));
        out.gauge("x", self.x);
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

    fn rem(config: &RemConfig) -> Rem {
        Rem::new(config, &link(Capacity::Unlimited))
    }

    /// 1 - 1.001^-100, and the price at which every other packet is signaled: ln 2 / ln 1.001.
    #[test]
    fn the_probability_is_exponential_in_the_price() {
        for (price, p) in [(0.0, 0.0), (100.0, 0.095_117), (693.493_9, 0.5)] {
            assert!(
                (probability(1.001, price) - p).abs() < 1e-6,
                "{price}: {}",
                probability(1.001, price)
            );
        }
        // Over a path of three links nothing is marked with probability phi^-(sum of the prices).
        let unmarked: f64 =
            [10.0, 200.0, 35.5].iter().map(|price| 1.0 - probability(1.001, *price)).product();
        assert!((unmarked - libm::pow(1.001, -245.5)).abs() < 1e-12, "{unmarked}");
    }

    /// gamma (alpha (b - b*) + x - c), never below zero.
    #[test]
    fn the_price_adds_up_what_is_too_much() {
        let mut rem = rem(&RemConfig::default());
        let mut price = |arrived, b, c| {
            rem.arrived = arrived;
            rem.update(b, c);
            rem.price
        };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and not {b}");
        near(price(0.0, 0.0, 25.0), 0.0);
        near(price(30.0, 20.0, 25.0), 0.005);
        near(price(25.0, 50.0, 25.0), 0.008);
        near(price(25.0, 20.0, 25.0), 0.008);
        near(price(20.0, 0.0, 25.0), 0.001);
        near(price(20.0, 0.0, 25.0), 0.0);
    }

    #[test]
    fn arrivals_are_averaged_where_asked() {
        let mut rem = rem(&RemConfig { w: 0.5, ..RemConfig::default() });
        let mut x = |arrived| {
            rem.arrived = arrived;
            rem.update(20.0, 0.0);
            rem.x
        };
        assert_eq!([x(8.0), x(8.0), x(0.0)], [4.0, 6.0, 3.0]);
    }

    fn gauge(bench: &Bench<Fifo<Rem, Numbered>>, name: &str) -> f64 {
        let mut seen = Gauges::default();
        bench.port.qdisc().probe(&mut seen);
        seen.get(name).unwrap()
    }

    /// Packets of the mean size are the same in both modes; half as large ones are half as many.
    #[test]
    fn byte_mode_counts_in_mean_packets() {
        let x = |byte_mode, bytes| {
            let config = RemConfig { byte_mode, ..RemConfig::default() };
            let mut bench = Bench::new(
                Fifo::<_, Numbered>::new(rem(&config)),
                link(Capacity::Unlimited),
                1,
                false,
            );
            (0..10).for_each(|_| _ = bench.arrive(Time::ZERO, packet(0, bytes, Ecn::NotEct)));
            bench.run_to(Time::ZERO + Span::from_ms(2));
            gauge(&bench, "x")
        };
        assert_eq!(
            [x(false, 1000), x(true, 1000), x(false, 500), x(true, 500)],
            [10.0, 10.0, 10.0, 5.0]
        );
    }

    /// Matches the rate, clears the buffer: sources that answer to the probability with 1.5 c (1 -
    /// p) end at a third of their packets marked, at the link's rate c, and with a queue of b*,
    /// whatever the price is then.
    #[test]
    fn the_queue_settles_at_its_target_and_the_rate_at_the_links() {
        for target in [20.0, 60.0] {
            let config = RemConfig {
                target: Packets(target),
                alpha: 0.01,
                phi: 1.1,
                ecn: true,
                ..RemConfig::default()
            };
            let site = LinkInfo { rate: Rate::from_mbps(10), ..link(Capacity::Packets(1000)) };
            let mut bench =
                Bench::new(Fifo::<_, Numbered>::new(Rem::new(&config, &site)), site, 1, false);
            let (mut now, end) = (Time::ZERO, Time::ZERO + Span::from_secs(200));
            let (mut n, mut queue) = (0.0, 0.0);
            while now < end {
                bench.arrive(now, packet(0, 1000, Ecn::Ect0));
                now += Span::from_secs_f64(1.0 / (1.5 * 1250.0 * (1.0 - gauge(&bench, "p"))));
                if now.since(Time::ZERO) > Span::from_secs(100) {
                    queue += f64::from(bench.port.backlog().packets);
                    n += 1.0;
                }
            }
            let (queue, rate, p) = (queue / n, n / 100.0, gauge(&bench, "p"));
            assert!((queue - target).abs() < 1.0, "b* {target}: {queue}");
            assert!(
                (rate / 1250.0 - 1.0).abs() < 0.01 && (p - 1.0 / 3.0).abs() < 0.02,
                "{rate} \
                1/s at {p}"
            );
            assert_eq!(
                bench.journal.0.iter().filter(|e| matches!(e, Event::Dropped(..))).count(),
                0
            );
            assert!(bench.journal.marked() > 60_000);
        }
    }

    #[test]
    fn what_cannot_be_marked_is_dropped() {
        for (ecn_on, ecn, dropped) in
            [(true, Ecn::Ect0, false), (true, Ecn::NotEct, true), (false, Ecn::Ect0, true)]
        {
            let mut rem = rem(&RemConfig { ecn: ecn_on, gamma: 0.0, ..RemConfig::default() });
            (rem.price, rem.p) = (1e5, None);
            let mut bench =
                Bench::new(Fifo::<_, Numbered>::new(rem), link(Capacity::Unlimited), 1, false);
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
            ("tupdate", serde_json::json!({"tupdate": "0 ms"})),
            ("phi", serde_json::json!({"phi": 1.0})),
            ("w", serde_json::json!({"w": 0.0})),
            ("mean_packet_size", serde_json::json!({"mean_packet_size": "0 B"})),
        ] {
            let found = read::<RemConfig>(&json).unwrap_err();
            assert!(found.at == at && found.fix.is_some(), "{found:?}");
        }
    }
}
