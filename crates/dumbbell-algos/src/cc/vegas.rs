//! TCP Vegas (Brakmo, Peterson, IEEE JSAC 13(8), 1995): a window that keeps a few packets in the
//! queue, and loses none.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | BaseRTT | `base_rtt` | smallest round-trip time of the connection |
//! | RTT | `rtt` | smallest round-trip time of the round trip that is over |
//! | w | cwnd | window, in whole segments |
//! | diff | `diff` | segments of the window that wait in queues |
//! | alpha, beta, gamma | parameters | what `diff` should be; where slow start ends |
//!
//! The arithmetic is that of ns-3. Options are how Linux computes `diff`, and what the paper has
//! beside it: slow start in every second round trip (`ss_alt`), what a loss takes (`loss`). Its
//! timers of single segments, which find a loss at the first duplicate, are not here: detection is
//! the profile's (RACK under `linux`). A timeout leaves one segment, where the paper leaves two.
//!
//! A round trip is judged with one sample: without timestamps there are no more in one. Linux
//! requires three because of delayed acknowledgments (`min_samples`). The clock of the profile
//! `ns2` ticks every 10 ms, and Vegas does not see what is shorter than a tick: write `clock = "0
//! s"`.
use crate::cc::parts::rounds::{Round, Rounds};
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Fault, Kernel, Look, PlotColor, Provenance, Setting,
};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase,
};
use dumbbell_core::units::{Packets, Span};
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a loss takes from the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LossRule {
    /// Half, as Linux.
    #[default]
    Reno,
    /// A segment, as ns-3: ssthresh = min(ssthresh, w - 1).
    Ns3,
    /// A quarter, as the paper.
    Quarter,
}

/// How the segments in queues follow from the round-trip time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiffRule {
    /// w - floor(w BaseRTT / RTT), as ns-3.
    #[default]
    Ns3,
    /// floor(w (RTT - BaseRTT) / BaseRTT), as Linux.
    Linux,
}

/// Parameters of [`Vegas`].
#[config]
pub struct VegasConfig {
    /// With less than this in the queue the window grows by a segment in a round trip.
    #[schemars(extend("x-source" = "Linux: alpha 2; Brakmo, Peterson 1995: 1 (and 2)"))]
    #[config(default = Packets(2.0))]
    pub alpha: Packets,
    /// With more than this in the queue it shrinks by a segment.
    #[schemars(extend("x-source" = "Linux: beta 4; Brakmo, Peterson 1995: 3 (and 4)"))]
    #[config(default = Packets(4.0))]
    pub beta: Packets,
    /// With more than this in the queue slow start is over.
    #[schemars(extend("x-source" = "Linux, Brakmo, Peterson 1995: 1"))]
    #[config(default = Packets(1.0))]
    pub gamma: Packets,
    /// Whether slow start doubles the window in every second round trip only, so that the others
    /// can be compared.
    #[schemars(extend("x-source" = "Brakmo, Peterson 1995, section IV-C: yes; Linux, ns-3: no"))]
    pub ss_alt: bool,
    /// What a loss takes from the window.
    #[schemars(extend("x-source" = "Linux; Brakmo, Peterson 1995, section IV-A: quarter"))]
    #[config(default = LossRule::Reno)]
    pub loss: LossRule,
    /// How the segments in queues follow from the round-trip time.
    #[schemars(extend("x-source" = "ns-3; Linux by its rounds in virtual time"))]
    #[config(default = DiffRule::Ns3)]
    pub diff: DiffRule,
    /// Samples that a decision after a round trip needs; with fewer the window grows as Reno's.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "a choice; Linux and ns-3: 3"))]
    #[config(default = 1)]
    pub min_samples: u32,
}

impl Config for VegasConfig {
    fn check(&self) -> Result<(), Fault> {
        for (at, value) in [("alpha", self.alpha.0), ("beta", self.beta.0), ("gamma", self.gamma.0)]
        {
            if !(value.is_finite() && value >= 0.0) {
                let cause = format!("{at} must be a number of packets that is not negative");
                return Err(Fault::at(at, cause).fix(format!("write {at} = \"2 pkt\"")));
            }
        }
        if self.alpha.0 > self.beta.0 {
            let cause = format!("alpha ({}) is above beta ({})", self.alpha, self.beta);
            return Err(Fault::at("alpha", cause).fix("write alpha = \"2 pkt\", beta = \"4 pkt\""));
        }
        Ok(())
    }
}

/// A window, and what is judged once in each round trip. [`super::demo_vegas`] has it, too.
#[derive(Clone, Debug)]
pub struct Vegas {
    pub(super) window: Box<Window>,
    rounds: Rounds,
    /// Segments in queues in the last round trip; none before one was judged.
    diff: Option<f64>,
    /// Its smallest sample.
    rtt: Option<Span>,
    /// True if slow start holds in this round trip (`ss_alt`).
    holds: bool,
    config: VegasConfig,
}

impl Vegas {
    #[inline]
    fn slow_start(&mut self, ack: &Ack) {
        if self.window.in_slow_start() && !self.holds {
            self.window.grow(ack);
        }
    }

    /// A round trip is over.
    fn judge(&mut self, round: &Round, ack: &Ack) {
        let Some(base) = self.rounds.base().filter(|_| round.samples >= self.config.min_samples)
        else {
            return self.window.grow(ack);
        };
        self.holds = self.config.ss_alt && !self.holds;
        let mss = self.window.mss();
        let w = self.window.cwnd() / mss;
        let share = |of: Span, whole: Span| {
            (u128::from(w) * u128::from(of.ps()) / u128::from(whole.ps().max(1))) as u64
        };
        let target = share(base, round.min);
        let diff = match self.config.diff {
            DiffRule::Ns3 => w.saturating_sub(target),
            DiffRule::Linux => share(round.min.saturating_sub(base), base),
        };
        (self.diff, self.rtt) = (Some(diff as f64), Some(round.min));
        let waiting = diff as f64;
        if self.window.in_slow_start() {
            if waiting > self.config.gamma.0 {
                self.window.set_cwnd(self.window.cwnd().min((target + 1) * mss));
                self.lower_ssthresh();
            } else {
                self.slow_start(ack);
            }
        } else if waiting > self.config.beta.0 {
            self.window.set_cwnd(self.window.cwnd().saturating_sub(mss).max(2 * mss));
            self.lower_ssthresh();
        } else if waiting < self.config.alpha.0 && Window::may_grow(ack) {
            self.window.set_cwnd(self.window.cwnd() + mss);
        }
        let most = self.window.threshold().max(self.window.cwnd() / 4 * 3);
        self.window.set_ssthresh(most);
    }

    /// ssthresh = max(2, min(ssthresh, w - 1)).
    fn lower_ssthresh(&mut self) {
        let below = self.window.cwnd().saturating_sub(self.window.mss());
        self.window.set_ssthresh(self.window.threshold().min(below));
    }

    /// The path is another one: its smallest round-trip time is to be measured again.
    pub fn forget(&mut self) {
        self.rounds.restart();
        self.rounds.forget_base();
    }
}

impl Algorithm for Vegas {
    type Config = VegasConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "vegas",
        title: "TCP Vegas",
        idea: "Compare the rate with what an empty path would carry: keep a few packets in the \
            queue, and lose none.",
        equations: "RTT: smallest of the round trip that is over;  BaseRTT: smallest of all;  w: \
            cwnd in segments\ntarget = floor(w BaseRTT / RTT)\ndiff = w - target,  as Linux: \
            floor(w (RTT - BaseRTT) / BaseRTT)\nslow start:  diff > gamma:  w = min(w, target \
            + 1);  ssthresh = max(2, min(ssthresh, w - 1))\navoidance:   diff < alpha:  w += \
            1;    diff > beta:  w -= 1, ssthresh as above;  else stay\nand then:    ssthresh = \
            max(ssthresh, 3/4 w)\nloss, echo:  as reno (loss = \"ns3\": a segment, \
            \"quarter\": a quarter);  timeout: w = 1\nfew samples, or a repair:  as reno",
        sources: &[
            "Brakmo, Peterson: TCP Vegas: End to End Congestion Avoidance on a Global Internet, \
                IEEE JSAC 13(8), 1995",
        ],
        provenance: Provenance::Vectors,
        rule: "the packets that delay says are queued",
        family: "delay",
        look: Some(Look::new(PlotColor::Purple, 'v', 2)),
        kernel: Kernel::Has { name: "vegas", note: "" },
        linux: &[("min_samples", Setting::Count(3)), ("diff", Setting::Word("linux"))],
        ..About::PLAIN
    };
    fn new(config: &VegasConfig, path: &Path) -> Self {
        Vegas {
            window: Window::boxed(path),
            rounds: Rounds::default(),
            diff: None,
            rtt: None,
            holds: false,
            config: config.clone(),
        }
    }
}

#[delegate(self.window: on_recovered, on_mss, cwnd, ssthresh)]
impl CongestionControl for Vegas {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        let over = self.rounds.on_ack(ack);
        if ack.phase != Phase::Open {
            // Samples of a repair are of another window.
            self.rounds.restart();
            return self.window.grow(ack);
        }
        match over {
            Some(round) => self.judge(&round, ack),
            None => self.slow_start(ack),
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        let w = self.window.cwnd();
        match (event.cause, self.config.loss) {
            (Cause::Loss | Cause::Ecn, LossRule::Quarter) => {
                self.window.shrink_to(event, w / 4 * 3)
            }
            (Cause::Loss | Cause::Ecn | Cause::Timeout { .. }, LossRule::Ns3) => {
                let below = w.saturating_sub(self.window.mss());
                self.window.shrink_to(event, self.window.threshold().min(below));
            }
            _ => self.window.shrink(event, None),
        }
        if event.cause != Cause::Further {
            self.rounds.restart();
        }
    }
    fn on_idle(&mut self, restart_window: u64) {
        self.window.bound(restart_window);
        self.rounds.restart();
    }
    /// `diff` in segments, -1 if it is not known; `base_rtt` and `rtt` in seconds.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("diff", self.diff.unwrap_or(-1.0));
        out.gauge("base_rtt", self.rounds.base().map_or(0.0, Span::seconds));
        out.gauge("rtt", self.rtt.map_or(0.0, Span::seconds));
    }
}

#[cfg(test)]
mod tests;
