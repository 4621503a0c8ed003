//! Loss traces: words on lines, of what [`Of`] says. A line that begins with `#` is a comment, an
//! empty one nothing.
use super::mahimahi::TraceError;
pub use dumbbell_algos::impairment::parts::loss_list::{Losses, Of};

/// The longest file that is read, bytes.
pub const LONGEST: u64 = 128 << 20;

/// Reads a trace.
///
/// # Errors
/// The first line with a word that makes no sense, or nothing at all.
pub fn parse(bytes: &[u8], of: Of) -> Result<Losses, TraceError> {
    let fix = match of {
        Of::Bits => {
            "write a 0 or a 1 for each packet, or say what its words are: of = \"packets\" \
            or of = \"times\""
        }
        Of::Packets => {
            "write numbers of lost packets, ascending, or say what its words are: of = \
            \"bits\""
        }
        Of::Times => {
            "write times of losses in seconds, ascending, or say what its words are: of = \
            \"bits\""
        }
    };
    let mut losses = Losses::new(of);
    for (line, number) in bytes.split(|b| *b == b'\n').zip(1..) {
        let wrong = |cause: String| TraceError { line: Some(number), cause, fix };
        let text = std::str::from_utf8(line).map_err(|_| wrong("it is not text".into()))?;
        if text.trim_start().starts_with('#') {
            continue;
        }
        for word in text.split_whitespace() {
            losses.word(word).map_err(wrong)?;
        }
    }
    losses.whole().map_err(|cause| TraceError { line: None, cause, fix })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_testbeds_write() {
        let read = |bytes: &[u8], of| parse(bytes, of).unwrap().to_string();
        assert_eq!(read(b"0\n0\n1\n0\n", Of::Bits), "0x2 1 0");
        assert_eq!(read(b"# 802.11, 2 m\r\n0010 1\r\n\n", Of::Bits), "0x2 1 0 1");
        assert_eq!(read(b"3\n17 18\n", Of::Packets), "3 17 18");
        assert_eq!(read(b"0.5\n12.25", Of::Times), "0.5 12.25");
    }

    #[test]
    fn says_where_it_makes_no_sense() {
        let said = |bytes: &[u8], of| parse(bytes, of).unwrap_err().to_string();
        assert!(said(b"0\n1\n2\n", Of::Bits).starts_with("line 3: `2` is neither 0 nor 1"));
        assert!(said(b"5\n4\n", Of::Packets).starts_with(
            "line 2: it is not after the one before \
            it"
        ));
        assert!(said(b"# nothing\n", Of::Times).starts_with("there is nothing in it"));
        assert!(said(b"\xff\xfe0\n", Of::Bits).starts_with("line 1: it is not text"));
    }
}
