//! Reads logs, and refuses altered ones.
use super::write::chained;
use super::{BLOCK, ENTRY, Entry, Header, LONGEST_HEADER, MAGIC, Record, Totals, VERSIONS};
use crate::log::captured_bytes as bytes;
use std::io::{self, Read};
use thiserror::Error;

/// The reason for which a log is not read.
#[derive(Debug, Error)]
pub enum LogFault {
    /// It is something else.
    #[error("this is not a log of a run on the testbed: it does not begin with `DUMBBELL`")]
    NotALog,
    /// It is of another version.
    #[error(
        "this log is of version {0}, and versions 1 and 2 are read here: use the release of \
            Dumbbell that wrote it"
    )]
    Version(u32),
    /// It ends too early.
    #[error("the log is cut off at byte {at}, in {what}: copy it again, or take the whole file")]
    Truncated {
        /// Length of the file.
        at: u64,
        /// The part that is cut off.
        what: String,
    },
    /// It is not what was written.
    #[error("the log was altered: {what} (bytes {from} to {to}) is not what was written")]
    Altered {
        /// The altered part.
        what: String,
        /// First byte of the part.
        from: u64,
        /// The byte behind its last.
        to: u64,
    },
    /// It was written so, but makes no sense.
    #[error("record {number} of the log makes no sense: {why}")]
    Malformed {
        /// Number of the record, from 1.
        number: u64,
        /// The reason.
        why: &'static str,
    },
    /// The file cannot be read.
    #[error("the log cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// A log that is being read: its records, each block checked before any of it is given out.
pub struct Reader<R> {
    from: R,
    /// The header of the log.
    pub header: Header,
    hash: [u8; 32],
    at: u64,
    block: Vec<u8>,
    given: usize,
    /// The bytes of the packet of the record that was given out last.
    packet: Vec<u8>,
    /// Records in the blocks before.
    before: u64,
    seen: Totals,
    end: Option<Totals>,
}

impl<R: Read> Reader<R> {
    /// Begins to read.
    ///
    /// # Errors
    /// It is not a log, of another version, altered or cut off in its header, or cannot be read.
    pub fn new(mut from: R) -> Result<Self, LogFault> {
        let mut at = 0;
        let mut bytes = vec![];
        read_part(&mut from, &mut bytes, 16, &mut at, "its header").map_err(
            |fault| match fault {
                LogFault::Truncated { .. } if !bytes.starts_with(&MAGIC[..bytes.len().min(8)]) => {
                    LogFault::NotALog
                }
                fault => fault,
            },
        )?;
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        if !bytes.starts_with(MAGIC) {
            return Err(LogFault::NotALog);
        }
        if !VERSIONS.contains(&word(8)) {
            return Err(LogFault::Version(word(8)));
        }
        let length = word(12);
        let altered = |to| LogFault::Altered { what: "its header".into(), from: 0, to };
        if length > LONGEST_HEADER {
            return Err(altered(16));
        }
        read_part(&mut from, &mut bytes, u64::from(length), &mut at, "its header")?;
        let hash = *blake3::hash(&bytes).as_bytes();
        if hash_of(&mut from, &mut at, "its header")? != hash {
            return Err(altered(at));
        }
        let header = serde_json::from_slice(&bytes[16..])
            .map_err(|e| LogFault::Io(io::Error::new(io::ErrorKind::InvalidData, e)))?;
        let (block, packet, seen) = (vec![], vec![], Totals::default());
        Ok(Reader { from, header, hash, at, block, given: 0, packet, before: 0, seen, end: None })
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// The log was altered or cut off where this record is, or cannot be read.
    pub fn next_record(&mut self) -> Result<Option<Record>, LogFault> {
        self.packet.clear();
        loop {
            if self.given == self.block.len() && (self.end.is_some() || !self.next_block()?) {
                return Ok(None);
            }
            let entry: &Entry = self.block[self.given..].first_chunk().expect(
                "blocks are of whole \
                records",
            );
            self.given += ENTRY;
            let number = self.before + (self.given / ENTRY) as u64;
            let malformed = |why| LogFault::Malformed { number, why };
            if entry[0] != bytes::KIND {
                return Record::decode(entry).map(Some).map_err(malformed);
            }
            self.packet.extend_from_slice(bytes::decode(entry).map_err(malformed)?);
            if self.packet.len() > crate::host::nic::LARGEST {
                return Err(malformed("no packet has so many bytes"));
            }
        }
    }
    /// The first bytes of the packet of the record that was given out last, from its IP header on;
    /// empty where they were not captured.
    pub fn packet(&self) -> &[u8] {
        &self.packet
    }

    /// Totals from the end of the log, once all records were read.
    pub fn totals(&self) -> Option<Totals> {
        self.end
    }

    /// Reads a block; false at the end.
    fn next_block(&mut self) -> Result<bool, LogFault> {
        let (start, first) = (self.at, self.before + (self.block.len() / ENTRY) as u64);
        let what = |count: u32| match count {
            0 => "its end".to_string(),
            _ => format!("records {} to {}", first + 1, first + u64::from(count)),
        };
        let mut bytes = vec![];
        read_part(&mut self.from, &mut bytes, 4, &mut self.at, "what follows its records")?;
        let count = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let altered = |to| LogFault::Altered { what: what(count), from: start, to };
        if count as usize > BLOCK {
            return Err(altered(self.at));
        }
        let length = if count == 0 { 24 } else { u64::from(count) * ENTRY as u64 };
        read_part(&mut self.from, &mut bytes, length, &mut self.at, &what(count))?;
        let hash = chained(&self.hash, &[&bytes]);
        if hash_of(&mut self.from, &mut self.at, &what(count))? != hash {
            return Err(altered(self.at));
        }
        (self.hash, self.before, self.given) = (hash, first, 0);
        if count == 0 {
            self.block.clear();
            return self.read_totals(&bytes[4..]).map(|()| false);
        }
        self.block = bytes.split_off(4);
        for entry in self.block.chunks_exact(ENTRY) {
            self.seen.incoming += u64::from(entry[0] == 1);
            self.seen.outgoing += u64::from(entry[0] == 2);
        }
        Ok(true)
    }

    /// The end: it says how many records there were, and nothing comes behind it.
    fn read_totals(&mut self, bytes: &[u8]) -> Result<(), LogFault> {
        let mut numbers = bytes.chunks_exact(8).map(|b| {
            u64::from_le_bytes(b.try_into().expect(
                "eight \
            bytes",
            ))
        });
        let mut number = || numbers.next().unwrap_or_default();
        let totals = Totals { incoming: number(), outgoing: number(), lost: number() };
        let from = self.at;
        let counted = Totals { lost: totals.lost, ..self.seen };
        if counted != totals {
            let what = format!("the number of its records ({counted:?}, not {totals:?})");
            return Err(LogFault::Altered { what, from: from - 56, to: from });
        }
        if self.from.read(&mut [0])? > 0 {
            return Err(LogFault::Altered {
                what: "what follows its end".into(),
                from,
                to: from + 1,
            });
        }
        self.end = Some(totals);
        Ok(())
    }
}

/// Appends `length` bytes of `from`, and moves `at`.
fn read_part(
    from: &mut impl Read,
    into: &mut Vec<u8>,
    length: u64,
    at: &mut u64,
    what: &str,
) -> Result<(), LogFault> {
    let got = from.take(length).read_to_end(into)? as u64;
    *at += got;
    if got == length { Ok(()) } else { Err(LogFault::Truncated { at: *at, what: what.into() }) }
}

fn hash_of(from: &mut impl Read, at: &mut u64, what: &str) -> Result<[u8; 32], LogFault> {
    let mut bytes = Vec::with_capacity(32);
    read_part(from, &mut bytes, 32, at, what)?;
    Ok(bytes.try_into().expect("32 bytes were read"))
}
