//! Link traces of Mahimahi, as mm-link(1) reads them: each line is the millisecond of one
//! opportunity to deliver 1500 bytes, in order of time; equal lines are several opportunities.
//!
//! This reader takes the same input as mm-link: digits, a line feed after each number, nothing
//! else.
use dumbbell_algos::service::parts::schedule::{Builder, OPPORTUNITY, Schedule, Unfit};
use dumbbell_core::units::Time;
use std::fmt;
use std::fmt::Write;

/// The longest file that is read, bytes.
pub const LONGEST: u64 = 128 << 20;
/// The longest line, characters: more than any number of milliseconds needs.
const LONGEST_LINE: usize = 20;
/// Picoseconds in a millisecond.
const PS_PER_MS: u64 = 1_000_000_000;

/// Why bytes are no link trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The line at fault, from 1; `None`: the whole.
    pub line: Option<usize>,
    /// The cause.
    pub cause: String,
    /// The fix.
    pub fix: &'static str,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(n) => write!(f, "line {n}: {}; {}", self.cause, self.fix),
            None => write!(f, "{}; {}", self.cause, self.fix),
        }
    }
}
impl std::error::Error for TraceError {}

/// Reads a trace.
///
/// # Errors
/// The first line that is wrong: empty, negative, no number, before the one above it, too long,
/// with a carriage return, or without its end; or a trace without opportunities or length.
pub fn parse(bytes: &[u8]) -> Result<Schedule, TraceError> {
    let whole = |cause: String, fix| TraceError { line: None, cause, fix };
    if bytes.is_empty() {
        return Err(whole(
            "the trace is empty".into(),
            "write one line for each delivery \
            opportunity",
        ));
    }
    let mut builder = Builder::default();
    let (mut before, mut lines) = (0, bytes.split(|b| *b == b'\n').peekable());
    let mut number = 0;
    while let Some(line) = lines.next() {
        number += 1;
        let wrong = |cause: String, fix| TraceError { line: Some(number), cause, fix };
        let last = lines.peek().is_none();
        if last && line.is_empty() {
            break;
        }
        let ms = millisecond(line).map_err(|(cause, fix)| wrong(cause, fix))?;
        if last {
            let cause = format!("the file ends within this line, after `{ms}`");
            return Err(wrong(
                cause,
                "it may be truncated: fetch it again; if it is whole, end it \
                with a line feed",
            ));
        }
        builder.add(ms, 1).map_err(|unfit| match unfit {
            Unfit::Decreasing => wrong(
                format!("{ms} ms comes after {before} ms: time goes back"),
                "sort the lines \
                    by time",
            ),
            other => wrong(format!("{ms} ms: {other}"), "use a shorter part of the trace"),
        })?;
        before = ms;
    }
    builder.finish().map_err(|e| whole(e.to_string(), "give it an opportunity after 0 ms"))
}

/// The number on a line.
fn millisecond(line: &[u8]) -> Result<u64, (String, &'static str)> {
    const LIKE: &str = "a line is a whole number of milliseconds, as in `17`";
    if let Some(line) = line.strip_suffix(b"\r") {
        let cause = format!("`{}` ends with a carriage return", shown(line));
        return Err((cause, "write line ends as on Unix: tr -d '\\r' < FILE > NEW"));
    }
    if line.is_empty() {
        return Err(("it is empty".into(), LIKE));
    }
    if line.len() > LONGEST_LINE {
        return Err((format!("it has {} characters: `{}`", line.len(), shown(line)), LIKE));
    }
    if line.iter().all(u8::is_ascii_digit) {
        let text = std::str::from_utf8(line).unwrap_or_default();
        return text.parse().map_err(|_| (format!("{text} ms is later than any trace"), LIKE));
    }
    if line[0] == b'-' && line.len() > 1 && line[1..].iter().all(u8::is_ascii_digit) {
        return Err((format!("`{}` is negative", shown(line)), "a trace begins at 0 or later"));
    }
    Err((format!("`{}` is not a whole number", shown(line)), LIKE))
}

/// The beginning of a line, legibly.
fn shown(line: &[u8]) -> String {
    let head = &line[..line.len().min(LONGEST_LINE)];
    let more = if head.len() < line.len() { "…" } else { "" };
    format!("{}{more}", head.escape_ascii())
}

/// Writes a trace.
pub fn write(trace: &Schedule) -> String {
    let mut out = String::new();
    for (ms, count) in trace.instants() {
        for _ in 0..*count {
            // Into a string this cannot fail.
            let _ = writeln!(out, "{ms}");
        }
    }
    out
}

/// The trace of a link that delivered packets of so many bytes at these instants, in order, counted
/// from `from`: an opportunity whenever another 1500 bytes are through, at the next whole
/// millisecond. What is left at the end, less than 1500 bytes, has none. The trace is as long as
/// the last opportunity says, for the format knows no other end.
///
/// # Errors
/// Fewer than 1500 bytes were delivered after `from`, time goes back, or it is longer than a trace
/// can be.
pub fn from_departures(
    departures: impl IntoIterator<Item = (Time, u32)>,
    from: Time,
) -> Result<Schedule, TraceError> {
    let wrong = |e: Unfit| {
        let fix = "a trace needs 1500 bytes delivered after its start, in order of time";
        TraceError { line: None, cause: format!("these departures make no trace: {e}"), fix }
    };
    let (mut builder, mut bytes) = (Builder::default(), 0u64);
    for (at, packet) in departures.into_iter().filter(|(at, _)| *at >= from) {
        bytes += u64::from(packet);
        let through = u32::try_from(bytes / OPPORTUNITY).unwrap_or(u32::MAX);
        bytes %= OPPORTUNITY;
        if through > 0 {
            builder.add(at.since(from).ps().div_ceil(PS_PER_MS), through).map_err(wrong)?;
        }
    }
    builder.finish().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::units::Span;
    use proptest::prelude::*;

    #[test]
    fn says_the_line_and_what_is_wrong() {
        for (text, line, cause) in [
            ("", None, "the trace is empty"),
            ("\n", Some(1), "it is empty"),
            ("1\n\n2\n", Some(2), "it is empty"),
            ("1\n-2\n", Some(2), "`-2` is negative"),
            ("5\n4\n", Some(2), "4 ms comes after 5 ms"),
            ("1\n2.5\n", Some(2), "`2.5` is not a whole number"),
            ("1\n 2\n", Some(2), "` 2` is not a whole number"),
            ("1\n\u{fc}\n", Some(2), "`\\xc3\\xbc` is not a whole number"),
            ("1\r\n2\r\n", Some(1), "carriage return"),
            ("1\n2\n3", Some(3), "the file ends within this line, after `3`"),
            ("123456789012345678901\n", Some(1), "it has 21 characters"),
            ("99999999999999999999\n", Some(1), "later than any trace"),
            ("1000000001\n", Some(1), "later than 1000000000 ms"),
            ("0\n0\n", None, "repeats without a pause"),
        ] {
            let e = parse(text.as_bytes()).unwrap_err();
            assert_eq!(e.line, line, "{text:?}: {e}");
            assert!(e.cause.contains(cause) && !e.fix.is_empty(), "{text:?}: {e}");
        }
        let all = "7\n".repeat(1_000_001);
        assert!(parse(all.as_bytes()).unwrap_err().to_string().starts_with(
            "line 1000001: 7 ms: \
            there are more than"
        ));
    }

    #[test]
    fn reads_what_mm_link_reads() {
        let trace = parse(b"0\n1\n1\n10\n").unwrap();
        assert_eq!(trace.instants(), [(0, 1), (1, 2), (10, 1)]);
        assert_eq!(write(&trace), "0\n1\n1\n10\n");
    }

    #[test]
    fn departures_become_opportunities() {
        let at = |us: u64| Time::ZERO + Span::from_us(us);
        // 1000 B, and 2000 B a moment later: two opportunities at the next millisecond. 500 B are
        // left, and 1499.
        let trace = from_departures(
            [
                (at(500), 9000),
                (at(1000), 1000),
                (at(1900), 2000),
                (at(3000), 1500),
                (at(4000), 1499),
            ],
            at(1000),
        );
        assert_eq!(trace.unwrap().instants(), [(1, 2), (2, 1)]);
        let trace =
            from_departures([(at(1000), 1000), (at(1900), 1000), (at(4001), 4000)], at(0)).unwrap();
        assert_eq!(trace.instants(), [(2, 1), (5, 3)]);
        let nothing = from_departures([(at(10), 1499)], at(0)).unwrap_err();
        assert!(nothing.cause.contains("no delivery opportunity"), "{nothing}");
    }

    proptest! {
        #[test]
        fn writes_what_it_reads(mut ms in prop::collection::vec(0u64..2_000, 1..300)) {
            ms.sort_unstable();
            ms.push(2_000);
            let text: String = ms.iter().map(|t| format!("{t}\n")).collect();
            prop_assert_eq!(write(&parse(text.as_bytes()).unwrap()), text);
        }

        /// Departures of full packets at a trace's own opportunities give the trace back.
        #[test]
        fn a_saturated_link_gives_its_trace(mut ms in prop::collection::vec(1u64..2_000, 1..300)) {
            ms.sort_unstable();
            let departures = ms.iter().map(|t| (Time::ZERO + Span::from_ms(*t), 1500));
            prop_assert_eq!(
                from_departures(departures, Time::ZERO).unwrap(),
                Schedule::new(ms).unwrap()
            );
        }

        #[test]
        fn never_panics(
            bytes in prop::collection::vec(
                prop::sample::select(b"0129\n\n\n-\r. x\xff".to_vec()), 0..200
            ),
        ) {
            let _ = parse(&bytes);
        }
    }
}
