//! The codec for real packets, IPv4 and IPv6.
use crate::packet::classify::Classifier;
use crate::router::codec::{PacketCodec, PacketInfo, Rejected};
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::transport::segment::PacketTooBig;
use dumbbell_net::Fragment;
use dumbbell_wire::corrupt::{Corruption, corrupt};
use dumbbell_wire::fragment::fragment;
use dumbbell_wire::icmp_error::too_big;
use dumbbell_wire::rewrite::{set_dscp, set_ecn};
use dumbbell_wire::verify::{Verdict, verify};
use dumbbell_wire::view::{PacketView, TransportHeader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The address from which the router answers; hosts have others ([`crate::host::hosts::v4`]).
pub const ROUTER_V4: Ipv4Addr = Ipv4Addr::new(10, 77, 255, 254);
/// The address of the router in IPv6.
pub const ROUTER_V6: Ipv6Addr = Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 1, 0);
/// Bytes of a UDP header.
const UDP: u16 = 8;

/// Real headers, and whose they are.
pub struct IpCodec {
    /// The classifier of packets.
    pub classifier: Classifier,
    /// Packets that were damaged: each at another bit.
    damaged: u64,
}

impl IpCodec {
    /// A codec with this classifier.
    pub fn new(classifier: Classifier) -> Self {
        IpCodec { classifier, damaged: 0 }
    }
}

impl PacketCodec for IpCodec {
    #[inline]
    fn parse(&mut self, nic: usize, packet: &[u8]) -> Result<PacketInfo, Rejected> {
        let view = PacketView::of(packet).map_err(Rejected::Malformed)?;
        if let Verdict::Wrong(wrong) = verify(packet, &view) {
            return Err(Rejected::BadChecksum(wrong));
        }
        let whose =
            self.classifier.classify(&view, packet, nic as u32).map_err(Rejected::NoFlow)?;
        let payload = match view.transport {
            TransportHeader::Tcp(tcp) => tcp.payload,
            TransportHeader::Udp => view.payload_len().saturating_sub(UDP),
            TransportHeader::Fragment => view.payload_len(),
            _ => 0,
        };
        let (ecn, dscp) = (view.ecn, view.dscp);
        Ok(PacketInfo {
            socket: whose.socket,
            payload,
            ecn,
            dscp,
            seq: whose.seq,
            flags: whose.flags,
        })
    }

    #[inline]
    fn mark(&mut self, packet: &mut [u8], ecn: Ecn, dscp: Dscp) {
        let class = match packet {
            [first, class, ..] if *first >> 4 == 6 => *first << 4 | *class >> 4,
            [_, class, ..] => *class,
            _ => return,
        };
        if class & 3 != ecn as u8 {
            set_ecn(packet, ecn);
        }
        if class >> 2 != dscp.0 {
            set_dscp(packet, dscp);
        }
    }

    fn corrupt(&mut self, packet: &mut [u8]) -> bool {
        self.damaged += 1;
        corrupt(packet, self.damaged) != Corruption::Nothing
    }

    fn fragment(&mut self, packet: &[u8], piece: Fragment, into: &mut Vec<u8>) -> bool {
        fragment(packet, piece.from..piece.to, into)
    }

    fn icmp_error(&mut self, packet: &[u8], notice: PacketTooBig, into: &mut Vec<u8>) -> bool {
        let router = match packet.first().map(|first| first >> 4) {
            Some(6) => IpAddr::V6(ROUTER_V6),
            _ => IpAddr::V4(ROUTER_V4),
        };
        too_big(router, packet, notice.mtu, into).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_wire::samples;

    #[test]
    fn a_mark_is_what_the_header_says_then_and_only_that() {
        let mut headers = IpCodec::new(Classifier::new([]));
        for (name, packet) in samples::ALL {
            for (ecn, dscp) in [
                (Ecn::Ce, Dscp(46)),
                (Ecn::NotEct, Dscp(0)),
                (Ecn::Ect0, Dscp(10)),
                (Ecn::Ect1, Dscp(10)),
            ] {
                let before = PacketView::of(packet).unwrap();
                let mut marked = packet.to_vec();
                headers.mark(&mut marked, ecn, dscp);
                let after = PacketView::of(&marked).unwrap();
                assert_eq!(after, PacketView { ecn, dscp, ..before }, "{name}");
                assert_eq!(verify(&marked, &after), verify(packet, &before), "{name}");
                headers.mark(&mut marked, before.ecn, before.dscp);
                assert_eq!(marked, packet, "{name}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_what_is_nobodys_too() {
        let mut headers = IpCodec::new(Classifier::new([]));
        let mut wrong = samples::TCP_V4.to_vec();
        *wrong.last_mut().unwrap() ^= 1;
        assert!(matches!(headers.parse(0, &wrong), Err(Rejected::BadChecksum(_))));
        assert!(matches!(headers.parse(0, samples::TCP_V4), Err(Rejected::NoFlow(_))));
        assert!(matches!(headers.parse(0, &wrong[..30]), Err(Rejected::Malformed(_))));
    }
}
