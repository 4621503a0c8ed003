//! What lies between the guests' devices, as the loop of a run sees it.
use dumbbell_core::plugin::Failure;
use std::io;

/// What became of a frame that a device sent.
pub struct Accepted {
    /// The nanosecond at which the network card has sent it; `None`: it keeps it for good.
    pub done: Option<u64>,
    /// True if a socket or a queue may wait for that.
    pub awaited: bool,
}

/// Takes frames from devices and gives packets to devices, at nanoseconds of the guests' clock.
pub trait Between {
    /// A packet for a device.
    type Packet;
    /// How far the run is, 0 to 1.
    fn share(&self, ns: u64) -> f64;
    /// A device sends a frame.
    ///
    /// # Errors
    /// The run cannot go on.
    fn send(&mut self, nic: usize, frame: &[u8], now_ns: u64) -> io::Result<Accepted>;
    /// The nanosecond at which something may come out that is not known yet; `None`: never.
    fn next(&self) -> Option<u64>;
    /// Everything happens that is due by `now_ns`.
    fn advance(&mut self, now_ns: u64);
    /// Takes the packets that will come out: when, and what.
    fn outgoing(&mut self) -> Vec<(u64, Self::Packet)>;
    /// The device that gets a packet.
    fn nic(&self, packet: &Self::Packet) -> usize;
    /// The frame of a packet for a device with this address; `None`: nothing is to be delivered.
    fn frame(&mut self, packet: &Self::Packet, mac: [u8; 6]) -> Option<Vec<u8>>;
    /// A packet has been delivered in `frame`, or was refused.
    ///
    /// # Errors
    /// The run cannot go on.
    fn delivered(
        &mut self,
        packet: &Self::Packet,
        frame: Option<&[u8]>,
        refused: bool,
    ) -> io::Result<()>;
    /// The plugin that failed, if one did.
    fn failure(&self) -> Option<&Failure> {
        None
    }
}
