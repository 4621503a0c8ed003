//! On-off video, as players over HTTP make it: chunks of a few seconds are fetched one by one as
//! fast as TCP allows, until the player's buffer is full; from then on one is fetched whenever
//! there is room for it.
//!
//! The rate of a chunk is chosen by a rule of throughput: the highest of the ladder that is at most
//! `safety` times the harmonic mean of what the last chunks reached. That is FESTIVE's rule without
//! its gradual switching, randomized times and stateful delays; there is no buffer-based rule (BBA,
//! BOLA).
use super::parts::ladder;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::config;
use std::collections::VecDeque;

/// Parameters of [`Video`].
#[config]
pub struct VideoConfig {
    /// Rates in which the video is available, ascending.
    #[schemars(extend("x-source" = "H. Mao et al., Pensieve, SIGCOMM 2017, section 5.1"))]
    #[config(default = [300, 750, 1200, 1850, 2850, 4300].map(kbps).into())]
    pub ladder: Vec<Rate>,
    /// Playing time of one chunk.
    #[schemars(extend("x-source" = "Pensieve, section 5.1: 4 s"))]
    #[config(default = Span::from_secs(4))]
    pub chunk: Span,
    /// The player starts, and resumes after a stall, when its buffer holds this much.
    #[schemars(extend("x-source" = "our choice: two chunks"))]
    #[config(default = Span::from_secs(8))]
    pub start_up: Span,
    /// The most that its buffer holds.
    #[schemars(extend("x-source" = "our choice: of the order of players' defaults, 30 s"))]
    #[config(default = Span::from_secs(30))]
    pub buffer: Span,
    /// Share of the estimated throughput that is asked for.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "FESTIVE, section 4.3: p = 0.85"),
    )]
    #[config(default = 0.85)]
    pub safety: f64,
    /// Number of last chunks in the estimate.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "FESTIVE, section 5: 20"))]
    #[config(default = 20)]
    pub memory: u32,
    /// How long the video is, in whole chunks; default endless.
    #[schemars(extend("x-source" = "our choice: no end"))]
    pub length: Option<Span>,
}

fn kbps(kbps: u64) -> Rate {
    Rate::from_bps(kbps * 1000)
}

impl Config for VideoConfig {
    fn check(&self) -> Result<(), Fault> {
        let lowest = ladder::check(&self.ladder)?;
        if lowest.bytes_in(self.chunk) == 0 {
            return Err(Fault::at("chunk", "a chunk at the lowest rate has less than a byte").fix(
                "write \
                \"4 s\"",
            ));
        }
        if self.buffer < self.chunk {
            return Err(Fault::at("buffer", "the buffer does not hold one chunk").fix(
                "raise it, or \
                shorten `chunk`",
            ));
        }
        if self.start_up > self.buffer.saturating_sub(self.chunk).max(self.chunk) {
            let cause = "the buffer does not hold a chunk beyond what the player begins with";
            return Err(Fault::at("start_up", cause).fix(
                "keep `start_up` at most `buffer` less one \
                `chunk`",
            ));
        }
        match self.length {
            Some(length) if length < self.chunk => {
                Err(Fault::at("length", "the video is shorter than a chunk").fix(
                    "raise it, or \
                    shorten `chunk`",
                ))
            }
            _ => Ok(()),
        }
    }
}

/// A player and the server that it fetches from, in one: what it asks for is handed over at once.
#[derive(Clone, Debug)]
pub struct Video {
    /// Boxed, so that the enum of all sources stays small for flows with other sources.
    player: Box<Player>,
}

#[derive(Clone, Debug)]
struct Player {
    config: VideoConfig,
    /// Chunks that are still to be fetched.
    left: Option<u64>,
    /// The chunk that is on its way: when it was asked for, and which rate of the ladder.
    fetching: Option<(Time, usize)>,
    /// Throughput of the last chunks, bits per second.
    seen: VecDeque<f64>,
    /// Video in the buffer, at `at`.
    buffer: Span,
    at: Time,
    playing: bool,
    measured: Measured,
}

#[derive(Clone, Debug, Default)]
struct Measured {
    begun: Option<Time>,
    /// From the request of the first chunk to the first picture.
    start_up: Option<Span>,
    chunks: u64,
    bps_sum: f64,
    last: Option<usize>,
    switches: u64,
    stalls: u64,
    stalled: Span,
}

impl Algorithm for Video {
    type Config = VideoConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "video",
        title: "On-off video",
        idea: "A player fetches chunks as fast as it can until its buffer is full, then one \
            whenever there is room.",
        equations: "bytes of a chunk = rate * chunk / 8\nrate = max { r in ladder : r <= safety * \
            n / sum(1 / throughput of the last n <= memory chunks) }\nnext request = max(arrival \
            of the last chunk, when buffer + chunk fits)\na stall begins when the buffer is empty \
            and ends when it holds start_up",
        sources: &[
            "J. Jiang, V. Sekar, H. Zhang: Improving Fairness, Efficiency, and Stability in \
                HTTP-based Adaptive Video Streaming with FESTIVE, CoNEXT 2012",
            "A. Rao et al.: Network Characteristics of Video Streaming Traffic, CoNEXT 2011",
            "H. Mao, R. Netravali, M. Alizadeh: Neural Adaptive Video Streaming with Pensieve, \
                SIGCOMM 2017",
        ],
        provenance: Provenance::Reconstruction,
        ..About::PLAIN
    };
    fn new(config: &VideoConfig, (): &()) -> Self {
        let left = config.length.map(|length| length.ps() / config.chunk.ps());
        Video {
            player: Box::new(Player {
                config: config.clone(),
                left,
                fetching: None,
                seen: VecDeque::new(),
                buffer: Span::ZERO,
                at: Time::ZERO,
                playing: false,
                measured: Measured::default(),
            }),
        }
    }
}

impl Player {
    /// Lets time pass until `now`: the buffer drains, and may run dry.
    fn pass(&mut self, now: Time) {
        let span = now.since(self.at);
        self.at = now;
        let stalled = if self.playing {
            let short = span.saturating_sub(self.buffer);
            self.buffer = self.buffer.saturating_sub(span);
            // A video that has been shown to its end does not stall.
            let over = self.left == Some(0) && self.fetching.is_none();
            if short == Span::ZERO || over {
                return;
            }
            (self.playing, self.measured.stalls) = (false, self.measured.stalls + 1);
            short
        } else if self.measured.start_up.is_some() {
            span
        } else {
            return;
        };
        self.measured.stalled = self.measured.stalled + stalled;
    }

    /// The chunk that was asked for has arrived.
    fn arrived(&mut self, now: Time) {
        let Some((asked, rung)) = self.fetching else { return };
        self.pass(now);
        self.fetching = None;
        let bits = 8.0 * self.config.ladder[rung].bytes_in(self.config.chunk) as f64;
        self.seen.push_back(bits / now.since(asked).seconds().max(1e-12));
        if self.seen.len() > self.config.memory as usize {
            self.seen.pop_front();
        }
        self.buffer = self.buffer + self.config.chunk;
        let m = &mut self.measured;
        m.chunks += 1;
        m.bps_sum += self.config.ladder[rung].bps() as f64;
        m.switches += u64::from(m.last.is_some_and(|last| last != rung));
        m.last = Some(rung);
        if self.buffer >= self.config.start_up || self.left == Some(0) {
            self.playing = true;
            m.start_up = m.start_up.or(Some(now.since(m.begun.unwrap_or(now))));
        }
    }

    /// The rung of the ladder for the next chunk; the lowest while nothing is known.
    fn rung(&self) -> usize {
        let inverse: f64 = self.seen.iter().map(|x| 1.0 / x).sum();
        let most = self.config.safety * self.seen.len() as f64 / inverse;
        self.config.ladder.iter().rposition(|r| r.bps() as f64 <= most).unwrap_or(0)
    }
}

impl Source for Video {
    fn next(&mut self, now: Time, _: &mut Stream) -> Option<Burst> {
        let me = &mut *self.player;
        me.measured.begun.get_or_insert(now);
        if me.fetching.is_none() {
            me.at = now;
        }
        me.arrived(now);
        if let Some(left) = &mut me.left {
            *left = left.checked_sub(1)?;
        }
        let full = (me.buffer + me.config.chunk).saturating_sub(me.config.buffer);
        let wait = if me.playing { full } else { Span::ZERO };
        let rung = me.rung();
        me.fetching = Some((now + wait, rung));
        Some(Burst::awaited(wait, me.config.ladder[rung].bytes_in(me.config.chunk)))
    }
    fn awaits(&self) -> bool {
        true
    }
    /// `chunks` that arrived, their mean rate `video_bps`, `switches` of the rate, `start_up_s`,
    /// `stalls` and their sum `stalled_s`, and `buffer_s`, by `now`; NaN where there is nothing
    /// yet.
    fn probe(&self, now: Time, out: &mut dyn Probe) {
        let mut player = (*self.player).clone();
        if player.measured.begun.is_some() {
            player.pass(now);
        }
        let m = &player.measured;
        out.gauge("chunks", m.chunks as f64);
        out.gauge("video_bps", m.bps_sum / m.chunks as f64);
        out.gauge("switches", m.switches as f64);
        out.gauge("start_up_s", m.start_up.map_or(f64::NAN, Span::seconds));
        out.gauge("stalls", m.stalls as f64);
        out.gauge("stalled_s", m.stalled.seconds());
        out.gauge("buffer_s", player.buffer.seconds());
    }
}

#[cfg(test)]
mod tests;
