//! The two rate three color marker (RFC 2698): a bucket at a peak rate decides what is red, one at
//! a committed rate what is green; both are charged for what is green.
use crate::bucket::TokenBucket;
use crate::bucket::config::{check_whole, committed, depth, holds_nothing};
use dumbbell_core::aqm::Cx;
use dumbbell_core::catalogue::{About, Algorithm, Config, Explained, Fault, Provenance};
use dumbbell_core::meter::{Color, Contract, Meter, Tokens};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Limit, Rate, Time};
use dumbbell_macros::config;

/// Parameters of [`TrTcm`].
#[config]
pub struct TrTcmConfig {
    /// Committed information rate; default what is reserved for the flow, or for all flows of the
    /// aggregate together.
    #[schemars(extend("x-source" = "RFC 2698 section 2 leaves it to the contract"))]
    pub cir: Option<Rate>,
    /// Committed burst size: the bucket for green packets, full at the start. A time or a BDP
    /// refers to `cir` and the flow's round-trip propagation time; at least a packet of the link's
    /// MTU.
    #[schemars(
        extend(
            "x-source" = "ours: as token_bucket's; RFC 2698 section 2 leaves it to the contract"
        ),
    )]
    #[config(default = Limit::Bdp(1.0))]
    pub cbs: Limit,
    /// Peak information rate, not below `cir`; default twice that.
    #[schemars(extend("x-source" = "ours; RFC 2698 section 2 leaves it to the contract"))]
    pub pir: Option<Rate>,
    /// Peak burst size: the bucket for all packets that are not red. A time or a BDP refers to
    /// `pir`.
    #[schemars(extend("x-source" = "ours: as cbs; RFC 2698 section 2 leaves it to the contract"))]
    #[config(default = Limit::Bdp(1.0))]
    pub pbs: Limit,
    /// Whether a packet that came yellow or red never becomes better, and yellow ones leave the
    /// committed bucket alone.
    #[schemars(extend("x-source" = "RFC 2698 section 3: the color-blind mode is the first"))]
    pub colour_aware: bool,
}

impl Config for TrTcmConfig {
    fn check(&self) -> Result<(), Fault> {
        for (name, size) in [("cbs", self.cbs), ("pbs", self.pbs)] {
            if holds_nothing(size) {
                let fault = Fault::at(
                    name,
                    "no packet fits into an empty bucket (RFC 2698 section \
                    2)",
                );
                return Err(fault.fix("write \"1 BDP\" or \"5 kB\""));
            }
            check_whole(name, size)?;
        }
        match (self.cir, self.pir) {
            (Some(cir), Some(pir)) if pir < cir => {
                let cause = format!("a peak rate of {pir} is below the committed rate of {cir}");
                Err(Fault::at("pir", cause).fix(format!("write \"{cir}\" or more")))
            }
            _ => Ok(()),
        }
    }
}

/// Red above a peak rate, green below a committed one.
#[derive(Clone, Debug)]
pub struct TrTcm {
    committed: TokenBucket,
    peak: TokenBucket,
    colour_aware: bool,
}

impl Algorithm for TrTcm {
    type Config = TrTcmConfig;
    type Site = Contract;
    const ABOUT: About = About {
        name: "trtcm",
        title: "Two rate three color marker",
        idea: "A packet beyond a peak rate is red, one beyond a committed rate yellow, every other \
            green.",
        equations: "Tp <- min(pbs, Tp + pir dt / 8);  Tc <- min(cbs, Tc + cir dt / 8)\n\
                    red if Tp < length\n\
                    yellow else if Tc < length: Tp <- Tp - length\n\
                    green else: Tp <- Tp - length, Tc <- Tc - length\n\
                    color-aware: one that came red is red, one that came yellow is not green",
        sources: &[
            "RFC 2698 (A Two Rate Three Color Marker)",
            "RFC 2475 section 2.3.3 (meters, \
            markers)",
        ],
        provenance: Provenance::Vectors,
        explained: Explained::by(&[(
            "",
            "its buckets (cbs = {cbs} and pbs = {pbs}, cir = {cir or 'the reserved rate'}) \
                    had too few tokens for a color that passes, and the edge drops what is \
                    out of profile",
        )]),
        ..About::PLAIN
    };
    fn new(c: &TrTcmConfig, site: &Contract) -> Self {
        let cir = committed(c.cir, site);
        // A reserved rate may exceed a peak rate that was written for all.
        let pir = c.pir.unwrap_or(Rate::from_bps(cir.bps().saturating_mul(2))).max(cir);
        TrTcm {
            committed: TokenBucket::new(cir, depth(c.cbs, cir, site)),
            peak: TokenBucket::new(pir, depth(c.pbs, pir, site)),
            colour_aware: c.colour_aware,
        }
    }
}

impl Meter for TrTcm {
    #[inline]
    fn color(&mut self, cx: &mut Cx<'_>, p: &Meta, before: Color) -> Color {
        let before = if self.colour_aware { before } else { Color::Green };
        if before == Color::Red || !self.peak.take(cx.now, p.ip_len) {
            return Color::Red;
        }
        let green = before == Color::Green && self.committed.take(cx.now, p.ip_len);
        if green { Color::Green } else { Color::Yellow }
    }
    fn worst(&self) -> Color {
        Color::Red
    }
    fn tokens(&mut self, now: Time) -> Option<Tokens> {
        Some(self.committed.account(now))
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("tokens", self.committed.level());
        out.gauge("peak_tokens", self.peak.level());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::meter::{Bench, colors};
    use dumbbell_core::rng::Stream;
    use dumbbell_core::units::{Bytes, Span};

    /// 1000 bytes a second into 2000, and 2000 a second into 3000.
    fn config(colour_aware: bool) -> TrTcmConfig {
        TrTcmConfig {
            cir: Some(Rate::from_bps(8000)),
            cbs: Limit::Bytes(Bytes(2000)),
            pir: Some(Rate::from_bps(16_000)),
            pbs: Limit::Bytes(Bytes(3000)),
            colour_aware,
        }
    }

    #[test]
    fn the_vector_of_the_rfc_by_hand() {
        let at = [0, 0, 0, 0, 500, 1000, 3000, 3000, 3000].map(|ms| (ms, 1000, Color::Green));
        assert_eq!(colors(&mut Bench::<TrTcm>::new(&config(false)), &at), "GGYRYGGGY");
    }

    /// The RFC's section 3 word for word: both counts a token at a time, and each mode in its own
    /// lines.
    #[test]
    fn it_is_the_rfc_word_for_word() {
        let mut seen = [[0; 3]; 2];
        for seed in 0..200 {
            let (mut rng, aware) = (Stream::named(seed, "traffic"), seed % 2 == 1);
            let mut bench = Bench::<TrTcm>::new(&config(aware));
            let (mut tp, mut tc, mut ms) = (3000u32, 2000u32, 0);
            for _ in 0..200 {
                let gap = if rng.coin(0.1) { rng.below(5000) } else { rng.below(700) };
                ms += u64::from(gap);
                (0..2 * gap).for_each(|_| tp += u32::from(tp < 3000));
                (0..gap).for_each(|_| tc += u32::from(tc < 2000));
                let (bytes, before) = (rng.below(1501), Color::ALL[rng.below(3) as usize]);
                let red = tp < bytes || aware && before == Color::Red;
                let yellow = tc < bytes || aware && before == Color::Yellow;
                let expected = if red {
                    Color::Red
                } else if yellow {
                    tp -= bytes;
                    Color::Yellow
                } else {
                    tp -= bytes;
                    tc -= bytes;
                    Color::Green
                };
                assert_eq!(bench.recolor(Time::ZERO + Span::from_ms(ms), bytes, before), expected);
                seen[usize::from(aware)][expected.index()] += 1;
            }
        }
        assert!(seen.iter().flatten().all(|n| *n > 1000), "{seen:?}");
    }

    #[test]
    fn a_peak_below_what_is_committed_is_refused() {
        let fault =
            TrTcmConfig { pir: Some(Rate::from_bps(7999)), ..config(false) }.check().unwrap_err();
        assert_eq!(
            (fault.at.as_str(), fault.fix.as_deref()),
            (
                "pir",
                Some(
                    "write \"8 kbps\" or \
            more"
                )
            )
        );
        assert_eq!(
            TrTcmConfig { pbs: Limit::Bdp(0.0), ..config(false) }.check().unwrap_err().at,
            "pbs"
        );
    }
}
