//! Bounds for the user's text that a message repeats.
//!
//! A scenario may have 16 MiB in one line, and keys, values and names of any length. A message
//! quotes the lines around the caret up to [`QUOTED`] characters, a word between backticks up to
//! [`WORD`], a name of a file up to [`NAME`], and is itself at most [`SENTENCE`] characters long.
//! Control characters, which may move a terminal's cursor, are replaced.
use super::{Place, Texts};
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// Characters of a quoted line.
const QUOTED: usize = 180;
/// Characters of a quoted line before the caret, where the line is too long to be shown from its
/// start.
const BEFORE: usize = 60;
/// Characters of a word between backticks.
const WORD: usize = 200;
/// Characters of a file's name above a quoted line.
const NAME: usize = 200;
/// Characters of a cause or a fix.
const SENTENCE: usize = 1000;
/// The mark for text that was left out.
const CUT: char = '…';

/// A cause, a fix or a key within the bounds.
pub fn clipped(text: &str) -> String {
    if text.len() <= WORD && !text.contains(char::is_control) {
        return text.into();
    }
    let mut out = String::new();
    for (i, part) in text.split('`').enumerate() {
        if i > 0 {
            out.push('`');
        }
        let most = if i % 2 == 1 { WORD } else { SENTENCE };
        out.push_str(&start(part, most));
        if out.len() > 4 * SENTENCE {
            break; // A character has at most four bytes: the sentence is cut here in any case.
        }
    }
    start(&out, SENTENCE)
}

/// The first `most` characters; [`CUT`] stands for the rest.
fn start(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.chars().map(legible).collect(),
        Some((end, _)) => text[..end].chars().map(legible).chain([CUT]).collect(),
    }
}

/// The last [`NAME`] characters of a file's name.
fn end(name: &str) -> String {
    match name.char_indices().rev().nth(NAME) {
        None => name.chars().map(legible).collect(),
        Some((from, c)) => {
            [CUT].into_iter().chain(name[from + c.len_utf8()..].chars().map(legible)).collect()
        }
    }
}

fn legible(c: char) -> char {
    if c.is_control() && !matches!(c, '\n' | '\t') { char::REPLACEMENT_CHARACTER } else { c }
}

/// The line of a [`Place`], cut to the columns around the place, and the starts of the line before
/// it and the one after it.
#[derive(Debug)]
pub struct Excerpt {
    name: String,
    text: String,
    /// Lines of the whole text before the excerpt.
    lines_before: usize,
    /// The place's column, from 0, in its whole line.
    column: usize,
}

impl Excerpt {
    /// The lines around `place`, and where the place is in them. Of a place that spans lines the
    /// first one counts.
    pub fn around(texts: &Texts, place: Place) -> (Excerpt, std::ops::Range<usize>) {
        let text = texts.text(place.text);
        let from = boundary(text, place.from);
        let line_start = text[..from].rfind('\n').map_or(0, |i| i + 1);
        let before = text[..line_start].strip_suffix('\n');
        let first = before.map_or(line_start, |b| b.rfind('\n').map_or(0, |i| i + 1));
        let column = text[line_start..from].chars().count();
        let fits =
            text[line_start..].lines().next().is_none_or(|line| line.chars().nth(QUOTED).is_none());
        let left = if fits || column + BEFORE <= QUOTED { 0 } else { column - BEFORE };

        let mut out = String::new();
        let mut label = 0..0;
        let mut at = first;
        for line in
            text[first..].split_inclusive('\n').take(if first == line_start { 2 } else { 3 })
        {
            let body = line.trim_end_matches(['\n', '\r']);
            let (shown, indent) = window(body, if at == line_start { left } else { 0 });
            if at == line_start {
                let start = out.len() + indent + width(body, left, column);
                let end = boundary(text, place.to.min(line_start + body.len())).max(from);
                let last = column + text[from..end].chars().count();
                label = start..out.len() + indent + width(body, left, last.min(left + QUOTED));
                label.end = label.end.max(label.start);
            }
            out.push_str(&shown);
            out.push_str(&line[body.len()..].replace('\r', ""));
            at += line.len();
        }
        if at == line_start {
            label = out.len()..out.len(); // The place is behind the last line.
        }
        let lines_before = text[..first].matches('\n').count();
        (Excerpt { name: end(texts.name(place.text)), text: out, lines_before, column }, label)
    }
}

/// The last boundary between characters up to `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

/// The columns of a line that are shown, from `left` on, and the bytes of the mark that says that
/// its start is cut.
fn window(line: &str, left: usize) -> (String, usize) {
    let mut out = String::new();
    if left > 0 && !line.is_empty() {
        out.push(CUT);
    }
    let indent = out.len();
    let mut rest = line.chars().skip(left);
    out.extend(rest.by_ref().take(QUOTED).map(legible));
    if rest.next().is_some() {
        out.push(CUT);
    }
    (out, indent)
}

/// Bytes of the columns from `left` to `to` of a line as it is shown.
fn width(line: &str, left: usize, to: usize) -> usize {
    line.chars().skip(left).take(to.saturating_sub(left)).map(|c| legible(c).len_utf8()).sum()
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let read = self.text.read_span(span, lines_before, lines_after)?;
        let column = if lines_before == 0 { self.column } else { read.column() };
        let line = self.lines_before + read.line();
        let contents = MietteSpanContents::new_named(
            self.name.clone(),
            read.data(),
            *read.span(),
            line,
            column,
            read.line_count(),
        );
        Ok(Box::new(contents))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Diagnostic, Problem, code};
    use super::*;

    fn shown(text: &str, from: usize, to: usize) -> String {
        let mut texts = Texts::default();
        let place = Place { text: texts.add("net.toml", text), from, to };
        Diagnostic::new("it is wrong").at(place).rendered(&texts)
    }

    #[test]
    fn a_short_line_is_shown_whole_with_its_neighbors() {
        let text = "one = 1\ntwo = 2\nthree = 3\nfour = 4\n";
        let expected = "  × it is wrong\n   ╭─[net.toml:2:7]\n 1 │ one = 1\n 2 │ two = 2\n   \
            ·       ─\n 3 │ three = 3\n   ╰────\n";
        assert_eq!(shown(text, 14, 15), expected);
    }

    /// The caret stays below its value, and the column is that of the whole line.
    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let line = format!("key = [{}, 77777, {}]", "1, ".repeat(50_000), "2, ".repeat(50_000));
        let from = line.find("77777").unwrap();
        let out =
            shown(&format!("above = 1\n{line}\n{}\n", "x".repeat(9_000)), from + 10, from + 15);
        assert!(out.contains(&format!("[net.toml:2:{}]", from + 1)), "{out}");
        let lines: Vec<Vec<char>> = out.lines().map(|l| l.chars().collect()).collect();
        assert!(lines.iter().all(|l| l.len() <= QUOTED + 12), "{out}");
        let quoted =
            lines.iter().position(|l| l.iter().collect::<String>().contains("77777")).expect(&out);
        let caret = lines[quoted + 1].iter().position(|c| *c == '─').expect(&out);
        assert_eq!(lines[quoted][caret..caret + 5].iter().collect::<String>(), "77777", "{out}");
    }

    #[test]
    fn a_place_of_many_lines_shows_its_first() {
        let text = format!("list = [\n{}]\n", "1,\n".repeat(10_000));
        assert!(shown(&text, 7, text.len()).lines().count() < 10);
    }

    #[test]
    fn places_at_and_behind_the_end_are_shown() {
        for text in ["", "a", "a\n", "ä = \"\u{1b}[31m\"\r\nb"] {
            for from in 0..=text.len() + 2 {
                for to in from..=text.len() + 2 {
                    let out = shown(text, from, to);
                    assert!(
                        out.contains("net.toml:") && !out.contains('\u{1b}'),
                        "{text:?} {from} \
                        {to}: {out}"
                    );
                }
            }
        }
    }

    #[test]
    fn words_sentences_and_names_are_cut() {
        let long = "k".repeat(200_000);
        let mut texts = Texts::default();
        let place = Place { text: texts.add(long.clone(), "a = 1"), from: 0, to: 1 };
        let d = Diagnostic::new(format!("there is no key `{long}` here"))
            .fix(format!("known are {}", "name, ".repeat(9_000)))
            .key(&[long])
            .at(place);
        let problem = Problem::new(code::SCENARIO, &[d], &texts);
        assert!(problem.rendered.len() < 4_000, "{}", problem.rendered.len());
        let said = &problem.json["problems"][0];
        assert_eq!(said["cause"], format!("there is no key `{}{CUT}` here", "k".repeat(WORD)));
        assert!(said["fix"].as_str().unwrap().chars().count() == SENTENCE + 1);
        assert!(said["key"].as_str().unwrap().chars().count() == SENTENCE + 1);
    }

    #[test]
    fn the_number_of_problems_is_bounded() {
        let found: Vec<Diagnostic> =
            (0..5_000).map(|i| Diagnostic::new(format!("cause {i}"))).collect();
        let problem = Problem::new(code::SCENARIO, &found, &Texts::default());
        assert!(problem.rendered.ends_with("... and 4980 more"));
        assert_eq!(problem.json["problems"].as_array().map(Vec::len), Some(100));
        assert_eq!(problem.json["omitted"], 4900);
    }
}
