//! The parameters of BBRv3, their defaults and the relations that they keep.
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::{Packets, Span};
use dumbbell_macros::config;

/// Parameters of [`super::Bbr3`].
#[config]
pub struct Bbr3Config {
    /// Pacing gain of Startup, 4 ln 2: the least that doubles the rate in each round with a window
    /// gain of 2.
    #[schemars(
        range(min = 1.1, max = 10.0),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 2.4"),
    )]
    #[config(default = 2.77)]
    pub startup_pacing_gain: f64,
    /// Pacing gain of Drain.
    #[schemars(
        range(min = 0.05, max = 0.99),
        extend("x-source" = "draft-ietf-ccwg-bbr-06 section 5.3.2; revision 04 has 0.35"),
    )]
    #[config(default = 0.5)]
    pub drain_pacing_gain: f64,
    /// Pacing gain while probing for bandwidth.
    #[schemars(
        range(min = 1.0, max = 4.0),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 5.3.3.4"),
    )]
    #[config(default = 1.25)]
    pub up_pacing_gain: f64,
    /// Pacing gain after that.
    #[schemars(
        range(min = 0.05, max = 1.0),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 5.3.3.1; Google's v3: 0.91"),
    )]
    #[config(default = 0.9)]
    pub down_pacing_gain: f64,
    /// Bandwidth-delay products in flight at most.
    #[schemars(
        range(min = 1.0, max = 10.0),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 2.5"),
    )]
    #[config(default = 2.0)]
    pub cwnd_gain: f64,
    /// The same while probing for bandwidth.
    #[schemars(
        range(min = 1.0, max = 10.0),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 5.3.3.4"),
    )]
    #[config(default = 2.25)]
    pub up_cwnd_gain: f64,
    /// The share of a round's data whose loss is tolerated while probing (LossThresh).
    #[schemars(
        range(min = 0.0, max = 0.5),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 2.7"),
    )]
    #[config(default = 0.02)]
    pub loss_thresh: f64,
    /// What remains of the short-term bounds after a round with losses (Beta).
    #[schemars(
        range(min = 0.1, max = 1.0),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 2.7"),
    )]
    #[config(default = 0.7)]
    pub beta: f64,
    /// The share of the long-term bound that is left free for others while cruising (Headroom).
    #[schemars(
        range(min = 0.0, max = 0.9),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 2.7"),
    )]
    #[config(default = 0.15)]
    pub headroom: f64,
    /// Number of lost ranges in a round of recovery that ends Startup, in addition to
    /// `loss_thresh`.
    #[schemars(
        range(min = 1, max = 1000),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 5.3.1.3"),
    )]
    #[config(default = 6)]
    pub full_loss_count: u32,
    /// The least time from one probe for bandwidth to the next; up to `probe_wait_random` more by
    /// chance.
    #[schemars(extend("x-source" = "draft-ietf-ccwg-bbr-04 section 5.3.3.5"))]
    #[config(default = Span::from_secs(2))]
    pub probe_wait: Span,
    /// The width of that chance.
    #[schemars(extend("x-source" = "draft-ietf-ccwg-bbr-04 section 5.3.3.5"))]
    #[config(default = Span::from_secs(1))]
    pub probe_wait_random: Span,
    /// Rounds from one probe for bandwidth to the next, at most; fewer if fewer segments are in
    /// flight, as Reno would need to recover from a loss.
    #[schemars(
        range(min = 1, max = 1000),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 5.3.3.5"),
    )]
    #[config(default = 63)]
    pub reno_rounds: u32,
    /// How long the smallest round-trip time is kept (MinRTTFilterLen).
    #[schemars(extend("x-source" = "draft-ietf-ccwg-bbr-04 section 2.13.1"))]
    #[config(default = Span::from_secs(10))]
    pub min_rtt_window: Span,
    /// The least time between two visits to ProbeRTT (ProbeRTTInterval).
    #[schemars(extend("x-source" = "draft-ietf-ccwg-bbr-04 section 2.13.2"))]
    #[config(default = Span::from_secs(5))]
    pub probe_rtt_interval: Span,
    /// How long ProbeRTT holds the window down, at least (ProbeRTTDuration).
    #[schemars(extend("x-source" = "draft-ietf-ccwg-bbr-04 section 2.13.2"))]
    #[config(default = Span::from_ms(200))]
    pub probe_rtt_time: Span,
    /// Bandwidth-delay products in flight in ProbeRTT.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 2.13.2"),
    )]
    #[config(default = 0.5)]
    pub probe_rtt_cwnd_gain: f64,
    /// The least window (MinPipeCwnd).
    #[schemars(extend("x-source" = "draft-ietf-ccwg-bbr-04 section 2.7"))]
    #[config(default = Packets(4.0))]
    pub min_cwnd: Packets,
    /// The share by which pacing stays below the rate of the gain (PacingMarginPercent).
    #[schemars(
        range(min = 0.0, max = 0.5),
        extend("x-source" = "draft-ietf-ccwg-bbr-04 section 2.4"),
    )]
    #[config(default = 0.01)]
    pub pacing_margin: f64,
    /// Paths with a longer smallest round-trip time than this answer a mark as a loss; shorter ones
    /// by the share of marks.
    #[schemars(
        extend("x-source" = "Google's BBRv3 (bbr_ecn_max_rtt_us); the draft leaves ECN open, \
            section 3.7"),
    )]
    #[config(default = Span::from_ms(5))]
    pub ecn_max_rtt: Span,
    /// The weight of a round in the average share of marks.
    #[schemars(
        range(min = 0.001, max = 1.0),
        extend("x-source" = "Google's BBRv3 (bbr_ecn_alpha_gain)"),
    )]
    #[config(default = 1.0 / 16.0)]
    pub ecn_alpha_gain: f64,
    /// How much of that share is taken from the short-term bound in a round with marks.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Google's BBRv3 (bbr_ecn_factor)"))]
    #[config(default = 1.0 / 3.0)]
    pub ecn_factor: f64,
    /// The share of marks in a round above which a probe, and after two rounds Startup, ends.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Google's BBRv3 (bbr_ecn_thresh)"))]
    #[config(default = 0.5)]
    pub ecn_thresh: f64,
}

impl Config for Bbr3Config {
    fn check(&self) -> Result<(), Fault> {
        if !(self.min_cwnd.0 >= 1.0 && self.min_cwnd.0 <= 1000.0) {
            return Err(Fault::at("min_cwnd", "the least window is one packet to 1000").fix(
                "write \
                \"4 pkt\"",
            ));
        }
        if self.probe_rtt_interval <= self.probe_rtt_time
            || self.min_rtt_window < self.probe_rtt_interval
        {
            return Err(Fault::at(
                "probe_rtt_interval",
                "lies between probe_rtt_time and min_rtt_window (section 5.3.4.1)",
            )
            .fix(
                "write probe_rtt_time = \"200 ms\", probe_rtt_interval = \"5 s\", min_rtt_window \
                = \"10 s\"",
            ));
        }
        Ok(())
    }
}
