//! LEDBAT (RFC 6817): keeps the queue at a target delay, and so leaves the link to other flows.
use crate::cc::parts::delay_history::{DelayHistory, one_way};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase, TcpOverrides,
};
use dumbbell_core::units::{Packets, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`Ledbat`].
#[config]
pub struct LedbatConfig {
    /// The queueing delay that it keeps (TARGET): at most 100 ms.
    #[schemars(extend("x-source" = "RFC 6817 section 2.5"))]
    #[config(default = Span::from_ms(100))]
    pub target: Span,
    /// How fast the window follows the delay (GAIN): at most 1, so that it grows no faster than
    /// Reno.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0, "x-source" = "RFC 6817 section 2.5"),
    )]
    #[config(default = 1.0)]
    pub gain: f64,
    /// By how much the window may exceed what is on its way (ALLOWED_INCREASE).
    #[schemars(extend("x-source" = "RFC 6817 section 2.5"))]
    #[config(default = Packets(1.0))]
    pub allowed_increase: Packets,
    /// Number of minutes for which the smallest delay is kept (BASE_HISTORY).
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "RFC 6817 section 2.5"))]
    #[config(default = 10)]
    pub base_history: u32,
    /// Number of latest delays of which the least is the current one (CURRENT_FILTER).
    #[schemars(
        range(min = 1, max = 1000),
        extend("x-source" = "RFC 6817 section 2.5: at least 1, at most cwnd / 2"),
    )]
    #[config(default = 4)]
    pub current_filter: u32,
    /// Least window that delay can cause (MIN_CWND).
    #[schemars(extend("x-source" = "RFC 6817 section 2.5"))]
    #[config(default = Packets(2.0))]
    pub min_cwnd: Packets,
    /// The window at the start, if the connection's is not smaller (INIT_CWND).
    #[schemars(extend("x-source" = "RFC 6817 section 2.5"))]
    #[config(default = Packets(2.0))]
    pub init_cwnd: Packets,
}

impl Config for LedbatConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.target == Span::ZERO {
            return Err(Fault::at("target", "target must be longer than nothing").fix(
                "write target \
                = \"100 ms\"",
            ));
        }
        let windows = [self.allowed_increase.0, self.min_cwnd.0, self.init_cwnd.0];
        if self.gain.is_finite() && windows.iter().all(|w| w.is_finite() && *w >= 1.0) {
            return Ok(());
        }
        Err(Fault::at(
            "min_cwnd",
            "min_cwnd, init_cwnd and allowed_increase must be at least a \
            packet",
        )
        .fix("write min_cwnd = \"2 pkt\""))
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Ledbat {
    /// The window, bytes with a fraction.
    cwnd: f64,
    /// The same before the last reduction.
    prior: f64,
    mss: f64,
    target: f64,
    gain: f64,
    /// ALLOWED_INCREASE and MIN_CWND, bytes.
    allowed: f64,
    least: f64,
    queueing: f64,
    delays: DelayHistory,
}

impl Algorithm for Ledbat {
    type Config = LedbatConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "ledbat",
        title: "LEDBAT",
        idea: "Let the window follow the queueing delay, toward a target: alone it fills the link, \
            next to other flows it yields.",
        equations: "delay: receiver's clock - sender's, of each ACK (timestamps; what the clocks \
            differ by cancels)\nbase = the least of the last base_history minutes;  current = the \
            least of current_filter delays\neach ACK of N bytes:  off_target = (target - (current \
            - base)) / target\nand:                  cwnd += gain off_target N SMSS / \
            cwnd\nand:                  cwnd = min(cwnd, FlightSize before it + \
            allowed_increase)\nand:                  cwnd = max(cwnd, min_cwnd)\nloss, ECN \
            echo:       cwnd = max(min(FlightSize, cwnd) / 2, min_cwnd)\ntimeout:              \
            cwnd = 1 SMSS\nno slow start;  while a loss is repaired or congestion echoed the \
            window does not grow",
        sources: &["RFC 6817"],
        provenance: Provenance::Vectors,
        rule: "one-way delay, toward a target",
        needs: "timestamps",
        family: "giving way",
        ..About::PLAIN
    };
    fn new(config: &LedbatConfig, path: &Path) -> Self {
        let mss = path.mss as f64;
        let cwnd = (config.init_cwnd.0 * mss).min(path.initial_window as f64).max(mss);
        Ledbat {
            cwnd,
            prior: cwnd,
            mss,
            target: config.target.seconds(),
            gain: config.gain,
            allowed: config.allowed_increase.0 * mss,
            least: config.min_cwnd.0 * mss,
            queueing: 0.0,
            delays: DelayHistory::new(config.base_history as usize, config.current_filter as usize),
        }
    }
}

impl Ledbat {
    /// Section 2.4.2, on an acknowledgment of `acked` bytes.
    fn follow(&mut self, ack: &Ack) {
        let off_target = (self.target - self.queueing) / self.target;
        let step = self.gain * off_target * ack.acked as f64 * self.mss / self.cwnd;
        let step = if ack.ece { step.min(0.0) } else { step };
        let most = ack.in_flight as f64 + self.allowed;
        self.cwnd = (self.cwnd + step).min(most).max(self.least);
    }

    fn bound(&mut self, bound: u64) {
        self.cwnd = self.cwnd.min(bound as f64).max(self.mss);
    }
}

impl CongestionControl for Ledbat {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides { timestamps: true, ..TcpOverrides::NOTHING }
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, ..Capabilities::WINDOW }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if let Some(delay) = one_way(ack) {
            self.delays.sample(ack.now, delay);
            self.queueing = self.delays.queueing().unwrap_or(0.0);
        }
        if ack.acked > 0 && ack.phase != Phase::Recovery {
            self.follow(ack);
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        match event.cause {
            Cause::Loss | Cause::Ecn => {
                self.prior = self.cwnd;
                let half = (event.in_flight as f64).min(self.cwnd) / 2.0;
                self.cwnd = self.cwnd.min(half.max(self.least));
            }
            Cause::Timeout { first } => {
                self.prior = if first { self.cwnd } else { self.prior };
                self.cwnd = self.mss;
            }
            Cause::Spurious => self.cwnd = self.cwnd.max(self.prior),
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
        let share = mss as f64 / self.mss;
        (self.allowed, self.least, self.mss) =
            (self.allowed * share, self.least * share, mss as f64);
        self.cwnd = self.cwnd.max(self.mss);
    }
    #[inline]
    fn cwnd(&self) -> u64 {
        self.cwnd as u64
    }
    /// `cwnd` in bytes; `queueing_delay` and `base_delay` (with what the clocks differ by) in
    /// seconds; `off_target`.
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("cwnd", self.cwnd);
        out.gauge("queueing_delay", self.queueing);
        out.gauge("base_delay", self.delays.base().unwrap_or(0.0));
        out.gauge("off_target", (self.target - self.queueing) / self.target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::parts::test_connection::{TestConnection, near, path};

    /// One with `cwnd` bytes in segments of 1446, whose base delay is 20 ms; after an
    /// acknowledgment of two segments that took `delay` ms, with `flight` bytes on their way
    /// before it.
    fn vector(cwnd: u64, delay: u64, flight: u64) -> u64 {
        let path = Path { mss: 1446, ..path(10.0, true) };
        let mut l = Ledbat::new(&LedbatConfig { current_filter: 1, ..Default::default() }, &path);
        l.cwnd = cwnd as f64;
        for (ms, acked) in [(20, 0), (delay, 2 * 1446)] {
            let mut ack = Ack::default();
            (ack.acked, ack.in_flight, ack.rtt) = (acked, flight, Some(Span::from_ms(ms)));
            l.on_ack(&ack, &mut Commands::default());
        }
        l.cwnd()
    }

    /// ns-3's vectors; its flight is that after the acknowledgment.
    #[test]
    fn published_vectors() {
        assert_eq!(vector(8676, 60, 8676), 8965);
        assert_eq!(vector(8676, 60, 4338 + 2 * 1446), 8676);
        assert_eq!(vector(8676, 140, 8676), 8579);
        assert_eq!(vector(2892, 140, 8676), 2892);
    }

    /// With no queue it is as fast as Reno: a segment per round trip; at the target it stays; at
    /// twice the target it gives back a segment per round trip.
    #[test]
    fn a_round_trip_at_each_delay() {
        for (forward, change) in [(20, 1.0), (70, 0.5), (120, 0.0), (170, -0.5), (220, -1.0)] {
            let mut d = TestConnection::<Ledbat>::on(
                &path(50.0, true),
                &LedbatConfig { init_cwnd: Packets(50.0), ..Default::default() },
            );
            d.rtt = Span::from_ms(20);
            d.ack(1);
            let w = d.w();
            d.rtt = Span::from_ms(forward);
            (0..4).for_each(|_| d.ack(1));
            d.cc.cwnd = w * 1000.0;
            d.round();
            near(d.w() - w, change, 0.04);
        }
    }

    /// The reverse path's queue is not LEDBAT's affair: 20 ms there and 100 ms back.
    #[test]
    fn only_the_way_there_counts() {
        let mut d = TestConnection::<Ledbat>::on(&path(50.0, true), &LedbatConfig::default());
        for back in [10, 110, 60] {
            let mut ack = d.told(1);
            ack.now = d.now + Span::from_secs(9);
            ack.rtt = Some(Span::from_ms(20 + back));
            ack.peer_clock = Some(Time::from_ps(ack.now.ps() - Span::from_ms(back).ps()));
            d.cc.on_ack(&ack, &mut Commands::default());
            near(d.gauge("queueing_delay"), 0.0, 1e-12);
        }
        assert!(d.cc.tcp_overrides().timestamps);
    }

    #[test]
    fn congestion() {
        let config = LedbatConfig { init_cwnd: Packets(50.0), ..Default::default() };
        let mut d = TestConnection::<Ledbat>::on(&path(50.0, true), &config);
        d.lose();
        assert_eq!((d.w(), d.cc.ssthresh()), (25.0, None));
        d.congest(Cause::Spurious);
        assert_eq!(d.w(), 50.0);
        (0..9).for_each(|_| d.lose());
        assert_eq!(d.w(), 2.0);
        d.congest(Cause::Timeout { first: true });
        assert_eq!(d.w(), 1.0);
        d.ack(1);
        assert_eq!(d.w(), 2.0);
    }

    #[test]
    fn it_starts_with_two_segments_and_no_slow_start() {
        let mut d = TestConnection::<Ledbat>::on(&path(10.0, true), &LedbatConfig::default());
        assert_eq!(d.w(), 2.0);
        d.rounds(10, 100);
        near(d.w(), 11.0, 1.0);
    }
}
