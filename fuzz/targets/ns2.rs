//! Traces of ns-2: events until the end or until a place that is named.
use dumbbell_lab::formats::ns2;

/// A file.
pub fn run(data: &[u8]) {
    if let (_, Some(damage)) = ns2::read(data) {
        assert!(damage.offset <= data.len() && !damage.cause.is_empty(), "{damage:?}");
    }
}
