//! Two stations by hand, at 100 Mbps: a bit takes 10 ns, a slot 5.12 us, a gap 0.96 us, the wire
//! 0.5 us; a full frame of 1538 bytes with preamble and gap 123.04 us.
use super::medium::{Medium, Station, TransmissionEnd};
use super::*;
use dumbbell_core::rng::Stream;

const FULL: Span = Span::from_ps(123_040_000);
const HALF: bool = true;

/// Nanoseconds.
fn ns(t: u64) -> Time {
    Time::from_ps(t * 1000)
}

fn medium(half: [bool; 2], name: &str) -> Medium {
    let end = |i: usize| {
        let chance = Stream::named(1, &format!("{name}/{i}"));
        Station::new(half[i], Rate::from_mbps(100), Span::from_ps(500_000), chance)
    };
    Medium::new([end(0), end(1)], Time::ZERO)
}

/// Returns the outcomes of the frames that come at these instants, each of `FULL`: instant, station
/// and outcome, in order of time. A frame that comes while the station has one waits behind it.
fn history(
    medium: &mut Medium,
    frames: &[(u64, usize)],
    until: Time,
) -> Vec<(Time, usize, TransmissionEnd)> {
    let (mut waiting, mut busy, mut out) = ([0, 0], [false, false], Vec::new());
    let mut frames = frames.iter().map(|(t, i)| (ns(*t), *i)).peekable();
    loop {
        let next = medium.next(0).min(medium.next(1));
        let now = frames.peek().map_or(next, |(t, _)| next.min(*t));
        if now > until || now == Time::NEVER {
            return out;
        }
        for (i, busy) in busy.iter_mut().enumerate() {
            if medium.next(i) == now
                && let Some(how) = medium.due(i, now)
            {
                out.push((now, i, how));
                *busy = false;
            }
        }
        while let Some((_, i)) = frames.next_if(|(t, _)| *t == now) {
            waiting[i] += 1;
        }
        for (i, (waiting, busy)) in waiting.iter_mut().zip(&mut busy).enumerate() {
            if *waiting > 0 && !*busy {
                (*waiting, *busy) = (*waiting - 1, true);
                medium.offer(i, now, FULL);
            }
        }
    }
}

/// One that is alone sends frame after frame without a pause, half duplex or not.
#[test]
fn alone_it_is_a_constant_rate() {
    for half in [HALF, !HALF] {
        let out = history(
            &mut medium([half, HALF], "alone"),
            &[(0, 0), (0, 0), (7, 0), (900_000, 0)],
            Time::NEVER,
        );
        let expected =
            [123_040, 246_080, 369_120, 1_023_040].map(|t| (ns(t), 0, TransmissionEnd::Sent));
        assert_eq!(out, expected);
    }
}

/// Both full duplex: neither knows of the other.
#[test]
fn two_that_are_full_duplex_do_not_meet() {
    let mut wire = medium([!HALF, !HALF], "full");
    let out = history(&mut wire, &[(0, 0), (10_000, 1)], Time::NEVER);
    assert_eq!(
        out,
        [(ns(123_040), 0, TransmissionEnd::Sent), (ns(133_040), 1, TransmissionEnd::Sent)]
    );
}

/// The other's signal is over here at 123.04 - 0.96 + 0.5 us; a gap later the half-duplex end
/// starts.
#[test]
fn half_duplex_waits_while_it_hears_the_other() {
    let out = history(&mut medium([HALF, !HALF], "waits"), &[(0, 1), (10_000, 0)], Time::NEVER);
    assert_eq!(
        out,
        [
            (ns(123_040), 1, TransmissionEnd::Sent),
            (ns(122_580 + 960 + 123_040), 0, TransmissionEnd::Sent)
        ]
    );
}

/// The full-duplex end begins 50 us into the other's frame, which is heard at 50.5 us: beyond the
/// slot. 32 bits of jam, and the frame is given up; what the full-duplex end sends arrives broken,
/// and it does not know.
#[test]
fn a_late_collision_costs_both_frames() {
    let mut wire = medium([HALF, !HALF], "late");
    let out = history(&mut wire, &[(0, 0), (50_000, 1)], Time::NEVER);
    assert_eq!(
        out,
        [(ns(50_820), 0, TransmissionEnd::GivenUp), (ns(173_040), 1, TransmissionEnd::Broken)]
    );
    let (half, full) = (wire.counters(0), wire.counters(1));
    assert_eq!(
        (half.collisions, half.late_collisions, half.excessive_collisions, half.broken_frames),
        (1, 1, 0, 0)
    );
    assert_eq!((full.collisions, full.broken_frames), (0, 1));
}

/// Within the slot the half-duplex end tries again: once the other, whose frame is broken, is
/// silent, however soon it wanted to (at most a slot later).
#[test]
fn an_early_collision_costs_the_other_frame_only() {
    let mut wire = medium([HALF, !HALF], "early");
    let out = history(&mut wire, &[(0, 0), (2_000, 1)], Time::NEVER);
    assert_eq!(
        out,
        [
            (ns(125_040), 1, TransmissionEnd::Broken),
            (ns(124_580 + 960 + 123_040), 0, TransmissionEnd::Sent)
        ]
    );
    assert_eq!((wire.counters(0).collisions, wire.counters(0).late_collisions), (1, 0));
}

/// A signal that ends before the other's begins here breaks nothing: the half-duplex end starts 0.5
/// us after the other began, which it has not heard yet, and both are broken off or broken.
#[test]
fn who_starts_before_it_hears_collides() {
    let mut wire = medium([HALF, !HALF], "deaf");
    let out = history(&mut wire, &[(0, 1), (499, 0)], ns(123_040));
    assert_eq!(
        (out, wire.counters(0).collisions),
        (vec![(ns(123_040), 1, TransmissionEnd::Broken)], 1)
    );
}

/// Frame behind frame of the other: in each gap that it takes part in it collides at once, for it
/// was quiet for two thirds of a gap. Sixteen such frames of the other are broken, and its own is
/// given up.
#[test]
fn a_saturated_full_duplex_end_starves_the_other_and_is_broken() {
    let mut wire = medium([HALF, !HALF], "starved");
    // 50 us into the first; at most sixteen times 1023 slots of 5.12 us, and a frame each time.
    let mut frames = vec![(0, 1); 1000];
    frames.insert(1000, (50_000, 0));
    let out = history(&mut wire, &frames, Time::NEVER);
    let broken = out.iter().filter(|(_, _, how)| *how == TransmissionEnd::Broken).count();
    let own: Vec<_> = out.iter().filter(|(_, i, _)| *i == 0).map(|(_, _, how)| *how).collect();
    assert_eq!((own, broken), (vec![TransmissionEnd::GivenUp], 16));
    let (half, full) = (wire.counters(0), wire.counters(1));
    assert_eq!((half.collisions, half.late_collisions, half.excessive_collisions), (16, 0, 1));
    assert_eq!((full.broken_frames, out.len()), (16, 1001));
}

/// Two half-duplex stations with a fresh frame each collide once, again with probability 1/2, then
/// 1/4, 1/8, ...: the mean is 1 + 1/2 (1 + 1/4 (1 + 1/8 (...))). All frames get through, the second
/// a gap behind the first.
#[test]
fn backoff_resolves_as_binary_exponential_backoff_does() {
    let law = (1..=10).rev().fold(1.0, |rest, k| 1.0 + rest * libm::pow(0.5, f64::from(k)));
    assert!((law - 1.641_63).abs() < 1e-5, "{law}");
    let trials = 4000;
    let collisions: Vec<f64> = (0..trials)
        .map(|n| {
            let mut wire = medium([HALF, HALF], &format!("both {n}"));
            let out = history(&mut wire, &[(0, 0), (0, 1)], Time::NEVER);
            assert!(out.len() == 2 && out.iter().all(|o| o.2 == TransmissionEnd::Sent), "{out:?}");
            // The signal, on its way, is followed by a gap.
            assert!(out[1].0.since(out[0].0) >= FULL + Span::from_ps(500_000), "{out:?}");
            assert_eq!(wire.counters(0).collisions, wire.counters(1).collisions);
            wire.counters(0).collisions as f64
        })
        .collect();
    let n = f64::from(trials);
    let mean = collisions.iter().sum::<f64>() / n;
    let variance = collisions.iter().map(|c| (c - mean) * (c - mean)).sum::<f64>() / n;
    assert!((mean - law).abs() < 4.4 * (variance / n).sqrt(), "{mean} {law}");
}

/// The counters begin after the warm-up.
#[test]
fn counts_begin_after_the_warm_up() {
    let chance = |i: usize| Stream::named(1, &format!("warm/{i}"));
    let end =
        |i: usize| Station::new(i == 0, Rate::from_mbps(100), Span::from_ps(500_000), chance(i));
    let mut wire = Medium::new([end(0), end(1)], ns(200_000));
    history(&mut wire, &[(0, 0), (50_000, 1), (300_000, 0), (350_000, 1)], Time::NEVER);
    assert_eq!((wire.counters(0).late_collisions, wire.counters(1).broken_frames), (1, 1));
}

/// An instant that has moved says nothing.
#[test]
fn who_calls_at_an_instant_that_was_is_told_nothing() {
    let mut wire = medium([HALF, !HALF], "stale");
    wire.offer(0, Time::ZERO, FULL);
    assert_eq!(wire.next(0), ns(123_040));
    wire.offer(1, ns(1_000), FULL);
    assert_eq!(
        (wire.next(0), wire.due(0, ns(1_200)), wire.due(1, ns(1_500))),
        (ns(1_500), None, None)
    );
    assert_eq!((wire.due(0, ns(1_500)), wire.next(0)), (None, ns(1_820)));
}

#[test]
fn what_is_no_ethernet_is_refused() {
    let of = |change: fn(&mut DuplexMismatchConfig)| {
        let mut config = DuplexMismatchConfig::default();
        change(&mut config);
        config.check().map_err(|fault| fault.at)
    };
    assert_eq!(of(|c| c.propagation = Span::ZERO), Err("propagation".into()));
    // Half a slot at 100 Mbps is 2.56 us, at 10 Mbps 25.6 us.
    assert_eq!(of(|c| c.propagation = Span::from_us(3)), Err("propagation".into()));
    assert_eq!(
        of(|c| (c.propagation, c.rate) = (Span::from_us(25), Some(Rate::from_mbps(10)))),
        Ok(())
    );
}
