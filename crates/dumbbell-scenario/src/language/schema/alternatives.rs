//! Alternatives that a validator tells apart by type and `kind`, so that it reports the one wrong
//! key and not that no alternative fits.
use serde_json::{Map, Value, json};

/// Adds to all alternatives of tables, by `kind` or beside words, the conditions that choose one.
///
/// The list stays, because editors such as Taplo complete from it and not from conditions. Its last
/// element becomes `true`, which accepts everything: the conditions alone validate.
pub fn tell_apart(schema: &mut Value) {
    let defs = schema["$defs"].as_object().cloned().unwrap_or_default();
    if let Some(Value::Object(own)) = schema.get_mut("$defs") {
        for (name, law) in &defs {
            for (place, table) in law["oneOf"].as_array().into_iter().flatten().enumerate() {
                if let Some(kind) = kind_of(table, &defs) {
                    let name_of_table = format!("{name}.{kind}");
                    own[name]["oneOf"][place] =
                        json!({ "$ref": format!("#/$defs/{name_of_table}") });
                    own.insert(name_of_table, table.clone());
                }
            }
        }
    }
    let defs = schema["$defs"].as_object().cloned().unwrap_or_default();
    conditions(schema, &defs);
}

fn conditions(schema: &mut Value, defs: &Map<String, Value>) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(|v| conditions(v, defs));
            let word = if map.contains_key("anyOf") { "anyOf" } else { "oneOf" };
            let Some(Value::Array(options)) = map.get(word).cloned() else { return };
            let (tables, others): (Vec<Value>, Vec<Value>) =
                options.iter().cloned().partition(|option| is_table(option, defs));
            if tables.is_empty() {
                return;
            }
            map.shift_remove(word);
            map.insert("anyOf".into(), options.into_iter().chain([json!(true)]).collect());
            map.insert("if".into(), json!({ "type": "object" }));
            map.insert("then".into(), table_rule(&tables, defs));
            map.insert("else".into(), other_rule(others, &tables[0]));
        }
        Value::Array(items) => items.iter_mut().for_each(|v| conditions(v, defs)),
        _ => {}
    }
}

/// What a table must be: the one of its `kind`, or the only one.
fn table_rule(tables: &[Value], defs: &Map<String, Value>) -> Value {
    let kinds: Vec<&str> = tables.iter().filter_map(|table| kind_of(table, defs)).collect();
    if kinds.len() < tables.len() {
        return tables[0].clone();
    }
    let required = |table: &Value| {
        resolved(table, defs)["required"].as_array().is_some_and(|r| r.contains(&json!("kind")))
    };
    let without = if tables.iter().all(required) {
        json!({ "required": ["kind"] })
    } else {
        // It lies over a table of another file, whose kind is not known here.
        let keys: Map<String, Value> = tables
            .iter()
            .flat_map(|table| resolved(table, defs)["properties"].as_object().into_iter().flatten())
            .map(|(key, _)| (key.clone(), Value::Null))
            .collect();
        json!({ "propertyNames": { "enum": keys.keys().collect::<Vec<_>>() } })
    };
    let known = json!({ "if": { "required": ["kind"] },
        "then": { "properties": { "kind": { "enum": kinds } } }, "else": without });
    let each = tables.iter().zip(&kinds).map(|(table, kind)| {
        json!({ "if": { "required": ["kind"], "properties": { "kind": { "const": kind } } },
            "then": table })
    });
    json!({ "allOf": std::iter::once(known).chain(each).collect::<Vec<_>>() })
}

/// What anything else must be: words and quantities, or lists. table: a choice of tables may have
/// words of its own.
fn other_rule(others: Vec<Value>, table: &Value) -> Value {
    let (lists, plain): (Vec<Value>, Vec<Value>) =
        others.into_iter().partition(|option| option["type"] == "array");
    let plain = match &plain[..] {
        [] => table.clone(),
        [one] => one.clone(),
        _ => json!({ "anyOf": plain }),
    };
    match lists.first() {
        Some(list) => json!({ "if": { "type": "array" }, "then": list, "else": plain }),
        None => plain,
    }
}

/// True for a table, and for a choice of tables.
fn is_table(option: &Value, defs: &Map<String, Value>) -> bool {
    let rule = resolved(option, defs);
    rule["properties"].is_object()
        || ["oneOf", "anyOf"]
            .iter()
            .any(|word| rule[word].as_array().is_some_and(|o| o.iter().any(|o| is_table(o, defs))))
}

fn kind_of<'a>(table: &'a Value, defs: &'a Map<String, Value>) -> Option<&'a str> {
    resolved(table, defs)["properties"]["kind"]["const"].as_str()
}

fn resolved<'a>(option: &'a Value, defs: &'a Map<String, Value>) -> &'a Value {
    option["$ref"].as_str().and_then(|r| defs.get(r.strip_prefix("#/$defs/")?)).unwrap_or(option)
}
