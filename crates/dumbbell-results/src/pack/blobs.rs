//! Blobs: byte strings that a page inflates one by one, with columns and texts one after the other
//! in each.
use crate::pack::columns::{Coded, Column};

/// Bytes after which a shared blob takes no more.
const FULL: usize = 1 << 20;

/// Which blob is to take some bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// One that is shared by the parts of this kind.
    Shared(Kind),
    /// One by itself, with its number.
    Own(usize),
}

/// The kinds of shared blobs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Coarse levels of all tables: the first that a page draws.
    Overview,
    /// Small tables.
    Small,
    /// Texts.
    Text,
}

/// The blobs of an answer.
#[derive(Default)]
pub struct Blobs {
    blobs: Vec<(Place, Vec<u8>)>,
    owners: usize,
}

impl Blobs {
    /// A place that no other part has.
    pub fn own(&mut self) -> Place {
        self.owners += 1;
        Place::Own(self.owners)
    }

    /// Puts a column into a blob. One without rows has a place, too: decoders need no exception.
    pub fn place(&mut self, place: Place, coded: Coded) -> Column {
        let Coded { mut column, bytes } = coded;
        if column.coding != "even" {
            (column.blob, column.at) = self.append(place, &bytes);
            column.nulls = column.nulls.map(|nulls| column.at + nulls);
        }
        column
    }

    /// Puts bytes into a blob: its index, and where they begin in it.
    pub fn append(&mut self, place: Place, bytes: &[u8]) -> (usize, usize) {
        let full = |blob: &[u8]| matches!(place, Place::Shared(_)) && blob.len() >= FULL;
        let open = self.blobs.iter().rposition(|(of, blob)| *of == place && !full(blob));
        let index = open.unwrap_or_else(|| {
            self.blobs.push((place, Vec::new()));
            self.blobs.len() - 1
        });
        let blob = &mut self.blobs[index].1;
        let at = blob.len();
        blob.extend_from_slice(bytes);
        (index, at)
    }

    /// The bytes of each blob.
    pub fn bytes(self) -> Vec<Vec<u8>> {
        self.blobs.into_iter().map(|(_, blob)| blob).collect()
    }
}
