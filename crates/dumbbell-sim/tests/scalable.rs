//! Scalable congestion controls in closed loop: DCTCP at a step, Prague in a dual queue.
mod plans;

use dumbbell_core::units::{Capacity, Rate, Span, Time};
use dumbbell_plan::{Plan, Shared, Spec, Transport};
use dumbbell_sim::{Observer, Options, QueueRow, Reaction, Report, World};
use dumbbell_tcp::{Ecn, TcpConfig};
use plans::{bench_tcp, dumbbell, spec};
use serde_json::json;

/// The queue's length, and the senders' alpha at each cut.
#[derive(Default)]
struct Watch {
    queue: Vec<u32>,
    alphas: Vec<f64>,
    from: Time,
}
impl Observer for Watch {
    const FOLLOWS: bool = true;
    fn wants_reactions(&self) -> bool {
        true
    }
    fn reacted(&mut self, reaction: &Reaction) {
        let alpha = reaction.after.gauges.0.iter().find(|g| g.0 == "alpha");
        self.alphas.extend(alpha.filter(|_| reaction.t >= self.from).map(|g| g.1));
    }
    fn queue(&mut self, t: Time, _: usize, row: &QueueRow) {
        if t >= self.from {
            self.queue.push(row.packets);
        }
    }
}

fn watched(plan: &mut Plan) -> (Report, Watch) {
    plan.record.every = Some(Span::from_us(500));
    (plan.record.queues, plan.record.drops) = (true, true);
    let mut watch = Watch { from: Time::ZERO + plan.warmup, ..Watch::default() };
    let mut world = World::new(plan, Options::default()).unwrap();
    while !world.run(&mut watch, 100_000) {}
    (world.finish(&mut watch), watch)
}

fn control(plan: &mut Plan, flow: usize, cc: Shared<Spec>, tcp: TcpConfig) {
    plan.flows[flow].transport = Transport::Tcp { cc, tcp: tcp.into() };
}

/// Alizadeh et al., SIGCOMM 2010, section 3.3: N synchronized flows at a step of K packets have
/// windows up to W = (C RTT + K) / N, alpha = sqrt(2 / W), and the queue swings by A = sqrt(2 N (C
/// RTT + K)) / 2 below K + N. The link is busy, and nothing is lost.
#[test]
fn dctcp_keeps_the_queue_at_its_step() {
    const K: f64 = 65.0;
    for n in [1usize, 2] {
        let step = spec(
            "red",
            json!({
                "min_th": "65 pkt", "max_th": "65 pkt", "w_q": 1.0, "max_p": 1.0, "gentle": false,
                "ecn": true, "ecn_hard": false
            }),
        );
        let mut p =
            dumbbell(5, n, Rate::from_mbps(100), step, Capacity::Packets(400), Span::from_secs(30));
        p.warmup = Span::from_secs(10);
        for flow in 0..n {
            control(&mut p, flow, spec("dctcp", json!({})), bench_tcp());
        }
        let (report, watch) = watched(&mut p);
        // 100 Mbps and packets of 1000 bytes, 24 ms and what the access links take to send.
        let pipe = 100e6 * 0.024 / 8000.0 + K;
        let (window, swing) = (pipe / n as f64, 0.5 * (2.0 * n as f64 * pipe).sqrt());
        let (low, high) = (*watch.queue.iter().min().unwrap(), *watch.queue.iter().max().unwrap());
        let queue = &report.queues[0];
        assert!(queue.utilization > 0.999, "{n}: {}", queue.utilization);
        assert_eq!(report.flows.iter().map(|f| f.retransmits).sum::<u64>(), 0);
        assert!((f64::from(high) - K - n as f64).abs() <= 4.0, "{n}: the queue rises to {high}");
        assert!(
            f64::from(low) > K - 2.0 * swing && low > 0,
            "{n}: the queue falls to {low}, by \
            theory {}",
            K - swing
        );
        assert!(
            (f64::from(high - low) / swing - 1.0).abs() < 0.5,
            "{n}: swing {} of {swing}",
            high - low
        );
        let alpha = watch.alphas.iter().sum::<f64>() / watch.alphas.len() as f64;
        let theory = (2.0 / window).sqrt();
        assert!((alpha / theory - 1.0).abs() < 0.3, "{n}: alpha {alpha}, by theory {theory}");
    }
}

/// `classic` and `scalable` flows, one each, through a dual queue of 40 Mbps; (rates, excess of the
/// mean round-trip time over the propagation, s) of both.
fn dual(classic: Shared<Spec>, scalable: Shared<Spec>, coupling: f64) -> ([f64; 2], [f64; 2]) {
    let queue = spec("dualpi2", json!({ "coupling_factor": coupling }));
    let mut p =
        dumbbell(7, 2, Rate::from_mbps(40), queue, Capacity::Packets(1250), Span::from_secs(40));
    p.warmup = Span::from_secs(10);
    let base = TcpConfig {
        handshake: true,
        timestamps: true,
        mss: Some(dumbbell_core::units::Bytes(960)),
        ..bench_tcp()
    };
    control(&mut p, 0, classic, TcpConfig { ecn: Ecn::Rfc3168, ..base.clone() });
    control(&mut p, 1, scalable, TcpConfig { ecn: Ecn::L4s, ..base });
    let (report, _) = watched(&mut p);
    let of = |get: &dyn Fn(usize) -> f64| [get(0), get(1)];
    (
        of(&|i| report.flows[i].goodput_bps),
        of(&|i| report.flows[i].srtt_mean_s.unwrap_or(0.0) - 0.024),
    )
}

/// RFC 9332: Prague beside CUBIC has a like rate, and its packets wait for about a millisecond,
/// where CUBIC's wait for the fifteen of the target.
#[test]
fn prague_shares_a_dual_queue_with_cubic() {
    let (rates, waits) = dual(spec("cubic", json!({})), spec("prague", json!({})), 2.0);
    let ratio = rates[1] / rates[0];
    assert!((0.5..2.0).contains(&ratio), "{rates:?}");
    assert!(rates[0] + rates[1] > 0.9 * 40e6 * 0.96, "{rates:?}");
    assert!(waits[1] < 0.002 && waits[0] > 0.008, "{waits:?}");
}

/// RFC 9332 section 2.1: C is signaled with p'^2, L with k p', so that the ratio of windows falls
/// as 1 / k. A Reno's window is sqrt(3/2) / p'. A scalable one grows by a segment per round trip
/// and is cut by p W / 2 once a mark has come and a round trip has passed since the last cut, that
/// is each 1 + 1 / (p W) round trips: p W = 1 + sqrt(3) with p = k p' (2, if there were a cut in
/// each). One Reno's sawtooth moves p' a good deal, and the mean of p'^2 is more than the square of
/// the mean, so that its window is somewhat less than that.
#[test]
fn the_coupling_factor_sets_the_ratio_of_windows() {
    let scalable = || spec("prague", json!({ "rtt_virt": "0 s" }));
    let ratio = |k: f64| {
        let (rates, waits) = dual(spec("newreno", json!({})), scalable(), k);
        rates[1] * (waits[1] + 0.024) / (rates[0] * (waits[0] + 0.024))
    };
    let scaled = [1.5, 2.0, 4.0].map(|k| k * ratio(k));
    let theory = (1.0 + 3.0f64.sqrt()) / 1.5f64.sqrt();
    for found in scaled {
        assert!((0.9..1.4).contains(&(found / theory)), "{scaled:?}, by theory {theory}");
        assert!((found / scaled[0] - 1.0).abs() < 0.15, "not as 1 / k: {scaled:?}");
    }
}
