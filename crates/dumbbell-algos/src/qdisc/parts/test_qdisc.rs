//! A queueing discipline without a port, for tests: packets are enqueued and dequeued by hand.
use dumbbell_core::aqm::{Cx, LinkInfo};
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::packet::{Dscp, Ecn, Meta};
use dumbbell_core::qdisc::{Qdisc, Sharing};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Event, Journal, Numbered, packet};
use dumbbell_core::units::Time;

/// A discipline and its context.
pub struct TestQdisc<Q> {
    pub qdisc: Q,
    pub now: Time,
    pub flows: FlowTable,
    pub journal: Journal,
    pub site: LinkInfo,
    rng: Stream,
    next_id: u64,
}

/// A [`Cx`] of the deck's own parts, so that the others stay free to borrow.
macro_rules! cx {
    ($deck:expr) => {
        &mut Cx { now: $deck.now, rng: &mut $deck.rng, link: &$deck.site, flows: &$deck.flows }
    };
}

impl<Q: Qdisc<Numbered>> TestQdisc<Q> {
    pub fn new(make: impl Fn(&LinkInfo) -> Q, site: LinkInfo) -> Self {
        TestQdisc {
            qdisc: make(&site),
            now: Time::ZERO,
            flows: FlowTable::default(),
            journal: Journal::default(),
            site,
            rng: Stream::named(1, "deck"),
            next_id: 0,
        }
    }
    /// A packet of `flow` arrives: its number.
    pub fn put(&mut self, flow: u32, dscp: u8, bytes: u32) -> u64 {
        self.put_meta(Meta { dscp: Dscp(dscp), ..packet(flow, bytes, Ecn::NotEct) })
    }
    pub fn put_meta(&mut self, meta: Meta) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.qdisc.enqueue(cx!(self), Numbered { id, meta }, &mut self.journal);
        id
    }
    /// A packet arrives at its queue, which may hold at most `most` bytes.
    pub fn put_in(&mut self, meta: Meta, most: Option<u64>)
    where
        Q: Sharing<Numbered>,
    {
        let id = self.next_id;
        self.next_id += 1;
        let queue = self.qdisc.queue_of(cx!(self), &meta);
        self.qdisc.enqueue_in(queue, cx!(self), Numbered { id, meta }, most, &mut self.journal);
    }
    /// The next packet.
    pub fn take(&mut self) -> Option<Numbered> {
        self.qdisc.dequeue(cx!(self), &mut self.journal).map(|w| w.packet)
    }
    pub fn wake(&mut self) {
        self.qdisc.wake(cx!(self));
    }
    /// The dropped packets, with the reasons.
    pub fn dropped(&self) -> Vec<(u64, &'static str)> {
        self.journal
            .0
            .iter()
            .filter_map(|e| {
                if let Event::Dropped(id, why) = e { Some((*id, why.name())) } else { None }
            })
            .collect()
    }
}

/// The numbers of all that still wait, in the order in which they leave.
pub fn numbers<Q: Qdisc<Numbered>>(d: &mut TestQdisc<Q>) -> Vec<u64> {
    std::iter::from_fn(|| d.take()).map(|p| p.id).collect()
}
