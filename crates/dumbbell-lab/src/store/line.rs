//! A row of the store as a line of text:
//! `{"format":1,"key":"32 hex digits","check":"16","state":"done","result":{...}}`, with exactly
//! these bytes around the result, so that a store is read without being parsed. `state` is `done`
//! or `fail`; `check` is a hash of all that comes after it.
use super::key::Key;
use serde_json::Value;

/// The newest format of a row that this release reads.
pub const FORMAT: u64 = 1;
const HEAD: &[u8] = br#"{"format":1,"key":""#;
const CHECK: &[u8] = br#"","check":""#;
const STATE: &[u8] = br#"","state":""#;
const RESULT: &[u8] = br#"","result":"#;
const TAIL: &[u8] = b"}";

/// A row, its result not parsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    /// The key under which it is kept.
    pub key: Key,
    /// True if the run ended well.
    pub done: bool,
    /// The result, JSON.
    pub result: &'a [u8],
}

/// The fault of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is of a later release, in this format.
    Newer(u64),
    /// It is not what was written.
    Damaged(&'static str),
}

/// The line of a run, with its end.
pub fn write(key: Key, done: bool, result: &Value) -> Vec<u8> {
    let state: &[u8] = if done { b"done" } else { b"fail" };
    let mut rest = Vec::with_capacity(4096);
    [state, RESULT].iter().for_each(|part| rest.extend_from_slice(part));
    // A value has text for keys, and a vector takes all.
    let _ = serde_json::to_writer(&mut rest, result);
    rest.extend_from_slice(TAIL);
    let mut line = Vec::with_capacity(rest.len() + 128);
    let key = key.to_string();
    let check = check(key.as_bytes(), &rest);
    [HEAD, key.as_bytes(), CHECK, check.as_bytes(), STATE, &rest, b"\n"]
        .iter()
        .for_each(|p| line.extend_from_slice(p));
    line
}

/// Reads a line, which has no end of line in it.
///
/// # Errors
/// It is not a row of this format as it was written.
pub fn read(line: &[u8]) -> Result<Row<'_>, Fault> {
    framed(line).ok_or_else(|| fault(line)).and_then(|(key, said, rest)| {
        if check(key, rest).as_bytes() != said {
            return Err(Fault::Damaged("its check does not match what it says"));
        }
        let (state, result) = rest.split_at(4);
        let key = std::str::from_utf8(key).ok().and_then(|k| k.parse().ok());
        let result = result.strip_prefix(RESULT).and_then(|r| r.strip_suffix(TAIL));
        match (key, result) {
            (Some(key), Some(result)) => Ok(Row { key, done: state == b"done", result }),
            _ => Err(Fault::Damaged("it is not as it was written")),
        }
    })
}

/// Key, check, and what comes after it.
fn framed(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (key, rest) = line.strip_prefix(HEAD)?.split_at_checked(32)?;
    let (check, rest) = rest.strip_prefix(CHECK)?.split_at_checked(16)?;
    let rest = rest.strip_prefix(STATE)?;
    (rest.len() > 4).then_some((key, check, rest))
}

fn fault(line: &[u8]) -> Fault {
    match serde_json::from_slice::<Value>(line).map(|v| v["format"].as_u64()) {
        Ok(Some(n)) if n > FORMAT => Fault::Newer(n),
        Ok(_) => Fault::Damaged("it is not a row of a store"),
        Err(_) => Fault::Damaged("it is not JSON"),
    }
}

fn check(key: &[u8], rest: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key).update(rest);
    hasher.finalize().to_hex()[..16].to_string()
}
