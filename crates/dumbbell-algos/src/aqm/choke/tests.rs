//! CHOKe: who is met and who goes, RED where nobody is met, and the bound of an unresponsive flow's
//! share.
use super::*;
use crate::aqm::red::tests::alike::Line;
use crate::aqm::red::{Red, RedConfig};
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Journal, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Span, Time};

/// A CHOKe that compares always and never signals otherwise.
fn comparing() -> ChokeConfig {
    ChokeConfig { min_th: Packets(0.0), max_th: Packets(1e9), max_p: 0.0, ..ChokeConfig::default() }
}

/// A queue that nothing leaves.
struct Pile {
    queue: Fifo<Choke, Numbered>,
    site: LinkInfo,
    rng: Stream,
    journal: Journal,
    next: u64,
}

impl Pile {
    fn new(config: &ChokeConfig, seed: u64) -> Self {
        config.check().unwrap();
        let site = link(Capacity::Unlimited);
        let queue = Fifo::new(Choke::new(config, &site));
        Pile {
            queue,
            site,
            rng: Stream::named(seed, "choke"),
            journal: Journal::default(),
            next: 0,
        }
    }
    fn arrive(&mut self, flow: u32, ecn: Ecn) {
        let flows = FlowTable::default();
        let mut cx = Cx { now: Time::ZERO, rng: &mut self.rng, link: &self.site, flows: &flows };
        let p = Numbered { id: self.next, meta: packet(flow, 1000, ecn) };
        self.next += 1;
        self.queue.enqueue(&mut cx, p, &mut self.journal);
    }
}

/// A match drops the one that waits and the one that arrives; another flow's packets stay.
#[test]
fn two_of_a_flow_are_both_dropped() {
    for (candidate, fourth, fifth, victim) in
        [(Candidate::Front, 9, 7, 0), (Candidate::Back, 7, 7, 3)]
    {
        let mut pile = Pile::new(&ChokeConfig { candidate, ecn: true, ..comparing() }, 1);
        [7, 8, 9, fourth].into_iter().for_each(|flow| pile.arrive(flow, Ecn::Ect0));
        // The fourth met a packet of another flow; at the back it is the candidate now.
        assert!(pile.journal.0.is_empty(), "{candidate:?}");
        pile.arrive(fifth, Ecn::Ect0);
        assert_eq!(
            pile.journal.0,
            [victim, 4].map(|id| Event::Dropped(id, Reason::Evicted)),
            "{candidate:?}"
        );
        assert_eq!(pile.queue.backlog().packets, 3);
    }
}

/// Of ten that wait three are of the flow that arrives: it is met three times in ten, each of the
/// three alike; with two draws 1 - 0.7^2 of the times. Within 4.4 standard deviations.
#[test]
fn a_flow_is_met_by_its_share_of_the_queue() {
    let runs = 20_000u32;
    for (draws, share) in [(1, 0.3), (2, 0.51), (64, 1.0)] {
        let mut met = [0u32; 10];
        for seed in 0..runs {
            let (site, flows) = (link(Capacity::Unlimited), FlowTable::default());
            let mut choke = Choke::new(&ChokeConfig { draws, ..comparing() }, &site);
            let mut rng = Stream::named(u64::from(seed), "choke");
            let mut cx = Cx { now: Time::ZERO, rng: &mut rng, link: &site, flows: &flows };
            if let Verdict::Evict { slot, reason, arrival_too } =
                choke.arrive(&mut cx, &Filled, &packet(1, 1000, Ecn::NotEct), true)
            {
                assert!(arrival_too && reason == Reason::Evicted);
                met[slot as usize] += 1;
            }
        }
        let of = |slots: &[usize]| slots.iter().map(|s| met[*s]).sum::<u32>();
        let all = of(&[2, 5, 9]);
        assert_eq!(all, met.iter().sum::<u32>());
        let sigma = (share * (1.0 - share) * f64::from(runs)).sqrt();
        assert!(
            (f64::from(all) - share * f64::from(runs)).abs()
                <= 4.4 * sigma + 1e-6 * f64::from(runs),
            "{met:?}"
        );
        for slot in [2, 5, 9] {
            let expected = f64::from(all) / 3.0;
            assert!((f64::from(met[slot]) - expected).abs() < 4.4 * expected.sqrt(), "{met:?}");
        }
    }
}

/// Ten that wait; those at 2, 5 and 9 are of flow 1.
struct Filled;

impl QueueView for Filled {
    fn backlog(&self) -> dumbbell_core::aqm::Backlog {
        dumbbell_core::aqm::Backlog { packets: 10, bytes: 10_000, buffers: 0 }
    }
    fn meta(&self, slot: u32) -> Option<Meta> {
        assert!(slot < 10);
        Some(packet(if [2, 5, 9].contains(&slot) { 1 } else { 2 }, 1000, Ecn::NotEct))
    }
}

/// If no two packets are of one flow, CHOKe with the head as candidate, which takes no draw, is
/// RED, draw by draw.
#[test]
fn where_nobody_is_met_it_is_red() {
    for ecn in [false, true] {
        let (min_th, max_th, max_p, w_q) = (Packets(3.0), Packets(9.0), 0.1, 0.05);
        let choke = ChokeConfig {
            min_th,
            max_th,
            max_p,
            w_q,
            ecn,
            candidate: Candidate::Front,
            ..ChokeConfig::default()
        };
        let red = RedConfig {
            min_th,
            max_th,
            max_p,
            w_q,
            ecn,
            min_q_for_drop: Packets(0.0),
            ..RedConfig::default()
        };
        let site = link(Capacity::Packets(20));
        for seed in 0..20 {
            let ours = loaded(Fifo::new(Choke::new(&choke, &site)), site, seed);
            assert_eq!(ours, loaded(Fifo::new(Red::new(&red, &site)), site, seed), "seed {seed}");
            assert!(
                ours.dropped(Reason::Early) + ours.marked() > 10
                    && ours.dropped(Reason::Evicted) == 0
            );
        }
    }
}

/// 1.2 times what the link carries, each packet of a flow of its own, with pauses.
fn loaded(qdisc: impl Qdisc<Numbered>, site: LinkInfo, seed: u64) -> Journal {
    let mut bench = Bench::new(qdisc, site, seed, false);
    let mut rng = Stream::named(seed, "load");
    let mut now = Time::ZERO;
    for flow in 0..1500 {
        now += Span::from_us(u64::from(if flow % 400 == 399 { 200_000 } else { rng.below(6_600) }));
        bench.arrive(now, packet(flow, 500, if flow % 2 == 0 { Ecn::Ect0 } else { Ecn::NotEct }));
    }
    bench.drain();
    bench.journal
}

/// A packet that does not fit counts as a signal, as in RED: the count of packets since the last
/// one starts again. Packets that make room in a buffer that others share do not.
#[test]
fn an_overflow_counts_as_a_signal() {
    let config =
        ChokeConfig { min_th: Packets(3.0), max_p: 0.0, w_q: 1.0, ..ChokeConfig::default() };
    let config = ChokeConfig { max_th: Packets(1000.0), ..config };
    let limit = Capacity::Packets(50);
    let mut line = Line::new(Choke::new(&config, &link(limit)), limit);
    let counts = [10, 10, 10, 50, 10].map(|found| {
        line.arrive(found);
        line.gauge("count")
    });
    assert_eq!(counts, [0.0, 1.0, 2.0, 3.0, 1.0]);
    let (site, flows, mut rng) = (link(limit), FlowTable::default(), Stream::named(1, "choke"));
    let mut cx = Cx { now: line.now, rng: &mut rng, link: &site, flows: &flows };
    line.aqm.overflowed(&mut cx, Limit::Shared);
    line.arrive(10);
    assert_eq!(line.gauge("count"), 2.0);
}

#[test]
fn above_the_upper_threshold_all_are_dropped_unless_soft() {
    let full = ChokeConfig {
        min_th: Packets(0.0),
        max_th: Packets(0.0),
        w_q: 1.0,
        ..ChokeConfig::default()
    };
    let fate = |config: &ChokeConfig, ecn| {
        let mut pile = Pile::new(config, 1);
        pile.arrive(1, ecn);
        pile.journal.0.pop().unwrap()
    };
    assert_eq!(fate(&full, Ecn::Ect0), Event::Dropped(0, Reason::Forced));
    let hard = ChokeConfig { ecn: true, ..full };
    assert_eq!(fate(&hard, Ecn::Ect0), Event::Dropped(0, Reason::Forced));
    let soft = ChokeConfig { ecn_hard: false, ..hard };
    assert_eq!(fate(&soft, Ecn::Ect0), Event::Marked(0, Reason::Forced));
    assert_eq!(fate(&soft, Ecn::NotEct), Event::Dropped(0, Reason::Forced));
}

#[test]
fn below_the_lower_threshold_nobody_is_compared() {
    let mut pile =
        Pile::new(&ChokeConfig { min_th: Packets(1e6), max_th: Packets(2e6), ..comparing() }, 1);
    (0..1000).for_each(|_| pile.arrive(1, Ecn::NotEct));
    assert!(pile.journal.0.is_empty());
}

/// Share of the link of a flow that sends `load` times the link's rate, whatever is dropped of it;
/// the others, each too small to be met, keep `LEVEL` packets waiting.
fn share_of_unresponsive(load: f64) -> f64 {
    const LEVEL: u32 = 150;
    const PACKET: Span = Span::from_ms(8);
    let site = link(Capacity::Unlimited);
    let mut bench =
        Bench::new(Fifo::<_, Numbered>::new(Choke::new(&comparing(), &site)), site, 1, false);
    let mut rng = Stream::named(2, "unresponsive");
    let (mut stubborn, mut flow, mut next) = (Vec::new(), 1, 0.0);
    let (mut now, ms) = (0.0, PACKET.seconds());
    while now < 12_000.0 * ms {
        while bench.port.backlog().packets < LEVEL {
            flow += 1;
            bench.arrive(Time::ZERO + Span::from_secs_f64(now), packet(flow, 1000, Ecn::NotEct));
        }
        // The next event: an arrival of the stubborn flow, or a small step in which the others fill
        // up.
        now += ms / 8.0;
        while next <= now {
            let (id, _) =
                bench.arrive(Time::ZERO + Span::from_secs_f64(next), packet(0, 1000, Ecn::NotEct));
            stubborn.push(id);
            next += rng.exponential(ms / load);
        }
    }
    let sent: Vec<u64> = bench
        .journal
        .0
        .iter()
        .filter_map(|e| if let Event::Sent(id, _) = e { Some(*id) } else { None })
        .collect();
    let late = &sent[sent.len() / 8..];
    late.iter().filter(|id| stubborn.binary_search(id).is_ok()).count() as f64 / late.len() as f64
}

/// Tang, Wang, Low 2003: an unresponsive flow gets at most 1/(e + 1) = 26.9 % of the link, at a
/// load of (2e - 1)/(e + 1) = 1.193; ever less beyond it.
#[test]
fn an_unresponsive_flow_gets_at_most_27_percent() {
    let e = core::f64::consts::E;
    let at_most = 1.0 / (e + 1.0);
    let peak = share_of_unresponsive((2.0 * e - 1.0) / (e + 1.0));
    assert!((peak - at_most).abs() < 0.02, "{peak}");
    let shares = [0.1, 3.0, 6.0].map(share_of_unresponsive);
    assert!((shares[0] - 0.1).abs() < 0.02, "{shares:?}");
    assert!(shares[1] < peak - 0.03 && shares[2] < shares[1] - 0.03, "{peak}, {shares:?}");
}

#[test]
fn contradictions_are_refused() {
    use dumbbell_core::catalogue::read;
    let fault = |json| read::<ChokeConfig>(&json).unwrap_err();
    assert_eq!(fault(serde_json::json!({"min_th": "15 pkt", "max_th": "5 pkt"})).at, "max_th");
    assert_eq!(fault(serde_json::json!({"mean_packet_size": "0 B"})).at, "mean_packet_size");
    assert_eq!(fault(serde_json::json!({"draws": 0})).at, "draws");
    assert_eq!(fault(serde_json::json!({"w_q": 0.0})).at, "w_q");
}
