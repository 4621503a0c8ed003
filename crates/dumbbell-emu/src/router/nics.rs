//! The NICs of all hosts, with queues for packets that found them full.
use super::network::Outgoing;
use crate::host::nic::{Losses, Nic};
use dumbbell_core::units::Time;
use std::collections::VecDeque;
use std::io;

/// Packets that wait for a full NIC, at most.
const MOST: usize = 1_000;

/// A packet that its host's buffer had no room for.
#[derive(Clone, Copy, Debug)]
pub struct Delayed {
    /// The packet.
    pub out: Outgoing,
    /// The time when the NIC was first found full.
    pub since: Time,
}

/// One host's NIC, with its queue and counters.
pub struct NicState {
    /// The device.
    pub device: Box<dyn Nic>,
    /// Packets that wait for room, in order.
    pub delayed: VecDeque<Delayed>,
    /// The NIC's losses before the run.
    before: Losses,
    /// Number of packets that found it full.
    pub full: u64,
    /// Packets for which there was no room in time.
    pub refused: u64,
    /// True if something was written since the last flush.
    pub unflushed: bool,
    /// The time of the last read that found no packet.
    pub drained_at: Time,
}

impl NicState {
    /// A NIC whose losses count from now on.
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
            drained_at: Time::ZERO,
        })
    }
    /// True if one more packet may wait.
    pub fn can_queue(&self) -> bool {
        self.delayed.len() < MOST
    }
    /// Packets lost at the NIC, refused ones included.
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
