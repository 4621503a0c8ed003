//! The verb `pack`: what a page decodes is what was packed.
#![allow(clippy::disallowed_methods)]
mod decoder;
mod files;

use dumbbell_lab::api::{Caller, ask};
use dumbbell_lab::language::problem::{Problem, code};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn pack(request: &Value) -> Result<Value, Problem> {
    ask("pack", request, &Caller::PLAIN)
}

/// Packs one table of given rows.
fn packed(rows: Value) -> Value {
    pack(&json!({ "tables": [{ "id": "t", "rows": rows }] })).unwrap()
}

/// The values of a column of it.
fn decoded(answer: &Value, name: &str) -> Vec<Option<f64>> {
    decoder::column(&answer["tables"]["t"]["columns"][name], &decoder::inflate(answer))
        .iter()
        .map(Value::as_f64)
        .collect()
}

type Numbers = Vec<Option<f64>>;

/// Columns of numbers as they occur, and as they should not.
fn numbers() -> impl Strategy<Value = Numbers> {
    const MOST: i64 = 1 << 52;
    let rows = 0..700_usize;
    let integers = prop::collection::vec(-MOST..=MOST, rows.clone());
    let counts = prop::collection::vec(0..900_i64, rows.clone());
    let walks = prop::collection::vec(-30..40_i64, rows.clone()).prop_map(|steps| {
        steps
            .into_iter()
            .scan(1_000_000, |sum, step| {
                Some({
                    *sum += 1448 * step;
                    *sum
                })
            })
            .collect()
    });
    let whole = prop_oneof![integers, counts, walks]
        .prop_map(|of: Vec<i64>| of.into_iter().map(|n| n as f64).collect::<Vec<_>>());
    let reals = (prop::collection::vec(-1.0..1.0_f64, rows.clone()), -290..300_i32)
        .prop_map(|(of, e)| of.into_iter().map(|x| x * 10.0_f64.powi(e)).collect());
    let any = prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, rows.clone());
    let constant = (-1e9..1e9_f64, rows.clone()).prop_map(|(x, rows)| vec![x; rows]);
    let values = prop_oneof![4 => whole, 3 => reals, 1 => any, 1 => constant];
    let missing = prop_oneof![Just(0.0), Just(0.1), Just(0.9), Just(1.0)];
    (values, missing, prop::collection::vec(0.0..1.0_f64, rows)).prop_map(|(values, part, at)| {
        let chance = at.into_iter().chain(std::iter::repeat(0.5));
        values.into_iter().zip(chance).map(|(v, chance)| (chance >= part).then_some(v)).collect()
    })
}

/// The largest error that a column of this name may have.
fn tolerance(name: &str, values: &Numbers) -> f64 {
    let largest = values.iter().flatten().fold(0.0, |largest: f64, v| largest.max(v.abs()));
    let most = (1_u64 << 52) as f64;
    // The last digit of a product of two numbers is beside the point.
    let rounding = largest * 1e-15;
    if values.iter().flatten().all(|v| v.fract() == 0.0) && largest <= most {
        0.0
    } else if name.ends_with("_s") && largest <= most * 1e-9 {
        0.5e-9 + rounding
    } else {
        largest * 0.5e-6 + rounding + f64::MIN_POSITIVE * 1e7
    }
}

fn check(name: &str, values: &Numbers) -> Result<(), TestCaseError> {
    let answer = packed(json!({ name: values }));
    let found = decoded(&answer, name);
    prop_assert_eq!(found.len(), values.len());
    let tolerance = tolerance(name, values);
    for (found, value) in found.iter().zip(values) {
        prop_assert_eq!(found.is_some(), value.is_some());
        let (found, value) = (found.unwrap_or(0.0), value.unwrap_or(0.0));
        prop_assert!((found - value).abs() <= tolerance, "{} for {}", found, value);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn numbers_come_back(values in numbers()) {
        check("avg", &values)?;
    }

    #[test]
    fn times_come_back(
        rows in 1..900_usize, start in 0.0..1e5_f64, every in 1e-6..2.0_f64,
        late in prop_oneof![Just(0.0), Just(0.4e-9), Just(1e-3)],
        chances in prop::collection::vec(-1.0..1.0_f64, 900),
    ) {
        let at = |(i, chance): (usize, &f64)| Some(start + i as f64 * every + late * chance);
        let times: Numbers = chances.iter().enumerate().take(rows).map(at).collect();
        check("time_s", &times)?;
        if late == 0.0 {
            let answer = packed(json!({ "time_s": times }));
            prop_assert_eq!(&answer["tables"]["t"]["columns"]["time_s"]["coding"], "even");
        }
    }

    #[test]
    fn words_come_back(
        words in prop::collection::vec(prop::option::of("[a-z☃]{0,2}"), 1..600),
    ) {
        prop_assume!(words.iter().any(Option::is_some));
        let answer = packed(json!({ "kind": words }));
        let column = &answer["tables"]["t"]["columns"]["kind"];
        let found = decoder::column(column, &decoder::inflate(&answer));
        prop_assert_eq!(json!(found), json!(words));
    }

    /// Of what the full resolution decodes to.
    #[test]
    fn levels_are_minima_and_maxima_of_their_buckets(
        (rows, seed) in (0..9000_usize, any::<u64>()),
    ) {
        let mut state = seed | 1;
        let mut chance = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let times: Numbers = (0..rows).map(|i| Some(i as f64 * 0.01)).collect();
        let mut values = |part: f64, scale: f64| -> Numbers {
            (0..rows).map(|i| (chance() > part && i / 64 != 3).then(|| chance() * scale)).collect()
        };
        let request = json!({ "time_s": times, "avg": values(0.5, 20.0), "p": values(0.0, 1e-3) });
        let table = &decoder::tables(&packed(request))["t"];
        let levels = table["levels"].as_array().unwrap();
        let sizes: Vec<usize> =
            [16384, 1024, 64].into_iter().filter(|size| rows >= 4 * size).collect();
        prop_assert_eq!(levels.len(), sizes.len());
        for (level, size) in levels.iter().zip(sizes) {
            prop_assert_eq!(&level["size"], size);
            for (name, bounds) in level["columns"].as_object().unwrap() {
                let all = table["columns"][name].as_array().unwrap();
                let (low, high) = (&bounds["low"], &bounds["high"]);
                prop_assert_eq!(low.as_array().unwrap().len(), rows.div_ceil(size));
                for (k, bucket) in all.chunks(size).enumerate() {
                    let values: Vec<f64> = bucket.iter().filter_map(Value::as_f64).collect();
                    // Even times are coded by their ends, and so differ in the last digit.
                    let near = |found: &Value, exact: Option<f64>| match (found.as_f64(), exact) {
                        (Some(found), Some(exact)) => (found - exact).abs() < 1e-12,
                        (found, exact) => found == exact,
                    };
                    let least = values.iter().copied().reduce(f64::min);
                    let most = values.iter().copied().reduce(f64::max);
                    prop_assert!(near(&low[k], least), "{} of {} at {}", name, size, k);
                    prop_assert!(near(&high[k], most), "{} of {} at {}", name, size, k);
                }
            }
        }
    }
}

/// A window and an average of a queue, as long as a page may have them.
fn recording(rows: usize) -> Value {
    let wave = |i: usize| (i as f64 / 97.0).sin();
    json!({
        "time_s": (0..rows).map(|i| i as f64 / 100.0).collect::<Vec<_>>(),
        "cwnd_bytes": (0..rows).map(|i| 1448 * (20 + i % 700 / 25)).collect::<Vec<_>>(),
        "avg": (0..rows).map(|i| 12.0 + 3.0 * wave(i) + wave(i * i)).collect::<Vec<_>>(),
    })
}

#[test]
fn a_point_needs_at_most_three_bytes() {
    let rows = 20_000;
    let answer = packed(recording(rows));
    assert_eq!(answer["points"], 3 * rows);
    let bytes: usize =
        answer["blobs"].as_array().unwrap().iter().map(|b| b.as_str().unwrap().len()).sum();
    assert_eq!(answer["bytes"], bytes);
    assert!(bytes <= 3 * 3 * rows, "{bytes} bytes");
}

#[test]
fn values_that_are_no_course_over_time_have_digits_of_their_own() {
    let values = [0.0, 1.234_567_8e-6, 4.321e-5, -0.012_345_678, 0.5, 98.765_432_1];
    let table = &decoder::tables(&packed(json!({ "x": values })))["t"];
    for (found, value) in table["columns"]["x"].as_array().unwrap().iter().zip(values) {
        let error = (found.as_f64().unwrap() - value).abs();
        assert!(error <= 0.5e-6 * value.abs(), "{found} for {value}");
    }
}

#[test]
fn the_first_blob_has_what_is_drawn_first() {
    let answer = packed(recording(20_000));
    let table = &answer["tables"]["t"];
    let blob = |column: &Value| column["blob"].as_u64().unwrap();
    for level in table["levels"].as_array().unwrap() {
        for column in ["cwnd_bytes", "avg"] {
            assert_eq!(blob(&level["columns"][column]["low"]), 0, "{}", level["size"]);
        }
    }
    assert_ne!(blob(&table["columns"]["avg"]), 0);
    assert_ne!(blob(&table["columns"]["avg"]), blob(&table["columns"]["cwnd_bytes"]));
}

#[test]
fn small_tables_share_a_blob() {
    let table =
        |id: &str| json!({ "id": id, "rows": { "time_s": [1, 3, 4], "kind": ["a", null, "a"] } });
    let answer =
        pack(&json!({ "tables": [table("a"), table("b")], "texts": ["é", "ab"] })).unwrap();
    assert_eq!(answer["blobs"].as_array().unwrap().len(), 2);
    assert_eq!(answer["texts"][1], json!({ "blob": 1, "at": 2, "bytes": 2 }));
    assert_eq!(decoder::inflate(&answer)[1], "éab".as_bytes());
    let tables = decoder::tables(&answer);
    assert_eq!(tables["a"], tables["b"]);
    assert_eq!(tables["b"]["columns"]["kind"], json!(["a", null, "a"]));
}

#[test]
fn a_wrong_request_is_refused() {
    let tables = [
        json!({ "id": "t" }),
        json!({ "id": "t", "file": "flows.parquet", "rows": {} }),
        json!({ "id": "t", "rows": { "a": [1, "b"] } }),
        json!({ "id": "t", "rows": { "a": [1, true] } }),
        json!({ "id": "t", "rows": { "a": [1], "b": [1, 2] } }),
        json!({ "id": "t", "file": "flows.parquet", "members": ["a"] }),
        json!({ "id": "t", "file": "f", "members": [], "key": "flow", "quantiles": [1.1] }),
        json!({ "id": "t", "file": "flows.parquet", "colums": [] }),
    ];
    for table in tables {
        let problem = pack(&json!({ "tables": [table] })).expect_err(&table.to_string());
        assert_eq!(problem.code, code::SCENARIO, "{table}");
    }
}

/// A request, its answer and the values that a page decodes, for the decoders of other languages.
/// `UPDATE_GOLDEN=1` writes them anew.
#[test]
fn the_vectors_of_other_decoders_are_current() {
    let rows = 300_i64;
    let of = |value: &dyn Fn(i64) -> Value| (0..rows).map(value).collect::<Value>();
    let request = json!({
        "tables": [
            { "id": "series", "rows": {
                "time_s": of(&|i| json!(i as f64 / 4.0)),
                "srtt_us": of(&|i| json!(45_000.0 + 1.5 * (i * i % 1009) as f64)),
                "queue_packets": of(&|i| if i % 50 < 9 { Value::Null } else { json!(i * i % 31) }),
            } },
            { "id": "events", "rows": {
                "time_s": [0.25, 1.125_000_004, 1.125_000_004, 7.5],
                "kind": ["drop", null, "mark", "drop"],
                "seq": [1, 4_503_599_627_370_496_u64, -4_503_599_627_370_496_i64, null],
                "bytes": [null, 3_000, -12_000, 120_000],
                "avg": [0, 3.25, -17.125_000_1, 17.5],
                "p_b": [0, 1e-9, 2.5e-9, 3e-7],
                "nothing": [null, null, null, null],
                "phase": [null, null, "open", "open"],
            } },
            { "id": "empty", "rows": { "time_s": [], "kind": [] } },
        ],
        "texts": ["dropped by RED", "naïve → ☃"],
    });
    let answer = pack(&request).unwrap();
    let decoded = decoder::tables(&answer);
    let parts = [("request", request), ("answer", answer), ("decoded", decoded)];
    let lines = parts.map(|(name, part)| format!("\"{name}\": {part}"));
    let text = format!("{{\n{}\n}}\n", lines.join(",\n"));
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pack_vectors.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden, &text).unwrap();
    }
    assert!(std::fs::read_to_string(golden).unwrap_or_default() == text, "{golden} is not current");
    let all: Map<String, Value> = serde_json::from_str(&text).unwrap();
    for coding in ["even", "delta", "plain", "words"] {
        assert!(
            all["answer"].to_string().contains(&format!("\"coding\":\"{coding}\"")),
            "{coding}"
        );
    }
}
