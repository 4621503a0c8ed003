//! An algorithm's page and parameters are complete, and what is wrong is refused where it is wrong.
use dumbbell_core::catalogue::{Algorithm, Entry, read};
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
    if let (Some(low), Some(high)) = (bound("minimum", "exclusiveMinimum"), bound("maximum", "exclusiveMaximum")) {
        return [low, (low + high) / 2.0, high].map(|x| json!(x)).into();
    }
    let name = rule["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/"));
    let rule = name.map_or(rule, |n| &schema["$defs"][n]);
    let one_of = rule["oneOf"].as_array().into_iter().flatten().map(|one| one["const"].clone());
    one_of.chain(rule["enum"].as_array().into_iter().flatten().cloned()).filter(Value::is_string).collect()
}

/// The defaults, each single offer, and some mixtures drawn at random; those that are allowed.
pub fn choices<A: Algorithm>() -> Vec<A::Config> {
    let schema = (Entry::of::<A>().schema)();
    let offers: Vec<(String, Vec<Value>)> = properties(schema)
        .iter()
        .map(|(name, rule)| (name.clone(), offers(schema, rule)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    let single = offers.iter().flat_map(|(name, values)| values.iter().map(move |v| json!({ name.clone(): v })));
    let mut rng = Stream::named(1, A::ABOUT.name);
    let mixtures = (0..40).map(|_| {
        let drawn = offers.iter().filter_map(|(name, values)| {
            let value = values[rng.below(values.len() as u32) as usize].clone();
            rng.coin(0.6).then(|| (name.clone(), value))
        });
        Value::Object(drawn.collect())
    });
    let count = if offers.is_empty() { 0 } else { 40 };
    [json!({})].into_iter().chain(single).chain(mixtures.take(count)).filter_map(|c| read(&c).ok()).collect()
}

/// The page has all its parts; every parameter has a description, a default and the source of it; the defaults
/// are valid, complete, and read back as themselves.
pub fn documents_itself<A: Algorithm>() {
    let (entry, about) = (Entry::of::<A>(), A::ABOUT);
    assert!(about.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'), "{}", about.name);
    assert!(![about.title, about.idea, about.equations].contains(&"") && !about.sources.is_empty());
    assert!(about.equations.lines().all(|l| l.chars().count() <= 100), "equations are at most 100 columns wide");
    let (schema, defaults) = ((entry.schema)(), (entry.defaults)());
    for (name, rule) in properties(schema) {
        for key in ["description", "x-source"] {
            assert!(rule[key].as_str().is_some_and(|text| !text.is_empty()), "{}.{name} has no {key}", about.name);
        }
        assert!(rule.get("default").is_some() && defaults.get(&name).is_some(), "{}.{name}: no default", about.name);
    }
    assert_eq!((entry.resolve)(&json!({})), Ok(defaults.clone()), "{}", about.name);
    assert_eq!((entry.resolve)(&defaults), Ok(defaults.clone()), "{}", about.name);
}

/// Unknown keys, values beyond their range, and bare numbers for a quantity.
pub fn refuses_what_is_wrong<A: Algorithm>() {
    let entry = Entry::of::<A>();
    let refused = |name: &str, value: Value| match (entry.resolve)(&json!({ name: value.clone() })) {
        Err(fault) => assert!(fault.at == name || fault.at.starts_with(&format!("{name}[")), "{fault:?}"),
        Ok(resolved) => panic!("{}.{name} = {value} was read as {resolved}", A::ABOUT.name),
    };
    refused("no_such_parameter", json!(1));
    for (name, rule) in properties((entry.schema)()) {
        let bound = |word: &str| rule[word].as_f64();
        if let Some(low) = bound("minimum") {
            refused(&name, json!(low - 1.0));
        }
        if let Some(high) = bound("maximum") {
            refused(&name, json!(high + 1.0));
        }
        for limit in [bound("exclusiveMinimum"), bound("exclusiveMaximum")].into_iter().flatten() {
            refused(&name, json!(limit));
        }
        refused(&name, json!(["a list"]));
    }
}
