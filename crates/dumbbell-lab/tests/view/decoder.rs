//! A decoder of packed tables that shares nothing with the coder: what a page does.
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use serde_json::{Map, Value, json};
use std::io::Read;

/// The inflated blobs of an answer.
pub fn inflate(answer: &Value) -> Vec<Vec<u8>> {
    let inflated = |blob: &Value| {
        let mut bytes = Vec::new();
        let packed = STANDARD.decode(blob.as_str().unwrap()).unwrap();
        DeflateDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
        bytes
    };
    answer["blobs"].as_array().unwrap().iter().map(inflated).collect()
}

/// The values of a column as JSON; null is no value.
pub fn column(column: &Value, blobs: &[Vec<u8>]) -> Vec<Value> {
    let get = |key: &str| column[key].as_u64().unwrap() as usize;
    let rows = get("rows");
    let (step, start) = (column["step"].as_f64(), column["start"].as_f64());
    if column["coding"] == "even" {
        return (0..rows).map(|i| json!(start.unwrap() + i as f64 * step.unwrap())).collect();
    }
    let (blob, at, width) = (&blobs[get("blob")], get("at"), get("width"));
    let raw = |row: usize| -> u64 {
        (0..width).map(|plane| u64::from(blob[at + plane * rows + row]) << (8 * plane)).sum()
    };
    if column["coding"] == "words" {
        let word = |row| column["words"].get(raw(row) as usize).cloned().unwrap_or(Value::Null);
        return (0..rows).map(word).collect();
    }
    let signed =
        |raw: u64| if raw.is_multiple_of(2) { (raw / 2) as i64 } else { -(raw.div_ceil(2) as i64) };
    let mut sum = start.unwrap_or(0.0) as i64;
    let value = |row: usize| {
        let integer = signed(raw(row));
        sum += integer;
        let integer = if column["coding"] == "delta" { sum } else { integer };
        assert!(integer.unsigned_abs() <= 1 << 52);
        let missing = column.get("nulls").is_some_and(|_| {
            let byte = blob[get("nulls") + row / 8];
            byte >> (row % 8) & 1 == 1
        });
        if missing { Value::Null } else { json!(integer as f64 * step.unwrap()) }
    };
    (0..rows).map(value).collect()
}

/// A whole answer: `{ID: {"columns": {NAME: [VALUE]}, "levels": [{"size", "columns": {NAME:
/// {"low": [VALUE], "high": [VALUE]}}}]}}`.
pub fn tables(answer: &Value) -> Value {
    let blobs = inflate(answer);
    let each = |columns: &Value, decode: &dyn Fn(&Value) -> Value| -> Map<String, Value> {
        let columns = columns.as_object().unwrap().iter();
        columns.map(|(name, of)| (name.clone(), decode(of))).collect()
    };
    let values = |of: &Value| Value::from(column(of, &blobs));
    let bounds = |of: &Value| json!({ "low": values(&of["low"]), "high": values(&of["high"]) });
    let table = |of: &Value| {
        let level =
            |of: &Value| json!({ "size": of["size"], "columns": each(&of["columns"], &bounds) });
        let levels: Vec<Value> = of["levels"].as_array().into_iter().flatten().map(level).collect();
        json!({ "columns": each(&of["columns"], &values), "levels": levels })
    };
    let all = answer["tables"].as_object().unwrap().iter();
    all.map(|(id, of)| (id.clone(), table(of))).collect()
}
