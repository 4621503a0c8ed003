//! The marker on traces whose answers are known.
use super::*;
use crate::bucket::TokenUnit;
use crate::meter::token_bucket::{TokenBucketConfig, TokenBucketMeter};
use crate::suite::conditioner::{Out, Station};
use crate::suite::meter::Bench;
use dumbbell_core::meter::Meter;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::Numbered;
use dumbbell_core::units::{Bytes, Rate};

type Marker = DataBuffer<Numbered>;

fn second(s: u64) -> Time {
    Time::ZERO + Span::from_secs(s)
}

fn packets(n: u32) -> Limit {
    Limit::Packets(Packets(f64::from(n)))
}

/// One token a second for a packet of 1000 bytes, two of them at the start.
fn slow(size: Limit, tokens: TokenUnit) -> DataBufferConfig {
    let rate = Some(Rate::from_bps(8000));
    DataBufferConfig {
        size,
        rate,
        burst: packets(2),
        tokens,
        packet_size: Some(Bytes(1000)),
        ..DataBufferConfig::default()
    }
}

fn station(config: &DataBufferConfig) -> Station<Marker> {
    config.check().unwrap();
    Station::new(|site| Marker::new(config, site))
}

/// The released packets in their order: time, number, and true if IN.
fn released(s: &Station<Marker>) -> Vec<(u64, u64, bool)> {
    s.out
        .iter()
        .zip(&s.colors)
        .map(|(out, (id, color))| match out {
            Out::Emitted(at, same) if same == id => {
                (at.ps() / 1_000_000_000_000, *id, *color == Some(Color::Green))
            }
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Eight packets at once: two find tokens, three are displaced, three get the next three tokens; of
/// the eight tokens that come three are lost, where without a buffer six are.
#[test]
fn the_trace_of_eight_packets_at_once() {
    for (size, lost, gone) in [
        (3, 3.0, vec![(0, 0, true), (0, 1, true), (0, 2, false), (0, 3, false), (0, 4, false)]),
        (0, 6.0, (0..8).map(|id| (0, id, id < 2)).collect()),
    ] {
        for unit in [TokenUnit::Packet, TokenUnit::Byte] {
            let mut s = station(&slow(packets(size), unit));
            (0..8).for_each(|_| s.arrive(Time::ZERO, 1000));
            s.run_to(second(8));
            let later = [(1, 5, true), (2, 6, true), (3, 7, true)];
            let all: Vec<_> = gone
                .iter()
                .copied()
                .chain(if size > 0 { later.to_vec() } else { vec![] })
                .collect();
            assert_eq!(released(&s), all);
            let end = s.inner.tokens(second(8)).unwrap();
            assert_eq!(
                (end.tokens(end.lost), end.tokens(end.made)),
                if end.packets { (lost, 8.0) } else { (1000.0 * lost, 8000.0) }
            );
        }
    }
}

/// A packet that comes at the instant of a token finds it.
#[test]
fn a_token_comes_before_the_packet_of_its_instant() {
    let mut s = station(&slow(packets(1), TokenUnit::Packet));
    (0..3).for_each(|_| s.arrive(Time::ZERO, 1000));
    s.arrive(second(1), 1000);
    assert_eq!(
        released(&s),
        [(0, 0, true), (0, 1, true), (1, 2, true)],
        "number 3 displaces \
        nobody"
    );
    // Even where the clock of the marker is asked after the packet.
    let mut late = station(&slow(packets(1), TokenUnit::Packet));
    (0..3).for_each(|_| late.arrive(Time::ZERO, 1000));
    late.arrive_first(second(1), 1000);
    assert_eq!(released(&late), released(&s));
}

#[test]
fn the_other_overflow_sends_the_arriving_packet_out() {
    let mut s = station(&DataBufferConfig {
        overflow: Overflow::Arrival,
        ..slow(packets(3), TokenUnit::Packet)
    });
    (0..8).for_each(|_| s.arrive(Time::ZERO, 1000));
    s.drain();
    let out = [(0, 5, false), (0, 6, false), (0, 7, false)];
    assert_eq!(
        released(&s)[2..],
        [out.to_vec(), vec![(1, 2, true), (2, 3, true), (3, 4, true)]].concat()
    );
}

/// A buffer of bytes lets as many go as the arriving packet needs; one that never fits leaves
/// behind all others.
#[test]
fn a_buffer_in_bytes_makes_room_from_the_front() {
    let mut s = station(&slow(Limit::Bytes(Bytes(1500)), TokenUnit::Byte));
    for bytes in [1000, 1000, 500, 400, 600, 1200, 1501] {
        s.arrive(Time::ZERO, bytes);
    }
    assert_eq!(
        released(&s).iter().map(|r| (r.1, r.2)).collect::<Vec<_>>(),
        [(0, true), (1, true), (2, false), (3, false), (4, false), (5, false), (6, false)]
    );
    assert_eq!((s.inner.held(), s.inner.held.bytes), (0, 0));
}

/// A smaller packet behind a displaced front may find its tokens at once.
#[test]
fn a_smaller_packet_behind_a_displaced_one_goes_at_once() {
    let mut s = station(&slow(packets(2), TokenUnit::Byte));
    for bytes in [1200, 1000, 800, 600] {
        s.arrive(Time::ZERO, bytes);
    }
    assert_eq!(
        released(&s),
        [(0, 0, true), (0, 1, false), (0, 2, true)],
        "800 bytes are left of \
        2000"
    );
    assert_eq!(s.inner.held(), 1);
}

/// A packet that costs more than the bucket holds leaves as OUT, in its turn, and blocks no other.
#[test]
fn what_never_conforms_is_out_in_its_turn() {
    let mut s = station(&slow(packets(3), TokenUnit::Byte));
    for bytes in [2000, 500, 2001, 300] {
        s.arrive(Time::ZERO, bytes);
    }
    s.drain();
    assert_eq!(released(&s), [(0, 0, true), (0, 1, true), (0, 2, false), (0, 3, true)]);
    assert_eq!(s.inner.held(), 0);
}

/// Without room for a packet it is the token bucket marker, packet by packet and token by token.
#[test]
fn without_a_buffer_it_is_the_token_bucket_marker() {
    for seed in 0..200 {
        let mut rng = Stream::named(seed, "traffic");
        let unit = [TokenUnit::Byte, TokenUnit::Packet][rng.below(2) as usize];
        let config = slow(
            [packets(0), Limit::Bytes(Bytes(0)), Limit::Bdp(0.0)][rng.below(3) as usize],
            unit,
        );
        let plain = TokenBucketConfig {
            rate: config.rate,
            burst: config.burst,
            tokens: config.tokens,
            packet_size: config.packet_size,
        };
        let (mut s, mut meter, mut now) =
            (station(&config), Bench::<TokenBucketMeter>::new(&plain), Time::ZERO);
        for id in 0..100u64 {
            now += Span::from_ms(u64::from(rng.below(1200)));
            let bytes = 40 + rng.below(1461);
            s.arrive(now, bytes);
            assert_eq!(s.colors[id as usize], (id, Some(meter.color(now, bytes))));
            assert_eq!(meter.meter.tokens(now), Conditioner::tokens(&mut s.inner, now));
        }
        assert!(s.spans.iter().all(|held| *held == Span::ZERO));
    }
}

/// `1 BDP` is the reservation times the round-trip time, of the bucket and of the buffer alike.
#[test]
fn sizes_in_round_trip_times_are_of_the_reservation() {
    let mut s = station(&DataBufferConfig { size: Limit::Bdp(1.0), ..DataBufferConfig::default() });
    (0..12).for_each(|_| s.arrive(Time::ZERO, 1000));
    let start = s.inner.tokens(Time::ZERO).unwrap();
    assert_eq!(start.tokens(start.start), 5000.0, "400 kbps times 100 ms");
    assert_eq!((s.inner.held(), s.inner.held.bytes), (5, 5000));
}

#[test]
fn an_empty_bucket_is_refused_and_no_buffer_is_not() {
    let fault = DataBufferConfig { burst: Limit::Bdp(0.0), ..DataBufferConfig::default() }
        .check()
        .unwrap_err();
    assert_eq!(fault.at, "burst");
    DataBufferConfig { size: packets(0), ..DataBufferConfig::default() }.check().unwrap();
}
