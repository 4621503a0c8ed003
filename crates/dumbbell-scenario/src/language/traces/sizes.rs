//! A measured distribution of sizes: lines of a size in bytes and the probability that a size is at
//! most that.
//!
//! This is the form in which simulators of data centers exchange them. Probabilities go up to 1, or
//! to 100 if they are percents. A line may have three numbers: the middle one is left out. Empty
//! lines and those that begin with `#` say nothing.
use super::transfers::ListError;
use serde_json::json;

/// The longest text that is read, bytes.
pub const LONGEST: u64 = 1 << 20;

/// Reads `(size, probability)`, both ascending, up to probability 1.
///
/// # Errors
/// The first line that is wrong.
pub fn parse(text: &str) -> Result<Vec<(u64, f64)>, ListError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut points: Vec<(u64, f64)> = Vec::new();
    let mut last = 1;
    for (number, line) in text.lines().zip(1..).map(|(line, n)| (n, line)) {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let wrong = |cause: String| {
            Err(ListError::new(
                number,
                cause,
                "write a size in bytes and a probability: 10000 0.15",
            ))
        };
        let separates = |c: char| c.is_whitespace() || matches!(c, ',' | ';');
        let words: Vec<&str> = line.split(separates).filter(|word| !word.is_empty()).collect();
        let numbers: Option<Vec<f64>> =
            words.iter().map(|word| word.parse().ok().filter(|x: &f64| x.is_finite())).collect();
        let (size, probability) = match numbers.as_deref() {
            Some([size, .., probability]) if words.len() <= 3 => (*size, *probability),
            _ => return wrong(format!("`{}` is not a size and a probability", line.trim())),
        };
        if !(0.0..=1e15).contains(&size) || probability < 0.0 {
            return wrong(format!("`{}` is not a size and a probability", line.trim()));
        }
        let size = size.round().max(1.0) as u64;
        if let Some((before, less)) = points.last()
            && (size < *before || probability < *less)
        {
            return wrong("a size or a probability is less than the one before".into());
        }
        points.push((size, probability));
        last = number;
    }
    let Some((_, whole)) = points.last().copied() else {
        let fix = "write lines of a size in bytes and a probability: 10000 0.15";
        return Err(ListError::new(1, "there is nothing in it", fix));
    };
    if whole != 1.0 && whole != 100.0 {
        let cause = format!("the last probability is {whole}");
        return Err(ListError::new(last, cause, "end with 1, or with 100 if these are percents"));
    }
    Ok(ascending(points.into_iter().map(|(size, p)| (size, p / whole))))
}

/// The same distribution with sizes and probabilities that ascend. Of points of one size the last
/// counts, of points of probability 0 the last, and of points of probability 1 the first. Between
/// two others of one probability nothing lies: the second gets the next greater number.
fn ascending(points: impl Iterator<Item = (u64, f64)>) -> Vec<(u64, f64)> {
    let mut out: Vec<(u64, f64)> = Vec::new();
    for (size, p) in points {
        if out.last().is_some_and(|(before, less)| *before == size || (*less == 0.0 && p == 0.0)) {
            out.pop();
        }
        match out.last() {
            Some((_, less)) if *less == 1.0 => {}
            Some((_, less)) => out.push((size, p.max(less.next_up()))),
            None => out.push((size, p)),
        }
    }
    out
}

/// Writes the points as a `cdf` in JSON.
pub fn write(points: &[(u64, f64)]) -> String {
    let point = |(size, p): &(u64, f64)| json!([format!("{size} B"), p]);
    json!(points.iter().map(point).collect::<Vec<_>>()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_common_forms_are_read() {
        let percents = parse("0 0\n10000 15\n20000,100\n").unwrap();
        assert_eq!(percents, [(1, 0.0), (10_000, 0.15), (20_000, 1.0)]);
        let three = parse("# pFabric\n6 1 0\n6 1 0.15\n 13 1 1\n").unwrap();
        assert_eq!(three, [(6, 0.15), (13, 1.0)]);
        let flat = parse("1 0\n5 0\n6 0.5\n9 0.5\n10 1\n20 1\n").unwrap();
        assert_eq!(flat, [(5, 0.0), (6, 0.5), (9, 0.5f64.next_up()), (10, 1.0)]);
        assert_eq!(write(&three), r#"[["6 B",0.15],["13 B",1.0]]"#);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, said) in [
            ("", 1, "nothing"),
            ("10\n", 1, "`10` is not"),
            ("10 0.5 1 1\n", 1, "is not a size"),
            ("a b\n", 1, "`a b` is not"),
            ("10 0.5\n5 1\n", 2, "less than"),
            ("10 0.5\n15 0.4\n", 2, "less than"),
            ("10 0.5\n\n20 0.9\n", 3, "last probability is 0.9"),
        ] {
            let e = parse(text).unwrap_err();
            assert!(e.line == line && e.cause.contains(said), "{text:?}: {e:?}");
        }
    }
}
