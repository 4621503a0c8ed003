//! TCP-DCR in closed loop: patience with reordering, and one answer to a loss, delayed by tau.
use crate::harness::*;
use dumbbell_core::transport::TcpOverrides;
use dumbbell_core::units::{Limit, Packets, Span};
use dumbbell_tcp::TcpConfig;

/// Congestion avoidance from a window of 10 on, with this recovery.
fn avoiding(recovery: &'static str) -> TcpConfig {
    let config = TcpConfig { initial_ssthresh: Limit::Packets(Packets(10.0)), ..plain() };
    config.with_overrides(TcpOverrides::recovery(recovery))
}

/// Every seventh packet takes a detour of up to 95 of the 100 ms of a round trip.
fn detours(cc: &str, config: &TcpConfig) -> Net<dumbbell_algos::cc::AnyCc> {
    let mut net = Net::new(cc, config).with_fate(|way, n, _| match (way, n % 7) {
        (Way::Forward, 3) => vec![Span::from_ms(n * 37 % 95 + 1)],
        _ => pass(),
    });
    net = net.start(2000 * MSS);
    net.run(at_ms(60_000));
    net
}

/// The card's check: reordering by less than a round trip costs no reduction and no repetition;
/// without the delay it costs many.
#[test]
fn reordering_below_a_round_trip_costs_nothing() {
    for recovery in ["newreno", "sack"] {
        let config = avoiding(recovery);
        let dcr = detours("dcr", &config);
        let s = dcr.sender.stats();
        assert_eq!(
            (s.recoveries, s.rtos, s.retransmits, s.ecn_reductions),
            (0, 0, 0, 0),
            "{recovery}"
        );
        assert!(dcr.sender.finished());
        let impatient = detours("aimd", &config);
        assert!(
            impatient.sender.stats().recoveries > 5,
            "{recovery}: {:?}",
            impatient.sender.stats()
        );
        let end = |net: &Net<_>| net.log.last().map(|s| s.at);
        assert!(end(&dcr) < end(&impatient), "{recovery}: what was not reduced is faster");
    }
}

/// The card's other check: one loss, one reduction, tau round trips after the first duplicate.
/// Meanwhile each duplicate lets a segment go, and the reduction is half of the flight without
/// these.
#[test]
fn a_loss_is_answered_once_and_late() {
    for recovery in ["newreno", "sack"] {
        for tau in [0.5, 1.0, 2.0] {
            let config = TcpConfig { dcr_delay: tau, ..avoiding(recovery) };
            let mut net = Net::new("dcr", &config).lose_first(&[25]).start(400 * MSS);
            net.run(at_ms(60_000));
            assert!(net.sender.finished());
            let s = net.sender.stats();
            assert_eq!((s.recoveries, s.rtos, s.retransmits), (1, 0, 1), "{recovery} {tau}");
            // 1 to 10 leave at 0, 11 to 20 at 100, 21 to 31 at 200 ms: 25 is missed at 300 ms, when
            // 24 is acknowledged.
            let again: Vec<(u64, u64)> =
                net.data().iter().filter(|d| d.2).map(|d| (d.0, d.1)).collect();
            assert_eq!(again, [(300 + (100.0 * tau) as u64, 25)], "{recovery} {tau}");
            // Four acknowledged, a window that has grown to twelve, and six duplicates.
            assert_eq!(burst(&net.data(), 300), (32..=42).collect::<Vec<_>>(), "{recovery} {tau}");
            assert_eq!(
                net.sender.view().ssthresh,
                Some(6000),
                "{recovery} {tau}: half of the \
                twelve"
            );
        }
    }
}

/// A single duplicate suffices: a loss near the tail needs no timeout.
#[test]
fn one_duplicate_is_enough() {
    for recovery in ["newreno", "sack"] {
        let mut net = Net::new("dcr", &avoiding(recovery)).lose_first(&[39]).start(40 * MSS);
        net.run(at_ms(60_000));
        assert!(net.sender.finished());
        assert_eq!((net.sender.stats().recoveries, net.sender.stats().rtos), (1, 0), "{recovery}");
    }
}

/// RFC 4653's rule beside the clock: the duplicates of a whole window tell at once.
#[test]
fn a_window_of_duplicates_may_tell() {
    let again = |dcr_at_window| {
        let config = TcpConfig { dcr_at_window, ..avoiding("sack") };
        let mut net = Net::new("dcr", &config).lose_first(&[21]).start(400 * MSS);
        net.run(at_ms(60_000));
        net.data().iter().find(|d| d.2).map(|d| d.0)
    };
    // 21 is the first of the eleven of its round trip, all of which are at the receiver at one
    // instant.
    assert_eq!((again(false), again(true)), (Some(400), Some(300)));
}
