//! Active queue management: when to signal congestion. An [`Aqm`] decides and never holds a packet.
use crate::packet::flow::FlowTable;
use crate::packet::{Ecn, Meta};
use crate::probe::Probe;
use crate::rng::Stream;
pub use crate::units::Backlog;
use crate::units::{Capacity, Rate, Span, Time};
use dumbbell_macros::delegate;
use serde::{Deserialize, Serialize};

/// The link that a queue feeds, as its algorithm knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkInfo {
    /// The rate now.
    pub rate: Rate,
    /// The limit of the queue.
    pub capacity: Capacity,
    /// Largest IP packet, bytes.
    pub mtu: u32,
    /// Propagation delay.
    pub delay: Span,
}

/// The context of a call: time, random numbers, link and flows.
pub struct Cx<'a> {
    /// The current time.
    pub now: Time,
    /// This algorithm's own random numbers.
    pub rng: &'a mut Stream,
    /// The link that the queue feeds.
    pub link: &'a LinkInfo,
    /// Reservations, round-trip times and weights of the flows.
    pub flows: &'a FlowTable,
}

/// A packet's position in its queue, 0 at the head.
pub type Slot = u32;

/// A queue as its algorithm sees it. Every method takes O(1).
#[delegate()]
pub trait QueueView {
    /// The backlog by the port's convention (`count_in_service`).
    fn backlog(&self) -> Backlog;
    /// The number of packets that have a slot: the backlog less a packet in transmission.
    fn waiting(&self) -> Slot {
        self.backlog().packets
    }
    /// The packet at `slot`. Only a port that holds packets knows it: see [`Needs::Held`].
    fn meta(&self, slot: Slot) -> Option<Meta>;
}

#[delegate(**self)]
impl<Q: QueueView + ?Sized> QueueView for &Q {}

/// The kind of port that an algorithm needs. Asked once, when the plan is made; may depend on the
/// configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Backlog at arrival only. The port needs no transmit event and keeps no packet: no `depart`,
    /// no `gone`, no `QueueView::meta`, no [`Verdict::Evict`].
    Arrival,
    /// The port must keep its packets: for CoDel, CHOKe, RIO, FRED, SFB, or to evict a waiting
    /// packet.
    Held,
}

/// Of these calls, those that an algorithm asks for. The port leaves the others out, which the
/// algorithm would ignore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hears {
    /// [`Aqm::arrive`] of a packet that fits: without it the answer is [`Verdict::Pass`].
    pub fitting: bool,
    /// [`Aqm::admitted`].
    pub admitted: bool,
    /// [`Aqm::depart`].
    pub depart: bool,
    /// [`Aqm::gone`].
    pub gone: bool,
    /// [`Aqm::idle`].
    pub idle: bool,
}

impl Hears {
    /// Every call.
    pub const ALL: Hears =
        Hears { fitting: true, admitted: true, depart: true, gone: true, idle: true };
    /// None of them.
    pub const NOTHING: Hears =
        Hears { fitting: false, admitted: false, depart: false, gone: false, idle: false };
    /// Arrivals only.
    pub const ARRIVALS: Hears = Hears { fitting: true, ..Hears::NOTHING };
    /// Arrivals and idle periods.
    pub const IDLE: Hears = Hears { idle: true, ..Hears::ARRIVALS };
}

/// Why a packet was dropped or marked. The names are those of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It did not fit.
    Overflow,
    /// The algorithm chose it by chance, between its thresholds.
    Early,
    /// The algorithm was beyond its upper threshold.
    Forced,
    /// The algorithm dropped it at the head of the queue.
    Head,
    /// It was pushed out of the queue by another.
    Evicted,
    /// A policer found it out of profile.
    Policed,
    /// The link lost it.
    Link,
    /// It was larger than the link's MTU and must not be fragmented.
    Mtu,
}

impl Reason {
    /// Every reason, in the order of [`Reason::index`].
    pub const ALL: [Reason; 8] = [
        Reason::Overflow,
        Reason::Early,
        Reason::Forced,
        Reason::Head,
        Reason::Evicted,
        Reason::Policed,
        Reason::Link,
        Reason::Mtu,
    ];
    /// A dense number.
    pub fn index(self) -> usize {
        self as usize
    }
    /// The name in results.
    pub fn name(self) -> &'static str {
        ["overflow", "early", "forced", "head", "evicted", "policed", "link", "mtu"][self.index()]
    }
}

/// An algorithm's answer for one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Let it pass.
    Pass,
    /// Set Congestion Experienced if the packet can carry it, else let it pass.
    Mark(Reason),
    /// Set Congestion Experienced if the packet can carry it, else drop it.
    Signal(Reason),
    /// Drop it in any case.
    Drop(Reason),
    /// Drop the waiting packet at `slot`, and the arriving one as well if `arrival_too`.
    Evict {
        /// The slot of the packet to evict.
        slot: Slot,
        /// The reason that results name.
        reason: Reason,
        /// True if the arriving packet is dropped too, for the same reason.
        arrival_too: bool,
    },
}

/// The outcome of a [`Verdict`] for one packet, after its ECN field and the queue's limit are
/// considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The packet is admitted; if there is a reason, Congestion Experienced is set.
    Admit(Option<Reason>),
    /// The packet is dropped.
    Drop(Reason),
}

impl Verdict {
    /// The verdict for an early signal, if one is `due`: a mark for ECN-capable packets if `ecn` is
    /// on, else a drop.
    #[inline]
    pub fn early(due: bool, ecn: bool) -> Self {
        match (due, ecn) {
            (false, _) => Verdict::Pass,
            (true, true) => Verdict::Signal(Reason::Early),
            (true, false) => Verdict::Drop(Reason::Early),
        }
    }

    /// True if a packet with the ECN field `ecn` may go in, provided that it fits.
    #[inline]
    pub fn admits(self, ecn: Ecn) -> bool {
        matches!(self.decide(ecn, true), Decision::Admit(_))
    }

    /// The decision for a packet with the ECN field `ecn` that `fits` or not. The limit comes
    /// before the mark: a packet that is dropped as overflow was not marked.
    #[inline]
    pub fn decide(self, ecn: Ecn, fits: bool) -> Decision {
        match self {
            Verdict::Drop(reason) => Decision::Drop(reason),
            Verdict::Signal(reason) if !ecn.capable() => Decision::Drop(reason),
            _ if !fits => Decision::Drop(Reason::Overflow),
            Verdict::Mark(reason) | Verdict::Signal(reason) if ecn.capable() => {
                Decision::Admit(Some(reason))
            }
            _ => Decision::Admit(None),
        }
    }
}

/// The way in which an admitted packet left its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// To the transmitter.
    Sent,
    /// Dropped at the head of the queue.
    HeadDrop,
    /// Evicted for another packet.
    Evicted,
}

/// The limit at which a queue overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The queue's own: the packet of the last `arrive` may go in and does not fit.
    Own,
    /// That of a buffer which the queue shares with others: packets of this queue make room.
    Shared,
}

impl Limit {
    /// The name in the call of a plugin in another language.
    pub fn name(self) -> &'static str {
        ["own", "shared"][self as usize]
    }
}

/// An algorithm that decides when a queue signals congestion.
///
/// The port tells what happens to each packet. After `arrive` it calls `admitted` or `refused`, and
/// before that, if the packet may go in and does not fit, `overflowed` and `make_room`. It calls
/// `gone` for each admitted packet in the end. Calls that the algorithm does not ask for
/// ([`Aqm::hears`]) are left out.
///
/// A user's crate, a Python class and the verilated RTL enter the registry's `Plugin` variant
/// through the object-safe twin, [`DynAqm`].
#[delegate(object = DynAqm: Send, names = crate::{aqm::*, packet::Meta, probe::Probe, units::Span})]
pub trait Aqm {
    /// The kind of port that it needs.
    fn needs(&self) -> Needs {
        Needs::Arrival
    }

    /// The calls that it asks for. Asked once, when the queue is made.
    fn hears(&self) -> Hears {
        Hears::ALL
    }

    /// A packet arrives. Called also when the packet does not fit, so that an algorithm can decide
    /// by that (ea-RED, PIE); when it fits, only if the algorithm asks for it ([`Hears::fitting`]).
    /// If the answer lets a packet in that does not fit, `overflowed` is called, and the packet is
    /// dropped as overflow unless another makes room.
    #[inline(always)]
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict;

    /// The limit is reached. Called once for an arriving packet that may go in and does not fit,
    /// before `make_room` and whether or not another packet makes room for it; and each time that
    /// packets of this queue make room in a shared buffer.
    fn overflowed(&mut self, _cx: &mut Cx<'_>, _limit: Limit) {}

    /// The packet of the last `arrive` may go in and does not fit: which waiting packet makes room?
    /// Asked again until it fits. `None`: none does, the arriving packet is dropped as overflow.
    /// Only a port that holds packets asks ([`Needs::Held`]), and never for a packet that is larger
    /// than the whole queue.
    fn make_room(&mut self, _cx: &mut Cx<'_>, _q: &impl QueueView, _p: &Meta) -> Option<Slot> {
        None
    }

    /// The packet of the last `arrive` went into the queue; `p` as it arrived, before any mark.
    #[inline]
    fn admitted(&mut self, _p: &Meta) {}

    /// The packet of the last `arrive` was dropped for this reason, at the same instant. Called
    /// after the drop was recorded with the numbers of `probe`.
    fn refused(&mut self, _cx: &mut Cx<'_>, _p: &Meta, _reason: Reason) {}

    /// A packet that waited `sojourn` is at the head and about to be sent. `q` no longer counts it.
    #[inline(always)]
    fn depart(
        &mut self,
        _cx: &mut Cx<'_>,
        _q: &impl QueueView,
        _p: &Meta,
        _sojourn: Span,
    ) -> Verdict {
        Verdict::Pass
    }

    /// An admitted packet left the queue. Called exactly once for each.
    #[inline]
    fn gone(&mut self, _p: &Meta, _how: Gone) {}

    /// The transmitter and the queue are both empty since `cx.now`; once per idle period.
    fn idle(&mut self, _cx: &mut Cx<'_>) {}

    /// A periodic algorithm's clock: first called at the start of the run, then after the span it
    /// returns.
    fn tick(&mut self, _cx: &mut Cx<'_>, _q: &impl QueueView) -> Option<Span> {
        None
    }

    /// True if `tick` is ever needed; asked once.
    fn ticks(&self) -> bool {
        false
    }

    /// Reports the numbers of the last decision: `avg`, `p_b`, `count`, `coin`, moving thresholds.
    fn probe(&self, _out: &mut dyn Probe) {}
}
