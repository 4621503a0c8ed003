//! The account of one port: measures, fingerprints, and a list of every packet that it drops.
use crate::engine::queued_packet::QueuedPacket;
use crate::engine::sidecar::Sidecars;
use crate::measure::queue::Transit;
use crate::observe::{Observer, PacketId, Signal};
use crate::port::stats::PortStats;
use dumbbell_core::aqm::Reason;
use dumbbell_core::meter::Color;
use dumbbell_core::packet::fingerprint::Fingerprint;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::port::counters::PortCounters;
use dumbbell_core::probe::{Gauges, Probe};
use dumbbell_core::transport::segment::flag;
use dumbbell_core::units::Time;

/// Dropped packets with time and reason, for the accounts of their flows.
pub(crate) type Drops = Vec<(Time, QueuedPacket, Reason)>;

/// A copy of a packet that a wire made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketCopy {
    /// The time of its arrival at the far end; `None` if the same wire lost it.
    pub at: Option<Time>,
    /// The copy.
    pub queued: QueuedPacket,
    /// True if this is not a copy but a fragment of a packet that was cut.
    pub fragment: bool,
}

/// Copies in the order in which they follow their original.
pub(crate) type Copies = Vec<PacketCopy>;

/// The parts of the network that a port needs to handle one event.
pub(crate) struct PortCtx<'a, O> {
    /// Facts about flows.
    pub flows: &'a FlowTable,
    /// The sidecars of packets.
    pub sidecars: &'a mut Sidecars,
    /// Packets that were dropped.
    pub drops: &'a mut Drops,
    /// Copies that wait to follow their original.
    pub copies: &'a mut Copies,
    /// The observer of the run.
    pub observer: &'a mut O,
}

impl<O: Observer> PortCtx<'_, O> {
    /// Tells the observer that a packet came to `link`, where `backlog` packets wait.
    #[inline]
    pub(crate) fn entered(&mut self, t: Time, queued: &QueuedPacket, link: usize, backlog: u32) {
        if O::FOLLOWS
            && let Some(who) = self.follows(queued)
        {
            self.observer.entered(t, who, link, backlog);
        }
    }

    /// Tells the observer that the edge before `link` released a packet.
    pub(crate) fn released(
        &mut self,
        t: Time,
        queued: &QueuedPacket,
        link: usize,
        colour: Option<Color>,
    ) {
        if O::FOLLOWS
            && let Some(who) = self.follows(queued)
        {
            self.observer.released(t, who, link, queued.packet.dscp(), colour);
        }
    }

    /// Tells the observer that a packet left at `done`, and arrives at the far end at `arrives`.
    #[inline]
    pub(crate) fn left(&mut self, queued: &QueuedPacket, link: usize, done: Time, arrives: Time) {
        if O::FOLLOWS
            && let Some(who) = self.follows(queued)
        {
            self.observer.left(who, link, done, arrives);
        }
    }

    /// The packet's identity, if an observer follows it.
    #[inline]
    fn follows(&self, queued: &QueuedPacket) -> Option<PacketId> {
        let number = self.sidecars.number(queued.packet.sidecar());
        (number != 0).then_some(PacketId { flow: queued.flow as usize, data: queued.data, number })
    }
}

/// One port's account. What each packet touches comes last.
#[repr(C)]
pub(crate) struct Account {
    /// The link's number in the plan.
    pub link: usize,
    /// True if drops and marks are recorded one by one.
    pub signals: bool,
    /// Packets whose fate here was known before the end, but comes after it.
    after_end: u64,
    after_end_bytes: u64,
    /// Drops by the queue, losses on the wire, and departures, each in its own order: a queue that
    /// decides at arrival knows a departure earlier than one that holds the packet, but not in
    /// another order.
    dropped: Fingerprint,
    lost: Fingerprint,
    sent: Fingerprint,
    /// Measures.
    pub stats: PortStats,
}

/// One drop or mark.
pub(crate) struct Event<'a> {
    /// The time.
    pub t: Time,
    /// The reason.
    pub reason: Reason,
    /// Backlog that the packet found, packets.
    pub backlog: u32,
    /// The state that the decision was made on.
    pub saw: &'a dyn Fn(&mut dyn Probe),
}

impl Account {
    /// An empty account.
    pub(crate) fn new(link: usize, signals: bool, stats: PortStats) -> Self {
        Account {
            link,
            signals,
            stats,
            sent: Fingerprint::default(),
            dropped: Fingerprint::default(),
            lost: Fingerprint::default(),
            after_end: 0,
            after_end_bytes: 0,
        }
    }

    /// `queued` was dropped.
    #[cold]
    pub(crate) fn drop<O: Observer>(
        &mut self,
        queued: QueuedPacket,
        e: &Event<'_>,
        ctx: &mut PortCtx<'_, O>,
    ) {
        if e.t <= self.stats.end() && e.reason != Reason::Link {
            let (bytes, dscp) = (u32::from(queued.packet.ip_len()), queued.packet.dscp());
            self.stats.refused(e.t, queued.flow, bytes, dscp);
        }
        self.drop_before_queue(queued, e, ctx);
    }

    /// Drops a packet before the queue: the queue's own measures do not count it.
    #[cold]
    pub(crate) fn drop_before_queue<O: Observer>(
        &mut self,
        queued: QueuedPacket,
        e: &Event<'_>,
        ctx: &mut PortCtx<'_, O>,
    ) {
        if e.t <= self.stats.end() {
            self.stats.dropped(e.t, e.reason);
            let print = if e.reason == Reason::Link { &mut self.lost } else { &mut self.dropped };
            print.mix(e.t.ps());
            print.mix(queued.word() ^ (e.reason.index() as u64) << 4);
        } else {
            self.after_end += 1;
        }
        ctx.drops.push((e.t, queued, e.reason));
        self.record(&queued, e, false, ctx);
    }

    /// `queued` was marked and continues.
    #[cold]
    pub(crate) fn mark<O: Observer>(
        &mut self,
        queued: QueuedPacket,
        e: &Event<'_>,
        ctx: &mut PortCtx<'_, O>,
    ) {
        self.stats.marked(e.t, queued.flow);
        self.record(&queued, e, true, ctx);
    }

    /// A packet is through at `done`: transmitted, and not lost on the wire. `word`: see
    /// [`QueuedPacket::word`].
    #[inline(always)]
    pub(crate) fn departed(&mut self, done: Time, ip_len: u32, word: u64) {
        if done <= self.stats.end() {
            self.stats.departed(done, ip_len);
            self.sent.mix(done.ps());
            self.sent.mix(word);
        } else {
            self.leaves_after_end(ip_len);
        }
    }

    /// A packet's last bit leaves after the end.
    #[cold]
    fn leaves_after_end(&mut self, ip_len: u32) {
        self.after_end += 1;
        self.after_end_bytes += u64::from(ip_len);
    }

    /// Bytes of packets that are through, now or later; `total` is the account of the run.
    pub(crate) fn fated_bytes(&self, total: &PortCounters) -> u64 {
        total.departed_bytes + self.after_end_bytes
    }

    /// A packet takes the short way through a queue that decides at arrival, where it is lost
    /// neither before nor behind it. `word`: see [`QueuedPacket::word`].
    #[inline(always)]
    pub(crate) fn goes_through(&mut self, p: &Transit, word: u64) {
        if self.stats.goes_through(p) {
            self.sent.mix(p.done.ps());
            self.sent.mix(word);
        } else {
            self.goes_through_an_edge(*p, word);
        }
    }

    /// The same for a passage that is not wholly within the window.
    #[cold]
    fn goes_through_an_edge(&mut self, p: Transit, word: u64) {
        self.stats.arrived(p.arrived, p.ip_len);
        self.stats.passes(&p);
        self.departed(p.done, p.ip_len, word);
    }

    /// A copy left with its original at `done`, not after the end. It was no packet of the queue's,
    /// whose account does not count it.
    #[cold]
    pub(crate) fn copied(&mut self, done: Time, copy: &QueuedPacket) {
        self.sent.mix(done.ps());
        self.sent.mix(copy.word());
    }

    /// A wire lost a copy that it had made itself.
    #[cold]
    pub(crate) fn drop_copy<O: Observer>(
        &mut self,
        copy: QueuedPacket,
        e: &Event<'_>,
        ctx: &mut PortCtx<'_, O>,
    ) {
        self.lost.mix(e.t.ps());
        self.lost.mix(copy.word());
        ctx.drops.push((e.t, copy, e.reason));
        self.record(&copy, e, false, ctx);
    }

    /// A packet that left at `done` has a wrong bit from now on.
    #[cold]
    pub(crate) fn corrupted(&mut self, done: Time, queued: &QueuedPacket) {
        if done <= self.stats.end() {
            self.lost.mix(done.ps());
            self.lost.mix(!queued.word());
        }
    }

    /// Packets whose fate here was known before the end, but comes after it.
    pub(crate) fn after_end(&self) -> u64 {
        self.after_end
    }

    /// Takes what left this port into the fingerprint of the run.
    pub(crate) fn fingerprint(&self, all: &mut Fingerprint) {
        [self.sent, self.dropped, self.lost].iter().for_each(|p| all.mix(p.value()));
    }

    fn record<O: Observer>(
        &self,
        queued: &QueuedPacket,
        e: &Event<'_>,
        marked: bool,
        ctx: &mut PortCtx<'_, O>,
    ) {
        if !self.signals || e.t > self.stats.end() {
            return;
        }
        let mut gauges = Gauges::default();
        (e.saw)(&mut gauges);
        ctx.observer.signal(&Signal {
            t: e.t,
            link: self.link,
            flow: queued.flow as usize,
            data: queued.data,
            number: ctx.sidecars.number(queued.packet.sidecar()),
            reason: e.reason,
            marked,
            seq: queued.packet.seq(),
            ip_len: u32::from(queued.packet.ip_len()),
            retransmit: queued.packet.flags() & flag::RETRANSMIT != 0,
            backlog_packets: e.backlog,
            gauges,
        });
    }
}
