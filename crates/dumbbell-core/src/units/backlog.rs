//! The backlog of a queue in packets, bytes and buffers.

/// The packets and bytes that wait in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub packets: u32,
    /// Bytes of IP length.
    pub bytes: u64,
    /// Buffers in use, where the limit is a number of them ([`crate::units::Capacity::Buffers`]);
    /// else 0.
    pub buffers: u32,
}

impl Backlog {
    /// One packet of `bytes`, in buffers of `size` if they are counted.
    #[inline]
    pub fn one(bytes: u32, size: Option<u32>) -> Self {
        let buffers = size.map_or(0, |size| taken(size, bytes));
        Backlog { packets: 1, bytes: u64::from(bytes), buffers }
    }
    /// The sum of two backlogs.
    #[inline]
    pub fn and(self, other: Backlog) -> Self {
        Backlog {
            packets: self.packets + other.packets,
            bytes: self.bytes + other.bytes,
            buffers: self.buffers + other.buffers,
        }
    }
    /// The difference of this backlog and `other`, which is a part of it.
    #[inline]
    pub fn without(self, other: Backlog) -> Self {
        Backlog {
            packets: self.packets - other.packets,
            bytes: self.bytes - other.bytes,
            buffers: self.buffers - other.buffers,
        }
    }
}

/// Buffers of `size` bytes that a packet of `bytes` takes.
#[inline]
pub fn taken(size: u32, bytes: u32) -> u32 {
    bytes.div_ceil(size.max(1))
}
