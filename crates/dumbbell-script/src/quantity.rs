//! Numbers, times and positions as a script writes them.
use dumbbell_core::units::{Bytes, Packets, Span};
use std::str::FromStr;

/// `0.1`, `100ms`, `1.5s`: without a unit seconds.
pub fn span(text: &str) -> Option<Span> {
    let bare = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if text.is_empty() {
        return None;
    }
    Span::from_str(&if bare { format!("{text} s") } else { text.to_string() }).ok()
}

/// Units of a number that stands before a word: packets are `mss` bytes, times become seconds.
pub fn scaled(number: f64, unit: &str, mss: u64) -> Option<f64> {
    let one = format!("1 {unit}");
    if Packets::from_str(&one).is_ok() {
        return Some(number * mss as f64);
    }
    if let Ok(Bytes(bytes)) = Bytes::from_str(&one) {
        return Some(number * bytes as f64);
    }
    // A thousand units, so that picoseconds keep their digits.
    Span::from_str(&format!("1000 {unit}")).ok().map(|s| number * s.seconds() / 1000.0)
}

/// A size in bytes: `5000`, or a number and its unit.
pub fn size(number: &str, unit: Option<&str>, mss: u64) -> Option<u64> {
    let n: f64 = number.parse().ok()?;
    let bytes = unit.map_or(Some(n), |u| scaled(n, u, mss))?;
    (bytes >= 0.0 && bytes.fract() == 0.0 && bytes < 9e15).then_some(bytes as u64)
}

/// A position: `1001` is a byte, `s2` the first byte of the second segment.
pub fn position(text: &str, mss: u64) -> Option<u64> {
    match text.strip_prefix('s') {
        Some(n) => Some((n.parse::<u64>().ok()?.checked_sub(1)?).checked_mul(mss)? + 1),
        None => text.parse().ok(),
    }
}

/// A range: `1:1001` are bytes, `s3` is a segment and `s3-s5` (or `s3-5`) are three.
pub fn range(text: &str, mss: u64) -> Option<(u64, u64)> {
    if let Some((from, to)) = text.split_once(':') {
        let (from, to) = (position(from, mss)?, position(to, mss)?);
        return (from <= to).then_some((from, to));
    }
    let (first, last) = segments(text)?;
    Some((position(&format!("s{first}"), mss)?, position(&format!("s{}", last + 1), mss)?))
}

/// The numbers of `s3` or `s3-s5`.
pub fn segments(text: &str) -> Option<(u64, u64)> {
    let text = text.strip_prefix('s')?;
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last): (u64, u64) =
        (first.parse().ok()?, last.strip_prefix('s').unwrap_or(last).parse().ok()?);
    (1 <= first && first <= last && last < 1 << 32).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_written() {
        assert_eq!(span("0.25"), Some(Span::from_ms(250)));
        assert_eq!(span("250ms"), Some(Span::from_ms(250)));
        assert_eq!((span("x"), span("")), (None, None));
        assert_eq!(scaled(4.0, "pkt", 1000), Some(4000.0));
        assert_eq!(scaled(2.0, "kB", 1000), Some(2000.0));
        assert_eq!(scaled(100.0, "ms", 1000), Some(0.1));
        assert_eq!(scaled(1.0, "miles", 1000), None);
        assert_eq!(size("20", Some("kB"), 1000), Some(20_000));
        assert_eq!(size("0.5", None, 1000), None);
        assert_eq!(
            (position("s2", 1000), position("7", 1000), position("s0", 1000)),
            (Some(1001), Some(7), None)
        );
        assert_eq!(range("s3-s5", 1000), Some((2001, 5001)));
        assert_eq!(
            (range("s3-5", 1000), range("s3", 1000)),
            (Some((2001, 5001)), Some((2001, 3001)))
        );
        assert_eq!(
            (range("1:1001", 1000), range("9:1", 1000), range("s5-s3", 1000)),
            (Some((1, 1001)), None, None)
        );
    }
}
