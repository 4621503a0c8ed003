//! A conditioner before a port: it may colour a packet, hold it, or let others go. Always a merge, with entries of
//! its own for its clock.
use crate::account::{Account, Event, Scene};
use crate::observe::Observer;
use crate::parcel::Parcel;
use dumbbell_algos::conditioner::AnyConditioner;
use dumbbell_core::aqm::{Cx, LinkInfo, Reason};
use dumbbell_core::conditioner::{Conditioner, Emit};
use dumbbell_core::meter::Colour;
use dumbbell_core::packet::Packet;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};

/// One conditioner.
pub struct Station {
    conditioner: AnyConditioner<Parcel>,
    rng: Stream,
    info: LinkInfo,
    /// The instant of its pending entry.
    armed: Time,
}

/// Takes what the conditioner lets out, and what it drops to the port's account.
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
    pub fn new(conditioner: AnyConditioner<Parcel>, rng: Stream, info: LinkInfo) -> Self {
        Station { conditioner, rng, info, armed: Time::NEVER }
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
        let mut cx = Cx { now, rng: &mut self.rng, link: &self.info, flows: scene.flows };
        self.conditioner.arrive(&mut cx, parcel, &mut Gate { now, released, account, scene });
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
        if self.conditioner.next_wakeup() <= now {
            let mut cx = Cx { now, rng: &mut self.rng, link: &self.info, flows: scene.flows };
            self.conditioner.wake(&mut cx, &mut Gate { now, released, account, scene });
        }
    }

    /// The instant of an entry that its clock needs and does not have yet.
    pub fn arm(&mut self) -> Option<Time> {
        let due = self.conditioner.next_wakeup();
        (due < self.armed).then(|| {
            self.armed = due;
            due
        })
    }

    /// Packets held.
    pub fn held(&self) -> u64 {
        self.conditioner.held()
    }
}
