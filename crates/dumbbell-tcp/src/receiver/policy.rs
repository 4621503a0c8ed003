//! The receiver's policy that the TCP configuration describes: delayed acknowledgments, ECN
//! feedback, and Freeze-TCP's window.
use super::ecn_feedback::EcnFeedback;
use crate::config::{DelayedAck, Ecn, TcpConfig};
use dumbbell_core::transport::{Arrival, HostSignal, NegotiatedEcn, Receive, Reply};
use dumbbell_core::units::{Span, Time};

/// After this many consecutive segments of one size below the MSS, that size counts as full: the
/// path presumably carries no larger ones.
const SAME_SIZE_RUN: u8 = 32;

/// So many selective acknowledgments go at once after each advance of RCV.NXT: as many as a sender
/// needs for a fast retransmit (RFC 5681 section 3.2). Observed in Linux.
const SELECTIVE_AT_ONCE: u8 = 3;
/// At most so many arrivals share one (tcp_comp_sack_nr of Linux).
const SELECTIVE_MOST: u8 = 44;
/// It waits for this share of the round-trip time (the documentation of tcp_comp_sack_delay_ns),
const SELECTIVE_SHARE: f64 = 0.05;
/// at most for this time (tcp_comp_sack_delay_ns),
const SELECTIVE_LONGEST: Span = Span::from_ms(1);
/// and for the imprecision of its timer (tcp_comp_sack_slack_ns), which a host with nothing else to
/// do uses up.
const SELECTIVE_SLACK: Span = Span::from_us(100);

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
    /// How many more segments are acknowledged at once because the connection is young.
    quick_acks_left: u16,
    /// True if a segment with PSH is acknowledged at once.
    answers_push: bool,
    /// `None`: each arrival out of order is acknowledged at once.
    compression: Option<Box<Compression>>,
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
            quick_acks_left: config.quick_acks.min(1000) as u16, // its range
            answers_push: config.push,
            // A host that delays no acknowledgment keeps none of these back either.
            compression: (config.compressed_sacks
                && config.sack
                && config.delayed_ack == DelayedAck::Second)
                .then(Box::default),
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

/// Selective acknowledgments that answer several arrivals each.
#[derive(Clone, Copy, Debug, Default)]
struct Compression {
    /// RCV.NXT at the last one.
    expected: u64,
    /// Those sent at once since RCV.NXT moved there.
    at_once: u8,
    /// The arrivals that one waits to answer, and the time until which it does.
    held: u8,
    until: Time,
    /// When the SYN was answered, and the time until the first data.
    answered: Option<Time>,
    rtt: Option<Span>,
}

impl Compression {
    /// When an arrival that is not in order is answered.
    #[cold]
    fn on_selective(&mut self, a: &Arrival) -> Reply {
        if a.expected != self.expected {
            (self.expected, self.at_once, self.held) = (a.expected, 0, 0);
            self.until = Time::ZERO;
        }
        if self.at_once < SELECTIVE_AT_ONCE || !a.out_of_order {
            self.at_once += u8::from(a.out_of_order);
            return Reply::Now;
        }
        if a.now >= self.until {
            let share = self.rtt.map_or(SELECTIVE_LONGEST, |rtt| rtt.scaled(SELECTIVE_SHARE));
            self.until = a.now + share.min(SELECTIVE_LONGEST) + SELECTIVE_SLACK;
            self.held = 0;
        }
        if self.held == SELECTIVE_MOST {
            self.until = Time::ZERO;
            return Reply::Now;
        }
        self.held += 1;
        Reply::Within(self.until.since(a.now))
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
            if let Some(all) = &mut self.compression
                && all.rtt.is_none()
            {
                all.rtt = all.answered.map(|at| a.now.since(at));
            }
            return Reply::Now;
        }
        let full = a.pending >= u64::from(self.full_segments_per_ack) * self.full_size.update(a);
        if feedback_changed && self.ecn.mode() == Ecn::Dctcp {
            Reply::PendingThenNow
        } else if feedback_changed {
            Reply::Now
        } else if !a.in_order {
            self.compression.as_mut().map_or(Reply::Now, |all| all.on_selective(a))
        } else if full || (self.answers_push && a.push) {
            Reply::Now
        } else {
            Reply::Within(self.delay)
        }
    }

    #[inline]
    fn echo(&mut self, pending_only: bool) -> u8 {
        self.ecn.flags(pending_only)
    }

    fn on_syn(&mut self, now: Time) {
        if let Some(all) = &mut self.compression {
            all.answered = Some(now);
        }
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
