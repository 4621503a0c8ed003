//! Each hook of [`Aqm`] carries the algorithm that needs it: small doubles of BLUE, CHOKe, CoDel,
//! PI and RIO.
use dumbbell_core::aqm::{Aqm, Cx, Gone, Limit, Needs, QueueView, Reason, Verdict};
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::packet::{Ecn, Meta};
use dumbbell_core::probe::{Gauges, Probe};
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Journal, Numbered, link, packet};
use dumbbell_core::units::{Backlog, Capacity, Rate, Span, Time};

fn bench<A: Aqm>(aqm: A, capacity: Capacity) -> Bench<Fifo<A, Numbered>> {
    Bench::new(Fifo::new(aqm), link(capacity), 1, false)
}

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

fn gauge<Q: Qdisc<Numbered>>(bench: &Bench<Q>, name: &str) -> f64 {
    let mut seen = Gauges::default();
    bench.port.qdisc().probe(&mut seen);
    seen.get(name).unwrap()
}

/// BLUE (Feng and others, UM CSE-TR-387-99): overflow raises the probability, an idle link lowers
/// it, each at most once per freeze time.
struct Blue {
    p: f64,
    changed: Time,
    idles: Vec<Time>,
}

const D1: f64 = 0.02;
const D2: f64 = 0.002;
const FREEZE: Span = Span::from_ms(10);

impl Blue {
    fn change(&mut self, now: Time, by: f64) {
        if now.since(self.changed) > FREEZE {
            (self.p, self.changed) = ((self.p + by).clamp(0.0, 1.0), now);
        }
    }
}

impl Aqm for Blue {
    fn arrive(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _: bool) -> Verdict {
        Verdict::Pass
    }
    fn overflowed(&mut self, cx: &mut Cx<'_>, _: Limit) {
        self.change(cx.now, D1);
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.idles.push(cx.now);
        self.change(cx.now, -D2);
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("p", self.p);
        out.gauge("idles", self.idles.len() as f64);
        out.gauge("last_idle", self.idles.last().map_or(-1.0, |t| t.seconds()));
    }
}

/// 500 B come every 1 ms, leave every 4 ms, and five of them may wait: most overflow. The
/// algorithm's probability is followed from the drops that came out.
#[test]
fn overflow_and_idle_are_seen() {
    let mut b =
        bench(Blue { p: 0.0, changed: Time::ZERO, idles: Vec::new() }, Capacity::Packets(5));
    let (mut model, mut changed) = (0.0, Time::ZERO);
    for ms in 0..100u64 {
        let before = b.journal.dropped(Reason::Overflow);
        let now = at_us(1000 * ms);
        b.arrive(now, packet(0, 500, Ecn::NotEct));
        if b.journal.dropped(Reason::Overflow) > before && now.since(changed) > FREEZE {
            (model, changed) = (model + D1, now);
        }
        assert_eq!(gauge(&b, "p"), model, "at {ms} ms");
    }
    assert!((4.0 * D1..=9.0 * D1).contains(&model) && gauge(&b, "idles") == 0.0);
    b.drain();
    let emptied = gauge(&b, "last_idle");
    assert!(gauge(&b, "idles") == 1.0 && emptied == b.now.seconds());
    assert!((gauge(&b, "p") - (model - D2)).abs() < 1e-15);
    b.run_to(at_us(10_000_000));
    assert_eq!(gauge(&b, "idles"), 1.0, "once per idle period");
}

/// CHOKe (Pan, Prabhakar, Psounis 2000): a packet that meets one of its own flow goes, and so does
/// the other.
struct Choke;

impl Aqm for Choke {
    fn needs(&self) -> Needs {
        Needs::Held
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _: bool) -> Verdict {
        let slot = cx.rng.below(q.waiting());
        match q.meta(slot) {
            Some(other) if other.flow == p.flow => {
                Verdict::Evict { slot, reason: Reason::Evicted, arrival_too: true }
            }
            _ => Verdict::Pass,
        }
    }
}

#[test]
fn a_victim_of_the_same_flow_goes_with_the_arrival() {
    let mut b = bench(Choke, Capacity::Unlimited);
    let mut rng = Stream::named(5, "flows");
    let flows: Vec<u32> = (0..2_000).map(|_| rng.below(10)).collect();
    for (i, flow) in flows.iter().enumerate() {
        b.arrive(at_us(2_000 * i as u64), packet(*flow, 500, Ecn::NotEct));
    }
    let gone: Vec<u64> = b
        .journal
        .0
        .iter()
        .filter_map(|e| if let Event::Dropped(id, _) = e { Some(*id) } else { None })
        .collect();
    assert!(gone.len() > 100 && gone.len().is_multiple_of(2));
    for pair in gone.chunks(2) {
        assert!(
            pair[0] < pair[1] && flows[pair[0] as usize] == flows[pair[1] as usize],
            "{pair:?}"
        );
    }
    b.drain();
    assert!(b.counters().balances(0));
}

/// CoDel (RFC 8289), its state machine asked once for each packet at the head.
#[derive(Default)]
struct Codel {
    first_above: Option<Time>,
    drop_next: Time,
    count: u32,
    last_count: u32,
    dropping: bool,
}

const TARGET: Span = Span::from_ms(5);
const INTERVAL: Span = Span::from_ms(100);

impl Codel {
    fn control_law(&self, t: Time) -> Time {
        t + Span::from_secs_f64(INTERVAL.seconds() / f64::from(self.count).sqrt())
    }

    fn ok_to_drop(&mut self, now: Time, sojourn: Span, left: Backlog) -> bool {
        if sojourn < TARGET || left.bytes <= 1500 {
            self.first_above = None;
            return false;
        }
        match self.first_above {
            None => {
                self.first_above = Some(now + INTERVAL);
                false
            }
            Some(at) => now >= at,
        }
    }
}

impl Aqm for Codel {
    fn needs(&self) -> Needs {
        Needs::Held
    }
    fn arrive(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _: bool) -> Verdict {
        Verdict::Pass
    }
    fn depart(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, _: &Meta, sojourn: Span) -> Verdict {
        let ok = self.ok_to_drop(cx.now, sojourn, q.backlog());
        if !ok {
            self.dropping = false;
            return Verdict::Pass;
        }
        if self.dropping {
            if cx.now < self.drop_next {
                return Verdict::Pass;
            }
            self.count += 1;
            self.drop_next = self.control_law(self.drop_next);
        } else {
            let delta = self.count - self.last_count;
            let recent = cx.now.since(self.drop_next) < INTERVAL * 16;
            self.dropping = true;
            self.count = if delta > 1 && recent { delta } else { 1 };
            self.drop_next = self.control_law(cx.now);
            self.last_count = self.count;
        }
        Verdict::Drop(Reason::Head)
    }
}

/// A standing queue: after the first drop the next come after the sums of 100 ms / sqrt(j), each at
/// the next packet's turn. Packets of 125 B at 10 Mbps take 100 us.
#[test]
fn decisions_at_departure_follow_codels_control_law() {
    const SUMS: [f64; 14] = [
        0.0, 100.0, 170.711, 228.446, 278.446, 323.167, 363.992, 401.788, 437.144, 470.477,
        502.100, 532.251, 561.118, 588.853,
    ];
    let mut site = link(Capacity::Unlimited);
    site.rate = Rate::from_mbps(10);
    let mut b = Bench::new(Fifo::<_, Numbered>::new(Codel::default()), site, 1, false);
    for _ in 0..9_000 {
        b.arrive(Time::ZERO, packet(0, 125, Ecn::NotEct));
    }
    let mut drops = Vec::new();
    let mut tenths = 0;
    while drops.len() < SUMS.len() {
        tenths += 1;
        let before = b.journal.dropped(Reason::Head);
        b.run_to(at_us(100 * tenths));
        drops.extend((before..b.journal.dropped(Reason::Head)).map(|_| b.now.seconds() * 1e3));
    }
    // Above target from the first packet that waited 5 ms, and one interval later.
    assert!((drops[0] - 105.0).abs() < 1e-9, "{}", drops[0]);
    for (seen, law) in drops.iter().zip(SUMS) {
        let late = seen - drops[0] - law;
        assert!((-0.001..0.1).contains(&late), "{late} ms late at {law}");
    }
    b.drain();
    assert!(b.counters().balances(0));
}

/// PI (Hollot, Misra, Towsley, Gong, INFOCOM 2001): a controller on a clock of 170 Hz.
struct Pi {
    p: f64,
    old: f64,
}

impl Aqm for Pi {
    fn arrive(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _: bool) -> Verdict {
        Verdict::Pass
    }
    fn ticks(&self) -> bool {
        true
    }
    fn tick(&mut self, _: &mut Cx<'_>, q: &impl QueueView) -> Option<Span> {
        let length = f64::from(q.backlog().packets);
        self.p =
            (self.p + 1.822e-5 * (length - 50.0) - 1.816e-5 * (self.old - 50.0)).clamp(0.0, 1.0);
        self.old = length;
        Some(Span::from_secs_f64(1.0 / 170.0))
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("p", self.p);
    }
}

#[test]
fn a_clock_of_its_own_drives_pi() {
    let (site, flows, mut rng) =
        (link(Capacity::Unlimited), FlowTable::default(), Stream::named(1, "pi"));
    let (mut queue, mut journal) = (Fifo::new(Pi { p: 0.0, old: 0.0 }), Journal::default());
    let mut cx = Cx { now: Time::ZERO, rng: &mut rng, link: &site, flows: &flows };
    for id in 0..100 {
        queue.enqueue(&mut cx, Numbered { id, meta: packet(0, 500, Ecn::NotEct) }, &mut journal);
    }
    for (tick, expected) in [0.001_819, 0.001_822, 0.001_825].into_iter().enumerate() {
        cx.now = queue.next_wakeup().unwrap();
        assert!((cx.now.seconds() - tick as f64 / 170.0).abs() < 1e-11);
        queue.wake(&mut cx);
        let mut seen = Gauges::default();
        queue.probe(&mut seen);
        assert!((seen.get("p").unwrap() - expected).abs() < 1e-9, "{seen:?}");
    }
}

/// RIO (Clark, Fang 1998) counts its in-profile packets itself; here among every way in which a
/// packet can go.
#[derive(Default)]
struct Rio {
    inside: i64,
    ways: [u32; 3],
}

fn in_profile(p: &Meta) -> bool {
    p.flow.0 == 0
}

impl Aqm for Rio {
    fn needs(&self) -> Needs {
        Needs::Held
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, _: &Meta, _: bool) -> Verdict {
        let counted = (0..q.waiting()).filter_map(|slot| q.meta(slot)).filter(in_profile).count();
        assert_eq!(self.inside, counted as i64, "the class count leaks");
        match cx.rng.below(8) {
            0 => Verdict::Drop(Reason::Early),
            n @ 1..=2 if q.waiting() > 0 => {
                let slot = cx.rng.below(q.waiting());
                Verdict::Evict { slot, reason: Reason::Evicted, arrival_too: n == 2 }
            }
            3 => Verdict::Signal(Reason::Early),
            _ => Verdict::Pass,
        }
    }
    fn admitted(&mut self, p: &Meta) {
        self.inside += i64::from(in_profile(p));
    }
    fn depart(&mut self, cx: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _: Span) -> Verdict {
        if cx.rng.coin(0.2) { Verdict::Signal(Reason::Head) } else { Verdict::Pass }
    }
    fn gone(&mut self, p: &Meta, how: Gone) {
        self.inside -= i64::from(in_profile(p));
        self.ways[how as usize] += 1;
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("inside", self.inside as f64);
        out.gauge("ways", f64::from(self.ways.iter().filter(|n| **n > 50).count() as u32));
    }
}

#[test]
fn a_count_by_class_never_leaks() {
    let mut b = bench(Rio::default(), Capacity::Packets(12));
    let mut rng = Stream::named(9, "rio");
    for i in 0..5_000u64 {
        let ecn = if rng.coin(0.3) { Ecn::Ect0 } else { Ecn::NotEct };
        b.arrive(at_us(1_000 * i), packet(rng.below(2), 500, ecn));
    }
    b.drain();
    assert_eq!(
        (gauge(&b, "inside"), gauge(&b, "ways")),
        (0.0, 3.0),
        "empty at the end, and each \
        way was taken"
    );
    assert!(b.journal.dropped(Reason::Overflow) > 0 && b.journal.marked() > 0);
}
