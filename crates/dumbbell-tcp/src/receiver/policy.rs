//! The receiver's policy that the TCP configuration describes: delayed acknowledgments, ECN
//! feedback, and Freeze-TCP's window.
use super::ecn_feedback::EcnFeedback;
use crate::config::{DelayedAck, Ecn, TcpConfig};
use dumbbell_core::transport::{Arrival, HostSignal, NegotiatedEcn, Receive, Reply};
use dumbbell_core::units::{Span, Time};

/// After this many consecutive segments of one size below the MSS, that size counts as full: the
/// path presumably carries no larger ones.
const SAME_SIZE_RUN: u8 = 32;

/// Acknowledges each segment or every second full-sized one, and at once whatever is out of order
/// or changes the ECN feedback ([`EcnFeedback`]). With `freeze` it closes the window while the host
/// says that the path is down.
#[derive(Clone, Debug)]
pub struct ReceiverPolicy {
    /// The number of full segments that one ACK covers; 0: each segment is acknowledged, whatever
    /// its size.
    full_segments_per_ack: u8,
    /// The longest that an ACK is delayed.
    delay: Span,
    /// How many more segments are acknowledged at once because the connection is young, or data
    /// came out of order.
    quick_acks_left: u32,
    /// How many are acknowledged at once after one that came out of order.
    quick_acks_again: u32,
    full_size: FullSize,
    ecn: EcnFeedback,
    /// True if the window closes while the path is down (Freeze-TCP).
    freeze: bool,
    /// True if the path is down, as the host last said; always false without `freeze`.
    path_down: bool,
}

impl ReceiverPolicy {
    /// A policy in its initial state, with the settings of `config`.
    pub fn new(config: &TcpConfig) -> Self {
        ReceiverPolicy {
            full_segments_per_ack: match config.delayed_ack {
                DelayedAck::Each => 0,
                DelayedAck::Second => 2,
            },
            delay: config.delayed_ack_timeout,
            quick_acks_left: config.quick_acks,
            quick_acks_again: if config.quick_acks_again { config.quick_acks } else { 0 },
            full_size: FullSize {
                // Only a sender that heeds routers goes below the MSS of both ends.
                inferred: config.pmtu_discovery.heeds_routers(),
                last_below_mss: 0,
                run: 0,
            },
            ecn: EcnFeedback::new(config.ecn),
            freeze: config.freeze,
            path_down: false,
        }
    }
}

/// The size of a full segment: the MSS, or the size that arrives again and again from a sender that
/// has found a path MTU below the MSS of both ends. If only the MSS counted as full, an ACK would
/// wait for more than two segments of such a sender (RFC 5681 section 4.2).
#[derive(Clone, Debug)]
struct FullSize {
    /// True if a size below the MSS may count as full.
    inferred: bool,
    /// Payload of the last segment below the MSS, bytes.
    last_below_mss: u16,
    /// The number of consecutive segments of that size.
    run: u8,
}

impl FullSize {
    /// Takes note of a segment's size. Returns the size of a full segment, bytes.
    #[inline]
    fn update(&mut self, a: &Arrival) -> u64 {
        if a.bytes >= a.mss {
            self.run = 0;
        } else if self.inferred {
            return self.update_below_mss(a);
        }
        a.mss
    }

    #[cold]
    fn update_below_mss(&mut self, a: &Arrival) -> u64 {
        if a.bytes == u64::from(self.last_below_mss) {
            self.run = self.run.saturating_add(1);
        } else {
            self.last_below_mss = a.bytes as u16;
            self.run = 1;
        }
        if self.run >= SAME_SIZE_RUN { a.bytes } else { a.mss }
    }
}

impl Receive for ReceiverPolicy {
    fn is_plain(&self) -> bool {
        self.full_segments_per_ack == 0 && self.ecn.mode() == Ecn::Off && !self.freeze
    }

    #[inline]
    fn on_data(&mut self, a: &Arrival) -> Reply {
        let feedback_changed = self.ecn.observe(a);
        if self.quick_acks_left > 0 {
            // Nothing waits for its acknowledgment, so that even DCTCP has nothing to acknowledge
            // apart.
            self.quick_acks_left -= 1;
            if a.out_of_order {
                self.quick_acks_left = self.quick_acks_left.max(self.quick_acks_again);
            }
            return Reply::Now;
        }
        if a.out_of_order {
            self.quick_acks_left = self.quick_acks_again;
        }
        let full = a.pending >= u64::from(self.full_segments_per_ack) * self.full_size.update(a);
        if feedback_changed && self.ecn.mode() == Ecn::Dctcp {
            Reply::PendingThenNow
        } else if !a.in_order || full || feedback_changed {
            Reply::Now
        } else {
            Reply::Within(self.delay)
        }
    }

    #[inline]
    fn echo(&mut self, pending_only: bool) -> u8 {
        self.ecn.flags(pending_only)
    }

    fn on_ecn_negotiated(&mut self, negotiated: NegotiatedEcn) {
        self.ecn.on_negotiated(negotiated);
    }

    fn counters(&self) -> Option<[u64; 3]> {
        self.ecn.byte_counters()
    }

    fn window(&self, free: u64) -> u64 {
        if self.path_down { 0 } else { free }
    }

    /// Freeze-TCP: one ACK with a closed window ahead of the disconnection, and three identical
    /// ACKs after it, because the sender's probes have become rare and one ACK may be lost.
    fn on_host_signal(&mut self, _: Time, signal: HostSignal) -> u32 {
        let was_down = self.path_down;
        self.path_down = match signal {
            HostSignal::PathDown => self.freeze,
            HostSignal::PathUp => false,
            _ => was_down,
        };
        match (was_down, self.path_down) {
            (false, true) => 1,
            (true, false) => 3,
            _ => 0,
        }
    }
}
