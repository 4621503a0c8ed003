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
    /// A mean of windows, of which each counts a quarter. One is over once its segments but one are
    /// acknowledged and RTT_min has passed; acknowledgments during a repair do not count, its time
    /// does. A change makes beta `beta_min` at this loss and at the next.
    Smoothed,
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

/// How the window grows in congestion avoidance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Steps {
    /// With each acknowledgment, by alpha of its instant.
    #[default]
    Acknowledged,
    /// By a segment at once. alpha is computed after each step, from a whole number a(D), and may
    /// be less than 1; what was acknowledged beyond a step does not count for the next.
    Segment,
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
            observed in Linux: smoothed"),
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
    /// How the window grows in congestion avoidance.
    #[schemars(
        extend("x-source" = "Leith and Shorten 2004, section 3: acknowledged; observed in Linux: \
            segment"),
    )]
    #[config(default = Steps::Acknowledged)]
    pub steps: Steps,
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
    /// The throughput before that event, bytes per second.
    throughput: f64,
    /// True if it was that of the event before.
    steady: bool,
    rtt_max: Span,
    beta: f64,
}

/// The share of a window in the mean of [`Throughput::Smoothed`].
const WEIGHT: f64 = 0.25;

/// The round trip at hand, and the one before; with [`Throughput::Smoothed`] the window at hand,
/// and the mean of those before.
#[derive(Clone, Copy, Debug, Default)]
struct Trip {
    /// It ends when this byte is acknowledged; 0: none has begun.
    end: u64,
    since: Time,
    acked: u64,
    /// Bytes per second in the last whole one, or their mean.
    throughput: f64,
}

impl Trip {
    /// Counts for the mean of windows of `window` bytes.
    fn smooth(&mut self, ack: &Ack, window: u64, rtt_min: Span) {
        if self.end == 0 {
            (self.end, self.since) = (ack.nxt, ack.now);
            return;
        }
        if ack.phase != Phase::Open {
            return;
        }
        self.acked += ack.acked;
        let elapsed = ack.now.since(self.since);
        if self.acked < window || elapsed < rtt_min || elapsed == Span::ZERO {
            return;
        }
        let sample = self.acked as f64 / elapsed.seconds();
        self.throughput = if self.throughput == 0.0 {
            sample
        } else {
            self.throughput + WEIGHT * (sample - self.throughput)
        };
        (self.since, self.acked) = (ack.now, 0);
    }

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
    /// Bytes acknowledged since the last step of a segment.
    counted: u64,
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
            beta) a(D))\navoidance:          w += alpha / w  per segment acknowledged\n\
            \u{20}                   (steps = segment: a whole a(D), from the last step, no least \
            alpha)\nloss, ECN \
            echo:     B = throughput of the last round trip (or since_loss: of D;\n\
            \u{20}                   smoothed: mean of windows, 1/4 each)\nand \
            then:           beta = min(max(RTT_min / RTT_max, beta_min), beta_max);  but \
            beta_min\nat the first one, or if |B - B_old| > 0.2 B_old \
            (use_bandwidth_switch;\n\
            \u{20}                   smoothed: or if it was so at the loss before)\n\
            and:                ssthresh = max(beta min(FlightSize, cwnd), 2);  cwnd = ssthresh\n\
            and:                RTT_max = RTT_min + 0.95 (RTT_max - \
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
            ("throughput", Setting::Word("smoothed")),
            ("clock", Setting::Word("recovered")),
            ("steps", Setting::Word("segment")),
        ],
        ..About::PLAIN
    };
    fn new(config: &HtcpConfig, path: &Path) -> Self {
        let now = Memory {
            since: None,
            acked: 0,
            throughput: 0.0,
            steady: false,
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
            counted: 0,
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
        let whole = self.config.steps == Steps::Segment;
        if whole {
            a = libm::floor(a);
        }
        if self.config.use_rtt_scaling && self.rtt_min < Span::MAX {
            a = (a / (0.1 / self.rtt_min.seconds().max(1e-6)).clamp(0.5, 10.0)).max(1.0);
        }
        let alpha = 2.0 * (1.0 - self.now.beta) * a;
        if whole { alpha } else { alpha.max(1.0) }
    }

    /// Counts `acked` bytes, and grows by a segment where they suffice. `elapsed`: since the last
    /// congestion event.
    fn step(&mut self, acked: u64, elapsed: Span) {
        self.counted += acked;
        let cwnd = self.window.cwnd();
        if self.counted as f64 * self.alpha >= cwnd as f64 {
            self.window.set_cwnd(cwnd + self.window.mss());
            self.counted = 0;
            self.alpha = self.alpha(elapsed);
        }
    }

    /// A new beta, and the share that goes.
    fn adapt(&mut self, at: Time) {
        self.saved = Some(Box::new(self.now));
        let Memory { since, acked, throughput: before, rtt_max, steady, .. } = self.now;
        let elapsed = since.map_or(Span::ZERO, |since| at.since(since)).seconds();
        let throughput = match self.config.throughput {
            Throughput::LastRound | Throughput::Smoothed => self.trip.throughput,
            Throughput::SinceLoss if elapsed > 0.0 => acked as f64 / elapsed,
            Throughput::SinceLoss => 0.0,
        };
        let changed =
            self.config.use_bandwidth_switch && (throughput - before).abs() > CHANGE * before;
        let known = match self.config.throughput {
            Throughput::Smoothed => steady,
            Throughput::LastRound | Throughput::SinceLoss => before > 0.0,
        };
        let beta = if changed || !known || rtt_max == Span::ZERO {
            self.config.beta_min
        } else {
            (self.rtt_min.ps() as f64 / rtt_max.ps() as f64)
                .clamp(self.config.beta_min, self.config.beta_max)
        };
        let excess = rtt_max.saturating_sub(self.rtt_min).scaled(FADING);
        let rtt_max = if rtt_max == Span::ZERO { rtt_max } else { self.rtt_min + excess };
        let steady = !changed;
        self.now = Memory { since: Some(at), acked: 0, throughput, steady, rtt_max, beta };
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
        if self.config.throughput == Throughput::Smoothed {
            let window = self.window.cwnd().saturating_sub(self.window.mss());
            self.trip.smooth(ack, window, self.rtt_min);
        } else {
            self.trip.on_ack(ack);
        }
        if let Some(rtt) = ack.rtt
            && ack.phase == Phase::Open
        {
            self.rtt_min = self.rtt_min.min(rtt);
            self.now.rtt_max = self.now.rtt_max.max(rtt);
        }
        if !Window::may_grow(ack) {
            return;
        }
        if !self.window.in_slow_start() {
            let elapsed = ack.now.since(since);
            if self.config.steps == Steps::Segment {
                return self.step(ack.acked, elapsed);
            }
            self.alpha = self.alpha(elapsed);
            self.window.set_increase(self.alpha);
        }
        self.window.add(ack.acked);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        match event.cause {
            Cause::Loss | Cause::Ecn | Cause::Timeout { first: true } => self.adapt(event.now),
            Cause::Spurious => self.undo(),
            Cause::Timeout { first: false } | Cause::Further => {}
        }
        if self.config.steps == Steps::Segment {
            self.counted = 0;
            self.alpha = self.alpha(Span::ZERO);
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
mod tests;
