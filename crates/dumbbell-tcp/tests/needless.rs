//! Reductions that were not due, and how they are undone: F-RTO (RFC 5682), Eifel (RFC 3522),
//! D-SACK (RFC 3708).
use crate::harness::*;
use dumbbell_core::transport::Phase;
use dumbbell_core::units::{Bytes, Limit, Packets, Rate, Span};
use dumbbell_tcp::{Detection, TcpConfig};

/// A timer of 300 ms at a round trip of 100 ms, twenty segments a window, and no growth beyond it.
fn config(frto: bool) -> TcpConfig {
    TcpConfig {
        min_rto: Span::from_ms(200),
        initial_window: Packets(20.0),
        initial_window_bytes: Limit::Unlimited,
        receive_window: Limit::Packets(Packets(20.0)),
        frto,
        dsack_undo: false,
        tail_loss_probe: false,
        ..modern()
    }
}

/// From segment 61 on the way is 600 ms longer; nothing is lost.
fn longer_way(name: &str, config: &TcpConfig) -> Net<dumbbell_algos::cc::AnyCc> {
    Net::new(name, config).with_fate(|way, n, _| match way {
        Way::Forward if n > 60 => vec![Span::from_ms(600)],
        _ => pass(),
    })
}

/// The timer expires; the first segment goes again; the first ACK of the originals lets two new
/// ones go, if the window has room; the second ACK is for data that was not sent again: needless.
/// One repetition instead of a window.
#[test]
fn frto_undoes_a_needless_timeout() {
    for (name, detection) in
        [("sack", Detection::Rack), ("sack", Detection::Dupack), ("newreno", Detection::Dupack)]
    {
        let run = |frto| {
            let config = TcpConfig { detection, ..config(frto) };
            // The application is held by cwnd, not by the receiver: two new segments can go.
            let config = TcpConfig {
                receive_window: Limit::Packets(Packets(60.0)),
                initial_ssthresh: Limit::Packets(Packets(20.0)),
                ..config
            };
            let mut net = longer_way(name, &config).start(u64::MAX);
            net.run(at_ms(450));
            let before = net.sender.view();
            net.run(at_ms(1300));
            (before, net)
        };
        let (before, net) = run(true);
        let (view, stats) = (net.sender.view(), net.sender.stats());
        assert_eq!(
            (stats.rtos, stats.spurious_timeouts, stats.retransmits),
            (1, 1, 1),
            "{name} \
            {detection:?}"
        );
        assert_eq!(
            (view.phase, view.ssthresh),
            (Phase::Open, before.ssthresh),
            "{name} \
            {detection:?}"
        );
        assert!(view.cwnd + 2 * MSS >= before.cwnd, "{name} {detection:?}: {before:?} {view:?}");
        let (_, net) = run(false);
        let stats = net.sender.stats();
        assert!(
            stats.spurious_timeouts == 0 && stats.retransmits > 10,
            "{name} {detection:?}: \
            {stats:?}"
        );
        assert!(net.sender.view().ssthresh.unwrap() <= before.cwnd / 2 + MSS);
    }
}

/// A timeout that was due: everything of a window is lost, or all but its end; F-RTO changes
/// nothing.
#[test]
fn frto_leaves_a_due_timeout_alone() {
    for name in ["sack", "newreno"] {
        for kept in [0, 1, 2] {
            let lost: Vec<u64> = (21..=40 - kept).collect();
            let mut net = Net::new(name, &config(true)).lose_first(&lost).start(200 * MSS);
            net.run(at_ms(30_000));
            let stats = *net.sender.stats();
            assert!(net.sender.finished() && (stats.rtos >= 1 || kept > 0), "{name} {kept}");
            assert_eq!(
                (stats.spurious_timeouts, stats.spurious_recoveries),
                (0, 0),
                "{name} \
                {kept}: {stats:?}"
            );
            assert!(net.sender.view().ssthresh.is_some_and(|s| s <= 10 * MSS), "{name} {kept}");
        }
    }
}

/// Segment 3 of ten is 30 ms late: three duplicates start a recovery at 100 ms, ssthresh is 6.
fn late(config: &TcpConfig) -> Net<dumbbell_algos::cc::AnyCc> {
    let mut net = Net::new("sack", config).with_fate(|way, n, _| match (way, n) {
        (Way::Forward, 3) => vec![Span::from_ms(30)],
        _ => pass(),
    });
    net = net.start(u64::MAX);
    net.run(at_ms(110));
    let view = net.sender.view();
    assert_eq!((view.phase, view.ssthresh), (Phase::Recovery, Some(6 * MSS)));
    net
}

/// The repetition arrives at 150 ms, its D-SACK at 200 ms: window and threshold are as before the
/// recovery (12 segments, none), and the ACKs of the same instant open the window further.
#[test]
fn a_dsack_restores_window_and_threshold() {
    for detection in [Detection::Rack, Detection::Dupack] {
        let mut net = late(&TcpConfig { detection, ..modern() });
        net.run(at_ms(199));
        assert_eq!(net.sender.stats().spurious_recoveries, 0);
        net.run(at_ms(201));
        let (view, stats) = (net.sender.view(), net.sender.stats());
        assert_eq!(
            (stats.spurious_recoveries, stats.spurious_retransmits),
            (1, 1),
            "{detection:?}"
        );
        assert_eq!((view.phase, view.ssthresh), (Phase::Open, None), "{detection:?}");
        assert!(view.cwnd >= 12 * MSS, "{detection:?} {view:?}");
        let mut net = late(&TcpConfig { detection, dsack_undo: false, ..modern() });
        net.run(at_ms(201));
        assert_eq!(
            (net.sender.stats().spurious_recoveries, net.sender.view().ssthresh),
            (0, Some(6 * MSS))
        );
    }
}

/// With timestamps the original's ACK at 130 ms says it: half a round trip earlier (Eifel).
#[test]
fn eifel_sees_it_at_the_originals_acknowledgement() {
    for detection in [Detection::Rack, Detection::Dupack] {
        let with = |timestamps, eifel| TcpConfig {
            detection,
            timestamps,
            eifel,
            mss: Some(Bytes(if timestamps { MSS + 12 } else { MSS })),
            dsack_undo: false,
            ..modern()
        };
        let mut net = late(&with(true, true));
        net.run(at_ms(129));
        assert_eq!(net.sender.stats().spurious_recoveries, 0);
        net.run(at_ms(131));
        let view = net.sender.view();
        assert_eq!(
            (net.sender.stats().spurious_recoveries, view.phase),
            (1, Phase::Open),
            "{detection:?}"
        );
        assert_eq!((view.ssthresh, view.cwnd >= 12 * MSS), (None, true), "{detection:?}");
        let mut net = late(&with(false, true));
        net.run(at_ms(300));
        assert_eq!(net.sender.stats().spurious_recoveries, 0, "no timestamps, no Eifel");
    }
}

/// A loss that was real is never undone: its repetition is not a duplicate, and its echo is the
/// repetition's.
#[test]
fn a_due_recovery_stands() {
    for timestamps in [false, true] {
        let mss = Some(Bytes(if timestamps { MSS + 12 } else { MSS }));
        let config = TcpConfig { timestamps, mss, eifel: true, ..modern() };
        let mut net = Net::new("sack", &config).lose_first(&[3, 6, 17]);
        net.rate = Some(Rate::from_mbps(8));
        net = net.start(100 * MSS);
        net.run(at_ms(10_000));
        let stats = net.sender.stats();
        assert!(net.sender.finished());
        assert_eq!(
            (stats.retransmits, stats.spurious_recoveries, stats.spurious_timeouts),
            (3, 0, 0)
        );
    }
}

/// A segment that the network doubles is reported as well, and no repetition of ours: it proves
/// nothing (RFC 3708 section 3.3).
#[test]
fn the_networks_own_duplicates_prove_nothing() {
    let mut net = Net::new("sack", &modern()).with_fate(|way, n, _| match (way, n) {
        (Way::Forward, 3) => lose(),
        (Way::Forward, 8) => vec![Span::ZERO, Span::from_ms(60)],
        _ => pass(),
    });
    net.rate = Some(Rate::from_mbps(8));
    net = net.start(100 * MSS);
    net.run(at_ms(10_000));
    let stats = net.sender.stats();
    assert_eq!(
        (stats.spurious_retransmits, stats.spurious_recoveries, stats.recoveries),
        (1, 0, 1)
    );
}
