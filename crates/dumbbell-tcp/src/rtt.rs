//! Round-trip time and retransmission timeout (RFC 6298), with Karn's backoff.
mod peak;
use self::peak::Peak;
use crate::config::TcpConfig;
use dumbbell_core::units::{Span, Time};

/// The estimator, and the timeout in force.
#[derive(Clone, Debug)]
pub struct Estimator {
    srtt: Option<Span>,
    rttvar: Span,
    rto: Span,
    min_rtt: Option<Span>,
    /// Doublings that Karn's rule made; the next valid sample clears them.
    expiries: u32,
    /// Doublings that a congestion control ordered; only `reset` clears them.
    held: u32,
    /// The timeout is longer than the smoothed time by at least this: the clock's granularity, or
    /// the least timeout.
    least_variation: Span,
    min: Span,
    max: Span,
    /// What the timeout goes by instead of the mean deviation; in a box, because only some
    /// profiles have it.
    peak: Option<Box<Peak>>,
}

impl Estimator {
    /// Before the first sample.
    pub fn new(config: &TcpConfig) -> Self {
        Estimator {
            srtt: None,
            rttvar: Span::ZERO,
            rto: config.initial_rto,
            min_rtt: None,
            expiries: 0,
            held: 0,
            least_variation: if config.rto_above_srtt {
                config.clock.max(config.min_rto)
            } else {
                config.clock
            },
            min: config.min_rto,
            max: config.max_rto,
            peak: config.rto_by_peak.then(|| Box::new(Peak::new(config.min_rto))),
        }
    }

    /// Smoothed round-trip time.
    #[inline]
    pub fn srtt(&self) -> Option<Span> {
        self.srtt
    }
    /// Its mean deviation.
    pub fn rttvar(&self) -> Span {
        self.rttvar
    }
    /// The smallest sample.
    #[inline]
    pub fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }
    /// The timeout in force.
    #[inline]
    pub fn rto(&self) -> Span {
        self.rto
    }

    /// Takes a sample into the minimum, before anybody acts on it.
    #[inline]
    pub fn seen(&mut self, r: Span) {
        self.min_rtt = Some(self.min_rtt.map_or(r, |m| m.min(r)));
    }

    /// A valid sample (RFC 6298 (2.2), (2.3)); it ends Karn's backoff. `una` is acknowledged now,
    /// and `nxt` is the next byte to send: round trips are counted by them.
    #[inline(always)]
    pub fn sample(&mut self, r: Span, una: u64, nxt: u64) {
        if let Some(peak) = &mut self.peak {
            self.rttvar = peak.sample(r, self.srtt, self.rttvar, una, nxt);
        } else {
            self.rttvar = match self.srtt {
                None => Span::from_ps(r.ps() / 2),
                Some(s) => Span::from_ps((3 * self.rttvar.ps() + s.ps().abs_diff(r.ps())) / 4),
            };
        }
        let srtt = self.srtt.map_or(r, |s| Span::from_ps((7 * s.ps() + r.ps()) / 8));
        self.srtt = Some(srtt);
        self.expiries = 0;
        let base = srtt + self.least_variation.max(self.rttvar * 4);
        let base = base.clamp(self.min, self.max);
        self.rto = if self.held == 0 { base } else { doubled(base, self.held, self.max) };
    }

    /// The timer expired (5.5).
    pub fn expired(&mut self) {
        self.expiries += 1;
        self.rto = doubled(self.rto, 1, self.max);
    }
    /// A congestion control doubles the timeout: until it resets it, or (not `held`) until the next
    /// sample.
    pub fn back_off(&mut self, held: bool) {
        self.held += u32::from(held);
        self.rto = doubled(self.rto, 1, self.max);
    }
    /// Everything but the timeout in force is forgotten: the next sample is the first.
    pub fn reset(&mut self) {
        (self.srtt, self.rttvar, self.expiries, self.held) = (None, Span::ZERO, 0, 0);
    }
    /// The SYN had to be sent again: data starts with 3 s (5.7).
    pub fn syn_was_lost(&mut self) {
        self.expiries = 0;
        self.rto = Span::from_secs(3).min(self.max);
    }
    /// The timeout was needless (RFC 4015 section 3.2 step (9)): the sample that shows it counts as
    /// much as all before.
    pub fn needless(&mut self, sample: Span) {
        let Some(srtt) = self.srtt else { return };
        self.srtt = Some(srtt.max(sample));
        self.rttvar = self.rttvar.max(Span::from_ps(sample.ps() / 2));
        self.expiries = 0;
        let base = srtt.max(sample) + self.least_variation.max(self.rttvar * 4);
        self.rto = doubled(base.clamp(self.min, self.max), self.held, self.max);
    }
    /// Expiries were no sign of anything: the timeout is what the samples say.
    pub fn forgive(&mut self) {
        self.expiries = 0;
        if let Some(srtt) = self.srtt {
            let base = srtt + self.least_variation.max(self.rttvar * 4);
            self.rto = doubled(base.clamp(self.min, self.max), self.held, self.max);
        }
    }
    /// Expiries since the last valid sample.
    pub fn expiries(&self) -> u32 {
        self.expiries
    }
}

/// `rto` doubled `times`, at most `max`.
fn doubled(rto: Span, times: u32, max: Span) -> Span {
    Span::from_ps(rto.ps().saturating_mul(1 << times.min(40))).min(max)
}

/// The clock of timestamps and samples: ticks of a period, or exact.
#[derive(Clone, Copy, Debug)]
pub struct Clock(pub Span);

impl Clock {
    /// The last tick at or before `now`.
    #[inline]
    pub fn tick(self, now: Time) -> Time {
        match self.0.ps() {
            0 => now,
            period => Time::from_ps(now.ps() / period * period),
        }
    }
    /// A measured span in whole ticks, to the nearest, at least one.
    #[inline]
    pub fn round(self, measured: Span) -> Span {
        match self.0.ps() {
            0 => measured,
            period => Span::from_ps(((measured.ps() + period / 2) / period).max(1) * period),
        }
    }
}

/// The clock of timers: exact, ticks of a period, or ticks that are coarser for longer timers.
#[derive(Clone, Copy, Debug)]
pub struct Timer(Span);

/// The period of a [`Timer`] that is a wheel.
const WHEEL: Span = Span::MAX;
/// What a wheel adds to the time of a probe.
const PROBE: Span = Span::from_ms(2);

impl Timer {
    /// The timer of a configuration.
    pub fn new(config: &TcpConfig) -> Self {
        Timer(if config.timer_wheel { WHEEL } else { config.timer_tick })
    }
    /// The first tick at or after `from + after`, where a timer that was started at `from` fires.
    #[inline]
    pub fn fires(self, from: Time, after: Span) -> Time {
        let at = from + after;
        match self.0 {
            Span::ZERO => at,
            WHEEL => Timer::turned(at, after),
            period => ticked(at, period),
        }
    }
    /// The same for a tail loss probe.
    #[inline]
    pub fn probes(self, from: Time, after: Span) -> Time {
        if self.0 == WHEEL { self.fires(from, after + PROBE) } else { from + after }
    }
    /// The first tick at or after `at` of a wheel, for a timer that runs for `after`. Each period
    /// is a constant in a place of its own: then a multiplication stands for the division.
    #[inline]
    fn turned(at: Time, after: Span) -> Time {
        if after < Span::from_ms(64) {
            ticked(at, Span::from_ms(1))
        } else if after < Span::from_ms(8 * 64) {
            ticked(at, Span::from_ms(8))
        } else if after < Span::from_ms(64 * 64) {
            ticked(at, Span::from_ms(64))
        } else {
            ticked(at, Span::from_ms(512))
        }
    }
}

/// The first multiple of `period` at or after `at`.
#[inline(always)]
fn ticked(at: Time, period: Span) -> Time {
    Time::from_ps(at.ps().div_ceil(period.ps()).saturating_mul(period.ps()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unclamped() -> Estimator {
        let config = TcpConfig { clock: Span::ZERO, min_rto: Span::from_us(1), ..TcpConfig::rfc() };
        Estimator::new(&config)
    }

    /// The card's vector: samples 0.1, 0.2, 0.1, 0.15 s, no clamp, G = 0.
    #[test]
    fn the_vector() {
        let mut e = unclamped();
        let expected = [
            (0.1, 0.1, 0.05, 0.3),
            (0.2, 0.1125, 0.0625, 0.3625),
            (0.1, 0.110_938, 0.05, 0.310_938),
            (0.15, 0.115_82, 0.047_266, 0.304_883),
        ];
        for (r, srtt, rttvar, rto) in expected {
            e.sample(Span::from_secs_f64(r), 0, 0);
            let near = |x: Span, y: f64| (x.seconds() - y).abs() < 6e-7;
            assert!(
                near(e.srtt().unwrap(), srtt) && near(e.rttvar(), rttvar) && near(e.rto(), rto),
                "{e:?}"
            );
        }
    }

    /// Constant samples of 1 s: the variation dies away, and what is left is the least timeout, as
    /// a whole or above the smoothed time.
    #[test]
    fn the_least_timeout_may_count_from_the_smoothed_time() {
        for (rto_above_srtt, rto) in [(false, Span::from_secs(1)), (true, Span::from_ms(1200))] {
            let min_rto = Span::from_ms(200);
            let config =
                TcpConfig { clock: Span::ZERO, min_rto, rto_above_srtt, ..TcpConfig::rfc() };
            let mut e = Estimator::new(&config);
            (0..200).for_each(|_| e.sample(Span::from_secs(1), 0, 0));
            assert!(e.rto() - rto < Span::from_us(1), "{e:?}");
        }
    }

    #[test]
    fn backoff_doubles_to_the_maximum_and_a_sample_clears_it() {
        let mut e = Estimator::new(&TcpConfig::rfc());
        let mut seen = vec![e.rto().seconds()];
        for _ in 0..7 {
            e.expired();
            seen.push(e.rto().seconds());
        }
        assert_eq!(seen, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]);
        assert_eq!(e.expiries(), 7);
        e.sample(Span::from_ms(100), 0, 0);
        assert_eq!((e.rto(), e.expiries()), (Span::from_secs(1), 0));
    }

    /// RFC 6298 (2.2): RTO = SRTT + max(G, 4 RTTVAR), where the clock is the coarser of the two.
    #[test]
    fn a_coarse_clock_is_the_least_variance() {
        let config =
            TcpConfig { clock: Span::from_ms(300), min_rto: Span::from_us(1), ..TcpConfig::rfc() };
        let mut e = Estimator::new(&config);
        e.sample(Span::from_ms(100), 0, 0);
        assert_eq!(e.rto(), Span::from_ms(400));
    }

    /// RFC 6298 (5.7): 3 s, or what is the most.
    #[test]
    fn after_a_lost_syn_data_starts_with_three_seconds() {
        for (most, rto) in [(60, 3), (2, 2)] {
            let mut e =
                Estimator::new(&TcpConfig { max_rto: Span::from_secs(most), ..TcpConfig::rfc() });
            e.expired();
            e.syn_was_lost();
            assert_eq!((e.rto(), e.expiries()), (Span::from_secs(rto), 0));
        }
    }

    #[test]
    fn the_smallest_sample_is_kept() {
        let mut e = unclamped();
        assert_eq!(e.min_rtt(), None);
        let smallest = [70, 50, 90].map(|ms| {
            e.seen(Span::from_ms(ms));
            e.min_rtt()
        });
        assert_eq!(smallest, [70, 50, 50].map(|ms| Some(Span::from_ms(ms))));
        assert_eq!(e.srtt(), None, "the minimum is no average");
    }

    /// RFC 4015 section 3.2 step (9): SRTT = max(SRTT, R), RTTVAR = max(RTTVAR, R / 2), RTO =
    /// SRTT + 4 RTTVAR.
    #[test]
    fn a_needless_timeout_counts_its_sample_as_much_as_all_before() {
        let after = |sample, command_pending| {
            let mut e = unclamped();
            e.needless(Span::from_secs(9));
            assert_eq!((e.srtt(), e.rto()), (None, Span::from_secs(1)), "nothing to compare with");
            e.sample(Span::from_ms(100), 0, 0);
            e.expired();
            (0..command_pending).for_each(|_| e.back_off(true));
            e.needless(Span::from_ms(sample));
            assert_eq!(e.expiries(), 0);
            [e.srtt().unwrap(), e.rttvar(), e.rto()].map(|span| span.ps() / 1_000_000_000)
        };
        assert_eq!(after(400, 0), [400, 200, 1200]);
        assert_eq!(after(60, 0), [100, 50, 300]);
        assert_eq!(after(60, 2), [100, 50, 1200], "an ordered backoff is held");
    }

    /// TCP CAE: an ordered backoff survives samples; a reset makes the next sample the first.
    #[test]
    fn an_ordered_backoff_is_held_until_reset() {
        let mut e = unclamped();
        e.sample(Span::from_ms(100), 0, 0);
        e.back_off(false);
        assert_eq!(e.rto(), Span::from_ms(600));
        e.sample(Span::from_ms(100), 0, 0);
        assert_eq!(e.rto(), Span::from_ms(100 + 150), "Karn: the next sample ends it");
        e = unclamped();
        e.sample(Span::from_ms(100), 0, 0);
        e.back_off(true);
        assert_eq!(e.rto(), Span::from_ms(600));
        e.sample(Span::from_ms(100), 0, 0);
        assert_eq!(e.rto(), Span::from_ms(2 * (100 + 150)));
        let before = e.rto();
        e.reset();
        assert_eq!((e.rto(), e.srtt()), (before, None));
        e.sample(Span::from_ms(40), 0, 0);
        assert_eq!(
            (e.srtt(), e.rttvar(), e.rto()),
            (Some(Span::from_ms(40)), Span::from_ms(20), Span::from_ms(120))
        );
    }

    #[test]
    fn an_exact_clock_has_no_ticks() {
        let (exact, at) = (Clock(Span::ZERO), Time::from_ps(25_999_000_001));
        assert_eq!((exact.tick(at), Timer(Span::ZERO).fires(at, Span::ZERO)), (at, at));
        assert_eq!(exact.round(Span::from_us(7)), Span::from_us(7));
    }

    #[test]
    fn a_coarse_clock_counts_whole_ticks() {
        let clock = Clock(Span::from_ms(10));
        assert_eq!(clock.round(Span::from_ms(3)), Span::from_ms(10));
        assert_eq!(clock.round(Span::from_ms(26)), Span::from_ms(30));
        assert_eq!(clock.tick(Time::from_ps(25_999_000_000)), Time::from_ps(20_000_000_000));
        let timer = Timer(Span::from_ms(10));
        let fires = |at| timer.fires(at, Span::ZERO);
        assert_eq!(fires(Time::from_ps(20_000_000_001)), Time::from_ps(30_000_000_000));
        assert_eq!(fires(Time::NEVER), Time::NEVER);
    }

    /// Timers of Linux 6.12 in one run, whose ticks are 0.618 ms before multiples of 1 ms: started
    /// at these instants to run for so long, us; when they fired. Two are probes.
    #[test]
    fn a_wheel_has_coarse_ticks() {
        let wheel = Timer::new(&TcpConfig { timer_wheel: true, ..TcpConfig::rfc() });
        let at = |us: u64| Time::ZERO + Span::from_us(us + 618);
        let fires = |from, after| wheel.fires(at(from), Span::from_us(after));
        let probes = |from, after| wheel.probes(at(from), Span::from_us(after));
        assert_eq!(fires(165_211, 281_511), at(447_382));
        assert_eq!(fires(447_382, 281_511), at(735_382));
        assert_eq!(probes(164_011, 162_004), at(335_382));
        assert_eq!(probes(80_117, 160_230), at(247_382));
        // The levels: 64 ms, 512 ms, 4.096 s.
        let late = |ms| {
            let after = Span::from_ms(ms);
            wheel.fires(Time::from_ps(1), after).since(Time::from_ps(1) + after).ps()
                / 1_000_000_000
        };
        assert_eq!([63, 64, 511, 513, 4095, 4097].map(late), [0, 7, 0, 62, 0, 510]);
        let exact = Timer::new(&TcpConfig::rfc());
        let at = Time::from_ps(1) + Span::from_ms(513);
        assert_eq!(exact.fires(Time::from_ps(1), Span::from_ms(513)), at);
        assert_eq!(exact.probes(Time::from_ps(1), Span::from_ms(513)), at);
    }
}
