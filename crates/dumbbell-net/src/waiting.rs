//! Ports where packets may have to wait: for the conditioner before the queue, and in a queue that holds them.
use crate::entry::Entry;
use crate::net::{Element, Net, SENDER, scene};
use crate::observe::Observer;
use crate::parcel::Parcel;
use crate::port::Queue;
use dumbbell_core::transport::LocalSignal;
use dumbbell_core::units::Time;

impl Net {
    /// A packet comes to a port where it may have to wait: to the conditioner, or to a queue that holds it.
    #[inline(never)]
    pub fn wait<O: Observer>(&mut self, now: Time, link: u32, mut parcel: Parcel, observer: &mut O) {
        let Element::Port(port) = &mut self.elements[link as usize] else { return };
        match &mut port.station {
            Some(station) => {
                station.arrive(now, parcel, &mut self.released, &mut port.account, scene!(self, observer));
                for flow in station.told() {
                    // A word of this instant, in the place of a host's: after all else that comes to that socket by now.
                    let socket = 2 * flow.0 + SENDER as u32;
                    if self.words.add(now, socket, LocalSignal::MarkedOut) {
                        self.agenda.push(Entry::clock(now.ps(), self.ranks.socket(socket)));
                    }
                }
                self.release(now, link, observer);
            }
            None => {
                self.enter(now, link, &mut parcel, observer);
            }
        }
    }

    /// A packet comes to the queue of a port; when it is at the far end, if that is known.
    fn enter<O: Observer>(&mut self, now: Time, link: u32, parcel: &mut Parcel, observer: &mut O) -> Option<Time> {
        let Element::Port(port) = &mut self.elements[link as usize] else { return None };
        match port.queue {
            Queue::Arrival(_) => {
                let way = (parcel.socket(), parcel.leg);
                port.pass(now, &mut parcel.packet, way, scene!(self, observer))
            }
            Queue::Held(_) => {
                if let Some(done) = port.arrive(now, *parcel, scene!(self, observer)) {
                    self.begins(now, link, done);
                }
                None
            }
        }
    }

    /// What a conditioner let out goes on to the queue, and its clock gets an entry.
    #[cold]
    fn release<O: Observer>(&mut self, now: Time, link: u32, observer: &mut O) {
        let mut released = std::mem::take(&mut self.released);
        for mut parcel in released.drain(..) {
            let at = self.enter(now, link, &mut parcel, observer);
            self.goes_on(at, parcel, observer);
        }
        self.released = released;
        if let Element::Port(port) = &mut self.elements[link as usize]
            && let Some(station) = &mut port.station
            && let Some(at) = station.arm()
        {
            self.agenda.push(Entry::clock(at.ps(), self.ranks.station(link)));
        }
    }

    /// The clock of a conditioner is due.
    pub fn station<O: Observer>(&mut self, now: Time, link: u32, observer: &mut O) {
        if let Element::Port(port) = &mut self.elements[link as usize]
            && let Some(station) = &mut port.station
        {
            station.wake(now, &mut self.released, &mut port.account, scene!(self, observer));
            self.release(now, link, observer);
        }
    }

    /// A transmission of a held queue ends.
    pub fn done<O: Observer>(&mut self, now: Time, link: u32, observer: &mut O) {
        if self.media.is_some() && !self.is_over(now, link) {
            return;
        }
        let Element::Port(port) = &mut self.elements[link as usize] else { return };
        let (parcel, at, next) = port.done(now, scene!(self, observer));
        if let Some(next) = next {
            self.begins(now, link, next);
        }
        self.goes_on(at, parcel, observer);
    }

    /// The clock of a held queue is due.
    pub fn wake<O: Observer>(&mut self, now: Time, link: u32, observer: &mut O) {
        let Element::Port(port) = &mut self.elements[link as usize] else { return };
        if let Some(at) = port.wake(now, scene!(self, observer)) {
            self.agenda.push(Entry::clock(at.ps(), self.ranks.wake(link)));
        }
    }
}
