//! Every choice that a QUIC connection makes, as a field.
mod check;
mod refusal;

use dumbbell_core::transport::TcpOverrides;
use dumbbell_core::units::{Bytes, Packets, Span};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a connection begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Handshake {
    /// A client's Initial and the server's answer, 1200 bytes each, come before data (RFC 9001
    /// section 4.1).
    #[default]
    #[serde(rename = "1-rtt")]
    OneRtt,
    /// Data goes with the Initial (RFC 9001 section 4.6).
    #[serde(rename = "0-rtt")]
    ZeroRtt,
    /// Data flows at once, and nothing precedes it.
    #[serde(rename = "none")]
    None,
}

/// The ECN field of data (RFC 9000 section 13.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ecn {
    /// Data is not ECN-capable.
    #[default]
    Off,
    /// Data is ECT(0).
    Ect0,
    /// Data is ECT(1), for low latency (RFC 9331).
    L4s,
}

/// A QUIC connection, field by field.
#[config]
pub struct QuicConfig {
    /// Largest UDP payload of a packet (`max_datagram_size`), at least 1200 B; left out: what all
    /// links of the flow carry.
    #[schemars(extend("x-source" = "RFC 9000 section 14"))]
    #[config(default = None)]
    pub datagram: Option<Bytes>,
    /// IP and UDP header.
    #[schemars(extend("x-source" = "RFC 791, RFC 768: 20 + 8"))]
    #[config(default = Bytes(28))]
    pub header: Bytes,
    /// How a connection begins: `1-rtt`, `0-rtt` or `none`.
    #[schemars(extend("x-source" = "RFC 9001 section 4"))]
    #[config(default = Handshake::OneRtt)]
    pub handshake: Handshake,
    /// Initial window, in packets of `datagram`.
    #[schemars(extend("x-source" = "RFC 9002 section 7.2"))]
    #[config(default = Packets(10.0))]
    pub initial_window: Packets,
    /// Bytes that bound an initial window of more than two packets.
    #[schemars(extend("x-source" = "RFC 9002 section 7.2"))]
    #[config(default = Bytes(14_720))]
    pub initial_window_bytes: Bytes,
    /// Least congestion window, in packets: what persistent congestion leaves.
    #[schemars(extend("x-source" = "RFC 9002 section 7.2: kMinimumWindow"))]
    #[config(default = Packets(2.0))]
    pub minimum_window: Packets,
    /// Flow control: stream data that may go out beyond what the receiver has in order.
    #[schemars(extend("x-source" = "RFC 9000 section 4; the size is a choice"))]
    #[config(default = Bytes(16_777_216))]
    pub window: Bytes,
    /// Ack-eliciting packets that one ACK answers.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "RFC 9000 section 13.2.2"))]
    #[config(default = 2)]
    pub ack_every: u32,
    /// Longest that an ACK is delayed.
    #[schemars(extend("x-source" = "RFC 9000 section 18.2: max_ack_delay"))]
    #[config(default = Span::from_ms(25))]
    pub max_ack_delay: Span,
    /// The ECN field of data, unless the congestion control's name implies one.
    #[schemars(extend("x-source" = "RFC 9000 section 13.4, RFC 9331"))]
    #[config(default = Ecn::Off)]
    pub ecn: Ecn,
    /// Whether packets leave at a rate, `pacing_gain` windows per smoothed round-trip time; a
    /// congestion control that asks for a rate is paced anyway.
    #[schemars(extend("x-source" = "RFC 9002 section 7.7"))]
    #[config(default = true)]
    pub pacing: bool,
    /// The rate of `pacing`, in windows per smoothed round-trip time.
    #[schemars(range(min = 0.1, max = 10.0), extend("x-source" = "RFC 9002 section 7.7: N"))]
    #[config(default = 1.25)]
    pub pacing_gain: f64,
    /// Packets that pacing lets go back to back after a pause; a control's own rate has bursts of
    /// one.
    #[schemars(extend("x-source" = "RFC 9002 section 7.7: the initial window"))]
    #[config(default = Packets(10.0))]
    pub pacing_burst: Packets,
    /// Later packets acknowledged that indicate a loss.
    #[schemars(
        range(min = 1, max = 1000),
        extend("x-source" = "RFC 9002 section 6.1.1: kPacketThreshold"),
    )]
    #[config(default = 3)]
    pub packet_threshold: u32,
    /// Time that indicates a loss, in round-trip times.
    #[schemars(
        range(min = 1.0, max = 10.0),
        extend("x-source" = "RFC 9002 section 6.1.2: kTimeThreshold"),
    )]
    #[config(default = 1.125)]
    pub time_threshold: f64,
    /// Least time of a timer.
    #[schemars(extend("x-source" = "RFC 9002 section 6.1.2: kGranularity"))]
    #[config(default = Span::from_ms(1))]
    pub granularity: Span,
    /// Round-trip time before the first sample.
    #[schemars(extend("x-source" = "RFC 9002 section 6.2.2: kInitialRtt"))]
    #[config(default = Span::from_ms(333))]
    pub initial_rtt: Span,
    /// Packets that an expiry of the probe timeout sends.
    #[schemars(range(min = 1, max = 2), extend("x-source" = "RFC 9002 section 6.2.4"))]
    #[config(default = 2)]
    pub probes: u32,
    /// Probe timeouts that lost packets have to span for persistent congestion.
    #[schemars(
        range(min = 1, max = 100),
        extend("x-source" = "RFC 9002 section 7.6.1: kPersistentCongestionThreshold"),
    )]
    #[config(default = 3)]
    pub persistent_threshold: u32,
}

impl QuicConfig {
    /// The largest UDP payload that a packet may have here, bytes.
    pub const LARGEST_DATAGRAM: u64 = 65_000;

    /// The UDP payload of a full packet, bytes.
    pub fn datagram_bytes(&self) -> u64 {
        self.datagram.map_or(crate::wire::INITIAL, |bytes| bytes.0)
    }
    /// The initial window, bytes (RFC 9002 section 7.2).
    pub fn initial_window_bytes(&self) -> u64 {
        let datagram = self.datagram_bytes();
        self.in_bytes(self.initial_window).min(self.initial_window_bytes.0.max(2 * datagram))
    }
    /// Packets of the largest size as bytes.
    pub fn in_bytes(&self, packets: Packets) -> u64 {
        libm::floor(packets.0 * self.datagram_bytes() as f64) as u64
    }
    /// This configuration with what a congestion control's name implies of ECN: modes that need
    /// ECT(0), and L4S. Counts are always exact.
    pub fn with_overrides(&self, overrides: TcpOverrides) -> Self {
        let ecn = match overrides.ecn {
            Some("l4s") => Ecn::L4s,
            Some(_) => Ecn::Ect0,
            None => self.ecn,
        };
        QuicConfig { ecn, ..self.clone() }
    }
}
