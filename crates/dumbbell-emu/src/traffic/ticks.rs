//! The instants at which counts are taken: the end of the warm-up, the end, and those of a series.
use dumbbell_core::units::{Span, Time};

/// An instant at which counts are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Time.
    pub at: Time,
    /// The end of the warm-up.
    pub warm: bool,
    /// The end of the run.
    pub end: bool,
    /// An instant of the series.
    pub row: bool,
}

/// The instants in order, each once.
#[derive(Clone, Debug)]
pub struct Ticks {
    every: Option<Span>,
    warmup: Time,
    end: Time,
    /// The next instant of the series.
    row: Time,
    next: Time,
}

impl Ticks {
    /// The instants of a run that ends at `end`; of a series from zero on, if it has a period.
    pub fn new(warmup: Time, end: Time, every: Option<Span>) -> Ticks {
        let every = every.filter(|p| *p > Span::ZERO);
        let row = if every.is_some() { Time::ZERO } else { Time::NEVER };
        let mut ticks = Ticks { every, warmup: warmup.min(end), end, row, next: Time::ZERO };
        ticks.next = ticks.row.min(ticks.warmup);
        ticks
    }
    /// The next one; [`Time::NEVER`] after the end.
    pub fn next(&self) -> Time {
        self.next
    }
    /// True if `at` lies behind the warm-up.
    pub fn past_warmup(&self, at: Time) -> bool {
        at >= self.warmup
    }
    /// Passes over instants of the series that lie before `now` and are nothing else; how many they
    /// were.
    pub fn skip(&mut self, now: Time) -> u64 {
        let Some(every) = self.every else { return 0 };
        let mut skipped = 0;
        let plain = |t: &Ticks| t.next == t.row && t.next != t.warmup && t.next < t.end;
        while plain(self) && self.next + every <= now {
            self.take();
            skipped += 1;
        }
        skipped
    }
    /// Takes it.
    pub fn take(&mut self) -> Tick {
        let at = self.next;
        let tick = Tick { at, warm: at == self.warmup, end: at == self.end, row: at == self.row };
        if let (true, Some(every)) = (tick.row, self.every) {
            self.row = at + every;
        }
        let warm = if at < self.warmup { self.warmup } else { Time::NEVER };
        self.next = if tick.end { Time::NEVER } else { self.row.min(warm).min(self.end) };
        tick
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(warmup: u64, end: u64, every: Option<u64>) -> Vec<(u64, bool, bool, bool)> {
        let at = |ms: u64| Time::ZERO + Span::from_ms(ms);
        let mut ticks = Ticks::new(at(warmup), at(end), every.map(Span::from_ms));
        let mut all = vec![];
        while ticks.next() < Time::NEVER {
            let t = ticks.take();
            all.push((t.at.ps() / 1_000_000_000, t.warm, t.end, t.row));
        }
        all
    }

    #[test]
    fn each_instant_comes_once_and_the_end_last() {
        let (yes, no) = (true, false);
        assert_eq!(
            all(15, 30, Some(10)),
            [
                (0, no, no, yes),
                (10, no, no, yes),
                (15, yes, no, no),
                (20, no, no, yes),
                (30, no, yes, yes)
            ]
        );
        assert_eq!(all(0, 5, None), [(0, yes, no, no), (5, no, yes, no)]);
        assert_eq!(all(5, 5, Some(4)), [(0, no, no, yes), (4, no, no, yes), (5, yes, yes, no)]);
    }
}
