//! Lists of transfers: refused by a line, or written out again as the same list.
use dumbbell_lab::language::traces::transfers::{parse, write};

/// A file.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match parse(text) {
        Ok(list) => assert_eq!(parse(&write(&list)), Ok(list)),
        Err(error) => assert!(error.line > 0 && !error.cause.is_empty() && !error.fix.is_empty()),
    }
}
