//! `-s KEY=VALUE`, one a line, applied to a scenario that has one of everything.
use super::scenario::plan;

const BASE: &str = include_str!("../base.toml");

/// Lines of overrides.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    plan(BASE, &text.lines().take(20).collect::<Vec<_>>());
}
