//! The autocorrelation of the hardware's shift register, for figures: the effect of one draw on the
//! probability of a later one. See [`lags`](dumbbell_algos::aqm::red_hw::lags).
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::verb::{self, Asked};
use dumbbell_algos::aqm::red_hw::RedHwMode;
use dumbbell_algos::aqm::red_hw::lags::{Lag, lags, lags_of, unconditional};
use dumbbell_algos::aqm::red_hw::lfsr::Polynomial;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Most spacings of one request: each goes through every state that drops.
const MOST: u32 = 4096;

/// The random numbers that the autocorrelation is about.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
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
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LagsRequest {
    mode: Draws,
    /// The first spacing, in clocks (`paper`, `dense_free`) or packets (`sound`).
    from: u32,
    /// The last one.
    to: u32,
    /// The probability of a drop.
    p: f64,
}

impl Asked for LagsRequest {
    fn read(request: &Value) -> Result<LagsRequest, Problem> {
        let read: LagsRequest = verb::typed(request)?;
        let LagsRequest { from, to, p, .. } = read;
        let wrong = [
            (!(0.0..=1.0).contains(&p), "p", format!("{p} is not a probability"), "write 0.02"),
            (
                to < from || to - from >= MOST,
                "to",
                format!("{from} to {to}: 1 to {MOST} spacings"),
                "write from = 1, to = 64",
            ),
        ];
        let found: Vec<Diagnostic> = wrong
            .into_iter()
            .filter(|w| w.0)
            .map(|(_, key, cause, fix)| {
                Diagnostic::new(format!("`{key}`: {cause}")).fix(fix).key(&[key.to_string()])
            })
            .collect();
        if found.is_empty() {
            return Ok(read);
        }
        Err(Problem::new(code::SCENARIO, &found, &Texts::default()))
    }
}

/// How much likelier a drop of `red_hw` becomes some clocks or packets after another drop:
/// `{"p", "threshold", "rows": [{"spacing", "again", "drops", "probability"}]}`, where p is the
/// exact probability of a drop.
///
/// # Errors
/// None.
pub fn answer(asked: &LagsRequest) -> Result<Value, Problem> {
    let LagsRequest { mode, from, to, p } = *asked;
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

    fn answer(request: &Value) -> Result<Value, Problem> {
        super::answer(&LagsRequest::read(request)?)
    }

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
