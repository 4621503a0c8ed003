//! Forward error correction: a wire that loses packets, and a block code over packets that brings
//! most of them back.
//!
//! An encoder before the wire sends `repair` packets behind each `data`; from any `data` of the
//! block the decoder behind it has the rest (maximum distance separable, as Reed-Solomon codes
//! are). The wire's losses are drawn for a whole block when its first packet comes, one for each
//! packet in the order of the wire, those of repairs too: the fate of a packet is then known when
//! it leaves, whatever comes behind it.
//!
//! Blocks are counted by packets, however far apart these are, and `delay` stands for what the
//! decoder waits: an encoder that sends its repairs for half a block after a while is not modeled.
//! Repairs have no packets here: the link's rate is what they leave over, so that the line beneath
//! carries `(data + repair) / data` times as much.
use super::gilbert_elliott::{GilbertElliott, GilbertElliottConfig};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::config;

/// Longest block of a Reed-Solomon code over octets.
const LONGEST: u32 = 255;

/// Parameters of [`Fec`].
#[config]
pub struct FecConfig {
    /// Data packets of a block: `k`.
    #[schemars(range(min = 1, max = 255), extend("x-source" = "our choice: a block of 10"))]
    #[config(default = 10)]
    pub data: u32,
    /// Repair packets of a block, `m`: this many losses in a block can be repaired. 0: no code.
    #[schemars(range(min = 0, max = 254), extend("x-source" = "our choice: a fifth on top"))]
    #[config(default = 2)]
    pub repair: u32,
    /// Blocks that are sent interleaved, packet by packet: a burst of losses is spread over that
    /// many.
    #[schemars(
        range(min = 1, max = 1000),
        extend("x-source" = "RFC 6015: an interleaver's depth; 1 is none"),
    )]
    #[config(default = 1)]
    pub interleave: u32,
    /// Extra delay of a repaired packet. About `data * interleave` packets' time, if they come
    /// evenly.
    #[schemars(extend("x-source" = "our choice"))]
    #[config(default = Span::from_ms(10))]
    pub delay: Span,
    /// Whether packets behind a repaired one wait for it.
    #[schemars(extend("x-source" = "RFC 6363: the scheme says; a systematic code need not wait"))]
    pub keep_order: bool,
    /// Probability that the wire loses a packet; in the good state, if there is a bad one.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "our choice: a lossy hop"))]
    #[config(default = 0.01)]
    pub loss: f64,
    /// Probability that a good wire turns bad after a packet (Gilbert and Elliott); 0: never.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "no bursts"))]
    pub to_bad: f64,
    /// Probability that a bad wire turns good after a packet.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "gilbert_elliott"))]
    #[config(default = GilbertElliottConfig::default().to_good)]
    pub to_good: f64,
    /// Probability that the wire loses a packet while it is bad.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "gilbert_elliott"))]
    #[config(default = GilbertElliottConfig::default().loss_bad)]
    pub loss_bad: f64,
}

impl Config for FecConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.data + self.repair > LONGEST {
            let cause = format!(
                "a block of {} packets: a code over octets has at most {LONGEST}",
                self.data + self.repair
            );
            return Err(Fault::at("repair", cause).fix(
                "make blocks shorter, and more of them with \
                `interleave`",
            ));
        }
        Ok(())
    }
}

/// A wire and the code over it.
#[derive(Clone, Debug)]
pub struct Fec {
    config: FecConfig,
    wire: GilbertElliott,
    /// The effects on the data packets of the open blocks, in the order of the packets.
    effects: Box<[WireEffect]>,
    /// The number of these packets that have come.
    taken: usize,
    /// The last arrival, where order is kept.
    last: Time,
}

impl Algorithm for Fec {
    type Config = FecConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "fec",
        title: "Forward error correction",
        idea: "The wire loses packets, and a block code brings them back unless too many of a \
            block are lost.",
        equations: "n = data + repair;  a block with at most `repair` losses loses nothing, any \
            other keeps its losses\nindependent losses p:  P(lost) = p P(Binomial(n - 1, p) >= \
            repair)\ninterleave d: packet i belongs to block i mod d;  a burst of repair * d \
            packets is repaired\nrepaired: delay += `delay`;  keep_order: never before the packet \
            before it\nthe link's rate is net: the line carries n / data times as much",
        sources: &[
            "RFC 5510: Reed-Solomon Forward Error Correction Schemes",
            "RFC 6363: Forward Error Correction Framework",
            "RFC 6015: RTP Payload Format for 1-D Interleaved Parity FEC",
            "Gilbert: Capacity of a burst-noise channel, BSTJ 39, 1960",
        ],
        provenance: Provenance::Reconstruction,
        ..About::PLAIN
    };
    fn new(config: &FecConfig, (): &()) -> Self {
        let wire = GilbertElliottConfig {
            to_bad: config.to_bad,
            to_good: config.to_good,
            loss_bad: config.loss_bad,
            loss_good: config.loss,
            ..GilbertElliottConfig::default()
        };
        let data = (config.data * config.interleave) as usize;
        Fec {
            wire: GilbertElliott::new(&wire, &()),
            effects: vec![WireEffect::Arrives; data].into(),
            taken: data,
            config: config.clone(),
            last: Time::ZERO,
        }
    }
}

impl Fec {
    /// Draws the losses of the next blocks, data first and repairs behind them, and says what
    /// happens to the data.
    fn draw(&mut self, rng: &mut Stream) {
        let (depth, repair) = (self.config.interleave as usize, self.config.repair as usize);
        let slots = self.effects.len() + repair * depth;
        // The wire's own clock is its packets, so no time is to be said.
        let lost: Vec<bool> = (0..slots)
            .map(|_| self.wire.effect(Time::ZERO, rng, &Meta::default()) == WireEffect::Lost)
            .collect();
        let decodes = decodes(&lost, depth, repair);
        for (i, effect) in self.effects.iter_mut().enumerate() {
            *effect = match (lost[i], decodes[i % depth]) {
                (false, _) => WireEffect::Arrives,
                (true, true) => WireEffect::Delayed(self.config.delay),
                (true, false) => WireEffect::Lost,
            };
        }
        self.taken = 0;
    }
}

impl Impairment for Fec {
    fn effect(&mut self, now: Time, rng: &mut Stream, _: &Meta) -> WireEffect {
        if self.taken == self.effects.len() {
            self.draw(rng);
        }
        let effect = self.effects[self.taken];
        self.taken += 1;
        if !self.config.keep_order || effect == WireEffect::Lost {
            return effect;
        }
        let own = if effect == WireEffect::Arrives { Span::ZERO } else { self.config.delay };
        self.last = self.last.max(now + own);
        WireEffect::Delayed(self.last.since(now))
    }
    fn reorders(&self) -> bool {
        self.config.repair > 0 && self.config.delay > Span::ZERO && !self.config.keep_order
    }
}

/// True if each of `depth` interleaved blocks lost at most `repair` of its packets.
fn decodes(lost: &[bool], depth: usize, repair: usize) -> Vec<bool> {
    (0..depth)
        .map(|block| lost.iter().skip(block).step_by(depth).filter(|l| **l).count() <= repair)
        .collect()
}

#[cfg(test)]
mod tests;
