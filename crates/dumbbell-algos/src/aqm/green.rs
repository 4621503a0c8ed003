//! GREEN, Generalized Random Early Evasion Network (Feng, Kapadia, Thulasidasan, GLOBECOM 2002).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | N | state | active flows: those of which a packet came within a `window` |
//! | L | the link's rate | bits per second |
//! | MSS_i | the packet's IP length | bits; small packets are hardly ever signaled |
//! | RTT_i | the flow's, or `rtt` | round-trip time as it was told to the router |
//! | c | `c` | constant of the TCP model |
//!
//! The idea is the inverse of the TCP model (Mathis, Semke, Mahdavi, Ott 1997): a flow with loss
//! rate P sends MSS c / (RTT sqrt(P)), so that the P which makes that L / N is known without a
//! queue.
//!
//! Reconstructed: how flows are counted (whole windows, and the present one where it has more
//! already) and when the probability is applied (`apply`).
use dumbbell_core::aqm::{Aqm, Cx, Hears, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Law, Look, Over, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::{FlowId, Meta};
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// To which packets the probability applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Apply {
    /// To those that find others in the queue: the link is congested.
    #[default]
    Queued,
    /// To all.
    Always,
}

/// Parameters of [`Green`].
#[config]
pub struct GreenConfig {
    /// Constant of the TCP model: 0.93 with delayed acknowledgments, 1.22 without.
    #[schemars(
        extend("exclusiveMinimum" = 0.0, "x-source" = "Feng, Kapadia, Thulasidasan 2002; Mathis \
            and others 1997, Table 1")
    )]
    #[config(default = 0.93)]
    pub c: f64,
    /// Round-trip time of flows for which none is known.
    #[schemars(extend("x-source" = "reconstructed: the paper takes it from each flow"))]
    #[config(default = Span::from_ms(100))]
    pub rtt: Span,
    /// How long a flow counts as active after a packet, up to twice this. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: the paper has \"a certain window of time\""))]
    #[config(default = Span::from_secs(1))]
    pub window: Span,
    /// To which packets the probability applies. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: while the link is congested"))]
    #[config(default = Apply::Queued)]
    pub apply: Apply,
    /// Whether ECN-capable packets are marked rather than dropped.
    #[schemars(extend("x-source" = "as RED: ns-2 setbit_ false"))]
    pub ecn: bool,
}

impl Config for GreenConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.rtt == Span::ZERO {
            return Err(Fault::at("rtt", "no round trip takes no time").fix("write \"100 ms\""));
        }
        if self.window == Span::ZERO {
            return Err(
                Fault::at("window", "within no time no flow is active").fix("write \"1 s\"")
            );
        }
        Ok(())
    }
}

/// Counts the flows that sent something lately.
#[derive(Clone, Debug, Default)]
struct Active {
    /// For each flow the last window in which it sent.
    last: BTreeMap<FlowId, u64>,
    window: u64,
    now: u32,
    before: u32,
}

/// The number of silent flows that are kept before they are forgotten.
const SILENT: usize = 64;

impl Active {
    /// A packet of `flow` comes in the window of this number: the active flows, with it.
    fn count(&mut self, flow: FlowId, window: u64) -> u32 {
        if window != self.window {
            self.before = if window == self.window + 1 { self.now } else { 0 };
            (self.window, self.now) = (window, 0);
            if self.last.len() > 2 * self.before as usize + SILENT {
                self.last.retain(|_, last| *last + 1 >= window);
            }
        }
        let seen = self.last.insert(flow, window);
        self.now += u32::from(seen != Some(window));
        self.now.max(self.before)
    }
}

/// The probability that gives each flow its share by the model of TCP.
#[derive(Clone, Debug)]
pub struct Green {
    config: GreenConfig,
    active: Active,
    n: u32,
    p: f64,
    coin: f64,
}

impl Algorithm for Green {
    type Config = GreenConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "green",
        title: "GREEN",
        idea: "Signal each flow's packets with the probability at which TCP, by its model, sends \
            its share of the link.",
        equations: "P_i = min(1, (N MSS_i c / (L RTT_i))^2)\n\
                    from  L / N = MSS_i c / (RTT_i sqrt(P_i))",
        sources: &[
            "Feng, Kapadia, Thulasidasan: GREEN: Proactive Queue Management over a Best-Effort \
                Network, GLOBECOM 2002",
            "Mathis, Semke, Mahdavi, Ott: The Macroscopic Behavior of the TCP Congestion Avoidance \
                Algorithm, CCR 27(3), 1997",
        ],
        provenance: Provenance::Reconstruction,
        rule: "how many flows there are, by TCP's formula",
        family: "BLUE and models",
        look: Some(Look::new(PlotColor::Sky, 'D', 1)),
        size: Size {
            measures: "flows, and the packet's own size, by TCP's formula",
            byte_mode: "",
            signals: SizeLaw::Square,
        },
        law: Law::Over(Over {
            x: "n",
            label: "active flows",
            text: "P = min(1, (N L c / (C RTT))^2)",
            // The P at which a TCP of this packet size and round trip gets its share of 8 Mbps.
            signals: "min(1, (n * 8000 * c / (8e6 * rtt)) ** 2)",
            capable: true,
            queue: "limit = \"10000 pkt\", ecn = true",
            ..Over::PLAIN
        }),
        explained: Explained::by(&[
            (
                "reason == 'overflow'",
                "{full}; {n} flows were active, to which TCP's formula \
                    gives p = {p}",
            ),
            (
                "",
                "{n} flows were active, to which TCP's formula gives p = {p}, and the coin, \
                    {coin}, fell below it",
            ),
        ]),
        ..About::PLAIN
    };
    fn new(config: &GreenConfig, _: &LinkInfo) -> Self {
        Green { config: config.clone(), active: Active::default(), n: 0, p: 0.0, coin: 1.0 }
    }
}

impl Green {
    fn window_of(&self, now: Time) -> u64 {
        now.ps() / self.config.window.ps().max(1)
    }

    fn probability(&self, cx: &Cx<'_>, p: &Meta) -> f64 {
        let told = cx.flows.get(p.flow).rtt.filter(|rtt| *rtt > Span::ZERO);
        let rtt = told.unwrap_or(self.config.rtt).seconds();
        let share = cx.link.rate.bps().max(1) as f64 / f64::from(self.n);
        let root = 8.0 * f64::from(p.ip_len) * self.config.c / (share * rtt);
        (root * root).min(1.0)
    }
}

impl Aqm for Green {
    fn hears(&self) -> Hears {
        Hears::ARRIVALS
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        self.n = self.active.count(p.flow, self.window_of(cx.now));
        if !fits || (self.config.apply == Apply::Queued && q.backlog().packets == 0) {
            return Verdict::Pass;
        }
        self.p = self.probability(cx, p);
        self.coin = cx.rng.unit();
        Verdict::early(self.coin < self.p, self.config.ecn)
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("p", self.p);
        out.gauge("n", f64::from(self.n));
        out.gauge("coin", self.coin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::catalogue::read;
    use dumbbell_core::packet::Ecn;
    use dumbbell_core::packet::flow::{FlowInfo, FlowTable};
    use dumbbell_core::qdisc::Fifo;
    use dumbbell_core::rng::Stream;
    use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
    use dumbbell_core::units::{Capacity, Rate};

    /// Those of this window or, if they were more, of the one before; silent flows are forgotten.
    #[test]
    fn flows_are_active_for_a_window() {
        let mut active = Active::default();
        for (window, flows, found) in [
            (0, 0..3, 3),
            (0, 0..5, 5),
            (1, 0..2, 5),
            (1, 3..9, 8),
            (2, 0..1, 8),
            (3, 0..1, 1),
            (9, 4..5, 1),
        ] {
            let counts = flows.map(|flow| active.count(FlowId(flow), window));
            assert_eq!(counts.last(), Some(found), "window {window}");
        }
        (0..200).for_each(|flow| _ = active.count(FlowId(flow), 20));
        assert_eq!(active.count(FlowId(0), 21), 200);
        assert_eq!(active.last.len(), 200, "of the window before: they may come again");
        assert_eq!((active.count(FlowId(1), 22), active.last.len()), (1, 2));
        let green = Green::new(&GreenConfig::default(), &link(Capacity::Unlimited));
        let window = green.config.window;
        assert_eq!(green.window_of(Time::ZERO + window * 3), 3);
        assert_eq!(green.window_of(Time::from_ps((window * 3).ps() - 1)), 2);
    }

    /// The probability for a packet of `flow` among `n`, at a link of 10 Mbps, with these
    /// round-trip times.
    fn probability(
        config: &GreenConfig,
        n: u32,
        bytes: u32,
        flow: u32,
        rtts: &[Option<Span>],
    ) -> f64 {
        let site = LinkInfo { rate: Rate::from_mbps(10), ..link(Capacity::Unlimited) };
        let flows =
            FlowTable::new(rtts.iter().map(|rtt| FlowInfo { rtt: *rtt, ..FlowInfo::default() }));
        let cx =
            Cx { now: Time::ZERO, rng: &mut Stream::named(1, "green"), link: &site, flows: &flows };
        Green { n, ..Green::new(config, &site) }.probability(&cx, &packet(flow, bytes, Ecn::NotEct))
    }

    /// (10 * 8000 bit * 0.93 / (10 Mbps * 0.1 s))^2 = 0.0744^2; and what follows from more,
    /// smaller, and farther.
    #[test]
    fn the_probability_is_the_model_read_backwards() {
        let p = |n, bytes| probability(&GreenConfig::default(), n, bytes, 0, &[]);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and not {b}");
        near(p(10, 1000), 0.005_535_36);
        near(p(20, 1000), 4.0 * 0.005_535_36);
        near(p(10, 500), 0.25 * 0.005_535_36);
        near(p(1000, 1500), 1.0);
        near(
            probability(&GreenConfig { c: 1.86, ..GreenConfig::default() }, 10, 1000, 0, &[]),
            4.0 * 0.005_535_36,
        );
        // A TCP that loses this much sends its share by the model: MSS c / (RTT sqrt(p)).
        for n in [1, 7, 40] {
            near(8.0 * 1000.0 * 0.93 / (0.1 * p(n, 1000).sqrt()) / 10e6, 1.0 / f64::from(n));
        }
    }

    #[test]
    fn each_flow_has_its_own_round_trip_time() {
        let rtts = [Some(Span::from_ms(50)), None, Some(Span::ZERO), Some(Span::from_ms(200))];
        let p = |flow| probability(&GreenConfig::default(), 10, 1000, flow, &rtts) / 0.005_535_36;
        for (flow, factor) in [(0, 4.0), (1, 1.0), (2, 1.0), (3, 0.25), (9, 1.0)] {
            assert!((p(flow) - factor).abs() < 1e-9, "flow {flow}: {}", p(flow));
        }
    }

    #[test]
    fn flows_are_active_for_one_to_two_windows() {
        let mut active = Active::default();
        let mut count = |flow, window| active.count(FlowId(flow), window);
        assert_eq!([count(1, 0), count(2, 0), count(1, 0), count(3, 0)], [1, 2, 2, 3]);
        assert_eq!([count(1, 1), count(1, 1)], [3, 3], "the window before had three");
        assert_eq!([count(1, 2), count(4, 2), count(5, 2)], [1, 2, 3]);
        assert_eq!([count(6, 4), count(7, 4)], [1, 2], "in window 3 there was none");
        // Silent flows are forgotten.
        (100..100_000).for_each(|i| _ = count(i, u64::from(i)));
        assert!(active.last.len() <= SILENT + 4, "{}", active.last.len());
    }

    /// Of packets that find others a share of P is signaled; of those that find none, none, unless
    /// that is asked.
    #[test]
    fn it_signals_while_the_link_is_congested() {
        let site = link(Capacity::Unlimited);
        let share = |apply, gap: Span, ecn_on, ecn| {
            // One flow, 1 Mbps, 1000 B: (8000 * 0.93 / 1e5)^2 = 0.0744^2 times 36.
            let config = GreenConfig { c: 5.58, apply, ecn: ecn_on, ..GreenConfig::default() };
            let mut bench =
                Bench::new(Fifo::<_, Numbered>::new(Green::new(&config, &site)), site, 1, false);
            let n = 20_000;
            (0..n).for_each(|i| _ = bench.arrive(Time::ZERO + gap * i, packet(0, 1000, ecn)));
            let hit = |e: &&Event| matches!(e, Event::Marked(..) | Event::Dropped(..));
            assert_eq!(
                bench.journal.marked() > 0,
                ecn_on && ecn.capable() && bench.journal.0.iter().any(|e| hit(&e))
            );
            bench.journal.0.iter().filter(hit).count() as f64 / n as f64
        };
        let expected = 36.0 * 0.0744 * 0.0744;
        let (busy, calm) = (Span::from_ms(1), Span::from_ms(9));
        for (apply, gap, expected) in [
            (Apply::Queued, busy, expected),
            (Apply::Queued, calm, 0.0),
            (Apply::Always, calm, expected),
        ] {
            for (ecn_on, ecn) in [(false, Ecn::Ect0), (true, Ecn::Ect0), (true, Ecn::NotEct)] {
                let got = share(apply, gap, ecn_on, ecn);
                assert!(
                    (got - expected).abs() < 0.013,
                    "{apply:?} {ecn:?}: {got} and not \
                    {expected}"
                );
            }
        }
    }

    #[test]
    fn contradictions_are_refused() {
        for (at, json) in [
            ("rtt", serde_json::json!({"rtt": "0 ms"})),
            ("window", serde_json::json!({"window": "0 s"})),
            ("c", serde_json::json!({"c": 0})),
        ] {
            let found = read::<GreenConfig>(&json).unwrap_err();
            assert!(found.at == at && found.fix.is_some(), "{found:?}");
        }
    }
}
