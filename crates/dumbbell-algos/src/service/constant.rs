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

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::testing::site;

    /// At 1 Mbps a byte takes 8 us, to the picosecond.
    #[test]
    fn a_byte_takes_its_time() {
        let mut service = Constant::new(&NoConfig::default(), &site(1));
        assert_eq!((service.ps_per_byte(), service.rate()), (Some(8_000_000), Rate::from_mbps(1)));
        let done = service.finish(Time::ZERO, Time::from_ps(3), 125).done;
        assert_eq!(done, Time::from_ps(1_000_000_003));
    }
}
