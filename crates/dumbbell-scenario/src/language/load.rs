//! A scenario and those it extends, merged.
use crate::language::environment::{Environment, FileErrorKind};
use crate::language::node::Node;
use crate::language::plugins;
use crate::language::problem::{Check, Diagnostic, Place, Texts};
use crate::language::read;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The newest scenario language that this release reads.
pub const SCHEMA: u64 = 1;
/// The longest scenario text, bytes.
const LONGEST: u64 = 16 << 20;

/// The origin of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A file.
    Path(PathBuf),
    /// A text and what to call it; `extends` in it is relative to the present directory.
    Text {
        /// The TOML.
        text: String,
        /// Its name in diagnostics.
        name: String,
    },
    /// A scenario as a dictionary.
    Value {
        /// The dictionary.
        value: Value,
        /// Its name in diagnostics.
        name: String,
    },
}

impl Source {
    /// A name for a scenario that has none: the file's, without its ending.
    pub fn stem(&self) -> String {
        match self {
            Source::Path(p) => {
                p.file_stem().map_or("scenario".into(), |s| s.to_string_lossy().into_owned())
            }
            _ => "scenario".into(),
        }
    }
}

/// Reads `source` and everything it extends.
pub fn load(
    source: &Source,
    environment: &dyn Environment,
    texts: &mut Texts,
    check: &mut Check,
) -> Option<Node> {
    match source {
        Source::Path(file) => load_file(file, None, environment, &mut Vec::new(), texts, check),
        Source::Text { text, name } => {
            let id = texts.add(name, text);
            let node = read::toml(texts, id, check);
            extend(node, Path::new(""), environment, &mut Vec::new(), texts, check)
        }
        Source::Value { value, name } => {
            if !value.is_object() {
                check.error(Diagnostic::new("a scenario is a table of keys and values"));
                return None;
            }
            let node = read::json(texts, name, value);
            extend(node, Path::new(""), environment, &mut Vec::new(), texts, check)
        }
    }
}

fn load_file(
    file: &Path,
    from: Option<Place>,
    environment: &dyn Environment,
    chain: &mut Vec<PathBuf>,
    texts: &mut Texts,
    check: &mut Check,
) -> Option<Node> {
    let shown = file.display().to_string();
    let fail = |check: &mut Check, cause: String, fix: &str| {
        let d = Diagnostic::new(cause).fix(fix);
        check.error(match from {
            Some(place) => d.at(place),
            None => d,
        });
        None
    };
    let identity = match environment.canonical(file) {
        Ok(p) => p,
        Err(e) if e.kind == FileErrorKind::NotFound => {
            let fix = match (from, file.parent()) {
                (Some(_), Some(dir)) if dir != Path::new("") => {
                    format!(
                        "`extends` is relative to the file that says it, here to {}",
                        dir.display()
                    )
                }
                (Some(_), _) => "`extends` is relative to the file that says it".into(),
                (None, _) => "check the path".into(),
            };
            return fail(check, format!("there is no file {shown}"), &fix);
        }
        Err(e) => {
            return fail(
                check,
                format!("{shown} cannot be read: {e}"),
                "check the path and \
            its permissions",
            );
        }
    };
    if chain.contains(&identity) {
        let name = |p: &PathBuf| {
            p.file_name().map_or(p.display().to_string(), |n| n.to_string_lossy().into_owned())
        };
        let mut names: Vec<String> = chain.iter().map(name).collect();
        names.push(name(&identity));
        return fail(
            check,
            format!("`extends` goes round: {}", names.join(" -> ")),
            "take one \
            `extends` out",
        );
    }
    let text = match read_to_string(&identity, environment) {
        Ok(text) => text,
        Err(e) => {
            return fail(
                check,
                format!("{shown} cannot be read: {e}"),
                "a scenario is a \
            UTF-8 text file",
            );
        }
    };
    chain.push(identity);
    let id = texts.add_file(file, text);
    let node = read::toml(texts, id, check);
    let whole =
        extend(node, file.parent().unwrap_or(Path::new("")), environment, chain, texts, check);
    chain.pop();
    whole
}

/// The text of a file.
fn read_to_string(file: &Path, environment: &dyn Environment) -> Result<String, String> {
    let bytes = environment.read(file, LONGEST).map_err(|e| e.cause)?;
    String::from_utf8(bytes).map_err(|e| e.utf8_error().to_string())
}

/// Lays `node` upon the file that it extends, if it does.
fn extend(
    mut node: Node,
    dir: &Path,
    environment: &dyn Environment,
    chain: &mut Vec<PathBuf>,
    texts: &mut Texts,
    check: &mut Check,
) -> Option<Node> {
    refuse_newer(&node, check);
    plugins::make_absolute(&mut node, dir);
    let Some(base) = node.remove("extends") else { return Some(node) };
    let Some(name) = base.as_str() else {
        check.error(Diagnostic::new("`extends` names a file").at(base.place).fix(
            "write extends = \
            \"base.toml\"",
        ));
        return None;
    };
    let mut whole = load_file(&dir.join(name), Some(base.place), environment, chain, texts, check)?;
    // A description belongs to the file that says it.
    for own in ["name", "title"] {
        whole.remove(own);
    }
    let used = whole.get("use").cloned();
    whole.overlay(node);
    plugins::join(used, &mut whole);
    Some(whole)
}

/// Refuses a scenario of a later release before anything in it is judged; true if it is one.
pub(crate) fn refuse_newer(node: &Node, check: &mut Check) -> bool {
    let schema = node.get("schema");
    let newer = schema.and_then(|n| n.to_json().as_u64()).filter(|n| *n > SCHEMA);
    if let (Some(n), Some(schema)) = (newer, schema) {
        check.found.clear();
        check.error(
            Diagnostic::new(format!(
                "this scenario is written in language {n}, and this release \
                reads up to {SCHEMA}"
            ))
            .at(schema.place)
            .fix("use a newer release of dumbbell"),
        );
    }
    newer.is_some()
}
