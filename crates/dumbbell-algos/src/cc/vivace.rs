//! PCC Vivace (Dong et al., NSDI 2018): a rate that climbs the gradient of a utility, which two
//! intervals at rates a little apart measure.
//!
//! | symbol | parameter or state | section |
//! |---|---|---|
//! | u(x, dRTT/dT, L) | [`Interval::utility`] | 3, equation (1) |
//! | t, b, c | `exponent`, `latency`, `loss` | 3, 5 |
//! | epsilon | `epsilon` | 4.2 |
//! | theta_0, m(tau) | `theta`, `amplifier` | 4.2 |
//! | omega_0, delta, k | `boundary`, `boundary_step`, `Steps::k` | 4.2 |
//!
//! These are our choices. The initial rate is the initial window in a round trip. An interval lasts
//! a round trip, but at least ten packets. A sample belongs to the interval in which its segment
//! was sent, and so do the losses that it finds. While the results of a pair are on their way the
//! sender keeps its rate. An interval that was not filled decides nothing. A timeout halves the
//! rate, and until the next acknowledgment the window is a segment. The window otherwise holds two
//! round trips at the rate, and is no more than a bound. Echoes of congestion count as losses. The
//! paper's second look at abnormal measurements (section 4.3) is not here.
use crate::cc::parts::path_model::{Boxed, pacing_rate};
use dumbbell_core::catalogue::{About, Algorithm, Config, Kernel, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Sent, Tag,
    TcpOverrides,
};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::config;
use std::collections::VecDeque;

mod interval;
mod steps;
use interval::{Interval, Role};
use steps::Steps;

/// Parameters of [`Vivace`].
#[config]
pub struct VivaceConfig {
    /// Exponent t of the rate in the utility.
    #[schemars(range(min = 0.01, max = 0.999))]
    #[schemars(extend("x-source" = "Dong et al. 2018, section 3 (0.9)"))]
    #[config(default = 0.9)]
    pub exponent: f64,
    /// Weight b of the latency gradient.
    #[schemars(range(min = 0.0, max = 1e6))]
    #[schemars(extend("x-source" = "Dong et al. 2018, section 5 (900)"))]
    #[config(default = 900.0)]
    pub latency: f64,
    /// Weight c of the loss rate.
    #[schemars(range(min = 0.0, max = 1e6))]
    #[schemars(extend("x-source" = "Dong et al. 2018, section 5 (11.35)"))]
    #[config(default = 11.35)]
    pub loss: f64,
    /// The share by which the two rates of a pair differ from the current rate.
    #[schemars(range(min = 0.001, max = 0.5))]
    #[schemars(extend("x-source" = "Dong et al. 2018, section 4.2, from memory"))]
    #[config(default = 0.05)]
    pub epsilon: f64,
    /// Conversion of a gradient into a rate, Mbit/s.
    #[schemars(range(min = 0.001, max = 1e3))]
    #[schemars(extend("x-source" = "Dong et al. 2018, section 4.2, from memory"))]
    #[config(default = 1.0)]
    pub theta: f64,
    /// Largest change at first, a share of the rate.
    #[schemars(range(min = 0.001, max = 1.0))]
    #[schemars(extend("x-source" = "Dong et al. 2018, section 4.2, from memory"))]
    #[config(default = 0.05)]
    pub boundary: f64,
    /// Growth of the largest change with each change that reaches it.
    #[schemars(range(min = 0.001, max = 1.0))]
    #[schemars(extend("x-source" = "Dong et al. 2018, section 4.2, from memory"))]
    #[config(default = 0.1)]
    pub boundary_step: f64,
    /// Latency gradients below this are noise.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(extend("x-source" = "Dong et al. 2018, section 4.3 (0.01)"))]
    #[config(default = 0.01)]
    pub gradient_filter: f64,
}

impl Config for VivaceConfig {}

/// See the module's page.
pub type Vivace = Boxed<Model>;

/// Its state.
#[derive(Clone, Debug)]
pub struct Model {
    config: VivaceConfig,
    mss: u64,
    initial_window: u64,
    /// The window, bytes.
    window: u64,
    chance: Stream,
    /// Bytes per second; none before a round-trip time.
    rate: Option<f64>,
    srtt: Span,
    /// Intervals without all their samples, the current one last.
    intervals: VecDeque<Interval>,
    /// Utility of the interval before, while the rate doubles; none after.
    starting: bool,
    before: Option<f64>,
    pair: Pair,
    steps: Steps,
    marked: u64,
    collapsed: bool,
    last_utility: f64,
}

/// The current pair of intervals.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    /// Intervals that were begun.
    begun: u32,
    /// True if the higher rate comes first.
    up_first: bool,
    up: Option<f64>,
    down: Option<f64>,
}

/// Packets that an interval has room for at least.
const PACKETS: f64 = 10.0;
/// Bytes per second of a Mbit/s.
const MBIT: f64 = 125_000.0;

impl Algorithm for Model {
    type Config = VivaceConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "vivace",
        title: "PCC Vivace",
        idea: "Send a little faster and a little slower for a round trip each, and move the rate \
            along the gradient of a utility of rate, latency gradient and loss.",
        equations: "u = x^t - b x dRTT/dT - c x L;  x in Mbit/s;  dRTT/dT: slope of a regression, \
            0 below 0.01\ngamma = (u(x (1 + eps)) - u(x (1 - eps))) / (2 eps x)\nchange = m(tau) \
            theta gamma,  at most omega x;  m(tau) = tau to 3, then 2 tau - 3\ntau: changes in \
            this direction;  omega = omega_0 + k delta;  k += 1 where the change\n.  reaches it, \
            else the least k that holds it, 0 in a turn\nstart: the rate doubles in each interval \
            until the utility falls",
        sources: &[
            "Dong, Meng, Zarchy, Arslan, Gilad, Godfrey, Schapira: PCC Vivace: Online-Learning \
                Congestion Control, NSDI 2018, sections 3 to 5",
        ],
        provenance: Provenance::Recollection,
        rule: "the gradient of a utility of rate, latency gradient and loss",
        needs: "pacing, rates",
        family: "what arrives",
        kernel: Kernel::Lacks {
            why: "PCC Vivace is in no released kernel",
            fix: "write cc = \"bbr\"",
        },
        ..About::PLAIN
    };
    fn new(config: &VivaceConfig, path: &Path) -> Self {
        Model {
            mss: path.mss,
            initial_window: path.initial_window.max(path.mss),
            window: path.initial_window.max(path.mss),
            chance: Stream::named(0, "vivace"),
            rate: None,
            srtt: Span::ZERO,
            intervals: VecDeque::with_capacity(8),
            starting: true,
            before: None,
            pair: Pair::default(),
            steps: Steps::default(),
            marked: 0,
            collapsed: false,
            last_utility: 0.0,
            config: config.clone(),
        }
    }
}

impl Model {
    /// The least rate: two segments in a round trip.
    fn least(&self) -> f64 {
        2.0 * self.mss as f64 / self.srtt.seconds().max(1e-6)
    }

    fn set_srtt(&mut self, srtt: Span) {
        self.srtt = srtt;
        if self.rate.is_none() && srtt > Span::ZERO {
            self.rate = Some(self.initial_window as f64 / srtt.seconds());
        }
    }

    /// Begins an interval if the current one is over.
    fn roll(&mut self, now: Time) {
        let Some(rate) = self.rate else { return };
        let used = match self.intervals.back() {
            Some(current) if now < current.end => return,
            Some(over) => over.is_used(),
            None => false,
        };
        let (role, share) = if self.starting {
            // What is not sent tells nothing about the rate.
            if used {
                self.rate = Some(2.0 * rate);
            }
            (Role::Start, 1.0)
        } else {
            let role = match self.pair.begun {
                0 if self.pair.up_first => Role::Up,
                0 => Role::Down,
                1 if self.pair.up_first => Role::Down,
                1 => Role::Up,
                _ => Role::Wait,
            };
            self.pair.begun += 1;
            (role, role.share(self.config.epsilon))
        };
        let rate = self.rate.unwrap_or(rate) * share;
        let span = self.srtt.seconds().max(PACKETS * self.mss as f64 / rate);
        self.intervals.push_back(Interval::new(now, Span::from_secs_f64(span), rate, role));
    }

    /// A new pair around the current rate.
    fn probe_again(&mut self) {
        self.pair = Pair { up_first: self.chance.coin(0.5), ..Pair::default() };
        for interval in &mut self.intervals {
            interval.role = Role::Wait;
        }
    }

    /// All that an interval sent was answered.
    fn settle(&mut self, interval: &Interval) {
        let u = interval.utility(&self.config);
        self.last_utility = u.unwrap_or(self.last_utility);
        match (interval.role, u) {
            (Role::Wait, _) => {}
            (Role::Start, Some(u)) => {
                if self.before.is_some_and(|before| u < before) {
                    self.starting = false;
                    self.rate = Some((interval.rate / 2.0).max(self.least()));
                    self.probe_again();
                }
                self.before = Some(u);
            }
            (Role::Start, None) => {
                // What limits the sender is not the rate.
                self.rate = Some(interval.rate);
            }
            (Role::Up, Some(u)) => self.pair.up = Some(u),
            (Role::Down, Some(u)) => self.pair.down = Some(u),
            (Role::Up | Role::Down, None) => self.probe_again(),
        }
        let (Some(up), Some(down), Some(rate)) = (self.pair.up, self.pair.down, self.rate) else {
            return;
        };
        let x = rate / MBIT;
        let gradient = (up - down) / (2.0 * self.config.epsilon * x);
        let change = self.steps.change(gradient, x, &self.config);
        self.rate = Some(((x + change) * MBIT).max(self.least()));
        self.probe_again();
    }

    /// Takes an acknowledgment into the intervals.
    fn hear(&mut self, ack: &Ack) {
        if let Some(srtt) = ack.srtt.or(ack.rtt) {
            self.set_srtt(srtt);
        }
        if ack.acked > 0 {
            self.collapsed = false;
        }
        self.marked += ack.marked;
        self.roll(ack.now);
        let Some(rs) = &ack.rate else { return };
        let lost = rs.newly_lost + std::mem::take(&mut self.marked);
        let Some(rtt) = rs.rtt else {
            if let Some(first) = self.intervals.front_mut() {
                first.lost += lost;
            }
            return;
        };
        let sent_at = Time::ZERO + ack.now.since(Time::ZERO).saturating_sub(rtt);
        while self.intervals.len() > 1 && self.intervals[0].end <= sent_at {
            if let Some(over) = self.intervals.pop_front() {
                self.settle(&over);
            }
        }
        if let Some(first) = self.intervals.front_mut() {
            first.lost += lost;
            first.sample(sent_at, rtt);
        }
    }

    /// Sets the window, which follows from the rate.
    fn settle_window(&mut self) {
        self.window = match self.rate {
            _ if self.collapsed => self.mss,
            None => self.initial_window.max(self.mss),
            Some(rate) => ((2.0 * rate * self.srtt.seconds()) as u64).max(4 * self.mss),
        };
    }
}

impl CongestionControl for Model {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides { meters: true, ..TcpOverrides::NOTHING }
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            paces: true,
            segments: true,
            samples: true,
            rates: true,
            discriminates: true,
            ..Capabilities::WINDOW
        }
    }
    fn seed(&mut self, seed: u64) {
        self.chance = Stream::named(seed, "vivace");
    }
    fn on_open(&mut self, _: Time, rtt: Option<Span>, _: u64, _: &mut Commands) {
        if let Some(rtt) = rtt {
            self.set_srtt(rtt);
        }
        self.settle_window();
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        self.hear(ack);
        self.settle_window();
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        if let Cause::Timeout { first } = event.cause {
            if first {
                self.rate = self.rate.map(|rate| (rate / 2.0).max(self.least()));
            }
            (self.collapsed, self.starting) = (true, false);
            self.probe_again();
            self.settle_window();
        }
    }
    #[inline]
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.roll(sent.now);
        if let Some(current) = self.intervals.back_mut() {
            current.sent += sent.bytes;
        }
        self.settle_window();
        Tag(0)
    }
    /// A pause: what was measured before it decides nothing.
    fn on_idle(&mut self, _: u64) {
        self.intervals.clear();
        self.probe_again();
        self.settle_window();
    }
    fn on_mss(&mut self, mss: u64) {
        self.mss = mss;
        self.window = self.window.max(mss);
    }
    #[inline]
    fn cwnd(&self) -> u64 {
        self.window
    }
    #[inline]
    fn pacing(&self) -> Option<Rate> {
        self.rate.map(|rate| {
            let current = self.intervals.back().filter(|i| i.role != Role::Wait);
            pacing_rate(current.map_or(rate, |i| i.rate))
        })
    }
    /// `rate` and `pacing_rate` in bits per second; `utility` of the last interval; `tau`: changes
    /// in this direction; `boundary`: the largest change, a share; `starting`: 1 while it doubles.
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("cwnd", self.cwnd() as f64);
        out.gauge("rate", self.rate.unwrap_or(0.0) * 8.0);
        out.gauge("pacing_rate", self.pacing().map_or(0.0, |r| r.bps() as f64));
        out.gauge("utility", self.last_utility);
        out.gauge("tau", f64::from(self.steps.tau));
        out.gauge("boundary", self.steps.boundary(&self.config));
        out.gauge("starting", f64::from(u8::from(self.starting)));
    }
}

#[cfg(test)]
mod tests;
