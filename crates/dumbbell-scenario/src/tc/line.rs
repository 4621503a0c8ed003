//! Lines of `tc qdisc add`, and which discipline hangs below which.
use super::KINDS;
use crate::language::deser;
use crate::language::problem::{Check, Diagnostic, Place};
use crate::tc::args::{Arg, Args};
use crate::tc::discipline::{ImportContext, Part};
use crate::tc::unsupported;

/// Args of tc that make no discipline.
const OTHER_OBJECTS: &[&str] = &["action", "chain", "class", "filter", "monitor"];
const OTHER_VERBS: &[&str] = &["change", "del", "delete", "ls", "list", "show"];

/// The parent of a discipline.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Parent {
    /// Nothing was written.
    Unsaid,
    /// At the device.
    Root,
    /// Below the discipline with this handle.
    Below(u32),
}

/// One line.
struct Statement<'t> {
    dev: Option<Arg<'t>>,
    parent: Parent,
    handle: Option<u32>,
    kind: Arg<'t>,
    words: Vec<Arg<'t>>,
}

/// The meaning of the lines of `text`, from the root down.
pub fn read(text: &str, id: usize, check: &mut Check) -> Vec<Part> {
    let whole = Place { text: id, from: 0, to: text.len() };
    let lines = lines(text, id);
    let statements: Vec<Statement<'_>> = lines.iter().filter_map(|l| statement(l, check)).collect();
    if lines.is_empty() {
        let d = Diagnostic::new("there is no line of tc here").at(whole);
        check.error(d.fix("write one, such as: tc qdisc add dev eth0 root pfifo limit 100"));
    }
    if !check.ok() {
        return Vec::new();
    }
    let Some(chain) = chain(statements, check) else { return Vec::new() };
    let mut context = ImportContext::default();
    let mut parts = Vec::new();
    for (i, s) in chain.iter().enumerate() {
        context.child = i + 1 < chain.len();
        let Some(kind) = KINDS.iter().find(|k| k.name == s.kind.text) else { continue };
        let mut words = Args::new(s.kind, &s.words, check);
        let mut part = (kind.import)(&mut words, &context);
        part.explained.splice(0..0, words.remarks);
        context.rate = context.rate.or(part.rate);
        parts.push(part);
    }
    if let Some(Statement { parent: Parent::Below(major), .. }) = chain.first()
        && let Some(first) = parts.first_mut()
    {
        first.explain(format!(
            "parent {major:x}: is not in the text: what stands above is not said \
            here"
        ));
    }
    parts
}

/// The words of each line. Lines end at a line break (unless a `\` stands before it), a `;` or a
/// `&&`; `#` begins a remark, but for the prompt of `# tc ...`.
fn lines(text: &str, id: usize) -> Vec<Vec<Arg<'_>>> {
    let mut lines = vec![Vec::new()];
    let mut continued = false;
    for line in text.split_inclusive('\n') {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        if !continued {
            lines.push(Vec::new());
        }
        continued = false;
        for word in line.split(|c: char| c.is_whitespace() || c == ';').filter(|w| !w.is_empty()) {
            let from = word.as_ptr() as usize - text.as_ptr() as usize;
            let separated = text[start..from].trim_end().ends_with(';');
            let last = lines.last_mut().expect("never empty");
            match word {
                "\\" => continued = true,
                "&&" => lines.push(Vec::new()),
                "#" | "$" if last.is_empty() && prompts(&line[from - start + 1..]) => {}
                w if w.starts_with('#') => break,
                _ => {
                    if separated {
                        lines.push(Vec::new());
                    }
                    let place = Place { text: id, from, to: from + word.len() };
                    lines.last_mut().expect("never empty").push(Arg { text: word, place });
                }
            }
        }
    }
    lines.retain(|l| !l.is_empty());
    lines
}

/// True if a command follows, so that what stands before it is a prompt.
fn prompts(rest: &str) -> bool {
    let mut words = rest.split_whitespace().skip_while(|w| *w == "sudo");
    words.next() == Some("tc") && words.next() == Some("qdisc")
}

fn refuse(word: Arg<'_>, cause: String, fix: &str, check: &mut Check) {
    check.error(Diagnostic::new(cause).at(word.place).fix(fix));
}

/// One line: `[sudo] [[tc] qdisc add|replace] [dev D] [root|parent M:N] [handle M:] KIND ...`.
fn statement<'t>(line: &[Arg<'t>], check: &mut Check) -> Option<Statement<'t>> {
    let mut rest = line;
    let (mut dev, mut parent, mut handle) = (None, Parent::Unsaid, None);
    let example = "write tc qdisc add dev eth0 root ...";
    if rest.first().is_some_and(|w| w.text == "sudo") {
        rest = &rest[1..];
    }
    let program = rest.first().filter(|tc| tc.text == "tc" || tc.text.ends_with("/tc"));
    if program.is_some() || rest.first().is_some_and(|w| w.text == "qdisc") {
        let after = &rest[usize::from(program.is_some())..];
        let [object, verb, words @ ..] = after else {
            let last = *after.first().or(program)?;
            refuse(last, "this line of tc ends too early".into(), example, check);
            return None;
        };
        if object.text != "qdisc" {
            let what = if OTHER_OBJECTS.contains(&object.text) {
                "makes no queue"
            } else {
                "is not an \
                object of tc"
            };
            refuse(
                *object,
                format!("`{}` {what}: only qdisc is read", object.text),
                example,
                check,
            );
            return None;
        }
        if !matches!(verb.text, "add" | "replace" | "link") {
            let what = if OTHER_VERBS.contains(&verb.text) {
                "adds no queue"
            } else {
                "is no verb \
                of tc qdisc"
            };
            refuse(
                *verb,
                format!("`{}` {what}: add and replace are read", verb.text),
                example,
                check,
            );
            return None;
        }
        rest = words;
    }
    loop {
        match rest {
            [word, name, after @ ..] if word.text == "dev" => {
                dev = Some(*name);
                rest = after;
            }
            [word, after @ ..] if word.text == "root" => {
                parent = Parent::Root;
                rest = after;
            }
            [word, id, after @ ..] if word.text == "parent" || word.text == "handle" => {
                let major = major(*id, check)?;
                if word.text == "parent" {
                    parent = Parent::Below(major)
                } else {
                    handle = Some(major)
                }
                rest = after;
            }
            _ => break,
        }
    }
    let Some((kind, words)) = rest.split_first() else {
        let last = *line.last()?;
        refuse(
            last,
            "this line names no discipline".into(),
            "write one after it, such as red or \
            pfifo",
            check,
        );
        return None;
    };
    known(*kind, check).then(|| Statement {
        dev,
        parent,
        handle,
        kind: *kind,
        words: words.to_vec(),
    })
}

/// True if the discipline can be read.
fn known(kind: Arg<'_>, check: &mut Check) -> bool {
    let names: Vec<&str> = KINDS.iter().map(|k| k.name).collect();
    if names.contains(&kind.text) {
        return true;
    }
    if let Some(cause) = unsupported::of_tc(kind.text) {
        refuse(kind, cause, &format!("known are {}", names.join(", ")), check);
    } else {
        let d =
            Diagnostic::new(format!("there is no discipline `{}` in tc", kind.text)).at(kind.place);
        check.error(deser::suggest(d, kind.text, &names));
    }
    false
}

/// The major number of `1:`, `1:1`; they are hexadecimal.
fn major(id: Arg<'_>, check: &mut Check) -> Option<u32> {
    let (major, minor) = id.text.split_once(':').unwrap_or(("?", ""));
    let minor_reads = minor.is_empty() || u32::from_str_radix(minor, 16).is_ok_and(|n| n <= 0xffff);
    match u32::from_str_radix(major, 16) {
        Ok(n) if n <= 0xffff && minor_reads => Some(n),
        _ => {
            refuse(
                id,
                format!("`{}` is not a discipline's number", id.text),
                "write it as in 1: \
                or 1:1",
                check,
            );
            None
        }
    }
}

/// The statements from the root down: each hangs below the one before it.
fn chain<'t>(mut statements: Vec<Statement<'t>>, check: &mut Check) -> Option<Vec<Statement<'t>>> {
    let devices = || statements.iter().filter_map(|s| s.dev);
    if let Some(other) =
        devices().find(|d| devices().next().is_some_and(|first| first.text != d.text))
    {
        refuse(
            other,
            "these lines are of several devices".into(),
            "import the lines of one device \
            at a time",
            check,
        );
        return None;
    }
    let top = statements
        .iter()
        .position(|s| s.parent != Parent::Unsaid && !hangs(s, &statements))
        .unwrap_or(0);
    let mut chain = vec![statements.swap_remove(top)];
    while !statements.is_empty() {
        let handle = chain.last().and_then(|s| s.handle);
        let below = |s: &Statement<'_>| {
            matches!(
                (s.parent, handle), (Parent::Below(major), Some(h)) if major == h
            )
        };
        let Some(next) = statements.iter().position(below) else {
            let fix = "give the upper one a handle, and the lower one its parent: handle 1: and \
                parent 1:1";
            let cause = "this does not hang below the discipline before it".to_string();
            refuse(statements[0].kind, cause, fix, check);
            return None;
        };
        chain.push(statements.swap_remove(next));
    }
    Some(chain)
}

/// True if `s` hangs below one of `all`.
fn hangs(s: &Statement<'_>, all: &[Statement<'_>]) -> bool {
    matches!(s.parent, Parent::Below(major) if all.iter().any(|o| o.handle == Some(major)))
}
