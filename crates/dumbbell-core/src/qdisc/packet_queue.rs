//! The packets that wait in a held port, in the order of arrival.
use crate::aqm::{QueueView, Slot};
use crate::packet::{Meta, Packet};
use crate::units::{Backlog, Capacity, Time, taken};
use std::collections::VecDeque;

/// A waiting packet and its arrival time.
#[derive(Clone, Debug)]
pub struct Waiting<P> {
    /// The arrival time.
    pub since: Time,
    /// The packet.
    pub packet: P,
}

/// Owner of the packets of one queue. Positions are [`Slot`]s, 0 at the head.
#[derive(Clone, Debug)]
pub struct PacketQueue<P> {
    packets: VecDeque<Waiting<P>>,
    bytes: u64,
    /// Bytes of each buffer, and how many are in use, where they are counted.
    size: Option<u32>,
    buffers: u32,
    /// The packet in transmission, if the port's convention counts it (`count_in_service`).
    in_service: Backlog,
}

impl<P> Default for PacketQueue<P> {
    fn default() -> Self {
        PacketQueue::counting(None)
    }
}

impl<P> PacketQueue<P> {
    /// An empty one that counts buffers of `size` bytes, or none.
    pub fn counting(size: Option<u32>) -> Self {
        PacketQueue {
            packets: VecDeque::new(),
            bytes: 0,
            size,
            buffers: 0,
            in_service: Backlog::default(),
        }
    }
}

impl<P: Packet> PacketQueue<P> {
    /// Counts buffers of `size` bytes from now on; `None`: none. What waits already is counted too.
    pub fn count_buffers(&mut self, size: Option<u32>) {
        if self.size != size {
            let all = |size| self.packets.iter().map(|w| taken(size, w.packet.meta().ip_len)).sum();
            (self.size, self.buffers) = (size, size.map_or(0, all));
        }
    }
    /// Bytes of each buffer that it counts.
    pub fn buffer_size(&self) -> Option<u32> {
        self.size
    }
    /// Puts a packet at the tail.
    #[inline]
    pub fn push(&mut self, now: Time, packet: P) {
        let bytes = packet.meta().ip_len;
        self.bytes += u64::from(bytes);
        if self.size.is_some() {
            self.occupy(bytes);
        }
        self.packets.push_back(Waiting { since: now, packet });
    }
    /// Takes the head.
    #[inline]
    pub fn pop(&mut self) -> Option<Waiting<P>> {
        let w = self.packets.pop_front()?;
        self.forget(w.packet.meta().ip_len);
        Some(w)
    }
    #[inline]
    fn forget(&mut self, bytes: u32) {
        self.bytes -= u64::from(bytes);
        if self.size.is_some() {
            self.vacate(bytes);
        }
    }
    #[cold]
    fn occupy(&mut self, bytes: u32) {
        self.buffers += self.size.map_or(0, |size| taken(size, bytes));
    }
    #[cold]
    fn vacate(&mut self, bytes: u32) {
        self.buffers -= self.size.map_or(0, |size| taken(size, bytes));
    }
    /// Takes the packet at `slot`.
    pub fn remove(&mut self, slot: Slot) -> Option<Waiting<P>> {
        let w = self.packets.remove(slot as usize)?;
        self.forget(w.packet.meta().ip_len);
        Some(w)
    }
    /// The number of waiting packets.
    pub fn len(&self) -> usize {
        self.packets.len()
    }
    /// True if no packet waits.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
    /// Iterates over the waiting packets, head first.
    pub fn iter(&self) -> impl Iterator<Item = &Waiting<P>> {
        self.packets.iter()
    }
    /// The backlog without the packet in service.
    #[inline]
    pub fn held(&self) -> Backlog {
        Backlog { packets: self.packets.len() as u32, bytes: self.bytes, buffers: self.buffers }
    }
    /// True if a packet of `bytes` would fit if nothing waited.
    pub fn could_hold(&self, capacity: Capacity, bytes: u32) -> bool {
        capacity.fits(self.in_service, bytes)
    }
    /// Counts (or no longer counts) a packet of `bytes` in transmission.
    pub fn set_in_service(&mut self, bytes: Option<u32>) {
        self.in_service = bytes.map_or(Backlog::default(), |b| Backlog::one(b, self.size));
    }
}

impl<P: Packet> QueueView for PacketQueue<P> {
    fn backlog(&self) -> Backlog {
        self.held().and(self.in_service)
    }
    fn waiting(&self) -> Slot {
        self.packets.len() as Slot
    }
    fn meta(&self, slot: Slot) -> Option<Meta> {
        self.packets.get(slot as usize).map(|w| w.packet.meta())
    }
}
