//! Traces of links and of losses, and lists of transfers, that a scenario names are read here, so
//! that everything behind it, and its results, need no file.
pub mod edges;
pub mod graphml;
pub mod losses;
pub mod mahimahi;
pub mod networks;
pub mod sizes;
pub mod transfers;
use crate::language::environment::{Environment, FileError, FileErrorKind};
use crate::language::node::{Entry, Kind, Node};
use crate::language::problem::{Check, Diagnostic, Place, Texts};
use crate::language::traces::losses::Of;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files of a study, each read once as what it is said to be: in a scenario's words, or why
/// there are none.
pub struct Traces<'a> {
    environment: &'a dyn Environment,
    read: BTreeMap<(PathBuf, &'static str), Result<String, Diagnostic>>,
}

impl<'a> Traces<'a> {
    /// None so far.
    pub fn new(environment: &'a dyn Environment) -> Self {
        Traces { environment, read: BTreeMap::new() }
    }

    /// True if no trace was named.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty()
    }

    /// Puts the opportunities of each `service = { kind = "mahimahi", file = ... }` below `node`,
    /// the losses of each impairment `{ kind = "loss_trace", file = ... }`, the transfers of each
    /// session's `list`, the links of `wan.file` and the points of each distribution
    /// `{ kind = "empirical", file = ... }` in place of their file, which is relative to the
    /// scenario that names it (on the command line: to the present directory).
    pub fn inline(&mut self, node: &mut Node, texts: &Texts, check: &mut Check) {
        match &mut node.kind {
            Kind::Leaf(_) => {}
            Kind::List(items) => items.iter_mut().for_each(|n| self.inline(n, texts, check)),
            Kind::Table(entries) => {
                for e in entries {
                    if e.key == "service"
                        && e.node.get("kind").and_then(Node::as_str) == Some("mahimahi")
                    {
                        self.put(&mut e.node, &OF_SERVICE, texts, check);
                    } else if let ("session", Kind::List(items)) =
                        (e.key.as_str(), &mut e.node.kind)
                    {
                        for session in items {
                            self.put(session, &OF_SESSION, texts, check);
                            self.inline(session, texts, check);
                        }
                    } else if let ("impairment", Kind::List(items)) =
                        (e.key.as_str(), &mut e.node.kind)
                    {
                        items.iter_mut().for_each(|n| self.losses(n, texts, check));
                    } else if e.key == "wan" {
                        self.put(&mut e.node, &OF_WAN, texts, check);
                    } else if e.node.get("kind").and_then(Node::as_str) == Some("empirical") {
                        self.put(&mut e.node, &OF_SIZES, texts, check);
                    } else {
                        self.inline(&mut e.node, texts, check);
                    }
                }
            }
        }
    }

    /// The losses of an impairment, if it has a trace of them whose words are of a kind that there
    /// is.
    fn losses(&mut self, node: &mut Node, texts: &Texts, check: &mut Check) {
        let word = |key| node.get(key).and_then(Node::as_str);
        if word("kind") == Some("loss_trace")
            && let Some(of) =
                OF_LOSSES.iter().find(|of| of.0 == word("of").unwrap_or(OF_LOSSES[0].0))
        {
            self.put(node, &of.1, texts, check);
        }
    }

    fn put(&mut self, node: &mut Node, of: &Named, texts: &Texts, check: &mut Check) {
        let Some((name, place)) =
            node.get(of.file).and_then(|f| Some((f.as_str()?.to_string(), f.place)))
        else {
            return;
        };
        if name.is_empty() {
            return;
        }
        let file = texts.beside(place).join(&name);
        let environment = self.environment;
        let read = self
            .read
            .entry((file, of.what))
            .or_insert_with_key(|(file, _)| read(environment, file, &name, of, place));
        match read {
            Ok(text) => put(node, of, text, place),
            Err(d) => {
                check.error(d.clone().at(place));
                node.remove(of.file);
                put(node, of, of.instead, place);
            }
        }
    }
}

/// Translates a file's bytes into a scenario's notation, or returns the line at fault, the cause
/// and the fix.
type Parse = fn(&[u8]) -> Result<String, (Option<usize>, String, String)>;

/// A kind of file, and the key for its text.
struct Named {
    /// The key that names it.
    file: &'static str,
    /// The key of what it says.
    text: &'static str,
    what: &'static str,
    longest: u64,
    parse: Parse,
    /// The replacement for an unreadable trace, so that no other error follows from it.
    instead: &'static str,
}

const OF_SERVICE: Named = Named {
    file: "file",
    text: "trace",
    what: "a link trace in Mahimahi's format",
    longest: mahimahi::LONGEST,
    parse: |bytes| match mahimahi::parse(bytes) {
        Ok(trace) => Ok(trace.to_string()),
        Err(e) => Err((e.line, e.cause, e.fix.into())),
    },
    instead: "",
};

/// The kinds of loss trace, by the word that names each; `bits` is the default.
const OF_LOSSES: [(&str, Named); 3] = [
    ("bits", of_losses("a loss trace of 0 and 1", |bytes| lost(bytes, Of::Bits))),
    ("packets", of_losses("a loss trace of numbers of packets", |bytes| lost(bytes, Of::Packets))),
    ("times", of_losses("a loss trace of times", |bytes| lost(bytes, Of::Times))),
];

const fn of_losses(what: &'static str, parse: Parse) -> Named {
    Named { file: "file", text: "trace", what, longest: losses::LONGEST, parse, instead: "" }
}

fn lost(bytes: &[u8], of: Of) -> Result<String, (Option<usize>, String, String)> {
    match losses::parse(bytes, of) {
        Ok(trace) => Ok(trace.to_string()),
        Err(e) => Err((e.line, e.cause, e.fix.into())),
    }
}

const OF_SESSION: Named = Named {
    file: "list",
    text: "transfers",
    what: "a list of transfers as CSV",
    longest: transfers::LONGEST,
    parse: |bytes| {
        let list = transfers::parse(utf8(bytes)?).map_err(|e| (Some(e.line), e.cause, e.fix))?;
        Ok(transfers::write(&list))
    },
    instead: "start,size\n0,1\n",
};

const OF_WAN: Named = Named {
    file: "file",
    text: "edges",
    what: "a network as GraphML or CSV",
    longest: edges::LONGEST,
    parse: |bytes| {
        let list = networks::read(utf8(bytes)?).map_err(|e| (Some(e.line), e.cause, e.fix))?;
        Ok(edges::write(&list))
    },
    instead: "from,to,rate,delay\nA,B,1 Gbps,1 ms\n",
};

/// Its text is a list of JSON, which becomes one of the scenario.
const OF_SIZES: Named = Named {
    file: "file",
    text: "cdf",
    what: "a distribution as lines of a size and a probability",
    longest: sizes::LONGEST,
    parse: |bytes| {
        let points = sizes::parse(utf8(bytes)?).map_err(|e| (Some(e.line), e.cause, e.fix))?;
        Ok(sizes::write(&points))
    },
    instead: "[[\"1 B\", 1.0]]",
};

fn utf8(bytes: &[u8]) -> Result<&str, (Option<usize>, String, String)> {
    str::from_utf8(bytes).map_err(|e| (None, e.to_string(), "write it as UTF-8".to_string()))
}

/// A list of JSON as one of a tree.
fn list(value: &Value, place: Place) -> Node {
    let kind = match value {
        Value::Array(items) => Kind::List(items.iter().map(|item| list(item, place)).collect()),
        leaf => Kind::Leaf(leaf.clone()),
    };
    Node { place, kind }
}

/// The text takes the place of the file, and of a text that is there.
fn put(node: &mut Node, of: &Named, text: &str, place: Place) {
    node.remove(of.file);
    node.remove(of.text);
    if text.is_empty() {
        return;
    }
    let value = match of.text {
        "cdf" => list(&serde_json::from_str(text).unwrap_or_default(), place),
        _ => Node { place, kind: Kind::Leaf(Value::String(text.into())) },
    };
    if let Kind::Table(entries) = &mut node.kind {
        entries.push(Entry { key: of.text.into(), place, node: value, left_over: false });
    }
}

fn read(
    environment: &dyn Environment,
    file: &Path,
    name: &str,
    of: &Named,
    place: Place,
) -> Result<String, Diagnostic> {
    let refuse = |cause: String, fix: &str| Diagnostic::new(cause).fix(fix).at(place);
    let failed = |e: FileError| match e.kind {
        FileErrorKind::NotFound => refuse(
            format!("there is no file {}", file.display()),
            &format!(
                "`{}` is relative to the scenario that says it, with -s to the present \
                directory",
                of.file
            ),
        ),
        FileErrorKind::TooLarge => {
            refuse(format!("{} cannot be read: {e}", file.display()), "use a shorter part of it")
        }
        FileErrorKind::Other => refuse(
            format!("{} cannot be read: {e}", file.display()),
            &format!(
                "name \
            {}",
                of.what
            ),
        ),
    };
    let bytes = environment.read(file, of.longest).map_err(failed)?;
    (of.parse)(&bytes).map_err(|(line, cause, fix)| {
        let at = line.map_or(String::new(), |n| format!(", line {n}"));
        refuse(format!("{name}{at}: {cause}"), &fix)
    })
}
