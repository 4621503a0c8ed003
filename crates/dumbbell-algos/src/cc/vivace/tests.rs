use super::*;
use steps::amplifier;

/// An interval of 100 ms at `mbps`, filled, whose round-trip time grows by `slope`.
fn interval(mbps: f64, slope: f64, lost: f64) -> Interval {
    let start = Time::ZERO + Span::from_secs(1);
    let mut i = Interval::new(start, Span::from_ms(100), mbps * MBIT, Role::Up);
    i.sent = (mbps * MBIT * 0.1) as u64;
    i.lost = (i.sent as f64 * lost) as u64;
    for ms in 0..100u32 {
        let rtt = Span::from_secs_f64(0.05 + slope * f64::from(ms) * 1e-3);
        i.sample(start + Span::from_ms(u64::from(ms)), rtt);
    }
    i
}

/// Equation (1): 10^0.9 - 900 * 10 * gradient - 11.35 * 10 * L.
#[test]
fn the_utility() {
    let config = VivaceConfig::default();
    for (slope, lost, u) in [
        (0.0, 0.0, 7.943),
        (0.02, 0.0, 7.943 - 180.0),
        (-0.02, 0.0, 7.943 + 180.0),
        (0.009, 0.0, 7.943),
        (0.0, 0.1, 7.943 - 11.35),
    ] {
        let found = interval(10.0, slope, lost).utility(&config).unwrap();
        assert!((found - u).abs() < 0.02, "{slope} {lost}: {found}, not {u}");
    }
    let mut idle = interval(10.0, 0.0, 0.0);
    idle.sent /= 2;
    assert_eq!(idle.utility(&config), None, "an interval that was not filled");
}

#[test]
fn the_confidence_amplifier() {
    assert_eq!([1, 2, 3, 4, 5].map(amplifier), [1.0, 2.0, 3.0, 5.0, 7.0]);
}

/// At 100 Mbit/s with theta = 1: 1, 2, 3, then 5 Mbit/s for a gradient of 1; a turn begins again.
/// A gradient of 100 is cut at 5 %, 15 %, 25 %, ...; one that fits lowers the boundary again.
#[test]
fn the_steps() {
    let config = VivaceConfig::default();
    let mut steps = Steps::default();
    let small: Vec<f64> = (0..4).map(|_| steps.change(1.0, 100.0, &config)).collect();
    assert_eq!(small, [1.0, 2.0, 3.0, 5.0]);
    assert_eq!(steps.change(-1.0, 100.0, &config), -1.0);
    let mut steps = Steps::default();
    let large: Vec<f64> = (0..3).map(|_| steps.change(100.0, 100.0, &config)).collect();
    for (found, most) in large.iter().zip([5.0, 15.0, 25.0]) {
        assert!((found - most).abs() < 1e-9, "{large:?}");
    }
    assert_eq!(steps.k, 3);
    // tau = 4: 5 * 4 = 20 is within 35 %, and 0.05 + 2 * 0.1 holds it.
    assert_eq!((steps.change(4.0, 100.0, &config), steps.k), (20.0, 2));
    assert_eq!((steps.change(-100.0, 100.0, &config), steps.k), (-5.0, 1));
}

/// The rate doubles in each interval in which it was used, and returns to the one before where the
/// utility fell.
#[test]
fn the_start() {
    let path = Path { mss: 1000, initial_window: 10_000, ..Path::PLAIN };
    let mut m = Model::new(&VivaceConfig::default(), &path);
    m.on_open(Time::ZERO, Some(Span::from_ms(100)), 1 << 20, &mut Commands::default());
    let mut rates = Vec::new();
    for n in 0..5u64 {
        m.roll(Time::ZERO + Span::from_ms(100 * n));
        let rate = m.pacing().unwrap().bps();
        rates.push(rate);
        // In the second interval there was little to send.
        m.intervals.back_mut().unwrap().sent = if n == 1 { 1000 } else { rate / 80 };
    }
    assert_eq!(rates, [800_000, 1_600_000, 1_600_000, 3_200_000, 6_400_000]);
    for (mbps, slope, goes_on) in [(3.2, 0.0, true), (6.4, 0.5, false)] {
        let mut over = interval(mbps, slope, 0.0);
        over.role = Role::Start;
        m.settle(&over);
        assert_eq!(m.starting, goes_on);
    }
    assert!((m.rate.unwrap() / MBIT - 3.2).abs() < 1e-9);
}

/// After a timeout there is one segment, until new data is acknowledged; a duplicate, selective or
/// not, is not enough.
#[test]
fn a_timeout_holds_until_new_data_is_acknowledged() {
    let path = Path { mss: 1000, initial_window: 10_000, ..Path::PLAIN };
    let mut m = Model::new(&VivaceConfig::default(), &path);
    m.on_open(Time::ZERO, Some(Span::from_ms(100)), 1 << 20, &mut Commands::default());
    let event = Congestion::new(Time::ZERO, Cause::Timeout { first: true }, 10_000, &[]);
    m.on_congestion(&event, &mut Commands::default());
    let mut ack = Ack::default();
    (ack.now, ack.rtt) = (Time::ZERO + Span::from_ms(1), Some(Span::from_ms(100)));
    let windows = [(0, 0), (0, 1000), (1000, 0)].map(|(acked, sacked)| {
        (ack.acked, ack.sacked) = (acked, sacked);
        m.on_ack(&ack, &mut Commands::default());
        m.cwnd()
    });
    // The timeout has halved the rate of ten segments in a round trip; the window is two of it.
    assert_eq!(windows, [1000, 1000, 10_000]);
}

/// Start goes on while the utility does not fall; then the rate follows the gradient: a utility
/// that is 0.3 higher at 10.5 than at 9.5 Mbit/s leads from 10 to 10.3.
#[test]
fn the_rate_follows_the_gradient() {
    let path = Path { mss: 1000, initial_window: 10_000, ..Path::PLAIN };
    let mut m = Model::new(&VivaceConfig::default(), &path);
    m.set_srtt(Span::from_ms(50));
    let of = |role, mbps| {
        let mut over = interval(mbps, 0.0, 0.0);
        over.role = role;
        over
    };
    for (mbps, starting) in [(8.0, true), (8.0, true), (4.0, false)] {
        m.settle(&of(Role::Start, mbps));
        assert_eq!(m.starting, starting, "{mbps}");
    }
    assert_eq!(m.rate, Some(2.0 * MBIT), "half of the one whose utility was less");
    m.rate = Some(10.0 * MBIT);
    (m.pair.up, m.pair.down) = (Some(5.3), Some(5.0));
    m.settle(&of(Role::Wait, 10.0));
    assert!((m.rate.unwrap() / MBIT - 10.3).abs() < 1e-9, "{:?}", m.rate);
    assert_eq!((m.pair.up, m.pair.down, m.pair.begun), (None, None, 0));
}
