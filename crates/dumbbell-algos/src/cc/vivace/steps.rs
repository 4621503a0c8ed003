//! From a gradient to a change of the rate (section 4.2): confidence amplifier and dynamic change
//! boundary.
use super::VivaceConfig;

/// What changes before leave behind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Steps {
    /// Changes in this direction.
    pub tau: u32,
    /// Changes that reached the boundary, one after the other.
    pub k: u32,
    up: bool,
}

/// m(tau).
pub fn amplifier(tau: u32) -> f64 {
    f64::from(if tau <= 3 { tau.max(1) } else { 2 * tau - 3 })
}

impl Steps {
    /// The largest change, a share of the rate.
    pub fn boundary(&self, config: &VivaceConfig) -> f64 {
        config.boundary + f64::from(self.k) * config.boundary_step
    }

    /// The change of a rate of `x` Mbit/s, Mbit/s.
    pub fn change(&mut self, gradient: f64, x: f64, config: &VivaceConfig) -> f64 {
        if self.tau > 0 && self.up == (gradient > 0.0) {
            self.tau = (self.tau + 1).min(1000);
        } else {
            (self.tau, self.k, self.up) = (1, 0, gradient > 0.0);
        }
        let change = amplifier(self.tau) * config.theta * gradient;
        let most = self.boundary(config) * x;
        if change.abs() > most {
            self.k = (self.k + 1).min(10);
            return most.copysign(change);
        }
        let over = (change.abs() / x - config.boundary) / config.boundary_step;
        self.k = libm::ceil(over.max(0.0)) as u32;
        change
    }
}
