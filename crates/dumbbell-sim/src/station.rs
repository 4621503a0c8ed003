//! The edge before a port: it may colour a packet, hold it, drop it, or let others go. Always a merge, with entries of
//! its own for its clock.
use crate::account::{Account, Event, Scene};
use crate::observe::Observer;
use crate::parcel::Parcel;
use dumbbell_algos::edge::{Around, Edge};
use dumbbell_core::aqm::{LinkInfo, Reason};
use dumbbell_core::conditioner::Emit;
use dumbbell_core::meter::Colour;
use dumbbell_core::packet::{FlowId, Packet};
use dumbbell_core::units::{Span, Time};

/// One edge.
pub struct Station {
    edge: Edge<Parcel>,
    info: LinkInfo,
    /// The instant of its pending entry.
    armed: Time,
}

/// Takes what the edge lets out, and what it drops to the port's account.
struct Gate<'a, 'b, O> {
    now: Time,
    released: &'a mut Vec<Parcel>,
    account: &'a mut Account,
    scene: &'a mut Scene<'b, O>,
}

impl<O: Observer> Emit<Parcel> for Gate<'_, '_, O> {
    fn release(&mut self, p: Parcel, _: Option<Colour>, _: Span) {
        self.released.push(p);
    }
    fn drop(&mut self, p: Parcel, reason: Reason) {
        self.account.stats.arrived(self.now, p.meta().ip_len);
        self.account.turn_away(p, &Event { t: self.now, reason, backlog: 0, saw: &|_| {} }, self.scene);
    }
}

impl Station {
    /// A station with nothing in it.
    pub fn new(edge: Edge<Parcel>, info: LinkInfo) -> Self {
        Station { edge, info, armed: Time::NEVER }
    }

    /// A packet arrives; what may go on is added to `released`.
    pub fn arrive<O: Observer>(
        &mut self,
        now: Time,
        parcel: Parcel,
        released: &mut Vec<Parcel>,
        account: &mut Account,
        scene: &mut Scene<'_, O>,
    ) {
        let around = Around { now, link: &self.info, flows: scene.flows };
        self.edge.arrive(around, parcel, !parcel.data, &mut Gate { now, released, account, scene });
    }

    /// An entry of its clock came up; it may be stale.
    pub fn wake<O: Observer>(
        &mut self,
        now: Time,
        released: &mut Vec<Parcel>,
        account: &mut Account,
        scene: &mut Scene<'_, O>,
    ) {
        if self.armed != now {
            return;
        }
        self.armed = Time::NEVER;
        if self.edge.next_wakeup() <= now {
            let around = Around { now, link: &self.info, flows: scene.flows };
            self.edge.wake(around, &mut Gate { now, released, account, scene });
        }
    }

    /// The instant of an entry that its clock needs and does not have yet.
    pub fn arm(&mut self) -> Option<Time> {
        let due = self.edge.next_wakeup();
        (due < self.armed).then(|| {
            self.armed = due;
            due
        })
    }

    /// Whether the sender of `flow` may be told of its packets.
    pub fn tells(&self, flow: FlowId) -> bool {
        self.edge.tells(flow)
    }

    /// The flows whose senders are to be told of the packet that came last.
    pub fn told(&mut self) -> impl Iterator<Item = FlowId> + '_ {
        self.edge.told()
    }

    /// What is behind its rules.
    pub fn edge(&mut self) -> &mut Edge<Parcel> {
        &mut self.edge
    }

    /// Packets held.
    pub fn held(&self) -> u64 {
        self.edge.held()
    }
}
