//! The tokens of a line with their places. A comment begins with `#`; commas are words of their
//! own.

/// A token and its place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub text: &'a str,
    pub from: usize,
    pub to: usize,
}

/// The tokens of the line that begins at byte `start` of the text.
pub fn tokenize(line: &str, start: usize) -> Vec<Token<'_>> {
    let line = line.find('#').map_or(line, |i| &line[..i]);
    let mut words = Vec::new();
    let mut begin = None;
    let mut push = |from: usize, to: usize| {
        words.push(Token { text: &line[from..to], from: start + from, to: start + to });
    };
    for (i, c) in line.char_indices() {
        if c.is_whitespace() || c == ',' {
            if let Some(from) = begin.take() {
                push(from, i);
            }
            if c == ',' {
                push(i, i + 1);
            }
        } else if begin.is_none() {
            begin = Some(i);
        }
    }
    if let Some(from) = begin {
        push(from, line.len());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_places() {
        let texts =
            |line| tokenize(line, 10).into_iter().map(|w| (w.text, w.from)).collect::<Vec<_>>();
        assert_eq!(
            texts(" 0.1 > s1, s2 # s3"),
            [("0.1", 11), (">", 15), ("s1", 17), (",", 19), ("s2", 21)]
        );
        assert!(texts("# nothing").is_empty() && texts("").is_empty());
    }
}
