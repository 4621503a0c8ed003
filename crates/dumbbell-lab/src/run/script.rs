//! Scripts that test one end of a TCP step by step ([`dumbbell_script`]), as documents for the API.
use crate::language::problem::{Diagnostic, Place, Problem, Texts, code};
use crate::verb::Asked;
use dumbbell_script::Failure;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A script that tests one end of a TCP.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptRequest {
    /// The script.
    pub text: String,
    /// What messages call it.
    pub name: String,
}

impl Asked for ScriptRequest {}

/// Runs the script `text`, which messages call `name`:
/// `{"file", "ok", "failures": [{"file", "line", "column", "at_s", "expected", "came", "history",
/// "rendered"}]}`.
///
/// # Errors
/// Code 2, with every line that cannot be read.
pub fn run(text: &str, name: &str) -> Result<Value, Problem> {
    let mut texts = Texts::default();
    let number = texts.add(name, text);
    let place = |from, to| Place { text: number, from, to };
    let script = dumbbell_script::read(text).map_err(|troubles| {
        let found: Vec<Diagnostic> = troubles
            .into_iter()
            .map(|t| Diagnostic { fix: t.fix, ..Diagnostic::new(t.cause).at(place(t.from, t.to)) })
            .collect();
        Problem::new(code::SCENARIO, &found, &texts)
    })?;
    let failures: Vec<Value> =
        script.run().iter().map(|f| document(f, place(f.from, f.to), &texts)).collect();
    Ok(json!({ "file": name, "ok": failures.is_empty(), "failures": failures }))
}

/// `rendered` is for people: the line with a caret, what was expected, what came, and what happened
/// before.
fn document(f: &Failure, place: Place, texts: &Texts) -> Value {
    let (line, column) = texts.line_column(place);
    let history = f.history.iter().map(|event| format!("\n    {event}")).collect::<String>();
    let cause = format!("expected {}; came {}", f.expected, f.came);
    let mut rendered = Diagnostic::new(&cause).at(place).rendered(texts);
    if !history.is_empty() {
        rendered.push_str(&format!("  before it:{history}\n"));
    }
    json!({
        "file": texts.name(place.text),
        "line": line,
        "column": column,
        "at_s": f.at.seconds(),
        "expected": f.expected,
        "came": f.came,
        "history": f.history,
        "rendered": rendered,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_hold_has_its_line_a_caret_and_what_was_before() {
        let script = "sender cc=newreno\n0 write 2 pkt\n0 > s1-s2\n0.1 < ack s2\n0.1 ? cwnd == 3 \
            pkt";
        let told = run(script, "mine.dbs").unwrap();
        assert_eq!(told["ok"], false);
        let f = &told["failures"][0];
        assert_eq!((&f["line"], &f["column"], &f["at_s"]), (&json!(5), &json!(7), &json!(0.1)));
        assert_eq!(
            (&f["expected"], &f["came"]),
            (
                &json!("cwnd == 3 pkt"),
                &json!(
                    "10000 B (10 \
            pkt)"
                )
            )
        );
        let text = f["rendered"].as_str().unwrap();
        assert!(text.contains("mine.dbs:5:7") && text.contains("0.100000 < ack 1001"), "{text}");
    }

    #[test]
    fn what_cannot_be_read_is_refused_as_a_scenario_is() {
        let problem = run("sender cc=newrino\n0 > s1", "mine.dbs").unwrap_err();
        assert_eq!(problem.code, 2);
        assert!(problem.rendered.contains("did you mean `newreno`?"), "{}", problem.rendered);
        assert_eq!(problem.json["problems"][0]["line"], 1);
    }
}
