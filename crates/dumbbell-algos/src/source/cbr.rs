//! Constant bit rate: a datagram of one size at even intervals (ns-2's `Application/Traffic/CBR`).
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::units::{Bytes, Rate, Span, Time, Transmitter};
use dumbbell_macros::config;

/// Largest payload of a UDP datagram over IPv4: 65535 - 20 - 8.
pub(super) const MAX_DATAGRAM: u64 = 65_507;

/// The fault of a payload that no datagram can have.
pub(super) fn check_packet(packet: Bytes) -> Result<(), Fault> {
    if (1..=MAX_DATAGRAM).contains(&packet.0) {
        return Ok(());
    }
    Err(Fault::at("packet", format!("a datagram carries 1 to {MAX_DATAGRAM} B"))
        .fix(format!("write \"1000 B\", or at most \"{MAX_DATAGRAM} B\"")))
}

/// Parameters of [`Cbr`].
#[config]
pub struct CbrConfig {
    /// Rate of the payload.
    #[schemars(extend("x-source" = "ns-2 rate_ 448Kb"))]
    #[config(default = Rate::from_bps(448_000))]
    pub rate: Rate,
    /// Payload of one datagram.
    #[schemars(extend("x-source" = "ns-2 packetSize_ 210"))]
    #[config(default = Bytes(210))]
    pub packet: Bytes,
    /// Each interval is longer or shorter by up to this fraction, uniformly; ns-2's `random_ 1` is
    /// 0.5.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "ns-2 random_ 0"))]
    #[config(default = 0.0)]
    pub jitter: f64,
}

impl Config for CbrConfig {
    fn check(&self) -> Result<(), Fault> {
        check_packet(self.packet)
    }
}

/// A datagram every `packet / rate`; the rounding of each interval is made good by the next.
#[derive(Clone, Debug)]
pub struct Cbr {
    clock: Transmitter,
    packet: u32,
    jitter: f64,
    started: bool,
}

impl Algorithm for Cbr {
    type Config = CbrConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "cbr",
        title: "Constant bit rate",
        idea: "Datagrams of one size at even intervals, whatever the network does.",
        equations: "interval = 8 packet / rate * (1 + jitter (2 U - 1)),  U uniform in [0, 1)",
        sources: &["ns-2 Application/Traffic/CBR"],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &CbrConfig, (): &()) -> Self {
        Cbr {
            clock: Transmitter::new(config.rate),
            packet: config.packet.0 as u32,
            jitter: config.jitter,
            started: false,
        }
    }
}

impl Source for Cbr {
    fn next(&mut self, _: Time, rng: &mut Stream) -> Option<Burst> {
        let bytes = u64::from(self.packet);
        if !std::mem::replace(&mut self.started, true) {
            return Some(Burst::new(Span::ZERO, bytes));
        }
        let even = self.clock.span(self.packet);
        let after = if self.jitter == 0.0 {
            even
        } else {
            even.scaled(1.0 + self.jitter * (2.0 * rng.unit() - 1.0))
        };
        Some(Burst::new(after, bytes))
    }
    fn datagrams(&self) -> bool {
        true
    }
    fn largest(&self) -> Option<u64> {
        Some(u64::from(self.packet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(config: &CbrConfig, n: usize) -> Vec<Span> {
        let (mut source, mut rng) = (Cbr::new(config, &()), Stream::named(1, "cbr"));
        assert_eq!(
            source.next(Time::ZERO, &mut rng),
            Some(Burst::new(Span::ZERO, config.packet.0))
        );
        (0..n).map(|_| source.next(Time::ZERO, &mut rng).unwrap().after).collect()
    }

    /// 210 B at 7 000 003 bps are no whole number of picoseconds; 7 000 003 of them take exactly
    /// 1680 s.
    #[test]
    fn the_long_run_rate_is_exact() {
        let config = CbrConfig { rate: Rate::from_bps(7_000_003), ..CbrConfig::default() };
        let total: u64 = intervals(&config, 7_000_003).iter().map(|s| s.ps()).sum();
        assert_eq!(total, Span::from_secs(210 * 8).ps());
    }

    /// Uniform on +-50 %: range, mean (4.4 standard errors) and variance j^2 / 3.
    #[test]
    fn jitter_is_uniform_about_the_interval() {
        let config = CbrConfig { jitter: 0.5, ..CbrConfig::default() };
        let n = 100_000;
        let x: Vec<f64> =
            intervals(&config, n).iter().map(|s| s.seconds() / 0.003_75 - 1.0).collect();
        assert!(x.iter().all(|d| d.abs() <= 0.5 + 1e-9));
        let (mean, square) =
            (x.iter().sum::<f64>() / n as f64, x.iter().map(|d| d * d).sum::<f64>() / n as f64);
        assert!(mean.abs() < 4.4 * (1.0 / 12.0 / n as f64).sqrt(), "{mean}");
        assert!((square - 1.0 / 12.0).abs() < 4.4 * (1.0 / 180.0 / n as f64).sqrt(), "{square}");
    }

    #[test]
    fn a_datagram_has_its_limits() {
        for (bytes, ok) in [(0, false), (1, true), (65_507, true), (65_508, false)] {
            assert_eq!(
                CbrConfig { packet: Bytes(bytes), ..CbrConfig::default() }.check().is_ok(),
                ok,
                "{bytes}"
            );
        }
    }
}
