//! The packets that were sent (RFC 9002 appendix A.1).
use dumbbell_core::transport::{Scoreboard, Tag};
use dumbbell_core::units::Time;
use std::collections::VecDeque;

/// The state of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// In flight, as far as is known.
    Flying,
    /// Acknowledged.
    Acked,
    /// Declared lost; it may be acknowledged nevertheless.
    Lost,
}

/// A packet; all are ack-eliciting and in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub sent: Time,
    /// The part of the stream that it carries, `[from, to)`, its FIN included; empty: none.
    pub from: u64,
    pub to: u64,
    /// UDP payload, bytes.
    pub size: u32,
    pub state: State,
    /// True if its data is in another packet in flight, which answers for it.
    pub copy: bool,
    pub tag: Tag,
}

/// Packets by number, from the oldest that matters on.
#[derive(Debug, Default)]
pub(super) struct Packets {
    /// The number of the first in the list.
    first: u64,
    list: VecDeque<Packet>,
    /// The lowest number in flight, or the next.
    oldest: u64,
    /// Numbers acknowledged, from `first` on.
    acked: Scoreboard,
    /// The number after the largest acknowledged; 0: none is.
    largest: u64,
    in_flight: u64,
    delivered: u64,
}

impl Packets {
    /// The number of the next packet.
    #[inline]
    pub fn next(&self) -> u64 {
        self.first + self.list.len() as u64
    }
    /// The lowest number in flight, or [`Self::next`].
    pub fn oldest(&self) -> u64 {
        self.oldest
    }
    /// The number after the largest acknowledged; 0: none is.
    pub fn largest(&self) -> u64 {
        self.largest
    }
    /// `bytes_in_flight`.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }
    /// Bytes acknowledged, without those that had been declared lost.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.delivered
    }
    /// The packet of a number.
    #[inline]
    pub fn get(&self, number: u64) -> &Packet {
        &self.list[(number - self.first) as usize]
    }
    fn get_mut(&mut self, number: u64) -> &mut Packet {
        &mut self.list[(number - self.first) as usize]
    }

    /// A packet goes out.
    #[inline]
    pub fn push(&mut self, packet: Packet) {
        self.in_flight += u64::from(packet.size);
        self.list.push_back(packet);
    }

    /// Adds to `fresh` the ranges of `[from, to)` that were not acknowledged before, and takes them
    /// for acknowledged.
    #[inline]
    pub fn acknowledge(&mut self, from: u64, to: u64, fresh: &mut Vec<(u64, u64)>) {
        let from = from.max(self.first);
        if from < to {
            self.acked.missing(from, to, fresh);
            self.acked.insert(from, to);
            self.largest = self.largest.max(to);
        }
    }

    /// A packet is acknowledged: what it was before.
    #[inline]
    pub fn on_acked(&mut self, number: u64) -> Packet {
        let packet = self.get_mut(number);
        let before = *packet;
        packet.state = State::Acked;
        if before.state == State::Flying {
            self.delivered += u64::from(before.size);
            self.leave(number, u64::from(before.size));
        }
        before
    }

    /// A packet in flight is declared lost.
    pub fn on_lost(&mut self, number: u64) -> Packet {
        let packet = self.get_mut(number);
        packet.state = State::Lost;
        let packet = *packet;
        self.leave(number, u64::from(packet.size));
        packet
    }

    /// Nothing of what was sent so far matters any longer: the keys of the handshake are gone
    /// (RFC 9002 section 6.4).
    pub fn discard(&mut self) {
        self.list.iter_mut().for_each(|packet| packet.state = State::Acked);
        (self.in_flight, self.oldest) = (0, self.next());
    }

    #[inline]
    fn leave(&mut self, number: u64, bytes: u64) {
        self.in_flight -= bytes;
        if number == self.oldest {
            let next = self.next();
            while self.oldest < next && self.get(self.oldest).state != State::Flying {
                self.oldest += 1;
            }
        }
    }

    /// Adds to `holes` the ranges below the largest acknowledged packet, from the oldest in flight
    /// on, that are not acknowledged.
    pub fn holes(&self, holes: &mut Vec<(u64, u64)>) {
        if self.oldest < self.largest {
            self.acked.missing(self.oldest, self.largest, holes);
        }
    }

    /// Forgets acknowledged packets, and lost ones that were sent before `until`, as long as none
    /// before them matters; returns how many.
    pub fn forget(&mut self, until: Time) -> usize {
        let matters = |p: &Packet| match p.state {
            State::Flying => true,
            State::Acked => false,
            State::Lost => p.sent >= until,
        };
        let gone = self.list.iter().take_while(|p| !matters(p)).count();
        if gone > 0 {
            self.list.drain(..gone);
            self.first += gone as u64;
            self.acked.advance(self.first);
        }
        gone
    }
}
