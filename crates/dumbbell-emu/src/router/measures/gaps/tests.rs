//! Tests with packets at made-up times.
use super::*;
use crate::router::measures::bottleneck::tests::{plan, two_receivers};
use dumbbell_core::units::Rate;

fn at_us(us: f64) -> Time {
    Time::ZERO + Span::from_us(1_000_000) + Span::from_secs_f64(us / 1e6)
}

/// 1500 bytes at 100 Mbps.
const PACKET: f64 = 120.0;

fn gaps() -> Gaps {
    Gaps::new(Bottleneck::of(&plan(Rate::from_mbps(100))).expect("a flow passes it"))
}

#[test]
fn packets_that_are_all_late_alike_are_even() {
    let mut gaps = gaps();
    (0..1000).for_each(|i| {
        gaps.written(1, 1500, at_us(PACKET * f64::from(i)), at_us(PACKET * f64::from(i) + 7.0))
    });
    assert_eq!((gaps.pairs(), gaps.errors().max, gaps.rate_error()), (999, 0.0, Some(0.0)));
}

#[test]
fn a_late_packet_is_two_gap_errors_and_no_rate_error() {
    let mut gaps = gaps();
    for i in 0..301 {
        let late = if i == 50 { 40.0 } else { 0.0 };
        gaps.written(1, 1500, at_us(PACKET * f64::from(i)), at_us(PACKET * f64::from(i) + late));
    }
    let errors = gaps.errors();
    assert_eq!((gaps.pairs(), errors.p50, errors.max), (300, 0.0, 40.0));
    assert!((errors.p999 - 40.0).abs() < 0.01, "2 of 300: {errors:?}");
    assert_eq!(gaps.rate_error(), Some(0.0));
}

#[test]
fn a_router_that_falls_behind_has_another_rate() {
    let mut gaps = gaps();
    (0..1001).for_each(|i| {
        gaps.written(1, 1500, at_us(PACKET * f64::from(i)), at_us(PACKET * 1.01 * f64::from(i)))
    });
    assert!((gaps.rate_error().expect("it was busy") - 0.01).abs() < 1e-6);
}

#[test]
fn a_rate_is_judged_of_two_hundred_packet_times_and_more() {
    // The last is late by a packet's time: of 200 that is the half percent that is permitted, of
    // fewer no rate.
    let after = |busy: u32| {
        let mut gaps = gaps();
        let late = |i| if i == busy { PACKET } else { 0.0 };
        (0..=busy).for_each(|i| {
            let due = PACKET * f64::from(i);
            gaps.written(1, 1500, at_us(due), at_us(due + late(i)));
        });
        gaps.rate_error()
    };
    assert_eq!((after(20), after(199)), (None, None));
    assert!((after(200).expect("it was busy") - 0.005).abs() < 1e-9);
}

#[test]
fn while_the_bottleneck_is_idle_there_is_no_gap() {
    let mut gaps = gaps();
    gaps.written(1, 1500, at_us(0.0), at_us(0.0));
    gaps.written(1, 1500, at_us(500.0), at_us(510.0));
    // Packets of the reverse path do not pass it.
    gaps.written(0, 52, at_us(600.0), at_us(600.0));
    assert_eq!((gaps.pairs(), gaps.rate_error()), (0, None));
}

#[test]
fn sizes_and_ways_behind_it_are_reckoned_with() {
    // A packet of 1500 bytes, then one of 300 for the same receiver: 24 us at 100 Mbps, and on a
    // link of 1 Gbps behind it 9.6 us less than the first.
    let mut gaps = Gaps::new(Bottleneck::of(&two_receivers()).expect("flows pass it"));
    gaps.written(1, 1500, at_us(0.0), at_us(0.0));
    gaps.written(1, 300, at_us(14.4), at_us(15.4));
    // One for the other receiver, which is further away, has no gap to either.
    gaps.written(3, 1500, at_us(134.4), at_us(134.4));
    assert_eq!(gaps.pairs(), 1);
    assert!((gaps.errors().max - 1.0).abs() < 1e-6, "{:?}", gaps.errors());
}
