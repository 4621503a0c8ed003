//! The fields that a router changes in a packet: ECN and DSCP. The IPv4 checksum is updated
//! incrementally (RFC 1624), so that a packet that was damaged before stays detectably damaged;
//! IPv6 has none.
use super::checksum;
use dumbbell_core::packet::{Dscp, Ecn};

/// Sets Congestion Experienced (RFC 3168 section 5). Whether that is allowed, the queue has asked.
/// Bytes that are no packet stay as they are.
#[inline]
pub fn set_ce(packet: &mut [u8]) {
    change(packet, |class| class | 3);
}

/// Sets the ECN field.
#[inline]
pub fn set_ecn(packet: &mut [u8], ecn: Ecn) {
    let bits = match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    };
    change(packet, |class| class & !3 | bits);
}

/// Sets the codepoint (RFC 2474 section 3); the ECN field stays.
#[inline]
pub fn set_dscp(packet: &mut [u8], dscp: Dscp) {
    change(packet, |class| class & 3 | dscp.0 << 2);
}

/// Changes the octet that was once type of service: in version 6 the traffic class, which lies
/// across two bytes.
#[inline]
fn change(packet: &mut [u8], f: impl Fn(u8) -> u8) {
    match packet {
        [first, class, ..] if *first >> 4 == 6 => {
            let new = f(*first << 4 | *class >> 4);
            *first = 0x60 | new >> 4;
            *class = new << 4 | *class & 15;
        }
        [first, class, _, _, _, _, _, _, _, _, high, low, ..] if *first >> 4 == 4 => {
            let old = u16::from_be_bytes([*first, *class]);
            *class = f(*class);
            let new = u16::from_be_bytes([*first, *class]);
            let sum = checksum::update(u16::from_be_bytes([*high, *low]), old, new);
            [*high, *low] = sum.to_be_bytes();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::super::verify::{Verdict, verify};
    use super::super::view::PacketView;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_mark_on_the_kernels_packets_leaves_every_checksum_right() {
        for (name, packet) in samples::ALL {
            let mut marked = packet.to_vec();
            set_ce(&mut marked);
            let (before, after) =
                (PacketView::of(packet).unwrap(), PacketView::of(&marked).unwrap());
            assert_eq!(after, PacketView { ecn: Ecn::Ce, ..before }, "{name}");
            assert_eq!(verify(&marked, &after), Verdict::Right, "{name}");
        }
    }

    proptest! {
        #[test]
        fn what_is_set_is_read_and_nothing_else_moves(
            which in 0..samples::ALL.len(),
            dscp in 0u8..64,
            bits in 0u8..4,
        ) {
            let ecn = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(bits)];
            let (name, packet) = samples::ALL[which];
            let before = PacketView::of(packet).unwrap();
            let mut changed = packet.to_vec();
            set_dscp(&mut changed, Dscp(dscp));
            set_ecn(&mut changed, ecn);
            let after = PacketView::of(&changed).unwrap();
            prop_assert_eq!(after, PacketView { ecn, dscp: Dscp(dscp), ..before }, "{}", name);
            prop_assert_eq!(verify(&changed, &after), Verdict::Right, "{}", name);
            // Back again it is the very packet.
            set_dscp(&mut changed, before.dscp);
            set_ecn(&mut changed, before.ecn);
            prop_assert_eq!(&changed[..], packet);
        }

        #[test]
        fn a_wrong_checksum_stays_wrong_by_as_much(wrong in 1u16..0xffff, dscp in 0u8..64) {
            let mut packet = samples::TCP_V4.to_vec();
            let right = u16::from_be_bytes([packet[10], packet[11]]);
            let bad = checksum::fold(u64::from(right) + u64::from(wrong));
            prop_assume!(bad != right);
            packet[10..12].copy_from_slice(&bad.to_be_bytes());
            set_dscp(&mut packet, Dscp(dscp));
            prop_assert!(verify(&packet, &PacketView::of(&packet).unwrap()) != Verdict::Right);
        }

        #[test]
        fn any_bytes_will_do(mut bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let length = bytes.len();
            set_ce(&mut bytes);
            set_dscp(&mut bytes, Dscp(63));
            prop_assert_eq!(bytes.len(), length);
        }
    }
}
