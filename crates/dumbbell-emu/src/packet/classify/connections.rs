//! The table of connections by five-tuple, with a least-recently-used order of those that may go.
use super::connection::Connection;
use super::hash::FastHash;
use dumbbell_wire::five_tuple::FiveTuple;
use std::collections::HashMap;

/// No slot.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Slot {
    connection: Connection,
    /// Never forgotten; not in the order.
    pinned: bool,
    newer: u32,
    older: u32,
}

/// The table.
pub struct ConnectionTable {
    /// Place and end: twice the place, plus the end.
    by_tuple: HashMap<FiveTuple, u32, FastHash>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    newest: u32,
    oldest: u32,
    limit: usize,
    /// Number of connections that may be forgotten.
    ordered: usize,
}

impl ConnectionTable {
    pub fn new(limit: usize) -> ConnectionTable {
        ConnectionTable {
            by_tuple: HashMap::default(),
            slots: vec![],
            free: vec![],
            newest: NONE,
            oldest: NONE,
            limit,
            ordered: 0,
        }
    }

    /// The connection and the end with this five-tuple.
    #[inline]
    pub fn find(&self, tuple: &FiveTuple) -> Option<(usize, usize)> {
        self.by_tuple.get(tuple).map(|at| (*at as usize / 2, *at as usize % 2))
    }

    /// The connection there, which has just said something.
    #[inline]
    pub fn touch(&mut self, at: usize) -> &mut Connection {
        if !self.slots[at].pinned && self.newest != at as u32 {
            self.unlink(at as u32);
            self.link(at as u32);
        }
        &mut self.slots[at].connection
    }

    pub fn is_pinned(&self, at: usize) -> bool {
        self.slots[at].pinned
    }

    /// Puts a connection in, instead of one with the same tuple, and of the oldest if there are too
    /// many.
    pub fn add(&mut self, connection: Connection, pinned: bool) -> usize {
        for tuple in [connection.tuple, connection.tuple.reverse()] {
            if let Some((at, _)) = self.find(&tuple) {
                self.remove(at);
            }
        }
        if !pinned && self.ordered >= self.limit {
            self.remove(self.oldest as usize);
        }
        let place = Slot { connection, pinned, newer: NONE, older: NONE };
        let at = self.free.pop().unwrap_or_else(|| {
            self.slots.push(place);
            self.slots.len() as u32 - 1
        });
        self.slots[at as usize] = place;
        // A tuple that is its own reverse, a socket that speaks to itself, is end 0.
        self.by_tuple.insert(connection.tuple.reverse(), 2 * at + 1);
        self.by_tuple.insert(connection.tuple, 2 * at);
        if !pinned {
            self.link(at);
            self.ordered += 1;
        }
        at as usize
    }

    /// Takes one out.
    pub fn remove(&mut self, at: usize) {
        let Slot { connection, pinned, .. } = self.slots[at];
        self.by_tuple.remove(&connection.tuple);
        self.by_tuple.remove(&connection.tuple.reverse());
        if !pinned {
            self.unlink(at as u32);
            self.ordered -= 1;
        }
        self.free.push(at as u32);
    }

    fn link(&mut self, at: u32) {
        let older = self.newest;
        (self.slots[at as usize].older, self.slots[at as usize].newer) = (older, NONE);
        match older {
            NONE => self.oldest = at,
            _ => self.slots[older as usize].newer = at,
        }
        self.newest = at;
    }

    fn unlink(&mut self, at: u32) {
        let Slot { newer, older, .. } = self.slots[at as usize];
        match newer {
            NONE => self.newest = older,
            _ => self.slots[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            _ => self.slots[older as usize].newer = newer,
        }
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
