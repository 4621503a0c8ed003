//! Mean and quantiles of measured times.
use dumbbell_core::units::Span;

/// Times in ascending order.
pub struct Times(Vec<Span>);

impl Times {
    /// These times, in any order.
    pub fn new(mut times: Vec<Span>) -> Self {
        times.sort_unstable();
        Times(times)
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }
    /// The mean in seconds; NaN if there are none.
    pub fn mean(&self) -> f64 {
        self.0.iter().map(|time| time.seconds()).sum::<f64>() / self.0.len() as f64
    }
    /// The quantile `q` by the nearest rank, in seconds; NaN if there are none.
    pub fn quantile(&self, q: f64) -> f64 {
        let n = self.0.len();
        match (libm::ceil(q * n as f64) as usize).checked_sub(1) {
            Some(i) => self.0[i.min(n - 1)].seconds(),
            None => f64::NAN,
        }
    }
}
