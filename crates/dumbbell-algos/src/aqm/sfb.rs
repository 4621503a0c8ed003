//! SFB, Stochastic Fair BLUE (Feng, Kandlur, Saha, Shin: Stochastic Fair Blue, INFOCOM 2001).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | L, N | `levels`, `bins` | independent hashes of a flow, and bins of each |
//! | qlen, p_m | [`bins`] | packets of a bin's flows that wait; its BLUE probability |
//! | bin_size | `target` | from so many packets on p_m goes up |
//! | d1, d2 | `increment`, `decrement` | BLUE's steps |
//! | p_min | the same | least p_m of a flow's bins: that of the bin that it shares with nobody worse |
//!
//! A flow that does not respond drives all its bins to p_m = 1. It goes to the penalty box: a token
//! bucket of all such flows, whose drops have the reason `policed`. Others share single bins with
//! it, and hardly ever all of them. Hashes change from time to time, so that no flow is mistaken
//! for such a one forever; the next hashes' bins are filled while the present ones still decide
//! (double buffering).
mod bins;
#[cfg(test)]
mod tests;

use crate::aqm::parts::packet_size::{ByteDrop, SizePolicy, check_sizes};
use bins::{BinLookup, Bins, Steps};
use dumbbell_core::aqm::{Aqm, Cx, Gone, Hears, LinkInfo, Needs, QueueView, Reason, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Bytes, Packets, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`Sfb`].
#[config]
pub struct SfbConfig {
    /// Independent hashes of a flow (the paper's L).
    #[schemars(
        range(min = 1, max = 16),
        extend("x-source" = "Linux sch_sfb: 8; Feng et al. 2001: 2"),
    )]
    #[config(default = 8)]
    pub levels: u32,
    /// Bins of each hash (the paper's N).
    #[schemars(
        range(min = 1, max = 256),
        extend("x-source" = "Linux sch_sfb: 16; Feng et al. 2001: 23"),
    )]
    #[config(default = 16)]
    pub bins: u32,
    /// Number of packets in a bin from which on its probability rises.
    #[schemars(extend("x-source" = "tc-sfb(8): 20"))]
    #[config(default = Packets(20.0))]
    pub target: Packets,
    /// A packet is dropped if each of its bins has this many packets; at least `target`.
    #[schemars(extend("x-source" = "tc-sfb(8): 25"))]
    #[config(default = Packets(25.0))]
    pub max: Packets,
    /// Step up of a bin's probability, for each packet that finds it with `target` packets.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Linux sch_sfb: 1/1000"))]
    #[config(default = 1.0 / 1000.0)]
    pub increment: f64,
    /// Step down of a bin's probability, for each packet that finds it empty.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Linux sch_sfb: 1/6000"))]
    #[config(default = 1.0 / 6000.0)]
    pub decrement: f64,
    /// Least time from one step of a bin to its next, as BLUE has it; `"0 s"`: each packet may be a
    /// step. Without it a single burst can raise the probability of a responsive flow so far that
    /// it takes long to fall.
    #[schemars(
        extend("x-source" = "Feng et al. 2001, Fig. 2, and Linux sch_sfb: none; BLUE: 10 ms to 100 \
            ms"),
    )]
    #[config(default = Span::ZERO)]
    pub freeze_time: Span,
    /// How often the hashes change; `"0 s"`: never.
    #[schemars(extend("x-source" = "tc-sfb(8): 600 s"))]
    #[config(default = Span::from_secs(600))]
    pub rehash: Span,
    /// For how long before a change the next hashes' bins are filled; at most `rehash`.
    #[schemars(extend("x-source" = "tc-sfb(8): 60 s"))]
    #[config(default = Span::from_secs(60))]
    pub db: Span,
    /// Packets in a second that all flows that do not respond may send together.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-source" = "tc-sfb(8): 10"))]
    #[config(default = 10.0)]
    pub penalty_rate: f64,
    /// Packets that they may send at once.
    #[schemars(extend("x-source" = "tc-sfb(8): 20"))]
    #[config(default = Packets(20.0))]
    pub penalty_burst: Packets,
    /// Size of a typical packet, the unit of `byte_mode` and of `byte_drop`.
    #[schemars(extend("x-source" = "as RED: ns-2 mean_pktsize_ 500"))]
    #[config(default = Bytes(500))]
    pub mean_packet_size: Bytes,
    /// Whether bins count bytes: `target` and `max` then mean so many times `mean_packet_size`. The
    /// penalty box counts packets.
    #[schemars(extend("x-source" = "Feng et al. 2001: packets"))]
    pub byte_mode: bool,
    /// Whether larger packets are signaled more often. RFC 7141 section 2.2 advises against it.
    #[schemars(extend("x-source" = "Feng et al. 2001: no"))]
    #[config(default = ByteDrop::Off)]
    pub byte_drop: ByteDrop,
    /// Whether ECN-capable packets are marked rather than dropped, as long as p_min is below 1/2;
    /// beyond it more and more of them are dropped, for the reason `forced`.
    #[schemars(extend("x-source" = "off, as RED here; Linux sch_sfb: always"))]
    pub ecn: bool,
}

impl Config for SfbConfig {
    fn check(&self) -> Result<(), Fault> {
        check_sizes(self.mean_packet_size, self.byte_drop, None)?;
        if self.target.0 < 1.0 {
            let cause =
                format!("with target = {} every packet would find its bins too full", self.target);
            return Err(Fault::at("target", cause).fix("write \"20 pkt\""));
        }
        if self.max.0 < self.target.0 {
            let cause = format!(
                "max = {} is below target = {}: the probability would never go up",
                self.max, self.target
            );
            return Err(
                Fault::at("max", cause).fix(format!("write \"{} pkt\"", 1.25 * self.target.0))
            );
        }
        for (name, span) in [("freeze_time", self.freeze_time), ("rehash", self.rehash)] {
            if span > Span::from_secs(864_000) {
                let cause = format!(
                    "{span} is longer than ten days: the bins would hardly ever \
                    change"
                );
                return Err(Fault::at(name, cause).fix("write \"0 s\" for none"));
            }
        }
        if self.db > self.rehash {
            let cause = format!(
                "bins are filled for {} before a change that comes every {}",
                self.db, self.rehash
            );
            return Err(Fault::at("db", cause).fix("write \"0 s\" for no double buffering"));
        }
        Ok(())
    }
}

/// Tokens of the penalty box.
#[derive(Clone, Debug)]
struct Penalty {
    rate: f64,
    burst: f64,
    tokens: f64,
    at: Time,
}

impl Penalty {
    /// True if one more packet may go.
    fn takes(&mut self, now: Time) -> bool {
        self.tokens = (self.tokens + self.rate * now.since(self.at).seconds()).min(self.burst);
        self.at = now;
        let may = self.tokens >= 1.0;
        if may {
            self.tokens -= 1.0;
        }
        may
    }
}

/// BLUE in bins.
#[derive(Clone, Debug)]
pub struct Sfb {
    config: SfbConfig,
    sizes: SizePolicy,
    steps: Steps,
    max: u32,
    /// The bins that decide; `None` before the first packet, with which the random seed comes.
    present: Option<Bins>,
    /// The bins that are filled meanwhile.
    next: Option<Bins>,
    /// The time of the next change: of the hashes, or the start of the filling for it.
    turn: Time,
    penalty: Penalty,
    /// Packets in the queue.
    inside: u32,
    seen: BinLookup,
    coin: f64,
}

impl Algorithm for Sfb {
    type Config = SfbConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "sfb",
        title: "Stochastic Fair BLUE (SFB)",
        idea: "BLUE in hashed bins: a flow that drives all its bins to probability 1 does not \
            respond, and is rate-limited.",
        equations: "at an arrival, for the flow's bin at each of L levels:\n\x20  qlen >= target:  \
            p_m <- p_m + increment\n\x20  qlen == 0:       p_m <- p_m - decrement\np_min = min \
            p_m;   p_min = 1: let in if the penalty box has a token, else drop\nU() < p_min:  mark \
            or drop;  with ECN, drop all the same if U() < 2 p_min - 1\np_m of M flows that do not \
            respond hold another with  (1 - (1 - 1/N)^M)^L",
        sources: &[
            "Feng, Kandlur, Saha, Shin: Stochastic Fair Blue: A Queue Management Algorithm for \
                Enforcing Fairness, IEEE INFOCOM 2001",
            "Feng, Kandlur, Saha, Shin: The BLUE Active Queue Management Algorithms, IEEE/ACM ToN \
                10(4), 2002",
            "tc-sfb(8) (defaults, penalty box, double buffering)",
        ],
        provenance: Provenance::Recollection,
        rule: "BLUE's, in bins onto which flows are hashed",
        family: "BLUE and models",
        look: Some(Look::new(PlotColor::Sky, 'X', 0)),
        kernel: Kernel::Has { name: "sfb", note: "" },
        size: Size {
            measures: "lengths of bins, packets",
            byte_mode: "bytes",
            signals: SizeLaw::Constant,
        },
        law: Law::Named { law: "sfb", remark: "" },
        explained: Explained::by(&[
            (
                "reason == 'overflow'",
                "{full}; the smallest p_m of its flow's {levels} bins was \
                    {p_min} when last looked at",
            ),
            (
                "reason == 'policed'",
                "the smallest p_m of its flow's {levels} bins was {p_min}, \
                    so its flow does not respond, and the penalty box had no token for it",
            ),
            (
                "reason == 'forced' and q_min > 0 and not coin < 2 * p_min - 1",
                "each of its flow's {levels} bins held {q_min} packets or more; a bin may hold \
                    {max}",
            ),
            (
                "",
                "the smallest p_m of its flow's {levels} bins was {p_min}, and the coin, \
                    {coin}, fell below it",
            ),
        ]),
        ..About::PLAIN
    };

    fn new(config: &SfbConfig, _: &LinkInfo) -> Self {
        let burst = config.penalty_burst.0;
        let sizes = SizePolicy::new(config.mean_packet_size, config.byte_mode, config.byte_drop);
        let whole = |length: Packets| {
            libm::ceil(length.0 * if sizes.in_bytes() { sizes.mean() } else { 1.0 }) as u32
        };
        Sfb {
            sizes,
            steps: Steps {
                target: whole(config.target),
                up: config.increment,
                down: config.decrement,
                freeze: config.freeze_time,
            },
            max: whole(config.max),
            present: None,
            next: None,
            turn: Time::ZERO,
            penalty: Penalty { rate: config.penalty_rate, burst, tokens: burst, at: Time::ZERO },
            inside: 0,
            seen: BinLookup::default(),
            coin: 1.0,
            config: config.clone(),
        }
    }
}

impl Sfb {
    /// The count of a packet in a bin: 1, or its bytes.
    fn much(&self, p: &Meta) -> u32 {
        if self.sizes.in_bytes() { p.ip_len } else { 1 }
    }

    fn fresh(&self, rng: &mut Stream) -> Bins {
        Bins::new(rng.bits64(), self.config.levels, self.config.bins, self.inside)
    }

    /// A change is due, of what decides or of what is filled.
    #[cold]
    fn change(&mut self, now: Time, rng: &mut Stream) {
        let filling = self.present.is_some() && self.config.db > Span::ZERO && self.next.is_none();
        if filling {
            self.next = Some(self.fresh(rng));
            self.turn = now + self.config.db;
            return;
        }
        self.present = Some(self.next.take().unwrap_or_else(|| self.fresh(rng)));
        let rehash = self.config.rehash;
        self.turn = if rehash == Span::ZERO {
            Time::NEVER
        } else {
            now + rehash.saturating_sub(self.config.db)
        };
    }

    /// BLUE's coin, for a packet whose size changes the probability by `share`.
    fn toss(&mut self, share: f64, rng: &mut Stream) -> Verdict {
        let p_min = (self.seen.p_min * share).min(1.0);
        if p_min == 0.0 {
            return Verdict::Pass;
        }
        self.coin = rng.unit();
        match self.coin < p_min {
            false => Verdict::Pass,
            true if !self.config.ecn => Verdict::Drop(Reason::Early),
            true if self.coin < 2.0 * p_min - 1.0 => Verdict::Drop(Reason::Forced),
            true => Verdict::Signal(Reason::Early),
        }
    }
}

impl Aqm for Sfb {
    fn needs(&self) -> Needs {
        Needs::Held
    }
    fn hears(&self) -> Hears {
        Hears { admitted: true, gone: true, ..Hears::ARRIVALS }
    }

    fn arrive(&mut self, cx: &mut Cx<'_>, _: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        if cx.now >= self.turn {
            self.change(cx.now, cx.rng);
        }
        // A queue that is full as a whole says nothing of a flow's bins.
        let (true, Some(present)) = (fits, &mut self.present) else { return Verdict::Pass };
        self.seen = present.see(cx.now, p.flow, &self.steps);
        let unresponsive = self.seen.p_min >= 1.0;
        if let (true, Some(next)) = (unresponsive, &mut self.next) {
            next.see(cx.now, p.flow, &self.steps);
        }
        if self.seen.q_min >= self.max {
            Verdict::Drop(Reason::Forced)
        } else if !unresponsive {
            self.toss(self.sizes.share(p.ip_len, cx.link.mtu), cx.rng)
        } else if self.penalty.takes(cx.now) {
            Verdict::Pass
        } else {
            Verdict::Drop(Reason::Policed)
        }
    }

    fn admitted(&mut self, p: &Meta) {
        self.inside += 1;
        let much = self.much(p);
        for bins in self.present.iter_mut().chain(&mut self.next) {
            bins.admitted(p.flow, much);
        }
    }

    fn gone(&mut self, p: &Meta, _: Gone) {
        self.inside = self.inside.saturating_sub(1);
        let much = self.much(p);
        for bins in self.present.iter_mut().chain(&mut self.next) {
            bins.gone(p.flow, much);
        }
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("p_min", self.seen.p_min);
        let unit = if self.sizes.in_bytes() { self.sizes.mean() } else { 1.0 };
        out.gauge("q_min", f64::from(self.seen.q_min) / unit);
        out.gauge("coin", self.coin);
        out.gauge("tokens", self.penalty.tokens);
        out.gauge("double_buffering", f64::from(u8::from(self.next.is_some())));
    }
}
