//! Packets that were sent and whose fate is not known for good.
use dumbbell_core::units::{Span, Time};
use std::collections::VecDeque;

/// How long a lost packet is remembered, in case that it is reported after all.
const MEMORY: Span = Span::from_secs(1);

/// What is known of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing.
    Flying,
    /// A later one arrived, and this one had not: at that report.
    Missing(Time),
    /// It was declared lost; it was missing since then.
    Lost(Time),
    /// It arrived.
    Acked,
}

/// A packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub sent: Time,
    pub size: u64,
    /// Bytes of all packets up to this one.
    pub sum: u64,
    pub state: State,
}

/// The packets, by number.
#[derive(Debug, Default)]
pub(super) struct Packets {
    list: VecDeque<Packet>,
    /// The number of the first in the list.
    base: u64,
    /// Bytes of all packets sent, and of those up to the highest that arrived.
    sent: u64,
    covered: u64,
    /// One more than the highest number that arrived.
    end: u64,
    /// The time for which a packet may be missing before it is lost (section 4.1.2.4).
    reordering: Span,
    loss_at: Time,
}

/// What a report says that is new.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct News {
    /// `bytes_newly_acked`: of packets up to the highest number that arrived, lost ones included.
    pub newly_acked: u64,
    /// Bytes of packets that arrived.
    pub arrived: u64,
    /// Packets that had been declared lost.
    pub spurious: u64,
    /// When the packet with the highest number was sent, if its number is new.
    pub sent: Option<Time>,
}

impl Packets {
    /// The number of the next packet.
    pub fn next(&self) -> u64 {
        self.base + self.list.len() as u64
    }
    /// `bytes_in_flight` (section 4.1.2): from the packet behind the highest number that arrived.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.sent - self.covered
    }
    /// When the loss of a packet shows by time; [`Time::NEVER`]: none is missing.
    #[inline]
    pub fn loss_at(&self) -> Time {
        if self.list.is_empty() { Time::NEVER } else { self.loss_at }
    }

    /// A packet of `size` bytes is sent; its number.
    pub fn push(&mut self, now: Time, size: u64) -> u64 {
        if self.list.is_empty() {
            self.loss_at = Time::NEVER;
        }
        self.sent += size;
        self.list.push_back(Packet { sent: now, size, sum: self.sent, state: State::Flying });
        self.next() - 1
    }

    /// Takes a report of packets below `end`; `has` says which arrived.
    pub fn take(&mut self, now: Time, end: u64, has: impl Fn(u64) -> bool) -> News {
        let mut news = News::default();
        for (i, packet) in self.list.iter_mut().enumerate() {
            let number = self.base + i as u64;
            if number >= end {
                break;
            }
            match packet.state {
                State::Acked => {}
                _ if has(number) => {
                    if let State::Missing(since) | State::Lost(since) = packet.state {
                        self.reordering = self.reordering.max(now.since(since));
                    }
                    news.spurious += u64::from(matches!(packet.state, State::Lost(_)));
                    news.arrived += packet.size;
                    packet.state = State::Acked;
                }
                State::Flying => packet.state = State::Missing(now),
                State::Missing(_) | State::Lost(_) => {}
            }
            if number + 1 == end && end > self.end {
                (news.newly_acked, news.sent) = (packet.sum - self.covered, Some(packet.sent));
                (self.covered, self.end) = (packet.sum, end);
            }
        }
        self.loss_at = now;
        news
    }

    /// Declares packets lost that are missing for the reordering window; how many.
    pub fn detect(&mut self, now: Time) -> u64 {
        let mut lost = 0;
        self.loss_at = Time::NEVER;
        for packet in &mut self.list {
            if let State::Missing(since) = packet.state {
                let at = since + self.reordering;
                if at <= now {
                    (packet.state, lost) = (State::Lost(since), lost + 1);
                } else {
                    self.loss_at = self.loss_at.min(at);
                }
            }
        }
        self.forget(now);
        lost
    }

    /// Packets at the front that are settled need not be kept: those that arrived, and lost ones
    /// after [`MEMORY`].
    fn forget(&mut self, now: Time) {
        while let Some(front) = self.list.front() {
            let settled = match front.state {
                State::Acked => true,
                State::Lost(since) => now.since(since) > MEMORY,
                State::Flying | State::Missing(_) => false,
            };
            if !settled {
                break;
            }
            self.list.pop_front();
            self.base += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// The example of section 4.1.2: packet SN is the last one, SN - 5 the highest that arrived,
    /// and five packets are in flight whatever was lost of them.
    #[test]
    fn bytes_in_flight_and_newly_acked_as_in_the_rfc() {
        let mut packets = Packets::default();
        for n in 0..10 {
            assert_eq!(packets.push(at(n), 100 + n), n);
        }
        let news = packets.take(at(20), 5, |n| n != 3);
        assert_eq!(news.newly_acked, 100 + 101 + 102 + 103 + 104, "lost ones are included");
        assert_eq!((news.arrived, news.sent), (100 + 101 + 102 + 104, Some(at(4))));
        assert_eq!(packets.in_flight(), 105 + 106 + 107 + 108 + 109);
        assert_eq!(packets.take(at(21), 5, |n| n != 3), News::default());
        let news = packets.take(at(22), 8, |n| n >= 5);
        assert_eq!(news.newly_acked, 105 + 106 + 107);
    }

    /// Section 4.1.2.4: without reordering a packet is lost at the report that misses it. When it
    /// is reported after all, the window becomes the time between, and is waited for.
    #[test]
    fn the_reordering_window_follows_what_came_late() {
        let mut packets = Packets::default();
        for n in 0..6 {
            packets.push(at(n), 100);
        }
        packets.take(at(10), 3, |n| n != 1);
        assert_eq!(packets.detect(at(10)), 1);
        let news = packets.take(at(17), 3, |_| true);
        assert_eq!(news.spurious, 1);
        assert_eq!(packets.detect(at(17)), 0);
        packets.take(at(20), 6, |n| n != 4);
        assert_eq!(packets.detect(at(20)), 0);
        assert_eq!(packets.loss_at(), at(27));
        assert_eq!(packets.detect(at(26)), 0);
        assert_eq!(packets.detect(at(27)), 1);
        assert_eq!(packets.loss_at(), Time::NEVER);
    }
}
