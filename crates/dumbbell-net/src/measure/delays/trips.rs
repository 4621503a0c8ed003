//! Send times of packets in the network, and delays of those that arrived.
use dumbbell_core::transport::segment::widen;
use dumbbell_core::units::Time;

/// Slots of a flow at first, and at most: packets that are on their way at once, beyond which the
/// oldest are forgotten.
const FIRST: usize = 1024;
const MOST: usize = 1 << 20;
/// Tells how a packet's trip ended: by its arrival, and the slot holds its delay; or by a loss, and
/// it still holds the instant of sending, for a copy may come. Without either it is on its way.
const ARRIVED: u64 = 1 << 63;
const LOST: u64 = 1 << 62;

/// A ring of the latest packets by number.
pub(crate) struct Trips {
    /// Picoseconds with one of the marks above; a power of two of them.
    slots: Vec<u64>,
    /// The number of the next packet that is sent.
    next: u64,
}

/// The result of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// For the first time: its delay, and that of the packet that was sent before it if that has
    /// come, picoseconds.
    First {
        /// Its own.
        delay: u64,
        /// Of the one before.
        before: Option<u64>,
    },
    /// It had come before.
    Again,
    /// Too many packets were in flight, so that its departure time is no longer known.
    Forgotten,
}

impl Default for Trips {
    fn default() -> Self {
        Trips { slots: vec![LOST; FIRST], next: 0 }
    }
}

impl Trips {
    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.slots.len() - 1)
    }

    /// The next packet is sent at `t`.
    #[inline]
    pub(crate) fn leaves(&mut self, t: Time) {
        // The place after this one is the oldest's from now on: while that is on its way, the one
        // before it, whose delay its own is to be compared with, must not be overwritten.
        if self.slots[self.place(self.next + 1)] < LOST {
            self.grow();
        }
        let place = self.place(self.next);
        self.slots[place] = t.ps();
        self.next += 1;
    }

    /// Doubles the ring, unless it is as large as it may be.
    #[cold]
    fn grow(&mut self) {
        let old = self.slots.len();
        if old < MOST {
            let mut slots = vec![LOST; 2 * old];
            for number in self.next.saturating_sub(old as u64)..self.next {
                slots[number as usize & (2 * old - 1)] = self.slots[self.place(number)];
            }
            self.slots = slots;
        }
    }

    /// The number, near to that of the next, whose low 32 bits are `low`.
    #[inline]
    pub(crate) fn number(&self, low: u32) -> u64 {
        widen(low, self.next)
    }

    /// True if the ring still knows of it.
    #[inline]
    fn knows(&self, number: u64) -> bool {
        self.next.wrapping_sub(number).wrapping_sub(1) < self.slots.len() as u64
    }

    /// A packet arrives at `t`.
    #[inline]
    pub(crate) fn arrives(&mut self, t: Time, number: u64) -> Came {
        if !self.knows(number) {
            return Came::Forgotten;
        }
        let place = self.place(number);
        let slot = self.slots[place];
        if slot >= ARRIVED {
            return Came::Again;
        }
        let delay = t.ps().saturating_sub(slot & (LOST - 1));
        self.slots[place] = ARRIVED | delay;
        let before = self.slots[self.place(number.wrapping_sub(1))];
        // Of the first packet the slot before is empty.
        let before =
            (before >= ARRIVED && self.knows(number.wrapping_sub(1))).then_some(before & !ARRIVED);
        Came::First { delay, before }
    }

    /// The delay of the packet that was sent behind `number`, if that has come.
    pub(crate) fn delay_behind(&self, number: u64) -> Option<u64> {
        let slot = self.slots[self.place(number + 1)];
        (number + 1 < self.next && slot >= ARRIVED).then_some(slot & !ARRIVED)
    }

    /// A packet will not come, unless as a copy.
    pub(crate) fn lost(&mut self, number: u64) {
        let place = self.place(number);
        if self.knows(number) && self.slots[place] < LOST {
            self.slots[place] |= LOST;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_grows_with_what_is_on_its_way() {
        let mut trips = Trips::default();
        let at = Time::from_ps;
        (0..2000).for_each(|i| trips.leaves(at(10 * i)));
        assert_eq!(trips.slots.len(), 2048);
        // The other way round: each finds its successor, not its predecessor.
        for i in (0..2000).rev() {
            assert_eq!(
                trips.arrives(at(20_000), i),
                Came::First { delay: 20_000 - 10 * i, before: None }
            );
            assert_eq!(trips.delay_behind(i), (i < 1999).then(|| 20_000 - 10 * (i + 1)));
        }
        (2000..9000).for_each(|i| {
            trips.leaves(at(10 * i));
            trips.arrives(at(10 * i + 7), i);
        });
        assert_eq!(trips.slots.len(), 2048, "what has come needs no room");
        assert_eq!(trips.number(8999), 8999);
    }

    /// One is on its way while a ring's length is sent and comes: its predecessor's delay is still
    /// there.
    #[test]
    fn a_late_packet_finds_its_neighbours() {
        let mut trips = Trips::default();
        let at = Time::from_ps;
        for i in 0..3000 {
            trips.leaves(at(i));
            if i != 5 {
                trips.arrives(at(i + 2), i);
            }
        }
        assert_eq!(trips.arrives(at(4000), 5), Came::First { delay: 3995, before: Some(2) });
        assert_eq!(trips.delay_behind(5), Some(2));
    }

    #[test]
    fn a_lost_packet_makes_room_and_its_copy_still_counts() {
        let mut trips = Trips::default();
        let at = Time::from_ps;
        (0..4200).for_each(|i| {
            trips.leaves(at(i));
            trips.lost(i);
        });
        assert_eq!(trips.slots.len(), 1024);
        assert_eq!(trips.arrives(at(4500), 4199), Came::First { delay: 301, before: None });
        assert_eq!(trips.arrives(at(4600), 4199), Came::Again);
        assert_eq!(trips.arrives(at(4600), 3), Came::Forgotten);
        trips.lost(4199);
        assert_eq!(
            trips.arrives(at(4600), 4199),
            Came::Again,
            "it came, whatever became of its \
            copies"
        );
    }
}
