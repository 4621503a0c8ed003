//! Fast retransmit and the four recoveries, step by step.
//!
//! The wires take 50 ms and no time to serialize, so that each round trip is one burst at a
//! multiple of 100 ms. The initial window is 10 segments. Traces are derived by hand from the RFCs;
//! `-3` is segment 3 sent again.
mod prr;
mod rack;

use crate::harness::*;
use dumbbell_core::transport::Phase;
use dumbbell_core::units::{Limit, Packets, Rate, Span, Time};
use dumbbell_tcp::{Exit, PartialAck, Reentry, TcpConfig};

/// Segments 3 and 6 of the first window are lost. RFC 6582: ACKs of 1 and 2 open the window to 12
/// and send 11 to 14; six duplicates follow. The first two send 15 and 16 (RFC 3042). At the third
/// FlightSize less limited transmit is 12: ssthresh = 6, window 6 + 3. 200 ms: six duplicates take
/// the window from 12 to 18, with 14 in flight: 17 to 20. Then the partial ACK of 3 segments:
/// window 18 - 3 + 1 = 16, 15 in flight: 6 again, 21. 300 ms: four duplicates, window 20: 22 to 25.
/// The full ACK leaves 5 in flight: cwnd = min(6, 5 + 1): 26; and the ACK of 21 sends 27.
#[test]
fn newreno_trace() {
    let mut net = Net::new("newreno", &plain()).lose_first(&[3, 6]).start(u64::MAX);
    net.run(at_ms(250));
    assert_eq!((net.sender.view().phase, net.sender.view().cwnd), (Phase::Recovery, 6 * MSS));
    net.run(at_ms(350));
    let data = net.data();
    assert_eq!(burst(&data, 100), [11, 12, 13, 14, 15, 16, -3]);
    assert_eq!(burst(&data, 200), [17, 18, 19, 20, -6, 21]);
    assert_eq!(burst(&data, 300), [22, 23, 24, 25, 26, 27]);
    assert_eq!((net.sender.view().phase, net.sender.stats().recoveries), (Phase::Open, 1));
    assert_eq!(net.sender.view().ssthresh, Some(6 * MSS));
}

/// The same losses by RFC 6675. 100 ms: pipe is 11, 10, 8 (the third range byte count finds 6
/// lost), 7: nothing. 200 ms: pipe 6, then 5: NextSeg (1) sends 6, (2) sends 17 to 20; the ACK of 3
/// leaves pipe 5: 21. 300 ms: the ACK of 6 covers RecoveryPoint; 5 in flight, cwnd 6: 22; then one
/// for one.
#[test]
fn sack_trace() {
    let mut net = Net::new("sack", &plain()).lose_first(&[3, 6]).start(u64::MAX);
    net.run(at_ms(350));
    let data = net.data();
    assert_eq!(burst(&data, 100), [11, 12, 13, 14, 15, 16, -3]);
    assert_eq!(burst(&data, 200), [-6, 17, 18, 19, 20, 21]);
    assert_eq!(burst(&data, 300), [22, 23, 24, 25, 26, 27]);
    assert_eq!((net.sender.view().phase, net.sender.stats().recoveries), (Phase::Open, 1));
}

/// 12 segments in all; 8, 10 and 12 are lost. A threshold of 1 enters recovery at the first
/// duplicate (of 9); 10 lies below the highest SACK, 12 above every one: no duplicate can report
/// it, and a rescue repairs it before the timer.
#[test]
fn sack_rescues_the_last_segment() {
    let config = TcpConfig { dupack_threshold: 1, ..plain() };
    let mut net = Net::new("sack", &config).lose_first(&[8, 10, 12]).start(12 * MSS);
    net.run(at_ms(5000));
    let again: Vec<_> = net.data().into_iter().filter(|d| d.2).map(|d| (d.0, d.1)).collect();
    assert_eq!(again.iter().map(|d| d.1).collect::<Vec<_>>(), [8, 10, 12]);
    assert_eq!(net.sender.stats().rtos, 0);
    assert!(net.sender.finished());
}

/// Reno leaves recovery at the partial ACK with cwnd 6 and 15 in flight; at 300 ms the duplicates
/// of 17 to 20 start a second one: two halvings for one window, where NewReno has one.
#[test]
fn reno_leaves_at_the_first_partial_ack_and_halves_again() {
    let mut net = Net::new("reno", &plain()).lose_first(&[3, 6]).start(u64::MAX);
    net.run(at_ms(190));
    assert_eq!(net.sender.view().phase, Phase::Recovery);
    net.run(at_ms(290));
    assert_eq!((net.sender.view().phase, net.sender.view().una), (Phase::Open, 1 + 5 * MSS));
    net.run(at_ms(350));
    assert_eq!(burst(&net.data(), 200), [17, 18, 19, 20]);
    assert_eq!(net.sender.stats().recoveries, 2);
    assert!(burst(&net.data(), 300).contains(&-6));
}

/// With three losses Reno runs out of duplicates and waits for the timer; NewReno and SACK do not.
#[test]
fn reno_waits_for_the_timer_after_three_losses() {
    let rtos = |name| {
        let mut net = Net::new(name, &plain()).lose_first(&[2, 4, 6]).start(60 * MSS);
        net.run(at_ms(20_000));
        assert!(net.sender.finished(), "{name}");
        net.sender.stats().rtos
    };
    assert_eq!(["reno", "newreno", "sack"].map(rtos), [1, 0, 0]);
}

/// RFC 6582: one segment per round trip. SACK: all of them within one round trip of the first.
#[test]
fn newreno_needs_k_round_trips_for_k_losses() {
    let lost = [2, 4, 6, 8];
    for k in 1..=4 {
        let times = |name| {
            let mut net = Net::new(name, &plain()).lose_first(&lost[..k]).start(u64::MAX);
            net.run(at_ms(900));
            assert_eq!(
                (net.sender.stats().recoveries, net.sender.stats().rtos),
                (1, 0),
                "{name} \
                {k}"
            );
            net.data().into_iter().filter(|d| d.2).map(|d| d.0).collect::<Vec<_>>()
        };
        assert_eq!(times("newreno"), (1..=k as u64).map(|i| 100 * i).collect::<Vec<_>>());
        assert!(*times("sack").last().unwrap() <= 200);
    }
}

/// Tahoe: a window of one segment, everything from SND.UNA again in slow start; its duplicates
/// start nothing. 3 is lost: at 100 ms the third duplicate sends 3 alone. At 200 ms duplicates of
/// 11 to 16 do nothing, then the ACK of 3 covers all 16: slow start from 1: 17, 18.
#[test]
fn tahoe_trace() {
    let mut net = Net::new("tahoe", &plain()).lose_first(&[3]).start(u64::MAX);
    net.run(at_ms(350));
    let data = net.data();
    assert_eq!(burst(&data, 100), [11, 12, 13, 14, 15, 16, -3]);
    assert_eq!(burst(&data, 200), [17, 18]);
    assert_eq!(burst(&data, 300), [19, 20, 21, 22]);
    assert_eq!((net.sender.stats().recoveries, net.sender.view().ssthresh), (1, Some(6 * MSS)));
}

/// Without limited transmit nothing goes at the first two duplicates (RFC 3042). Seven duplicates
/// then take the window to 6 + 7 = 13, with 12 in flight: 15.
#[test]
fn limited_transmit_is_an_option() {
    let config = TcpConfig { limited_transmit: false, ..plain() };
    let mut net = Net::new("newreno", &config).lose_first(&[3]).start(u64::MAX);
    net.run(at_ms(150));
    assert_eq!(burst(&net.data(), 100), [11, 12, 13, 14, -3, 15]);
}

/// Limited transmit makes the third duplicate of a window of 3 possible; else the timer must repair
/// (RFC 3042).
#[test]
fn limited_transmit_saves_a_small_window() {
    let rtos = |limited_transmit| {
        let config = TcpConfig { limited_transmit, initial_window: Packets(3.0), ..plain() };
        let mut net = Net::new("newreno", &config).lose_first(&[1]).start(20 * MSS);
        net.run(at_ms(30_000));
        assert!(net.sender.finished());
        net.sender.stats().rtos
    };
    assert_eq!([rtos(true), rtos(false)], [0, 1]);
}

/// Of ten segments that the window has room for, five are written, and three more after the first
/// duplicate, which the window has room for, too. They are no limited transmit: the third duplicate
/// halves all eight.
#[test]
fn what_the_window_has_room_for_is_no_limited_transmit() {
    let mut net = Net::new("newreno", &plain()).lose_first(&[1]);
    net.rate = Some(Rate::from_mbps(8));
    net.act(|s, now, out| s.open(now, out));
    net.act(|s, now, out| s.write(now, 5 * MSS, out));
    // A segment takes 1.04 ms: the duplicates come at 102.08, 103.12, 104.16 and 105.2 ms.
    net.run(Time::ZERO + Span::from_us(102_500));
    net.act(|s, now, out| s.write(now, 3 * MSS, out));
    assert_eq!(net.sender.view().in_flight, 8 * MSS);
    net.run(Time::ZERO + Span::from_us(104_500));
    let view = net.sender.view();
    assert_eq!((view.phase, view.ssthresh), (Phase::Recovery, Some(4 * MSS)));
}

/// Selective acknowledgments after a timeout do not put the next one off (RFC 6298 section 5: the
/// timer starts anew when new data is acknowledged). The first of three segments is lost twice, the
/// others take a second more.
#[test]
fn the_timer_waits_for_new_data() {
    let config = TcpConfig { tail_loss_probe: false, frto: false, ..modern() };
    let mut left = 2;
    let mut net = Net::new("sack", &config).with_fate(move |way, _, s| {
        let first = way == Way::Forward && s.seq == 1;
        if first && left > 0 {
            left -= 1;
            return lose();
        }
        vec![Span::from_ms(if way == Way::Forward && !first { 1000 } else { 0 })]
    });
    net = net.start(3 * MSS);
    net.run(at_ms(10_000));
    let again: Vec<_> = net.data().into_iter().filter(|d| d.2).map(|d| (d.0, d.1)).collect();
    assert_eq!(again, [(1000, 1), (3000, 1)]);
}

/// `exit = "ssthresh"`: the window after recovery is ssthresh though less is in flight: a burst.
#[test]
fn the_deflated_exit_prevents_a_burst() {
    let cwnd = |exit| {
        let config = TcpConfig { exit, ..plain() };
        // The retransmission arrives when all new data is through: nothing is in flight at the full
        // ACK.
        let mut net = Net::new("newreno", &config).lose_first(&[1]).start(10 * MSS);
        net.run(at_ms(190));
        assert_eq!(net.sender.view().phase, Phase::Recovery);
        net.run(at_ms(250));
        net.sender.view().cwnd
    };
    assert_eq!([cwnd(Exit::Deflated), cwnd(Exit::Ssthresh)], [2 * MSS, 5 * MSS]);
}

/// Impatient restarts the timer at the first partial ACK only: a recovery of many round trips meets
/// the timer; slow-but-steady does not (RFC 6582 section 4).
#[test]
fn impatient_meets_the_timer_where_slow_but_steady_does_not() {
    let rtos = |partial_ack| {
        let config = TcpConfig {
            partial_ack,
            initial_window: Packets(40.0),
            initial_window_bytes: Limit::Unlimited,
            ..plain()
        };
        let lost: Vec<u64> = (1..=15).map(|k| 2 * k).collect();
        let mut net = Net::new("newreno", &config).lose_first(&lost).start(60 * MSS);
        net.run(at_ms(30_000));
        assert!(net.sender.finished());
        net.sender.stats().rtos
    };
    // min_rto = 1 s, restarted at 200 ms; 15 losses need 1.5 s.
    assert_eq!([rtos(PartialAck::Impatient), rtos(PartialAck::SlowButSteady)], [1, 0]);
}

/// A loss of the first segment sent after `recover`, seen when SND.UNA stands exactly at it.
#[test]
fn reentry_beyond_or_at_recover() {
    let recoveries = |reentry| {
        let config = TcpConfig { reentry, ..plain() };
        // 3 is lost, recovery covers 1 to 16; 17 is lost as well, and is the first beyond
        // `recover`.
        let mut net = Net::new("newreno", &config).lose_first(&[3, 17]).start(60 * MSS);
        net.run(at_ms(30_000));
        assert!(net.sender.finished());
        (net.sender.stats().recoveries, net.sender.stats().rtos)
    };
    assert_eq!(recoveries(Reentry::At), (2, 0));
    assert_eq!(recoveries(Reentry::Beyond), (1, 1));
}

/// Two losses of one window: by RFC 5681 the second fast retransmit follows the first, and ns-2's
/// Reno leaves the second loss to the timer. So does it with a loss of the first segment beyond.
#[test]
fn renos_second_fast_retransmit() {
    let recoveries = |reno_reentry, lost: &[u64]| {
        let config = TcpConfig {
            reno_reentry,
            initial_window: Packets(20.0),
            initial_window_bytes: Limit::Unlimited,
            ..plain()
        };
        let mut net = Net::new("reno", &config).lose_first(lost).start(60 * MSS);
        net.run(at_ms(30_000));
        assert!(net.sender.finished());
        (net.sender.stats().recoveries, net.sender.stats().rtos)
    };
    assert_eq!(recoveries(Reentry::Always, &[3, 8]), (2, 0));
    assert_eq!(recoveries(Reentry::Beyond, &[3, 8]), (1, 1));
    assert_eq!(recoveries(Reentry::Beyond, &[3, 40]), (2, 0));
}

/// Goodput of 60 s at 8 Mbit/s with `losses` in each 400 segments.
fn goodput(name: &str, losses: u64) -> u64 {
    let mut sent = std::collections::BTreeSet::new();
    let mut net = Net::new(name, &plain()).with_fate(move |way, _, s| {
        let number = u64::from(s.seq.wrapping_sub(1)) / MSS + 1;
        let place = (number % 400).wrapping_sub(100);
        let doomed = way == Way::Forward
            && place < 3 * losses
            && place.is_multiple_of(3)
            && sent.insert(number);
        if doomed { lose() } else { pass() }
    });
    net.rate = Some(Rate::from_mbps(8));
    net = net.start(u64::MAX);
    net.run(at_ms(60_000));
    net.receiver.stats().delivered_bytes
}

/// One loss: fast recovery keeps the ACK clock, which Tahoe gives up; how it repairs makes no
/// difference (the windows at its end differ by less than a segment of about 40).
#[test]
fn one_loss_a_window_is_repaired_alike() {
    let [tahoe, reno, newreno, sack] =
        ["tahoe", "reno", "newreno", "sack"].map(|name| goodput(name, 1));
    assert!(tahoe < reno.min(newreno).min(sack), "{tahoe} {reno} {newreno} {sack}");
    let spread = reno.max(newreno).max(sack) as f64 / reno.min(newreno).min(sack) as f64;
    assert!(spread < 1.0 + 1.0 / 40.0, "{reno} {newreno} {sack}");
}

/// With three, Reno waits for the timer and falls even below Tahoe (Fall and Floyd:
/// Simulation-based comparisons of Tahoe, Reno, and SACK TCP, CCR 26(3), 1996, section 4).
#[test]
fn three_losses_a_window_are_renos_weakness() {
    let [tahoe, reno, newreno, sack] =
        ["tahoe", "reno", "newreno", "sack"].map(|name| goodput(name, 3));
    assert!(reno < tahoe && tahoe < newreno && newreno <= sack, "{tahoe} {reno} {newreno} {sack}");
}

/// A repetition that is lost too: RFC 6675 sends new data until the timer expires, for many round
/// trips here. The threshold is then half of what was in the network, not half of the stream that
/// went by.
#[test]
fn a_lost_repetition_does_not_swell_the_threshold() {
    let mut lost = 0;
    let mut net = Net::new("sack", &plain()).with_fate(move |way, _, s| {
        let doomed =
            way == Way::Forward && u64::from(s.seq.wrapping_sub(1)) / MSS + 1 == 40 && lost < 2;
        lost += u32::from(doomed);
        if doomed { lose() } else { pass() }
    });
    net.delay = Span::from_ms(2);
    net = net.start(u64::MAX);
    let mut window = 0;
    while net.sender.stats().rtos == 0 {
        window = net.sender.view().cwnd;
        net.run(net.now + Span::from_ms(1));
    }
    let view = net.sender.view();
    assert!(
        view.nxt - view.una > 0 && view.ssthresh.unwrap() <= window,
        "{view:?} after a window \
        of {window}"
    );
}

/// Thirty of eighty segments are lost, one repaired in a round trip: without a bound new data goes
/// on, with a tuned buffer no more than 1.62 windows and 32 KiB are outstanding, and more is
/// written when a sixth of that is free.
#[test]
fn a_tuned_send_buffer_bounds_a_long_recovery() {
    let outstanding = |tuned_send_buffer| {
        let config = TcpConfig {
            tuned_send_buffer,
            partial_ack: PartialAck::SlowButSteady,
            initial_window: Packets(80.0),
            initial_window_bytes: Limit::Unlimited,
            ..plain()
        };
        let lost: Vec<u64> = (0..30).map(|n| 2 * n + 1).collect();
        let mut net = Net::new("newreno", &config).lose_first(&lost).start(u64::MAX);
        let most: Vec<u64> = (1..35)
            .map(|round| {
                net.run(at_ms(100 * round + 20));
                let view = net.sender.view();
                (view.nxt - view.una) / MSS
            })
            .collect();
        assert_eq!((net.sender.stats().recoveries, net.sender.stats().rtos), (1, 0));
        most
    };
    let (free, tuned) = (outstanding(false), outstanding(true));
    assert!(*free.iter().max().unwrap() > 400, "{free:?}");
    let most = *tuned.iter().max().unwrap();
    assert!((155..=162).contains(&most), "{tuned:?}");
    let full = tuned.iter().skip_while(|n| **n < 155).take_while(|n| **n > 100);
    assert!((130..=137).contains(full.min().unwrap()), "{tuned:?}");
}
