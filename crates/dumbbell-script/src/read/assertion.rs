//! Claims about the state: `cwnd == 4 pkt, cc.k == 4.217163 +- 1e-6`.
use super::{Reading, script_error, trouble_at};
use crate::tokens::Token;
use crate::values::{self, WORDS};
use crate::{Assertion, Name, Operand, Relation, ScriptError, quantity};
use dumbbell_core::catalogue::nearest;

const RELATIONS: [(&str, Relation); 8] = [
    ("==", Relation::Equal),
    ("=", Relation::Equal),
    ("!=", Relation::Unequal),
    ("<", Relation::Less),
    ("<=", Relation::AtMost),
    (">", Relation::More),
    (">=", Relation::AtLeast),
    ("~", Relation::About),
];

impl Reading {
    pub(super) fn claims(&self, words: &[Token<'_>]) -> Result<Vec<Assertion>, ScriptError> {
        words.split(|w| w.text == ",").map(|item| self.claim(item)).collect()
    }

    fn claim(&self, item: &[Token<'_>]) -> Result<Assertion, ScriptError> {
        let (from, to) = item.first().map_or((0, 1), |w| (w.from, item[item.len() - 1].to));
        let [name, relation, rest @ ..] = item else {
            return Err(trouble_at((from, to), "a claim has a name, a relation and a value")
                .fix("with spaces between them: `cwnd == 4 pkt`"));
        };
        let left = self.name(name)?;
        let Some((_, relation)) = RELATIONS.iter().find(|(text, _)| *text == relation.text) else {
            return Err(script_error(relation, format!("`{}` is not a relation", relation.text))
                .fix("known are ==, !=, <, <=, >, >=, and ~ (within 1 %)"));
        };
        let (value, tolerance) = match rest.iter().position(|w| w.text == "+-") {
            Some(at) => (&rest[..at], self.number(&rest[at + 1..], (from, to))?),
            None => (rest, 0.0),
        };
        let text = item.iter().map(|w| w.text).collect::<Vec<_>>().join(" ");
        Ok(Assertion {
            left,
            relation: *relation,
            right: self.operand(value, (from, to))?,
            tolerance,
            text,
            from,
            to,
        })
    }

    /// A name of this side's, or `cc.NAME` (or the congestion control's own name before the dot).
    fn name(&self, word: &Token<'_>) -> Result<Name, ScriptError> {
        let own = values::names(self.side);
        if let Some(name) = own.iter().find(|n| **n == word.text) {
            return Ok(Name::Own(name));
        }
        if let Some((of, gauge)) = word.text.split_once('.')
            && (of == "cc" || of == self.cc)
        {
            return Ok(Name::Gauge(gauge.into()));
        }
        let script_error = script_error(word, format!("there is no `{}` to ask for", word.text));
        Err(match nearest(word.text, own) {
            Some(known) => script_error.fix(format!("did you mean `{known}`?")),
            None => script_error.fix(format!(
                "known are {}, and cc.NAME for a gauge of the congestion \
                    control",
                own.join(", ")
            )),
        })
    }

    fn operand(&self, words: &[Token<'_>], place: (usize, usize)) -> Result<Operand, ScriptError> {
        match words {
            [word] if WORDS.contains(&word.text) => Ok(Operand::Token(word.text.into())),
            [word] if word.text.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                Ok(Operand::Other(self.name(word)?))
            }
            _ => self.number(words, place).map(Operand::Number),
        }
    }

    /// A number and perhaps its unit: `4 pkt`, `100 ms`, `100ms`, `4.2`.
    fn number(&self, words: &[Token<'_>], place: (usize, usize)) -> Result<f64, ScriptError> {
        let place = words.first().map_or(place, |w| (w.from, words[words.len() - 1].to));
        let wrong = || {
            trouble_at(place, "this is not a value").fix(
                "write a number and perhaps a unit: 4 pkt, \
                4000 B, 100 ms, 4.2",
            )
        };
        let plain = |w: &Token<'_>| w.text.parse::<f64>().ok().filter(|n| n.is_finite());
        match words {
            [word] => plain(word)
                .or_else(|| quantity::span(word.text).map(|s| s.seconds()))
                .ok_or_else(wrong),
            [word, unit] => {
                plain(word).and_then(|n| quantity::scaled(n, unit.text, self.mss)).ok_or_else(wrong)
            }
            _ => Err(wrong()),
        }
    }
}
