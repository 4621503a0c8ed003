//! A player over a network of a given rate, against what can be worked out by hand.
use super::*;
use dumbbell_core::probe::Gauges;

/// Ladder of 1, 2 and 4 Mbps, segments of 2 s, plays from 4 s on, holds 10 s.
fn config(abr: Abr) -> DashConfig {
    DashConfig {
        ladder: [1, 2, 4].map(Rate::from_mbps).into(),
        segment: Span::from_secs(2),
        start: Span::from_secs(4),
        buffer: Span::from_secs(10),
        abr,
        memory: 3,
        ..DashConfig::default()
    }
}

/// A fetch: when the server has the request, and megabits.
type Fetch = (f64, f64);

/// Plays over a network of `mbps` with a delay of `delay` to each side, until `end`.
fn watch(config: &DashConfig, mbps: f64, delay: Span, end: f64) -> (Vec<Fetch>, Gauges) {
    let (mut dash, mut rng, mut now) =
        (Dash::new(config, &()), Stream::named(1, "dash"), Time::ZERO + Span::from_secs(1));
    let mut fetches = Vec::new();
    while let Some(burst) = dash.next(now, &mut rng) {
        let at = now + burst.after;
        let megabits = burst.bytes as f64 * 8e-6;
        fetches.push((at.seconds() - 1.0, megabits));
        let there = at + Span::from_secs_f64(megabits / mbps) + delay;
        if there.seconds() > end + 1.0 {
            break;
        }
        dash.delivered(there);
        now = there + delay;
    }
    let mut gauges = Gauges::default();
    dash.probe(Time::ZERO + Span::from_secs_f64(1.0 + end), &mut gauges);
    (fetches, gauges)
}

fn all_near(gauges: &Gauges, expected: &[(&str, f64)]) {
    for (name, value) in expected {
        assert!((gauges.get(name).unwrap() - value).abs() < 1e-9, "{name}: {gauges:?}");
    }
}

/// At 8 Mbps, without a delay: segments of 2, then 8 megabits, because the harmonic mean is 8 Mbps;
/// 0.25 s and then 1 s each. Playing from 1.25 s on with 4 s. A segment comes each second and a
/// second is played: at 4.25 s there are 7 s, at 6.25 s 9 s, which leaves no room for two more
/// until 7.25 s. From then on one segment every 2 s. At 29 s 18 are there, 36 s, of which 27.75 s
/// were played.
#[test]
fn throughput_fills_the_buffer_and_then_waits_for_room() {
    let (fetches, gauges) = watch(&config(Abr::Throughput), 8.0, Span::ZERO, 29.0);
    let times: Vec<f64> = fetches.iter().map(|f| f.0).collect();
    let expected: Vec<f64> = [0.0, 0.25, 1.25, 2.25, 3.25, 4.25, 5.25]
        .into_iter()
        .chain((0..11).map(|k| 7.25 + 2.0 * f64::from(k)))
        .collect();
    assert!(times.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{times:?}");
    all_near(&gauges, &[("segments", 18.0), ("switches", 1.0), ("stalls", 0.0)]);
    all_near(&gauges, &[("start_up_s", 1.25), ("buffer_s", 36.0 - (29.0 - 1.25))]);
    let quality = 1000.0 + 17.0 * 4000.0 - 3000.0;
    all_near(&gauges, &[("video_bps", 69e6 / 18.0), ("qoe", quality - 3000.0 * 1.25)]);
}

/// With a delay of 100 ms each request takes it, too: the first one left 100 ms before the flow
/// began. Segments of 1 Mbps at 8 Mbps take 0.25 + 0.2 s. When the buffer is full, at 8 s, the
/// server has the request one delay after there is room.
#[test]
fn requests_take_their_way() {
    let mut config = config(Abr::Throughput);
    config.ladder.truncate(1);
    let (fetches, gauges) = watch(&config, 8.0, Span::from_ms(100), 20.0);
    // Two segments: 0.9 s after the first request.
    all_near(&gauges, &[("start_up_s", 0.9), ("stalls", 0.0)]);
    // They come at 0.35 + 0.45 k s. Played are 0.45 (k - 1) s: the k-th leaves 2 (k + 1) - 0.45
    // (k - 1) = 2.45 + 1.55 k s, which is 8.65 s for k = 4, at 2.15 s: 0.65 s too much.
    let times: Vec<f64> = fetches.iter().map(|f| f.0).collect();
    let first = [0.0, 0.45, 0.9, 1.35, 1.8];
    let expected = first.into_iter().chain((0..7).map(|k| 2.15 + 0.65 + 0.1 + 2.0 * f64::from(k)));
    assert!(times.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{times:?}");
}

/// 0.8 Mbps, and nothing below 1 Mbps: a segment takes 2.5 s. Playing begins at 5 s with 4 s, at
/// 7.5 s there are 1.5 + 2, at 10 s 1 + 2, and so on until at 15 s there are 2, of which 0.5 s are
/// missing at 17.5 s. From then on each segment is played in 2 s and waited for 0.5 s: a fifth of
/// the time.
#[test]
fn a_slow_network_stalls_for_its_share_of_the_time() {
    for abr in [Abr::Bba, Abr::Throughput] {
        let (_, gauges) = watch(&config(abr), 0.8, Span::ZERO, 117.5);
        // Stalls end at 17.5, 20, ..., 117.5 s.
        all_near(&gauges, &[("start_up_s", 5.0), ("stalls", 41.0), ("stalled_s", 20.5)]);
        let quality = 47.0 * 1000.0 - 3000.0 * (20.5 + 5.0);
        all_near(&gauges, &[("switches", 0.0), ("segments", 47.0), ("qoe", quality)]);
        // In the middle of a stall.
        let (_, gauges) = watch(&config(abr), 0.8, Span::ZERO, 119.8);
        all_near(&gauges, &[("stalls", 42.0), ("stalled_s", 20.8), ("buffer_s", 0.0)]);
    }
}

/// BBA-0 at 3 Mbps, between 2 and 4: the buffer grows and shrinks by a third of a segment each
/// time, between 33 s, where the map is at 2 Mbps, and 54 s, where it is at 4 Mbps. As much comes
/// as is played, so the mean is 3 Mbps but for those 21 s.
#[test]
fn bba_alternates_between_two_rates_whose_mean_is_the_networks() {
    let config = DashConfig { buffer: Span::from_secs(60), ..config(Abr::Bba) };
    let (fetches, gauges) = watch(&config, 3.0, Span::ZERO, 8000.0);
    let late = &fetches[200..];
    let mean = late.iter().map(|f| f.1 / 2.0).sum::<f64>() / late.len() as f64;
    assert!((mean - 3.0).abs() < 3.0 * 21.0 / (2.0 * late.len() as f64), "{mean}");
    assert!(late.iter().all(|f| f.1 > 3.9), "neither of the two");
    assert!(late.windows(2).filter(|w| w[0].1 != w[1].1).count() > late.len() / 50);
    all_near(&gauges, &[("stalls", 0.0)]);
}

/// The buffer goes through reservoir and cushion: the rates are those of the map.
#[test]
fn bba_starts_at_the_lowest_rate_and_ends_at_the_highest() {
    let config = DashConfig { buffer: Span::from_secs(60), ..config(Abr::Bba) };
    let (fetches, _) = watch(&config, 100.0, Span::ZERO, 200.0);
    assert!(fetches[..11].iter().all(|f| f.1 == 2.0), "within the reservoir of 22.5 s");
    assert!(fetches.windows(2).all(|w| w[0].1 <= w[1].1));
    assert_eq!(fetches.last().unwrap().1, 8.0);
}

/// Three segments of 2 s: 6 s are played from 4 s on, and then nothing is missing.
#[test]
fn a_video_that_ends_does_not_stall() {
    let config = DashConfig { length: Some(Span::from_ms(7_900)), ..config(Abr::Bba) };
    let (fetches, gauges) = watch(&config, 1.0, Span::ZERO, 100.0);
    assert_eq!(fetches.len(), 3);
    all_near(&gauges, &[("segments", 3.0), ("stalls", 0.0), ("stalled_s", 0.0)]);
    // It is shorter than what playback starts with.
    let config = DashConfig { length: Some(Span::from_secs(2)), ..config };
    let (_, gauges) = watch(&config, 1.0, Span::ZERO, 100.0);
    all_near(&gauges, &[("start_up_s", 2.0), ("stalls", 0.0)]);
}

#[test]
fn parameters_that_contradict_each_other_are_refused() {
    let secs = Span::from_secs;
    let valid = || DashConfig { buffer: secs(60), ..config(Abr::Bba) };
    assert_eq!(DashConfig::default().check(), Ok(()));
    assert_eq!(valid().check(), Ok(()));
    let wrong = [
        (DashConfig { ladder: vec![], ..valid() }, "ladder"),
        (DashConfig { ladder: [2, 1].map(Rate::from_mbps).into(), ..valid() }, "ladder[1]"),
        (DashConfig { segment: Span::from_us(1), ..valid() }, "segment"),
        (DashConfig { buffer: secs(1), ..valid() }, "buffer"),
        (DashConfig { start: secs(59), ..valid() }, "start"),
        (DashConfig { length: Some(secs(1)), ..valid() }, "length"),
        (DashConfig { reservoir: Some(secs(58)), ..valid() }, "reservoir"),
        (DashConfig { segment: secs(30), buffer: secs(40), ..valid() }, "buffer"),
        (DashConfig { cushion: Some(secs(40)), ..valid() }, "cushion"),
        (DashConfig { cushion: Some(Span::ZERO), ..valid() }, "cushion"),
    ];
    for (config, at) in wrong {
        assert_eq!(config.check().unwrap_err().at, at);
    }
    // The rule of throughput has no reservoir.
    let config = DashConfig { reservoir: Some(secs(58)), abr: Abr::Throughput, ..valid() };
    assert_eq!(config.check(), Ok(()));
}
