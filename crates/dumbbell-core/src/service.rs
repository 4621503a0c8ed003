//! Services, the laws of a transmitter: constant rate by default; a link trace, a rate that varies,
//! outages, repetitions.
use crate::aqm::LinkInfo;
use crate::impairment::WireEffect;
use crate::rng::Stream;
use crate::units::{Rate, Time, Transmitter};
use dumbbell_macros::delegate;

/// The latest time that a service names, 30 days before the clock's end: a packet that would leave
/// later never leaves.
pub const LATEST: Time = Time::from_ps(u64::MAX - 30 * 86_400 * 1_000_000_000_000);

/// The site of a service: its link and its random numbers.
#[derive(Clone, Debug)]
pub struct Site {
    /// The link. Its rate is the one that the scenario writes for it.
    pub link: LinkInfo,
    /// The random numbers of the service: a stream that nothing else draws from.
    pub chance: Stream,
}

/// The transmission of a packet: its end and its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmitted {
    /// The time when the last bit leaves the transmitter, or when the packet is given up.
    pub done: Time,
    /// The effect on the packet, before the impairments of the wire.
    pub effect: WireEffect,
}

impl Transmitted {
    /// Its last bit leaves at `done`.
    #[inline]
    pub const fn sent(done: Time) -> Self {
        Transmitted { done, effect: WireEffect::Arrives }
    }
    /// It is given up at `done`.
    pub const fn lost(done: Time) -> Self {
        Transmitted { done, effect: WireEffect::Lost }
    }
}

/// The cost of packets for a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuCost {
    /// Packets that it has handled.
    pub packets: u64,
    /// Of these, how many were handled as part of the one before.
    pub merged: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Pages of memory that they took.
    pub pages: u64,
    /// Interrupts that it took for them.
    pub interrupts: u64,
    /// Cycles for all of that.
    pub cycles: f64,
}

/// The law of a transmitter. It depends only on time, its own packets and its own random numbers,
/// so that its port can decide at arrival.
#[delegate(names = crate::{service::*, units::{Rate, Time}})]
pub trait Service {
    /// The end of the transmission of a packet of `wire_bytes` that came at `arrived` and whose
    /// first bit could leave at `start`: its arrival, or when the packet before it left. Asked once
    /// for each packet, in the order in which they leave.
    ///
    /// Not before `start`, and always after `arrived`: nothing passes a port in no time, or the
    /// order of what happens at one instant would depend on the order of asking.
    #[inline]
    fn finish(&mut self, arrived: Time, start: Time, wire_bytes: u32) -> Transmitted;
    /// The nominal rate: at which the queue is emptied in the long run, by packets of the link's
    /// MTU. Queues, limits in BDP and limits in time go by it.
    fn rate(&self) -> Rate;
    /// Picoseconds per byte, if that is a whole number, always the same, and all that matters: then
    /// [`Service::finish`] need not be called.
    fn ps_per_byte(&self) -> Option<u64> {
        None
    }
    /// True if packets can overtake each other: a path may become shorter. Asked once, when the
    /// plan is made.
    fn reorders(&self) -> bool {
        false
    }
    /// The outages `(from, to)` of the transmitter up to `until`, in the order of time: a property
    /// of the plan, not of the traffic. An outage that has begun by `until` has its real end.
    fn outages(&self, _until: Time) -> Vec<(Time, Time)> {
        Vec::new()
    }
    /// Sets the window of [`Service::utilization`]; called before the first packet.
    fn watch(&mut self, _from: Time, _to: Time) {}
    /// Bits sent over bits that could have been sent in the watched window. `None`: the port uses
    /// the share of time in which a packet was in transmission, which is the same at a constant
    /// rate.
    fn utilization(&self) -> Option<f64> {
        None
    }
    /// The cost of the packets that it handled in the watched window, if it is a processor.
    fn cpu_cost(&self) -> Option<CpuCost> {
        None
    }
}

impl Service for Transmitter {
    #[inline]
    fn finish(&mut self, _arrived: Time, start: Time, wire_bytes: u32) -> Transmitted {
        Transmitted::sent(start + self.span(wire_bytes))
    }
    fn rate(&self) -> Rate {
        Transmitter::rate(self)
    }
}
