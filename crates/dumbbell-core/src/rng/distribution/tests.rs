//! Every law against its distribution, written down here a second time as survival functions, and
//! its mean against the integral of these.
use super::*;
use serde_json::{Value, json};

const N: usize = 200_000;

fn law(v: Value) -> Distribution<Bytes> {
    let law: Distribution<Bytes> = serde_json::from_value(v).unwrap();
    law.check("size").unwrap();
    law
}

/// P(X > x) of each law under test.
/// A law, and the share above a size by its closed form.
type Known = (Distribution<Bytes>, Box<dyn Fn(f64) -> f64>);

fn laws() -> Vec<Known> {
    let bounded = |a: f64| {
        let p = move |x: f64| {
            let tail = |x: f64| libm::pow(x / 1000.0, -a);
            ((tail(x.clamp(1000.0, 1e7)) - tail(1e7)) / (1.0 - tail(1e7))).clamp(0.0, 1.0)
        };
        (
            law(json!({ "kind": "bounded_pareto", "shape": a, "min": "1 kB", "max": "10 MB" })),
            Box::new(p) as _,
        )
    };
    let mu = libm::log(12_000.0) - 1.5 * 1.5 / 2.0;
    vec![
        (
            law(json!({ "kind": "uniform", "min": "10 kB", "max": "30 kB" })),
            Box::new(|x| ((30e3 - x) / 20e3).clamp(0.0, 1.0)),
        ),
        (
            law(json!({ "kind": "exponential", "mean": "12 kB" })),
            Box::new(|x| libm::exp(-x / 12e3)),
        ),
        (
            law(json!({ "kind": "pareto", "mean": "12 kB", "shape": 2.5 })),
            Box::new(|x| libm::pow(7200.0 / x.max(7200.0), 2.5)),
        ),
        bounded(1.2),
        bounded(1.0),
        bounded(0.6),
        (
            law(json!({ "kind": "log_normal", "mean": "12 kB", "sigma": 1.5 })),
            Box::new(move |x| 1.0 - normal_cdf((libm::log(x) - mu) / 1.5)),
        ),
        (
            law(json!({
                "kind": "empirical", "cdf": [["1 kB", 0.25], ["2 kB", 0.5], ["10 kB", 1.0]],
            })),
            Box::new(|x| match x {
                x if x < 1e3 => 1.0,
                x if x < 2e3 => 0.75 - (x - 1e3) / 4e3,
                x => (0.5 - (x - 2e3) / 16e3).max(0.0),
            }),
        ),
    ]
}

/// The share of draws beyond a value agrees with the law at twelve values, within 4.4 standard
/// errors of the binomial.
#[test]
fn draws_have_their_distribution() {
    for (law, survival) in laws() {
        let mut rng = Stream::named(1, "law");
        let draws: Vec<f64> = (0..N).map(|_| law.draw(&mut rng).base()).collect();
        for x in [500.5, 1000.5, 1500.5, 3000.5, 7e3, 12e3, 2e4, 29e3, 6e4, 2e5, 1e6, 5e6] {
            let p = survival(x);
            let seen = draws.iter().filter(|d| **d > x).count() as f64 / N as f64;
            let most = 4.4 * (p * (1.0 - p) / N as f64).sqrt() + 1e-9;
            assert!((seen - p).abs() <= most, "{law:?} beyond {x}: {seen}, {p}");
        }
    }
}

/// E[X] is the integral of P(X > x): the trapezoidal rule on a geometric grid from 1e-3 to 1e12
/// bytes.
#[test]
fn means_are_the_integrals_of_the_survival() {
    for (law, survival) in laws() {
        let grid: Vec<f64> =
            (0..=150_000).map(|i| libm::pow(10.0, -3.0 + f64::from(i) / 1e4)).collect();
        let area: f64 =
            grid.windows(2).map(|w| (w[1] - w[0]) * (survival(w[0]) + survival(w[1])) / 2.0).sum();
        assert!((law.mean() / area - 1.0).abs() < 1e-4, "{law:?}: {} and {area}", law.mean());
    }
}

/// The quantile is the inverse of the distribution.
#[test]
fn quantiles_invert_the_distribution() {
    for (law, survival) in laws() {
        for i in 1..200 {
            let u = f64::from(i) / 200.0;
            let back = 1.0 - survival(law.quantile(u) * (1.0 + 1e-12));
            let atom = matches!(law.0, Shape::Empirical { .. }) && u < 0.25;
            assert!((back - if atom { 0.25 } else { u }).abs() < 1e-8, "{law:?}: {u} and {back}");
        }
    }
}

/// Means that the literature gives: 1.6 MB for web search and 7.4 MB for data mining (M. Alizadeh
/// et al., pFabric, SIGCOMM 2013, section 5.1; W. Bai et al., PIAS, NSDI 2015).
#[test]
fn measured_tables_have_their_published_means() {
    let mean = |name: &str| law(json!(name)).mean();
    assert!((mean("web_search") / 1.6e6 - 1.0).abs() < 0.05, "{}", mean("web_search"));
    assert!((mean("data_mining") / 7.4e6 - 1.0).abs() < 0.05, "{}", mean("data_mining"));
    assert_eq!(law(json!("web_search")).quantile(0.15), 6.0 * 1460.0);
    // Of Hadoop (A. Roy et al., SIGCOMM 2015): half are below 1 kB, and 95 % below 1 MB.
    assert_eq!(law(json!("hadoop")).quantile(0.5), 700.0);
    assert!(law(json!("hadoop")).quantile(0.95) < 1e6);
}

#[test]
fn laws_are_written_in_three_ways_and_read_back() {
    for v in [
        json!("12 kB"),
        json!({ "kind": "exponential", "mean": "12 kB" }),
        json!({ "kind": "empirical", "cdf": [["1 kB", 0.25], ["2 kB", 1.0]] }),
    ] {
        assert_eq!(serde_json::to_value(law(v.clone())).unwrap(), v);
    }
    let named = law(json!("web_search"));
    assert_eq!(law(serde_json::to_value(&named).unwrap()), named);
    assert_eq!(
        law(json!({ "kind": "fixed", "value": "12 kB" })),
        Distribution::fixed(Bytes(12_000))
    );
}

/// `takes` says of each kind the parameters that its schema has.
#[test]
fn the_parameters_of_each_kind_are_known() {
    let schema: Value = schemars::schema_for!(Shape<Bytes>).into();
    for one in schema["oneOf"].as_array().unwrap() {
        let kind = one["properties"]["kind"]["const"].as_str().unwrap();
        let keys =
            ["value", "min", "max", "mean", "shape", "sigma", "cdf", "file", "kind", "other"];
        for key in keys {
            assert_eq!(
                takes(kind, key),
                Some(one["properties"].get(key).is_some()),
                "{kind}.{key}"
            );
        }
    }
    assert_eq!((takes("web_search", "mean"), takes("red", "mean")), (Some(false), None));
    assert_eq!(law(json!({ "kind": "web_search" })), law(json!("web_search")));
}

#[test]
fn what_is_no_law_is_refused_with_a_cause() {
    for (v, said) in [
        (json!("web_serch"), "web_search"),
        (json!(5), "unit"),
        (json!("5 ms"), "not a unit of size"),
        (json!({ "kind": "pareot" }), "unknown variant"),
        (json!({ "kind": "exponential", "man": "1 kB" }), "unknown field"),
        (json!({ "kind": "web_search", "mean": "1 kB" }), "web_search"),
        (json!({ "kind": "pareto", "shape": 0.9, "mean": "1 kB" }), "no mean"),
        (json!({ "kind": "pareto", "shape": 1.5, "mean": "0 B" }), "zero"),
        (
            json!({ "kind": "bounded_pareto", "shape": 1.2, "min": "2 kB", "max": "1 kB" }),
            "not \
            below",
        ),
        (json!({ "kind": "bounded_pareto", "shape": 0.0, "min": "1 kB", "max": "2 kB" }), "shape"),
        (json!({ "kind": "log_normal", "mean": "1 kB", "sigma": -1.0 }), "deviation"),
        (json!({ "kind": "empirical", "cdf": [] }), "no point"),
        (json!({ "kind": "empirical", "cdf": [["1 kB", 0.5]] }), "0.5"),
        (json!({ "kind": "empirical", "cdf": [["2 kB", 0.5], ["1 kB", 1.0]] }), "not beyond"),
        (
            json!({ "kind": "empirical", "cdf": [["2 kB", -0.5], ["4 kB", 1.0]] }),
            "not a probability",
        ),
    ] {
        let fault = match serde_json::from_value::<Distribution<Bytes>>(v.clone()) {
            Ok(law) => law.check("size").map_err(|f| f.cause),
            Err(e) => Err(e.to_string()),
        };
        assert!(fault.as_ref().is_err_and(|e| e.contains(said)), "{v}: {fault:?}");
    }
}

/// Between two points of a table the value is in proportion; below the first one it is that.
#[test]
fn a_table_is_interpolated() {
    let table = [(Bytes(100), 0.25), (Bytes(300), 0.75), (Bytes(400), 1.0)];
    for (u, x) in
        [(0.0, 100.0), (0.2, 100.0), (0.25, 100.0), (0.5, 200.0), (0.75, 300.0), (0.875, 350.0)]
    {
        assert_eq!(interpolate(&table, u), x, "{u}");
    }
    assert_eq!(interpolate(&table, 1.0), 400.0);
}
