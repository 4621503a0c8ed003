//! The parameters of BBRv1, their defaults and the relations that they keep.
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::{Packets, Span};
use dumbbell_macros::config;

/// Parameters of [`super::Bbr`].
#[config]
pub struct BbrConfig {
    /// Pacing and window gain of STARTUP: the least that doubles the rate in each round, 2/ln 2.
    #[schemars(
        range(min = 1.1, max = 10.0),
        extend("x-source" = "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.2.1"),
    )]
    #[config(default = 2.885)]
    pub high_gain: f64,
    /// Bandwidth-delay products in flight at most, once the pipe is full.
    #[schemars(
        range(min = 1.0, max = 10.0),
        extend("x-source" = "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.2.3.2"),
    )]
    #[config(default = 2.0)]
    pub cwnd_gain: f64,
    /// Round trips over which the largest delivery rate is kept (BtlBwFilterLen).
    #[schemars(
        range(min = 2, max = 100),
        extend("x-source" = "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.1"),
    )]
    #[config(default = 10)]
    pub bw_rounds: u32,
    /// How long the smallest round-trip time is kept before PROBE_RTT looks for another
    /// (RTpropFilterLen).
    #[schemars(
        extend("x-source" = "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.2.2"),
    )]
    #[config(default = Span::from_secs(10))]
    pub min_rtt_window: Span,
    /// How long PROBE_RTT holds the window down, at least (ProbeRTTDuration).
    #[schemars(extend("x-source" = "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.5"))]
    #[config(default = Span::from_ms(200))]
    pub probe_rtt_time: Span,
    /// The least window, and that of PROBE_RTT (BBRMinPipeCwnd).
    #[schemars(
        extend("x-source" = "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.2.3.3"),
    )]
    #[config(default = Packets(4.0))]
    pub min_cwnd: Packets,
    /// Growth of the delivery rate in a round below which STARTUP considers the pipe full.
    #[schemars(
        range(min = 1.0, max = 2.0),
        extend("x-source" = "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.2.2"),
    )]
    #[config(default = 1.25)]
    pub full_bw_threshold: f64,
    /// Rounds without that growth after which it does so.
    #[schemars(
        range(min = 1, max = 10),
        extend("x-source" = "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.2.2"),
    )]
    #[config(default = 3)]
    pub full_bw_rounds: u32,
    /// The share by which pacing stays below the rate of the gain, so that a queue drains.
    #[schemars(
        range(min = 0.0, max = 0.5),
        extend("x-source" = "draft-ietf-ccwg-bbr section 5.6.2; the first draft has 0"),
    )]
    #[config(default = 0.01)]
    pub pacing_margin: f64,
    /// Whether the window allows for acknowledgments that come in bunches, as Linux does since
    /// version 5.1. The allowance is 100 ms of the rate at most.
    #[schemars(extend("x-source" = "draft-ietf-ccwg-bbr section 5.5.9; the first draft has none"))]
    pub aggregation: bool,
}

impl Config for BbrConfig {
    fn check(&self) -> Result<(), Fault> {
        if !(self.min_cwnd.0 >= 1.0 && self.min_cwnd.0 <= 1000.0) {
            return Err(Fault::at("min_cwnd", "the least window is one packet to 1000")
                .fix("write \"4 pkt\""));
        }
        if self.min_rtt_window <= self.probe_rtt_time {
            return Err(Fault::at(
                "min_rtt_window",
                "PROBE_RTT would never end: it lasts longer than what it refreshes",
            )
            .fix("write min_rtt_window = \"10 s\", probe_rtt_time = \"200 ms\""));
        }
        Ok(())
    }
}
