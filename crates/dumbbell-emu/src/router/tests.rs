//! Tests of the router with NICs in memory and networks that do one thing each.
use super::network::{Incoming, Outgoing};
use super::*;
use crate::host::nic::{Arrived, Losses};
use crate::log::Record;
use crate::packet::classify::Unmatched;
use crate::packet::defects::Defective;
use crate::router::codec::{PacketInfo, Rejected};
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::transport::segment::PacketTooBig;
use dumbbell_core::units::{Rate, Transmitter};
use dumbbell_net::Fragment;
use dumbbell_wire::verify::Wrong;
use dumbbell_wire::view::Malformed;
use std::collections::VecDeque;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::fd::BorrowedFd;
use std::sync::Mutex;

type Queue = Arc<Mutex<VecDeque<Vec<u8>>>>;

/// A NIC of queues in memory, with a pipe that has a byte for each packet that waits; it has room
/// for so many packets.
struct Memory {
    sent: Queue,
    waiting: PipeReader,
    written: Queue,
    room: usize,
}

impl Nic for Memory {
    fn fd(&self) -> BorrowedFd<'_> {
        self.waiting.as_fd()
    }
    fn read(&mut self, into: &mut [u8]) -> io::Result<Option<Arrived>> {
        let Some(packet) = self.sent.lock().unwrap().pop_front() else { return Ok(None) };
        self.waiting.read_exact(&mut [0])?;
        if packet[0] == 0xEE {
            return Err(Defective::unsummed(&packet).into());
        }
        let len = packet.len().min(into.len());
        into[..len].copy_from_slice(&packet[..len]);
        Ok(Some(Arrived { len, at: None }))
    }
    fn write(&mut self, packet: &[u8]) -> io::Result<bool> {
        if self.room == 0 {
            return Ok(false);
        }
        self.room -= 1;
        self.written.lock().unwrap().push_back(packet.to_vec());
        Ok(true)
    }
    fn losses(&self) -> io::Result<Losses> {
        Ok(Losses { sent: 1, written: 2 })
    }
}

/// The host's side of a NIC.
struct Host {
    sent: Queue,
    waiting: PipeWriter,
    received: Queue,
}

impl Host {
    fn send(&mut self, packet: &[u8]) {
        self.sent.lock().unwrap().push_back(packet.to_vec());
        self.waiting.write_all(&[1]).expect("a pipe has room for thousands");
    }
    fn received(&self) -> Vec<Vec<u8>> {
        self.received.lock().unwrap().drain(..).collect()
    }
}

/// A NIC and its host.
fn nic(room: usize) -> (Box<dyn Nic>, Host) {
    let (read, write) = io::pipe().expect("a pipe");
    let (sent, received) = (Queue::default(), Queue::default());
    let nic = Memory { sent: sent.clone(), waiting: read, written: received.clone(), room };
    (Box::new(nic), Host { sent, waiting: write, received })
}

/// Headers of two bytes: the socket, and the byte of type of service; then a byte of data.
struct Tiny;

impl PacketCodec for Tiny {
    fn parse(&mut self, nic: usize, packet: &[u8]) -> Result<PacketInfo, Rejected> {
        match packet {
            [0xFF, ..] => Err(Rejected::NoFlow(Unmatched::Destination)),
            [0xFE, ..] => Err(Rejected::BadChecksum(Wrong::Absent)),
            [socket, tos, data, ..] => {
                assert_eq!(
                    usize::from(*socket),
                    nic,
                    "in these tests a socket's number is its \
                    door's"
                );
                let ecn = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(tos & 3)];
                Ok(PacketInfo {
                    socket: (*socket).into(),
                    payload: 1,
                    ecn,
                    dscp: Dscp(tos >> 2),
                    seq: u32::from(*data),
                    flags: 0,
                })
            }
            _ => Err(Rejected::Malformed(Malformed::ShortHeader)),
        }
    }
    fn mark(&mut self, packet: &mut [u8], ecn: Ecn, dscp: Dscp) {
        packet[1] = dscp.0 << 2 | ecn as u8;
    }
    fn corrupt(&mut self, packet: &mut [u8]) -> bool {
        packet[2] ^= 0x80;
        packet[2] & 0x7F != 6
    }
    fn fragment(&mut self, packet: &[u8], piece: Fragment, into: &mut Vec<u8>) -> bool {
        into.extend_from_slice(&packet[..2]);
        into.extend_from_slice(&packet[2 + usize::from(piece.from)..2 + usize::from(piece.to)]);
        true
    }
    fn icmp_error(&mut self, packet: &[u8], notice: PacketTooBig, into: &mut Vec<u8>) -> bool {
        into.extend_from_slice(&[packet[0], 0xAA, notice.mtu as u8]);
        true
    }
}

/// A link of a fixed rate with a queue, from socket 0 to socket 1; what it decides at arrival, as
/// the simulator does.
struct Link {
    clock: Transmitter,
    limit: usize,
    delay: Span,
    free: Time,
    leaves: VecDeque<Time>,
    out: Vec<Outgoing>,
    gone: Vec<u64>,
}

impl Link {
    fn new(rate: Rate, limit: usize) -> Self {
        let (leaves, out, gone) = (VecDeque::new(), vec![], vec![]);
        Link {
            clock: Transmitter::new(rate),
            limit,
            delay: Span::from_ms(2),
            free: Time::ZERO,
            leaves,
            out,
            gone,
        }
    }
}

fn outgoing(at: Time, packet: &Incoming) -> Outgoing {
    let Incoming { number, ecn, dscp, .. } = *packet;
    Outgoing {
        at,
        socket: packet.socket ^ 1,
        number,
        ecn,
        dscp,
        fragment: None,
        damaged: false,
        icmp_error: None,
    }
}

impl Network for Link {
    fn send(&mut self, t: Time, packet: Incoming) {
        self.run_until(t);
        self.gone.push(packet.number);
        if self.leaves.len() >= self.limit {
            return;
        }
        self.free = self.free.max(t) + self.clock.span(packet.ip_len.into());
        self.leaves.push_back(self.free);
        self.out.push(outgoing(self.free + self.delay, &packet));
    }
    fn run_until(&mut self, t: Time) {
        while self.leaves.front().is_some_and(|leaves| *leaves <= t) {
            self.leaves.pop_front();
        }
    }
    fn next(&mut self) -> Option<Time> {
        None
    }
    fn outgoing(&mut self) -> impl Iterator<Item = Outgoing> {
        self.out.drain(..)
    }
    fn gone(&mut self) -> impl Iterator<Item = u64> {
        self.gone.drain(..)
    }
}

/// A network that puts out the given packets for packet 1, 2, ..., a millisecond after it came.
struct Tricks<F> {
    of: F,
    out: Vec<Outgoing>,
    gone: Vec<u64>,
}

impl<F: Fn(&Incoming, Outgoing) -> Vec<Outgoing>> Network for Tricks<F> {
    fn send(&mut self, t: Time, packet: Incoming) {
        self.out.extend((self.of)(&packet, outgoing(t + Span::from_ms(1), &packet)));
        self.gone.push(packet.number);
    }
    fn run_until(&mut self, _: Time) {}
    fn next(&mut self) -> Option<Time> {
        None
    }
    fn outgoing(&mut self) -> impl Iterator<Item = Outgoing> {
        self.out.drain(..)
    }
    fn gone(&mut self) -> impl Iterator<Item = u64> {
        self.gone.drain(..)
    }
}

fn setup(ms: u64) -> Setup {
    Setup {
        clock: Clock::start(),
        end: Time::ZERO + Span::from_ms(ms),
        wait_mode: WaitMode::Hybrid,
        real_time: false,
        core: None,
        nic_of: vec![0, 1],
        max_ip_len: 1500,
        memory: 4 << 20,
        bottleneck: None,
        unlogged: Arc::default(),
        capture: None,
    }
}

fn run<N: Network>(setup: Setup, nics: Vec<Box<dyn Nic>>, network: N) -> (Measured, Vec<Record>) {
    let (log, mut records) = rtrb::RingBuffer::new(4096);
    let router = Router::new(setup, nics, network, Tiny, Some(log)).expect("doors of memory");
    let measured = router.run(&AtomicBool::new(false)).expect("doors of memory").measured;
    let records = std::iter::from_fn(|| records.pop().ok()).map(|entry| {
        Record::decode(&entry).expect(
            "a \
        record",
        )
    });
    (measured, records.collect())
}

fn conserved(measured: &Measured) {
    let c = &measured.counts;
    assert_eq!(c.incoming, c.delivered + c.dropped + measured.inside, "{c:?}");
    assert_eq!(c.orphans, 0);
}

#[test]
fn a_burst_leaves_in_order_and_at_the_rate_and_what_has_no_room_is_dropped() {
    let (a, mut host_a) = nic(usize::MAX);
    let (b, host_b) = nic(usize::MAX);
    for i in 0..100u8 {
        let mut packet = vec![0u8, 2, i];
        packet.resize(1250, 0);
        host_a.send(&packet);
    }
    // 1250 bytes take 1 ms at 10 Mbps: 20 have room, what is read while they leave apart.
    let (measured, records) = run(setup(60), vec![a, b], Link::new(Rate::from_mbps(10), 20));
    conserved(&measured);
    let got = host_b.received();
    let came: Vec<u8> = got.iter().map(|packet| packet[2]).collect();
    assert!(
        came.len() >= 20 && came.is_sorted() && got.iter().all(|p| p.len() == 1250),
        "{came:?}"
    );
    assert_eq!(measured.counts.incoming, 100);
    assert_eq!(measured.counts.delivered as usize, came.len());
    assert_eq!(host_a.received().len(), 0);
    // The log has all of it; the very network comes to the same result from it.
    let mut again = Link::new(Rate::from_mbps(10), 20);
    let mut outs = vec![];
    for record in &records {
        match record {
            Record::In { t, packet } => again.send(*t, *packet),
            Record::Out { out, refused, .. } => {
                assert!(!refused);
                outs.push(*out);
            }
        }
    }
    assert_eq!(again.outgoing().collect::<Vec<_>>(), outs);
    let gaps = outs.windows(2).map(|pair| pair[1].at.since(pair[0].at));
    assert!(gaps.into_iter().all(|gap| gap == Span::from_ms(1)));
}

#[test]
fn what_the_network_says_of_a_packet_is_done_to_its_bytes() {
    let (a, mut host_a) = nic(usize::MAX);
    let (b, host_b) = nic(usize::MAX);
    for i in 1..=6u8 {
        host_a.send(&[0, 2, i, 10 + i]);
    }
    let tricks = |packet: &Incoming, out: Outgoing| match packet.number {
        1 => vec![Outgoing { ecn: Ecn::Ce, ..out }, Outgoing { dscp: Dscp(10), ..out }, out],
        2 => vec![Outgoing { damaged: true, ..out }, out],
        3 => {
            let piece = |from, to, last| Outgoing {
                fragment: Some(Fragment { datagram: 0, from, to, last }),
                ..out
            };
            vec![piece(1, 2, true), piece(0, 1, false)]
        }
        4 => {
            vec![Outgoing { socket: 0, icmp_error: Some(PacketTooBig { mtu: 99, seq: 4 }), ..out }]
        }
        6 => vec![Outgoing { damaged: true, ..out }],
        _ => vec![],
    };
    let network = Tricks { of: tricks, out: vec![], gone: vec![] };
    let (measured, records) = run(setup(20), vec![a, b], network);
    conserved(&measured);
    let expected: Vec<Vec<u8>> = vec![
        vec![0, 3, 1, 11],
        vec![0, 42, 1, 11],
        vec![0, 2, 1, 11],
        vec![0, 2, 2 | 0x80, 12],
        vec![0, 2, 2, 12],
        vec![0, 2, 13],
        vec![0, 2, 3],
    ];
    assert_eq!(host_b.received(), expected);
    assert_eq!(host_a.received(), [vec![0, 0xAA, 99]]);
    assert_eq!(
        (measured.counts.delivered, measured.counts.dropped, measured.counts.written),
        (5, 1, 8)
    );
    // No host would find that the last is damaged: it is not written.
    assert_eq!(measured.counts.unwritten, 1);
    // But it came out of the network: the log has it.
    assert_eq!(records.len(), 6 + 9);
    let not_taken =
        |r: &Record| matches!(r, Record::Out { out, refused: true, .. } if out.number == 6);
    assert_eq!(records.iter().filter(|r| not_taken(r)).count(), 1);
}

#[test]
fn a_full_nic_keeps_the_order_and_gives_up_at_last() {
    let (a, mut host_a) = nic(usize::MAX);
    let (b, host_b) = nic(3);
    for i in 0..10u8 {
        host_a.send(&[0, 0, i]);
    }
    let network = Tricks { of: |_: &Incoming, out| vec![out], out: vec![], gone: vec![] };
    let (measured, records) = run(setup(150), vec![a, b], network);
    conserved(&measured);
    assert_eq!(host_b.received(), [[0, 0, 0], [0, 0, 1], [0, 0, 2]]);
    assert_eq!(measured.losses[1], measures::NicLosses { sent: 0, written: 7 });
    assert_eq!(
        records.iter().filter(|r| matches!(r, Record::Out { refused: true, .. })).count(),
        7
    );
    // Packets that the NICs had lost before the run do not count.
    assert_eq!(measured.losses[0], measures::NicLosses::default());
}

#[test]
fn strangers_and_damaged_goods_do_not_come_in() {
    let (a, mut host_a) = nic(usize::MAX);
    let (b, host_b) = nic(usize::MAX);
    for packet in [&[0xFF, 0, 0][..], &[0xFE, 0, 0], &[0xEE, 1], &[9], &[0; 1501], &[0, 0, 7]] {
        host_a.send(packet);
    }
    let network = Tricks { of: |_: &Incoming, out| vec![out], out: vec![], gone: vec![] };
    let (measured, _) = run(setup(20), vec![a, b], network);
    conserved(&measured);
    let c = &measured.counts;
    assert_eq!(
        (c.strangers, c.bad_checksums, c.malformed, c.oversized, c.incoming),
        (1, 2, 1, 1, 1)
    );
    assert_eq!(host_b.received(), [[0, 0, 7]]);
    let first = c.first_complaint.as_deref().unwrap();
    assert!(
        first.starts_with("a packet of 3 bytes: it has no UDP checksum, which IPv6 demands"),
        "{first}"
    );
    let found: Vec<_> = c.findings.0.iter().map(|(name, f)| (name.as_str(), f.packets)).collect();
    let expected = [
        ("bad_tcp_checksum", 1),
        ("bad_udp_checksum", 1),
        ("oversized", 1),
        ("truncated", 1),
        ("unknown_destination", 1),
    ];
    assert_eq!(found, expected);
}

#[test]
fn packets_for_which_there_is_no_memory_are_counted_and_what_is_inside_too() {
    let (a, mut host_a) = nic(usize::MAX);
    let (b, host_b) = nic(usize::MAX);
    let mut small = setup(30);
    (small.max_ip_len, small.memory) = (65_000, 1);
    for i in 0..30u8 {
        host_a.send(&[0, 0, i]);
    }
    let late =
        |_: &Incoming, out: Outgoing| vec![Outgoing { at: out.at + Span::from_secs(1), ..out }];
    let (measured, _) = run(small, vec![a, b], Tricks { of: late, out: vec![], gone: vec![] });
    conserved(&measured);
    assert_eq!((measured.counts.incoming, measured.inside, measured.counts.no_room), (16, 16, 14));
    assert_eq!(host_b.received().len(), 0);
}

#[test]
fn a_full_log_and_what_nobody_sent_are_counted() {
    let (a, mut host_a) = nic(usize::MAX);
    let (b, _host_b) = nic(usize::MAX);
    host_a.send(&[0, 0, 1]);
    let network = Tricks {
        of: |_: &Incoming, out: Outgoing| {
            vec![out, Outgoing { number: 77, ..out }, Outgoing { socket: 9, ..out }]
        },
        out: vec![],
        gone: vec![],
    };
    let (log, _records) = rtrb::RingBuffer::new(1);
    let (setup, unlogged) = (setup(200), Arc::<AtomicU64>::default());
    let setup = Setup { unlogged: Arc::clone(&unlogged), ..setup };
    let router = Router::new(setup, vec![a, b], network, Tiny, Some(log)).unwrap();
    let measured = router.run(&AtomicBool::new(false)).unwrap().measured;
    assert_eq!((measured.counts.orphans, measured.counts.log_overflow), (2, 1));
    assert_eq!(unlogged.load(Ordering::Acquire), 1, "for the log's end");
}
