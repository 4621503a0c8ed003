//! The handshake, from the side that opens (RFC 9293 section 3.5).
use super::{FIRST, Sender, Stage};
use crate::config::syn_options;
use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::segment::{
    Extra, Outbox, Segment, Special, SynOptions, flag, since_timestamp, timestamp,
};
use dumbbell_core::transport::{CongestionControl, Detect, Recover};
use dumbbell_core::units::Time;

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// Opens the connection: a SYN, or nothing if there is no handshake.
    pub fn open(&mut self, now: Time, out: &mut impl Outbox) {
        self.settle_timers();
        self.cold.opened_at = now;
        if self.cold.config.handshake {
            self.send_syn(now, out);
        } else {
            self.stage = Stage::Established;
            self.cc.on_open(now, None, self.window);
            self.transmit(now, out);
            self.apply_commands(now, out);
        }
        self.settle(now);
    }

    pub(super) fn send_syn(&mut self, now: Time, out: &mut impl Outbox) {
        let c = &self.cold.config;
        let options = syn_options(c.timestamps, c.sack, c.window_scaling);
        let extra = Extra {
            special: Special::Syn(SynOptions {
                mss: c.own_mss() as u16,
                window_scale: if c.window_scaling {
                    c.window_shift(c.window_bytes()) as u8
                } else {
                    255
                },
                sack_permitted: c.sack,
                timestamps: c.timestamps,
            }),
            window: self.open_window.min(u64::from(u32::MAX)) as u32,
            ..Extra::default()
        };
        let ecn = self.ecn_request();
        let again = if self.cold.syn_resent { flag::RETRANSMIT } else { 0 };
        let segment = Segment {
            seq: 0,
            ts: timestamp(self.clock.tick(now)),
            ip_len: (c.header.0 + options) as u16,
            flags: flag::SYN | ecn | again,
            ecn: Ecn::NotEct,
        };
        out.send(segment, Some(extra));
        self.stats.sent_packets += 1;
        self.stats.retransmits += u64::from(self.cold.syn_resent);
        self.arm(now);
    }

    /// A SYN-ACK: what both ends can do holds from now on.
    #[cold]
    pub(super) fn on_syn_ack(&mut self, now: Time, s: &Segment, x: &Extra, out: &mut impl Outbox) {
        if self.stage == Stage::Established || !self.cold.config.handshake {
            return self.send_ack(now, out);
        }
        self.stage = Stage::Established;
        self.agree(s, x);
        self.rto_at = Time::NEVER;
        if self.timestamps || !self.cold.syn_resent {
            let exact = since_timestamp(self.clock.tick(now), s.ts);
            let measured = if self.timestamps { exact } else { now.since(self.cold.opened_at) };
            let rtt = self.clock.round(measured);
            self.rtt.seen(rtt);
            self.take_sample(rtt, self.una);
        }
        if self.cold.syn_resent {
            // RFC 5681 section 3.1: one segment; RFC 6298 (5.7): 3 s for the data.
            self.cc.on_idle(self.mss);
            self.rtt.syn_was_lost();
        }
        self.cc.on_open(now, self.rtt.srtt(), self.window);
        let before = self.stats.sent_packets;
        self.transmit(now, out);
        self.apply_commands(now, out);
        if self.stats.sent_packets == before {
            self.send_ack(now, out);
        }
    }

    fn agree(&mut self, s: &Segment, x: &Extra) {
        self.agree_on_ecn(s.flags);
        let (c, syn) = (&self.cold.config, x.syn());
        self.timestamps = c.timestamps && syn.timestamps;
        let options = if self.timestamps { 12 } else { 0 };
        self.overhead = (c.header.0 + options) as u32;
        self.mss = c.own_mss().min(u64::from(syn.mss)) - options;
        if self.mss < c.segment_bytes() {
            // The other end's is smaller than was thought.
            let initial_window = c.initial_window_for(self.mss);
            self.cc.on_mss(self.mss);
            self.cc.on_idle(initial_window);
            self.detect.on_mss(self.mss);
        }
        let c = &self.cold.config;
        if self.sack && !syn.sack_permitted {
            self.sack = false;
            self.recover.sack_refused();
            self.detect.sack_refused();
            (self.tail_probes, self.by_segments) = (false, false);
            self.simple &= self.is_simple();
        }
        // A window without an agreed scale is as the field says it (RFC 7323 section 2.2).
        let scaled = c.window_scaling && syn.window_scale != 255;
        let largest = if scaled { u64::MAX } else { 65_535 };
        self.open_window = u64::from(x.window).min(largest);
        self.window = self.open_window;
    }

    /// A pure acknowledgment of the receiver's SYN; data carries it otherwise.
    fn send_ack(&mut self, now: Time, out: &mut impl Outbox) {
        let segment = Segment {
            seq: FIRST as u32,
            ts: timestamp(self.clock.tick(now)),
            ip_len: self.overhead as u16,
            flags: flag::ACK,
            ecn: Ecn::NotEct,
        };
        out.send(segment, None);
        self.stats.sent_packets += 1;
    }
}
