//! The edge before a port: it may color a packet, hold it, drop it, or release others. Always a
//! merge, with entries of its own for its clock.
use crate::edge::report;
use crate::edge::report::{MarkerReport, MarkerRow, ServedFlows};
use crate::engine::queued_packet::QueuedPacket;
use crate::observe::{Observer, SampleTimes};
use crate::port::account::{Account, Event, PortCtx};
use dumbbell_algos::edge::{Edge, EdgeCx};
use dumbbell_core::aqm::{LinkInfo, Reason};
use dumbbell_core::conditioner::Emit;
use dumbbell_core::meter::Color;
use dumbbell_core::packet::{FlowId, Packet};
use dumbbell_core::units::{Span, Time};

/// One edge.
pub(crate) struct PortEdge {
    edge: Edge<QueuedPacket>,
    info: LinkInfo,
    /// The instant of its pending entry.
    armed: Time,
    /// The flows that each meter state serves.
    served: Vec<ServedFlows>,
    /// The times at which the edge is sampled.
    sample_times: SampleTimes,
}

/// Takes what the edge lets out, and what it drops to the port's account.
struct EdgeSink<'a, 'b, O> {
    now: Time,
    released: &'a mut Vec<QueuedPacket>,
    account: &'a mut Account,
    ctx: &'a mut PortCtx<'b, O>,
}

impl<O: Observer> Emit<QueuedPacket> for EdgeSink<'_, '_, O> {
    fn release(&mut self, p: QueuedPacket, colour: Option<Color>, _: Span) {
        self.ctx.released(self.now, &p, self.account.link, colour);
        self.released.push(p);
    }
    fn drop(&mut self, p: QueuedPacket, reason: Reason) {
        self.account.stats.arrived(self.now, p.meta().ip_len);
        self.account.drop_before_queue(
            p,
            &Event { t: self.now, reason, backlog: 0, saw: &|_| {} },
            self.ctx,
        );
    }
}

impl PortEdge {
    /// An edge with nothing in it, whose places serve `served`.
    pub(crate) fn new(
        edge: Edge<QueuedPacket>,
        info: LinkInfo,
        served: Vec<ServedFlows>,
        sample_times: SampleTimes,
    ) -> Self {
        PortEdge { edge, info, armed: Time::NEVER, served, sample_times }
    }

    /// A packet arrives; what may go on is added to `released`.
    pub(crate) fn arrive<O: Observer>(
        &mut self,
        now: Time,
        queued: QueuedPacket,
        released: &mut Vec<QueuedPacket>,
        account: &mut Account,
        ctx: &mut PortCtx<'_, O>,
    ) {
        self.sample_until(now, account.link, ctx.observer);
        let around = EdgeCx { now, link: &self.info, flows: ctx.flows };
        self.edge.arrive(
            around,
            queued,
            !queued.data,
            &mut EdgeSink { now, released, account, ctx },
        );
    }

    /// An entry of its clock came up; it may be stale.
    pub(crate) fn wake<O: Observer>(
        &mut self,
        now: Time,
        released: &mut Vec<QueuedPacket>,
        account: &mut Account,
        ctx: &mut PortCtx<'_, O>,
    ) {
        if self.armed != now {
            return;
        }
        self.armed = Time::NEVER;
        // At one instant its clock comes before a look.
        if let Some(before) = now.ps().checked_sub(1) {
            self.sample_until(Time::from_ps(before), account.link, ctx.observer);
        }
        if self.edge.next_wakeup() <= now {
            let around = EdgeCx { now, link: &self.info, flows: ctx.flows };
            self.edge.wake(around, &mut EdgeSink { now, released, account, ctx });
        }
    }

    /// The instant of an entry that its clock needs and does not have yet.
    pub(crate) fn arm(&mut self) -> Option<Time> {
        let due = self.edge.next_wakeup();
        (due < self.armed).then(|| {
            self.armed = due;
            due
        })
    }

    /// True if the sender of `flow` may be told of its packets.
    pub(crate) fn tells(&self, flow: FlowId) -> bool {
        self.edge.tells(flow)
    }

    /// The flows whose senders are to be told of the packet that came last.
    pub(crate) fn told(&mut self) -> impl Iterator<Item = FlowId> + '_ {
        self.edge.told()
    }

    /// Samples its places as often as is due by `t`.
    #[inline]
    fn sample_until(&mut self, t: Time, link: usize, observer: &mut impl Observer) {
        while self.sample_times.next() <= t {
            self.take_sample(link, observer);
        }
    }

    #[cold]
    fn take_sample(&mut self, link: usize, observer: &mut impl Observer) {
        let due = self.sample_times.take();
        if due.sample {
            for (place, served) in self.edge.states_mut().iter_mut().zip(&self.served) {
                observer.marker(due.at, link, &MarkerRow::of(served, place, due.at));
            }
        }
    }

    /// Ends the run at `end`.
    pub(crate) fn close(&mut self, end: Time, link: usize, observer: &mut impl Observer) {
        self.sample_until(end, link, observer);
        self.edge.states_mut().iter_mut().for_each(|place| place.settle(end));
    }

    /// Reports of its meter states after the end; `name` gives a flow's name.
    pub(crate) fn reports<'a>(
        &self,
        link: &str,
        name: impl Fn(usize) -> &'a str,
    ) -> Vec<MarkerReport> {
        let places = self.served.iter().zip(self.edge.states());
        places
            .map(|(served, place)| MarkerReport::of(link, served.flow.map(&name), served, place))
            .collect()
    }

    /// Faults of token buckets whose account does not balance at `end`.
    pub(crate) fn faults<'a>(
        &mut self,
        end: Time,
        link: &str,
        name: impl Fn(usize) -> &'a str,
    ) -> Vec<String> {
        let places = self.served.iter().zip(self.edge.states_mut());
        places
            .filter_map(|(s, place)| report::fault(link, s.flow.map(&name), &place.tokens(end)?))
            .collect()
    }

    /// Packets held.
    pub(crate) fn held(&self) -> u64 {
        self.edge.held()
    }
}
