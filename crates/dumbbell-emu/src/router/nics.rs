//! The NICs of all hosts, and what waits where one is full.
use super::network::Outgoing;
use crate::host::nic::{Losses, Nic};
use dumbbell_core::units::Time;
use std::collections::VecDeque;
use std::io;

/// Packets that wait for a full door, at most.
const MOST: usize = 1_000;

/// A packet that its host's buffer had no room for.
#[derive(Clone, Copy, Debug)]
pub struct Delayed {
    /// What was to be written.
    pub out: Outgoing,
    /// When the door was first found full.
    pub since: Time,
}

/// One host's door.
pub struct NicState {
    /// The device.
    pub device: Box<dyn Nic>,
    /// What waits for room, the first first: packets of a host keep their order.
    pub delayed: VecDeque<Delayed>,
    /// What its counters said before the run.
    before: Losses,
    /// How often a packet found it full.
    pub full: u64,
    /// Packets for which there was no room in time.
    pub refused: u64,
    /// Whether something was written since the last flush.
    pub unflushed: bool,
    /// When a read found no packet last.
    pub empty: Time,
}

impl NicState {
    /// A door whose losses count from now on.
    ///
    /// # Errors
    /// Its counters cannot be read.
    pub fn new(device: Box<dyn Nic>) -> io::Result<Self> {
        let before = device.losses()?;
        Ok(NicState {
            device,
            delayed: VecDeque::with_capacity(MOST),
            before,
            full: 0,
            refused: 0,
            unflushed: false,
            empty: Time::ZERO,
        })
    }
    /// Whether one more may wait.
    pub fn can_queue(&self) -> bool {
        self.delayed.len() < MOST
    }
    /// What got lost at it, refused packets included.
    ///
    /// # Errors
    /// Its counters cannot be read.
    pub fn losses(&self) -> io::Result<Losses> {
        let now = self.device.losses()?;
        Ok(Losses {
            sent: now.sent.saturating_sub(self.before.sent),
            written: now.written.saturating_sub(self.before.written) + self.refused,
        })
    }
}
