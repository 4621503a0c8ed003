//! The model and the states, worked out by hand on a path of 10 Mbps and 100 ms: a BDP of 125
//! segments of 1000 bytes.
mod bounds;
mod control;
mod cycle;
mod marks;

use super::*;
use dumbbell_core::transport::{LossSample, Phase};
use dumbbell_core::units::Span;

const MSS: u64 = 1000;
const BW: f64 = 1.25e6;
const RTT: Span = Span::from_ms(100);

struct Run {
    cc: Model,
    now: Time,
    total: u64,
    rtt: Span,
}

impl Run {
    fn with(config: Bbr3Config, rtt: Span) -> Self {
        let path = Path { mss: MSS, initial_window: 10 * MSS, ..Path::PLAIN };
        Run { cc: Model::new(&config, &path), now: Time::ZERO, total: 0, rtt }
    }
    fn new() -> Self {
        Run::with(Bbr3Config::default(), RTT)
    }
    /// In `state`, with a filled pipe of 10 Mbps.
    fn at(state: State) -> Self {
        let mut run = Run::new();
        for _ in 0..4 {
            run.round(BW, 130);
        }
        assert_eq!(run.cc.state, State::Drain);
        run.reach(state);
        (run.cc.probe_rtt_min.stamp, run.cc.min_rtt.stamp) = (run.now, run.now);
        run
    }
    fn reach(&mut self, state: State) {
        for _ in 0..200 {
            if self.cc.state == state {
                return;
            }
            self.round(BW, 120);
        }
        panic!("{state:?} is not reached from {:?}", self.cc.state);
    }
    /// An acknowledgment after `pause`: a segment that was sent when this much was delivered.
    fn ack(&mut self, pause: Span, edit: impl FnOnce(&mut RateSample, &mut Ack)) {
        self.now += pause;
        let mut rs =
            RateSample { interval: self.rtt, rtt: Some(self.rtt), ..RateSample::default() };
        (rs.prior_delivered, rs.total_delivered) = (self.total, self.total + MSS);
        (rs.delivered, rs.pipe, rs.in_flight) =
            ((BW * self.rtt.seconds()) as u64, 120 * MSS, 125 * MSS);
        let mut ack = Ack::default();
        edit(&mut rs, &mut ack);
        self.total = rs.total_delivered;
        (ack.now, ack.rate) = (self.now, Some(rs));
        self.cc.on_ack(&ack, &mut Commands::default());
    }
    /// A round trip in one acknowledgment, delivered at `bw`, with so many segments in flight
    /// after it.
    fn round(&mut self, bw: f64, pipe: u64) {
        let (rtt, delivered) = (self.rtt, (bw * self.rtt.seconds()) as u64);
        self.ack(rtt, |rs, _| {
            (rs.delivered, rs.pipe, rs.total_delivered) =
                (delivered, pipe * MSS, rs.prior_delivered + delivered);
        });
    }
    /// An acknowledgment within a round, that reports a loss.
    fn loss(&mut self, in_flight: u64, lost: u64, newly: u64) {
        self.ack(Span::from_ms(1), |rs, ack| {
            ack.phase = Phase::Recovery;
            rs.prior_delivered -= 10 * MSS;
            (rs.newly_lost, rs.delivered, rs.in_flight) = (newly, 50 * MSS, 80 * MSS);
            rs.loss = LossSample { in_flight, lost, app_limited: false, ranges: 1 };
        });
    }
    fn event(&mut self, cause: Cause) {
        let event = Congestion::new(self.now, cause, self.cc.cwnd(), &[]);
        self.cc.on_congestion(&event, &mut Commands::default());
    }
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-6
}
