//! Texts into trees: TOML files, overrides, and dictionaries that a program handed over.
use crate::language::node::{Entry, Kind, Node};
use crate::language::problem::{Check, Diagnostic, Place, Texts};
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads the TOML of `texts[text]`. All syntax errors are reported, not only the first.
pub fn toml(texts: &Texts, text: usize, check: &mut Check) -> Node {
    let source = texts.text(text);
    let (table, errors) = DeTable::parse_recoverable(source);
    let is_repetition = |e: &toml::de::Error| e.message().contains(REPETITION);
    let start = |e: &toml::de::Error| e.span().map_or(0, |span| span.start);
    // After a syntax error, a key may land in another table than the intended one and look
    // repeated.
    let syntax_ends =
        errors.iter().filter(|e| !is_repetition(e)).map(start).min().unwrap_or(usize::MAX);
    for e in errors.iter().filter(|e| !is_repetition(e) || start(e) < syntax_ends) {
        let span = e.span().unwrap_or(0..0);
        let place = Place { text, from: span.start, to: span.end };
        check.error(syntax(e.message()).at(place));
    }
    let whole = Place { text, from: 0, to: first_line(source) };
    node_of_table(table.get_ref(), whole, text, 0, check)
}

/// Reads one TOML value that begins at byte `offset` of `texts[text]`; `Err` is TOML's own message.
pub fn toml_value(
    texts: &Texts,
    text: usize,
    offset: usize,
    check: &mut Check,
) -> Result<Node, String> {
    let value = DeValue::parse(&texts.text(text)[offset..]).map_err(|e| e.message().to_string())?;
    Ok(node_of(&value, text, offset, check))
}

/// The TOML library's message for a key that is written twice.
const REPETITION: &str = "duplicate key";

fn syntax(message: &str) -> Diagnostic {
    let d = Diagnostic::new(format!("this is not TOML: {message}"));
    if message.contains(REPETITION) {
        return Diagnostic::new("this key is written twice").fix("keep one of the two");
    }
    if message.contains("recurs") {
        return Diagnostic::new("lists and tables are nested too deep here")
            .fix("close the brackets that are open, or take some of them out");
    }
    if message.contains("must be quoted") {
        return d.fix("text and quantities with units stand in quotes, as in duration = \"60 s\"");
    }
    d
}

fn first_line(source: &str) -> usize {
    source.find('\n').unwrap_or(source.len())
}

fn node_of(value: &Spanned<DeValue<'_>>, text: usize, offset: usize, check: &mut Check) -> Node {
    let span = value.span();
    let place = Place { text, from: span.start + offset, to: span.end + offset };
    let leaf = |v: Value| Node { place, kind: Kind::Leaf(v) };
    match value.get_ref() {
        DeValue::String(s) => leaf(Value::String(s.to_string())),
        DeValue::Boolean(b) => leaf(Value::Bool(*b)),
        DeValue::Integer(i) => match i64::from_str_radix(&i.as_str().replace('_', ""), i.radix()) {
            Ok(n) => leaf(n.into()),
            Err(_) => {
                refuse(check, place, format!("{} is too large for a whole number", i.as_str()))
            }
        },
        DeValue::Float(f) => match f.as_str().replace('_', "").parse::<f64>() {
            Ok(x) if x.is_finite() => leaf(x.into()),
            _ => refuse(
                check,
                place,
                format!("`{}` is not a number that a scenario can use", f.as_str()),
            ),
        },
        DeValue::Datetime(_) => refuse(check, place, "a date has no place in a scenario".into()),
        DeValue::Array(items) => Node {
            place,
            kind: Kind::List(items.iter().map(|i| node_of(i, text, offset, check)).collect()),
        },
        DeValue::Table(table) => node_of_table(table, place, text, offset, check),
    }
}

fn refuse(check: &mut Check, place: Place, cause: String) -> Node {
    check.error(Diagnostic::new(cause).at(place).fix(
        "write a finite number, or a quantity such as \
        \"10 ms\"",
    ));
    Node { place, kind: Kind::Leaf(Value::Null) }
}

fn node_of_table(
    table: &DeTable<'_>,
    place: Place,
    text: usize,
    offset: usize,
    check: &mut Check,
) -> Node {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| {
            let span = key.span();
            Entry {
                key: key.get_ref().to_string(),
                place: Place { text, from: span.start + offset, to: span.end + offset },
                node: node_of(value, text, offset, check),
                left_over: false,
            }
        })
        .collect();
    entries.sort_by_key(|e| e.place.from);
    Node { place, kind: Kind::Table(entries) }
}

/// Writes `value` as indented JSON into `texts` under `name`, and returns its tree with places in
/// that text: so a diagnostic can show a line of a dictionary that was never a file.
pub fn json(texts: &mut Texts, name: &str, value: &Value) -> Node {
    let text = texts.add(name, "");
    let mut out = String::new();
    let node = write_json(value, 0, text, &mut out);
    texts.replace(text, out);
    node
}

fn write_json(value: &Value, depth: usize, text: usize, out: &mut String) -> Node {
    let from = out.len();
    let indent = "  ".repeat(depth + 1);
    let kind = match value {
        Value::Object(map) if !map.is_empty() => {
            out.push_str("{\n");
            let mut entries = Vec::new();
            // A null is left out.
            let said = || map.iter().filter(|(_, v)| !v.is_null());
            for (i, (key, v)) in said().enumerate() {
                out.push_str(&indent);
                let key_from = out.len();
                out.push_str(&Value::String(key.clone()).to_string());
                let place = Place { text, from: key_from, to: out.len() };
                out.push_str(": ");
                let node = write_json(v, depth + 1, text, out);
                out.push_str(if i + 1 < said().count() { ",\n" } else { "\n" });
                entries.push(Entry { key: key.clone(), place, node, left_over: false });
            }
            out.push_str(&"  ".repeat(depth));
            out.push('}');
            Kind::Table(entries)
        }
        Value::Object(_) => {
            out.push_str("{}");
            Kind::Table(Vec::new())
        }
        Value::Array(items) => {
            out.push('[');
            let mut nodes = Vec::new();
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                nodes.push(write_json(item, depth, text, out));
            }
            out.push(']');
            Kind::List(nodes)
        }
        leaf => {
            out.push_str(&leaf.to_string());
            Kind::Leaf(leaf.clone())
        }
    };
    Node { place: Place { text, from, to: out.len() }, kind }
}
