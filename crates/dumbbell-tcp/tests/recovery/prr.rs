//! Proportional rate reduction in a connection (RFC 9937), and pacing.
use crate::harness::*;
use dumbbell_core::transport::Phase;
use dumbbell_core::units::{Limit, Packets, Rate, Span};
use dumbbell_tcp::{Detection, Reduction, TcpConfig};

fn config(reduction: Reduction) -> TcpConfig {
    TcpConfig {
        reduction,
        initial_window: Packets(20.0),
        initial_window_bytes: Limit::Unlimited,
        receive_window: Limit::Packets(Packets(22.0)),
        ..plain()
    }
}

/// Twenty segments at once, the first is lost; 19 duplicates come 1.04 ms apart. Two release 21 and
/// 22 (RFC 3042), the third begins the recovery: RecoverFS = 20, ssthresh = 10. PRR then sends one
/// segment for two that arrive; RFC 6675 is silent for ten duplicates and sends one for one
/// afterward. Both have ten in the network at the end, PRR already at 119 ms, so that its last one
/// waits for another arrival.
#[test]
fn one_for_two_in_place_of_silence() {
    let sends = |reduction| {
        let config = TcpConfig { receive_window: Limit::Unlimited, ..config(reduction) };
        let mut net = Net::new("sack", &config).lose_first(&[1]);
        net.rate = Some(Rate::from_bps(8 * 1040 * 1000));
        net = net.start(u64::MAX);
        net.run(at_ms(125));
        assert_eq!(net.sender.view().phase, Phase::Recovery);
        net.data().into_iter().filter(|d| d.0 > 50).map(|d| (d.0, d.1)).collect::<Vec<_>>()
    };
    // A segment takes 1 ms; that of number n arrives at 50 + n ms, its duplicate at 100 + n ms.
    let prr = sends(Reduction::Prr);
    let start = [(102, 21), (103, 22), (104, 1)];
    assert_eq!(prr[..3], start);
    assert_eq!(
        prr[3..],
        [(107, 23), (109, 24), (111, 25), (113, 26), (115, 27), (117, 28), (120, 29)]
    );
    let rfc6675 = sends(Reduction::Rfc6675);
    assert_eq!(rfc6675[..3], start);
    assert_eq!(
        rfc6675[3..],
        [(114, 23), (115, 24), (116, 25), (117, 26), (118, 27), (119, 28), (120, 29)]
    );
}

/// With heavy losses the flight falls below ssthresh: RFC 6675 sends what is missing in one burst,
/// PRR never more than two segments for one that arrives (section 6: SafeACK adds one).
#[test]
fn heavy_losses_make_no_burst() {
    let largest = |reduction| {
        let config = TcpConfig { receive_window: Limit::Unlimited, ..config(reduction) };
        let lost: Vec<u64> = (2..=15).collect();
        let mut net = Net::new("sack", &config).lose_first(&lost);
        net.rate = Some(Rate::from_bps(8 * 1040 * 1000));
        net = net.start(200 * MSS);
        net.run(at_ms(20_000));
        assert!(net.sender.finished() && net.sender.stats().rtos == 0);
        let data = net.data();
        (101..1000).map(|t| data.iter().filter(|d| d.0 == t).count()).max().unwrap()
    };
    assert!(largest(Reduction::Rfc6675) >= 4);
    assert!(largest(Reduction::Prr) <= 2);
}

/// At the end of a recovery no more is in the network than ssthresh and the segments of one
/// SafeACK; what is in flight is never more than what is outstanding.
#[test]
fn recoveries_end_near_ssthresh() {
    let mut ends = 0;
    for seed in 0..120u64 {
        let detection = if seed % 2 == 0 { Detection::Rack } else { Detection::Dupack };
        let config = TcpConfig { detection, reduction: Reduction::Prr, ..plain() };
        let mut chance = dumbbell_core::rng::Stream::named(seed, "loss");
        let (p, mbps) = (0.001 + chance.unit() * 0.03, 2 + seed % 29);
        let mut net = Net::new("sack", &config).with_fate(move |way, _, _| {
            if way == Way::Forward && chance.coin(p) { lose() } else { pass() }
        });
        (net.rate, net.record) = (Some(Rate::from_mbps(mbps)), false);
        net = net.start(1000 * MSS);
        let mut before = net.sender.view();
        while !net.sender.finished() && net.now < at_ms(60_000) {
            let rtos = net.sender.stats().rtos;
            net.run(net.now + Span::from_us(200));
            let view = net.sender.view();
            assert!(view.in_flight <= view.nxt - view.una);
            if before.phase == Phase::Recovery
                && view.phase == Phase::Open
                && net.sender.stats().rtos == rtos
            {
                ends += 1;
                let bound = before.ssthresh.unwrap() + 3 * MSS;
                assert!(view.in_flight <= bound, "seed {seed}: {before:?} {view:?}");
            }
            before = view;
        }
    }
    assert!(ends > 500, "{ends}");
}

/// The profile's pacing: 120 % of a window per round trip, in pairs. A window of 20 at 100 ms: 24
/// segments in each 100 ms, a pair every 8.33 ms, until the window is used up.
#[test]
fn the_profile_paces_by_its_window() {
    for quantum in [1, 2] {
        let config = TcpConfig {
            pacing: true,
            pacing_quantum: quantum,
            handshake: true,
            initial_ssthresh: Limit::Packets(Packets(20.0)),
            ..config(Reduction::Prr)
        };
        let mut net = Net::new("sack", &config).start(u64::MAX);
        net.run(at_ms(195));
        let times: Vec<_> = net
            .log
            .iter()
            .filter(|s| s.way == Way::Forward && s.segment.ip_len > 60)
            .map(|s| s.at)
            .collect();
        assert_eq!(times.len(), 20);
        let gap = Span::from_ps(1_000_000_000_000 / 240 * 1040 / 1000) * u64::from(quantum);
        for pair in times.chunks(quantum as usize).collect::<Vec<_>>().windows(2) {
            assert!(pair[0].iter().all(|t| *t == pair[0][0]));
            let spacing = pair[1][0].since(pair[0][0]).seconds();
            assert!((spacing - gap.seconds()).abs() < 1e-6, "{spacing} {gap}");
        }
    }
}
