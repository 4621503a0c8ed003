//! The unit that an error rate counts: packets, bytes or bits.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What has an error with the given probability, independently of all others; a packet with one
/// error is hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// Each packet, whatever its length.
    #[default]
    Packet,
    /// Each byte on the wire.
    Byte,
    /// Each bit on the wire.
    Bit,
}

/// The probability that a packet is hit, by its length.
#[derive(Clone, Copy, Debug)]
pub enum Hit {
    /// The probability is the same for every length.
    Always(f64),
    /// Units in a byte, and `ln(1 - rate)`: the exponent of one unit.
    ByLength(f64, f64),
}

impl Hit {
    /// An error of each unit with probability `rate`.
    pub fn new(rate: f64, per: Per) -> Self {
        match per {
            Per::Packet => Hit::Always(rate),
            Per::Byte => Hit::ByLength(1.0, libm::log1p(-rate)),
            Per::Bit => Hit::ByLength(8.0, libm::log1p(-rate)),
        }
    }
    /// The probability that a packet of `bytes` on the wire is hit: `1 - (1 - rate)^units`.
    pub fn probability(self, bytes: u32) -> f64 {
        match self {
            Hit::Always(rate) => rate,
            Hit::ByLength(..) if bytes == 0 => 0.0,
            Hit::ByLength(in_byte, exponent) => -libm::expm1(in_byte * f64::from(bytes) * exponent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1500 B at 1e-6: 1 - 0.999999^1500 and 1 - 0.999999^12000, worked out with 30 digits.
    #[test]
    fn longer_packets_are_hit_more_often() {
        let of = |per| Hit::new(1e-6, per).probability(1500);
        assert_eq!(of(Per::Packet), 1e-6);
        assert!((of(Per::Byte) - 0.001_498_876_31).abs() < 1e-11, "{}", of(Per::Byte));
        assert!((of(Per::Bit) - 0.011_928_293).abs() < 1e-8, "{}", of(Per::Bit));
    }

    #[test]
    fn never_and_always() {
        for per in [Per::Packet, Per::Byte, Per::Bit] {
            assert_eq!(
                (Hit::new(0.0, per).probability(1500), Hit::new(1.0, per).probability(1)),
                (0.0, 1.0)
            );
        }
        assert_eq!(Hit::new(1.0, Per::Bit).probability(0), 0.0);
    }
}
