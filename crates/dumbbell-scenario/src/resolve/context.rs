//! What the steps of a resolution share: the scenario's tree, whose values know their places in the
//! text, and what was found wrong.
use crate::language::lookup::{self, Family};
use crate::language::node::{Node, Path, below};
use crate::language::problem::{Check, Diagnostic, Place};
use dumbbell_plan::Spec;
use std::cell::{RefCell, RefMut};
use std::mem;

/// A scenario's tree and the findings about it.
pub struct Context<'a> {
    /// The tree.
    pub root: &'a Node,
    check: RefCell<Check>,
}

impl<'a> Context<'a> {
    /// Calls `f` with the context of `root`; its findings go to `check`.
    pub fn within<T>(root: &'a Node, check: &mut Check, f: impl FnOnce(&Context<'a>) -> T) -> T {
        let cx = Context { root, check: RefCell::new(mem::take(check)) };
        let result = f(&cx);
        *check = cx.check.into_inner();
        result
    }
    /// The findings so far. Nothing can be refused while the caller holds them.
    pub fn check(&self) -> RefMut<'_, Check> {
        self.check.borrow_mut()
    }
    /// True if no error was found.
    pub fn ok(&self) -> bool {
        self.check.borrow().ok()
    }
    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.check.borrow().found.len()
    }
    /// One more remark, once.
    pub fn note(&self, text: impl Into<String>) {
        self.check().note(text);
    }
    /// The position of the scenario's key `key`.
    pub fn at(&self, key: &str) -> At<'_> {
        At { cx: self, path: vec![key.to_string()] }
    }
    /// The position of item `i` of the scenario's list `list`.
    pub fn item(&self, list: &str, i: usize) -> At<'_> {
        At { cx: self, path: vec![list.to_string(), i.to_string()] }
    }
}

/// A position in the tree; nothing need be written there.
#[derive(Clone)]
pub struct At<'c> {
    /// The tree, and the findings about it.
    pub cx: &'c Context<'c>,
    /// The steps from the root.
    pub path: Path,
}

impl<'c> At<'c> {
    /// The position of a key of the table here, or of an item of the list here.
    pub fn below(&self, step: impl ToString) -> At<'c> {
        At { cx: self.cx, path: below(&self.path, step) }
    }
    /// The value that is written here.
    pub fn node(&self) -> Option<&'c Node> {
        self.cx.root.at(&self.path)
    }
    /// The place of the value here, or of the nearest table or list around it.
    pub fn place(&self) -> Place {
        self.cx.root.nearest_place(&self.path)
    }
    /// An error about the value here, and its fix.
    pub fn refuse(&self, cause: impl Into<String>, fix: impl Into<String>) {
        self.refuse_at(self.place(), cause, fix);
    }
    /// An error about the value here whose text is at `place`: it is written elsewhere, or only a
    /// part of it is wrong.
    pub fn refuse_at(&self, place: Place, cause: impl Into<String>, fix: impl Into<String>) {
        self.error(Diagnostic::new(cause).at(place).fix(fix));
    }
    /// An error about the value here.
    pub fn error(&self, d: Diagnostic) {
        self.cx.check().error(d.key(&self.path));
    }
    /// The algorithm that `node` names in this position: see [`lookup::resolve`].
    pub fn algorithm(&self, family: Family, node: &Node, limit: Option<f64>) -> Option<Spec> {
        lookup::resolve(family, node, &self.path, limit, &mut self.cx.check())
    }
}
