//! PIE's parameters.
use super::delay::DelayEstimate;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::{Bytes, Span};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When the probability decays, by 2 % at each update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decay {
    /// While both delays are zero (RFC 8033, section 4.2; Linux, ns-3).
    #[default]
    NoDelay,
    /// While both delays are below half the target (RFC 8033, appendix A).
    LowDelay,
}

/// Parameters of [`Pie`](super::Pie).
#[config]
pub struct PieConfig {
    /// Queueing delay that the controller steers to, `QDELAY_REF`.
    #[schemars(extend("x-source" = "RFC 8033 section 4.2: 15 ms"))]
    #[config(default = Span::from_ms(15))]
    pub target: Span,
    /// Time between two updates of the probability, `T_UPDATE`.
    #[schemars(extend("x-source" = "RFC 8033 section 4.2: 15 ms"))]
    #[config(default = Span::from_ms(15))]
    pub tupdate: Span,
    /// Gain of the distance from the target, in 1/s.
    #[schemars(range(min = 0.0), extend("x-source" = "RFC 8033 section 4.2: 1/8"))]
    #[config(default = 0.125)]
    pub alpha: f64,
    /// Gain of the delay's growth, in 1/s.
    #[schemars(range(min = 0.0), extend("x-source" = "RFC 8033 section 4.2: 1 1/4"))]
    #[config(default = 1.25)]
    pub beta: f64,
    /// For this long after a time without congestion no packet is signaled, `MAX_BURST`.
    #[schemars(extend("x-source" = "RFC 8033 section 4.4: 150 ms"))]
    #[config(default = Span::from_ms(150))]
    pub max_burst: Span,
    /// Size of a typical packet: with at most two of them waiting no packet is signaled; the unit
    /// of `bytemode`.
    #[schemars(extend("x-source" = "RFC 8033 section 4.1: MEAN_PKTSIZE, an MTU"))]
    #[config(default = Bytes(1500))]
    pub mean_packet_size: Bytes,
    /// How the queueing delay is estimated.
    #[schemars(
        extend("x-source" = "RFC 8033 section 4.3; Linux since 5.6, ns-3 UseDequeueRateEstimator \
            false"),
    )]
    #[config(default = DelayEstimate::Timestamp)]
    pub delay: DelayEstimate,
    /// How many bytes must wait for a measurement of `dequeue_rate`, and leave within it.
    #[schemars(extend("x-source" = "RFC 8033 section 5.2: 2^14 B"))]
    #[config(default = Bytes(16_384))]
    pub dq_threshold: Bytes,
    /// When the probability decays.
    #[schemars(extend("x-source" = "RFC 8033 section 4.2; its appendix A has low_delay"))]
    #[config(default = Decay::NoDelay)]
    pub decay: Decay,
    /// Whether ECN-capable packets are marked rather than dropped.
    #[schemars(extend("x-source" = "RFC 8033 section 5.1: optional; tc-pie(8) noecn"))]
    pub ecn: bool,
    /// From this probability on ECN-capable packets too are dropped, for the reason `forced`.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "RFC 8033 section 5.1: mark_ecnth 10 %"),
    )]
    #[config(default = 0.1)]
    pub mark_ecnth: f64,
    /// Whether signals are spaced: none before the probabilities since the last one add up to 0.85,
    /// one at 8.5.
    #[schemars(extend("x-source" = "RFC 8033 section 5.4; Linux has it"))]
    #[config(default = true)]
    pub derandomize: bool,
    /// Whether the probability, once it is 0.1, grows by at most 0.02 in an update.
    #[schemars(extend("x-source" = "RFC 8033 section 5.5"))]
    #[config(default = true)]
    pub cap_drop_adjustment: bool,
    /// Whether the probability is scaled by the packet's size over `mean_packet_size`, up to 1.
    #[schemars(extend("x-source" = "RFC 8033 section 4.1; tc-pie(8) nobytemode"))]
    pub bytemode: bool,
    /// Share of the queue's limit at which the algorithm starts; it stops when delay and
    /// probability are zero again. 0: it always runs. The appendix of RFC 8033 has 1/3.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "RFC 8033 section 5.3: optional; Linux has it not"),
    )]
    #[config(default = 0.0)]
    pub activate: f64,
}

/// Refuses what no controller of delay can work with.
pub fn check_times(target: Span, tupdate: Span) -> Result<(), Fault> {
    if target == Span::ZERO {
        return Err(Fault::at(
            "target",
            "no queue has a delay below zero to balance a target of zero",
        )
        .fix(
            "write \
                \"15 ms\"",
        ));
    }
    if tupdate < Span::from_us(1) {
        return Err(Fault::at("tupdate", "the time between two updates is at least 1 us").fix(
            "write \
            \"15 ms\"",
        ));
    }
    Ok(())
}

impl Config for PieConfig {
    fn check(&self) -> Result<(), Fault> {
        check_times(self.target, self.tupdate)?;
        if self.mean_packet_size.0 == 0 {
            return Err(Fault::at("mean_packet_size", "a packet has at least one byte").fix(
                "write \
                \"1500 B\"",
            ));
        }
        if self.dq_threshold.0 == 0 {
            let cause = "a rate is measured over at least one byte";
            return Err(Fault::at("dq_threshold", cause).fix(
                "write \"16384 B\", or delay = \
                \"timestamp\"",
            ));
        }
        Ok(())
    }
}
