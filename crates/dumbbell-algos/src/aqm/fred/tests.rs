//! FRED against the paper's algorithm written a second time, and what the paper says that it does.
use super::*;
use crate::aqm::drop_tail::{DropTail, DropTailConfig};
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Journal, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Time};
use std::collections::BTreeMap;

/// The paper's algorithm in its own words, with a map of the flows that wait. What it leaves to RED
/// is written out: `count`, `p_a`, and the decay while idle.
struct Literal {
    config: FredConfig,
    flows: BTreeMap<u32, (u32, u32)>,
    avg: f64,
    avgcq: f64,
    count: i64,
    /// The time at which the link fell idle.
    q_time: Option<Time>,
}

impl Literal {
    fn new(config: &FredConfig) -> Self {
        let config = config.clone();
        Literal {
            config,
            flows: BTreeMap::new(),
            avg: 0.0,
            avgcq: 1.0,
            count: -1,
            q_time: Some(Time::ZERO),
        }
    }

    fn share(&mut self, nactive: usize) {
        self.avgcq = if nactive > 0 { self.avg / nactive as f64 } else { self.avg };
        self.avgcq = self.avgcq.max(1.0);
    }

    fn filter(&mut self, q: u32, nactive: usize) {
        self.avg = (1.0 - self.config.w_q) * self.avg + self.config.w_q * f64::from(q);
        self.share(nactive);
    }

    /// `true`: let in, or else why not.
    fn arriving(&mut self, cx: &mut Cx<'_>, flow: u32) -> Result<(), Reason> {
        let (minth, maxth) = (self.config.min_th.0, self.config.max_th.0);
        if let Some(since) = self.q_time {
            let size = self.config.mean_packet_size.0;
            let m = cx.now.since(since).seconds() * cx.link.rate.bps() as f64 / (8 * size) as f64;
            self.avg *= libm::pow(1.0 - self.config.w_q, m);
            self.share(self.flows.len());
            self.q_time = Some(cx.now);
        }
        let mut maxq = minth;
        if self.avg >= maxth {
            maxq = 2.0;
        }
        let (qlen, strike) = self.flows.get(&flow).copied().unwrap_or((0, 0));
        let length = f64::from(qlen);
        if length >= maxq
            || (self.avg >= maxth && length > 2.0 * self.avgcq)
            || (length >= self.avgcq && strike > 1)
        {
            self.flows.entry(flow).and_modify(|f| f.1 += 1);
            return Err(Reason::Forced);
        }
        if minth <= self.avg && self.avg < maxth {
            self.count += 1;
            let coin = cx.rng.unit();
            if length >= self.config.minq.0.max(self.avgcq) {
                let pb = self.config.max_p * (self.avg - minth) / (maxth - minth);
                let x = self.count as f64 * pb;
                let pa = if x < 1.0 { (pb / (1.0 - x)).min(1.0) } else { 1.0 };
                if coin < pa {
                    self.count = 0;
                    return Err(Reason::Early);
                }
            }
        } else if self.avg < minth {
            self.count = -1;
        } else {
            self.count = 0;
            return Err(Reason::Forced);
        }
        Ok(())
    }

    fn accepted(&mut self, q: u32, flow: u32) {
        self.q_time = None;
        self.flows.entry(flow).or_insert((0, 0)).0 += 1;
        if q > 0 {
            self.filter(q, self.flows.len());
        }
    }
}

impl Aqm for Literal {
    fn needs(&self) -> Needs {
        Needs::Held
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        let q = q.backlog().packets;
        match self.arriving(cx, p.flow.0) {
            Err(reason) => return Verdict::Drop(reason),
            Ok(()) if fits => self.accepted(q, p.flow.0),
            Ok(()) => self.count = 0,
        }
        Verdict::Pass
    }
    fn depart(&mut self, _: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _: Span) -> Verdict {
        self.filter(q.backlog().packets, self.flows.len());
        let has = self.flows.get_mut(&p.flow.0).unwrap();
        has.0 -= 1;
        if has.0 == 0 {
            self.flows.remove(&p.flow.0);
        }
        Verdict::Pass
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.q_time = Some(cx.now);
    }
}

/// A few greedy flows and many small ones, with pauses.
fn traffic(seed: u64, load: u32) -> Vec<(Time, Meta)> {
    let mut rng = Stream::named(seed, "fred");
    let mut now = Time::ZERO;
    (0..1500)
        .map(|i| {
            now += Span::from_us(u64::from(if i % 500 == 499 {
                300_000
            } else {
                rng.below(800_000 / load)
            }));
            let flow = if rng.below(3) == 0 { rng.below(2) } else { 2 + rng.below(12) };
            (now, packet(flow, 100 + rng.below(900), Ecn::NotEct))
        })
        .collect()
}

fn run(qdisc: impl Qdisc<Numbered>, site: LinkInfo, traffic: &[(Time, Meta)]) -> Journal {
    let mut bench = Bench::new(qdisc, site, 1, false);
    for (at, meta) in traffic {
        bench.arrive(*at, *meta);
    }
    bench.drain();
    bench.journal
}

#[test]
fn every_packet_fares_as_in_the_paper() {
    let (mut early, mut forced, mut overflow) = (0, 0, 0);
    for seed in 0..30 {
        for (w_q, max_p) in [(0.002, 0.02), (0.05, 0.3), (0.3, 1.0)] {
            let config = FredConfig { w_q, max_p, ..FredConfig::default() };
            let site = link(Capacity::Packets(if seed % 2 == 0 { 40 } else { 11 }));
            let traffic = traffic(seed, 80 + 20 * (seed as u32 % 8));
            let ours = run(Fifo::new(Fred::new(&config, &site)), site, &traffic);
            let paper = run(Fifo::new(Literal::new(&config)), site, &traffic);
            let differ = ours.0.iter().zip(&paper.0).find(|(a, b)| a != b);
            assert!(
                differ.is_none() && ours.0.len() == paper.0.len(),
                "seed {seed}, w_q {w_q}: \
                {differ:?}"
            );
            early += ours.dropped(Reason::Early);
            forced += ours.dropped(Reason::Forced);
            overflow += ours.dropped(Reason::Overflow);
        }
    }
    assert!(early > 100 && forced > 1000 && overflow > 20, "{early} {forced} {overflow}");
}

/// Ours at a link of 1 Mbps, 1000-byte packets of 8 ms each.
fn bench(config: &FredConfig) -> Bench<Fifo<Fred, Numbered>> {
    config.check().unwrap();
    let site = link(Capacity::Packets(40));
    Bench::new(Fifo::new(Fred::new(config, &site)), site, 1, false)
}

/// A flow alone may have min_th packets in the queue and not one more.
#[test]
fn a_flow_never_has_more_than_maxq() {
    let mut bench = bench(&FredConfig::default());
    for i in 0..3000 {
        bench.arrive(Time::ZERO + Span::from_ms(i), packet(0, 1000, Ecn::NotEct));
        assert!(bench.port.qdisc().backlog().packets <= 5);
    }
    assert!(bench.journal.dropped(Reason::Forced) > 2000);
}

/// Nine flows of 8 % of the link each and a tenth of four times the link, for 40 s: what of the
/// nine is dropped.
fn losses_of_small_flows(qdisc: impl Qdisc<Numbered>, site: LinkInfo) -> Vec<Event> {
    let mut bench = Bench::new(qdisc, site, 1, false);
    let mut small = Vec::new();
    for ms in 0..40_000u64 {
        let now = Time::ZERO + Span::from_ms(ms);
        if ms % 2 == 0 {
            bench.arrive(now, packet(0, 1000, Ecn::NotEct));
        }
        if let (flow @ 1..=9, 0) = (ms % 100 / 10, ms % 10) {
            small.push(bench.arrive(now, packet(flow as u32, 1000, Ecn::NotEct)).0);
        }
    }
    bench.drain();
    let lost = |e: &Event| matches!(e, Event::Dropped(id, _) if small.binary_search(id).is_ok());
    bench.journal.0.into_iter().filter(lost).collect()
}

/// They lose next to nothing (a few packets when the average passes `max_th`); Drop Tail with the
/// same buffer drops most of what they send.
#[test]
fn small_flows_are_spared_and_the_greedy_one_is_not() {
    let site = link(Capacity::Packets(40));
    let fred = losses_of_small_flows(Fifo::new(Fred::new(&FredConfig::default(), &site)), site);
    let tail = DropTail::new(&DropTailConfig::default(), &site);
    assert!(losses_of_small_flows(Fifo::new(tail), site).len() > 1000);
    // Of 3600.
    assert!(fred.len() < 20, "{fred:?}");
}

/// A flow of small packets that come more often than a typical packet takes does not lock the
/// queue: the average comes down while the link is idle, whoever knocks.
#[test]
fn a_queue_that_drops_all_comes_down_again() {
    let mut bench = bench(&FredConfig { w_q: 0.5, ..FredConfig::default() });
    (0..40).for_each(|flow| _ = bench.arrive(Time::ZERO, packet(flow, 1000, Ecn::NotEct)));
    bench.drain();
    let before = bench.counters().departures;
    for i in 0..20_000 {
        bench.arrive(
            Time::ZERO + Span::from_secs(1) + Span::from_us(100 * i),
            packet(50, 40, Ecn::NotEct),
        );
    }
    assert!(bench.counters().departures > before + 1000);
}

/// From max_th on: two packets of each flow, or none at all.
#[test]
fn many_flows_may_have_two_packets_each() {
    let fates = |above| {
        let config = FredConfig {
            min_th: Packets(1.0),
            max_th: Packets(1.0),
            w_q: 1.0,
            above,
            ..FredConfig::default()
        };
        let mut bench = bench(&config);
        for flow in [0, 0, 1, 1, 1, 2, 2, 2] {
            bench.arrive(Time::ZERO, packet(flow, 1000, Ecn::NotEct));
        }
        bench.journal.0
    };
    let forced = |id| Event::Dropped(id, Reason::Forced);
    // The first is in transmission at once; the second finds an empty queue, the third the second.
    assert_eq!(fates(Above::TwoPackets), [4, 7].map(forced));
    assert!(fates(Above::Drop).len() > 4);
}

/// Two strikes and a flow is held to its fair share; with its last packet they are forgotten.
#[test]
fn strikes_last_as_long_as_packets_wait() {
    let mut bench =
        bench(&FredConfig { min_th: Packets(3.0), max_th: Packets(9.0), ..FredConfig::default() });
    let strike = |bench: &Bench<Fifo<Fred, Numbered>>| {
        let mut seen = dumbbell_core::probe::Gauges::default();
        bench.port.qdisc().probe(&mut seen);
        seen.get("strike").unwrap()
    };
    for _ in 0..7 {
        bench.arrive(Time::ZERO, packet(0, 1000, Ecn::NotEct));
    }
    // One is in transmission, three wait, three were struck; the last saw two strikes.
    assert_eq!((bench.journal.dropped(Reason::Forced), strike(&bench)), (3, 2.0));
    // At 17 ms one waits, as many as the fair share: another strike, though the flow is far below
    // maxq.
    bench.arrive(Time::ZERO + Span::from_ms(17), packet(0, 1000, Ecn::NotEct));
    assert_eq!((bench.journal.dropped(Reason::Forced), strike(&bench)), (4, 3.0));
    bench.drain();
    for _ in 0..3 {
        bench.arrive(Time::ZERO + Span::from_ms(100), packet(0, 1000, Ecn::NotEct));
    }
    assert_eq!((bench.journal.dropped(Reason::Forced), strike(&bench)), (4, 0.0));
}

#[test]
fn contradictions_are_refused() {
    use dumbbell_core::catalogue::read;
    let fault = |json| read::<FredConfig>(&json).unwrap_err();
    assert_eq!(fault(serde_json::json!({"min_th": "15 pkt", "max_th": "5 pkt"})).at, "max_th");
    assert_eq!(fault(serde_json::json!({"min_th": "0 pkt"})).at, "min_th");
    assert_eq!(fault(serde_json::json!({"max_p": 1.5})).at, "max_p");
}

/// Who has more than it may: `min_th` packets, or two where the average is at `max_th`; and who was
/// found so before, its share.
#[test]
fn a_flow_that_has_more_than_it_may() {
    let config = FredConfig {
        min_th: Packets(4.0),
        max_th: Packets(20.0),
        w_q: 1.0,
        ..FredConfig::default()
    };
    let site = link(Capacity::Unlimited);
    let (flows, mut rng) = (FlowTable::default(), Stream::named(1, "fred"));
    let cx = Cx { now: Time::ZERO, rng: &mut rng, link: &site, flows: &flows };
    let backlog = |packets| Backlog { packets, bytes: 500 * u64::from(packets), buffers: 0 };
    let mut fred = Fred::new(&config, &site);
    // Packets that wait, of how many flows; those that the flow has, and its strikes.
    for (waiting, active, has, strike, greedy) in [
        (10, 5, 3, 1, false),
        (10, 5, 4, 0, true),
        (10, 5, 1, 2, false),
        (10, 5, 2, 1, false),
        (10, 5, 2, 2, true),
        (19, 1, 3, 9, false),
        (20, 1, 2, 0, true),
        (30, 10, 1, 9, false),
        (30, 10, 2, 0, true),
        (30, 0, 1, 9, false),
    ] {
        fred.sample(&cx, backlog(waiting), active);
        let account = Account { has: backlog(has), strike };
        assert_eq!(fred.is_greedy(account), greedy, "{waiting} {active} {has} {strike}");
    }
}
