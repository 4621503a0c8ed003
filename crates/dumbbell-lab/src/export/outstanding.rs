//! What a sender has sent and no acknowledgment covers yet: which packet a repetition repeats, and
//! which packets an acknowledgment is the first to cover. It holds what is in flight, not a run.
use std::collections::BTreeMap;

/// The last packet that carried some bytes of the stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent<T> {
    /// Its number.
    pub number: u64,
    /// The byte after its last.
    pub end: u64,
    /// What else is known of it.
    pub what: T,
    /// True if a SACK block has covered it.
    covered: bool,
}

/// The packets in flight of one flow, by their first bytes.
pub struct Outstanding<T>(BTreeMap<u64, Sent<T>>);

impl<T> Default for Outstanding<T> {
    fn default() -> Self {
        Outstanding(BTreeMap::new())
    }
}

impl<T: Clone> Outstanding<T> {
    /// A packet with the bytes from `seq` to `end` leaves. Returns the packet that it repeats: the
    /// last one before it that carried its first byte.
    pub fn sent(&mut self, (seq, end): (u64, u64), number: u64, what: T) -> Option<Sent<T>> {
        let before = self.0.range(..=seq).next_back().map(|(_, p)| p);
        let repeated = before.filter(|p| p.end > seq).cloned();
        self.0.insert(seq, Sent { number, end, what, covered: false });
        repeated
    }

    /// An acknowledgment arrives that expects the byte `ack`, with these SACK blocks. Returns the
    /// numbers of the packets that it is the first to cover, in order.
    pub fn acknowledged(&mut self, ack: u64, sack: &[(u64, u64)]) -> Vec<u64> {
        let mut numbers = Vec::new();
        while let Some(first) = self.0.first_entry().filter(|e| e.get().end <= ack) {
            let packet = first.remove();
            numbers.extend((!packet.covered).then_some(packet.number));
        }
        for (from, to) in sack {
            for (_, packet) in self.0.range_mut(*from..(*to).max(*from)) {
                if packet.end <= *to && !packet.covered {
                    packet.covered = true;
                    numbers.push(packet.number);
                }
            }
        }
        numbers.sort_unstable();
        numbers
    }
}

/// SACK blocks of `options`, as `packets.parquet` writes them: `sack 2897-4345 5793-7241`.
pub fn sack_blocks(options: &str) -> Vec<(u64, u64)> {
    let blocks = options.split("sack ").nth(1).unwrap_or_default();
    let block = |text: &str| {
        let (from, to) = text.split_once('-')?;
        Some((from.parse().ok()?, to.parse().ok()?))
    };
    blocks.split([' ', ',']).map_while(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repetition_names_the_last_packet_with_its_first_byte() {
        let mut flight = Outstanding::default();
        assert_eq!(flight.sent((1, 101), 1, 'a'), None);
        assert_eq!(flight.sent((101, 201), 2, 'b'), None);
        assert_eq!(flight.sent((101, 151), 3, 'c').map(|p| (p.number, p.what)), Some((2, 'b')));
        assert_eq!(flight.sent((101, 151), 4, 'd').map(|p| p.number), Some(3));
        assert_eq!(flight.acknowledged(101, &[]), [1]);
        assert_eq!(flight.sent((1, 101), 5, 'e'), None);
    }

    #[test]
    fn each_packet_is_covered_once() {
        let mut flight = Outstanding::default();
        for i in 0..6 {
            flight.sent((1 + i * 100, 101 + i * 100), i + 1, ());
        }
        assert_eq!(flight.acknowledged(101, &[(201, 401)]), [1, 3, 4]);
        assert_eq!(flight.acknowledged(101, &[(201, 501)]), [5]);
        assert_eq!(flight.acknowledged(601, &[]), [2, 6]);
        assert!(flight.acknowledged(601, &[(9, 3)]).is_empty());
    }

    #[test]
    fn blocks_are_read_as_records_write_them() {
        assert_eq!(sack_blocks("sack 2897-4345 5793-7241"), [(2897, 4345), (5793, 7241)]);
        assert!(sack_blocks("mss 1460,sackOK,TS,wscale 7").is_empty());
        assert!(sack_blocks("sack x").is_empty());
    }
}
