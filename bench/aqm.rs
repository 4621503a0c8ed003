//! Per arrival: each AQM of the catalogue, with its defaults, in a FIFO that holds its packets, and
//! each scheduler.
//!
//! 1.1 times what the link carries arrives, so that the queue is long and the algorithm has to
//! decide; one packet in ten is small. `drop_tail` is the FIFO and its port alone: the others cost
//! what they are above it.
use criterion::Criterion;
use dumbbell_algos::aqm::{AnyAqm, CATALOGUE};
use dumbbell_algos::qdisc::{self, AnyQdisc};
use dumbbell_core::aqm::{Cx, LinkInfo, Reason};
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::port::HeldPort;
use dumbbell_core::probe::Probe;
use dumbbell_core::qdisc::{Fifo, Qdisc, Sink};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Numbered, packet};
use dumbbell_core::units::{Capacity, Rate, Span, Time, Transmitter};
use std::hint::black_box;

/// Where drops and marks go.
struct Nowhere;

impl Sink<Numbered> for Nowhere {
    fn dropped(&mut self, p: Numbered, _: Option<Time>, why: Reason, _: &dyn Fn(&mut dyn Probe)) {
        black_box((p, why));
    }
    fn marked(&mut self, p: &Numbered, why: Reason, _: &dyn Fn(&mut dyn Probe)) {
        black_box((p, why));
    }
}

/// A link of 100 Mbps under load.
struct Loaded<Q> {
    port: HeldPort<Numbered, Q, Transmitter>,
    link: LinkInfo,
    flows: FlowTable,
    rng: Stream,
    now: Time,
    done: Option<Time>,
    id: u64,
    /// Packets that were sent.
    sent: u64,
}

macro_rules! cx {
    ($loaded:expr) => {
        &mut Cx {
            now: $loaded.now,
            rng: &mut $loaded.rng,
            link: &$loaded.link,
            flows: &$loaded.flows,
        }
    };
}

impl<Q: Qdisc<Numbered>> Loaded<Q> {
    fn new(qdisc: Q, link: LinkInfo) -> Self {
        Loaded {
            port: HeldPort::new(qdisc, Transmitter::new(link.rate), false),
            link,
            flows: FlowTable::default(),
            rng: Stream::named(1, "bench"),
            now: Time::ZERO,
            done: None,
            id: 0,
            sent: 0,
        }
    }

    /// Until the queue is as long as it stays.
    fn warm(&mut self, name: &str) {
        (0..10_000).for_each(|_| self.arrive());
        assert!(self.sent > 0, "{name} lets nothing through");
    }

    /// The next packet arrives; what was due before has happened.
    fn arrive(&mut self) {
        self.id += 1;
        let bytes = if self.id.is_multiple_of(10) { 100 } else { 1000 };
        let at = self.now + Span::from_us(66);
        while let Some(due) =
            [self.done, self.port.next_wakeup()].into_iter().flatten().min().filter(|t| *t <= at)
        {
            self.now = due;
            if self.done == Some(due) {
                self.done = self.port.done(cx!(self), &mut Nowhere).1.map(|start| start.done);
                self.sent += 1;
            } else {
                self.port.wake(cx!(self));
            }
        }
        self.now = at;
        let meta = packet(self.id as u32 % 64, bytes, Ecn::Ect0);
        let start = self.port.arrive(cx!(self), Numbered { id: self.id, meta }, &mut Nowhere);
        self.done = self.done.or(start.map(|s| s.done));
    }
}

fn main() {
    let mut criterion = dumbbell_bench::criterion();
    each(&mut criterion);
    criterion.final_summary();
}

fn each(criterion: &mut Criterion) {
    let capacity = Capacity::Packets(300);
    let link =
        LinkInfo { rate: Rate::from_mbps(100), capacity, mtu: 1500, delay: Span::from_ms(10) };
    let mut group = criterion.benchmark_group("aqm");
    for entry in CATALOGUE {
        let name = entry.about.name;
        let aqm = AnyAqm::build(name, &(entry.defaults)(), &link).expect(
            "the defaults are \
            accepted",
        );
        let mut loaded = Loaded::new(Fifo::new(aqm), link);
        loaded.warm(name);
        group.bench_function(name, |b| b.iter(|| loaded.arrive()));
    }
    group.finish();
    let mut group = criterion.benchmark_group("qdisc");
    for entry in qdisc::CATALOGUE {
        let name = entry.about.name;
        let qdisc = AnyQdisc::build(name, &(entry.defaults)(), &link).expect(
            "the defaults are \
            accepted",
        );
        let mut loaded = Loaded::new(qdisc, link);
        loaded.warm(name);
        group.bench_function(name, |b| b.iter(|| loaded.arrive()));
    }
}
