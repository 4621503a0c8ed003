//! Instants that follow from RFC 9002 in closed form.
use crate::harness::{DATAGRAM, Net, PAYLOAD, Way, lose, ms, pass, plain};
use dumbbell_core::units::{Packets, Span};
use dumbbell_quic::{Handshake, QuicConfig};

/// Section 6.2: a lone packet at the tail. Its round trips of 50 ms leave srtt = 50 ms, and the
/// probe timeout is srtt + max(4 rttvar, 1 ms) + 25 ms, doubled with each expiry.
#[test]
fn probes_of_a_lost_tail() {
    let mut net = Net::new("newreno", QuicConfig { probes: 1, ..plain() });
    net.fate =
        Box::new(
            |way, number, _| {
                if way == Way::Forward && (2..6).contains(&number) { lose() } else { pass() }
            },
        );
    net.open();
    net.write(2 * PAYLOAD);
    net.run(ms(100));
    // One sample of 50 ms: rttvar = 25 ms, PTO = 50 + 100 + 25 ms.
    net.write(PAYLOAD);
    net.run(ms(10_000));
    let sent: Vec<f64> = net.instants();
    let pto = 175.0;
    let expected = [0.0, 0.0, 100.0, 100.0 + pto, 100.0 + 3.0 * pto, 100.0 + 7.0 * pto];
    assert_eq!(sent[..6], expected);
    assert_eq!(sent[6], 100.0 + 15.0 * pto, "the fifth copy arrives");
    assert_eq!((net.sender.stats().ptos, net.receiver.stats().delivered_bytes), (4, 3 * PAYLOAD));
    assert!(net.sent(Way::Forward)[3].again(), "no new data: the old goes again");
}

/// Section 6.2.4: a probe carries new data if there is some.
#[test]
fn probes_prefer_new_data() {
    let config = QuicConfig { initial_window: Packets(2.0), ..plain() };
    let mut net = Net::new("newreno", config).drops(|number| number < 2);
    net.send(10, ms(1100));
    // No sample: 333 + 4 x 166.5 + 25 ms.
    assert_eq!(net.instants()[..4], [0.0, 0.0, 1024.0, 1024.0]);
    assert!(net.sent(Way::Forward)[2..4].iter().all(|sent| !sent.again()));
    net.run(ms(20_000));
    assert_eq!(net.receiver.stats().delivered_bytes, 10 * PAYLOAD);
}

/// Section 6.2.2: a client's Initial is sent again after 333 + 4 x 166.5 ms, and the data follows
/// its answer.
#[test]
fn a_handshake_takes_a_round_trip() {
    for (handshake, lost, instants) in [
        (Handshake::OneRtt, 0, vec![0.0, 50.0]),
        (Handshake::OneRtt, 2, vec![0.0, 999.0, 2997.0, 3047.0]),
        (Handshake::ZeroRtt, 0, vec![0.0, 0.0]),
        (Handshake::None, 0, vec![0.0]),
    ] {
        let mut net = Net::new("newreno", QuicConfig { handshake, ..plain() });
        net = net.drops(move |number| number < lost);
        net.send(1, ms(60_000));
        assert_eq!(net.instants(), instants, "{handshake:?}");
        assert_eq!(net.receiver.stats().delivered_bytes, PAYLOAD);
        assert_eq!(net.sender.stats().recoveries, 0, "a lost Initial is no congestion");
    }
}

/// Section 6.1.2: one packet is missing and only one later one arrived: it is lost 9/8 of the
/// round-trip time after it was sent.
#[test]
fn the_time_threshold() {
    let mut net = Net::new("newreno", plain()).drops(|number| number == 2);
    net.send(4, ms(5000));
    // The ACK of packet 3 comes back at 50 ms, as that of 0 and 1.
    assert_eq!(net.instants()[4..], [56.25]);
    assert_eq!(net.sender.stats().recoveries, 1);
}

/// Section 6.1.1: it is lost when the third later one is acknowledged.
#[test]
fn the_packet_threshold() {
    for (reached, lost) in [(3, 1), (2, 0)] {
        let mut net = Net::new("newreno", plain()).drops(|number| number == 2);
        net.send(3 + reached, ms(50));
        assert_eq!(net.sender.stats().lost_packets, lost, "{reached} later packets");
    }
}

/// Section 7.7: packets leave srtt x size / cwnd / N apart, once the burst is used up.
#[test]
fn the_pacing_interval() {
    let config = QuicConfig {
        pacing: true,
        pacing_burst: Packets(1.0),
        handshake: Handshake::OneRtt,
        ..plain()
    };
    let mut net = Net::new("newreno", config);
    net.send(10, ms(99));
    let cwnd = net.sender.view().cwnd as f64;
    let interval = 50.0 * DATAGRAM as f64 / cwnd / 1.25;
    let sent = net.instants();
    assert_eq!(sent.len(), 11);
    for (i, at) in sent[1..].iter().enumerate() {
        assert!((at - (50.0 + interval * i as f64)).abs() < 1e-6, "{i}: {at}");
    }
}

/// The same with the initial window as the burst: ten at once, and the eleventh to be sent then
/// waits for an ACK.
#[test]
fn a_burst_is_the_initial_window() {
    let config = QuicConfig { pacing: true, handshake: Handshake::OneRtt, ..plain() };
    let mut net = Net::new("newreno", config);
    net.send(100, ms(99));
    let sent = net.instants();
    assert!(sent[1..].iter().all(|at| *at == 50.0) && sent.len() == 11, "{sent:?}");
    net.run(ms(149));
    // Ten intervals of 4 ms had gone by at 90 ms, so at 100 ms there is a burst again; while ACKs
    // open the window to twenty packets it shrinks, and the others are 50 / 20 / 1.25 ms apart.
    let second = &net.instants()[11..];
    let burst = second.iter().filter(|at| **at == 100.0).count();
    assert!((6..=10).contains(&burst), "{second:?}");
    assert!(second[burst..].windows(2).all(|w| (w[1] - w[0] - 2.0).abs() < 1e-6), "{second:?}");
}

/// Section 6.2: a probe timeout is no loss, and takes nothing from the window.
#[test]
fn a_late_answer_to_a_probe_changes_nothing() {
    let mut net = Net::new("newreno", plain());
    net.fate =
        Box::new(|way, _, _| if way == Way::Back { vec![Span::from_secs(2)] } else { pass() });
    net.send(4, ms(1500));
    let cwnd = net.sender.view().cwnd;
    assert_eq!(net.sender.stats().ptos, 1);
    net.run(ms(10_000));
    assert_eq!((net.sender.stats().lost_packets, net.sender.stats().recoveries), (0, 0));
    assert!(net.sender.view().cwnd >= cwnd && net.sender.all_acknowledged());
}
