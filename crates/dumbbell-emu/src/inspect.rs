//! Whether what comes from the hosts is what would be on a wire: nothing larger than the MTU, every checksum made.
//!
//! A host whose device promises to cut segments or to make checksums hands the router packets that no wire would carry, and
//! everything seems to work: queues are counted in packets of 64 KB. So lengths and checksums of all packets are looked at.
//! What is wrong is counted by name, and the first of its kind told in words, with what mends it.
use crate::header::protocol;
use crate::header::verify::Wrong;
use crate::header::view::{Malformed, View};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::io;

/// What is wrong with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Larger than the MTU of the device that it came through.
    Oversized,
    /// The checksum of its IP header is wrong.
    BadIpChecksum,
    /// Its TCP checksum is wrong, or was left to a card.
    BadTcpChecksum,
    /// The same of UDP.
    BadUdpChecksum,
    /// The same of ICMP, of either version.
    BadIcmpChecksum,
    /// Shorter than it says, or too short for its headers.
    Truncated,
    /// Neither version of IP.
    NotIp,
}

impl Flaw {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Flaw::Oversized => "oversized",
            Flaw::BadIpChecksum => "bad_ip_checksum",
            Flaw::BadTcpChecksum => "bad_tcp_checksum",
            Flaw::BadUdpChecksum => "bad_udp_checksum",
            Flaw::BadIcmpChecksum => "bad_icmp_checksum",
            Flaw::Truncated => "truncated",
            Flaw::NotIp => "not_ip",
        }
    }

    fn of_transport(number: u8) -> Flaw {
        match number {
            protocol::TCP => Flaw::BadTcpChecksum,
            protocol::UDP => Flaw::BadUdpChecksum,
            _ => Flaw::BadIcmpChecksum,
        }
    }
}

/// A packet that is none of the wire's: which flaw it has, and all about it in one sentence. A door's error
/// ([`io::ErrorKind::InvalidData`]) carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// Which.
    pub flaw: Flaw,
    /// The packet, the cause, and what mends it.
    pub words: String,
}

impl Leak {
    /// A packet of `len` bytes that came through a device of this MTU; `begins` as much of it as there is.
    pub fn oversized(len: usize, mtu: usize, begins: &[u8]) -> Leak {
        let words = format!(
            "{}: it is larger than the device's MTU of {mtu} bytes, because segmentation was left to a card, and there is none. \
             Switch it off at the host's device: ethtool -K DEVICE tso off gso off",
            describe(begins, len)
        );
        Leak { flaw: Flaw::Oversized, words }
    }

    /// One of which the kernel says that its checksum is still to be made.
    pub fn unsummed(packet: &[u8]) -> Leak {
        let number = View::quoted(packet).map_or(protocol::TCP, |v| v.protocol);
        Leak { flaw: Flaw::of_transport(number), words: format!("{}: {UNSUMMED}", describe(packet, packet.len())) }
    }

    /// That of a door's error, if it is about a packet.
    pub fn of(error: &io::Error) -> Option<&Leak> {
        error.get_ref().and_then(|e| e.downcast_ref::<Leak>())
    }

    /// One that is no packet, or not a whole one.
    pub fn malformed(why: Malformed, packet: &[u8]) -> Leak {
        let flaw = if matches!(why, Malformed::Version(_)) { Flaw::NotIp } else { Flaw::Truncated };
        let words = format!("{}: {why}. A program wrote it through a raw socket", describe(packet, packet.len()));
        Leak { flaw, words }
    }

    /// One whose checksum is wrong.
    pub fn wrong(wrong: Wrong, packet: &[u8]) -> Leak {
        let what = describe(packet, packet.len());
        let (flaw, words) = match wrong {
            Wrong::Partial(number) => (Flaw::of_transport(number), format!("{what}: {UNSUMMED}")),
            Wrong::Ip { .. } => (Flaw::BadIpChecksum, format!("{what}: {wrong}. {RAW}")),
            Wrong::Transport { protocol, .. } => (Flaw::of_transport(protocol), format!("{what}: {wrong}. {RAW}")),
            Wrong::Absent | Wrong::Length { .. } => (Flaw::BadUdpChecksum, format!("{what}: {wrong}. {RAW}")),
        };
        Leak { flaw, words }
    }
}

const UNSUMMED: &str = "its checksum was left to a card, and there is none. Switch that off at the host's device: \
                        ethtool -K DEVICE tx off";
const RAW: &str = "A program wrote it through a raw socket, or something changed it on its way to the router";

/// A packet in words, as far as it can be read: protocol, addresses, ports, bytes.
pub(crate) fn describe(begins: &[u8], len: usize) -> String {
    let Ok(view) = View::quoted(begins) else { return format!("a packet of {len} bytes") };
    let (name, source, destination) = (protocol::name(view.protocol), view.source, view.destination);
    match view.ports {
        (0, 0) => format!("{name} from {source} to {destination}, {len} bytes"),
        (from, to) => format!("{name} from {source} port {from} to {destination} port {to}, {len} bytes"),
    }
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl Error for Leak {}

impl From<Leak> for io::Error {
    fn from(leak: Leak) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, leak)
    }
}

/// Packets that were not let in, or came wrong, of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// How many.
    pub packets: u64,
    /// The first of them, in words.
    pub first: String,
}

/// What was found, by the names of [`Flaw`] and of [`crate::classify::Refused`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Findings(pub BTreeMap<String, Finding>);

impl Findings {
    /// One more packet of a kind; `words` are asked for if it is the first.
    #[cold]
    pub fn note(&mut self, name: &str, words: impl FnOnce() -> String) {
        if let Some(finding) = self.0.get_mut(name) {
            finding.packets += 1;
        } else {
            self.0.insert(name.to_owned(), Finding { packets: 1, first: words() });
        }
    }

    /// How many there are of a kind.
    pub fn of(&self, name: &str) -> u64 {
        self.0.get(name).map_or(0, |finding| finding.packets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::verify::{Verdict, verify};
    use crate::header::{checksum, samples};

    fn wrong(packet: &[u8]) -> Leak {
        match verify(packet, &View::of(packet).unwrap()) {
            Verdict::Wrong(wrong) => Leak::wrong(wrong, packet),
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
                Leak::oversized(65_000, 1500, samples::TCP_V4),
                "oversized",
                "65000 bytes: it is larger than the device's MTU of 1500",
            ),
            (wrong(&spoiled(samples::TCP_V4, 10)), "bad_ip_checksum", "its IP header's checksum is 0x"),
            (wrong(&last(samples::TCP_V4)), "bad_tcp_checksum", "60 bytes: its TCP checksum is 0x"),
            (wrong(&last(samples::UDP_V6)), "bad_udp_checksum", "its UDP checksum is 0x"),
            (wrong(&last(samples::UNREACHABLE_V4)), "bad_icmp_checksum", "its ICMP checksum is 0x"),
            (Leak::unsummed(samples::UDP_V4), "bad_udp_checksum", "ethtool -K DEVICE tx off"),
            (
                Leak::malformed(View::of(&samples::TCP_V4[..50]).unwrap_err(), &samples::TCP_V4[..50]),
                "truncated",
                "its header says a length of 60 bytes, and 50 came",
            ),
            (Leak::malformed(Malformed::Version(0), &[0; 60]), "not_ip", "a packet of 60 bytes: it is no IP packet"),
        ];
        for (leak, name, words) in cases {
            assert_eq!(leak.flaw.name(), name);
            assert!(leak.words.contains(words), "{leak}");
        }
        assert!(wrong(&last(samples::TCP_V4)).words.starts_with(samples::TCP_V4_TUPLE));
    }

    #[test]
    fn a_checksum_that_is_only_begun_is_named_as_that() {
        let mut packet = samples::TCP_V4.to_vec();
        // The pseudo header: addresses, protocol, length of TCP.
        let pseudo = checksum::fold(checksum::sum(&packet[12..20], 6 + (packet.len() as u64 - 20)));
        packet[36..38].copy_from_slice(&pseudo.to_be_bytes());
        let leak = wrong(&packet);
        assert_eq!(leak.flaw, Flaw::BadTcpChecksum);
        assert!(leak.words.contains("ethtool -K DEVICE tx off"), "{leak}");
    }

    #[test]
    fn a_doors_error_carries_its_leak() {
        let error = io::Error::from(Leak::oversized(65_000, 1500, samples::TCP_V4));
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert_eq!(Leak::of(&error).map(|leak| leak.flaw), Some(Flaw::Oversized));
        assert_eq!(Leak::of(&io::ErrorKind::InvalidData.into()), None);
    }

    #[test]
    fn findings_count_and_keep_the_first() {
        let mut findings = Findings::default();
        for (n, name) in ["oversized", "multicast", "oversized"].into_iter().enumerate() {
            findings.note(name, || format!("packet {n}"));
        }
        assert_eq!((findings.of("oversized"), findings.of("multicast"), findings.of("not_ip")), (2, 1, 0));
        assert_eq!(findings.0["oversized"].first, "packet 0");
        let text = serde_json::to_string(&findings).unwrap();
        assert_eq!(serde_json::from_str::<Findings>(&text).unwrap(), findings);
        assert!(text.starts_with(r#"{"multicast":{"packets":1,"first":"packet 1"}"#), "{text}");
    }
}
