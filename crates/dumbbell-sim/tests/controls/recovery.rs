//! The time that controls for large windows take from one loss to the next, by the closed forms of
//! their growth.
use crate::bottleneck::{Bottleneck, Sender, losses};
use serde_json::json;

/// 625 packets on their way, and a buffer of a tenth of that.
const LARGE: Bottleneck = Bottleneck { rate: 50, rtt: 100, buffer: 62, loss: 0.0 };

/// Seconds from window `from` to `to`, when a round trip at `w` adds `step(w, t)`, `t` seconds
/// after the start.
fn time(from: f64, to: f64, step: impl Fn(f64, f64) -> f64) -> f64 {
    let (mut w, mut t) = (from, 0.0);
    while w < to {
        let rtt = (w / LARGE.bdp()).max(1.0) * LARGE.rtt as f64 / 1e3;
        let part = (1.0 / step(w, t)).min(0.1);
        t += part * rtt;
        w += part * step(w, t);
    }
    t
}

/// The mean time between the losses of a run, over that of the closed form from the window that
/// each left to that of the next one; and the time by which Reno would be slower.
fn against_closed_form(
    control: Sender,
    seconds: u64,
    step: impl Fn(f64, f64, f64) -> f64,
) -> (f64, f64) {
    let found = losses(&LARGE, control, seconds, 0.9 * LARGE.bdp());
    assert!(found.len() >= 4, "{found:?}");
    // The first is that of another history.
    let pairs: Vec<_> = found.windows(2).skip(1).map(|p| (p[0], p[1])).collect();
    let measured: f64 = pairs.iter().map(|(a, b)| b.t.since(a.t).seconds()).sum();
    // Repair takes a round trip, in which the window stays, and a loss is found one after the queue
    // overflowed.
    let law: f64 = pairs
        .iter()
        .map(|(a, b)| 0.11 + time(a.after, b.before, |w, t| step(w, t, a.before)))
        .sum();
    let reno: f64 = pairs.iter().map(|(_, b)| time(b.before / 2.0, b.before, |_, _| 1.0)).sum();
    println!("{found:?}\nmeasured {measured} law {law} reno {reno} in {}", pairs.len());
    (measured / law, reno / measured)
}

#[track_caller]
fn agrees((of_law, faster): (f64, f64), at_least: f64) {
    assert!((of_law - 1.0).abs() < 0.1, "{of_law} of the closed form's time");
    assert!(faster > at_least, "only {faster} times as fast as Reno");
}

/// W / 2 round trips.
#[test]
fn reno() {
    let (of_law, _) = against_closed_form(("sack", json!({}), 0), 130, |_, _, _| 1.0);
    assert!((of_law - 1.0).abs() < 0.1, "{of_law} of the closed form's time");
}

/// a(w) of RFC 3649.
#[test]
fn highspeed() {
    let law = |w: f64| {
        let b = 0.5 - 0.4 * libm::log(w / 38.0) / libm::log(83_000.0 / 38.0);
        2.0 * 0.078 * libm::pow(w, 0.8) * b / (2.0 - b)
    };
    agrees(against_closed_form(("highspeed", json!({}), 0), 40, |w, _, _| law(w)), 6.0);
}

/// ln(1 / 0.875) / ln(1.01) round trips.
#[test]
fn scalable() {
    agrees(against_closed_form(("scalable", json!({}), 0), 30, |w, _, _| 0.01 * w), 15.0);
}

/// Steps of at most 16, then quarters of the distance, then fifths of a segment.
#[test]
fn bic() {
    let law = |w: f64, m: f64| match (m - w) / 4.0 {
        d if d > 1.0 => d.min(16.0),
        d if d > -1.0 => 0.2,
        d => (-4.0 * d / 3.0).min(16.0),
    };
    agrees(against_closed_form(("bic", json!({}), 0), 60, |w, _, m| law(w, m)), 5.0);
}

/// alpha = 2 (1 - beta) (1 + 10 d + d^2 / 4), d seconds after the first, with beta = RTT_min /
/// RTT_max, here above 0.8.
#[test]
fn htcp() {
    let law = |t: f64| {
        let d = (t - 1.0).max(0.0);
        (0.4 * (1.0 + 10.0 * d + 0.25 * d * d)).max(1.0)
    };
    agrees(against_closed_form(("htcp", json!({}), 0), 60, |_, t, _| law(t)), 5.0);
}
