//! The normal distribution and its inverse.

/// P(Z <= z).
pub fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// The z with P(Z <= z) = `p`, for p in (0, 1): Abramowitz and Stegun 26.2.23 (within 4.5e-4), then
/// two steps of Halley's method on [`cdf`], which leave what `erfc` leaves.
pub fn quantile(p: f64) -> f64 {
    let tail = p.min(1.0 - p);
    let t = libm::sqrt(-2.0 * libm::log(tail));
    let start = t
        - (2.515_517 + t * (0.802_853 + t * 0.010_328))
            / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)));
    let lower = (0..2).fold(-start, |z, _| {
        let density = libm::exp(-z * z / 2.0) / libm::sqrt(2.0 * std::f64::consts::PI);
        let e = (cdf(z) - tail) / density;
        z - e / (1.0 + z * e / 2.0)
    });
    if p < 0.5 { lower } else { -lower }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles that every table has (Abramowitz and Stegun, table 26.5, to nine places), and the
    /// inverse of the inverse.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (p, z) in [
            (0.5, 0.0),
            (0.841_344_746_068_543, 1.0),
            (0.975, 1.959_963_985),
            (0.999, 3.090_232_306),
        ] {
            assert!((quantile(p) - z).abs() < 2e-9, "{p}: {}", quantile(p));
            assert!((quantile(1.0 - p) + z).abs() < 2e-9);
        }
        for i in 1..1000 {
            let p = f64::from(i) / 1000.0;
            assert!((cdf(quantile(p)) - p).abs() < 1e-14, "{p}");
        }
        assert!((cdf(quantile(1e-16)) / 1e-16 - 1.0).abs() < 1e-9);
    }
}
