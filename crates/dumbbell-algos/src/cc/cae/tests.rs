use super::*;
use dumbbell_core::probe::Gauges;
use dumbbell_core::transport::Phase;

const MSS: u64 = 1000;
const HELD: Option<RtoCommand> = Some(RtoCommand::BACK_OFF);
const RESET: Option<RtoCommand> = Some(RtoCommand::Reset);

/// A control and the acknowledgments that it gets.
struct Bench {
    cae: Cae,
    r: Time,
    t: Time,
    tick: Span,
}

impl Bench {
    fn new(config: CaeConfig) -> Self {
        let path = Path { mss: MSS, initial_window: 10 * MSS, ..Path::PLAIN };
        let at = Time::ZERO + Span::from_secs(1);
        Bench { cae: Cae::new(&config, &path), r: at, t: at, tick: Span::ZERO }
    }

    /// An acknowledgment of nothing new at `t` that left at `r`.
    fn at(&mut self, r: Time, t: Time) -> Option<RtoCommand> {
        (self.r, self.t) = (r, t);
        let period = self.tick.ps().max(1);
        let mut ack = Ack::default();
        (ack.now, ack.peer_clock, ack.peer_tick) =
            (t, Some(Time::from_ps(r.ps() / period * period)), self.tick);
        ack.phase = Phase::Open;
        let mut commands = Commands::default();
        self.cae.on_ack(&ack, &mut commands);
        let rto = commands.rto.take();
        assert!(commands.is_empty());
        rto
    }

    /// One that left `sent_us` after the one before, and came `came_us` after it.
    fn after(&mut self, sent_us: u64, came_us: u64) -> Option<RtoCommand> {
        self.at(self.r + Span::from_us(sent_us), self.t + Span::from_us(came_us))
    }

    fn shown(&self, name: &str) -> f64 {
        let mut gauges = Gauges::default();
        self.cae.probe(&mut gauges);
        gauges.get(name).unwrap()
    }
}

fn bench() -> Bench {
    Bench::new(CaeConfig::default())
}

/// (a) As far apart when they arrive as when they left.
#[test]
fn a_clean_path_gives_no_warning() {
    let mut b = bench();
    for n in 0..1000 {
        let spacing = 1000 + 37 * (n % 11);
        assert_eq!(b.after(spacing, spacing), None);
    }
    assert_eq!((b.shown("estimate"), b.shown("backoffs"), b.shown("warnings")), (1.0, 0.0, 0.0));
}

/// (b) E = 0.5 backs off once, however often; E = 1 resets once. (d) A second episode is a second
/// backoff.
#[test]
fn an_episode_backs_off_once_and_ends_with_a_reset() {
    let mut b = bench();
    assert_eq!(b.after(10_000, 10_000), None, "the first has none before it");
    for episode in 1..=3 {
        assert_eq!(b.after(10_000, 20_000), HELD);
        assert_eq!((b.shown("estimate"), b.shown("warning")), (0.5, 1.0));
        assert!((0..50).all(|_| b.after(10_000, 20_000).is_none()));
        assert_eq!(b.after(10_000, 10_000), RESET);
        assert!((0..50).all(|_| b.after(10_000, 10_000).is_none()));
        assert_eq!(
            (b.shown("backoffs"), b.shown("resets"), b.shown("warning")),
            (f64::from(episode), f64::from(episode), 0.0)
        );
        assert_eq!(b.shown("warnings"), 51.0 * f64::from(episode));
    }
}

/// (c) The threshold itself is not a warning.
#[test]
fn the_threshold_is_exclusive() {
    let mut b = bench();
    b.after(0, 0);
    assert_eq!(b.after(7500, 10_000), None);
    assert_eq!(b.shown("estimate"), 0.75);
    assert_eq!(b.after(7499, 10_000), HELD);
    assert_eq!(b.after(7500, 10_000), RESET);
}

/// (e) Data that is late on its way forward is acknowledged late: both spacings grow.
#[test]
fn a_delay_of_the_forward_path_is_none_of_its_business() {
    let mut b = bench();
    for spacing in [10_000, 10_000, 20_000, 40_000, 20_000, 10_000, 500] {
        assert_eq!(b.after(spacing, spacing), None);
    }
    assert_eq!(b.shown("estimate"), 1.0);
}

/// (f) What queued arrives compressed: E = 10 ends a warning.
#[test]
fn compressed_acks_end_a_warning() {
    let mut b = bench();
    b.after(0, 0);
    assert_eq!(b.after(10_000, 30_000), HELD);
    assert_eq!(b.after(10_000, 1000), RESET);
    assert_eq!(b.shown("estimate"), 10.0);
    // At one instant: a unit of timestamps apart, not infinitely fast.
    assert_eq!(b.after(16_384, 0), None);
    assert_eq!(b.shown("estimate"), 1e6);
}

/// (g) A clock of 1 ms under 5000 ACKs a second, or fewer: over `kmin` ticks there is nothing to
/// warn of, whatever the clock's phase; over one there is.
#[test]
fn a_coarse_clock_gives_no_false_warning() {
    let warnings = |kmin, phase: u64, spacing: u64| {
        let mut b = Bench::new(CaeConfig { kmin, ..CaeConfig::default() });
        b.tick = Span::from_ms(1);
        b.r += Span::from_us(phase);
        // With a jitter of the way forward.
        for n in 0..50_000 {
            let spacing = spacing + [0, 50, 13, 31, 7][n % 5] - [50, 0, 31, 7, 13][n % 5];
            b.after(spacing, spacing);
        }
        b.shown("warnings")
    };
    for phase in [0, 1, 199, 500, 801, 999] {
        for spacing in [200, 333, 1400, 1999] {
            assert_eq!(warnings(4, phase, spacing), 0.0, "phase {phase}, {spacing} us");
        }
    }
    assert!(warnings(1, 500, 1400) > 1000.0, "without kmin there are false ones");
}

/// Acknowledgments that are closer than `kmin` ticks are judged together with later ones: none is
/// forgotten.
#[test]
fn close_acks_are_judged_together() {
    let mut b = bench();
    b.tick = Span::from_ms(1);
    b.at(Time::ZERO + Span::from_ms(1000), Time::ZERO + Span::from_ms(1100));
    assert!((0..3).all(|_| b.after(1000, 2000).is_none()), "3 ms are less than 4 ticks");
    assert_eq!(b.after(1000, 2000), HELD);
    assert_eq!(b.shown("estimate"), 0.5);
}

/// An acknowledgment that overtook another one is not judged, and the earlier one not against it.
#[test]
fn what_comes_out_of_order_is_not_judged() {
    let mut b = bench();
    b.after(0, 0);
    b.after(10_000, 10_000);
    let (r, t) = (b.r, b.t);
    assert_eq!(b.at(Time::from_ps(r.ps() - 5_000_000_000), t + Span::from_ms(1)), None);
    assert_eq!(b.shown("estimate"), 1.0);
    assert_eq!(
        b.at(r + Span::from_ms(10), t + Span::from_ms(20)),
        HELD,
        "against the newest, not \
        the late one"
    );
}

/// After a timeout the next acknowledgment is the first; the warning stands.
#[test]
fn a_timeout_begins_anew() {
    let mut b = bench();
    b.after(0, 0);
    assert_eq!(b.after(10_000, 20_000), HELD);
    let event = Congestion::new(b.t, Cause::Timeout { first: true }, 8 * MSS, &[]);
    b.cae.on_congestion(&event, &mut Commands::default());
    assert_eq!((b.cae.cwnd(), b.shown("warning")), (MSS, 1.0));
    assert_eq!(b.after(10_000, 900_000), None, "no estimate over the timeout");
    assert_eq!(b.shown("estimate"), 0.5);
    assert_eq!(b.after(10_000, 10_000), RESET);
}

/// `timer` and `hold` say how; `ewma` averages what is at most 1.
#[test]
fn options() {
    let mut b =
        Bench::new(CaeConfig { timer: TimerRule::FromNow, hold: false, ..CaeConfig::default() });
    b.after(0, 0);
    assert_eq!(b.after(10_000, 20_000), Some(RtoCommand::BackOff { held: false, from_now: true }));
    let mut b = Bench::new(CaeConfig { ewma: 0.125, ..CaeConfig::default() });
    b.after(0, 0);
    let expected = [
        1.0 - 0.5 / 8.0,
        0.882_812_5,
        0.834_960_937_5,
        0.793_090_820_312_5,
        0.756_454_467_773_437_5,
    ];
    for x in expected {
        assert_eq!(b.after(10_000, 20_000), None);
        assert_eq!(b.shown("estimate"), x);
    }
    assert_eq!(b.after(10_000, 20_000), HELD);
    // 0.7244 before: an average that is above the threshold again after one estimate of 1, not of
    // 10.
    assert_eq!(b.after(10_000, 1000), RESET);
    assert!((b.shown("estimate") - 0.758_85).abs() < 1e-4, "{}", b.shown("estimate"));
}

/// A threshold of 0 warns of nothing.
#[test]
fn without_a_threshold_it_is_its_base() {
    for base in [Base::Reno, Base::Newreno, Base::Sack] {
        let mut b = Bench::new(CaeConfig { threshold: 0.0, base, ..CaeConfig::default() });
        assert!([1, 10, 1000, 100_000].iter().all(|came| b.after(1, *came).is_none()));
        let implied = b.cae.tcp_overrides();
        assert_eq!((implied.recovery, implied.timestamps), (Some(base.name()), true));
    }
}
