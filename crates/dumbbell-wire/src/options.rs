//! Options of the IPv4 header (RFC 791 section 3.1).

/// The options of a header, each whole; up to the end of their list, or to one whose length is
/// none. "No operation" is among them: it aligns what follows.
pub(crate) fn options(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let length = match rest {
            [] | [0, ..] => return None,
            [1, ..] => 1,
            [_, length, ..] if *length >= 2 => usize::from(*length),
            _ => return None,
        };
        let (option, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(option)
    })
}
