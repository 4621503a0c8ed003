//! Traces of links and of losses that a scenario names are read here, so that everything behind it, and its results, need no file.
use crate::formats::mahimahi::TraceError;
use crate::formats::{losses, mahimahi};
use crate::node::{Entry, Kind, Node};
use crate::problem::{Check, Diagnostic, Place, Texts};
use dumbbell_algos::impairment::losses::Of;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The traces of a study, each file read once: in the words that a plan has for it, or why it has none.
#[derive(Debug, Default)]
pub struct Traces(BTreeMap<(PathBuf, Form), Result<String, Diagnostic>>);

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// Opportunities to send, of Mahimahi.
    Link,
    Bits,
    Packets,
    Times,
}

impl Form {
    /// What the algorithm at `node`, below `key`, wants; `None`: no file, or nothing that it would know.
    fn of(key: &str, node: &Node) -> Option<Form> {
        let word = |key| node.get(key).and_then(Node::as_str);
        match (key, word("kind")?, word("of").unwrap_or("bits")) {
            ("service", "mahimahi", _) => Some(Form::Link),
            ("impairment", "loss_trace", "bits") => Some(Form::Bits),
            ("impairment", "loss_trace", "packets") => Some(Form::Packets),
            ("impairment", "loss_trace", "times") => Some(Form::Times),
            _ => None,
        }
    }
    /// The longest file, and what it should be.
    fn limits(self) -> (u64, &'static str) {
        match self {
            Form::Link => (mahimahi::LONGEST, "name a link trace in Mahimahi's format"),
            _ => (losses::LONGEST, "name a file with the words of a loss trace"),
        }
    }
    /// The words.
    fn parse(self, bytes: &[u8]) -> Result<String, TraceError> {
        let losses = |of| losses::parse(bytes, of).map(|trace| trace.to_string());
        match self {
            Form::Link => mahimahi::parse(bytes).map(|trace| trace.to_string()),
            Form::Bits => losses(Of::Bits),
            Form::Packets => losses(Of::Packets),
            Form::Times => losses(Of::Times),
        }
    }
}

impl Traces {
    /// Whether no trace was named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts the words of each `service = { kind = "mahimahi", file = ... }` and each impairment
    /// `{ kind = "loss_trace", file = ... }` below `node` in the place of its file, which is relative to the scenario that
    /// names it (on the command line: to the present directory).
    pub fn inline(&mut self, node: &mut Node, texts: &Texts, check: &mut Check) {
        match &mut node.kind {
            Kind::Leaf(_) => {}
            Kind::List(items) => items.iter_mut().for_each(|n| self.inline(n, texts, check)),
            Kind::Table(entries) => {
                for e in entries {
                    let several = matches!(e.node.kind, Kind::List(_));
                    let nodes = match &mut e.node.kind {
                        Kind::List(items) => &mut items[..],
                        _ => std::slice::from_mut(&mut e.node),
                    };
                    for node in nodes {
                        match Form::of(&e.key, node) {
                            Some(form) if several == (e.key == "impairment") => self.one(form, node, texts, check),
                            _ => self.inline(node, texts, check),
                        }
                    }
                }
            }
        }
    }

    fn one(&mut self, form: Form, node: &mut Node, texts: &Texts, check: &mut Check) {
        let Some((name, place)) = node.get("file").and_then(|f| Some((f.as_str()?.to_string(), f.place))) else {
            return;
        };
        if name.is_empty() {
            return;
        }
        let file = texts.beside(place).join(&name);
        let read = self.0.entry((file, form)).or_insert_with_key(|(file, _)| read(form, file, &name, place));
        match read {
            Ok(trace) => put(node, trace, place),
            Err(d) => {
                check.error(d.clone().at(place));
                node.remove("file");
            }
        }
    }
}

/// The words take the place of the file, and of words that are there.
fn put(node: &mut Node, trace: &str, place: Place) {
    node.remove("file");
    node.remove("trace");
    let value = Node { place, kind: Kind::Leaf(Value::String(trace.into())) };
    if let Kind::Table(entries) = &mut node.kind {
        entries.push(Entry { key: "trace".into(), place, node: value, left_over: false });
    }
}

fn read(form: Form, file: &Path, name: &str, place: Place) -> Result<String, Diagnostic> {
    let (longest, wanted) = form.limits();
    let refuse = |cause: String, fix: &str| Diagnostic::new(cause).fix(fix).at(place);
    let failed = |e: std::io::Error| match e.kind() {
        ErrorKind::NotFound => refuse(
            format!("there is no file {}", file.display()),
            "`file` is relative to the scenario that says it, with -s to the present directory",
        ),
        _ => refuse(format!("{} cannot be read: {e}", file.display()), wanted),
    };
    let mut bytes = Vec::new();
    let limited = std::fs::File::open(file).map(|f| f.take(longest + 1)).and_then(|mut f| f.read_to_end(&mut bytes));
    limited.map_err(failed)?;
    if bytes.len() as u64 > longest {
        let cause = format!("{} is larger than {} MiB", file.display(), longest >> 20);
        return Err(refuse(cause, "use a shorter part of the trace"));
    }
    form.parse(&bytes).map_err(|e| {
        let at = e.line.map_or(String::new(), |n| format!(", line {n}"));
        refuse(format!("{name}{at}: {}", e.cause), e.fix)
    })
}
