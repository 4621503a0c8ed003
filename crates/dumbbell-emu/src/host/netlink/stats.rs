//! The counters of a device (`struct rtnl_link_stats64`).
use super::links::{IFINFO, ifinfo};
use super::message::attributes;
use super::{Message, Netlink};
use std::io;

/// Counters of a device since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets that the host took from it.
    pub received: u64,
    /// Packets that the host gave to it.
    pub sent: u64,
    /// Packets for the host that its kernel refused, or found damaged.
    pub receive_losses: u64,
    /// Packets of the host that nobody read.
    pub send_losses: u64,
}

impl Netlink {
    /// Reads the counters of a device.
    ///
    /// # Errors
    /// The device is gone.
    pub fn counters(&mut self, index: u32) -> io::Result<Counters> {
        let message = Message::new(libc::RTM_GETLINK, 0).body(&ifinfo(index, 0, 0));
        let mut counters = None;
        self.ask(message, |_, body| {
            let stats = attributes(&body[IFINFO..]).find(|(kind, _)| *kind == libc::IFLA_STATS64);
            counters = stats.and_then(|(_, bytes)| {
                let word = |n: usize| {
                    Some(u64::from_ne_bytes(bytes.get(8 * n..)?.first_chunk().copied()?))
                };
                // rx_packets, tx_packets, rx_bytes, tx_bytes, rx_errors, tx_errors, rx_dropped,
                // tx_dropped
                Some(Counters {
                    received: word(0)?,
                    sent: word(1)?,
                    receive_losses: word(4)? + word(6)?,
                    send_losses: word(5)? + word(7)?,
                })
            });
        })?;
        counters.ok_or_else(|| io::Error::other("the kernel tells no counters of the device"))
    }
}
