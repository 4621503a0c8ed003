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
use dumbbell_core::aqm::{Aqm, Cx, Decision, Limit, LinkInfo, QueueView, Slot, Verdict};
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::packet::{Meta, Packet};
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::service::{Service, Transmitted};
use dumbbell_core::units::{Backlog, Span, Time};

/// The queue and its transmitter.
pub(crate) struct ArrivalQueue {
    aqm: AnyAqm,
    rng: Stream,
    info: LinkInfo,
    service: AnyService,
    /// See [`Service::ps_per_byte`]; 0: ask the service.
    ps_per_byte: u64,
    free_at: Time,
    count_in_service: bool,
    backlog: Backlog,
    /// For each packet in the backlog when it leaves it, and its length.
    leaving: Ring,
    next_tick: Time,
    /// True if the present idle period was told.
    told_idle: bool,
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
        ArrivalQueue {
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

    /// A packet comes at `t`: when it leaves, and how, or `None` if it is dropped. Clocks due by
    /// `t` are settled.
    #[inline(always)]
    pub(crate) fn offer<O: Observer>(
        &mut self,
        t: Time,
        queued: &mut QueuedPacket,
        account: &mut Account,
        ctx: &mut PortCtx<'_, O>,
    ) -> Option<Transmitted> {
        self.drain(t, &mut account.stats);
        let meta = queued.meta();
        account.stats.arrived(t, meta.ip_len);
        ctx.entered(t, queued, account.link, self.backlog.packets);
        let fits = self.info.capacity.fits(self.backlog, meta.ip_len);
        let mut cx = Cx { now: t, rng: &mut self.rng, link: &self.info, flows: ctx.flows };
        let verdict = self.aqm.arrive(&mut cx, &View(&self.backlog), &meta, fits);
        let plain = verdict == Verdict::Pass && fits;
        if !plain && !self.settle_verdict(t, verdict, fits, queued, account, ctx) {
            return None;
        }
        self.aqm.admitted(&meta);
        Some(self.admit(t, &meta, account))
    }

    /// Handles marks and drops. True if the packet enters the queue.
    #[cold]
    fn settle_verdict<O: Observer>(
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

    #[inline(always)]
    fn admit(&mut self, t: Time, meta: &Meta, account: &mut Account) -> Transmitted {
        let start = self.free_at.max(t);
        let taken = match self.ps_per_byte {
            0 => self.service.finish(t, start, meta.wire_len),
            steady => Transmitted::sent(start + Span::from_ps(u64::from(meta.wire_len) * steady)),
        };
        let done = taken.done;
        self.free_at = done;
        self.told_idle = false;
        let leaves = if self.count_in_service { done } else { start };
        if leaves > t {
            self.leaving.push(leaves, meta.ip_len);
            self.backlog.packets += 1;
            self.backlog.bytes += u64::from(meta.ip_len);
        }
        account.stats.passes(&Transit {
            arrived: t,
            start,
            leaves,
            done,
            backlog: self.backlog,
            meta,
        });
        taken
    }

    /// Lets what has left the backlog by `t` go.
    #[inline]
    pub(crate) fn drain(&mut self, t: Time, stats: &mut PortStats) {
        let mut monitor = stats.watching();
        while let Some((leaves, bytes)) = self.leaving.front() {
            if leaves > t {
                break;
            }
            self.leaving.pop();
            self.backlog.packets -= 1;
            self.backlog.bytes -= u64::from(bytes);
            if let Some(monitor) = &mut monitor {
                monitor.fell(leaves, self.backlog);
            }
        }
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
    /// The transmitter.
    pub(crate) fn service(&self) -> &AnyService {
        &self.service
    }
    /// The algorithm's numbers.
    pub(crate) fn probe(&self, out: &mut dyn Probe) {
        self.aqm.probe(out);
    }
}
