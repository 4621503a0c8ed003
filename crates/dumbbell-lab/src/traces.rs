//! Link traces that a scenario names are read here, so that everything behind it, and its results, need no file.
use crate::formats::mahimahi;
use crate::node::{Entry, Kind, Node};
use crate::problem::{Check, Diagnostic, Place, Texts};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The traces of a study, each file read once: its opportunities in the words of a schedule, or why it has none.
#[derive(Debug, Default)]
pub struct Traces(BTreeMap<PathBuf, Result<String, Diagnostic>>);

impl Traces {
    /// Whether no trace was named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts the opportunities of each `service = { kind = "mahimahi", file = ... }` below `node` in the place of its
    /// file, which is relative to the scenario that names it (on the command line: to the present directory).
    pub fn inline(&mut self, node: &mut Node, texts: &Texts, check: &mut Check) {
        match &mut node.kind {
            Kind::Leaf(_) => {}
            Kind::List(items) => items.iter_mut().for_each(|n| self.inline(n, texts, check)),
            Kind::Table(entries) => {
                for e in entries {
                    if e.key == "service" && e.node.get("kind").and_then(Node::as_str) == Some("mahimahi") {
                        self.service(&mut e.node, texts, check);
                    } else {
                        self.inline(&mut e.node, texts, check);
                    }
                }
            }
        }
    }

    fn service(&mut self, node: &mut Node, texts: &Texts, check: &mut Check) {
        let Some((name, place)) = node.get("file").and_then(|f| Some((f.as_str()?.to_string(), f.place))) else {
            return;
        };
        if name.is_empty() {
            return;
        }
        let file = texts.beside(place).join(&name);
        let read = self.0.entry(file).or_insert_with_key(|file| read(file, &name, place));
        match read {
            Ok(trace) => put(node, trace, place),
            Err(d) => {
                check.error(d.clone().at(place));
                node.remove("file");
            }
        }
    }
}

/// The schedule takes the place of the file, and of a schedule that is there.
fn put(node: &mut Node, trace: &str, place: Place) {
    node.remove("file");
    node.remove("trace");
    let value = Node { place, kind: Kind::Leaf(Value::String(trace.into())) };
    if let Kind::Table(entries) = &mut node.kind {
        entries.push(Entry { key: "trace".into(), place, node: value, left_over: false });
    }
}

fn read(file: &Path, name: &str, place: Place) -> Result<String, Diagnostic> {
    let refuse = |cause: String, fix: &str| Diagnostic::new(cause).fix(fix).at(place);
    let failed = |e: std::io::Error| match e.kind() {
        ErrorKind::NotFound => refuse(
            format!("there is no file {}", file.display()),
            "`file` is relative to the scenario that says it, with -s to the present directory",
        ),
        _ => refuse(format!("{} cannot be read: {e}", file.display()), "name a link trace in Mahimahi's format"),
    };
    let mut bytes = Vec::new();
    let limited =
        std::fs::File::open(file).map(|f| f.take(mahimahi::LONGEST + 1)).and_then(|mut f| f.read_to_end(&mut bytes));
    limited.map_err(failed)?;
    if bytes.len() as u64 > mahimahi::LONGEST {
        let cause = format!("{} is larger than {} MiB", file.display(), mahimahi::LONGEST >> 20);
        return Err(refuse(cause, "use a shorter part of the trace"));
    }
    let trace = mahimahi::parse(&bytes).map_err(|e| {
        let at = e.line.map_or(String::new(), |n| format!(", line {n}"));
        refuse(format!("{name}{at}: {}", e.cause), e.fix)
    })?;
    Ok(trace.to_string())
}
