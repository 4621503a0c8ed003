//! The autocorrelation of the hardware's shift register, for figures: the effect of one draw on the
//! probability of a later one. See [`lags`](dumbbell_algos::aqm::red_hw::lags).
use crate::language::problem::{Check, Texts};
use crate::language::problem::{Diagnostic, Problem, code};
use crate::language::read;
use dumbbell_algos::aqm::red_hw::RedHwMode;
use dumbbell_algos::aqm::red_hw::lags::{Lag, lags, lags_of, unconditional};
use dumbbell_algos::aqm::red_hw::lfsr::Polynomial;
use serde::Deserialize;
use serde_json::{Value, json};

/// Most spacings of one request: each goes through every state that drops.
const MOST: u32 = 4096;

/// The random numbers that the autocorrelation is about.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Draws {
    /// The trinomial, one step a clock.
    Paper,
    /// The dense polynomial, 32 steps a packet.
    Sound,
    /// The dense polynomial, one step a clock: what the steps alone are for.
    DenseFree,
}

/// The request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    mode: Draws,
    from: u32,
    to: u32,
    p: f64,
}

/// `{"mode", "from", "to", "p"}`: from, to: spacings, in clocks (`paper`, `dense_free`) or packets
/// (`sound`). The answer:
/// `{"p", "threshold", "rows": [{"spacing", "again", "drops", "probability"}]}`, where p is the
/// exact probability of a drop.
pub fn answer(request: &Value) -> Result<Value, Problem> {
    let (mut texts, mut check) = (Texts::default(), Check::default());
    let root = read::json(&mut texts, "request", request);
    let asked: Option<Request> = crate::language::deser::read(&root, &[], &mut check);
    if let Some(Request { from, to, p, .. }) = asked {
        let wrong = [
            (!(0.0..=1.0).contains(&p), "p", format!("{p} is no probability"), "write 0.02"),
            (
                to < from || to - from >= MOST,
                "to",
                format!("{from} to {to}: 1 to {MOST} spacings"),
                "write from = 1, to = 64",
            ),
        ];
        for (_, key, cause, fix) in wrong.into_iter().filter(|w| w.0) {
            let at = [key.to_string()];
            check.error(Diagnostic::new(cause).at(root.nearest_place(&at)).fix(fix).key(&at));
        }
    }
    let (Some(Request { mode, from, to, p }), true) = (asked, check.ok()) else {
        return Err(Problem::new(code::SCENARIO, &check.found, &texts));
    };
    let threshold = (p * f64::from(1 << 21)).round() as u32;
    let found = match mode {
        Draws::Paper => lags(RedHwMode::Paper, from..=to, threshold),
        Draws::Sound => lags(RedHwMode::Sound, from..=to, threshold),
        Draws::DenseFree => lags_of(Polynomial::Dense, 1, from..=to, threshold),
    };
    let row = |lag: &Lag| {
        json!({
            "spacing": lag.spacing, "again": lag.again, "drops": lag.drops,
            "probability": lag.probability(),
        })
    };
    let rows: Vec<Value> = found.iter().map(row).collect();
    Ok(json!({ "p": unconditional(threshold), "threshold": threshold, "rows": rows }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_bursts_are_told() {
        let told = answer(&json!({ "mode": "paper", "from": 18, "to": 22, "p": 0.02 })).unwrap();
        assert_eq!(
            (told["threshold"].clone(), told["rows"][2]["spacing"].clone()),
            (json!(41_943), json!(20))
        );
        assert!((told["rows"][2]["probability"].as_f64().unwrap() - 0.25).abs() < 0.001, "{told}");
        let told = answer(&json!({ "mode": "sound", "from": 1, "to": 2, "p": 0.02 })).unwrap();
        assert!((told["rows"][0]["probability"].as_f64().unwrap() - 0.02).abs() < 0.001, "{told}");
    }

    #[test]
    fn what_is_wrong_is_refused() {
        let good = json!({ "mode": "paper", "from": 18, "to": 22, "p": 0.02 });
        for (key, value) in [
            ("mode", json!("odd")),
            ("to", json!(17)),
            ("to", json!(5000)),
            ("p", json!(1.5)),
            ("q", json!(1)),
        ] {
            let mut asked = good.clone();
            asked[key] = value;
            let problem = answer(&asked).unwrap_err();
            assert!(
                problem.code == code::SCENARIO && problem.json["problems"][0]["key"] == key,
                "{}",
                problem.json
            );
        }
    }
}
