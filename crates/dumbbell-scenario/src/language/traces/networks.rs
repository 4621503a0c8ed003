//! A network of routers from a file of either form.
use super::edges::{self, Edge};
use super::graphml;
use super::transfers::ListError;

/// Reads GraphML, or CSV.
///
/// # Errors
/// As [`edges::parse`] and [`graphml::parse`].
pub fn read(text: &str) -> Result<Vec<Edge>, ListError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('<') { graphml::parse(text) } else { edges::parse(text) }
}
