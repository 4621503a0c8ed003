//! The Internet checksum: RFC 1071, and its incremental update, RFC 1624.

/// The one's complement sum of `bytes` as 16-bit words in the network's order, the last byte padded
/// by zero, added to `seed` (a sum of something that stands before them). Not folded; [`fold`] does
/// that.
#[inline]
pub fn sum(bytes: &[u8], seed: u64) -> u64 {
    // Words of four bytes in this machine's order: the sum does not depend on the order but for one
    // swap (RFC 1071 section 2 (B)), and 2^32 such words fit into the accumulator.
    let mut native = 0u64;
    let (chunks, rest) = bytes.as_chunks::<4>();
    for chunk in chunks {
        native += u64::from(u32::from_ne_bytes(*chunk));
    }
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    native += u64::from(u32::from_ne_bytes(last));
    seed + u64::from(u16::from_be(fold(native)))
}

/// A sum as 16 bits, its carries added in.
#[inline]
pub fn fold(mut sum: u64) -> u16 {
    sum = (sum & 0xffff_ffff) + (sum >> 32);
    sum = (sum & 0xffff) + ((sum >> 16) & 0xffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    sum as u16
}

/// The checksum of `bytes`: what belongs into a field that is zero while it is computed. Over bytes
/// with their right checksum among them it is 0.
#[inline]
pub fn of(bytes: &[u8]) -> u16 {
    !fold(sum(bytes, 0))
}

/// The checksum after a 16-bit word that it covers went from `old` to `new` (RFC 1624, eqn. 3). A
/// word that stayed leaves it as it is: the equation would make 0xffff of 0 (erratum 4782).
#[inline]
pub fn update(checksum: u16, old: u16, new: u16) -> u16 {
    if old == new {
        return checksum;
    }
    !fold(u64::from(!checksum) + u64::from(!old) + u64::from(new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// RFC 1071 section 4.1, transcribed: words of 16 bits, one by one, and carries folded at the
    /// end.
    fn plain(bytes: &[u8]) -> u16 {
        let mut sum = 0u32;
        for pair in bytes.chunks(2) {
            sum += u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0));
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }

    #[test]
    fn the_example_of_rfc_1071() {
        // Section 3: the bytes add up to 2ddf0, which folds to ddf2.
        assert_eq!(fold(sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7], 0)), 0xddf2);
    }

    #[test]
    fn the_example_of_rfc_1624() {
        // Section 4: equation 3 gives 0000, where equation 2 gave ffff.
        assert_eq!(update(0xdd2f, 0x5555, 0x3285), 0x0000);
    }

    #[test]
    fn a_word_that_stays_changes_nothing() {
        assert_eq!(update(0x0000, 0x5555, 0x5555), 0x0000);
    }

    #[test]
    fn the_longest_packet_of_ones_does_not_overflow() {
        assert_eq!(of(&[0xff; 65_535]), plain(&[0xff; 65_535]));
        assert_eq!(fold(u64::MAX), 0xffff);
    }

    proptest! {
        #[test]
        fn it_is_the_plain_sum(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(of(&bytes), plain(&bytes));
        }

        #[test]
        fn a_sum_goes_on_where_another_ended(
            first in prop::collection::vec(any::<u8>(), 0..50),
            second in prop::collection::vec(any::<u8>(), 0..50),
        ) {
            let first = &first[..first.len() & !1];
            let together = [first, &second].concat();
            prop_assert_eq!(!fold(sum(&second, sum(first, 0))), plain(&together));
        }

        #[test]
        fn an_update_is_the_sum_from_scratch(
            mut bytes in prop::collection::vec(any::<u8>(), 20..=20),
            at in 0usize..10,
            new in any::<u16>(),
        ) {
            // A header is never all zero: that is where the two zeros of one's complement differ.
            bytes[0] |= 0x40;
            prop_assume!(at != 5 && at != 0);
            bytes[10..12].fill(0);
            let checksum = of(&bytes);
            let old = u16::from_be_bytes([bytes[2 * at], bytes[2 * at + 1]]);
            bytes[2 * at..2 * at + 2].copy_from_slice(&new.to_be_bytes());
            prop_assert_eq!(update(checksum, old, new), of(&bytes));
        }
    }
}
