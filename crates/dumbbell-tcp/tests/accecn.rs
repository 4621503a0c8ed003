//! Accurate ECN (RFC 9768) between two ends: who agrees on what, and that no mark is lost or
//! counted twice.
use crate::harness::*;
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::rng::Stream;
use dumbbell_core::transport::segment::{Extra, Special, flag};
use dumbbell_core::transport::{Ack, Commands, Congestion, CongestionControl};
use dumbbell_core::units::Bytes;
use dumbbell_tcp::{DelayedAck, Ecn, Receiver, Sender, TcpConfig};

/// A fixed window that adds up what it hears of marks.
struct Sums {
    marked: u64,
    acked: u64,
    echoes: u64,
}
impl CongestionControl for Sums {
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        assert!(ack.marked <= ack.acked + ack.sacked && ack.ece == (ack.marked > 0));
        self.marked += ack.marked;
        self.acked += ack.acked;
        self.echoes += u64::from(ack.ece);
    }
    fn on_congestion(&mut self, _: &Congestion<'_>, _: &mut Commands) {}
    fn cwnd(&self) -> u64 {
        24 * MSS
    }
}

/// The number of byte counters in the AccECN option.
fn counters(extra: Extra) -> u8 {
    if let Special::EcnCounts { valid, .. } = extra.special { valid } else { 0 }
}

fn net(ours: &TcpConfig, theirs: &TcpConfig) -> Net<Sums> {
    let sender = Sender::new(ours, |_| Sums { marked: 0, acked: 0, echoes: 0 });
    Net::of(sender, Receiver::new(theirs))
}

/// The handshakes of RFC 9768 table 2, with a SYN that is not ECN-capable, and RFC 3168 for peers
/// that do not know it. Each row gives the codepoint of data, and whether acknowledgments count
/// from 5.
#[test]
fn the_handshake_agrees_on_what_both_can_do() {
    const ALL: u8 = flag::ACE;
    const CLASSIC: u8 = flag::ECE | flag::CWR;
    let table = [
        (Ecn::Accecn, Ecn::Accecn, ALL, flag::CWR, Codepoint::Ect0, true),
        (Ecn::L4s, Ecn::L4s, ALL, flag::CWR, Codepoint::Ect1, true),
        (Ecn::L4s, Ecn::Accecn, ALL, flag::CWR, Codepoint::Ect1, true),
        (Ecn::L4s, Ecn::Rfc3168, ALL, flag::ECE, Codepoint::Ect0, false),
        (Ecn::Accecn, Ecn::Dctcp, ALL, flag::ECE, Codepoint::Ect0, false),
        (Ecn::L4s, Ecn::Off, ALL, 0, Codepoint::NotEct, false),
        (Ecn::Rfc3168, Ecn::Accecn, CLASSIC, flag::ECE, Codepoint::Ect0, false),
        (Ecn::Off, Ecn::L4s, 0, 0, Codepoint::NotEct, false),
    ];
    for (ours, theirs, syn, answer, data, accurate) in table {
        let with = |ecn| TcpConfig { ecn, handshake: true, ..plain() };
        let mut net = net(&with(ours), &with(theirs)).start(60 * MSS);
        net.run(at_ms(5000));
        assert!(net.sender.finished(), "{ours:?} {theirs:?}");
        let find = |way, syn| {
            net.log.iter().find(|s| {
                s.way == way && (s.segment.flags & flag::SYN != 0) == syn && s.segment.ip_len >= 40
            })
        };
        assert_eq!(
            find(Way::Forward, true).unwrap().segment.flags & flag::ACE,
            syn,
            "{ours:?} \
            {theirs:?}"
        );
        assert_eq!(
            find(Way::Back, true).unwrap().segment.flags & flag::ACE,
            answer,
            "{ours:?} \
            {theirs:?}"
        );
        assert_eq!(find(Way::Forward, false).unwrap().segment.ecn, data, "{ours:?} {theirs:?}");
        let ace = find(Way::Back, false).unwrap();
        let expected = if accurate { (flag::AE | flag::ECE, 3) } else { (0, 0) };
        assert_eq!(
            (ace.segment.flags & flag::ACE, ace.extra.map_or(0, counters)),
            expected,
            "{ours:?} {theirs:?}"
        );
    }
}

/// A third of the data arrives marked, a third of the acknowledgments is lost, some data too: the
/// sender hears of every marked byte, once, whatever the options leave room for.
#[test]
fn no_mark_is_lost_or_counted_twice() {
    for (timestamps, delayed_ack, seed) in [
        (false, DelayedAck::Each, 1),
        (true, DelayedAck::Second, 2),
        (true, DelayedAck::Each, 3),
        (false, DelayedAck::Second, 4),
    ] {
        let mss = Some(Bytes(if timestamps { 1012 } else { 1000 }));
        let config = TcpConfig {
            ecn: Ecn::Accecn,
            handshake: true,
            timestamps,
            delayed_ack,
            mss,
            ..plain()
        };
        let mut chance = Stream::named(seed, "marks");
        let mut net = net(&config, &config).with_fate(move |way, _, s| {
            let u = chance.unit();
            if way == Way::Forward && s.ecn.capable() && u < 0.33 {
                s.ecn = Codepoint::Ce;
            }
            let lost = chance.unit() < if way == Way::Back { 0.33 } else { 0.01 };
            if lost && s.flags & flag::SYN == 0 { lose() } else { pass() }
        });
        net.sender.disable_fast_path();
        net = net.start(20_000 * MSS);
        net.run(at_ms(600_000));
        let sums = net.sender.cc();
        assert!(net.sender.finished(), "{:?}", net.sender.view());
        let marked = MSS * net.receiver.stats().ce_packets;
        // The last acknowledgments may be lost: what they would have told nobody needs.
        assert!(
            marked - sums.marked <= 24 * MSS && sums.marked <= marked,
            "{marked} {}",
            sums.marked
        );
        assert!(marked > 5000 * MSS && sums.echoes > 1000);
    }
}

/// The option takes twelve bytes of an acknowledgment, eight where SACK blocks leave no more, and
/// none beside three blocks and timestamps.
#[test]
fn the_option_counts_in_the_length() {
    let config =
        TcpConfig { ecn: Ecn::Accecn, timestamps: true, mss: Some(Bytes(1012)), ..plain() };
    let mut net = net(&config, &config).with_fate(|way, n, _| {
        if way == Way::Forward && [2, 4, 6, 8].contains(&n) { lose() } else { pass() }
    });
    net = net.start(10 * MSS);
    net.run(at_ms(60));
    let lengths: Vec<u16> =
        net.log.iter().filter(|s| s.way == Way::Back).map(|s| s.segment.ip_len).collect();
    // Blocks: none, one (12), two (20), three (28).
    assert_eq!(lengths, [52 + 12, 52 + 12 + 12, 52 + 20 + 8, 52 + 28, 52 + 28, 52 + 28]);
}

/// L4S sends everything with ECT(1), repetitions too; its marks do not wait for a CWR.
#[test]
fn all_of_an_l4s_flow_is_ect1() {
    let config = TcpConfig { ecn: Ecn::L4s, handshake: true, ..plain() };
    let mut net = Net::new("prague", &config).lose_first(&[30]).start(300 * MSS);
    net.run(at_ms(10_000));
    assert!(net.sender.finished() && net.sender.stats().retransmits > 0);
    let data = net.log.iter().filter(|s| s.way == Way::Forward && s.segment.ip_len > 60);
    assert!(
        data.clone().all(|s| s.segment.ecn == Codepoint::Ect1 && s.segment.flags & flag::CWR == 0)
    );
}
