//! The schema and the catalogue: closed, complete, documented.
use dumbbell_lab::api::{self, Caller};
use serde_json::{Value, json};

/// Every reference of the schema is defined, and it names each algorithm of the catalogue.
#[test]
fn the_schema_is_closed_and_complete() {
    fn references<'a>(v: &'a Value, out: &mut Vec<&'a str>) {
        match v {
            Value::Object(m) => m.iter().for_each(|(k, v)| match v.as_str() {
                Some(s) if k == "$ref" => out.push(s),
                _ => references(v, out),
            }),
            Value::Array(a) => a.iter().for_each(|v| references(v, out)),
            _ => {}
        }
    }
    let schema = api::ask("schema", &json!({}), &Caller::PLAIN).unwrap();
    let mut used = Vec::new();
    references(&schema, &mut used);
    for r in used {
        let name = r.strip_prefix("#/$defs/").unwrap_or_else(|| panic!("{r}"));
        assert!(schema["$defs"].get(name).is_some(), "{r}");
    }
    let catalogue = api::ask("catalogue", &json!({}), &Caller::PLAIN).unwrap();
    let names = |kind: &str| {
        catalogue[kind].as_array().unwrap().iter().map(|e| e["name"].clone()).collect::<Vec<_>>()
    };
    let listed = |definition: &str| schema["$defs"][definition]["anyOf"][0]["enum"].clone();
    for (kind, definition) in [("cc", "cc"), ("source", "source"), ("impairment", "impairment")] {
        assert_eq!(json!(names(kind)), listed(definition), "{kind}");
    }
    // A scheduler makes its children from the catalogue; what is brought, the RTL with it, stands
    // at a port alone.
    let children: Vec<Value> = names("aqm").into_iter().filter(|name| name != "red_rtl").collect();
    assert_eq!(json!(children), listed("Aqm"));
    assert_eq!(json!([names("aqm"), names("qdisc")].concat()), listed("queue"));
    for kind in dumbbell_lab::language::catalogue::KINDS {
        assert!(catalogue[kind].is_array(), "{kind}");
    }
}

/// Every parameter has a documentation, and a default unless it may be absent.
#[test]
fn the_catalogue_documents_every_parameter() {
    let catalogue = api::ask("catalogue", &json!({}), &Caller::PLAIN).unwrap();
    for kind in dumbbell_lab::language::catalogue::KINDS {
        for entry in catalogue[kind].as_array().unwrap() {
            for p in entry["parameters"].as_array().unwrap() {
                assert!(p["doc"].is_string() && p["source"].is_string(), "{} {p}", entry["name"]);
            }
        }
    }
    assert_eq!(catalogue["profiles"]["ns2"]["tcp"]["min_rto"], "200 ms");
}
