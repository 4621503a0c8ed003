//! Closed forms.
use super::*;
use proptest::prelude::*;

const US: u64 = 1_000_000;

fn at(us: u64) -> Time {
    Time::from_ps(us * US)
}

/// Packets each 20 ms, with these delays in microseconds, none of which overtakes.
fn measured(delays_us: &[u64]) -> DelaySummary {
    let mut one = OneWay::new(Time::ZERO, Span::from_us(900));
    for (i, delay) in delays_us.iter().enumerate() {
        one.sent(at(20_000 * i as u64));
        one.arrived(at(20_000 * i as u64 + delay), i as u64);
    }
    one.summary()
}

fn near(a: Option<f64>, b: f64) {
    let a = a.unwrap();
    assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs() * 1e6), "{a} is not {b}");
}

/// To the picosecond, though timestamps in segments are not: 20 ms is not a multiple of 16.384 ns.
#[test]
fn a_constant_delay_has_no_jitter() {
    let s = measured(&[1234; 500]);
    for x in [s.min_s, s.mean_s, s.max_s, s.percentiles_s[0], s.percentiles_s[3]] {
        near(x, 1234e-6);
    }
    let none = Some(0.0);
    assert_eq!(
        (s.jitter_s, s.jitter_mean_s, s.ipdv_mean_abs_s, s.range_s),
        (none, none, none, none)
    );
    assert_eq!((s.pdv_p99_s, s.reordered, s.packets), (none, 0, 500));
}

/// d, d + x, d, ...: every |D| is x, so J(n) = x (1 - (15/16)^n) after n differences, which goes to
/// x.
#[test]
fn alternating_delays_have_the_jitter_of_the_recursion() {
    for n in [1usize, 2, 16, 300] {
        let delays: Vec<u64> = (0..=n as u64).map(|i| 1000 + 160 * (i % 2)).collect();
        let s = measured(&delays);
        let left = libm::pow(15.0 / 16.0, f64::from(n as u32));
        near(s.jitter_s, 160e-6 * (1.0 - left));
        near(s.ipdv_mean_abs_s, 160e-6);
        near(s.range_s, 160e-6);
        // The sum of x (1 - r^k) for k from 1 to n is x (n - r (1 - r^n) / (1 - r)); over n + 1
        // packets, the first with none.
        near(s.jitter_mean_s, 160e-6 * (n as f64 - 15.0 * (1.0 - left)) / (n as f64 + 1.0));
    }
}

#[test]
fn nothing_is_nothing() {
    let s = OneWay::new(Time::ZERO, Span::ZERO).summary();
    assert_eq!(s, DelaySummary::default());
}

/// The warm-up sets the scene and does not count.
#[test]
fn measures_begin_with_the_window() {
    let mut one = OneWay::new(at(1000), Span::ZERO);
    (0..4).for_each(|i| one.sent(at(i)));
    one.arrived(at(500), 0);
    one.arrived(at(999), 2);
    one.lost(at(999), 3);
    one.arrived(at(1001), 1);
    let s = one.summary();
    assert_eq!((s.packets, s.reordered, s.extent_max, s.loss_burst_max), (1, 1, 1, 0));
    // Its neighbors' delays are 500 and 997 us, its own 1000.
    near(s.ipdv_mean_abs_s, (500e-6 + 3e-6) / 2.0);
    near(s.min_s, 1e-3);
}

proptest! {
    /// Against the plain lists: what arrived in its order, with losses, overtaking and copies.
    #[test]
    fn as_from_lists(fates in prop::collection::vec((0u64..8, 0u64..3000, 0u8..8), 1..200)) {
        let (mut now, mut events, mut sent) = (0, Vec::new(), Vec::new());
        for (i, (gap, delay, fate)) in fates.iter().enumerate() {
            now += gap * 100;
            sent.push(now);
            events.push((now, 0, i as u64, 0));
            let delay = 900 + delay;
            match fate {
                0 => events.push((now + delay, 1, i as u64, 0)),
                1 => events.extend([
                    (now + delay, 2, i as u64, delay),
                    (now + delay + 500, 2, i as u64, 0),
                ]),
                _ => events.push((now + delay, 2, i as u64, delay)),
            }
        }
        events.sort_unstable();
        let mut one = OneWay::new(Time::ZERO, Span::from_us(900));
        let (mut arrived, mut lost) = (Vec::new(), Vec::new());
        for (t, what, i, delay) in events {
            match what {
                0 => one.sent(at(t)),
                1 => {
                    one.lost(at(t), i);
                    lost.push(i);
                }
                _ => {
                    one.arrived(at(t), i);
                    if delay > 0 {
                        arrived.push((i, delay));
                    }
                }
            }
        }
        let s = one.summary();
        let copies = fates.iter().filter(|f| f.2 == 1).count() as u64;
        prop_assert_eq!((s.packets, s.duplicates), (arrived.len() as u64, copies));
        prop_assert_eq!(s.bins.iter().map(|b| b.2).sum::<u64>(), s.packets);
        if let (Some(min), Some(mean)) = (s.min_s, s.mean_s) {
            let all: Vec<f64> = arrived.iter().map(|a| a.1 as f64 * 1e-6).collect();
            prop_assert!((mean - all.iter().sum::<f64>() / all.len() as f64).abs() < 1e-12);
            prop_assert!((min - all.iter().copied().fold(f64::MAX, f64::min)).abs() < 1e-12);
            let j = all.windows(2).fold(0.0, |j, w| j + ((w[1] - w[0]).abs() - j) / 16.0);
            prop_assert!((s.jitter_s.unwrap() - j).abs() < 1e-12);
            let mut sorted = all.clone();
            sorted.sort_by(f64::total_cmp);
            for (q, got) in QUANTILES.iter().zip(s.percentiles_s) {
                let exact = sorted[((sorted.len() as f64 * q).ceil() as usize).max(1) - 1];
                let got = got.unwrap();
                prop_assert!(
                    got >= exact - 1e-12 && got <= exact + (exact - 900e-6) / 32.0 + 1e-11,
                    "{} \
                    {}",
                    got,
                    exact
                );
            }
        }
        let delay_of = |i: u64| arrived.iter().find(|a| a.0 == i).map(|a| a.1 as f64 * 1e-6);
        let pairs: Vec<f64> = (1..fates.len() as u64)
            .filter_map(|i| Some((delay_of(i)? - delay_of(i - 1)?).abs()))
            .collect();
        let mean = (!pairs.is_empty()).then(|| pairs.iter().sum::<f64>() / pairs.len() as f64);
        match (s.ipdv_mean_abs_s, mean) {
            (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-12),
            (a, b) => prop_assert_eq!(a, b),
        }
    }
}
