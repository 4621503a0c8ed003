//! The account of one port: measures, hashes, and word of every packet that will not arrive.
use crate::extras::Extras;
use crate::observe::{Observer, Signal, Who};
use crate::parcel::Parcel;
use crate::stats::PortStats;
use dumbbell_core::aqm::Reason;
use dumbbell_core::fingerprint::Fingerprint;
use dumbbell_core::flow::FlowTable;
use dumbbell_core::meter::Colour;
use dumbbell_core::packet::Dscp;
use dumbbell_core::probe::{Gauges, Probe};
use dumbbell_core::segment::flag;
use dumbbell_core::units::Time;

/// Packets that a port dropped, when, and why; for the accounts of their flows.
pub type Casualties = Vec<(Time, Parcel, Reason)>;

/// A copy of a packet that a wire made.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// When it is at the far end; `None`: the same wire lost it.
    pub at: Option<Time>,
    /// The copy.
    pub parcel: Parcel,
    /// Whether it is none, but one of the pieces that a packet was cut into.
    pub piece: bool,
}

/// Copies in the order in which they follow their original.
pub type Copies = Vec<Copied>;

/// What a port needs of the world around it, for one event.
pub struct Scene<'a, O> {
    /// What is known of the flows.
    pub flows: &'a FlowTable,
    /// What packets carry besides.
    pub extras: &'a mut Extras,
    /// Who did not arrive.
    pub casualties: &'a mut Casualties,
    /// What a wire doubled, until it goes on behind its original.
    pub copies: &'a mut Copies,
    /// Who looks on.
    pub observer: &'a mut O,
}

impl<O: Observer> Scene<'_, O> {
    /// A packet came to `link`, where `backlog` packets wait.
    #[inline]
    pub fn entered(&mut self, t: Time, parcel: &Parcel, link: usize, backlog: u32) {
        if O::FOLLOWS
            && let Some(who) = self.follows(parcel)
        {
            self.observer.entered(t, who, link, backlog);
        }
    }

    /// The edge before `link` lets it on.
    pub fn released(&mut self, t: Time, parcel: &Parcel, link: usize, colour: Option<Colour>) {
        if O::FOLLOWS
            && let Some(who) = self.follows(parcel)
        {
            self.observer.released(t, who, link, parcel.packet.dscp(), colour);
        }
    }

    /// Its last bit left at `done`; it is at the far end at `arrives`.
    #[inline]
    pub fn left(&mut self, parcel: &Parcel, link: usize, done: Time, arrives: Time) {
        if O::FOLLOWS
            && let Some(who) = self.follows(parcel)
        {
            self.observer.left(who, link, done, arrives);
        }
    }

    /// Which packet this is, if somebody follows it.
    #[inline]
    fn follows(&self, parcel: &Parcel) -> Option<Who> {
        let number = self.extras.number(parcel.packet.extra());
        (number != 0).then_some(Who { flow: parcel.flow as usize, data: parcel.data, number })
    }
}

/// What measures ask of a packet: its flow, its bytes of IP length, its codepoint.
fn packet_of(parcel: &Parcel) -> (u32, u32, Dscp) {
    (parcel.flow, u32::from(parcel.packet.ip_len()), parcel.packet.dscp())
}

/// One port's account.
pub struct Account {
    /// The link's number in the plan.
    pub link: usize,
    /// Whether drops and marks are recorded one by one.
    pub signals: bool,
    /// Measures.
    pub stats: PortStats,
    /// Departures, drops by the queue, and losses on the wire, each in its own order: a queue that decides at
    /// arrival knows a departure earlier than one that holds the packet, but not in another order.
    sent: Fingerprint,
    dropped: Fingerprint,
    lost: Fingerprint,
    /// Packets whose fate here was known before the end, but comes after it.
    late: u64,
}

/// One drop or mark.
pub struct Event<'a> {
    /// When.
    pub t: Time,
    /// Why.
    pub reason: Reason,
    /// Backlog that the packet found, packets.
    pub backlog: u32,
    /// What the decision saw.
    pub saw: &'a dyn Fn(&mut dyn Probe),
}

impl Account {
    /// An empty account.
    pub fn new(link: usize, signals: bool, stats: PortStats) -> Self {
        Account {
            link,
            signals,
            stats,
            sent: Fingerprint::default(),
            dropped: Fingerprint::default(),
            lost: Fingerprint::default(),
            late: 0,
        }
    }

    /// `parcel` was dropped.
    #[cold]
    pub fn drop<O: Observer>(&mut self, parcel: Parcel, e: &Event<'_>, scene: &mut Scene<'_, O>) {
        if e.t <= self.stats.end() && e.reason != Reason::Link {
            self.stats.signalled(e.t, packet_of(&parcel), true);
        }
        self.turn_away(parcel, e, scene);
    }

    /// The same, not by the queue but by what stands before it: the queue's own measures do not hear of it.
    #[cold]
    pub fn turn_away<O: Observer>(&mut self, parcel: Parcel, e: &Event<'_>, scene: &mut Scene<'_, O>) {
        if e.t <= self.stats.end() {
            self.stats.dropped(e.t, e.reason);
            let print = if e.reason == Reason::Link { &mut self.lost } else { &mut self.dropped };
            print.mix(e.t.ps());
            print.mix(parcel.word() ^ (e.reason.index() as u64) << 4);
        } else {
            self.late += 1;
        }
        scene.casualties.push((e.t, parcel, e.reason));
        self.record(&parcel, e, false, scene);
    }

    /// `parcel` was marked and goes on.
    #[cold]
    pub fn mark<O: Observer>(&mut self, parcel: Parcel, e: &Event<'_>, scene: &mut Scene<'_, O>) {
        self.stats.marked(e.t);
        self.stats.signalled(e.t, packet_of(&parcel), false);
        self.record(&parcel, e, true, scene);
    }

    /// `parcel` is through at `done`: transmitted, and not lost on the wire.
    #[inline]
    pub fn departed(&mut self, done: Time, parcel: &Parcel) {
        if done <= self.stats.end() {
            self.stats.departed(done, u32::from(parcel.packet.ip_len()));
            self.sent.mix(done.ps());
            self.sent.mix(parcel.word());
        } else {
            self.late += 1;
        }
    }

    /// A copy left with its original at `done`, not after the end. It was no packet of the queue's, whose account does not count it.
    #[cold]
    pub fn copied(&mut self, done: Time, copy: &Parcel) {
        self.sent.mix(done.ps());
        self.sent.mix(copy.word());
    }

    /// The same wire lost a copy that it had made.
    #[cold]
    pub fn loses_copy<O: Observer>(&mut self, copy: Parcel, e: &Event<'_>, scene: &mut Scene<'_, O>) {
        self.lost.mix(e.t.ps());
        self.lost.mix(copy.word());
        scene.casualties.push((e.t, copy, e.reason));
        self.record(&copy, e, false, scene);
    }

    /// A packet that left at `done` has a wrong bit from now on.
    #[cold]
    pub fn corrupted(&mut self, done: Time, parcel: &Parcel) {
        if done <= self.stats.end() {
            self.lost.mix(done.ps());
            self.lost.mix(!parcel.word());
        }
    }

    /// Packets whose fate here was known before the end, but comes after it.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// Takes what left this port into the fingerprint of the run.
    pub fn fingerprint(&self, all: &mut Fingerprint) {
        [self.sent, self.dropped, self.lost].iter().for_each(|p| all.mix(p.value()));
    }

    fn record<O: Observer>(&self, parcel: &Parcel, e: &Event<'_>, marked: bool, scene: &mut Scene<'_, O>) {
        if !self.signals || e.t > self.stats.end() {
            return;
        }
        let mut gauges = Gauges::default();
        (e.saw)(&mut gauges);
        scene.observer.signal(&Signal {
            t: e.t,
            link: self.link,
            flow: parcel.flow as usize,
            data: parcel.data,
            number: scene.extras.number(parcel.packet.extra()),
            reason: e.reason,
            marked,
            seq: parcel.packet.seq(),
            ip_len: u32::from(parcel.packet.ip_len()),
            retransmit: parcel.packet.flags() & flag::RETRANSMIT != 0,
            backlog_packets: e.backlog,
            gauges,
        });
    }
}
