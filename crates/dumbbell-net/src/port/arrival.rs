//! A queue that decides when a packet arrives. It keeps no packets: the departure is known at once,
//! so a ring of (when it leaves the backlog, length) is enough, and no event is needed when a
//! transmission ends.
use crate::engine::queued_packet::QueuedPacket;
use crate::measure::queue::Transit;
use crate::observe::Observer;
use crate::port::account::{Account, Event, PortCtx};
use crate::port::ring::Ring;
use crate::port::stats::PortStats;
use dumbbell_algos::aqm::AnyAqm;
use dumbbell_algos::service::AnyService;
use dumbbell_core::aqm::{Aqm, Cx, Decision, Hears, Limit, LinkInfo, QueueView, Slot, Verdict};
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::packet::{Dscp, FlowId, Meta, Packet};
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::service::{Service, Transmitted};
use dumbbell_core::units::{Backlog, Capacity, Span, Time};

/// The queue and its transmitter. What each packet touches comes first.
#[repr(C)]
pub(crate) struct ArrivalQueue {
    /// True if nobody is asked about a packet that fits.
    pub(crate) unasked: bool,
    count_in_service: bool,
    hears: Hears,
    /// True if the present idle period was told, or nobody asks for it.
    told_idle: bool,
    /// The limit, as the most packets and the most bytes that wait.
    most_packets: u32,
    /// The bits of a packet's length that count towards the limit: none if the queue is full only
    /// once the limit is reached.
    length_mask: u32,
    most_bytes: u64,
    /// See [`Service::ps_per_byte`]; 0: ask the service.
    ps_per_byte: u64,
    free_at: Time,
    backlog: Backlog,
    /// For each packet in the backlog when it leaves it, and its length.
    leaving: Ring,
    next_tick: Time,
    rng: Stream,
    aqm: AnyAqm,
    info: LinkInfo,
    service: AnyService,
}

/// The view of a queue that holds no packets: its backlog only.
struct View<'a>(&'a Backlog);

impl QueueView for View<'_> {
    #[inline]
    fn backlog(&self) -> Backlog {
        *self.0
    }
    fn meta(&self, _: Slot) -> Option<Meta> {
        None
    }
}

impl ArrivalQueue {
    /// An idle queue. A packet leaves the backlog when its service starts, or when it ends with
    /// `count_in_service`.
    pub(crate) fn new(
        aqm: AnyAqm,
        rng: Stream,
        info: LinkInfo,
        service: AnyService,
        count_in_service: bool,
    ) -> Self {
        let next_tick = if aqm.ticks() { Time::ZERO } else { Time::NEVER };
        let hears = aqm.hears();
        let (most_packets, most_bytes, length_mask) = match info.capacity {
            Capacity::Packets(n) => (n, u64::MAX, u32::MAX),
            Capacity::Bytes(n) => (u32::MAX, n, u32::MAX),
            Capacity::Reached(0) => (0, 0, 0),
            Capacity::Reached(n) => (u32::MAX, n - 1, 0),
            Capacity::Unlimited => (u32::MAX, u64::MAX, u32::MAX),
            Capacity::Buffers { .. } => {
                unreachable!("a limit in buffers is counted where packets are held")
            }
        };
        ArrivalQueue {
            unasked: !hears.fitting && !hears.admitted,
            most_packets,
            most_bytes,
            length_mask,
            hears,
            aqm,
            rng,
            info,
            ps_per_byte: service.ps_per_byte().unwrap_or(0),
            service,
            free_at: Time::ZERO,
            count_in_service,
            backlog: Backlog::default(),
            leaving: Ring::default(),
            next_tick,
            told_idle: true,
        }
    }

    /// True if a packet of `bytes` fits beside the backlog.
    #[inline(always)]
    pub(crate) fn has_room(&self, bytes: u32) -> bool {
        self.backlog.packets < self.most_packets
            && self.backlog.bytes + u64::from(bytes & self.length_mask) <= self.most_bytes
    }

    /// Packets that wait.
    #[inline]
    pub(crate) fn waits(&self) -> u32 {
        self.backlog.packets
    }

    /// Asks the algorithm about a packet that comes at `t` and `fits` or not. Clocks due by `t` are
    /// settled, and what left by then is gone. If the packet fits and the answer is
    /// [`Verdict::Pass`], it enters the queue; else [`Self::settle_verdict`] says whether it does.
    /// If it does, [`Self::tell_admitted`] is next.
    #[inline(always)]
    pub(crate) fn ask(&mut self, t: Time, fits: bool, meta: &Meta, flows: &FlowTable) -> Verdict {
        let mut cx = Cx { now: t, rng: &mut self.rng, link: &self.info, flows };
        self.aqm.arrive(&mut cx, &View(&self.backlog), meta, fits)
    }

    /// Tells the algorithm of a packet that enters the queue, if it asks for that: `meta` as it
    /// was before any mark.
    #[inline(always)]
    pub(crate) fn tell_admitted(&mut self, meta: &Meta) {
        if self.hears.admitted {
            self.aqm.admitted(meta);
        }
    }

    /// Handles marks and drops. True if the packet enters the queue.
    #[cold]
    pub(crate) fn settle_verdict<O: Observer>(
        &mut self,
        t: Time,
        verdict: Verdict,
        fits: bool,
        queued: &mut QueuedPacket,
        account: &mut Account,
        ctx: &mut PortCtx<'_, O>,
    ) -> bool {
        debug_assert!(
            !matches!(verdict, Verdict::Evict { .. }),
            "an algorithm that evicts needs a \
            held queue"
        );
        let meta = queued.meta();
        if !fits && verdict.admits(meta.ecn) {
            let mut cx = Cx { now: t, rng: &mut self.rng, link: &self.info, flows: ctx.flows };
            self.aqm.overflowed(&mut cx, Limit::Own);
        }
        let decision = verdict.decide(meta.ecn, fits);
        let (Decision::Drop(reason) | Decision::Admit(Some(reason))) = decision else {
            return true;
        };
        let saw = |out: &mut dyn Probe| self.aqm.probe(out);
        let event = Event { t, reason, backlog: self.backlog.packets, saw: &saw };
        if let Decision::Drop(_) = decision {
            account.stats.came(
                queued.flow,
                u32::from(queued.packet.ip_len()),
                queued.packet.dscp(),
            );
            account.drop(*queued, &event, ctx);
            account.stats.holds(t, self.backlog.packets);
            let mut cx = Cx { now: t, rng: &mut self.rng, link: &self.info, flows: ctx.flows };
            self.aqm.refused(&mut cx, &meta, reason);
            return false;
        }
        queued.set_ce();
        account.mark(*queued, &event, ctx);
        true
    }

    /// Takes a packet of `ip_len` bytes, `wire_len` on the wire, that enters at `t`: its passage,
    /// for the measures, and how it leaves.
    #[inline(always)]
    pub(crate) fn admit(
        &mut self,
        t: Time,
        (ip_len, wire_len): (u32, u32),
        flow: FlowId,
        dscp: Dscp,
    ) -> (Transit, Transmitted) {
        let start = self.free_at.max(t);
        let taken = match self.ps_per_byte {
            0 => self.service.finish(t, start, wire_len),
            steady => Transmitted::sent(start + Span::from_ps(u64::from(wire_len) * steady)),
        };
        let done = taken.done;
        self.free_at = done;
        if self.hears.idle {
            self.told_idle = false;
        }
        let leaves = if self.count_in_service { done } else { start };
        if leaves > t {
            self.leaving.push(leaves, ip_len);
            self.backlog.packets += 1;
            self.backlog.bytes += u64::from(ip_len);
        }
        let backlog = self.backlog;
        (Transit { arrived: t, start, leaves, done, backlog, ip_len, flow, dscp }, taken)
    }

    /// True if a packet that is admitted may change [`Self::next_clock`].
    #[inline(always)]
    pub(crate) fn tells_idle(&self) -> bool {
        self.hears.idle
    }

    /// Lets what has left the backlog by `t` go.
    #[inline]
    pub(crate) fn drain(&mut self, t: Time, stats: &mut PortStats) {
        let (mut monitor, backlog) = (stats.watching(), &mut self.backlog);
        self.leaving.drain(t, |leaves, bytes| {
            backlog.packets -= 1;
            backlog.bytes -= u64::from(bytes);
            if let Some(monitor) = &mut monitor {
                monitor.fell(leaves, *backlog);
            }
        });
    }

    /// The time of the algorithm's next clock: the start of an idle period that was not told, or a
    /// tick.
    #[inline]
    pub(crate) fn next_clock(&self) -> Time {
        let idle = if self.told_idle { Time::NEVER } else { self.free_at };
        idle.min(self.next_tick)
    }

    /// Tells the algorithm what is due at `next_clock()`. The end of a transmission comes before a
    /// tick.
    #[cold]
    pub(crate) fn clock(&mut self, flows: &FlowTable, stats: &mut PortStats) {
        let now = self.next_clock();
        self.drain(now, stats);
        let mut cx = Cx { now, rng: &mut self.rng, link: &self.info, flows };
        if !self.told_idle && self.free_at == now {
            self.told_idle = true;
            self.aqm.idle(&mut cx);
        } else {
            let again = self.aqm.tick(&mut cx, &View(&self.backlog));
            self.next_tick = again.map_or(Time::NEVER, |d| now + d);
        }
    }

    /// The backlog at the last instant that was settled.
    pub(crate) fn backlog(&self) -> Backlog {
        self.backlog
    }
    /// True if the service is the same for every packet, see [`Service::ps_per_byte`].
    pub(crate) fn is_steady(&self) -> bool {
        self.ps_per_byte != 0
    }
    /// The transmitter.
    pub(crate) fn service(&self) -> &AnyService {
        &self.service
    }
    /// The algorithm's numbers.
    pub(crate) fn probe(&self, out: &mut dyn Probe) {
        self.aqm.probe(out);
    }
}
