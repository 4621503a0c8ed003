//! Later fragments have no ports: they go with the first of their datagram.
use super::Classified;
use super::hash::FastHash;
use crate::header::address::Address;
use crate::header::view::PacketView;
use std::collections::{HashMap, VecDeque};

/// Datagrams that are remembered. A host sends the pieces of one behind each other.
const REMEMBERED: usize = 4096;

/// A datagram's number is its own among those of the same addresses and protocol (RFC 791, RFC 8200 section 4.5).
type Key = (Address, Address, u8, u32);

/// Whose the datagrams are of which a first piece came.
#[derive(Default)]
pub struct Fragments {
    known: HashMap<Key, Classified, FastHash>,
    order: VecDeque<Key>,
}

fn key(view: &PacketView) -> Option<Key> {
    Some((view.source, view.destination, view.protocol, view.fragment?.id))
}

impl Fragments {
    /// Whose piece it is.
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
