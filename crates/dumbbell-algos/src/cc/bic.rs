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
            1;  m = 0\ni is computed again when w has changed by a segment",
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
            note: "with the profile `linux` it compensates for delayed acknowledgments",
        },
        linux: &[("delayed_acks", Setting::Word("compensated"))],
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
            config: config.clone(),
        }
    }
}

impl Bic {
    /// i(w): what a round trip adds, segments.
    fn increment(&self, w: f64) -> f64 {
        let BicConfig { max_increment: most, divisor: b, smooth_part, .. } = self.config;
        let beyond = w - self.last_max;
        let step = if w <= self.config.low_window.0 {
            1.0
        } else if beyond < 0.0 {
            let distance = -beyond / b;
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
        (step.max(least) * per_ack).min(w)
    }

    fn look_up(&mut self) {
        let (cwnd, mss) = (self.window.cwnd(), self.window.mss());
        self.increment = self.increment(self.window.segments());
        self.holds = (cwnd, cwnd + mss);
        self.window.set_increase(self.increment);
    }

    /// The goal after a congestion event, and the share that it takes.
    fn aim(&mut self) {
        let (w, config) = (self.window.segments(), &self.config);
        self.prior = self.last_max;
        let again = config.fast_convergence && w < self.last_max;
        self.last_max = if again { w * (1.0 + config.beta) / 2.0 } else { w };
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
            self.per_ack += (ack.acked as f64 / self.window.mss() as f64 - self.per_ack) / 16.0;
        }
        if (cwnd < self.holds.0 || cwnd >= self.holds.1) && !self.window.in_slow_start() {
            self.look_up();
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
mod tests {
    use super::super::newreno::Newreno;
    use super::*;
    use crate::cc::parts::test_connection::{TestConnection, near};

    /// As in Linux: acknowledgments of two segments let it grow twice as fast, above `low_window`.
    #[test]
    fn delayed_acknowledgments_are_compensated() {
        let config = BicConfig { delayed_acks: DelayedAcks::Compensated, ..Default::default() };
        let mut bic = TestConnection::<Bic>::at(1000.0, &config).cc;
        bic.last_max = 1000.0;
        assert_eq!((bic.increment(800.0), bic.increment(14.0)), (32.0, 1.0));
        let mut every = TestConnection::<Bic>::at(1000.0, &config);
        every.rounds(1, 100);
        near(every.cc.per_ack, 1.0, 1e-6);
    }

    /// The steps of its equations around a goal of 1000 segments, by hand.
    #[test]
    fn steps() {
        let mut bic = TestConnection::<Bic>::at(1000.0, &BicConfig::default()).cc;
        bic.last_max = 1000.0;
        let far = [
            (14.0, 1.0),
            (800.0, 16.0),
            (936.0, 16.0),
            (940.0, 15.0),
            (995.0, 1.25),
            (996.0, 0.2),
            (999.0, 0.2),
        ];
        let beyond = [
            (1000.0, 0.2),
            (1003.9, 0.2),
            (1004.0, 4.0 / 3.0),
            (1030.0, 10.0),
            (1048.0, 16.0),
            (9e4, 16.0),
        ];
        for (w, step) in far.into_iter().chain(beyond) {
            near(bic.increment(w), step, 1e-9);
        }
        bic.last_max = 0.0;
        near(bic.increment(15.0), 5.0, 1e-9);
        near(bic.increment(100.0), 16.0, 1e-9);
        near(bic.increment(1000.0), 50.0, 1e-9);
    }

    /// From 0.8 m in steps of S until m - w = B S, then dw / dt = (m - w) / B until w = m - B: for
    /// m = 1000, (200 - 64) / 16 = 8.5 and 4 ln(64 / 4) = 11.1 round trips.
    #[test]
    fn the_search_takes_the_time_of_its_closed_form() {
        let mut d = TestConnection::<Bic>::at(1000.0, &BicConfig::default());
        d.lose();
        assert_eq!((d.w(), d.ssthresh(), d.gauge("last_max")), (800.0, 800.0, 1000.0));
        let mut rounds = 0;
        while d.w() < 996.0 {
            d.round();
            rounds += 1;
        }
        assert!((19..=21).contains(&rounds), "{rounds}");
        // The plateau: 0.2 segments per round trip from m - B to m + B, 40 of them.
        d.rounds(30, 100);
        near(d.w(), 996.0 + 6.0, 2.0);
        assert!(d.w() < 1004.0);
    }

    #[test]
    fn fast_convergence() {
        for (fast_convergence, goal) in [(true, 720.0), (false, 800.0)] {
            let mut d = TestConnection::<Bic>::at(
                1000.0,
                &BicConfig { fast_convergence, ..Default::default() },
            );
            d.lose();
            d.lose();
            near(d.gauge("last_max"), goal, 1e-9);
            assert_eq!(d.w(), 640.0);
        }
    }

    #[test]
    fn a_timeout_forgets_the_goal_and_an_undone_loss_does_not() {
        let mut d = TestConnection::<Bic>::at(1000.0, &BicConfig::default());
        d.lose();
        d.lose();
        d.congest(Cause::Spurious);
        assert_eq!((d.gauge("last_max"), d.w()), (1000.0, 800.0));
        d.congest(Cause::Timeout { first: true });
        assert_eq!((d.gauge("last_max"), d.w(), d.ssthresh()), (0.0, 1.0, 640.0));
        d.congest(Cause::Timeout { first: false });
        assert_eq!(d.ssthresh(), 640.0);
    }

    /// Within the low window NewReno, to the byte.
    #[test]
    fn small_windows_are_renos() {
        let mut d = TestConnection::<Bic>::at(7.0, &BicConfig::default());
        let mut reno = TestConnection::<Newreno>::at(7.0, &Default::default());
        for i in 0..300 {
            d.ack(1);
            reno.ack(1);
            assert_eq!(d.cc.cwnd(), reno.cc.cwnd(), "{i}");
            if i % 60 == 59 {
                d.lose();
                reno.lose();
            }
        }
    }
}
