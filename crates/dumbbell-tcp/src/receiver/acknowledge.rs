//! The segments that a receiver sends: acknowledgments and the SYN-ACK.
use super::{FIRST, Receiver};
use crate::config::{Ecn as Mode, syn_options};
use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::segment::{
    Extra, Outbox, Segment, Special, SynOptions, flag, timestamp,
};
use dumbbell_core::transport::{NegotiatedEcn, Receive};
use dumbbell_core::units::Time;

/// The value at which a byte counter of the AccECN option wraps.
const COUNTER: u64 = 1 << 24;

/// The flags of the SYN-ACK that reflect the SYN's ECN field (RFC 9768 table 2).
fn reflection(syn: Ecn) -> u8 {
    match syn {
        Ecn::NotEct => flag::CWR,
        Ecn::Ect1 => flag::CWR | flag::ECE,
        Ecn::Ect0 => flag::AE,
        Ecn::Ce => flag::AE | flag::CWR,
    }
}

impl<P: Receive> Receiver<P> {
    /// Sends an acknowledgment of everything in order. `pending_only`: the current segment is not
    /// yet among it (see [`Receive::echo`]).
    #[inline(never)]
    pub(super) fn acknowledge(&mut self, now: Time, pending_only: bool, out: &mut impl Outbox) {
        self.acknowledge_inline(now, pending_only, out);
    }

    /// [`Self::acknowledge`], inlined for the hot path.
    #[inline(always)]
    pub(super) fn acknowledge_inline(
        &mut self,
        now: Time,
        pending_only: bool,
        out: &mut impl Outbox,
    ) {
        self.acked = self.nxt;
        self.delayed_until = Time::NEVER;
        let window = self.policy.window(self.buffer);
        self.edge = self.edge.max(self.nxt + window);
        let counters = self.policy.counters();
        let more =
            self.more_to_say || self.verbose || window != self.open_window || counters.is_some();
        let (extra, options) = if more { self.extra(now, window, counters) } else { (None, 0) };
        let segment = Segment {
            seq: self.nxt as u32,
            ts: self.ts_recent,
            ip_len: (self.overhead + options) as u16,
            flags: flag::ACK | self.policy.echo(pending_only),
            ecn: Ecn::NotEct,
        };
        self.stats.acks_sent += 1;
        out.send(segment, extra);
    }

    /// A segment that carries nothing new: its tag goes back, with whatever else there is to
    /// acknowledge.
    #[cold]
    pub(super) fn answer_dummy(&mut self, now: Time, tag: u32, out: &mut impl Outbox) {
        self.stats.duplicates += 1;
        (self.cold.tag, self.cold.dummy, self.more_to_say) = (tag, true, true);
        self.acknowledge(now, false, out);
    }

    /// The extra fields of an acknowledgment, and the bytes of its SACK and AccECN options.
    fn extra(
        &mut self,
        now: Time,
        window: u64,
        counters: Option<[u64; 3]>,
    ) -> (Option<Extra>, u64) {
        let mut extra = Extra {
            ts_val: timestamp(self.clock.tick(now)),
            window: window.min(u64::from(u32::MAX)) as u32,
            tag: std::mem::take(&mut self.cold.tag),
            dummy: std::mem::take(&mut self.cold.dummy),
            moved: self.cold.moved,
            ..Extra::default()
        };
        let duplicate = self.cold.duplicate.take();
        if self.sack {
            let room = if self.timestamps { 3 } else { 4 };
            extra.blocks = self.blocks.report(duplicate, room, &mut extra.sack);
        }
        self.more_to_say = self.sack && !self.blocks.is_empty();
        // Kind, length and 8 bytes a block, padded to 32 bits (RFC 2018 section 3).
        let mut options = if extra.blocks == 0 { 0 } else { 4 + 8 * u64::from(extra.blocks) };
        if let Some(bytes) = counters {
            // Kind, length and 3 bytes a counter, as many as have room in 40 bytes of options (RFC
            // 9768 section 3.2.3.2.3).
            let room = 40 - options - if self.timestamps { 12 } else { 0 };
            let valid = if room >= 12 { 3 } else { 2 * u8::from(room >= 8) };
            let counts = bytes.map(|n| (n % COUNTER) as u32);
            extra.special = Special::EcnCounts { valid, counts };
            options += [0, 0, 8, 12][usize::from(valid)];
        }
        (Some(extra), options)
    }

    /// A SYN: agrees on what both ends can do, and answers. One that comes after data is an old
    /// copy.
    pub(super) fn on_syn(&mut self, now: Time, s: &Segment, x: &Extra, out: &mut impl Outbox) {
        if self.nxt > FIRST {
            return self.acknowledge(now, false, out);
        }
        let (c, syn) = (&self.cold.config, x.syn());
        self.timestamps = c.timestamps && syn.timestamps;
        self.verbose &= self.timestamps;
        self.sack = c.sack && syn.sack_permitted;
        let options = if self.timestamps { 12 } else { 0 };
        self.overhead = c.header.0 + options;
        let mss = c.answered_mss();
        self.mss = mss.min(u64::from(syn.mss)) - options;
        let scaling = c.window_scaling && syn.window_scale != 255;
        if !scaling {
            self.open_window = self.open_window.min(65_535);
            self.buffer = self.buffer.min(65_535);
        }
        self.edge = self.edge.min(FIRST + self.open_window).max(self.nxt);
        let asked = flag::ECE | flag::CWR;
        let agreed = match c.ecn {
            Mode::Off => NegotiatedEcn::Nothing,
            mode if mode.accurate() && s.flags & flag::ACE == flag::ACE => NegotiatedEcn::Accurate,
            _ if s.flags & asked == asked => NegotiatedEcn::Classic,
            _ => NegotiatedEcn::Nothing,
        };
        self.policy.on_ecn_negotiated(agreed);
        let answer = match agreed {
            NegotiatedEcn::Nothing => 0,
            NegotiatedEcn::Classic => flag::ECE,
            NegotiatedEcn::Accurate => reflection(s.ecn),
        };
        let extra = Extra {
            special: Special::Syn(SynOptions {
                mss: mss as u16,
                window_scale: if scaling { c.window_shift(c.window_bytes()) as u8 } else { 255 },
                sack_permitted: self.sack,
                timestamps: self.timestamps,
            }),
            window: self.policy.window(self.buffer).min(u64::from(u32::MAX)) as u32,
            ts_val: timestamp(self.clock.tick(now)),
            ..Extra::default()
        };
        let segment = Segment {
            seq: FIRST as u32,
            ts: s.ts,
            ip_len: (c.header.0 + syn_options(self.timestamps, self.sack, scaling)) as u16,
            flags: flag::SYN | flag::ACK | answer,
            ecn: Ecn::NotEct,
        };
        self.ts_recent = s.ts;
        self.policy.on_syn(now);
        self.stats.acks_sent += 1;
        out.send(segment, Some(extra));
    }
}
