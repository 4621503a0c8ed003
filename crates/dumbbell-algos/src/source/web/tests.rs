//! A reader over a network of a given delay, against what can be worked out by hand.
use super::*;
use dumbbell_core::probe::Gauges;

fn three(pipelined: bool) -> WebConfig {
    WebConfig {
        objects: Some(3),
        size: Some(Distribution::fixed(Bytes(1000))),
        think: Distribution::fixed(Span::from_ms(100)),
        pages: Some(2),
        pipelined,
        ..WebConfig::default()
    }
}

/// Hand-overs (milliseconds since the start, bytes) and measures. Each side is 10 ms away.
fn read(config: &WebConfig) -> (Vec<(f64, u64)>, Gauges) {
    let start = Time::ZERO + Span::from_secs(1);
    let (mut web, mut rng, mut now) = (Web::new(config, &()), Stream::named(1, "web"), start);
    let mut written = Vec::new();
    while let Some(burst) = web.next(now, &mut rng) {
        let at = now + burst.after;
        written.push((at.since(start).seconds() * 1e3, burst.bytes));
        web.delivered(at + Span::from_ms(10));
        now = at + Span::from_ms(20);
    }
    let mut gauges = Gauges::default();
    web.probe(now, &mut gauges);
    (written, gauges)
}

/// One by one, three objects take three round trips of 20 ms, also on the first page, whose request
/// left before the flow began. The next page is asked for 100 ms after the last byte, at 50 + 100
/// ms, and the server has the request at 160 ms.
#[test]
fn objects_one_by_one_take_a_round_trip_each() {
    let (written, gauges) = read(&three(false));
    let expected = [0.0, 20.0, 40.0, 160.0, 180.0, 200.0].map(|ms| (ms, 1000));
    assert_eq!(written, expected);
    for (name, value) in
        [("pages", 2.0), ("load_mean_s", 0.06), ("load_p50_s", 0.06), ("load_p95_s", 0.06)]
    {
        assert!((gauges.get(name).unwrap() - value).abs() < 1e-12, "{name}: {gauges:?}");
    }
}

#[test]
fn pipelined_objects_take_one_round_trip_together() {
    let (written, gauges) = read(&three(true));
    assert_eq!(written, [(0.0, 1000), (20.0, 2000), (140.0, 1000), (160.0, 2000)]);
    assert!((gauges.get("load_mean_s").unwrap() - 0.04).abs() < 1e-12, "{gauges:?}");
}

/// The same pages, however they are fetched and thought about; the first object has a size of its
/// own.
#[test]
fn pages_do_not_depend_on_how_they_are_fetched() {
    let pages = |pipelined, think| {
        let first = Some(Distribution::fixed(Bytes(7)));
        let size = Some(Distribution(Shape::Exponential { mean: Bytes(9000) }));
        let config = WebConfig { objects: None, first, size, think, pages: Some(50), pipelined };
        let mut pages: Vec<u64> = Vec::new();
        for (_, bytes) in read(&config).0 {
            match bytes {
                7 => pages.push(0),
                more => *pages.last_mut().unwrap() += more,
            }
        }
        pages
    };
    let think = || Distribution::fixed(Span::from_ms(1));
    let same = pages(false, think());
    assert_eq!(same.len(), 50);
    assert_eq!(same, pages(true, think()));
    let slow = Distribution(Shape::Pareto { mean: Span::from_secs(1), shape: 1.5 });
    assert_eq!(same, pages(false, slow));
}

/// The means that 3GPP2 states: 5.64 embedded objects. E[floor(min(X, 55))] - 2 of the Pareto
/// number is the sum of P(X >= k), k from 3 to 55.
#[test]
fn numbers_and_sizes_are_those_of_the_traffic_model() {
    let mut rng = Stream::named(3, "web");
    let n = 200_000;
    let exact: f64 = (3..=55).map(|k| libm::pow(2.0 / f64::from(k), 1.1)).sum();
    let mean = (0..n).map(|_| embedded(&mut rng) as f64).sum::<f64>() / f64::from(n);
    // The deviation of one number is about 11.
    assert!((mean - exact).abs() < 4.0 * 11.0 / f64::from(n).sqrt(), "{mean} {exact}");
    // The continuous number has the mean 5.64; rounding down takes less than 1/2.
    assert!((5.14..5.64).contains(&exact), "{exact}");
    let size = Bounded::log_normal(7_758, 2.36, 50);
    let drawn: Vec<u64> = (0..n).map(|_| size.draw(&mut rng)).collect();
    assert!(drawn.iter().all(|b| (50..=2_000_000).contains(b)));
    // ln X is normal with mean ln 7758 - 2.36^2 / 2 = 6.172: the median of the truncated one is at
    // the middle of P between its bounds.
    let cdf = |x: f64| {
        dumbbell_core::rng::distribution::normal_cdf(
            (libm::log(x) - (libm::log(7758.0) - 2.36 * 2.36 / 2.0)) / 2.36,
        )
    };
    let middle = (cdf(50.0) + cdf(2e6)) / 2.0;
    let below = drawn.iter().filter(|b| cdf(**b as f64) < middle).count() as f64;
    // A share of 1/2 of so many has the deviation 0.0011.
    assert!((below / f64::from(n) - 0.5).abs() < 0.005, "{below}");
}

#[test]
fn sizes_of_no_byte_are_refused() {
    let none = || Some(Distribution::fixed(Bytes(0)));
    assert_eq!(WebConfig::default().check(), Ok(()));
    let wrong = [
        (WebConfig { size: none(), ..WebConfig::default() }, "size"),
        (WebConfig { first: none(), ..WebConfig::default() }, "first"),
    ];
    for (config, at) in wrong {
        assert_eq!(config.check().unwrap_err().at, at);
    }
}
