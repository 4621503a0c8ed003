//! YeAH-TCP (Baiocchi, Castellani, Vacirca 2007): scalable while the queue is short, Reno while it
//! is not, and it drains the queue by itself.
use crate::cc::parts::rounds::{Round, Rounds};
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Kernel, Provenance, Setting};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path,
};
use dumbbell_core::units::{Packets, Span};
use dumbbell_macros::{config, delegate};

/// Parameters of [`Yeah`].
#[config]
pub struct YeahConfig {
    /// With more packets than this in the queue it enters slow mode, and drains the queue (Q_max).
    #[schemars(extend("x-source" = "Baiocchi et al. 2007, section 3; Linux: TCP_YEAH_ALPHA 80"))]
    #[config(default = Packets(80.0))]
    pub alpha: Packets,
    /// What it drains is the queue divided by this.
    #[schemars(
        range(min = 1.0, max = 100.0),
        extend("x-source" = "Baiocchi et al. 2007, section 3; Linux: TCP_YEAH_GAMMA 1"),
    )]
    #[config(default = 1.0)]
    pub gamma: f64,
    /// A loss takes at least the window divided by 2^delta.
    #[schemars(
        range(min = 1, max = 16),
        extend("x-source" = "Baiocchi et al. 2007, section 3; Linux: TCP_YEAH_DELTA 3"),
    )]
    #[config(default = 3)]
    pub delta: u32,
    /// What it drains is at most the window divided by 2^epsilon.
    #[schemars(
        range(min = 1, max = 16),
        extend("x-source" = "Baiocchi et al. 2007, section 3; Linux: TCP_YEAH_EPSILON 1"),
    )]
    #[config(default = 1)]
    pub epsilon: u32,
    /// With a queueing delay above the smallest RTT divided by this it enters slow mode.
    #[schemars(
        range(min = 1.0, max = 1000.0),
        extend("x-source" = "Baiocchi et al. 2007, section 3; Linux: TCP_YEAH_PHY 8"),
    )]
    #[config(default = 8.0)]
    pub phy: f64,
    /// Round trips in a row in slow mode after which it assumes that it shares the queue with Reno,
    /// and halves at a loss.
    #[schemars(
        range(min = 1, max = 1000),
        extend("x-source" = "Baiocchi et al. 2007, section 3; Linux: TCP_YEAH_RHO 16"),
    )]
    #[config(default = 16)]
    pub rho: u32,
    /// Round trips in fast mode after which it assumes that there is no Reno flow.
    #[schemars(
        range(min = 1, max = 10000),
        extend("x-source" = "Baiocchi et al. 2007, section 3; Linux: TCP_YEAH_ZETA 50"),
    )]
    #[config(default = 50)]
    pub zeta: u32,
    /// Samples that a decision after a round trip needs. Without timestamps there is one in a round
    /// trip.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "a choice; Linux: 3"))]
    #[config(default = 1)]
    pub min_samples: u32,
}

impl Config for YeahConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.alpha.0.is_finite()
            && self.alpha.0 >= 0.0
            && self.gamma.is_finite()
            && self.phy.is_finite()
        {
            return Ok(());
        }
        Err(Fault::at("alpha", "alpha must be a number of packets that is not negative")
            .fix("write alpha = \"80 pkt\", gamma = 1, phy = 8"))
    }
}

/// The share of a segment that an acknowledged segment adds while it is fast: Scalable TCP's.
const SCALABLE: f64 = 0.01;

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Yeah {
    window: Box<Window>,
    rounds: Rounds,
    /// The window that a Reno would have, by the losses seen: it drains to no less, segments.
    reno_count: f64,
    /// Fast round trips.
    fast_count: u32,
    /// Slow round trips in a row; 0: it is fast.
    doing_reno: u32,
    /// The queue at the end of the last round trip, packets.
    last_q: f64,
    config: YeahConfig,
}

impl Algorithm for Yeah {
    type Config = YeahConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "yeah",
        title: "YeAH-TCP",
        idea: "Grow by a share of the window while the queue is short, else as Reno; drain the \
            queue before it overflows.",
        equations: "each round trip:  Q = w (RTT - base) / RTT, RTT: the smallest of this round \
            trip\nslow if Q > alpha or RTT - base > base / phy:\nand if Q > alpha and w > R:  w = \
            max(w - min(Q / gamma, w / 2^epsilon), R);  ssthresh = w\nand:              R = max(w \
            / 2, 2) if R <= 2, else R + 1;  slow rounds += 1\nelse fast:        slow rounds = 0;  \
            after more than zeta fast rounds R = 2\navoidance:        fast: w += max(0.01, 1 / w) \
            per segment acknowledged;  slow: w += 1 / w\nloss, ECN echo:   w -= max(min(Q, max(w / \
            2, 2)), w / 2^delta), or max(w / 2, 2) after rho slow\nrounds in a row;  fast rounds = \
            0;  R = max(R / 2, 2)\ntimeout:          ssthresh as for a loss;  cwnd = 1",
        sources: &[
            "Baiocchi, Castellani and Vacirca: YeAH-TCP: yet another highspeed TCP, PFLDnet \
            2007",
        ],
        provenance: Provenance::TwoReadings,
        rule: "losses; the queue, estimated from the delay",
        family: "losses and delay",
        kernel: Kernel::Has { name: "yeah", note: "" },
        linux: &[("min_samples", Setting::Count(3))],
        ..About::PLAIN
    };
    fn new(config: &YeahConfig, path: &Path) -> Self {
        Yeah {
            window: Window::taking_whole(path),
            rounds: Rounds::default(),
            reno_count: 2.0,
            fast_count: 0,
            doing_reno: 0,
            last_q: 0.0,
            config: config.clone(),
        }
    }
}

impl Yeah {
    /// A round trip is over.
    fn judge(&mut self, round: &Round, base: Span) {
        if round.samples < self.config.min_samples {
            return;
        }
        let (w, config) = (self.window.segments(), &self.config);
        let delay = round.min.saturating_sub(base).seconds();
        let queue = w * delay / round.min.seconds();
        self.last_q = queue;
        let long = queue > config.alpha.0;
        if !long && delay <= base.seconds() / config.phy {
            self.fast_round();
            return;
        }
        if long && w > self.reno_count {
            let drained = (queue / config.gamma).min(w / f64::from(1u32 << config.epsilon));
            self.drain_to((w - drained).max(self.reno_count));
        }
        let half = (self.window.segments() / 2.0).max(2.0);
        self.reno_count = if self.reno_count <= 2.0 { half } else { self.reno_count + 1.0 };
        self.doing_reno = self.doing_reno.saturating_add(1);
    }

    fn fast_round(&mut self) {
        self.fast_count += 1;
        if self.fast_count > self.config.zeta {
            (self.reno_count, self.fast_count) = (2.0, 0);
        }
        self.doing_reno = 0;
    }

    /// Precautionary decongestion.
    fn drain_to(&mut self, w: f64) {
        self.window.set_cwnd((w * self.window.mss() as f64) as u64);
        self.window.set_ssthresh(self.window.cwnd());
    }

    /// The share of the window that a loss takes.
    fn cut(&self) -> f64 {
        let w = self.window.segments();
        let half = (w / 2.0).max(2.0);
        let taken = if self.doing_reno < self.config.rho {
            self.last_q.min(half).max(w / f64::from(1u32 << self.config.delta))
        } else {
            half
        };
        (taken / w).min(1.0)
    }
}

#[delegate(self.window: on_recovered, on_idle, cwnd, ssthresh)]
impl CongestionControl for Yeah {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if let Some(round) = self.rounds.on_ack(ack)
            && let Some(base) = self.rounds.base()
        {
            self.judge(&round, base);
        }
        let fast = if self.doing_reno == 0 { SCALABLE * self.window.segments() } else { 1.0 };
        self.window.set_increase(fast.max(1.0));
        self.window.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.window.set_decrease(self.cut());
        self.window.shrink(event, None);
        if matches!(event.cause, Cause::Loss | Cause::Ecn | Cause::Timeout { first: true }) {
            self.fast_count = 0;
            self.reno_count = (self.reno_count / 2.0).max(2.0);
        }
    }
    fn on_mss(&mut self, mss: u64) {
        let share = self.window.mss() as f64 / mss as f64;
        (self.reno_count, self.last_q) = ((self.reno_count * share).max(2.0), self.last_q * share);
        self.window.set_mss(mss);
    }
    /// `queue` in packets, `reno_count` in segments, `fast_count` and `doing_reno` in round trips,
    /// `base_rtt` in seconds.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("queue", self.last_q);
        out.gauge("reno_count", self.reno_count);
        out.gauge("fast_count", f64::from(self.fast_count));
        out.gauge("doing_reno", f64::from(self.doing_reno));
        out.gauge("base_rtt", self.rounds.base().map_or(0.0, Span::seconds));
    }
}

#[cfg(test)]
mod tests {
    use super::super::newreno::Newreno;
    use super::*;
    use crate::cc::parts::test_connection::{TestConnection, near};

    fn yeah(w: f64) -> TestConnection<Yeah> {
        TestConnection::<Yeah>::at(w, &YeahConfig::default())
    }

    /// A hundredth of a segment per segment acknowledged while no queue is seen, a segment per
    /// round trip with one of more than an eighth of the base.
    #[test]
    fn fast_and_slow() {
        let mut d = yeah(400.0);
        d.rounds(2, 100);
        let w = d.w();
        d.round();
        near(d.w() / w, 1.01, 1e-3);
        // 16 ms > 100 / 8, and 57 packets: slow, but nothing is drained.
        d.rounds(2, 116);
        assert!(d.gauge("doing_reno") > 0.0 && d.gauge("queue") < 80.0);
        let w = d.w();
        d.round();
        near(d.w() - w, 1.0, 0.01);
        // 12 ms < 12.5: fast again.
        d.rounds(2, 112);
        assert_eq!(d.gauge("doing_reno"), 0.0);
    }

    /// Of a queue of 200 packets the share 1 / gamma goes, but no more than half of the window.
    #[test]
    fn it_drains_a_share_of_the_queue() {
        for (gamma, w) in [(1.0, 800.0), (2.0, 900.0), (4.0, 950.0), (0.25, 500.0)] {
            let config = YeahConfig { gamma, ..YeahConfig::default() };
            let mut d = TestConnection::<Yeah>::at(1000.0, &config);
            let round = Round { min: Span::from_ms(125), samples: 9, sum: Span::ZERO };
            d.cc.judge(&round, Span::from_ms(100));
            near(d.w(), w, 0.1);
        }
    }

    /// Slow round trips without a queue to drain: Reno's window is half of this one, at least two
    /// segments, and then a segment more each time.
    #[test]
    fn the_window_that_a_reno_would_have() {
        for (w, first) in [(100.0, 50.0), (3.0, 2.0)] {
            let config = YeahConfig { min_samples: 3, ..YeahConfig::default() };
            let mut d = TestConnection::<Yeah>::at(w, &config);
            let round = Round { min: Span::from_ms(113), samples: 9, sum: Span::ZERO };
            for n in 0..3 {
                d.cc.judge(&round, Span::from_ms(100));
                assert_eq!(d.w(), w);
                // Two segments are as good as none.
                let more = if first > 2.0 { f64::from(n) } else { 0.0 };
                near(d.gauge("reno_count"), first + more, 1e-9);
            }
            let few = Round { samples: 2, ..round };
            d.cc.judge(&few, Span::from_ms(100));
            assert_eq!(d.gauge("doing_reno"), 3.0, "too few samples");
        }
    }

    /// 1000 segments at 125 ms: 200 packets in the queue, all of which go; Reno's window is then
    /// half of what remains.
    #[test]
    fn it_drains_the_queue() {
        let mut d = yeah(1000.0);
        d.ack(1);
        let mut round = Round { min: Span::from_ms(125), samples: 9, sum: Span::ZERO };
        d.cc.judge(&round, Span::from_ms(100));
        near(d.w(), 800.0, 0.1);
        assert_eq!(
            (d.ssthresh(), d.gauge("reno_count"), d.gauge("doing_reno")),
            (d.w(), d.w() / 2.0, 1.0)
        );
        // At most half of the window: 800 segments at 300 ms hold 533 packets.
        round.min = Span::from_ms(300);
        d.cc.judge(&round, Span::from_ms(100));
        near(d.w(), 400.0, 0.1);
        near(d.gauge("reno_count"), 401.0, 0.1);
        // Not below Reno's window.
        d.cc.judge(&round, Span::from_ms(100));
        near(d.w(), 400.0, 0.1);
    }

    /// A loss takes the queue of the last round trip, at least an eighth and at most half; after 16
    /// slow round trips half.
    #[test]
    fn what_a_loss_takes() {
        for (rtt, slow, left) in
            [(100, 0, 0.875), (125, 0, 0.8), (400, 0, 0.5), (125, 16, 0.5), (125, 15, 0.8)]
        {
            let mut d = yeah(200.0);
            d.ack(1);
            let (w, rtt) = (d.cc.window.segments(), Span::from_ms(rtt));
            d.cc.last_q = w * (rtt.seconds() - 0.1) / rtt.seconds();
            (d.cc.doing_reno, d.cc.reno_count, d.cc.fast_count) = (slow, 30.0, 7);
            d.lose();
            near(d.w() / w, left, 1e-3);
            assert_eq!((d.gauge("reno_count"), d.gauge("fast_count")), (15.0, 0.0));
        }
    }

    #[test]
    fn after_zeta_fast_round_trips_there_is_no_reno() {
        let mut d = yeah(20.0);
        d.cc.reno_count = 10.0;
        let round = Round { min: Span::from_ms(100), samples: 9, sum: Span::ZERO };
        (0..50).for_each(|_| d.cc.judge(&round, Span::from_ms(100)));
        assert_eq!(d.gauge("reno_count"), 10.0);
        d.cc.judge(&round, Span::from_ms(100));
        assert_eq!((d.gauge("reno_count"), d.gauge("fast_count")), (2.0, 0.0));
    }

    /// Below 100 segments both ways of growing are NewReno's, and after `rho` slow round trips so
    /// are its losses.
    #[test]
    fn small_windows_grow_as_newreno() {
        let mut d = yeah(20.0);
        let mut reno = TestConnection::<Newreno>::at(20.0, &Default::default());
        for i in 0..600 {
            if i == 50 {
                d.cc.doing_reno = 100;
            }
            d.rtt = Span::from_ms(if i == 0 { 100 } else { 150 });
            d.ack(1);
            reno.ack(1);
            assert_eq!(d.cc.cwnd(), reno.cc.cwnd(), "{i}");
            if i % 97 == 96 {
                d.lose();
                reno.lose();
            }
        }
    }
}
