//! The marker of Yeom and Reddy (ICMCS 1999): a token bucket that tells the sender at once of each
//! packet that is OUT, so that TCP slows down before a router has to drop it. The congestion
//! control decides how its sender reacts.
use crate::bucket::TokenBucket;
use crate::bucket::config::BucketConfig;
use dumbbell_core::aqm::Cx;
use dumbbell_core::catalogue::{About, Algorithm, Config, Explained, Fault, Provenance};
use dumbbell_core::meter::{Color, Contract, Meter, Tokens};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::Time;
use dumbbell_macros::config;

/// Parameters of [`MarkerFeedback`].
#[config]
pub struct MarkerFeedbackConfig {
    /// The bucket.
    #[config(flatten)]
    pub bucket: BucketConfig,
}

impl Config for MarkerFeedbackConfig {
    fn check(&self) -> Result<(), Fault> {
        self.bucket().check()
    }
}

/// A token bucket marker that speaks to the sender.
#[derive(Clone, Debug)]
pub struct MarkerFeedback {
    bucket: TokenBucket,
}

impl Algorithm for MarkerFeedback {
    type Config = MarkerFeedbackConfig;
    type Site = Contract;
    const ABOUT: About = About {
        name: "marker_feedback",
        title: "Token bucket marker with feedback to the sender",
        idea: "A packet that finds its tokens is IN; every other is OUT, and its sender is told at \
            once.",
        equations: "tokens <- min(burst, tokens + rate dt / 8)\n\
                    green (IN) if tokens >= length: tokens <- tokens - length\n\
                    else yellow (OUT), and the marker tells the sender",
        sources: &[
            "I. Yeom, A. Reddy, Realizing throughput guarantees in a differentiated services \
                network, ICMCS 1999",
            "S. Choi, C. Kim, TCP throughput guarantee using packet buffering, KISS 28(2), 2001, \
                section 2",
        ],
        provenance: Provenance::Reconstruction,
        explained: Explained::by(&[(
            "",
            "its bucket ({burst} at {rate or 'the reserved rate'}) had too few tokens for \
                    it, and the edge drops what is out of profile",
        )]),
        ..About::PLAIN
    };
    fn new(c: &MarkerFeedbackConfig, site: &Contract) -> Self {
        MarkerFeedback { bucket: c.bucket().at(site) }
    }
}

impl Meter for MarkerFeedback {
    #[inline]
    fn color(&mut self, cx: &mut Cx<'_>, p: &Meta, _: Color) -> Color {
        if self.bucket.take(cx.now, p.ip_len) { Color::Green } else { Color::Yellow }
    }
    fn tells_sender(&self) -> bool {
        true
    }
    fn tokens(&mut self, now: Time) -> Option<Tokens> {
        Some(self.bucket.account(now))
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("tokens", self.bucket.level());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::token_bucket::{TokenBucketConfig, TokenBucketMeter};
    use crate::suite::meter::{Bench, colors};

    /// Its colors are those of the plain marker; it differs in what it says.
    #[test]
    fn its_colours_are_the_token_bucket_markers() {
        let mut feedback = Bench::<MarkerFeedback>::new(&MarkerFeedbackConfig::default());
        let mut plain = Bench::<TokenBucketMeter>::new(&TokenBucketConfig::default());
        let arrivals: Vec<(u64, u32, Color)> =
            (0..500).map(|n| (n * n % 7 + 12 * n, 1000, Color::Green)).collect();
        let said = colors(&mut feedback, &arrivals);
        assert_eq!(said, colors(&mut plain, &arrivals));
        assert!(said.contains('Y') && said.contains('G'));
        assert!(feedback.meter.tells_sender() && !plain.meter.tells_sender());
    }
}
