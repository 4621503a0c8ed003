//! Controls that estimate what the path carries, or ask the routers: a lossy last hop, and
//! acknowledgments that are held.
use crate::bottleneck::{Bottleneck, one, run};
use crate::plans::spec;
use dumbbell_core::transport::HostSignal;
use dumbbell_core::units::{Limit, Packets, Span, Time};
use dumbbell_plan::{Plan, ScheduledSignal, SignalTarget, Transport};
use dumbbell_sim::{Cause, FlowRow, Observer, Reaction};
use serde_json::{Value, json};

/// The gauges of the first flow's congestion control at each `every`, and its sender's reactions.
struct Watch {
    from: Time,
    rows: Vec<FlowRow>,
    causes: Vec<Cause>,
}

impl Observer for Watch {
    const FOLLOWS: bool = true;
    fn wants_reactions(&self) -> bool {
        true
    }
    fn reacted(&mut self, r: &Reaction) {
        self.causes.extend((r.flow == 0 && r.t >= self.from).then_some(r.cause));
    }
    fn flow(&mut self, t: Time, flow: usize, row: &FlowRow) {
        if flow == 0 && t >= self.from {
            self.rows.push(row.clone());
        }
    }
}

/// Runs a plan with a row of its first flow each `every`, from `from` seconds on.
fn watch(plan: &mut Plan, every: Span, from: u64) -> Watch {
    (plan.record.every, plan.record.flows) = (Some(every), true);
    let mut watch =
        Watch { from: Time::ZERO + Span::from_secs(from), rows: vec![], causes: vec![] };
    run(plan, &mut watch);
    watch
}

impl Watch {
    fn gauge(&self, name: &str) -> Vec<f64> {
        self.rows.iter().map(|r| r.gauges.get(name).expect("a gauge")).collect()
    }
    fn last(&self, name: &str) -> f64 {
        *self.gauge(name).last().expect("a row")
    }
    fn times(&self, cause: Cause) -> usize {
        self.causes.iter().filter(|c| **c == cause).count()
    }
}

/// 10 Mbps, 60 ms, and a loss by chance in a hundred packets: NewReno halves at each, the others
/// take what the path carries.
#[test]
fn estimates_beat_newreno_on_a_lossy_hop() {
    let path = Bottleneck { rate: 10, rtt: 60, buffer: 100, loss: 0.01 };
    let newreno = path.goodput("newreno", 120, 10);
    for (control, times) in [("westwood", 1.3), ("westwood_plus", 1.3)] {
        let goodput = path.goodput(control, 120, 10);
        assert!(goodput > times * newreno, "{control} {goodput}, NewReno {newreno}");
    }
    for control in ["jersey", "new_jersey"] {
        let mut plan = path.plan(&one(control), 120, 10, None);
        plan.links[0].aqm = spec("jersey_cw", json!({}));
        let report = run(&plan, &mut ());
        let goodput = report.flows[0].goodput_bps / 1e6;
        assert!(goodput > 2.5 * newreno, "{control} {goodput}, NewReno {newreno}");
    }
}

/// Without losses of the air a warning comes before the buffer is full, and the window that is left
/// drains the queue if it is reckoned with the smallest round-trip time: nothing is lost after slow
/// start. With the smoothed one it holds the queue, too, which overflows.
#[test]
fn a_congestion_warning_comes_before_losses() {
    let path = Bottleneck { rate: 10, rtt: 60, buffer: 60, loss: 0.0 };
    let drops = |rtt: &str| {
        let flow: [(&'static str, Value, u64); 1] = [("jersey", json!({"rtt": rtt}), 0)];
        let mut plan = path.plan(&flow, 60, 20, None);
        plan.links[0].aqm = spec("jersey_cw", json!({}));
        let report = run(&plan, &mut ());
        assert!(report.queues[0].utilization > 0.95, "{}", report.queues[0].utilization);
        report.queues[0].counters.dropped()
    };
    assert_eq!(drops("min"), 0);
    assert!(drops("smoothed") > 50);
}

/// From 5 s on acknowledgments are held for 190 ms and then let go together, while the bottleneck
/// is always busy: at the receiver data arrives at the bottleneck's rate. Jersey's estimate more
/// than doubles; New Jersey's stays within 1 % of that rate.
#[test]
fn held_acks_mislead_jersey_and_not_new_jersey() {
    let estimates = |control: &'static str| {
        let path = Bottleneck { rate: 10, rtt: 40, buffer: 1000, loss: 0.0 };
        let flow: [(&'static str, Value, u64); 1] = [(control, json!({"rtt": "min"}), 0)];
        let mut plan = path.plan(&flow, 20, 0, None);
        if let Transport::Tcp { tcp, .. } = &mut plan.flows[0].transport {
            let mut other = (**tcp).clone();
            other.receive_window = Limit::Packets(Packets(500.0));
            *tcp = other.into();
        }
        let open = |n: u64| {
            [
                json!([format!("{} ms", 5000 + 200 * n), "0 bps"]),
                json!([
                    format!("{} ms", 5190 + 200 * n),
                    "20 \
                Mbps"
                ]),
            ]
        };
        let steps: Vec<Value> =
            [json!(["0 s", "20 Mbps"])].into_iter().chain((0..75).flat_map(open)).collect();
        plan.links[1].service = Some(spec("steps", json!({ "steps": steps })));
        let rates = watch(&mut plan, Span::from_us(500), 10).gauge("rate");
        (rates.iter().copied().fold(f64::MAX, f64::min), rates.iter().copied().fold(0.0, f64::max))
    };
    // 948 of 1000 bytes are payload.
    let carried = 10e6 / 8.0 * 0.948;
    let (jersey, ours) = (estimates("jersey"), estimates("new_jersey"));
    assert!(jersey.1 > 2.0 * carried, "{jersey:?} {carried}");
    assert!(
        (ours.0 / carried - 1.0).abs() < 0.01 && (ours.1 / carried - 1.0).abs() < 0.01,
        "{ours:?} \
        {carried}"
    );
}

/// A queue of data delays no acknowledgment more than another: CAE sees nothing, whatever is lost.
/// Held acknowledgments it sees, and each backoff is a reaction that an observer is informed of.
#[test]
fn cae_sees_the_reverse_path_only() {
    for loss in [0.0, 0.01] {
        let path = Bottleneck { rate: 10, rtt: 40, buffer: 50, loss };
        let seen = watch(&mut path.plan(&one("cae"), 30, 0, None), Span::from_ms(100), 0);
        assert_eq!((seen.last("warnings"), seen.times(Cause::BackedOff)), (0.0, 0), "{loss}");
        assert!(seen.times(Cause::Loss) > 0);
        let mut plan = path.plan(&one("cae"), 30, 0, None);
        let steps = json!({"steps": [["0 s", "10 Mbps"], ["50 ms", "0 bps"]], "period": "100 ms"});
        plan.links[1].service = Some(spec("steps", steps));
        let seen = watch(&mut plan, Span::from_ms(100), 0);
        let (backoffs, resets) = (seen.last("backoffs"), seen.last("resets"));
        assert!(
            backoffs > 50.0 && backoffs - resets <= 1.0 && resets <= backoffs,
            "{loss}: \
            {backoffs} {resets}"
        );
        let told = seen.times(Cause::BackedOff) as f64;
        assert!(told > 0.8 * backoffs && told <= backoffs + 1.0, "{told} of {backoffs}");
    }
}

/// Alone Vegas keeps alpha to beta packets in the queue, loses none, and fills the link; beside
/// NewReno it gives way.
#[test]
fn vegas_keeps_a_few_packets_in_the_queue() {
    let path = Bottleneck { rate: 10, rtt: 40, buffer: 100, loss: 0.0 };
    let alone = path.run(&one("vegas"), 60, 20);
    let queue = &alone.queues[0];
    assert_eq!(queue.counters.dropped(), 0);
    assert!((1.0..=5.0).contains(&queue.mean_packets), "{}", queue.mean_packets);
    assert!(queue.utilization > 0.98, "{}", queue.utilization);
    let both = path.run(&[("vegas", json!({}), 0), ("newreno", json!({}), 5)], 120, 40);
    let share = both.flows[0].goodput_bps / (both.flows[0].goodput_bps + both.flows[1].goodput_bps);
    assert!(share < 0.35, "{share}");
}

/// A receiver that is informed of a new path by its host says so, once, and the base is measured
/// afresh.
#[test]
fn demo_vegas_hears_of_a_handoff() {
    let path = Bottleneck { rate: 10, rtt: 40, buffer: 100, loss: 0.0 };
    let mut plan = path.plan(&one("demo_vegas"), 20, 5, None);
    let up = ScheduledSignal {
        at: Span::from_secs(10),
        to: SignalTarget::Receiver,
        say: HostSignal::PathUp,
    };
    plan.flows[0].words = Some(vec![up].into());
    let seen = watch(&mut plan, Span::from_ms(1), 9);
    let (base, handoffs) = (seen.gauge("base_rtt"), seen.gauge("handoffs"));
    assert_eq!((handoffs[0], seen.last("handoffs")), (0.0, 1.0));
    assert!(
        base[0] > 0.04 && base.contains(&0.0) && seen.last("base_rtt") > 0.04,
        "forgotten, and \
        found again"
    );
    assert_eq!(seen.times(Cause::Loss) + seen.times(Cause::Timeout), 0);
}
