//! Fragmentation of IPv4 packets (RFC 791 section 3.2). Routers do not fragment IPv6.
use super::checksum;
use super::options::options;
use super::view::PacketView;
use std::ops::Range;

/// Writes to `into` the fragment that has the bytes `piece` of the packet's payload; whether there
/// is such a one. A piece of a packet that was a fragment itself says where it lies in the
/// datagram. Options go with the piece that has the first byte, and with the others those that say
/// so (the copied flag); the others' headers are shorter then.
pub fn fragment(packet: &[u8], piece: Range<u16>, into: &mut Vec<u8>) -> bool {
    into.clear();
    let Ok(view) = PacketView::of(packet) else { return false };
    let payload = &packet[usize::from(view.header_len)..usize::from(view.total_len)];
    let last = piece.end == view.payload_len();
    let whole_units = piece.start.is_multiple_of(8) && (last || piece.len().is_multiple_of(8));
    let Some(bytes) = payload.get(usize::from(piece.start)..usize::from(piece.end)) else {
        return false;
    };
    if view.version != 4 || bytes.is_empty() || !whole_units {
        return false;
    }
    let before = view.fragment.map_or(0, |f| f.offset);
    let Some(offset) = before.checked_add(piece.start) else { return false };
    let more = !last || view.fragment.is_some_and(|f| f.more);
    into.extend_from_slice(&packet[..20]);
    if piece.start == 0 {
        into.extend_from_slice(&packet[20..usize::from(view.header_len)]);
    } else {
        for option in
            options(&packet[20..usize::from(view.header_len)]).filter(|o| o[0] & 0x80 != 0)
        {
            into.extend_from_slice(option);
        }
        // Padding: the end of the list.
        into.resize(into.len().next_multiple_of(4), 0);
    }
    finish(into, offset, more, bytes);
    true
}

/// The fields that differ, the checksum, and the payload behind the header.
fn finish(header: &mut Vec<u8>, offset: u16, more: bool, payload: &[u8]) {
    let length = header.len();
    let total = (length + payload.len()) as u16;
    header[0] = 0x40 | (length / 4) as u8;
    header[2..4].copy_from_slice(&total.to_be_bytes());
    // The reserved bit and "don't fragment" stay as they were.
    let flags =
        (u16::from_be_bytes([header[6], 0]) & 0xc000) | (u16::from(more) << 13) | (offset / 8);
    header[6..8].copy_from_slice(&flags.to_be_bytes());
    header[10..12].fill(0);
    let sum = checksum::of(header);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    header.extend_from_slice(payload);
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::super::verify::{Verdict, verify};
    use super::*;
    use proptest::prelude::*;

    /// The datagram that the kernel cut, as it would have been whole.
    fn whole() -> Vec<u8> {
        let data: Vec<u8> = (0..12).flat_map(|_| 0..=255).collect();
        let mut packet = [&samples::CUT_BY_THE_KERNEL[0][..], &samples::CUT_UDP, &data].concat();
        let total = packet.len() as u16;
        packet[2..4].copy_from_slice(&total.to_be_bytes());
        packet[6..8].fill(0);
        packet[10..12].fill(0);
        let sum = checksum::of(&packet[..20]);
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
        packet
    }

    #[test]
    fn the_kernel_cuts_alike() {
        let (packet, mut piece) = (whole(), vec![]);
        assert_eq!(
            verify(&packet, &PacketView::of(&packet).unwrap()),
            Verdict::Right,
            "its UDP \
            checksum is the kernel's"
        );
        for (header, range) in
            samples::CUT_BY_THE_KERNEL.iter().zip([0..1480, 1480..2960, 2960..3080])
        {
            assert!(fragment(&packet, range.clone(), &mut piece));
            assert_eq!(piece[..20], header[..], "{range:?}");
            assert_eq!(
                piece[20..],
                packet[20 + usize::from(range.start)..20 + usize::from(range.end)]
            );
        }
    }

    #[test]
    fn a_piece_of_a_piece_lies_where_it_lies_in_the_datagram() {
        let (packet, mut middle, mut small) = (whole(), vec![], vec![]);
        assert!(fragment(&packet, 1480..2960, &mut middle));
        assert!(fragment(&middle, 800..1480, &mut small));
        let mut direct = vec![];
        assert!(fragment(&packet, 2280..2960, &mut direct));
        assert_eq!(small, direct);
        assert!(
            PacketView::of(&small).unwrap().fragment.unwrap().more,
            "the datagram goes on \
            behind it"
        );
    }

    #[test]
    fn options_go_where_their_flag_says() {
        // No operation; record route (7, not copied); loose source route (131, copied); end.
        let options = [1, 7, 3, 4, 131, 7, 4, 10, 0, 0, 9, 0];
        let mut packet = samples::UDP_V4.to_vec();
        packet.splice(20..20, options);
        packet.extend_from_slice(&[0; 13]);
        packet[0] = 0x48;
        packet[3] = packet.len() as u8;
        packet[6..8].fill(0);
        packet[10..12].fill(0);
        let sum = checksum::of(&packet[..32]);
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
        assert!(PacketView::of(&packet).unwrap().routed);
        let mut piece = vec![];
        assert!(fragment(&packet, 0..8, &mut piece));
        assert_eq!((piece[0], &piece[20..32]), (0x48, &options[..]), "the first has them all");
        assert!(fragment(&packet, 8..24, &mut piece));
        assert_eq!(
            (piece[0], &piece[20..28]),
            (0x47, &[131, 7, 4, 10, 0, 0, 9, 0][..]),
            "the \
            others the copied ones"
        );
        assert_eq!(checksum::of(&piece[..28]), 0);
        assert_eq!(piece[28..], packet[40..56]);
    }

    #[test]
    fn what_is_no_piece_is_refused() {
        let (packet, mut piece) = (whole(), vec![]);
        for wrong in [0..1481, 4..1480, 0..0, 3080..3080, 0..3081, 3080..4000] {
            assert!(!fragment(&packet, wrong.clone(), &mut piece), "{wrong:?}");
        }
        assert!(!fragment(samples::UDP_V6, 0..8, &mut piece));
    }

    proptest! {
        #[test]
        fn pieces_together_are_the_payload(step in 1u16..200) {
            let (packet, mut piece, mut together) = (whole(), vec![], vec![]);
            let mut from = 0;
            while from < 3080 {
                let to = (from + 8 * step).min(3080);
                prop_assert!(fragment(&packet, from..to, &mut piece));
                let view = PacketView::of(&piece).unwrap();
                prop_assert_eq!(checksum::of(&piece[..20]), 0);
                prop_assert_eq!(usize::from(view.total_len), piece.len());
                let (offset, more) = view.fragment.map_or((0, false), |f| (f.offset, f.more));
                prop_assert_eq!((offset, more), (from, to < 3080));
                together.extend_from_slice(&piece[20..]);
                from = to;
            }
            prop_assert_eq!(&together[..], &packet[20..]);
        }

        #[test]
        fn any_bytes_will_do(
            mut bytes in prop::collection::vec(any::<u8>(), 0..120),
            from: u16,
            length in 0u16..100,
        ) {
            if let Some(first) = bytes.first_mut() {
                *first = 0x40 | *first & 15;
            }
            let mut into = vec![];
            let made = fragment(&bytes, from..from.saturating_add(length), &mut into);
            prop_assert!(
                !made
                    || PacketView::of(&into).is_ok_and(|v| usize::from(v.total_len) == into.len())
            );
        }
    }
}
