//! Adaptive RED (S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED: An Algorithm for Increasing the
//! Robustness of RED's Active Queue Management", August 2001): `max_p` is moved slowly, so that the
//! average stays half-way between the thresholds; thresholds and weight follow from the link.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | C | from the link's first rate and `mean_packet_size` | packets per second that the link sends |
//! | target | 0.4 to 0.6 of the way from min_th to max_th | where avg ought to be |
//! | alpha, beta | the same | step up (at most `max_p / 4`), factor down |
//! | top, bottom | the same | beyond which max_p takes no further step |
//! | interval | the same | time between two steps |
#[cfg(test)]
mod tests;

pub use super::red::automatic::AutoWeight;
use super::red::automatic::lower_threshold;
use super::red::config::RedOptions;
use super::red::curve::Curve;
use crate::aqm::red::Red;
use dumbbell_core::aqm::{Aqm, Cx, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Packets, Span, Time};
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a step may be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdaptTrigger {
    /// Every `interval`, whether packets arrive or not (the paper).
    #[default]
    Timer,
    /// At the first arrival that is more than `interval` after the last step that changed `max_p`
    /// (ns-2).
    Arrival,
}

/// Parameters of [`AdaptiveRed`]. Thresholds are in packets.
#[config]
pub struct AdaptiveRedConfig {
    /// Lower threshold; `"0 pkt"`: `max(5, target_delay C / 2)`.
    #[schemars(extend("x-source" = "Floyd, Gummadi, Shenker 2001, section 6; ns-2 thresh_ 0"))]
    #[config(default = Packets(0.0))]
    pub min_th: Packets,
    /// Upper threshold; `"0 pkt"`: three times `min_th`.
    #[schemars(
        extend("x-source" = "Floyd, Gummadi, Shenker 2001, section 6; ns-2 maxthresh_ 0"),
    )]
    #[config(default = Packets(0.0))]
    pub max_th: Packets,
    /// First probability `p_b` at `max_th`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "ns-2 linterm_ 10"))]
    #[config(default = 0.1)]
    pub max_p: f64,
    /// Delay in the queue from which an automatic `min_th` follows.
    #[schemars(extend("x-source" = "ns-2 targetdelay_ 0.005"))]
    #[config(default = Span::from_ms(5))]
    pub target_delay: Span,
    /// How the weight is computed from the link; `"off"`: it is `w_q`.
    #[schemars(extend("x-source" = "Floyd, Gummadi, Shenker 2001, section 6"))]
    #[config(default = AutoWeight::Second)]
    pub auto_w_q: AutoWeight,
    /// Time between two steps of `max_p`.
    #[schemars(extend("x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: 0.5 s"))]
    #[config(default = Span::from_ms(500))]
    pub interval: Span,
    /// When a step may be taken. Which of the two is the default is our choice.
    #[schemars(extend("x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: every interval"))]
    #[config(default = AdaptTrigger::Timer)]
    pub adapt_trigger: AdaptTrigger,
    /// Step upwards: `max_p + min(alpha, max_p / 4)`.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: 0.01"),
    )]
    #[config(default = 0.01)]
    pub alpha: f64,
    /// Step downwards: `beta max_p`.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: \
            0.9")
    )]
    #[config(default = 0.9)]
    pub beta: f64,
    /// `max_p` is not raised beyond this.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: 0.5"),
    )]
    #[config(default = 0.5)]
    pub top: f64,
    /// `max_p` is not lowered further once it is below this; 0: `min(0.01, 80 kbps / rate)`.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: 0.01; ns-2 bottom_ 0")
    )]
    #[config(default = 0.01)]
    pub bottom: f64,
    /// What the RED family has in common.
    #[config(flatten, gentle = true)]
    pub red: RedOptions,
}

impl AdaptiveRedConfig {
    /// Thresholds, weight and `bottom` on a link: `(min_th, max_th, w_q, bottom)`.
    pub fn on(&self, link: &LinkInfo) -> (f64, f64, f64, f64) {
        let size = self.mean_packet_size;
        let min_th = if self.min_th.0 > 0.0 {
            self.min_th.0
        } else {
            lower_threshold(link, size, self.target_delay)
        };
        let max_th = if self.max_th.0 > 0.0 { self.max_th.0 } else { 3.0 * min_th };
        let w_q = self.auto_w_q.on(link, size, self.w_q);
        let bottom = if self.bottom > 0.0 {
            self.bottom
        } else {
            (80_000.0 / link.rate.bps() as f64).min(0.01)
        };
        (min_th, max_th, w_q, bottom)
    }
}

impl Config for AdaptiveRedConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.min_th.0 <= 0.0 && self.max_th.0 > 0.0 {
            let cause = "max_th is given, and min_th would follow from the link and may be beyond \
                it";
            return Err(
                Fault::at("min_th", cause).fix(format!("write \"{} pkt\"", self.max_th.0 / 3.0))
            );
        }
        if self.auto_w_q != AutoWeight::Off && self.w_q != Self::default().w_q {
            let cause = "w_q follows from the link, so that this one would not be used";
            return Err(Fault::at("w_q", cause).fix("write auto_w_q = \"off\""));
        }
        if self.interval < Span::from_us(1) {
            return Err(Fault::at("interval", "the time between two steps is at least 1 us").fix(
                "write \
                \"500 ms\"",
            ));
        }
        if self.bottom > self.top {
            let cause = format!("bottom = {} is above top = {}", self.bottom, self.top);
            return Err(Fault::at("bottom", cause).fix(
                "write at most `top`; the paper has 0.01 and \
                0.5",
            ));
        }
        let max_th = if self.max_th.0 > 0.0 { self.max_th.0 } else { 3.0 * self.min_th.0.max(1.0) };
        self.red().with(self.min_th.0, max_th, self.max_p).check()
    }
}

/// RED whose `max_p` adapts.
#[derive(Clone, Debug)]
pub struct AdaptiveRed {
    red: Red,
    rule: Rule,
    /// The timer's first call, at the start of the run, is not a step.
    started: bool,
    /// [`AdaptTrigger::Arrival`]: the last step that changed `max_p`.
    last_set: Time,
}

/// The rule that moves `max_p`.
#[derive(Clone, Debug)]
struct Rule {
    trigger: AdaptTrigger,
    interval: Span,
    alpha: f64,
    beta: f64,
    bottom: f64,
    top: f64,
}

impl Rule {
    /// One step; whether `max_p` changed.
    fn adapt(&self, curve: &mut Curve, avg: f64) -> bool {
        let part = 0.4 * (curve.max_th - curve.min_th);
        let before = curve.max_p;
        if avg > curve.max_th - part && before <= self.top {
            curve.max_p = (before + self.alpha.min(before / 4.0)).min(self.top);
        } else if avg < curve.min_th + part && before >= self.bottom {
            curve.max_p = before * self.beta;
        }
        curve.max_p != before
    }
}

impl Algorithm for AdaptiveRed {
    type Config = AdaptiveRedConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "adaptive_red",
        title: "Adaptive RED (Floyd, Gummadi, Shenker)",
        idea: "RED that adapts max_p slowly, so that the average queue stays half-way between \
            thresholds set by the link.",
        equations: "every interval:\navg > min_th + 0.6 (max_th - min_th), max_p <= top:     max_p \
            <- max_p + min(alpha, max_p / 4)\navg < min_th + 0.4 (max_th - min_th), max_p >= \
            bottom:  max_p <- beta max_p\nw_q = 1 - exp(-1 / C);  min_th = max(5, target_delay C / \
            2);  max_th = 3 min_th",
        sources: &[
            "Floyd, Gummadi, Shenker: Adaptive RED: An Algorithm for Increasing the Robustness of \
                RED's Active Queue Management, August 2001",
            "ns-2 Queue/RED adaptive_ (automatic settings, the trigger at an arrival)",
        ],
        provenance: Provenance::TwoReadings,
        rule: "RED's; max_p moves slowly until the average is half-way",
        family: "RED family",
        look: Some(Look::new(PlotColor::Vermillion, '*', 3)),
        kernel: Kernel::Has { name: "red", note: "" },
        size: Size { measures: "as `red`", byte_mode: "bytes", signals: SizeLaw::Constant },
        law: Law::Named { law: "red", remark: "max_p as it moves" },
        explained: Explained::as_story("red", " with max_p at {max_p} (first {set_max_p})"),
        ..About::PLAIN
    };
    const CHANCE: &'static str = "red";

    fn new(config: &AdaptiveRedConfig, link: &LinkInfo) -> Self {
        let (min_th, max_th, w_q, bottom) = config.on(link);
        let mut red = config.red().with(min_th, max_th, config.max_p);
        red.w_q = w_q;
        let &AdaptiveRedConfig { adapt_trigger: trigger, interval, alpha, beta, top, .. } = config;
        AdaptiveRed {
            red: Red::given(&red),
            rule: Rule { trigger, interval, alpha, beta, bottom, top },
            started: false,
            last_set: Time::ZERO,
        }
    }
}

#[delegate(self.red)]
impl Aqm for AdaptiveRed {
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _: bool) -> Verdict {
        let avg = self.red.body.observe(cx, q.backlog());
        if self.rule.trigger == AdaptTrigger::Arrival
            && cx.now.since(self.last_set) > self.rule.interval
            && self.rule.adapt(&mut self.red.dropper.curve, avg)
        {
            self.last_set = cx.now;
        }
        self.red.dropper.decide(&self.red.body, avg, cx, q, p)
    }

    fn tick(&mut self, _: &mut Cx<'_>, _: &impl QueueView) -> Option<Span> {
        if self.started {
            self.rule.adapt(&mut self.red.dropper.curve, self.red.body.avg());
        }
        self.started = true;
        Some(self.rule.interval)
    }

    fn ticks(&self) -> bool {
        self.rule.trigger == AdaptTrigger::Timer
    }

    fn probe(&self, out: &mut dyn Probe) {
        self.red.dropper.probe(self.red.body.avg(), out);
        out.gauge("max_p", self.red.dropper.curve.max_p);
    }
}
