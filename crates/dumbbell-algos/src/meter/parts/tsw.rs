//! The time sliding window estimator (D. Clark, W. Fang 1998; RFC 2859 section 3): the rate over a
//! window of time, not of a number of packets. The meters that use it share the functions here.
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The estimate before the first packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// The rate of the contract.
    #[default]
    Contract,
    /// Nothing: a flow's first packets are in profile until the window has filled.
    Zero,
}

impl Start {
    /// The estimate, bytes per second.
    pub fn of(self, contract: f64) -> f64 {
        if self == Start::Contract { contract } else { 0.0 }
    }
}

/// A rate in the unit of estimates, bytes per second.
pub fn bytes_per_second(rate: Rate) -> f64 {
    rate.bps() as f64 / 8.0
}

/// Uniform in [0, 1), with 32 bits: enough for a coin, at half the cost of [`Stream::unit`].
#[inline]
pub fn draw(rng: &mut Stream) -> f64 {
    f64::from(rng.bits32()) * (1.0 / (1u64 << 32) as f64)
}

/// An estimate of the rate at which bytes come.
#[derive(Clone, Debug)]
pub struct Tsw {
    /// Bytes per second.
    pub rate: f64,
    window: f64,
    front: Time,
}

impl Tsw {
    /// An estimate over `window`, which begins at `start` bytes per second.
    pub fn new(window: Span, start: f64) -> Self {
        Tsw { rate: start, window: window.seconds(), front: Time::ZERO }
    }

    /// Records a packet at `now`, and returns the seconds since the packet before it.
    #[inline]
    pub fn pause(&mut self, now: Time) -> f64 {
        // No pause has 2^63 ps, and one instruction converts a signed number.
        let pause = now.since(self.front).ps() as i64 as f64 * 1e-12;
        self.front = now;
        pause
    }

    /// Adds `bytes` that arrived after a pause, and returns the estimate, bytes per second.
    #[inline]
    pub fn after(&mut self, pause: f64, bytes: u32) -> f64 {
        self.rate = (self.rate * self.window + f64::from(bytes)) / (pause + self.window);
        self.rate
    }

    /// Adds `bytes` that arrived at `now`, and returns the estimate, bytes per second.
    #[inline]
    pub fn update(&mut self, now: Time, bytes: u32) -> f64 {
        let pause = self.pause(now);
        self.after(pause, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 bytes every 4 ms into a window of 1 s that begins at nothing: by hand, three decimals;
    /// the limit is L / d.
    #[test]
    fn the_vector() {
        let expected = [
            (1, 996.016),
            (2, 1988.064),
            (3, 2976.159),
            (10, 9783.475),
            (100, 82_286.228),
            (250, 157_846.506),
            (500, 216_030.934),
            (1000, 245_384.410),
        ];
        let mut tsw = Tsw::new(Span::from_secs(1), 0.0);
        let rates: Vec<f64> =
            (1..=20_000u64).map(|n| tsw.update(Time::ZERO + Span::from_ms(4 * n), 1000)).collect();
        for (n, rate) in expected {
            assert!((rates[n - 1] - rate).abs() < 0.0005, "{n}: {}", rates[n - 1]);
        }
        assert!((rates[19_999] - 250_000.0).abs() < 1e-6);
    }

    /// A pause of d leaves W / (W + d) of what was there.
    #[test]
    fn a_pause_forgets() {
        let mut tsw = Tsw::new(Span::from_ms(500), 80_000.0);
        assert_eq!(tsw.update(Time::ZERO + Span::from_ms(1500), 0), 20_000.0);
    }
}
