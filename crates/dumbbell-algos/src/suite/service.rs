//! Every service: packets take time and keep their order, the same again, and the nominal rate in the long run.
use super::parameters::choices;
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::service::Service;
use dumbbell_core::testing::link;
use dumbbell_core::units::{Capacity, Span, Time};

/// A packet that passed: when it came, when it could start, when it was through, its bytes.
type Passed = (Time, Time, Time, u32);

/// A transmitter that packets come to.
struct Line<S> {
    service: S,
    free: Time,
}

impl<S: Service> Line<S> {
    fn new<A: Algorithm<Site = LinkInfo> + Service>(config: &A::Config) -> Line<A> {
        Line { service: A::new(config, &link(Capacity::Unlimited)), free: Time::ZERO }
    }
    fn pass(&mut self, arrived: Time, bytes: u32) -> Passed {
        let start = self.free.max(arrived);
        self.free = self.service.finish(arrived, start, bytes);
        (arrived, start, self.free, bytes)
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

fn passed<A: Algorithm<Site = LinkInfo> + Service>(config: &A::Config, packets: &[(Time, u32)]) -> Vec<Passed> {
    let mut line = Line::<A>::new::<A>(config);
    packets.iter().map(|(at, bytes)| line.pass(*at, *bytes)).collect()
}

/// Nothing leaves before it could start, nor at the instant at which it came; no packet overtakes.
pub fn takes_time_and_keeps_order<A: Algorithm<Site = LinkInfo> + Service>() {
    for config in choices::<A>() {
        let all = passed::<A>(&config, &arrivals(1));
        assert!(all.iter().all(|(arrived, start, done, _)| done >= start && done > arrived), "{}", A::ABOUT.name);
        assert!(all.is_sorted_by_key(|(_, _, done, _)| *done));
    }
}

/// Chance has no part in it.
pub fn repeats_itself<A: Algorithm<Site = LinkInfo> + Service>() {
    for config in choices::<A>() {
        (0..4).for_each(|seed| {
            let packets = arrivals(seed);
            assert_eq!(passed::<A>(&config, &packets), passed::<A>(&config, &packets));
        });
    }
}

/// It never holds a packet back that it could send: one that comes later or is longer is not through sooner.
pub fn later_is_not_sooner<A: Algorithm<Site = LinkInfo> + Service>() {
    for config in choices::<A>() {
        let packets = arrivals(2);
        for n in [1, 2, 17, 100, 700] {
            let through = |later: Span, longer: u32| {
                let mut some = packets[..n].to_vec();
                some[n - 1].0 += later;
                some[n - 1].1 += longer;
                passed::<A>(&config, &some)[n - 1].2
            };
            let plain = through(Span::ZERO, 0);
            for (later, longer) in [(1, 0), (400, 0), (1_000, 0), (90_000, 0), (0, 1), (0, 1500)] {
                assert!(through(Span::from_us(later), longer) >= plain, "{} +{later} us +{longer} B", A::ABOUT.name);
            }
        }
    }
}

/// While there is always a packet, the long-run rate is the nominal one, and the transmitter is used to the full; and
/// never more than that.
pub fn keeps_its_nominal_rate<A: Algorithm<Site = LinkInfo> + Service>() {
    for config in choices::<A>() {
        let mut line = Line::<A>::new::<A>(&config);
        let (from, to) = (Time::from_ps(3_333_333_333_333), Time::ZERO + Span::from_secs(1_000));
        line.service.watch(from, to);
        let mut bits = 0.0;
        while line.free < to {
            line.pass(Time::ZERO, 60_000);
            bits += 480_000.0;
        }
        let (rate, nominal) = (bits / line.free.seconds(), line.service.rate().bps() as f64);
        assert!((rate / nominal - 1.0).abs() < 0.01, "{}: {rate} for {nominal}", A::ABOUT.name);
        assert!(line.service.utilization().is_none_or(|u| u == 1.0), "{:?}", line.service.utilization());

        let mut some = Line::<A>::new::<A>(&config);
        some.service.watch(Time::ZERO, arrivals(3)[1_999].0);
        for (at, bytes) in arrivals(3) {
            let _ = some.pass(at, bytes);
        }
        assert!(some.service.utilization().is_none_or(|u| u > 0.0 && u <= 1.0));
    }
}
