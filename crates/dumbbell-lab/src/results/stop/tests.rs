use super::*;
use crate::api;
use crate::language::stop_rule::{MOST, parse};
use dumbbell_core::rng::Stream;

fn rule(text: &str) -> Option<Rule> {
    parse(text, MOST as usize)
}

fn runs(values: &[f64]) -> Vec<Value> {
    values
        .iter()
        .map(|x| {
            json!({
                "totals": { "goodput_bps": x }, "flows": [{ "name": "a", "goodput_bps": x }],
            })
        })
        .collect()
}

/// By hand: 9, 10, 11 have s = 1 and half an interval of 4.302653 / sqrt 3 = 2.4841, 24.8 % of the
/// mean.
#[test]
fn it_holds_when_half_the_interval_is_below_the_bound() {
    let three = runs(&[9.0, 10.0, 11.0]);
    assert_eq!(rule("ci95 < 24.9%").unwrap().enough(&three, 3), Some(3));
    assert_eq!(rule("ci95 < 24.8%").unwrap().enough(&three, 3), None);
    // Not before the least number of runs, and at the first number at which it holds.
    let five = runs(&[10.0, 10.0, 10.0, 15.0, 10.0]);
    assert_eq!(rule("ci95 < 24%").unwrap().enough(&five, 3), Some(3));
    assert_eq!(rule("ci95 < 24%").unwrap().enough(&five, 4), None);
    assert_eq!(rule("ci95 < 26%").unwrap().enough(&five, 4), Some(5));
    assert_eq!(
        rule("ci95 < 1%").unwrap().enough(&runs(&[0.0; 3]), 3),
        Some(3),
        "what does not \
        vary is known"
    );
}

#[test]
fn it_asks_for_more_and_never_for_too_many() {
    let wide = rule("ci95 < 1%").unwrap();
    let mut have = runs(&[9.0, 10.0, 11.0]);
    let more = wide.more(&have, 3);
    assert!((1..=3).contains(&more), "{more}: at most as many as there are");
    let mut stream = Stream::named(1, "more");
    while wide.more(&have, 3) > 0 {
        let more = wide.more(&have, 3);
        have.extend(runs(&(0..more).map(|_| 9.0 + 2.0 * stream.unit()).collect::<Vec<_>>()));
        assert!(have.len() <= wide.most);
    }
    assert_eq!(have.len(), 100);
    assert_eq!(
        wide.more(&[json!({ "error": {} }), json!({ "error": {} })], 3),
        0,
        "where nothing succeeds, nothing helps"
    );
}

const SCENARIO: &str = r#"
duration = "3 s"
queue = { kind = "red", limit = "36 pkt" }
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
flow = [{ name = "s", count = 2, start_spread = "1 s" }]
[sweep]
stop = { rule = "ci95(flows.s.1.goodput_bps) < 10%", most = 12 }
grid = { "queue.limit" = ["20 pkt", "40 pkt"] }
"#;

fn run(overrides: &[&str], threads: usize) -> Result<Value, crate::language::problem::Problem> {
    api::run(
        &json!({ "source": { "text": SCENARIO }, "overrides": overrides, "threads": threads }),
        &|_| true,
    )
}

#[test]
fn each_point_has_as_many_runs_as_it_takes_whatever_runs_side_by_side() {
    let (one, three) = (run(&[], 1).unwrap(), run(&[], 3).unwrap());
    assert_eq!(one["fingerprint"], three["fingerprint"]);
    for point in one["points"].as_array().unwrap() {
        let n = point["runs"].as_array().unwrap().len();
        assert_eq!(point["stop"]["runs"], n);
        let goodputs: Vec<f64> = point["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["flows"][0]["goodput_bps"].as_f64().unwrap())
            .collect();
        let below = |k: usize| half(&goodputs[..k]) < 0.1 * mean(&goodputs[..k]);
        assert_eq!((3..=n).find(|k| below(*k)).unwrap_or(12), n);
        assert_eq!(point["stop"]["reached"], below(n));
    }
}

#[test]
fn a_rule_about_nothing_is_refused() {
    for (rule, says) in [
        ("ci95(flows.x.goodput_bps) < 2%", "there are s.1, s.2"),
        ("ci95(flows.s.1.goodput) < 2%", "known are goodput_bps"),
        ("ci95(queues.left.marks) < 2%", "there are bottleneck"),
        ("ci95 < two%", "ci95 < 2%"),
    ] {
        let problem = run(&["sweep.stop.most=5", &format!("stop={rule}")], 1).unwrap_err();
        assert!(problem.code == 2 && problem.rendered.contains(says), "{}", problem.rendered);
    }
    assert!(run(&["replications=13"], 1).unwrap_err().rendered.contains("raise `most`"));
}

/// Returns the share of final intervals that hold the true mean, over many points of normal data
/// with a standard deviation of 10 %, and the mean number of runs: the figures of
/// docs/how-to/sweeps.md.
fn coverage(bound: &str, least: usize) -> (f64, f64) {
    let rule = parse(bound, 1000).unwrap();
    let mut rng = Stream::named(7, bound);
    let (points, mut held, mut used) = (2000, 0, 0);
    for _ in 0..points {
        let mut values = Vec::new();
        while values.len() < least || !rule.holds(&values) {
            // Box and Muller.
            let (u, v) = (1.0 - rng.unit(), rng.unit());
            values
                .push(1.0 + 0.1 * (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos());
        }
        held += usize::from((mean(&values) - 1.0).abs() <= half(&values));
        used += values.len();
    }
    (held as f64 / f64::from(points), used as f64 / f64::from(points))
}

/// Stopping as soon as an interval looks narrow favors the luckily narrow ones. With 2000 points
/// the figures are good to about 1 %.
#[test]
fn stopping_early_costs_coverage_and_a_larger_least_number_costs_less() {
    let [(three, n3), (five, n5), (ten, n10)] =
        [3, 5, 10].map(|least| coverage("ci95 < 5%", least));
    assert!(three < five && five < ten, "{three} {five} {ten}");
    assert!(
        (0.80..0.92).contains(&three)
            && (0.86..0.95).contains(&five)
            && (0.91..0.97).contains(&ten)
    );
    assert!(n3 < n5 && n5 < n10 && n10 < 25.0);
}
