//! Link traces of Mahimahi: refused by a line, or written out again as the same trace.
use dumbbell_lab::language::traces::mahimahi::{parse, write};

/// A file.
pub fn run(data: &[u8]) {
    match parse(data) {
        // What is written has a line for each opportunity, and a trace may repeat itself for days.
        Ok(trace) if data.len() < 4096 => assert_eq!(parse(write(&trace).as_bytes()), Ok(trace)),
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty(), "an error that says nothing"),
    }
}
