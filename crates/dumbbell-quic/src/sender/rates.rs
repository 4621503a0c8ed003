//! Delivery rates (draft-ietf-ccwg-bbr section 4.1): how fast the network delivered between the
//! sending of a packet and its acknowledgment. Kept for a congestion control that asks for it
//! (`Capabilities::rates`). QUIC sends no packet twice, so one entry a packet is all.
use super::Sender;
use dumbbell_core::transport::{CongestionControl, LossSample, RateSample};
use dumbbell_core::units::{Span, Time};
use std::collections::VecDeque;

/// The draft's per-packet state P: the counters when the packet was sent.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// P.send_time.
    sent: Time,
    /// P.first_send_time.
    first_sent: Time,
    /// P.delivered_time.
    delivered_at: Time,
    /// P.delivered.
    delivered: u64,
    /// P.lost.
    lost: u64,
    /// P.tx_in_flight.
    in_flight: u64,
    /// P.is_app_limited.
    app_limited: bool,
}

/// The rate estimator of one connection.
#[derive(Debug, Default)]
pub(super) struct Rates {
    /// The number of the first point.
    first: u64,
    points: VecDeque<Point>,
    /// C.delivered and C.delivered_time.
    delivered: u64,
    delivered_at: Time,
    /// C.first_send_time.
    first_sent: Time,
    /// C.lost.
    lost: u64,
    limited_until: u64,
    min_rtt: Option<Span>,
    /// The most recently sent packet of those that this ACK acknowledges.
    newest: Option<Point>,
    newly_lost: u64,
    loss: LossSample,
    last_lost: u64,
}

impl Rates {
    /// OnPacketSent; `in_flight` without the packet.
    pub fn on_sent(&mut self, now: Time, number: u64, size: u64, in_flight: u64) {
        if in_flight == 0 {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        debug_assert_eq!(number, self.first + self.points.len() as u64);
        self.points.push_back(Point {
            sent: now,
            first_sent: self.first_sent,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            lost: self.lost,
            in_flight: in_flight + size,
            app_limited: self.limited_until > 0,
        });
    }

    /// UpdateRateSample.
    pub fn on_acked(&mut self, now: Time, number: u64, size: u64) {
        let point = self.points[(number - self.first) as usize];
        self.delivered += size;
        self.delivered_at = now;
        // Numbers ascend within an ACK.
        self.first_sent = point.sent;
        self.newest = Some(point);
    }

    /// A packet is lost.
    pub fn on_lost(&mut self, number: u64, size: u64) {
        let point = self.points[(number - self.first) as usize];
        self.lost += size;
        self.newly_lost += size;
        let gap = self.loss.ranges == 0 || self.last_lost + 1 != number;
        self.last_lost = number;
        self.loss = LossSample {
            in_flight: point.in_flight,
            lost: self.lost - point.lost,
            app_limited: point.app_limited,
            ranges: self.loss.ranges + u32::from(gap),
        };
    }

    /// The first packets no longer matter.
    pub fn forget(&mut self, packets: usize) {
        self.points.drain(..packets);
        self.first += packets as u64;
    }

    /// GenerateRateSample, after all that an ACK delivers.
    pub fn sample(&mut self, now: Time, pipe: u64) -> Option<RateSample> {
        if self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let p = self.newest.take()?;
        let rtt = now.since(p.sent);
        let min_rtt = self.min_rtt.map_or(rtt, |min| min.min(rtt));
        self.min_rtt = Some(min_rtt);
        let interval = p.sent.since(p.first_sent).max(now.since(p.delivered_at));
        let sample = RateSample {
            delivered: self.delivered - p.delivered,
            interval: if interval < min_rtt { Span::ZERO } else { interval },
            prior_delivered: p.delivered,
            total_delivered: self.delivered,
            app_limited: p.app_limited,
            in_flight: p.in_flight,
            lost: self.lost - p.lost,
            newly_lost: self.newly_lost,
            loss: self.loss,
            pipe,
            rtt: Some(rtt),
        };
        (self.newly_lost, self.loss) = (0, LossSample::default());
        Some(sample)
    }
}

impl<C: CongestionControl> Sender<C> {
    /// CheckIfApplicationLimited: the application is about to write, an ACK has come, or a timer is
    /// due; does the application leave the window open? A lack of the receiver's credit is none of
    /// data.
    #[inline]
    pub(super) fn check_supply(&mut self) {
        if let Some(rates) = &mut self.rates {
            let in_flight = self.packets.in_flight();
            let short = self.stream.waiting() < self.datagram && self.stream.nothing_lost();
            if short && in_flight < self.cc.cwnd() {
                rates.limited_until = (rates.delivered + in_flight).max(1);
            }
        }
    }
}
