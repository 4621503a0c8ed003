//! LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus): LEDBAT that is fair to other LEDBAT++ flows, and
//! finds its base delay again.
use crate::cc::parts::delay_history::DelayHistory;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase,
};
use dumbbell_core::units::{Packets, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`LedbatPp`].
#[config]
pub struct LedbatPpConfig {
    /// The queueing delay that it keeps (TARGET).
    #[schemars(extend("x-source" = "draft-irtf-iccrg-ledbat-plus-plus, section 4"))]
    #[config(default = Span::from_ms(60))]
    pub target: Span,
    /// The gain is at least 1 / this.
    #[schemars(
        range(min = 1, max = 1000),
        extend("x-source" = "draft-irtf-iccrg-ledbat-plus-plus, section 4"),
    )]
    #[config(default = 16)]
    pub gain_divisor: u32,
    /// Number of minutes for which the smallest round-trip time is kept (BASE_HISTORY).
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "RFC 6817 section 2.5"))]
    #[config(default = 10)]
    pub base_history: u32,
    /// Number of latest round-trip times of which the least is the current one (CURRENT_FILTER).
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "RFC 6817 section 2.5"))]
    #[config(default = 4)]
    pub current_filter: u32,
    /// Least window that delay can cause, and the window of a slowdown (MIN_CWND).
    #[schemars(extend("x-source" = "draft-irtf-iccrg-ledbat-plus-plus, section 4"))]
    #[config(default = Packets(2.0))]
    pub min_cwnd: Packets,
    /// Whether it slows down now and then, to find the base delay.
    #[schemars(extend("x-source" = "draft-irtf-iccrg-ledbat-plus-plus, section 4"))]
    #[config(default = true)]
    pub slowdown: bool,
    /// The next slowdown begins this many times the duration of the last one after its end.
    #[schemars(
        range(min = 1.0, max = 1000.0),
        extend("x-source" = "draft-irtf-iccrg-ledbat-plus-plus, section 4"),
    )]
    #[config(default = 9.0)]
    pub interval: f64,
}

impl Config for LedbatPpConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.target == Span::ZERO {
            return Err(Fault::at("target", "target must be longer than nothing").fix(
                "write target \
                = \"60 ms\"",
            ));
        }
        if self.min_cwnd.0.is_finite() && self.min_cwnd.0 >= 1.0 && self.interval.is_finite() {
            return Ok(());
        }
        Err(Fault::at("min_cwnd", "min_cwnd must be at least a packet").fix(
            "write min_cwnd = \"2 \
            pkt\"",
        ))
    }
}

/// The share of the target at which the first slow start ends.
const EXIT: f64 = 0.75;
/// Round trips between the first slow start and the first slowdown, and of the smallest window in
/// each.
const ROUNDS: f64 = 2.0;

/// The phase of a slowdown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slowdown {
    /// None before the first slow start is over.
    Never,
    /// The next one begins then.
    Due(Time),
    /// Begun at the first instant; the window is the smallest until the second.
    Hold(Time, Time),
    /// Begun then; the window grows back to ssthresh.
    Ramp(Time),
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct LedbatPp {
    /// The window, bytes with a fraction.
    cwnd: f64,
    ssthresh: u64,
    /// Both before the last reduction.
    prior: (f64, u64),
    /// True if this is the first slow start.
    first: bool,
    slowdown: Slowdown,
    mss: f64,
    /// Bytes that one acknowledgment may add in slow start.
    limit: u64,
    queueing: f64,
    gain: f64,
    delays: Box<DelayHistory>,
    config: Box<LedbatPpConfig>,
}

impl Algorithm for LedbatPp {
    type Config = LedbatPpConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "ledbat_pp",
        title: "LEDBAT++",
        idea: "LEDBAT with round trips for delays, cuts in proportion to the window, and pauses \
            that show the base delay.",
        equations: "base = the least RTT of the last base_history minutes;  q = the least of \
            current_filter RTTs - base\ngain = 1 / min(gain_divisor, ceil(2 target / base));  w: \
            cwnd in segments\nslow start, per ACK of N bytes: cwnd += gain min(N, L SMSS)\nthe \
            first one ends:             if q > 0.75 target:  ssthresh = cwnd\navoidance, per round \
            trip:      q <= target:  w += gain\nelse:                           w += max(gain - w \
            (q / target - 1), -w / 2);  w >= min_cwnd\nslowdown:    ssthresh = cwnd;  cwnd = \
            min_cwnd for 2 SRTT;  then slow start up to ssthresh\nthe first:   2 SRTT after the \
            first slow start\nthe next:    interval times its duration after its end\nloss, ECN:   \
            ssthresh = max(min(FlightSize, cwnd) / 2, 2);  cwnd = ssthresh\ntimeout:     ssthresh \
            likewise;  cwnd = 1",
        sources: &["draft-irtf-iccrg-ledbat-plus-plus", "RFC 6817"],
        provenance: Provenance::Recollection,
        rule: "round trips, toward a target, with pauses",
        family: "giving way",
        ..About::PLAIN
    };
    fn new(config: &LedbatPpConfig, path: &Path) -> Self {
        let cwnd = path.initial_window.max(path.mss) as f64;
        LedbatPp {
            cwnd,
            ssthresh: path.initial_ssthresh,
            prior: (cwnd, path.initial_ssthresh),
            first: true,
            slowdown: Slowdown::Never,
            mss: path.mss as f64,
            limit: path.growth_limit.max(1) * path.mss,
            queueing: 0.0,
            gain: 1.0,
            delays: Box::new(DelayHistory::new(
                config.base_history as usize,
                config.current_filter as usize,
            )),
            config: Box::new(config.clone()),
        }
    }
}

impl LedbatPp {
    fn sample(&mut self, now: Time, rtt: Span) {
        self.delays.sample(now, rtt.ps() as i64);
        self.queueing = self.delays.queueing().unwrap_or(0.0);
        let base = self.delays.base().unwrap_or(0.0).max(1e-6);
        let steps = libm::ceil(2.0 * self.config.target.seconds() / base).max(1.0);
        self.gain = 1.0 / steps.min(f64::from(self.config.gain_divisor));
    }

    fn in_slow_start(&self) -> bool {
        (self.cwnd as u64) < self.ssthresh
    }

    fn least(&self) -> f64 {
        self.config.min_cwnd.0 * self.mss
    }

    fn slow_start(&mut self, acked: u64) {
        self.cwnd =
            (self.cwnd + self.gain * acked.min(self.limit) as f64).min(self.ssthresh as f64);
    }

    /// The first slow start ends where the queue is nearly that of the target, or at ssthresh.
    fn leave(&mut self, now: Time, rtt: Span) {
        if self.queueing > EXIT * self.config.target.seconds() {
            self.ssthresh = (self.cwnd as u64).max(2 * self.mss as u64);
        }
        if !self.in_slow_start() {
            self.first = false;
            self.slowdown = Slowdown::Due(now + rtt.scaled(ROUNDS));
        }
    }

    fn avoid(&mut self, acked: u64) {
        let (w, excess) =
            (self.cwnd / self.mss, self.queueing / self.config.target.seconds() - 1.0);
        let per_round =
            if excess <= 0.0 { self.gain } else { (self.gain - w * excess).max(-w / 2.0) };
        let share = (acked as f64 / self.cwnd).min(1.0);
        self.cwnd = (self.cwnd + per_round * self.mss * share).max(self.least());
        // A window that shrank with the delay lowers `ssthresh` too: slow start must not regrow it.
        self.ssthresh = self.ssthresh.min(self.cwnd as u64);
    }

    /// Moves the slowdown to its next phase when it is due; true while the window must not grow.
    fn pause(&mut self, now: Time, rtt: Span) -> bool {
        match self.slowdown {
            Slowdown::Due(at) if now >= at && self.config.slowdown => {
                self.ssthresh = (self.cwnd as u64).max(2 * self.mss as u64);
                self.cwnd = self.cwnd.min(self.least());
                self.slowdown = Slowdown::Hold(now, now + rtt.scaled(ROUNDS));
                true
            }
            Slowdown::Hold(_, until) if now < until => true,
            Slowdown::Hold(since, _) => {
                self.slowdown = Slowdown::Ramp(since);
                false
            }
            Slowdown::Ramp(since) if !self.in_slow_start() => {
                self.slowdown = Slowdown::Due(now + now.since(since).scaled(self.config.interval));
                false
            }
            _ => false,
        }
    }

    fn reduce(&mut self, in_flight: u64) {
        self.prior = (self.cwnd, self.ssthresh);
        let half = in_flight.min(self.cwnd as u64) / 2;
        self.ssthresh = half.max(2 * self.mss as u64);
    }

    fn bound(&mut self, bound: u64) {
        self.cwnd = self.cwnd.min(bound as f64).max(self.mss);
    }
}

impl CongestionControl for LedbatPp {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, ..Capabilities::WINDOW }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if let Some(rtt) = ack.rtt {
            self.sample(ack.now, rtt);
        }
        if ack.acked == 0 || ack.phase == Phase::Recovery {
            return;
        }
        let rtt = ack.srtt.or(ack.rtt).unwrap_or(Span::ZERO);
        if self.pause(ack.now, rtt) {
            return;
        }
        let may_grow = ack.window_limited && !ack.ece;
        let slow_start = self.in_slow_start();
        if slow_start && may_grow {
            self.slow_start(ack.acked);
        } else if !slow_start && (may_grow || self.queueing > self.config.target.seconds()) {
            self.avoid(ack.acked);
        }
        if self.first {
            self.leave(ack.now, rtt);
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        match event.cause {
            Cause::Loss | Cause::Ecn => {
                self.reduce(event.in_flight);
                self.cwnd = self.cwnd.min(self.ssthresh as f64);
            }
            Cause::Timeout { first } => {
                if first {
                    self.reduce(event.in_flight);
                }
                self.cwnd = self.mss;
            }
            Cause::Spurious => {
                self.cwnd = self.cwnd.max(self.prior.0);
                self.ssthresh = self.ssthresh.max(self.prior.1);
            }
            Cause::Further => {}
        }
    }
    fn on_recovered(&mut self, _now: Time, bound: u64) {
        self.bound(bound);
    }
    fn on_idle(&mut self, restart_window: u64) {
        self.bound(restart_window);
    }
    fn on_mss(&mut self, mss: u64) {
        self.limit = self.limit / self.mss as u64 * mss;
        self.mss = mss as f64;
        (self.cwnd, self.ssthresh) = (self.cwnd.max(self.mss), self.ssthresh.max(2 * mss));
    }
    #[inline]
    fn cwnd(&self) -> u64 {
        self.cwnd as u64
    }
    fn ssthresh(&self) -> Option<u64> {
        Some(self.ssthresh)
    }
    /// `cwnd` and `ssthresh` in bytes, `queueing_delay` and `base_rtt` in seconds, `gain`, and
    /// `slowdown`: 1 while one lasts.
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("cwnd", self.cwnd);
        out.gauge("ssthresh", self.ssthresh as f64);
        out.gauge("queueing_delay", self.queueing);
        out.gauge("base_rtt", self.delays.base().unwrap_or(0.0));
        out.gauge("gain", self.gain);
        let slow = matches!(self.slowdown, Slowdown::Hold(..) | Slowdown::Ramp(_));
        out.gauge("slowdown", f64::from(u8::from(slow)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::parts::test_connection::{TestConnection, near, path};

    fn still() -> LedbatPpConfig {
        LedbatPpConfig { slowdown: false, current_filter: 1, ..Default::default() }
    }

    /// 2 * 60 ms / base, rounded up, at most 16.
    #[test]
    fn gain() {
        for (base, divisor) in [
            (1, 16.0),
            (7, 16.0),
            (8, 15.0),
            (20, 6.0),
            (50, 3.0),
            (60, 2.0),
            (120, 1.0),
            (500, 1.0),
        ] {
            let mut d = TestConnection::<LedbatPp>::at(10.0, &still());
            d.rtt = Span::from_ms(base);
            d.ack(1);
            near(d.gauge("gain"), 1.0 / divisor, 1e-12);
        }
    }

    /// Base 50 ms, so that the gain is 1/3: up to the target a third of a segment; at 63 ms 100 *
    /// 0.05 less than that; at 90 and at 200 ms, far beyond, half of the window in a round trip.
    #[test]
    fn a_round_trip_at_each_delay() {
        for (queueing, change) in
            [(0, 1.0 / 3.0), (60, 1.0 / 3.0), (63, 1.0 / 3.0 - 5.0), (75, 1.0 / 3.0 - 25.0)]
        {
            let mut d = TestConnection::<LedbatPp>::at(100.0, &still());
            d.rtt = Span::from_ms(50);
            d.ack(1);
            d.rtt = Span::from_ms(50 + queueing);
            let mut ack = d.told(1);
            (ack.acked, d.cc.cwnd, d.cc.ssthresh) = (100_000, 100_000.0, 100_000);
            d.cc.on_ack(&ack, &mut Commands::default());
            near(d.w() - 100.0, change, 0.01);
            assert!(!d.cc.in_slow_start());
        }
        for queueing in [91, 200] {
            let mut d = TestConnection::<LedbatPp>::at(100.0, &still());
            d.rtt = Span::from_ms(50);
            d.ack(1);
            d.rtt = Span::from_ms(50 + queueing);
            let mut ack = d.told(1);
            (ack.acked, d.cc.cwnd, d.cc.ssthresh) = (100_000, 100_000.0, 100_000);
            d.cc.on_ack(&ack, &mut Commands::default());
            near(d.w(), 50.0, 0.01);
        }
    }

    /// Up by the gain per segment, until 45 ms of queue.
    #[test]
    fn the_first_slow_start() {
        let mut d = TestConnection::<LedbatPp>::on(&path(10.0, true), &still());
        d.rtt = Span::from_ms(50);
        d.ack(1);
        near(d.w(), 10.0 + 1.0 / 3.0, 1e-3);
        d.rtt = Span::from_ms(94);
        d.ack(1);
        assert_eq!(d.cc.ssthresh(), Some(u64::MAX));
        d.rtt = Span::from_ms(96);
        d.ack(1);
        near(d.ssthresh(), 11.0, 1e-3);
        // A later one is not ended by delay.
        d.congest(Cause::Timeout { first: true });
        d.ack(1);
        assert_eq!((d.ssthresh(), d.w() < 2.0), (5.5, true));
    }

    /// A slowdown leaves MIN_CWND, two segments of whatever size.
    #[test]
    fn a_slowdown_leaves_two_segments() {
        let mut d = TestConnection::<LedbatPp>::at(20.0, &LedbatPpConfig::default());
        while d.gauge("slowdown") == 0.0 {
            d.round();
        }
        assert_eq!(d.cc.cwnd(), 2000);
    }

    /// Half the segment size halves what one acknowledgment may add: two segments, with a gain of
    /// 1.
    #[test]
    fn growth_goes_by_the_size_of_segments() {
        let added = |d: &mut TestConnection<LedbatPp>| {
            let (mut ack, before) = (d.told(1), d.cc.cwnd());
            ack.acked = 10_000;
            d.cc.on_ack(&ack, &mut Commands::default());
            d.cc.cwnd() - before
        };
        let mut d = TestConnection::<LedbatPp>::on(&path(10.0, true), &still());
        d.rtt = Span::from_ms(120);
        d.ack(1);
        assert_eq!(added(&mut d), 2000);
        d.cc.on_mss(500);
        assert_eq!(added(&mut d), 1000);
    }

    /// Two round trips after slow start two segments for two round trips, slow start back, and the
    /// next after nine times as long.
    #[test]
    fn slowdowns() {
        let mut d = TestConnection::<LedbatPp>::at(20.0, &LedbatPpConfig::default());
        d.rtt = Span::from_ms(120);
        let (mut log, mut was) = (vec![], 0.0);
        while log.len() < 4 {
            d.round();
            if d.gauge("slowdown") != was {
                was = d.gauge("slowdown");
                log.push(d.now);
            }
        }
        let first = log[1].since(log[0]).seconds();
        let pause = log[2].since(log[1]).seconds();
        // Gain 1: 2, 4, 8, 16, 22 after two round trips of two segments.
        assert!((5.0..=8.0).contains(&(first / 0.12)), "{first}");
        near(pause / first, 9.0, 2.0);
        near(d.w(), d.ssthresh(), 1.5);
        let mut never = TestConnection::<LedbatPp>::at(20.0, &still());
        (0..200).for_each(|_| never.round());
        assert_eq!(never.gauge("slowdown"), 0.0);
    }
}
