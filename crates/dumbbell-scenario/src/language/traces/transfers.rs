//! A list of transfers: CSV whose first line names the columns `start`, `size` and perhaps `from`
//! and `to`.
//!
//! A start is a time with its unit, or a number of seconds; a size is one with its unit, or a
//! number of bytes. Lines may be in any order; empty ones and those that begin with `#` say
//! nothing.
use dumbbell_core::units::{Bytes, Span};
use std::fmt::Write;

/// The longest text that is read, bytes.
pub const LONGEST: u64 = 64 << 20;
/// The columns, in the order in which they are written.
const COLUMNS: [&str; 4] = ["start", "size", "from", "to"];

/// One transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Its start, counted from the session's start.
    pub start: Span,
    /// Its size.
    pub size: Bytes,
    /// The sending host and the receiving one, where the list says them.
    pub ends: Option<(String, String)>,
}

/// Why a text is not a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListError {
    /// The line at fault, from 1.
    pub line: usize,
    /// The cause.
    pub cause: String,
    /// The fix.
    pub fix: String,
}

impl ListError {
    pub(super) fn new(line: usize, cause: impl Into<String>, fix: impl Into<String>) -> Self {
        ListError { line, cause: cause.into(), fix: fix.into() }
    }
}

/// Reads a list, in the order of starts; those that start together stay in the order of their
/// lines.
///
/// # Errors
/// The first line that is wrong: an unknown or missing column, too few or too many values, a value
/// that is no time or no size, a transfer of nothing; or a list without transfers.
pub fn parse(text: &str) -> Result<Vec<Transfer>, ListError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let says =
        |(_, line): &(usize, &str)| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let mut lines = text.lines().enumerate().filter(says).map(|(i, line)| (i + 1, line));
    let (first, head) = lines.next().ok_or_else(|| {
        ListError::new(
            1,
            "the list is empty",
            "begin with the line \
            start,size",
        )
    })?;
    let columns = columns(first, head)?;
    let mut out = Vec::new();
    for (number, line) in lines {
        let values: Vec<&str> = line.split(',').map(str::trim).collect();
        if values.len() != columns.len() {
            let cause = format!("{} values in {} columns", values.len(), columns.len());
            return Err(ListError::new(
                number,
                cause,
                format!("write a line as in {}", head.trim()),
            ));
        }
        let of = |name: &str| columns.iter().position(|c| *c == name).map(|i| values[i]);
        out.push(transfer(number, of)?);
    }
    if out.is_empty() {
        return Err(ListError::new(
            first,
            "the list has no transfer",
            "add a line such as 0.5,12000",
        ));
    }
    out.sort_by_key(|t| t.start);
    Ok(out)
}

fn columns(line: usize, head: &str) -> Result<Vec<&str>, ListError> {
    let columns: Vec<&str> = head.split(',').map(str::trim).collect();
    let fix = "let the first line name the columns: start,size or start,size,from,to";
    let wrong = |cause: String| Err(ListError::new(line, cause, fix));
    if let Some(other) = columns.iter().find(|c| !COLUMNS.contains(c)) {
        return wrong(format!("there is no column `{other}`"));
    }
    if let Some(twice) = COLUMNS.iter().find(|c| columns.iter().filter(|x| x == c).count() > 1) {
        return wrong(format!("the column `{twice}` is there twice"));
    }
    let has = |name: &str| columns.contains(&name);
    match COLUMNS[..2].iter().find(|c| !has(c)) {
        Some(missing) => wrong(format!("there is no column `{missing}`")),
        None if has("from") != has("to") => wrong("`from` and `to` go together".into()),
        None => Ok(columns),
    }
}

fn transfer<'a>(line: usize, of: impl Fn(&str) -> Option<&'a str>) -> Result<Transfer, ListError> {
    let value = |name: &str| of(name).unwrap_or_default();
    let start = quantity::<Span>(value("start"), "s").map_err(|e| {
        ListError::new(
            line,
            e,
            "write \
        0.5 or 500 ms",
        )
    })?;
    let size = quantity::<Bytes>(value("size"), "B").map_err(|e| {
        ListError::new(
            line,
            e,
            "write \
        12000 or 12 kB",
        )
    })?;
    if size.0 == 0 {
        return Err(ListError::new(line, "a transfer has at least one byte", "take the line out"));
    }
    let ends = of("from").map(|from| (from.to_string(), value("to").to_string()));
    if ends.as_ref().is_some_and(|(from, to)| from.is_empty() || to.is_empty()) {
        return Err(ListError::new(line, "a host has no name", "name the hosts of each transfer"));
    }
    Ok(Transfer { start, size, ends })
}

/// A quantity with its unit, or a number of base units.
fn quantity<T: std::str::FromStr<Err: ToString>>(text: &str, unit: &str) -> Result<T, String> {
    let bare = !text.is_empty() && text.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    let whole = if bare { format!("{text} {unit}") } else { text.to_string() };
    whole.parse().map_err(|e: T::Err| e.to_string())
}

/// Writes the list as text, which [`parse`] reads.
pub fn write(list: &[Transfer]) -> String {
    let named = list.iter().any(|t| t.ends.is_some());
    let mut out = String::from(if named { "start,size,from,to\n" } else { "start,size\n" });
    for t in list {
        let ends = t.ends.as_ref().map_or(String::new(), |(from, to)| format!(",{from},{to}"));
        let _ = writeln!(out, "{},{}{ends}", t.start, t.size);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_in_the_order_of_starts() {
        let list = parse("# a trace\nsize, start\n\n12 kB, 1.5\n300,20 ms\n5,1.5\n").unwrap();
        let seen: Vec<(u64, u64)> =
            list.iter().map(|t| (t.start.ps() / 1_000_000_000, t.size.0)).collect();
        assert_eq!(seen, [(20, 300), (1500, 12_000), (1500, 5)]);
        assert_eq!(parse(&write(&list)).unwrap(), list);
        let named = parse("start,size,from,to\n0,1,a,b\n").unwrap();
        assert_eq!(named[0].ends, Some(("a".into(), "b".into())));
        assert_eq!(parse(&write(&named)).unwrap(), named);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, said) in [
            ("", 1, "empty"),
            ("start,size\n", 1, "no transfer"),
            ("0.5,12000\n", 1, "no column `0.5`"),
            ("start,bytes\n1,1\n", 1, "no column `bytes`"),
            ("start\n1\n", 1, "no column `size`"),
            ("start,size,start\n1,1,1\n", 1, "twice"),
            ("start,size,from\n1,1,a\n", 1, "go together"),
            ("start,size\n1,1\n2\n", 3, "1 values in 2 columns"),
            ("start,size\n-1,1\n", 2, "not negative"),
            ("start,size\nsoon,1\n", 2, "soon"),
            ("start,size\n1,5 ms\n", 2, "not a unit of size"),
            ("start,size\n\n1,0\n", 3, "at least one byte"),
            ("start,size,from,to\n1,1,a,\n", 2, "no name"),
        ] {
            let e = parse(text).unwrap_err();
            assert!(e.line == line && e.cause.contains(said), "{text:?}: {e:?}");
        }
    }
}
