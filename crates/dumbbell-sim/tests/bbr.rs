//! The papers' and drafts' claims about BBR, in closed loop: 20 Mbps, 24 ms without a queue,
//! packets of 1000 bytes.
mod plans;

use dumbbell_algos::cc;
use dumbbell_core::units::{Bytes, Capacity, Limit, Packets, Rate, Span, Time};
use dumbbell_plan::{Flow, Plan, Record, Transport};
use dumbbell_sim::{FlowRow, Observer, Options, QueueRow, Reaction, Report, World};
use dumbbell_tcp::{DelayedAck, Ecn, TcpConfig};
use plans::{dumbbell, spec};
use serde_json::json;

/// The bandwidth-delay product in packets of 1000 bytes.
const BDP: f64 = 60.0;
const PAYLOAD: u64 = 948;
/// The largest goodput: 948 bytes of payload in each packet of 1000.
const C: f64 = 20e6 * 0.948;

/// A host of today with the benchmark's sizes.
fn host() -> TcpConfig {
    TcpConfig {
        mss: Some(Bytes(960)),
        initial_window: Packets(10.0),
        receive_window: Limit::Packets(Packets(4000.0)),
        delayed_ack: DelayedAck::Each,
        ..TcpConfig::linux()
    }
}

/// Flows of these controls, each a second later than the one before; a buffer of so many BDP.
fn shared(controls: &[&str], buffer: f64, seconds: u64, seed: u64) -> Plan {
    let capacity = Capacity::Packets((buffer * BDP) as u32);
    let queue = spec("drop_tail", json!({}));
    let mut plan = dumbbell(
        seed,
        controls.len(),
        Rate::from_mbps(20),
        queue,
        capacity,
        Span::from_secs(seconds),
    );
    for (i, (flow, cc)) in plan.flows.iter_mut().zip(controls).enumerate() {
        flow.start = Span::from_ms(900 * i as u64);
        use_control(flow, cc, host());
    }
    plan.record =
        Record { every: Some(Span::from_ms(10)), flows: true, queues: true, ..Record::default() };
    plan
}

fn use_control(flow: &mut Flow, cc: &str, tcp: TcpConfig) {
    flow.transport = Transport::Tcp { cc: spec(cc, json!({})), tcp: tcp.into() };
}

/// Ten milliseconds apart: (seconds, flow, window, bytes delivered), (seconds, packets).
#[derive(Default)]
struct Series {
    flows: Vec<(f64, usize, u64, u64)>,
    queue: Vec<(f64, u32)>,
    /// The round-trip propagation time that a version 1 shows with its last reaction.
    rt_prop: Option<f64>,
}

impl Observer for Series {
    const FOLLOWS: bool = true;

    fn wants_reactions(&self) -> bool {
        true
    }
    fn reacted(&mut self, reaction: &Reaction) {
        self.rt_prop = reaction.after.gauges.get("rt_prop").or(self.rt_prop);
    }
    fn flow(&mut self, t: Time, flow: usize, row: &FlowRow) {
        self.flows.push((t.seconds(), flow, row.cwnd_bytes, row.delivered_bytes));
    }
    fn queue(&mut self, t: Time, _: usize, row: &QueueRow) {
        self.queue.push((t.seconds(), row.packets));
    }
}

impl Series {
    /// Mean packets in the queue from `from` to `to`.
    fn queue(&self, from: f64, to: f64) -> f64 {
        let within: Vec<f64> =
            self.queue.iter().filter(|q| q.0 >= from && q.0 < to).map(|q| f64::from(q.1)).collect();
        within.iter().sum::<f64>() / within.len() as f64
    }
    /// Bits per second that a flow was handed.
    fn rate(&self, flow: usize, from: f64, to: f64) -> f64 {
        let at =
            |t: f64| self.flows.iter().rev().find(|f| f.1 == flow && f.0 <= t).map_or(0, |f| f.3);
        (at(to) - at(from)) as f64 * 8.0 / (to - from)
    }
    /// Returns the times at which the window of a flow falls to at most `bytes`.
    fn dips(&self, flow: usize, bytes: u64) -> Vec<f64> {
        let mine: Vec<_> = self.flows.iter().filter(|f| f.1 == flow).collect();
        mine.windows(2).filter(|w| w[0].2 > bytes && w[1].2 <= bytes).map(|w| w[1].0).collect()
    }
}

fn run(plan: &Plan) -> (Report, Series) {
    let mut series = Series::default();
    let mut world = World::new(plan, Options::default()).unwrap();
    while !world.run(&mut series, 100_000) {}
    let report = world.finish(&mut series);
    assert!(report.conservation.ok, "{:?}", report.conservation);
    (report, series)
}

fn jain(rates: &[f64]) -> f64 {
    let (sum, squares): (f64, f64) = (rates.iter().sum(), rates.iter().map(|r| r * r).sum());
    sum * sum / (rates.len() as f64 * squares)
}

/// Alone: at least 0.9 C, at most half a BDP in the queue, nothing lost; and what STARTUP queued is
/// gone after a second.
#[test]
fn alone_it_fills_the_pipe_and_not_the_queue() {
    for cc in ["bbr", "bbr3"] {
        let (report, series) = run(&shared(&[cc], 4.0, 30, 1));
        let (rate, queue) = (series.rate(0, 2.0, 30.0) / C, series.queue(2.0, 30.0) / BDP);
        assert!(rate >= 0.9, "{cc}: {rate} C");
        assert!(queue <= 0.5, "{cc}: {queue} BDP in the queue");
        assert_eq!(report.queues[0].counters.dropped(), 0, "{cc}");
        // Window gains of 2.885 and 2: so much beyond the BDP at most, and three quanta of 1 ms at
        // a pacing gain of 2.885. The path holds 61 packets with the time that they take to send.
        let most = series.queue.iter().filter(|q| q.0 < 1.0).map(|q| q.1).max().unwrap();
        let bound = (2.885 - 1.0) * (BDP + 1.0) + 3.0 * 2.885 * 2.5;
        assert!(f64::from(most) <= bound + 1.0, "{cc}: {most} packets in STARTUP, not {bound}");
        assert!(
            f64::from(most) >= 0.5 * BDP,
            "{cc}: STARTUP queues until it sees that nothing \
            more is delivered"
        );
        assert!(
            series.queue(0.6, 1.0) <= 0.4 * BDP,
            "{cc}: {} packets after DRAIN",
            series.queue(0.6, 1.0)
        );
    }
}

/// Alone, without PROBE_RTT, version 1 uses what its cycle of gains and the margin leave, 0.99 of
/// the path, on one so long that three quanta of 1 ms are little; its RTprop is that of the
/// handshake, the propagation and one transmission on each link, by a clock of 1 us.
#[test]
fn the_model_is_exact_where_it_is_alone() {
    for margin in [0.01, 0.03] {
        let mut plan = shared(&["bbr"], 40.0, 60, 1);
        plan.links.iter_mut().take(2).for_each(|l| l.delay = Span::from_ms(100));
        let cc = spec("bbr", json!({ "min_rtt_window": "1000 s", "pacing_margin": margin }));
        plan.flows[0].transport = Transport::Tcp { cc, tcp: host().into() };
        let (_, series) = run(&plan);
        let used = series.rate(0, 10.0, 60.0) / C;
        assert!((used / (1.0 - margin) - 1.0).abs() < 0.01, "{used}");
        // 60 bytes there and 60 back, over 1 Gbps, 20 Mbps and 1 Gbps.
        let sending = 120.0 * 8.0 * (2.0 / 1e9 + 1.0 / 20e6);
        let measured = series.rt_prop.unwrap();
        assert!((measured - (0.204 + sending)).abs() < 1e-6, "{measured}");
    }
}

/// Two flows of the same kind share evenly from 40 s on, whichever began first. Version 3 takes
/// longer than version 1, and how long depends on when its segments leave: from 20 s to 40 s the
/// index of Jain is between 0.87 and 1 over 12 seeds, from 40 s to 60 s at least 0.98.
#[test]
fn two_converge() {
    for cc in ["bbr", "bbr3"] {
        for seed in [1, 2] {
            let (_, series) = run(&shared(&[cc, cc], 4.0, 60, seed));
            let rates: Vec<f64> = (0..2).map(|f| series.rate(f, 40.0, 60.0)).collect();
            let used = rates.iter().sum::<f64>() / C;
            assert!(jain(&rates) >= 0.95 && used >= 0.9, "{cc}, seed {seed}: {rates:?}");
        }
    }
}

/// Losses at random are no congestion: with 1 % it keeps 0.8 C, where NewReno with SACK has less
/// than half of that.
#[test]
fn random_losses_take_little() {
    let goodput = |cc: &str, p: f64| {
        let mut plan = shared(&[cc], 4.0, 30, 1);
        plan.links[0].impairments = vec![spec("bernoulli", json!({ "loss": p }))];
        run(&plan).1.rate(0, 2.0, 30.0) / C
    };
    let reno = goodput("sack", 0.01);
    for cc in ["bbr", "bbr3"] {
        let rate = goodput(cc, 0.01);
        assert!(rate >= 0.8, "{cc}: {rate} C");
        assert!(reno < rate / 2.0, "{reno}");
    }
    // More than 2 % is too much for version 3, and nothing to version 1.
    let (first, third) = (goodput("bbr", 0.08), goodput("bbr3", 0.08));
    assert!(first > 0.7 && third < 0.75 * first, "{first}, {third}");
}

/// Every ten seconds (five) hardly anything is in flight for 200 ms, and the queue is empty then.
#[test]
fn the_round_trip_time_is_looked_for() {
    for (cc, every, window) in [("bbr", 10.0, 4 * PAYLOAD), ("bbr3", 5.0, 31 * PAYLOAD)] {
        // Two flows keep a queue, so that neither sees the empty path but in PROBE_RTT.
        let (_, series) = run(&shared(&[cc, cc], 4.0, 60, 1));
        let dips: Vec<f64> = series.dips(0, window).into_iter().filter(|t| *t > 2.0).collect();
        let gaps: Vec<f64> = dips.windows(2).map(|w| w[1] - w[0]).collect();
        // The other flow's visit may have shown the empty path, too: then one is left out.
        assert!(dips.len() >= 4, "{cc}: {dips:?}");
        let in_step = |gap: f64| [1.0, 2.0].iter().any(|k| (gap / every / k - 1.0).abs() < 0.1);
        assert!(gaps.iter().all(|gap| in_step(*gap)), "{cc}: {gaps:?}");
        let least = |t: f64| {
            series.queue.iter().filter(|q| q.0 >= t && q.0 < t + 0.3).map(|q| q.1).min().unwrap()
        };
        assert!(dips.iter().all(|t| f64::from(least(*t)) <= 0.1 * BDP), "{cc}");
    }
}

/// A flow takes another flow's queue for the path until PROBE_RTT measures again: a CUBIC that came
/// first leaves, and a PROBE_RTT later the queue is gone.
#[test]
fn a_queue_that_vanished_is_found_out() {
    for (cc, every) in [("bbr", 10.0), ("bbr3", 5.0)] {
        let mut plan = shared(&["cubic", cc], 4.0, 45, 1);
        // 18 MB take CUBIC five seconds alone: it has the rest to send beside BBR.
        plan.flows[0].source = spec("fixed", json!({ "size": "18 MB" }));
        plan.flows[1].start = Span::from_secs(5);
        let (_, series) = run(&plan);
        let ended = series
            .flows
            .iter()
            .filter(|f| f.1 == 0 && f.3 < 18_000_000)
            .map(|f| f.0)
            .fold(0.0, f64::max);
        assert!((6.5..25.0).contains(&ended), "CUBIC ended at {ended} s");
        let (before, after) =
            (series.queue(6.0, ended) / BDP, series.queue(ended + 1.2 * every, 45.0) / BDP);
        assert!(before > 2.0 && after < 0.75, "{cc}: {before} BDP before, {after} after");
        assert!(series.rate(1, ended + 1.0, 45.0) > 0.9 * C);
    }
}

/// The share of the first of two flows in what both get; controls have Linux's parameters.
fn share(controls: [&str; 2], buffer: f64) -> f64 {
    let shares = [1, 2].map(|seed| {
        let mut plan = shared(&controls, buffer, 80, seed);
        for (flow, name) in plan.flows.iter_mut().zip(controls) {
            let entry = cc::CATALOGUE.iter().find(|e| e.about.name == name);
            let parameters = entry.expect("a control").linux_defaults();
            if let Transport::Tcp { cc, .. } = &mut flow.transport {
                *cc = spec(name, parameters);
            }
        }
        let (_, series) = run(&plan);
        let [a, b] = [0, 1].map(|f| series.rate(f, 20.0, 80.0));
        a / (a + b)
    });
    shares.iter().sum::<f64>() / 2.0
}

/// Hock, Bless, Zitterbart (ICNP 2017), Ware et al. (IMC 2019): beside one CUBIC version 1 takes
/// more than half in a shallow buffer, and less in a deep one. Linux itself does the same: 0.89,
/// 0.62 and 0.46 with 1500-byte packets, two seeds.
#[test]
fn the_buffer_decides_between_bbr_and_cubic() {
    let shares = [0.5, 2.0, 8.0].map(|buffer| share(["bbr", "cubic"], buffer));
    assert!(shares[0] > 0.7 && shares[2] < 0.5, "{shares:?}");
    assert!(shares[0] > shares[1] && shares[1] > shares[2], "{shares:?}");
}

/// Version 3 leaves room for others: Reno beside it gets more than beside version 1, in a buffer of
/// one BDP.
#[test]
fn version_3_leaves_reno_more() {
    let [first, third] = ["bbr", "bbr3"].map(|cc| 1.0 - share([cc, "sack"], 1.0));
    assert!(third > 1.2 * first, "{first}, {third}");
}

/// Marks count for version 3, and not for version 1: over a queue that marks (q - 10) / 390 of its
/// packets two flows of it keep the queue lower.
#[test]
fn version_3_answers_marks() {
    let queue = |cc: &str| {
        let mut plan = shared(&[cc, cc], 8.0, 40, 1);
        let red = json!({
            "min_th": "10 pkt", "max_th": "400 pkt", "w_q": 1.0, "max_p": 1.0, "ecn": true,
        });
        plan.links[0].aqm = spec("red", red);
        plan.flows
            .iter_mut()
            .for_each(|f| use_control(f, cc, TcpConfig { ecn: Ecn::Rfc3168, ..host() }));
        let (report, series) = run(&plan);
        (series.queue(20.0, 40.0) / BDP, report.flows.iter().map(|f| f.marks).sum::<u64>())
    };
    let (first, third) = (queue("bbr"), queue("bbr3"));
    assert!(third.0 < first.0 && third.1 < first.1 / 2, "{first:?}, {third:?}");
}

/// The run's seed and the flow's name decide where the cycle begins: another seed is another run,
/// the same seed the same.
#[test]
fn chance_is_the_flows_own() {
    for cc in ["bbr", "bbr3"] {
        let print = |seed| run(&shared(&[cc, cc], 2.0, 5, seed)).0.fingerprint;
        assert_eq!(print(1), print(1));
        assert_ne!(print(1), print(2), "{cc}");
    }
}
