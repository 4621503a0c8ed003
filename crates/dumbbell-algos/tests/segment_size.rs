//! Every congestion control, when the path turns out to carry another size of segment: that is not
//! congestion.
use dumbbell_algos::cc::{AnyCc, CATALOGUE};
use dumbbell_algos::suite::cc::{Event, PATH, drive, life};
use dumbbell_core::rng::Stream;
use dumbbell_core::transport::{Ack, Cause, Commands, Congestion, CongestionControl};
use dumbbell_core::units::{Span, Time};

/// After some life, and the windows then.
fn lived(name: &str, seed: u64) -> AnyCc {
    let mut cc = AnyCc::build(name, &serde_json::json!({}), &PATH).unwrap();
    let mut events = life(&mut Stream::named(seed, "size"));
    // What is told of a repetition is over, and the window is what a long way has made of it.
    events.push(Event::Recovered { segments: 1000 });
    drive(&mut cc, &events).unwrap_or_else(|(i, found)| panic!("{name}, event {i}: {found}"));
    cc
}

fn ack(cc: &mut AnyCc, at_ms: u64, bytes: u64) {
    let mut ack = Ack::default();
    (ack.now, ack.acked, ack.una, ack.nxt) =
        (Time::ZERO + Span::from_ms(at_ms), bytes, 1 << 20, 2 << 20);
    (ack.in_flight, ack.window_limited) = (cc.cwnd(), true);
    (ack.rtt, ack.srtt, ack.min_rtt) =
        (Some(Span::from_ms(100)), Some(Span::from_ms(100)), Some(Span::from_ms(100)));
    cc.on_ack(&ack, &mut Commands::default());
}

/// Window and threshold stay as many bytes; a timeout then leaves one segment of the new size, in
/// either direction, and the window is never less than a segment.
#[test]
fn windows_stay_and_the_loss_window_is_a_segment_of_the_new_size() {
    for entry in CATALOGUE {
        let name = entry.about.name;
        for seed in 0..40 {
            let mut cc = lived(name, seed);
            let before = (cc.cwnd(), cc.ssthresh());
            for mss in [500, 250, 1000] {
                let windows = (cc.cwnd(), cc.ssthresh());
                cc.on_mss(mss);
                assert_eq!(cc.cwnd(), windows.0.max(mss), "{name}: the window at {mss}");
                let least = windows.1.map(|s| s.max(2 * mss));
                assert!(
                    cc.ssthresh() == windows.1 || cc.ssthresh() == least,
                    "{name}: {windows:?} {:?}",
                    cc.ssthresh()
                );
            }
            assert_eq!(cc.cwnd(), before.0, "{name}: the window is what it was");
            for mss in [500, 250, 1000] {
                cc.on_mss(mss);
                let timeout = Congestion::new(
                    Time::ZERO + Span::from_secs(9),
                    Cause::Timeout { first: true },
                    before.0,
                    &[],
                );
                cc.on_congestion(&timeout, &mut Commands::default());
                assert_eq!(cc.cwnd(), mss, "{name}: a segment after a timeout");
                assert!(cc.ssthresh().is_none_or(|s| s >= mss), "{name}: {:?}", cc.ssthresh());
            }
        }
    }
}

/// Congestion avoidance adds a segment of the new size in a round trip (RFC 5681), which is what
/// makes a flow's rate go by its MSS.
#[test]
fn what_grows_by_segments_grows_by_the_new_ones() {
    for name in [
        "tahoe",
        "reno",
        "newreno",
        "sack",
        "aimd",
        "dcr",
        "freeze",
        "westwood_plus",
        "jersey",
        "cae",
    ] {
        let path = dumbbell_core::transport::Path {
            initial_window: 100_000,
            initial_ssthresh: 2000,
            growth_limit: 1,
            ..PATH
        };
        let mut cc = AnyCc::build(name, &serde_json::json!({}), &path).unwrap();
        cc.on_mss(250);
        (0..400).for_each(|i| ack(&mut cc, 1000 + i, 250));
        let grown = cc.cwnd() - 100_000;
        assert!((248..=250).contains(&grown), "{name}: {grown} bytes in a round trip");
    }
}

/// CUBIC's maximum and its like are counted in segments: the goal stays as many bytes.
#[test]
fn goals_stay_as_many_bytes() {
    for name in ["cubic", "bic"] {
        let grown = |size: Option<u64>| {
            let mut cc = lived(name, 7);
            let flight = cc.cwnd().max(400_000);
            cc.on_idle(flight);
            (0..2000).for_each(|i| ack(&mut cc, 2000 + i, 2000));
            cc.on_congestion(
                &Congestion::new(Time::ZERO + Span::from_secs(5), Cause::Loss, cc.cwnd(), &[]),
                &mut Commands::default(),
            );
            let goal = cc.cwnd();
            if let Some(mss) = size {
                cc.on_mss(mss);
            }
            (0..4000).for_each(|i| ack(&mut cc, 5000 + i / 4, 1000));
            cc.cwnd() as f64 / goal as f64
        };
        let (same, smaller) = (grown(None), grown(Some(500)));
        assert!(
            (smaller / same - 1.0).abs() < 0.15,
            "{name}: {same} and {smaller} of the window \
            after the loss"
        );
    }
}
