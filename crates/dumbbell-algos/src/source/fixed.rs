//! One transfer of a given size (ns-2's `Agent/TCP send N`, `iperf3 -n`).
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::units::{Bytes, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`Fixed`].
#[config]
pub struct FixedConfig {
    /// Bytes to transfer.
    #[schemars(extend("x-source" = "ours: a megabyte, which outlives slow start on most paths"))]
    #[config(default = Bytes(1_000_000))]
    pub size: Bytes,
}

impl Config for FixedConfig {
    fn check(&self) -> Result<(), Fault> {
        match self.size {
            Bytes(0) => Err(Fault::at("size", "a transfer has at least one byte").fix(
                "write \"1 \
                MB\"",
            )),
            _ => Ok(()),
        }
    }
}

/// Hands over `size` bytes at the flow's start and closes.
#[derive(Clone, Debug)]
pub struct Fixed {
    left: Option<Bytes>,
}

impl Algorithm for Fixed {
    type Config = FixedConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "fixed",
        title: "Fixed transfer",
        idea: "The application sends a given number of bytes and closes.",
        equations: "at the flow's start: size bytes, then the end",
        sources: &["ns-2 Agent/TCP send", "iperf3 -n"],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &FixedConfig, (): &()) -> Self {
        Fixed { left: Some(config.size) }
    }
}

impl Source for Fixed {
    fn next(&mut self, _: Time, _: &mut Stream) -> Option<Burst> {
        self.left.take().map(|size| Burst::new(Span::ZERO, size.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_size_at_once_and_no_more() {
        let mut rng = Stream::named(1, "fixed");
        let mut source = Fixed::new(&FixedConfig { size: Bytes(12_345) }, &());
        assert_eq!(source.next(Time::ZERO, &mut rng), Some(Burst::new(Span::ZERO, 12_345)));
        assert_eq!(source.next(Time::ZERO, &mut rng), None);
        assert!(FixedConfig { size: Bytes(0) }.check().is_err());
    }
}
