//! One link by itself, under a table of arrivals: the simulator's own port, built as for a plan,
//! without a network.
use crate::build::{flow_table, lone_port};
use crate::engine::entry::Pkt;
use crate::engine::queued_packet::{QueuedPacket, Way};
use crate::engine::sidecar::Sidecars;
use crate::observe::{Observer, PacketId, Signal};
use crate::port::account::{Copies, Drops, PortCtx};
use crate::port::{Port, Queue};
use dumbbell_core::aqm::Reason;
use dumbbell_core::catalogue::Fault;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::plugin::{Alarm, Failure, Plugins};
use dumbbell_core::probe::Gauges;
use dumbbell_core::transport::segment::{Segment, flag};
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::{LinkId, Plan, Record};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A packet that comes to the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The time; not before the arrival before it.
    pub at: Time,
    /// Length of the IP packet, bytes.
    pub ip_len: u16,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its DiffServ codepoint.
    pub dscp: Dscp,
    /// Its flow, below 2^31.
    pub flow: u32,
}

/// The outcome of one packet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PacketOutcome {
    /// The time when it came to the queue: at its arrival, or when a conditioner released it;
    /// `None` if it never did.
    pub entered: Option<Time>,
    /// The codepoint that it had there: an edge's answer.
    pub dscp: Option<Dscp>,
    /// Backlog that it found, packets.
    pub backlog: u32,
    /// Why it was marked or dropped.
    pub reason: Option<Reason>,
    /// The time when it was dropped.
    pub dropped: Option<Time>,
    /// The time when its last bit left.
    pub left: Option<Time>,
    /// The time when it reached the far end.
    pub arrived: Option<Time>,
    /// State of the algorithm after its decision about this packet.
    pub gauges: Gauges,
}

/// Sends `arrivals` through one link of `plan`, and lets it send all that it then holds; one fate
/// for each. The link's chance is that of the plan's seed, as in a run of it; the plan's duration
/// says nothing here.
///
/// # Errors
/// A name that is not in the catalogue, or parameters that it refuses.
pub fn drive(
    plan: &Plan,
    link: LinkId,
    arrivals: &[Arrival],
    plugins: &Plugins,
) -> Result<(Vec<PacketOutcome>, Option<Failure>), Fault> {
    let alarm = Alarm::default();
    let plan = &Plan {
        duration: Span::from_ps(u64::MAX / 2),
        record: Record { drops: true, ..Record::default() },
        ..plan.clone()
    };
    let port = lone_port(plan, link, plugins, &alarm)?;
    let mut lone = LoneLink::new(port, plan, arrivals.len());
    for (number, arrival) in arrivals.iter().enumerate() {
        lone.catch_up(arrival.at);
        lone.come(number, arrival);
    }
    while lone.port.held() > 0 && lone.step() {}
    Ok((lone.outcomes.0, alarm.failure().cloned()))
}

/// Events of a link by itself, in the order in which a network handles them at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Done,
    Wake,
    Edge,
}

/// The link, its clocks, and its observer.
struct LoneLink {
    port: Box<Port>,
    due: BinaryHeap<Reverse<(Time, Due)>>,
    flows: FlowTable,
    sidecars: Sidecars,
    drops: Drops,
    copies: Copies,
    released: Vec<QueuedPacket>,
    outcomes: Outcomes,
}

macro_rules! port_ctx {
    ($lone:ident) => {
        &mut PortCtx {
            flows: &$lone.flows,
            sidecars: &mut $lone.sidecars,
            drops: &mut $lone.drops,
            copies: &mut $lone.copies,
            observer: &mut $lone.outcomes,
        }
    };
}

impl LoneLink {
    fn new(port: Box<Port>, plan: &Plan, packets: usize) -> Self {
        let mut lone = LoneLink {
            port,
            due: BinaryHeap::new(),
            flows: flow_table(plan),
            sidecars: Sidecars::default(),
            drops: Drops::default(),
            copies: Copies::default(),
            released: Vec::new(),
            outcomes: Outcomes(vec![PacketOutcome::default(); packets]),
        };
        if let Queue::Held(queue) = &lone.port.queue {
            lone.due.extend(queue.next_wakeup().map(|at| Reverse((at, Due::Wake))));
        }
        lone.arm();
        lone
    }

    /// Handles what is due by `t`: at one instant the link's own clocks come before an arrival.
    fn catch_up(&mut self, t: Time) {
        while self.due.peek().is_some_and(|Reverse((at, _))| *at <= t) {
            self.step();
        }
    }

    /// Handles what is due next; false if nothing is.
    fn step(&mut self) -> bool {
        let Some(Reverse((now, due))) = self.due.pop() else { return false };
        match due {
            Due::Done => {
                let (queued, at, next) = self.port.done(now, port_ctx!(self));
                self.due.extend(next.map(|at| Reverse((at, Due::Done))));
                if next.is_none() {
                    let held = self.port.holds_until(now);
                    self.due.extend(held.map(|at| Reverse((at, Due::Wake))));
                }
                self.forget(at.map(|_| queued));
            }
            Due::Wake => {
                let (again, done) = self.port.wake(now, port_ctx!(self));
                self.due.extend(again.map(|at| Reverse((at, Due::Wake))));
                self.due.extend(done.map(|at| Reverse((at, Due::Done))));
            }
            Due::Edge => {
                if let Some(mut edge) = self.port.edge.take() {
                    edge.wake(now, &mut self.released, &mut self.port.account, port_ctx!(self));
                    self.port.edge = Some(edge);
                }
                self.release(now);
            }
        }
        self.forget(None);
        true
    }

    /// A packet comes to the link.
    fn come(&mut self, number: usize, a: &Arrival) {
        let segment =
            Segment { seq: number as u32, ts: 0, ip_len: a.ip_len, flags: flag::UDP, ecn: a.ecn };
        let extra = self.sidecars.follow(0, number as u64 + 1);
        let mut packet = Pkt::new(segment, extra);
        packet.set_dscp(a.dscp);
        let queued = QueuedPacket::new(packet, Way { socket: 2 * a.flow, path_segment: 0 });
        if u32::from(a.ip_len) > self.port.mtu {
            // Nobody is there who would cut it, or hear that it did not fit.
            self.port.refuse(a.at, queued, port_ctx!(self));
            return self.forget(None);
        }
        match self.port.edge.take() {
            None => self.enter(a.at, queued),
            Some(mut edge) => {
                edge.arrive(
                    a.at,
                    queued,
                    &mut self.released,
                    &mut self.port.account,
                    port_ctx!(self),
                );
                // There is no sender to tell.
                edge.told().for_each(drop);
                self.port.edge = Some(edge);
                self.release(a.at);
            }
        }
        self.forget(None);
    }

    /// Packets that are through, or lost, need no number any more.
    fn forget(&mut self, through: Option<QueuedPacket>) {
        // Results list the packets that arrived; copies did not arrive.
        self.copies.clear();
        for queued in through.into_iter().chain(self.drops.drain(..).map(|(_, queued, _)| queued)) {
            self.sidecars.take(queued.packet.sidecar());
        }
    }

    /// Passes what the edge released on to the queue, and sets its clock.
    fn release(&mut self, now: Time) {
        let mut released = std::mem::take(&mut self.released);
        released.drain(..).for_each(|queued| self.enter(now, queued));
        self.released = released;
        self.arm();
    }

    fn arm(&mut self) {
        let at = self.port.edge.as_mut().and_then(|edge| edge.arm());
        self.due.extend(at.map(|at| Reverse((at, Due::Edge))));
    }

    /// A packet comes to the queue.
    fn enter(&mut self, now: Time, queued: QueuedPacket) {
        let number = self.sidecars.number(queued.packet.sidecar()) as usize - 1;
        self.outcomes.0[number].dscp = Some(queued.packet.dscp());
        match self.port.queue {
            Queue::Arrival(_) => {
                let mut packet = queued.packet;
                let through = self.port.pass(now, &mut packet, queued.way(), port_ctx!(self));
                self.forget(through.map(|_| queued));
            }
            Queue::Held(_) => {
                let done = self.port.arrive(now, queued, port_ctx!(self));
                self.due.extend(done.map(|at| Reverse((at, Due::Done))));
            }
        }
        let gauges = &mut self.outcomes.0[number].gauges;
        match &self.port.queue {
            Queue::Arrival(queue) => queue.probe(gauges),
            Queue::Held(queue) => queue.probe(gauges),
        }
    }
}

/// Records what happens to each packet.
struct Outcomes(Vec<PacketOutcome>);

impl Outcomes {
    fn of(&mut self, number: u64) -> Option<&mut PacketOutcome> {
        self.0.get_mut(number.checked_sub(1)? as usize)
    }
}

impl Observer for Outcomes {
    const FOLLOWS: bool = true;

    fn entered(&mut self, t: Time, who: PacketId, _: usize, backlog: u32) {
        if let Some(fate) = self.of(who.number) {
            (fate.entered, fate.backlog) = (Some(t), backlog);
        }
    }
    fn left(&mut self, who: PacketId, _: usize, done: Time, arrives: Time) {
        if let Some(fate) = self.of(who.number) {
            (fate.left, fate.arrived) = (Some(done), Some(arrives));
        }
    }
    fn signal(&mut self, signal: &Signal) {
        if let Some(fate) = self.of(signal.number) {
            fate.reason = Some(signal.reason);
            fate.dropped = (!signal.marked).then_some(signal.t);
        }
    }
}
