//! Self-Configuring RED (W. Feng, D. Kandlur, D. Saha, K. Shin, "A Self-Configuring RED Gateway",
//! INFOCOM 1999), in ns-2 and ns-3 "Feng's Adaptive RED": `max_p` takes a step when the average
//! leaves the thresholds, on either side.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | status | `status` | where avg was last seen: -1 below, 0 between, 1 above the thresholds |
//! | alpha | `alpha` | what max_p is divided by on the way below |
//! | beta | `beta` | what max_p is multiplied by on the way above |
use super::red::config::RedOptions;
use super::red::curve::Curve;
use crate::aqm::red::Red;
use dumbbell_core::aqm::{Aqm, Cx, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Law, Look, PlotColor, Provenance, Size, SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::Packets;
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the average was last seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Below `min_th`.
    #[default]
    Below,
    /// Between the thresholds.
    Between,
    /// Above `max_th`.
    Above,
}

/// Parameters of [`FengRed`]. Thresholds are in packets.
#[config]
pub struct FengRedConfig {
    /// Average queue length at which signaling begins.
    #[schemars(extend("x-source" = "Floyd, Jacobson 1993: 5 packets"))]
    #[config(default = Packets(5.0))]
    pub min_th: Packets,
    /// Average queue length at which the probability has reached `max_p`; at least `min_th`.
    #[schemars(
        extend("x-source" = "Floyd 1997, RED: discussions of setting parameters: 3 min_th"),
    )]
    #[config(default = Packets(15.0))]
    pub max_th: Packets,
    /// First probability `p_b` at `max_th`.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Floyd 1997, RED: discussions of setting parameters"),
    )]
    #[config(default = 0.1)]
    pub max_p: f64,
    /// What `max_p` is divided by when the average falls below `min_th`.
    #[schemars(
        range(min = 1.0, max = 1000.0),
        extend("x-source" = "Feng et al. 1999, Fig. 4: 3; ns-2 alpha_"),
    )]
    #[config(default = 3.0)]
    pub alpha: f64,
    /// What `max_p` is multiplied by when the average rises above `max_th`.
    #[schemars(
        range(min = 1.0, max = 1000.0),
        extend("x-source" = "Feng et al. 1999, Fig. 4: 2; ns-2 beta_"),
    )]
    #[config(default = 2.0)]
    pub beta: f64,
    /// `max_p` never goes below this. Reconstructed.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "reconstructed"),
    )]
    #[config(default = 1e-4)]
    pub bottom: f64,
    /// `max_p` never goes beyond this. Reconstructed.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "reconstructed: a probability"),
    )]
    #[config(default = 1.0)]
    pub top: f64,
    /// Where the average counts as being at the start; unless `"below"` the first packet
    /// divides `max_p`. Reconstructed.
    #[schemars(
        extend("x-source" = "reconstructed: an empty queue is below min_th, and max_p is the \
            first one"),
    )]
    #[config(default = Status::Below)]
    pub start: Status,
    /// What the RED family has in common.
    #[config(flatten)]
    pub red: RedOptions,
}

impl Config for FengRedConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.bottom > self.top {
            let cause = format!("bottom = {} is above top = {}", self.bottom, self.top);
            return Err(Fault::at("bottom", cause).fix("write at most `top`"));
        }
        if !(self.bottom..=self.top).contains(&self.max_p) {
            let cause = format!(
                "max_p = {} does not lie between bottom = {} and top = {}",
                self.max_p, self.bottom, self.top
            );
            return Err(Fault::at("max_p", cause).fix("write one that does"));
        }
        self.red().with(self.min_th.0, self.max_th.0, self.max_p).check()
    }
}

/// RED whose `max_p` takes a step at each crossing.
#[derive(Clone, Debug)]
pub struct FengRed {
    config: Box<FengRedConfig>,
    red: Red,
    status: Status,
}

impl Algorithm for FengRed {
    type Config = FengRedConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "feng_red",
        title: "Self-Configuring RED (Feng's Adaptive RED)",
        idea: "RED that divides max_p when the average queue falls below min_th and multiplies it \
            when it rises above max_th.",
        equations: "at each avg:\nmin_th < avg < max_th:                 status <- between\navg < \
            min_th and status is not below:  status <- below,  max_p <- max_p / alpha\navg > \
            max_th and status is not above:  status <- above,  max_p <- max_p beta\nmax_p stays \
            within [bottom, top] (reconstructed)",
        sources: &[
            "Feng, Kandlur, Saha, Shin: A Self-Configuring RED Gateway, INFOCOM 1999",
            "ns-2 Queue/RED feng_adaptive_, ns-3 RedQueueDisc FengAdaptive (names, defaults)",
        ],
        provenance: Provenance::Reconstruction,
        rule: "RED's; max_p moves when the average leaves the thresholds",
        family: "RED family",
        look: Some(Look::new(PlotColor::Vermillion, 's', 1)),
        size: Size { measures: "as `red`", byte_mode: "bytes", signals: SizeLaw::Constant },
        law: Law::Named { law: "red", remark: "max_p as it moves" },
        explained: Explained::as_story("red", " with max_p at {max_p} (first {set_max_p})"),
        ..About::PLAIN
    };
    const CHANCE: &'static str = "red";

    fn new(config: &FengRedConfig, _: &LinkInfo) -> Self {
        let red = config.red().with(config.min_th.0, config.max_th.0, config.max_p);
        FengRed { red: Red::given(&red), status: config.start, config: Box::new(config.clone()) }
    }
}

impl FengRed {
    #[inline]
    fn adapt(&mut self, avg: f64) {
        let Curve { min_th, max_th, max_p, .. } = &mut self.red.dropper.curve;
        let c = &self.config;
        if *min_th < avg && avg < *max_th {
            self.status = Status::Between;
        } else if avg < *min_th && self.status != Status::Below {
            self.status = Status::Below;
            *max_p = (*max_p / c.alpha).max(c.bottom);
        } else if avg > *max_th && self.status != Status::Above {
            self.status = Status::Above;
            *max_p = (*max_p * c.beta).min(c.top);
        }
    }
}

#[delegate(self.red)]
impl Aqm for FengRed {
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _: bool) -> Verdict {
        let avg = self.red.body.observe(cx, q.backlog());
        self.adapt(avg);
        self.red.dropper.decide(&self.red.body, avg, cx, q, p)
    }

    fn probe(&self, out: &mut dyn Probe) {
        self.red.dropper.probe(self.red.body.avg(), out);
        out.gauge("max_p", self.red.dropper.curve.max_p);
        out.gauge("status", f64::from(self.status as i8) - 1.0);
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

    const BELOW: u32 = 4;
    const BETWEEN: u32 = 10;
    const ABOVE: u32 = 16;

    /// `max_p` after averages, each of which is what an arriving packet finds.
    fn after(config: FengRedConfig, found: &[u32]) -> f64 {
        let config = FengRedConfig { w_q: 1.0, ..config };
        config.check().unwrap();
        let mut line =
            Line::new(FengRed::new(&config, &link(Capacity::Packets(50))), Capacity::Packets(50));
        for q in found {
            line.arrive(*q);
        }
        line.gauge("max_p")
    }

    #[test]
    fn crossings() {
        let default = FengRedConfig::default;
        let near = |x: f64, factor: f64| {
            assert!(
                (x - 0.1 * factor).abs() < 1e-12,
                "{x} and not \
            {factor} times 0.1"
            )
        };
        near(after(default(), &[BETWEEN, ABOVE, BETWEEN, ABOVE]), 4.0);
        near(after(default(), &[BETWEEN, ABOVE, ABOVE, ABOVE]), 2.0);
        near(after(default(), &[BETWEEN, BELOW, BELOW, BELOW]), 1.0 / 3.0);
        near(after(default(), &[ABOVE, BELOW, ABOVE, BELOW]), 4.0 / 9.0);
        near(after(default(), &[ABOVE, 15, ABOVE, 5, 15]), 2.0); // at a threshold the status stays
    }

    /// -1 below, 0 between and 1 above the thresholds; at one of them it stays.
    #[test]
    fn the_status_is_shown() {
        let config = FengRedConfig { w_q: 1.0, ..Default::default() };
        let limit = Capacity::Packets(50);
        let mut line = Line::new(FengRed::new(&config, &link(limit)), limit);
        let shown = [BETWEEN, ABOVE, 15, BELOW, 5, BETWEEN].map(|q| {
            line.arrive(q);
            line.gauge("status")
        });
        assert_eq!(shown, [0.0, 1.0, 1.0, -1.0, -1.0, 0.0]);
    }

    #[test]
    fn the_start() {
        for (start, divided) in [(Status::Below, 1.0), (Status::Between, 3.0), (Status::Above, 3.0)]
        {
            let max_p = after(FengRedConfig { start, ..Default::default() }, &[BELOW, BELOW]);
            assert!((max_p - 0.1 / divided).abs() < 1e-12, "{start:?}: {max_p}");
        }
    }

    #[test]
    fn limits() {
        let up: Vec<u32> = [BETWEEN, ABOVE].repeat(20);
        let down: Vec<u32> = [BETWEEN, BELOW].repeat(20);
        assert_eq!((after(Default::default(), &up), after(Default::default(), &down)), (1.0, 1e-4));
    }

    #[test]
    fn without_steps_it_is_red() {
        let red = RedConfig { w_q: 0.1, ..Default::default() };
        let none = FengRedConfig { alpha: 1.0, beta: 1.0, w_q: 0.1, ..Default::default() };
        same_as_red(&red, |site| FengRed::new(&none, site)).unwrap();
        let steps = FengRedConfig { alpha: 3.0, ..none };
        assert!(same_as_red(&red, |site| FengRed::new(&steps, site)).is_err(), "steps must show");
    }

    #[test]
    fn contradictions_are_refused() {
        let fault = |json| read::<FengRedConfig>(&json).unwrap_err().at;
        assert_eq!(fault(json!({"bottom": 0.5, "top": 0.4})), "bottom");
        assert_eq!(fault(json!({"max_p": 0.5, "top": 0.4})), "max_p");
        assert_eq!(fault(json!({"alpha": 0.5})), "alpha");
        assert_eq!(fault(json!({"max_th": "4 pkt"})), "max_th");
    }
}
