//! Checks that packets from hosts are as on a wire: not larger than the MTU, with every checksum.
//!
//! A host whose device has TSO or checksum offload hands the router packets that no wire would
//! carry, and everything seems to work: queues hold packets of 64 KB. So the router checks lengths
//! and checksums of all packets. Defects are counted by name, and the first of each kind is
//! described, with advice.
use dumbbell_wire::protocol;
use dumbbell_wire::verify::Wrong;
use dumbbell_wire::view::{Malformed, PacketView};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::io;

/// A defect of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Larger than the MTU of the device that it came through.
    Oversized,
    /// The checksum of its IP header is wrong.
    BadIpChecksum,
    /// Its TCP checksum is wrong, or was left to checksum offload.
    BadTcpChecksum,
    /// Its UDP checksum is wrong, or was left to checksum offload.
    BadUdpChecksum,
    /// Its ICMP checksum is wrong, in either version.
    BadIcmpChecksum,
    /// Shorter than it says, or too short for its headers.
    Truncated,
    /// Neither version of IP.
    NotIp,
}

impl Defect {
    /// Name of the defect in results.
    pub fn name(self) -> &'static str {
        match self {
            Defect::Oversized => "oversized",
            Defect::BadIpChecksum => "bad_ip_checksum",
            Defect::BadTcpChecksum => "bad_tcp_checksum",
            Defect::BadUdpChecksum => "bad_udp_checksum",
            Defect::BadIcmpChecksum => "bad_icmp_checksum",
            Defect::Truncated => "truncated",
            Defect::NotIp => "not_ip",
        }
    }

    fn of_transport(number: u8) -> Defect {
        match number {
            protocol::TCP => Defect::BadTcpChecksum,
            protocol::UDP => Defect::BadUdpChecksum,
            _ => Defect::BadIcmpChecksum,
        }
    }
}

/// A packet that is none of the wire's: which flaw it has, and all about it in one sentence. A
/// NIC's error ([`io::ErrorKind::InvalidData`]) carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defective {
    /// The defect.
    pub defect: Defect,
    /// The packet, the cause, and how to fix it.
    pub message: String,
}

impl Defective {
    /// A packet of `len` bytes that came through a device of this MTU; `begins` as much of it as
    /// there is.
    pub fn oversized(len: usize, mtu: usize, begins: &[u8]) -> Defective {
        let message = format!(
            "{}: it is larger than the device's MTU of {mtu} bytes, because segmentation was left \
                to a card, and there is none. Switch it off at the host's device: ethtool -K \
                DEVICE tso off gso off",
            describe(begins, len)
        );
        Defective { defect: Defect::Oversized, message }
    }

    /// A packet whose checksum was left to checksum offload, as the kernel says.
    pub fn unsummed(packet: &[u8]) -> Defective {
        let number = PacketView::quoted(packet).map_or(protocol::TCP, |v| v.protocol);
        Defective {
            defect: Defect::of_transport(number),
            message: format!("{}: {UNSUMMED}", describe(packet, packet.len())),
        }
    }

    /// The defect that a NIC's error carries, if it does.
    pub fn of(error: &io::Error) -> Option<&Defective> {
        error.get_ref().and_then(|e| e.downcast_ref::<Defective>())
    }

    /// Data that is not a packet, or not a whole one.
    pub fn malformed(why: Malformed, packet: &[u8]) -> Defective {
        let defect =
            if matches!(why, Malformed::Version(_)) { Defect::NotIp } else { Defect::Truncated };
        let message = format!(
            "{}: {why}. A program wrote it through a raw socket",
            describe(packet, packet.len())
        );
        Defective { defect, message }
    }

    /// A packet with a wrong checksum.
    pub fn wrong(wrong: Wrong, packet: &[u8]) -> Defective {
        let what = describe(packet, packet.len());
        let (defect, message) = match wrong {
            Wrong::Partial(number) => (Defect::of_transport(number), format!("{what}: {UNSUMMED}")),
            Wrong::Ip { .. } => (Defect::BadIpChecksum, format!("{what}: {wrong}. {RAW}")),
            Wrong::Transport { protocol, .. } => (
                Defect::of_transport(protocol),
                format!(
                    "{what}: \
                {wrong}. {RAW}"
                ),
            ),
            Wrong::Absent | Wrong::Length { .. } => (
                Defect::BadUdpChecksum,
                format!(
                    "{what}: \
                {wrong}. {RAW}"
                ),
            ),
        };
        Defective { defect, message }
    }
}

const UNSUMMED: &str = "its checksum was left to a card, and there is none. Switch that off at the \
    host's device: ethtool -K DEVICE tx off";
const RAW: &str = "A program wrote it through a raw socket, or something changed it on its way to \
    the router";

/// A packet in words, as far as it can be read: protocol, addresses, ports, bytes.
pub(crate) fn describe(begins: &[u8], len: usize) -> String {
    let Ok(view) = PacketView::quoted(begins) else { return format!("a packet of {len} bytes") };
    let (name, source, destination) =
        (protocol::name(view.protocol), view.source, view.destination);
    match view.ports {
        (0, 0) => format!("{name} from {source} to {destination}, {len} bytes"),
        (from, to) => format!(
            "{name} from {source} port {from} to {destination} port {to}, {len} \
            bytes"
        ),
    }
}

impl fmt::Display for Defective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Defective {}

impl From<Defective> for io::Error {
    fn from(defective: Defective) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, defective)
    }
}

/// Packets that were not let in, or came wrong, of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Number of packets.
    pub packets: u64,
    /// The first of them, in words.
    pub first: String,
}

/// Findings by the names of [`Defect`] and of [`crate::packet::classify::Unmatched`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Findings(pub BTreeMap<String, Finding>);

impl Findings {
    /// Counts a packet of a kind; `message` is called for the first.
    #[cold]
    pub fn note(&mut self, name: &str, message: impl FnOnce() -> String) {
        if let Some(finding) = self.0.get_mut(name) {
            finding.packets += 1;
        } else {
            self.0.insert(name.to_owned(), Finding { packets: 1, first: message() });
        }
    }

    /// Number of packets of a kind.
    pub fn of(&self, name: &str) -> u64 {
        self.0.get(name).map_or(0, |finding| finding.packets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_wire::verify::{Verdict, verify};
    use dumbbell_wire::{checksum, samples};

    fn wrong(packet: &[u8]) -> Defective {
        match verify(packet, &PacketView::of(packet).unwrap()) {
            Verdict::Wrong(wrong) => Defective::wrong(wrong, packet),
            other => panic!("{other:?}"),
        }
    }

    fn spoiled(packet: &[u8], at: usize) -> Vec<u8> {
        let mut packet = packet.to_vec();
        packet[at] ^= 1;
        packet
    }

    #[test]
    fn each_flaw_has_its_name_and_its_words() {
        let last = |packet: &[u8]| spoiled(packet, packet.len() - 1);
        let cases = [
            (
                Defective::oversized(65_000, 1500, samples::TCP_V4),
                "oversized",
                "65000 bytes: it is larger than the device's MTU of 1500",
            ),
            (
                wrong(&spoiled(samples::TCP_V4, 10)),
                "bad_ip_checksum",
                "its IP header's checksum is \
                0x",
            ),
            (wrong(&last(samples::TCP_V4)), "bad_tcp_checksum", "60 bytes: its TCP checksum is 0x"),
            (wrong(&last(samples::UDP_V6)), "bad_udp_checksum", "its UDP checksum is 0x"),
            (wrong(&last(samples::UNREACHABLE_V4)), "bad_icmp_checksum", "its ICMP checksum is 0x"),
            (Defective::unsummed(samples::UDP_V4), "bad_udp_checksum", "ethtool -K DEVICE tx off"),
            (
                Defective::malformed(
                    PacketView::of(&samples::TCP_V4[..50]).unwrap_err(),
                    &samples::TCP_V4[..50],
                ),
                "truncated",
                "its header says a length of 60 bytes, and 50 came",
            ),
            (
                Defective::malformed(Malformed::Version(0), &[0; 60]),
                "not_ip",
                "a packet of 60 \
                bytes: it is no IP packet",
            ),
        ];
        for (defective, name, message) in cases {
            assert_eq!(defective.defect.name(), name);
            assert!(defective.message.contains(message), "{defective}");
        }
        assert!(wrong(&last(samples::TCP_V4)).message.starts_with(samples::TCP_V4_TUPLE));
    }

    #[test]
    fn a_checksum_that_is_only_begun_is_named_as_that() {
        let mut packet = samples::TCP_V4.to_vec();
        // The pseudo header: addresses, protocol, length of TCP.
        let pseudo = checksum::fold(checksum::sum(&packet[12..20], 6 + (packet.len() as u64 - 20)));
        packet[36..38].copy_from_slice(&pseudo.to_be_bytes());
        let defective = wrong(&packet);
        assert_eq!(defective.defect, Defect::BadTcpChecksum);
        assert!(defective.message.contains("ethtool -K DEVICE tx off"), "{defective}");
    }

    #[test]
    fn a_nics_error_carries_its_defect() {
        let error = io::Error::from(Defective::oversized(65_000, 1500, samples::TCP_V4));
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert_eq!(
            Defective::of(&error).map(|defective| defective.defect),
            Some(Defect::Oversized)
        );
        assert_eq!(Defective::of(&io::ErrorKind::InvalidData.into()), None);
    }

    #[test]
    fn findings_count_and_keep_the_first() {
        let mut findings = Findings::default();
        for (n, name) in ["oversized", "multicast", "oversized"].into_iter().enumerate() {
            findings.note(name, || format!("packet {n}"));
        }
        assert_eq!(
            (findings.of("oversized"), findings.of("multicast"), findings.of("not_ip")),
            (2, 1, 0)
        );
        assert_eq!(findings.0["oversized"].first, "packet 0");
        let text = serde_json::to_string(&findings).unwrap();
        assert_eq!(serde_json::from_str::<Findings>(&text).unwrap(), findings);
        assert!(text.starts_with(r#"{"multicast":{"packets":1,"first":"packet 1"}"#), "{text}");
    }
}
