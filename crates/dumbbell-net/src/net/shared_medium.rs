//! Transmissions of held queues, on a wire of their own or on a medium that two directions share.
use crate::engine::entry::Entry;
use crate::link::Element;
use crate::net::Net;
use crate::port::Queue;
use dumbbell_algos::service::duplex_mismatch::medium::TransmissionEnd;
use dumbbell_core::units::Time;

impl Net {
    /// The transmitter of `link` takes a packet, whose last bit leaves at `done` if it has the wire
    /// for itself.
    #[inline(always)]
    pub(crate) fn begin_transmission(&mut self, now: Time, link: u32, done: Time) {
        if self.shared_media.is_none() || !self.offer_to_medium(now, link, done) {
            self.agenda.push_soon(Entry::clock(done.ps(), self.ranks.done(link)));
        }
    }

    /// Offers a transmission to a shared medium; false if the link has a wire of its own.
    #[cold]
    fn offer_to_medium(&mut self, now: Time, link: u32, done: Time) -> bool {
        let Some((shared, i)) = self.shared_media.as_mut().and_then(|media| media.find(link))
        else {
            return false;
        };
        shared.medium.offer(i, now, done.since(now));
        shared.arm(&mut self.agenda, &self.ranks);
        true
    }

    /// True if the transmission of `link` is over. On a shared medium an entry that is due may be
    /// stale.
    #[cold]
    pub(crate) fn transmission_over(&mut self, now: Time, link: u32) -> bool {
        let Some((shared, i)) = self.shared_media.as_mut().and_then(|media| media.find(link))
        else {
            return true;
        };
        let how = shared.medium.due(i, now);
        shared.arm(&mut self.agenda, &self.ranks);
        if let Some(how) = how
            && how != TransmissionEnd::Sent
            && let Element::Port(port) = &mut self.elements[link as usize]
            && let Queue::Held(queue) = &mut port.queue
        {
            queue.lose_current(how);
        }
        how.is_some()
    }
}
