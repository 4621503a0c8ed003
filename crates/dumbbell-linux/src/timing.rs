//! The clock of all guests: a page that they share with us, and 16-byte messages
//! (include/uapi/linux/um_timetravel.h of the kernel, which is BSD-licensed).
//!
//! A guest reads the page for the time, writes to it when it wants to run next, and runs on by
//! itself up to `free_until`. Only the start of a turn and its end are messages. Kernels before
//! 6.12 have no page: their requests come as messages and are noted in it by us. A kernel of our
//! recipe passes its turns in memory, too: see [`notes`].
pub mod notes;

use notes::{Kick, Notes};

use crate::patience::LOOK_MS;
use crate::sys::memory::{self, Mapping};
use crate::sys::socket;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The kinds of messages.
pub mod op {
    #![allow(missing_docs)] // The protocol's names.
    pub const ACK: u32 = 0;
    pub const START: u32 = 1;
    pub const REQUEST: u32 = 2;
    pub const WAIT: u32 = 3;
    pub const GET: u32 = 4;
    pub const UPDATE: u32 = 5;
    pub const RUN: u32 = 6;
    pub const FREE_UNTIL: u32 = 7;
    pub const GET_TOD: u32 = 8;
}

/// A guest that has nothing to do until something arrives asks for this instant.
const NEVER: u64 = i64::MAX as u64;
/// The real-time clock of guests when their time is zero: 14 November 2023.
pub const REAL_TIME_NS: u64 = 1_700_000_000_000_000_000;
const VERSION: u32 = 2;
/// Bytes of the page's head, and of a guest's entry behind it.
const HEAD: usize = 4096;
const ENTRY: usize = 128;
/// This entry shares the time in memory.
const SHARES_TIME: u32 = 1;
/// This entry wants to run.
const WANTS_TO_RUN: u32 = 1;
/// Between two looks at a guest that runs.
const LOOK: Duration = Duration::from_millis(LOOK_MS as u64);

const AT_VERSION: usize = 0;
const AT_LEN: usize = 4;
const AT_FREE_UNTIL: usize = 8;
const AT_NOW: usize = 16;
const AT_RUNNING: usize = 24;
const AT_MOST: usize = 26;

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// See [`op`].
    pub op: u32,
    /// Its sender's number for it; an acknowledgment has that of what it answers.
    pub seq: u32,
    /// Nanoseconds.
    pub time: u64,
}

impl Message {
    fn bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&self.op.to_ne_bytes());
        bytes[4..8].copy_from_slice(&self.seq.to_ne_bytes());
        bytes[8..].copy_from_slice(&self.time.to_ne_bytes());
        bytes
    }

    /// Reads one; `None` if the guest has closed.
    ///
    /// # Errors
    /// The connection broke.
    pub fn read(from: &UnixStream) -> io::Result<Option<Message>> {
        let mut bytes = [0; 16];
        if socket::receive(from, &mut bytes)?.is_none() {
            return Ok(None);
        }
        let word = |at: usize| u32::from_ne_bytes([0, 1, 2, 3].map(|i| bytes[at + i]));
        let mut time = [0; 8];
        time.copy_from_slice(&bytes[8..]);
        Ok(Some(Message { op: word(0), seq: word(4), time: u64::from_ne_bytes(time) }))
    }

    /// Sends it.
    ///
    /// # Errors
    /// The guest has closed.
    pub fn send(self, mut to: &UnixStream) -> io::Result<()> {
        to.write_all(&self.bytes())
    }
}

/// The shared page.
pub struct Clock {
    fd: OwnedFd,
    /// Where guests would write what happens; nothing is kept.
    log: OwnedFd,
    page: Mapping,
    guests: usize,
    /// Of a guest that does not share the page, the `free_until` that it was told last.
    told: Vec<u64>,
    notes: Vec<Notes>,
}

impl Clock {
    /// A clock at zero for so many guests. We have the entry behind theirs.
    ///
    /// # Errors
    /// No memory is left.
    pub fn new(guests: usize) -> io::Result<Clock> {
        let entries = HEAD + ENTRY * (guests + 1);
        let len = entries + notes::LEN * guests;
        let (fd, page) = memory::shared("dumbbell-clock", len)?;
        page.put_u32(AT_VERSION, VERSION)?;
        page.put_u32(AT_LEN, len as u32)?;
        page.put_u16(AT_MOST, guests as u16 + 1)?;
        page.put_u32(HEAD + ENTRY * guests, SHARES_TIME)?;
        let log = memory::file("dumbbell-clock-log")?;
        let notes = (0..guests).map(|guest| Notes::new(entries + notes::LEN * guest)).collect();
        Ok(Clock { fd, log, page, guests, told: vec![0; guests], notes })
    }

    /// Answers a guest's start: from now on it shares the page.
    ///
    /// # Errors
    /// The guest has closed.
    pub fn welcome(&self, guest: usize, to: &UnixStream, start: Message) -> io::Result<()> {
        self.turn(guest, 0, 0)?;
        let answer = Message { op: op::ACK, seq: start.seq, time: guest as u64 };
        socket::send(to, &answer.bytes(), &[self.fd.as_raw_fd(), self.log.as_raw_fd()])
    }

    /// True if a guest shares the page; kernels before 6.12 tell and ask everything by messages.
    ///
    /// # Errors
    /// There is no such guest.
    pub fn shares(&self, guest: usize) -> io::Result<bool> {
        Ok(self.page.u32(HEAD + ENTRY * guest)? & SHARES_TIME != 0)
    }

    /// Offers a guest that waits to pass its turns in memory, if it can.
    ///
    /// # Errors
    /// Never on a page of our own.
    pub fn offer_notes(&mut self, guest: usize) -> io::Result<()> {
        let capable = self.page.u32(HEAD + ENTRY * guest)? & notes::CAPABLE != 0;
        if capable { self.notes[guest].offer(&self.page) } else { Ok(()) }
    }

    /// True if a guest passes its turns in memory.
    pub fn in_memory(&self, guest: usize) -> bool {
        self.notes[guest].in_memory()
    }

    /// Waits for a guest with notes to wait; false: it did not within a short time.
    ///
    /// # Errors
    /// Never on a page of our own.
    pub fn wait(&self, guest: usize) -> io::Result<bool> {
        self.notes[guest].wait(&self.page, LOOK)
    }

    /// Calls a guest with notes at `now`; false: it has none.
    ///
    /// # Errors
    /// It has called for more rings than there are.
    pub fn call(&self, guest: usize, place: notes::Place, now: u64) -> io::Result<bool> {
        let notes = &self.notes[guest];
        if notes.in_memory() {
            notes.call(&self.page, place)?;
            self.note(guest, now)?;
        }
        Ok(notes.in_memory())
    }

    /// Takes the kicks of a guest's notes.
    ///
    /// # Errors
    /// Never on a page of our own.
    pub fn kicks(&self, guest: usize) -> io::Result<Vec<Kick>> {
        self.notes[guest].take_kicks(&self.page)
    }

    fn turn(&self, who: usize, now: u64, free_until: u64) -> io::Result<()> {
        self.page.put_u64(AT_NOW, now)?;
        self.page.put_u64(AT_FREE_UNTIL, free_until)?;
        self.page.put_u16(AT_RUNNING, who as u16)
    }

    /// It is our turn at `now`.
    ///
    /// # Errors
    /// Never on a page of our own.
    pub fn ours(&self, now: u64) -> io::Result<()> {
        self.turn(self.guests, now, now)
    }

    /// It is a guest's turn at `now`, and it need not ask before `free_until`.
    ///
    /// # Errors
    /// The guest has closed.
    pub fn run(
        &mut self,
        guest: usize,
        to: &UnixStream,
        now: u64,
        free_until: u64,
    ) -> io::Result<()> {
        self.turn(guest, now, free_until)?;
        if !self.shares(guest)? {
            // It asks anew for what it still wants.
            self.page.put_u32(HEAD + ENTRY * guest + 4, 0)?;
            self.told[guest] = free_until;
            Message { op: op::FREE_UNTIL, seq: 0, time: free_until }.send(to)?;
        }
        if self.notes[guest].pass_turn(&self.page)? {
            return Ok(());
        }
        Message { op: op::RUN, seq: 0, time: now }.send(to)
    }

    /// The time that whoever runs has reached.
    ///
    /// # Errors
    /// Never on a page of our own.
    pub fn now(&self) -> io::Result<u64> {
        self.page.u64(AT_NOW)
    }

    /// The guest that runs must ask from this instant on. It waits for an answer of ours now, so
    /// it hears of it before it goes on.
    ///
    /// # Errors
    /// The guest has closed.
    pub fn limit(&mut self, guest: usize, to: &UnixStream, free_until: u64) -> io::Result<()> {
        if self.shares(guest)? {
            return self.page.put_u64(AT_FREE_UNTIL, free_until);
        }
        if free_until < self.told[guest] {
            self.told[guest] = free_until;
            Message { op: op::FREE_UNTIL, seq: 0, time: free_until }.send(to)?;
            while Message::read(to)?.ok_or(io::ErrorKind::ConnectionReset)?.op != op::ACK {}
        }
        Ok(())
    }

    /// When a guest wants to run; `None`: when something arrives.
    ///
    /// # Errors
    /// There is no such guest.
    pub fn request(&self, guest: usize) -> io::Result<Option<u64>> {
        let entry = HEAD + ENTRY * guest;
        let wants = self.page.u32(entry + 4)? & WANTS_TO_RUN != 0;
        Ok(Some(self.page.u64(entry + 8)?).filter(|at| wants && *at < NEVER))
    }

    /// Takes a request that came as a message.
    fn note(&self, guest: usize, at: u64) -> io::Result<()> {
        let entry = HEAD + ENTRY * guest;
        self.page.put_u64(entry + 8, at)?;
        self.page.put_u32(entry + 4, WANTS_TO_RUN)
    }

    /// Does what a guest's message asks for, and answers it. True: the guest waits now.
    ///
    /// # Errors
    /// The guest has closed.
    pub fn serve(&self, guest: usize, to: &UnixStream, asked: Message) -> io::Result<bool> {
        let time = match asked.op {
            // It has heard what we told it.
            op::ACK => return Ok(false),
            // Who shares the page waits for no answer to it.
            op::WAIT if self.shares(guest)? => return Ok(true),
            op::GET => self.now()?,
            op::GET_TOD => REAL_TIME_NS + self.now()?,
            op::REQUEST => {
                self.note(guest, asked.time)?;
                0
            }
            op::UPDATE => {
                self.page.put_u64(AT_NOW, asked.time)?;
                0
            }
            _ => 0,
        };
        Message { op: op::ACK, seq: asked.seq, time }.send(to)?;
        Ok(asked.op == op::WAIT)
    }
}
