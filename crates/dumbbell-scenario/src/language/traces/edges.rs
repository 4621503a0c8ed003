//! A network of routers as a list of its links: CSV whose first line names the columns `from`, `to`
//! and perhaps `rate`, `delay` and `cost`.
//!
//! A link stands once and has both directions. A value may be empty where it is not known. Empty
//! lines and those that begin with `#` say nothing.
use super::transfers::ListError;
use dumbbell_core::units::{Rate, Span};
use std::fmt::Write;

/// The longest text that is read, bytes.
pub const LONGEST: u64 = 16 << 20;
/// The columns, in the order in which they are written.
const COLUMNS: [&str; 5] = ["from", "to", "rate", "delay", "cost"];

/// A link between two routers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its ends.
    pub from: String,
    /// Its ends.
    pub to: String,
    /// Its rate, if it is known.
    pub rate: Option<Rate>,
    /// Its propagation delay, if it is known.
    pub delay: Option<Span>,
    /// Its cost in routing, if it is written.
    pub cost: Option<u64>,
}

/// Reads CSV.
///
/// # Errors
/// The first line that is wrong: an unknown or missing column, too few or too many values, a value
/// that is no rate, time or cost, a link of a node with itself; or a list without links.
pub fn parse(text: &str) -> Result<Vec<Edge>, ListError> {
    let says =
        |(_, line): &(usize, &str)| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let mut lines = text.lines().enumerate().filter(says).map(|(i, line)| (i + 1, line));
    let start = "begin with the line from,to,rate,delay";
    let (first, head) =
        lines.next().ok_or_else(|| ListError::new(1, "the list of links is empty", start))?;
    let columns: Vec<&str> = head.split(',').map(str::trim).collect();
    if let Some(other) = columns.iter().find(|c| !COLUMNS.contains(c)) {
        return Err(ListError::new(first, format!("there is no column `{other}`"), start));
    }
    if let Some(twice) = COLUMNS.iter().find(|c| columns.iter().filter(|x| x == c).count() > 1) {
        return Err(ListError::new(first, format!("the column `{twice}` is there twice"), start));
    }
    if let Some(missing) = COLUMNS[..2].iter().find(|c| !columns.contains(c)) {
        return Err(ListError::new(first, format!("there is no column `{missing}`"), start));
    }
    let mut out = Vec::new();
    for (number, line) in lines {
        let values: Vec<&str> = line.split(',').map(str::trim).collect();
        if values.len() != columns.len() {
            let cause = format!("{} values in {} columns", values.len(), columns.len());
            let fix = format!("write a line as in {}", head.trim());
            return Err(ListError::new(number, cause, fix));
        }
        let of = |name: &str| {
            let place = columns.iter().position(|c| *c == name);
            place.map(|i| values[i]).filter(|value| !value.is_empty())
        };
        out.push(edge(number, of)?);
    }
    if out.is_empty() {
        let fix = "add a line such as Seattle,Denver,10 Gbps,8 ms";
        return Err(ListError::new(first, "the list has no link", fix));
    }
    Ok(out)
}

fn edge<'a>(line: usize, of: impl Fn(&str) -> Option<&'a str>) -> Result<Edge, ListError> {
    let node = |key: &str| {
        let name = of(key).unwrap_or_default();
        // `A/h1` is a host of A, and `A->B.2` the second link between A and B.
        let second = name.rsplit_once('.').is_some_and(|(_, n)| n.parse::<u64>().is_ok());
        let separates = name.contains("->") || name.contains('/') || second;
        if name.is_empty() || separates || name.contains(char::is_control) {
            let cause = format!("{name:?} is not a name of a router");
            let fix = "write a word, such as Denver, without `->`, `/` and a number behind a dot";
            return Err(ListError::new(line, cause, fix));
        }
        Ok(name.to_string())
    };
    let (from, to) = (node("from")?, node("to")?);
    if from == to {
        let cause = format!("a link of `{from}` with itself");
        return Err(ListError::new(line, cause, "take the line out"));
    }
    let wrong = |e: String, fix: &str| ListError::new(line, e, fix);
    let rate = of("rate").map(str::parse).transpose().map_err(|e| wrong(text(e), "write 10 Gbps"));
    let delay = of("delay").map(str::parse).transpose().map_err(|e| wrong(text(e), "write 8 ms"));
    let cost = of("cost").map(str::parse::<u64>).transpose();
    let cost = cost.map_err(|_| {
        let cause = format!("`{}` is not a cost", of("cost").unwrap_or_default());
        wrong(cause, "write a whole number, such as 10")
    });
    Ok(Edge { from, to, rate: rate?, delay: delay?, cost: cost? })
}

fn text<E: ToString>(e: E) -> String {
    e.to_string()
}

/// Writes the list as CSV, which [`parse`] reads.
pub fn write(list: &[Edge]) -> String {
    let mut out = String::from("from,to,rate,delay,cost\n");
    let word = |value: Option<String>| value.unwrap_or_default();
    for e in list {
        let rate = word(e.rate.map(|r| r.to_string()));
        let delay = word(e.delay.map(|d| d.to_string()));
        let cost = word(e.cost.map(|c| c.to_string()));
        let _ = writeln!(out, "{},{},{rate},{delay},{cost}", e.from, e.to);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written() {
        let list = parse("# ours\nto, from, delay\n\nB,A,8 ms\nC,B,\n").unwrap();
        assert_eq!((list[0].from.as_str(), list[0].to.as_str()), ("A", "B"));
        assert_eq!((list[0].delay, list[1].delay), (Some(Span::from_ms(8)), None));
        assert_eq!(parse(&write(&list)).unwrap(), list);
        let whole = parse("from,to,rate,delay,cost\nA,B,10 Gbps,1 ms,7\n").unwrap();
        assert_eq!((whole[0].rate, whole[0].cost), (Some(Rate::from_mbps(10_000)), Some(7)));
        assert_eq!(parse(&write(&whole)).unwrap(), whole);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, said) in [
            ("", 1, "empty"),
            ("from,to\n", 1, "no link"),
            ("A,B\n", 1, "no column `A`"),
            ("from,rate\nA,1 Gbps\n", 1, "no column `to`"),
            ("from,to,to\nA,B,C\n", 1, "twice"),
            ("from,to\nA,B\nA\n", 3, "1 values in 2 columns"),
            ("from,to\nA,A\n", 2, "with itself"),
            ("from,to\nA,\n", 2, "not a name"),
            ("from,to\nA,B/h1\n", 2, "not a name"),
            ("from,to\nA,B.2\n", 2, "not a name"),
            ("from,to,rate\nA,B,fast\n", 2, "fast"),
            ("from,to,delay\nA,B,5 B\n", 2, "not a unit of time"),
            ("from,to,cost\nA,B,1.5\n", 2, "`1.5` is not a cost"),
        ] {
            let e = parse(text).unwrap_err();
            assert!(e.line == line && e.cause.contains(said), "{text:?}: {e:?}");
        }
    }
}
