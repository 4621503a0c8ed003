//! Spurious retransmissions: segments that were sent again although they had arrived.
use super::replay::ReplayObserver;
use crate::log::Record;
use dumbbell_core::transport::segment::flag;
use std::collections::BTreeMap;

/// Segments that are remembered before the older half is forgotten.
const REMEMBERED: usize = 1 << 20;

/// Looks for them.
#[derive(Default)]
pub struct SpuriousRetransmissions {
    /// By socket and sequence number the packet that carried the segment last: of late, and before.
    late: BTreeMap<(u32, u32), u64>,
    early: BTreeMap<(u32, u32), u64>,
    /// Packets that came out, a bit each, by number.
    out: Vec<u64>,
    /// For each segment that was sent again the packet that had carried it before, the flow, and
    /// its payload.
    before: Vec<(u64, u32, u16)>,
    /// Packets that carried something again.
    repeated: u64,
}

impl SpuriousRetransmissions {
    /// Packets that carried something again, however it was cut into segments.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// The packets whose segments had arrived before they were sent again: number, flow, payload.
    fn arrived_before(&self) -> impl Iterator<Item = &(u64, u32, u16)> {
        let arrived = |number: u64| {
            self.out.get(number as usize / 64).is_some_and(|w| w >> (number % 64) & 1 == 1)
        };
        self.before.iter().filter(move |(number, ..)| arrived(*number))
    }

    /// Number of spurious retransmissions.
    pub fn needless(&self) -> u64 {
        self.arrived_before().count() as u64
    }

    /// Payload of one flow's spurious retransmissions, bytes.
    pub fn needless_bytes(&self, flow: usize) -> u64 {
        self.arrived_before()
            .filter(|(_, own, _)| *own as usize == flow)
            .map(|(.., bytes)| u64::from(*bytes))
            .sum()
    }
}

impl ReplayObserver for SpuriousRetransmissions {
    fn record(&mut self, record: &Record) {
        match *record {
            Record::In { packet, .. }
                if packet.payload > 0
                    && packet.flags & flag::UDP == 0
                    && packet.socket % 2 == 0 =>
            {
                let segment = (packet.socket, packet.seq);
                let last = self
                    .late
                    .insert(segment, packet.number)
                    .or_else(|| self.early.remove(&segment));
                if packet.flags & flag::RETRANSMIT != 0 {
                    self.repeated += 1;
                    self.before.extend(last.map(|last| (last, packet.socket / 2, packet.payload)));
                }
                if self.late.len() == REMEMBERED {
                    self.early = std::mem::take(&mut self.late);
                }
            }
            Record::Out { out, .. } if !out.damaged && out.icmp_error.is_none() => {
                let word = out.number as usize / 64;
                self.out.resize(self.out.len().max(word + 1), 0);
                self.out[word] |= 1 << (out.number % 64);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::packet::{Dscp, Ecn};
    use dumbbell_core::units::Time;
    use dumbbell_net::{Incoming, Outgoing};

    #[test]
    fn what_had_arrived_was_sent_again_in_vain_and_what_was_lost_was_not() {
        let mut spurious = SpuriousRetransmissions::default();
        let sends = |number, seq, flags| Record::In {
            t: Time::ZERO,
            packet: Incoming {
                socket: 2,
                number,
                ip_len: 1500,
                payload: 1448,
                ecn: Ecn::NotEct,
                dscp: Dscp(0),
                seq,
                flags,
            },
        };
        let arrives = |number| Record::Out {
            out: Outgoing {
                at: Time::ZERO,
                socket: 3,
                number,
                ecn: Ecn::NotEct,
                dscp: Dscp(0),
                fragment: None,
                damaged: false,
                icmp_error: None,
            },
            late: 0,
            refused: false,
        };
        let log = [
            sends(1, 0, 0),
            sends(2, 1448, 0),
            arrives(1),
            sends(3, 0, flag::RETRANSMIT),
            sends(4, 1448, flag::RETRANSMIT),
            arrives(4),
            sends(5, 1448, flag::RETRANSMIT),
        ];
        log.iter().for_each(|record| spurious.record(record));
        assert_eq!(
            (spurious.needless(), spurious.needless_bytes(1)),
            (2, 2 * 1448),
            "packets 3 \
            and 5"
        );
    }
}
