//! Reading and writing a number with its unit.
use std::fmt;

/// Why a quantity could not be read: what was wrong, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitError(pub String);

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for UnitError {}

/// A number as people write it: a very large one has an exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.abs() < 1e16 {
            fmt::Display::fmt(&self.0, f)
        } else {
            fmt::LowerExp::fmt(&self.0, f)
        }
    }
}

/// Splits `"1.5 ms"` into the number and the unit as written.
pub(super) fn split(s: &str) -> (&str, &str) {
    let s = s.trim();
    let at = s
        .char_indices()
        .find(|&(i, c)| {
            !(c.is_ascii_digit() || matches!(c, '.' | '_' | '+' | '-') || is_exponent(s, i))
        })
        .map_or(s.len(), |(i, _)| i);
    (s[..at].trim(), s[at..].trim())
}

/// `e` belongs to the number only if a digit (after a sign perhaps) follows: `1e9 bps`, but not
/// `1 exa`.
fn is_exponent(s: &str, i: usize) -> bool {
    let mut rest = s[i..].chars();
    matches!(rest.next(), Some('e' | 'E'))
        && i > 0
        && match rest.next() {
            Some('+' | '-') => rest.next().is_some_and(|c| c.is_ascii_digit()),
            c => c.is_some_and(|c| c.is_ascii_digit()),
        }
}

/// The number before the unit: finite and not negative.
pub(super) fn number(text: &str, whole: &str, kind: &str, example: &str) -> Result<f64, UnitError> {
    let value: f64 = text.replace('_', "").parse().map_err(|_| {
        UnitError(format!(
            "`{whole}` is not a {kind}: write a number and a unit, as \
            in \"{example}\""
        ))
    })?;
    if !value.is_finite() || value < 0.0 {
        return Err(UnitError(format!(
            "a {kind} is finite and not negative, and `{whole}` is not"
        )));
    }
    Ok(value)
}

/// Reads `s` in one of `units`, rounded to the base unit.
pub(super) fn parse(
    s: &str,
    kind: &str,
    units: &[(&str, f64)],
    example: &str,
) -> Result<u64, UnitError> {
    let (digits, unit) = split(s);
    let value = number(digits, s, kind, example)?;
    if unit.is_empty() {
        return Err(UnitError(bare(kind, digits, example)));
    }
    let Some((_, scale)) = units.iter().find(|(name, _)| *name == unit) else {
        let known: Vec<&str> = units.iter().map(|(n, _)| *n).collect();
        return Err(UnitError(format!(
            "`{unit}` is not a unit of {kind}; known are {}",
            known.join(", ")
        )));
    };
    if let Some(amount) = exact(digits, *scale as u128) {
        return Ok(amount);
    }
    let scaled = libm::round(value * scale);
    if scaled >= u64::MAX as f64 {
        return Err(UnitError(format!("`{s}` is too large for a {kind}")));
    }
    Ok(scaled as u64)
}

/// `digits` times `scale`, if they are a plain decimal: a float would lose what lies beyond its 53
/// bits.
fn exact(digits: &str, scale: u128) -> Option<u64> {
    let digits = digits.replace('_', "");
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let places = u32::try_from(fraction.len()).ok()?;
    let one = 10u128.checked_pow(places)?;
    let scaled = format!("{whole}{fraction}").parse::<u128>().ok()?.checked_mul(scale)?;
    u64::try_from((scaled + one / 2) / one).ok()
}

/// The message for a number that came without a unit.
pub(super) fn bare(kind: &str, digits: &str, example: &str) -> String {
    match split(example).1 {
        // Both are usual, and a thousand lies between them.
        "ms" => format!(
            "a {kind} needs its unit: write \"{digits} s\" or \"{digits} ms\", \
            whichever you mean"
        ),
        unit => format!(
            "a {kind} needs its unit: write \"{digits} {unit}\" if that is what you \
            mean"
        ),
    }
}

/// Writes `value` base units in the largest unit that needs at most three decimals.
pub(super) fn show(f: &mut fmt::Formatter<'_>, value: u64, units: &[(&str, u64)]) -> fmt::Result {
    let fits =
        |scale: u64| value >= scale && (value as u128 * 1000).is_multiple_of(u128::from(scale));
    let (name, scale) = match units.iter().find(|(_, scale)| fits(*scale)) {
        Some(unit) => *unit,
        None if value == 0 => units[0],
        None => units[units.len() - 1],
    };
    let thousandths = (u128::from(value % scale) * 1000 / u128::from(scale)) as u64;
    match thousandths {
        0 => write!(f, "{} {name}", value / scale),
        _ => write!(
            f,
            "{} {name}",
            format_args!("{}.{:03}", value / scale, thousandths).to_string().trim_end_matches('0')
        ),
    }
}

/// `Serialize`, `Deserialize` and `JsonSchema` of a unit type through `Display` and `FromStr`.
macro_rules! unit_serde {
    ($T:ident, $kind:literal, $example:literal, $pattern:literal) => {
        impl serde::Serialize for $T {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $T {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                struct V;
                impl serde::de::Visitor<'_> for V {
                    type Value = $T;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("a ", $kind, " such as \"", $example, "\""))
                    }
                    fn visit_str<E: serde::de::Error>(self, s: &str) -> Result<$T, E> {
                        s.parse().map_err(E::custom)
                    }
                    fn visit_u64<E: serde::de::Error>(self, v: u64) -> Result<$T, E> {
                        Err(E::custom($crate::units::text::bare($kind, &v.to_string(), $example)))
                    }
                    fn visit_i64<E: serde::de::Error>(self, v: i64) -> Result<$T, E> {
                        Err(E::custom($crate::units::text::bare($kind, &v.to_string(), $example)))
                    }
                    fn visit_f64<E: serde::de::Error>(self, v: f64) -> Result<$T, E> {
                        let digits = $crate::units::Number(v).to_string();
                        Err(E::custom($crate::units::text::bare($kind, &digits, $example)))
                    }
                }
                d.deserialize_any(V)
            }
        }
        impl schemars::JsonSchema for $T {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($T).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string", "pattern": $pattern, "x-unit": $kind, "examples": [$example],
                })
            }
        }
    };
}
pub(super) use unit_serde;
