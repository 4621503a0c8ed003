//! The JSON Schema of a configuration, from a table of its fields.
//!
//! `#[config]` of dumbbell-macros writes the table. It says what `schemars` would derive from the
//! same struct; derived, the schemas were a third of the machine code of the whole catalogue.
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value};

/// A field of a configuration, in its schema.
pub struct FieldSchema {
    /// Its name in a scenario.
    pub key: &'static str,
    /// The schema of its type.
    pub of: fn(&mut SchemaGenerator) -> Schema,
    /// Its doc comment.
    pub doc: &'static str,
    /// `minimum` and `maximum`, where the type is a number.
    pub bounds: &'static [(&'static str, Constant)],
    /// Further keywords, such as `x-source`.
    pub extensions: &'static [(&'static str, Constant)],
}

/// A value of a keyword.
#[derive(Clone, Copy)]
pub enum Constant {
    /// Text.
    Text(&'static str),
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Real(f64),
}

impl From<Constant> for Value {
    fn from(constant: Constant) -> Value {
        match constant {
            Constant::Text(text) => text.into(),
            Constant::Whole(n) => n.into(),
            Constant::Real(x) => x.into(),
        }
    }
}

/// A configuration's defaults, written out.
pub fn written<C: Serialize>(defaults: &C) -> Value {
    serde_json::to_value(defaults).unwrap_or(Value::Null)
}

/// The schema of a configuration with this doc comment, these fields and these defaults: every
/// field may be missing, and no other may be there.
pub fn of_config(
    generator: &mut SchemaGenerator,
    doc: &str,
    defaults: &Value,
    fields: &[FieldSchema],
) -> Schema {
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("additionalProperties".into(), false.into());
    if !fields.is_empty() {
        let property = |field: &FieldSchema| {
            let default = defaults.get(field.key);
            (field.key.to_string(), of_field(generator, field, default).to_value())
        };
        let properties: Map<String, Value> = fields.iter().map(property).collect();
        schema.insert("properties".into(), properties.into());
    }
    if !doc.is_empty() {
        schema.insert("description".into(), doc.into());
    }
    schema.into()
}

fn of_field(
    generator: &mut SchemaGenerator,
    field: &FieldSchema,
    default: Option<&Value>,
) -> Schema {
    let mut schema = (field.of)(generator);
    if !field.doc.is_empty() {
        schema.insert("description".into(), field.doc.into());
    }
    if is_number(&schema) {
        insert(&mut schema, field.bounds);
    }
    if let Some(default) = default {
        schema.insert("default".into(), default.clone());
    }
    insert(&mut schema, field.extensions);
    schema
}

fn insert(schema: &mut Schema, keywords: &[(&str, Constant)]) {
    for (key, value) in keywords {
        schema.insert((*key).into(), (*value).into());
    }
}

/// True if a number may stand here.
fn is_number(schema: &Schema) -> bool {
    let number = |v: &Value| v == "number" || v == "integer";
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(number),
        Some(one) => number(one),
        None => false,
    }
}
