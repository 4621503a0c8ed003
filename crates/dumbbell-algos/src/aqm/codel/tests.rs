//! CoDel against RFC 8289 as it stands, and against the instants that its law comes to.
use super::*;
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::probe::Gauges;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::Backlog;
use dumbbell_core::units::Capacity;
use transcription::Literal;

mod transcription;

/// The bytes that wait behind a packet.
struct Behind(u64);

impl QueueView for Behind {
    fn backlog(&self) -> Backlog {
        Backlog { packets: self.0.div_ceil(1500) as u32, bytes: self.0, buffers: 0 }
    }
    fn meta(&self, _: u32) -> Option<Meta> {
        None
    }
}

/// A CoDel that is asked about packets one by one.
struct Asked {
    codel: Codel,
    site: LinkInfo,
    rng: Stream,
}

impl Asked {
    fn new(config: &CodelConfig) -> Self {
        config.check().unwrap();
        let site = link(Capacity::Unlimited);
        Asked { codel: Codel::new(config, &site), site, rng: Stream::named(1, "codel") }
    }
    fn depart(&mut self, at: Span, sojourn: Span, behind: u64, ecn: Ecn) -> Verdict {
        let flows = FlowTable::default();
        let mut cx =
            Cx { now: Time::ZERO + at, rng: &mut self.rng, link: &self.site, flows: &flows };
        self.codel.depart(&mut cx, &Behind(behind), &packet(0, 1500, ecn), sojourn)
    }
    fn gauge(&self, name: &str) -> f64 {
        let mut seen = Gauges::default();
        self.codel.probe(&mut seen);
        seen.get(name).unwrap()
    }
}

const STEP: Span = Span::from_us(10);
const STANDING: u64 = 1_000_000;

/// Instants of the signals (ms) of a queue that stands from `from` on for `n` steps of 10 us.
fn standing(asked: &mut Asked, from: Span, n: u64, ecn: Ecn) -> Vec<f64> {
    let mut at = from;
    let mut all = Vec::new();
    for _ in 0..n {
        while let signal @ (Verdict::Drop(_) | Verdict::Mark(_)) =
            asked.depart(at, Span::from_ms(50), STANDING, ecn)
        {
            all.push(at.seconds() * 1e3);
            if matches!(signal, Verdict::Mark(_)) {
                break;
            }
        }
        at = at + STEP;
    }
    all
}

/// The drops of a queue that stands: the first after an interval, then by the law.
#[test]
fn a_standing_queue_is_dropped_from_by_the_law() {
    for (ecn, on) in [(Ecn::NotEct, false), (Ecn::NotEct, true), (Ecn::Ect0, true)] {
        let mut asked = Asked::new(&CodelConfig { ecn: on, ..CodelConfig::default() });
        let signals = standing(&mut asked, Span::ZERO, 69_000, ecn);
        let known = law::tests::SIGNALS;
        assert_eq!(signals.len(), known.len(), "{signals:?}");
        for (ours, known) in signals.iter().zip(known) {
            let late = ours - 100.0 - known;
            assert!((-6e-4..0.0106).contains(&late), "{ours} ms, known {known} ms after the first");
        }
    }
}

/// The delay must be above target for all of an interval; one packet below begins again.
#[test]
fn one_short_delay_is_enough_to_wait_another_interval() {
    let mut asked = Asked::new(&CodelConfig::default());
    assert!(standing(&mut asked, Span::ZERO, 9_999, Ecn::NotEct).is_empty());
    assert_eq!(
        asked.depart(Span::from_us(99_995), Span::from_ps(4_999_999_999), STANDING, Ecn::NotEct),
        Verdict::Pass
    );
    let signals = standing(&mut asked, Span::from_ms(100), 10_001, Ecn::NotEct);
    assert_eq!(signals, [200.0]);
}

#[test]
fn a_queue_of_an_mtu_is_left_alone() {
    let mut asked = Asked::new(&CodelConfig::default());
    let long = Span::from_secs(1);
    for i in 0..40_000 {
        assert_eq!(asked.depart(STEP * i, long, 1500, Ecn::NotEct), Verdict::Pass);
    }
    assert_eq!(asked.depart(Span::from_ms(400), long, 1501, Ecn::NotEct), Verdict::Pass);
    assert_eq!(
        asked.depart(Span::from_ms(500), long, 1501, Ecn::NotEct),
        Verdict::Drop(Reason::Head)
    );
}

/// After 14 signals (count 14, lastcount 1) the queue empties. If it stands again soon, count goes
/// on at 13; 16 intervals after drop_next it begins at 1.
#[test]
fn count_is_remembered_for_sixteen_intervals() {
    for (pause, count) in
        [(Span::from_ms(10), 13.0), (Span::from_ms(1_480), 13.0), (Span::from_ms(1_540), 1.0)]
    {
        let mut asked = Asked::new(&CodelConfig::default());
        assert_eq!(standing(&mut asked, Span::ZERO, 69_000, Ecn::NotEct).len(), 14);
        assert_eq!((asked.gauge("count"), asked.gauge("lastcount")), (14.0, 1.0));
        let next = asked.gauge("drop_next");
        assert_eq!(asked.depart(Span::from_ms(690), Span::ZERO, 0, Ecn::NotEct), Verdict::Pass);
        assert_eq!(asked.gauge("dropping"), 0.0);
        let again = Span::from_ms(690) + pause;
        let first = standing(&mut asked, again, 10_001, Ecn::NotEct);
        assert_eq!(first, [again.seconds() * 1e3 + 100.0]);
        assert_eq!(asked.gauge("count"), count, "{} s after drop_next", first[0] / 1e3 - next);
        assert_eq!(asked.gauge("lastcount"), count);
    }
}

/// An empty queue ends the dropping state, also one that a drop emptied.
#[test]
fn an_empty_queue_ends_it() {
    let mut asked = Asked::new(&CodelConfig { mtu: Bytes(0), ..CodelConfig::default() });
    assert_eq!(standing(&mut asked, Span::ZERO, 15_000, Ecn::NotEct).len(), 1);
    let flows = FlowTable::default();
    let mut cx = Cx { now: Time::ZERO, rng: &mut asked.rng, link: &asked.site, flows: &flows };
    asked.codel.idle(&mut cx);
    assert_eq!((asked.gauge("dropping"), asked.gauge("first_above_time")), (0.0, 0.0));
    assert!(standing(&mut asked, Span::from_ms(150), 9_999, Ecn::NotEct).is_empty());
}

/// All instants and fates of a link under random load, ours and the RFC's.
fn journals(config: &CodelConfig, seed: u64, load: u32) -> [Vec<Event>; 2] {
    let site = link(Capacity::Packets(60));
    let mut rng = Stream::named(seed, "codel");
    let mut now = Time::ZERO;
    let traffic: Vec<(Time, Meta)> = (0..1500)
        .map(|i| {
            // Bursts and lulls of half a second: the loop is entered and left again and again.
            let lull = (now.ps() / 500_000_000_000 + seed).is_multiple_of(3);
            now +=
                Span::from_us(u64::from(rng.below(if lull { 24_000 } else { 1_600_000 / load })));
            let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ce][rng.below(3) as usize];
            (now, packet(i % 5, 40 + rng.below(1461), ecn))
        })
        .collect();
    let ours = Fifo::new(Codel::new(config, &site));
    [run(ours, site, &traffic), run(Literal::of(config), site, &traffic)]
}

fn run(qdisc: impl Qdisc<Numbered>, site: LinkInfo, traffic: &[(Time, Meta)]) -> Vec<Event> {
    let mut bench = Bench::new(qdisc, site, 1, false);
    for (at, meta) in traffic {
        bench.arrive(*at, *meta);
    }
    bench.drain();
    bench.journal.0
}

#[test]
fn every_packet_fares_as_in_the_rfc() {
    let mut signals = 0;
    for seed in 0..24 {
        for ecn in [false, true] {
            for (target, interval) in [(5, 100), (20, 40), (5, 10)] {
                let (target, interval) = (Span::from_ms(target), Span::from_ms(interval));
                let config = CodelConfig { target, interval, ecn, ..CodelConfig::default() };
                let [ours, rfc] = journals(&config, seed, 100 + 50 * (seed as u32 % 8));
                let differ = ours.iter().zip(&rfc).find(|(a, b)| a != b);
                assert_eq!(ours.len(), rfc.len(), "seed {seed}: {differ:?}");
                assert!(differ.is_none(), "seed {seed}: {differ:?}");
                let head =
                    |e: &&Event| matches!(e, Event::Dropped(_, Reason::Head) | Event::Marked(..));
                signals += ours.iter().filter(head).count();
            }
        }
    }
    assert!(signals > 5_000, "{signals} signals are too few to compare");
}

#[test]
fn a_threshold_marks_what_waited_longer_and_drops_nothing() {
    let config =
        CodelConfig { ecn: true, ce_threshold: Span::from_ms(1), ..CodelConfig::default() };
    let mut asked = Asked::new(&config);
    let (above, at) = (Span::from_ps(1_000_000_001), Span::from_ms(1));
    assert_eq!(asked.depart(STEP, above, STANDING, Ecn::Ect1), Verdict::Mark(Reason::Head));
    assert_eq!(asked.depart(STEP, above, STANDING, Ecn::NotEct), Verdict::Pass);
    assert_eq!(asked.depart(STEP, at, STANDING, Ecn::Ect1), Verdict::Pass);
}

/// The integer law signals the same queue earlier, because its roots fall short.
#[test]
fn the_integer_law_is_near_the_exact_one() {
    let mut asked =
        Asked::new(&CodelConfig { inverse_root: InverseRoot::Newton16, ..CodelConfig::default() });
    let signals = standing(&mut asked, Span::ZERO, 69_000, Ecn::NotEct);
    // 1 of 16 bits, then 1/2, 0.5625, ... by one Newton step each.
    assert!(
        (signals[1] - 200.0).abs() < 0.011 && (signals[2] - 250.0).abs() < 0.011,
        "{signals:?}"
    );
    assert!((signals[3] - 306.25).abs() < 0.011, "{signals:?}");
    for (ours, exact) in signals.iter().zip(law::tests::SIGNALS).skip(3) {
        assert!((ours - 100.0 - exact).abs() < 30.0, "{ours} ms and {exact} ms");
    }
}

#[test]
fn contradictions_are_refused() {
    use dumbbell_core::catalogue::read;
    let fault = |json| read::<CodelConfig>(&json).unwrap_err();
    assert_eq!(fault(serde_json::json!({"target": "0 s"})).at, "target");
    assert_eq!(fault(serde_json::json!({"interval": "0 s"})).at, "interval");
    assert_eq!(fault(serde_json::json!({"interval": "2 h"})).at, "interval");
    let mute = fault(serde_json::json!({"ce_threshold": "1 ms"}));
    assert_eq!(mute.at, "ce_threshold");
    assert!(mute.fix.unwrap().contains("ecn = true"));
    assert!(read::<CodelConfig>(&serde_json::json!({"ce_threshold": "1 ms", "ecn": true})).is_ok());
}
