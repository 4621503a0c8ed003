//! What a receiver sends: acknowledgements and the SYN-ACK.
use super::{FIRST, Receiver};
use crate::Ecn as Mode;
use crate::sender::syn_options;
use dumbbell_core::packet::Ecn;
use dumbbell_core::segment::{Extra, Outbox, Segment, flag, timestamp};
use dumbbell_core::transport::Receive;
use dumbbell_core::units::Time;

impl<P: Receive> Receiver<P> {
    /// An acknowledgement of everything in order. `before`: of what came before the segment at hand.
    #[inline(never)]
    pub(super) fn acknowledge(&mut self, now: Time, before: bool, out: &mut impl Outbox) {
        self.acknowledge_inline(now, before, out);
    }

    /// The same, for the hot path.
    #[inline(always)]
    pub(super) fn acknowledge_inline(&mut self, now: Time, before: bool, out: &mut impl Outbox) {
        self.acked = self.nxt;
        self.delayed_until = Time::NEVER;
        let window = self.policy.window(self.buffer);
        self.edge = self.edge.max(self.nxt + window);
        let more = self.more_to_say || self.verbose || window != self.open_window;
        let (extra, options) = if more { self.extra(now, window) } else { (None, 0) };
        let segment = Segment {
            seq: self.nxt as u32,
            ts: self.ts_recent,
            ip_len: (self.overhead + options) as u16,
            flags: flag::ACK | self.policy.echo(before),
            ecn: Ecn::NotEct,
        };
        self.stats.acks_sent += 1;
        out.send(segment, extra);
    }

    /// What an acknowledgement carries besides, and the bytes of its SACK option.
    fn extra(&mut self, now: Time, window: u64) -> (Option<Extra>, u64) {
        let mut extra = Extra {
            ts_val: timestamp(self.clock.tick(now)),
            window: window.min(u64::from(u32::MAX)) as u32,
            tag: std::mem::take(&mut self.cold.tag),
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
        let options = if extra.blocks == 0 { 0 } else { 4 + 8 * u64::from(extra.blocks) };
        (Some(extra), options)
    }

    /// A SYN: agrees on what both ends can do, and answers. One that comes after data is an old copy.
    pub(super) fn on_syn(&mut self, now: Time, s: &Segment, x: &Extra, out: &mut impl Outbox) {
        if self.nxt > FIRST {
            return self.acknowledge(now, false, out);
        }
        let c = &self.cold.config;
        self.timestamps = c.timestamps && x.timestamps;
        self.verbose &= self.timestamps;
        self.sack = c.sack && x.sack_permitted;
        let options = if self.timestamps { 12 } else { 0 };
        self.overhead = c.header.0 + options;
        let mss = c.segment_bytes() + c.option_bytes();
        self.mss = mss.min(u64::from(x.mss)) - options;
        let scaling = c.window_scaling && x.window_scale != 255;
        if !scaling {
            self.open_window = self.open_window.min(65_535);
            self.buffer = self.buffer.min(65_535);
        }
        self.edge = self.edge.min(FIRST + self.open_window).max(self.nxt);
        let ecn = c.ecn != Mode::Off && s.flags & (flag::ECE | flag::CWR) == flag::ECE | flag::CWR;
        let extra = Extra {
            mss: mss as u16,
            window_scale: if scaling { c.window_shift(c.window_bytes()) as u8 } else { 255 },
            sack_permitted: self.sack,
            timestamps: self.timestamps,
            window: self.policy.window(self.buffer).min(u64::from(u32::MAX)) as u32,
            ts_val: timestamp(self.clock.tick(now)),
            ..Extra::default()
        };
        let segment = Segment {
            seq: FIRST as u32,
            ts: s.ts,
            ip_len: (c.header.0 + syn_options(self.timestamps, self.sack, scaling)) as u16,
            flags: flag::SYN | flag::ACK | if ecn { flag::ECE } else { 0 },
            ecn: Ecn::NotEct,
        };
        self.ts_recent = s.ts;
        self.stats.acks_sent += 1;
        out.send(segment, Some(extra));
    }
}
