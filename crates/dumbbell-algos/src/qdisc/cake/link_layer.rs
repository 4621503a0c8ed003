//! The length of a packet on a link whose framing the sending host does not see.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The framing of the link below the packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkLayer {
    /// None that depends on the length.
    #[default]
    None,
    /// Cells of 53 bytes with 48 of payload, the last one padded (ADSL).
    Atm,
    /// 65 bytes for each 64, begun or full (VDSL2).
    Ptm,
}

/// Payload of an ATM cell, and its length, bytes.
const CELL: (u32, u32) = (48, 53);
/// Bytes of a PTM codeword without its sync byte.
const CODEWORD: u32 = 64;

/// Overhead compensation (tc-cake(8)): each packet counts as long as it is on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Bytes added to the IP packet; may be negative.
    pub overhead: i32,
    /// The least length with that overhead, bytes.
    pub mpu: u32,
    /// What comes below.
    pub layer: LinkLayer,
}

impl Framing {
    /// The bytes of an IP packet of `ip_len` bytes: overhead, then the least length, then cells or
    /// codewords.
    #[inline]
    pub fn len(&self, ip_len: u32) -> u32 {
        let frame = ip_len.saturating_add_signed(self.overhead).max(self.mpu);
        match self.layer {
            LinkLayer::None => frame,
            LinkLayer::Atm => frame.div_ceil(CELL.0) * CELL.1,
            LinkLayer::Ptm => frame + frame.div_ceil(CODEWORD),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn len(ip_len: u32, overhead: i32, mpu: u32, layer: LinkLayer) -> u32 {
        Framing { overhead, mpu, layer }.len(ip_len)
    }

    /// By hand: cells of 48 bytes, each 53 on the wire.
    #[test]
    fn atm_fills_cells() {
        let atm = |ip_len, overhead| len(ip_len, overhead, 0, LinkLayer::Atm);
        // IPoA with VC-MUX: 8 bytes. 1508 bytes take 32 cells.
        assert_eq!(atm(1500, 8), 32 * 53);
        // PPPoA with VC-MUX: 10 bytes. An acknowledgment of 40 takes two cells, of 38 just one.
        assert_eq!((atm(40, 10), atm(38, 10)), (106, 53));
        // PPPoE with LLC/SNAP: 40 bytes; 1536 bytes just fill 32 cells, one more takes another.
        assert_eq!((atm(1496, 40), atm(1497, 40)), (32 * 53, 33 * 53));
    }

    #[test]
    fn ptm_adds_a_byte_to_each_64() {
        let ptm = |ip_len, overhead| len(ip_len, overhead, 0, LinkLayer::Ptm);
        // 30 bytes: PPPoE on PTM. 1530 bytes are 23 codewords and 58 bytes of another.
        assert_eq!(ptm(1500, 30), 1554);
        assert_eq!((ptm(64, 0), ptm(65, 0), ptm(6400, 0)), (65, 67, 6500));
    }

    /// The keywords `ethernet` and `docsis` of tc-cake(8).
    #[test]
    fn short_frames_are_padded_before_cells_are_counted() {
        assert_eq!(len(40, 38, 84, LinkLayer::None), 84);
        assert_eq!(len(1500, 38, 84, LinkLayer::None), 1538);
        assert_eq!(len(40, 18, 64, LinkLayer::None), 64);
        assert_eq!(len(40, 0, 49, LinkLayer::Atm), 106);
    }

    #[test]
    fn overhead_may_be_negative_and_no_length_is() {
        assert_eq!(len(100, -14, 0, LinkLayer::None), 86);
        assert_eq!(len(40, -64, 0, LinkLayer::None), 0);
    }
}
