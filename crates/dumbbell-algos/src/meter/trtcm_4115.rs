//! The two rate three color marker of RFC 4115: the excess has a rate and a bucket of its own, so
//! that yellow packets take nothing from green ones and a green packet is charged once.
use crate::bucket::TokenBucket;
use crate::bucket::config::{check_whole, committed, depth, holds_nothing};
use dumbbell_core::aqm::Cx;
use dumbbell_core::catalogue::{About, Algorithm, Config, Explained, Fault, Provenance};
use dumbbell_core::meter::{Color, Contract, Meter, Tokens};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Limit, Rate, Time};
use dumbbell_macros::config;

/// Parameters of [`TrTcm4115`].
#[config]
pub struct TrTcm4115Config {
    /// Committed information rate; default what is reserved for the flow, or for all flows of the
    /// aggregate together.
    #[schemars(extend("x-source" = "RFC 4115 section 2 leaves it to the contract"))]
    pub cir: Option<Rate>,
    /// Committed burst size: the bucket for green packets, full at the start. A time or a BDP
    /// refers to `cir` and the flow's round-trip propagation time; at least a packet of the link's
    /// MTU.
    #[schemars(
        extend(
            "x-source" = "ours: as token_bucket's; RFC 4115 section 2 leaves it to the contract"
        ),
    )]
    #[config(default = Limit::Bdp(1.0))]
    pub cbs: Limit,
    /// Excess information rate, beside `cir`; default as much again.
    #[schemars(extend("x-source" = "ours; RFC 4115 section 2 leaves it to the contract"))]
    pub eir: Option<Rate>,
    /// Excess burst size: the bucket for yellow packets. A time or a BDP refers to `eir`. `cbs` or
    /// `ebs` may be 0.
    #[schemars(extend("x-source" = "ours: as cbs; RFC 4115 section 2 leaves it to the contract"))]
    #[config(default = Limit::Bdp(1.0))]
    pub ebs: Limit,
    /// Whether a packet that came yellow or red never becomes better, and yellow ones leave the
    /// committed bucket alone.
    #[schemars(extend("x-source" = "ours: color-blind, as RFC 2698"))]
    pub colour_aware: bool,
}

impl Config for TrTcm4115Config {
    fn check(&self) -> Result<(), Fault> {
        if holds_nothing(self.cbs) && holds_nothing(self.ebs) {
            let fault = Fault::at("ebs", "with `cbs` and `ebs` of 0 every packet is red");
            return Err(fault.fix("write \"1 BDP\" or \"5 kB\" for one of them"));
        }
        check_whole("cbs", self.cbs)?;
        check_whole("ebs", self.ebs)
    }
}

/// Green from one bucket, yellow from another.
#[derive(Clone, Debug)]
pub struct TrTcm4115 {
    committed: TokenBucket,
    excess: TokenBucket,
    colour_aware: bool,
}

impl Algorithm for TrTcm4115 {
    type Config = TrTcm4115Config;
    type Site = Contract;
    const ABOUT: About = About {
        name: "trtcm_4115",
        title: "Two rate three color marker of RFC 4115",
        idea: "A packet is green by a committed bucket, else yellow by an excess bucket that fills \
            at a rate of its own, else red.",
        equations: "Tc <- min(cbs, Tc + cir dt / 8);  Te <- min(ebs, Te + eir dt / 8)\ngreen if Tc \
            >= length: Tc <- Tc - length\nyellow else if Te >= length: Te <- Te - length; else \
            red\ncolor-aware: a packet that came yellow begins at the third line, one that came \
            red is red",
        sources: &[
            "RFC 4115 (A Differentiated Service Two-Rate, Three-Color Marker)",
            "RFC 2698 \
            (its forerunner)",
        ],
        provenance: Provenance::TwoReadings,
        explained: Explained::by(&[(
            "",
            "its buckets (cbs = {cbs} and ebs = {ebs}, cir = {cir or 'the reserved rate'}) had too \
                few tokens for a color that passes, and the edge drops what is out of profile",
        )]),
        ..About::PLAIN
    };
    fn new(c: &TrTcm4115Config, site: &Contract) -> Self {
        let cir = committed(c.cir, site);
        let eir = c.eir.unwrap_or(cir);
        TrTcm4115 {
            committed: TokenBucket::new(cir, depth(c.cbs, cir, site)),
            excess: TokenBucket::new(eir, depth(c.ebs, eir, site)),
            colour_aware: c.colour_aware,
        }
    }
}

impl Meter for TrTcm4115 {
    #[inline]
    fn color(&mut self, cx: &mut Cx<'_>, p: &Meta, before: Color) -> Color {
        let before = if self.colour_aware { before } else { Color::Green };
        if before == Color::Green && self.committed.take(cx.now, p.ip_len) {
            Color::Green
        } else if before != Color::Red && self.excess.take(cx.now, p.ip_len) {
            Color::Yellow
        } else {
            Color::Red
        }
    }
    fn worst(&self) -> Color {
        Color::Red
    }
    fn tokens(&mut self, now: Time) -> Option<Tokens> {
        Some(self.committed.account(now))
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("tokens", self.committed.level());
        out.gauge("excess_tokens", self.excess.level());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::meter::{Bench, colors};
    use dumbbell_core::rng::Stream;
    use dumbbell_core::units::{Bytes, Span};

    fn config(colour_aware: bool) -> TrTcm4115Config {
        TrTcm4115Config {
            cir: Some(Rate::from_bps(8000)),
            cbs: Limit::Bytes(Bytes(2000)),
            eir: Some(Rate::from_bps(8000)),
            ebs: Limit::Bytes(Bytes(1000)),
            colour_aware,
        }
    }

    /// By hand: of the tokens of the excess nothing goes to what is green, and none of the
    /// committed is spilled.
    #[test]
    fn the_excess_has_a_rate_of_its_own() {
        let at = [0, 0, 0, 0, 500, 1000, 1000, 4000, 4000, 4000, 4000]
            .map(|ms| (ms, 1000, Color::Green));
        assert_eq!(colors(&mut Bench::<TrTcm4115>::new(&config(false)), &at), "GGYRRGYGGYR");
    }

    /// The RFC's figure box by box: both counts a token at a time, one for each millisecond, and
    /// the two modes as its conditions have them.
    #[test]
    fn it_is_the_figure_of_the_rfc() {
        let mut seen = [[0; 3]; 2];
        for seed in 0..200 {
            let (mut rng, color_blind) = (Stream::named(seed, "traffic"), seed % 2 == 0);
            let mut bench = Bench::<TrTcm4115>::new(&config(!color_blind));
            let (mut tc, mut te, mut ms) = (2000u32, 1000u32, 0);
            for _ in 0..200 {
                let gap = if rng.coin(0.1) { rng.below(5000) } else { rng.below(500) };
                ms += u64::from(gap);
                for _ in 0..gap {
                    (tc, te) = ((tc + 1).min(2000), (te + 1).min(1000));
                }
                let (b, before) = (rng.below(1501), Color::ALL[rng.below(3) as usize]);
                let expected = if (color_blind || before == Color::Green) && b <= tc {
                    tc -= b;
                    Color::Green
                } else if (color_blind || before != Color::Red) && b <= te {
                    te -= b;
                    Color::Yellow
                } else {
                    Color::Red
                };
                assert_eq!(bench.recolor(Time::ZERO + Span::from_ms(ms), b, before), expected);
                seen[usize::from(color_blind)][expected.index()] += 1;
            }
        }
        assert!(seen.iter().flatten().all(|n| *n > 1000), "{seen:?}");
    }

    /// Yellow packets do not make later green ones red, as they do in RFC 2698.
    #[test]
    fn yellow_packets_take_nothing_from_green_ones() {
        let before = [Color::Yellow, Color::Yellow, Color::Green, Color::Green, Color::Red];
        let arrivals = before.map(|c| (0, 1000, c));
        assert_eq!(colors(&mut Bench::<TrTcm4115>::new(&config(true)), &arrivals), "YRGGR");
    }
}
