//! Files that tests keep: fingerprints of what must not move unnoticed.

/// Compares `text` with `file`, line by line. With `DUMBBELL_FREEZE=1` writes the file anew first.
pub fn keeps(file: &str, text: &str) {
    if std::env::var_os("DUMBBELL_FREEZE").is_some() {
        std::fs::write(file, text).unwrap();
    }
    let kept = std::fs::read_to_string(file).unwrap();
    let moved: Vec<_> = text.lines().zip(kept.lines()).filter(|(a, b)| a != b).collect();
    assert!(text == kept, "moved: {moved:#?}");
}
