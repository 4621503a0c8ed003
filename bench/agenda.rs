//! The agenda in the hold model: it keeps its size, the next entry is taken and comes back later,
//! after a time that is exponential in the mean (D. W. Jones, "An empirical comparison of
//! priority-queue and event-set implementations", CACM 29, 1986); from 10^2 to 10^6 entries, as
//! many a second as pass in a simulation with that many packets on their way.
use criterion::{BenchmarkId, Criterion};
use dumbbell_core::rng::Stream;
use dumbbell_sim::parts::{Agenda, Entry};

/// The mean time from taking an entry to its return: a path of 12 ms.
const MEAN_PS: f64 = 12e9;

fn hold(agenda: &mut Agenda, delays: &[u64], at: &mut usize) {
    let Some(&entry) = agenda.pop(u64::MAX / 2) else {
        unreachable!("an entry is put back for each")
    };
    *at = (*at + 1) % delays.len();
    agenda.push(Entry { t: entry.t + delays[*at], ..entry });
}

fn main() {
    let mut criterion = dumbbell_bench::criterion();
    sizes(&mut criterion);
    criterion.final_summary();
}

fn sizes(criterion: &mut Criterion) {
    let mut rng = Stream::named(1, "hold");
    // Drawn before, so that the generator is not in the time.
    let delays: Vec<u64> =
        (0..1 << 16).map(|_| (-libm::log(1.0 - rng.unit()) * MEAN_PS) as u64 + 1).collect();
    let mut group = criterion.benchmark_group("agenda");
    for power in 2..=6u32 {
        let size = 10usize.pow(power);
        let mut agenda = Agenda::new(size as f64 / (MEAN_PS * 1e-12), 3 * MEAN_PS as u64);
        for i in 0..size {
            agenda.push(Entry::clock(delays[i % delays.len()] + i as u64, i as u32));
        }
        let mut at = 0;
        (0..4 * size).for_each(|_| hold(&mut agenda, &delays, &mut at));
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| hold(&mut agenda, &delays, &mut at))
        });
    }
}
