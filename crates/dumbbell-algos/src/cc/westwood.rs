//! TCP Westwood (Mascolo, Casetti, Gerla, Sanadidi, Wang, MobiCom 2001): after a loss the window is
//! what the path carried.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | d | state | what an acknowledgment reports as arrived, each segment once |
//! | D | state | time since the acknowledgment before |
//! | bwe | `bwe` | estimate of the bandwidth in use |
//! | tau | `tau` | 1 / cut-off frequency of the filter |
//!
//! Growth is Reno's; recovery is the profile's. The kernel's `westwood` is
//! [`super::westwood_plus`]: this is the estimator of 2001, which takes a sample with each
//! acknowledgment, and therefore overestimates when acknowledgments are compressed on their way.
//!
//! Acknowledgments at one instant are one sample; the first one begins the clock. While the
//! estimate carries more than the window, a loss takes nothing from the window.
use crate::cc::parts::delivered::DeliveredCounter;
use crate::cc::parts::window::{STANDARD, Window};
use dumbbell_core::catalogue::{About, Algorithm, Config, Kernel, Look, PlotColor, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{Ack, Capabilities, Commands, Congestion, CongestionControl, Path};
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::{config, delegate};

/// Parameters of [`Westwood`].
#[config]
pub struct WestwoodConfig {
    /// Time constant of the filter: 1 / its cut-off frequency.
    #[schemars(extend("x-source" = "Mascolo et al. 2001, section 3.2: 500 ms"))]
    #[config(default = Span::from_ms(500))]
    pub tau: Span,
    /// After `tau` / m without an acknowledgment, a sample of zero is assumed.
    #[schemars(
        range(min = 2, max = 1000),
        extend("x-source" = "Mascolo et al. 2001, section 3.2: m >= 2"),
    )]
    #[config(default = 2)]
    pub m: u32,
}

impl Config for WestwoodConfig {
    fn check(&self) -> Result<(), dumbbell_core::catalogue::Fault> {
        if self.tau >= Span::from_us(1) {
            return Ok(());
        }
        Err(dumbbell_core::catalogue::Fault::at(
            "tau",
            "the filter needs a time constant of 1 us \
            or more",
        )
        .fix("write tau = \"500 ms\""))
    }
}

/// The time-variant low-pass of Tustin's approximation, with samples of nothing where none come.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Bytes a second.
    bwe: f64,
    /// The sample before, bytes a second.
    before: f64,
    /// The time of that sample; none before the first acknowledgment.
    at: Option<Time>,
    /// Bytes that came at that very instant, and wait for the next sample.
    waiting: u64,
    /// 2 tau, seconds.
    double_tau: f64,
    /// tau / m.
    silence: Span,
}

impl Filter {
    /// Before the first sample.
    pub fn new(config: &WestwoodConfig) -> Self {
        Filter {
            bwe: 0.0,
            before: 0.0,
            at: None,
            waiting: 0,
            double_tau: 2.0 * config.tau.seconds(),
            silence: Span::from_ps((config.tau.ps() / u64::from(config.m.max(1))).max(1)),
        }
    }

    /// `bytes` are acknowledged at `now`.
    #[inline]
    pub fn arrive(&mut self, now: Time, bytes: u64) {
        let Some(mut since) = self.at else {
            self.at = Some(now);
            return;
        };
        if now.since(since) > self.silence {
            since = self.hush(since, now);
        }
        self.waiting += bytes;
        let span = now.since(since).seconds();
        if span > 0.0 {
            self.step(span, self.waiting as f64 / span);
            (self.at, self.waiting) = (Some(now), 0);
        }
    }

    /// bwe = ((2 tau - D) bwe + D (b + b_before)) / (2 tau + D).
    #[inline]
    fn step(&mut self, span: f64, sample: f64) {
        let share = span / (self.double_tau + span);
        self.bwe += share * (sample + self.before - 2.0 * self.bwe);
        self.before = sample;
    }

    /// The samples of nothing between `since` and `now`; when the last of them was.
    #[cold]
    fn hush(&mut self, since: Time, now: Time) -> Time {
        let several = (now.since(since).ps() - 1) / self.silence.ps();
        let span = self.silence.seconds();
        self.step(span, 0.0);
        // From the second on each takes the same share: (2 tau - D) / (2 tau + D).
        let left = (self.double_tau - span) / (self.double_tau + span);
        self.bwe *= libm::pow(left, (several - 1) as f64);
        since + self.silence * several
    }

    /// The estimate, bytes a second.
    pub fn bwe(&self) -> f64 {
        self.bwe
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Westwood {
    window: Box<Window>,
    mss: u64,
    counter: DeliveredCounter,
    filter: Filter,
    rtt_min: Span,
}

impl Algorithm for Westwood {
    type Config = WestwoodConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "westwood",
        title: "TCP Westwood",
        idea: "Measure from acknowledgments the rate at which data arrives; after a loss the \
            window is that rate times the least RTT, so that radio errors cost little.",
        equations: "d: newly arrived bytes of an ACK (a duplicate: SMSS, once);  D: time since the \
            ACK before\nsample:   b = d / D\nfilter:   bwe <- ((2 tau - D) bwe + D (b + b_before)) \
            / (2 tau + D)\nsilence:  each tau / m without an ACK is a sample b = 0\nloss:     \
            ssthresh = max(bwe RTTmin, 2 SMSS);  cwnd = min(cwnd, ssthresh);  ECN echo: as a \
            loss\ntimeout:  ssthresh the same, cwnd = SMSS\ngrowth:   as reno",
        sources: &[
            "Mascolo, Casetti, Gerla, Sanadidi, Wang: TCP Westwood: Bandwidth Estimation for \
                Enhanced Transport over Wireless Links, MobiCom 2001, section 3",
        ],
        provenance: Provenance::Vectors,
        rule: "losses; the window becomes what arrived",
        family: "what arrives",
        look: Some(Look::new(PlotColor::Sky, 'X', 1)),
        kernel: Kernel::Lacks {
            why: "the kernel's `westwood` has the estimator of Westwood+",
            fix: "write cc = \"westwood_plus\"",
        },
        ..About::PLAIN
    };
    fn new(config: &WestwoodConfig, path: &Path) -> Self {
        Westwood {
            window: Box::new(Window::new(STANDARD, path)),
            mss: path.mss,
            counter: DeliveredCounter::default(),
            filter: Filter::new(config),
            rtt_min: Span::ZERO,
        }
    }
}

impl Westwood {
    /// bwe RTTmin, bytes.
    fn pipe(&self) -> u64 {
        (self.filter.bwe * self.rtt_min.seconds()) as u64
    }
}

#[delegate(self.window: on_recovered, on_idle, cwnd, ssthresh)]
impl CongestionControl for Westwood {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, discriminates: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        let bytes = self.counter.count(ack, self.mss);
        self.filter.arrive(ack.now, bytes);
        if let Some(rtt) = ack.min_rtt {
            self.rtt_min = rtt;
        }
        self.window.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.window.shrink_to(event, self.pipe());
    }
    fn on_mss(&mut self, mss: u64) {
        self.mss = mss;
        self.window.set_mss(mss);
    }
    /// `cwnd`, `ssthresh` in bytes; `bwe` in bytes a second; `rtt_min` in seconds.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("bwe", self.filter.bwe);
        out.gauge("rtt_min", self.rtt_min.seconds());
    }
}

#[cfg(test)]
mod tests;
