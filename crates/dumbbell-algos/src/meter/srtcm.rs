//! The single rate three color marker (RFC 2697): one stream of tokens fills a committed bucket,
//! and what it has no room for fills an excess bucket. The length of a burst, not its peak rate,
//! decides its color.
use crate::bucket::config::{check_whole, committed, depth, holds_nothing};
use crate::bucket::{TokenBucket, units};
use dumbbell_core::aqm::Cx;
use dumbbell_core::catalogue::{About, Algorithm, Config, Explained, Fault, Provenance};
use dumbbell_core::meter::{Color, Contract, Meter, Tokens};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Limit, Rate, Time};
use dumbbell_macros::config;

/// Parameters of [`SrTcm`].
#[config]
pub struct SrTcmConfig {
    /// Committed information rate; default what is reserved for the flow, or for all flows of the
    /// aggregate together.
    #[schemars(extend("x-source" = "RFC 2697 section 2 leaves it to the contract"))]
    pub cir: Option<Rate>,
    /// Committed burst size: the bucket for green packets, full at the start. A time or a BDP
    /// refers to `cir` and the flow's round-trip propagation time; at least a packet of the link's
    /// MTU.
    #[schemars(
        extend(
            "x-source" = "ours: as token_bucket's; RFC 2697 section 2 leaves it to the contract"
        ),
    )]
    #[config(default = Limit::Bdp(1.0))]
    pub cbs: Limit,
    /// Excess burst size: the bucket for yellow packets. `cbs` or `ebs` may be 0.
    #[schemars(extend("x-source" = "ours: as cbs; RFC 2697 section 2 leaves it to the contract"))]
    #[config(default = Limit::Bdp(1.0))]
    pub ebs: Limit,
    /// Whether a packet that came yellow or red never becomes better, and yellow ones leave the
    /// committed bucket alone.
    #[schemars(extend("x-source" = "RFC 2697 section 3: the color-blind mode is the first"))]
    pub colour_aware: bool,
}

impl Config for SrTcmConfig {
    fn check(&self) -> Result<(), Fault> {
        if holds_nothing(self.cbs) && holds_nothing(self.ebs) {
            let fault = Fault::at(
                "ebs",
                "with `cbs` and `ebs` of 0 every packet is red (RFC 2697 \
                section 2)",
            );
            return Err(fault.fix("write \"1 BDP\" or \"5 kB\" for one of them"));
        }
        check_whole("cbs", self.cbs)?;
        check_whole("ebs", self.ebs)
    }
}

/// Green, yellow and red by the length of a burst.
#[derive(Clone, Debug)]
pub struct SrTcm {
    committed: TokenBucket,
    /// Units in the excess bucket, and its depth.
    excess: u128,
    ebs: u128,
    colour_aware: bool,
}

impl SrTcm {
    /// The token that finds the committed bucket full goes to the other.
    #[inline]
    fn fill(&mut self, now: Time) {
        self.excess = (self.excess + self.committed.fill(now)).min(self.ebs);
    }
}

impl Algorithm for SrTcm {
    type Config = SrTcmConfig;
    type Site = Contract;
    const ABOUT: About = About {
        name: "srtcm",
        title: "Single rate three color marker",
        idea: "Tokens at one rate fill a committed bucket and then an excess bucket; a packet is \
            green, yellow or red by the first that holds enough for it.",
        equations: "Tc <- Tc + cir dt / 8 up to cbs; what has no room there: Te up to ebs\ngreen \
            if Tc >= length: Tc <- Tc - length\nyellow else if Te >= length: Te <- Te - length; \
            else red\ncolor-aware: a packet that came yellow begins at the second line, one that \
            came red is red",
        sources: &[
            "RFC 2697 (A Single Rate Three Color Marker)",
            "RFC 2475 section 2.3.3 (meters, \
            markers)",
        ],
        provenance: Provenance::Vectors,
        explained: Explained::by(&[(
            "",
            "its buckets (cbs = {cbs} and ebs = {ebs}, cir = {cir or 'the reserved rate'}) \
                    had too few tokens for a color that passes, and the edge drops what is \
                    out of profile",
        )]),
        ..About::PLAIN
    };
    fn new(c: &SrTcmConfig, site: &Contract) -> Self {
        let cir = committed(c.cir, site);
        let ebs = units(depth(c.ebs, cir, site).0);
        let committed = TokenBucket::new(cir, depth(c.cbs, cir, site));
        SrTcm { committed, excess: ebs, ebs, colour_aware: c.colour_aware }
    }
}

impl Meter for SrTcm {
    #[inline]
    fn color(&mut self, cx: &mut Cx<'_>, p: &Meta, before: Color) -> Color {
        self.fill(cx.now);
        let before = if self.colour_aware { before } else { Color::Green };
        if before == Color::Green && self.committed.spend(p.ip_len) {
            return Color::Green;
        }
        let cost = units(u64::from(p.ip_len));
        if before != Color::Red && self.excess >= cost {
            self.excess -= cost;
            return Color::Yellow;
        }
        Color::Red
    }
    fn worst(&self) -> Color {
        Color::Red
    }
    fn tokens(&mut self, now: Time) -> Option<Tokens> {
        self.fill(now);
        Some(self.committed.account(now))
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("tokens", self.committed.level());
        out.gauge("excess_tokens", self.excess as f64 / units(1) as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::meter::{Bench, colors};
    use dumbbell_core::probe::Gauges;
    use dumbbell_core::rng::Stream;
    use dumbbell_core::units::{Bytes, Packets, Span};

    /// 1000 bytes a second, a committed bucket of 2000, an excess bucket of 1000.
    fn config(colour_aware: bool) -> SrTcmConfig {
        let (cbs, ebs) = (Limit::Bytes(Bytes(2000)), Limit::Bytes(Bytes(1000)));
        SrTcmConfig { cir: Some(Rate::from_bps(8000)), cbs, ebs, colour_aware }
    }

    #[test]
    fn the_vector_of_the_rfc_by_hand() {
        let mut bench = Bench::<SrTcm>::new(&config(false));
        let at = [0, 0, 0, 0, 500, 1000, 4000, 4000, 4000];
        assert_eq!(colors(&mut bench, &at.map(|ms| (ms, 1000, Color::Green))), "GGYRRGGGY");
        assert_eq!(colors(&mut bench, &[(4000, 1, Color::Green)]), "R");
        assert_eq!((bench.meter.committed.level(), bench.meter.excess), (0.0, 0));
    }

    /// 2000 and 1000 bytes at the start, of which 1500 and 400 go.
    #[test]
    fn both_buckets_are_shown() {
        let mut bench = Bench::<SrTcm>::new(&config(false));
        let shown = |bench: &Bench<SrTcm>| {
            let mut seen = Gauges::default();
            bench.meter.probe(&mut seen);
            [seen.get("tokens"), seen.get("excess_tokens")].map(Option::unwrap)
        };
        assert_eq!(shown(&bench), [2000.0, 1000.0]);
        let some = [(0, 1500, Color::Green), (0, 600, Color::Green)];
        assert_eq!(colors(&mut bench, &some), "GY");
        assert_eq!(shown(&bench), [500.0, 400.0]);
    }

    /// The RFC's section 3 word for word: a token at a time, and each mode in its own lines.
    struct Literal {
        tc: u64,
        te: u64,
        ms: u64,
    }

    impl Literal {
        fn color(&mut self, ms: u64, bytes: u64, before: Color, aware: bool) -> Color {
            for _ in self.ms..ms {
                if self.tc < 2000 {
                    self.tc += 1;
                } else if self.te < 1000 {
                    self.te += 1;
                }
            }
            self.ms = ms;
            let green = !aware || before == Color::Green;
            let yellow = !aware || before == Color::Green || before == Color::Yellow;
            if green && self.tc >= bytes {
                self.tc -= bytes;
                Color::Green
            } else if yellow && self.te >= bytes {
                self.te -= bytes;
                Color::Yellow
            } else {
                Color::Red
            }
        }
    }

    /// 1000 bytes a second are a byte a millisecond, so that both are exact.
    #[test]
    fn it_is_the_rfc_word_for_word() {
        let mut seen = [[0; 3]; 2];
        for seed in 0..200 {
            let (mut rng, aware) = (Stream::named(seed, "traffic"), seed % 2 == 1);
            let (mut bench, mut literal) =
                (Bench::<SrTcm>::new(&config(aware)), Literal { tc: 2000, te: 1000, ms: 0 });
            for _ in 0..200 {
                let ms = literal.ms
                    + u64::from(if rng.coin(0.1) { rng.below(5000) } else { rng.below(700) });
                let (bytes, before) = (rng.below(1001), Color::ALL[rng.below(3) as usize]);
                let color = bench.recolor(Time::ZERO + Span::from_ms(ms), bytes, before);
                assert_eq!(color, literal.color(ms, u64::from(bytes), before, aware));
                assert_eq!(bench.meter.excess, units(literal.te));
                seen[usize::from(aware)][color.index()] += 1;
            }
        }
        assert!(seen.iter().flatten().all(|n| *n > 500), "{seen:?}");
    }

    #[test]
    fn one_of_its_buckets_may_be_empty() {
        let none = Limit::Packets(Packets(0.0));
        let run = |config: SrTcmConfig| {
            config.check().unwrap();
            colors(
                &mut Bench::<SrTcm>::new(&config),
                &[0, 0, 0, 9000].map(|ms| (ms, 1000, Color::Green)),
            )
        };
        assert_eq!(run(SrTcmConfig { ebs: none, ..config(false) }), "GGRG");
        assert_eq!(run(SrTcmConfig { cbs: none, ..config(false) }), "YRRY");
        let fault =
            SrTcmConfig { cbs: none, ebs: Limit::Bdp(0.0), ..config(false) }.check().unwrap_err();
        assert_eq!(fault.at, "ebs");
    }
}
