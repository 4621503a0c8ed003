//! Loss traces of all three kinds: refused by a line, or in words that mean the same.
use dumbbell_lab::language::traces::losses::{Losses, Of, parse};

/// A file.
pub fn run(data: &[u8]) {
    for of in [Of::Bits, Of::Packets, Of::Times] {
        match parse(data, of) {
            Ok(losses) => assert_eq!(Losses::parse(of, &losses.to_string()), Ok(losses)),
            Err(error) => assert!(!error.to_string().is_empty(), "an error that says nothing"),
        }
    }
}
