//! Flips a bit of a packet so that its receiver detects it: for the impairment `corrupt`.
use super::protocol;
use super::view::PacketView;

/// The part of a packet in which a bit was flipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corruption {
    /// A bit of the transport's payload.
    Payload,
    /// A bit of the transport's checksum: there is no payload.
    Checksum,
    /// A bit of the IP header's checksum: the transport has none, or none that is known.
    IpChecksum,
    /// Nothing: there is no checksum that would find it, so the router has to lose the packet
    /// itself.
    Nothing,
}

/// Turns over one bit, of those that a checksum covers number `pick` (modulo their number). One
/// wrong bit changes a one's complement sum always, so the receiver discards the packet, and counts
/// it. Ports and addresses are left alone: a host may look for a packet's socket before it sums.
pub fn corrupt(packet: &mut [u8], pick: u64) -> Corruption {
    let Ok(view) = PacketView::of(packet) else { return Corruption::Nothing };
    let (at, end) = (usize::from(view.header_len), usize::from(view.total_len));
    let inner = &mut packet[at..end];
    let piece = view.fragment.is_some_and(|f| f.offset > 0);
    let covered = match view.protocol {
        protocol::TCP | protocol::UDP if piece => Some((0, None)),
        protocol::TCP => Some((inner.get(12).map_or(20, |b| usize::from(b >> 4) * 4), Some(16))),
        protocol::UDP if inner.len() >= 8 && inner[6..8] != [0, 0] => Some((8, Some(6))),
        protocol::ICMP | protocol::ICMPV6 if piece => Some((0, None)),
        protocol::ICMP | protocol::ICMPV6 => Some((8, Some(2))),
        _ => None,
    };
    match covered {
        Some((from, _)) if from < inner.len() => {
            flip(&mut inner[from..], pick);
            Corruption::Payload
        }
        Some((_, Some(field))) if field + 2 <= inner.len() => {
            flip(&mut inner[field..field + 2], pick);
            // A UDP checksum of zero would say that there is none.
            if inner[field..field + 2] == [0, 0] {
                flip(&mut inner[field..field + 2], pick.wrapping_add(1));
            }
            Corruption::Checksum
        }
        _ if view.version == 4 => {
            flip(&mut packet[10..12], pick);
            Corruption::IpChecksum
        }
        _ => Corruption::Nothing,
    }
}

fn flip(bytes: &mut [u8], pick: u64) {
    let bit = pick % (8 * bytes.len() as u64);
    bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::super::verify::{Verdict, verify};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_packet_without_a_checksum_of_its_own_is_hit_where_there_is_one() {
        let mut packet = samples::UDP_V4.to_vec();
        packet[26..28].fill(0);
        assert_eq!(corrupt(&mut packet, 5), Corruption::IpChecksum);
        assert!(matches!(verify(&packet, &PacketView::of(&packet).unwrap()), Verdict::Wrong(_)));
        let mut other = samples::UDP_V6.to_vec();
        other[6] = 132;
        assert_eq!(corrupt(&mut other, 5), Corruption::Nothing);
        assert_eq!(other[40..], samples::UDP_V6[40..]);
        assert_eq!(corrupt(&mut [1, 2, 3], 5), Corruption::Nothing);
    }

    #[test]
    fn a_checksum_is_never_turned_into_none() {
        // An empty datagram whose checksum has one bit.
        let mut packet = samples::UDP_V4[..28].to_vec();
        packet[3] = 28;
        packet[25] = 8;
        packet[26..28].copy_from_slice(&[0, 1]);
        assert_eq!(corrupt(&mut packet, 8), Corruption::Checksum);
        assert_ne!(packet[26..28], [0, 0]);
        assert_ne!(packet[26..28], [0, 1]);
    }

    proptest! {
        #[test]
        fn the_receiver_finds_it(which in 0..samples::ALL.len(), pick: u64) {
            let (name, packet) = samples::ALL[which];
            let mut hit = packet.to_vec();
            let what = corrupt(&mut hit, pick);
            let view = PacketView::of(&hit).unwrap();
            let payload = matches!(what, Corruption::Payload);
            let has = match view.transport {
                super::super::view::TransportHeader::Tcp(tcp) => tcp.payload > 0,
                _ => true,
            };
            prop_assert_eq!(payload, has, "{}", name);
            prop_assert!(matches!(verify(&hit, &view), Verdict::Wrong(_)), "{}", name);
            prop_assert_eq!(view.ports, PacketView::of(packet).unwrap().ports);
            let turned: u32 = hit.iter().zip(packet).map(|(a, b)| (a ^ b).count_ones()).sum();
            prop_assert_eq!(turned, 1);
        }

        #[test]
        fn any_bytes_will_do(mut bytes in prop::collection::vec(any::<u8>(), 0..120), pick: u64) {
            corrupt(&mut bytes, pick);
        }
    }
}
