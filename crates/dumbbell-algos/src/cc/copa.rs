//! Copa (Arun, Balakrishnan, NSDI 2018): a window that goes toward the rate 1 / (delta d_q).
//!
//! | symbol | parameter or state | section |
//! |---|---|---|
//! | RTTmin | `min`: least sample of 10 s | 2.1 |
//! | RTTstanding | `standing`: least sample of srtt / 2 | 2.1 |
//! | d_q | `queueing`: RTTstanding - RTTmin | 2.1 |
//! | delta | `delta` | 2.1, 2.2 |
//! | v | `velocity` | 2.1 |
//! | RTTmax | `max`: largest sample of 4 round trips | 2.2 |
//!
//! The paper leaves open what follows, and these are our choices. A timeout leaves one segment, as
//! in every control here, and slow start begins again. An echo of congestion is a loss. One
//! acknowledgment moves the window by at most what it acknowledges, so that a window at most
//! doubles in a round trip whatever the velocity. While a loss is repaired an acknowledgment counts
//! as one segment. A step against the direction has velocity 1 at once, not from the next round
//! trip on. A window that does not limit the sender does not grow, but it shrinks. Competing, 1 /
//! delta grows by 1 in a round trip and is halved once in a round trip with losses, but is never
//! below that of the default mode.
use crate::cc::parts::path_model::{Boxed, pacing_rate};
use crate::cc::parts::rounds::Rounds;
use crate::cc::parts::windowed_filter::WindowedMax;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Kernel, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase, TcpOverrides,
};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::config;
use std::cmp::Reverse;

/// Parameters of [`Copa`].
#[config]
pub struct CopaConfig {
    /// Weight of delay against throughput in the default mode; 1 / delta packets wait.
    #[schemars(range(min = 0.001, max = 10.0))]
    #[schemars(extend("x-source" = "Arun, Balakrishnan 2018, section 2.2"))]
    #[config(default = 0.5)]
    pub delta: f64,
    /// Whether it competes with flows that fill buffers: delta then falls until a loss.
    #[schemars(extend("x-source" = "Arun, Balakrishnan 2018, section 2.2"))]
    #[config(default = true)]
    pub competes: bool,
    /// Time over which the smallest round-trip time is kept.
    #[schemars(extend("x-source" = "Arun, Balakrishnan 2018, section 2.1"))]
    #[config(default = Span::from_secs(10))]
    pub min_rtt_window: Span,
}

impl Config for CopaConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.min_rtt_window == Span::ZERO {
            let cause = "min_rtt_window must be a time above 0".to_owned();
            return Err(Fault::at("min_rtt_window", cause).fix("write min_rtt_window = \"10 s\""));
        }
        Ok(())
    }
}

/// See the module's page.
pub type Copa = Boxed<Model>;

/// The way in which the window moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

/// Its state.
#[derive(Clone, Debug)]
pub struct Model {
    config: CopaConfig,
    mss: u64,
    header: u64,
    /// Bytes.
    cwnd: f64,
    /// Before the last timeout.
    prior: f64,
    slow_start: bool,
    velocity: f64,
    rounds: Rounds,
    /// The window at the beginning of the round.
    at_begin: f64,
    direction: Direction,
    /// Round trips in this direction.
    same: u32,
    least: WindowedMax<Time, Reverse<Span>>,
    latest: WindowedMax<Time, Reverse<Span>>,
    largest: WindowedMax<Time, Span>,
    min: Span,
    standing: Span,
    max: Span,
    /// When the queue was last nearly empty; none before a sample.
    empty: Option<Time>,
    /// 1 / delta of the competitive mode; none in the default mode.
    competing: Option<f64>,
    /// A loss was found in this round.
    lost: bool,
}

/// Round trips in which the queue must be nearly empty once (section 2.2).
const EMPTY_ROUNDS: u64 = 5;
/// Round trips whose largest sample is RTTmax (section 2.2).
const MAX_ROUNDS: u64 = 4;
/// A queue is nearly empty below this share of its range (section 2.2).
const NEARLY_EMPTY: f64 = 0.1;
/// Round trips in one direction after which the velocity doubles (section 2.1).
const STEADY: u32 = 3;

/// `t` less `span`, or the beginning.
fn before(t: Time, span: Span) -> Time {
    Time::ZERO + t.since(Time::ZERO).saturating_sub(span)
}

impl Algorithm for Model {
    type Config = CopaConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "copa",
        title: "Copa",
        idea: "Go toward the rate that is the best trade of throughput for delay: one over the \
            queueing delay, times 1 / delta.",
        equations: "d_q = RTTstanding - RTTmin;  RTTstanding: smallest sample of srtt / 2;  \
            RTTmin: of 10 s\nw / RTTstanding <= 1 / (delta d_q):  w += v / (delta w),  else  w -= \
            v / (delta w),  per ACK\nonce in a round trip:  v doubles in the fourth round trip in \
            one direction and after,\n.  and is 1 after a change of direction\nslow start:  w \
            doubles in a round trip until w / RTTstanding > 1 / (delta d_q)\nrate = 2 w / \
            RTTstanding\nd_q < 0.1 (RTTmax - RTTmin) in none of 5 round trips (RTTmax: of \
            4):  competitive,\n.  1 / delta += 1 in a round trip, halved after a loss, at least \
            that of the default mode",
        sources: &[
            "Arun, Balakrishnan: Copa: Practical Delay-Based Congestion Control for the Internet, \
                NSDI 2018, sections 2 and 3",
        ],
        provenance: Provenance::Recollection,
        rule: "delay, toward the rate 1 / (delta d_q)",
        needs: "pacing, timestamps",
        family: "delay",
        kernel: Kernel::Lacks { why: "Copa is in no released kernel", fix: "write cc = \"vegas\"" },
        ..About::PLAIN
    };
    fn new(config: &CopaConfig, path: &Path) -> Self {
        let cwnd = path.initial_window.max(path.mss) as f64;
        Model {
            mss: path.mss,
            header: path.header,
            cwnd,
            prior: cwnd,
            slow_start: true,
            velocity: 1.0,
            rounds: Rounds::default(),
            at_begin: cwnd,
            direction: Direction::Up,
            same: 0,
            least: WindowedMax::default(),
            latest: WindowedMax::default(),
            largest: WindowedMax::default(),
            min: Span::ZERO,
            standing: Span::ZERO,
            max: Span::ZERO,
            empty: None,
            competing: None,
            lost: false,
            config: config.clone(),
        }
    }
}

impl Model {
    /// 1 / delta of the mode, packets.
    fn target(&self) -> f64 {
        self.competing.unwrap_or(1.0 / self.config.delta)
    }

    fn queueing(&self) -> Span {
        self.standing.saturating_sub(self.min)
    }

    /// The window of the target rate, bytes: RTTstanding / (delta d_q) packets.
    fn wanted(&self) -> f64 {
        let queueing = self.queueing().seconds();
        self.target() * self.mss as f64 * self.standing.seconds() / queueing
    }

    /// A sample, and the mode that it leaves.
    fn sample(&mut self, now: Time, rtt: Span, srtt: Span) {
        let half = Span::from_ps(srtt.ps() / 2);
        self.min = self.least.push(now, before(now, self.config.min_rtt_window), Reverse(rtt)).0;
        self.standing = self.latest.push(now, before(now, half), Reverse(rtt)).0;
        self.max = self.largest.push(now, before(now, srtt * MAX_ROUNDS), rtt);
        let range = self.max.saturating_sub(self.min).seconds();
        let nearly = self.queueing().seconds() <= NEARLY_EMPTY * range;
        let since = *self.empty.get_or_insert(now);
        if nearly {
            self.empty = Some(now);
            self.competing = None;
        } else if self.config.competes
            && self.competing.is_none()
            && !self.slow_start
            && now.since(since) > srtt * EMPTY_ROUNDS
        {
            self.competing = Some(1.0 / self.config.delta);
        }
    }

    /// A round trip is over.
    fn judge(&mut self) {
        let direction = if self.cwnd > self.at_begin { Direction::Up } else { Direction::Down };
        if direction == self.direction {
            self.same += 1;
            if self.same > STEADY {
                self.velocity *= 2.0;
            }
        } else {
            (self.direction, self.same, self.velocity) = (direction, 1, 1.0);
        }
        if let Some(target) = &mut self.competing {
            *target = if self.lost { *target / 2.0 } else { *target + 1.0 };
            *target = target.max(1.0 / self.config.delta);
        }
        (self.at_begin, self.lost) = (self.cwnd, false);
    }

    /// The window for `bytes` that were acknowledged.
    fn step(&mut self, bytes: f64, may_grow: bool) {
        let up = self.queueing() == Span::ZERO || self.cwnd <= self.wanted();
        if self.slow_start {
            if up {
                if may_grow {
                    self.cwnd += bytes;
                }
                return;
            }
            (self.slow_start, self.velocity, self.same) = (false, 1.0, 0);
        }
        if up != (self.direction == Direction::Up) && self.velocity > 1.0 {
            (self.velocity, self.same) = (1.0, 0);
        }
        let mss = self.mss as f64;
        let step = (self.velocity * self.target() * bytes * mss / self.cwnd).min(bytes);
        if !up {
            self.cwnd = (self.cwnd - step).max(2.0 * mss).min(self.cwnd);
        } else if may_grow {
            self.cwnd += step;
        }
    }
}

impl CongestionControl for Model {
    /// Its window applies in a repair, too: a loss takes nothing from it. With one round-trip
    /// sample in a round trip, as without timestamps, it would swing further with each turn.
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides { meters: true, timestamps: true, ..TcpOverrides::NOTHING }
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities { paces: true, samples: true, discriminates: true, ..Capabilities::WINDOW }
    }
    fn on_open(&mut self, now: Time, rtt: Option<Span>, _: u64, _: &mut Commands) {
        if let Some(rtt) = rtt {
            self.sample(now, rtt, rtt);
        }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if let Some(rtt) = ack.rtt {
            self.sample(ack.now, rtt, ack.srtt.unwrap_or(rtt));
        }
        if self.rounds.on_ack(ack).is_some() {
            self.judge();
        }
        let bytes = match ack.phase {
            Phase::Open => ack.acked,
            _ => self.mss.min(ack.acked + ack.sacked),
        };
        if bytes > 0 && self.standing != Span::ZERO {
            self.step(bytes as f64, ack.window_limited);
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        match event.cause {
            Cause::Loss | Cause::Ecn => self.lost = true,
            Cause::Timeout { first } => {
                if first {
                    self.prior = self.cwnd;
                }
                (self.cwnd, self.slow_start) = (self.mss as f64, true);
                (self.lost, self.velocity, self.same) = (true, 1.0, 0);
            }
            Cause::Spurious => self.cwnd = self.cwnd.max(self.prior),
            Cause::Further => {}
        }
    }
    fn on_idle(&mut self, restart_window: u64) {
        self.cwnd = self.cwnd.min(restart_window.max(self.mss) as f64);
        self.rounds.restart();
    }
    fn on_mss(&mut self, mss: u64) {
        self.mss = mss;
        self.cwnd = self.cwnd.max(mss as f64);
    }
    #[inline]
    fn cwnd(&self) -> u64 {
        self.cwnd as u64
    }
    /// Headers count.
    #[inline]
    fn pacing(&self) -> Option<Rate> {
        let packets = self.cwnd / self.mss as f64;
        (self.standing != Span::ZERO).then(|| {
            let bytes = 2.0 * packets * (self.mss + self.header) as f64;
            pacing_rate(bytes / self.standing.seconds())
        })
    }
    /// `cwnd` in bytes; `min_rtt`, `standing_rtt` and `queueing` in seconds; `target`: 1 / delta;
    /// `competing`: 1 in the competitive mode; `slow_start`: 1 in slow start.
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("cwnd", self.cwnd);
        out.gauge("min_rtt", self.min.seconds());
        out.gauge("standing_rtt", self.standing.seconds());
        out.gauge("queueing", self.queueing().seconds());
        out.gauge("target", self.target());
        out.gauge("velocity", self.velocity);
        out.gauge("competing", f64::from(u8::from(self.competing.is_some())));
        out.gauge("slow_start", f64::from(u8::from(self.slow_start)));
    }
}

#[cfg(test)]
mod tests;
