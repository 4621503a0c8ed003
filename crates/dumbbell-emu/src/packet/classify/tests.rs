use super::*;
use dumbbell_core::transport::segment::flag;
use dumbbell_wire::samples;
use proptest::prelude::*;

const A: [u8; 4] = [10, 0, 0, 1];
const B: [u8; 4] = [10, 0, 1, 1];
const C: [u8; 4] = [10, 0, 2, 1];

/// Fields of a TCP packet over IPv4.
#[derive(Clone, Copy)]
struct Seg {
    seq: u32,
    ack: u32,
    flags: u16,
    payload: u16,
}

fn ip(protocol: u8, from: [u8; 4], to: [u8; 4], inner: &[u8]) -> Vec<u8> {
    let total = ((20 + inner.len()) as u16).to_be_bytes();
    let mut packet = vec![0x45, 0, total[0], total[1], 0, 7, 0, 0, 64, protocol, 0, 0];
    packet.extend_from_slice(&from);
    packet.extend_from_slice(&to);
    packet.extend_from_slice(inner);
    packet
}

fn tcp(from: [u8; 4], to: [u8; 4], ports: (u16, u16), s: Seg) -> Vec<u8> {
    let mut inner = [ports.0.to_be_bytes(), ports.1.to_be_bytes()].concat();
    inner.extend_from_slice(&s.seq.to_be_bytes());
    inner.extend_from_slice(&s.ack.to_be_bytes());
    inner.extend_from_slice(&(0x5000 | s.flags).to_be_bytes());
    inner.resize(20 + usize::from(s.payload), 0);
    ip(protocol::TCP, from, to, &inner)
}

fn udp(from: [u8; 4], to: [u8; 4], ports: (u16, u16)) -> Vec<u8> {
    let inner = [ports.0.to_be_bytes(), ports.1.to_be_bytes(), [0, 8], [0, 0]].concat();
    ip(protocol::UDP, from, to, &inner)
}

fn syn(seq: u32) -> Seg {
    Seg { seq, ack: 0, flags: tcp_flags::SYN, payload: 0 }
}

fn data(seq: u32, payload: u16) -> Seg {
    Seg { seq, ack: 1, flags: tcp_flags::ACK, payload }
}

fn three() -> Classifier {
    Classifier::new([A, B, C].into_iter().zip(0..).map(|(a, nic)| (Address::v4(a), nic)))
}

fn see(c: &mut Classifier, packet: &[u8], nic: u32) -> Result<Classified, Unmatched> {
    c.classify(&PacketView::of(packet).unwrap(), packet, nic)
}

fn tuple(from: [u8; 4], to: [u8; 4], ports: (u16, u16)) -> FiveTuple {
    FiveTuple {
        source: Address::v4(from),
        destination: Address::v4(to),
        ports,
        protocol: protocol::TCP,
    }
}

#[test]
fn a_flow_that_is_known_has_both_directions() {
    let mut c = three();
    assert!(c.bind(tuple(A, B, (1000, 5001)), 7));
    assert!(!c.bind(tuple(A, [9, 9, 9, 9], (1, 2)), 8), "nobody lives there");
    assert_eq!(see(&mut c, &tcp(A, B, (1000, 5001), syn(500)), 0).unwrap().socket, 14);
    assert_eq!(see(&mut c, &tcp(B, A, (5001, 1000), syn(900)), 1).unwrap().socket, 15);
    assert_eq!(see(&mut c, &tcp(A, B, (1001, 5001), syn(500)), 0), Err(Unmatched::Flow));
    assert_eq!(
        see(&mut c, &tcp(A, B, (1000, 5001), syn(500)), 1),
        Err(Unmatched::Source),
        "through \
        B's door"
    );
}

#[test]
fn numbers_are_counted_from_the_syn_and_what_is_sent_again_is_told() {
    let mut c = three();
    c.bind(tuple(A, B, (1, 2)), 0);
    let isn = u32::MAX - 1000;
    let mut one = |seg: Seg| {
        let got = see(&mut c, &tcp(A, B, (1, 2), seg), 0).unwrap();
        (got.seq, got.flags)
    };
    assert_eq!(one(syn(isn)), (0, flag::SYN));
    assert_eq!(one(syn(isn)), (0, flag::SYN | flag::RETRANSMIT));
    let at = |offset: u32| isn.wrapping_add(offset);
    assert_eq!(one(data(at(1), 1000)), (1, flag::ACK));
    assert_eq!(one(data(at(1001), 1000)), (1001, flag::ACK), "the number wraps inside it");
    assert_eq!(
        one(data(at(3001), 1000)),
        (3001, flag::ACK),
        "lost before the router: it never saw \
        2001"
    );
    assert_eq!(one(data(at(1001), 1000)), (1001, flag::ACK | flag::RETRANSMIT));
    assert_eq!(one(data(at(4001), 10)), (4001, flag::ACK));
    let fin = Seg { flags: tcp_flags::FIN | tcp_flags::ACK, ..data(at(4011), 0) };
    assert_eq!(one(fin), (4011, flag::FIN | flag::ACK));
    assert_eq!(one(fin), (4011, flag::FIN | flag::ACK | flag::RETRANSMIT));
    // A keep-alive is behind the highest and sends nothing.
    assert_eq!(one(data(at(4010), 0)).1, flag::ACK);
}

#[test]
fn an_acknowledgement_says_what_it_waits_for() {
    let mut c = three();
    c.bind(tuple(A, B, (1, 2)), 0);
    see(&mut c, &tcp(A, B, (1, 2), syn(7000)), 0).unwrap();
    let mut back = |seq, ack, flags| {
        let got = see(&mut c, &tcp(B, A, (2, 1), Seg { seq, ack, flags, payload: 0 }), 1).unwrap();
        (got.socket, got.seq, got.flags)
    };
    assert_eq!(
        back(99, 7001, tcp_flags::SYN | tcp_flags::ACK | tcp_flags::ECE),
        (1, 1, flag::SYN | flag::ACK | flag::ECE)
    );
    assert_eq!(
        back(100, 8001, tcp_flags::ACK | tcp_flags::ECE | tcp_flags::AE),
        (1, 1001, flag::ACK | flag::ECE | flag::AE)
    );
}

#[test]
fn the_kernels_handshake_counts_from_its_syn() {
    let mut c = Classifier::new([(Address::v4(A), 0), (Address::v4(B), 1)]);
    c.pool(0, 1, None, vec![3]);
    let ecn = flag::SYN | flag::ECE | flag::CWR;
    let seen: Vec<_> = [
        (samples::SYN_V4, 0),
        (samples::SYN_ACK_V4, 1),
        (samples::TCP_V4, 0),
        (samples::ACK_V4, 1),
        (samples::FIN_V4, 0),
    ]
    .into_iter()
    .map(|(packet, nic)| see(&mut c, packet, nic).map(|k| (k.socket, k.seq, k.flags)).unwrap())
    .collect();
    let ack = flag::ACK;
    let expected = [
        (6, 0, ecn),
        (7, 1, flag::SYN | ack | flag::ECE),
        (6, 1, ack | flag::PSH),
        (7, 9, ack),
        (6, 9, flag::FIN | ack),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn a_pool_gives_its_flows_in_turn_and_keeps_to_them() {
    let mut c = three();
    c.pool(0, 1, None, vec![4, 9]);
    c.pool(0, 1, Some(Service { protocol: protocol::TCP, port: 5201 }), vec![20]);
    let mut one = |from, to, ports, nic| {
        see(&mut c, &tcp(from, to, ports, data(5, 1)), nic).map(|k| k.socket)
    };
    assert_eq!(one(A, B, (1, 80), 0), Ok(8));
    assert_eq!(one(A, B, (2, 80), 0), Ok(18));
    assert_eq!(one(A, B, (3, 80), 0), Ok(8));
    assert_eq!(one(B, A, (80, 2), 1), Ok(19), "the answer to the second");
    assert_eq!(one(A, B, (4, 5201), 0), Ok(40), "a service of its own");
    assert_eq!(one(A, B, (1, 80), 0), Ok(8), "again the first");
    assert_eq!(one(B, A, (5201, 9), 1), Ok(41), "an answer whose question was forgotten");
    assert_eq!(one(A, C, (1, 80), 0), Err(Unmatched::Flow));
    assert_eq!(one(C, B, (1, 80), 0), Err(Unmatched::Source));
    assert_eq!(one(A, [9, 9, 9, 9], (1, 80), 0), Err(Unmatched::Destination));
}

#[test]
fn ports_that_are_used_again_are_another_connection() {
    let mut c = three();
    c.pool(0, 1, None, vec![4, 9]);
    c.bind(tuple(A, C, (1, 2)), 0);
    let mut one = |to, seg: Seg| {
        see(&mut c, &tcp(A, to, (1, 2), seg), 0).map(|k| (k.socket, k.seq, k.flags)).unwrap()
    };
    assert_eq!(one(B, syn(100)), (8, 0, flag::SYN));
    assert_eq!(one(B, data(101, 10)), (8, 1, flag::ACK));
    assert_eq!(one(B, syn(5)), (18, 0, flag::SYN), "the next of the pool");
    assert_eq!(one(B, data(6, 10)), (18, 1, flag::ACK));
    assert_eq!(one(C, syn(100)), (0, 0, flag::SYN));
    assert_eq!(
        one(C, syn(50)),
        (0, 0, flag::SYN),
        "one that was made known keeps its flow, and \
        counts anew"
    );
}

#[test]
fn the_table_is_bounded_and_the_idlest_is_forgotten() {
    let mut c =
        Classifier::remembering(3, [A, B].into_iter().zip(0..).map(|(a, d)| (Address::v4(a), d)));
    c.pool(0, 1, None, (0..100).collect());
    c.bind(tuple(A, B, (77, 77)), 500);
    let mut one = |port| see(&mut c, &tcp(A, B, (port, 1), data(5, 1)), 0).unwrap().socket / 2;
    assert_eq!((one(1), one(2), one(3)), (0, 1, 2));
    assert_eq!(one(1), 0, "it speaks");
    assert_eq!(one(4), 3, "the second is forgotten");
    assert_eq!((one(1), one(3), one(4)), (0, 2, 3));
    assert_eq!(one(2), 4, "it gets another flow");
    assert_eq!(c.table.len(), 4);
    assert_eq!(
        see(&mut c, &tcp(A, B, (77, 77), data(5, 1)), 0).unwrap().socket,
        1000,
        "known for \
        good"
    );
}

#[test]
fn datagrams_are_numbered_and_their_pieces_go_with_them() {
    let mut c = three();
    c.pool(0, 1, None, vec![2]);
    let mut first = udp(A, B, (1, 2));
    assert_eq!(see(&mut c, &first, 0), Ok(Classified { socket: 4, seq: 0, flags: flag::UDP }));
    first[6] = 0x20;
    let mut later = first.clone();
    later[6..8].copy_from_slice(&[0, 1]);
    assert_eq!(see(&mut c, &later, 0), Err(Unmatched::Fragment));
    let second = Classified { socket: 4, seq: 1, flags: flag::UDP };
    assert_eq!(see(&mut c, &first, 0), Ok(second));
    assert_eq!(see(&mut c, &later, 0), Ok(second));
    later[5] = 8;
    assert_eq!(see(&mut c, &later, 0), Err(Unmatched::Fragment), "another datagram's");
}

#[test]
fn an_error_goes_back_the_way_of_what_it_quotes() {
    for (packet, error) in
        [(samples::UDP_V4, samples::UNREACHABLE_V4), (samples::UDP_V6, samples::UNREACHABLE_V6)]
    {
        let view = PacketView::of(packet).unwrap();
        let mut c = Classifier::new([(view.source, 0), (view.destination, 1)]);
        c.pool(0, 1, None, vec![6]);
        assert_eq!(see(&mut c, error, 1), Err(Unmatched::Error), "nobody sent what it quotes");
        let mut nobody = packet.to_vec();
        let port = usize::from(view.header_len) + 2;
        nobody[port..port + 2].copy_from_slice(&5003u16.to_be_bytes());
        assert_eq!(see(&mut c, &nobody, 0).unwrap().socket, 12);
        assert_eq!(see(&mut c, error, 1), Ok(Classified { socket: 13, seq: 0, flags: flag::UDP }));
    }
}

#[test]
fn what_is_refused_has_a_name() {
    let mut c = three();
    assert_eq!(see(&mut c, &udp(A, [224, 0, 0, 251], (5353, 5353)), 0), Err(Unmatched::Group));
    assert_eq!(
        see(&mut c, &ip(protocol::ICMP, A, B, &[13, 0, 0, 0, 0, 0, 0, 0]), 0),
        Err(Unmatched::Protocol)
    );
    let mut solicitation = samples::UNREACHABLE_V6.to_vec();
    solicitation[40] = 135;
    assert_eq!(see(&mut c, &solicitation, 0), Err(Unmatched::Neighbours));
    assert_eq!(
        (Unmatched::Group.name(), Unmatched::Neighbours.name()),
        ("multicast", "neighbour_discovery")
    );
}

#[test]
fn an_echo_is_a_conversation_of_a_pool() {
    let mut c = three();
    c.pool(0, 1, None, vec![1, 2]);
    let echo = |kind, id: u8| [kind, 0, 0, 0, 0, id, 0, 1];
    assert_eq!(see(&mut c, &ip(protocol::ICMP, A, B, &echo(8, 5)), 0).unwrap().socket, 2);
    assert_eq!(see(&mut c, &ip(protocol::ICMP, B, A, &echo(0, 5)), 1).unwrap().socket, 3);
    assert_eq!(see(&mut c, &ip(protocol::ICMP, A, B, &echo(8, 6)), 0).unwrap().socket, 4);
}

proptest! {
    /// Against a list that is searched, with the oldest at its front.
    #[test]
    fn the_table_forgets_as_a_list_would(
        ports in prop::collection::vec((0u16..12, any::<bool>()), 0..200),
    ) {
        let mut c = Classifier::remembering(
            5,
            [A, B].into_iter().zip(0..).map(|(a, d)| (Address::v4(a), d)),
        );
        c.pool(0, 1, None, (0..1000).collect());
        let (mut list, mut next): (Vec<(u16, u32)>, u32) = (vec![], 0);
        for (port, back) in ports {
            let known = list.iter().position(|(p, _)| *p == port);
            let entry = match known {
                Some(at) => list.remove(at),
                None => {
                    next += 1;
                    (port, next - 1)
                }
            };
            if list.len() == 5 {
                list.remove(0);
            }
            list.push(entry);
            let back = back && known.is_some();
            let packet = if back {
                tcp(B, A, (9, port), data(1, 1))
            } else {
                tcp(A, B, (port, 9), data(1, 1))
            };
            let got = see(&mut c, &packet, u32::from(back)).unwrap();
            prop_assert_eq!(got.socket, 2 * entry.1 + u32::from(back));
        }
    }

    #[test]
    fn any_packet_has_a_socket_or_a_reason(
        packets in prop::collection::vec(
            (prop::collection::vec(any::<u8>(), 20..60), 0u32..3), 0..20
        ),
    ) {
        let mut c = three();
        c.pool(0, 1, None, vec![0]);
        for (mut bytes, nic) in packets {
            bytes[0] = 0x45;
            let total = bytes.len() as u16;
            bytes[2..4].copy_from_slice(&total.to_be_bytes());
            bytes[12..16].copy_from_slice(&[A, B, C][nic as usize]);
            bytes[16..20].copy_from_slice(&B);
            if let Ok(view) = PacketView::of(&bytes) && let Ok(k) = c.classify(&view, &bytes, nic) {
                prop_assert!(k.socket <= 1);
            }
        }
    }
}
