//! Networks as GraphML or CSV: refused by a line, or written out as CSV that is the same network.
use dumbbell_lab::language::traces::edges::{parse, write};
use dumbbell_lab::language::traces::networks::read;

/// A file.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match read(text) {
        Ok(list) => assert_eq!(parse(&write(&list)), Ok(list)),
        Err(error) => assert!(error.line > 0 && !error.cause.is_empty() && !error.fix.is_empty()),
    }
}
