//! TCP Hybla (Caini and Firrincieli 2004): the growth that a connection with a short round trip
//! would have.
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Kernel, Provenance, Setting};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{Ack, Capabilities, Commands, Congestion, CongestionControl, Path};
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the window begins with, and what lets it grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// rho initial windows; each segment that is acknowledged.
    #[default]
    Segments,
    /// rho segments; each acknowledgment, so that delayed ones halve the growth; rho in whole
    /// eighths. As in Linux.
    Acks,
}

/// Parameters of [`Hybla`].
#[config]
pub struct HyblaConfig {
    /// The round-trip time of the connection that it imitates (RTT_0).
    #[schemars(
        extend("x-source" = "Caini and Firrincieli 2004, section 4; Linux: 25 ms; ns-3: 50 ms"),
    )]
    #[config(default = Span::from_ms(25))]
    pub rtt0: Span,
    /// Most that an acknowledgment may add in slow start, as a share of the window. The paper has
    /// no limit, and 2^rho is 10^7 on a path over a satellite.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0, "x-source" = "reconstructed; the paper and Linux bound slow \
            start by ssthresh only"),
    )]
    #[config(default = 1.0)]
    pub slow_start_limit: f64,
    /// What the window begins with, and what lets it grow.
    #[schemars(extend("x-source" = "Caini and Firrincieli 2004; Linux"))]
    #[config(default = Counting::Segments)]
    pub counting: Counting,
}

impl Config for HyblaConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.rtt0 == Span::ZERO || !self.slow_start_limit.is_finite() {
            return Err(Fault::at(
                "rtt0",
                "rtt0 must be longer than nothing, and slow_start_limit a \
                number",
            )
            .fix("write rtt0 = \"25 ms\""));
        }
        Ok(())
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Hybla {
    window: Box<Window>,
    rtt_min: Span,
    rho: f64,
    /// 2^rho - 1.
    step: f64,
    /// The initial window, until it is multiplied by rho, bytes.
    initial: Option<u64>,
    config: HyblaConfig,
}

impl Algorithm for Hybla {
    type Config = HyblaConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "hybla",
        title: "TCP Hybla",
        idea: "On a long path grow as much in a second as a connection with a round-trip time of \
            rtt0 would: for satellites.",
        equations: "rho = max(1, RTT / rtt0), RTT: the smallest sample;  N: segments acknowledged \
            (L at most)\nfirst sample:        cwnd = rho IW\nslow start, per ACK: w += min((2^rho \
            - 1) N, slow_start_limit w), at most to ssthresh\navoidance:           w += rho^2 / w  \
            per segment acknowledged\ncounting = acks:    cwnd = rho at first;  N = 1 per ACK;  \
            8 rho is whole\nloss, timeout, ECN:  as reno",
        sources: &["Caini and Firrincieli: TCP Hybla: a TCP enhancement for heterogeneous \
            networks, IJSCN 22(5), 2004"],
        provenance: Provenance::Reconstruction,
        rule: "losses; growth as with a short round trip",
        family: "long paths",
        kernel: Kernel::Has {
            name: "hybla",
            note: "with the profile `linux` it counts acknowledgments",
        },
        linux: &[("counting", Setting::Word("acks"))],
        ..About::PLAIN
    };
    fn new(config: &HyblaConfig, path: &Path) -> Self {
        let window = Window::boxed(path);
        let initial = (config.counting == Counting::Segments).then(|| window.cwnd());
        Hybla { window, rtt_min: Span::MAX, rho: 1.0, step: 1.0, initial, config: config.clone() }
    }
}

impl Hybla {
    /// A round-trip time that is smaller than all before.
    #[cold]
    fn look_up(&mut self, rtt: Span) {
        self.rtt_min = rtt;
        self.rho = rho(rtt, &self.config);
        self.step = libm::exp2(self.rho) - 1.0;
        self.window.set_increase(self.rho * self.rho);
        if let Some(initial) = self.initial.take()
            && self.rho > 1.0
        {
            self.window.set_cwnd((initial as f64 * self.rho) as u64);
        }
    }

    fn slow_start(&mut self, acked: u64) {
        let cwnd = self.window.cwnd();
        let most = self.config.slow_start_limit * cwnd as f64;
        let step = (self.step * self.window.slow_start_credit(acked) as f64).min(most);
        let room = self.window.threshold().saturating_sub(cwnd);
        self.window.raise((step as u64).min(room));
    }
}

/// Round-trip times in units of `rtt0`, at least 1.
fn rho(rtt: Span, config: &HyblaConfig) -> f64 {
    let rho = rtt.ps() as f64 / config.rtt0.ps() as f64;
    match config.counting {
        Counting::Segments => rho.max(1.0),
        Counting::Acks => ((8.0 * rho).floor() / 8.0).max(1.0),
    }
}

#[delegate(self.window: on_recovered, on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for Hybla {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if let Some(rtt) = ack.rtt
            && rtt < self.rtt_min
        {
            self.look_up(rtt);
        }
        let acked = match self.config.counting {
            Counting::Segments => ack.acked,
            Counting::Acks => ack.acked.min(self.window.mss()),
        };
        if !Window::may_grow(ack) {
        } else if self.window.in_slow_start() && self.rho > 1.0 {
            self.slow_start(acked);
        } else {
            self.window.add(acked);
        }
    }
    fn on_open(&mut self, _now: Time, rtt: Option<Span>, _window: u64, _: &mut Commands) {
        if self.config.counting == Counting::Acks {
            let rho = rho(rtt.unwrap_or(Span::ZERO), &self.config);
            self.window.set_cwnd(rho as u64 * self.window.mss());
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.initial = None;
        self.window.shrink(event, None);
    }
    /// `rho`.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("rho", self.rho);
    }
}

#[cfg(test)]
mod tests {
    use super::super::newreno::Newreno;
    use super::*;
    use crate::cc::parts::test_connection::{TestConnection, near, path};

    /// ns-3's vectors, RTT_0 = 50 ms.
    #[test]
    fn rho() {
        let config = HyblaConfig { rtt0: Span::from_ms(50), ..Default::default() };
        for (ms, rho) in [(55, 1.1), (100, 2.0), (750, 15.0), (50, 1.0), (10, 1.0)] {
            let mut d = TestConnection::<Hybla>::at(10.0, &config);
            d.rtt = Span::from_ms(ms);
            d.ack(1);
            near(d.gauge("rho"), rho, 1e-12);
        }
        // Only a smaller sample changes it.
        let mut d = TestConnection::<Hybla>::at(10.0, &config);
        d.rounds(1, 100);
        d.rounds(1, 300);
        assert_eq!(d.gauge("rho"), 2.0);
        d.rounds(1, 75);
        assert_eq!(d.gauge("rho"), 1.5);
    }

    /// rho = 4: rho^2 = 16 segments in a round trip.
    #[test]
    fn a_round_trip_adds_rho_squared() {
        let mut d = TestConnection::<Hybla>::at(100.0, &HyblaConfig::default());
        d.ack(1);
        assert_eq!(d.gauge("rho"), 4.0);
        let w = d.w();
        d.round();
        near(d.w(), w + 16.0, 1.3);
        d.lose();
        near(d.w(), (w + 16.0) / 2.0, 0.7);
    }

    /// rho = 2: the initial window doubles, then 3 segments per segment acknowledged, up to
    /// ssthresh.
    #[test]
    fn slow_start() {
        let mut slow = path(10.0, true);
        slow.initial_ssthresh = 60_000;
        let mut d = TestConnection::<Hybla>::on(&slow, &HyblaConfig::default());
        d.rtt = Span::from_ms(50);
        for w in [23.0, 26.0, 29.0] {
            d.ack(1);
            near(d.w(), w, 1e-9);
        }
        d.round();
        near(d.w(), 60.0, 4.1 * 18.0 / 60.0);
        // At rho = 24 an acknowledgment would add 16.8 million segments: it doubles the window.
        let mut far = TestConnection::<Hybla>::on(&path(10.0, true), &HyblaConfig::default());
        far.rtt = Span::from_ms(600);
        far.ack(1);
        assert_eq!(far.w(), 480.0);
        let half = HyblaConfig { slow_start_limit: 0.5, ..Default::default() };
        let mut far = TestConnection::<Hybla>::on(&path(10.0, true), &half);
        far.rtt = Span::from_ms(600);
        far.ack(1);
        assert_eq!(far.w(), 360.0);
    }

    /// As in Linux: a path of rho = 4 begins with 4 segments, and an acknowledgment of two counts
    /// once.
    #[test]
    fn acknowledgments_count_once() {
        let config = HyblaConfig { counting: Counting::Acks, ..Default::default() };
        let mut d = TestConnection::<Hybla>::on(&path(10.0, true), &config);
        d.cc.on_open(Time::ZERO, Some(Span::from_ms(100)), u64::MAX, &mut Commands::default());
        assert_eq!(d.w(), 4.0);
        d.rtt = Span::from_ms(100);
        d.ack(2);
        assert_eq!(d.w(), 8.0);
        d.ack(2);
        assert_eq!(d.w(), 16.0);
    }

    /// A kernel adds 255 segments with an acknowledgment over 200 to 203 ms: 2^8 - 1.
    #[test]
    fn a_kernel_has_eighths_of_rho() {
        let config = HyblaConfig { counting: Counting::Acks, ..Default::default() };
        for (ms, rho) in [(203, 8.0), (204, 8.125), (24, 1.0)] {
            let mut d = TestConnection::<Hybla>::at(10.0, &config);
            d.rtt = Span::from_ms(ms);
            d.ack(1);
            assert_eq!(d.gauge("rho"), rho);
        }
    }

    /// Up to RTT_0 it is NewReno, to the byte.
    #[test]
    fn a_short_path_is_renos() {
        let mut d = TestConnection::<Hybla>::on(&path(10.0, true), &HyblaConfig::default());
        let mut reno = TestConnection::<Newreno>::on(&path(10.0, true), &Default::default());
        (d.rtt, reno.rtt) = (Span::from_ms(25), Span::from_ms(25));
        for i in 0..600 {
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
