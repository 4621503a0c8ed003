//! A queue that also decides at departure, and therefore holds its packets.
//!
//! Wraps `dumbbell_core::port::HeldPort` for the engine: adds the port's statistics and returns
//! when the next transmission ends. On a shared (half-duplex) wire, collisions may prolong a
//! transmission. The service time of a packet is then known only when its transmission ends.
use crate::engine::queued_packet::QueuedPacket;
use crate::observe::Observer;
use crate::port::account::{Account, Event, PortCtx};
use crate::port::shared_buffer::SharingQueue;
use dumbbell_algos::aqm::AnyAqm;
use dumbbell_algos::qdisc::AnyQdisc;
use dumbbell_algos::service::AnyService;
use dumbbell_algos::service::duplex_mismatch::medium::TransmissionEnd;
use dumbbell_core::aqm::{Cx, LinkInfo, Reason};
use dumbbell_core::impairment::WireEffect;
use dumbbell_core::packet::Packet;
use dumbbell_core::port::{HeldPort, Start};
use dumbbell_core::probe::Probe;
use dumbbell_core::qdisc::{Fifo, Qdisc, Sink};
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Backlog, Span, Time};

/// A port with queues of the kind `Q`.
type PortOf<Q> = HeldPort<QueuedPacket, Q, AnyService>;

/// A port by the kind of its queues. The choice is around the whole port, so that a packet in a
/// FIFO pays for no other kind.
#[allow(clippy::large_enum_variant)]
enum AnyPort {
    /// One FIFO with an AQM, in a buffer of its own.
    Fifo(PortOf<Fifo<AnyAqm, QueuedPacket>>),
    /// One FIFO, or several queues, in a buffer that the ports of a switch share.
    Sharing(Box<PortOf<SharingQueue>>),
    /// A discipline of several queues.
    Several(Box<PortOf<AnyQdisc<QueuedPacket>>>),
}

/// Evaluates an expression for the port of any kind.
macro_rules! each_kind {
    ($any:expr, $port:ident => $value:expr) => {
        match $any {
            AnyPort::Fifo($port) => $value,
            AnyPort::Sharing($port) => $value,
            AnyPort::Several($port) => $value,
        }
    };
}

/// The queues of a held port, before it is made.
pub(crate) enum Discipline {
    /// See [`AnyPort::Fifo`].
    Fifo(Fifo<AnyAqm, QueuedPacket>),
    /// See [`AnyPort::Sharing`].
    Sharing(SharingQueue),
    /// See [`AnyPort::Several`].
    Several(AnyQdisc<QueuedPacket>),
}

/// The queue and its transmitter.
pub(crate) struct HeldQueue {
    port: AnyPort,
    rng: Stream,
    info: LinkInfo,
    /// On a shared wire, the packet in transmission, whose service is recorded when its
    /// transmission ends. `None`: the link has a wire of its own.
    in_service: Option<Box<InService>>,
}

/// The packet in transmission on a shared wire, or an empty place for it.
#[derive(Clone, Copy, Default)]
struct InService {
    /// The time when it arrived at the port.
    arrived: Time,
    /// The time when it left the queue.
    dequeued: Time,
    /// The end of its transmission if nothing else uses the wire.
    undisturbed_end: Time,
    /// True if the transmitter gave it up, after too many collisions or a late one.
    given_up: bool,
    /// True if there is a packet in this place.
    occupied: bool,
}

/// Enters what the queue drops and marks into the account.
struct QueueSink<'a, 'b, O> {
    now: Time,
    backlog: u32,
    account: &'a mut Account,
    ctx: &'a mut PortCtx<'b, O>,
}

impl<O: Observer> Sink<QueuedPacket> for QueueSink<'_, '_, O> {
    fn dropped(
        &mut self,
        p: QueuedPacket,
        enqueued_at: Option<Time>,
        reason: Reason,
        saw: &dyn Fn(&mut dyn Probe),
    ) {
        if let Some(enqueued_at) = enqueued_at {
            self.account.stats.stayed(enqueued_at, self.now);
        }
        self.account.drop(p, &Event { t: self.now, reason, backlog: self.backlog, saw }, self.ctx);
    }
    fn marked(&mut self, p: &QueuedPacket, reason: Reason, saw: &dyn Fn(&mut dyn Probe)) {
        self.account.mark(*p, &Event { t: self.now, reason, backlog: self.backlog, saw }, self.ctx);
    }
}

impl HeldQueue {
    /// An idle queue.
    pub(crate) fn new(
        discipline: Discipline,
        rng: Stream,
        info: LinkInfo,
        service: AnyService,
        count_in_service: bool,
    ) -> Self {
        let in_service = matches!(service, AnyService::DuplexMismatch(_)).then(Box::default);
        let port = match discipline {
            Discipline::Fifo(queue) => {
                AnyPort::Fifo(HeldPort::new(queue, service, count_in_service))
            }
            Discipline::Sharing(queue) => {
                AnyPort::Sharing(Box::new(HeldPort::new(queue, service, count_in_service)))
            }
            Discipline::Several(queues) => {
                AnyPort::Several(Box::new(HeldPort::new(queues, service, count_in_service)))
            }
        };
        HeldQueue { port, rng, info, in_service }
    }

    /// A packet arrives. Returns the end of the transmission that starts now, if one starts; on a
    /// shared wire, its end if nothing else uses the wire.
    #[inline(always)]
    pub(crate) fn arrive<O: Observer>(
        &mut self,
        now: Time,
        queued: QueuedPacket,
        account: &mut Account,
        ctx: &mut PortCtx<'_, O>,
    ) -> Option<Time> {
        let mut cx = Cx { now, rng: &mut self.rng, link: &self.info, flows: ctx.flows };
        let start =
            each_kind!(&mut self.port, port => arrives(port, &mut cx, queued, account, ctx));
        self.started(now, start, account)
    }

    /// A transmission ends. Returns its packet with the effect of the transmitter on it, and the
    /// end of the next transmission as `arrive` does.
    #[inline(always)]
    pub(crate) fn done<O: Observer>(
        &mut self,
        now: Time,
        account: &mut Account,
        ctx: &mut PortCtx<'_, O>,
    ) -> ((QueuedPacket, WireEffect), Option<Time>) {
        if self.in_service.is_some() {
            self.record_end(now, account);
        }
        let mut cx = Cx { now, rng: &mut self.rng, link: &self.info, flows: ctx.flows };
        let (departed, start) =
            each_kind!(&mut self.port, port => departs(port, &mut cx, account, ctx));
        (departed, self.started(now, start, account))
    }

    /// Records the service of a packet whose transmission starts now; on a shared wire, keeps it
    /// until the transmission ends. Returns that end, on a shared wire the undisturbed one.
    #[inline(always)]
    fn started(&mut self, now: Time, start: Option<Start>, account: &mut Account) -> Option<Time> {
        let Start { arrived, done } = start?;
        if self.in_service.is_some() {
            self.begin_service(now, arrived, done);
            return Some(done);
        }
        account.stats.leaves(arrived, now, done);
        Some(done)
    }

    /// The packet in transmission on a shared wire will not arrive: a collision broke it, or the
    /// transmitter gave it up.
    pub(crate) fn lose_current(&mut self, how: TransmissionEnd) {
        each_kind!(&mut self.port, port => port.decide(WireEffect::Lost));
        if let Some(current) = &mut self.in_service {
            current.given_up = how == TransmissionEnd::GivenUp;
        }
    }

    #[cold]
    fn begin_service(&mut self, now: Time, arrived: Time, undisturbed_end: Time) {
        if let Some(current) = &mut self.in_service {
            **current = InService {
                arrived,
                dequeued: now,
                undisturbed_end,
                given_up: false,
                occupied: true,
            };
        }
    }

    /// Records the service of the packet in transmission on a shared wire, if there is one: its
    /// transmission ends at `now`.
    #[cold]
    fn record_end(&mut self, now: Time, account: &mut Account) {
        if let Some(current) = self.take_in_service() {
            self.record_service(&current, now, account);
        }
    }

    /// Takes the packet in transmission on a shared wire out of its place.
    fn take_in_service(&mut self) -> Option<InService> {
        let current = self.in_service.as_mut().filter(|current| current.occupied)?;
        current.occupied = false;
        Some(**current)
    }

    /// Records a packet whose transmission ended at `now`. Only its last attempt counts as service,
    /// or none if it was given up; all time before that counts as waiting.
    fn record_service(&self, current: &InService, now: Time, account: &mut Account) {
        let service_time = if current.given_up {
            Span::ZERO
        } else {
            current.undisturbed_end.since(current.dequeued)
        };
        account.stats.served(
            current.arrived,
            Time::ZERO + now.since(Time::ZERO + service_time),
            now,
        );
        account.stats.stayed(
            current.arrived,
            if each_kind!(&self.port, port => port.counts_service()) {
                now
            } else {
                current.dequeued
            },
        );
    }

    /// A clock is due, the discipline's own or that of [`HeldQueue::holds_until`]. Returns the next
    /// time of the discipline's own clock if that was due, and the end of the transmission that
    /// starts now, if one starts.
    pub(crate) fn wake<O: Observer>(
        &mut self,
        now: Time,
        account: &mut Account,
        ctx: &mut PortCtx<'_, O>,
    ) -> (Option<Time>, Option<Time>) {
        let mut cx = Cx { now, rng: &mut self.rng, link: &self.info, flows: ctx.flows };
        let own = each_kind!(&self.port, port => port.next_wakeup()).is_some_and(|at| at <= now);
        if own {
            each_kind!(&mut self.port, port => port.wake(&mut cx));
        }
        let start = each_kind!(&mut self.port, port => resumes(port, &mut cx, account, ctx));
        let done = self.started(now, start, account);
        (if own { self.next_wakeup() } else { None }, done)
    }
    /// The time until which a discipline that shapes holds its packets, if nothing is sent until
    /// then.
    pub(crate) fn holds_until(&self, now: Time) -> Option<Time> {
        each_kind!(&self.port, port => port.holds_until(now))
    }
    /// The time of the discipline's next clock.
    pub(crate) fn next_wakeup(&self) -> Option<Time> {
        each_kind!(&self.port, port => port.next_wakeup())
    }
    /// The run ended at `end`. Records the stay of the packets that still wait in the queue, and
    /// the service of a packet in transmission on a shared wire.
    pub(crate) fn close(&mut self, end: Time, account: &mut Account) {
        each_kind!(&self.port, port => port.waiting_since())
            .into_iter()
            .for_each(|enqueued_at| account.stats.stayed(enqueued_at, end));
        if let Some(current) = self.take_in_service() {
            // Recorded as if its transmission ended at its undisturbed end, or at `end` if that is
            // later.
            self.record_service(&current, current.undisturbed_end.max(end), account);
        }
    }
    /// The backlog. It includes the packet in transmission if the port was made with
    /// `count_in_service`.
    pub(crate) fn backlog(&self) -> Backlog {
        each_kind!(&self.port, port => port.backlog())
    }
    /// The queue, if it is one of a shared buffer.
    pub(crate) fn sharing(&self) -> Option<&SharingQueue> {
        let AnyPort::Sharing(port) = &self.port else { return None };
        Some(port.qdisc())
    }
    /// True if the discipline reads what packets acknowledge.
    pub(crate) fn reads_acks(&self) -> bool {
        each_kind!(&self.port, port => port.qdisc().reads_acks())
    }
    /// Packets waiting or in transmission.
    pub(crate) fn held(&self) -> u64 {
        each_kind!(&self.port, port => port.held())
    }
    /// The transmitter.
    pub(crate) fn service(&self) -> &AnyService {
        each_kind!(&self.port, port => port.service())
    }
    /// The algorithm's numbers.
    pub(crate) fn probe(&self, out: &mut dyn Probe) {
        each_kind!(&self.port, port => port.qdisc().probe(out));
    }
}

/// A packet arrives: the start of a transmission, if one starts.
#[inline(always)]
fn arrives<Q: Qdisc<QueuedPacket>, O: Observer>(
    port: &mut PortOf<Q>,
    cx: &mut Cx<'_>,
    queued: QueuedPacket,
    account: &mut Account,
    ctx: &mut PortCtx<'_, O>,
) -> Option<Start> {
    let now = cx.now;
    account.stats.arrived(now, queued.meta().ip_len);
    let backlog = port.backlog().packets;
    ctx.entered(now, &queued, account.link, backlog);
    let start = port.arrive(cx, queued, &mut QueueSink { now, backlog, account, ctx });
    let holds = port.backlog();
    account.stats.holds(now, holds.packets);
    account.stats.became(now, holds);
    start
}

/// A transmission ends: its packet, and the start of the next one.
#[inline(always)]
fn departs<Q: Qdisc<QueuedPacket>, O: Observer>(
    port: &mut PortOf<Q>,
    cx: &mut Cx<'_>,
    account: &mut Account,
    ctx: &mut PortCtx<'_, O>,
) -> ((QueuedPacket, WireEffect), Option<Start>) {
    let now = cx.now;
    let backlog = port.backlog().packets;
    let departed = port.done(cx, &mut QueueSink { now, backlog, account, ctx });
    account.stats.became(now, port.backlog());
    departed
}

/// A discipline that shapes may send again: the start of a transmission, if one starts.
fn resumes<Q: Qdisc<QueuedPacket>, O: Observer>(
    port: &mut PortOf<Q>,
    cx: &mut Cx<'_>,
    account: &mut Account,
    ctx: &mut PortCtx<'_, O>,
) -> Option<Start> {
    let (now, backlog) = (cx.now, port.backlog().packets);
    port.resume(cx, &mut QueueSink { now, backlog, account, ctx })
}
