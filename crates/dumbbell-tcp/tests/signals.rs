//! ECN, D-SACK, timestamps and the options that make segments longer.
use crate::harness::*;
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::transport::TcpOverrides;
use dumbbell_core::transport::segment::{Segment, TS_UNIT_SHIFT, flag};
use dumbbell_core::units::{Bytes, Limit, Packets, Span, Time};
use dumbbell_tcp::{Ecn, TcpConfig};

fn with_ecn() -> TcpConfig {
    TcpConfig { ecn: Ecn::Rfc3168, ..plain() }
}

/// Marks the data packets with these numbers on the wire.
fn marked(name: &str, config: &TcpConfig, marks: &'static [u64]) -> Net<dumbbell_algos::cc::AnyCc> {
    Net::new(name, config).with_fate(move |way, n, s| {
        if way == Way::Forward && marks.contains(&n) && s.ecn.capable() {
            s.ecn = Codepoint::Ce;
        }
        pass()
    })
}

/// RFC 3168 section 6.1: three marks in one window, one reduction; the receiver echoes until CWR
/// comes.
#[test]
fn one_reduction_per_window_and_an_echo_until_cwr() {
    let mut net = marked("newreno", &with_ecn(), &[2, 3, 5]).start(u64::MAX);
    net.run(at_ms(250));
    let stats = net.sender.stats();
    assert_eq!((stats.ecn_reductions, stats.retransmits), (1, 0));
    assert_eq!(net.receiver.stats().ce_packets, 3);
    // The ACK of 1 opens the window to 11, then the echo with that of 2 halves it, and opens
    // nothing.
    assert_eq!(net.sender.view().ssthresh, Some(5500));
    let cwr: Vec<u64> =
        net.log.iter().filter(|s| s.segment.flags & flag::CWR != 0).map(|s| s.number()).collect();
    assert_eq!(cwr.len(), 1);
    let echoes: Vec<u32> = net
        .log
        .iter()
        .filter(|s| s.way == Way::Back && s.segment.flags & flag::ECE != 0)
        .map(|s| (s.segment.seq - 1) / MSS as u32)
        .collect();
    assert_eq!(
        echoes,
        (2..cwr[0] as u32).collect::<Vec<_>>(),
        "from the first mark to the segment \
        before CWR"
    );
}

/// A mark at a window of 20 segments: until what was outstanding then is acknowledged the window
/// stays half of it, or grows from the next acknowledgment on.
#[test]
fn after_an_echo_the_window_may_stay_for_a_round_trip() {
    let windows = |ecn_holds_window| {
        let config = TcpConfig {
            ecn_holds_window,
            initial_window: Packets(20.0),
            initial_window_bytes: Limit::Unlimited,
            initial_ssthresh: Limit::Bytes(Bytes(2 * MSS)),
            ecn: Ecn::PerPacket,
            ..plain()
        };
        let mut net = marked("newreno", &config, &[1]).start(u64::MAX);
        [101, 250].map(|at| {
            net.run(at_ms(at));
            net.sender.cwnd()
        })
    };
    let (plain, held) = (windows(false), windows(true));
    assert_eq!(held[0], 10 * MSS);
    assert!(plain[0] > 11 * MSS, "{plain:?}");
    assert!(10 * MSS < held[1] && held[1] < plain[1], "it grows again: {plain:?} {held:?}");
}

#[test]
fn marks_in_two_windows_reduce_twice() {
    let mut net = marked("newreno", &with_ecn(), &[2, 30]).start(u64::MAX);
    net.run(at_ms(1000));
    assert_eq!(net.sender.stats().ecn_reductions, 2);
}

/// Data is ECT(0); acknowledgments and repetitions are not (RFC 3168 sections 6.1.4, 6.1.5).
#[test]
fn only_new_data_is_ecn_capable() {
    let mut net = Net::new("newreno", &with_ecn()).lose_first(&[3]).start(40 * MSS);
    net.run(at_ms(5000));
    for s in &net.log {
        let capable = s.way == Way::Forward && !s.again();
        assert_eq!(
            s.segment.ecn,
            if capable { Codepoint::Ect0 } else { Codepoint::NotEct },
            "{s:?}"
        );
    }
    assert!(net.log.iter().any(|s| s.again()));
}

/// The receiver's answers when data packets `marks` of `total` arrive marked, one each millisecond,
/// with delayed acknowledgments: (milliseconds of the answer, segments acknowledged, whether it
/// echoes).
fn answers(ecn: Ecn, marks: &[u64], total: u64) -> Vec<(u64, u64, bool)> {
    let config = TcpConfig { ecn, delayed_ack: dumbbell_tcp::DelayedAck::Second, ..plain() };
    let mut receiver = dumbbell_tcp::Receiver::new(&config);
    let mut log = Vec::new();
    let mut note = |now, out: Out| {
        log.extend(
            out.0
                .iter()
                .map(|(s, _)| (ms(now), u64::from(s.seq - 1) / MSS, s.flags & flag::ECE != 0)),
        );
    };
    for n in 1..=total {
        let mut out = Out::default();
        let ecn = if marks.contains(&n) { Codepoint::Ce } else { Codepoint::Ect0 };
        let segment =
            Segment { seq: (1 + (n - 1) * MSS) as u32, ip_len: 1040, ecn, ..Segment::default() };
        receiver.on_segment(at_ms(n), &segment, None, &mut out);
        note(at_ms(n), out);
    }
    let mut out = Out::default();
    let due = receiver.deadline();
    if due != Time::NEVER {
        receiver.on_deadline(due, &mut out);
        note(due, out);
    }
    log
}

/// RFC 8257 section 3.2: a change of the mark is told at once, and what came before it apart with
/// the old mark; without a change every second segment is acknowledged, with the mark of both. So
/// each byte is acknowledged with its own mark.
#[test]
fn marked_and_unmarked_data_are_acknowledged_apart() {
    let seen = answers(Ecn::Dctcp, &[4, 5, 6, 7, 8, 10], 12);
    // 1 and 2 together; 3 alone, because 4 is marked; 5 and 6, 7 and 8 together; 9 changes and has
    // nothing before it; so do 10 and 11; 12 waits for the timer.
    let expected = [
        (2, 2, false),
        (4, 3, false),
        (4, 4, true),
        (6, 6, true),
        (8, 8, true),
        (9, 9, false),
        (10, 10, true),
        (11, 11, false),
        (11 + 1 + 200, 12, false),
    ];
    assert_eq!(seen, expected);
    // Whatever the marks, the bytes that are acknowledged with an echo are those that came marked.
    for pattern in 0..1u64 << 10 {
        let marks: Vec<u64> = (1..=10).filter(|n| pattern >> (n - 1) & 1 == 1).collect();
        let seen = answers(Ecn::Dctcp, &marks, 10);
        let mut echoed = Vec::new();
        let mut before = 0;
        for (_, upto, echo) in seen {
            echoed.extend((before + 1..=upto).filter(|_| echo));
            before = upto;
        }
        assert_eq!((before, echoed), (10, marks));
    }
}

/// An echo per packet: the acknowledgment that answers a mark, which is told at once, and no
/// other.
#[test]
fn an_echo_per_packet_answers_what_it_acknowledges() {
    let seen = answers(Ecn::PerPacket, &[2, 5, 6, 9], 10);
    // 1 and 2; 3 and 4; 5 at once; 6 at once; 7 and 8; 9 at once; 10 by the timer.
    let expected = [
        (2, 2, true),
        (4, 4, false),
        (5, 5, true),
        (6, 6, true),
        (8, 8, false),
        (9, 9, true),
        (210, 10, false),
    ];
    assert_eq!(seen, expected);
}

/// Neither of them waits for a CWR, and no CWR is sent; RFC 3168's rule of one reduction per window
/// stays the sender's.
#[test]
fn modes_without_a_latch_send_no_cwr() {
    for (ecn, latched) in [(Ecn::Rfc3168, true), (Ecn::PerPacket, false), (Ecn::Dctcp, false)] {
        let mut net = marked("newreno", &TcpConfig { ecn, ..plain() }, &[2, 3, 5]).start(u64::MAX);
        net.run(at_ms(250));
        assert_eq!(net.log.iter().any(|s| s.segment.flags & flag::CWR != 0), latched, "{ecn:?}");
        assert_eq!(net.sender.stats().ecn_reductions, 1, "{ecn:?}");
        let echoes = net
            .log
            .iter()
            .filter(|s| s.way == Way::Back && s.segment.flags & flag::ECE != 0)
            .count();
        assert!(if latched { echoes > 3 } else { echoes == 3 }, "{ecn:?}: {echoes}");
    }
}

/// A peer that does not answer the ECN-setup SYN gets no ECT.
#[test]
fn ecn_is_negotiated() {
    for (peer, capable) in [(Ecn::Off, false), (Ecn::Rfc3168, true)] {
        let ours = TcpConfig { handshake: true, ..with_ecn() };
        let theirs = TcpConfig { handshake: true, ecn: peer, ..plain() };
        let sender = dumbbell_tcp::Sender::new(&ours, |path| cc("newreno", path));
        let mut net = Net::of(sender, dumbbell_tcp::Receiver::new(&theirs)).start(5 * MSS);
        net.run(at_ms(1000));
        assert!(net.sender.finished());
        assert_eq!(net.log.iter().any(|s| s.segment.ecn == Codepoint::Ect0), capable);
    }
}

/// A peer without SACK or timestamps, and with a smaller MSS: what both can do is used.
#[test]
fn options_are_negotiated() {
    let ours = TcpConfig { mss: Some(Bytes(1460)), ..TcpConfig::rfc() };
    let theirs = TcpConfig {
        mss: Some(Bytes(536)),
        sack: false,
        timestamps: false,
        ..TcpConfig::rfc().with_overrides(TcpOverrides::recovery("newreno"))
    };
    let sender = dumbbell_tcp::Sender::new(&ours, |path| cc("aimd", path));
    let mut net = Net::of(sender, dumbbell_tcp::Receiver::new(&theirs))
        .with_fate(|way, n, _| if way == Way::Forward && n == 4 { lose() } else { pass() });
    net = net.start(100_000);
    net.run(at_ms(60_000));
    assert!(net.sender.finished() && net.receiver.finished());
    let largest = net.log.iter().filter(|s| s.way == Way::Forward).map(|s| s.segment.ip_len).max();
    assert_eq!(largest, Some(576));
    assert_eq!(
        (net.sender.stats().recoveries, net.sender.stats().rtos),
        (1, 0),
        "NewReno repairs \
        without SACK"
    );
}

/// Lengths of acknowledgments: 40 and 12 of timestamps; 4 + 8n of SACK.
#[test]
fn options_count_in_the_length() {
    let config = TcpConfig { timestamps: true, mss: Some(Bytes(1012)), ..plain() };
    let mut net = Net::new("sack", &config).lose_first(&[2, 4, 6, 8]).start(10 * MSS);
    net.run(at_ms(60));
    let lengths: Vec<u16> =
        net.log.iter().filter(|s| s.way == Way::Back).map(|s| s.segment.ip_len).collect();
    // 1 arrives; then 3, 5, 7 open a block each; 9 a fourth, of which three fit beside timestamps;
    // 10 extends.
    assert_eq!(lengths, [52, 52 + 12, 52 + 20, 52 + 28, 52 + 28, 52 + 28]);
    assert!(
        net.log
            .iter()
            .filter(|s| s.way == Way::Forward)
            .all(|s| s.segment.ip_len == 1052 && s.extra.is_none())
    );
}

/// RFC 2883: a duplicate below the cumulative ACK is reported first; the sender counts it and does
/// nothing.
#[test]
fn a_spurious_repetition_is_reported() {
    let mut net = Net::new("sack", &plain()).with_fate(|way, n, _| match (way, n) {
        (Way::Forward, 3) => vec![Span::ZERO, Span::from_ms(5)],
        _ => pass(),
    });
    net = net.start(10 * MSS);
    net.run(at_ms(2000));
    let report = net
        .log
        .iter()
        .find_map(|s| s.extra.filter(|x| s.way == Way::Back && x.blocks > 0))
        .unwrap();
    assert_eq!((report.blocks, report.sack[0]), (1, (2001, 3001)));
    let stats = net.sender.stats();
    assert_eq!(
        (stats.spurious_retransmits, stats.retransmits, net.receiver.stats().duplicates),
        (1, 0, 1)
    );
}

/// With timestamps every ACK of new data is a sample, exact to a clock tick; without, one each
/// round trip.
#[test]
fn samples() {
    let exact = Span::from_ps(1 << TS_UNIT_SHIFT);
    for (timestamps, clock) in [
        (true, Span::ZERO),
        (true, Span::from_ms(1)),
        (false, Span::ZERO),
        (false, Span::from_ms(10)),
    ] {
        let config = TcpConfig {
            timestamps,
            clock,
            mss: Some(Bytes(if timestamps { 1012 } else { 1000 })),
            ..plain()
        };
        let mut net = Net::new("newreno", &config);
        net.delay = Span::from_us(50_300);
        net = net.start(70 * MSS);
        net.run(at_ms(2000));
        let s = net.sender.stats();
        assert_eq!(s.rtt_samples, if timestamps { 70 } else { 3 });
        let mean = s.rtt_sum.ps() / s.rtt_samples;
        let tolerance = if clock == Span::ZERO { exact } else { clock };
        assert!(
            mean.abs_diff(Span::from_us(100_600).ps()) <= tolerance.ps(),
            "{timestamps} \
            {clock}: {mean}"
        );
    }
}

/// Karn: a repetition without timestamps is not a sample, and the backoff stays until the next
/// valid one.
#[test]
fn karns_rule() {
    let mut net = Net::new("newreno", &plain()).lose_first(&[1]).start(MSS);
    net.run(at_ms(1500));
    assert_eq!((net.sender.stats().rtt_samples, net.sender.view().rto), (0, Span::from_secs(2)));
    net.act(|s, now, out| s.write(now, MSS, out));
    net.run(at_ms(1700));
    assert_eq!((net.sender.stats().rtt_samples, net.sender.view().rto), (1, Span::from_secs(1)));
}

/// The clock of timestamps wraps in 70 s: an idle time of more than half of that disturbs no
/// sample.
#[test]
fn a_long_idle_time_disturbs_no_sample() {
    let config = TcpConfig { timestamps: true, mss: Some(Bytes(1012)), ..plain() };
    let mut net = Net::new("newreno", &config);
    net.act(|s, now, out| s.open(now, out));
    for k in 0..5u64 {
        net.run(at_ms(41_000 * k));
        net.act(|s, now, out| s.write(now, 3 * MSS, out));
    }
    net.run(at_ms(300_000));
    let s = net.sender.stats();
    assert_eq!((s.rtt_samples, s.rtos), (15, 0));
    assert!((net.sender.view().srtt.unwrap().seconds() - 0.1).abs() < 1e-6);
}
