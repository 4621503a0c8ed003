//! ICMP errors for packets that are too large for the next link: destination unreachable,
//! fragmentation needed, with that link's MTU (RFC 1191 section 4), or ICMPv6 packet too big (RFC
//! 4443 section 3.2).
use super::address::Address;
use super::checksum;
use super::protocol;
use super::verify::pseudo;
use super::view::{PacketView, TransportHeader};
use core::net::IpAddr;

/// An answer is as long as this at most (RFC 1812 section 4.3.2.3).
const LONGEST_V4: usize = 576;
/// The limit for IPv6: the least MTU (RFC 4443 section 2.4 (c)).
const LONGEST_V6: usize = 1280;
/// Internetwork control (RFC 1812 section 4.3.2.5), for version 4.
const PRECEDENCE: u8 = 0xc0;
/// Hops that it may take.
const HOPS: u8 = 64;

/// The reason for which no ICMP error may be sent (RFC 1122 section 3.2.2, RFC 4443 section 2.4
/// (e)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// It is none, or its header is not whole.
    Malformed,
    /// The router's address is of the other version.
    Version,
    /// It is an ICMP error itself.
    Error,
    /// It is a fragment, and not the first.
    Fragment,
    /// It comes from nobody in particular, or (version 4) goes to a group.
    Multicast,
}

/// Writes to `into` the answer to the packet that begins with `original`, from the router with the
/// address `router` to the packet's source; `mtu` in bytes.
///
/// # Errors
/// It must not be answered.
pub fn too_big(
    router: IpAddr,
    original: &[u8],
    mtu: u32,
    into: &mut Vec<u8>,
) -> Result<(), Unanswered> {
    into.clear();
    let view = PacketView::quoted(original).map_err(|_| Unanswered::Malformed)?;
    answerable(&view)?;
    let quote = &original[..original.len().min(usize::from(view.total_len))];
    match router {
        IpAddr::V4(ip) if view.version == 4 => v4(ip.octets(), &view, quote, mtu, into),
        IpAddr::V6(ip) if view.version == 6 => v6(ip.octets(), &view, quote, mtu, into),
        _ => return Err(Unanswered::Version),
    }
    Ok(())
}

fn answerable(view: &PacketView) -> Result<(), Unanswered> {
    let error = match view.transport {
        TransportHeader::Icmp { kind, .. } if view.protocol == protocol::ICMP => {
            matches!(kind, 3 | 4 | 5 | 11 | 12)
        }
        TransportHeader::Icmp { kind, .. } => {
            view.protocol == protocol::ICMPV6 && (kind < 128 || kind == 137)
        }
        _ => false,
    };
    // "Packet too big" is the one answer that even a packet to a group gets in version 6 (RFC 4443
    // section 2.4 (e.3)).
    let nobody = |a: Address| a.is_multicast() || a.ip().is_unspecified();
    if error {
        return Err(Unanswered::Error);
    }
    if view.fragment.is_some_and(|f| f.offset > 0) {
        return Err(Unanswered::Fragment);
    }
    if nobody(view.source) || (view.version == 4 && nobody(view.destination)) {
        return Err(Unanswered::Multicast);
    }
    Ok(())
}

fn v4(router: [u8; 4], view: &PacketView, quote: &[u8], mtu: u32, into: &mut Vec<u8>) {
    let quote = &quote[..quote.len().min(LONGEST_V4 - 28)];
    let total = (28 + quote.len()) as u16;
    into.extend_from_slice(&[0x45, PRECEDENCE]);
    into.extend_from_slice(&total.to_be_bytes());
    // Number 0 is right for what is never cut (RFC 6864 section 4.1).
    into.extend_from_slice(&[0, 0, 0x40, 0, HOPS, protocol::ICMP, 0, 0]);
    into.extend_from_slice(&router);
    into.extend_from_slice(&(view.source.bits() as u32).to_be_bytes());
    let sum = checksum::of(into);
    into[10..12].copy_from_slice(&sum.to_be_bytes());
    into.extend_from_slice(&[3, 4, 0, 0, 0, 0]);
    // The field has 16 bits; no link of a plan has an MTU beyond.
    into.extend_from_slice(&u16::try_from(mtu).unwrap_or(u16::MAX).to_be_bytes());
    into.extend_from_slice(quote);
    let sum = checksum::of(&into[20..]);
    into[22..24].copy_from_slice(&sum.to_be_bytes());
}

fn v6(router: [u8; 16], view: &PacketView, quote: &[u8], mtu: u32, into: &mut Vec<u8>) {
    let quote = &quote[..quote.len().min(LONGEST_V6 - 48)];
    let length = (8 + quote.len()) as u16;
    into.extend_from_slice(&[0x60, 0, 0, 0]);
    into.extend_from_slice(&length.to_be_bytes());
    into.extend_from_slice(&[protocol::ICMPV6, HOPS]);
    into.extend_from_slice(&router);
    into.extend_from_slice(&view.source.bits().to_be_bytes());
    into.extend_from_slice(&[2, 0, 0, 0]);
    into.extend_from_slice(&mtu.to_be_bytes());
    into.extend_from_slice(quote);
    let own = PacketView {
        protocol: protocol::ICMPV6,
        source: Address::v6(router),
        destination: view.source,
        ..*view
    };
    let sum = !checksum::fold(checksum::sum(&into[40..], pseudo(&own, length)));
    into[42..44].copy_from_slice(&sum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::super::verify::{Verdict, verify};
    use super::*;
    use proptest::prelude::*;

    const ROUTER_V4: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(10, 0, 0, 254));

    fn router_v6() -> IpAddr {
        "fd00::fe".parse().unwrap()
    }

    fn router(version: u8) -> IpAddr {
        if version == 4 { ROUTER_V4 } else { router_v6() }
    }

    #[test]
    fn an_answer_goes_to_the_sender_and_quotes_its_packet() {
        for (name, packet) in samples::ALL {
            let (view, mut into) = (PacketView::of(packet).unwrap(), vec![]);
            too_big(router(view.version), packet, 1400, &mut into).unwrap();
            let answer = PacketView::of(&into).unwrap();
            assert_eq!(verify(&into, &answer), Verdict::Right, "{name}");
            assert_eq!(
                (answer.source.ip(), answer.destination),
                (router(view.version), view.source),
                "{name}"
            );
            let (kind, code) = if view.version == 4 { (3, 4) } else { (2, 0) };
            assert_eq!(
                answer.transport,
                TransportHeader::Icmp { kind, code, rest: 1400 },
                "{name}"
            );
            assert_eq!(into[usize::from(answer.header_len) + 8..], *packet, "{name}");
        }
    }

    #[test]
    fn an_answer_is_as_long_as_allowed() {
        for (packet, longest) in [(samples::TCP_V4, 576), (samples::TCP_V6, 1280)] {
            let version = PacketView::of(packet).unwrap().version;
            let mut u32_at = packet.to_vec();
            u32_at.resize(9000, 7);
            match version {
                4 => u32_at[2..4].copy_from_slice(&9000u16.to_be_bytes()),
                _ => u32_at[4..6].copy_from_slice(&8960u16.to_be_bytes()),
            }
            let mut into = vec![];
            too_big(router(version), &u32_at, 1500, &mut into).unwrap();
            assert_eq!(into.len(), longest);
            assert_eq!(verify(&into, &PacketView::of(&into).unwrap()), Verdict::Right);
            // The router need not have kept more than the headers.
            too_big(router(version), &u32_at[..64], 1500, &mut into).unwrap();
            assert_eq!(
                PacketView::of(&into).unwrap().destination,
                PacketView::of(packet).unwrap().source
            );
        }
    }

    #[test]
    fn what_must_not_be_answered_is_not() {
        let mut into = vec![];
        let mut ask = |packet: &[u8], router| too_big(router, packet, 1400, &mut into);
        assert_eq!(ask(samples::UNREACHABLE_V4, ROUTER_V4), Err(Unanswered::Error));
        assert_eq!(ask(samples::UNREACHABLE_V6, router_v6()), Err(Unanswered::Error));
        assert_eq!(ask(samples::PIECE_V4, ROUTER_V4), Err(Unanswered::Fragment));
        assert_eq!(ask(samples::PIECE_V6, router_v6()), Err(Unanswered::Fragment));
        assert_eq!(ask(samples::TCP_V4, router_v6()), Err(Unanswered::Version));
        assert_eq!(ask(&samples::TCP_V4[..19], ROUTER_V4), Err(Unanswered::Malformed));
        let mut group = samples::UDP_V4.to_vec();
        group[16..20].copy_from_slice(&[224, 0, 0, 251]);
        assert_eq!(ask(&group, ROUTER_V4), Err(Unanswered::Multicast));
        let mut group = samples::UDP_V6.to_vec();
        group[24..26].copy_from_slice(&[0xff, 2]);
        assert_eq!(ask(&group, router_v6()), Ok(()), "RFC 4443 section 2.4 (e.3)");
    }

    proptest! {
        #[test]
        fn any_bytes_have_an_answer_or_none(
            bytes in prop::collection::vec(any::<u8>(), 0..120),
            mtu: u32,
        ) {
            let mut into = vec![];
            let version = bytes.first().map_or(4, |b| b >> 4);
            if too_big(router(version), &bytes, mtu, &mut into).is_ok() {
                let view = PacketView::of(&into).unwrap();
                prop_assert_eq!(verify(&into, &view), Verdict::Right);
            }
        }
    }
}
