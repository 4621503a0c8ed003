//! Pieces of a model of the path that is made of delivery rates: rounds, a full pipe, the last good
//! window (draft-cardwell-iccrg-bbr-congestion-control, draft-ietf-ccwg-bbr).
use crate::cc::parts::windowed_filter::WindowedMax;
use dumbbell_core::catalogue::{About, Algorithm};
use dumbbell_core::transport::{Ack, CongestionControl, Phase, RateSample};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::delegate;

/// A congestion control whose state is in a box, so that flows with other controls stay small.
#[derive(Clone, Debug)]
pub struct Boxed<C>(Box<C>);

impl<C: Algorithm> Algorithm for Boxed<C> {
    type Config = C::Config;
    type Site = C::Site;
    const ABOUT: About = C::ABOUT;
    fn new(config: &Self::Config, site: &Self::Site) -> Self {
        Boxed(Box::new(C::new(config, site)))
    }
}

#[delegate(*self.0)]
impl<C: CongestionControl> CongestionControl for Boxed<C> {}

/// A pacing rate of so many bytes a second; never none at all.
pub fn pacing_rate(bytes_per_second: f64) -> Rate {
    Rate::from_bps(((bytes_per_second * 8.0) as u64).max(8))
}

/// Round trips, counted by packets: one is over when something is acknowledged that was sent after
/// it began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    /// `next_round_delivered`.
    next: u64,
    /// The number of finished rounds (`round_count`).
    pub count: u64,
    /// True if the acknowledgment at hand ended one (`round_start`).
    pub start: bool,
}

impl Rounds {
    /// BBRUpdateRound.
    #[inline]
    pub fn update(&mut self, rs: &RateSample) {
        self.start = rs.prior_delivered >= self.next;
        if self.start {
            self.next = rs.total_delivered;
            self.count += 1;
        }
    }
    /// Begins a round now (BBRStartRound), where so many bytes are delivered.
    pub fn restart(&mut self, delivered: u64) {
        self.next = delivered;
    }
}

/// A time in which the control itself holds data back, so that its samples tell nothing about the
/// path: from its first mark until all data is delivered that was on its way at the last mark
/// (`MarkConnectionAppLimited`).
#[derive(Clone, Copy, Debug, Default)]
pub struct HeldBack {
    from: u64,
    until: u64,
}

impl HeldBack {
    /// Sending is held back now.
    pub fn mark(&mut self, delivered: u64, in_flight: u64) {
        if delivered > self.until {
            self.from = delivered;
        }
        self.until = (delivered + in_flight).max(1);
    }
    /// True if the sample is of such a time, or limited by the application.
    #[inline]
    pub fn limits(&self, rs: &RateSample) -> bool {
        rs.app_limited
            || (rs.prior_delivered >= self.from
                && rs.prior_delivered <= self.until
                && self.until > 0)
    }
}

/// The test of whether faster sending still brings more (BBRCheckFullPipe, BBRCheckFullBWReached).
#[derive(Clone, Copy, Debug, Default)]
pub struct FullPipe {
    /// The rate that is to be exceeded (`full_bw`), bytes per second.
    pub bw: f64,
    /// Rounds without much growth (`full_bw_count`).
    pub count: u32,
    /// True if the pipe is full, since the search began (`full_bw_now`).
    pub now: bool,
}

impl FullPipe {
    /// A round in which the path delivered at `bw`: full after `rounds` of them in which it grew by
    /// less than the factor `growth`.
    pub fn round(&mut self, bw: f64, growth: f64, rounds: u32) {
        if bw >= self.bw * growth {
            *self = FullPipe { bw, ..FullPipe::default() };
            return;
        }
        self.count += 1;
        self.now = self.count >= rounds;
    }
}

/// The last window that no repair and no probe had lowered (BBRSaveCwnd, BBRRestoreCwnd).
#[derive(Clone, Copy, Debug, Default)]
pub struct LastGood {
    prior: u64,
    /// True if a loss is being repaired.
    pub repairing: bool,
}

impl LastGood {
    /// Keeps `cwnd`; `lowered`: it may already be lower than a good one.
    pub fn save(&mut self, cwnd: u64, lowered: bool) {
        self.prior = if lowered || self.repairing { self.prior.max(cwnd) } else { cwnd };
    }
    /// The window to go on with.
    pub fn restore(&self, cwnd: u64) -> u64 {
        cwnd.max(self.prior)
    }
    /// True if a repair has come to its end. A timeout's ends without a word: the sender is open
    /// again.
    #[inline]
    pub fn is_over(&mut self, ack: &Ack) -> bool {
        let over = self.repairing && ack.phase == Phase::Open;
        self.repairing &= !over;
        over
    }
}

/// The smallest round-trip time of a time that moves, refreshed by what is at most as large
/// (BBRUpdateRTprop).
#[derive(Clone, Copy, Debug)]
pub struct MinRtt {
    /// [`Span::MAX`]: none yet.
    pub value: Span,
    /// The time at which it was measured.
    pub stamp: Time,
}

impl MinRtt {
    /// No measurement yet.
    pub const NONE: MinRtt = MinRtt { value: Span::MAX, stamp: Time::ZERO };
    /// True if it is older than `window`.
    pub fn expired(&self, now: Time, window: Span) -> bool {
        self.value != Span::MAX && now > self.stamp + window
    }
    /// Seconds; `None` before a sample.
    #[inline]
    pub fn seconds(&self) -> Option<f64> {
        (self.value != Span::MAX).then(|| self.value.seconds())
    }
}

/// The data that is acknowledged beyond what the rate lets expect
/// (draft-ietf-ccwg-bbr section 5.5.9, `BBRUpdateACKAggregation`).
#[derive(Clone, Debug, Default)]
pub struct Aggregation {
    start: Time,
    delivered: u64,
    filter: WindowedMax<u64, u64>,
    /// `extra_acked`, bytes.
    pub extra: u64,
}

impl Aggregation {
    /// Round trips over which the most extra data is kept (BBRExtraAckedFilterLen).
    const ROUNDS: u64 = 10;

    /// Counts from `now` on.
    pub fn restart(&mut self, now: Time) {
        self.start = now;
    }

    /// Counts `newly` acknowledged bytes, at a rate of `bw` bytes per second and in the round
    /// `round`. `filled`: the pipe is full; before, a maximum lasts for one round.
    #[inline]
    pub fn update(&mut self, now: Time, newly: u64, (bw, cwnd): (f64, u64), round: (u64, bool)) {
        let (round, filled) = round;
        let mut expected = (bw * now.since(self.start).seconds()) as u64;
        if self.delivered <= expected {
            (self.delivered, self.start, expected) = (0, now, 0);
        }
        self.delivered += newly;
        let extra = (self.delivered - expected.min(self.delivered)).min(cwnd);
        let rounds = if filled { Self::ROUNDS } else { 1 };
        self.extra = self.filter.push(round, (round + 1).saturating_sub(rounds), extra);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(prior: u64, total: u64) -> RateSample {
        RateSample { prior_delivered: prior, total_delivered: total, ..RateSample::default() }
    }

    /// What came beyond the bandwidth's share in round 3 counts until round 12, ten round trips,
    /// once the pipe is full; before that in its own only.
    #[test]
    fn extra_data_counts_for_ten_round_trips() {
        for (filled, until) in [(true, 12), (false, 3)] {
            let mut a = Aggregation::default();
            a.update(Time::ZERO, 5000, (1000.0, 100_000), (3, filled));
            assert_eq!(a.extra, 5000);
            let last = (4..20)
                .take_while(|round| {
                    // Later data comes at the bandwidth.
                    let now = Time::ZERO + Span::from_secs(10 * round);
                    a.update(now, 1, (1000.0, 100_000), (*round, filled));
                    a.extra == 5000
                })
                .last();
            assert_eq!(last.unwrap_or(3), until);
        }
    }

    #[test]
    fn a_round_is_what_follows_its_first_packet() {
        let mut rounds = Rounds::default();
        // Ten packets leave at once; the first acknowledgment ends a round, the other nine do not.
        let starts: Vec<bool> = (1..=10)
            .map(|n| {
                rounds.update(&sample(0, n));
                rounds.start
            })
            .collect();
        assert_eq!((starts.iter().filter(|s| **s).count(), starts[0], rounds.count), (1, true, 1));
        // Data that was sent when 1 was delivered ends the next round.
        rounds.update(&sample(1, 11));
        assert!(rounds.start && rounds.count == 2);
        rounds.restart(20);
        rounds.update(&sample(19, 21));
        assert!(!rounds.start);
        rounds.update(&sample(20, 22));
        assert!(rounds.start);
    }

    #[test]
    fn a_pipe_is_full_after_rounds_without_growth() {
        let mut pipe = FullPipe::default();
        for bw in [100.0, 125.0, 156.25] {
            pipe.round(bw, 1.25, 3);
            assert_eq!((pipe.count, pipe.now, pipe.bw), (0, false, bw));
        }
        for (bw, count, now) in [(195.0, 1, false), (150.0, 2, false), (195.0, 3, true)] {
            pipe.round(bw, 1.25, 3);
            assert_eq!((pipe.count, pipe.now), (count, now));
        }
    }

    #[test]
    fn what_is_held_back_is_marked_until_it_has_gone_through() {
        let mut held = HeldBack::default();
        assert!(!held.limits(&sample(0, 5)));
        held.mark(100, 40);
        held.mark(120, 4);
        // What has just gone through at the next mark makes one time of both.
        held.mark(124, 6);
        for (prior, limited) in [(99, false), (100, true), (130, true), (131, false)] {
            assert_eq!(held.limits(&sample(prior, 200)), limited, "{prior}");
        }
        held.mark(131, 9);
        for (prior, limited) in [(100, false), (130, false), (131, true), (140, true)] {
            assert_eq!(held.limits(&sample(prior, 200)), limited, "{prior}");
        }
    }
}
