//! Results as Arrow tables in tidy form: a row for each observation, a column for each variable, so
//! that any dataframe library can group and join them. A table is whole in memory and shares its
//! buffers with whoever takes it.
use arrow_array::builder::{
    BooleanBuilder, Float64Builder, StringDictionaryBuilder, UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch, new_null_array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use dumbbell_net::metrics::{self, Kind};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A table: batches of one schema.
#[derive(Clone, Debug)]
pub struct ArrowTable {
    /// Names and types of the columns.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
}

impl ArrowTable {
    /// A table of one batch.
    ///
    /// # Panics
    /// The columns have different lengths.
    pub fn of_columns(columns: Vec<(String, ArrayRef)>) -> ArrowTable {
        let fields: Vec<Field> =
            columns.iter().map(|(n, a)| Field::new(n, a.data_type().clone(), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let arrays = columns.into_iter().map(|(_, a)| a).collect();
        let batch = RecordBatch::try_new(schema.clone(), arrays).expect("columns of one length");
        ArrowTable { schema, batches: vec![batch] }
    }
}

/// The labels that tell a run's rows from those of another run:
/// `{"point": 2, "queue.limit": "36 pkt", "seed": 7}`.
pub type Labels = Map<String, Value>;

/// A name that occurs often is stored once.
pub fn word() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The one type that holds all values of a column: counts, numbers, truth values, else words. A
/// column that is null everywhere has the type of its measurement, else it is a number.
fn data_type<'a>(name: &str, values: impl Iterator<Item = &'a Value>) -> DataType {
    let (mut any, mut count, mut real, mut truth) = (false, true, true, true);
    for value in values.filter(|v| !v.is_null()) {
        any = true;
        count &= value.is_u64();
        real &= value.is_number();
        truth &= value.is_boolean();
    }
    match (any, count, real, truth) {
        (false, ..) => measured(name),
        (_, false, true, _) => DataType::Float64,
        (_, true, ..) => DataType::UInt64,
        (.., true) => DataType::Boolean,
        _ => word(),
    }
}

/// The type of a measurement by its name.
fn measured(name: &str) -> DataType {
    let rows = metrics::rows();
    let mut entries = rows.iter().flat_map(|row| &row.groups).flat_map(|group| &group.entries);
    match entries.find(|entry| entry.name == name).map(|entry| entry.kind) {
        Some(Kind::Count | Kind::MaybeCount) => DataType::UInt64,
        Some(Kind::Text | Kind::MaybeText) => word(),
        _ => DataType::Float64,
    }
}

/// The array of JSON values as `t`.
fn array<'a>(t: &DataType, values: impl Iterator<Item = &'a Value>) -> ArrayRef {
    match t {
        DataType::UInt64 => {
            let mut b = UInt64Builder::new();
            values.for_each(|v| b.append_option(v.as_u64()));
            Arc::new(b.finish())
        }
        DataType::Boolean => {
            let mut b = BooleanBuilder::new();
            values.for_each(|v| b.append_option(v.as_bool()));
            Arc::new(b.finish())
        }
        DataType::Float64 => {
            let mut b = Float64Builder::new();
            values.for_each(|v| b.append_option(v.as_f64()));
            Arc::new(b.finish())
        }
        _ => {
            let mut b = StringDictionaryBuilder::<Int32Type>::new();
            values.for_each(|v| match v {
                Value::Null => b.append_null(),
                Value::String(s) => b.append_value(s),
                other => b.append_value(other.to_string()),
            });
            Arc::new(b.finish())
        }
    }
}

/// The columns of tables with the keys `rows` have, in order of first appearance.
fn columns<'a>(rows: impl Iterator<Item = &'a Labels> + Clone) -> Vec<Field> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows.clone() {
        // Rows are alike as a rule: the look-up is for those that are not.
        if row.len() != names.len() || row.keys().zip(&names).any(|(a, b)| a != b) {
            let new =
                row.keys().map(String::as_str).filter(|k| !names.contains(k)).collect::<Vec<_>>();
            names.extend(new);
        }
    }
    let of = |name: &str| data_type(name, rows.clone().filter_map(|r| r.get(name)));
    names.into_iter().map(|name| Field::new(name, of(name), true)).collect()
}

/// A table with a row for each of `rows`; nested tables are flat (`drops.early` is `drops_early`).
///
/// # Errors
/// None that a caller could cause: the arrays are of one length.
pub fn of_rows(rows: &[Labels]) -> Result<ArrowTable, ArrowError> {
    let rows: Vec<Labels> = rows.iter().map(flat).collect();
    let schema: SchemaRef = Arc::new(Schema::new(columns(rows.iter())));
    if rows.is_empty() {
        return Ok(ArrowTable { schema, batches: Vec::new() });
    }
    let of = |f: &Arc<Field>| {
        array(f.data_type(), rows.iter().map(|r| r.get(f.name()).unwrap_or(&Value::Null)))
    };
    let batch = RecordBatch::try_new(schema.clone(), schema.fields().iter().map(of).collect())?;
    Ok(ArrowTable { schema, batches: vec![batch] })
}

/// Tables of several runs as one, each row with its run's labels before it. Columns that a run
/// lacks are null there.
///
/// # Errors
/// A column has one type here and another there.
pub fn stack(parts: Vec<(Labels, ArrowTable)>) -> Result<ArrowTable, ArrowError> {
    let labels = columns(parts.iter().map(|(l, _)| l));
    let mut fields: Vec<Arc<Field>> = labels.iter().cloned().map(Arc::new).collect();
    for (_, part) in &parts {
        for field in part.schema.fields() {
            if fields.iter().all(|f| f.name() != field.name()) {
                fields.push(Arc::new(field.as_ref().clone().with_nullable(true)));
            }
        }
    }
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    let mut batches = Vec::new();
    for (label, part) in &parts {
        for batch in &part.batches {
            let column = |(i, f): (usize, &Arc<Field>)| match batch.column_by_name(f.name()) {
                Some(own) if i >= labels.len() => own.clone(),
                _ if i < labels.len() => {
                    let value = label.get(f.name()).unwrap_or(&Value::Null);
                    array(f.data_type(), std::iter::repeat_n(value, batch.num_rows()))
                }
                _ => new_null_array(f.data_type(), batch.num_rows()),
            };
            let arrays = schema.fields().iter().enumerate().map(column).collect();
            batches.push(RecordBatch::try_new(schema.clone(), arrays)?);
        }
    }
    Ok(ArrowTable { schema, batches })
}

fn flat(row: &Labels) -> Labels {
    let mut out = Map::new();
    for (key, value) in row {
        match value {
            Value::Object(inner) => {
                out.extend(inner.iter().map(|(k, v)| (format!("{key}_{k}"), v.clone())))
            }
            _ => drop(out.insert(key.clone(), value.clone())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows(value: Value) -> Vec<Labels> {
        serde_json::from_value(value).unwrap()
    }

    fn types(t: &ArrowTable) -> Vec<(String, DataType)> {
        t.schema.fields().iter().map(|f| (f.name().clone(), f.data_type().clone())).collect()
    }

    #[test]
    fn values_choose_the_type() {
        let t = of_rows(&rows(json!([
            {
                "name": "a", "n": 1, "x": 1, "ok": true, "none": null, "mixed": "24 pkt",
                "drops": { "early": 3 },
            },
            { "name": "b", "n": null, "x": 0.5, "ok": false, "none": null, "mixed": 4, "late": 7 },
        ])))
        .unwrap();
        let named = |n: &str, t: DataType| (n.to_string(), t);
        assert_eq!(
            types(&t),
            [
                named("name", word()),
                named("n", DataType::UInt64),
                named("x", DataType::Float64),
                named("ok", DataType::Boolean),
                named("none", DataType::Float64),
                named("mixed", word()),
                named("drops_early", DataType::UInt64),
                named("late", DataType::UInt64),
            ]
        );
        let nulls: Vec<usize> = t.batches[0].columns().iter().map(|c| c.null_count()).collect();
        assert_eq!(nulls, [0, 1, 0, 0, 2, 0, 1, 1]);
    }

    #[test]
    fn a_measurement_that_nobody_has_keeps_its_type() {
        let t =
            of_rows(&rows(json!([{ "cc": null, "watch_above_bytes": null, "srtt_mean_s": null }])))
                .unwrap();
        let of: Vec<DataType> = types(&t).into_iter().map(|(_, of)| of).collect();
        assert_eq!(of, [word(), DataType::UInt64, DataType::Float64]);
    }

    #[test]
    fn a_label_wins_over_a_column_of_its_name_and_what_a_run_lacks_is_null() {
        let one =
            of_rows(&rows(json!([{ "seed": 9, "avg": 1.5 }, { "seed": 9, "avg": 2.5 }]))).unwrap();
        let two = of_rows(&rows(json!([{ "drop_p": 0.25 }]))).unwrap();
        let label = |v: Value| v.as_object().cloned().unwrap();
        let t = stack(vec![(label(json!({ "seed": 1 })), one), (label(json!({ "seed": 2 })), two)])
            .unwrap();
        let names: Vec<&String> = t.schema.fields().iter().map(|f| f.name()).collect();
        assert_eq!(names, ["seed", "avg", "drop_p"]);
        assert_eq!(t.batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(t.batches[0].column(2).null_count(), 2);
        assert_eq!(t.batches[1].column(1).null_count(), 1);
        let seeds =
            |b: &RecordBatch| b.column(0).to_data().buffers()[0].typed_data::<u64>().to_vec();
        assert_eq!([seeds(&t.batches[0]), seeds(&t.batches[1])].concat(), [1, 1, 2]);
    }

    #[test]
    fn nothing_is_a_table_without_rows() {
        assert_eq!(of_rows(&[]).unwrap().batches.len(), 0);
        assert_eq!(stack(Vec::new()).unwrap().schema.fields().len(), 0);
    }
}
