use super::*;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Table {
    rate: f64,
    #[serde(default)]
    count: Option<u8>,
    #[serde(default)]
    on: bool,
    #[serde(default)]
    kind: Kind,
    #[serde(default)]
    curve: Vec<(f64, f64)>,
    #[serde(default)]
    names: BTreeMap<String, i32>,
    #[serde(default)]
    inner: Option<Box<Table>>,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Plain,
    Sized(u32),
    Both(u32, bool),
    Named {
        size: u32,
    },
}

/// Trees that can be read and trees that cannot.
fn trees() -> Vec<Value> {
    vec![
        json!({"rate": 1}),
        json!({"rate": -1.5, "count": 7, "on": true, "kind": "plain"}),
        json!({"rate": 1, "count": null, "kind": {"sized": 3}, "names": {"a": -4}}),
        json!({"rate": 1, "kind": {"both": [3, true]}, "curve": [[0, 1], [2.5, 3]]}),
        json!({"rate": 1, "kind": {"named": {"size": 3}}, "inner": {"rate": 2}}),
        json!({"rate": 1, "kind": {"plain": null}}),
        json!({}),
        json!(null),
        json!(7),
        json!({"rate": "fast"}),
        json!({"rate": null}),
        json!({"rate": 1, "count": 256}),
        json!({"rate": 1, "count": -1}),
        json!({"rate": 1, "count": 2.5}),
        json!({"rate": 1, "on": 1}),
        json!({"rate": 1, "kind": "odd"}),
        json!({"rate": 1, "kind": "sized"}),
        json!({"rate": 1, "kind": {"plain": 1}}),
        json!({"rate": 1, "kind": {"sized": -3}}),
        json!({"rate": 1, "kind": {"both": [3]}}),
        json!({"rate": 1, "kind": {"both": [3, true, 4]}}),
        json!({"rate": 1, "kind": {"named": {"size": "s"}}}),
        json!({"rate": 1, "kind": {"sized": 1, "plain": 1}}),
        json!({"rate": 1, "kind": 4}),
        json!({"rate": 1, "curve": [[0, 1], [2]]}),
        json!({"rate": 1, "curve": [[0, 1, 2]]}),
        json!({"rate": 1, "curve": {"a": 1}}),
        json!({"rate": 1, "names": {"a": "b"}}),
        json!({"rate": 1, "speed": 2}),
        json!({"rate": 1, "inner": {"rate": 1, "inner": {"rate": [1]}}}),
    ]
}

#[test]
fn it_reads_what_serde_json_reads_and_says_what_it_says() {
    for tree in trees() {
        let ours = from_json::<Table>(&tree).map_err(|e| e.to_string());
        let theirs = Table::deserialize(&tree).map_err(|e| e.to_string());
        assert_eq!(ours, theirs, "{tree}");
    }
}

fn place(tree: Value) -> String {
    from_json::<Table>(&tree).unwrap_err().place()
}

#[test]
fn an_error_names_its_place() {
    assert_eq!(place(json!({})), "");
    assert_eq!(place(json!({"rate": "fast"})), "rate");
    assert_eq!(place(json!({"rate": 1, "speed": 2})), "speed");
    assert_eq!(place(json!({"rate": 1, "curve": [[0, 1], [2]]})), "curve[1]");
    assert_eq!(place(json!({"rate": 1, "curve": [[0, 1], [2, true]]})), "curve[1][1]");
    assert_eq!(place(json!({"rate": 1, "names": {"a": "b"}})), "names.a");
    assert_eq!(place(json!({"rate": 1, "kind": {"named": {"size": "s"}}})), "kind.named.size");
    assert_eq!(place(json!({"rate": 1, "inner": {"rate": []}})), "inner.rate");
}

#[test]
fn a_struct_is_a_table_and_no_array() {
    let error = from_json::<Table>(&json!([1])).unwrap_err();
    assert_eq!(error.message(), "invalid type: sequence, expected struct Table");
}
