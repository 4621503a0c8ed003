//! Tables out of files of records.
use crate::{decoder, pack};
use dumbbell_lab::language::problem::code;
use parquet::data_type::{BoolType, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A row: its time in hundredths of a second, its flow, its window.
type Row = (u64, usize, Option<f64>);

const SCHEMA: &str = "message rows {
    OPTIONAL DOUBLE time_s;
    OPTIONAL BYTE_ARRAY flow (UTF8);
    OPTIONAL DOUBLE cwnd;
    OPTIONAL INT64 sent_ps (INTEGER(64, false));
    OPTIONAL BOOLEAN lost;
    OPTIONAL BYTE_ARRAY note (UTF8);
}";

/// A file with such rows.
fn written(dir: &Path, rows: &[Row]) -> PathBuf {
    let file = dir.join("flows.parquet");
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties = WriterProperties::builder()
        .set_column_dictionary_enabled(ColumnPath::from("note"), false)
        .build();
    let mut writer =
        SerializedFileWriter::new(File::create(&file).unwrap(), schema, Arc::new(properties))
            .unwrap();
    let mut group = writer.next_row_group().unwrap();
    column::<DoubleType>(&mut group, rows.iter().map(|r| Some(time(r))));
    column::<ByteArrayType>(&mut group, rows.iter().map(|r| flow(r.1).map(Into::into)));
    column::<DoubleType>(&mut group, rows.iter().map(|r| r.2));
    column::<Int64Type>(&mut group, rows.iter().map(|r| Some((r.0 * 1_500).cast_signed())));
    column::<BoolType>(&mut group, rows.iter().map(|r| Some(r.1 == 1)));
    let note = |r: &Row| r.2.map(|w| w.to_string().as_str().into());
    column::<ByteArrayType>(&mut group, rows.iter().map(note));
    group.close().unwrap();
    writer.close().unwrap();
    file
}

/// Writes the next column.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: impl Iterator<Item = Option<T::T>>,
) {
    let values: Vec<Option<T::T>> = values.collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    let mut out = group.next_column().unwrap().unwrap();
    out.typed::<T>().write_batch(&values, Some(&levels), None).unwrap();
    out.close().unwrap();
}

fn time(row: &Row) -> f64 {
    row.0 as f64 / 100.0
}

fn flow(index: usize) -> Option<&'static str> {
    [Some("a"), Some("b"), Some("c"), None][index]
}

/// The columns of the one table of a request.
fn columns(table: Value) -> Value {
    let answer = pack(&json!({ "tables": [table] })).unwrap();
    decoder::tables(&answer)["t"]["columns"].clone()
}

/// A quantile with linear interpolation, as numpy's default.
fn quantile(values: &[f64], at: f64) -> Value {
    if values.is_empty() {
        return Value::Null;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = at * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    json!(below + (above - below) * place.fract())
}

fn near(found: &Value, exact: &Value) -> bool {
    match (found.as_f64(), exact.as_f64()) {
        (Some(found), Some(exact)) => (found - exact).abs() < 1e-4,
        (found, exact) => found == exact,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Rows of the file in any order.
    #[test]
    fn bands_are_quantiles_of_the_members_at_each_instant(
        rows in prop::collection::vec((0..12_u64, 0..4_usize, prop::option::of(0.0..90.0)), 1..80),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let quantiles = [0.0, 0.1, 0.5, 0.975];
        let found = columns(json!({
            "id": "t", "file": written(dir.path(), &rows), "members": ["a", "c"], "key": "flow",
            "columns": ["cwnd"], "quantiles": quantiles,
        }));
        let members: Vec<&Row> = rows.iter().filter(|r| r.1 == 0 || r.1 == 2).collect();
        let mut instants: Vec<u64> = members.iter().map(|r| r.0).collect();
        instants.sort_unstable();
        instants.dedup();
        prop_assert_eq!(found["time_s"].as_array().unwrap().len(), instants.len());
        for (i, instant) in instants.iter().enumerate() {
            prop_assert!(near(&found["time_s"][i], &json!(*instant as f64 / 100.0)));
            let values: Vec<f64> =
                members.iter().filter(|r| r.0 == *instant).filter_map(|r| r.2).collect();
            for (q, name) in quantiles.iter().zip(["p0", "p10", "p50", "p97.5"]) {
                let found = &found[format!("cwnd_{name}")][i];
                prop_assert!(near(found, &quantile(&values, *q)), "{} {:?}", found, values);
            }
        }
    }

    #[test]
    fn a_table_has_its_rows_in_the_order_of_time(
        rows in prop::collection::vec((0..12_u64, 0..4_usize, prop::option::of(0.0..90.0)), 1..80),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let file = written(dir.path(), &rows);
        let found = columns(json!({
            "id": "t", "file": file, "of": { "flow": "b" }, "from_s": 0.02, "to_s": 0.08,
            "columns": ["note"],
        }));
        let mut expected: Vec<&Row> =
            rows.iter().filter(|r| r.1 == 1 && (2..=8).contains(&r.0)).collect();
        expected.sort_by_key(|r| r.0);
        let note = |row: &&Row| row.2.map(|window| window.to_string());
        let notes: Vec<Option<String>> = expected.iter().map(note).collect();
        prop_assert_eq!(&found["note"], &json!(notes));
    }
}

#[test]
fn a_file_serves_several_tables() {
    let dir = tempfile::tempdir().unwrap();
    let rows = [(0, 0, Some(1.5)), (0, 1, None), (2, 0, Some(2.0)), (3, 3, Some(9.0))];
    let file = written(dir.path(), &rows);
    let request = json!({ "tables": [
        { "id": "a", "file": file, "of": { "flow": "a" }, "columns": ["time_s", "cwnd"] },
        { "id": "all", "file": file, "of": null, "columns": ["sent_ps", "flow", "lost", "cwnd"],
          "rename": { "cwnd": "window" } },
        { "id": "none", "file": file, "of": { "flow": "z" }, "columns": ["time_s", "flow"] },
    ] });
    let answer = pack(&request).unwrap();
    assert_eq!(answer["points"], 2 * 2 + 4 * 4);
    let tables = decoder::tables(&answer);
    assert_eq!(tables["a"]["columns"], json!({ "time_s": [0.0, 0.02], "cwnd": [1.5, 2.0] }));
    let all = &tables["all"]["columns"];
    assert_eq!(all["flow"], json!(["a", "b", "a", null]));
    assert_eq!(all["lost"], json!([0.0, 1.0, 0.0, 0.0]));
    assert_eq!(all["window"], json!([1.5, null, 2.0, 9.0]));
    // 0, 0, 3000 and 4500 picoseconds, to a nanosecond.
    for (row, exact) in [0.0, 0.0, 3e-9, 5e-9].into_iter().enumerate() {
        assert!((all["sent_s"][row].as_f64().unwrap() - exact).abs() < 1e-15, "{}", all["sent_s"]);
    }
    assert_eq!(tables["none"]["columns"], json!({ "time_s": [], "flow": [] }));
}

#[test]
fn a_file_that_cannot_be_read_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = written(dir.path(), &[(0, 0, None)]);
    let code_of = |file: &Path, column: &str| {
        let table = json!({ "id": "t", "file": file, "columns": [column] });
        pack(&json!({ "tables": [table] })).unwrap_err().code
    };
    assert_eq!(code_of(&file, "cwnd_bytes"), code::SCENARIO);
    assert_eq!(code_of(&dir.path().join("queues.parquet"), "avg"), code::CHECK);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(code_of(&file, "cwnd"), code::CHECK);
}
