//! The RTP queue: packets of frames that wait to be sent.
use crate::wire::RTP_HEADER;
use dumbbell_core::units::{Span, Time};
use std::collections::VecDeque;

/// An RTP packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    /// The capture of its frame.
    pub capture: Time,
    /// Its size, RTP header included.
    pub size: u64,
    pub first: bool,
    pub last: bool,
}

/// The packets, in order.
#[derive(Debug, Default)]
pub(super) struct RtpQueue {
    packets: VecDeque<Waiting>,
    bytes: u64,
}

impl RtpQueue {
    /// A frame of `bytes`, in packets of at most `most` bytes of payload; the bytes of its packets.
    pub fn push(&mut self, capture: Time, bytes: u64, most: u64) -> u64 {
        let (mut left, mut first, mut all) = (bytes, true, 0);
        while left > 0 {
            let payload = left.min(most);
            left -= payload;
            let size = payload + RTP_HEADER;
            self.packets.push_back(Waiting { capture, size, first, last: left == 0 });
            (first, all) = (false, all + size);
        }
        self.bytes += all;
        all
    }
    /// The packet that goes next.
    pub fn front(&self) -> Option<Waiting> {
        self.packets.front().copied()
    }
    /// Takes it.
    pub fn pop(&mut self) {
        if let Some(packet) = self.packets.pop_front() {
            self.bytes -= packet.size;
        }
    }
    /// Discards frames that were captured more than `age` ago; how many there were.
    pub fn discard(&mut self, now: Time, age: Span) -> u64 {
        let (mut frames, mut last) = (0, None);
        while let Some(front) = self.front().filter(|front| now.since(front.capture) > age) {
            frames += u64::from(last != Some(front.capture));
            last = Some(front.capture);
            self.pop();
        }
        frames
    }
    /// Bytes that wait.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_cut_into_packets_and_old_ones_are_discarded() {
        let mut queue = RtpQueue::default();
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        assert_eq!(queue.push(at(0), 2500, 988), 2500 + 3 * RTP_HEADER);
        assert_eq!(queue.push(at(40), 10, 988), 22);
        let of = |queue: &mut RtpQueue| {
            let front = queue.front().unwrap();
            queue.pop();
            (front.size, front.first, front.last)
        };
        assert_eq!(of(&mut queue), (1000, true, false));
        assert_eq!(queue.discard(at(100), Span::from_ms(100)), 0);
        assert_eq!(queue.discard(at(101), Span::from_ms(100)), 1, "one frame, two packets");
        assert_eq!(of(&mut queue), (22, true, true));
        assert!(queue.is_empty() && queue.bytes() == 0);
    }
}
