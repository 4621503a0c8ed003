//! The outages of a wire: windows of time, given or drawn, one after the other.
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};

/// The source of the windows.
#[derive(Clone, Debug)]
enum Law {
    /// Written down, and again after a period unless that is zero: the place of the next, and when
    /// its round began.
    Given { windows: Vec<(Span, Span)>, period: Span, next: usize, round: Time },
    /// Alternating times up and down, exponential with these means in seconds.
    Chance { up: f64, down: f64, chance: Stream },
}

/// Windows in order of time, the first one ready.
#[derive(Clone, Debug)]
pub struct Windows {
    law: Law,
    first: Option<(Time, Time)>,
}

impl Windows {
    /// Windows that begin and last as written, in order of time and apart from each other.
    pub fn given(windows: Vec<(Span, Span)>, period: Span) -> Self {
        Windows::of(Law::Given { windows, period, next: 0, round: Time::ZERO })
    }

    /// Windows of exponential length after exponential times, with these means in seconds.
    pub fn by_chance(up: f64, down: f64, chance: Stream) -> Self {
        Windows::of(Law::Chance { up, down, chance })
    }

    fn of(law: Law) -> Self {
        let mut windows = Windows { law, first: Some((Time::ZERO, Time::ZERO)) };
        windows.pass();
        windows
    }

    /// The one that is next, or lasts.
    #[inline]
    pub fn first(&self) -> Option<(Time, Time)> {
        self.first
    }

    /// Ends the present window.
    pub fn pass(&mut self) {
        let Some((_, last)) = self.first else { return };
        self.first = match &mut self.law {
            Law::Given { windows, period, next, round } => {
                if *next == windows.len() && *period > Span::ZERO {
                    (*next, *round) = (0, *round + *period);
                }
                *next += 1;
                windows.get(*next - 1).map(|(at, long)| (*round + *at, *round + *at + *long))
            }
            Law::Chance { up, down, chance } => {
                // Never for no time at all, so that windows are apart.
                let mut time =
                    |mean: f64| Span::from_secs_f64(chance.exponential(mean)) + Span::from_ps(1);
                let from = last + time(*up);
                Some((from, from + time(*down)))
            }
        };
    }

    /// The windows that have begun by `until`.
    pub fn until(&self, until: Time) -> impl Iterator<Item = (Time, Time)> {
        let mut rest = self.clone();
        std::iter::from_fn(move || {
            let first = rest.first.filter(|(from, _)| *from <= until);
            rest.pass();
            first
        })
    }
}
