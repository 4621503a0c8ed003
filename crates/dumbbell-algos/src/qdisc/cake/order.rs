//! CAKE's order: shaper, tins, flows by turns whose quantum depends on the load of their hosts.
use super::hosts::{Hosts, Isolation, Loads, hosts};
use super::link_layer::Framing;
use super::set_hash::SetHash;
use super::shaper::Shaper;
use super::tins::{DiffServ, Threshold, choose};
use crate::qdisc::parts::classes::ClassView;
use crate::qdisc::parts::deficit_rounds::DeficitRounds;
use crate::qdisc::parts::scheduled::{DropPolicy, Order, TrimPolicy};
use dumbbell_core::aqm::Cx;
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Rate, Time};

/// Credits of a byte: a quantum is divided by numbers of flows.
const CREDITS: i64 = 1 << 16;

/// Flows that share a threshold.
#[derive(Clone, Debug)]
struct Tin {
    threshold: Threshold,
    /// Credits of a turn of a flow that shares its hosts with no other.
    quantum: i64,
    hash: SetHash,
    rounds: DeficitRounds,
    loads: Loads,
    /// The hosts of the flow in each queue.
    hosts: Vec<Hosts>,
}

impl Tin {
    fn is_busy(&self) -> bool {
        self.rounds.lengths() != (0, 0)
    }

    /// The queue whose turn it is.
    fn turn(&mut self, isolation: Isolation) -> Option<usize> {
        let Tin { rounds, loads, hosts, quantum, .. } = self;
        rounds.turn_by(|queue| turn_of(*quantum, loads.of(isolation, hosts[queue])))
    }
}

/// The credits of a turn; at least one, so that turns come to an end.
fn turn_of(quantum: i64, load: i64) -> i64 {
    (quantum / load.max(1)).max(1)
}

/// What the order needs to know.
#[derive(Clone, Debug)]
pub struct OrderParameters {
    /// What has a queue of its own, and whose load counts.
    pub isolation: Isolation,
    /// The tins.
    pub diffserv: DiffServ,
    /// What a packet takes of the link.
    pub framing: Framing,
    /// The rate of the shaper, if there is one.
    pub bandwidth: Option<Rate>,
    /// Queues of a tin.
    pub queues: u32,
    /// Queues of a set.
    pub ways: u32,
    /// Bytes of a turn in each tin.
    pub quanta: Vec<u64>,
    /// What gives way when the buffer is full.
    pub trim: TrimPolicy,
    /// The acknowledgments that a filter leaves to a flow.
    pub keeps_acks: Option<usize>,
    /// Whether packets leave without a codepoint.
    pub wash: bool,
}

/// The order of CAKE. Class `queues x tin + queue` is a queue of a tin.
#[derive(Clone, Debug)]
pub struct CakeOrder {
    isolation: Isolation,
    framing: Framing,
    by_codepoint: [u8; 64],
    queues: usize,
    tins: Vec<Tin>,
    shaper: Option<Shaper>,
    trim: TrimPolicy,
    keeps_acks: Option<usize>,
    wash: bool,
    /// The instant and the bandwidth of the last choice.
    now: Time,
    bandwidth: Rate,
    /// The tin that sent last.
    served: usize,
}

impl CakeOrder {
    /// Nothing waits.
    pub fn new(p: &OrderParameters) -> Self {
        let queues = p.queues as usize;
        let tin = |(class, quantum): (&super::tins::TinClass, &u64)| Tin {
            threshold: Threshold::new(class.share),
            quantum: i64::try_from(*quantum).map_or(i64::MAX / 4, |q| q.saturating_mul(CREDITS)),
            hash: SetHash::new(p.queues, p.ways),
            rounds: DeficitRounds::new(queues, *quantum, true),
            loads: Loads::default(),
            hosts: vec![None; queues],
        };
        CakeOrder {
            isolation: p.isolation,
            framing: p.framing,
            by_codepoint: p.diffserv.by_codepoint(),
            queues,
            tins: p.diffserv.tins().iter().zip(&p.quanta).map(tin).collect(),
            shaper: p.bandwidth.map(Shaper::new),
            trim: p.trim,
            keeps_acks: p.keeps_acks,
            wash: p.wash,
            now: Time::ZERO,
            bandwidth: Rate::default(),
            served: 0,
        }
    }

    fn split(&self, class: usize) -> (usize, usize) {
        (class / self.queues, class % self.queues)
    }
}

impl Order for CakeOrder {
    fn classify(&mut self, cx: &mut Cx<'_>, p: &Meta) -> usize {
        let number = usize::from(self.by_codepoint[usize::from(p.dscp.0 & 63)]);
        let key = self.isolation.key(p, hosts(p, cx.flows));
        let Tin { hash, rounds, .. } = &mut self.tins[number];
        number * self.queues + hash.place(key, cx.rng, |queue| rounds.is_listed(queue))
    }

    fn joined(&mut self, cx: &Cx<'_>, class: usize, p: &Meta, q: &impl ClassView) {
        let (number, queue) = self.split(class);
        if let Some(shaper) = &mut self.shaper
            && q.busy().len() == 1
            && q.backlog(class).packets == 1
        {
            shaper.begins(cx.now);
        }
        let (isolation, tin) = (self.isolation, &mut self.tins[number]);
        if tin.rounds.is_listed(queue) {
            return;
        }
        if !tin.is_busy() {
            tin.threshold.begins(cx.now);
        }
        let hosts = hosts(p, cx.flows);
        tin.hosts[queue] = hosts;
        tin.loads.joins(hosts);
        tin.rounds.joined_with(queue, turn_of(tin.quantum, tin.loads.of(isolation, hosts)));
    }

    fn next(&mut self, cx: &Cx<'_>, _: &impl ClassView) -> Option<usize> {
        (self.now, self.bandwidth) = (cx.now, cx.link.rate);
        if let Some(shaper) = &self.shaper {
            if shaper.holds(cx.now) {
                return None;
            }
            self.bandwidth = shaper.rate();
        }
        let busy = self.tins.iter().enumerate().filter(|(_, tin)| tin.is_busy());
        let number = choose(cx.now, busy.map(|(i, tin)| (i, &tin.threshold)))?;
        let queue = self.tins[number].turn(self.isolation)?;
        Some(number * self.queues + queue)
    }

    fn sends(&mut self, class: usize, _: Time, p: &Meta, _: &impl ClassView) {
        let (number, queue) = self.split(class);
        let bytes = self.framing.len(p.ip_len);
        let tin = &mut self.tins[number];
        tin.rounds.pays(queue, i64::from(bytes) * CREDITS);
        tin.threshold.sends(self.now, bytes, self.bandwidth);
        if let Some(shaper) = &mut self.shaper {
            shaper.sends(bytes);
        }
        self.served = number;
    }

    fn ran_dry(&mut self, class: usize, _: &impl ClassView) {
        let (number, queue) = self.split(class);
        let tin = &mut self.tins[number];
        tin.rounds.ran_dry(queue);
        if !tin.rounds.is_listed(queue) {
            tin.loads.leaves(tin.hosts[queue].take());
            tin.hash.freed(queue);
        }
    }

    fn full(&self) -> DropPolicy {
        DropPolicy::Longest(self.trim)
    }

    fn keeps_acks(&self) -> Option<usize> {
        self.keeps_acks
    }

    fn washes(&self) -> bool {
        self.wash
    }

    fn holds_until(&self) -> Option<Time> {
        self.shaper.as_ref().map(Shaper::clock)
    }

    fn probe(&self, out: &mut dyn Probe) {
        let lengths = self.tins.iter().map(|tin| tin.rounds.lengths());
        let (new, old) = lengths.fold((0, 0), |(new, old), (n, o)| (new + n, old + o));
        out.gauge("new_flows", new as f64);
        out.gauge("old_flows", old as f64);
        out.gauge("tin", self.served as f64);
        let collisions: u64 = self.tins.iter().map(|tin| tin.hash.collisions()).sum();
        out.gauge("collisions", collisions as f64);
    }
}
