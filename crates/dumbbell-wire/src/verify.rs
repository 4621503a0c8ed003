//! Checks the checksums of a packet, and describes what is wrong.
use super::bytes::u16_at;
use super::view::PacketView;
use super::{checksum, protocol};
use std::fmt;

/// The result of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every checksum that there is is right.
    Right,
    /// The IP header's is right or absent, and the transport's cannot be said: a fragment, a source
    /// route, a protocol that is not known, or UDP without a checksum.
    Unsaid,
    /// This one is wrong.
    Wrong(Wrong),
}

/// A checksum that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The checksum of the IPv4 header (RFC 791).
    Ip {
        /// In the packet.
        found: u16,
        /// The right value.
        right: u16,
    },
    /// The checksum of this protocol (RFC 9293 section 3.1, RFC 768, RFC 792, RFC 4443 section
    /// 2.3).
    Transport {
        /// The protocol's number.
        protocol: u8,
        /// In the packet.
        found: u16,
        /// The right value.
        right: u16,
    },
    /// Only the pseudo header is summed, as the kernel leaves it to a network card with checksum
    /// offload.
    Partial(u8),
    /// UDP over version 6 with no checksum (RFC 8200 section 8.1).
    Absent,
    /// UDP says a length of so many bytes, and the packet has another.
    Length {
        /// The length in the header.
        says: u16,
        /// The length that there is.
        has: u16,
    },
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Wrong::Ip { found, right } => write!(
                f,
                "its IP header's checksum is {found:#06x}, not \
                {right:#06x}"
            ),
            Wrong::Transport { protocol: p, found, right } => {
                write!(f, "its {} checksum is {found:#06x}, not {right:#06x}", protocol::name(p))
            }
            Wrong::Partial(p) => write!(
                f,
                "its {} checksum is only begun, as for a card to finish",
                protocol::name(p)
            ),
            Wrong::Absent => f.write_str("it has no UDP checksum, which IPv6 demands"),
            Wrong::Length { says, has } => write!(
                f,
                "its UDP header says a length of {says} \
                bytes, and it has {has}"
            ),
        }
    }
}

/// Looks at all checksums of a packet, of which `view` was made.
pub fn verify(packet: &[u8], view: &PacketView) -> Verdict {
    let (header, total) = (usize::from(view.header_len), usize::from(view.total_len));
    let (Some(ip), Some(inner)) = (packet.get(..header), packet.get(header..total)) else {
        return Verdict::Unsaid;
    };
    if view.version == 4 && checksum::of(ip) != 0 {
        let found = u16_at(ip, 10).unwrap_or(0);
        return Verdict::Wrong(Wrong::Ip { found, right: without(ip, 10, 0) });
    }
    if view.fragment.is_some() || view.routed {
        return Verdict::Unsaid;
    }
    match view.protocol {
        protocol::TCP => transport(view, inner, 16),
        protocol::UDP => udp(view, inner),
        protocol::ICMP => plain(inner, protocol::ICMP),
        protocol::ICMPV6 => transport(view, inner, 2),
        _ => Verdict::Unsaid,
    }
}

/// The checksum of `bytes` with the field at `at` taken as zero.
fn without(bytes: &[u8], at: usize, seed: u64) -> u16 {
    let field = u16_at(bytes, at).unwrap_or(0);
    !checksum::fold(checksum::sum(bytes, seed) + u64::from(!field))
}

/// The sum of the pseudo header of TCP, UDP and ICMPv6 (RFC 9293 section 3.1; RFC 8200 section
/// 8.1); `length` is that of header and payload.
pub(super) fn pseudo(view: &PacketView, length: u16) -> u64 {
    let (source, destination) = (view.source.bits(), view.destination.bits());
    let addresses = if view.version == 4 {
        let both = (source as u32, destination as u32);
        checksum::sum(&both.0.to_be_bytes(), checksum::sum(&both.1.to_be_bytes(), 0))
    } else {
        checksum::sum(&source.to_be_bytes(), checksum::sum(&destination.to_be_bytes(), 0))
    };
    addresses + u64::from(length) + u64::from(view.protocol)
}

fn plain(inner: &[u8], protocol: u8) -> Verdict {
    match (checksum::of(inner), u16_at(inner, 2)) {
        (0, _) | (_, None) => Verdict::Right,
        (_, Some(found)) => {
            Verdict::Wrong(Wrong::Transport { protocol, found, right: without(inner, 2, 0) })
        }
    }
}

/// Checks a transport's checksum, which lies at byte `at`.
fn transport(view: &PacketView, inner: &[u8], at: usize) -> Verdict {
    let pseudo = pseudo(view, view.payload_len());
    if checksum::fold(checksum::sum(inner, pseudo)) == 0xffff {
        return Verdict::Right;
    }
    let found = u16_at(inner, at).unwrap_or(0);
    if found == checksum::fold(pseudo) {
        return Verdict::Wrong(Wrong::Partial(view.protocol));
    }
    Verdict::Wrong(Wrong::Transport {
        protocol: view.protocol,
        found,
        right: without(inner, at, pseudo),
    })
}

fn udp(view: &PacketView, inner: &[u8]) -> Verdict {
    let has = view.payload_len();
    match (u16_at(inner, 4), u16_at(inner, 6)) {
        (Some(says), _) if says != has => Verdict::Wrong(Wrong::Length { says, has }),
        // RFC 768: the transmitter generated none.
        (_, Some(0)) if view.version == 4 => Verdict::Unsaid,
        (_, Some(0)) => Verdict::Wrong(Wrong::Absent),
        _ => match transport(view, inner, 6) {
            // A sum of zero is sent as all ones.
            Verdict::Wrong(Wrong::Transport { protocol, found, right: 0 }) => {
                Verdict::Wrong(Wrong::Transport { protocol, found, right: 0xffff })
            }
            other => other,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use proptest::prelude::*;

    fn look(packet: &[u8]) -> Verdict {
        verify(packet, &PacketView::of(packet).unwrap())
    }

    #[test]
    fn the_kernels_packets_are_right() {
        for (name, packet) in samples::ALL {
            assert_eq!(look(packet), Verdict::Right, "{name}");
        }
        assert_eq!(look(samples::UNREACHABLE_V4), Verdict::Right);
        assert_eq!(look(samples::UNREACHABLE_V6), Verdict::Right);
        assert_eq!(look(samples::PIECE_V4), Verdict::Unsaid);
        assert_eq!(look(samples::PIECE_V6), Verdict::Unsaid);
    }

    #[test]
    fn any_one_bit_is_found_and_the_right_sum_named() {
        for (name, packet) in samples::ALL {
            let view = PacketView::of(packet).unwrap();
            for bit in 0..8 * packet.len() {
                let mut wrong = packet.to_vec();
                wrong[bit / 8] ^= 1 << (bit % 8);
                // Version 6 has no checksum over its traffic class, flow label and hop limit; a
                // header that no longer says the same lengths and protocol is another packet.
                let same = PacketView::of(&wrong).is_ok_and(|v| {
                    (v.version, v.protocol, v.header_len, v.total_len)
                        == (view.version, view.protocol, view.header_len, view.total_len)
                });
                let unsummed = view.version == 6 && (bit / 8 < 6 || bit / 8 == 7);
                if same && !unsummed {
                    assert!(
                        matches!(look(&wrong), Verdict::Wrong(_)),
                        "{name}, bit {bit}: {:?}",
                        look(&wrong)
                    );
                }
            }
        }
    }

    #[test]
    fn the_sum_that_it_names_is_the_one_that_was_there() {
        for (name, packet) in samples::ALL {
            let view = PacketView::of(packet).unwrap();
            let at =
                usize::from(view.header_len) + if view.protocol == protocol::UDP { 6 } else { 16 };
            let there = u16_at(packet, at).unwrap();
            let mut wrong = packet.to_vec();
            wrong[at] ^= 0x55;
            match look(&wrong) {
                Verdict::Wrong(Wrong::Transport { right, found, .. }) => {
                    assert_eq!((right, found), (there, there ^ 0x5500), "{name}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        let mut wrong = samples::TCP_V4.to_vec();
        wrong[10] ^= 0x55;
        let there = u16_at(samples::TCP_V4, 10).unwrap();
        assert_eq!(look(&wrong), Verdict::Wrong(Wrong::Ip { found: there ^ 0x5500, right: there }));
    }

    #[test]
    fn a_checksum_that_was_left_to_the_card_has_a_name() {
        for (name, packet) in samples::ALL {
            let view = PacketView::of(packet).unwrap();
            let at =
                usize::from(view.header_len) + if view.protocol == protocol::UDP { 6 } else { 16 };
            let mut partial = packet.to_vec();
            let begun = checksum::fold(pseudo(&view, view.payload_len()));
            partial[at..at + 2].copy_from_slice(&begun.to_be_bytes());
            assert_eq!(look(&partial), Verdict::Wrong(Wrong::Partial(view.protocol)), "{name}");
        }
    }

    #[test]
    fn udp_without_a_checksum_is_allowed_in_version_4_alone() {
        for (packet, verdict) in
            [(samples::UDP_V4, Verdict::Unsaid), (samples::UDP_V6, Verdict::Wrong(Wrong::Absent))]
        {
            let mut none = packet.to_vec();
            let at = usize::from(PacketView::of(packet).unwrap().header_len) + 6;
            none[at..at + 2].fill(0);
            assert_eq!(look(&none), verdict);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_verdict(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
            if let Ok(view) = PacketView::of(&bytes) {
                verify(&bytes, &view);
            }
        }
    }
}
