//! Bursts: what a host hands to its network card in one piece, with PSH on the last segment.
use super::Sender;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment, flag};
use dumbbell_core::transport::{CongestionControl, Detect, Recover};
use dumbbell_core::units::{Span, Time};

/// A burst is what is sent in about this time at the pacing rate: 1/1024 s.
const TIME: Span = Span::from_ps(1_000_000_000_000 / 1024);
/// It has at least so many segments (tcp_min_tso_segs of Linux), and at most so many bytes.
const LEAST: u64 = 2;
const MOST_BYTES: u64 = 65_535;
/// On short paths it may be larger: by 64 kB, halved for each of these in the least round-trip time
/// (tcp_tso_rtt_log of Linux: 2^9 us).
const HALVING: Span = Span::from_us(512);

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// The number of segments of a burst.
    pub(super) fn burst_segments(&self) -> u64 {
        let Some(rate) = self.cc.rate().or_else(|| self.own_rate()) else { return LEAST };
        let halvings = self.rtt.min_rtt().map_or(u64::MAX, |rtt| rtt.ps() / HALVING.ps());
        let bytes = rate.bytes_in(TIME) + (MOST_BYTES >> halvings.min(63));
        (bytes / self.mss).min(MOST_BYTES / self.mss).max(LEAST)
    }

    /// [`Self::transmit`] with PSH on the last segment of each burst.
    #[inline(never)]
    pub(super) fn transmit_in_bursts(&mut self, now: Time, out: &mut impl Outbox) {
        let most = self.burst_segments();
        let mut bursts = Bursts { out, waiting: None, sent: 0, most };
        self.transmit_all(now, &mut bursts);
        bursts.end();
    }
}

/// Passes segments on, one behind: whether one is the last of its burst shows when the next one
/// comes.
struct Bursts<'a, O> {
    out: &'a mut O,
    waiting: Option<Segment>,
    /// Segments of this burst, the one that waits included.
    sent: u64,
    most: u64,
}

impl<O: Outbox> Bursts<'_, O> {
    /// Ends the burst.
    fn end(&mut self) {
        if let Some(mut last) = self.waiting.take() {
            last.flags |= if self.sent >= LEAST { flag::PSH } else { 0 };
            self.out.send(last, None);
        }
        self.sent = 0;
    }
}

impl<O: Outbox> Outbox for Bursts<'_, O> {
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        if extra.is_some() {
            self.end();
            return self.out.send(segment, extra);
        }
        if self.sent == self.most {
            self.end();
        }
        if let Some(before) = self.waiting.replace(segment) {
            self.out.send(before, None);
        }
        self.sent += 1;
    }
}
