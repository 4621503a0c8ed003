//! A player over a network of a given rate, against what can be worked out by hand.
use super::*;
use dumbbell_core::probe::Gauges;

/// Ladder of 1, 2 and 4 Mbps, chunks of 2 s, plays from 4 s on, holds 10 s.
fn config() -> VideoConfig {
    VideoConfig {
        ladder: [1, 2, 4].map(Rate::from_mbps).into(),
        chunk: Span::from_secs(2),
        start_up: Span::from_secs(4),
        buffer: Span::from_secs(10),
        safety: 0.8,
        memory: 3,
        length: None,
    }
}

/// Plays over a network whose rate at the start of a fetch is `mbps(seconds)`, until `end`; returns
/// the times and megabits of the fetches, and the player's measurements.
fn watch(config: &VideoConfig, mbps: impl Fn(f64) -> f64, end: f64) -> (Vec<(f64, f64)>, Gauges) {
    let (mut video, mut rng, mut now) =
        (Video::new(config, &()), Stream::named(1, "video"), Time::ZERO);
    let mut fetches = Vec::new();
    while let Some(burst) = video.next(now, &mut rng) {
        let at = now + burst.after;
        if at.seconds() > end {
            break;
        }
        let megabits = burst.bytes as f64 * 8e-6;
        fetches.push((at.seconds(), megabits));
        now = at + Span::from_secs_f64(megabits / mbps(at.seconds()));
    }
    let mut gauges = Gauges::default();
    video.probe(Time::ZERO + Span::from_secs_f64(end), &mut gauges);
    (fetches, gauges)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// At 8 Mbps: chunks of 2, then 8 megabits (4 <= 0.8 * 8); 0.25 s and then 1 s each. Playing from
/// 1.25 s on with 4 s. A chunk goes in each second and a second goes out: at 4.25 s there are 10 -
/// 3 = 7 s; at 5.25 s 8 s, at 6.25 s 9 s, which leaves no room for two more until 7.25 s. From then
/// on one chunk every 2 s: the on-off pattern.
#[test]
fn a_fast_network_is_used_on_and_off() {
    let (fetches, gauges) = watch(&config(), |_| 8.0, 30.0);
    let times: Vec<f64> = fetches.iter().map(|f| f.0).collect();
    let expected: Vec<f64> = [0.0, 0.25, 1.25, 2.25, 3.25, 4.25, 5.25]
        .into_iter()
        .chain((0..12).map(|k| 7.25 + 2.0 * f64::from(k)))
        .collect();
    assert!(times.iter().zip(&expected).all(|(a, b)| near(*a, *b)), "{times:?}");
    assert_eq!(times.len(), expected.len());
    assert!(near(fetches[0].1, 2.0) && fetches[1..].iter().all(|f| near(f.1, 8.0)));
    for (name, value) in
        [("switches", 1.0), ("stalls", 0.0), ("stalled_s", 0.0), ("start_up_s", 1.25)]
    {
        assert_eq!(gauges.get(name), Some(value), "{name}");
    }
    assert_eq!(gauges.get("chunks"), Some(19.0));
    assert!(near(gauges.get("video_bps").unwrap(), (1e6 + 18.0 * 4e6) / 19.0));
}

/// At 0.5 Mbps the lowest rate is twice too fast: 4 s for each 2 s of video. It plays from 8 s on
/// for 4 s while one chunk comes (at 12 s), plays it until 14 s, and stalls from then on until
/// there are two chunks, at 20 s; then from 20 s again 4 s + 2 s, to 26 s, and so on with a period
/// of 12 s: half of the time is a stall.
#[test]
fn a_slow_network_stalls_half_of_the_time() {
    let (_, gauges) = watch(&config(), |_| 0.5, 8.0 + 120.0);
    assert_eq!(gauges.get("stalls"), Some(10.0));
    assert!(near(gauges.get("stalled_s").unwrap(), 60.0), "{gauges:?}");
    assert_eq!((gauges.get("start_up_s"), gauges.get("switches")), (Some(8.0), Some(0.0)));
}

/// The harmonic mean of the last three: after 8, 8, 2 Mbps it is 3 / (1/8 + 1/8 + 1/2) = 4; 0.8 of
/// it allows 2 Mbps.
#[test]
fn the_rate_follows_the_harmonic_mean() {
    let (fetches, _) = watch(&config(), |t| if t < 1.0 { 8.0 } else { 2.0 }, 5.0);
    let megabits: Vec<f64> = fetches.iter().map(|f| f.1).collect();
    // 2 and 8 at 8 Mbps, 8 at 2 Mbps (4 s, until 5.25 s).
    assert!(near(megabits[0], 2.0) && near(megabits[1], 8.0) && near(megabits[2], 8.0));
    let (fetches, _) = watch(&config(), |t| if t < 1.0 { 8.0 } else { 2.0 }, 6.0);
    assert!(near(fetches[3].0, 5.25) && near(fetches[3].1, 4.0), "{fetches:?}");
}

/// A video ends when it was fetched, and its end is not a stall.
#[test]
fn a_video_of_five_chunks_ends() {
    let (fetches, gauges) =
        watch(&VideoConfig { length: Some(Span::from_secs(11)), ..config() }, |_| 8.0, 100.0);
    assert_eq!(
        (fetches.len(), gauges.get("stalls"), gauges.get("chunks")),
        (5, Some(0.0), Some(5.0))
    );
    assert_eq!(gauges.get("buffer_s"), Some(0.0));
}

#[test]
fn what_cannot_play_is_refused() {
    let wrong = |config: VideoConfig| config.check().unwrap_err().at;
    assert_eq!(wrong(VideoConfig { ladder: vec![], ..config() }), "ladder");
    assert_eq!(
        wrong(VideoConfig { ladder: [2, 2].map(Rate::from_mbps).into(), ..config() }),
        "ladder[1]"
    );
    assert_eq!(wrong(VideoConfig { buffer: Span::from_secs(1), ..config() }), "buffer");
    assert_eq!(wrong(VideoConfig { start_up: Span::from_secs(9), ..config() }), "start_up");
    assert_eq!(wrong(VideoConfig { length: Some(Span::from_secs(1)), ..config() }), "length");
    assert_eq!(wrong(VideoConfig { chunk: Span::from_us(1), ..config() }), "chunk");
    assert!(config().check().is_ok() && VideoConfig::default().check().is_ok());
}
