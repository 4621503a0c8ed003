//! ea-RED, Efficient Adaptive RED: both thresholds follow the average, packet by packet (H. Lim, J.
//! Lee, E. Huh, J. Hwang, "Evaluation of Efficient Adaptive RED Router Buffer Management Algorithm
//! Using NS-2").
//!
//! The paper says what is watched and what is moved, and prints no update equation: see [`config`]
//! for what is reconstructed, and for the option by which each choice can be made the other way.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | avg | `avg` | RED's average queue length |
//! | curr_q | backlog | beyond the buffer when the arriving packet does not fit |
//! | min_th, max_th | state, first `min_th`, `max_th` | RED's thresholds, moved at each arrival |
//! | alpha, beta | `alpha_min`, `alpha_max`, `beta_min`, `beta_max` | steps up and down |
//! | min_lim, max_lim | the same | what min_th never goes below and max_th never beyond |
//! | gap | `gap` | what always lies between the two |
pub mod config;
#[cfg(test)]
mod tests;

use super::red::curve::Curve;
use crate::aqm::red::Red;
pub use config::{EaRedConfig, OverflowDir, Step};
use dumbbell_core::aqm::{Aqm, Cx, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Explained, Law, Look, PlotColor, Provenance, Size, SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_macros::delegate;

/// RED whose thresholds keep the average between them.
#[derive(Clone, Debug)]
pub struct EaRed {
    red: Red,
    rule: Rule,
}

/// The rule that moves the thresholds.
#[derive(Clone, Debug)]
struct Rule {
    config: Box<EaRedConfig>,
}

/// The direction in which the thresholds move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
    Nowhere,
}

impl Algorithm for EaRed {
    type Config = EaRedConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "ea_red",
        title: "Efficient Adaptive RED (ea-RED)",
        idea: "RED that moves both thresholds at every arrival, so that the average queue stays \
            between them.",
        equations: "at each arrival, after RED's avg, the first that holds (reconstructed: step, \
            order, overflow):\ndoes not fit:  as for avg < min_th\navg > max_th:  max_th <- \
            min(max_lim, max_th (1 + alpha_max))\n\x20              min_th <- min(max_th - gap, \
            min_th (1 + alpha_min))\navg < min_th:  min_th <- max(min_lim, min_th (1 - \
            beta_min))\n\x20              max_th <- max(min_th + gap, max_th (1 - beta_max))\nthen \
            RED's decision with the new thresholds",
        sources: &[
            "Lim, Lee, Huh, Hwang: Evaluation of Efficient Adaptive RED Router Buffer Management \
                Algorithm Using NS-2, sections 2 and 3-1 (what is watched and moved, the \
                parameters; no update equation is printed)",
            "Floyd, Jacobson: Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM \
                ToN 1(4), 1993",
        ],
        provenance: Provenance::Reconstruction,
        rule: "RED's; both thresholds move at each arrival",
        family: "RED family",
        look: Some(Look::new(PlotColor::Yellow, 'X', 0)),
        size: Size { measures: "as `red`", byte_mode: "bytes", signals: SizeLaw::Constant },
        law: Law::Named { law: "red", remark: "thresholds as they move" },
        explained: Explained::as_story("red", " (at first {set_min_th} and {set_max_th})"),
        ..About::PLAIN
    };
    const CHANCE: &'static str = "red";

    fn new(config: &EaRedConfig, _: &LinkInfo) -> Self {
        let red = config.red().with(config.min_th.0, config.max_th.0, config.max_p);
        EaRed { red: Red::given(&red), rule: Rule { config: Box::new(config.clone()) } }
    }
}

impl Rule {
    /// Returns the direction in which an average, or a packet that does not fit, moves the
    /// thresholds.
    #[inline]
    fn direction(&self, curve: &Curve, avg: f64, fits: bool) -> Direction {
        let c = &self.config;
        let above = if c.at_bound { avg >= curve.max_th } else { avg > curve.max_th };
        let below = if c.at_bound { avg <= curve.min_th } else { avg < curve.min_th };
        if !fits && (c.overflow_first || !above) {
            match c.overflow_dir {
                OverflowDir::Lower => Direction::Down,
                OverflowDir::Raise => Direction::Up,
            }
        } else if above {
            Direction::Up
        } else if below {
            Direction::Down
        } else {
            Direction::Nowhere
        }
    }

    /// Moves the thresholds of `curve`.
    #[inline]
    fn adapt(&self, curve: &mut Curve, avg: f64, fits: bool) {
        match self.direction(curve, avg, fits) {
            Direction::Up => self.raise(curve, avg),
            Direction::Down => self.lower(curve, avg),
            Direction::Nowhere => {}
        }
    }

    fn raise(&self, curve: &mut Curve, avg: f64) {
        let c = &self.config;
        let step = |th: f64, alpha: f64| th + alpha * self.unit(th, avg);
        curve.max_th = step(curve.max_th, c.alpha_max).min(c.max_lim.0);
        curve.min_th = step(curve.min_th, c.alpha_min).min(curve.max_th - c.gap.0);
    }

    fn lower(&self, curve: &mut Curve, avg: f64) {
        let c = &self.config;
        let step = |th: f64, beta: f64| th - beta * self.unit(th, avg);
        curve.min_th = step(curve.min_th, c.beta_min).max(c.min_lim.0);
        curve.max_th = step(curve.max_th, c.beta_max).max(curve.min_th + c.gap.0);
    }

    /// The packets by which a step of 1 moves the threshold `th`.
    fn unit(&self, th: f64, avg: f64) -> f64 {
        match self.config.step {
            Step::Mult => th,
            Step::Add => 1.0,
            Step::Prop => (avg - th).abs(),
        }
    }
}

#[delegate(self.red)]
impl Aqm for EaRed {
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        let avg = self.red.body.observe(cx, q.backlog());
        let after = self.rule.config.adapt_after_decision;
        if !after {
            self.rule.adapt(&mut self.red.dropper.curve, avg, fits);
        }
        let verdict = self.red.dropper.decide(&self.red.body, avg, cx, q, p);
        if after {
            self.rule.adapt(&mut self.red.dropper.curve, avg, fits);
        }
        verdict
    }

    fn probe(&self, out: &mut dyn Probe) {
        self.red.dropper.probe(self.red.body.avg(), out);
    }
}
