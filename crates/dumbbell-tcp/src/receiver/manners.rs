//! The manners that a profile chooses: delayed acknowledgements and RFC 3168's echo.
use crate::{DelayedAck, Ecn, TcpConfig};
use dumbbell_core::segment::flag;
use dumbbell_core::transport::{Arrival, Receive, Reply};
use dumbbell_core::units::Span;

/// Acknowledges each or every second full segment; echoes Congestion Experienced until the sender's CWR.
#[derive(Clone, Debug)]
pub struct Manners {
    /// Bytes that may wait for an acknowledgement, in segments.
    wait_below: u64,
    delay: Span,
    /// Segments that are still acknowledged at once, at the start of a connection.
    quick: u32,
    ecn: bool,
    echoing: bool,
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
            ecn: config.ecn == Ecn::Rfc3168,
            echoing: false,
        }
    }
}

impl Receive for Manners {
    fn answers_each(&self) -> bool {
        self.wait_below == 0 && !self.ecn
    }

    #[inline]
    fn on_data(&mut self, a: &Arrival) -> Reply {
        let before = self.echoing;
        if self.ecn {
            // A segment may bring both: the reduction answers older marks than its own.
            self.echoing = a.ce || (self.echoing && !a.cwr);
        }
        if self.quick > 0 {
            self.quick -= 1;
            return Reply::Now;
        }
        let full = a.pending >= self.wait_below * a.mss;
        if !a.in_order || full || before != self.echoing { Reply::Now } else { Reply::Within(self.delay) }
    }

    #[inline]
    fn echo(&mut self, _before: bool) -> u8 {
        if self.echoing { flag::ECE } else { 0 }
    }
}
