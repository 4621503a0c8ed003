//! The held port against closed forms of queueing theory. K counts the packet in service.
use dumbbell_core::aqm::{Aqm, Cx, QueueView, Reason, Verdict};
use dumbbell_core::packet::{Ecn, Meta};
use dumbbell_core::port::counters::PortCounters;
use dumbbell_core::port::occupancy::Occupancy;
use dumbbell_core::qdisc::Fifo;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Span, Time};

struct Everything;

impl Aqm for Everything {
    fn arrive(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _: bool) -> Verdict {
        Verdict::Pass
    }
}

/// Mean length on the wire: 12500 B take 100 ms at 1 Mbps, and one byte more or less is nothing
/// beside it.
const MEAN_BYTES: f64 = 12_500.0;
const MEAN_SERVICE: f64 = 0.1;
const BATCHES: usize = 30;

/// The mean of batch means and its standard error.
struct Estimate {
    mean: f64,
    error: f64,
}

impl Estimate {
    fn of(batches: &[f64]) -> Self {
        let n = batches.len() as f64;
        let mean = batches.iter().sum::<f64>() / n;
        let variance = batches.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
        Estimate { mean, error: (variance / n).sqrt() }
    }
    /// Student's t with 29 degrees of freedom exceeds 4.5 once in 10 000; the estimate must also be
    /// sharp enough.
    fn agrees(&self, law: f64, sharpness: f64) -> bool {
        self.error < sharpness * law && (self.mean - law).abs() < 4.5 * self.error
    }
}

/// Blocking probability, mean number in the system, utilization, and the mean number that an
/// arrival finds.
fn measure(
    rho: f64,
    k: u32,
    per_batch: usize,
    service: impl Fn(&mut Stream) -> f64,
) -> [Estimate; 4] {
    let mut rng = Stream::named(u64::from(k), "poisson");
    let mut bench =
        Bench::new(Fifo::<_, Numbered>::new(Everything), link(Capacity::Packets(k)), 1, true);
    let (mut at, mut rows) = (Time::ZERO, Vec::new());
    for _ in 0..BATCHES {
        let (from, before) = (at, *bench.counters());
        let (mut integral, mut busy, mut found) = (0.0, 0.0, 0.0);
        for _ in 0..per_batch {
            let next = at + Span::from_secs_f64(rng.exponential(MEAN_SERVICE / rho));
            // Between two arrivals the number in the system changes where a packet leaves.
            let (mut held, mut since) = (bench.port.held() as f64, at);
            bench.journal.0.clear();
            bench.run_to(next);
            let departures: Vec<Time> = bench
                .journal
                .0
                .iter()
                .filter_map(|e| if let Event::Sent(_, t) = e { Some(*t) } else { None })
                .collect();
            for t in departures.into_iter().chain([next]) {
                integral += held * t.since(since).seconds();
                busy += if held > 0.0 { t.since(since).seconds() } else { 0.0 };
                (held, since) = (held - 1.0, t);
            }
            found += bench.port.held() as f64;
            let bytes = libm::round(service(&mut rng) * MEAN_BYTES).max(1.0) as u32;
            bench.arrive(next, Meta { ip_len: 1000, wire_len: bytes, ..Meta::default() });
            at = next;
        }
        let after = bench.counters().since(&before);
        let time = at.since(from).seconds();
        rows.push([
            after.dropped() as f64 / after.arrivals as f64,
            integral / time,
            busy / time,
            found / per_batch as f64,
        ]);
    }
    assert!(bench.counters().balances(bench.port.held()));
    [0, 1, 2, 3].map(|i| Estimate::of(&rows.iter().map(|r| r[i]).collect::<Vec<_>>()))
}

/// P_n = (1 - rho) rho^n / (1 - rho^(K + 1)): blocking, mean and utilization.
fn mm1k(rho: f64, k: u32) -> [f64; 3] {
    let weight: Vec<f64> = (0..=k).map(|n| libm::pow(rho, f64::from(n))).collect();
    let total: f64 = weight.iter().sum();
    let mean = weight.iter().enumerate().map(|(n, w)| n as f64 * w).sum::<f64>() / total;
    [weight[k as usize] / total, mean, 1.0 - weight[0] / total]
}

/// M/D/1/K by the chain embedded at departures: blocking, mean and utilization.
fn md1k(rho: f64, k: usize) -> [f64; 3] {
    let mut arrivals = vec![libm::exp(-rho)]; // Poisson during one service
    (1..=k).for_each(|i| arrivals.push(arrivals[i - 1] * rho / i as f64));
    let mut pi = vec![1.0];
    for j in 0..k - 1 {
        let above: f64 = (1..=j).map(|i| pi[i] * arrivals[j - i + 1]).sum();
        pi.push((pi[j] - pi[0] * arrivals[j] - above) / arrivals[0]);
    }
    let sum: f64 = pi.iter().sum();
    pi.iter_mut().for_each(|p| *p /= sum);
    let scale = pi[0] + rho;
    let block = 1.0 - 1.0 / scale;
    let mean =
        pi.iter().enumerate().map(|(n, p)| n as f64 * p / scale).sum::<f64>() + k as f64 * block;
    [block, mean, rho * (1.0 - block)]
}

/// Poisson arrivals see time averages: what they find is the mean.
fn agree(name: &str, measured: &[Estimate; 4], [block, mean, util]: [f64; 3]) {
    let laws =
        [("blocking", block), ("mean", mean), ("utilisation", util), ("found by arrivals", mean)];
    for (m, (what, law)) in measured.iter().zip(laws) {
        assert!(
            m.agrees(law, 0.04),
            "{name} {what}: {} +- {}, the law says {law}",
            m.mean,
            m.error
        );
    }
}

#[test]
fn the_laws_are_those_of_the_books() {
    for (rho, k, block, mean, util) in [
        (0.5, 10, 0.000_489, 0.994_626, 0.499_756),
        (0.8, 10, 0.023_493, 2.966_314, 0.781_206),
        (0.9, 20, 0.013_651, 6.419_888, 0.887_714),
        (0.95, 50, 0.004_151, 14.978_018, 0.946_057),
        (1.0, 20, 0.047_619, 10.0, 0.952_381),
        (1.2, 20, 0.170_370, 15.466_614, 0.995_556),
    ] {
        let law = mm1k(rho, k);
        assert!(
            law.iter().zip([block, mean, util]).all(|(a, b)| (a - b).abs() < 1e-6),
            "{rho} \
            {k}: {law:?}"
        );
    }
    assert!((md1k(0.8, 10)[0] - 0.003_639_2).abs() < 1e-7, "{:?}", md1k(0.8, 10));
    // A large K is M/D/1: L = rho + rho^2 / (2 (1 - rho)).
    assert!((md1k(0.8, 200)[1] - 2.4).abs() < 1e-6, "{:?}", md1k(0.8, 200));
}

#[test]
fn exponential_service_blocks_as_mm1k() {
    for (rho, k, per_batch) in
        [(0.8, 10, 40_000), (0.9, 20, 40_000), (1.0, 20, 40_000), (1.2, 20, 40_000)]
    {
        agree(
            &format!("M/M/1/{k} at {rho}"),
            &measure(rho, k, per_batch, |rng| rng.exponential(1.0)),
            mm1k(rho, k),
        );
    }
}

#[test]
fn fixed_service_blocks_as_md1k() {
    for (rho, k) in [(0.8, 10), (0.95, 10), (1.2, 5)] {
        agree(
            &format!("M/D/1/{k} at {rho}"),
            &measure(rho, k as u32, 40_000, |_| 1.0),
            md1k(rho, k),
        );
    }
}

/// Occupancy adds up waiting times; the same mean comes from the length over time (Little's law),
/// within rounding.
#[test]
fn occupancy_is_the_length_over_time() {
    let (mut rng, mut at) = (Stream::named(5, "little"), Time::ZERO);
    let mut bench =
        Bench::new(Fifo::<_, Numbered>::new(Everything), link(Capacity::Packets(20)), 1, true);
    let (from, to) = (Time::from_ps(50_000_000_000_000), Time::from_ps(950_000_000_000_000));
    let mut occupancy = Occupancy::new(from, to);
    let (mut arrived, mut changes, mut largest) = (Vec::new(), vec![(Time::ZERO, 0i64)], 0);
    while at < to {
        at += Span::from_secs_f64(rng.exponential(0.1));
        bench.run_to(at);
        bench.arrive(at, packet(0, 12_000, Ecn::NotEct));
        let held = bench.port.held() as u32;
        occupancy.saw(at, held);
        largest = if at >= from { largest.max(held) } else { 0 };
        arrived.push(at);
    }
    bench.drain();
    for e in &bench.journal.0 {
        if let Event::Sent(id, left) = e {
            let entered = arrived[*id as usize];
            occupancy.stayed(entered, *left);
            changes.extend([(entered, 1), (*left, -1)]);
        }
    }
    changes.sort();
    let (mut held, mut integral) = (0, 0.0);
    for pair in changes.windows(2) {
        held += pair[0].1;
        integral += held as f64 * pair[1].0.min(to).since(pair[0].0.max(from)).seconds();
    }
    let mean = integral / to.since(from).seconds();
    assert!(
        (occupancy.mean_packets() - mean).abs() < 1e-9 * mean,
        "{} {mean}",
        occupancy.mean_packets()
    );
    assert!(occupancy.max_packets() == largest && largest >= 20);
}

#[test]
fn counters_since_a_moment() {
    let mut earlier = PortCounters { arrivals: 10, departures: 4, marks: 2, ..Default::default() };
    (earlier.arrived_bytes, earlier.departed_bytes) = (5000, 2000);
    earlier.drops[Reason::Early.index()] = 3;
    let mut now = PortCounters { arrivals: 17, departures: 12, marks: 7, ..earlier };
    (now.arrived_bytes, now.departed_bytes) = (8500, 6000);
    now.drops[Reason::Early.index()] = 4;
    now.drops[Reason::Head.index()] = 1;
    let since = now.since(&earlier);
    assert_eq!((since.arrivals, since.departures, since.marks), (7, 8, 5));
    assert_eq!((since.arrived_bytes, since.departed_bytes), (3500, 4000));
    assert_eq!((since.dropped(), now.dropped(), earlier.dropped()), (2, 5, 3));
    assert!(earlier.balances(3) && now.balances(0) && !now.balances(1));
}
