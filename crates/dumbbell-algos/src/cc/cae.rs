//! TCP CAE: congestion of the reverse path, seen in the spacing of acknowledgments (Kim, Choo,
//! 2008).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | r | `Ack::peer_clock` | the receiver's clock when it sent the acknowledgment |
//! | t | `Ack::now` | the sender's clock when it arrived |
//! | E | `estimate` | estimated performance: what the reverse path left of the rate |
//! | rcw | `warning` | reverse congestion warning |
//!
//! The window is Reno's. All that CAE does is to double the retransmission timeout *before* it
//! expires, as soon as acknowledgments arrive clearly further apart than they were sent, so that
//! they may come late without a timeout, which would take the window to one segment; and to forget
//! the round-trip time when the reverse path has recovered.
//!
//! Reconstructed, each an option: that the flag is cleared at the start of a connection only
//! (figure 3 clears it at each acknowledgment, and then never resets anything); what a doubled
//! timeout is counted from (`timer`), whether samples end it (`hold`), over which Reno it stands
//! (`base`), how close acknowledgments may be to be compared (`kmin`), and an average that the
//! paper does not have (`ewma`). After a timeout the next acknowledgment is compared with none
//! before it. Acknowledgments that arrive together count as one unit of a timestamp (16.384 ns)
//! apart.
//!
//! Each estimate is of two acknowledgments. Those of a burst come as far apart as they left
//! however late the burst is, so a warning that its first one raised ends with its second: `ewma`
//! and a larger `kmin` (under a clock with ticks) make it last.
use crate::cc::parts::window::{STANDARD, Window};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Look, PlotColor, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::segment::TS_UNIT_SHIFT;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, RtoCommand,
    TcpOverrides,
};
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Instant from which a backed-off timeout counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimerRule {
    /// The start of the running timer.
    #[default]
    FromStart,
    /// The current instant.
    FromNow,
}

/// The TCP whose window and recovery it uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// RFC 5681.
    #[default]
    Reno,
    /// RFC 6582.
    Newreno,
    /// RFC 6675.
    Sack,
}

impl Base {
    /// The control's name.
    pub fn name(self) -> &'static str {
        match self {
            Base::Reno => "reno",
            Base::Newreno => "newreno",
            Base::Sack => "sack",
        }
    }
}

/// Parameters of [`Cae`].
#[config]
pub struct CaeConfig {
    /// Estimate below which the reverse path is congested; 0: never, so that it is the same as its
    /// base.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Kim, Choo 2008, section 3.1: as Jersey's routers, 75 %"),
    )]
    #[config(default = 0.75)]
    pub threshold: f64,
    /// Acknowledgments that left the receiver closer than this many ticks of its clock are judged
    /// together with the next one: a coarse clock would show congestion that is not there.
    /// Reconstructed.
    #[schemars(
        range(max = 1000),
        extend("x-source" = "reconstructed: a tick of error in 4 leaves 0.8", "x-unit" = "ticks"),
    )]
    #[config(default = 4)]
    pub kmin: u32,
    /// Weight of the newest estimate in their average, in which those above 1 count as 1; 1: each
    /// by itself, as the paper has it. Reconstructed.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0, "x-source" = "the paper has none; 0.125 as RFC 6298's"),
    )]
    #[config(default = 1.0)]
    pub ewma: f64,
    /// Instant from which the doubled timeout of a running timer counts. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: the paper leaves it open"))]
    #[config(default = TimerRule::FromStart)]
    pub timer: TimerRule,
    /// Whether the timeout stays doubled until the warning ends; off: until the next round-trip
    /// sample, as Karn's rule would have it. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: else the next acknowledgment ends it"))]
    #[config(default = true)]
    pub hold: bool,
    /// The TCP whose window and recovery it uses. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: figure 5 puts CAE 20 % above Reno"))]
    #[config(default = Base::Reno)]
    pub base: Base,
}

impl Config for CaeConfig {
    fn check(&self) -> Result<(), Fault> {
        for (at, value, fix) in [("threshold", self.threshold, "0.75"), ("ewma", self.ewma, "1.0")]
        {
            if !value.is_finite() {
                return Err(Fault::at(at, format!("{at} must be a number")).fix(format!(
                    "write {at} \
                    = {fix}"
                )));
            }
        }
        Ok(())
    }
}

/// The estimator of the reverse path.
#[derive(Clone, Debug)]
struct Estimator {
    /// (r, t) of the acknowledgment before; none at the start and after a timeout.
    before: Option<(Time, Time)>,
    /// The estimate that was last compared with the threshold; 1 before the first.
    estimate: f64,
    warning: bool,
    /// Estimates below the threshold.
    warnings: u64,
    /// Backoffs ordered: one for each time that the warning was raised.
    backoffs: u64,
    /// Times that it was taken back, and the round-trip time forgotten.
    resets: u64,
    config: CaeConfig,
}

impl Estimator {
    /// Figure 3 of the paper.
    #[inline]
    fn on_ack(&mut self, ack: &Ack, commands: &mut Commands) {
        let Some(r) = ack.peer_clock else { return };
        let Some((r_before, t_before)) = self.before else {
            self.before = Some((r, ack.now));
            return;
        };
        let ts_diff = r.since(r_before);
        // Nothing at all if it was sent before the other one: the two came in another order.
        if ts_diff == Span::ZERO || ts_diff < ack.peer_tick * u64::from(self.config.kmin) {
            return;
        }
        let ack_diff = ack.now.since(t_before).ps().max(1 << TS_UNIT_SHIFT);
        let estimate = ts_diff.ps() as f64 / ack_diff as f64;
        self.estimate = match self.config.ewma {
            1.0 => estimate,
            gain => self.estimate.min(1.0) * (1.0 - gain) + gain * estimate.min(1.0),
        };
        self.before = Some((r, ack.now));
        let low = self.estimate < self.config.threshold;
        self.warnings += u64::from(low);
        if low != self.warning {
            self.turn(low, commands);
        }
    }

    #[cold]
    fn turn(&mut self, warning: bool, commands: &mut Commands) {
        self.warning = warning;
        if warning {
            self.backoffs += 1;
            let from_now = self.config.timer == TimerRule::FromNow;
            commands.rto = Some(RtoCommand::BackOff { held: self.config.hold, from_now });
        } else {
            self.resets += 1;
            commands.rto = Some(RtoCommand::Reset);
        }
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Cae {
    window: Box<Window>,
    /// Apart, so that it takes no room in flows of other controls.
    reverse: Box<Estimator>,
}

impl Algorithm for Cae {
    type Config = CaeConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "cae",
        title: "TCP CAE",
        idea: "When ACKs arrive further apart than they were sent, double the timeout before it \
            expires: the reverse path is congested, nothing is lost.",
        equations: "r: the receiver's clock in an ACK (TSval);  t: when it arrived;  k-1: the ACK \
            before\nE = (r_k - r_(k-1)) / (t_k - t_(k-1))          (consumer's rate / producer's \
            rate)\nE <  threshold, no warning:  RTO <- min(2 RTO, maxRTO), kept until the reset;  \
            warning\nE >= threshold, a warning:   forget SRTT, RTTVAR, backoff: next sample R \
            gives SRTT = R,\nRTTVAR = R/2;  no warning\nr_k - r_(k-1) < kmin ticks:  not judged, \
            k-1 stays\ntimeout:                     as in the base;  the next ACK has none before \
            it\ncwnd, ssthresh, recovery:    the base's",
        sources: &[
            "Kim, Choo: TCP CAE: Improving Wireless TCP under Reverse Background Congestion \
                through Comparative ACK-based Estimator, 2008 (in Korean)",
            "RFC 7323 (timestamps)",
        ],
        provenance: Provenance::Reconstruction,
        rule: "losses; warnings of the reverse path, for the timer",
        needs: "timestamps",
        family: "wireless and moving",
        look: Some(Look::new(PlotColor::Green, 'P', 0)),
        ..About::PLAIN
    };
    fn new(config: &CaeConfig, path: &Path) -> Self {
        let reverse = Box::new(Estimator {
            before: None,
            estimate: 1.0,
            warning: false,
            warnings: 0,
            backoffs: 0,
            resets: 0,
            config: config.clone(),
        });
        Cae { window: Box::new(Window::new(STANDARD, path)), reverse }
    }
}

#[delegate(self.window: on_recovered, on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for Cae {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides { timestamps: true, ..TcpOverrides::recovery(self.reverse.config.base.name()) }
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities { commands: true, samples: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, commands: &mut Commands) {
        self.window.grow(ack);
        self.reverse.on_ack(ack, commands);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        if matches!(event.cause, Cause::Timeout { .. }) {
            self.reverse.before = None;
        }
        self.window.shrink(event, None);
    }
    /// `estimate`, whether there is a `warning`, estimates below the threshold (`warnings`),
    /// `backoffs` and `resets` ordered.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        let e = &self.reverse;
        out.gauge("estimate", e.estimate);
        out.gauge("warning", f64::from(u8::from(e.warning)));
        out.gauge("warnings", e.warnings as f64);
        out.gauge("backoffs", e.backoffs as f64);
        out.gauge("resets", e.resets as f64);
    }
}

#[cfg(test)]
mod tests;
