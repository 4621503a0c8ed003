//! Comma-separated values (RFC 4180): a header with the names of the columns, whose endings are
//! their units; CRLF; what has a comma, a quote or a line's end is quoted. An empty field stands
//! for null.
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use serde_json::{Map, Value};
use std::fmt::Write;

/// Writes a field.
pub fn field(out: &mut String, text: &str) {
    if text.contains(['"', ',', '\n', '\r']) {
        let _ = write!(out, "\"{}\"", text.replace('"', "\"\""));
    } else {
        out.push_str(text);
    }
}

/// Writes a line of fields.
pub fn line<'a>(out: &mut String, fields: impl IntoIterator<Item = &'a str>) {
    for (i, text) in fields.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        field(out, text);
    }
    out.push_str("\r\n");
}

/// Writes a row of a batch.
pub fn row(out: &mut String, batch: &RecordBatch, row: usize) {
    for (i, column) in batch.columns().iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        cell(out, column, row);
    }
    out.push_str("\r\n");
}

/// Writes a value; one of a type that no record has is left empty.
fn cell(out: &mut String, column: &ArrayRef, row: usize) {
    if column.is_null(row) {
        return;
    }
    if let Some(a) = column.as_primitive_opt::<UInt64Type>() {
        let _ = write!(out, "{}", a.value(row));
    } else if let Some(a) = column.as_primitive_opt::<Float64Type>() {
        let _ = write!(out, "{}", a.value(row));
    } else if let Some(a) = column.as_boolean_opt() {
        out.push_str(if a.value(row) { "true" } else { "false" });
    } else if let Some(a) = column.as_string_opt::<i32>() {
        field(out, a.value(row));
    } else if let Some(a) = column.as_dictionary_opt::<Int32Type>() {
        let words = a.values().as_string_opt::<i32>();
        if let (Some(words), Some(key)) = (words, a.key(row)) {
            field(out, words.value(key));
        }
    }
}

/// The flows or the queues (`part`) of a summary as lines: one for each, at each point of a sweep.
/// A mean with its interval becomes columns that end with `_ci95_low`, `_ci95_high` and `_n`.
pub fn summary(document: &Value, part: &str) -> String {
    let alone = std::slice::from_ref(document);
    let points = document["points"].as_array().map_or(alone, Vec::as_slice);
    let mut table: Vec<Map<String, Value>> = Vec::new();
    for point in points {
        for item in point[part].as_array().into_iter().flatten() {
            let mut row = Map::new();
            flatten(&mut row, "", &point["overrides"]);
            flatten(&mut row, "", item);
            table.push(row);
        }
    }
    let mut names: Vec<&str> = Vec::new();
    for key in table.iter().flat_map(Map::keys) {
        if !names.contains(&key.as_str()) {
            names.push(key);
        }
    }
    let mut out = String::new();
    line(&mut out, names.iter().copied());
    for row in &table {
        let cells: Vec<String> =
            names.iter().map(|n| row.get(*n).map(word).unwrap_or_default()).collect();
        line(&mut out, cells.iter().map(String::as_str));
    }
    out
}

fn word(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}

fn flatten(row: &mut Map<String, Value>, name: &str, value: &Value) {
    let Some(table) = value.as_object() else {
        if !name.is_empty() {
            row.insert(name.into(), value.clone());
        }
        return;
    };
    if let (Some(mean), Some(ci95)) = (table.get("mean"), table.get("ci95")) {
        row.insert(name.into(), mean.clone());
        row.insert(format!("{name}_ci95_low"), ci95[0].clone());
        row.insert(format!("{name}_ci95_high"), ci95[1].clone());
        row.insert(format!("{name}_n"), table["n"].clone());
        return;
    }
    for (key, inner) in table {
        flatten(row, &if name.is_empty() { key.clone() } else { format!("{name}_{key}") }, inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_of_rfc_4180() {
        let mut out = String::new();
        line(&mut out, ["a", "b,c", "d \"e\"", "f\ng", ""]);
        assert_eq!(out, "a,\"b,c\",\"d \"\"e\"\"\",\"f\ng\",\r\n");
    }

    #[test]
    fn means_and_points_become_columns() {
        let rate = |m: f64| json!({ "mean": m, "ci95": [m - 1.0, m + 1.0], "n": 3 });
        let point = |max_p: f64| {
            let queue = json!({ "name": "q", "utilization": rate(max_p), "drops": { "early": 1 } });
            json!({ "overrides": { "queue.max_p": max_p }, "queues": [queue] })
        };
        let text = summary(&json!({ "points": [point(0.5), point(2.0)] }), "queues");
        let head = "queue.max_p,name,utilization,utilization_ci95_low,utilization_ci95_high,\
            utilization_n,drops_early";
        assert_eq!(text, format!("{head}\r\n0.5,q,0.5,-0.5,1.5,3,1\r\n2.0,q,2.0,1.0,3.0,3,1\r\n"));
    }
}
