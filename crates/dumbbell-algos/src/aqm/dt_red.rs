//! dt-RED, RED with a dynamic threshold: once an observation interval `max_th` follows the average
//! (G. Hasegawa, K. Tokuda, M. Murata, INET 2002).
//!
//! The paper itself was not available. We know what Lim, Lee, Huh and Hwang (`ea_red`) write about
//! it: RED does best while avg lies between its thresholds; `max_th` is moved to that end, `min_th`
//! hardly at all; it is moved once an observation interval; both thresholds have limits. The rest
//! is reconstructed, and an option where it can be otherwise: the interval's length, what of the
//! interval counts (`statistic`), the steps, the limits, whether `min_th` follows.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | avg | `avg` | RED's average queue length, as it stands: it changes when packets arrive |
//! | a | `a` | what the last interval came to |
//! | T_obs | `interval` | observation interval |
//! | alpha, beta | the same | steps up and down, fractions of `max_th` |
//! | max_lo, max_hi | the same | limits of `max_th`, in units of the first `min_th` and of the queue's limit |
use super::red::config::RedOptions;
use super::red::curve::Curve;
use crate::aqm::red::Red;
use dumbbell_core::aqm::{Aqm, Cx, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Law, Look, PlotColor, Provenance, Size, SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Packets, Span, Time};
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which statistic of an observation interval counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// The average over the interval's time of avg, as it stands between arrivals.
    #[default]
    TimeAverage,
    /// avg at the interval's end.
    Last,
}

/// Parameters of [`DtRed`]. Thresholds are in packets.
#[config]
pub struct DtRedConfig {
    /// Lower threshold.
    #[schemars(extend("x-source" = "reconstructed: RED's"))]
    #[config(default = Packets(5.0))]
    pub min_th: Packets,
    /// First upper threshold.
    #[schemars(extend("x-source" = "reconstructed: RED's"))]
    #[config(default = Packets(15.0))]
    pub max_th: Packets,
    /// Probability `p_b` at `max_th`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "reconstructed: RED's"))]
    #[config(default = 0.1)]
    pub max_p: f64,
    /// Observation interval, after which `max_th` may move. Reconstructed; 100 ms to 1 s are
    /// sensible.
    #[schemars(
        extend("x-source" = "reconstructed: the interval of Floyd, Gummadi, Shenker 2001"),
    )]
    #[config(default = Span::from_ms(500))]
    pub interval: Span,
    /// Which statistic of an interval is compared with the thresholds. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed"))]
    #[config(default = Statistic::TimeAverage)]
    pub statistic: Statistic,
    /// Step upwards: `max_th (1 + alpha)`. Reconstructed.
    #[schemars(
        range(min = 0.0, max = 10.0),
        extend("x-source" = "reconstructed: ea-RED's 0.05"),
    )]
    #[config(default = 0.05)]
    pub alpha: f64,
    /// Step downwards: `max_th (1 - beta)`. Reconstructed.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "reconstructed: ea-RED's 0.05"),
    )]
    #[config(default = 0.05)]
    pub beta: f64,
    /// `max_th` is not lowered below this many times the first `min_th`. Reconstructed.
    #[schemars(
        range(min = 1.0, max = 1000.0),
        extend("x-source" = "reconstructed: Floyd, Jacobson 1993, at least 2 min_th"),
    )]
    #[config(default = 2.0)]
    pub max_lo: f64,
    /// `max_th` is not raised beyond this part of the queue's limit; without a limit there is
    /// no bound. Reconstructed.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "reconstructed"),
    )]
    #[config(default = 0.9)]
    pub max_hi: f64,
    /// Whether `min_th` follows as a third of `max_th`, never below its first value.
    /// Reconstructed.
    #[schemars(extend("x-source" = "Lim et al.: min_th hardly changes"))]
    pub adapt_min: bool,
    /// What the RED family has in common.
    #[config(flatten)]
    pub red: RedOptions,
}

impl Config for DtRedConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.interval < Span::from_us(1) {
            return Err(Fault::at("interval", "an observation takes at least 1 us").fix(
                "write \
                \"500 ms\"",
            ));
        }
        self.red().with(self.min_th.0, self.max_th.0, self.max_p).check()
    }
}

/// RED whose upper threshold moves once an interval.
#[derive(Clone, Debug)]
pub struct DtRed {
    red: Red,
    watch: Watch,
    rule: Box<Rule>,
}

/// The rule that ends an interval.
#[derive(Clone, Debug)]
struct Rule {
    config: DtRedConfig,
    /// The limits of `max_th`, packets.
    limits: (f64, f64),
    /// The statistic of the last interval.
    a: f64,
}

/// Measurements of the current interval.
#[derive(Clone, Debug, Default)]
struct Watch {
    started: Time,
    /// The end of the time over which `sum` is taken.
    until: Time,
    /// Integral of avg, packets times seconds.
    sum: f64,
    arrivals: u64,
}

impl Watch {
    /// The average stood at `avg` until `now`.
    #[inline]
    fn stood(&mut self, avg: f64, now: Time) {
        self.sum += avg * now.since(self.until).seconds();
        self.until = now;
    }
}

impl Algorithm for DtRed {
    type Config = DtRedConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "dt_red",
        title: "RED with a dynamic threshold (dt-RED)",
        idea: "RED that moves max_th once an observation interval, so that the average queue stays \
            between the thresholds.",
        equations: "every T_obs in which packets came, a = time average of avg (reconstructed):\n\
                    a > max_th:  max_th <- min(max_hi limit, max_th (1 + alpha))\n\
                    a < min_th:  max_th <- max(max_lo min_th, max_th (1 - beta))\n\
                    each packet: RED's decision with max_th as it stands",
        sources: &[
            "Hasegawa, Tokuda, Murata: Analysis and Improvement of Fairness among Many TCP \
                Connections Sharing Tail-Drop and RED Routers, INET 2002 (not at hand)",
            "Lim, Lee, Huh, Hwang: Evaluation of Efficient Adaptive RED Router Buffer Management \
                Algorithm Using NS-2, section 1 (what it says of dt-RED)",
        ],
        provenance: Provenance::Reconstruction,
        rule: "RED's; max_th moves once an interval",
        family: "RED family",
        look: Some(Look::new(PlotColor::Yellow, 'D', 2)),
        size: Size { measures: "as `red`", byte_mode: "bytes", signals: SizeLaw::Constant },
        law: Law::Named { law: "red", remark: "max_th as it moves" },
        explained: Explained::as_story("red", " (at first {set_max_th})"),
        ..About::PLAIN
    };
    const CHANCE: &'static str = "red";

    fn new(config: &DtRedConfig, link: &LinkInfo) -> Self {
        let red = config.red().with(config.min_th.0, config.max_th.0, config.max_p);
        let size = config.mean_packet_size.0.min(u64::from(u32::MAX)) as u32;
        let low = config.max_lo * config.min_th.0;
        let high = link.capacity.in_packets(size).map_or(f64::MAX, |limit| config.max_hi * limit);
        DtRed {
            red: Red::given(&red),
            watch: Watch::default(),
            rule: Box::new(Rule { config: config.clone(), limits: (low, high), a: 0.0 }),
        }
    }
}

impl Rule {
    /// An interval is over, and came to `a`.
    fn adapt(&mut self, curve: &mut Curve, a: f64) {
        let ((low, high), c) = (self.limits, &self.config);
        self.a = a;
        // A first max_th beyond its limit stays: a step up never lowers it, nor one down raises it.
        if a > curve.max_th {
            curve.max_th = (curve.max_th * (1.0 + c.alpha)).min(high.max(curve.max_th));
        } else if a < curve.min_th {
            curve.max_th = (curve.max_th * (1.0 - c.beta)).max(low.min(curve.max_th));
        }
        if c.adapt_min {
            curve.min_th = (curve.max_th / 3.0).max(c.min_th.0);
        }
    }
}

#[delegate(self.red)]
impl Aqm for DtRed {
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _: bool) -> Verdict {
        self.watch.stood(self.red.body.avg(), cx.now);
        self.watch.arrivals += 1;
        let avg = self.red.body.observe(cx, q.backlog());
        self.red.dropper.decide(&self.red.body, avg, cx, q, p)
    }

    fn tick(&mut self, cx: &mut Cx<'_>, _: &impl QueueView) -> Option<Span> {
        self.watch.stood(self.red.body.avg(), cx.now);
        let Watch { started, sum, arrivals, .. } = self.watch;
        let length = cx.now.since(started);
        self.watch = Watch { started: cx.now, until: cx.now, sum: 0.0, arrivals: 0 };
        if arrivals > 0 && length > Span::ZERO {
            let a = match self.rule.config.statistic {
                Statistic::TimeAverage => sum / length.seconds(),
                Statistic::Last => self.red.body.avg(),
            };
            self.rule.adapt(&mut self.red.dropper.curve, a);
        }
        Some(self.rule.config.interval)
    }

    fn ticks(&self) -> bool {
        true
    }

    fn probe(&self, out: &mut dyn Probe) {
        self.red.dropper.probe(self.red.body.avg(), out);
        out.gauge("a", self.rule.a);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::red::RedConfig;
    use crate::aqm::red::tests::alike::{Line, same_as_red};
    use dumbbell_core::catalogue::read;
    use dumbbell_core::testing::link;
    use dumbbell_core::units::Capacity;
    use serde_json::json;

    /// A dt-RED whose average is what the arriving packet finds, with a limit of 50 packets.
    fn instant(config: DtRedConfig) -> Line<DtRed> {
        instant_at(config, Capacity::Packets(50))
    }

    fn instant_at(config: DtRedConfig, capacity: Capacity) -> Line<DtRed> {
        config.check().unwrap();
        let aqm = DtRed::new(&DtRedConfig { w_q: 1.0, ..config }, &link(capacity));
        let mut line = Line::new(aqm, capacity);
        line.tick();
        line
    }

    fn max_th(line: &Line<DtRed>) -> f64 {
        line.gauge("max_th")
    }

    /// 15 x 1.05^n reaches 45 = 0.9 x 50 at n = ceil(ln 3 / ln 1.05) = 23, and stays.
    #[test]
    fn geometric_growth() {
        let mut line = instant(DtRedConfig::default());
        line.arrive(49);
        for n in 1..=30 {
            line.arrive(49);
            line.tick();
            let expected = (15.0 * libm::pow(1.05, f64::from(n))).min(45.0);
            assert!((max_th(&line) - expected).abs() < 1e-9, "{n}: {}", max_th(&line));
            assert_eq!(max_th(&line) == 45.0, n >= 23, "{n}");
        }
        assert_eq!(line.gauge("min_th"), 5.0, "min_th does not move");
    }

    /// With a short queue it falls to twice min_th: 15 x 0.95^8 is below 10.
    #[test]
    fn decay_to_the_lower_limit() {
        let mut line = instant(DtRedConfig::default());
        for n in 1..=12 {
            line.arrive(2);
            line.tick();
            let expected = (15.0 * libm::pow(0.95, f64::from(n))).max(10.0);
            assert!((max_th(&line) - expected).abs() < 1e-9, "{n}: {}", max_th(&line));
        }
    }

    /// Half of the interval at 10, half at 30: between the thresholds on average, beyond them at
    /// the end.
    #[test]
    fn the_statistic() {
        let after = |statistic| {
            let mut line =
                instant(DtRedConfig { statistic, max_th: Packets(25.0), ..Default::default() });
            line.arrive(10);
            line.now += Span::from_ms(250);
            line.arrive(30);
            line.now += Span::from_ms(250);
            line.tick_now();
            (line.gauge("a"), max_th(&line))
        };
        let (a, th) = after(Statistic::TimeAverage);
        assert!((a - 20.0).abs() < 1e-12 && th == 25.0, "{a} {th}");
        let (a, th) = after(Statistic::Last);
        assert!(a == 30.0 && (th - 26.25).abs() < 1e-12, "{a} {th}");
    }

    #[test]
    fn an_interval_without_packets_says_nothing() {
        let mut line = instant(DtRedConfig::default());
        line.arrive(49);
        line.tick();
        let th = max_th(&line);
        for _ in 0..10 {
            line.tick();
        }
        assert_eq!(max_th(&line), th);
    }

    #[test]
    fn min_th_follows_where_asked() {
        let mut line = instant(DtRedConfig { adapt_min: true, ..Default::default() });
        for _ in 0..40 {
            line.arrive(49);
            line.tick();
        }
        assert_eq!((line.gauge("min_th"), max_th(&line)), (15.0, 45.0));
        for _ in 0..60 {
            line.arrive(0);
            line.tick();
        }
        assert_eq!((line.gauge("min_th"), max_th(&line)), (5.0, 10.0));
    }

    /// Limits that the first max_th does not keep: it stays, and is never moved the wrong way.
    #[test]
    fn a_first_threshold_beyond_the_limits() {
        let mut short = instant_at(DtRedConfig::default(), Capacity::Packets(10));
        short.arrive(40);
        short.tick();
        assert_eq!(max_th(&short), 15.0);
        let mut low = instant(DtRedConfig { max_th: Packets(6.0), ..Default::default() });
        low.arrive(1);
        low.tick();
        assert_eq!(max_th(&low), 6.0);
        let mut free = instant_at(DtRedConfig::default(), Capacity::Unlimited);
        for _ in 0..100 {
            free.arrive(1000);
            free.tick();
        }
        assert!((1000.0..1050.0).contains(&max_th(&free)), "{}", max_th(&free));
    }

    #[test]
    fn without_steps_it_is_red() {
        let red = RedConfig { w_q: 0.1, ..Default::default() };
        let none = DtRedConfig { alpha: 0.0, beta: 0.0, w_q: 0.1, ..Default::default() };
        same_as_red(&red, |site| DtRed::new(&none, site)).unwrap();
        let steps = DtRedConfig { beta: 0.3, interval: Span::from_ms(50), ..none };
        assert!(same_as_red(&red, |site| DtRed::new(&steps, site)).is_err(), "steps must show");
    }

    #[test]
    fn contradictions_are_refused() {
        let fault = |json| read::<DtRedConfig>(&json).unwrap_err().at;
        for too_short in ["0 s", "1 ps", "999 ns"] {
            assert_eq!(fault(json!({ "interval": too_short })), "interval");
        }
        assert_eq!(fault(json!({"max_lo": 0.5})), "max_lo");
        assert_eq!(fault(json!({"max_th": "4 pkt"})), "max_th");
    }
}
