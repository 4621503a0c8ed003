//! The edge before a port: it may colour a packet, hold it, drop it, or let others go. Always a merge, with entries of
//! its own for its clock.
use crate::account::{Account, Event, Scene};
use crate::markers::{self, MarkerReport, MarkerRow, Served};
use crate::observe::{Looks, Observer};
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
    /// Whom each of its places serves.
    served: Vec<Served>,
    /// When it is looked at.
    looks: Looks,
}

/// Takes what the edge lets out, and what it drops to the port's account.
struct Gate<'a, 'b, O> {
    now: Time,
    released: &'a mut Vec<Parcel>,
    account: &'a mut Account,
    scene: &'a mut Scene<'b, O>,
}

impl<O: Observer> Emit<Parcel> for Gate<'_, '_, O> {
    fn release(&mut self, p: Parcel, colour: Option<Colour>, _: Span) {
        self.scene.released(self.now, &p, self.account.link, colour);
        self.released.push(p);
    }
    fn drop(&mut self, p: Parcel, reason: Reason) {
        self.account.stats.arrived(self.now, p.meta().ip_len);
        self.account.turn_away(p, &Event { t: self.now, reason, backlog: 0, saw: &|_| {} }, self.scene);
    }
}

impl Station {
    /// A station with nothing in it, whose places serve `served`.
    pub fn new(edge: Edge<Parcel>, info: LinkInfo, served: Vec<Served>, looks: Looks) -> Self {
        Station { edge, info, armed: Time::NEVER, served, looks }
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
        self.look_until(now, account.link, scene.observer);
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
        // At one instant its clock comes before a look.
        if let Some(before) = now.ps().checked_sub(1) {
            self.look_until(Time::from_ps(before), account.link, scene.observer);
        }
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

    /// Looks at its places as often as is due by `t`.
    #[inline]
    fn look_until(&mut self, t: Time, link: usize, observer: &mut impl Observer) {
        while self.looks.next() <= t {
            self.look(link, observer);
        }
    }

    #[cold]
    fn look(&mut self, link: usize, observer: &mut impl Observer) {
        let due = self.looks.take();
        if due.sample {
            for (place, served) in self.edge.places_mut().iter_mut().zip(&self.served) {
                observer.marker(due.at, link, &MarkerRow::of(served, place, due.at));
            }
        }
    }

    /// The run is over at `end`.
    pub fn close(&mut self, end: Time, link: usize, observer: &mut impl Observer) {
        self.look_until(end, link, observer);
        self.edge.places_mut().iter_mut().for_each(|place| place.settle(end));
    }

    /// What passed its places, after the end; `name` is that of a flow.
    pub fn reports<'a>(&self, link: &str, name: impl Fn(usize) -> &'a str) -> Vec<MarkerReport> {
        let places = self.served.iter().zip(self.edge.places());
        places.map(|(served, place)| MarkerReport::of(link, served.flow.map(&name), served, place)).collect()
    }

    /// Which of its places lost count of their tokens by `end`.
    pub fn faults<'a>(&mut self, end: Time, link: &str, name: impl Fn(usize) -> &'a str) -> Vec<String> {
        let places = self.served.iter().zip(self.edge.places_mut());
        places.filter_map(|(s, place)| markers::fault(link, s.flow.map(&name), &place.tokens(end)?)).collect()
    }

    /// Packets held.
    pub fn held(&self) -> u64 {
        self.edge.held()
    }
}
