//! Whatever the network does, what was written arrives once and in order, and both ends finish.
use crate::harness::*;
use dumbbell_core::transport::segment::flag;
use dumbbell_core::units::{Bytes, Packets, Rate, Span, Time};
use dumbbell_tcp::{Detection, Recovery, Reduction, TcpConfig};
use proptest::prelude::*;

const CONTROLS: [&str; 6] = ["tahoe", "reno", "newreno", "sack", "aimd", "cubic"];

#[test]
fn a_clean_transfer_sends_everything_once() {
    for name in CONTROLS {
        let config = TcpConfig { mss: Some(Bytes(1460)), ..TcpConfig::rfc() };
        let mut net = Net::new(name, &config).start(1_000_000);
        net.run(at_ms(60_000));
        assert!(net.sender.finished() && net.receiver.finished(), "{name}");
        let (s, r) = (*net.sender.stats(), *net.receiver.stats());
        assert_eq!((s.retransmits, s.rtos, s.sent_bytes), (0, 0, 1_000_000), "{name}");
        assert_eq!(
            (r.delivered_bytes, r.received_bytes, r.duplicates),
            (1_000_000, 1_000_000, 0),
            "{name}"
        );
        assert_eq!(s.sent_packets, 1 + 1_000_000u64.div_ceil(1448), "SYN and data; {name}");
    }
}

/// Slow start from 10 segments with an ACK for each doubles the window every round trip.
#[test]
fn slow_start_doubles_each_round_trip() {
    let mut net = Net::new("newreno", &plain()).start(u64::MAX);
    net.run(at_ms(450));
    let in_round = |k: u64| net.data().iter().filter(|d| d.0 == 100 * k).count();
    assert_eq!([0, 1, 2, 3, 4].map(in_round), [10, 20, 40, 80, 160]);
}

/// Delayed ACKs and L = 1 (RFC 5681): growth by half; L = 2 (RFC 3465): doubling again.
#[test]
fn byte_counting_makes_up_for_delayed_acks() {
    // 15 segments make 7 ACKs of two, and one segment waits: 14 + 7 more go.
    for (growth_limit, rounds) in [(1, [10, 15, 14 + 7]), (2, [10, 20, 40])] {
        let delayed_ack = dumbbell_tcp::DelayedAck::Second;
        let config = TcpConfig { growth_limit, delayed_ack, ..plain() };
        let mut net = Net::new("newreno", &config).start(u64::MAX);
        net.run(at_ms(250));
        let in_round = |k: u64| net.data().iter().filter(|d| d.0 == 100 * k).count();
        assert_eq!([0, 1, 2].map(in_round), rounds, "L = {growth_limit}");
    }
}

#[derive(Clone, Debug)]
struct Weather {
    name: usize,
    config: TcpConfig,
    bytes: u64,
    seed: u64,
    loss: f64,
    duplication: f64,
    reordering: f64,
    rate: bool,
}

fn weather() -> impl Strategy<Value = Weather> {
    let flags =
        (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let modern = prop::collection::vec(any::<bool>(), 8);
    let odds = (0.0..0.3f64, 0.0..0.2f64, 0.0..0.3f64);
    let recovery = prop_oneof![
        Just(Recovery::Tahoe),
        Just(Recovery::Reno),
        Just(Recovery::Newreno),
        Just(Recovery::Sack)
    ];
    (0..CONTROLS.len(), recovery, flags, odds, 1u64..120_000, any::<u64>(), 1u32..5, modern)
        .prop_map(|(name, recovery, flags, odds, bytes, seed, dupack_threshold, modern)| {
            let (timestamps, handshake, small_window, ecn, each, rate) = flags;
            use dumbbell_tcp::{DelayedAck, Ecn};
            let config = TcpConfig {
                timestamps,
                handshake,
                recovery,
                sack: true,
                dupack_threshold,
                mss: Some(Bytes(1000)),
                window_scaling: !small_window,
                receive_window: if small_window { "7300 B" } else { "unlimited" }.parse().unwrap(),
                ecn: if ecn { Ecn::Rfc3168 } else { Ecn::Off },
                delayed_ack: if each { DelayedAck::Each } else { DelayedAck::Second },
                detection: if modern[0] { Detection::Rack } else { Detection::Dupack },
                tail_loss_probe: modern[1],
                reduction: if modern[2] { Reduction::Prr } else { Reduction::Rfc6675 },
                frto: modern[3],
                dsack_undo: modern[4],
                eifel: modern[5],
                pacing: modern[6],
                pacing_quantum: 1 + u32::from(modern[7]),
                clock: if modern[7] { Span::ZERO } else { Span::from_ms(1) },
                ..TcpConfig::rfc()
            };
            let (loss, duplication, reordering) = odds;
            Weather { name, config, bytes, seed, loss, duplication, reordering, rate }
        })
}

fn network(w: &Weather, config: &TcpConfig) -> Net<dumbbell_algos::cc::AnyCc> {
    let mut chance = dumbbell_core::rng::Stream::named(w.seed, "weather");
    let (loss, duplication, reordering) = (w.loss, w.duplication, w.reordering);
    let mut net = Net::new(CONTROLS[w.name], config).with_fate(move |_, _, _| {
        let mut copies = Vec::new();
        let times = if chance.coin(loss) {
            0
        } else if chance.coin(duplication) {
            2
        } else {
            1
        };
        for _ in 0..times {
            let late = if chance.coin(reordering) { chance.unit() * 0.08 } else { 0.0 };
            copies.push(Span::from_secs_f64(late));
        }
        copies
    });
    net.rate = w.rate.then(|| Rate::from_mbps(2));
    net
}

proptest! {
    #![proptest_config(
        ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() }
    )]
    #[test]
    fn everything_arrives_once_and_in_order(w in weather()) {
        let mut net = network(&w, &w.config);
        net = net.start(w.bytes);
        net.run(Time::ZERO + Span::from_secs(100_000));
        prop_assert!(net.sender.finished(), "{:?} at {:?}", net.sender.view(), net.now);
        prop_assert_eq!(net.receiver.stats().delivered_bytes, w.bytes);
        prop_assert!(net.receiver.finished() || !w.config.handshake);
        prop_assert_eq!(net.sender.deadline(), Time::NEVER);
        prop_assert_eq!(net.sender.view().in_flight, 0);
        let arrived = net.receiver.stats().received_bytes;
        prop_assert!(arrived >= w.bytes);
    }
}

/// Configurations whose ordinary acknowledgments take the short way, one after another.
fn short_ways(w: &Weather) -> Vec<TcpConfig> {
    let linux = TcpConfig { mss: w.config.mss, ..TcpConfig::linux() };
    let push = TcpConfig { push: true, ..w.config.clone() };
    let ns2 = TcpConfig { receive_window: "60 pkt".parse().unwrap(), ..TcpConfig::ns2() };
    vec![w.config.clone(), push, linux, ns2]
}

proptest! {
    #![proptest_config(
        ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() }
    )]
    /// The short ways of a sender and of a receiver do what the careful ones do, on a path that
    /// loses little or much: every segment is the same, at the same instant.
    #[test]
    fn the_short_way_is_the_careful_one(w in weather(), calm in 0.0..0.2f64, mbps in 1u64..90) {
        let (loss, reordering) = (w.loss * calm, w.reordering * calm);
        let w = Weather { loss, duplication: w.duplication * calm, reordering, ..w };
        for config in short_ways(&w) {
            let run = |careful: bool| {
                let mut net = network(&w, &config);
                net.rate = Some(Rate::from_mbps(mbps));
                if careful {
                    net.sender.disable_fast_path();
                    net.receiver.disable_fast_path();
                }
                net.act(|s, now, out| s.open(now, out));
                // All at once, and again after a pause: an application that is not always ahead.
                for part in [5, 2, 1] {
                    net.act(|s, now, out| s.write(now, part * w.bytes, out));
                    net.run(net.now + Span::from_ms(700));
                }
                net.act(|s, now, out| s.close(now, out));
                net.run(net.now + Span::from_secs(600));
                let log: Vec<_> = net.log.iter().map(|s| (s.at, s.way, s.segment)).collect();
                (log, *net.sender.stats(), net.sender.view())
            };
            let ((short, stats, view), careful) = (run(false), run(true));
            let differ = short.iter().zip(&careful.0).position(|(a, b)| a != b);
            prop_assert_eq!(differ, None, "{:?}", &config);
            prop_assert_eq!(short.len(), careful.0.len());
            let of_careful = format!("{:?} {:?}", careful.1, careful.2);
            prop_assert_eq!(format!("{stats:?} {view:?}"), of_careful);
        }
    }
}

#[test]
fn the_handshake_survives_losses() {
    // The SYN is lost twice (1 s, 3 s), then the SYN-ACK once (7 s): data at 7.1 + ...
    let config = TcpConfig { handshake: true, ..plain() };
    let mut net = Net::new("newreno", &config).with_fate(|way, n, _| match (way, n) {
        (Way::Forward, 1 | 2) | (Way::Back, 1) => lose(),
        _ => pass(),
    });
    net = net.start(20_000);
    net.run(at_ms(60_000));
    let syns: Vec<u64> = net
        .log
        .iter()
        .filter(|s| s.way == Way::Forward && s.segment.flags & flag::SYN != 0)
        .map(|s| ms(s.at))
        .collect();
    assert_eq!(syns, [0, 1000, 3000, 7000]);
    // RFC 5681 section 3.1: the window after a lost SYN is one segment; then slow start.
    assert_eq!(
        net.data().iter().map(|d| d.0).take(4).collect::<Vec<_>>(),
        [7100, 7200, 7200, 7300]
    );
    assert!(net.sender.finished() && net.receiver.finished());
}

#[test]
fn an_old_copy_of_the_syn_changes_nothing() {
    let config =
        TcpConfig { handshake: true, receive_window: "50 pkt".parse().unwrap(), ..plain() };
    let mut net = Net::new("newreno", &config).with_fate(|way, n, _| match (way, n) {
        (Way::Forward, 1) => vec![Span::ZERO, Span::from_ms(420)],
        _ => pass(),
    });
    net = net.start(1_000_000);
    net.run(at_ms(5_000));
    assert!(net.sender.finished());
    assert_eq!(net.sender.stats().retransmits, 0);
}

/// An application writes 42 segments, and 42 again a second later. A kernel's window is then 52 and
/// 84 segments: the first 42 left in three flights, of which the window limited the first two and
/// all that they let go, and of the second 42 twice the flight bounds it.
#[test]
fn a_window_that_limited_the_sender_may_grow_for_a_round_trip() {
    let windows = |limited_for_a_round| {
        let config = TcpConfig {
            limited_for_a_round,
            restart_after_idle: false,
            initial_window: Packets(10.0),
            ..modern()
        };
        let mut net = Net::new("newreno", &config);
        net.act(|s, now, out| s.open(now, out));
        [1000, 2000].map(|end| {
            net.act(|s, now, out| s.write(now, 42 * MSS, out));
            net.run(at_ms(end));
            net.sender.view().cwnd / MSS
        })
    };
    assert_eq!(windows(true), [52, 84]);
    let last = windows(false);
    assert!(last[0] < 40 && last[1] < 50, "{last:?}");
}

/// What a congestion control is told of its connection: sizes of segments and of their headers, and
/// windows in bytes.
#[test]
fn the_path_of_a_configuration() {
    let mss = Some(Bytes(1460));
    for (config, expected) in [
        (TcpConfig { mss, ..TcpConfig::rfc() }, (1448, 52, 14_480, u64::MAX, 1, false)),
        (
            TcpConfig { mss, timestamps: false, ..TcpConfig::rfc() },
            (1460, 40, 14_600, u64::MAX, 1, false),
        ),
        (TcpConfig { mss, ..TcpConfig::linux() }, (1448, 52, 14_480, u64::MAX, 100, true)),
        (
            TcpConfig { initial_ssthresh: "7 pkt".parse().unwrap(), growth_limit: 2, ..plain() },
            (1000, 40, 10_000, 7000, 2, false),
        ),
    ] {
        let path = dumbbell_tcp::Sender::<dumbbell_algos::cc::AnyCc>::path(&config);
        let found = (
            path.mss,
            path.header,
            path.initial_window,
            path.initial_ssthresh,
            path.growth_limit,
            path.whole_segments,
        );
        assert_eq!(found, expected, "{config:?}");
    }
}

/// RFC 6928 section 2: min(10 MSS, max(2 MSS, 14600)). Linux sends ten segments of any size.
#[test]
fn initial_windows_by_the_size_of_segments() {
    for (mss, rfc) in [(536, 5360), (1460, 14_600), (4000, 14_600), (8960, 17_920)] {
        assert_eq!(TcpConfig::rfc().initial_window_for(mss), rfc);
        assert_eq!(TcpConfig::linux().initial_window_for(mss), 10 * mss);
    }
}
