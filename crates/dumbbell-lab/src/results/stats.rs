//! Means over replications, with Student's t interval.
use serde_json::{Map, Value, json};
use std::f64::consts::PI;

/// P(-t < T < t) for Student's T with `df` degrees of freedom: the finite sums of Abramowitz and
/// Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
pub fn t_within(t: f64, df: u32) -> f64 {
    let theta = (t / f64::from(df).sqrt()).atan();
    let (sin, cos2) = (theta.sin(), theta.cos().powi(2));
    let odd = df % 2 == 1;
    // Terms: odd df: cos, 2/3 cos^3, 2*4/(3*5) cos^5 ...; even df: 1, 1/2 cos^2, 1*3/(2*4) cos^4
    // ...
    let mut term = if odd { theta.cos() } else { 1.0 };
    let mut sum = 0.0;
    let mut k = if odd { 3 } else { 2 };
    while k <= df {
        sum += term;
        term *= cos2 * f64::from(k - 1) / f64::from(k);
        k += 2;
    }
    if odd { 2.0 / PI * (theta + sin * sum) } else { sin * sum }
}

/// The factor of the standard error in a 95 % interval from `n` values; infinite for fewer than
/// two.
pub fn t95(n: usize) -> f64 {
    if n < 2 {
        return f64::INFINITY;
    }
    let df = u32::try_from(n - 1).unwrap_or(u32::MAX).min(1 << 16);
    let (mut low, mut high) = (1.9, 13.0);
    for _ in 0..60 {
        let mid = 0.5 * (low + high);
        if t_within(mid, df) < 0.95 { low = mid } else { high = mid }
    }
    0.5 * (low + high)
}

/// `{"mean", "ci95": [low, high], "n"}`; the interval of a single value is null.
pub fn interval(values: &[f64], t: f64) -> Value {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return json!({ "mean": mean, "ci95": null, "n": values.len() });
    }
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = t * (variance / n).sqrt();
    json!({ "mean": mean, "ci95": [mean - half, mean + half], "n": values.len() })
}

/// One result from those of several runs: each number becomes its mean and interval, words that are
/// the same stay, truths are joined by "and". Runs in which a number is null do not count for it.
pub fn combine(runs: &[&Value]) -> Value {
    combine_with(runs, t95(runs.len()))
}

fn combine_with(runs: &[&Value], t: f64) -> Value {
    let Some(first) = runs.iter().find(|v| !v.is_null()) else { return Value::Null };
    match first {
        Value::Number(_) => {
            let numbers: Vec<f64> = runs.iter().filter_map(|v| v.as_f64()).collect();
            let t = if numbers.len() == runs.len() { t } else { t95(numbers.len()) };
            interval(&numbers, t)
        }
        Value::Object(map) => {
            let of = |key: &String| {
                combine_with(&runs.iter().map(|r| &r[key.as_str()]).collect::<Vec<_>>(), t)
            };
            Value::Object(map.keys().map(|k| (k.clone(), of(k))).collect::<Map<_, _>>())
        }
        Value::Array(items) if first.as_array().is_some() => {
            let of = |i: usize| combine_with(&runs.iter().map(|r| &r[i]).collect::<Vec<_>>(), t);
            Value::Array((0..items.len()).map(of).collect())
        }
        Value::Bool(_) => Value::Bool(runs.iter().all(|v| v.as_bool().unwrap_or(true))),
        word if runs.iter().all(|v| v == word) => (*word).clone(),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For 1 and 2 degrees of freedom the distribution has closed forms.
    #[test]
    fn quantiles_are_those_of_the_closed_forms() {
        let one = (PI * 0.475).tan();
        let two = 0.95 * (2.0 / (1.0 - 0.95f64.powi(2))).sqrt();
        assert!((t95(2) - one).abs() < 1e-9 && (t95(3) - two).abs() < 1e-9);
    }

    /// Tables print these to three decimals; beyond 1000 the normal's 1.960 is near.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (n, t) in [
            (4, 3.182),
            (5, 2.776),
            (6, 2.571),
            (11, 2.228),
            (21, 2.086),
            (31, 2.042),
            (121, 1.980),
        ] {
            assert!((t95(n) - t).abs() < 5e-4, "{n}: {}", t95(n));
        }
        assert!((t95(100_000) - 1.960).abs() < 5e-4);
        assert!(t95(1).is_infinite());
    }

    /// The probability within t, by Simpson's rule over the density with an independent gamma
    /// function.
    #[test]
    fn probabilities_agree_with_the_integral_of_the_density() {
        for df in 1..=12u32 {
            // Gamma((df+1)/2) / Gamma(df/2) by the recurrence from Gamma(1/2) and Gamma(1).
            let mut ratio = if df % 2 == 1 { 1.0 / PI.sqrt() } else { PI.sqrt() / 2.0 };
            let mut k = if df % 2 == 1 { 1 } else { 2 };
            while k < df {
                ratio *= f64::from(k + 1) / f64::from(k);
                k += 2;
            }
            let v = f64::from(df);
            let density =
                |x: f64| ratio / (v * PI).sqrt() * (1.0 + x * x / v).powf(-(v + 1.0) / 2.0);
            let (t, steps) = (1.7, 2000);
            let h = 2.0 * t / f64::from(steps);
            let weight = |i: i32| {
                if i == 0 || i == steps {
                    1.0
                } else if i % 2 == 1 {
                    4.0
                } else {
                    2.0
                }
            };
            let area: f64 =
                (0..=steps).map(|i| weight(i) * density(-t + h * f64::from(i))).sum::<f64>() * h
                    / 3.0;
            assert!((area - t_within(t, df)).abs() < 1e-9, "{df}: {area} {}", t_within(t, df));
        }
    }

    #[test]
    fn an_interval_by_hand() {
        let v = interval(&[1.0, 2.0, 3.0], t95(3));
        // s = 1, se = 1/sqrt 3, t = 4.302653
        let half = 4.302_652_729_911_275 / 3f64.sqrt();
        assert_eq!((v["mean"].as_f64(), v["n"].as_u64()), (Some(2.0), Some(3)));
        assert!((v["ci95"][1].as_f64().unwrap() - 2.0 - half).abs() < 1e-9);
        assert!((v["ci95"][0].as_f64().unwrap() - 2.0 + half).abs() < 1e-9);
    }

    #[test]
    fn results_combine_by_shape() {
        let a = json!({
            "name": "s", "x": 1.0, "ok": true, "srtt": null, "list": [{ "y": 2 }], "print": "aa",
        });
        let b = json!({
            "name": "s", "x": 3.0, "ok": false, "srtt": 5.0, "list": [{ "y": 4 }], "print": "bb",
        });
        let c = combine(&[&a, &b]);
        assert_eq!((&c["name"], &c["ok"], &c["print"]), (&json!("s"), &json!(false), &Value::Null));
        assert_eq!((&c["x"]["mean"], &c["list"][0]["y"]["mean"]), (&json!(2.0), &json!(3.0)));
        assert_eq!(
            (&c["srtt"]["mean"], &c["srtt"]["n"], &c["srtt"]["ci95"]),
            (&json!(5.0), &json!(1), &Value::Null)
        );
    }
}
