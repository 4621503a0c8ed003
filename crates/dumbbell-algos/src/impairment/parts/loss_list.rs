//! The packets that a recorded loss trace loses, in few characters.
//!
//! A scenario may write them, a plan holds them: words, whose meaning is said beside them ([`Of`]).
//! `0` and `1` stand for packets, `0x99 1` for 99 that arrive and one that is lost, `00010` for
//! five; or a word is the number of a packet that is lost, from 1; or the time in seconds at which
//! the next packet is lost.
use dumbbell_core::units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most losses of a trace, and the longest word.
pub const MOST: usize = 1 << 22;
/// The most packets that a trace may speak of.
pub const LONGEST: u64 = 1_000_000_000_000;

/// What the words of a trace are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// A digit for each packet: 1, it is lost; 0, it arrives. `0x99` stands for 99 times 0.
    #[default]
    Bits,
    /// Numbers of the packets that are lost, ascending; the first that leaves the transmitter is 1.
    Packets,
    /// Times in seconds, ascending: the next packet that leaves the transmitter then or later is
    /// lost.
    Times,
}

/// The losses of a trace, ascending: places of packets from 0, or picoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    of: Of,
    lost: Vec<u64>,
    /// The number of packets in the trace, if its words are bits.
    length: u64,
}

impl Losses {
    /// An empty trace.
    pub fn new(of: Of) -> Self {
        Losses { of, ..Losses::default() }
    }

    /// From all words of a text.
    ///
    /// # Errors
    /// The error names the wrong word and the cause.
    pub fn parse(of: Of, text: &str) -> Result<Self, String> {
        let mut losses = Losses::new(of);
        for (i, word) in text.split_whitespace().enumerate() {
            losses.word(word).map_err(|cause| format!("word {}: {cause}", i + 1))?;
        }
        losses.whole()
    }

    /// One more word.
    ///
    /// # Errors
    /// The error says why the word is wrong.
    pub fn word(&mut self, word: &str) -> Result<(), String> {
        match self.of {
            Of::Bits => self.bits(word),
            Of::Packets => match number(word) {
                Some(n) if (1..=LONGEST).contains(&n) => self.adds(n - 1),
                _ => Err(format!("`{}` is not a packet number; the first is 1", clipped(word))),
            },
            Of::Times => {
                let plain = word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
                match format!("{word} s").parse::<Span>() {
                    Ok(at) if plain => self.adds(at.ps()),
                    _ => Err(format!("`{}` is not a time in seconds, as 12.5 is", clipped(word))),
                }
            }
        }
    }

    fn bits(&mut self, word: &str) -> Result<(), String> {
        let wrong = || format!("`{}` is neither 0 nor 1, nor one of them as 0x99", clipped(word));
        if let Some((digit, times)) = word.split_once('x') {
            let times = number(times).filter(|n| (1..=LONGEST).contains(n)).ok_or_else(wrong)?;
            return match digit {
                "0" => self.passes(times),
                "1" if times <= MOST as u64 => (0..times).try_for_each(|_| self.loses()),
                "1" => Err(format!("there are more than {MOST} losses")),
                _ => Err(wrong()),
            };
        }
        word.bytes().try_for_each(|digit| match digit {
            b'0' => self.passes(1),
            b'1' => self.loses(),
            _ => Err(wrong()),
        })
    }

    fn passes(&mut self, times: u64) -> Result<(), String> {
        self.length += times;
        if self.length > LONGEST {
            Err(format!("there are more than {LONGEST} packets"))
        } else {
            Ok(())
        }
    }

    fn loses(&mut self) -> Result<(), String> {
        self.adds(self.length)?;
        self.passes(1)
    }

    fn adds(&mut self, place: u64) -> Result<(), String> {
        if self.lost.last().is_some_and(|last| *last >= place) {
            return Err("it is not after the one before it".into());
        }
        if self.lost.len() == MOST {
            return Err(format!("there are more than {MOST} losses"));
        }
        self.lost.push(place);
        Ok(())
    }

    /// All words were there.
    ///
    /// # Errors
    /// There was none.
    pub fn whole(self) -> Result<Self, String> {
        if self.lost.is_empty() && self.length == 0 {
            Err("there is nothing in it".into())
        } else {
            Ok(self)
        }
    }

    /// The losses: places of packets from 0, or picoseconds.
    pub fn lost(&self) -> &[u64] {
        &self.lost
    }
    /// The number of packets in the trace, if its words are bits.
    pub fn length(&self) -> u64 {
        self.length
    }
    /// The meaning of its words.
    pub fn of(&self) -> Of {
        self.of
    }
}

/// In words that [`Losses::parse`] reads.
impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.of != Of::Bits {
            for (i, place) in self.lost.iter().enumerate() {
                let space = if i > 0 { " " } else { "" };
                match self.of {
                    Of::Times => {
                        let (whole, part) = (place / 1_000_000_000_000, place % 1_000_000_000_000);
                        let part = format!("{part:012}");
                        let part = part.trim_end_matches('0');
                        write!(
                            f,
                            "{space}{whole}{}{part}",
                            if part.is_empty() { "" } else { "." }
                        )?;
                    }
                    _ => write!(f, "{space}{}", place + 1)?,
                }
            }
            return Ok(());
        }
        let (mut at, mut first) = (0, true);
        let mut run = |f: &mut fmt::Formatter<'_>, digit: u8, times: u64| {
            let space = if std::mem::take(&mut first) { "" } else { " " };
            match times {
                0 => Ok(()),
                1 => write!(f, "{space}{digit}"),
                n => write!(f, "{space}{digit}x{n}"),
            }
        };
        for burst in self.lost.chunk_by(|a, b| a + 1 == *b) {
            if burst[0] > at {
                run(f, 0, burst[0] - at)?;
            }
            run(f, 1, burst.len() as u64)?;
            at = burst[0] + burst.len() as u64;
        }
        if self.length > at { run(f, 0, self.length - at) } else { Ok(()) }
    }
}

/// A whole number without a sign.
fn number(s: &str) -> Option<u64> {
    if s.starts_with(|c: char| c.is_ascii_digit()) { s.parse().ok() } else { None }
}

/// The beginning of a word that may be long.
fn clipped(word: &str) -> String {
    let head: String = word.chars().take(20).collect();
    if head.len() < word.len() { head + "…" } else { head }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn is_written_in_few_words() {
        for (of, text, written) in [
            (Of::Bits, "0 0 0 1 1 0", "0x3 1x2 0"),
            (Of::Bits, "00010", "0x3 1 0"),
            (Of::Bits, "0x99 1", "0x99 1"),
            (Of::Bits, "1x2 1 00", "1x3 0x2"),
            (Of::Packets, "1 7 100", "1 7 100"),
            (Of::Times, "0 0.5 12.250 13", "0 0.5 12.25 13"),
        ] {
            assert_eq!(Losses::parse(of, text).unwrap().to_string(), written, "{text}");
        }
    }

    #[test]
    fn says_what_is_no_trace() {
        for (of, text, cause) in [
            (Of::Bits, "", "nothing in it"),
            (Of::Bits, "0 2", "word 2"),
            (Of::Bits, "0x0", "neither 0 nor 1"),
            (Of::Bits, "2x9", "neither 0 nor 1"),
            (Of::Bits, "1x99999999", "more than 4194304 losses"),
            (Of::Bits, "0x1000000000000 0", "more than 1000000000000 packets"),
            (Of::Packets, "0", "the first is 1"),
            (Of::Packets, "-1", "not a packet number"),
            (Of::Packets, "3 2", "not after the one before"),
            (Of::Packets, "3 3", "not after the one before"),
            (Of::Times, "1 s", "word 2"),
            (Of::Times, "1e3", "not a time in seconds"),
            (Of::Times, "nan", "not a time in seconds"),
            (Of::Times, "2.0 1.5", "not after the one before"),
        ] {
            let said = Losses::parse(of, text).unwrap_err();
            assert!(said.contains(cause), "{text}: {said}");
        }
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(
            digits in "[01]{1,200}",
            gaps in prop::collection::vec(1u64..10_000_000_000_000, 1..50),
        ) {
            let bits = Losses::parse(Of::Bits, &digits).unwrap();
            let lost: Vec<u64> =
                digits.bytes().zip(0..).filter(|(d, _)| *d == b'1').map(|(_, i)| i).collect();
            prop_assert_eq!((bits.lost(), bits.length()), (&lost[..], digits.len() as u64));
            prop_assert_eq!(Losses::parse(Of::Bits, &bits.to_string()).unwrap(), bits);
            for of in [Of::Packets, Of::Times] {
                let mut losses = Losses::new(of);
                let unit = if of == Of::Packets { 1_000 } else { 1 };
                losses.lost = gaps
                    .iter()
                    .scan(0, |at, g| {
                        *at += g.div_ceil(unit);
                        Some(*at)
                    })
                    .collect();
                prop_assert_eq!(Losses::parse(of, &losses.to_string()).unwrap(), losses);
            }
        }
    }
}
