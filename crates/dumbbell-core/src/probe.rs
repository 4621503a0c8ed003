//! A view into an algorithm: the numbers that its last decision saw.

/// Receives an algorithm's inner values by name, in its own units.
pub trait Probe {
    /// One value. Names are the field's words: `avg`, `p_b`, `count`, `cwnd`.
    fn gauge(&mut self, name: &'static str, value: f64);
}

/// Collects values into a list; for records and tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gauges(pub Vec<(&'static str, f64)>);

impl Gauges {
    /// The value named `name`.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
    }
}

impl Probe for Gauges {
    fn gauge(&mut self, name: &'static str, value: f64) {
        self.0.push((name, value));
    }
}
