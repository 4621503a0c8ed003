//! Delays, jitter, reordering and losses over time of whole runs: against closed forms, and against
//! lists that an observer kept of every packet.
mod plans;

use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::segment::{Extra, Segment};
use dumbbell_core::units::{Capacity, Rate, Span, Time};
use dumbbell_plan::{Node, NodeKind, Plan, Record, Transport};
use dumbbell_sim::{DelaySummary, FlowRow, Observer, Options, PacketId, Report, Signal, World};
use plans::{audited, bench_tcp, empty, flow, link, spec};
use serde_json::{Value, json};

/// A packet of 1000 bytes takes a millisecond on the only link, whose propagation is 7.3 ms.
fn port(seconds: u64, source: (&str, Value)) -> Plan {
    let mut p = empty(7, Span::from_secs(seconds));
    p.nodes =
        ["a", "b"].map(|n| Node { name: n.into(), kind: NodeKind::Host, silent: false }).into();
    let rate = Rate::from_mbps(8);
    p.links = vec![link(0, 1, rate, Span::from_us(7300)), link(1, 0, rate, Span::from_us(7300))];
    flow(&mut p, 0, 1, Span::ZERO, "newreno", bench_tcp());
    let last = p.flows.last_mut().unwrap();
    last.source = spec(source.0, source.1);
    (last.transport, last.back) =
        (Transport::Udp { header: 28, ecn: Default::default(), df: false }, vec![]);
    p
}

/// However it is run, the same is measured.
fn run(plan: &Plan) -> Report {
    let folded = audited(plan, Options::default());
    for (fold, hold) in [(false, false), (true, true), (false, true)] {
        let other = audited(plan, Options { fold, hold, ..Options::default() });
        assert_eq!(folded.flows, other.flows);
    }
    folded
}

fn delays(report: &Report) -> &DelaySummary {
    report.flows[0].delays.as_deref().unwrap()
}

#[test]
fn an_empty_network_has_one_delay_and_no_jitter() {
    let r = run(&port(5, ("cbr", json!({ "rate": "3 Mbps", "packet": "972 B" }))));
    let d = delays(&r);
    assert_eq!((d.min_s, d.max_s, d.jitter_s), (Some(0.0083), Some(0.0083), Some(0.0)));
    assert_eq!(
        (d.ipdv_mean_abs_s, d.range_s, d.packets),
        (Some(0.0), Some(0.0), r.flows[0].delivered_packets)
    );
}

/// P(W <= t) of M/D/1 with service D (Erlang 1909): (1 - rho) sum over k <= t/D of (rho (k -
/// t/D))^k / k! e^(-rho (k - t/D)).
fn md1(rho: f64, t: f64) -> f64 {
    let (mut sum, mut k) = (0.0, 0.0);
    while k <= t {
        let x = rho * (k - t);
        let log_factorial: f64 = (1..=k as u32).map(|i| libm::log(f64::from(i))).sum();
        sum += if k == 0.0 {
            libm::exp(-x)
        } else {
            libm::pow(x.signum(), k) * libm::exp(k * libm::log(x.abs()) - log_factorial - x)
        };
        k += 1.0;
    }
    (1.0 - rho) * sum
}

#[test]
fn percentiles_are_those_of_md1() {
    let rho = 0.7;
    let rate = format!("{} bps", (rho * 972.0 * 8.0 * 1000.0) as u64);
    let mut p = port(500, ("poisson", json!({ "rate": rate, "packet": "972 B" })));
    p.warmup = Span::from_secs(10);
    let r = audited(&p, Options::default());
    let d = delays(&r);
    // The mean by Pollaczek and Khinchin; a percentile by bisection. 340 000 packets, and a
    // histogram of one part in 32.
    let mean = 8.3e-3 + 1e-3 * rho / (2.0 * (1.0 - rho));
    assert!((d.mean_s.unwrap() / mean - 1.0).abs() < 0.02, "{:?} for {mean}", d.mean_s);
    for (q, got) in [0.5, 0.95, 0.99].iter().zip(d.percentiles_s) {
        let (mut low, mut high) = (0.0, 20.0);
        for _ in 0..50 {
            let mid = 0.5 * (low + high);
            if md1(rho, mid) < *q { low = mid } else { high = mid }
        }
        let exact = 1e-3 * (1.0 + low);
        let got = got.unwrap() - 7.3e-3;
        assert!((0.96..1.08).contains(&(got / exact)), "{q}: {got} for {exact}");
    }
}

/// Each packet's numbers as an observer sees them.
#[derive(Default)]
struct Packets {
    sent: Vec<Time>,
    /// In the order of arrival: number from 0, when.
    arrived: Vec<(u64, Time)>,
    lost: Vec<(u64, Time)>,
    rows: Vec<(Time, FlowRow)>,
}

impl Observer for Packets {
    const FOLLOWS: bool = true;
    fn follow(&mut self, _: usize, data: bool) -> u64 {
        if data { self.sent.len() as u64 + 1 } else { 0 }
    }
    fn sent(&mut self, t: Time, _: PacketId, _: &Segment, _: Option<&Extra>) {
        self.sent.push(t);
    }
    fn delivered(&mut self, t: Time, who: PacketId, _: Ecn) {
        self.arrived.push((who.number - 1, t));
    }
    fn signal(&mut self, s: &Signal) {
        if !s.marked {
            self.lost.push((s.number - 1, s.t));
        }
    }
    fn flow(&mut self, t: Time, _: usize, row: &FlowRow) {
        self.rows.push((t, row.clone()));
    }
}

fn watched(plan: &Plan, options: Options) -> (Packets, Report) {
    let mut packets = Packets::default();
    let mut world = World::new(plan, options).unwrap();
    while !world.run(&mut packets, 100_000) {}
    let report = world.finish(&mut packets);
    (packets, report)
}

impl Packets {
    fn delay(&self, (number, t): (u64, Time)) -> f64 {
        t.since(self.sent[number as usize]).seconds()
    }

    /// RFC 3550 section 6.4.1 over the list.
    fn jitter(&self, from: usize) -> f64 {
        let delays: Vec<f64> = self.arrived.iter().map(|a| self.delay(*a)).collect();
        (from.max(1)..delays.len())
            .fold(0.0, |j, i| j + ((delays[i] - delays[i - 1]).abs() - j) / 16.0)
    }

    /// RFC 4737 sections 3 and 4.2 over the list, from an arrival on: how many are reordered, the
    /// largest extent.
    fn reordering(&self, from: usize) -> (u64, u64) {
        let (mut next_exp, mut reordered, mut most) = (0, 0, 0);
        for (i, (s, _)) in self.arrived.iter().enumerate() {
            if *s >= next_exp {
                next_exp = s + 1;
            } else if i >= from {
                reordered += 1;
                // The first that came with a larger number; all before the last hundred came long
                // before this was sent.
                let near = i.saturating_sub(100);
                most = most.max(
                    i - near
                        - self.arrived[near..i].iter().position(|(other, _)| other > s).unwrap(),
                );
            }
        }
        (reordered, most as u64)
    }

    /// The longest run of numbers that were lost from `warm` on.
    fn longest_run(&self, warm: Time) -> u64 {
        let mut lost: Vec<u64> = self.lost.iter().filter(|l| l.1 >= warm).map(|l| l.0).collect();
        lost.sort_unstable();
        let (mut best, mut now) = (0, 0);
        for (i, n) in lost.iter().enumerate() {
            now = if i > 0 && lost[i - 1] + 1 == *n { now + 1 } else { 1 };
            best = best.max(now);
        }
        best
    }
}

/// One packet each 1.25 ms; a share of them is 7 ms late, some are lost in bursts, and the queue is
/// short.
fn rough(share: f64) -> Plan {
    let mut p = port(60, ("poisson", json!({ "rate": "6 Mbps", "packet": "972 B" })));
    p.warmup = Span::from_secs(20);
    p.links[0].capacity = Capacity::Packets(12);
    p.links[0].report = true;
    p.links[0].impairments = vec![
        spec("gilbert_elliott", json!({ "to_bad": 0.01, "to_good": 0.3, "loss_bad": 1.0 })),
        spec("reorder", json!({ "share": share, "delay": "7 ms" })),
    ];
    p.record =
        Record { every: Some(Span::from_ms(50)), flows: true, drops: true, ..Record::default() };
    p
}

#[test]
fn measures_are_those_of_the_list_of_all_packets() {
    let p = rough(0.1);
    let (seen, r) = watched(&p, Options::default());
    let (d, warm) = (delays(&r), Time::ZERO + p.warmup);
    let from = seen.arrived.iter().position(|a| a.1 >= warm).unwrap();
    let all: Vec<f64> = seen.arrived[from..].iter().map(|a| seen.delay(*a)).collect();
    assert_eq!(d.packets, all.len() as u64);
    assert!((d.mean_s.unwrap() - all.iter().sum::<f64>() / all.len() as f64).abs() < 1e-9);
    assert_eq!(d.min_s, all.iter().copied().min_by(f64::total_cmp));
    assert!((d.max_s.unwrap() - all.iter().copied().fold(0.0, f64::max)).abs() < 1e-12);
    assert!((d.jitter_s.unwrap() - seen.jitter(from)).abs() < 1e-12);
    assert_eq!((d.reordered, d.extent_max), seen.reordering(from));
    assert!(d.reordered > 1000 && d.extent_max > 3, "{d:?}");
    assert_eq!(d.loss_burst_max, seen.longest_run(warm));
    assert!(d.loss_burst_max > 5, "{d:?}");
}

/// A late packet is overtaken by those sent within its 5.5 ms that are not late themselves: with
/// one each millisecond there are five, so that p (1 - p^5) of them are reordered.
#[test]
fn the_share_of_reordered_packets_has_a_closed_form() {
    let mut p = port(200, ("cbr", json!({ "rate": "7776 kbps", "packet": "972 B" })));
    p.links[0].impairments = vec![spec("reorder", json!({ "share": 0.2, "delay": "5.5 ms" }))];
    let r = audited(&p, Options::default());
    let share = delays(&r).reordered as f64 / r.flows[0].delivered_packets as f64;
    let exact = 0.2 * (1.0 - libm::pow(0.2, 5.0));
    assert!((share / exact - 1.0).abs() < 0.02, "{share} for {exact}");
    // One that is late while no other is: five have come since.
    assert!(delays(&r).extent_max >= 5, "{:?}", delays(&r));
}

/// A row counts what was lost before its instant, however far ahead its ends were when they were
/// examined.
#[test]
fn losses_over_time_are_those_before_each_instant() {
    let mut p = rough(0.05);
    (p.duration, p.warmup) = (Span::from_secs(20), Span::from_secs(5));
    let (seen, r) = watched(&p, Options::default());
    assert_eq!(seen.rows.len(), 401);
    for (t, row) in &seen.rows {
        let before = |all: &[(u64, Time)]| all.iter().filter(|x| x.1 < *t).count() as u64;
        assert_eq!(row.lost_packets, before(&seen.lost), "{t:?}");
        assert_eq!(row.delivered_packets, before(&seen.arrived), "{t:?}");
        assert_eq!(row.sent_packets, seen.sent.iter().filter(|x| **x < *t).count() as u64, "{t:?}");
    }
    assert!(
        r.flows[0].lost_packets < seen.lost.len() as u64,
        "rows count from the start, results \
        from the warm-up"
    );
    for (fold, hold) in [(false, false), (false, true)] {
        assert_eq!(watched(&p, Options { fold, hold, ..Options::default() }).0.rows, seen.rows);
    }
    // The peak is the largest step of the rows, in the window.
    let bytes: Vec<u64> = seen
        .rows
        .iter()
        .filter(|row| row.0 >= Time::ZERO + p.warmup)
        .map(|row| row.1.delivered_bytes)
        .collect();
    let most = bytes.windows(2).map(|w| w[1] - w[0]).max().unwrap();
    assert_eq!(r.flows[0].peak_throughput_bps, Some(most as f64 * 8.0 / 0.05));
}

/// A copy is not an arrival of its own: it moves no measure, and is counted apart.
#[test]
fn a_copy_is_counted_once() {
    let twice = json!({ "share": 1.0 });
    let mut p = port(5, ("cbr", json!({ "rate": "3 Mbps", "packet": "972 B" })));
    p.links[0].impairments = vec![spec("duplicate", twice)];
    let r = run(&p);
    let d = delays(&r);
    assert_eq!(
        (d.packets, d.duplicates, d.reordered),
        (r.flows[0].delivered_packets / 2, d.packets, 0)
    );
}
