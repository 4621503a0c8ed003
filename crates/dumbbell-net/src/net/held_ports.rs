//! Ports where packets may have to wait: for the conditioner before the queue, and in a queue that
//! holds them.
use crate::engine::entry::Entry;
use crate::engine::queued_packet::QueuedPacket;
use crate::engine::socket::SENDER;
use crate::link::Element;
use crate::net::{Delivery, Net, port_ctx};
use crate::observe::Observer;
use crate::port::Queue;
use dumbbell_core::transport::HostSignal;
use dumbbell_core::units::Time;

impl Net {
    /// A packet comes to a queue that holds it.
    #[inline(never)]
    pub(crate) fn hold<O: Observer>(
        &mut self,
        now: Time,
        link: u32,
        queued: QueuedPacket,
        observer: &mut O,
    ) {
        let Element::Port(port) = &mut self.elements[link as usize] else { return };
        if let Some(done) = port.arrive(now, queued, port_ctx!(self, observer)) {
            self.begin_transmission(now, link, done);
        }
    }

    /// A packet comes to a port where it may have to wait: to the conditioner, or to a queue that
    /// holds it.
    #[inline(never)]
    pub(crate) fn wait<O: Observer>(
        &mut self,
        now: Time,
        link: u32,
        mut queued: QueuedPacket,
        observer: &mut O,
    ) {
        let Element::Port(port) = &mut self.elements[link as usize] else { return };
        match &mut port.edge {
            Some(edge) => {
                edge.arrive(
                    now,
                    queued,
                    &mut self.released,
                    &mut port.account,
                    port_ctx!(self, observer),
                );
                for flow in edge.told() {
                    // A word of this instant, in the place of a host's: after all else that comes
                    // to that socket by now.
                    let socket = 2 * flow.0 + SENDER as u32;
                    if self.host_signals.add(now, socket, HostSignal::MarkedOut) {
                        self.agenda.push(Entry::clock(now.ps(), self.ranks.socket(socket)));
                    }
                }
                self.release(now, link, observer);
            }
            None => {
                self.enter(now, link, &mut queued, observer);
            }
        }
    }

    /// A packet comes to the queue of a port; when it is at the far end, if that is known.
    fn enter<O: Observer>(
        &mut self,
        now: Time,
        link: u32,
        queued: &mut QueuedPacket,
        observer: &mut O,
    ) -> Option<Time> {
        let Element::Port(port) = &mut self.elements[link as usize] else { return None };
        match port.queue {
            Queue::Arrival(_) => {
                let way = queued.way();
                port.pass(now, &mut queued.packet, way, port_ctx!(self, observer))
            }
            Queue::Held(_) => {
                self.hold(now, link, *queued, observer);
                None
            }
        }
    }

    /// Passes the packets that an edge released on to the queue, and adds an entry for its clock.
    #[cold]
    fn release<O: Observer>(&mut self, now: Time, link: u32, observer: &mut O) {
        let mut released = std::mem::take(&mut self.released);
        for mut queued in released.drain(..) {
            let at = self.enter(now, link, &mut queued, observer);
            let delivery = self.goes_on(at, queued, observer);
            self.deliveries.extend(delivery);
        }
        self.released = released;
        if let Element::Port(port) = &mut self.elements[link as usize]
            && let Some(edge) = &mut port.edge
            && let Some(at) = edge.arm()
        {
            self.agenda.push(Entry::clock(at.ps(), self.ranks.edge(link)));
        }
    }

    /// The clock of a conditioner is due.
    pub fn wake_edge<O: Observer>(&mut self, now: Time, link: u32, observer: &mut O) {
        if let Element::Port(port) = &mut self.elements[link as usize]
            && let Some(edge) = &mut port.edge
        {
            edge.wake(now, &mut self.released, &mut port.account, port_ctx!(self, observer));
            self.release(now, link, observer);
        }
    }

    /// A transmission of a held queue ends; the packet's delivery, if a socket is behind the port.
    #[inline(never)]
    pub fn done<O: Observer>(
        &mut self,
        now: Time,
        link: u32,
        observer: &mut O,
    ) -> Option<Delivery> {
        if self.shared_media.is_some() && !self.transmission_over(now, link) {
            return None;
        }
        let Element::Port(port) = &mut self.elements[link as usize] else { return None };
        let (queued, at, next) = port.done(now, port_ctx!(self, observer));
        if let Some(next) = next {
            self.begin_transmission(now, link, next);
        } else if let Some(at) = port.holds_until(now) {
            self.agenda.push(Entry::clock(at.ps(), self.ranks.wake(link)));
        }
        self.goes_on(at, queued, observer)
    }

    /// The clock of a held queue is due.
    pub fn wake<O: Observer>(&mut self, now: Time, link: u32, observer: &mut O) {
        let Element::Port(port) = &mut self.elements[link as usize] else { return };
        let (again, done) = port.wake(now, port_ctx!(self, observer));
        if let Some(at) = again {
            self.agenda.push(Entry::clock(at.ps(), self.ranks.wake(link)));
        }
        if let Some(done) = done {
            self.begin_transmission(now, link, done);
        }
    }
}
