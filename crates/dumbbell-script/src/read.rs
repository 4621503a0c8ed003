//! A text into a script: the setup lines, then one line after the other.
mod assertion;
mod segment;
mod setup;

use crate::tokens::{Token, tokenize};
use crate::{Action, Line, Script, ScriptError, Side, quantity};
use dumbbell_core::transport::HostSignal;
use dumbbell_core::transport::segment::PacketTooBig;
use dumbbell_core::units::{Span, Time};

/// The latest time of a line, and the longest step between two.
const LONGEST: Span = Span::from_secs(100_000);

/// The state from earlier lines that reading a line needs.
struct Reading {
    side: Side,
    mss: u64,
    cc: String,
    at: Time,
}

/// Reads a script.
///
/// # Errors
/// All that is wrong with the text: one trouble for each line that cannot be read.
pub fn read(text: &str) -> Result<Script, Vec<ScriptError>> {
    let mut troubles = Vec::new();
    let lines: Vec<Vec<Token<'_>>> = text
        .split_inclusive('\n')
        .scan(0, |start, line| {
            let found = tokenize(line, *start);
            *start += line.len();
            Some(found)
        })
        .filter(|words| !words.is_empty())
        .collect();
    let of_setup = lines.iter().take_while(|l| setup::side(l[0].text).is_some()).count();
    let (setup, rest) = lines.split_at(of_setup);
    let setup = setup::read(setup, text.len()).map_err(|t| vec![t])?;
    let mss = setup.config.segment_bytes();
    let mut reading = Reading { side: setup.side, mss, cc: setup.cc.0.clone(), at: Time::ZERO };
    let mut script = Script { side: setup.side, config: setup.config, cc: setup.cc, lines: vec![] };
    for words in rest {
        match reading.line(words) {
            Ok(line) => script.lines.push(line),
            Err(script_error) => troubles.push(script_error),
        }
    }
    if troubles.is_empty() && script.lines.is_empty() {
        troubles.push(
            trouble_at((0, text.len()), "this script has no lines that test anything")
                .fix("see `> s1` or `? cwnd == 4 pkt`"),
        );
    }
    if troubles.is_empty() { Ok(script) } else { Err(troubles) }
}

impl Reading {
    fn line(&mut self, words: &[Token<'_>]) -> Result<Line, ScriptError> {
        let (mut rest, mut tolerance) = (words, Span::ZERO);
        if words[0].text.starts_with(|c: char| c.is_ascii_digit() || c == '+') {
            (self.at, tolerance) = self.time(&words[0])?;
            rest = &words[1..];
        }
        let Some((verb, rest)) = rest.split_first() else {
            return Err(script_error(&words[0], "at this time nothing happens").fix(
                "write a verb after \
                    it, as in `0.1 > s1`",
            ));
        };
        let act = self.act(verb, rest)?;
        let (from, to) = (verb.from, rest.last().unwrap_or(verb).to);
        Ok(Line { at: self.at, tolerance, act, from, to })
    }

    /// `0.1`, `100ms`, `+0.1`, each perhaps with `~1ms`.
    fn time(&self, word: &Token<'_>) -> Result<(Time, Span), ScriptError> {
        let wrong = || {
            script_error(word, format!("`{}` is not a time", word.text)).fix(
                "write seconds or a unit, + for later than the line before, ~ for a tolerance: \
                    0.1, +20ms, 1.5s~1ms",
            )
        };
        let (at, tolerance) = word.text.split_once('~').unwrap_or((word.text, "0"));
        let span = quantity::span(at.strip_prefix('+').unwrap_or(at)).ok_or_else(wrong)?;
        let tolerance = quantity::span(tolerance).ok_or_else(wrong)?;
        if span.max(tolerance) > LONGEST {
            return Err(script_error(word, format!("a script ends after at most {LONGEST}")));
        }
        let at = if at.starts_with('+') { self.at + span } else { Time::ZERO + span };
        if at < self.at {
            let last = self.at.since(Time::ZERO);
            return Err(script_error(
                word,
                format!("time goes back: the line before is at {last}"),
            )
            .fix(
                "put \
                    the lines in order",
            ));
        }
        Ok((at, tolerance))
    }

    fn act(&self, verb: &Token<'_>, rest: &[Token<'_>]) -> Result<Action, ScriptError> {
        let sender = self.side == Side::Sender;
        match (verb.text, rest.first().map(|w| w.text)) {
            (">", Some("nothing")) if rest.len() == 1 => Ok(Action::Nothing),
            (">", Some("any")) if rest.len() == 1 => Ok(Action::Any),
            (">", Some(_)) => Ok(Action::Expect(self.segments(rest, sender)?)),
            ("<", Some("icmp")) => self.notice(&rest[0], &rest[1..]),
            ("<", Some(_)) => Ok(Action::Inject(self.segments(rest, !sender)?)),
            ("?", Some(_)) => Ok(Action::Assertions(self.claims(rest)?)),
            ("write", Some("forever")) if sender && rest.len() == 1 => Ok(Action::Write(u64::MAX)),
            ("write", Some(_)) if sender => Ok(Action::Write(self.size(verb, rest)?)),
            ("close", None) if sender => Ok(Action::Close),
            ("offer", Some(_)) if !sender => Ok(Action::Offer(self.size(verb, rest)?)),
            ("say", Some(_)) if rest.len() == 1 => said(&rest[0]),
            (">" | "<" | "?" | "write" | "offer" | "say", None) => {
                Err(script_error(verb, format!("`{}` needs more on its line", verb.text)).fix(
                    "as in `> s1-s10`, `< ack s2`, `? cwnd == 4 pkt`, `write 20 kB`, `offer \
                        0`",
                ))
            }
            ("write" | "close", _) => Err(script_error(verb, "only a sender writes and closes")
                .fix(
                    "begin the script \
                    with `sender`",
                )),
            ("offer", _) => Err(script_error(verb, "only a receiver offers a window").fix(
                "a segment that \
                    arrives says `win 5000`",
            )),
            _ => Err(script_error(verb, format!("`{}` is not a verb of a script", verb.text)).fix(
                "known are > (must leave), < (arrives), ? (holds), write, close, offer, say; setup \
                    lines come first",
            )),
        }
    }

    /// `icmp frag_needed mtu 1400 seq s3`; without `mtu` as from a router that does not say it.
    fn notice(&self, icmp: &Token<'_>, rest: &[Token<'_>]) -> Result<Action, ScriptError> {
        let form = "write `< icmp frag_needed mtu 1400 seq s3`: the packet that carried this byte \
            or segment was too large";
        if self.side != Side::Sender {
            return Err(script_error(
                icmp,
                "routers tell the sender of packets that were too large",
            )
            .fix("begin the script with `sender`"));
        }
        let [kind, pairs @ ..] = rest else {
            return Err(script_error(
                icmp,
                "`icmp` needs more on \
            its line",
            )
            .fix(form));
        };
        if kind.text != "frag_needed" {
            return Err(script_error(kind, format!("no router says `{}`", kind.text)).fix(form));
        }
        let (mut mtu, mut seq) = (0, None);
        for pair in pairs.chunks(2) {
            let [name, value] = pair else {
                return Err(
                    script_error(&pair[0], format!("`{}` needs a value", pair[0].text)).fix(form)
                );
            };
            let wrong = || {
                script_error(value, format!("`{}` does not fit `{}`", value.text, name.text))
                    .fix(form)
            };
            match name.text {
                "mtu" => mtu = value.text.parse().map_err(|_| wrong())?,
                "seq" => seq = Some(quantity::position(value.text, self.mss).ok_or_else(wrong)?),
                _ => {
                    return Err(script_error(
                        name,
                        format!("`{}` is nothing that a notice says", name.text),
                    )
                    .fix(form));
                }
            }
        }
        let seq = seq.ok_or_else(|| {
            script_error(
                icmp,
                "this notice does not say of which packet \
            it is",
            )
            .fix(form)
        })?;
        Ok(Action::Notify(PacketTooBig { mtu, seq: seq as u32 }))
    }

    fn size(&self, verb: &Token<'_>, rest: &[Token<'_>]) -> Result<u64, ScriptError> {
        let unit = rest.get(1).map(|w| w.text);
        let bytes =
            if rest.len() > 2 { None } else { quantity::size(rest[0].text, unit, self.mss) };
        bytes.ok_or_else(|| {
            trouble_at((rest[0].from, rest[rest.len() - 1].to), "this is not a size in whole bytes")
                .fix(format!(
                    "write `{} 20 kB`, `{} 5 pkt` or a number of bytes",
                    verb.text, verb.text
                ))
        })
    }
}

/// Reads a host signal.
fn said(word: &Token<'_>) -> Result<Action, ScriptError> {
    match word.text {
        "path_down" => Ok(Action::Say(HostSignal::PathDown)),
        "path_up" => Ok(Action::Say(HostSignal::PathUp)),
        _ => Err(script_error(word, format!("no host says `{}`", word.text)).fix(
            "write `say \
            path_down` or `say path_up`",
        )),
    }
}

fn script_error(word: &Token<'_>, cause: impl Into<String>) -> ScriptError {
    trouble_at((word.from, word.to), cause)
}

fn trouble_at((from, to): (usize, usize), cause: impl Into<String>) -> ScriptError {
    ScriptError { from, to, cause: cause.into(), fix: None }
}

impl ScriptError {
    fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}
