//! BIC (Xu, Harfoush, Rhee 2004): a binary search for the window at which the last loss was.
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Kernel, Provenance, Setting};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase,
};
use dumbbell_core::units::Packets;
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What delayed acknowledgments change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DelayedAcks {
    /// Nothing: each segment that is acknowledged counts.
    #[default]
    Counted,
    /// Above `low_window` the window grows as many times as fast as an acknowledgment covers
    /// segments, as in Linux, which compensates for delayed acknowledgments and counts segments.
    Compensated,
}

/// Parameters of [`Bic`].
#[config]
pub struct BicConfig {
    /// The share of the window that remains after a loss.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "Linux: beta = 819 / \
            1024; the paper has 0.875"),
    )]
    #[config(default = 0.8)]
    pub beta: f64,
    /// The most that a round trip adds (S_max).
    #[schemars(
        range(min = 1.0, max = 1000.0),
        extend("x-source" = "Linux: max_increment; the paper has 32", "x-unit" = "segments"),
    )]
    #[config(default = 16.0)]
    pub max_increment: f64,
    /// Up to this window it behaves as Reno.
    #[schemars(extend("x-source" = "Xu, Harfoush, Rhee 2004, section 3; Linux: low_window"))]
    #[config(default = Packets(14.0))]
    pub low_window: Packets,
    /// A step of the search is the distance to its goal, divided by this (B).
    #[schemars(
        range(min = 2.0, max = 32.0),
        extend("x-source" = "Linux: BICTCP_B; the paper's binary search has 2"),
    )]
    #[config(default = 4.0)]
    pub divisor: f64,
    /// Near the goal a round trip adds `divisor` / `smooth_part` segments.
    #[schemars(range(min = 1.0, max = 1000.0), extend("x-source" = "Linux: smooth_part"))]
    #[config(default = 20.0)]
    pub smooth_part: f64,
    /// Whether a flow with a loss below its goal sets a lower goal, so that new flows get a share.
    #[schemars(extend("x-source" = "Xu, Harfoush, Rhee 2004, section 3"))]
    #[config(default = true)]
    pub fast_convergence: bool,
    /// What delayed acknowledgments change.
    #[schemars(extend("x-source" = "Linux: delayed_ack, since cwnd counts segments"))]
    #[config(default = DelayedAcks::Counted)]
    pub delayed_acks: DelayedAcks,
    /// Whether it counts in whole numbers, rounded down: the distance to the goal divided by
    /// `divisor`, the segments that let the window grow by one, goals, `beta` in 1/1024, and the
    /// mean of the segments of an acknowledgment in 1/16.
    #[schemars(extend("x-source" = "a choice; observed in Linux: yes"))]
    pub fixed_point: bool,
}

impl Config for BicConfig {
    fn check(&self) -> Result<(), Fault> {
        let numbers =
            [self.beta, self.max_increment, self.low_window.0, self.divisor, self.smooth_part];
        if numbers.iter().any(|x| !x.is_finite()) || self.low_window.0 < 0.0 {
            return Err(Fault::at(
                "beta",
                "parameters must be numbers, and low_window not negative",
            )
            .fix(
                "write beta = 0.8, max_increment = 16, low_window = \"14 pkt\", divisor = 4, \
                    smooth_part = 20",
            ));
        }
        Ok(())
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Bic {
    window: Box<Window>,
    /// The window before the last loss, segments; 0: none.
    last_max: f64,
    /// The same before the last reduction.
    prior: f64,
    /// The increase is not asked for again while cwnd is within, bytes.
    holds: (u64, u64),
    increment: f64,
    /// Segments that an acknowledgment covers, smoothed; 1: it does not matter.
    per_ack: f64,
    /// The segments for which the window grows by one; 0: the window says.
    per_growth: u64,
    /// Bytes that were acknowledged since it grew.
    counted: u64,
    config: BicConfig,
}

impl Algorithm for Bic {
    type Config = BicConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "bic",
        title: "BIC (binary increase congestion control)",
        idea: "Approach the window of the last loss by ever smaller steps; beyond it look for \
            another by ever larger ones.",
        equations: "w: cwnd in segments;  m: last_max;  B: divisor;  S: max_increment;  s: \
            smooth_part\navoidance, per round trip:  w += i(w), that is i(w) / w per segment \
            acknowledged\nw <= low_window:            i = 1\nw < m:                      d = (m - \
            w) / B;  i = S if d > S,  B / s if d <= 1,  else d\nm <= w < m + B:             i = B \
            / s\nm + B <= w < m + S (B - 1): i = (w - m) / (B - 1);  beyond: i = S\nno loss yet (m \
            = 0):        i at least w / 20;  i is at most w\nloss, ECN echo:             m = w, or \
            w (1 + beta) / 2 if w < m (fast convergence)\nand then:                   ssthresh = \
            max(beta min(FlightSize, cwnd), 2);  cwnd = ssthresh\nw <= low_window:            \
            ssthresh is half of it\ndelayed_acks = compensated: \
            above low_window, i times the segments of an ACK (mean of 16)\n\
            timeout:                    ssthresh as for a loss;  cwnd = \
            1;  m = 0\nfixed_point:                d, m rounded down;  w += 1 for each\n\
            \u{20}                           floor(floor(w / i) / segments of an ACK)\n\
            i is computed again when w has changed by a segment",
        sources: &[
            "Xu, Harfoush and Rhee: Binary increase congestion control for fast long-distance \
                networks, INFOCOM 2004",
            "Linux (constants and the steps near the goal)",
        ],
        provenance: Provenance::Recollection,
        rule: "losses; halfway to the window of the last",
        family: "large windows",
        kernel: Kernel::Has {
            name: "bic",
            note: "with the profile `linux` it compensates for delayed acknowledgments, and counts \
                in whole numbers",
        },
        linux: &[
            ("delayed_acks", Setting::Word("compensated")),
            ("fixed_point", Setting::Flag(true)),
        ],
        ..About::PLAIN
    };
    fn new(config: &BicConfig, path: &Path) -> Self {
        Bic {
            window: Window::boxed(path),
            last_max: 0.0,
            prior: 0.0,
            holds: (0, 0),
            increment: 1.0,
            per_ack: if config.delayed_acks == DelayedAcks::Compensated { 2.0 } else { 1.0 },
            per_growth: 0,
            counted: 0,
            config: if config.fixed_point {
                let beta = libm::floor(config.beta * BETA_SCALE) / BETA_SCALE;
                BicConfig { beta, ..config.clone() }
            } else {
                config.clone()
            },
        }
    }
}

/// The units of `beta` where it counts in whole numbers.
const BETA_SCALE: f64 = 1024.0;
/// The mean of the segments of an acknowledgment is over this many.
const ACKS: f64 = 16.0;

/// The whole part of a quotient of whole numbers, which may be a bit too small where it is whole.
fn floor(x: f64) -> f64 {
    libm::floor(x + 1e-9)
}

impl Bic {
    /// `x`, rounded down where it counts in whole numbers.
    fn whole(&self, x: f64) -> f64 {
        if self.config.fixed_point { floor(x) } else { x }
    }

    /// i(w): what a round trip adds, segments.
    fn increment(&self, w: f64) -> f64 {
        let BicConfig { max_increment: most, divisor: b, smooth_part, .. } = self.config;
        let beyond = w - self.last_max;
        let step = if w <= self.config.low_window.0 {
            1.0
        } else if beyond < 0.0 {
            let distance = self.whole(-beyond / b);
            if distance <= 1.0 { b / smooth_part } else { distance.min(most) }
        } else if beyond < b {
            b / smooth_part
        } else if beyond < most * (b - 1.0) {
            beyond / (b - 1.0)
        } else {
            most
        };
        let least = if self.last_max == 0.0 { w / 20.0 } else { 0.0 };
        let per_ack = if w > self.config.low_window.0 { self.per_ack } else { 1.0 };
        if self.config.fixed_point {
            let segments = floor(floor(w / step.max(least)) / per_ack);
            return w / segments.max(1.0);
        }
        (step.max(least) * per_ack).min(w)
    }

    fn look_up(&mut self) {
        let (cwnd, mss) = (self.window.cwnd(), self.window.mss());
        let w = self.window.segments();
        self.increment = self.increment(w);
        self.holds = (cwnd, cwnd + mss);
        if self.config.fixed_point {
            self.per_growth = libm::round(w / self.increment) as u64;
            // What was counted toward a slower growth is not worth more than one segment now.
            self.counted = self.counted.min(self.per_growth * mss);
        } else {
            self.window.set_increase(self.increment);
        }
    }

    /// The mean of the segments of an acknowledgment after one of `segments`.
    fn smooth(&self, segments: f64) -> f64 {
        if self.config.fixed_point {
            return self.per_ack + (libm::ceil(segments) - floor(self.per_ack)) / ACKS;
        }
        self.per_ack + (segments - self.per_ack) / ACKS
    }

    /// Grows by a segment for each `per_growth` that are acknowledged.
    fn count(&mut self, acked: u64) {
        let mss = self.window.mss();
        self.counted += acked.next_multiple_of(mss);
        let each = self.per_growth * mss;
        self.window.raise(self.counted / each * mss);
        self.counted %= each;
    }

    /// The goal after a congestion event, and the share that it takes.
    fn aim(&mut self) {
        let (w, config) = (self.window.segments(), &self.config);
        self.prior = self.last_max;
        let again = config.fast_convergence && w < self.last_max;
        self.last_max = self.whole(if again { w * (1.0 + config.beta) / 2.0 } else { w });
        self.window.set_decrease(if w <= config.low_window.0 { 0.5 } else { 1.0 - config.beta });
    }
}

#[delegate(self.window: on_recovered, on_idle, cwnd, ssthresh)]
impl CongestionControl for Bic {
    fn capabilities(&self) -> Capabilities {
        Capabilities::WINDOW
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        let cwnd = self.window.cwnd();
        if self.config.delayed_acks == DelayedAcks::Compensated && ack.phase == Phase::Open {
            self.per_ack = self.smooth(ack.acked as f64 / self.window.mss() as f64);
        }
        let avoids = !self.window.in_slow_start();
        if avoids && (cwnd < self.holds.0 || cwnd >= self.holds.1) {
            self.look_up();
        }
        if avoids && self.config.fixed_point {
            if Window::may_grow(ack) {
                self.count(ack.acked);
            }
            return;
        }
        self.window.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        match event.cause {
            Cause::Loss | Cause::Ecn => self.aim(),
            Cause::Timeout { first } => {
                if first {
                    self.aim();
                }
                self.last_max = 0.0;
            }
            Cause::Spurious => self.last_max = self.prior,
            Cause::Further => {}
        }
        self.window.shrink(event, None);
        if event.cause != Cause::Further {
            self.counted = 0;
        }
        self.holds = (0, 0);
    }
    fn on_mss(&mut self, mss: u64) {
        let share = self.window.mss() as f64 / mss as f64;
        (self.last_max, self.prior, self.holds) =
            (self.last_max * share, self.prior * share, (0, 0));
        self.window.set_mss(mss);
    }
    /// `last_max` in segments, `increment` in segments per round trip.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("last_max", self.last_max);
        out.gauge("increment", self.increment);
    }
}

#[cfg(test)]
mod tests;
