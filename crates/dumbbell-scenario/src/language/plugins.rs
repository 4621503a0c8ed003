//! Algorithms of a user's own: which a request brings, and how their files are read.
//!
//! `use = ["mine.py"]` in a scenario is relative to the file that says it. Only the caller knows
//! what is in such a file: it passes a [`PluginLoader`].
use crate::language::node::{Kind, Node};
use crate::language::problem::{Check, Diagnostic};
use dumbbell_algos::{aqm, cc};
use dumbbell_core::plugin::{Page, Plugins};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Reads a user's algorithms. The Python package hands one in.
pub trait PluginLoader: Sync {
    /// Returns the plugins that came with the request itself.
    fn given(&self) -> Plugins;
    /// Reads the plugins in a file.
    ///
    /// # Errors
    /// The cause and the fix; the place is the caller's.
    fn file(&self, path: &Path) -> Result<Plugins, Diagnostic>;
    /// Does `work`, a run that calls what was brought, on this thread: an interpreter may want to
    /// know the thread.
    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }
}

/// A door that brings nothing.
pub struct NoPlugins;

impl PluginLoader for NoPlugins {
    fn given(&self) -> Plugins {
        Plugins::default()
    }
    fn file(&self, path: &Path) -> Result<Plugins, Diagnostic> {
        let cause =
            format!("{} cannot be read by this door: it knows the catalogue only", path.display());
        Err(Diagnostic::new(cause).fix(
            "take `use` out, or run the scenario with the command \
            `dumbbell`",
        ))
    }
}

/// Makes the files of a scenario's `use` relative to the directory of the file that says it.
pub fn make_absolute(node: &mut Node, dir: &Path) {
    let Kind::Table(entries) = &mut node.kind else { return };
    let Some(entry) = entries.iter_mut().find(|e| e.key == "use") else { return };
    let Kind::List(items) = &mut entry.node.kind else { return };
    for item in items {
        if let Kind::Leaf(Value::String(name)) = &mut item.kind {
            *name = dir.join(&*name).display().to_string();
        }
    }
}

/// A scenario uses what the one that it extends uses: the base's files come first.
pub fn join(base: Option<Node>, whole: &mut Node) {
    let Some(base) = base else { return };
    let Kind::Table(entries) = &mut whole.kind else { return };
    match entries.iter_mut().find(|e| e.key == "use").map(|e| &mut e.node.kind) {
        Some(Kind::List(own)) => {
            let more: Vec<Node> = base
                .items()
                .iter()
                .filter(|b| !own.iter().any(|o| o.kind == b.kind))
                .cloned()
                .collect();
            own.splice(0..0, more);
        }
        Some(_) => {} // A wrong type, which is said when the scenario is read.
        None => drop(whole.entry_mut("use", base.place).map(|node| *node = base)),
    }
}

/// `builtin` plugins, those that came with the request, those of the request's `files`, and those
/// of the files that `root` uses.
pub fn gather(
    root: &Node,
    files: &[PathBuf],
    builtin: Plugins,
    loader: &dyn PluginLoader,
    check: &mut Check,
) -> Plugins {
    let mut plugins = builtin;
    admit(&mut plugins, loader.given(), None, check);
    for path in files {
        match loader.file(path) {
            Ok(more) => admit(&mut plugins, more, None, check),
            Err(d) => check.error(d),
        }
    }
    for item in root.get("use").map_or(&[][..], Node::items) {
        let Some(name) = item.as_str() else { continue };
        match loader.file(Path::new(name)) {
            Ok(more) => admit(&mut plugins, more, Some(item), check),
            Err(d) => check.error(d.at(item.place)),
        }
    }
    plugins
}

/// Takes `more` in. A name means one algorithm: neither one of the catalogue, nor two of different
/// sources.
pub fn admit(plugins: &mut Plugins, more: Plugins, from: Option<&Node>, check: &mut Check) {
    let mut clash = |page: &Page, other: &str| {
        let d = Diagnostic::new(format!(
            "{} brings `{}`, and {other} has that name",
            page.file, page.name
        ));
        let d = d.fix("give the class another `name`");
        check.error(from.map_or(d.clone(), |node| d.at(node.place)));
    };
    let catalogue = |known: &[dumbbell_core::catalogue::Entry], name: &str| {
        known.iter().any(|e| e.about.name == name)
    };
    for page in more.pages() {
        let another = |mine: Option<&Page>| mine.is_some_and(|m| m.source_hash != page.source_hash);
        let aqm = more.aqm(&page.name).is_some_and(|m| std::ptr::eq(m.page(), page));
        let (known, mine) = if aqm {
            (aqm::CATALOGUE, plugins.aqm(&page.name).map(|m| m.page()))
        } else {
            (cc::CATALOGUE, plugins.cc(&page.name).map(|m| m.page()))
        };
        if catalogue(known, &page.name) {
            clash(page, "one of the catalogue");
        } else if another(mine) {
            clash(page, mine.map_or("", |m| m.file.as_str()));
        }
    }
    plugins.add(more);
}
