//! Delivery opportunities by the millisecond, as a link trace of Mahimahi has them, in few
//! characters.
//!
//! A scenario may write them, a plan holds them: words of the form `GAP`, `GAPxCOUNT`, `GAP*TIMES`
//! and `GAPxCOUNT*TIMES`. Each is an instant `GAP` milliseconds after the one before (the first:
//! after the start) with `COUNT` opportunities, repeated `TIMES` times. `"1*1000"` is one
//! opportunity each millisecond of a second.
use dumbbell_core::units::{Rate, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Bytes that one opportunity can carry.
pub const OPPORTUNITY: u64 = 1500;
/// The most instants of a schedule: more than four hours with an opportunity in each millisecond.
pub const MOST_INSTANTS: usize = 1 << 24;
/// The last millisecond that a schedule may name: eleven days.
pub const LAST_MS: u64 = 1_000_000_000;
/// The most opportunities of one millisecond: 12 Tbps.
pub const MOST_AT_ONCE: u32 = 1_000_000;

/// Delivery opportunities: (millisecond, how many then), in order of time. There is at least one
/// after the start, and the last one's millisecond is the period after which everything repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(Vec<(u32, u32)>);

/// The reasons why milliseconds are no schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// There are none.
    Empty,
    /// The last one is 0: a period without length.
    NoLength,
    /// One is less than the one before it.
    Decreasing,
    /// One is beyond [`LAST_MS`].
    TooLate,
    /// There are more than [`MOST_INSTANTS`], or more than [`MOST_AT_ONCE`] in one millisecond.
    TooMany,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Empty => f.write_str("there is no delivery opportunity"),
            Unfit::NoLength => f.write_str(
                "the last opportunity is at 0 ms, so the trace repeats \
                without a pause",
            ),
            Unfit::Decreasing => f.write_str("time goes back"),
            Unfit::TooLate => write!(f, "it is later than {LAST_MS} ms, the longest trace"),
            Unfit::TooMany => {
                write!(
                    f,
                    "there are more than {MOST_INSTANTS} instants, or {MOST_AT_ONCE} \
                    opportunities at one"
                )
            }
        }
    }
}

/// A schedule under construction.
#[derive(Clone, Debug, Default)]
pub struct Builder(Vec<(u32, u32)>);

impl Builder {
    /// `count` more opportunities at `ms`.
    ///
    /// # Errors
    /// The reason why this one does not fit.
    pub fn add(&mut self, ms: u64, count: u32) -> Result<(), Unfit> {
        let Ok(at) = u32::try_from(ms) else { return Err(Unfit::TooLate) };
        if ms > LAST_MS {
            return Err(Unfit::TooLate);
        }
        match self.0.last_mut() {
            Some((last, _)) if *last > at => return Err(Unfit::Decreasing),
            Some((last, n)) if *last == at => *n = n.saturating_add(count),
            _ => self.0.push((at, count)),
        }
        let most =
            self.0.len() > MOST_INSTANTS || self.0.last().is_some_and(|l| l.1 > MOST_AT_ONCE);
        if most { Err(Unfit::TooMany) } else { Ok(()) }
    }
    /// The schedule.
    ///
    /// # Errors
    /// There is nothing in it, or it has no length.
    pub fn finish(self) -> Result<Schedule, Unfit> {
        match self.0.last() {
            None => Err(Unfit::Empty),
            Some((0, _)) => Err(Unfit::NoLength),
            Some(_) => Ok(Schedule(self.0)),
        }
    }
}

impl Schedule {
    /// From the millisecond of each opportunity, in order.
    ///
    /// # Errors
    /// The reason why they are no schedule.
    pub fn new(ms: impl IntoIterator<Item = u64>) -> Result<Self, Unfit> {
        let mut builder = Builder::default();
        ms.into_iter().try_for_each(|ms| builder.add(ms, 1))?;
        builder.finish()
    }
    /// (millisecond, opportunities then), in order.
    pub fn instants(&self) -> &[(u32, u32)] {
        &self.0
    }
    /// The number of opportunities in a period.
    pub fn opportunities(&self) -> u64 {
        self.0.iter().map(|(_, n)| u64::from(*n)).sum()
    }
    /// After this time everything repeats: the last opportunity's.
    pub fn period(&self) -> Span {
        Span::from_ms(self.period_ms())
    }
    /// The same in milliseconds.
    pub fn period_ms(&self) -> u64 {
        self.0.last().map_or(1, |(ms, _)| u64::from(*ms))
    }
    /// The mean rate, rounded to the nearest bit per second.
    pub fn rate(&self) -> Rate {
        let bits = u128::from(self.opportunities()) * u128::from(OPPORTUNITY) * 8 * 1000;
        let period = u128::from(self.period_ms());
        Rate::from_bps(((bits + period / 2) / period).max(1) as u64)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut i, mut before) = (0, 0);
        while i < self.0.len() {
            let (ms, count) = self.0[i];
            let gap = ms - before;
            let alike = |w: &[(u32, u32)]| w[1].0 - w[0].0 == gap && w[1].1 == count;
            let times = 1 + self.0[i..].windows(2).take_while(|w| alike(w)).count();
            write!(f, "{}{gap}", if i > 0 { " " } else { "" })?;
            if count > 1 {
                write!(f, "x{count}")?;
            }
            if times > 1 {
                write!(f, "*{times}")?;
            }
            i += times;
            before = self.0[i - 1].0;
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut builder = Builder::default();
        let mut at = 0u64;
        for (i, word) in text.split_ascii_whitespace().enumerate() {
            let wrong =
                |why: &str| format!("word {} of the schedule, `{}`: {why}", i + 1, clipped(word));
            let (rest, times) = word.split_once('*').unwrap_or((word, "1"));
            let (gap, count) = rest.split_once('x').unwrap_or((rest, "1"));
            let [gap, count, times] = [gap, count, times].map(whole);
            let (Some(gap), Some(count @ 1..), Some(times @ 1..)) = (gap, count, times) else {
                return Err(wrong(
                    "write GAP, GAPxCOUNT or GAP*TIMES in whole numbers, as in \
                    \"1x2*500\"",
                ));
            };
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            if gap == 0 && times > 1 {
                return Err(wrong(
                    "a gap of 0 ms is not repeated: write the number of \
                    opportunities, as in \"0x3\"",
                ));
            }
            for _ in 0..times {
                at = at.saturating_add(gap);
                builder.add(at, count).map_err(|e| wrong(&e.to_string()))?;
            }
        }
        builder.finish().map_err(|e| e.to_string())
    }
}

/// A number that is nothing but digits.
fn whole(s: &str) -> Option<u64> {
    if s.bytes().all(|b| b.is_ascii_digit()) { s.parse().ok() } else { None }
}

/// The beginning of a word that may be long.
fn clipped(word: &str) -> String {
    let head: String = word.chars().take(20).collect();
    if head.len() < word.len() { head + "…" } else { head }
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(d)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Schedule {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Schedule".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "type": "string", "pattern": "^\\s*([0-9]+(x[0-9]+)?([*][0-9]+)?\\s*)+$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn schedule(ms: &[u64]) -> Schedule {
        Schedule::new(ms.iter().copied()).unwrap()
    }

    #[test]
    fn is_written_in_few_words() {
        assert_eq!(schedule(&[1, 2, 3]).to_string(), "1*3");
        assert_eq!(schedule(&[0, 0, 5, 6, 6, 7, 7]).to_string(), "0x2 5 1x2*2");
        let minute = Schedule::new(1..=60_000).unwrap();
        assert_eq!(minute.to_string(), "1*60000");
        assert_eq!(minute.rate(), Rate::from_mbps(12));
    }

    #[test]
    fn says_what_is_no_schedule() {
        for (text, cause) in [
            ("", "no delivery opportunity"),
            ("0x3", "repeats without a pause"),
            ("1 two", "word 2 of the schedule, `two`: write GAP"),
            ("1 12345678901234567890123", "word 2 of the schedule, `12345678901234567890…`:"),
            ("abcdefghijklmnopqrst", "word 1 of the schedule, `abcdefghijklmnopqrst`:"),
            ("-1", "word 1"),
            ("1x0", "whole numbers"),
            ("1*0", "whole numbers"),
            ("0*9", "not repeated"),
            ("1x", "whole numbers"),
            ("1 2000000000", "longest trace"),
            ("1*99999999999", "more than 16777216 instants"),
            ("1x2000000", "1000000 opportunities"),
            ("99999999999999999999", "whole numbers"),
        ] {
            let said = text.parse::<Schedule>().unwrap_err();
            assert!(said.contains(cause), "{text}: {said}");
        }
        assert_eq!(Schedule::new([3, 2]), Err(Unfit::Decreasing));
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(
            gaps in prop::collection::vec(
                prop_oneof![Just(0u64), Just(1), 0..9u64, 0..100_000u64], 1..200
            ),
        ) {
            let mut ms: Vec<u64> = gaps
                .iter()
                .scan(0, |at, g| {
                    *at += g;
                    Some(*at)
                })
                .collect();
            ms.push(ms[ms.len() - 1] + 1);
            let s = schedule(&ms);
            prop_assert_eq!(s.to_string().parse::<Schedule>().unwrap(), s.clone());
            let back: Vec<u64> =
                s.instants().iter().flat_map(|(t, n)| (0..*n).map(|_| u64::from(*t))).collect();
            prop_assert_eq!(back, ms);
        }
    }
}
