//! The choice among several paths where packets leave a socket.
use crate::engine::path::RunAhead;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::Time;
use dumbbell_plan::{PathSet, Spread};

/// The paths of one socket, and the state of its choice.
pub(crate) struct PathChoice {
    by: Spread,
    /// In the order of time.
    sets: Vec<Choices>,
    /// The sets that came so far, at least 1 after the first packet.
    begun: usize,
    /// The time of the last packet.
    last: Time,
    rng: Stream,
}

/// Paths to choose from, from a time on.
struct Choices {
    from: Time,
    /// For each path the sum of the shares up to it.
    sums: Vec<f64>,
    /// The way to the first merge of each.
    run_aheads: Vec<RunAhead>,
}

impl PathChoice {
    /// The choice among `sets`, whose paths were cut into `run_aheads`, in their order.
    pub(crate) fn new(
        by: Spread,
        sets: &[PathSet],
        run_aheads: impl IntoIterator<Item = RunAhead>,
        rng: Stream,
    ) -> Self {
        let mut run_aheads = run_aheads.into_iter();
        let choices = |set: &PathSet| {
            let mut sum = 0.0;
            let sums = set.paths.iter().map(|path| {
                sum += path.share;
                sum
            });
            Choices {
                from: Time::ZERO + set.from,
                sums: sums.collect(),
                run_aheads: run_aheads.by_ref().take(set.paths.len()).collect(),
            }
        };
        let sets = sets.iter().map(choices).collect();
        PathChoice { by, sets, begun: 0, last: Time::ZERO, rng }
    }

    /// The path of a packet that leaves at `t`, if it is another one than that of the packet
    /// before.
    pub(crate) fn chosen(&mut self, t: Time) -> Option<RunAhead> {
        let before = self.begun;
        while self.sets.get(self.begun).is_some_and(|next| next.from <= t) {
            self.begun += 1;
        }
        let pause = t.since(self.last);
        self.last = t;
        let again = match self.by {
            Spread::Flow => false,
            Spread::Packet => true,
            Spread::Flowlet(gap) => pause >= gap,
        };
        if before == self.begun && !again {
            return None;
        }
        let set = &self.sets[self.begun.checked_sub(1)?];
        let path = match set.run_aheads.len() {
            1 => 0,
            n => {
                let u = self.rng.unit();
                set.sums.partition_point(|sum| *sum <= u).min(n - 1)
            }
        };
        Some(set.run_aheads[path])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::path::End;
    use dumbbell_core::units::Span;
    use dumbbell_plan::Path;

    fn set(from: u64, shares: &[f64]) -> PathSet {
        let path = |share: &f64| Path { share: *share, links: Vec::new() };
        PathSet { from: Span::from_us(from), paths: shares.iter().map(path).collect() }
    }

    fn choice(by: Spread, sets: &[PathSet]) -> PathChoice {
        let count = sets.iter().map(|set| set.paths.len() as u32).sum();
        let ways = (0..count).map(|n| RunAhead::nothing_before(End::Socket(n)));
        PathChoice::new(by, sets, ways, Stream::named(1, "test"))
    }

    /// The number of the path that a packet takes after each of these times in microseconds.
    fn taken(choice: &mut PathChoice, times: impl IntoIterator<Item = u64>) -> Vec<u32> {
        let mut now = u32::MAX;
        let at = |us| Time::ZERO + Span::from_us(us);
        let mut number = |us| {
            if let Some(way) = choice.chosen(at(us)) {
                let End::Socket(n) = way.end() else { unreachable!() };
                now = n;
            }
            now
        };
        times.into_iter().map(&mut number).collect()
    }

    #[test]
    fn a_change_begins_at_its_instant() {
        let mut moves = choice(Spread::Flow, &[set(0, &[1.0]), set(10, &[1.0]), set(30, &[1.0])]);
        assert_eq!(taken(&mut moves, [0, 9, 10, 11, 29, 30, 99]), [0, 0, 1, 1, 1, 2, 2]);
        let mut late = choice(Spread::Flow, &[set(0, &[1.0]), set(10, &[1.0]), set(30, &[1.0])]);
        assert_eq!(taken(&mut late, [50, 60]), [2, 2]);
    }

    /// Of 4000 packets each path gets its share: a binomial number is further than four standard
    /// deviations from its mean once in 16,000 times.
    #[test]
    fn packets_are_shared_by_the_shares() {
        let mut spread = choice(Spread::Packet, &[set(0, &[0.5, 0.25, 0.25])]);
        let taken = taken(&mut spread, 0..4000);
        for (path, share) in [(0, 0.5), (1, 0.25), (2, 0.25)] {
            let n = taken.iter().filter(|taken| **taken == path).count() as f64;
            let sigma = f64::sqrt(4000.0 * share * (1.0 - share));
            assert!((n - 4000.0 * share).abs() < 4.0 * sigma, "path {path}: {n}");
        }
    }

    /// Bursts of ten packets 1 us apart, the first of each 100 us after the last: with a gap of
    /// 100 us each burst is a flowlet, with 101 us all are one.
    #[test]
    fn a_flowlet_ends_with_a_gap() {
        let times: Vec<u64> = (0..200).flat_map(|k| (0..10).map(move |i| 109 * k + i)).collect();
        let halves = [set(0, &[0.5, 0.5])];
        let mut by_burst = choice(Spread::Flowlet(Span::from_us(100)), &halves);
        let paths = taken(&mut by_burst, times.clone());
        assert!(paths.chunks(10).all(|burst| burst.iter().all(|path| *path == burst[0])));
        let firsts = paths.iter().step_by(10).filter(|path| **path == 0).count();
        assert!((72..=128).contains(&firsts), "{firsts} of 200");
        let mut one = choice(Spread::Flowlet(Span::from_us(101)), &halves);
        let paths = taken(&mut one, times);
        assert!(paths.iter().all(|path| *path == paths[0]));
    }
}
