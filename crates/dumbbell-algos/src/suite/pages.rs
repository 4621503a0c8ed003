//! An algorithm's page and parameters are complete, and what is wrong is refused where it is wrong.
use crate::suite::under_test::{Described, Finding, ensure};
use dumbbell_core::rng::Stream;
use serde_json::{Map, Value, json};

/// The schema's properties and the definitions that they refer to.
fn properties(schema: &Value) -> Map<String, Value> {
    schema["properties"].as_object().cloned().unwrap_or_default()
}

/// Values that a parameter offers: its words, or the ends and the middle of its range.
fn offers(schema: &Value, rule: &Value) -> Vec<Value> {
    if rule["type"] == "boolean" {
        return vec![json!(true), json!(false)];
    }
    let bound = |word: &str, open: &str| rule[word].as_f64().or(rule[open].as_f64());
    if let (Some(low), Some(high)) =
        (bound("minimum", "exclusiveMinimum"), bound("maximum", "exclusiveMaximum"))
    {
        return [low, (low + high) / 2.0, high].map(|x| number(rule, x)).into();
    }
    let name = rule["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/"));
    let rule = name.map_or(rule, |n| &schema["$defs"][n]);
    let one_of = rule["oneOf"].as_array().into_iter().flatten().map(|one| one["const"].clone());
    one_of
        .chain(rule["enum"].as_array().into_iter().flatten().cloned())
        .filter(Value::is_string)
        .collect()
}

/// `x` as the rule writes numbers: with its unit, and whole where it must be whole.
fn number(rule: &Value, x: f64) -> Value {
    let unit = match rule["x-unit"].as_str() {
        Some("time") => "s",
        Some("size") => "B",
        Some("rate") => "bps",
        Some("number of packets") => "pkt",
        _ if rule["type"] == "integer" => return json!(x as i64),
        _ => return json!(x),
    };
    json!(format!("{x} {unit}"))
}

/// The defaults, each single offer, and some mixtures drawn at random; those that are allowed,
/// written out.
pub fn choices(described: &Described) -> Vec<Value> {
    let schema = &described.page.schema;
    let mut offers: Vec<(String, Vec<Value>)> = properties(schema)
        .iter()
        .map(|(name, rule)| (name.clone(), offers(schema, rule)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    // The order of a schema's keys depends on what else is built.
    offers.sort_by(|a, b| a.0.cmp(&b.0));
    let single = offers
        .iter()
        .flat_map(|(name, values)| values.iter().map(move |v| json!({ name.clone(): v })));
    let mut rng = Stream::named(1, &described.page.name);
    let mixtures = (0..40).map(|_| {
        let drawn = offers.iter().filter_map(|(name, values)| {
            let value = values[rng.below(values.len() as u32) as usize].clone();
            rng.coin(0.6).then(|| (name.clone(), value))
        });
        Value::Object(drawn.collect())
    });
    let count = if offers.is_empty() { 0 } else { 40 };
    let all = [json!({})].into_iter().chain(single).chain(mixtures.take(count));
    all.filter_map(|c| described.resolve(&c).ok()).collect()
}

/// The page has all its parts; every parameter has a description, a default and the source of it;
/// the defaults are valid, complete, and read back as themselves.
pub fn documents_itself(described: &Described) -> Finding {
    let page = &described.page;
    let name = &page.name;
    let plain = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        && !name.is_empty();
    ensure!(plain, "the name `{name}` may have only small letters, digits and _");
    for (part, text) in
        [("title", &page.title), ("idea", &page.idea), ("equations", &page.equations)]
    {
        ensure!(!text.is_empty(), "its page has no {part}");
    }
    ensure!(!page.sources.is_empty(), "its page has no sources");
    let wide = page.equations.lines().find(|l| l.chars().count() > 100);
    ensure!(wide.is_none(), "equations are at most 100 columns wide: {}", wide.unwrap_or_default());
    let defaults = page.defaults();
    for (parameter, rule) in properties(&page.schema) {
        for (key, what) in [("description", "description"), ("x-source", "source of its default")] {
            let said = rule[key].as_str().is_some_and(|text| !text.is_empty());
            ensure!(said, "the parameter `{parameter}` has no {what}");
        }
        ensure!(rule.get("default").is_some(), "the parameter `{parameter}` has no default");
    }
    for written in [&json!({}), &defaults] {
        match described.resolve(written) {
            Ok(read) => ensure!(read == defaults, "the defaults {defaults} are read as {read}"),
            Err(fault) => {
                return Err(format!("the defaults are refused: {}: {}", fault.at, fault.cause));
            }
        }
    }
    Ok(())
}

/// Unknown keys, values beyond their range, and bare numbers for a quantity.
pub fn refuses_what_is_wrong(described: &Described) -> Finding {
    let refused =
        |name: &str, value: Value| match described.resolve(&json!({ name: value.clone() })) {
            // A list's fault is at the item that is wrong.
            Err(fault) if fault.at == name || fault.at.starts_with(&format!("{name}[")) => Ok(()),
            Err(fault) => {
                Err(format!("{name} = {value} is refused at `{}`: {}", fault.at, fault.cause))
            }
            Ok(resolved) => Err(format!("{name} = {value} was read as {resolved}")),
        };
    refused("no_such_parameter", json!(1))?;
    for (name, rule) in properties(&described.page.schema) {
        let bound = |word: &str| rule[word].as_f64();
        if let Some(low) = bound("minimum") {
            refused(&name, number(&rule, low - 1.0))?;
        }
        if let Some(high) = bound("maximum") {
            refused(&name, number(&rule, high + 1.0))?;
        }
        for limit in [bound("exclusiveMinimum"), bound("exclusiveMaximum")].into_iter().flatten() {
            refused(&name, number(&rule, limit))?;
        }
        refused(&name, json!(["a list"]))?;
    }
    Ok(())
}
