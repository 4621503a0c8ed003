//! TCP Westwood+ (Grieco, Mascolo, ACM CCR 34(2), 2004): Westwood with one sample of the bandwidth
//! in each round trip, so that compressed acknowledgments do not mislead it. The kernel's
//! `westwood`.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | D | state | bytes acknowledged in a window of time |
//! | T | state | that window: a round trip |
//! | est | `bwe` | estimate of the bandwidth in use |
//!
//! Growth is Reno's; recovery is the profile's. While the estimate carries more than the window, a
//! loss takes nothing from it.
use crate::cc::parts::delivered::DeliveredCounter;
use crate::cc::parts::window::{STANDARD, Window};
use dumbbell_core::catalogue::{About, Algorithm, Config, Kernel, Provenance, Setting};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path,
};
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How samples are taken and smoothed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// Two low-passes of 7/8 in a row, the first sample into both, over windows of more than the
    /// last round-trip time and of 50 ms.
    #[default]
    Linux,
    /// One of 9/10 over the mean of two samples, over windows of the last round-trip time.
    Ns3,
}

/// When the estimate becomes the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// When a loss is found.
    #[default]
    Loss,
    /// When it is repaired; until then the window is half, as Reno's. An ECN echo, at once.
    Recovered,
}

/// How often data counts that duplicates have told of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Duplicates {
    /// Once.
    #[default]
    Once,
    /// Once more with an acknowledgment that reports no gap.
    Again,
}

/// Parameters of [`WestwoodPlus`].
#[config]
pub struct WestwoodPlusConfig {
    /// How samples are taken and smoothed.
    #[schemars(extend("x-source" = "Linux; ns3: the paper's filter as ns-3 has it"))]
    pub filter: Filter,
    /// When the estimate becomes the window.
    #[schemars(
        extend("x-source" = "Grieco, Mascolo 2004: at three duplicates; Linux: at the end of \
            recovery"),
    )]
    pub cut: Cut,
    /// How often data counts that duplicates have told of.
    #[schemars(extend("x-source" = "Grieco, Mascolo 2004: once; observed in Linux: again"))]
    pub duplicates: Duplicates,
}

impl Config for WestwoodPlusConfig {}

/// Linux's least window of time.
const LEAST: Span = Span::from_ms(50);

/// One sample in a window of time, smoothed.
#[derive(Clone, Debug)]
pub struct Estimator {
    filter: Filter,
    /// Bytes a second; none before the first sample.
    estimate: Option<f64>,
    /// The input of the second low-pass (Linux); the sample before (ns-3).
    inner: f64,
    /// The start of the window; none before the first acknowledgment.
    began: Option<Time>,
    /// Bytes that came within it.
    bytes: u64,
    /// The last round-trip time.
    rtt: Span,
}

impl Estimator {
    /// Before the first acknowledgment.
    pub fn new(filter: Filter) -> Self {
        Estimator { filter, estimate: None, inner: 0.0, began: None, bytes: 0, rtt: Span::ZERO }
    }

    /// `bytes` are acknowledged at `now`, perhaps with a round-trip sample. They belong to the
    /// window that is open then.
    #[inline]
    pub fn arrive(&mut self, now: Time, bytes: u64, rtt: Option<Span>) {
        let Some(began) = self.began else {
            (self.began, self.rtt) = (Some(now), rtt.unwrap_or(Span::ZERO));
            return;
        };
        let lasted = now.since(began);
        let over = match self.filter {
            Filter::Linux => lasted > self.rtt.max(LEAST),
            Filter::Ns3 => lasted >= self.rtt,
        };
        if over && self.rtt > Span::ZERO {
            let window = if self.filter == Filter::Linux { lasted } else { self.rtt };
            self.sample(self.bytes as f64 / window.seconds());
            (self.began, self.bytes) = (Some(now), 0);
        }
        self.bytes += bytes;
        if let Some(rtt) = rtt {
            self.rtt = rtt;
        }
    }

    fn sample(&mut self, b: f64) {
        let estimate = match (self.filter, self.estimate) {
            (Filter::Linux, None) => {
                self.inner = b;
                b
            }
            (Filter::Linux, Some(estimate)) => {
                self.inner = (7.0 * self.inner + b) / 8.0;
                (7.0 * estimate + self.inner) / 8.0
            }
            (Filter::Ns3, estimate) => {
                let before = if estimate.is_some() { self.inner } else { b };
                self.inner = b;
                0.9 * estimate.unwrap_or(0.0) + 0.1 * (b + before) / 2.0
            }
        };
        self.estimate = Some(estimate);
    }

    /// The estimate, bytes a second.
    pub fn bwe(&self) -> f64 {
        self.estimate.unwrap_or(0.0)
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct WestwoodPlus {
    window: Box<Window>,
    mss: u64,
    counter: DeliveredCounter,
    estimator: Estimator,
    /// The smallest sample since the last timeout, and whether the next one is it.
    rtt_min: Span,
    renew: bool,
    cut: Cut,
    duplicates: Duplicates,
}

impl Algorithm for WestwoodPlus {
    type Config = WestwoodPlusConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "westwood_plus",
        title: "TCP Westwood+",
        idea: "Westwood with one sample of the bandwidth in a round trip, so that compressed \
            acknowledgments do not mislead it.",
        equations: "sample:   b = D / T: bytes acknowledged in a window of time;  duplicates \
            count, once\n\u{20}         (duplicates = again: what they reported once more, with an \
            ACK without a gap)\nlinux:    T > max(RTT, 50 ms);  n <- (7 n + b) / 8,  est <- (7 \
            est + n) / 8;  first sample: both\nns3:      T = RTT;              est <- 0.9 est + \
            0.1 (b + \
            b_before) / 2;  the first sample is est\nloss:     ssthresh = max(est RTTmin, 2 \
            SMSS);  cwnd = \
            min(cwnd, ssthresh);  ECN echo: as a loss\n\u{20}         (cut = \"recovered\": as \
            reno, and at the end of recovery this)\ntimeout:  ssthresh the same, cwnd = SMSS;  \
            RTTmin is replaced by the next sample\ngrowth:   as reno",
        sources: &[
            "Grieco, Mascolo: Performance Evaluation and Comparison of Westwood+, New Reno, and \
                Vegas TCP Congestion Control, ACM CCR 34(2), 2004, section 2",
        ],
        provenance: Provenance::Vectors,
        rule: "the same, a sample for each round trip",
        family: "what arrives",
        kernel: Kernel::Has {
            name: "westwood",
            note: "the estimator of Westwood+, not of the \
            paper of 2001",
        },
        linux: &[("cut", Setting::Word("recovered")), ("duplicates", Setting::Word("again"))],
        ..About::PLAIN
    };
    fn new(config: &WestwoodPlusConfig, path: &Path) -> Self {
        WestwoodPlus {
            window: Box::new(Window::new(STANDARD, path)),
            mss: path.mss,
            counter: DeliveredCounter::default(),
            estimator: Estimator::new(config.filter),
            rtt_min: Span::ZERO,
            renew: true,
            cut: config.cut,
            duplicates: config.duplicates,
        }
    }
}

impl WestwoodPlus {
    /// est RTTmin, bytes.
    fn pipe(&self) -> u64 {
        (self.estimator.bwe() * self.rtt_min.seconds()) as u64
    }
}

#[delegate(self.window: on_idle, cwnd, ssthresh)]
impl CongestionControl for WestwoodPlus {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, discriminates: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if let Some(rtt) = ack.rtt {
            self.rtt_min = if self.renew { rtt } else { self.rtt_min.min(rtt) };
            self.renew = false;
        }
        let bytes = match self.duplicates {
            Duplicates::Once => self.counter.count(ack, self.mss),
            Duplicates::Again => self.counter.count_again(ack, self.mss),
        };
        self.estimator.arrive(ack.now, bytes, ack.rtt);
        self.window.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        if self.cut == Cut::Recovered && event.cause == Cause::Loss {
            return self.window.shrink(event, None);
        }
        self.window.shrink_to(event, self.pipe());
        self.renew |= matches!(event.cause, Cause::Timeout { .. });
    }
    fn on_recovered(&mut self, _now: Time, bound: u64) {
        if self.cut == Cut::Recovered {
            self.window.settle(self.pipe());
        }
        self.window.bound(bound);
    }
    fn on_mss(&mut self, mss: u64) {
        self.mss = mss;
        self.window.set_mss(mss);
    }
    /// `cwnd`, `ssthresh` in bytes; `bwe` in bytes a second; `rtt_min` in seconds.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("bwe", self.estimator.bwe());
        out.gauge("rtt_min", self.rtt_min.seconds());
    }
}

#[cfg(test)]
mod tests;
