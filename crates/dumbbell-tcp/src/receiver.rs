//! The receiving end of a connection.
mod acknowledge;
mod ecn_feedback;
mod fast_path;
mod policy;
mod reassembly;

use crate::config::TcpConfig;
use crate::rtt::Clock;
use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment, flag, widen};
use dumbbell_core::transport::{Arrival, HostSignal, Receive, Reply};
use dumbbell_core::units::Time;
pub use policy::ReceiverPolicy;
use reassembly::Reassembly;
use std::sync::Arc;

/// The offset of the first byte of data; 0 is the SYN's.
const FIRST: u64 = 1;

/// The counters of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Bytes handed to the application: in order, each once (goodput).
    pub delivered_bytes: u64,
    /// Segments that arrived, SYN and FIN included.
    pub received_packets: u64,
    /// Payload that arrived, duplicates included, bytes (throughput).
    pub received_bytes: u64,
    /// Segments that brought nothing new.
    pub duplicates: u64,
    /// Segments with Congestion Experienced.
    pub ce_packets: u64,
    /// Acknowledgments sent.
    pub acks_sent: u64,
}

/// Rarely used fields, in a box of their own.
#[derive(Debug)]
struct Cold {
    config: Arc<TcpConfig>,
    /// The duplicate that the next acknowledgment reports.
    duplicate: Option<(u64, u64)>,
    tag: u32,
    /// True if the next acknowledgment answers a dummy.
    dummy: bool,
    /// The number of times that it has moved.
    moved: u8,
    fin_at: Option<u64>,
}

/// The receiving end. It takes what its application would read at once, so that its window is its
/// buffer.
pub struct Receiver<P = ReceiverPolicy> {
    /// RCV.NXT.
    nxt: u64,
    /// Last.ACK.sent (RFC 7323 section 4.3).
    acked: u64,
    /// The right edge of the window that was offered; it never moves back.
    edge: u64,
    /// The window that is offered where nothing else is said, and the one of now.
    open_window: u64,
    buffer: u64,
    delayed_until: Time,
    mss: u64,
    /// Header and options of a segment.
    overhead: u64,
    ts_recent: u32,
    timestamps: bool,
    sack: bool,
    /// True if every acknowledgment carries more than its number: the receiver's clock, or a move.
    verbose: bool,
    /// True if the policy allows the fast path, and if the next segment may take it.
    simple: bool,
    fast_path: bool,
    /// True if the next acknowledgment carries more than its number.
    more_to_say: bool,
    clock: Clock,
    policy: P,
    stats: ReceiverStats,
    /// The data out of order; not in the box, because each segment checks whether there is any.
    blocks: Reassembly,
    cold: Box<Cold>,
}

impl Receiver {
    /// A receiver with the policy of `config`, whose `mss` is set.
    pub fn new(config: impl Into<Arc<TcpConfig>>) -> Self {
        let config = config.into();
        let policy = ReceiverPolicy::new(&config);
        Receiver::with(config, policy)
    }
}

impl<P: Receive> Receiver<P> {
    /// A receiver with the given policy.
    pub fn with(config: impl Into<Arc<TcpConfig>>, policy: P) -> Self {
        let config = config.into();
        let window = config.window_bytes();
        Receiver {
            nxt: FIRST,
            acked: FIRST,
            edge: FIRST + window,
            open_window: window,
            buffer: window,
            delayed_until: Time::NEVER,
            mss: config.segment_bytes(),
            overhead: config.header.0 + config.option_bytes(),
            ts_recent: 0,
            timestamps: config.timestamps,
            sack: config.sack,
            verbose: false,
            simple: policy.is_plain(),
            fast_path: false,
            more_to_say: false,
            clock: Clock(config.clock),
            policy,
            stats: ReceiverStats::default(),
            blocks: Reassembly::default(),
            cold: Box::new(Cold {
                config,
                duplicate: None,
                tag: 0,
                dummy: false,
                moved: 0,
                fin_at: None,
            }),
        }
    }

    /// True if every acknowledgment carries this end's clock, for a congestion control that wants
    /// it.
    pub fn report_clock(&mut self, on: bool) {
        self.verbose = on && self.timestamps;
        self.fast_path = false;
    }
    /// The counters.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }
    /// Bytes of data that it holds because data before them is missing.
    pub fn held_bytes(&self) -> u64 {
        let fin = self.cold.fin_at.is_some_and(|at| self.blocks.covers(at, at + 1));
        self.blocks.bytes() - u64::from(fin)
    }
    /// True if the sender's FIN and everything before it has arrived.
    pub fn finished(&self) -> bool {
        self.cold.fin_at.is_some_and(|at| self.nxt > at)
    }
    /// The time of the next [`Self::on_deadline`]; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.delayed_until
    }
    /// The delayed acknowledgment is due.
    pub fn on_deadline(&mut self, now: Time, out: &mut impl Outbox) {
        self.acknowledge(now, false, out);
    }

    /// The application offers another buffer from now on; tells the sender at once.
    pub fn offer(&mut self, now: Time, bytes: u64, out: &mut impl Outbox) {
        self.buffer = bytes;
        self.fast_path = false;
        self.acknowledge(now, false, out);
    }

    /// A signal from the host. The ACKs that the policy asks for are sent only if a segment has
    /// arrived before.
    pub fn local(&mut self, now: Time, signal: HostSignal, out: &mut impl Outbox) {
        self.fast_path = false;
        let acks = self.policy.on_host_signal(now, signal);
        if signal == HostSignal::PathUp {
            self.cold.moved = self.cold.moved.wrapping_add(1);
            self.verbose = true;
        }
        for _ in 0..if self.stats.received_packets > 0 { acks } else { 0 } {
            self.acknowledge(now, false, out);
        }
    }

    /// A segment arrives.
    #[inline]
    pub fn on_segment(&mut self, now: Time, s: &Segment, x: Option<&Extra>, out: &mut impl Outbox) {
        if x.is_none()
            && let Some(answer) = self.take_expected(s)
        {
            return out.send(answer, None);
        }
        self.on_special(now, *s, x, out);
        self.fast_path = self.may_take_fast_path();
    }

    /// Gives up the short way of ordinary segments. It changes nothing but the time that they take.
    pub fn disable_fast_path(&mut self) {
        (self.simple, self.fast_path) = (false, false);
    }

    /// A segment that is not simply the next one, or that needs more than an answer at once. It
    /// comes by value, so that the fast path need not have it in memory.
    #[inline(never)]
    fn on_special(&mut self, now: Time, s: Segment, x: Option<&Extra>, out: &mut impl Outbox) {
        let s = &s;
        self.stats.received_packets += 1;
        if s.flags & flag::SYN != 0 {
            return self.on_syn(now, s, x.unwrap_or(&Extra::default()), out);
        }
        let bytes = u64::from(s.ip_len).saturating_sub(self.overhead);
        let fin = s.flags & flag::FIN != 0;
        if bytes == 0 && !fin {
            return;
        }
        self.stats.received_bytes += bytes;
        let from = widen(s.seq, self.nxt);
        if self.timestamps && from <= self.acked && (from == self.nxt || self.is_newer(s.ts)) {
            self.ts_recent = s.ts;
        }
        if x.is_some_and(|x| x.dummy) {
            return self.answer_dummy(now, x.map_or(0, |x| x.tag), out);
        }
        self.stats.ce_packets += u64::from(s.ecn == Ecn::Ce);
        let mut arrival = Arrival::default();
        (arrival.now, arrival.bytes, arrival.mss) = (now, bytes, self.mss);
        (arrival.ecn, arrival.cwr) = (s.ecn, s.flags & flag::CWR != 0);
        (arrival.push, arrival.expected) = (s.flags & flag::PSH != 0, self.nxt);
        arrival.pending = self.nxt - self.acked + bytes;
        arrival.in_order =
            from == self.nxt && self.nxt + bytes <= self.edge && self.blocks.is_empty();
        arrival.out_of_order = from != self.nxt;
        let reply = self.policy.on_data(&arrival);
        if reply == Reply::PendingThenNow && self.nxt > self.acked {
            self.acknowledge(now, true, out);
        }
        // A color asks nothing of the receiver; a tag wants to be answered at once.
        if arrival.in_order && !fin && x.is_none_or(|x| x.tag == 0) {
            self.nxt += bytes;
            self.stats.delivered_bytes += bytes;
            match reply {
                Reply::Now | Reply::PendingThenNow => self.acknowledge_inline(now, false, out),
                Reply::Within(span) => self.delayed_until = self.delayed_until.min(now + span),
            }
        } else {
            self.cold.tag = x.map_or(0, |x| x.tag);
            self.more_to_say |= self.cold.tag != 0;
            let expected = self.nxt;
            self.take(from, bytes, fin);
            match reply {
                Reply::Within(span) if self.only_adds_a_block(expected) => {
                    self.delayed_until = self.delayed_until.min(now + span);
                }
                _ => self.acknowledge(now, false, out),
            }
        }
    }

    /// True if a timestamp is later than TS.Recent. The next segment expected needs no such proof:
    /// after an idle time of half the clock's range the comparison would mislead (RFC 7323 section
    /// 5.5).
    #[inline]
    fn is_newer(&self, ts: u32) -> bool {
        ts.wrapping_sub(self.ts_recent) as i32 >= 0
    }

    /// True if the segment just taken only has a place in the next selective acknowledgment:
    /// nothing became in order beyond `expected`, nothing had arrived before, nothing is to be
    /// answered.
    fn only_adds_a_block(&self, expected: u64) -> bool {
        let held = self.sack && !self.blocks.is_empty();
        held && self.nxt == expected && self.cold.duplicate.is_none() && self.cold.tag == 0
    }

    /// Data that is not simply the next in order: out of order, filling a gap, a duplicate, out of
    /// the window.
    fn take(&mut self, from: u64, bytes: u64, fin: bool) {
        let (data_end, end) = (from + bytes, from + bytes + u64::from(fin));
        if fin {
            self.cold.fin_at = Some(data_end);
        }
        // A FIN takes no room in the window.
        let to = if data_end <= self.edge { end } else { self.edge };
        let cold = &mut *self.cold;
        let known_until = self.nxt.max(from);
        if end <= self.nxt || self.blocks.covers(known_until, to) {
            self.stats.duplicates += 1;
        }
        if from >= to {
            return;
        }
        if self.sack {
            let again = if from < self.nxt {
                Some((from, to.min(self.nxt)))
            } else {
                self.blocks.overlap(from, to)
            };
            cold.duplicate = again;
            self.more_to_say |= again.is_some();
        }
        if to <= self.nxt {
            return;
        }
        self.blocks.insert(known_until, to);
        if let Some(next) = self.blocks.take_from(self.nxt) {
            let fin_taken = cold.fin_at.is_some_and(|at| self.nxt <= at && next > at);
            self.stats.delivered_bytes += next - self.nxt - u64::from(fin_taken);
            self.nxt = next;
        }
        self.more_to_say |= self.sack && !self.blocks.is_empty();
    }
}
