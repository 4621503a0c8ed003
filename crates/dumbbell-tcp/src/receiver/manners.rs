//! The manners that a profile chooses: delayed acknowledgements, how congestion is echoed, and Freeze-TCP's window.
use crate::{DelayedAck, Ecn, TcpConfig};
use dumbbell_core::segment::flag;
use dumbbell_core::transport::{Arrival, LocalSignal, Receive, Reply};
use dumbbell_core::units::{Span, Time};

/// Acknowledges each or every second full segment; echoes Congestion Experienced until the sender's CWR (RFC 3168), of
/// what is acknowledged at the moment, or in acknowledgements of their own (RFC 8257).
#[derive(Clone, Debug)]
pub struct Manners {
    /// Bytes that may wait for an acknowledgement, in segments.
    wait_below: u64,
    delay: Span,
    /// Segments that are still acknowledged at once, at the start of a connection.
    quick: u32,
    ecn: Ecn,
    echoing: bool,
    /// The echo of what came before the segment at hand (DCTCP.CE before it changed).
    echoed: bool,
    /// Whether the window closes while the host says that the path is gone, and whether it says so now.
    freeze: bool,
    down: bool,
}

impl Manners {
    /// The manners of `config`.
    pub fn new(config: &TcpConfig) -> Self {
        Manners {
            wait_below: match config.delayed_ack {
                DelayedAck::Each => 0,
                DelayedAck::Second => 2,
            },
            delay: config.delayed_ack_timeout,
            quick: config.quick_acks,
            ecn: config.ecn,
            echoing: false,
            echoed: false,
            freeze: config.freeze,
            down: false,
        }
    }
}

impl Receive for Manners {
    fn answers_each(&self) -> bool {
        self.wait_below == 0 && self.ecn == Ecn::Off && !self.freeze
    }

    #[inline]
    fn on_data(&mut self, a: &Arrival) -> Reply {
        let before = self.echoing;
        match self.ecn {
            Ecn::Off => {}
            // A segment may bring both: the reduction answers older marks than its own.
            Ecn::Rfc3168 => self.echoing = a.ce || (self.echoing && !a.cwr),
            Ecn::PerPacket => self.echoing |= a.ce,
            Ecn::Dctcp => (self.echoed, self.echoing) = (self.echoing, a.ce),
        }
        if self.quick > 0 {
            self.quick -= 1;
            return Reply::Now;
        }
        let changed = before != self.echoing;
        let full = a.pending >= self.wait_below * a.mss;
        match self.ecn {
            Ecn::Dctcp if changed => Reply::BeforeThenNow,
            _ if !a.in_order || full || changed => Reply::Now,
            _ => Reply::Within(self.delay),
        }
    }

    #[inline]
    fn echo(&mut self, before: bool) -> u8 {
        let echo = if before { self.echoed } else { self.echoing };
        self.echoing &= self.ecn != Ecn::PerPacket;
        if echo { flag::ECE } else { 0 }
    }

    fn window(&self, free: u64) -> u64 {
        if self.down { 0 } else { free }
    }

    /// Freeze-TCP: a zero-window advertisement ahead of the disconnection, and three ACKs alike after it, because the
    /// sender's probes have become rare and one ACK may be lost.
    fn on_local(&mut self, _: Time, signal: LocalSignal) -> u32 {
        let before = self.down;
        self.down = self.freeze && (signal == LocalSignal::PathDown || (before && signal != LocalSignal::PathUp));
        match (before, self.down) {
            (false, true) => 1,
            (true, false) => 3,
            _ => 0,
        }
    }
}
