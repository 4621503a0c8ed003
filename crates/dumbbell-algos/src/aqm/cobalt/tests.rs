//! COBALT: the instants of CoDel's law, its return to it, and BLUE's steps and odds.
use super::super::codel::law::tests::SIGNALS;
use super::*;
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::probe::Gauges;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::Backlog;
use dumbbell_core::units::Capacity;

/// A queue that stands: COBALT asks nothing of it.
struct Standing;

impl QueueView for Standing {
    fn backlog(&self) -> Backlog {
        Backlog { packets: 100, bytes: 150_000, buffers: 0 }
    }
    fn meta(&self, _: u32) -> Option<Meta> {
        None
    }
}

/// A COBALT that gets one event after the other.
struct Asked {
    cobalt: Cobalt,
    site: LinkInfo,
    rng: Stream,
}

impl Asked {
    fn new(config: &CobaltConfig) -> Self {
        config.check().unwrap();
        let site = link(Capacity::Unlimited);
        Asked { cobalt: Cobalt::new(config, &site), site, rng: Stream::named(1, "cobalt") }
    }
    fn at<T>(&mut self, at: Span, tell: impl FnOnce(&mut Cobalt, &mut Cx<'_>) -> T) -> T {
        let flows = FlowTable::default();
        let mut cx =
            Cx { now: Time::ZERO + at, rng: &mut self.rng, link: &self.site, flows: &flows };
        tell(&mut self.cobalt, &mut cx)
    }
    fn depart(&mut self, at: Span, sojourn: Span, ecn: Ecn) -> Verdict {
        self.at(at, |cobalt, cx| cobalt.depart(cx, &Standing, &packet(0, 1500, ecn), sojourn))
    }
    fn overflow(&mut self, at: Span) {
        self.at(at, |cobalt, cx| cobalt.overflowed(cx, Limit::Own));
    }
    fn idle(&mut self, at: Span) {
        self.at(at, |cobalt, cx| cobalt.idle(cx));
    }
    fn gauge(&self, name: &str) -> f64 {
        let mut seen = Gauges::default();
        self.cobalt.probe(&mut seen);
        seen.get(name).unwrap()
    }
}

const STEP: Span = Span::from_us(10);
const LONG: Span = Span::from_ms(50);

/// Instants (ms) at which packets that waited long get a signal, from `from` on for `n` steps of 10
/// us.
fn signals(asked: &mut Asked, from: Span, n: u64, ecn: Ecn) -> Vec<f64> {
    let mut all = Vec::new();
    for i in 0..n {
        let at = from + STEP * i;
        if asked.depart(at, LONG, ecn) != Verdict::Pass {
            all.push(at.seconds() * 1e3);
        }
    }
    all
}

fn agree(ours: &[f64], known: &[f64]) {
    assert_eq!(ours.len(), known.len(), "{ours:?}");
    for (ours, known) in ours.iter().zip(known) {
        assert!((-6e-4..0.0106).contains(&(ours - known)), "{ours} ms, known {known} ms");
    }
}

/// The first signal comes an interval after the delay rose above target, the others by CoDel's law.
#[test]
fn a_standing_queue_is_signalled_by_codels_law() {
    for (ecn, on) in [(Ecn::NotEct, false), (Ecn::Ect0, true)] {
        let mut asked = Asked::new(&CobaltConfig { ecn: on, ..CobaltConfig::default() });
        agree(&signals(&mut asked, Span::ZERO, 58_900, ecn), &SIGNALS[1..]);
    }
}

/// A COBALT after four signals of a standing queue, and the instant of the next, ms.
fn after_four_signals() -> (Asked, f64) {
    let mut asked = Asked::new(&CobaltConfig::default());
    assert_eq!(signals(&mut asked, Span::ZERO, 31_630, Ecn::NotEct).len(), 4);
    assert_eq!(asked.gauge("count"), 5.0);
    (asked, SIGNALS[4] + 100.0 / 5f64.sqrt())
}

/// Below target the count goes down at the instants at which it would have gone up, each time a
/// longer while; so it does where the queue is empty then.
#[test]
fn the_count_goes_down_by_the_law_by_which_it_grew() {
    // The next signal would be 100/sqrt(5) ms after the last; then 100/sqrt(4), 100/sqrt(3),
    // 100/sqrt(2), 100.
    let goes_down = |(mut asked, mut due): (Asked, f64), calm: fn(&mut Asked, Span)| {
        for count in [4u32, 3, 2, 1] {
            calm(&mut asked, Span::from_secs_f64((due - 0.01) / 1e3));
            assert_eq!(asked.gauge("count"), f64::from(count + 1), "before {due} ms");
            calm(&mut asked, Span::from_secs_f64((due + 0.001) / 1e3));
            assert_eq!(asked.gauge("count"), f64::from(count), "after {due} ms");
            due += 100.0 / f64::from(count).sqrt();
        }
        assert_eq!(asked.gauge("dropping"), 0.0);
        asked
    };
    let mut empty = goes_down(after_four_signals(), Asked::idle);
    empty.idle(Span::from_secs(5));
    assert_eq!(empty.gauge("count"), 0.0);
    empty.idle(Span::from_secs(6));
    assert_eq!(empty.gauge("count"), 0.0);
    let mut asked = goes_down(after_four_signals(), |asked, at| {
        asked.depart(at, Span::ZERO, Ecn::NotEct);
    });
    // A long silence takes the last one, too, and the memory begins anew.
    asked.depart(Span::from_secs(5), Span::ZERO, Ecn::NotEct);
    assert_eq!((asked.gauge("count"), asked.gauge("drop_next")), (0.0, 5.1));
}

/// The rest of the count sets the pace when the delay rises again, without a wait of an interval.
#[test]
fn a_queue_that_stands_again_soon_is_signalled_soon() {
    let mut asked = Asked::new(&CobaltConfig::default());
    signals(&mut asked, Span::ZERO, 58_900, Ecn::NotEct);
    let count = asked.gauge("count");
    assert_eq!(count, 14.0);
    asked.depart(Span::from_ms(590), Span::ZERO, Ecn::NotEct);
    let again = signals(&mut asked, Span::from_ms(591), 5_000, Ecn::NotEct);
    assert!((again[0] - 591.0 - 100.0 / count.sqrt()).abs() < 0.011, "{again:?}");
}

/// At most p_inc in a target's time at overflows, at most p_dec at empty queues; within [0, 1].
#[test]
fn blue_steps_once_in_a_target() {
    let mut asked =
        Asked::new(&CobaltConfig { p_inc: 0.25, p_dec: 0.125, ..CobaltConfig::default() });
    let mut at = Span::from_secs(1);
    for (ms, p) in
        [(0, 0.25), (3, 0.25), (5, 0.25), (6, 0.5), (11, 0.5), (12, 0.75), (18, 1.0), (24, 1.0)]
    {
        at = Span::from_ms(1000 + ms);
        asked.overflow(at);
        assert_eq!(asked.gauge("p_drop"), p, "{ms} ms");
    }
    for i in 0..100u32 {
        at = at + Span::from_ms(1);
        asked.idle(at);
        // 6 ms is the first whole one above 5 ms.
        assert_eq!(asked.gauge("p_drop"), (1.0 - 0.125 * f64::from((i + 1) / 6)).max(0.0), "{i}");
    }
}

/// The defaults' steps: from 0 to 1 in 256 overflows, back in 4096 empty queues.
#[test]
fn blue_goes_up_sixteen_times_as_fast_as_down() {
    let mut asked = Asked::new(&CobaltConfig::default());
    let steps = |asked: &mut Asked, from: u64, until: f64, tell: fn(&mut Asked, Span)| {
        (1u64..).find(|i| {
            tell(asked, Span::from_ms(from + 6 * i));
            asked.gauge("p_drop") == until
        })
    };
    assert_eq!(steps(&mut asked, 0, 1.0, Asked::overflow), Some(256));
    assert_eq!(steps(&mut asked, 10_000, 0.0, Asked::idle), Some(4096));
}

/// BLUE drops with its probability, whether a packet is ECN-capable or not: within 4.4 standard
/// deviations.
#[test]
fn blue_drops_by_chance_and_never_marks() {
    let config = CobaltConfig { p_inc: 0.2, ecn: true, ..CobaltConfig::default() };
    let mut asked = Asked::new(&config);
    asked.overflow(Span::from_secs(1));
    let n = 50_000;
    let mut dropped = 0;
    for i in 0..n {
        match asked.depart(Span::from_secs(10) + STEP * i, Span::ZERO, Ecn::Ect0) {
            Verdict::Drop(Reason::Forced) => dropped += 1,
            other => assert_eq!(other, Verdict::Pass),
        }
    }
    let deviations = (f64::from(dropped) - 0.2 * n as f64) / (0.2 * 0.8 * n as f64).sqrt();
    assert!(deviations.abs() < 4.4, "{dropped} of {n}");
}

/// When every packet is dropped, the link stays idle and no end of a transmission says so: the
/// drops themselves must lower the probability, once in a target's time. A queue that is emptied by
/// a drop at the end of a transmission is told once.
#[test]
fn an_idle_link_ends_a_probability_of_one() {
    let config = CobaltConfig { p_inc: 1.0, p_dec: 1.0 / 1024.0, ..CobaltConfig::default() };
    let site = LinkInfo { capacity: Capacity::Packets(1), ..link(Capacity::Unlimited) };
    let mut bench =
        Bench::new(Fifo::<_, Numbered>::new(Cobalt::new(&config, &site)), site, 1, false);
    let p_drop = |bench: &Bench<Fifo<Cobalt, Numbered>>| {
        let mut seen = Gauges::default();
        bench.port.qdisc().probe(&mut seen);
        seen.get("p_drop").unwrap()
    };
    (0..3).for_each(|_| _ = bench.arrive(Time::ZERO, packet(0, 1500, Ecn::NotEct)));
    assert_eq!(p_drop(&bench), 1.0);
    bench.drain();
    let after = |steps: u64| 1.0 - steps as f64 / 1024.0;
    assert_eq!(p_drop(&bench), after(1), "the head is dropped at 12 ms, which empties the queue");
    for i in 1..=7 {
        bench.arrive(Time::ZERO + Span::from_ms(20 + 6 * i), packet(0, 100, Ecn::NotEct));
        assert_eq!(p_drop(&bench), after(1 + i));
        bench.arrive(Time::ZERO + Span::from_ms(21 + 6 * i), packet(0, 100, Ecn::NotEct));
        assert_eq!(p_drop(&bench), after(1 + i), "no two steps within a target's time");
    }
    assert_eq!(bench.journal.dropped(Reason::Forced), 14);
}

/// An overflow makes the next packet's signal due, though the delay was not above target before.
#[test]
fn an_overflow_is_answered_at_the_head() {
    let config = CobaltConfig { p_inc: 0.0, ..CobaltConfig::default() };
    let site = LinkInfo { capacity: Capacity::Packets(3), ..link(Capacity::Unlimited) };
    let mut bench =
        Bench::new(Fifo::<_, Numbered>::new(Cobalt::new(&config, &site)), site, 1, false);
    for _ in 0..5 {
        bench.arrive(Time::ZERO, packet(0, 1500, Ecn::NotEct));
    }
    bench.drain();
    // The first was in transmission at once, three wait, the fifth overflows; the head goes when
    // the first was sent.
    assert_eq!(bench.journal.0[0], Event::Dropped(4, Reason::Overflow));
    let head: Vec<&Event> =
        bench.journal.0.iter().filter(|e| matches!(e, Event::Dropped(_, Reason::Head))).collect();
    assert_eq!(head, [&Event::Dropped(1, Reason::Head)]);
}

/// ns-3's threshold: a long delay is as good as an overflow; and CAKE's: a delay of few packets is
/// none.
#[test]
fn thresholds_on_the_delay() {
    let blue =
        CobaltConfig { blue_threshold: Span::from_ms(400), p_inc: 0.5, ..CobaltConfig::default() };
    let mut asked = Asked::new(&blue);
    asked.depart(Span::from_secs(1), Span::from_ms(400), Ecn::NotEct);
    assert_eq!(asked.gauge("p_drop"), 0.0);
    asked.depart(Span::from_secs(2), Span::from_ms(401), Ecn::NotEct);
    assert_eq!(asked.gauge("p_drop"), 0.5);

    // Four packets of 1500 B take 48 ms at 1 Mbps.
    let mut asked = Asked::new(&CobaltConfig { mtu_times: 4.0, ..CobaltConfig::default() });
    asked.depart(Span::from_ms(1), Span::from_ms(48), Ecn::NotEct);
    assert_eq!(asked.gauge("dropping"), 0.0);
    asked.depart(Span::from_ms(2), Span::from_ps(48_000_000_001), Ecn::NotEct);
    assert_eq!(asked.gauge("dropping"), 1.0);
}

#[test]
fn contradictions_are_refused() {
    use dumbbell_core::catalogue::read;
    let fault = |json| read::<CobaltConfig>(&json).unwrap_err();
    assert_eq!(fault(serde_json::json!({"target": "0 s"})).at, "target");
    assert_eq!(fault(serde_json::json!({"interval": "0 s"})).at, "interval");
    assert_eq!(fault(serde_json::json!({"p_inc": 2.0})).at, "p_inc");
    assert_eq!(fault(serde_json::json!({"blue_threshold": "4 ms"})).at, "blue_threshold");
}
