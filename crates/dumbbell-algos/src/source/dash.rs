//! Adaptive streaming over HTTP (DASH): a player fetches segments of a video one by one and chooses
//! the rate of each.
//!
//! The flow's sender is the server, and the player is at its receiver: it acts when the last byte
//! of a segment is there in order. [`super::parts::client`] says when the server hears of it.
//! `video` has a similar player at the sender's side; this one has the rules of two papers, exact
//! times of delivery, and the viewer's quality of experience.
mod abr;
mod player;
use super::parts::client::{Asked, Client};
use super::parts::ladder;
pub use abr::Abr;
use abr::{Predictor, RateMap};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::config;
use player::Player;

/// The reservoir of BBA-0 as a share of the buffer: 90 of 240 s.
const RESERVOIR: f64 = 0.375;
/// The buffer from which on BBA-0 has the highest rate: 216 of 240 s.
const UPPER: f64 = 0.9;

/// Parameters of [`Dash`].
#[config]
pub struct DashConfig {
    /// Rates in which the video is available, ascending.
    #[schemars(extend("x-source" = "Yin et al. 2015, section 7.1"))]
    #[config(default = [350, 600, 1000, 2000, 3000].map(|kbps| Rate::from_bps(kbps * 1000)).into())]
    pub ladder: Vec<Rate>,
    /// Playing time of one segment.
    #[schemars(extend("x-source" = "Huang et al. 2014 and Yin et al. 2015: 4 s"))]
    #[config(default = Span::from_secs(4))]
    pub segment: Span,
    /// Playback starts when the buffer has this much; after a stall it continues with one segment.
    #[schemars(extend("x-source" = "our choice: one segment"))]
    #[config(default = Span::from_secs(4))]
    pub start: Span,
    /// The most that the buffer holds.
    #[schemars(extend("x-source" = "Huang et al. 2014: 240 s"))]
    #[config(default = Span::from_secs(240))]
    pub buffer: Span,
    /// The rule that chooses the rate of a segment.
    #[schemars(extend("x-source" = "our choice"))]
    #[config(default = Abr::Bba)]
    pub abr: Abr,
    /// Of `bba`: buffer up to which the rate is the lowest; default 3/8 of `buffer`.
    #[schemars(extend("x-source" = "Huang et al. 2014: 90 of 240 s"))]
    pub reservoir: Option<Span>,
    /// Of `bba`: buffer beyond the reservoir at which the rate is the highest; default up to 9/10
    /// of `buffer`, or to where one segment has room if that is less.
    #[schemars(extend("x-source" = "Huang et al. 2014: 126 of 240 s"))]
    pub cushion: Option<Span>,
    /// Of `throughput`: number of last segments in the harmonic mean.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "Yin et al. 2015: 5"))]
    #[config(default = 5)]
    pub memory: u32,
    /// How long the video is, in whole segments; default endless.
    #[schemars(extend("x-source" = "our choice: no end"))]
    pub length: Option<Span>,
    /// Weight of changes of the rate in the quality of experience, lambda.
    #[schemars(range(min = 0.0), extend("x-source" = "Yin et al. 2015, balanced: 1"))]
    #[config(default = 1.0)]
    pub switch_weight: f64,
    /// Weight of a second of stalls, mu.
    #[schemars(range(min = 0.0), extend("x-source" = "Yin et al. 2015, balanced: 3000"))]
    #[config(default = 3000.0)]
    pub stall_weight: f64,
    /// Weight of a second before the first picture, mu_s.
    #[schemars(range(min = 0.0), extend("x-source" = "Yin et al. 2015, balanced: 3000"))]
    #[config(default = 3000.0)]
    pub start_up_weight: f64,
}

impl DashConfig {
    /// The most that the buffer has when a segment is asked for.
    fn fullest(&self) -> Span {
        self.buffer.saturating_sub(self.segment)
    }

    fn map(&self) -> RateMap {
        let reservoir = self.reservoir.unwrap_or(self.buffer.scaled(RESERVOIR));
        let upper = self.buffer.scaled(UPPER).min(self.fullest());
        let cushion = self.cushion.unwrap_or(upper.saturating_sub(reservoir));
        RateMap { reservoir, cushion }
    }

    fn check_map(&self) -> Result<(), Fault> {
        let RateMap { reservoir, cushion } = self.map();
        let most = self.fullest();
        if reservoir >= most {
            let at = if self.reservoir.is_some() { "reservoir" } else { "buffer" };
            let cause = format!(
                "the buffer has {most} at most when a segment is asked for, which is not above \
                 the reservoir of {reservoir}"
            );
            return Err(Fault::at(at, cause).fix("raise `buffer`, or shorten `segment`"));
        }
        if cushion == Span::ZERO || reservoir + cushion > most {
            let at = if self.cushion.is_some() { "cushion" } else { "reservoir" };
            let cause = format!(
                "reservoir and cushion are {} together, and the buffer has {most} at most when a \
                 segment is asked for",
                reservoir + cushion
            );
            return Err(Fault::at(at, cause).fix("lower it, or raise `buffer`"));
        }
        Ok(())
    }
}

impl Config for DashConfig {
    fn check(&self) -> Result<(), Fault> {
        let lowest = ladder::check(&self.ladder)?;
        if lowest.bytes_in(self.segment) == 0 {
            let cause = "a segment at the lowest rate has less than a byte";
            return Err(Fault::at("segment", cause).fix("write \"4 s\""));
        }
        if self.buffer < self.segment {
            let cause = "the buffer does not hold one segment";
            return Err(Fault::at("buffer", cause).fix("raise it, or shorten `segment`"));
        }
        if self.start > self.fullest().max(self.segment) {
            let cause = "the buffer does not hold a segment beyond what playback starts with";
            let fix = "keep `start` at most `buffer` less one `segment`";
            return Err(Fault::at("start", cause).fix(fix));
        }
        if self.length.is_some_and(|length| length < self.segment) {
            let cause = "the video is shorter than a segment";
            return Err(Fault::at("length", cause).fix("raise it, or shorten `segment`"));
        }
        match self.abr {
            Abr::Bba => self.check_map(),
            Abr::Throughput => Ok(()),
        }
    }
}

/// A player and its server.
#[derive(Clone, Debug)]
pub struct Dash {
    /// Boxed, so that the enum of all sources stays small for flows with other sources.
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    config: DashConfig,
    map: RateMap,
    client: Client,
    player: Player,
    predictor: Predictor,
    /// Segments that are still to be asked for; `None`: no end.
    left: Option<u64>,
    /// The segment that is on its way, or the last one: its rung, and when it was asked for.
    rung: usize,
    asked: Asked,
    /// When it arrived, until the server learns of it.
    arrived: Option<Time>,
}

impl Algorithm for Dash {
    type Config = DashConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "dash",
        title: "Adaptive streaming (DASH)",
        idea: "A player fetches segments of a video one by one while its buffer has room, and \
            chooses the rate of each by its buffer or by the throughput that it saw.",
        equations: "bytes of a segment = rate * segment / 8\n\
                    next request = arrival of the last byte, when buffer + segment fits\n\
                    bba:        f(B) = R_min + (R_max - R_min) (B - reservoir) / cushion\n\
                    B <= reservoir: R_min;   B >= reservoir + cushion: R_max\n\
                    f >= next higher rate: the highest below f;   f <= next lower rate: the \
                    lowest above f\n\
                    throughput: the highest R <= n / sum(1 / throughput of the last n <= memory)\n\
                    qoe = sum R_k - lambda sum |R_k+1 - R_k| - mu stalled - mu_s start_up, R in \
                    kbps",
        sources: &[
            "T.-Y. Huang, R. Johari, N. McKeown, M. Trunnell, M. Watson: A Buffer-Based Approach \
                to Rate Adaptation, SIGCOMM 2014 (BBA-0, algorithm 1)",
            "X. Yin, A. Jindal, V. Sekar, B. Sinopoli: A Control-Theoretic Approach for Dynamic \
                Adaptive Video Streaming over HTTP, SIGCOMM 2015 (quality of experience, ladder, \
                predictor)",
            "J. Jiang, V. Sekar, H. Zhang: Improving Fairness, Efficiency, and Stability in \
                HTTP-based Adaptive Video Streaming with FESTIVE, CoNEXT 2012 (harmonic mean)",
        ],
        provenance: Provenance::Recollection,
        ..About::PLAIN
    };
    fn new(config: &DashConfig, (): &()) -> Self {
        let left = config.length.map(|length| length.ps() / config.segment.ps());
        Dash {
            inner: Box::new(Inner {
                config: config.clone(),
                map: config.map(),
                client: Client::default(),
                player: Player::default(),
                predictor: Predictor::default(),
                left,
                rung: 0,
                asked: Asked::First,
                arrived: None,
            }),
        }
    }
}

impl Inner {
    fn bytes(&self) -> u64 {
        self.config.ladder[self.rung].bytes_in(self.config.segment)
    }

    /// True if all of the video has arrived.
    fn is_complete(&self) -> bool {
        self.left == Some(0) && !self.client.waits()
    }

    /// The last byte of a segment is there.
    fn segment_arrives(&mut self, at: Time) {
        let c = &self.config;
        let last = self.left == Some(0);
        self.player.add(at, c.segment, c.ladder[self.rung], c.start, last);
        self.client.delivered(at);
        self.arrived = Some(at);
    }

    /// The rung of a segment that the player asks for after `pause`.
    fn choose(&self, pause: Span) -> usize {
        let ladder = &self.config.ladder;
        match self.config.abr {
            Abr::Bba => {
                self.map.rung(ladder, self.rung, self.player.buffer().saturating_sub(pause))
            }
            Abr::Throughput => self.predictor.rung(ladder),
        }
    }
}

impl Source for Dash {
    fn next(&mut self, now: Time, _: &mut Stream) -> Option<Burst> {
        let me = &mut *self.inner;
        if me.client.waits() {
            // Nobody said when it arrived.
            me.segment_arrives(now);
        }
        me.client.acknowledged(now);
        if let Some(at) = me.arrived.take() {
            let time = me.client.since(me.asked, at);
            me.predictor.add(me.bytes(), time, me.config.memory as usize);
        }
        if let Some(left) = &mut me.left {
            *left = left.checked_sub(1)?;
        }
        let pause = me.player.until_room(me.config.segment, me.config.buffer);
        me.rung = me.choose(pause);
        let (asked, after) = me.client.asks(now, pause);
        me.asked = asked;
        Some(Burst::awaited(after, me.bytes()))
    }
    fn awaits(&self) -> bool {
        true
    }
    fn hears_delivery(&self) -> bool {
        true
    }
    fn delivered(&mut self, at: Time) {
        if self.inner.client.waits() {
            self.inner.segment_arrives(at);
        }
    }
    /// `segments` that arrived, their mean rate `video_bps`, `switches` of the rate, `start_up_s`,
    /// `stalls` and their sum `stalled_s`, `buffer_s`, and `qoe`, by `now`; NaN where there is
    /// nothing yet.
    fn probe(&self, now: Time, out: &mut dyn Probe) {
        let Inner { config, client, .. } = &*self.inner;
        let mut player = self.inner.player.clone();
        player.pass(now, self.inner.is_complete());
        let start_up =
            player.started.map_or(f64::NAN, |at| client.since(Asked::First, at).seconds());
        let quality = (player.bps_sum - config.switch_weight * player.bps_steps) / 1000.0;
        let waited =
            config.stall_weight * player.stalled.seconds() + config.start_up_weight * start_up;
        out.gauge("segments", player.segments as f64);
        out.gauge("video_bps", player.bps_sum / player.segments as f64);
        out.gauge("switches", player.switches as f64);
        out.gauge("start_up_s", start_up);
        out.gauge("stalls", player.stalls as f64);
        out.gauge("stalled_s", player.stalled.seconds());
        out.gauge("buffer_s", player.buffer().seconds());
        out.gauge("qoe", quality - waited);
    }
}

#[cfg(test)]
mod tests;
