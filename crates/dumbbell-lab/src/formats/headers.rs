//! Link, IP and TCP headers of a captured packet, as far as they were kept. It reads what it finds,
//! and trusts no length that exceeds the bytes.
use dumbbell_wire::bytes::{u16_at, u32_at};
use std::net::IpAddr;

/// One end of a connection.
pub type Socket = (IpAddr, u16);

/// A TCP segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Source.
    pub from: Socket,
    /// Destination.
    pub to: Socket,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number, if it acknowledges.
    pub ack: Option<u32>,
    /// True if the segment opens the connection (SYN).
    pub syn: bool,
    /// True if the segment closes the connection (FIN).
    pub fin: bool,
    /// Bytes of payload, kept or not.
    pub payload: u32,
    /// True if the packet is marked Congestion Experienced.
    pub ce: bool,
}

/// The kind of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A TCP segment.
    Tcp(Segment),
    /// Something else.
    Other,
    /// Its headers were not kept, or are none.
    Unreadable,
}

/// Classifies the packet.
pub fn find(link_type: i32, bytes: &[u8], length: u32) -> Found {
    let found = match link_type {
        1 => ethernet(bytes),
        0 | 108 => bytes.get(4..), // An address family, which the IP version repeats.
        113 => bytes.get(16..),
        276 => bytes.get(20..),
        _ => Some(bytes),
    };
    let Some(packet) = found else { return Found::Unreadable };
    // Of the original, whatever the link added in front is not the packet's.
    let whole = length.saturating_sub((bytes.len() - packet.len()) as u32);
    match packet.first().map(|b| b >> 4) {
        Some(4) => v4(packet, whole).unwrap_or(Found::Unreadable),
        Some(6) => v6(packet).unwrap_or(Found::Unreadable),
        Some(_) => Found::Other,
        None => Found::Unreadable,
    }
}

/// Past the Ethernet header and VLAN tags. What is not IP has no version that [`find`] knows.
fn ethernet(bytes: &[u8]) -> Option<&[u8]> {
    let mut at = 12;
    while matches!(u16_at(bytes, at)?, 0x8100 | 0x88a8 | 0x9100) {
        at += 4;
    }
    match u16_at(bytes, at)? {
        0x0800 | 0x86dd => bytes.get(at + 2..),
        _ => Some(&[0]),
    }
}

fn v4(b: &[u8], whole: u32) -> Option<Found> {
    let header = usize::from(b[0] & 15) * 4;
    let (total, fragment) = (u32::from(u16_at(b, 2)?), u16_at(b, 6)? & 0x1fff);
    let address = |at: usize| <[u8; 4]>::try_from(b.get(at..at + 4)?).ok().map(IpAddr::from);
    if *b.get(9)? != 6 || fragment > 0 {
        return Some(Found::Other);
    }
    // With segmentation offload the length may be left to the card.
    let total = if total == 0 { whole } else { total };
    let inside = total.checked_sub(u32::try_from(header).ok()?)?;
    tcp(b.get(header.max(20)..)?, (address(12)?, address(16)?), inside, b[1] & 3 == 3)
}

fn v6(b: &[u8]) -> Option<Found> {
    let address = |at: usize| <[u8; 16]>::try_from(b.get(at..at + 16)?).ok().map(IpAddr::from);
    let ce = (b.get(1)? >> 4) & 3 == 3;
    let (mut inside, mut next, mut at) = (u32::from(u16_at(b, 4)?), *b.get(6)?, 40);
    // Hop-by-hop options, routing, destination options: each says how long it is (RFC 8200 section
    // 4).
    while matches!(next, 0 | 43 | 60) {
        let size = 8 + 8 * usize::from(*b.get(at + 1)?);
        next = *b.get(at)?;
        at += size;
        inside = inside.checked_sub(size as u32)?;
    }
    if next != 6 {
        return Some(Found::Other);
    }
    tcp(b.get(at..)?, (address(8)?, address(24)?), inside, ce)
}

fn tcp(b: &[u8], (from, to): (IpAddr, IpAddr), inside: u32, ce: bool) -> Option<Found> {
    let header = u32::from(*b.get(12)? >> 4) * 4;
    let flags = *b.get(13)?;
    Some(Found::Tcp(Segment {
        from: (from, u16_at(b, 0)?),
        to: (to, u16_at(b, 2)?),
        seq: u32_at(b, 4)?,
        ack: if flags & 0x10 != 0 { Some(u32_at(b, 8)?) } else { None },
        syn: flags & 0x02 != 0,
        fin: flags & 0x01 != 0,
        payload: inside.checked_sub(header.max(20))?,
        ce,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_wire::frame::{self, Ip, Tcp, flag};

    fn packet(payload: usize) -> Vec<u8> {
        let ip = Ip {
            from: [10, 0, 0, 1],
            to: [10, 0, 0, 2],
            id: 0,
            ttl: 9,
            dscp: 10,
            ecn: 3,
            padding: 8,
        };
        let t = Tcp {
            from: 7,
            to: 8,
            seq: 9,
            ack: 10,
            flags: flag::ACK | flag::FIN,
            window: 0,
            options: &[1; 12],
        };
        let mut out = Vec::new();
        frame::tcp(&ip, &t, payload, &mut out);
        out
    }

    #[test]
    fn a_segment_is_found_behind_every_link_header() {
        let inner = packet(100);
        let ethernet = [&[0; 12][..], &[0x81, 0, 0, 5, 8, 0], &inner].concat();
        let cooked = [&[0; 16][..], &inner].concat();
        for (link_type, bytes) in [(101, &inner), (1, &ethernet), (113, &cooked)] {
            let Found::Tcp(s) = find(link_type, bytes, 1000) else {
                panic!("link type {link_type}")
            };
            assert_eq!((s.from.1, s.to.1, s.seq, s.ack, s.payload), (7, 8, 9, Some(10), 100));
            assert!(s.fin && s.ce && !s.syn);
        }
        assert_eq!(find(1, &[0; 60], 60), Found::Other);
    }

    #[test]
    fn version_6_with_extension_headers() {
        let t = packet(0)[28..].to_vec();
        let mut b = vec![0x60, 0x30, 0, 0, 0, 0, 60, 64];
        b[5] = (8 + t.len() + 50) as u8;
        b.extend_from_slice(&[1; 32]);
        b.extend_from_slice(&[6, 0, 1, 4, 0, 0, 0, 0]);
        b.extend_from_slice(&t);
        let Found::Tcp(s) = find(101, &b, 0) else { panic!("no segment") };
        assert_eq!((s.payload, s.ce, s.from.0), (50, true, IpAddr::from([1; 16])));
    }

    #[test]
    fn cut_headers_are_unreadable_and_nothing_panics() {
        let whole = packet(4);
        for cut in 0..whole.len() {
            for link_type in [0, 1, 101, 113, 276] {
                let found = find(link_type, &whole[..cut], 90);
                assert!(
                    link_type != 101 || cut >= 42 || found == Found::Unreadable,
                    "{cut}: \
                    {found:?}"
                );
            }
        }
    }
}
