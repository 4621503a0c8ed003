//! When a receiver acknowledges, and what it reports (RFC 9000 section 13.2).
use crate::harness::{DATAGRAM, HEADER, Net, PAYLOAD, Way, lose, ms, pass, plain};
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::units::{Bytes, Span, Time};
use dumbbell_quic::wire::{self, AckFrame};
use dumbbell_quic::{Ecn, Handshake, QuicConfig};

fn acks(net: &Net<dumbbell_algos::cc::AnyCc>) -> Vec<(f64, Vec<(u64, u64)>)> {
    let next = net.sent(Way::Forward).len() as u64;
    net.sent(Way::Back)
        .iter()
        .map(|sent| {
            let frame = AckFrame::read(&sent.segment, sent.extra.as_ref(), next).unwrap();
            (sent.at.seconds() * 1e3, frame.ranges.iter().collect())
        })
        .collect()
}

/// Section 13.2.2: every second packet; section 13.2.1: the odd one after `max_ack_delay`.
#[test]
fn every_second_packet_or_after_the_delay() {
    let mut net = Net::new("newreno", plain());
    net.send(5, ms(500));
    assert_eq!(
        acks(&net),
        [(25.0, vec![(0, 2)]), (25.0, vec![(0, 4)]), (50.0, vec![(0, 5)])],
        "the fifth waits 25 ms"
    );
    let stretched = QuicConfig { ack_every: 4, max_ack_delay: Span::from_ms(10), ..plain() };
    let mut net = Net::new("newreno", stretched);
    net.send(5, ms(500));
    assert_eq!(acks(&net), [(25.0, vec![(0, 4)]), (35.0, vec![(0, 5)])]);
    // The delay is reported: the sender takes it off.
    assert_eq!(net.sender.view().srtt, Some(Span::from_ms(50)));
}

/// Section 13.2.1: at once before a gap and behind it, not for what follows in order.
#[test]
fn at_once_what_is_out_of_order() {
    let mut net = Net::new("newreno", plain());
    net.fate = Box::new(|way, number, _| match (way, number) {
        (Way::Forward, 3) => vec![Span::from_ms(2)],
        _ => pass(),
    });
    net.send(8, ms(500));
    let found = acks(&net);
    let expected = [
        (25.0, vec![(0, 2)]),
        // 2 waits; 4 leaves a gap.
        (25.0, vec![(4, 5), (0, 3)]),
        (25.0, vec![(4, 7), (0, 3)]),
        // 7 waits; 3 fills the gap.
        (27.0, vec![(0, 8)]),
        // 3 was sent again, as packet 8.
        (100.0, vec![(0, 9)]),
    ];
    assert_eq!(found, expected);
    assert_eq!(net.sender.stats().lost_packets, 1, "three later ones were acknowledged");
    assert_eq!(net.sender.stats().spurious_losses, 1, "and then that one");
    let stats = net.receiver.stats();
    assert_eq!((stats.duplicate_bytes, stats.delivered_bytes), (PAYLOAD, 8 * PAYLOAD));
}

/// Section 13.4.1: what carries Congestion Experienced is acknowledged at once, and counted.
#[test]
fn at_once_what_is_marked() {
    let mut net = Net::new("newreno", QuicConfig { ecn: Ecn::Ect0, ..plain() });
    net.fate = Box::new(|way, number, segment| {
        if (way, number) == (Way::Forward, 2) {
            segment.ecn = Codepoint::Ce;
        }
        pass()
    });
    net.send(4, ms(500));
    let counts: Vec<_> = net
        .sent(Way::Back)
        .iter()
        .map(|sent| (sent.extra.unwrap().ecn_counts().unwrap(), sent.size()))
        .collect();
    let bare = wire::SHORT_HEADER + wire::TAG + 5;
    assert_eq!(counts, [([2, 0, 0], bare + 3), ([2, 1, 0], bare + 3), ([3, 1, 0], bare + 4)]);
    assert_eq!((net.sender.stats().ecn_reductions, net.receiver.stats().ce_packets), (1, 1));
}

/// Packets have the sizes that the headers and frames of RFC 9000 and RFC 9001 give them.
#[test]
fn sizes_on_the_wire() {
    let handshake = QuicConfig { handshake: Handshake::OneRtt, ..plain() };
    let mut net = Net::new("newreno", handshake);
    net.open();
    net.write(2500);
    net.close();
    assert!(!net.sender.finished(), "nothing is acknowledged");
    net.run(ms(500));
    let sizes: Vec<u64> = net.sent(Way::Forward).iter().map(|sent| sent.size()).collect();
    assert_eq!(sizes, [1200, DATAGRAM, DATAGRAM, 39 + 100], "the FIN takes no room");
    let answers: Vec<u64> = net.sent(Way::Back).iter().map(|sent| sent.size()).collect();
    assert_eq!(answers, [1200, 13 + 16 + 5, 13 + 16 + 6], "25 ms are 3125 units: a byte more");
    assert_eq!(u64::from(net.sent(Way::Forward)[1].segment.ip_len), HEADER + DATAGRAM);
    assert!(net.receiver.finished() && net.sender.finished());
    assert_eq!(net.receiver.stats().delivered_bytes, 2500);
}

/// RFC 9000 section 4: no byte goes beyond the receiver's credit, and the credit comes back.
#[test]
fn flow_control_bounds_what_is_out() {
    let mut net = Net::new("cubic", QuicConfig { window: Bytes(4 * 1200), ..plain() });
    net.send(100, ms(60_000));
    assert_eq!(net.receiver.stats().delivered_bytes, 100 * 1200);
    let first: Vec<f64> = net.instants().into_iter().take(8).collect();
    assert_eq!(first, [0.0, 0.0, 0.0, 0.0, 50.0, 50.0, 50.0, 50.0], "four packets a round trip");
}

/// The stream is whole, in order and counted once, whatever is lost, delayed or doubled.
#[test]
fn a_stream_is_whole_through_any_weather() {
    for seed in 0..60u64 {
        let mut net = Net::new("newreno", QuicConfig { handshake: Handshake::OneRtt, ..plain() });
        let mut state = seed * 2 + 1;
        let mut dice = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) % 100
        };
        net.fate = Box::new(move |_, _, _| match dice() {
            0..10 => lose(),
            10..16 => vec![Span::from_ms(dice() / 2)],
            16..18 => vec![Span::ZERO, Span::from_ms(30)],
            _ => pass(),
        });
        net.open();
        net.write(150_000);
        net.close();
        net.run(Time::ZERO + Span::from_secs(600));
        assert!(net.receiver.finished() && net.sender.finished(), "seed {seed}");
        let stats = net.receiver.stats();
        assert_eq!((stats.delivered_bytes, net.receiver.held_bytes()), (150_000, 0));
        assert!(stats.received_bytes >= 150_000);
        assert_eq!(net.sender.view().in_flight, 0, "seed {seed}");
        assert_eq!(net.sender.deadline(), Time::NEVER, "seed {seed}");
    }
}
