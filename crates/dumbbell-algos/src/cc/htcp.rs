//! H-TCP (Leith and Shorten 2004): steps that grow with the time since the last loss.
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Kernel, Provenance, Setting};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase,
};
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A throughput that tells whether a path has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Throughput {
    /// That of the last whole round trip before the loss.
    #[default]
    LastRound,
    /// The mean since the loss before.
    SinceLoss,
    /// That of the last whole round trip before the loss before: a change shows one loss late.
    RoundBefore,
}

/// From when on the time since a loss counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// From the loss.
    #[default]
    Loss,
    /// From its repair.
    Recovered,
}

/// Parameters of [`Htcp`].
#[config]
pub struct HtcpConfig {
    /// For this long after a loss it grows as Reno does (Delta_L).
    #[schemars(extend("x-source" = "Leith and Shorten 2004, section 3"))]
    #[config(default = Span::from_secs(1))]
    pub delta_l: Span,
    /// The least share of the window that remains after a loss, and the one where the throughput
    /// has changed.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "Leith and Shorten \
            2004, section 3"),
    )]
    #[config(default = 0.5)]
    pub beta_min: f64,
    /// The largest share of the window that remains after a loss.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "Leith and Shorten \
            2004, section 3"),
    )]
    #[config(default = 0.8)]
    pub beta_max: f64,
    /// Which throughput is compared from one loss to the next.
    #[schemars(
        extend("x-source" = "Leith and Shorten 2004, section 3: before the loss; ns-3: since_loss; \
            observed in Linux: round_before"),
    )]
    #[config(default = Throughput::LastRound)]
    pub throughput: Throughput,
    /// From when on the time since a loss counts.
    #[schemars(
        extend("x-source" = "Leith and Shorten 2004, section 3: the loss; observed in Linux: \
            recovered"),
    )]
    #[config(default = Clock::Loss)]
    pub clock: Clock,
    /// Whether a throughput that differs by more than a fifth from that before the last loss makes
    /// beta `beta_min`.
    #[schemars(
        extend("x-source" = "Leith and Shorten 2004, section 3; Linux: use_bandwidth_switch"),
    )]
    #[config(default = true)]
    pub use_bandwidth_switch: bool,
    /// Whether steps are per 100 ms rather than per round trip, so that the RTT matters less.
    #[schemars(
        extend("x-source" = "draft-leith-tcp-htcp-06 section 2 (optional); Linux: use_rtt_scaling"),
    )]
    pub use_rtt_scaling: bool,
}

impl Config for HtcpConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.beta_min.is_finite() && self.beta_max.is_finite() && self.beta_min <= self.beta_max
        {
            return Ok(());
        }
        Err(Fault::at("beta_min", "beta_min must be a number and at most beta_max")
            .fix("write beta_min = 0.5, beta_max = 0.8"))
    }
}

/// The share of its excess over the smallest that the largest round-trip time keeps at a loss.
const FADING: f64 = 0.95;
/// The change of throughput that makes `beta` the smallest.
const CHANGE: f64 = 0.2;

/// The state that a loss changes beside the window.
#[derive(Clone, Copy, Debug)]
struct Memory {
    /// The time of the last congestion event; of the first acknowledgment, if there was none.
    since: Option<Time>,
    /// Bytes acknowledged since then.
    acked: u64,
    /// The throughput before that event, bytes per second, and before the one before.
    throughput: f64,
    older: f64,
    rtt_max: Span,
    beta: f64,
}

/// The round trip at hand, and the one before.
#[derive(Clone, Copy, Debug, Default)]
struct Trip {
    /// It ends when this byte is acknowledged; 0: none has begun.
    end: u64,
    since: Time,
    acked: u64,
    /// Bytes per second in the last whole one.
    throughput: f64,
}

impl Trip {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.acked += ack.acked;
        if ack.una >= self.end {
            let elapsed = ack.now.since(self.since);
            if self.end > 0 && elapsed > Span::ZERO {
                self.throughput = self.acked as f64 / elapsed.seconds();
            }
            (self.end, self.since, self.acked) = (ack.nxt, ack.now, 0);
        }
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Htcp {
    window: Box<Window>,
    rtt_min: Span,
    now: Memory,
    trip: Trip,
    alpha: f64,
    /// The state that the undo of a reduction restores.
    saved: Option<Box<Memory>>,
    config: HtcpConfig,
}

impl Algorithm for Htcp {
    type Config = HtcpConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "htcp",
        title: "H-TCP",
        idea: "Grow faster the longer there has been no loss, and give back no more than what the \
            queue may hold.",
        equations: "D: time since the last loss (clock: or its repair);  d = D - delta_l\n\
            a(D) = 1 if D <= delta_l, else 1 + 10 d + (d / 2)^2\nuse_rtt_scaling:    a(D) is \
            divided by min(max(0.1 s / RTT_min, 0.5), 10), but a(D) >= 1\nalpha = max(1, 2 (1 - \
            beta) a(D))\navoidance:          w += alpha / w  per segment acknowledged\nloss, ECN \
            echo:     B = throughput of the last round trip (or since_loss: of D;\n\
            \u{20}                   round_before: as it was at the loss before)\nand \
            then:           beta = min(max(RTT_min / RTT_max, beta_min), beta_max);  but \
            beta_min\nat the first one, or if |B - B_old| > 0.2 B_old \
            (use_bandwidth_switch)\nand:                ssthresh = max(beta min(FlightSize, cwnd), \
            2);  cwnd = ssthresh\nand:                RTT_max = RTT_min + 0.95 (RTT_max - \
            RTT_min);  B_old = B\ntimeout:            the same, and cwnd = 1\nRTT_min, RTT_max:   \
            of the connection, while no loss is being repaired",
        sources: &[
            "Leith and Shorten: H-TCP: TCP for high-speed and long-distance networks, PFLDnet 2004",
            "draft-leith-tcp-htcp-06",
        ],
        provenance: Provenance::TwoReadings,
        rule: "losses; the time since the last",
        family: "large windows",
        kernel: Kernel::Has { name: "htcp", note: "" },
        linux: &[
            ("use_rtt_scaling", Setting::Flag(true)),
            ("throughput", Setting::Word("round_before")),
            ("clock", Setting::Word("recovered")),
        ],
        ..About::PLAIN
    };
    fn new(config: &HtcpConfig, path: &Path) -> Self {
        let now = Memory {
            since: None,
            acked: 0,
            throughput: 0.0,
            older: 0.0,
            rtt_max: Span::ZERO,
            beta: config.beta_min,
        };
        let window = Window::boxed(path);
        Htcp {
            window,
            rtt_min: Span::MAX,
            now,
            trip: Trip::default(),
            alpha: 1.0,
            saved: None,
            config: config.clone(),
        }
    }
}

impl Htcp {
    /// alpha, `elapsed` after the last congestion event.
    #[inline]
    fn alpha(&self, elapsed: Span) -> f64 {
        let mut a = 1.0;
        if elapsed > self.config.delta_l {
            let d = elapsed.saturating_sub(self.config.delta_l).seconds();
            a += 10.0 * d + 0.25 * d * d;
        }
        if self.config.use_rtt_scaling && self.rtt_min < Span::MAX {
            a = (a / (0.1 / self.rtt_min.seconds().max(1e-6)).clamp(0.5, 10.0)).max(1.0);
        }
        (2.0 * (1.0 - self.now.beta) * a).max(1.0)
    }

    /// A new beta, and the share that goes.
    fn adapt(&mut self, at: Time) {
        self.saved = Some(Box::new(self.now));
        let Memory { since, acked, throughput: before, older, rtt_max, .. } = self.now;
        let elapsed = since.map_or(Span::ZERO, |since| at.since(since)).seconds();
        let throughput = match self.config.throughput {
            Throughput::LastRound | Throughput::RoundBefore => self.trip.throughput,
            Throughput::SinceLoss if elapsed > 0.0 => acked as f64 / elapsed,
            Throughput::SinceLoss => 0.0,
        };
        let late = self.config.throughput == Throughput::RoundBefore;
        let (new, old) = if late { (before, older) } else { (throughput, before) };
        let changed = self.config.use_bandwidth_switch && (new - old).abs() > CHANGE * old;
        let beta = if changed || old == 0.0 || rtt_max == Span::ZERO {
            self.config.beta_min
        } else {
            (self.rtt_min.ps() as f64 / rtt_max.ps() as f64)
                .clamp(self.config.beta_min, self.config.beta_max)
        };
        let excess = rtt_max.saturating_sub(self.rtt_min).scaled(FADING);
        let rtt_max = if rtt_max == Span::ZERO { rtt_max } else { self.rtt_min + excess };
        self.now = Memory { since: Some(at), acked: 0, throughput, older: before, rtt_max, beta };
        self.window.set_decrease(1.0 - beta);
    }

    /// The last reduction was not due: beta, its clock and its measures as before, with what came
    /// since.
    fn undo(&mut self) {
        if let Some(saved) = self.saved.take() {
            let acked = saved.acked + self.now.acked;
            self.now = Memory { acked, rtt_max: saved.rtt_max.max(self.now.rtt_max), ..*saved };
        }
    }
}

#[delegate(self.window: on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for Htcp {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        let since = *self.now.since.get_or_insert(ack.now);
        self.now.acked += ack.acked;
        self.trip.on_ack(ack);
        if let Some(rtt) = ack.rtt
            && ack.phase == Phase::Open
        {
            self.rtt_min = self.rtt_min.min(rtt);
            self.now.rtt_max = self.now.rtt_max.max(rtt);
        }
        if Window::may_grow(ack) {
            if !self.window.in_slow_start() {
                self.alpha = self.alpha(ack.now.since(since));
                self.window.set_increase(self.alpha);
            }
            self.window.add(ack.acked);
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        match event.cause {
            Cause::Loss | Cause::Ecn | Cause::Timeout { first: true } => self.adapt(event.now),
            Cause::Spurious => self.undo(),
            Cause::Timeout { first: false } | Cause::Further => {}
        }
        self.window.shrink(event, None);
    }
    fn on_recovered(&mut self, now: Time, bound: u64) {
        if self.config.clock == Clock::Recovered {
            self.now.since = Some(now);
        }
        self.window.on_recovered(now, bound);
    }
    /// `alpha` in segments per round trip, `beta`, `rtt_min` and `rtt_max` in seconds, `throughput`
    /// before the last loss in bit/s.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("alpha", self.alpha);
        out.gauge("beta", self.now.beta);
        out.gauge("rtt_min", if self.rtt_min == Span::MAX { 0.0 } else { self.rtt_min.seconds() });
        out.gauge("rtt_max", self.now.rtt_max.seconds());
        out.gauge("throughput", 8.0 * self.now.throughput);
    }
}

#[cfg(test)]
mod tests {
    use super::super::newreno::Newreno;
    use super::*;
    use crate::cc::parts::test_connection::{TestConnection, near};

    /// One that has lost at 1 ms, as ns-3's tests do; its alpha at `ms`.
    fn alpha_at(ms: u64) -> f64 {
        TestConnection::<Htcp>::at(38.0, &HtcpConfig::default()).cc.alpha(Span::from_ms(ms - 1))
    }

    /// ns-3's vectors: (cwnd, SMSS, acknowledgment at, cwnd after it). ns-3 adds alpha bytes to
    /// SMSS^2 / cwnd, where the paper has alpha SMSS^2 / cwnd; with its sum its windows tell our
    /// alpha.
    #[test]
    fn alpha_is_that_of_the_published_tests() {
        for (cwnd, mss, ms, after) in
            [(38 * 536, 536, 1000, 20_383), (38, 1, 1100, 40), (53 * 1446, 1446, 1500, 76_671)]
        {
            let sum = f64::from(mss * mss) / f64::from(cwnd) + alpha_at(ms);
            assert_eq!(cwnd + sum as i32, after, "at {ms} ms");
        }
        near(alpha_at(1001), 1.0, 1e-12);
        near(alpha_at(3001), 1.0 + 20.0 + 1.0, 1e-12);
        near(alpha_at(11_001), 1.0 + 100.0 + 25.0, 1e-12);
    }

    /// alpha segments for each window acknowledged: 22 at 3 s after the loss, and 11 more in each
    /// second. 500 acknowledgments at 22.55 take the window from 500 to sqrt(500^2 + 2 * 500 *
    /// 22.55).
    #[test]
    fn a_round_trip_adds_alpha() {
        let mut d = TestConnection::<Htcp>::at(1000.0, &HtcpConfig::default());
        d.ack(1);
        d.lose();
        d.now += Span::from_secs(3);
        let w = d.w();
        d.round();
        near(d.w(), libm::sqrt(w * w + 2.0 * w * (22.0 + 11.0 * 0.05)), 0.05);
    }

    /// The queue was empty at 80 ms and full at 100: the loss takes a fifth; from the second on,
    /// and only while the throughput is steady.
    #[test]
    fn beta_is_the_ratio_of_round_trip_times() {
        let throughput = Throughput::SinceLoss;
        let slow = HtcpConfig { delta_l: Span::from_secs(1000), throughput, ..Default::default() };
        let mut d = TestConnection::<Htcp>::at(100.0, &slow);
        let mut cycle = |rtts: &[u64]| {
            rtts.iter().for_each(|rtt| d.rounds(5, *rtt));
            d.lose();
            (d.gauge("beta"), d.gauge("rtt_max"))
        };
        let (first, rtt_max) = cycle(&[80, 100]);
        assert_eq!(first, 0.5);
        near(rtt_max, 0.099, 1e-9);
        let throughput = 110.0 / 0.09;
        // Half the window, half the throughput: the switch.
        assert_eq!(cycle(&[80, 100]).0, 0.5);
        assert!(d.gauge("throughput") / 8000.0 < 0.8 * throughput);
        // 28 segments, 33 and so on: each cycle about half the one before, until the windows
        // settle.
        let mut steady =
            TestConnection::<Htcp>::at(100.0, &HtcpConfig { use_bandwidth_switch: false, ..slow });
        for beta in [0.5, 0.8, 0.8] {
            [80, 100].iter().for_each(|rtt| steady.rounds(5, *rtt));
            let before = steady.w();
            steady.lose();
            assert_eq!(steady.gauge("beta"), beta);
            near(steady.w(), beta * before, 0.01);
        }
        // Between the bounds it is the ratio itself.
        steady.rounds(5, 80);
        steady.rounds(1, 120);
        steady.lose();
        near(steady.gauge("beta"), 80.0 / 120.0, 1e-9);
    }

    /// 100 segments in 100 ms, and 50 in the same after the window was halved.
    #[test]
    fn the_throughput_before_a_loss() {
        let mut d = TestConnection::<Htcp>::at(
            100.0,
            &HtcpConfig { delta_l: Span::from_secs(1000), ..Default::default() },
        );
        d.rounds(5, 100);
        d.lose();
        near(d.gauge("throughput"), 8.0 * 103.5e3 / 0.1, 2e5);
        d.rounds(20, 100);
        d.lose();
        near(d.gauge("throughput"), 8.0 * 70.5e3 / 0.1, 2e5);
        assert_eq!(d.gauge("beta"), 0.5);
        // 34 grow to 58, and 29 to 58 again: not a fifth of a difference.
        for beta in [0.8, 0.8] {
            let before = d.w();
            while d.w() < 66.0 {
                d.rounds(1, 100);
            }
            d.lose();
            assert_eq!(d.gauge("beta"), beta, "{before}");
        }
    }

    /// One flow of Linux 6.12 over 10 Mbit/s with a queue of 40 packets, at 100 ms: the throughputs
    /// of the last round trip before its losses, and what they left. A change shows one loss late.
    #[test]
    fn a_change_shows_one_loss_late() {
        let config = HtcpConfig {
            throughput: Throughput::RoundBefore,
            delta_l: Span::from_secs(1000),
            ..Default::default()
        };
        let mut d = TestConnection::<Htcp>::at(100.0, &config);
        d.rounds(3, 100);
        d.rounds(1, 148);
        let kernel = [(5.78, 0.50), (9.65, 0.50), (9.65, 0.50), (9.65, 0.67), (9.65, 0.67)];
        for (n, (mbps, beta)) in kernel.into_iter().enumerate() {
            d.cc.trip.throughput = mbps * 1e6 / 8.0;
            d.cc.now.rtt_max = Span::from_ms(149);
            d.lose();
            near(d.gauge("beta"), beta, 0.005);
            assert_eq!(d.gauge("throughput"), mbps * 1e6, "{n}");
        }
        // Half as much, and steady then: the second loss after the change knows.
        for beta in [0.67, 0.50, 0.67] {
            d.cc.trip.throughput = 4.8e6 / 8.0;
            d.cc.now.rtt_max = Span::from_ms(149);
            d.lose();
            near(d.gauge("beta"), beta, 0.005);
        }
    }

    /// 1.5 s after a loss, and 1 s after its repair: the paper's steps have grown for half a
    /// second, and those of Linux begin to.
    #[test]
    fn the_time_may_count_from_the_repair() {
        let alpha = |clock| {
            let config = HtcpConfig { clock, ..Default::default() };
            let mut d = TestConnection::<Htcp>::at(1000.0, &config);
            d.ack(1);
            d.lose();
            d.now += Span::from_ms(500);
            d.cc.on_recovered(d.now, u64::MAX);
            d.now += Span::from_ms(1000);
            d.ack(1);
            d.gauge("alpha")
        };
        near(alpha(Clock::Loss), 1.0 + 5.0 + 0.0625, 0.02);
        near(alpha(Clock::Recovered), 1.0, 0.02);
    }

    /// 10 ms: 10 times as many round trips, each with a tenth of the increase; never less than
    /// Reno's.
    #[test]
    fn rtt_scaling() {
        let config = HtcpConfig { use_rtt_scaling: true, ..Default::default() };
        for (rtt_ms, scale) in [(10, 10.0), (5, 10.0), (100, 1.0), (400, 0.5)] {
            let mut d = TestConnection::<Htcp>::at(100.0, &config);
            d.rounds(1, rtt_ms);
            d.lose();
            near(d.cc.alpha(Span::from_secs(11)), 126.0 / scale, 1e-9);
            near(d.cc.alpha(Span::from_ms(500)), (1.0f64 / scale).max(1.0), 1e-9);
        }
    }

    /// While Delta_L does not pass and beta stays at a half, it is NewReno to the byte.
    #[test]
    fn before_delta_l_it_is_newreno() {
        let config =
            HtcpConfig { delta_l: Span::from_secs(1000), beta_max: 0.5, ..Default::default() };
        let mut d = TestConnection::<Htcp>::at(20.0, &config);
        let mut reno = TestConnection::<Newreno>::at(20.0, &Default::default());
        for i in 0..400 {
            d.ack(1);
            reno.ack(1);
            d.now += Span::from_ms(5);
            assert_eq!(d.cc.cwnd(), reno.cc.cwnd(), "{i}");
            if i % 97 == 96 {
                d.lose();
                reno.lose();
            }
        }
    }

    #[test]
    fn an_undone_loss_leaves_no_trace() {
        let mut d = TestConnection::<Htcp>::at(100.0, &HtcpConfig::default());
        d.rounds(5, 80);
        d.rounds(5, 100);
        let (before, w) = (d.cc.now, d.cc.cwnd());
        d.lose();
        d.congest(Cause::Spurious);
        let now = d.cc.now;
        assert_eq!(d.cc.cwnd(), w);
        assert_eq!((now.since, now.acked, now.beta), (before.since, before.acked, before.beta));
        assert_eq!((now.rtt_max, now.throughput), (before.rtt_max, before.throughput));
    }
}
