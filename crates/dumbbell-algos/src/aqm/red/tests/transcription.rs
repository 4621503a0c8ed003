//! A second implementation of RED, line by line from its sources, each over its own queue; compared
//! with the module decision by decision and average by average, with the same random numbers.
use super::*;

/// Fig. 2 of the 1993 paper, or its efficient form, Fig. 17. The queue includes the packet in
/// transmission, so that "empty" means that the link is idle. A packet that is dropped at an empty
/// queue leaves it empty once more: `q_time` is that instant.
struct Paper {
    efficient: bool,
    avg: f64,
    count: i32,
    r: f64,
    q_time: Time,
    finish: Vec<Time>,
}

impl Paper {
    fn calculate_average(&mut self, c: &RedConfig, now: Time) {
        while self.finish.first().is_some_and(|f| *f <= now) {
            self.q_time = self.finish.remove(0);
        }
        let q = self.finish.len() as f64;
        if q > 0.0 {
            self.avg = (1.0 - c.w_q) * self.avg + c.w_q * q;
        } else {
            let s = Rate::from_mbps(1).span_of(c.mean_packet_size.0);
            let m = now.since(self.q_time).ps() / s.ps();
            self.avg *= libm::pow(1.0 - c.w_q, m as f64);
        }
    }

    /// Fig. 2, between the thresholds.
    fn mark(&mut self, c: &RedConfig, rng: &mut Stream) -> bool {
        self.count += 1;
        let p_b = c.max_p * (self.avg - c.min_th.0) / (c.max_th.0 - c.min_th.0);
        let certain = f64::from(self.count) * p_b >= 1.0;
        let p_a = p_b / (1.0 - f64::from(self.count) * p_b);
        rng.unit() < p_a || certain
    }

    /// Fig. 17, between the thresholds.
    fn mark_efficiently(&mut self, c: &RedConfig, rng: &mut Stream) -> bool {
        let c1 = c.max_p / (c.max_th.0 - c.min_th.0);
        let c2 = c.max_p * c.min_th.0 / (c.max_th.0 - c.min_th.0);
        self.count += 1;
        let p_b = c1 * self.avg - c2;
        if self.count == 0 {
            self.r = rng.unit();
        }
        self.count > 0 && f64::from(self.count) >= self.r / p_b
    }

    fn arrive(&mut self, c: &RedConfig, now: Time, bytes: u32, rng: &mut Stream) -> bool {
        self.calculate_average(c, now);
        let mut mark = false;
        if c.min_th.0 <= self.avg && self.avg < c.max_th.0 {
            mark = if self.efficient { self.mark_efficiently(c, rng) } else { self.mark(c, rng) };
        } else if c.max_th.0 <= self.avg {
            mark = true;
        } else {
            self.count = -1;
        }
        if mark {
            self.count = 0;
            if self.efficient {
                self.r = rng.unit();
            }
            if self.finish.is_empty() {
                self.q_time = now;
            }
        } else {
            let start = self.finish.last().copied().unwrap_or(now);
            self.finish.push(start + Rate::from_mbps(1).span_of(u64::from(bytes)));
        }
        mark
    }
}

/// The card's algorithm with all of ns-2's choices: `wait`, gentle, queue and probability in bytes,
/// decay of m + 1, a queue without the packet in transmission, more than one byte in it (its "q >
/// 1" of a queue in bytes), the bytes since the last signal in whole typical packets, and a limit.
struct Ns2 {
    avg: f64,
    count_bytes: f64,
    old: bool,
    idle: Option<Time>,
    /// Start and end of transmission, length.
    queue: Vec<(Time, Time, u32)>,
}

const LIMIT: usize = 20;

impl Ns2 {
    fn arrive(&mut self, c: &RedConfig, now: Time, bytes: u32, rng: &mut Stream) -> bool {
        if self.queue.last().is_some_and(|(_, end, _)| *end <= now) {
            self.idle = self.queue.last().map(|(_, end, _)| *end);
        }
        self.queue.retain(|(_, end, _)| *end > now);
        let waiting = || self.queue.iter().filter(|(start, ..)| *start > now);
        let (length, q_bytes) = (waiting().count(), waiting().map(|p| f64::from(p.2)).sum::<f64>());
        let mps = c.mean_packet_size.0 as f64;
        let m = self.idle.take().map_or(0, |since| {
            let s = Rate::from_mbps(1).span_of(c.mean_packet_size.0);
            now.since(since).ps() / s.ps()
        });
        self.avg = self.avg * libm::pow(1.0 - c.w_q, m as f64 + 1.0) + c.w_q * q_bytes;
        let (min, max) = (c.min_th.0 * mps, c.max_th.0 * mps);
        self.count_bytes += f64::from(bytes);
        let mut drop = false;
        if self.avg >= min && q_bytes > 1.0 {
            if self.avg >= 2.0 * max {
                drop = true;
            } else if !self.old {
                self.count_bytes = f64::from(bytes);
                self.old = true;
            } else {
                drop = self.early(c, bytes, (min, max), rng);
            }
        } else {
            self.old = false;
        }
        drop |= length >= LIMIT;
        if drop {
            self.count_bytes = 0.0;
        } else {
            let start = self.queue.last().map_or(now, |(_, end, _)| *end);
            self.queue.push((start, start + Rate::from_mbps(1).span_of(u64::from(bytes)), bytes));
        }
        drop
    }

    fn early(
        &mut self,
        c: &RedConfig,
        bytes: u32,
        (min, max): (f64, f64),
        rng: &mut Stream,
    ) -> bool {
        let mps = c.mean_packet_size.0 as f64;
        let mut p = if self.avg < max {
            c.max_p * (self.avg - min) / (max - min)
        } else {
            c.max_p + (1.0 - c.max_p) * (self.avg - max) / max
        };
        let x = libm::floor(self.count_bytes / mps) * p;
        if x < 1.0 {
            p = 0.0;
        } else if x < 2.0 {
            p /= 2.0 - x;
        } else {
            p = 1.0;
        }
        if p < 1.0 {
            p = p * f64::from(bytes) / mps;
        }
        rng.unit() < p
    }
}

/// Arrivals: time since the last, length, and whether a pause comes first.
fn arrivals() -> impl Strategy<Value = Vec<(u64, u32, bool)>> {
    prop::collection::vec((0u64..8_000_000_000, 40u32..1500, prop::bool::weighted(0.02)), 600)
}

fn configuration(base: RedConfig) -> impl Strategy<Value = RedConfig> {
    let w_q = prop::sample::select(vec![0.002, 0.02, 0.2, 1.0]);
    (w_q, 0.0f64..6.0, 1.0f64..12.0, 0.01f64..1.0).prop_map(move |(w_q, min, width, max_p)| {
        RedConfig { w_q, min_th: Packets(min), max_th: Packets(min + width), max_p, ..base.clone() }
    })
}

/// Drops that were expected and seen; the averages must agree before each.
fn compare(
    config: &RedConfig,
    capacity: Capacity,
    counted: bool,
    seed: u64,
    arrivals: Vec<(u64, u32, bool)>,
    mut second: impl FnMut(Time, u32, &mut Stream) -> (bool, f64),
) -> Result<(), TestCaseError> {
    let mut bench =
        Bench::new(Fifo::<_, Numbered>::new(red(config, capacity)), link(capacity), seed, counted);
    let (mut coins, mut now) = (Stream::named(seed, "bench"), Time::ZERO);
    for (i, (gap, bytes, pause)) in arrivals.into_iter().enumerate() {
        now += Span::from_ps(if pause { 40 * gap } else { gap });
        bench.journal.0.clear();
        let (id, _) = bench.arrive(now, packet(0, bytes, Ecn::NotEct));
        let (expected, avg) = second(now, bytes, &mut coins);
        let mut seen = Gauges::default();
        bench.port.qdisc().probe(&mut seen);
        prop_assert!(
            (seen.get("avg").unwrap() - avg).abs() < 1e-9,
            "packet {}: {:?} {}",
            i,
            seen,
            avg
        );
        let dropped = bench.journal.0.iter().any(|e| matches!(e, Event::Dropped(d, _) if *d == id));
        prop_assert_eq!(dropped, expected, "packet {}: {:?}", i, seen);
    }
    Ok(())
}

fn paper_queue(efficient: bool) -> Paper {
    Paper { efficient, avg: 0.0, count: -1, r: 0.0, q_time: Time::ZERO, finish: Vec::new() }
}

proptest! {
    #![proptest_config(
        ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) }
    )]

    #[test]
    fn is_figure_2(seed: u64, config in configuration(paper()), arrivals in arrivals()) {
        let mut second = paper_queue(false);
        compare(&config, Capacity::Unlimited, true, seed, arrivals, |now, bytes, coins| {
            (second.arrive(&config, now, bytes, coins), second.avg)
        })?;
    }

    #[test]
    fn is_figure_17(
        seed: u64,
        config in configuration(RedConfig { spacing: SpacingLaw::UniformStored, ..paper() }),
        arrivals in arrivals(),
    ) {
        let mut second = paper_queue(true);
        compare(&config, Capacity::Unlimited, true, seed, arrivals, |now, bytes, coins| {
            (second.arrive(&config, now, bytes, coins), second.avg)
        })?;
    }

    #[test]
    fn is_ns2_with_all_its_choices(
        seed: u64,
        config in configuration(RedConfig {
            spacing: SpacingLaw::UniformWait,
            byte_mode: true,
            byte_drop: ByteDrop::Ns2,
            min_q_for_drop: Packets(0.5),
            gentle: true,
            ..RedConfig::default()
        }),
        arrivals in arrivals(),
    ) {
        let mut second = Ns2 {
            avg: 0.0,
            count_bytes: 0.0,
            old: false,
            idle: Some(Time::ZERO),
            queue: Vec::new(),
        };
        let capacity = Capacity::Packets(LIMIT as u32);
        compare(&config, capacity, false, seed, arrivals, |now, bytes, coins| {
            (
                second.arrive(&config, now, bytes, coins),
                second.avg / config.mean_packet_size.0 as f64,
            )
        })?;
    }
}
