//! What a guest and we tell each other in memory, beside the time: whose turn it is, the rings at
//! which the guest is called, and the rings into which it has put frames. A kernel of our recipe
//! has the other end (`edits.py` of the Python package); others send messages.
use crate::sys::futex;
use crate::sys::memory::Mapping;
use std::io;
use std::time::Duration;

/// Bytes of a guest's notes.
pub const LEN: usize = 4096;
/// A guest that has this in its entry's capabilities can use them.
pub const CAPABLE: u32 = 2;
const MOST: usize = 256;

const SHARING: usize = 0;
const TURN: usize = 4;
const CALLS: usize = 8;
const KICKS: usize = 12;
const CALL: usize = 16;
const KICK: usize = CALL + 4 * MOST;

const OURS: u32 = 0;
const GUESTS: u32 = 1;

/// A device, and one of its rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The device, by its number in the guest.
    pub nic: usize,
    /// The ring.
    pub ring: usize,
}

/// A guest has put frames into a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kick {
    /// The ring.
    pub place: Place,
    /// The index of the ring after the last of them.
    pub upto: u16,
}

/// How far a guest uses its notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Messages,
    /// It waits for a message once more.
    Offered,
    Memory,
}

/// A guest's notes, which begin at `at` of the page.
pub struct Notes {
    at: usize,
    state: State,
}

impl Notes {
    /// Notes at a place of the page.
    pub fn new(at: usize) -> Notes {
        Notes { at, state: State::Messages }
    }

    /// True if the guest's turns, calls and kicks are in memory now.
    pub fn in_memory(&self) -> bool {
        self.state == State::Memory
    }

    /// The guest waits for a message. From the next time on it waits for its notes.
    pub fn offer(&mut self, page: &Mapping) -> io::Result<()> {
        if self.state != State::Messages {
            return Ok(());
        }
        page.put_u32(self.at + SHARING, 1)?;
        self.state = State::Offered;
        Ok(())
    }

    /// It is the guest's turn. False: it must be told by a message.
    pub fn pass_turn(&mut self, page: &Mapping) -> io::Result<bool> {
        page.put_u32(self.at + TURN, GUESTS)?;
        if self.in_memory() {
            futex::wake(page.word(self.at + TURN)?);
            return Ok(true);
        }
        if self.state == State::Offered {
            self.state = State::Memory;
        }
        Ok(false)
    }

    /// Waits until the guest waits; false: it did not within `most`.
    pub fn wait(&self, page: &Mapping, most: Duration) -> io::Result<bool> {
        let turn = page.word(self.at + TURN)?;
        if page.u32(self.at + TURN)? == GUESTS {
            futex::wait(turn, GUESTS, most);
        }
        Ok(page.u32(self.at + TURN)? == OURS)
    }

    /// Calls the guest at a ring when it next runs.
    pub fn call(&self, page: &Mapping, place: Place) -> io::Result<()> {
        let count = page.u32(self.at + CALLS)? as usize;
        let ring = (place.nic << 8 | place.ring) as u32;
        for i in 0..count {
            if page.u32(self.at + CALL + 4 * i)? == ring {
                return Ok(());
            }
        }
        if count >= MOST {
            return Err(io::Error::other("a guest has more rings than its notes"));
        }
        page.put_u32(self.at + CALL + 4 * count, ring)?;
        page.put_u32(self.at + CALLS, count as u32 + 1)
    }

    /// Takes the rings into which the guest has put frames, in their order.
    pub fn take_kicks(&self, page: &Mapping) -> io::Result<Vec<Kick>> {
        let count = page.u32(self.at + KICKS)? as usize;
        if count == 0 {
            return Ok(vec![]);
        }
        page.put_u32(self.at + KICKS, 0)?;
        let kick = |i: usize| {
            let word = page.u32(self.at + KICK + 4 * i)?;
            let [ring, nic, low, high] = word.to_le_bytes();
            let place = Place { nic: usize::from(nic), ring: usize::from(ring) };
            Ok(Kick { place, upto: u16::from_le_bytes([low, high]) })
        };
        (0..count.min(MOST)).map(kick).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::memory;

    fn page() -> Mapping {
        memory::shared("notes", LEN).unwrap().1
    }

    #[test]
    fn a_ring_is_called_once_and_kicks_keep_their_order() {
        let (page, notes) = (page(), Notes::new(0));
        let place = Place { nic: 3, ring: 1 };
        notes.call(&page, place).unwrap();
        notes.call(&page, place).unwrap();
        assert_eq!(page.u32(CALLS).unwrap(), 1);
        assert_eq!(page.u32(CALL).unwrap(), 3 << 8 | 1);
        for (i, word) in [0x1234_0201_u32, 0x0005_0101].into_iter().enumerate() {
            page.put_u32(KICK + 4 * i, word).unwrap();
        }
        page.put_u32(KICKS, 2).unwrap();
        let kicks = notes.take_kicks(&page).unwrap();
        let found: Vec<_> = kicks.iter().map(|k| (k.place.nic, k.place.ring, k.upto)).collect();
        assert_eq!(found, [(2, 1, 0x1234), (1, 1, 5)]);
        assert!(notes.take_kicks(&page).unwrap().is_empty());
    }

    #[test]
    fn the_first_turn_after_the_offer_is_a_message() {
        let (page, mut notes) = (page(), Notes::new(0));
        assert!(!notes.pass_turn(&page).unwrap());
        notes.offer(&page).unwrap();
        assert!(!notes.in_memory());
        assert!(!notes.pass_turn(&page).unwrap());
        assert!(notes.in_memory() && notes.pass_turn(&page).unwrap());
        assert!(!notes.wait(&page, Duration::from_millis(1)).unwrap(), "nobody gave it back");
        page.put_u32(TURN, OURS).unwrap();
        assert!(notes.wait(&page, Duration::from_secs(60)).unwrap());
    }
}
