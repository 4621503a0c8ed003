//! The receiving end: acknowledges packets (RFC 9000 section 13.2), reassembles the stream.
mod ranges;

use crate::config::{Ecn, QuicConfig};
use crate::wire::{AckFrame, DATA_OVERHEAD};
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::transport::Scoreboard;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment, flag, widen};
use dumbbell_core::units::Time;
use ranges::Received;
use std::sync::Arc;

/// The counters of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Packets of the sender that arrived.
    pub received_packets: u64,
    /// Payload of the stream that arrived, repetitions included, bytes.
    pub received_bytes: u64,
    /// Distinct bytes that are in order.
    pub delivered_bytes: u64,
    /// Bytes that had arrived before.
    pub duplicate_bytes: u64,
    /// Packets that were dropped, because their number had arrived or is no longer tracked
    /// (section 12.3).
    pub dropped_packets: u64,
    /// Packets that arrived with Congestion Experienced.
    pub ce_packets: u64,
    /// Packets that were sent: ACKs and answers of the handshake.
    pub acks: u64,
}

/// The receiving end of a connection.
#[derive(Debug)]
pub struct Receiver {
    config: Arc<QuicConfig>,
    received: Received,
    /// Arrival of the packet with the largest number.
    largest_at: Time,
    /// Ack-eliciting packets that no ACK has answered, and when one does at the latest.
    unanswered: u32,
    ack_at: Time,
    /// The next byte of the stream that the application gets, and what arrived beyond it.
    next: u64,
    beyond: Scoreboard,
    /// The end of the stream, its FIN included, once that is known.
    fin: Option<u64>,
    /// Packets with ECT(0), CE, ECT(1).
    ecn: [u64; 3],
    stats: ReceiverStats,
}

impl Receiver {
    /// A receiver of `config`; both ends have the same.
    pub fn new(config: impl Into<Arc<QuicConfig>>) -> Self {
        Receiver {
            config: config.into(),
            received: Received::default(),
            largest_at: Time::ZERO,
            unanswered: 0,
            ack_at: Time::NEVER,
            next: 0,
            beyond: Scoreboard::default(),
            fin: None,
            ecn: [0; 3],
            stats: ReceiverStats::default(),
        }
    }

    /// A packet of the sender's arrives.
    pub fn on_segment(
        &mut self,
        now: Time,
        s: &Segment,
        _x: Option<&Extra>,
        out: &mut impl Outbox,
    ) {
        self.stats.received_packets += 1;
        let payload = u64::from(s.ip_len).checked_sub(self.config.header.0 + DATA_OVERHEAD);
        let payload = if s.flags & flag::SYN != 0 { None } else { payload };
        self.stats.received_bytes += payload.unwrap_or(0);
        let number = widen(s.seq, self.received.next());
        let due = self.received.next();
        if !self.received.insert(number) {
            self.stats.dropped_packets += 1;
            self.stats.duplicate_bytes += payload.unwrap_or(0);
            return;
        }
        if number >= due {
            self.largest_at = now;
        }
        let marked = self.count_mark(s.ecn);
        if let Some(bytes) = payload {
            self.take_stream(widen(s.ts, self.next), bytes, s.flags & flag::FIN != 0);
        }
        if s.flags & flag::SYN != 0 {
            return self.answer(now, flag::SYN, out);
        }
        // Section 13.2.1: at once what is out of order, before or behind a gap, and what is marked.
        self.unanswered += 1;
        if number != due || marked || self.unanswered >= self.config.ack_every {
            self.answer(now, 0, out);
        } else if self.unanswered == 1 {
            self.ack_at = now + self.config.max_ack_delay;
        }
    }

    /// Counts the ECN field; true if it is Congestion Experienced.
    fn count_mark(&mut self, ecn: Codepoint) -> bool {
        match ecn {
            Codepoint::NotEct => {}
            Codepoint::Ect0 => self.ecn[0] += 1,
            Codepoint::Ce => self.ecn[1] += 1,
            Codepoint::Ect1 => self.ecn[2] += 1,
        }
        self.stats.ce_packets = self.ecn[1];
        ecn == Codepoint::Ce
    }

    /// `bytes` of the stream from `from` on; a FIN is one byte more.
    fn take_stream(&mut self, from: u64, bytes: u64, fin: bool) {
        let to = from + bytes + u64::from(fin);
        if fin {
            self.fin = Some(to);
        }
        if from == self.next && self.beyond.is_empty() {
            self.next = to;
        } else {
            let start = from.max(self.next).min(to);
            let new = self.beyond.insert(start, to);
            self.stats.duplicate_bytes += (bytes + u64::from(fin) - new).min(bytes);
            if let Some(end) = self.beyond.skip(self.next) {
                self.next = end;
                self.beyond.advance(end);
            }
        }
        let ended = self.fin.is_some_and(|end| self.next >= end);
        self.stats.delivered_bytes = self.next - u64::from(ended);
    }

    /// Sends an ACK.
    fn answer(&mut self, now: Time, flags: u8, out: &mut impl Outbox) {
        (self.unanswered, self.ack_at) = (0, Time::NEVER);
        let frame = AckFrame {
            ranges: self.received.report(),
            delay: now.since(self.largest_at),
            ecn: (self.config.ecn != Ecn::Off).then_some(self.ecn),
        };
        let (segment, extra) = frame.segment(self.config.header.0, flags);
        self.stats.acks += 1;
        out.send(segment, extra);
    }

    /// The time of the next [`Self::on_deadline`]; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.ack_at
    }
    /// The delayed ACK is due.
    pub fn on_deadline(&mut self, now: Time, out: &mut impl Outbox) {
        if self.ack_at <= now {
            self.answer(now, 0, out);
        }
    }
    /// The counters.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }
    /// Bytes that wait, because data before them is missing.
    pub fn held_bytes(&self) -> u64 {
        let fin = self.fin.is_some_and(|end| self.beyond.highest() == Some(end));
        self.beyond.bytes() - u64::from(fin)
    }
    /// True if the whole stream is there, up to its FIN.
    pub fn finished(&self) -> bool {
        self.fin.is_some_and(|end| self.next >= end)
    }
}
