use super::super::samples;
use super::*;
use proptest::prelude::*;

fn view(packet: &[u8]) -> PacketView {
    PacketView::of(packet).unwrap()
}

fn tcp(packet: &[u8]) -> Tcp {
    match view(packet).transport {
        TransportHeader::Tcp(tcp) => tcp,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_handshake_reads_as_it_went() {
    for (syn, syn_ack, data) in [
        (samples::SYN_V4, samples::SYN_ACK_V4, samples::TCP_V4),
        (samples::SYN_V6, samples::SYN_ACK_V6, samples::TCP_V6),
    ] {
        let (a, b, c) = (tcp(syn), tcp(syn_ack), tcp(data));
        assert_eq!(
            a.flags,
            tcp_flags::SYN | tcp_flags::ECE | tcp_flags::CWR,
            "RFC 3168 section \
            6.1.1: it asks for ECN"
        );
        assert_eq!(b.flags, tcp_flags::SYN | tcp_flags::ACK | tcp_flags::ECE);
        assert_eq!(b.ack, a.seq.wrapping_add(1));
        assert_eq!((c.seq, c.ack), (b.ack, b.seq.wrapping_add(1)));
        assert_eq!((a.payload, b.payload, c.payload), (0, 0, 8));
        assert_eq!((view(syn).ecn, view(data).ecn), (Ecn::NotEct, Ecn::Ect0));
    }
    assert_eq!(tcp(samples::FIN_V4).flags, tcp_flags::FIN | tcp_flags::ACK);
}

#[test]
fn a_datagram_reads_as_it_was_sent() {
    for packet in [samples::UDP_V4, samples::UDP_V6] {
        let v = view(packet);
        assert_eq!(
            (v.dscp, v.ecn, v.transport),
            (Dscp(0x2e >> 2), Ecn::Ect0, TransportHeader::Udp)
        );
        assert_eq!((v.payload_len(), v.ports.1, v.routed, v.fragment), (11, 5002, false, None));
        assert_eq!(usize::from(v.total_len), packet.len());
    }
}

#[test]
fn pieces_say_where_they_lie() {
    let (four, six) = (view(samples::PIECE_V4), view(samples::PIECE_V6));
    assert_eq!(four.fragment, Some(Fragment { id: 0xf4ca, offset: 1480, more: false }));
    assert_eq!(six.fragment, Some(Fragment { id: 0xda46_b8f6, offset: 1448, more: false }));
    assert_eq!(
        (six.header_len, six.protocol, six.transport, six.ports),
        (48, protocol::UDP, TransportHeader::Fragment, (0, 0))
    );
    assert_eq!((four.transport, four.ports), (TransportHeader::Fragment, (0, 0)));
}

#[test]
fn an_error_quotes_a_packet_that_can_be_read() {
    for packet in [samples::UNREACHABLE_V4, samples::UNREACHABLE_V6] {
        let error = view(packet);
        let quote = PacketView::quoted(&packet[usize::from(error.header_len) + 8..]).unwrap();
        assert_eq!((quote.source, quote.destination), (error.destination, error.source));
        assert_eq!((quote.ports.1, quote.protocol), (5003, protocol::UDP));
    }
    let short = PacketView::quoted(&samples::TCP_V4[..28]).unwrap();
    assert_eq!(
        (short.ports, short.transport),
        (view(samples::TCP_V4).ports, TransportHeader::Fragment)
    );
}

#[test]
fn extension_headers_are_passed_over() {
    let mut packet = samples::UDP_V6[..40].to_vec();
    packet[6] = 0;
    // Hop-by-hop of 16 bytes, routing with nothing left, authentication of 12 + 4 bytes,
    // destination options.
    packet.extend_from_slice(&[43, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    packet.extend_from_slice(&[51, 0, 4, 0, 0, 0, 0, 0]);
    packet.extend_from_slice(&[60, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 9, 9, 9, 9]);
    packet.extend_from_slice(&[17, 0, 1, 4, 0, 0, 0, 0]);
    packet.extend_from_slice(&samples::UDP_V6[40..]);
    let payload = (packet.len() - 40) as u16;
    packet[4..6].copy_from_slice(&payload.to_be_bytes());
    let v = view(&packet);
    assert_eq!(
        (v.header_len, v.protocol, v.transport, v.routed),
        (88, protocol::UDP, TransportHeader::Udp, false)
    );
    assert_eq!(v.ports, view(samples::UDP_V6).ports);
    let mut on_its_way = packet.clone();
    on_its_way[40 + 16 + 3] = 1;
    assert!(view(&on_its_way).routed);
    // Longer than the packet.
    packet[41] = 200;
    assert_eq!(PacketView::of(&packet), Err(Malformed::ShortHeader));
}

#[test]
fn what_is_no_packet_has_a_reason() {
    let cases: [(&[u8], Malformed); 8] = [
        (&[], Malformed::ShortHeader),
        (&[0x45; 19], Malformed::ShortHeader),
        (&[0x60; 39], Malformed::ShortHeader),
        (&[0x55; 60], Malformed::Version(5)),
        (&[0x44; 60], Malformed::HeaderLength(16)),
        (&samples::TCP_V4[..59], Malformed::TotalLength { says: 60, has: 59 }),
        (&samples::TCP_V6[..79], Malformed::TotalLength { says: 80, has: 79 }),
        (&[0x46; 20], Malformed::ShortHeader),
    ];
    for (bytes, reason) in cases {
        assert_eq!(PacketView::of(bytes), Err(reason), "{bytes:02x?}");
        assert!(!reason.to_string().is_empty());
    }
    let mut short = samples::TCP_V4.to_vec();
    short[3] = 30;
    assert_eq!(PacketView::of(&short), Err(Malformed::ShortTransport(protocol::TCP)));
    let mut u32_at = samples::TCP_V6.to_vec();
    u32_at[4..6].fill(0xff);
    assert_eq!(PacketView::of(&u32_at), Err(Malformed::TotalLength { says: 65_575, has: 80 }));
}

#[test]
fn padding_behind_a_packet_is_none_of_it() {
    let mut padded = samples::TCP_V4.to_vec();
    padded.extend_from_slice(&[0; 6]);
    assert_eq!(view(&padded), view(samples::TCP_V4));
}

proptest! {
    #[test]
    fn any_bytes_are_read(
        mut bytes in prop::collection::vec(any::<u8>(), 0..200),
        version in 0u8..16,
    ) {
        if let Some(first) = bytes.first_mut() {
            *first = version << 4 | *first & 15;
        }
        if let Ok(v) = PacketView::of(&bytes) {
            prop_assert!(v.header_len <= v.total_len && usize::from(v.total_len) <= bytes.len());
        }
        let _ = PacketView::quoted(&bytes);
    }

    #[test]
    fn damaged_packets_are_read(
        which in 0..samples::ALL.len(),
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in 0usize..120,
    ) {
        let mut packet = samples::ALL[which].1.to_vec();
        for (at, byte) in hits {
            let at = at.index(packet.len());
            packet[at] = byte;
        }
        packet.truncate(cut.max(1));
        if let Ok(v) = PacketView::of(&packet) {
            prop_assert!(v.header_len <= v.total_len && usize::from(v.total_len) <= packet.len());
        }
        let _ = PacketView::quoted(&packet);
    }
}
