//! Distributions of sizes: refused by a line, or points that ascend to probability 1.
use dumbbell_lab::language::traces::sizes::{parse, write};

/// A file.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match parse(text) {
        Ok(points) => {
            assert!(points.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1), "{points:?}");
            assert_eq!(points.last().map(|(_, p)| *p), Some(1.0));
            assert!(serde_json::from_str::<serde_json::Value>(&write(&points)).is_ok());
        }
        Err(error) => assert!(error.line > 0 && !error.cause.is_empty() && !error.fix.is_empty()),
    }
}
