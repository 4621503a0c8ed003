//! RACK-TLP in a connection (RFC 8985): tails, lost repetitions, reordering. 50 ms each way.
use crate::harness::*;
use dumbbell_core::transport::Phase;
use dumbbell_core::transport::segment::flag;
use dumbbell_core::units::{Limit, Packets, Rate, Span};
use dumbbell_tcp::{Detection, Reduction, TcpConfig};

/// Ten segments, the last is lost. The ACK of 9 at 100 ms leaves one segment: the probe goes
/// 2 SRTT + 200 ms later (section 7.2), far before the timer (1 s); it repairs the loss by itself,
/// which shows when more data is acknowledged: one reduction, no recovery (section 7.4.2).
#[test]
fn a_probe_repairs_the_last_segment() {
    let mut net = Net::new("sack", &modern()).lose_first(&[10]);
    net.act(|s, now, out| s.open(now, out));
    net.act(|s, now, out| s.write(now, 10 * MSS, out));
    net.run(at_ms(900));
    assert_eq!(burst(&net.data(), 500), [-10]);
    let stats = *net.sender.stats();
    assert_eq!((stats.tail_probes, stats.retransmits, stats.rtos, stats.tail_losses), (1, 1, 0, 0));
    assert_eq!(net.sender.view().una, 1 + 10 * MSS);
    let before = net.sender.view().cwnd;
    net.act(|s, now, out| s.write(now, 30 * MSS, out));
    net.run(at_ms(2000));
    let stats = *net.sender.stats();
    assert_eq!((stats.tail_losses, stats.recoveries, stats.rtos), (1, 0, 0));
    assert!(net.sender.view().ssthresh.is_some_and(|s| s <= before), "{:?}", net.sender.view());
}

/// The last two of ten are lost: two segments are on their way, so the probe goes at 100 + 2 SRTT =
/// 300 ms. Its SACK at 400 ms tells RACK that 9 is lost (section 7.4.1): fast recovery, no timeout.
#[test]
fn a_probe_makes_the_rest_of_the_tail_known() {
    let mut net = Net::new("sack", &modern()).lose_first(&[9, 10]).start(10 * MSS);
    net.run(at_ms(10_000));
    assert!(net.sender.finished());
    assert_eq!((burst(&net.data(), 300), burst(&net.data(), 400)), (vec![-10], vec![-9]));
    assert_eq!((net.sender.stats().recoveries, net.sender.stats().rtos), (1, 0));
    // Without it the timer must.
    let without = TcpConfig { tail_loss_probe: false, ..modern() };
    let mut net = Net::new("sack", &without).lose_first(&[9, 10]).start(10 * MSS);
    net.run(at_ms(10_000));
    assert_eq!((net.sender.stats().recoveries, net.sender.stats().rtos), (0, 1));
}

/// The same over a link: the probe is a short segment, whose round trip takes less than that of any
/// data before it. The handshake's was shorter still, so the probe is not taken for an answer to
/// the first transmission (section 6.2), where no timestamp says so, either.
#[test]
fn a_short_probe_tells_of_the_rest_of_the_tail() {
    let config =
        TcpConfig { clock: Span::from_us(1), handshake: true, rack_by_echo: false, ..modern() };
    let mut net = Net::new("sack", &config).with_fate(|way, _, s| {
        let first = s.flags & (flag::RETRANSMIT | flag::SYN) == 0;
        if way == Way::Forward && first && s.seq > 3 * MSS as u32 { lose() } else { pass() }
    });
    net.rate = Some(Rate::from_mbps(8));
    net = net.start(5 * MSS - 300);
    net.run(at_ms(10_000));
    assert!(net.sender.finished());
    let stats = net.sender.stats();
    assert_eq!((stats.tail_probes, stats.recoveries, stats.rtos), (1, 1, 0));
}

/// Section 7.3: new data is the better probe. A window of ten segments, all acknowledgments lost:
/// at 2 SRTT the eleventh goes beyond the window; before a sample, after 1 s.
#[test]
fn new_data_probes_first() {
    let mut net = Net::new("sack", &modern()).with_fate(|way, n, _| match way {
        Way::Back if n > 10 => lose(),
        _ => pass(),
    });
    net = net.start(u64::MAX);
    net.run(at_ms(1050));
    // The ACKs of the first flight open 20; nothing comes back for them.
    assert_eq!(burst(&net.data(), 300), [31]);
    assert_eq!((net.sender.stats().tail_probes, net.sender.stats().rtos), (1, 0));
    let mut net = Net::new("sack", &modern()).with_fate(|_, _, _| lose()).start(u64::MAX);
    net.run(at_ms(999));
    assert_eq!(net.sender.stats().tail_probes, 0);
    net.run(at_ms(1000));
    assert_eq!(burst(&net.data(), 1000), [11]);
}

/// The last segment's acknowledgment is only late: probe and original both arrive, a D-SACK says
/// so, nothing is reduced.
#[test]
fn a_needless_probe_costs_nothing() {
    let mut net = Net::new("sack", &modern()).with_fate(|way, n, _| match (way, n) {
        (Way::Back, 10) => vec![Span::from_ms(600)],
        _ => pass(),
    });
    net.act(|s, now, out| s.open(now, out));
    net.act(|s, now, out| s.write(now, 10 * MSS, out));
    net.run(at_ms(900));
    net.act(|s, now, out| s.write(now, 30 * MSS, out));
    net.run(at_ms(3000));
    let stats = *net.sender.stats();
    assert_eq!((stats.tail_probes, stats.spurious_retransmits, stats.tail_losses), (1, 1, 0));
    assert_eq!(net.sender.view().ssthresh, None);
}

/// Acknowledgments that are late, one before the probe's answer: a repetition on its way outside a
/// recovery is none that a kernel would begin a second recovery for.
#[test]
fn a_probe_on_its_way_begins_no_recovery() {
    let config = TcpConfig { recovers_again: true, ..modern() };
    let mut net = Net::new("sack", &config).with_fate(|way, n, _| match (way, n) {
        (Way::Back, 9) => vec![Span::from_ms(280)],
        (Way::Back, 10) => vec![Span::from_ms(600)],
        _ => pass(),
    });
    net.act(|s, now, out| s.open(now, out));
    net.act(|s, now, out| s.write(now, 10 * MSS, out));
    net.run(at_ms(900));
    let stats = *net.sender.stats();
    assert_eq!((stats.tail_probes, stats.recoveries, stats.rtos), (1, 0, 0));
    assert_eq!(net.sender.view().ssthresh, None);
}

/// Of a kernel: what is on its way again when a recovery ends is of another one. Segment 3 and its
/// repetition are lost, and one that was sent before the recovery (16), in it (17, 20) or after it
/// (21), which is a second recovery for everyone.
#[test]
fn a_recovery_may_follow_another() {
    for (lost, recoveries) in [(16, [1, 1]), (17, [1, 2]), (20, [1, 2]), (21, [2, 2])] {
        let seen = [false, true].map(|recovers_again| {
            let config = TcpConfig { recovers_again, ..modern() };
            let mut net = Net::new("sack", &config).lose_first(&[3, 3, lost]);
            net.rate = Some(Rate::from_mbps(8));
            net = net.start(200 * MSS);
            net.run(at_ms(20_000));
            assert!(net.sender.finished());
            let stats = *net.sender.stats();
            assert_eq!((stats.rtos, stats.retransmits), (0, 3), "{lost}");
            stats.recoveries
        });
        assert_eq!(seen, recoveries, "{lost}");
    }
}

/// Segment 40 and its repetition are lost. Whatever was sent after the repetition and arrives
/// reports it a round trip later (section 3.3.1); RFC 6675 waits for the timer.
fn lose_twice(config: &TcpConfig) -> Net<dumbbell_algos::cc::AnyCc> {
    let mut lost = 0;
    let mut net = Net::new("sack", config).with_fate(move |way, _, s| {
        let doomed =
            way == Way::Forward && u64::from(s.seq.wrapping_sub(1)) / MSS + 1 == 40 && lost < 2;
        lost += u32::from(doomed);
        if doomed { lose() } else { pass() }
    });
    net.rate = Some(Rate::from_mbps(8));
    net = net.start(400 * MSS);
    net.run(at_ms(20_000));
    assert!(net.sender.finished());
    net
}

#[test]
fn a_lost_repetition_is_found() {
    let net = lose_twice(&modern());
    let again: Vec<u64> = net.data().iter().filter(|d| d.1 == 40).map(|d| d.0).collect();
    assert_eq!(
        (again.len(), net.sender.stats().rtos, net.sender.stats().recoveries),
        (3, 0, 1),
        "{again:?}"
    );
    // A round trip with its queueing: below 50 segments of 1.04 ms.
    assert!((100..160).contains(&(again[2] - again[1])), "{again:?}");
    let classic = lose_twice(&plain());
    assert_eq!(classic.sender.stats().rtos, 1);
}

/// Section 9.3: without PRR the lost repetition is another sign of congestion.
#[test]
fn a_lost_repetition_reduces_again_without_prr() {
    let threshold = |reduction| {
        let net = lose_twice(&TcpConfig { reduction, ..modern() });
        assert_eq!((net.sender.stats().rtos, net.sender.stats().recoveries), (0, 1));
        net.sender.view().ssthresh.unwrap()
    };
    let (prr, rfc6675) = (threshold(Reduction::Prr), threshold(Reduction::Rfc6675));
    assert!(rfc6675 <= prr * 6 / 10, "{rfc6675} {prr}");
}

/// Goodput over 20 s at 8 Mbit/s when every 25th segment is late by `late`, and what it cost.
fn reordered(config: &TcpConfig, late: Span) -> (u64, u64, u64) {
    let config = TcpConfig { receive_window: Limit::Packets(Packets(100.0)), ..config.clone() };
    let mut net = Net::new("sack", &config).with_fate(move |way, n, s| {
        let first = s.flags & flag::RETRANSMIT == 0;
        if way == Way::Forward && n % 25 == 0 && first { vec![late] } else { pass() }
    });
    net.rate = Some(Rate::from_mbps(8));
    net.record = false;
    net = net.start(u64::MAX);
    net.run(at_ms(20_000));
    assert_eq!(net.sender.stats().rtos, 0);
    let s = net.sender.stats();
    (net.receiver.stats().delivered_bytes, s.retransmits, s.recoveries)
}

/// Section 6.2 step 4. By less than a quarter of a round trip: once it is seen (a segment that was
/// not sent again arrives late), the window waits and nothing is sent again. Counting duplicates
/// does, each time.
#[test]
fn reordering_within_a_quarter_of_a_round_trip_is_waited_for() {
    let late = Span::from_ms(12);
    let plain_rack = TcpConfig { dsack_undo: false, ..modern() };
    let (goodput, again, recoveries) = reordered(&plain_rack, late);
    assert!(again <= 4 && recoveries <= 3, "{again} {recoveries}");
    let dupack = TcpConfig { detection: Detection::Dupack, ..plain_rack };
    let (by_count, many, _) = reordered(&dupack, late);
    assert!(many > 15, "{many}");
    assert!(goodput > by_count * 3 / 2, "{goodput} {by_count}");
}

/// By more: each round trip with a D-SACK makes the window a quarter longer, until it is long
/// enough.
#[test]
fn the_reordering_window_learns() {
    let (_, again, _) = reordered(&modern(), Span::from_ms(70));
    let fixed = TcpConfig { detection: Detection::Dupack, ..modern() };
    let (_, many, _) = reordered(&fixed, Span::from_ms(70));
    assert!(again < 10 && many > 150, "{again} {many}");
}

/// A window of losses, with the timer as last resort: RACK marks by age (section 6.3), and slow
/// start repairs them all.
#[test]
fn a_whole_window_lost_is_repaired_after_one_timeout() {
    for detection in [Detection::Dupack, Detection::Rack] {
        let lost: Vec<u64> = (1..=10).collect();
        let config = TcpConfig { detection, tail_loss_probe: false, ..modern() };
        let mut net = Net::new("sack", &config).lose_first(&lost).start(40 * MSS);
        net.run(at_ms(20_000));
        assert!(net.sender.finished());
        assert_eq!(
            (net.sender.stats().rtos, net.sender.stats().retransmits),
            (1, 10),
            "{detection:?}"
        );
        assert_eq!(net.sender.view().phase, Phase::Open);
    }
}
