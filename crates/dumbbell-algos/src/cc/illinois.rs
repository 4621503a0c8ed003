//! TCP Illinois (Liu, Basar, Srikant 2006): losses say when to shrink, delay says by how much, and
//! how fast to grow.
use crate::cc::parts::rounds::{Round, Rounds};
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Kernel, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path,
};
use dumbbell_core::units::{Packets, Span};
use dumbbell_macros::{config, delegate};

/// Parameters of [`Illinois`].
#[config]
pub struct IllinoisConfig {
    /// Increase where the queue seems full.
    #[schemars(
        range(max = 100.0),
        extend(
            "exclusiveMinimum" = 0, "x-source" = "Liu, Basar, Srikant 2006, section 3",
            "x-unit" = "segments"
        ),
    )]
    #[config(default = 0.3)]
    pub alpha_min: f64,
    /// Increase where the queue seems empty.
    #[schemars(
        range(max = 100.0),
        extend(
            "exclusiveMinimum" = 0, "x-source" = "Liu, Basar, Srikant 2006, section 3",
            "x-unit" = "segments"
        ),
    )]
    #[config(default = 10.0)]
    pub alpha_max: f64,
    /// The share of the window that a loss takes where the queue seems empty.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "Liu, Basar, Srikant \
            2006, section 3"),
    )]
    #[config(default = 0.125)]
    pub beta_min: f64,
    /// The share of the window that a loss takes where the queue seems full.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "Liu, Basar, Srikant \
            2006, section 3"),
    )]
    #[config(default = 0.5)]
    pub beta_max: f64,
    /// Below this window it behaves as Reno.
    #[schemars(extend("x-source" = "Linux: win_thresh; the paper has 10 to 15"))]
    #[config(default = Packets(15.0))]
    pub win_thresh: Packets,
    /// Round trips in a row without a queue after which it grows by `alpha_max` again.
    #[schemars(
        range(min = 1, max = 1000),
        extend("x-source" = "Liu, Basar, Srikant 2006, section 3; Linux: theta"),
    )]
    #[config(default = 5)]
    pub theta: u32,
}

impl Config for IllinoisConfig {
    fn check(&self) -> Result<(), Fault> {
        let numbers =
            [self.alpha_min, self.alpha_max, self.beta_min, self.beta_max, self.win_thresh.0];
        if numbers.iter().any(|x| !x.is_finite()) {
            return Err(Fault::at("alpha_min", "parameters must be numbers").fix(
                "leave out those \
                without a value",
            ));
        }
        if self.alpha_min > self.alpha_max {
            return Err(Fault::at("alpha_min", "alpha_min must not be above alpha_max").fix(
                "exchange \
                them",
            ));
        }
        if self.beta_min > self.beta_max {
            return Err(Fault::at("beta_min", "beta_min must not be above beta_max").fix(
                "exchange \
                them",
            ));
        }
        Ok(())
    }
}

/// Shares of the largest queueing delay d_m: d_1, d_2, d_3.
const D: [f64; 3] = [0.01, 0.1, 0.8];

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Illinois {
    window: Box<Window>,
    rounds: Rounds,
    /// The largest sample.
    rtt_max: Span,
    alpha: f64,
    beta: f64,
    /// True if there was a queue since it grew by `alpha_max` last.
    above: bool,
    /// Round trips in a row without one.
    low: u32,
    config: IllinoisConfig,
}

impl Algorithm for Illinois {
    type Config = IllinoisConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "illinois",
        title: "TCP Illinois",
        idea: "Far from a full queue grow fast and give back little; near one grow slowly and give \
            back half.",
        equations: "each round trip:  d_a = mean RTT - smallest RTT;  d_m = largest RTT - smallest \
            RTT\nalpha = alpha_max if d_a <= d_1 = 0.01 d_m, but after more only in the theta-th \
            such round in a row\notherwise with s = (alpha_max - alpha_min) / alpha_min:\nalpha = \
            alpha_max (d_m - d_1) / ((d_m - d_1) + (d_a - d_1) s)\nbeta  = beta_min if d_a <= 0.1 \
            d_m;  beta_max if d_a >= 0.8 d_m;  linear between\nw < win_thresh:    alpha = 1, beta \
            = 0.5\navoidance:         w += alpha / w  per segment acknowledged\nloss, ECN echo:    \
            ssthresh = max((1 - beta) min(FlightSize, cwnd), 2);  cwnd = \
            ssthresh\ntimeout:           ssthresh likewise;  cwnd = 1;  alpha = 1, beta = 0.5, \
            largest RTT forgotten",
        sources: &[
            "Liu, Basar and Srikant: TCP-Illinois: a loss and delay-based congestion control \
                algorithm, VALUETOOLS 2006",
        ],
        provenance: Provenance::TwoReadings,
        rule: "losses; steps that depend on the delay",
        family: "losses and delay",
        kernel: Kernel::Has { name: "illinois", note: "" },
        ..About::PLAIN
    };
    fn new(config: &IllinoisConfig, path: &Path) -> Self {
        Illinois {
            window: Window::taking_whole(path),
            rounds: Rounds::default(),
            rtt_max: Span::ZERO,
            alpha: 1.0,
            beta: 0.5,
            above: false,
            low: 0,
            config: config.clone(),
        }
    }
}

impl Illinois {
    /// A round trip is over.
    fn adapt(&mut self, round: &Round) {
        if self.window.segments() < self.config.win_thresh.0 {
            (self.alpha, self.beta) = (1.0, 0.5);
        } else if round.samples > 0 {
            let base = self.rounds.base().unwrap_or(Span::ZERO);
            let delay = round.mean().saturating_sub(base).seconds();
            let most = self.rtt_max.saturating_sub(base).seconds();
            self.alpha = self.alpha(delay, most);
            self.beta = self.beta(delay, most);
        }
        self.window.set_increase(self.alpha);
        self.window.set_decrease(self.beta);
    }

    fn alpha(&mut self, delay: f64, most: f64) -> f64 {
        let IllinoisConfig { alpha_min, alpha_max, theta, .. } = self.config;
        let first = D[0] * most;
        if delay > first {
            (self.above, self.low) = (true, 0);
            let slope = (alpha_max - alpha_min) / alpha_min;
            return alpha_max * (most - first) / ((most - first) + (delay - first) * slope);
        }
        if self.above {
            self.low += 1;
            if self.low < theta {
                return self.alpha;
            }
        }
        (self.above, self.low) = (false, 0);
        alpha_max
    }

    fn beta(&self, delay: f64, most: f64) -> f64 {
        let IllinoisConfig { beta_min, beta_max, .. } = self.config;
        let (second, third) = (D[1] * most, D[2] * most);
        if delay <= second {
            beta_min
        } else if delay >= third {
            beta_max
        } else {
            (beta_min * (third - delay) + beta_max * (delay - second)) / (third - second)
        }
    }
}

#[delegate(self.window: on_recovered, on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for Illinois {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if let Some(rtt) = ack.rtt {
            self.rtt_max = self.rtt_max.max(rtt);
        }
        if let Some(round) = self.rounds.on_ack(ack) {
            self.adapt(&round);
        }
        self.window.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.window.shrink(event, None);
        if let Cause::Timeout { .. } = event.cause {
            (self.alpha, self.beta, self.above, self.low) = (1.0, 0.5, false, 0);
            self.rtt_max = Span::ZERO;
            self.rounds.restart();
            self.window.set_increase(self.alpha);
            self.window.set_decrease(self.beta);
        }
    }
    /// `alpha` in segments per round trip, `beta`; `base_rtt` and `rtt_max` in seconds.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("alpha", self.alpha);
        out.gauge("beta", self.beta);
        out.gauge("base_rtt", self.rounds.base().map_or(0.0, Span::seconds));
        out.gauge("rtt_max", self.rtt_max.seconds());
    }
}

#[cfg(test)]
mod tests {
    use super::super::newreno::Newreno;
    use super::*;
    use crate::cc::parts::test_connection::{TestConnection, near};

    /// One that has seen 100 and 200 ms.
    fn between_100_and_200_ms(w: f64) -> TestConnection<Illinois> {
        let mut d = TestConnection::<Illinois>::at(w, &IllinoisConfig::default());
        d.rounds(2, 100);
        d.rounds(2, 200);
        d
    }

    /// d_m = 100 ms: kappa_1 / (kappa_2 + d_a) of the paper, by hand. kappa_1 = 99 * 0.3 * 10 / 9.7
    /// = 30.6186 and kappa_2 = 99 * 0.3 / 9.7 - 1 = 2.06186 ms.
    #[test]
    fn the_curves() {
        let mut i = TestConnection::<Illinois>::at(100.0, &IllinoisConfig::default()).cc;
        for (da, alpha, beta) in [
            (0.0, 10.0, 0.125),
            (1.0, 10.0, 0.125),
            (10.0, 30.618_56 / 12.061_86, 0.125),
            (45.0, 30.618_56 / 47.061_86, 0.3125),
            (80.0, 30.618_56 / 82.061_86, 0.5),
            (100.0, 0.3, 0.5),
        ] {
            near(i.alpha(da / 1e3, 0.1), alpha, 1e-5);
            near(i.beta(da / 1e3, 0.1), beta, 1e-12);
        }
        // No queue was ever seen.
        i.above = false;
        assert_eq!((i.alpha(0.0, 0.0), i.beta(0.0, 0.0)), (10.0, 0.125));
    }

    #[test]
    fn a_round_trip_adds_alpha_and_a_loss_takes_beta() {
        let mut d = between_100_and_200_ms(1000.0);
        d.rounds(2, 145);
        near(d.gauge("alpha"), 0.6506, 1e-3);
        let w = d.w();
        d.round();
        near(d.w() - w, 0.65, 0.01);
        d.lose();
        near(d.w() / (w + 0.65), 1.0 - 0.3125, 1e-3);
    }

    /// Five round trips without a queue, in a row, before it is bold again.
    #[test]
    fn theta() {
        let mut d = between_100_and_200_ms(1000.0);
        near(d.gauge("alpha"), 0.3, 1e-9);
        for turn in 0..2 {
            let mut quiet = 0;
            while d.gauge("alpha") < 10.0 {
                d.rounds(1, 100);
                quiet += 1;
                assert!(quiet < 9, "{turn}");
                if turn == 0 && quiet == 4 {
                    d.rounds(2, 200);
                    quiet = 0;
                    break;
                }
            }
            // A round of the drill ends within the next: one more.
            assert!(turn == 0 || (5..=6).contains(&quiet), "{quiet}");
        }
    }

    #[test]
    fn a_timeout_forgets() {
        let mut d = between_100_and_200_ms(1000.0);
        d.congest(Cause::Timeout { first: true });
        assert_eq!(
            (d.gauge("alpha"), d.gauge("beta"), d.gauge("rtt_max"), d.w()),
            (1.0, 0.5, 0.0, 1.0)
        );
    }

    /// Below its window, and with both ranges closed, NewReno to the byte.
    #[test]
    fn where_it_is_newreno() {
        let flat =
            IllinoisConfig { alpha_min: 1.0, alpha_max: 1.0, beta_min: 0.5, ..Default::default() };
        for (w, config) in [(6.0, IllinoisConfig::default()), (40.0, flat)] {
            let mut d = TestConnection::<Illinois>::at(w, &config);
            let mut reno = TestConnection::<Newreno>::at(w, &Default::default());
            for i in 0..300 {
                d.rtt = Span::from_ms(100 + i % 70);
                d.ack(1);
                reno.ack(1);
                assert_eq!(d.cc.cwnd(), reno.cc.cwnd(), "{i}");
                if i % 40 == 39 {
                    d.lose();
                    reno.lose();
                }
            }
        }
    }
}
