//! Every choice that a session makes, as a field.
mod check;

use dumbbell_core::units::{Bytes, Rate, Span};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The ECN field of media packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ecn {
    /// Packets are not ECN-capable.
    #[default]
    Off,
    /// Packets are ECT(0) (RFC 6679).
    Ect0,
}

/// A session of SCReAM, field by field.
#[config]
pub struct ScreamConfig {
    /// Largest RTP packet, its header included.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.1.1: MSS"))]
    #[config(default = Bytes(1000))]
    pub mss: Bytes,
    /// IP and UDP header.
    #[schemars(extend("x-source" = "RFC 791, RFC 768: 20 + 8"))]
    #[config(default = Bytes(28))]
    pub header: Bytes,
    /// Least target of the queue delay.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.1.1: QDELAY_TARGET_LO"))]
    #[config(default = Span::from_ms(100))]
    pub qdelay_target_lo: Span,
    /// Largest target of the queue delay, beside flows that fill queues.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.1.1: QDELAY_TARGET_HI"))]
    #[config(default = Span::from_ms(400))]
    pub qdelay_target_hi: Span,
    /// Whether the target rises beside flows that fill queues.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.2.3"))]
    #[config(default = true)]
    pub competing: bool,
    /// Least congestion window, and the first.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.1.1: MIN_CWND"))]
    #[config(default = Bytes(3000))]
    pub minimum_window: Bytes,
    /// The largest window, in largest amounts in flight of the last seconds.
    #[schemars(
        range(min = 1.0, max = 10.0),
        extend("x-source" = "RFC 8298 section 4.1.1.1: MAX_BYTES_IN_FLIGHT_HEAD_ROOM"),
    )]
    #[config(default = 1.1)]
    pub head_room: f64,
    /// Gain of the window's change by the queue delay.
    #[schemars(
        range(min = 0.01, max = 10.0),
        extend("x-source" = "RFC 8298 section 4.1.1.1: GAIN"),
    )]
    #[config(default = 1.0)]
    pub gain: f64,
    /// Factor of the window at a loss.
    #[schemars(
        range(min = 0.1, max = 1.0),
        extend("x-source" = "RFC 8298 section 4.1.1.1: BETA_LOSS"),
    )]
    #[config(default = 0.8)]
    pub beta_loss: f64,
    /// Factor of the window and of the target rate at an ECN mark.
    #[schemars(
        range(min = 0.1, max = 1.0),
        extend("x-source" = "RFC 8298 section 4.1.1.1: BETA_ECN"),
    )]
    #[config(default = 0.9)]
    pub beta_ecn: f64,
    /// Factor of the target rate at a loss.
    #[schemars(
        range(min = 0.1, max = 1.0),
        extend("x-source" = "RFC 8298 section 4.1.1.1: BETA_R"),
    )]
    #[config(default = 0.9)]
    pub beta_rate: f64,
    /// The ECN field of media packets.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.2.1, RFC 6679"))]
    #[config(default = Ecn::Off)]
    pub ecn: Ecn,
    /// Weight of a sample in the average of the queue delay that the trend is of.
    #[schemars(
        range(min = 0.001, max = 1.0),
        extend("x-source" = "RFC 8298 section 4.1.1.1: QDELAY_WEIGHT"),
    )]
    #[config(default = 0.1)]
    pub qdelay_weight: f64,
    /// Trend of the queue delay that ends the fast increase.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "RFC 8298 section 4.1.1.1: QDELAY_TREND_TH"),
    )]
    #[config(default = 0.2)]
    pub trend_threshold: f64,
    /// Trend below which the fast increase may resume.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "RFC 8298 section 4.1.1.1: QDELAY_TREND_LO"),
    )]
    #[config(default = 0.2)]
    pub trend_low: f64,
    /// For how long the trend has to be low before the fast increase resumes.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.1.1: T_RESUME_FAST_INCREASE"))]
    #[config(default = Span::from_secs(5))]
    pub resume: Span,
    /// Time between changes of the target rate.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.1.1: RATE_ADJUST_INTERVAL"))]
    #[config(default = Span::from_ms(200))]
    pub rate_interval: Span,
    /// Largest increase of the target rate in a second.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.1.1: RAMP_UP_SPEED"))]
    #[config(default = Rate::from_bps(200_000))]
    pub ramp_up: Rate,
    /// How far the trend of the queue delay holds back an increase of the target rate.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "RFC 8298 section 4.1.1.1: PRE_CONGESTION_GUARD"),
    )]
    #[config(default = 0.1)]
    pub pre_congestion_guard: f64,
    /// How much of the bits in the RTP queue is taken from the target rate.
    #[schemars(
        range(min = 0.0, max = 2.0),
        extend("x-source" = "RFC 8298 section 4.1.1.1: TX_QUEUE_SIZE_FACTOR"),
    )]
    #[config(default = 1.0)]
    pub queue_factor: f64,
    /// Delay in the RTP queue above which the target rate falls.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.1.1: RTP_QDELAY_TH"))]
    #[config(default = Span::from_ms(20))]
    pub rtp_queue_threshold: Span,
    /// Factor of the target rate above that delay.
    #[schemars(
        range(min = 0.1, max = 1.0),
        extend("x-source" = "RFC 8298 section 4.1.1.1: TARGET_RATE_SCALE_RTP_QDELAY"),
    )]
    #[config(default = 0.95)]
    pub rtp_queue_scale: f64,
    /// Least rate at which packets are paced.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.1.1: RATE_PACE_MIN"))]
    #[config(default = Rate::from_bps(50_000))]
    pub pace_min: Rate,
    /// Frames that waited longer in the RTP queue are discarded.
    #[schemars(extend("x-source" = "RFC 8298 section 4.1.3 asks for a mechanism; our choice"))]
    #[config(default = Span::from_secs(1))]
    pub discard: Span,
    /// Time without a report after which a packet leaves whatever the window.
    #[schemars(extend("x-source" = "RFC 8298 section 8: a minimum send rate; our choice"))]
    #[config(default = Span::from_ms(500))]
    pub probe: Span,
    /// Shortest time between reports.
    #[schemars(extend("x-source" = "RFC 8298 section 4.2.2: 50 a second"))]
    #[config(default = Span::from_ms(20))]
    pub report_least: Span,
    /// Longest time between reports.
    #[schemars(extend("x-source" = "RFC 8298 section 4.2.2: 2.5 a second"))]
    #[config(default = Span::from_ms(400))]
    pub report_most: Span,
}

impl ScreamConfig {
    /// Payload in a full RTP packet, over its size.
    pub fn payload_share(&self) -> f64 {
        (self.mss.0 - crate::wire::RTP_HEADER) as f64 / self.mss.0 as f64
    }
}
