//! Quantities as tc(8) writes them: `mbit` is 10^6 bits a second and `mbps` 10^6 *bytes*; a `k` of
//! a size is 1024 bytes; a bare time is in microseconds.
use dumbbell_core::units::{Bytes, Rate, Span};

const RATES: &[(&str, f64)] = &[
    ("", 1.0),
    ("bit", 1.0),
    ("kbit", 1e3),
    ("mbit", 1e6),
    ("gbit", 1e9),
    ("tbit", 1e12),
    ("kibit", 1024.0),
    ("mibit", 1_048_576.0),
    ("gibit", 1_073_741_824.0),
    ("tibit", 1_099_511_627_776.0),
    ("bps", 8.0),
    ("kbps", 8e3),
    ("mbps", 8e6),
    ("gbps", 8e9),
    ("tbps", 8e12),
    ("kibps", 8192.0),
    ("mibps", 8_388_608.0),
    ("gibps", 8_589_934_592.0),
    ("tibps", 8_796_093_022_208.0),
];
const SIZES: &[(&str, f64)] = &[
    ("", 1.0),
    ("b", 1.0),
    ("k", 1024.0),
    ("kb", 1024.0),
    ("m", 1_048_576.0),
    ("mb", 1_048_576.0),
    ("g", 1_073_741_824.0),
    ("gb", 1_073_741_824.0),
    ("kbit", 128.0),
    ("mbit", 131_072.0),
    ("gbit", 134_217_728.0),
];
/// In picoseconds.
const TIMES: &[(&str, f64)] = &[
    ("", 1e6),
    ("us", 1e6),
    ("usec", 1e6),
    ("usecs", 1e6),
    ("ms", 1e9),
    ("msec", 1e9),
    ("msecs", 1e9),
    ("s", 1e12),
    ("sec", 1e12),
    ("secs", 1e12),
    ("ns", 1e3),
    ("nsec", 1e3),
    ("nsecs", 1e3),
];
/// tc keeps sizes, counts and times (in microseconds) in 32 bits.
const LARGEST: f64 = u32::MAX as f64;

/// Splits `5.5mbit` into its number and its unit in lower case.
fn split(text: &str) -> Option<(f64, String)> {
    let at = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..at].parse().ok()?;
    Some((number, text[at..].to_ascii_lowercase()))
}

fn read(text: &str, what: &str, units: &[(&str, f64)]) -> Result<f64, String> {
    let Some((number, unit)) = split(text) else { return Err(format!("`{text}` is no {what}")) };
    match units.iter().find(|(name, _)| *name == unit) {
        Some((_, scale)) => Ok(number * scale),
        None => {
            let known: Vec<&str> = units.iter().map(|u| u.0).filter(|u| !u.is_empty()).collect();
            Err(format!(
                "`{unit}` is not a unit of a {what} in tc, which knows {}",
                known.join(", ")
            ))
        }
    }
}

/// Explains a unit that a reader may take for another: bytes a second, and binary multiples.
pub fn remark(text: &str) -> Option<String> {
    let (number, unit) = split(text)?;
    let find = |units: &[(&str, f64)]| {
        units.iter().find(|(name, _)| *name == unit).map(|(_, scale)| number * scale)
    };
    match unit.as_str() {
        u if u.ends_with("bps") => {
            Some(format!("{text}: tc's {u} are bytes, {} bits a second", find(RATES)?.round()))
        }
        u if u.ends_with("ibit") => {
            Some(format!("{text}: multiples of 1024, {} bits a second", find(RATES)?.round()))
        }
        "k" | "kb" | "m" | "mb" | "g" | "gb" => Some(format!(
            "{text}: tc's {unit} is a power of 1024, {} bytes in all",
            find(SIZES)?.trunc()
        )),
        _ => None,
    }
}

/// A rate: `10mbit`, `1mbps` (megabytes), a bare number of bits a second.
pub fn rate(text: &str) -> Result<Rate, String> {
    if text.ends_with('%') {
        return Err(format!(
            "`{text}` is a share of the device's speed, which a line does not say"
        ));
    }
    match read(text, "rate", RATES)?.round() {
        bps if bps < 8.0 => Err(format!("`{text}` is less than a byte a second")),
        bps if bps > 1e15 => Err(format!("`{text}` is too large for a rate")),
        bps => Ok(Rate::from_bps(bps as u64)),
    }
}

/// A size: `30000`, `5kb` (5120 bytes).
pub fn size(text: &str) -> Result<Bytes, String> {
    match read(text, "size", SIZES)?.trunc() {
        bytes if bytes > LARGEST => {
            Err(format!("`{text}` is too large: tc keeps sizes in 32 bits"))
        }
        bytes => Ok(Bytes(bytes as u64)),
    }
}

/// A time: `100ms`, a bare number of microseconds.
pub fn time(text: &str) -> Result<Span, String> {
    match read(text, "time", TIMES)?.round() {
        ps if ps > LARGEST * 1e6 => Err(format!(
            "`{text}` is too large: tc keeps microseconds in \
            32 bits"
        )),
        ps => Ok(Span::from_ps(ps as u64)),
    }
}

/// A whole number; like tc, also with the units of a size.
pub fn count(text: &str) -> Result<u32, String> {
    let hexadecimal =
        text.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match hexadecimal {
        Some(n) => Ok(n),
        None => match size(text) {
            Ok(n) => Ok(n.0 as u32),
            Err(_) => Err(format!("`{text}` is not a whole number up to 4294967295")),
        },
    }
}

/// A time that tc keeps in whole microseconds: what is beyond them is cut off, and nanoseconds are
/// no unit.
pub fn micros(text: &str) -> Result<Span, String> {
    if split(text).is_some_and(|(_, unit)| unit.starts_with('n')) {
        return Err(format!("`{text}` is too fine: tc keeps this time in microseconds"));
    }
    Ok(Span::from_us(time(text)?.ps() / 1_000_000))
}

/// A whole number without a unit.
pub fn whole(text: &str) -> Result<u32, String> {
    let hexadecimal =
        text.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let number = hexadecimal.or_else(|| text.parse().ok());
    number.ok_or_else(|| format!("`{text}` is not a whole number up to 4294967295"))
}

/// A whole number with a sign or without.
pub fn signed(text: &str) -> Result<i32, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number"))
}

/// A number of zero or more.
pub fn real(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    number.ok_or_else(|| format!("`{text}` is not a number of zero or more"))
}

/// A share in per cent, with the sign or without: `1%` and `1` are 0.01. The point moves in the
/// text: 99.9 / 100 is not the number nearest to 0.999.
pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    let share =
        format!("{number}e-2").parse::<f64>().or_else(|_| number.parse::<f64>().map(|x| x / 100.0));
    match share {
        Ok(x) if (0.0..=1.0).contains(&x) => Ok(x.abs()),
        _ => Err(format!("`{text}` is not a share from 0% to 100%")),
    }
}

/// A probability: `0.02`, `2%`.
pub fn probability(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%') {
        Some(_) => percent(text),
        None => match text.parse::<f64>() {
            Ok(x) if (0.0..=1.0).contains(&x) => Ok(x),
            _ => Err(format!("`{text}` is not a probability from 0 to 1")),
        },
    }
}

/// A rate in tc's words, exactly.
pub fn show_rate(rate: Rate) -> String {
    let bps = rate.bps();
    let (unit, scale) = [("gbit", 1_000_000_000), ("mbit", 1_000_000), ("kbit", 1_000)]
        .into_iter()
        .find(|(_, scale)| bps >= *scale && bps.is_multiple_of(*scale))
        .unwrap_or(("bit", 1));
    format!("{}{unit}", bps / scale)
}

/// A time in tc's words, exactly.
pub fn show_time(time: Span) -> String {
    let ps = time.ps();
    let (unit, scale) = [("s", 1_000_000_000_000), ("ms", 1_000_000_000)]
        .into_iter()
        .find(|(_, scale)| ps >= *scale && ps.is_multiple_of(*scale))
        .unwrap_or(("us", 1_000_000));
    let fraction = format!("{:06}", ps % scale);
    let fraction = fraction.trim_end_matches('0');
    let whole = ps / scale;
    if fraction.is_empty() { format!("{whole}{unit}") } else { format!("{whole}.{fraction}{unit}") }
}

/// A share in per cent that reads back as the same number: its shortest digits, the point two
/// places on.
pub fn show_percent(p: f64) -> String {
    let text = format!("{p:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.replace('.', "");
    let point = exponent.parse::<i32>().unwrap_or(0) + 3;
    match usize::try_from(point) {
        _ if p == 0.0 => "0%".into(),
        Err(_) | Ok(0) => format!("0.{}{digits}%", "0".repeat(point.unsigned_abs() as usize)),
        Ok(n) if n >= digits.len() => format!("{digits}{}%", "0".repeat(n - digits.len())),
        Ok(n) => format!("{}.{}%", &digits[..n], &digits[n..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// tc(8), PARAMETERS; the values are those that tc 6.1 sends to the kernel.
    #[test]
    fn units_are_those_of_tc() {
        for (text, bps) in
            [("0.5mbit", 500_000), ("1mbps", 8_000_000), ("1Mbit", 1_000_000), ("100", 100)]
        {
            assert_eq!(rate(text), Ok(Rate::from_bps(bps)), "{text}");
        }
        assert_eq!(rate("1gibit"), Ok(Rate::from_bps(8 * 0x0800_0000)));
        for (text, bytes) in
            [("5kb", 5120), ("10k", 10_240), ("5kbit", 640), ("1mb", 1 << 20), ("10b", 10)]
        {
            assert_eq!(size(text), Ok(Bytes(bytes)), "{text}");
        }
        assert_eq!((time("100"), time("1.5ms")), (Ok(Span::from_us(100)), Ok(Span::from_us(1500))));
        assert_eq!(
            (percent("1"), percent("0.5%"), probability("2%")),
            (Ok(0.01), Ok(0.005), Ok(0.02))
        );
        assert_eq!((count("0x10"), count("1k"), count("1.5")), (Ok(16), Ok(1024), Ok(1)));
        assert_eq!(
            (micros("4.7us"), micros("1500ns").is_err(), micros("0")),
            (Ok(Span::from_us(4)), true, Ok(Span::ZERO))
        );
        assert_eq!(
            (whole("0x10"), whole("1k").is_err(), whole("-1").is_err()),
            (Ok(16), true, true)
        );
        let shown = [0.0, 1e-7, 0.001, 0.01, 0.1, 0.999, 1.0].map(show_percent);
        assert_eq!(shown, ["0%", "0.00001%", "0.1%", "1%", "10%", "99.9%", "100%"]);
        for wrong in ["5%", "-1mbit", "mbit", "1parsec", "", "1e99mbit", "0"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(
            bps in 8u64..1_000_000_000_000,
            ps in 0u64..4_000_000_000_000_000,
            p in 0.0f64..=1.0,
        ) {
            prop_assert_eq!(rate(&show_rate(Rate::from_bps(bps))), Ok(Rate::from_bps(bps)));
            prop_assert_eq!(time(&show_time(Span::from_ps(ps))), Ok(Span::from_ps(ps)));
            prop_assert_eq!(percent(&show_percent(p)), Ok(p));
        }
    }
}
