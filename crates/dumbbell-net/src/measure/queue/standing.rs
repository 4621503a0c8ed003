//! The standing queue: what does not go away within a round trip, and so absorbs no burst.
//!
//! K. Nichols, V. Jacobson, Controlling queue delay, ACM Queue 10(5), 2012, and RFC 8289, section
//! 3: the minimum over an interval separates the standing queue from the one that comes and goes.
//! Here time is cut into windows of one interval, and the mean of their minima is the measure.
use dumbbell_core::units::{Span, Time};

/// No packet left yet.
const NONE: Span = Span::from_ps(u64::MAX);

/// The smallest length of each interval, and its mean.
#[derive(Default)]
pub(crate) struct Length {
    least: u32,
    sum: u64,
    windows: u64,
}

impl Length {
    /// The queue has fallen to `n` packets.
    #[inline]
    pub(crate) fn fell(&mut self, n: u32) {
        self.least = self.least.min(n);
    }

    /// The first interval begins with `n` packets.
    pub(crate) fn begin(&mut self, n: u32) {
        *self = Length { least: n, sum: 0, windows: 0 };
    }

    /// An interval ends with `n` packets, and the next begins.
    pub(crate) fn turn(&mut self, n: u32) {
        self.sum += u64::from(self.least);
        self.windows += 1;
        self.least = n;
    }

    /// The mean over all whole intervals; `None` without one.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.windows > 0).then(|| self.sum as f64 / self.windows as f64)
    }
}

/// The smallest sojourn among the packets that left in each interval, and its mean. An interval in
/// which none left counts with the age that the next one to leave had at its end, which is zero if
/// that had not come yet. What each packet touches comes first.
#[repr(C)]
pub(crate) struct Sojourn {
    /// The time when the present interval ends.
    until: Time,
    /// The smallest so far; [`NONE`] without one.
    least: Span,
    interval: Span,
    sum: u128,
    windows: u64,
}

impl Sojourn {
    /// Intervals from `from` on.
    pub(crate) fn new(from: Time, interval: Span) -> Self {
        Sojourn { interval, until: from + interval, least: NONE, sum: 0, windows: 0 }
    }

    /// A packet began its transmission at `start`, in the order of time, after it had waited.
    #[inline]
    pub(crate) fn left(&mut self, start: Time, wait: Span) {
        if start >= self.until {
            self.turn(start, |end| wait.saturating_sub(start.since(end)));
        }
        self.least = self.least.min(wait);
    }

    /// Ends the intervals that end by `t`; `age` says what one without a packet counts, given its
    /// end.
    #[cold]
    fn turn(&mut self, t: Time, age: impl Fn(Time) -> Span) {
        while t >= self.until {
            let least = if self.least == NONE { age(self.until) } else { self.least };
            self.least = NONE;
            self.sum += u128::from(least.ps());
            self.windows += 1;
            self.until += self.interval;
        }
    }

    /// The window ends.
    pub(crate) fn end(&mut self, end: Time) {
        self.turn(end, |_| Span::ZERO);
    }

    /// The mean over all whole intervals, seconds; `None` without one.
    pub(crate) fn mean_s(&self) -> Option<f64> {
        (self.windows > 0).then(|| self.sum as f64 / self.windows as f64 * 1e-12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }
    fn span(ps: u64) -> Span {
        Span::from_ps(ps)
    }

    #[test]
    fn lengths_by_hand() {
        let mut l = Length::default();
        l.begin(4);
        l.fell(3);
        l.fell(2);
        l.turn(6); // least 2
        l.fell(5);
        l.turn(5); // least 5
        l.turn(5); // nothing left: 5
        assert_eq!(l.mean(), Some(4.0));
        assert_eq!(Length::default().mean(), None);
    }

    #[test]
    fn sojourns_by_hand() {
        let mut s = Sojourn::new(at(1000), span(100));
        s.left(at(1010), span(7));
        s.left(at(1099), span(9)); // [1000, 1100): 7
        s.left(at(1100), span(20)); // [1100, 1200): 20
        // Came at 1180 and left at 1390: at 1200 it was 20 old, at 1300 120; so [1200, 1300) counts
        // 120.
        s.left(at(1390), span(210)); // [1300, 1400): 210
        // [1400, 1500) and [1500, 1600): nothing left, and the next came at 1595.
        s.left(at(1600), span(5));
        let sum = 7 + 20 + 120 + 210;
        // At 1500 the next had not come; at 1600 it was 5 old. [1600, 1700): 5.
        let expected = f64::from(sum + 5 + 5) / 7.0 * 1e-12;
        s.end(at(1750));
        assert!((s.mean_s().unwrap() - expected).abs() < 1e-24);
    }

    #[test]
    fn no_whole_interval_no_measure() {
        let until = |end| {
            let mut s = Sojourn::new(at(0), span(100));
            s.end(at(end));
            s.mean_s()
        };
        assert_eq!((until(99), until(100)), (None, Some(0.0)));
    }
}
