//! Adaptive packet marking, built into TCP (Feng, Kandlur, Saha and Shin 1998): a target for the
//! *average* throughput, and as few IN packets as it takes.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | T | `target` | what the flow is to have on average, of whole IP packets |
//! | T_u | `update` | over how long a throughput is measured |
//! | bw | `throughput` | the last such measurement |
//! | pwnd, bwnd | `pwnd`, `bwnd` | the windows of IN and of OUT; cwnd is their sum |
//! | P | `share` | pwnd / cwnd: the probability that a segment goes as IN |
//!
//! Reconstructed, each as an option or said here: how the throughput is measured, what slow start
//! does to the two windows, how the choice of a color is made, what an IN segment means that is
//! found lost later in a recovery, and that a loss whose color nobody knows (an ECN echo) halves
//! both.
use crate::cc::parts::self_marking as colors;
use crate::cc::parts::self_marking::{IN, MarkingCodepoints, OUT};
use crate::cc::parts::window::{STANDARD, Window};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::packet::Dscp;
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Sent, Tag,
    TcpOverrides,
};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What slow start does to the two windows while the throughput is below the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SlowStartGrowth {
    /// Each grows in proportion.
    #[default]
    Proportional,
    /// pwnd alone grows, as it does in congestion avoidance.
    Marked,
}

/// How a segment's color is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkingChoice {
    /// By chance, IN with probability P.
    #[default]
    Random,
    /// As evenly as P allows.
    Even,
}

/// Parameters of [`TcpMarking`].
#[config]
pub struct TcpMarkingConfig {
    /// The average throughput that the flow is to have (T), of whole IP packets; default what is
    /// `reserved` for it. Without either, or with 0, it is Reno, and the flow keeps its own
    /// codepoint.
    #[schemars(extend("x-source" = "Feng and others 1998: the target rate"))]
    pub target: Option<Rate>,
    /// Interval over which the acknowledged throughput is measured (T_u).
    #[schemars(
        extend("x-source" = "reconstructed: as often as the external marker of Feng and others \
            1998 looks"),
    )]
    #[config(default = Span::from_secs(1))]
    pub update: Span,
    /// What slow start does to the two windows while the throughput is below the target; above it,
    /// bwnd alone grows.
    #[schemars(extend("x-source" = "reconstructed: in proportion"))]
    #[config(default = SlowStartGrowth::default())]
    pub slow_start: SlowStartGrowth,
    /// How a segment's color is chosen.
    #[schemars(extend("x-source" = "Feng and others 1998: with probability pwnd / cwnd"))]
    #[config(default = MarkingChoice::default())]
    pub choice: MarkingChoice,
    /// Whether an IN segment that is found lost later in a recovery that OUT segments began makes
    /// the loss a severe one.
    #[schemars(extend("x-source" = "reconstructed: it does"))]
    #[config(default = true)]
    pub further: bool,
    /// The codepoint of an IN segment.
    #[serde(rename = "in")]
    #[schemars(extend("x-source" = "RFC 2597: AF11"))]
    #[config(default = "af11".into())]
    pub inside: String,
    /// The codepoint of an OUT segment.
    #[serde(rename = "out")]
    #[schemars(extend("x-source" = "RFC 2597: AF12"))]
    #[config(default = "af12".into())]
    pub outside: String,
}

impl Config for TcpMarkingConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.update == Span::ZERO {
            return Err(Fault::at("update", "no throughput can be measured over 0 s").fix(
                "write \
                update = \"1 s\"",
            ));
        }
        colors::check(&self.inside, &self.outside)
    }
}

/// The throughput, period by period.
#[derive(Clone, Debug)]
struct Meter {
    period: Span,
    since: Option<Time>,
    bytes: u64,
    /// Bytes of payload a second.
    rate: f64,
}

impl Meter {
    fn note(&mut self, now: Time, acked: u64) {
        self.bytes += acked;
        let elapsed = now.since(*self.since.get_or_insert(now));
        if elapsed >= self.period {
            self.rate = self.bytes as f64 / elapsed.seconds();
            (self.since, self.bytes) = (Some(now), 0);
        }
    }
}

/// The state of a flow with a target, beside its window.
#[derive(Clone, Debug)]
struct Marking {
    /// Bytes of payload a second that are the target, and how many bytes of packets carry one.
    target: f64,
    packets_per_payload: f64,
    throughput: Meter,
    /// Bytes of the window that go as IN, now and before the last reduction.
    pwnd: f64,
    prior: f64,
    /// True if the last reduction took from pwnd too.
    severe: bool,
    chance: Stream,
    /// The fraction of a packet that an even choice owes.
    owed: f64,
    colors: MarkingCodepoints,
    config: TcpMarkingConfig,
}

impl Marking {
    fn new(config: &TcpMarkingConfig, target: Rate, path: &Path) -> Self {
        let packets_per_payload = (path.mss + path.header) as f64 / path.mss as f64;
        Marking {
            target: target.bps() as f64 / 8.0 / packets_per_payload,
            packets_per_payload,
            throughput: Meter { period: config.update, since: None, bytes: 0, rate: 0.0 },
            pwnd: 0.0,
            prior: 0.0,
            severe: false,
            chance: Stream::named(0, "tcp_marking"),
            owed: 0.0,
            colors: MarkingCodepoints::of(&config.inside, &config.outside),
            config: config.clone(),
        }
    }

    /// An acknowledgment, at which the window grew from `before` bytes.
    fn grow(&mut self, ack: &Ack, window: &Window, before: u64, slow_start: bool) {
        self.throughput.note(ack.now, ack.acked);
        if ack.acked == 0 {
            return;
        }
        let grown = (window.cwnd() - before) as f64;
        if self.throughput.rate < self.target {
            let proportional =
                slow_start && self.config.slow_start == SlowStartGrowth::Proportional;
            self.pwnd += if proportional { grown * self.pwnd / before as f64 } else { grown };
        } else if self.throughput.rate > self.target && !slow_start {
            let mss = window.mss() as f64;
            self.pwnd -= mss * (ack.acked as f64).min(mss) / before as f64;
        }
        self.clamp(window);
    }

    fn clamp(&mut self, window: &Window) {
        self.pwnd = self.pwnd.clamp(0.0, window.cwnd() as f64);
    }

    /// A loss of what has these tags, with `in_flight` bytes on their way: the window that is left.
    /// pwnd gives if IN was among them, or if nobody knows what was lost.
    fn lose(&mut self, in_flight: u64, tags: &[Tag]) -> u64 {
        (self.prior, self.severe) = (self.pwnd, tags.contains(&IN) || !tags.contains(&OUT));
        if self.severe {
            self.pwnd /= 2.0;
            return in_flight / 2;
        }
        let spared = (self.pwnd as u64).min(in_flight);
        spared + (in_flight - spared) / 2
    }

    fn choose(&mut self, share: f64) -> Tag {
        let inside = match self.config.choice {
            MarkingChoice::Random => self.chance.coin(share),
            MarkingChoice::Even => {
                self.owed += share;
                let due = self.owed >= 1.0;
                self.owed -= if due { 1.0 } else { 0.0 };
                due
            }
        };
        if inside { IN } else { OUT }
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct TcpMarking {
    window: Box<Window>,
    marking: Option<Box<Marking>>,
}

impl Algorithm for TcpMarking {
    type Config = TcpMarkingConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "tcp_marking",
        title: "Adaptive packet marking in TCP",
        idea: "A window of IN and one of OUT segments: IN grows while the throughput is below its \
            target, and shrinks above.",
        equations: "cwnd = pwnd + bwnd;  a segment goes as IN with probability P = pwnd / \
            cwnd\nper ACK, as reno:      slow start: cwnd += SMSS;  then: cwnd += i,  i = SMSS^2 / \
            cwnd\navoidance, bw < T:     pwnd += i\navoidance, bw > T:     pwnd -= i, and bwnd += \
            2 i\nonly OUT was lost:     bwnd = bwnd / 2\nIN was lost:           pwnd = pwnd / 2;  \
            bwnd = bwnd / 2\ntimeout:               pwnd = 0;  bwnd = SMSS\nT = 0:                 \
            reno",
        sources: &[
            "Feng, Kandlur, Saha, Shin: Adaptive packet marking for providing differentiated \
                services in the Internet, ICNP 1998; the measurement of bw, slow start and the \
                colors of repetitions are reconstructed",
        ],
        provenance: Provenance::Reconstruction,
        rule: "a target for its average; the colors of lost segments",
        needs: "the same",
        family: "assured rates",
        ..About::PLAIN
    };
    fn new(config: &TcpMarkingConfig, path: &Path) -> Self {
        let target = config.target.or(path.reserved).filter(|r| r.bps() > 0);
        TcpMarking {
            window: Box::new(Window::new(STANDARD, path)),
            marking: target.map(|target| Box::new(Marking::new(config, target, path))),
        }
    }
}

#[delegate(self.window: on_expected, on_mss, cwnd, ssthresh)]
impl CongestionControl for TcpMarking {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides::recovery("reno")
    }
    fn capabilities(&self) -> Capabilities {
        let marks = self.marking.is_some();
        Capabilities { segments: marks, samples: marks, ..Capabilities::WINDOW }
    }
    fn seed(&mut self, seed: u64) {
        if let Some(m) = &mut self.marking {
            m.chance = Stream::named(seed, "tcp_marking");
        }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        let (before, slow_start) = (self.window.cwnd(), self.window.in_slow_start());
        self.window.grow(ack);
        if let Some(m) = &mut self.marking {
            m.grow(ack, &self.window, before, slow_start);
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        let Some(m) = &mut self.marking else { return self.window.shrink(event, None) };
        match event.cause {
            Cause::Loss => {
                let left = m.lose(event.in_flight, event.tags);
                self.window.shrink_to(event, left);
            }
            Cause::Ecn => {
                let left = m.lose(self.window.cwnd(), &[]);
                self.window.shrink_to(event, left);
            }
            Cause::Timeout { .. } => {
                (m.prior, m.pwnd) = (m.pwnd, 0.0);
                self.window.shrink(event, None);
            }
            Cause::Further if m.config.further && !m.severe && event.tags.contains(&IN) => {
                m.severe = true;
                m.pwnd /= 2.0;
                self.window.set_ssthresh(self.window.threshold().saturating_sub(m.pwnd as u64));
                self.window.bound(self.window.threshold());
            }
            Cause::Further => {}
            Cause::Spurious => {
                m.pwnd = m.prior;
                self.window.shrink(event, None);
            }
        }
        m.clamp(&self.window);
    }
    fn on_recovered(&mut self, _: Time, bound: u64) {
        self.bound(bound);
    }
    fn on_sent(&mut self, _: &Sent) -> Tag {
        let cwnd = self.window.cwnd() as f64;
        self.marking.as_mut().map_or(Tag(0), |m| m.choose(m.pwnd / cwnd))
    }
    fn codepoint(&self, tag: Tag) -> Option<Dscp> {
        self.marking.as_ref().and_then(|m| m.colors.codepoint(tag))
    }
    fn on_idle(&mut self, restart_window: u64) {
        self.bound(restart_window);
    }
    /// `pwnd` and `bwnd` in bytes, `share` (P), `throughput` (bw) in bits a second of packets.
    fn probe(&self, out: &mut dyn Probe) {
        let (pwnd, cwnd) =
            (self.marking.as_ref().map_or(0.0, |m| m.pwnd), self.window.cwnd() as f64);
        let bits =
            self.marking.as_ref().map_or(0.0, |m| 8.0 * m.throughput.rate * m.packets_per_payload);
        self.window.probe(out);
        out.gauge("pwnd", pwnd);
        out.gauge("bwnd", cwnd - pwnd);
        out.gauge("share", pwnd / cwnd);
        out.gauge("throughput", bits);
    }
}

impl TcpMarking {
    /// A window that is lowered keeps its share of IN.
    fn bound(&mut self, bound: u64) {
        let before = self.window.cwnd();
        self.window.bound(bound);
        if let Some(m) = &mut self.marking {
            m.pwnd *= self.window.cwnd() as f64 / before as f64;
        }
    }
}

#[cfg(test)]
mod tests;
