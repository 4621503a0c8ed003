//! Results that can be checked: `summary.json` has the size and the BLAKE3 digest of every file
//! beside it, and ends with its own digest.
//!
//! The last key of the document is `"blake3"`. Its value is the digest of all bytes of the file
//! before the comma that precedes that key. A document with neither `digests` nor `blake3` is of an
//! earlier release and is not checked.
use crate::files::durable;
use crate::files::regular;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The name of the document.
pub const SUMMARY: &str = "summary.json";
/// The longest document, bytes.
const LONGEST: u64 = 1 << 30;
/// The text before a document's own digest, and the text behind it.
const BEFORE: &str = ",\n  \"blake3\": \"";
const BEHIND: &str = "\"\n}\n";
/// Hexadecimal digits of a digest.
const DIGITS: usize = 64;
/// Bytes of a seal.
const SEAL: usize = BEFORE.len() + DIGITS + BEHIND.len();
/// Directories between a file and its summary: `point-N`, `seed-N`.
const LEVELS: usize = 2;

/// A summary's entry of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// Its size.
    pub bytes: u64,
    /// 64 hexadecimal digits.
    pub blake3: String,
}

/// Files by their path relative to the summary.
pub type Digests = BTreeMap<PathBuf, Digest>;

impl Digest {
    /// Of a file.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of(file: &Path) -> io::Result<Digest> {
        Ok(Digest { bytes: std::fs::metadata(file)?.len(), blake3: durable::digest(file)? })
    }
}

/// The one message about a file that is not what was written. Exit code 3.
pub fn damaged(file: &Path, what: impl Display) -> Problem {
    let d = Diagnostic::new(format!("{} is damaged: {what}", file.display()));
    Problem::new(code::CHECK, &[d.fix("run the scenario again")], &Texts::default())
}

/// The text of a summary with its own digest. `document` is an object that is not empty.
///
/// # Errors
/// It cannot be written as JSON.
pub fn seal(document: &Value) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(document)?;
    let body = text.strip_suffix("\n}").unwrap_or(&text);
    Ok(format!("{body}{BEFORE}{}{BEHIND}", blake3::hash(body.as_bytes()).to_hex()))
}

/// The text before a seal, and the digest that the seal says; `None` if the text does not end with
/// a seal.
fn opened(text: &str) -> Option<(&str, &str)> {
    let (body, seal) = text.split_at_checked(text.len().checked_sub(SEAL)?)?;
    Some((body, seal.strip_prefix(BEFORE)?.strip_suffix(BEHIND)?))
}

/// The fields of a document by which it can be checked.
#[derive(Deserialize)]
struct ManifestHead {
    digests: Option<Digests>,
    blake3: Option<IgnoredAny>,
}

/// The text of a summary, which was checked.
///
/// # Errors
/// Code 2: there is none, or it cannot be read; 3: it is damaged.
pub fn text(file: &Path) -> Result<String, Problem> {
    let bytes = regular::whole(file, LONGEST).map_err(|e| {
        let d = match e.kind() {
            io::ErrorKind::NotFound => Diagnostic::new(format!(
                "there is no result in {}: `{SUMMARY}` is missing",
                durable::parent(file).display()
            )),
            _ => Diagnostic::new(format!("{} cannot be read: {e}", file.display())),
        };
        Problem::new(
            code::SCENARIO,
            &[d.fix("name the directory that was given to --out")],
            &Texts::default(),
        )
    })?;
    let text = String::from_utf8(bytes).map_err(|_| damaged(file, "it is not UTF-8"))?;
    match opened(&text) {
        Some((body, said)) if blake3::hash(body.as_bytes()).to_hex().as_str() == said => Ok(text),
        Some(_) => Err(damaged(file, "its bytes do not have the digest that it ends with")),
        None => match serde_json::from_str::<ManifestHead>(&text) {
            Ok(ManifestHead { digests: None, blake3: None }) => Ok(text),
            Ok(_) => Err(damaged(file, "the digest that it ends with is missing")),
            Err(e) => Err(damaged(file, e)),
        },
    }
}

/// `summary.json` of a directory, which was checked.
///
/// # Errors
/// As [`text`].
pub fn summary(dir: &Path) -> Result<Value, Problem> {
    let file = dir.join(SUMMARY);
    serde_json::from_str(&text(&file)?).map_err(|e| damaged(&file, e))
}

/// The digests that were read last, with the seal of their summary, which tells them from all
/// others.
static LAST: Mutex<Option<(String, Arc<Digests>)>> = Mutex::new(None);

/// The digests in a summary; `None`: it is of an earlier release.
fn digests(file: &Path) -> Result<Option<Arc<Digests>>, Problem> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let seal = ending(file).ok();
    if let Some((_, known)) = last.as_ref().filter(|(of, _)| Some(of) == seal.as_ref()) {
        return Ok(Some(known.clone()));
    }
    let text = text(file)?;
    let Some((_, seal)) = opened(&text) else { return Ok(None) };
    let head: ManifestHead = serde_json::from_str(&text).map_err(|e| damaged(file, e))?;
    let found = Arc::new(head.digests.unwrap_or_default());
    *last = Some((seal.into(), found.clone()));
    Ok(Some(found))
}

/// The digest that a summary ends with.
fn ending(file: &Path) -> io::Result<String> {
    let (mut file, mut text) = (regular::open(file)?, String::new());
    file.seek(SeekFrom::End(-(SEAL as i64)))?;
    file.read_to_string(&mut text)?;
    opened(&text).map(|(_, said)| said.into()).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// The directory with the summary of a result file, and the file's path in it; `None`: it belongs
/// to no result.
fn home(file: &Path) -> Option<(PathBuf, PathBuf)> {
    let dir = durable::parent(file).canonicalize().ok()?;
    let mut above = dir.as_path();
    for _ in 0..=LEVELS {
        if above.join(SUMMARY).exists() {
            let inside = dir.strip_prefix(above).ok()?.join(file.file_name()?);
            return Some((above.into(), inside));
        }
        let name = above.file_name()?.to_str()?;
        if !name.starts_with("point-") && !name.starts_with("seed-") {
            return None;
        }
        above = above.parent()?;
    }
    None
}

/// Checks a file of a result against its summary, as far as there is one. False: there is no such
/// file, and none was written.
///
/// # Errors
/// Code 3: it is damaged or missing, or it is not the file of this result; 2: it cannot be read.
pub fn check(file: &Path) -> Result<bool, Problem> {
    let exists = file.exists();
    let Some((dir, inside)) = home(file) else { return Ok(exists) };
    let Some(digests) = digests(&dir.join(SUMMARY))? else { return Ok(exists) };
    match (digests.get(&inside), exists) {
        (None, false) => Ok(false),
        (None, true) => Err(damaged(
            file,
            format_args!(
                "the {SUMMARY} of its result does not list \
            it"
            ),
        )),
        (Some(_), false) => Err(damaged(file, "it is missing")),
        (Some(said), true) => match Digest::of(file) {
            Ok(found) if found == *said => Ok(true),
            Ok(_) => {
                Err(damaged(file, format_args!("its bytes do not have the digest in {SUMMARY}")))
            }
            Err(e) => {
                let d = Diagnostic::new(format!("{} cannot be read: {e}", file.display()));
                Err(Problem::new(code::SCENARIO, &[d], &Texts::default()))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A result of one file, in a directory of a seed.
    fn result() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("seed-1/flows.parquet");
        durable::create_dir_all(durable::parent(&file)).unwrap();
        durable::write(&file, b"numbers").unwrap();
        let digest = Digest::of(&file).unwrap();
        let text =
            seal(&json!({ "name": "a", "digests": { "seed-1/flows.parquet": digest } })).unwrap();
        durable::write(&dir.path().join(SUMMARY), text.as_bytes()).unwrap();
        (dir, file)
    }

    #[test]
    fn every_changed_bit_of_a_summary_is_seen() {
        let (dir, _) = result();
        let file = dir.path().join(SUMMARY);
        let whole = std::fs::read(&file).unwrap();
        assert_eq!(summary(dir.path()).unwrap()["name"], "a");
        for bit in 0..whole.len() * 8 {
            let mut changed = whole.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&file, changed).unwrap();
            assert_eq!(text(&file).unwrap_err().code, code::CHECK, "bit {bit}");
        }
    }

    #[test]
    fn every_changed_bit_of_a_file_is_seen() {
        let (_dir, file) = result();
        assert!(check(&file).unwrap());
        let whole = std::fs::read(&file).unwrap();
        for bit in 0..whole.len() * 8 {
            let mut changed = whole.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&file, changed).unwrap();
            let problem = check(&file).unwrap_err();
            assert_eq!(problem.code, code::CHECK, "bit {bit}");
            assert!(problem.message().contains("flows.parquet is damaged"), "{}", problem.rendered);
        }
        std::fs::remove_file(&file).unwrap();
        assert!(check(&file).unwrap_err().message().contains("it is missing"));
    }

    #[test]
    fn a_file_that_is_not_of_the_result_is_refused_and_one_that_was_not_written_is_none() {
        let (dir, file) = result();
        assert!(!check(&dir.path().join("queues.parquet")).unwrap());
        std::fs::copy(&file, dir.path().join("queues.parquet")).unwrap();
        assert_eq!(check(&dir.path().join("queues.parquet")).unwrap_err().code, code::CHECK);
    }

    #[test]
    fn a_result_of_an_earlier_release_is_read_as_it_is() {
        let (dir, file) = result();
        std::fs::write(dir.path().join(SUMMARY), "{\"name\": \"a\"}").unwrap();
        std::fs::write(&file, "other numbers").unwrap();
        assert_eq!(summary(dir.path()).unwrap()["name"], "a");
        assert!(check(&file).unwrap());
    }
}
