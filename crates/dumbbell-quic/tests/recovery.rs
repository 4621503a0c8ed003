//! Congestion events and persistent congestion (RFC 9002 section 7).
use crate::harness::{DATAGRAM, Net, PAYLOAD, Way, lose, ms, pass, plain};
use dumbbell_core::units::{Bytes, Rate, Span, Time};
use dumbbell_quic::QuicConfig;

/// Section 7.3.2: one reduction for all losses of a round trip, counted by when packets were sent.
#[test]
fn one_reduction_a_round_trip() {
    let mut net = Net::new("newreno", plain()).drops(|number| [2, 4, 7].contains(&number));
    net.send(10, ms(5000));
    let stats = net.sender.stats();
    assert_eq!((stats.lost_packets, stats.recoveries, stats.retransmits), (3, 1, 3));
    assert_eq!(net.sender.view().ssthresh, Some(5 * DATAGRAM), "nothing waits: no growth");
    assert_eq!(net.receiver.stats().delivered_bytes, 10 * PAYLOAD);
}

/// Section 7.3.2: the loss of the repair, which goes at the instant of the reduction, is still of
/// that recovery; the loss of a packet that is sent later is another event.
#[test]
fn a_later_loss_is_another_event() {
    let sent = |second: Option<u64>, until| {
        let mut net =
            Net::new("newreno", plain()).drops(move |number| number == 2 || Some(number) == second);
        net.open();
        net.write(u64::MAX);
        net.run(until);
        net
    };
    let net = sent(None, ms(120));
    let packets = net.sent(Way::Forward);
    let repair = packets.iter().position(|p| p.again()).unwrap();
    let later = packets.iter().position(|p| p.at > packets[repair].at).unwrap();
    for (second, events) in [(repair, 1), (later, 2)] {
        let net = sent(Some(second as u64), ms(180));
        let stats = net.sender.stats();
        assert_eq!((stats.recoveries, stats.lost_packets), (events, 2), "{second}");
    }
}

/// Section 7.6: nothing arrives for four seconds; what was sent then spans more than three probe
/// timeouts. The window falls to two packets, and grows again by slow start.
#[test]
fn persistent_congestion() {
    let mut net = Net::new("newreno", QuicConfig { window: Bytes(60_000), ..plain() });
    net.rate = Some(Rate::from_mbps(10));
    net.fate = Box::new(|_, _, _| pass());
    net.open();
    net.write(u64::MAX);
    net.run(ms(1000));
    assert_eq!(net.sender.stats().persistent_congestions, 0);
    net.fate = Box::new(|way, _, _| if way == Way::Forward { lose() } else { pass() });
    net.run(ms(5000));
    let before = net.sender.stats().ptos;
    assert!(before >= 2);
    net.fate = Box::new(|_, _, _| pass());
    let mut least = u64::MAX;
    while net.now < ms(15_000) {
        net.run(net.now + Span::from_ms(10));
        least = least.min(net.sender.cwnd());
    }
    assert_eq!(net.sender.stats().persistent_congestions, 1);
    assert_eq!(least, 2 * DATAGRAM);
    assert!(net.sender.cwnd() > 8 * DATAGRAM);
}

/// Less than three probe timeouts: a loss like any other.
#[test]
fn a_short_blackout_is_no_persistent_congestion() {
    let mut net = Net::new("newreno", plain());
    net.rate = Some(Rate::from_mbps(10));
    net.open();
    net.write(u64::MAX);
    net.run(ms(1000));
    net.fate = Box::new(|_, _, _| lose());
    net.run(net.now + Span::from_ms(60));
    net.fate = Box::new(|_, _, _| pass());
    net.run(net.now + Span::from_secs(3));
    let stats = net.sender.stats();
    assert!(stats.lost_packets > 0 && stats.persistent_congestions == 0, "{stats:?}");
}

/// Section 7.8: a window that the application leaves open does not grow.
#[test]
fn an_idle_application_gains_no_window() {
    let mut net = Net::new("newreno", plain());
    net.open();
    for _ in 0..20 {
        net.write(2 * PAYLOAD);
        net.run(net.now + Span::from_ms(200));
    }
    let initial = QuicConfig::default().initial_window_bytes.0;
    assert!(net.sender.cwnd() <= initial, "{}", net.sender.cwnd());
    assert_eq!(net.receiver.stats().delivered_bytes, 40 * PAYLOAD);
}

/// Reordering below the packet threshold and within 9/8 of the round trip loses nothing.
#[test]
fn slight_reordering_is_no_loss() {
    let mut net = Net::new("cubic", plain());
    net.rate = Some(Rate::from_mbps(20));
    net.fate = Box::new(|way, number, _| {
        let late = way == Way::Forward && number % 7 == 3;
        vec![if late { Span::from_us(900) } else { Span::ZERO }]
    });
    net.open();
    net.write(3_000_000);
    net.close();
    net.run(Time::ZERO + Span::from_secs(60));
    assert!(net.receiver.finished());
    assert_eq!((net.sender.stats().lost_packets, net.sender.stats().retransmits), (0, 0));
}
