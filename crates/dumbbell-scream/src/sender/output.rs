//! Transmission control: the send window and pacing (RFC 8298 sections 4.1.2.5, 4.1.2.6).
use super::Sender;
use crate::sender::queue::Waiting;
use crate::wire::RTP_HEADER;
use dumbbell_core::transport::segment::{Outbox, Segment, flag, timestamp};
use dumbbell_core::units::{Span, Time};

impl Sender {
    /// `calculate_send_window`: bytes that may go now, before those in flight are taken off. A
    /// packet more while the queue delay is at most its target.
    fn send_window(&self) -> u64 {
        let relaxed = self.last_qdelay <= self.target.span();
        self.window.bytes() + if relaxed { self.config.mss.0 } else { 0 }
    }

    fn fits(&self, packet: &Waiting) -> bool {
        self.packets.in_flight() + packet.size <= self.send_window()
    }

    /// Sends what the window and the pacing allow.
    pub(super) fn transmit(&mut self, now: Time, out: &mut impl Outbox) {
        self.stats.discarded_frames += self.queue.discard(now, self.config.discard);
        while let Some(packet) = self.queue.front() {
            let fits = self.fits(&packet);
            let probes = !fits && now >= self.probe_time();
            if !(fits || probes) || now < self.pace_at {
                return;
            }
            self.stats.probes += u64::from(probes);
            self.send(now, packet, out);
        }
    }

    /// When a packet goes whatever the window: no report came since then, and nothing was sent.
    fn probe_time(&self) -> Time {
        self.last_heard.max(self.last_sent) + self.config.probe
    }

    /// When the packet in front may go; or will be too old.
    pub(super) fn release_at(&self, now: Time) -> Time {
        let Some(packet) = self.queue.front() else { return Time::NEVER };
        let window = if self.fits(&packet) { now } else { self.probe_time() };
        let old = (packet.capture + self.config.discard).next();
        window.max(self.pace_at).min(old).max(now.next())
    }

    fn send(&mut self, now: Time, packet: Waiting, out: &mut impl Outbox) {
        self.queue.pop();
        let number = self.packets.push(now, packet.size);
        self.window.note_in_flight(now, self.packets.in_flight());
        self.media.sent(packet.size);
        self.last_sent = now;
        self.pace_at = now + self.pace(packet.size);
        self.stats.sent_packets += 1;
        self.stats.sent_bytes += packet.size - RTP_HEADER;
        if now >= self.measured.window.from {
            self.measured.rtp_queue.add(now.since(packet.capture));
        }
        let flags = flag::UDP
            | if packet.first { flag::PSH } else { 0 }
            | if packet.last { flag::FIN } else { 0 };
        let ip_len = (self.config.header.0 + packet.size) as u16;
        let ts = timestamp(packet.capture);
        out.send(Segment { seq: number as u32, ts, ip_len, flags, ecn: self.ect }, None);
    }

    /// `t_pace`: the time that a packet takes at max(RATE_PACE_MIN, cwnd / s_rtt); none before a
    /// sample.
    fn pace(&self, bytes: u64) -> Span {
        let Some(srtt) = self.rtt.srtt() else { return Span::ZERO };
        let share = bytes as f64 / self.window.bytes() as f64;
        srtt.scaled(share).min(self.config.pace_min.span_of(bytes))
    }
}
