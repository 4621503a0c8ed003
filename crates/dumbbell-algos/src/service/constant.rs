//! A constant rate: each packet takes its length over the link's rate.
use dumbbell_core::catalogue::{About, Algorithm, NoConfig, Provenance};
use dumbbell_core::service::{Service, Site, Transmitted};
use dumbbell_core::units::{Rate, Time, Transmitter};

/// A transmitter at the link's rate, exact in the long run.
#[derive(Clone, Debug)]
pub struct Constant {
    clock: Transmitter,
    rate: Rate,
}

impl Algorithm for Constant {
    type Config = NoConfig;
    type Site = Site;
    const ABOUT: About = About {
        name: "constant",
        title: "Constant rate",
        idea: "Each packet takes its length divided by the link's `rate`; packets follow each \
            other without a pause.",
        equations: "finish = start + wire_bytes * 8 / rate\n\
                    the part of a picosecond that rounding leaves is carried on to the next packet",
        sources: &["The model of a link in ns-2 and in every queueing text: DelayLink::txtime"],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(_: &NoConfig, Site { link, .. }: &Site) -> Self {
        Constant { clock: Transmitter::new(link.rate), rate: link.rate }
    }
}

impl Service for Constant {
    #[inline]
    fn finish(&mut self, arrived: Time, start: Time, wire_bytes: u32) -> Transmitted {
        self.clock.finish(arrived, start, wire_bytes)
    }
    fn rate(&self) -> Rate {
        self.rate
    }
    fn ps_per_byte(&self) -> Option<u64> {
        self.clock.ps_per_byte()
    }
}
