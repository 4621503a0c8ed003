//! How a transmitter takes the wire: constant rate by default; a link trace, a rate that varies, outages, repetitions.
use crate::aqm::LinkInfo;
use crate::impairment::WireEffect;
use crate::rng::Stream;
use crate::units::{Rate, Time, Transmitter};

/// The latest instant that a service names, 30 days before the clock's end: what would leave later leaves never.
pub const LATEST: Time = Time::from_ps(u64::MAX - 30 * 86_400 * 1_000_000_000_000);

/// What a transmitter is told of its place.
#[derive(Clone, Debug)]
pub struct Site {
    /// The link. Its rate is the one that the scenario writes for it.
    pub link: LinkInfo,
    /// The chance of the service: a stream that nothing else draws from.
    pub chance: Stream,
}

/// What became of a packet at the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmitted {
    /// When it leaves the transmitter: with its last bit, or when it is given up.
    pub done: Time,
    /// What becomes of it then, before the wire does anything to it.
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

/// What packets cost a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuCost {
    /// Packets that it was through with.
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

/// A transmitter's law. It depends on nothing but time, its own packets and its own chance, and so lets its port decide
/// at arrival.
pub trait Service {
    /// When the last bit leaves, of a packet of `wire_bytes` that came at `arrived` and whose first bit could leave
    /// at `start`: its arrival, or when the packet before it left. Asked once for each packet, in the order in
    /// which they leave.
    ///
    /// Not before `start`, and always after `arrived`: nothing passes a port in no time, or the order of what
    /// happens at one instant would depend on the order of asking.
    fn finish(&mut self, arrived: Time, start: Time, wire_bytes: u32) -> Transmitted;
    /// The nominal rate: at which the queue is emptied in the long run, by packets of the link's MTU. Queues, limits in
    /// BDP and limits in time go by it.
    fn rate(&self) -> Rate;
    /// Picoseconds that each byte takes, if that is a whole number and always the same, and nothing else is to be known:
    /// then [`Service::finish`] need not be asked.
    fn ps_per_byte(&self) -> Option<u64> {
        None
    }
    /// Whether packets can overtake each other: a path may become shorter. Asked once, when the plan is made.
    fn reorders(&self) -> bool {
        false
    }
    /// When the transmitter is down by its own law, from and to, up to `until` and in order of time: a property of the
    /// plan, not of what was sent. An outage that has begun by `until` is told with its own end.
    fn outages(&self, _until: Time) -> Vec<(Time, Time)> {
        Vec::new()
    }
    /// Asked before the first packet: [`Service::utilization`] will be about the time after `from`, until `to`.
    fn watch(&mut self, _from: Time, _to: Time) {}
    /// Bits sent over bits that could have been sent in the watched window. `None`: its port is to take the share of
    /// time in which a packet was in transmission, which is the same at a constant rate.
    fn utilization(&self) -> Option<f64> {
        None
    }
    /// What the packets cost that it was through with in the watched window, if it is a processor.
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
