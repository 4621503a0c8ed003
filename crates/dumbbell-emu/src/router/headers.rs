//! The headers of real packets, IP versions 4 and 6.
use super::wire::{Heard, Stranger, Wire};
use crate::classify::Classifier;
use crate::header::answer::too_big;
use crate::header::cut::cut;
use crate::header::damage::{Damage, damage};
use crate::header::rewrite::{set_dscp, set_ecn};
use crate::header::verify::{Verdict, verify};
use crate::header::view::{Carries, View};
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::segment::Notice;
use dumbbell_net::large::Fragment;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The address from which the router answers; hosts have others ([`crate::hosts::v4`]).
pub const ROUTER_V4: Ipv4Addr = Ipv4Addr::new(10, 77, 255, 254);
/// The same of version 6.
pub const ROUTER_V6: Ipv6Addr = Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 1, 0);
/// Bytes of a UDP header.
const UDP: u16 = 8;

/// Real headers, and whose they are.
pub struct Headers {
    /// Who knows whose a packet is.
    pub classifier: Classifier,
    /// Packets that were damaged: each at another bit.
    damaged: u64,
}

impl Headers {
    /// Of packets that `classifier` knows.
    pub fn new(classifier: Classifier) -> Self {
        Headers { classifier, damaged: 0 }
    }
}

impl Wire for Headers {
    #[inline]
    fn hear(&mut self, door: usize, packet: &[u8]) -> Result<Heard, Stranger> {
        let view = View::of(packet).map_err(Stranger::Malformed)?;
        if let Verdict::Wrong(wrong) = verify(packet, &view) {
            return Err(Stranger::BadChecksum(wrong));
        }
        let whose = self.classifier.classify(&view, packet, door as u32).map_err(Stranger::NoFlow)?;
        let payload = match view.carries {
            Carries::Tcp(tcp) => tcp.payload,
            Carries::Udp => view.payload_len().saturating_sub(UDP),
            Carries::Piece => view.payload_len(),
            _ => 0,
        };
        let (ecn, dscp) = (view.ecn, view.dscp);
        Ok(Heard { socket: whose.socket, payload, ecn, dscp, seq: whose.seq, flags: whose.flags })
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

    fn damage(&mut self, packet: &mut [u8]) -> bool {
        self.damaged += 1;
        damage(packet, self.damaged) != Damage::Nothing
    }

    fn cut(&mut self, packet: &[u8], piece: Fragment, into: &mut Vec<u8>) -> bool {
        cut(packet, piece.from..piece.to, into)
    }

    fn answer(&mut self, packet: &[u8], notice: Notice, into: &mut Vec<u8>) -> bool {
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
    use crate::header::samples;

    #[test]
    fn a_mark_is_what_the_header_says_then_and_only_that() {
        let mut headers = Headers::new(Classifier::new([]));
        for (name, packet) in samples::ALL {
            for (ecn, dscp) in
                [(Ecn::Ce, Dscp(46)), (Ecn::NotEct, Dscp(0)), (Ecn::Ect0, Dscp(10)), (Ecn::Ect1, Dscp(10))]
            {
                let before = View::of(packet).unwrap();
                let mut marked = packet.to_vec();
                headers.mark(&mut marked, ecn, dscp);
                let after = View::of(&marked).unwrap();
                assert_eq!(after, View { ecn, dscp, ..before }, "{name}");
                assert_eq!(verify(&marked, &after), verify(packet, &before), "{name}");
                headers.mark(&mut marked, before.ecn, before.dscp);
                assert_eq!(marked, packet, "{name}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_what_is_nobodys_too() {
        let mut headers = Headers::new(Classifier::new([]));
        let mut wrong = samples::TCP_V4.to_vec();
        *wrong.last_mut().unwrap() ^= 1;
        assert!(matches!(headers.hear(0, &wrong), Err(Stranger::BadChecksum(_))));
        assert!(matches!(headers.hear(0, samples::TCP_V4), Err(Stranger::NoFlow(_))));
        assert!(matches!(headers.hear(0, &wrong[..30]), Err(Stranger::Malformed(_))));
    }
}
