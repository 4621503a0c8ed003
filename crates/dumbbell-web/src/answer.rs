//! What a page gets.
use serde_json::Value;

/// JSON, and the blobs that its tables refer to.
#[derive(Default)]
pub struct Answer {
    /// A document.
    pub json: Value,
    /// Columns.
    pub blobs: Vec<Vec<u8>>,
}

impl From<Value> for Answer {
    fn from(json: Value) -> Answer {
        Answer { json, blobs: Vec::new() }
    }
}
