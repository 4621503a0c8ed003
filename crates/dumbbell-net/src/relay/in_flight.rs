//! Packets that are kept outside by number, as long as a part of them is on its way inside: the
//! packet, a copy, a fragment.
use crate::engine::sidecar::LifetimeEvent;
use std::collections::VecDeque;

/// The state of one packet.
#[derive(Clone, Copy, Default)]
struct PacketState {
    parts: u32,
    payload: u16,
    gone: bool,
}

/// The packets on their way, from number `first` on.
pub(crate) struct InFlight {
    packets: VecDeque<PacketState>,
    first: u64,
    gone: Vec<u64>,
}

impl Default for InFlight {
    fn default() -> Self {
        InFlight { packets: VecDeque::new(), first: 1, gone: Vec::new() }
    }
}

impl InFlight {
    /// The least number that the next packet may have.
    pub(crate) fn next(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// A packet with so many bytes of the application's comes in.
    pub(crate) fn remember(&mut self, number: u64, payload: u16) {
        let place = (number - self.first) as usize;
        self.packets.resize(self.packets.len().max(place), PacketState::default());
        self.packets.push_back(PacketState { payload, ..PacketState::default() });
    }

    /// Its bytes of the application's; 0 of one that is forgotten.
    pub(crate) fn payload(&self, number: u64) -> u16 {
        self.packets.get(number.wrapping_sub(self.first) as usize).map_or(0, |state| state.payload)
    }

    /// Counts packets that entered or left the network. Packets of which nothing is on its way any
    /// more are gone; within one event a packet may end and go on: its fragments are made one after
    /// the other.
    pub(crate) fn update(&mut self, lifetime_events: impl Iterator<Item = (u64, LifetimeEvent)>) {
        let ended = self.gone.len();
        for (number, life) in lifetime_events {
            let state = &mut self.packets[(number - self.first) as usize];
            match life {
                LifetimeEvent::Begins => state.parts += 1,
                LifetimeEvent::Ends => {
                    state.parts -= 1;
                    self.gone.push(number);
                }
            }
        }
        let mut kept = ended;
        for i in ended..self.gone.len() {
            let number = self.gone[i];
            let state = &mut self.packets[(number - self.first) as usize];
            if state.parts == 0 && !std::mem::replace(&mut state.gone, true) {
                self.gone[kept] = number;
                kept += 1;
            }
        }
        self.gone.truncate(kept);
        while self.packets.front().is_some_and(|state| state.parts == 0) {
            self.packets.pop_front();
            self.first += 1;
        }
    }

    /// Removes and returns the packets that are gone and were not reported yet.
    pub(crate) fn gone(&mut self) -> impl Iterator<Item = u64> {
        self.gone.drain(..)
    }
}
