//! Packets that are kept outside by number, as long as a part of them is on its way inside: the packet, a copy, a piece.
use crate::extras::Life;
use std::collections::VecDeque;

/// What is remembered of a packet.
#[derive(Clone, Copy, Default)]
struct Memory {
    parts: u32,
    payload: u16,
    gone: bool,
}

/// The packets on their way, from number `first` on.
pub struct Parts {
    memories: VecDeque<Memory>,
    first: u64,
    gone: Vec<u64>,
}

impl Default for Parts {
    fn default() -> Self {
        Parts { memories: VecDeque::new(), first: 1, gone: Vec::new() }
    }
}

impl Parts {
    /// The least number that the next packet may have.
    pub fn next(&self) -> u64 {
        self.first + self.memories.len() as u64
    }

    /// A packet with so many bytes of the application's comes in.
    pub fn remember(&mut self, number: u64, payload: u16) {
        let place = (number - self.first) as usize;
        self.memories.resize(self.memories.len().max(place), Memory::default());
        self.memories.push_back(Memory { payload, ..Memory::default() });
    }

    /// Its bytes of the application's; 0 of one that is forgotten.
    pub fn payload(&self, number: u64) -> u16 {
        self.memories.get(number.wrapping_sub(self.first) as usize).map_or(0, |memory| memory.payload)
    }

    /// Parts began and ended. Packets of which nothing is on its way any more are gone; within one event a packet may end and go
    /// on: its pieces are made one after the other.
    pub fn live(&mut self, lives: impl Iterator<Item = (u64, Life)>) {
        let ended = self.gone.len();
        for (number, life) in lives {
            let memory = &mut self.memories[(number - self.first) as usize];
            match life {
                Life::Begins => memory.parts += 1,
                Life::Ends => {
                    memory.parts -= 1;
                    self.gone.push(number);
                }
            }
        }
        let mut kept = ended;
        for i in ended..self.gone.len() {
            let number = self.gone[i];
            let memory = &mut self.memories[(number - self.first) as usize];
            if memory.parts == 0 && !std::mem::replace(&mut memory.gone, true) {
                self.gone[kept] = number;
                kept += 1;
            }
        }
        self.gone.truncate(kept);
        while self.memories.front().is_some_and(|memory| memory.parts == 0) {
            self.memories.pop_front();
            self.first += 1;
        }
    }

    /// Those that are gone and were not said yet.
    pub fn gone(&mut self) -> impl Iterator<Item = u64> {
        self.gone.drain(..)
    }
}
