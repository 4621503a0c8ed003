//! TCP Jersey (Xu, Tian, Ansari, IEEE JSAC 22(4), 2004): routers say whether a loss is
//! congestion's, and an estimate of the bandwidth says what the window is then.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | R | `rate` | available bandwidth, estimated with each acknowledgment (ABE) |
//! | L, t | state | bytes that an acknowledgment reports as arrived, and when it came |
//! | RTT | `rtt` | round-trip time, which is also how long the estimate remembers |
//! | CW | ECN echo | congestion warning: a router's queue is long (`jersey_cw`) |
//!
//! Data is ECN-capable and each acknowledgment echoes what it answers, nothing older (`ecn =
//! "per_packet"`); recovery is NewReno's. The router's part is the queue `jersey_cw`; without
//! warnings every loss counts as a radio error.
//!
//! Reconstructed: that a warning is answered once in a window of data, and never raises the window;
//! that bytes which duplicates reported are not counted again; that the round-trip time is the
//! smoothed one (`rtt`). The first acknowledgment begins the clock.
use crate::cc::parts::delivered::DeliveredCounter;
use crate::cc::parts::window::{STANDARD, Window};
use dumbbell_core::catalogue::{About, Algorithm, Config, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, TcpOverrides,
};
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which round-trip time the estimate uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rtt {
    /// The smoothed one (RFC 6298).
    #[default]
    Smoothed,
    /// The smallest of the connection.
    Min,
    /// The latest sample.
    Last,
}

/// Parameters of [`Jersey`].
#[config]
pub struct JerseyConfig {
    /// Which round-trip time the estimate uses. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: Xu, Tian, Ansari 2004, section III, say RTT"))]
    pub rtt: Rtt,
}

impl Config for JerseyConfig {}

/// R_n = (RTT R_(n-1) + L_n) / (t_n - t_(n-1) + RTT).
#[derive(Clone, Debug, Default)]
pub struct Estimate {
    /// Bytes a second.
    rate: f64,
    /// t of the acknowledgment before.
    at: Option<Time>,
    /// Bytes that wait for time to pass.
    waiting: u64,
}

impl Estimate {
    /// `bytes` that belong to the instant `t`. `whole`: only together with what else belongs to it.
    #[inline]
    pub fn arrive(&mut self, t: Time, bytes: u64, rtt: Span, whole: bool) {
        let Some(before) = self.at else {
            self.at = Some(t);
            return;
        };
        let span = t.since(before);
        self.waiting += bytes;
        if whole && span == Span::ZERO {
            return;
        }
        let rtt = rtt.seconds();
        self.rate = (rtt * self.rate + self.waiting as f64) / (span.seconds() + rtt);
        (self.at, self.waiting) = (Some(t.max(before)), 0);
    }
    /// Bytes a second.
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

/// Jersey's window, for an estimate that any clock may drive.
#[derive(Clone, Debug)]
pub struct Core {
    pub(super) window: Box<Window>,
    counter: DeliveredCounter,
    estimate: Estimate,
    /// The round-trip time that counts; zero: none yet.
    rtt: Span,
    which: Rtt,
    /// The time of the last warning.
    warned: Option<Time>,
    /// Losses that were held for the air's.
    explicit: u64,
}

impl Core {
    /// At the start of a connection.
    pub fn new(config: &JerseyConfig, path: &Path) -> Self {
        Core {
            window: Box::new(Window::new(STANDARD, path)),
            counter: DeliveredCounter::default(),
            estimate: Estimate::default(),
            rtt: Span::ZERO,
            which: config.rtt,
            warned: None,
            explicit: 0,
        }
    }

    /// An acknowledgment that belongs to the instant `t` of some clock.
    #[inline]
    pub fn on_ack(&mut self, ack: &Ack, t: Time, whole: bool) {
        let rtt = match self.which {
            Rtt::Smoothed => ack.srtt.or(ack.rtt),
            Rtt::Min => ack.min_rtt,
            Rtt::Last => ack.rtt,
        };
        self.rtt = rtt.unwrap_or(self.rtt);
        let bytes = self.counter.count(ack, self.window.mss());
        if self.rtt > Span::ZERO {
            self.estimate.arrive(t, bytes, self.rtt, whole);
        }
        if ack.ece {
            self.warned = Some(ack.now);
        }
        self.window.grow(ack);
    }

    /// RTT R: the optimal window, bytes.
    pub fn ownd(&self) -> u64 {
        (self.rtt.seconds() * self.estimate.rate) as u64
    }

    /// Congestion, or what seems to be.
    pub fn on_congestion(&mut self, event: &Congestion<'_>) {
        let warned = self.warned.is_some_and(|at| event.now.since(at) <= self.rtt);
        if event.cause == Cause::Loss && !warned {
            self.explicit += 1;
            return;
        }
        self.window.shrink_to(event, self.ownd());
    }

    /// `rate` in bytes a second; `ownd` in bytes; `explicit_retransmits`: losses that were held for
    /// the air's.
    pub fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("rate", self.estimate.rate);
        out.gauge("ownd", self.ownd() as f64);
        out.gauge("explicit_retransmits", self.explicit as f64);
    }
}

/// The capabilities of Jersey and New Jersey beside the window.
pub(super) const HABITS: Capabilities =
    Capabilities { samples: true, discriminates: true, ..Capabilities::WINDOW };

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Jersey(Core);

impl Algorithm for Jersey {
    type Config = JerseyConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "jersey",
        title: "TCP Jersey",
        idea: "Routers warn of congestion; a loss without a warning counts as a radio error and \
            leaves the window as it is; after a warning the window becomes what the path carries.",
        equations: "each ACK:      R <- (RTT R + L) / (D + RTT)      L: newly arrived bytes (a \
            duplicate: SMSS, once)\n\u{20}                                                 D: time \
            since the ACK before\nownd = max(RTT R, 2 SMSS)\nwarning (CE):  ssthresh = ownd, cwnd \
            = min(cwnd, ssthresh);  once in a window of data\nloss, and a warning within the last \
            RTT:  the same;  recovery as newreno\nloss without:  explicit retransmit: recovery as \
            newreno, cwnd and ssthresh stay\ntimeout:       ssthresh = ownd, cwnd = \
            SMSS\ngrowth:        as reno",
        sources: &[
            "Xu, Tian, Ansari: TCP-Jersey for Wireless IP Communications, IEEE JSAC 22(4), \
            2004, section III",
        ],
        provenance: Provenance::Reconstruction,
        rule: "losses, and warnings of routers",
        needs: "ECN by packet",
        family: "what arrives",
        ..About::PLAIN
    };
    fn new(config: &JerseyConfig, path: &Path) -> Self {
        Jersey(Core::new(config, path))
    }
}

#[delegate(self.0.window: on_recovered, on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for Jersey {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides { ecn: Some("per_packet"), ..TcpOverrides::recovery("newreno") }
    }
    fn capabilities(&self) -> Capabilities {
        HABITS
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        self.0.on_ack(ack, ack.now, false);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.0.on_congestion(event);
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.0.probe(out);
    }
}

#[cfg(test)]
mod tests;
