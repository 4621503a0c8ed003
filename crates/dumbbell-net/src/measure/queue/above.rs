//! The time that a queue was above a threshold of bytes.
use dumbbell_core::units::{Span, Time};

/// The time above a threshold.
pub(crate) struct Above {
    /// The threshold, bytes.
    bytes: u64,
    /// Since when the queue has been above it, if it is.
    since: Option<Time>,
    sum: Span,
}

impl Above {
    /// Not above so far.
    pub(crate) fn new(bytes: u64) -> Self {
        Above { bytes, since: None, sum: Span::ZERO }
    }

    /// From `t` on `bytes` wait.
    pub(crate) fn holds(&mut self, t: Time, bytes: u64) {
        if (bytes > self.bytes) != self.since.is_some() {
            self.turn(t);
        }
    }

    fn turn(&mut self, t: Time) {
        match self.since.take() {
            Some(since) => self.sum = self.sum + t.since(since),
            None => self.since = Some(t),
        }
    }

    /// The window begins at `t`.
    pub(crate) fn begin(&mut self, t: Time) {
        self.sum = Span::ZERO;
        self.since = self.since.map(|_| t);
    }

    /// The window ends at `t`.
    pub(crate) fn end(&mut self, t: Time) {
        if self.since.is_some() {
            self.turn(t);
        }
    }

    /// After the end: how long it was above.
    pub(crate) fn time(&self) -> Span {
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let at = Time::from_ps;
        let mut above = Above::new(100);
        above.holds(at(5), 101);
        above.begin(at(10));
        above.holds(at(12), 500);
        above.holds(at(20), 100);
        above.holds(at(30), 0);
        above.holds(at(40), 101);
        above.end(at(43));
        assert_eq!(above.time().ps(), 10 + 3);
    }
}
