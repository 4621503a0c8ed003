//! Ethernet frames of IPv4 packets: headers with their checksums, for a payload of zeros.
//!
//! RFC 791 (IPv4), RFC 9293 (TCP), RFC 768 (UDP), RFC 1071 (checksums), RFC 7323, RFC 2018
//! (options).

use crate::checksum;
use crate::protocol::{TCP, UDP};

/// TCP flags of the header's 14th byte (RFC 9293 section 3.1): the low half of [`tcp_flags`].
///
/// [`tcp_flags`]: crate::view::tcp_flags
pub mod flag {
    use crate::view::tcp_flags;

    /// Closes the connection.
    pub const FIN: u8 = tcp_flags::FIN as u8;
    /// Opens the connection.
    pub const SYN: u8 = tcp_flags::SYN as u8;
    /// The receiver hands the data over at once.
    pub const PSH: u8 = tcp_flags::PSH as u8;
    /// The acknowledgment number counts.
    pub const ACK: u8 = tcp_flags::ACK as u8;
    /// ECN echo.
    pub const ECE: u8 = tcp_flags::ECE as u8;
    /// Congestion window reduced.
    pub const CWR: u8 = tcp_flags::CWR as u8;
}

/// Bytes of an Ethernet header.
pub const ETHERNET: usize = 14;

/// EtherTypes of IP.
pub mod ether_type {
    /// IPv4.
    pub const V4: u16 = 0x0800;
    /// IPv6.
    pub const V6: u16 = 0x86dd;
}

/// Writes an Ethernet header: locally administered addresses that end with `from` and `to`.
pub fn ethernet(ether_type: u16, from: [u8; 4], to: [u8; 4], out: &mut Vec<u8>) {
    for address in [to, from] {
        out.extend_from_slice(&[2, 0]);
        out.extend_from_slice(&address);
    }
    out.extend_from_slice(&ether_type.to_be_bytes());
}

/// Bytes of a TCP header without options.
const TCP_HEADER: usize = 20;
/// Bytes of a UDP header.
const UDP_HEADER: usize = 8;

/// The fields of an IPv4 header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip {
    /// Source.
    pub from: [u8; 4],
    /// Destination.
    pub to: [u8; 4],
    /// Identification; the packet may not be fragmented, so that this is for people only (RFC
    /// 6864).
    pub id: u16,
    /// Time to live.
    pub ttl: u8,
    /// The six bits of RFC 2474.
    pub dscp: u8,
    /// The two bits of RFC 3168.
    pub ecn: u8,
    /// Bytes of options, a multiple of 4 up to 40: no-operations, for networks whose IP header is
    /// longer.
    pub padding: usize,
}

/// The fields of a TCP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcp<'a> {
    /// Source port.
    pub from: u16,
    /// Destination port.
    pub to: u16,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number.
    pub ack: u32,
    /// See [`flag`].
    pub flags: u8,
    /// The window field, scaled.
    pub window: u16,
    /// Options, a multiple of 4 bytes up to 40.
    pub options: &'a [u8],
}

/// Writes the headers of a TCP segment with `payload` zero bytes; returns the length of the whole
/// packet.
pub fn tcp(ip: &Ip, t: &Tcp<'_>, payload: usize, out: &mut Vec<u8>) -> usize {
    let header = TCP_HEADER + t.options.len();
    let length = internet(ip, TCP, header + payload, out);
    let at = out.len();
    out.extend_from_slice(&t.from.to_be_bytes());
    out.extend_from_slice(&t.to.to_be_bytes());
    out.extend_from_slice(&t.seq.to_be_bytes());
    out.extend_from_slice(&t.ack.to_be_bytes());
    out.extend_from_slice(&[((header / 4) as u8) << 4, t.flags]);
    out.extend_from_slice(&t.window.to_be_bytes());
    out.extend_from_slice(&[0; 4]); // Checksum and urgent pointer.
    out.extend_from_slice(t.options);
    let sum = checksum_of(&out[at..], pseudo(ip, TCP, header + payload));
    out[at + 16..at + 18].copy_from_slice(&sum.to_be_bytes());
    length
}

/// Writes the headers of a datagram with `payload` zero bytes; returns the length of the whole
/// packet.
pub fn udp(ip: &Ip, from: u16, to: u16, payload: usize, out: &mut Vec<u8>) -> usize {
    let length = internet(ip, UDP, UDP_HEADER + payload, out);
    let at = out.len();
    out.extend_from_slice(&from.to_be_bytes());
    out.extend_from_slice(&to.to_be_bytes());
    out.extend_from_slice(&((UDP_HEADER + payload) as u16).to_be_bytes());
    out.extend_from_slice(&[0; 2]);
    let sum = checksum_of(&out[at..], pseudo(ip, UDP, UDP_HEADER + payload));
    // Zero would say that there is no checksum (RFC 768).
    let sum = if sum == 0 { 0xffff } else { sum };
    out[at + 6..at + 8].copy_from_slice(&sum.to_be_bytes());
    length
}

/// Writes the IPv4 header in front of `inside` bytes; returns the length of both.
fn internet(ip: &Ip, protocol: u8, inside: usize, out: &mut Vec<u8>) -> usize {
    let header = 20 + ip.padding;
    let length = header + inside;
    let at = out.len();
    out.extend_from_slice(&[0x40 | (header / 4) as u8, ip.dscp << 2 | ip.ecn & 3]);
    out.extend_from_slice(&(length as u16).to_be_bytes());
    out.extend_from_slice(&ip.id.to_be_bytes());
    out.extend_from_slice(&[0x40, 0, ip.ttl, protocol, 0, 0]); // Don't fragment.
    out.extend_from_slice(&ip.from);
    out.extend_from_slice(&ip.to);
    out.resize(at + header, 1);
    let sum = checksum::of(&out[at..]);
    out[at + 10..at + 12].copy_from_slice(&sum.to_be_bytes());
    length
}

/// The sum of the pseudo-header. The payload is zeros and adds nothing but its length.
fn pseudo(ip: &Ip, protocol: u8, length: usize) -> u64 {
    checksum::sum(&ip.from, checksum::sum(&ip.to, 0)) + u64::from(protocol) + length as u64
}

/// The checksum of a transport's header, with the sum of its pseudo-header.
fn checksum_of(bytes: &[u8], pseudo: u64) -> u16 {
    !checksum::fold(checksum::sum(bytes, pseudo))
}

/// The options of a segment, as they lie in the header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Maximum segment size, of a SYN.
    pub mss: Option<u16>,
    /// SACK-permitted, of a SYN.
    pub sack_permitted: bool,
    /// TSval and TSecr.
    pub timestamps: Option<(u32, u32)>,
    /// Window scale, of a SYN.
    pub window_scale: Option<u8>,
    /// SACK blocks, `[from, to)`.
    pub sack: Vec<(u32, u32)>,
}

impl Options {
    /// Writes them, each padded in front to 32 bits, as hosts do (RFC 7323 appendix A).
    pub fn write(&self, out: &mut Vec<u8>) {
        if let Some(mss) = self.mss {
            out.extend_from_slice(&[2, 4]);
            out.extend_from_slice(&mss.to_be_bytes());
        }
        match (self.sack_permitted, self.timestamps.is_some()) {
            (true, true) => out.extend_from_slice(&[4, 2]),
            (true, false) => out.extend_from_slice(&[1, 1, 4, 2]),
            (false, true) => out.extend_from_slice(&[1, 1]),
            (false, false) => {}
        }
        if let Some((val, ecr)) = self.timestamps {
            out.extend_from_slice(&[8, 10]);
            out.extend_from_slice(&val.to_be_bytes());
            out.extend_from_slice(&ecr.to_be_bytes());
        }
        if let Some(shift) = self.window_scale {
            out.extend_from_slice(&[1, 3, 3, shift]);
        }
        if !self.sack.is_empty() {
            out.extend_from_slice(&[1, 1, 5, (2 + 8 * self.sack.len()) as u8]);
            for (from, to) in &self.sack {
                out.extend_from_slice(&from.to_be_bytes());
                out.extend_from_slice(&to.to_be_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IP: Ip =
        Ip { from: [10, 0, 0, 1], to: [10, 0, 0, 2], id: 7, ttl: 64, dscp: 0, ecn: 2, padding: 0 };

    /// RFC 1071 section 3: the example's sum is ddf2, its complement the checksum.
    #[test]
    fn checksum_of_rfc_1071() {
        assert_eq!(checksum::of(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
    }

    /// RFC 2474 section 3: AF11 (10) is the upper six bits, ECT(0) (2) the lower two.
    #[test]
    fn codepoint_and_ecn_share_an_octet() {
        let mut out = Vec::new();
        udp(&Ip { dscp: 10, ..IP }, 1, 2, 0, &mut out);
        assert_eq!((out[1], checksum::of(&out[..20])), (0b0010_1010, 0));
    }

    /// A receiver sums everything, checksum included, and gets ffff (RFC 1071 section 1).
    #[test]
    fn what_is_written_sums_to_ones() {
        let options = Options {
            timestamps: Some((5, 9)),
            sack: vec![(100, 200), (1, 50)],
            ..Options::default()
        };
        let mut bytes = Vec::new();
        options.write(&mut bytes);
        assert_eq!(bytes.len(), 12 + 4 + 16);
        let t = Tcp {
            from: 1,
            to: 2,
            seq: u32::MAX,
            ack: 77,
            flags: flag::ACK,
            window: 9,
            options: &bytes,
        };
        for payload in [0, 1, 1448] {
            let mut out = Vec::new();
            assert_eq!(tcp(&IP, &t, payload, &mut out), out.len() + payload);
            assert_eq!(checksum::of(&out[..20]), 0);
            assert_eq!(checksum_of(&out[20..], pseudo(&IP, TCP, out.len() - 20 + payload)), 0);
            let mut out = Vec::new();
            assert_eq!(udp(&IP, 5, 6, payload, &mut out), 28 + payload);
            assert_eq!(checksum_of(&out[20..], pseudo(&IP, UDP, 8 + payload)), 0);
            assert_ne!(out[26..28], [0, 0]);
        }
    }

    #[test]
    fn a_syn_is_as_long_as_the_simulator_says() {
        let length = |options: &Options| {
            let mut out = Vec::new();
            options.write(&mut out);
            out.len()
        };
        let all = Options {
            mss: Some(1460),
            sack_permitted: true,
            timestamps: Some((1, 0)),
            window_scale: Some(7),
            sack: Vec::new(),
        };
        assert_eq!(length(&all), 20);
        assert_eq!(length(&Options { timestamps: None, ..all.clone() }), 12);
        assert_eq!(length(&Options { sack_permitted: false, window_scale: None, ..all }), 16);
    }
}
