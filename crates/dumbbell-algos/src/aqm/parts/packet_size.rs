//! The weight of packets of different sizes, in every AQM that leaves the choice. The words are
//! those of RFC 7141.
//!
//! *Byte mode* (`byte_mode`) is about the measure: the queue is the bytes that wait over
//! `mean_packet_size`, so that a threshold of 5 packets is one of 5 typical packets. RFC 7141
//! section 2.1 advises to measure in the unit in which the resource is used up: bytes where the
//! link is what is short, packets (or buffers) where these are.
//!
//! *Byte-mode drop* (`byte_drop`) is about the signal: its probability grows with the size of the
//! packet. RFC 7141 section 2.2 advises against it, because small packets ought not to be favored
//! by the network.
use crate::aqm::red::spacing::{Spacing, SpacingLaw};
use dumbbell_core::catalogue::Fault;
use dumbbell_core::units::Backlog;
use dumbbell_core::units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the probability depends on the size of the arriving packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ByteDrop {
    /// Not at all (RFC 7141 section 2.2).
    #[default]
    Off,
    /// `p_b` times its size over `mean_packet_size`.
    MeanSize,
    /// `p_b` times its size over the link's MTU (Floyd, Jacobson 1993, Fig. 2).
    MaxSize,
    /// `p_a` times its size over `mean_packet_size`, and `count` in bytes over that size, rounded
    /// down (ns-2 `bytes_`); where signals are not spaced, the same as `mean_size`.
    Ns2,
}

/// The size options of one algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizePolicy {
    mean: f64,
    byte_mode: bool,
    byte_drop: ByteDrop,
}

/// The weight of one packet in a spaced signal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The factor on the curve's probability.
    pub factor: f64,
    /// The addition to the count since the last signal: packets, or bytes.
    pub weight: f64,
    /// The factor on the spaced probability.
    pub scale: f64,
}

impl SizePolicy {
    /// A typical packet has `mean` bytes, at least one.
    pub fn new(mean: Bytes, byte_mode: bool, byte_drop: ByteDrop) -> Self {
        SizePolicy { mean: mean.0 as f64, byte_mode, byte_drop }
    }

    /// Bytes of a typical packet.
    #[inline]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// True if bytes are counted.
    #[inline]
    pub fn in_bytes(&self) -> bool {
        self.byte_mode
    }

    /// The queue in packets; in byte mode in typical packets, so that a threshold means `th * mean`
    /// bytes.
    #[inline]
    pub fn length(&self, q: Backlog) -> f64 {
        if self.byte_mode { q.bytes as f64 / self.mean } else { f64::from(q.packets) }
    }

    /// The amount of a packet of `bytes`: 1, or in byte mode its part of a typical packet.
    #[inline]
    pub fn amount(&self, bytes: u32) -> f64 {
        if self.byte_mode { f64::from(bytes) / self.mean } else { 1.0 }
    }

    /// The factor on the probability of a signal for a packet of `bytes`, if each packet draws on
    /// its own.
    #[inline]
    pub fn share(&self, bytes: u32, mtu: u32) -> f64 {
        match self.byte_drop {
            ByteDrop::Off => 1.0,
            ByteDrop::MeanSize | ByteDrop::Ns2 => f64::from(bytes) / self.mean,
            ByteDrop::MaxSize => f64::from(bytes) / f64::from(mtu),
        }
    }

    /// The same of signals that are spaced.
    #[inline]
    pub fn part(&self, bytes: u32, mtu: u32) -> Part {
        match self.byte_drop {
            ByteDrop::Ns2 => {
                Part { factor: 1.0, weight: f64::from(bytes), scale: f64::from(bytes) / self.mean }
            }
            _ => Part { factor: self.share(bytes, mtu), weight: 1.0, scale: 1.0 },
        }
    }

    /// The count to which the weights of [`Self::part`] belong.
    pub fn spacing(&self, law: SpacingLaw) -> Spacing {
        match self.byte_drop {
            ByteDrop::Ns2 => Spacing::in_bytes(law, self.mean),
            _ => Spacing::new(law),
        }
    }
}

/// A typical packet has a byte; and what cannot be spaced is not asked for.
pub fn check_sizes(
    mean: Bytes,
    byte_drop: ByteDrop,
    spacing: Option<SpacingLaw>,
) -> Result<(), Fault> {
    if mean.0 == 0 {
        return Err(Fault::at("mean_packet_size", "a packet has at least one byte").fix(
            "write \
            \"500 B\"",
        ));
    }
    if spacing == Some(SpacingLaw::UniformStored) && byte_drop == ByteDrop::Ns2 {
        let cause = "the stored random number decides by p_b, and byte_drop = \"ns2\" changes p_a";
        return Err(Fault::at("byte_drop", cause).fix(
            "write \"mean_size\", or spacing = \
            \"uniform\"",
        ));
    }
    Ok(())
}
