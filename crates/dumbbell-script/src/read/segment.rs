//! Segments: what one is, then what it carries.
use super::{Reading, script_error, trouble_at};
use crate::segment::{ECN, NAMED, SegmentKind, SegmentPattern};
use crate::tokens::Token;
use crate::{ScriptError, quantity};
use dumbbell_core::transport::segment::flag;

/// The most segments that one line stands for.
const MOST: u64 = 100_000;
/// Payload that the length field of IP can say beside the headers, bytes.
const LONGEST: u64 = 65_000;
/// SACK blocks that fit into a header.
const MOST_BLOCKS: usize = 4;

impl Reading {
    /// Segments, with commas between them; `data`: data, SYN and FIN, else acknowledgments.
    pub(super) fn segments(
        &self,
        words: &[Token<'_>],
        data: bool,
    ) -> Result<Vec<SegmentPattern>, ScriptError> {
        let mut all = Vec::new();
        for item in words.split(|w| w.text == ",") {
            let (Some(first), Some(last)) = (item.first(), item.last()) else {
                return Err(script_error(&words[0], "there is nothing between two commas").fix(
                    "take \
                    one away",
                ));
            };
            let place = (first.from, last.to);
            let (whats, rest) = self.whats(item, data)?;
            let mut seg = SegmentPattern::new(whats[0], place);
            seg.flags = if whats[0] == SegmentKind::Fin { flag::FIN } else { 0 };
            let times = self.details(&mut seg, rest)?;
            let total = times.saturating_mul(whats.len() as u64).saturating_add(all.len() as u64);
            if total > MOST {
                return Err(trouble_at(
                    place,
                    format!(
                        "these are more than {MOST} segments on one \
                    line"
                    ),
                ));
            }
            for _ in 0..times {
                all.extend(whats.iter().map(|what| SegmentPattern { what: *what, ..seg.clone() }));
            }
        }
        Ok(all)
    }

    /// Returns the kinds of the item's segments, and the words after them.
    fn whats<'w, 't>(
        &self,
        item: &'w [Token<'t>],
        data: bool,
    ) -> Result<(Vec<SegmentKind>, &'w [Token<'t>]), ScriptError> {
        let first = &item[0];
        let whats = match first.text {
            "ack" => {
                let Some(at) = item.get(1) else {
                    return Err(script_error(first, "`ack` needs what it acknowledges")
                        .fix("the next byte or segment expected: `ack 1001`, `ack s2`"));
                };
                return Ok((self.acks(at)?, &item[2..]));
            }
            "FIN" => vec![SegmentKind::Fin],
            "SYN" => vec![SegmentKind::Syn],
            "SYN-ACK" => vec![SegmentKind::SynAck],
            _ => self.data(first)?,
        };
        let of_receiver = whats[0] == SegmentKind::SynAck;
        if data == of_receiver {
            let (who, what) = if data {
                ("sender", "data, SYN and FIN")
            } else {
                ("receiver", "acknowledgments")
            };
            return Err(script_error(
                first,
                format!("this comes from a {who}, which sends {what}"),
            )
            .fix(if data {
                "write `s1-s10`, `1:1001`, `SYN`"
            } else {
                "write `ack s2`, `SYN-ACK`"
            }));
        }
        Ok((whats, &item[1..]))
    }

    /// `1:1001`, `s3`, `s3-s5`: a segment each.
    fn data(&self, word: &Token<'_>) -> Result<Vec<SegmentKind>, ScriptError> {
        let wrong = || {
            script_error(word, format!("`{}` is not a segment", word.text)).fix(
                "write bytes as 1:1001, segments as s1 or s1-s10, `ack 1001`, SYN, SYN-ACK, \
                    FIN",
            )
        };
        let (from, to) = quantity::range(word.text, self.mss).ok_or_else(wrong)?;
        let Some((first, last)) = quantity::segments(word.text) else {
            if to - from > LONGEST {
                return Err(script_error(
                    word,
                    format!("no segment has more than {LONGEST} bytes"),
                ));
            }
            return Ok(vec![SegmentKind::Data(from, to)]);
        };
        if last - first >= MOST {
            return Err(wrong());
        }
        Ok((0..=last - first)
            .map(|i| SegmentKind::Data(from + i * self.mss, from + (i + 1) * self.mss))
            .collect())
    }

    /// `ack 1001`, `ack s2`, and `ack s2-s11`: one for each.
    fn acks(&self, word: &Token<'_>) -> Result<Vec<SegmentKind>, ScriptError> {
        if let Some((first, last)) =
            quantity::segments(word.text).filter(|(first, last)| last - first < MOST)
        {
            return Ok((first..=last).map(|n| SegmentKind::Ack((n - 1) * self.mss + 1)).collect());
        }
        quantity::position(word.text, self.mss).map(|at| vec![SegmentKind::Ack(at)]).ok_or_else(
            || {
                script_error(word, format!("`{}` is not a position", word.text))
                    .fix("write a byte as 1001 or a segment as s2; s2-s11 is one for each")
            },
        )
    }

    /// Flags, SACK blocks and the rest; returns how often the segment comes.
    fn details(&self, seg: &mut SegmentPattern, words: &[Token<'_>]) -> Result<u64, ScriptError> {
        let (mut rest, mut times) = (words, 1);
        while let Some((word, after)) = rest.split_first() {
            rest = after;
            if let Some((_, bit)) = NAMED.iter().find(|(name, _)| *name == word.text) {
                seg.flags |= bit;
            } else if let Some((_, ecn)) = ECN.iter().find(|(name, _)| *name == word.text) {
                seg.ecn = Some(*ecn);
            } else if let Some(n) = word.text.strip_prefix('x').and_then(|n| n.parse().ok()) {
                times = n;
            } else if matches!(word.text, "sack" | "dsack") {
                rest = self.blocks(seg, word, rest)?;
            } else {
                let Some((value, after)) = rest.split_first() else {
                    return Err(unknown(word));
                };
                rest = after;
                self.detail(seg, word, value)?;
            }
        }
        Ok(times)
    }

    /// The blocks after `sack` or `dsack`.
    fn blocks<'w, 't>(
        &self,
        seg: &mut SegmentPattern,
        word: &Token<'_>,
        rest: &'w [Token<'t>],
    ) -> Result<&'w [Token<'t>], ScriptError> {
        let before = seg.sack.len();
        let most = if word.text == "dsack" { 1 } else { MOST_BLOCKS - before.min(MOST_BLOCKS) };
        let ranges: Vec<_> =
            rest.iter().map_while(|w| quantity::range(w.text, self.mss)).take(most).collect();
        if ranges.is_empty() {
            return Err(script_error(word, format!("`{}` needs blocks", word.text))
                .fix("as in `sack s5-s6 s3` or `sack 4001:6001`; four at most"));
        }
        seg.sack.extend(&ranges);
        Ok(&rest[ranges.len()..])
    }

    fn detail(
        &self,
        seg: &mut SegmentPattern,
        word: &Token<'_>,
        value: &Token<'_>,
    ) -> Result<(), ScriptError> {
        let wrong =
            || script_error(value, format!("`{}` does not fit `{}`", value.text, word.text));
        let number = || value.text.parse::<u64>().map_err(|_| wrong().fix("write a whole number"));
        let yes = || value.text.parse::<bool>().map_err(|_| wrong().fix("write true or false"));
        match word.text {
            "win" => seg.window = Some(number()?),
            "ts" | "ecr" => {
                seg.ts = Some(quantity::span(value.text).ok_or_else(|| {
                    wrong().fix(
                        "write a time, \
                    as 0.1 or 100ms",
                    )
                })?)
            }
            "mss" => seg.syn.mss = Some(number()?),
            "wscale" => seg.syn.wscale = Some(number()?.min(255) as u8),
            "sackok" => seg.syn.sack = Some(yes()?),
            "tsok" => seg.syn.timestamps = Some(yes()?),
            _ => return Err(unknown(word)),
        }
        Ok(())
    }
}

fn unknown(word: &Token<'_>) -> ScriptError {
    script_error(word, format!("`{}` is nothing that a segment carries", word.text)).fix(
        "known are FIN, ECE, CWR, again, not-ect, ect0, ect1, ce, sack, dsack, win, ts, ecr, mss, \
            wscale, sackok, tsok, x3; a comma begins another segment",
    )
}
