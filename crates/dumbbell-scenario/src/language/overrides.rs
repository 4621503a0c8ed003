//! `-s queue.max_p=0.1`: one value of a scenario, set from outside.
//!
//! A path is keys with dots between; a list is entered by number (`flow.0`), by name (`flow.s1`) or
//! as a whole (`flow.*`). The value is read as TOML, and as a string where it is not TOML: `-s
//! queue=red` and `-s queue.limit="36 pkt"` need no quotes of their own.
use crate::language::node::{Entry, Kind, Node, Path};
use crate::language::problem::{Check, Diagnostic, Place, Texts};
use crate::language::read;
use crate::language::scenario::default_flow_name;
use serde_json::Value;

/// The most items of a list that a message names.
const NAMED: usize = 10;

/// One override: a path and what to lay there.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// The path as written, split at its dots.
    pub path: Path,
    /// The place of the path.
    pub place: Place,
    /// The value to set.
    pub value: Node,
    /// It yields, with a remark, where the present `kind` does not know it: see
    /// [`crate::language::node::Entry`].
    pub yields: bool,
}

impl Override {
    /// Reads `KEY=VALUE`.
    pub fn parse(text: &str, texts: &mut Texts, check: &mut Check) -> Option<Override> {
        let id = texts.add("-s", text);
        let whole = Place { text: id, from: 0, to: text.len() };
        let Some((key, written)) = text.split_once('=') else {
            check.error(
                Diagnostic::new("an override is a key, an equals sign and a value")
                    .at(whole)
                    .fix("write -s queue.limit=\"36 pkt\""),
            );
            return None;
        };
        let path = split(key.trim());
        let place = Place { text: id, from: 0, to: key.trim_end().len() };
        if path.is_empty() || path.iter().any(String::is_empty) {
            check.error(Diagnostic::new("this is not a path to a key").at(place).fix(
                "write it as in \
                queue.limit",
            ));
            return None;
        }
        if path == ["extends"] {
            let d = Diagnostic::new("`extends` is read before overrides are applied").at(place);
            check.error(d.fix("write it in a file, or run that file"));
            return None;
        }
        let value_at = Place { text: id, from: key.len() + 1, to: text.len() };
        let value = match read::toml_value(texts, id, value_at.from, check) {
            Ok(node) => node,
            Err(message) if written.trim_start().starts_with(['[', '{', '"', '\'']) => {
                check.error(
                    Diagnostic::new(format!("this value is not TOML: {message}")).at(value_at),
                );
                return None;
            }
            Err(_) => {
                Node { place: value_at, kind: Kind::Leaf(Value::String(written.trim().into())) }
            }
        };
        Some(Override { path, place, value, yields: false })
    }

    /// The override that a table's entry stands for; its key is a path.
    pub fn of_entry(entry: &Entry) -> Override {
        Override {
            path: split(&entry.key),
            place: entry.place,
            value: entry.node.clone(),
            yields: false,
        }
    }

    /// Lays the value into `root`.
    pub fn apply(&self, root: &mut Node, check: &mut Check) {
        set(root, &self.path, 0, self, check);
    }
}

/// Splits a path at its dots, those within quotes apart.
pub fn split(key: &str) -> Path {
    let mut steps = vec![String::new()];
    let mut quoted = false;
    for c in key.chars() {
        match c {
            '"' => quoted = !quoted,
            '.' if !quoted => steps.push(String::new()),
            c => steps.last_mut().expect("never empty").push(c),
        }
    }
    if key.is_empty() { Vec::new() } else { steps }
}

fn set(node: &mut Node, path: &[String], depth: usize, o: &Override, check: &mut Check) {
    let Some(step) = path.get(depth) else {
        return node.overlay(o.value.clone());
    };
    if let Kind::List(items) = &mut node.kind {
        return match chosen(items, &path[..depth], step) {
            Some(range) => {
                items[range].iter_mut().for_each(|item| set(item, path, depth + 1, o, check))
            }
            None => check.error(no_item(items, path, depth).at(o.place)),
        };
    }
    if let (Kind::Leaf(v), true) = (&node.kind, node.as_str().is_none()) {
        let around = path[..depth].join(".");
        check.error(
            Diagnostic::new(format!("`{around}` is {v} and has no `{step}` in it"))
                .at(o.place)
                .key(path),
        );
        return;
    }
    let last = depth + 1 == path.len();
    if last && step == "kind" {
        // A new kind, by the one rule for it.
        let mut over = Node::table(o.place);
        if let Some(entry) = over.entry_mut(step, o.place) {
            *entry = o.value.clone();
        }
        return node.overlay(over);
    }
    if node.as_str().is_some() {
        // A name becomes a table because of this override: errors point at it.
        node.place = o.place;
    }
    if let Some(child) = node.entry_mut(step, o.place) {
        set(child, path, depth + 1, o, check);
    }
    if let Kind::Table(entries) = &mut node.kind
        && let Some(entry) = entries.iter_mut().find(|e| e.key == *step)
        && last
    {
        entry.left_over = o.yields;
        entry.place = o.place;
    }
}

/// The items of the list at `list` that a step names: all, one by its number, or one by its name.
fn chosen(items: &[Node], list: &[String], step: &str) -> Option<std::ops::Range<usize>> {
    if step == "*" {
        return Some(0..items.len());
    }
    let i = match step.parse::<usize>() {
        Ok(i) => i,
        Err(_) => (0..items.len()).find(|i| name(items, list, *i).as_deref() == Some(step))?,
    };
    (i < items.len()).then(|| i..i + 1)
}

/// The name of item `i`: the written one, or the one that results show.
fn name(items: &[Node], list: &[String], i: usize) -> Option<String> {
    let written = items[i].get("name").and_then(Node::as_str).map(str::to_string);
    written.or_else(|| (list == ["flow"]).then(|| default_flow_name(i)))
}

fn no_item(items: &[Node], path: &[String], depth: usize) -> Diagnostic {
    let (list, step) = (path[..depth].join("."), &path[depth]);
    let names: Vec<String> =
        (0..items.len().min(NAMED)).filter_map(|i| name(items, &path[..depth], i)).collect();
    let numbers = match items.len() {
        0 => "the list is empty".to_string(),
        1 => format!("there is one: {list}.0"),
        n => format!("there are {n}: {list}.0 to {list}.{}, or {list}.* for all", n - 1),
    };
    let more = if items.len() > NAMED { ", ..." } else { "" };
    let named = if names.is_empty() {
        String::new()
    } else {
        format!(", named {}{more}", names.join(", "))
    };
    Diagnostic::new(format!("there is no `{list}.{step}`"))
        .fix(format!("{numbers}{named}"))
        .key(path)
}
