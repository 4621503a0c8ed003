//! Running, recording, and what happens to a run that cannot continue.
#[path = "../common/mod.rs"]
mod common;
mod directory;
mod records;
mod results;

use common::{RED, request};
use dumbbell_lab::api;
use serde_json::{Value, json};
use std::path::Path;

fn run(request: &Value) -> Value {
    api::run(request, &|_| true).unwrap_or_else(|p| panic!("{}", p.rendered))
}

fn recorded(out: &Path) -> Value {
    let mut r = request(RED, &["record={every=\"10 ms\", drops=true}"]);
    r["out"] = json!(out);
    r
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
