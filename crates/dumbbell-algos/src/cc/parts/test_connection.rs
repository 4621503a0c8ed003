//! A test connection for congestion controls: each ACK acknowledges one segment, a round trip is a
//! window of them.
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::probe::Gauges;
use dumbbell_core::transport::{Ack, Cause, Commands, Congestion, CongestionControl, Path};
use dumbbell_core::units::{Span, Time};

/// Bytes in a segment.
pub const MSS: u64 = 1000;

/// A connection.
pub struct TestConnection<C> {
    pub cc: C,
    pub now: Time,
    pub rtt: Span,
    /// The lead of the receiver's clock over one that would show a reverse path without delay.
    pub reverse: Span,
    una: u64,
}

/// A path whose connection begins with `w` segments and, unless `slow`, in congestion avoidance.
pub fn path(w: f64, slow: bool) -> Path {
    let initial_ssthresh = if slow { u64::MAX } else { 1 };
    Path {
        mss: MSS,
        initial_window: (w * MSS as f64) as u64,
        initial_ssthresh,
        growth_limit: 2,
        ..Path::PLAIN
    }
}

impl<C: Algorithm<Site = Path> + CongestionControl> TestConnection<C> {
    /// In congestion avoidance with `w` segments, round trips of 100 ms.
    pub fn at(w: f64, config: &C::Config) -> Self {
        TestConnection::on(&path(w, false), config)
    }

    /// At the start of a connection.
    pub fn on(path: &Path, config: &C::Config) -> Self {
        let (now, rtt) = (Time::ZERO + Span::from_secs(1), Span::from_ms(100));
        TestConnection { cc: C::new(config, path), now, rtt, reverse: Span::ZERO, una: 1 }
    }

    /// The window, segments.
    pub fn w(&self) -> f64 {
        self.cc.cwnd() as f64 / MSS as f64
    }

    /// The threshold, segments.
    pub fn ssthresh(&self) -> f64 {
        self.cc.ssthresh().expect("a threshold") as f64 / MSS as f64
    }

    /// Returns the value that its probe shows as `name`.
    pub fn gauge(&self, name: &str) -> f64 {
        let mut gauges = Gauges::default();
        self.cc.probe(&mut gauges);
        gauges.0.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("no {name}")).1
    }

    /// An acknowledgment of `segments`, as it would be told.
    pub fn told(&mut self, segments: u64) -> Ack {
        let mut ack = Ack::default();
        let cwnd = self.cc.cwnd();
        self.una += segments * MSS;
        (ack.now, ack.acked, ack.una) = (self.now, segments * MSS, self.una);
        (ack.nxt, ack.in_flight, ack.window_limited) =
            (self.una + cwnd - segments.min(1) * MSS, cwnd, true);
        (ack.rtt, ack.srtt, ack.min_rtt) = (Some(self.rtt), Some(self.rtt), Some(self.rtt));
        (ack.reverse_delay, ack.peer_clock) = (Some(self.reverse), Some(self.now));
        ack
    }

    /// An acknowledgment of `segments`, now.
    pub fn ack(&mut self, segments: u64) {
        let ack = self.told(segments);
        self.cc.on_ack(&ack, &mut Commands::default());
    }

    /// A round trip: as many acknowledgments as there are whole segments in the window, equally
    /// spaced.
    pub fn round(&mut self) {
        let n = (self.cc.cwnd() / MSS).max(1);
        for _ in 0..n {
            self.ack(1);
            self.now += Span::from_ps(self.rtt.ps() / n);
        }
    }

    /// `n` round trips of `rtt_ms`.
    pub fn rounds(&mut self, n: u32, rtt_ms: u64) {
        self.rtt = Span::from_ms(rtt_ms);
        (0..n).for_each(|_| self.round());
    }

    /// A congestion event with a full window on its way.
    pub fn congest(&mut self, cause: Cause) {
        let event = Congestion::new(self.now, cause, self.cc.cwnd(), &[]);
        self.cc.on_congestion(&event, &mut Commands::default());
    }

    /// A loss.
    pub fn lose(&mut self) {
        self.congest(Cause::Loss);
    }
}

/// `a` is within `tolerance` of `b`.
#[track_caller]
pub fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not within {tolerance} of {b}");
}
