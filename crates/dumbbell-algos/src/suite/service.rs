//! Checks for every service: packets take time and keep their order, the same seed gives the same
//! times, and the long-run rate is the nominal rate.
use super::parameters::choices;
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::impairment::WireEffect;
use dumbbell_core::rng::Stream;
use dumbbell_core::service::{Service, Site, Transmitted};
use dumbbell_core::testing::site;
use dumbbell_core::units::{Span, Time};

/// A packet that passed: when it came, when it could start, when it was through and how, its bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Passed {
    arrived: Time,
    start: Time,
    taken: Transmitted,
    bytes: u32,
}

/// A transmitter that packets come to.
struct Line<S> {
    service: S,
    free: Time,
    /// The time at which the last one could start.
    began: Time,
}

impl<S: Service> Line<S> {
    fn new<A: Algorithm<Site = Site> + Service>(config: &A::Config, seed: u64) -> Line<A> {
        Line { service: A::new(config, &site(seed)), free: Time::ZERO, began: Time::ZERO }
    }
    fn pass(&mut self, arrived: Time, bytes: u32) -> Passed {
        let start = self.free.max(arrived);
        let taken = self.service.finish(arrived, start, bytes);
        (self.began, self.free) = (start, taken.done);
        Passed { arrived, start, taken, bytes }
    }
    /// One more full packet of those that always wait: it came when the one before it began.
    fn next(&mut self) -> Passed {
        self.pass(self.began, 1500)
    }
}

/// Bursts and pauses of packets of all sizes, many of them at whole milliseconds.
fn arrivals(seed: u64) -> Vec<(Time, u32)> {
    let (mut rng, mut now) = (Stream::named(seed, "traffic"), Time::ZERO);
    (0..2_000)
        .map(|_| {
            now += match rng.below(10) {
                0 => Span::from_ms(u64::from(rng.below(1_000))),
                1..5 => Span::from_ms(u64::from(rng.below(3))),
                _ => Span::from_us(u64::from(rng.below(3_000))),
            };
            (now, 40 + rng.below(1461))
        })
        .collect()
}

fn passed<A: Algorithm<Site = Site> + Service>(
    config: &A::Config,
    packets: &[(Time, u32)],
) -> Vec<Passed> {
    let mut line = Line::<A>::new::<A>(config, 1);
    packets.iter().map(|(at, bytes)| line.pass(*at, *bytes)).collect()
}

/// Nothing leaves before it could start, nor at the instant at which it came; no packet overtakes
/// another, at the far end only if the service says so.
pub fn takes_time_and_keeps_order<A: Algorithm<Site = Site> + Service>() {
    for config in choices::<A>() {
        let all = passed::<A>(&config, &arrivals(1));
        let sound = |p: &Passed| p.taken.done >= p.start && p.taken.done > p.arrived;
        assert!(all.iter().all(sound), "{}", A::ABOUT.name);
        assert!(all.is_sorted_by_key(|p| p.taken.done));
        let far: Vec<Time> = all.iter().filter_map(|p| far_end(&p.taken)).collect();
        assert!(far.is_sorted() || A::new(&config, &site(1)).reorders(), "{}", A::ABOUT.name);
    }
}

/// Returns the time at which a packet reaches the end of a wire without length; `None`: it is lost.
fn far_end(taken: &Transmitted) -> Option<Time> {
    match taken.effect {
        WireEffect::Lost => None,
        WireEffect::Delayed(by) => Some(taken.done + by),
        WireEffect::Arrives | WireEffect::Corrupted | WireEffect::Duplicated => Some(taken.done),
    }
}

/// The same chance, the same history.
pub fn repeats_itself<A: Algorithm<Site = Site> + Service>() {
    for config in choices::<A>() {
        (0..4).for_each(|seed| {
            let packets = arrivals(seed);
            assert_eq!(passed::<A>(&config, &packets), passed::<A>(&config, &packets));
        });
    }
}

/// It never holds a packet back that it could send: one that comes later or is longer is not
/// through sooner.
pub fn later_is_not_sooner<A: Algorithm<Site = Site> + Service>() {
    for config in choices::<A>() {
        let packets = arrivals(2);
        for n in [1, 2, 17, 100, 700] {
            let through = |later: Span, longer: u32| {
                let mut some = packets[..n].to_vec();
                some[n - 1].0 += later;
                some[n - 1].1 += longer;
                passed::<A>(&config, &some)[n - 1].taken.done
            };
            let plain = through(Span::ZERO, 0);
            for (later, longer) in [(1, 0), (400, 0), (1_000, 0), (90_000, 0), (0, 1), (0, 1500)] {
                assert!(
                    through(Span::from_us(later), longer) >= plain,
                    "{} +{later} us +{longer} \
                    B",
                    A::ABOUT.name
                );
            }
        }
    }
}

/// Outages are what is said of them beforehand, whatever was sent in the meantime: in order, and
/// nothing is sent while one lasts.
pub fn is_down_when_it_says_so<A: Algorithm<Site = Site> + Service>() {
    for config in choices::<A>() {
        let until = Time::ZERO + Span::from_secs(100);
        let told = A::new(&config, &site(1)).outages(until);
        assert!(told.iter().all(|(from, to)| from < to && *from <= until), "{}", A::ABOUT.name);
        assert!(told.windows(2).all(|w| w[0].1 < w[1].0), "{}", A::ABOUT.name);
        let mut line = Line::<A>::new::<A>(&config, 1);
        let mut sent: Vec<Time> = Vec::new();
        // Of one that is never down there is nothing to compare but what it says of itself
        // afterwards.
        while line.free < until && (sent.len() < 1_000 || !told.is_empty()) {
            let Passed { taken, .. } = line.next();
            sent.extend(far_end(&taken).map(|_| taken.done));
        }
        let within = |t: &Time| told.iter().any(|(from, to)| t > from && t < to);
        assert!(!sent.iter().any(within), "{}", A::ABOUT.name);
        assert_eq!(line.service.outages(until), told);
    }
}

/// From when and to when the long run is: what is fast, and so no link whose rate varies over
/// seconds, has passed thousands of packets in less, once it has woken up.
fn long_run<S: Service>(line: &mut Line<S>) -> (Time, Time) {
    let (from, to) = (200_000_333_333_333, 1_000_000_000_000_000);
    match line.service.rate().bps() {
        ..=12_000_000 => (Time::from_ps(from), Time::from_ps(to)),
        bps => {
            let awake = line.next().taken.done;
            let after = |ps: u64| {
                awake + Span::from_ps((u128::from(ps) * 120_000 / u128::from(bps)) as u64)
            };
            (after(from), after(to))
        }
    }
}

/// While there is always a packet, the queue is emptied at the nominal rate in the long run, and
/// the transmitter is used to the full; and never more than that. Where chance has a part in it,
/// the long run is a sample.
pub fn keeps_its_nominal_rate<A: Algorithm<Site = Site> + Service>() {
    for config in choices::<A>() {
        let saturated = |seed| {
            let mut line = Line::<A>::new::<A>(&config, seed);
            let (from, to) = long_run(&mut line);
            line.service.watch(from, to);
            let (mut bits, mut since) = (0.0, Time::ZERO);
            while line.free < to {
                if line.free < from {
                    (bits, since) = (0.0, line.free);
                }
                bits += f64::from(line.next().bytes) * 8.0;
            }
            let rate = bits / line.free.since(since).seconds();
            (rate / line.service.rate().bps() as f64, line.service.utilization())
        };
        let (rate, used) = saturated(1);
        let room = if saturated(2) == (rate, used) { 0.01 } else { 0.05 };
        assert!((rate - 1.0).abs() < room, "{}: {rate} times the nominal rate", A::ABOUT.name);
        assert!(used.is_none_or(|u| u == 1.0), "{}: {used:?}", A::ABOUT.name);

        let mut some = Line::<A>::new::<A>(&config, 1);
        some.service.watch(Time::ZERO, arrivals(3)[1_999].0);
        for (at, bytes) in arrivals(3) {
            let _ = some.pass(at, bytes);
        }
        assert!(some.service.utilization().is_none_or(|u| u > 0.0 && u <= 1.0));
    }
}
