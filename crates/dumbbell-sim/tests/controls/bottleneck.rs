//! Flows of some controls over one bottleneck, with packets of 1000 bytes.
use crate::plans::{bench_tcp, dumbbell, spec};
use dumbbell_core::units::{Capacity, Limit, Packets, Rate, Span, Time};
use dumbbell_plan::{Plan, Transport};
use dumbbell_sim::{Cause, Observer, Options, Reaction, Report, World};
use dumbbell_tcp::{Recovery, TcpConfig};
use serde_json::{Value, json};

/// A bottleneck.
#[derive(Clone, Copy)]
pub struct Bottleneck {
    /// Mbit/s.
    pub rate: u64,
    /// Round-trip time without queues and transmission, ms; at least 4.
    pub rtt: u64,
    /// Packets in the buffer.
    pub buffer: u32,
    /// Probability that the bottleneck loses a packet.
    pub loss: f64,
}

/// A flow: its control, the control's parameters, and when it starts, s.
pub type Sender = (&'static str, Value, u64);

/// One flow of `control`, from the start.
pub fn one(control: &'static str) -> [Sender; 1] {
    [(control, json!({}), 0)]
}

impl Bottleneck {
    /// Bandwidth-delay product, packets.
    pub fn bdp(&self) -> f64 {
        (self.rate * self.rtt) as f64 / 8.0
    }

    /// The flows, over `seconds` of which `warmup` do not count; slow start ends at `ssthresh`
    /// packets.
    pub fn plan(&self, flows: &[Sender], seconds: u64, warmup: u64, ssthresh: Option<f64>) -> Plan {
        let (rate, queue) = (Rate::from_mbps(self.rate), spec("drop_tail", json!({})));
        let length = Span::from_secs(seconds);
        let mut plan =
            dumbbell(1, flows.len(), rate, queue, Capacity::Packets(self.buffer), length);
        plan.warmup = Span::from_secs(warmup);
        for link in 0..2 {
            plan.links[link].delay = Span::from_us(500 * (self.rtt - 4));
        }
        if self.loss > 0.0 {
            plan.links[0].impairments = vec![spec("bernoulli", json!({"loss": self.loss}))];
        }
        let tcp = TcpConfig {
            recovery: Recovery::Sack,
            sack: true,
            timestamps: true,
            receive_window: Limit::Unlimited,
            initial_ssthresh: ssthresh.map_or(Limit::Unlimited, |s| Limit::Packets(Packets(s))),
            ..bench_tcp()
        };
        for (flow, (control, config, start)) in plan.flows.iter_mut().zip(flows) {
            flow.start = Span::from_secs(*start);
            flow.transport =
                Transport::Tcp { cc: spec(control, config.clone()), tcp: tcp.clone().into() };
        }
        plan
    }

    /// Runs them.
    pub fn run(&self, flows: &[Sender], seconds: u64, warmup: u64) -> Report {
        let report = run(&self.plan(flows, seconds, warmup, None), &mut ());
        let goodput: Vec<f64> = report.flows.iter().map(|f| f.goodput_bps / 1e6).collect();
        println!("{:?}: {goodput:.3?} Mbps, {} drops", flows, report.queues[0].counters.dropped());
        report
    }

    /// Returns the goodput of one flow, Mbit/s.
    pub fn goodput(&self, control: &'static str, seconds: u64, warmup: u64) -> f64 {
        self.run(&one(control), seconds, warmup).flows[0].goodput_bps / 1e6
    }
}

pub fn run(plan: &Plan, observer: &mut impl Observer) -> Report {
    let mut world = World::new(plan, Options::default()).unwrap();
    while !world.run(observer, 100_000) {}
    let report = world.finish(observer);
    assert!(report.conservation.ok, "{:?}", report.conservation);
    report
}

/// A loss that a sender found: when, and its window before and after, packets.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    pub t: Time,
    pub before: f64,
    pub after: f64,
}

#[derive(Default)]
struct Losses(Vec<Loss>);

impl Observer for Losses {
    const FOLLOWS: bool = true;
    fn wants_reactions(&self) -> bool {
        true
    }
    fn reacted(&mut self, r: &Reaction) {
        assert_ne!(r.cause, Cause::Timeout, "at {} s", r.t.since(Time::ZERO).seconds());
        if r.cause == Cause::Loss {
            let packets = |bytes: u64| bytes as f64 / 960.0;
            self.0.push(Loss {
                t: r.t,
                before: packets(r.before.view.cwnd),
                after: packets(r.after.view.cwnd),
            });
        }
    }
}

/// The losses of one flow that ends slow start at `ssthresh` packets.
pub fn losses(path: &Bottleneck, control: Sender, seconds: u64, ssthresh: f64) -> Vec<Loss> {
    let mut losses = Losses::default();
    run(&path.plan(&[control], seconds, 0, Some(ssthresh)), &mut losses);
    losses.0
}
