//! From a tree to typed structs, with serde's messages in a user's words.
use crate::language::node::{Node, Path, below};
use crate::language::problem::{Check, Diagnostic};
use dumbbell_core::catalogue::from_json::from_json;
use dumbbell_core::catalogue::misread::{Misread, Step};
use dumbbell_core::catalogue::nearest;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Errors that one table may show at once.
const AT_ONCE: usize = 10;

/// Reads `node`, which stands at `at` in the scenario. After an error the faulty value is left out
/// and the rest is read again, so that independent errors are reported together.
pub fn read<T: DeserializeOwned>(node: &Node, at: &[String], check: &mut Check) -> Option<T> {
    read_as(node, at, false, check)
}

/// Checks `node` as [`read`] does, but lets keys be missing.
pub fn draft<T: DeserializeOwned>(node: &Node, at: &[String], check: &mut Check) {
    read_as::<T>(node, at, true, check);
}

fn read_as<T: DeserializeOwned>(
    node: &Node,
    at: &[String],
    may_lack: bool,
    check: &mut Check,
) -> Option<T> {
    let mut value = node.to_json();
    let mut whole = true;
    for _ in 0..AT_ONCE {
        let error = match from_json::<T>(&value) {
            Ok(t) => return whole.then_some(t),
            Err(e) => e,
        };
        let inner = steps(&error);
        let message = error.message();
        if (may_lack || !whole) && message.starts_with("missing field") {
            return None; // It may be the one that was left out.
        }
        whole = false;
        check.error(explain(message, node, &inner, at));
        let unknown =
            quoted(message).first().filter(|_| message.starts_with("unknown field")).cloned();
        if !leave_out(&mut value, &inner, unknown.as_deref()) {
            return None;
        }
    }
    None
}

fn steps(error: &Misread) -> Path {
    error
        .path()
        .map(|step| match step {
            Step::Index(index) => index.to_string(),
            Step::Key(key) => key.clone(),
        })
        .collect()
}

/// The words between backticks.
fn quoted(message: &str) -> Vec<String> {
    message.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

/// Serde's message as cause and fix.
fn explain(message: &str, node: &Node, inner: &[String], at: &[String]) -> Diagnostic {
    let words = quoted(message);
    let full: Path = at.iter().chain(inner).cloned().collect();
    let value_at = node.nearest_place(inner);
    let known: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    if message.starts_with("unknown field") {
        let key_path =
            if inner.last() == words.first() { inner.to_vec() } else { below(inner, &words[0]) };
        let d = Diagnostic::new(format!("there is no key `{}` here", words[0]))
            .at(node.key_place(&key_path));
        return suggest(d, &words[0], &known)
            .key(&at.iter().chain(&key_path).cloned().collect::<Path>());
    }
    if message.starts_with("missing field") {
        let fix = match words[0].as_str() {
            "duration" => "say how long a run lasts: duration = \"60 s\"".to_string(),
            "rate" => "write rate = \"100 Mbps\"".to_string(),
            "delay" => "write delay = \"10 ms\"".to_string(),
            key => format!("write {key} = ..."),
        };
        return Diagnostic::new(format!("`{}` is missing", words[0]))
            .at(value_at)
            .fix(fix)
            .key(&full);
    }
    plain(message).at(value_at).key(&full)
}

/// A message of ours (`cause: write "..."`) or serde's, split into cause and fix.
pub fn plain(message: &str) -> Diagnostic {
    if message.starts_with("unknown variant") {
        let words = quoted(message);
        let known: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let written = words.first().map_or("", String::as_str);
        return suggest(
            Diagnostic::new(format!("`{written}` is not one of the choices")),
            written,
            &known,
        );
    }
    if let Some(rest) = message.strip_prefix("invalid type: ") {
        let (found, wanted) = rest.split_once(", expected ").unwrap_or((rest, "something else"));
        let wanted = wanted.trim_start_matches("struct ");
        return Diagnostic::new(format!(
            "this is {}, and {} belongs here",
            article(found),
            article(wanted)
        ));
    }
    for joint in [": write ", "; write "] {
        if let Some((cause, fix)) = message.split_once(joint) {
            return Diagnostic::new(cause).fix(format!("write {fix}"));
        }
    }
    if let Some((found, wanted)) = message.strip_prefix("invalid value: ").and_then(|m| {
        m.split_once(
            ", \
        expected ",
        )
    }) {
        return of_value(found, wanted);
    }
    if message.ends_with("too large for a time") {
        return Diagnostic::new(message).fix(
            "the longest time is 213 days: times are whole \
            picoseconds in 64 bits",
        );
    }
    match message.split_once("; known are ") {
        Some((cause, known)) => Diagnostic::new(cause).fix(format!("known are {known}")),
        None => Diagnostic::new(message),
    }
}

/// A value of the right type that is out of range, in serde's words: "integer `-1`", and the type
/// that is wanted.
fn of_value(found: &str, wanted: &str) -> Diagnostic {
    let written = quoted(found).into_iter().next().unwrap_or_else(|| found.to_string());
    let bits = wanted
        .strip_prefix('u')
        .and_then(|n| n.parse::<u32>().ok().or((n == "size").then_some(64)));
    match bits {
        Some(_) if written.starts_with('-') => {
            Diagnostic::new(format!("{written} is negative")).fix("write a whole number from 0 up")
        }
        Some(bits @ 1..=64) => Diagnostic::new(format!("{written} is too large"))
            .fix(format!("write a whole number from 0 to {}", u64::MAX >> (64 - bits))),
        _ => Diagnostic::new(format!("{written} is out of range: {wanted} belongs here")),
    }
}

/// Serde's name of a type in plain words.
fn article(words: &str) -> String {
    let words = words
        .replace("sequence", "list")
        .replace("map", "table")
        .replace("floating point", "number");
    let words = match words.as_str() {
        "u64" | "u32" | "usize" => "whole number".to_string(),
        "f64" => "number".to_string(),
        "null" => return "nothing".into(),
        w if w.chars().next().is_some_and(char::is_uppercase) => "table".to_string(),
        w => w.trim_start_matches("a ").to_string(),
    };
    format!("{} {words}", if words.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" })
}

/// With the nearest known word, or all of them, as the fix.
pub fn suggest(d: Diagnostic, written: &str, known: &[&str]) -> Diagnostic {
    match nearest(written, known) {
        Some(name) => d.fix(format!("did you mean `{name}`?")),
        None if known.is_empty() => d,
        None => d.fix(format!("known are {}", known.join(", "))),
    }
}

/// Takes the faulty value out of `value`; false if there is nothing to take.
fn leave_out(value: &mut Value, path: &[String], unknown: Option<&str>) -> bool {
    let mut path: Vec<&str> = path.iter().map(String::as_str).collect();
    if let Some(key) = unknown
        && path.last() != Some(&key)
    {
        path.push(key);
    }
    let Some((last, parents)) = path.split_last() else { return false };
    let parent = parents.iter().try_fold(value, |v, step| match v {
        Value::Object(m) => m.get_mut(*step),
        Value::Array(a) => a.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    });
    match parent {
        Some(Value::Object(m)) => m.shift_remove(*last).is_some(),
        _ => false,
    }
}
