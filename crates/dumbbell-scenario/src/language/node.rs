//! The one tree between a text and a typed scenario: values that know where they were written.
use crate::language::problem::Place;
use dumbbell_core::rng::distribution;
use serde_json::{Map, Value};

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its place in the text.
    pub place: Place,
    /// Its value.
    pub kind: Kind,
}

/// The value of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A string, a number or a truth value.
    Leaf(Value),
    /// A list.
    List(Vec<Node>),
    /// A table, in the order in which it was written.
    Table(Vec<Entry>),
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The place of the key.
    pub place: Place,
    /// Its value.
    pub node: Node,
    /// It was written beside another `kind` than the table's present one: it goes, with a remark,
    /// if the present kind does not know it.
    pub left_over: bool,
}

/// A way through the tree; an index into a list is written as a decimal number.
pub type Path = Vec<String>;

/// A path from its steps.
pub fn path(steps: &[&str]) -> Path {
    steps.iter().map(|s| (*s).to_string()).collect()
}

/// A path and one more step.
pub fn below(base: &[String], step: impl ToString) -> Path {
    base.iter().cloned().chain([step.to_string()]).collect()
}

/// The path of a [`dumbbell_core::catalogue::Fault`], such as `curve[2].x`.
pub fn fault_path(at: &str) -> Path {
    at.split(['.', '[', ']']).filter(|s| !s.is_empty()).map(str::to_string).collect()
}

impl Node {
    /// An empty table at `place`.
    pub fn table(place: Place) -> Self {
        Node { place, kind: Kind::Table(Vec::new()) }
    }

    /// The keys of a table; none if it is something else.
    pub fn entries(&self) -> &[Entry] {
        if let Kind::Table(entries) = &self.kind { entries } else { &[] }
    }

    /// The items of a list; none if it is something else.
    pub fn items(&self) -> &[Node] {
        if let Kind::List(items) = &self.kind { items } else { &[] }
    }

    /// A string.
    pub fn as_str(&self) -> Option<&str> {
        if let Kind::Leaf(Value::String(s)) = &self.kind { Some(s) } else { None }
    }

    /// The entry of a table.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|e| e.key == key)
    }

    /// The value of a table's key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|e| &e.node)
    }

    /// The node at the end of `path`.
    pub fn at(&self, path: &[String]) -> Option<&Node> {
        path.iter().try_fold(self, |node, step| match &node.kind {
            Kind::Table(_) => node.get(step),
            Kind::List(items) => items.get(step.parse::<usize>().ok()?),
            Kind::Leaf(_) => None,
        })
    }

    /// The place of what `path` names, or of the nearest table or list around it.
    pub fn nearest_place(&self, path: &[String]) -> Place {
        (0..=path.len()).rev().find_map(|n| self.at(&path[..n])).map_or(self.place, |n| n.place)
    }

    /// The place of the key at the end of `path`, or the nearest that there is.
    pub fn key_place(&self, path: &[String]) -> Place {
        let found = path.split_last().and_then(|(key, table)| self.at(table)?.entry(key));
        found.map_or_else(|| self.nearest_place(path), |e| e.place)
    }

    /// Without places, and without the parameters of another distribution that was there before.
    pub fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Leaf(v) => v.clone(),
            Kind::List(items) => Value::Array(items.iter().map(Node::to_json).collect()),
            Kind::Table(entries) => {
                let kind = self.get("kind").and_then(Node::as_str).unwrap_or_default();
                let stays =
                    |e: &&Entry| !e.left_over || distribution::takes(kind, &e.key) != Some(false);
                let kept = entries.iter().filter(stays);
                Value::Object(
                    kept.map(|e| (e.key.clone(), e.node.to_json())).collect::<Map<_, _>>(),
                )
            }
        }
    }

    /// Removes a table's key and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Node> {
        let Kind::Table(entries) = &mut self.kind else { return None };
        let i = entries.iter().position(|e| e.key == key)?;
        Some(entries.remove(i).node)
    }

    /// The value of `key`, made if it is missing. A short form (`queue = "red"`) becomes its table.
    pub fn entry_mut(&mut self, key: &str, place: Place) -> Option<&mut Node> {
        self.lengthen();
        let Kind::Table(entries) = &mut self.kind else { return None };
        let i = entries.iter().position(|e| e.key == key).unwrap_or_else(|| {
            entries.push(Entry {
                key: key.into(),
                place,
                node: Node::table(place),
                left_over: false,
            });
            entries.len() - 1
        });
        Some(&mut entries[i].node)
    }

    /// `"red"` becomes `{ kind = "red" }`.
    fn lengthen(&mut self) {
        if self.as_str().is_some() {
            let kind = std::mem::replace(self, Node::table(self.place));
            let entry =
                Entry { key: "kind".into(), place: kind.place, node: kind, left_over: false };
            self.kind = Kind::Table(vec![entry]);
        }
    }

    /// Lays `over` upon this: tables key by key, everything else instead. A string upon a table
    /// that has a `kind` is a new kind, unless it is a quantity. What was written for another kind
    /// is marked as left over.
    pub fn overlay(&mut self, mut over: Node) {
        let names = |word: &str| !word.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let names_a_kind = over.as_str().is_some_and(names) && self.get("kind").is_some();
        if names_a_kind || (self.as_str().is_some() && matches!(over.kind, Kind::Table(_))) {
            self.lengthen();
            over.lengthen();
        }
        let new_kind = over.get("kind").and_then(Node::as_str).map(str::to_string);
        let old_kind = self.get("kind").and_then(Node::as_str).map(str::to_string);
        match (&mut self.kind, over.kind) {
            (Kind::Table(mine), Kind::Table(theirs)) => {
                if old_kind.is_some() && new_kind.is_some() && new_kind != old_kind {
                    mine.iter_mut().for_each(|e| e.left_over = true);
                }
                theirs.into_iter().for_each(|e| lay_entry(mine, e));
            }
            (mine, theirs) => {
                *mine = theirs;
                self.place = over.place;
            }
        }
    }
}

fn lay_entry(table: &mut Vec<Entry>, entry: Entry) {
    match table.iter_mut().find(|e| e.key == entry.key) {
        Some(mine) => {
            mine.node.overlay(entry.node);
            mine.place = entry.place;
            mine.left_over = entry.left_over;
        }
        None => table.push(entry),
    }
}
