//! TCP Veno (Fu and Liew 2003): Vegas' estimate of the queue tells losses of a noisy channel from
//! those of a full queue.
use crate::cc::parts::rounds::Rounds;
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Kernel, Provenance, Setting};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path,
};
use dumbbell_core::units::{Packets, Span};
use dumbbell_macros::{config, delegate};

/// Parameters of [`Veno`].
#[config]
pub struct VenoConfig {
    /// With fewer packets than this in the queue a loss counts as random.
    #[schemars(extend("x-source" = "Fu and Liew 2003, section III-A"))]
    #[config(default = Packets(3.0))]
    pub beta: Packets,
    /// The share of the window that remains after such a loss.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "Fu and Liew 2003, \
            section III-C"),
    )]
    #[config(default = 0.8)]
    pub random_loss: f64,
    /// Whether the smallest round-trip time is measured again after each loss, instead of over the
    /// whole connection.
    #[schemars(extend("x-source" = "Linux: no; reconstructed: the paper resets BaseRTT at a loss"))]
    pub reset_base: bool,
    /// Samples that a decision after a round trip needs. Without timestamps there is one in a round
    /// trip.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "a choice; Linux: 3"))]
    #[config(default = 1)]
    pub min_samples: u32,
    /// Whether each acknowledgment tells N by its own sample, instead of a round trip by its
    /// smallest.
    #[schemars(extend("x-source" = "Fu and Liew 2003, section III-A: no; observed in Linux: yes"))]
    pub each_sample: bool,
}

impl Config for VenoConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.beta.0.is_finite() && self.beta.0 >= 0.0 && self.random_loss.is_finite() {
            return Ok(());
        }
        Err(Fault::at("beta", "beta must be a number of packets that is not negative").fix(
            "write \
            beta = \"3 pkt\"",
        ))
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Veno {
    window: Box<Window>,
    rounds: Rounds,
    /// N, packets in the queue; none before the first round trip is over.
    backlog: Option<f64>,
    /// Samples since the last congestion event.
    samples: u32,
    config: VenoConfig,
}

impl Algorithm for Veno {
    type Config = VenoConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "veno",
        title: "TCP Veno",
        idea: "Estimate the queue as Vegas does: losses while it is short count as channel errors \
            and cost little.",
        equations: "each round trip:  N = w (RTT - BaseRTT) / RTT, RTT: the smallest of this round \
            trip\neach_sample:      the same with each acknowledgment, RTT: its sample\n\
            avoidance:        w += 1 / w  per segment acknowledged;  half of that if N >= \
            beta\nloss, ECN echo:   ssthresh = random_loss min(FlightSize, cwnd) if N < beta, else \
            half of it\ntimeout:          ssthresh = half;  cwnd = 1\notherwise as reno, and so \
            before the first round trip is over",
        sources: &["Fu and Liew: TCP Veno: TCP enhancement for transmission over wireless access \
                networks, JSAC 21(2), 2003"],
        provenance: Provenance::Recollection,
        rule: "losses; their cause, estimated from the queue",
        family: "losses and delay",
        kernel: Kernel::Has { name: "veno", note: "" },
        linux: &[("min_samples", Setting::Count(3)), ("each_sample", Setting::Flag(true))],
        ..About::PLAIN
    };
    fn new(config: &VenoConfig, path: &Path) -> Self {
        Veno {
            window: Window::boxed(path),
            rounds: Rounds::default(),
            backlog: None,
            samples: 0,
            config: config.clone(),
        }
    }
}

impl Veno {
    /// True if the queue seems short.
    fn is_idle(&self) -> bool {
        self.backlog.is_some_and(|n| n < self.config.beta.0)
    }

    /// `samples` have the smallest round-trip time `rtt`.
    fn judge(&mut self, samples: u32, rtt: Span, base: Span) {
        if samples < self.config.min_samples {
            return;
        }
        let (rtt, base) = (rtt.seconds(), base.seconds());
        self.backlog = Some(self.window.segments() * (rtt - base) / rtt);
        self.window.set_increase(if self.is_idle() { 1.0 } else { 0.5 });
    }

    /// Forgets the measurements, which are of another window.
    fn restart(&mut self) {
        self.rounds.restart();
        self.samples = 0;
        if self.config.reset_base {
            self.rounds.forget_base();
        }
    }
}

#[delegate(self.window: on_recovered, on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for Veno {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        let round = self.rounds.on_ack(ack);
        if let Some(base) = self.rounds.base() {
            if self.config.each_sample {
                if let Some(rtt) = ack.rtt {
                    self.samples = self.samples.saturating_add(1);
                    self.judge(self.samples, rtt, base);
                }
            } else if let Some(round) = round {
                self.judge(round.samples, round.min, base);
            }
        }
        self.window.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        let timeout = matches!(event.cause, Cause::Timeout { .. });
        self.window.set_decrease(if self.is_idle() && !timeout {
            1.0 - self.config.random_loss
        } else {
            0.5
        });
        self.window.shrink(event, None);
        if !matches!(event.cause, Cause::Spurious | Cause::Further) {
            self.restart();
        }
    }
    /// `backlog` (N) in packets, -1 if it is not known; `base_rtt` in seconds.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("backlog", self.backlog.unwrap_or(-1.0));
        out.gauge("base_rtt", self.rounds.base().map_or(0.0, Span::seconds));
    }
}

#[cfg(test)]
mod tests {
    use super::super::newreno::Newreno;
    use super::*;
    use crate::cc::parts::test_connection::{TestConnection, near};

    /// Two round trips of 100 ms, then two of `rtt_ms`.
    fn after(w: f64, rtt_ms: u64, config: &VenoConfig) -> TestConnection<Veno> {
        let mut d = TestConnection::<Veno>::at(w, config);
        d.rounds(2, 100);
        d.rounds(2, rtt_ms);
        d
    }

    /// 100 segments at 102 ms: N = 100 * 2 / 102 = 1.96 < 3; at 104 ms 3.85.
    #[test]
    fn a_loss_with_a_short_queue_takes_a_fifth() {
        let plain = VenoConfig::default();
        for (rtt, backlog, left) in [(102, 2.0, 0.8), (104, 3.9, 0.5)] {
            let mut d = after(100.0, rtt, &plain);
            near(d.gauge("backlog"), backlog, 0.15);
            let w = d.w();
            d.lose();
            near(d.w() / w, left, 1e-3);
            assert_eq!(d.w(), d.ssthresh());
        }
        let mut d = after(100.0, 102, &plain);
        let w = d.w();
        d.congest(Cause::Timeout { first: true });
        near(d.ssthresh() / w, 0.5, 1e-3);
        assert_eq!(d.w(), 1.0);
    }

    /// A segment every round trip, or every second one.
    #[test]
    fn a_long_queue_halves_the_growth() {
        for (rtt, growth) in [(102, 1.0), (110, 0.5)] {
            let mut d = after(100.0, rtt, &VenoConfig::default());
            d.round();
            let w = d.w();
            d.rounds(10, rtt);
            near(d.w() - w, 10.0 * growth, 0.15 * growth + 0.1);
        }
    }

    /// With the base of the connection a queue that stays is seen; without it is taken for the
    /// path.
    #[test]
    fn the_smallest_round_trip_time_since_a_loss() {
        for (reset_base, backlog) in [(false, 50.0 * 20.0 / 120.0), (true, 0.0)] {
            let mut d = after(100.0, 120, &VenoConfig { reset_base, ..Default::default() });
            d.lose();
            d.rounds(3, 120);
            near(d.gauge("backlog"), backlog, 0.6);
        }
    }

    /// With beta = 0 no loss is random and half the growth stays: until the first round trip is
    /// over, and with as many samples asked for as there never are, it is NewReno to the byte.
    #[test]
    fn without_a_measure_it_is_newreno() {
        let mut d = TestConnection::<Veno>::at(
            20.0,
            &VenoConfig { min_samples: 1000, ..Default::default() },
        );
        let mut reno = TestConnection::<Newreno>::at(20.0, &Default::default());
        for i in 0..400 {
            d.ack(1);
            reno.ack(1);
            assert_eq!((d.cc.cwnd(), d.cc.ssthresh()), (reno.cc.cwnd(), reno.cc.ssthresh()), "{i}");
            if i % 97 == 96 {
                d.lose();
                reno.lose();
            }
        }
    }

    /// Two flows' first losses on Linux 6.12, in slow start: the smallest round-trip time of the
    /// round trip shows 1.4 segments in the queue, the last sample 11.5. Half remains.
    #[test]
    fn each_sample_tells_where_a_burst_queues() {
        for (each_sample, left) in [(true, 0.5), (false, 0.8)] {
            let config = VenoConfig { each_sample, min_samples: 3, ..Default::default() };
            let mut d = TestConnection::<Veno>::at(98.0, &config);
            for _ in 0..5 {
                d.rtt = Span::from_ms(80);
                d.ack(1);
                d.rtt = Span::from_ms(91);
                d.round();
            }
            let before = d.w();
            d.lose();
            near(d.w(), left * before, 1.0);
        }
    }
}
