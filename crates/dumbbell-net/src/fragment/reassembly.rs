//! Reassembly in hosts: fragments are kept until their datagram is whole, within a time and a
//! memory.
//!
//! RFC 791 section 3.2 and RFC 815; the timer begins with the first fragment that comes (RFC 1122
//! section 3.3.2, RFC 8200 section 4.5). A datagram that is not whole by then is given up, and a
//! fragment for which there is no room is discarded.
use crate::engine::entry::{NO_SIDECAR, Pkt};
use crate::engine::sidecar::Fragment;
use crate::engine::sidecar::Sidecars;
use dumbbell_core::units::Time;
use dumbbell_plan::{Plan, Reassembly};
use std::collections::{BTreeMap, VecDeque};

/// Counts of reassembly in all hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReassemblyCounts {
    /// Fragments that came.
    pub fragments: u64,
    /// Datagrams that were put together.
    pub whole: u64,
    /// Datagrams that were given up because fragments did not come in time.
    pub expired: u64,
    /// Fragments that brought nothing new.
    pub duplicates: u64,
    /// Fragments for which there was no room.
    pub full: u64,
    /// The most payload that one host kept, bytes.
    pub most_bytes: u64,
}

/// A datagram of which fragments are missing.
struct Partial {
    /// Byte ranges that have come, in order, disjoint and not adjacent.
    have: Vec<(u16, u16)>,
    /// The end of the datagram, once its last fragment was seen.
    end: Option<u16>,
    /// The first fragment, which carries what the whole does.
    head: Option<Pkt>,
    /// True if a fragment came with Congestion Experienced (RFC 3168 section 5.3).
    ce: bool,
}

impl Partial {
    fn new() -> Self {
        Partial { have: Vec::new(), end: None, head: None, ce: false }
    }
    /// Takes `[from, to)` in; how many bytes are new.
    fn add(&mut self, from: u16, to: u16) -> u64 {
        let before = self.bytes();
        let (mut from, mut to) = (from, to);
        self.have.retain(|(a, b)| {
            let apart = *b < from || *a > to;
            if !apart {
                (from, to) = (from.min(*a), to.max(*b));
            }
            apart
        });
        let place = self.have.partition_point(|(a, _)| *a < from);
        self.have.insert(place, (from, to));
        self.bytes() - before
    }
    fn bytes(&self) -> u64 {
        self.have.iter().map(|(a, b)| u64::from(b - a)).sum()
    }
    fn whole(&self) -> bool {
        self.end.is_some_and(|end| self.have == [(0, end)])
    }
}

/// The buffer of one host.
#[derive(Default)]
struct Buffer {
    bytes: u64,
    datagrams: BTreeMap<u32, Partial>,
    /// Their deadlines: all wait equally long, so these are in order. Of datagrams that are whole
    /// by now, too.
    deadlines: VecDeque<(Time, u32)>,
}

impl Buffer {
    /// Forgets deadlines of datagrams that are whole by now, if they are most of the list.
    fn tidy(&mut self) {
        if self.deadlines.len() > 2 * self.datagrams.len() + 64 {
            self.deadlines.retain(|(_, number)| self.datagrams.contains_key(number));
        }
    }
}

/// The buffers of all hosts.
pub struct Reassembler {
    rules: Reassembly,
    /// The start of the window in which losses count.
    warm: Time,
    /// By the number of the host.
    hosts: BTreeMap<usize, Buffer>,
    /// The host that packets of a socket (2 x flow + end) go to, and the bytes of their IP header.
    homes: BTreeMap<u32, (usize, u32)>,
    /// The sockets that sent what was given up since somebody asked.
    pub lost: Vec<u32>,
    /// Counts of all hosts.
    pub counts: ReassemblyCounts,
}

impl Reassembler {
    /// Empty buffers of the hosts of `plan`; `from`: the sockets of which fragments may come.
    pub fn new(plan: &Plan, from: impl Iterator<Item = u32>) -> Self {
        let home = |socket: u32| {
            let flow = &plan.flows[socket as usize / 2];
            let host = if socket.is_multiple_of(2) { flow.to } else { flow.from };
            (socket, (host, flow.ip.header()))
        };
        Reassembler {
            homes: from.map(home).collect(),
            warm: Time::ZERO + plan.warmup,
            ..Reassembler::with(plan.reassembly)
        }
    }

    fn with(rules: Reassembly) -> Self {
        Reassembler {
            rules,
            warm: Time::ZERO,
            hosts: BTreeMap::new(),
            homes: BTreeMap::new(),
            lost: Vec::new(),
            counts: ReassemblyCounts::default(),
        }
    }

    /// A fragment of what `from` sent comes to its host at `now`: the whole packet, if it was the
    /// last that was missing. The handles of fragments that are not kept go back to `sidecars`.
    pub fn takes(
        &mut self,
        now: Time,
        from: u32,
        packet: Pkt,
        piece: Fragment,
        sidecars: &mut Sidecars,
    ) -> Option<Pkt> {
        self.counts.fragments += 1;
        let (host, header) = self.homes.get(&from).copied().unwrap_or((0, 20));
        let buffer = self.hosts.entry(host).or_default();
        expire(buffer, now, self.warm, &mut self.lost, &mut self.counts, sidecars);
        let size = u64::from(piece.to - piece.from);
        if buffer.bytes + size > self.rules.memory.0 {
            self.counts.full += 1;
            self.lost.extend(sidecars.gives_up(piece.datagram, now >= self.warm));
            sidecars.take(packet.sidecar());
            return None;
        }
        let deadline = now + self.rules.timeout;
        let partial = buffer.datagrams.entry(piece.datagram).or_insert_with(|| {
            buffer.deadlines.push_back((deadline, piece.datagram));
            Partial::new()
        });
        let new = partial.add(piece.from, piece.to);
        buffer.bytes += new;
        self.counts.most_bytes = self.counts.most_bytes.max(buffer.bytes);
        self.counts.duplicates += u64::from(new == 0);
        partial.ce |= packet.ecn() == dumbbell_core::packet::Ecn::Ce;
        if piece.last {
            partial.end = Some(piece.to);
        }
        if piece.from == 0 && partial.head.is_none() {
            partial.head = Some(packet);
        } else {
            sidecars.take(packet.sidecar());
        }
        if !partial.whole() {
            return None;
        }
        let partial = buffer.datagrams.remove(&piece.datagram)?;
        buffer.bytes -= partial.bytes();
        buffer.tidy();
        self.counts.whole += 1;
        let mut head = partial.head?.with_len((u32::from(partial.end?) + header) as u16);
        sidecars.reassembled(head.sidecar());
        if partial.ce {
            head.set_ce();
        }
        Some(head)
    }

    /// The run is over at `end`: what has waited too long by then is given up, and what is still
    /// kept gives its handles back.
    pub fn close(&mut self, end: Time, sidecars: &mut Sidecars) {
        for buffer in self.hosts.values_mut() {
            expire(buffer, end, self.warm, &mut self.lost, &mut self.counts, sidecars);
        }
        let kept = self
            .hosts
            .values_mut()
            .flat_map(|buffer| std::mem::take(&mut buffer.datagrams).into_values());
        for head in kept.filter_map(|partial| partial.head) {
            sidecars.take(head.sidecar());
        }
    }
}

/// Gives up what has waited too long by `now`.
fn expire(
    buffer: &mut Buffer,
    now: Time,
    warm: Time,
    lost: &mut Vec<u32>,
    counts: &mut ReassemblyCounts,
    sidecars: &mut Sidecars,
) {
    while let Some((_, number)) = buffer.deadlines.front().copied().filter(|(at, _)| *at <= now) {
        buffer.deadlines.pop_front();
        let Some(partial) = buffer.datagrams.remove(&number) else { continue };
        buffer.bytes -= partial.bytes();
        counts.expired += 1;
        lost.extend(sidecars.gives_up(number, now >= warm));
        sidecars.take(partial.head.map_or(NO_SIDECAR, |head| head.sidecar()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::transport::segment::Segment;
    use dumbbell_core::units::{Bytes, Span};

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// A bench: one host, and fragments by hand.
    struct Bench {
        reassembler: Reassembler,
        sidecars: Sidecars,
    }

    impl Bench {
        fn new(timeout: Span, memory: u64) -> Self {
            let rules = Reassembly { timeout, memory: Bytes(memory) };
            Bench { reassembler: Reassembler::with(rules), sidecars: Sidecars::default() }
        }
        /// The fragment `[from, to)` of `datagram` comes at `at`; the length of the whole.
        fn comes(
            &mut self,
            at: Time,
            datagram: u32,
            (from, to): (u16, u16),
            last: bool,
        ) -> Option<u16> {
            let piece = Fragment { datagram, from, to, last };
            let handle = self.sidecars.cut(NO_SIDECAR, piece);
            let packet = Pkt::new(Segment { ip_len: to - from + 20, ..Segment::default() }, handle);
            let whole = self.reassembler.takes(at, 0, packet, piece, &mut self.sidecars);
            whole.map(|w| {
                self.sidecars.take(w.sidecar());
                w.ip_len()
            })
        }
    }

    #[test]
    fn pieces_in_any_order_make_the_whole() {
        let parts = [(0u16, 1480u16), (1480, 2960), (2960, 2980)];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut bench = Bench::new(Span::from_secs(30), 1 << 20);
            let number = bench.sidecars.datagram(0);
            let got: Vec<_> =
                order.iter().map(|i| bench.comes(ms(1), number, parts[*i], *i == 2)).collect();
            assert_eq!(got, [None, None, Some(3000)], "{order:?}");
            assert_eq!(bench.sidecars.in_use(), 0);
            assert_eq!(bench.reassembler.hosts[&0].bytes, 0);
        }
    }

    /// The deadline counts from the first fragment; what comes at it is too late.
    #[test]
    fn a_datagram_is_given_up_when_its_time_is_over() {
        for (late, whole) in [(29_999, Some(3000)), (30_000, None)] {
            let mut bench = Bench::new(Span::from_secs(30), 1 << 20);
            let number = bench.sidecars.datagram(0);
            bench.comes(Time::ZERO, number, (0, 1480), false);
            assert_eq!(bench.comes(ms(late), number, (1480, 2980), true), whole);
            assert_eq!(bench.reassembler.counts.expired, u64::from(whole.is_none()));
        }
    }

    #[test]
    fn memory_is_bounded_and_a_duplicate_takes_none() {
        let mut bench = Bench::new(Span::from_secs(30), 4000);
        for k in 0..100 {
            let number = bench.sidecars.datagram(0);
            bench.comes(ms(k), number, (0, 1480), false);
            bench.comes(ms(k), number, (0, 1480), false);
        }
        let counts = bench.reassembler.counts;
        assert!(
            bench.reassembler.hosts[&0].bytes <= 4000 && counts.most_bytes == 2960,
            "{counts:?}"
        );
        // Two datagrams are kept; the copy of the second finds no room any more.
        assert_eq!((counts.duplicates, counts.full), (1, 197));
    }
}
