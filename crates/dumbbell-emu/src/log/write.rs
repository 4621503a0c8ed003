//! Writes logs.
use super::{BLOCK, ENTRY, Entry, Header, MAGIC, Totals, VERSIONS};
use std::io::{self, Write};

/// A log that is being written.
pub struct Writer<W> {
    to: W,
    block: Vec<u8>,
    hash: [u8; 32],
    incoming: u64,
    outgoing: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a log.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(mut to: W, header: &Header) -> io::Result<Self> {
        let json = serde_json::to_vec(header)?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSIONS[usize::from(header.capture.is_some())].to_le_bytes());
        bytes.extend_from_slice(&(json.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&json);
        let hash = *blake3::hash(&bytes).as_bytes();
        to.write_all(&bytes)?;
        to.write_all(&hash)?;
        Ok(Writer { to, block: Vec::with_capacity(BLOCK * ENTRY), hash, incoming: 0, outgoing: 0 })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn push(&mut self, entry: &Entry) -> io::Result<()> {
        self.block.extend_from_slice(entry);
        self.incoming += u64::from(entry[0] == 1);
        self.outgoing += u64::from(entry[0] == 2);
        if self.block.len() == BLOCK * ENTRY { self.seal() } else { Ok(()) }
    }

    /// Writes the block, if there is something in it.
    fn seal(&mut self) -> io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let count = ((self.block.len() / ENTRY) as u32).to_le_bytes();
        self.hash = chained(&self.hash, &[&count, &self.block]);
        self.to.write_all(&count)?;
        self.to.write_all(&self.block)?;
        self.to.write_all(&self.hash)?;
        self.block.clear();
        Ok(())
    }

    /// Ends the log: `lost` records were for it and did not come.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self, lost: u64) -> io::Result<(W, Totals)> {
        self.seal()?;
        let totals = Totals { incoming: self.incoming, outgoing: self.outgoing, lost };
        let mut bytes = vec![0; 4];
        for number in [totals.incoming, totals.outgoing, totals.lost] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        self.to.write_all(&bytes)?;
        self.to.write_all(&chained(&self.hash, &[&bytes]))?;
        self.to.flush()?;
        Ok((self.to, totals))
    }
}

/// The hash of the hash before and of the bytes since.
pub(super) fn chained(before: &[u8; 32], since: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before);
    since.iter().for_each(|bytes| {
        hasher.update(bytes);
    });
    *hasher.finalize().as_bytes()
}
