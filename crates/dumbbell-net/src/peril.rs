//! What befalls a packet behind its transmitter: the end of a transmission that failed, and the impairments of the wire
//! in their order, for the packet and for the copies that are made of it.
use crate::account::{Copied, Event, Scene};
use crate::observe::Observer;
use crate::parcel::Parcel;
use crate::port::Port;
use dumbbell_core::aqm::Reason;
use dumbbell_core::impairment::{Fate, Impairment};
use dumbbell_core::packet::Packet;
use dumbbell_core::units::Time;

/// A packet on the wire, the original or a copy.
#[derive(Clone, Copy)]
struct Rider {
    parcel: Parcel,
    /// When it left, later by what it was delayed; `None`: it is lost.
    t: Option<Time>,
    /// Whether it is to be doubled.
    twice: bool,
}

impl Rider {
    /// Meets its fate.
    fn meets<O: Observer>(&mut self, fate: Fate, link: usize, scene: &mut Scene<'_, O>) {
        match fate {
            Fate::Arrives => {}
            Fate::Lost => self.t = None,
            Fate::Delayed(by) => self.t = self.t.map(|t| t + by),
            Fate::Corrupted => {
                let packet = self.parcel.packet;
                self.parcel.packet = packet.with_extra(scene.extras.corrupt(packet.extra(), link));
            }
            Fate::Duplicated => self.twice = true,
        }
    }

    /// The copy that is to follow it, if there is one.
    fn copy<O: Observer>(&mut self, scene: &mut Scene<'_, O>) -> Option<Rider> {
        if !std::mem::take(&mut self.twice) {
            return None;
        }
        let packet = self.parcel.packet;
        let extra = scene.extras.double(packet.extra());
        Some(Rider { parcel: Parcel { packet: packet.with_extra(extra), ..self.parcel }, ..*self })
    }
}

impl Port {
    /// The packet left at `done` with `fate`, over a wire that may do more: when it is at the far end, or `None` if it is
    /// lost. Its copies are left in the scene.
    #[inline(never)]
    pub fn suffers<O: Observer>(
        &mut self,
        done: Time,
        fate: Fate,
        parcel: &mut Parcel,
        scene: &mut Scene<'_, O>,
    ) -> Option<Time> {
        let link = self.account.link;
        let mut own = Rider { parcel: *parcel, t: Some(done), twice: false };
        own.meets(fate, link, scene);
        // In the order of the wire; nearly always there are none.
        let mut copies: Vec<Rider> = own.copy(scene).into_iter().collect();
        for (impairment, rng) in &mut self.impairments {
            let mut next = |rider: &mut Rider, scene: &mut Scene<'_, O>| {
                let fate = rider.t.map_or(Fate::Arrives, |t| impairment.fate(t, rng, &rider.parcel.meta()));
                rider.meets(fate, link, scene);
                rider.copy(scene)
            };
            let new = next(&mut own, scene);
            if copies.is_empty() && new.is_none() {
                continue;
            }
            let mut behind = Vec::from_iter(new);
            for mut rider in copies {
                let copy = next(&mut rider, scene);
                behind.push(rider);
                behind.extend(copy);
            }
            copies = behind;
        }
        let at = self.resolve(done, &own, scene);
        *parcel = own.parcel;
        copies.into_iter().for_each(|copy| self.resolve_copy(done, &copy, scene));
        at
    }

    fn resolve<O: Observer>(&mut self, done: Time, own: &Rider, scene: &mut Scene<'_, O>) -> Option<Time> {
        let parcel = &own.parcel;
        let Some(t) = own.t else {
            self.account.drop(*parcel, &lost(done), scene);
            return None;
        };
        self.account.departed(done, parcel);
        self.told_of_a_wrong_bit(done, parcel, scene);
        scene.left(parcel, self.account.link, done, t + self.delay);
        Some(t + self.delay)
    }

    fn resolve_copy<O: Observer>(&mut self, done: Time, copy: &Rider, scene: &mut Scene<'_, O>) {
        if done > self.account.stats.end() {
            // At the end of the run it is not made yet.
            scene.extras.take(copy.parcel.packet.extra());
            return;
        }
        let at = copy.t.map(|t| t + self.delay);
        scene.copies.push(Copied { at, parcel: copy.parcel, piece: false });
        if at.is_some() {
            self.account.copied(done, &copy.parcel);
            self.told_of_a_wrong_bit(done, &copy.parcel, scene);
        } else {
            self.account.loses_copy(copy.parcel, &lost(done), scene);
        }
    }

    fn told_of_a_wrong_bit<O: Observer>(&mut self, done: Time, parcel: &Parcel, scene: &Scene<'_, O>) {
        if scene.extras.corrupted(parcel.packet.extra()) == Some(self.account.link) {
            self.account.corrupted(done, parcel);
        }
    }
}

/// A loss behind the transmitter.
fn lost(t: Time) -> Event<'static> {
    Event { t, reason: Reason::Link, backlog: 0, saw: &|_| {} }
}
