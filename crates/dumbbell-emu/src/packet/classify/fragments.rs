//! Later fragments have no ports: they belong to the flow of their datagram's first fragment.
use super::Classified;
use super::hash::FastHash;
use dumbbell_wire::address::Address;
use dumbbell_wire::view::PacketView;
use std::collections::{HashMap, VecDeque};

/// Datagrams that are remembered. A host sends the pieces of one behind each other.
const REMEMBERED: usize = 4096;

/// A datagram's number is its own among those of the same addresses and protocol (RFC 791, RFC 8200
/// section 4.5).
type Key = (Address, Address, u8, u32);

/// Classifications of datagrams whose first fragment came.
#[derive(Default)]
pub struct Fragments {
    known: HashMap<Key, Classified, FastHash>,
    order: VecDeque<Key>,
}

fn key(view: &PacketView) -> Option<Key> {
    Some((view.source, view.destination, view.protocol, view.fragment?.id))
}

impl Fragments {
    /// The classification of a later fragment.
    pub fn find(&self, view: &PacketView) -> Option<Classified> {
        self.known.get(&key(view)?).copied()
    }

    /// The first piece of a datagram.
    pub fn remember(&mut self, view: &PacketView, whose: Classified) {
        let Some(key) = key(view) else { return };
        if self.known.insert(key, whose).is_some() {
            return;
        }
        self.order.push_back(key);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}
