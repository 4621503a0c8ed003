//! TCP connections as a capture shows them: packets, bytes, repetitions, round-trip times, losses.
//!
//! A **repetition** is a segment some of whose bytes (SYN and FIN count) were seen before. A
//! **round-trip time** is the time from a segment that was sent once to the first acknowledgment
//! of exactly its last byte (Karn's rule), unless a segment that is acknowledged with it was sent
//! again later than it: the receiver then waited for that one. Near the sender this is the path's
//! round-trip time, elsewhere that of the rest of it.
use super::capture::PacketView;
use super::headers::{Found, Segment, Socket, find};
use dumbbell_core::transport::segment::widen;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// The first offset, large enough that no offset falls below zero.
const START: u64 = 1 << 32;

/// The packets that one end of a connection sent.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// Packets, acknowledgments included.
    pub packets: u64,
    /// Packets with payload.
    pub data_packets: u64,
    /// Payload, repetitions included.
    pub bytes: u64,
    /// Payload, each byte once.
    pub unique_bytes: u64,
    /// Segments some of whose bytes were seen before.
    pub retransmits: u64,
    /// Packets marked Congestion Experienced.
    pub marks: u64,
    /// Packets whose comment says that they were dropped.
    pub lost: u64,
    /// Number, sum, least and largest of the round-trip times, ns.
    rtt: (u64, u128, u64, u64),
    /// Bytes seen, as disjoint intervals.
    seen: BTreeMap<u64, u64>,
    /// Segments that wait for their acknowledgment, by their end: when sent, whether repeated.
    waiting: BTreeMap<u64, (u64, bool)>,
    /// The highest byte seen, to widen the next.
    high: Option<u64>,
}

/// A connection: who opened it or was seen first, and the other.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Its ends.
    pub ends: [Socket; 2],
    /// The packets that each end sent.
    pub sides: [Side; 2],
    /// True if its opening was seen.
    pub opened: bool,
    /// First and last packet, ns.
    pub span: (u64, u64),
}

/// Everything in a capture.
#[derive(Clone, Debug, Default)]
pub struct Connections {
    /// In the order of their first packets.
    pub all: Vec<Connection>,
    places: HashMap<(Socket, Socket), usize>,
    /// Packets.
    pub packets: u64,
    /// Packets that are not TCP.
    pub other: u64,
    /// Packets whose headers were not kept.
    pub unreadable: u64,
}

impl Connections {
    /// One more packet.
    pub fn take(&mut self, p: &PacketView<'_>) {
        self.packets += 1;
        match find(p.link_type, p.bytes, p.length) {
            Found::Tcp(s) => self.segment(p, &s),
            Found::Other => self.other += 1,
            Found::Unreadable => self.unreadable += 1,
        }
    }

    fn segment(&mut self, p: &PacketView<'_>, s: &Segment) {
        let key = if s.from <= s.to { (s.from, s.to) } else { (s.to, s.from) };
        let known = self.places.get(&key).copied();
        // Ports may be used again: a SYN after data that has another number begins another
        // connection.
        let again = |i: &usize| s.syn && s.ack.is_none() && self.all[*i].is_over(s);
        let i = known.filter(|i| !again(i)).unwrap_or_else(|| {
            let ends = if s.syn && s.ack.is_some() { [s.to, s.from] } else { [s.from, s.to] };
            self.all.push(Connection {
                ends,
                sides: Default::default(),
                opened: false,
                span: (p.ns, p.ns),
            });
            self.places.insert(key, self.all.len() - 1);
            self.all.len() - 1
        });
        let connection = &mut self.all[i];
        connection.opened |= s.syn;
        connection.span.1 = connection.span.1.max(p.ns);
        let from = usize::from(connection.ends[0] != s.from);
        if let Some(ack) = s.ack {
            connection.sides[1 - from].acknowledged(p.ns, ack);
        }
        connection.sides[from].sent(p, s);
    }

    /// As JSON, units in the names.
    pub fn json(&self) -> Value {
        let connections: Vec<Value> = self.all.iter().map(Connection::json).collect();
        json!({
            "packets": self.packets,
            "other_packets": self.other,
            "unreadable_packets": self.unreadable,
            "connections": connections,
        })
    }
}

impl Connection {
    fn is_over(&self, syn: &Segment) -> bool {
        let side = &self.sides[usize::from(self.ends[0] != syn.from)];
        side.unique_bytes > 0 && side.high.is_some_and(|h| !side.covers(widen(syn.seq, h)))
    }

    fn json(&self) -> Value {
        let side = |s: &Side, end: Socket| {
            let (n, sum, least, most) = s.rtt;
            let seconds = |ns: f64| (n > 0).then_some(ns / 1e9);
            json!({
                "address": end.0.to_string(),
                "port": end.1,
                "packets": s.packets,
                "data_packets": s.data_packets,
                "payload_bytes": s.bytes,
                "unique_bytes": s.unique_bytes,
                "retransmits": s.retransmits,
                "lost_packets": s.lost,
                "marks": s.marks,
                "rtt_samples": n,
                "rtt_min_s": seconds(least as f64),
                "rtt_mean_s": seconds(sum as f64 / n.max(1) as f64),
                "rtt_max_s": seconds(most as f64),
            })
        };
        json!({
            "a": side(&self.sides[0], self.ends[0]),
            "b": side(&self.sides[1], self.ends[1]),
            "opened": self.opened,
            "first_s": self.span.0 as f64 / 1e9,
            "last_s": self.span.1 as f64 / 1e9,
        })
    }
}

impl Side {
    fn covers(&self, byte: u64) -> bool {
        self.seen.range(..=byte).next_back().is_some_and(|(_, end)| *end > byte)
    }

    fn sent(&mut self, p: &PacketView<'_>, s: &Segment) {
        self.packets += 1;
        self.marks += u64::from(s.ce);
        self.lost += u64::from(p.comment.contains("dropped at "));
        self.data_packets += u64::from(s.payload > 0);
        self.bytes += u64::from(s.payload);
        let near = self.high.unwrap_or(START + u64::from(s.seq));
        let from = widen(s.seq, near);
        let to = from.saturating_add(u64::from(s.payload) + u64::from(s.syn) + u64::from(s.fin));
        self.high = Some(near.max(to));
        if to == from {
            return;
        }
        let fresh = self.add(from, to);
        self.retransmits += u64::from(fresh < to - from);
        // SYN and FIN are no payload; a repeated one is nothing fresh.
        let control = u64::from(s.syn) + u64::from(s.fin);
        self.unique_bytes += fresh.saturating_sub(if fresh == to - from { control } else { 0 });
        let repeated = fresh < to - from;
        self.waiting.entry(to).and_modify(|w| *w = (p.ns, true)).or_insert((p.ns, repeated));
    }

    /// Takes in bytes; says how many were not seen before.
    fn add(&mut self, from: u64, to: u64) -> u64 {
        let (mut start, mut end, mut known) = (from, to, 0);
        while let Some((&a, &b)) = self.seen.range(..=end).next_back().filter(|(_, b)| **b >= start)
        {
            known += b.min(to).saturating_sub(a.max(from));
            (start, end) = (start.min(a), end.max(b));
            self.seen.remove(&a);
        }
        self.seen.insert(start, end);
        to - from - known
    }

    fn acknowledged(&mut self, ns: u64, ack: u32) {
        let Some(high) = self.high else { return };
        let ack = widen(ack, high);
        let mut repair = 0;
        while let Some(entry) = self.waiting.first_entry().filter(|e| *e.key() <= ack) {
            let (end, (sent, repeated)) = entry.remove_entry();
            if repeated {
                repair = sent.max(repair);
            }
            if end == ack && !repeated && repair <= sent {
                let rtt = ns.saturating_sub(sent);
                let (n, sum, least, most) = self.rtt;
                let least = if n == 0 { rtt } else { least.min(rtt) };
                self.rtt = (n + 1, sum + u128::from(rtt), least, most.max(rtt));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::capture;
    use crate::formats::pcapng::{self, Captured};
    use dumbbell_wire::frame::{self, Ip, Tcp};
    use proptest::prelude::*;

    fn segment(data: bool, seq: u32, payload: u32, ack: u32) -> Segment {
        let (a, b) = (([10, 0, 0, 1].into(), 1), ([10, 0, 0, 2].into(), 2));
        let (from, to) = if data { (a, b) } else { (b, a) };
        Segment { from, to, seq, ack: Some(ack), syn: false, fin: false, payload, ce: false }
    }

    fn play(steps: &[(u64, Segment)]) -> Connections {
        let mut all = Connections::default();
        for (ns, s) in steps {
            all.segment(
                &PacketView { ns: *ns, link_type: 101, bytes: &[], length: 0, comment: "" },
                s,
            );
        }
        all
    }

    /// Sequence numbers that wrap, a hole that is filled, an acknowledgment of both.
    #[test]
    fn repetitions_and_karns_rule() {
        let first = u32::MAX - 99;
        let all = play(&[
            (0, segment(true, first, 100, 1)),
            (10, segment(true, 0, 100, 1)),
            (20, segment(true, 100, 100, 1)),
            (50, segment(false, 1, 0, 0)),    // Of the first: 50.
            (90, segment(true, 0, 100, 1)),   // Again.
            (140, segment(false, 1, 0, 200)), // Of the repeated one and the third: no sample.
            (150, segment(true, 200, 100, 1)),
            (210, segment(false, 1, 0, 300)), // 60.
        ]);
        let side = &all.all[0].sides[0];
        assert_eq!(
            (side.packets, side.bytes, side.unique_bytes, side.retransmits),
            (5, 500, 400, 1)
        );
        assert_eq!(side.rtt, (2, 110, 50, 60));
        assert_eq!(all.all[0].sides[1].packets, 3);
        assert_eq!((side.seen.len(), side.waiting.len()), (1, 0));
    }

    proptest! {
        /// Whatever is wrong with a file, the reader says so or reads on; it does not panic.
        #[test]
        fn no_file_is_too_strange(
            flips in proptest::collection::vec((0..700usize, any::<u8>()), 0..12),
            cut in 0..800usize,
        ) {
            let mut file = Vec::new();
            pcapng::section(&mut file, "test", "", "");
            pcapng::interface(&mut file, "a", "b", None);
            for i in 0..5 {
                let ip = Ip {
                    from: [10, 0, 0, 1],
                    to: [10, 0, 0, 2],
                    id: i,
                    ttl: 9,
                    dscp: 10,
                    ecn: 3,
                    padding: 0,
                };
                let t = Tcp {
                    from: 7,
                    to: 8,
                    seq: u32::from(i) * 9,
                    ack: 1,
                    flags: 0x10,
                    window: 0,
                    options: &[1; 12],
                };
                let mut head = Vec::new();
                frame::ethernet(frame::ether_type::V4, ip.from, ip.to, &mut head);
                let length = (head.len() + frame::tcp(&ip, &t, 9, &mut head)) as u32;
                let (way, comment) = (pcapng::Way::Unsaid, "dropped at");
                let p =
                    Captured { ns: 5, interface: 0, head: &head, length, snap: None, way, comment };
                pcapng::packet(&mut file, &p);
            }
            let mut all = Connections::default();
            prop_assert_eq!(capture::read(file.as_slice(), |p| all.take(p)), None);
            prop_assert_eq!((all.packets, all.all[0].sides[0].bytes), (5, 45));
            for (at, value) in flips {
                if let Some(byte) = file.get_mut(at) {
                    *byte = value;
                }
            }
            file.truncate(cut);
            let mut all = Connections::default();
            let damage = capture::read(file.as_slice(), |p| all.take(p));
            prop_assert!(damage.is_none_or(|d| d.offset <= file.len()));
            all.json();
        }
    }

    #[test]
    fn ports_used_again_are_another_connection() {
        let syn = |seq: u32| Segment { syn: true, ack: None, ..segment(true, seq, 0, 0) };
        let all = play(&[(0, syn(5)), (1, syn(5)), (2, segment(true, 6, 10, 1)), (3, syn(900))]);
        assert_eq!(all.all.len(), 2);
        assert_eq!((all.all[0].sides[0].retransmits, all.all[0].sides[0].unique_bytes), (1, 10));
    }
}
