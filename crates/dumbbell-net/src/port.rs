//! A port of the simulated network: its queue, decided at arrival or held, and the wire behind it.
pub(crate) mod account;
pub(crate) mod arrival;
pub(crate) mod edge;
pub(crate) mod held;
pub(crate) mod ring;
pub(crate) mod shared_buffer;
pub(crate) mod stats;
use crate::engine::entry::{NO_SIDECAR, Pkt};
use crate::engine::queued_packet::{QueuedPacket, Way};
use crate::observe::{Observer, QueueRow, SampleTimes};
use crate::port::account::{Account, Event, PortCtx};
use crate::port::arrival::ArrivalQueue;
use crate::port::edge::PortEdge;
use crate::port::held::HeldQueue;
use dumbbell_algos::impairment::AnyImpairment;
use dumbbell_algos::service::AnyService;
use dumbbell_core::aqm::{Reason, Verdict};
use dumbbell_core::impairment::WireEffect;
use dumbbell_core::packet::{FlowId, Framing, Packet};
use dumbbell_core::probe::Gauges;
use dumbbell_core::rng::Stream;
use dumbbell_core::service::{Service, Transmitted};
use dumbbell_core::transport::segment::Extra;
use dumbbell_core::units::{Backlog, Span, Time};

/// The two ways in which a queue decides.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Queue {
    /// At arrival only. The queue keeps no packets.
    Arrival(ArrivalQueue),
    /// Also at departure. The queue holds its packets.
    Held(HeldQueue),
}

/// One port, and the wire behind it. What each packet touches stands together, from the end of the
/// account to the start of the queue: a large network waits for memory, line by line.
#[repr(C, align(64))]
pub(crate) struct Port {
    /// Its account.
    pub account: Account,
    /// Nothing of its own is due before this instant: no clock, no look, no idle period to be told.
    pub quiet_until: Time,
    /// Propagation delay.
    pub delay: Span,
    /// Link-layer overhead of each packet.
    pub framing: Framing,
    /// The longest packet, bytes, that may take [`Port::pass_simple`]: 0 unless a queue that
    /// decides at arrival has a steady service, a wire that only delays and no edge before it.
    pub short_way: u16,
    /// The queue.
    pub queue: Queue,
    /// Largest IP packet that passes without a check of its size, bytes.
    pub mtu: u32,
    /// The times at which the port is sampled.
    pub sample_times: SampleTimes,
    /// Impairments of the wire, each with its own random stream.
    pub impairments: Vec<(AnyImpairment, Stream)>,
    /// The DiffServ edge before the queue.
    pub edge: Option<Box<PortEdge>>,
}

impl Port {
    /// A packet comes to a queue that decides at arrival: when it is at the far end, or `None` if
    /// it is lost.
    #[inline]
    pub(crate) fn pass<O: Observer>(
        &mut self,
        t: Time,
        packet: &mut Pkt,
        way: Way,
        ctx: &mut PortCtx<'_, O>,
    ) -> Option<Time> {
        if self.has_short_way(packet) {
            self.pass_simple(t, packet, way, ctx)
        } else {
            self.pass_with_care(t, packet, way, ctx)
        }
    }

    /// True if a packet may take [`Port::pass_simple`].
    #[inline(always)]
    pub(crate) fn has_short_way(&self, packet: &Pkt) -> bool {
        packet.ip_len() <= self.short_way && packet.sidecar() == NO_SIDECAR
    }

    /// A packet of which nobody knows more than its header, over a wire that only delays. It does
    /// the same as [`Self::pass_with_care`] there.
    #[inline(never)]
    pub(crate) fn pass_simple<O: Observer>(
        &mut self,
        t: Time,
        packet: &mut Pkt,
        way: Way,
        ctx: &mut PortCtx<'_, O>,
    ) -> Option<Time> {
        if t >= self.quiet_until {
            self.settle(t, ctx);
        }
        let Queue::Arrival(queue) = &mut self.queue else {
            unreachable!("a held queue is a merge")
        };
        let ip_len = u32::from(packet.ip_len());
        queue.drain(t, &mut self.account.stats);
        let fits = queue.has_room(ip_len);
        if !(fits && queue.unasked) {
            let meta = packet.meta(way.flow(), way.is_data(), self.framing, false);
            let verdict = queue.ask(t, fits, &meta, ctx.flows);
            if !(fits && verdict == Verdict::Pass) {
                let mut queued = QueuedPacket::new(*packet, way);
                queued.framing = self.framing;
                if !queue.settle_verdict(t, verdict, fits, &mut queued, &mut self.account, ctx) {
                    self.account.stats.arrived(t, ip_len);
                    return None;
                }
                *packet = queued.packet;
            }
            queue.tell_admitted(&meta);
        }
        self.go_through(t, packet, way.flow())
    }

    /// The most common case of [`Self::pass_simple`], in line: nothing else is due, nobody is
    /// asked, and the packet fits. Else `None`, and the packet has not been here.
    #[inline(always)]
    pub(crate) fn pass_at_once(&mut self, t: Time, packet: &Pkt, flow: u32) -> Option<Time> {
        if t >= self.quiet_until {
            return None;
        }
        let Queue::Arrival(queue) = &mut self.queue else { return None };
        if !queue.unasked {
            return None;
        }
        queue.drain(t, &mut self.account.stats);
        if !queue.has_room(u32::from(packet.ip_len())) {
            return None;
        }
        self.go_through(t, packet, flow)
    }

    /// A packet enters a queue with a steady service at `t`; when it is at the far end of a wire
    /// that only delays. This is where a packet spends a fifth of its cost.
    #[inline(always)]
    fn go_through(&mut self, t: Time, packet: &Pkt, flow: u32) -> Option<Time> {
        let Queue::Arrival(queue) = &mut self.queue else { return None };
        let ip_len = u32::from(packet.ip_len());
        let lengths = (ip_len, self.framing.wire_len(ip_len));
        let (transit, _) = queue.admit(t, lengths, FlowId(flow), packet.dscp());
        if queue.tells_idle() {
            self.quiet_until = self.quiet_until.min(queue.next_clock());
        }
        self.account.goes_through(&transit, packet.word() ^ u64::from(flow) << 40);
        Some(transit.done + self.delay)
    }

    /// A packet that carries more than its header or that somebody follows, or a wire that does
    /// more than delay.
    #[inline(never)]
    fn pass_with_care<O: Observer>(
        &mut self,
        t: Time,
        packet: &mut Pkt,
        way: Way,
        ctx: &mut PortCtx<'_, O>,
    ) -> Option<Time> {
        if t >= self.quiet_until {
            self.settle(t, ctx);
        }
        let mut queued = QueuedPacket::new(*packet, way);
        self.frames(&mut queued, ctx);
        let Queue::Arrival(queue) = &mut self.queue else {
            unreachable!("a held queue is a merge")
        };
        let meta = queued.meta();
        queue.drain(t, &mut self.account.stats);
        self.account.stats.arrived(t, meta.ip_len);
        ctx.entered(t, &queued, self.account.link, queue.waits());
        let fits = queue.has_room(meta.ip_len);
        let verdict = queue.ask(t, fits, &meta, ctx.flows);
        let enters = (fits && verdict == Verdict::Pass)
            || queue.settle_verdict(t, verdict, fits, &mut queued, &mut self.account, ctx);
        *packet = queued.packet;
        if !enters {
            return None;
        }
        queue.tell_admitted(&meta);
        let lengths = (meta.ip_len, meta.wire_len);
        let (transit, taken) = queue.admit(t, lengths, meta.flow, meta.dscp);
        self.account.stats.passes(&transit);
        self.quiet_until = self.quiet_until.min(queue.next_clock());
        let at = self.transmit(taken, &mut queued, ctx);
        *packet = queued.packet;
        at
    }

    /// Says on the packet what the link adds to it, whether it is a fragment, and whether its
    /// sidecar has what a newer acknowledgment does not repeat.
    #[inline]
    fn frames<O: Observer>(&self, queued: &mut QueuedPacket, ctx: &PortCtx<'_, O>) {
        queued.framing = self.framing;
        let handle = queued.packet.sidecar();
        if handle != NO_SIDECAR {
            queued.fragment = ctx.sidecars.fragment(handle).is_some();
            queued.told_once = ctx.sidecars.get(handle).is_some_and(Extra::is_told_once);
        }
    }

    /// A packet comes that is larger than the link carries, and must not be cut: it is dropped.
    #[cold]
    pub(crate) fn refuse<O: Observer>(
        &mut self,
        t: Time,
        queued: QueuedPacket,
        ctx: &mut PortCtx<'_, O>,
    ) {
        if t >= self.quiet_until {
            self.settle(t, ctx);
        }
        self.account.stats.arrived(t, u32::from(queued.packet.ip_len()));
        self.account.stats.came(
            queued.flow,
            u32::from(queued.packet.ip_len()),
            queued.packet.dscp(),
        );
        self.account.drop(queued, &Event { t, reason: Reason::Mtu, backlog: 0, saw: &|_| {} }, ctx);
    }

    /// The packet left at `done`: when it is at the far end, or `None` if it is lost.
    #[inline(always)]
    fn transmit<O: Observer>(
        &mut self,
        Transmitted { done, effect: fate }: Transmitted,
        queued: &mut QueuedPacket,
        ctx: &mut PortCtx<'_, O>,
    ) -> Option<Time> {
        if fate != WireEffect::Arrives || !self.impairments.is_empty() {
            return self.apply_effects(done, fate, queued, ctx);
        }
        let at = done + self.delay;
        self.account.departed(done, u32::from(queued.packet.ip_len()), queued.word());
        ctx.left(queued, self.account.link, done, at);
        Some(at)
    }

    /// A packet comes to a held queue: when the transmission ends that starts now, if one starts.
    #[inline(always)]
    pub(crate) fn arrive<O: Observer>(
        &mut self,
        t: Time,
        mut queued: QueuedPacket,
        ctx: &mut PortCtx<'_, O>,
    ) -> Option<Time> {
        self.sample_until(t, ctx.observer);
        self.frames(&mut queued, ctx);
        self.account.stats.came(
            queued.flow,
            u32::from(queued.packet.ip_len()),
            queued.packet.dscp(),
        );
        let Queue::Held(queue) = &mut self.queue else {
            unreachable!(
                "asked of a queue that \
            decides at arrival"
            )
        };
        queue.arrive(t, queued, &mut self.account, ctx)
    }

    /// A transmission of a held queue ends: the packet, when it is at the far end (`None`: lost on
    /// the wire), and when the next transmission ends.
    #[inline(always)]
    pub(crate) fn done<O: Observer>(
        &mut self,
        t: Time,
        ctx: &mut PortCtx<'_, O>,
    ) -> (QueuedPacket, Option<Time>, Option<Time>) {
        self.sample_before(t, ctx.observer);
        let Queue::Held(queue) = &mut self.queue else {
            unreachable!(
                "asked of a queue that \
            decides at arrival"
            )
        };
        let ((mut queued, fate), next) = queue.done(t, &mut self.account, ctx);
        let at = self.transmit(Transmitted { done: t, effect: fate }, &mut queued, ctx);
        (queued, at, next)
    }

    /// A clock of a held queue is due; when it is due again, and when the transmission ends that
    /// starts now, if one starts.
    pub(crate) fn wake<O: Observer>(
        &mut self,
        t: Time,
        ctx: &mut PortCtx<'_, O>,
    ) -> (Option<Time>, Option<Time>) {
        self.sample_before(t, ctx.observer);
        let Queue::Held(queue) = &mut self.queue else {
            unreachable!(
                "asked of a queue that \
            decides at arrival"
            )
        };
        let next = queue.wake(t, &mut self.account, ctx);
        self.account.stats.became(t, queue.backlog());
        next
    }

    /// The time until which a held queue that shapes holds its packets, if nothing is sent until
    /// then.
    #[inline]
    pub(crate) fn holds_until(&self, t: Time) -> Option<Time> {
        let Queue::Held(queue) = &self.queue else { return None };
        queue.holds_until(t)
    }

    /// Brings the port up to `t`: clocks of a queue that decides at arrival, and looks, in order of
    /// time; at one instant departures come first, then clocks, then looks.
    #[inline]
    pub(crate) fn settle<O: Observer>(&mut self, t: Time, ctx: &mut PortCtx<'_, O>) {
        loop {
            let clock = match &self.queue {
                Queue::Arrival(queue) => queue.next_clock(),
                Queue::Held(_) => Time::NEVER,
            };
            let look = self.next_sample();
            self.quiet_until = clock.min(look);
            if self.quiet_until > t {
                return;
            }
            match &mut self.queue {
                Queue::Arrival(queue) if clock <= look => {
                    queue.clock(ctx.flows, &mut self.account.stats)
                }
                _ => self.take_sample(ctx.observer),
            }
        }
    }

    fn sample_before(&mut self, t: Time, observer: &mut impl Observer) {
        if t > Time::ZERO {
            self.sample_until(Time::from_ps(t.ps() - 1), observer);
        }
    }

    #[inline]
    fn sample_until(&mut self, t: Time, observer: &mut impl Observer) {
        while self.next_sample() <= t {
            self.take_sample(observer);
        }
    }

    /// The next sample: a row of a series, or the end of an interval of the measures.
    #[inline]
    fn next_sample(&self) -> Time {
        self.sample_times.next().min(self.account.stats.next_turn())
    }

    #[cold]
    fn take_sample(&mut self, observer: &mut impl Observer) {
        let at = self.next_sample();
        let backlog = self.backlog_at(at);
        if self.account.stats.next_turn() == at {
            self.account.stats.turn(backlog);
        }
        if self.sample_times.next() > at {
            return;
        }
        let due = self.sample_times.take();
        if !due.sample {
            return;
        }
        let mut gauges = Gauges::default();
        match &self.queue {
            Queue::Arrival(q) => q.probe(&mut gauges),
            Queue::Held(q) => q.probe(&mut gauges),
        }
        let total = self.account.stats.total();
        let sent_bytes = match &self.queue {
            // What waits is counted as sent when it comes.
            Queue::Arrival(_) => self.account.fated_bytes(&total).saturating_sub(backlog.bytes),
            Queue::Held(_) => total.departed_bytes,
        };
        let row = QueueRow {
            packets: backlog.packets,
            bytes: backlog.bytes,
            dropped: total.dropped(),
            sent_bytes,
            gauges,
        };
        observer.queue(due.at, self.account.link, &row);
    }

    /// The backlog at `t`. Everything before `t` is settled.
    fn backlog_at(&mut self, t: Time) -> Backlog {
        match &mut self.queue {
            Queue::Arrival(q) => {
                q.drain(t, &mut self.account.stats);
                q.backlog()
            }
            Queue::Held(q) => q.backlog(),
        }
    }

    /// Ends the run at `end`.
    pub(crate) fn close<O: Observer>(&mut self, end: Time, ctx: &mut PortCtx<'_, O>) {
        if let Some(edge) = &mut self.edge {
            edge.close(end, self.account.link, ctx.observer);
        }
        self.settle(end, ctx);
        let backlog = self.backlog_at(end);
        self.account.stats.close(backlog);
        if let Queue::Held(q) = &mut self.queue {
            q.close(end, &mut self.account);
        }
    }

    /// Bits sent over bits that the transmitter could have sent, in the window.
    pub(crate) fn utilization(&self) -> f64 {
        self.service().utilization().unwrap_or_else(|| self.account.stats.busy_share())
    }

    /// The transmitter.
    pub(crate) fn service(&self) -> &AnyService {
        match &self.queue {
            Queue::Arrival(q) => q.service(),
            Queue::Held(q) => q.service(),
        }
    }

    /// Packets that came to the queue and are neither through nor dropped at the end.
    pub(crate) fn inside(&self) -> u64 {
        self.account.after_end() + self.in_queue()
    }

    /// Packets that it holds in queue and edge; a queue that decides at arrival holds none.
    pub(crate) fn held(&self) -> u64 {
        self.in_queue() + self.edge.as_ref().map_or(0, |s| s.held())
    }

    fn in_queue(&self) -> u64 {
        match &self.queue {
            Queue::Arrival(_) => 0,
            Queue::Held(q) => q.held(),
        }
    }
}
