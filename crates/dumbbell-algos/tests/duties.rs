//! What every congestion control does at the same words of its sender, and who does otherwise.
use dumbbell_algos::cc::{AnyCc, CATALOGUE};
use dumbbell_core::transport::{Ack, Cause, Commands, Congestion, CongestionControl, Path, Phase};
use dumbbell_core::units::{Span, Time};

const MSS: u64 = 1000;
/// A connection that begins with 20 segments, in slow start.
const PATH: Path = Path {
    mss: MSS,
    initial_window: 20 * MSS,
    initial_ssthresh: u64::MAX,
    growth_limit: 2,
    ..Path::PLAIN
};
/// Whose window follows from a model of the path.
const MODELS: [&str; 4] = ["bbr", "bbr3", "copa", "vivace"];
/// Who begins with fewer segments than it is allowed.
const MODEST: [&str; 2] = ["ledbat", "peach"];

/// (cwnd, ssthresh), bytes.
type Windows = (u64, Option<u64>);

/// The windows of each control, fresh and after `f`; those named are left out.
fn after(left_out: &[&[&str]], f: impl Fn(&mut AnyCc)) -> Vec<(&'static str, [Windows; 2])> {
    let names = CATALOGUE.iter().map(|entry| entry.about.name);
    names
        .filter(|name| !left_out.iter().any(|some| some.contains(name)))
        .map(|name| {
            let mut cc = AnyCc::build(name, &serde_json::json!({}), &PATH).unwrap();
            let fresh = (cc.cwnd(), cc.ssthresh());
            f(&mut cc);
            (name, [fresh, (cc.cwnd(), cc.ssthresh())])
        })
        .collect()
}

/// A congestion event with so many segments in flight.
fn event(cc: &mut AnyCc, cause: Cause, in_flight: u64) {
    let now = Time::ZERO + Span::from_secs(5);
    let event = Congestion::new(now, cause, in_flight * MSS, &[]);
    cc.on_congestion(&event, &mut Commands::default());
}

/// An acknowledgment of so many segments.
fn ack(cc: &mut AnyCc, segments: u64, edit: impl FnOnce(&mut Ack)) {
    let mut ack = Ack::default();
    (ack.now, ack.acked, ack.una, ack.nxt) =
        (Time::ZERO + Span::from_secs(1), segments * MSS, 1 << 20, 2 << 20);
    (ack.in_flight, ack.window_limited) = (cc.cwnd(), true);
    let rtt = Some(Span::from_ms(100));
    (ack.rtt, ack.srtt, ack.min_rtt) = (rtt, rtt, rtt);
    edit(&mut ack);
    cc.on_ack(&ack, &mut Commands::default());
}

/// The end of a recovery (RFC 6582 section 3.2) and a pause (RFC 5681 section 4.1) have a bound,
/// which leaves a segment at least and raises nothing.
#[test]
fn a_bound_holds() {
    for bound in [4, 0, 100] {
        let recovered = after(&[&MODELS], |cc| cc.on_recovered(Time::ZERO, bound * MSS));
        let paused = after(&[&["vivace"]], |cc| cc.on_idle(bound * MSS));
        for (name, [(fresh, _), (cwnd, _)]) in recovered.into_iter().chain(paused) {
            assert_eq!(cwnd, fresh.min(bound.max(1) * MSS), "{name} at {bound}");
        }
    }
}

/// A timeout leaves one segment (RFC 5681 section 3.1), and another of the same segment the
/// threshold; a loss of tags changes no window.
#[test]
fn a_timeout_leaves_a_segment() {
    for (name, [fresh, windows]) in after(&[], |cc| event(cc, Cause::Further, 18)) {
        assert_eq!(windows, fresh, "{name}");
    }
    let once = after(&[], |cc| event(cc, Cause::Timeout { first: true }, 18));
    let twice = after(&[], |cc| {
        event(cc, Cause::Timeout { first: true }, 18);
        event(cc, Cause::Timeout { first: false }, 1);
    });
    for ((name, [_, first]), (_, [_, second])) in once.into_iter().zip(twice) {
        assert_eq!((first.0, second), (MSS, first), "{name}");
    }
}

/// RFC 4015: window and threshold are as before. (Vivace forgets what a timeout took.)
#[test]
fn a_spurious_reduction_is_taken_back() {
    for cause in [Cause::Loss, Cause::Ecn, Cause::Timeout { first: true }] {
        let spurious = after(&[&["vivace", "peach"]], |cc| {
            event(cc, cause, 18);
            event(cc, Cause::Spurious, 18);
        });
        for (name, [fresh, windows]) in spurious {
            assert_eq!(windows, fresh, "{name} {cause:?}");
        }
    }
}

/// What remains of 18 segments in flight after a loss, and of a window of 20 after an echo: half
/// (RFC 5681), or what its own paper says; of those that go by an estimate of the path, which is
/// none yet, two segments.
#[test]
fn a_reduction_leaves_a_share() {
    let own: [(&str, u64, u64); 11] = [
        ("bic", 14_400, 16_000),
        ("cubic", 12_600, 12_600),
        ("scalable", 15_750, 17_500),
        ("yeah", 15_750, 17_500),
        ("ledbat_pp", 9000, 9000),
        ("westwood", 2000, 2000),
        ("westwood_plus", 2000, 2000),
        ("jersey", 20_000, 2000),
        ("new_jersey", 20_000, 2000),
        // The threshold; the window is a segment after a loss.
        ("tahoe", 9000, 10_000),
        ("prague", 9000, 10_000),
    ];
    let left_out = [&MODELS[..], &MODEST[..]];
    for (cause, usual) in [(Cause::Loss, 9000), (Cause::Ecn, 10_000)] {
        for (name, [fresh, windows]) in after(&left_out, |cc| event(cc, cause, 18)) {
            let share = own.iter().find(|own| own.0 == name);
            let left = share.map_or(usual, |own| if cause == Cause::Loss { own.1 } else { own.2 });
            let kept = left == fresh.0;
            let cwnd = if name == "tahoe" && cause == Cause::Loss { MSS } else { left };
            let expected = (cwnd, if kept { fresh.1 } else { Some(left) });
            assert_eq!(windows, expected, "{name} {cause:?}");
        }
    }
    // Two segments at least.
    for (name, [_, (_, ssthresh)]) in
        after(&[&left_out.concat(), &["jersey", "new_jersey"]], |cc| event(cc, Cause::Loss, 1))
    {
        assert_eq!(ssthresh, Some(2 * MSS), "{name}");
    }
}

/// Slow start adds what is acknowledged, two segments at most with the limit of RFC 3465 that the
/// path has; nothing if the window was not full, if the acknowledgment echoes congestion, during a
/// recovery, and for a duplicate.
#[test]
fn slow_start_adds_what_is_acknowledged() {
    let left_out: [&[&str]; 3] = [&MODELS, &MODEST, &["hybla", "ledbat_pp"]];
    for (segments, added) in [(1, 1), (2, 2), (3, 2), (0, 0)] {
        for (name, [(fresh, _), (cwnd, _)]) in after(&left_out, |cc| ack(cc, segments, |_| ())) {
            // CUBIC's slow start is HyStart++'s, which has a limit of its own.
            let added = if name == "cubic" { segments } else { added };
            assert_eq!(cwnd, fresh + added * MSS, "{name} {segments}");
        }
    }
    let edits: [fn(&mut Ack); 3] = [
        |ack| ack.window_limited = false,
        |ack| ack.phase = Phase::Recovery,
        |ack| (ack.ece, ack.marked) = (true, ack.acked),
    ];
    for (n, edit) in edits.into_iter().enumerate() {
        for (name, [(fresh, _), (cwnd, _)]) in after(&left_out, |cc| ack(cc, 1, edit)) {
            assert_eq!(cwnd, fresh, "{name} {n}");
        }
    }
}

/// After a timeout at segments of 250 bytes the windows are the least ones; where larger segments
/// pass again, they are the least ones of those.
#[test]
fn the_least_windows_grow_with_the_segments() {
    let grown = after(&[], |cc| {
        cc.on_mss(250);
        let now = Time::ZERO + Span::from_secs(5);
        let timeout = Congestion::new(now, Cause::Timeout { first: true }, 250, &[]);
        cc.on_congestion(&timeout, &mut Commands::default());
        assert_eq!(cc.cwnd(), 250);
        cc.on_mss(MSS);
    });
    for (name, [_, (cwnd, ssthresh)]) in grown {
        assert_eq!(cwnd, MSS, "{name}");
        assert!(ssthresh.is_none_or(|bytes| bytes == 2 * MSS), "{name}: {ssthresh:?}");
    }
}
