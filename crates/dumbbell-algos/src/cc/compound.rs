//! Compound TCP (Tan, Song, Zhang, Sridharan 2006): a loss-based window and a delay-based one,
//! added.
use crate::cc::parts::rounds::{Round, Rounds};
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path,
};
use dumbbell_core::units::{Packets, Span, Time};
use dumbbell_macros::{config, delegate};

/// Parameters of [`Compound`].
#[config]
pub struct CompoundConfig {
    /// Gain of the increase, alpha win^k segments per round trip; 0: no delay-based window.
    #[schemars(range(min = 0.0, max = 10.0), extend("x-source" = "Tan et al. 2006, section III"))]
    #[config(default = 0.125)]
    pub alpha: f64,
    /// The share of the whole window that a loss takes.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "Tan et al. 2006, \
            section III"),
    )]
    #[config(default = 0.5)]
    pub beta: f64,
    /// Exponent of the increase.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Tan et al. 2006, section III: 0.75"),
    )]
    #[config(default = 0.75)]
    pub k: f64,
    /// With this many packets in the queue the delay-based window shrinks.
    #[schemars(extend("x-source" = "Tan et al. 2006, section III"))]
    #[config(default = Packets(30.0))]
    pub gamma: Packets,
    /// By how many segments it shrinks for each packet in the queue.
    #[schemars(range(min = 0.0, max = 100.0), extend("x-source" = "Tan et al. 2006, section III"))]
    #[config(default = 1.0)]
    pub zeta: f64,
}

impl Config for CompoundConfig {
    fn check(&self) -> Result<(), Fault> {
        let numbers = [self.alpha, self.beta, self.k, self.gamma.0, self.zeta];
        if numbers.iter().all(|x| x.is_finite()) && self.gamma.0 >= 0.0 {
            return Ok(());
        }
        Err(Fault::at("gamma", "parameters must be numbers, and gamma not negative")
            .fix("write alpha = 0.125, beta = 0.5, k = 0.75, gamma = \"30 pkt\", zeta = 1"))
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Compound {
    /// The loss-based window.
    window: Box<Window>,
    /// The delay-based window, bytes.
    dwnd: u64,
    /// The same before the last reduction.
    prior: u64,
    rounds: Rounds,
    /// Packets in the queue at the end of the last round trip.
    diff: f64,
    config: CompoundConfig,
}

impl Algorithm for Compound {
    type Config = CompoundConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "compound",
        title: "Compound TCP",
        idea: "Add to Reno's window a second one that grows fast while the path is idle and \
            shrinks when a queue builds up.",
        equations: "win = cwnd + dwnd, in segments: the window in force\nslow \
            start:                dwnd stays;  cwnd as reno\navoidance, per segment:    cwnd += 1 \
            / win\nand each round trip:       diff = win (1 - base / RTT), RTT: the mean of the \
            round trip's samples\nif diff < gamma:           dwnd += max(alpha win^k - 1, \
            0)\nelse:                      dwnd = max(dwnd - zeta diff, 0)\nloss, ECN \
            echo:            dwnd = max(win (1 - beta) - cwnd / 2, 0);  cwnd = max(cwnd / 2, \
            2)\ntimeout:                   ssthresh = max(cwnd / 2, 2);  dwnd = 0;  cwnd = 1\na \
            bound on the window (end of recovery, idle) takes from dwnd first",
        sources: &[
            "Tan, Song, Zhang and Sridharan: A compound TCP approach for high-speed and long \
                distance networks, INFOCOM 2006",
        ],
        provenance: Provenance::Recollection,
        rule: "losses; a second window by the delay",
        family: "losses and delay",
        ..About::PLAIN
    };
    fn new(config: &CompoundConfig, path: &Path) -> Self {
        let (window, rounds) = (Window::boxed(path), Rounds::default());
        Compound { window, dwnd: 0, prior: 0, rounds, diff: 0.0, config: config.clone() }
    }
}

impl Compound {
    /// The whole window, bytes.
    #[inline]
    fn win(&self) -> u64 {
        self.window.cwnd() + self.dwnd
    }

    /// A round trip of congestion avoidance is over.
    fn judge(&mut self, round: &Round, base: Span) {
        let (mss, config) = (self.window.mss() as f64, &self.config);
        let win = self.win() as f64 / mss;
        self.diff = win * (1.0 - base.seconds() / round.mean().seconds());
        if self.diff < config.gamma.0 {
            let step = (config.alpha * libm::pow(win, config.k) - 1.0).max(0.0);
            self.dwnd += (step * mss) as u64;
        } else {
            self.dwnd = self.dwnd.saturating_sub((config.zeta * self.diff * mss) as u64);
        }
    }

    /// A loss or an echo, with `in_flight` bytes of the whole window on their way.
    fn reduce(&mut self, event: &Congestion<'_>) {
        let (cwnd, win, mss) = (self.window.cwnd(), self.win(), self.window.mss());
        let flight = if event.cause == Cause::Ecn { win } else { event.in_flight.min(win) };
        // The share of the loss-based window in what is on its way.
        let own = (u128::from(flight) * u128::from(cwnd) / u128::from(win)) as u64;
        self.window.shrink(&Congestion::new(event.now, event.cause, own, event.tags), None);
        let remains = ((1.0 - self.config.beta) * flight as f64) as u64;
        self.dwnd =
            remains.saturating_sub(own / 2).min(win.saturating_sub(mss.max(self.window.cwnd())));
    }

    fn bound(&mut self, bound: u64) {
        let excess = self.win().saturating_sub(bound.max(self.window.mss()));
        let taken = excess.min(self.dwnd);
        self.dwnd -= taken;
        if excess > taken {
            self.window.bound(bound);
        }
    }
}

#[delegate(self.window: on_mss, ssthresh)]
impl CongestionControl for Compound {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        let slow_start = self.window.in_slow_start();
        if let Some(round) = self.rounds.on_ack(ack)
            && let Some(base) = self.rounds.base()
            && round.samples > 0
            && !slow_start
            && Window::may_grow(ack)
        {
            self.judge(&round, base);
        }
        if !slow_start {
            let cwnd = self.window.cwnd();
            self.window.set_increase(if self.dwnd == 0 {
                1.0
            } else {
                cwnd as f64 / (cwnd + self.dwnd) as f64
            });
        }
        self.window.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        match event.cause {
            Cause::Loss | Cause::Ecn => {
                self.prior = self.dwnd;
                self.reduce(event);
            }
            Cause::Timeout { first } => {
                self.prior = if first { self.dwnd } else { self.prior };
                self.reduce(event);
                self.dwnd = 0;
            }
            Cause::Spurious => {
                self.window.shrink(event, None);
                self.dwnd = self.dwnd.max(self.prior);
            }
            Cause::Further => {}
        }
    }
    fn on_recovered(&mut self, _now: Time, bound: u64) {
        self.bound(bound);
    }
    fn on_idle(&mut self, restart_window: u64) {
        self.bound(restart_window);
    }
    #[inline]
    fn cwnd(&self) -> u64 {
        self.win()
    }
    /// `cwnd` is the whole window and `dwnd` the delay-based one, bytes; `diff` in packets;
    /// `base_rtt` in seconds.
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("cwnd", self.win() as f64);
        out.gauge("ssthresh", self.window.threshold() as f64);
        out.gauge("dwnd", self.dwnd as f64);
        out.gauge("diff", self.diff);
        out.gauge("base_rtt", self.rounds.base().map_or(0.0, Span::seconds));
    }
}

#[cfg(test)]
mod tests {
    use super::super::newreno::Newreno;
    use super::*;
    use crate::cc::parts::test_connection::{MSS, TestConnection, near};

    fn round(ms: u64) -> Round {
        Round { min: Span::from_ms(ms), samples: 1, sum: Span::from_ms(ms) }
    }

    /// win = 256: 0.125 * 64 - 1 = 7 segments; below 16 segments nothing.
    #[test]
    fn an_idle_path_adds_by_the_binomial_law() {
        let base = Span::from_ms(100);
        let mut c = TestConnection::<Compound>::at(256.0, &CompoundConfig::default()).cc;
        c.judge(&round(100), base);
        assert_eq!((c.dwnd, c.cwnd()), (7 * MSS, 263 * MSS));
        // 263 * (1 - 100 / 110) = 23.9 < 30: 0.125 * 263^0.75 - 1 = 7.163.
        c.judge(&round(110), base);
        near(c.diff, 23.909, 1e-3);
        near(c.dwnd as f64, 14_163.0, 2.0);
        let mut small = TestConnection::<Compound>::at(16.0, &CompoundConfig::default()).cc;
        small.judge(&round(100), base);
        assert_eq!(small.dwnd, 0);
    }

    /// 270 * (1 - 100 / 120) = 45 packets in the queue: 45 segments less, and never less than none.
    #[test]
    fn a_queue_takes_the_delay_based_window() {
        let mut c = TestConnection::<Compound>::at(200.0, &CompoundConfig::default()).cc;
        c.dwnd = 70 * MSS;
        c.judge(&round(120), Span::from_ms(100));
        near(c.dwnd as f64, 25_000.0, 1.0);
        c.judge(&round(120), Span::from_ms(100));
        assert_eq!((c.dwnd, c.cwnd()), (0, 200 * MSS));
    }

    /// 1 / win per acknowledgment: a round trip of the whole window adds one segment.
    #[test]
    fn the_loss_based_window_adds_a_segment_per_round_trip() {
        let mut d = TestConnection::<Compound>::at(
            100.0,
            &CompoundConfig { alpha: 0.0, ..Default::default() },
        );
        d.cc.dwnd = 300 * MSS;
        d.round();
        near(d.cc.window.segments(), 101.0, 0.02);
        assert_eq!(d.cc.dwnd, 300 * MSS);
    }

    #[test]
    fn a_loss_takes_beta_of_the_whole() {
        for (beta, whole) in [(0.5, 200.0), (0.25, 300.0), (0.875, 50.0)] {
            let mut d = TestConnection::<Compound>::at(
                100.0,
                &CompoundConfig { beta, ..Default::default() },
            );
            d.cc.dwnd = 300 * MSS;
            d.lose();
            near(d.w(), whole, 0.01);
            assert_eq!((d.ssthresh(), d.cc.window.cwnd()), (50.0, 50 * MSS));
            d.congest(Cause::Spurious);
            assert_eq!((d.w(), d.cc.dwnd), (400.0, 300 * MSS));
        }
    }

    #[test]
    fn a_timeout_takes_all_of_the_delay_based_window() {
        let mut d = TestConnection::<Compound>::at(100.0, &CompoundConfig::default());
        d.cc.dwnd = 300 * MSS;
        d.congest(Cause::Timeout { first: true });
        assert_eq!((d.w(), d.ssthresh(), d.cc.dwnd), (1.0, 50.0, 0));
    }

    #[test]
    fn a_bound_takes_from_the_delay_based_window_first() {
        let mut d = TestConnection::<Compound>::at(100.0, &CompoundConfig::default());
        d.cc.dwnd = 50 * MSS;
        d.cc.on_recovered(Time::ZERO, 120 * MSS);
        assert_eq!((d.w(), d.cc.dwnd), (120.0, 20 * MSS));
        d.cc.on_idle(10 * MSS);
        assert_eq!((d.w(), d.cc.dwnd), (10.0, 0));
    }

    /// Without gain it is NewReno, to the byte.
    #[test]
    fn without_gain_it_is_newreno() {
        let mut d = TestConnection::<Compound>::at(
            40.0,
            &CompoundConfig { alpha: 0.0, ..Default::default() },
        );
        let mut reno = TestConnection::<Newreno>::at(40.0, &Default::default());
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
}
