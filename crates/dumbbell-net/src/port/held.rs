//! A queue that also decides when a packet departs, and so holds its packets: the core's own port,
//! driven by entries of the agenda.
use crate::engine::queued_packet::QueuedPacket;
use crate::observe::Observer;
use crate::port::account::{Account, Event, PortCtx};
use crate::port::discipline::Discipline;
use dumbbell_algos::service::AnyService;
use dumbbell_algos::service::duplex_mismatch::medium::Through;
use dumbbell_core::aqm::{Cx, LinkInfo, Reason};
use dumbbell_core::impairment::WireEffect;
use dumbbell_core::packet::Packet;
use dumbbell_core::port::{HeldPort, Start};
use dumbbell_core::probe::Probe;
use dumbbell_core::qdisc::{Qdisc, Sink};
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Backlog, Span, Time};

/// The queue and its transmitter.
pub(crate) struct HeldQueue {
    port: HeldPort<QueuedPacket, Discipline, AnyService>,
    rng: Stream,
    info: LinkInfo,
    /// The packet in hand, of a transmitter on a wire that is shared: how long it has it is known
    /// when it is through.
    hand: Option<Box<Hand>>,
}

/// A packet in the hand of a transmitter that may have to wait for the wire.
#[derive(Clone, Copy, Default)]
struct Hand {
    arrived: Time,
    /// The time when it left the queue.
    taken: Time,
    /// The end of its transmission if nothing else used the wire.
    done: Time,
    /// True if it was given up, without having been sent whole.
    given_up: bool,
    /// True if there is one.
    full: bool,
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
        since: Option<Time>,
        reason: Reason,
        saw: &dyn Fn(&mut dyn Probe),
    ) {
        if let Some(since) = since {
            self.account.stats.stayed(since, self.now);
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
        let port = HeldPort::new(discipline, service, count_in_service);
        let hand = matches!(port.service(), AnyService::DuplexMismatch(_)).then(Box::default);
        HeldQueue { port, rng, info, hand }
    }

    /// A packet comes: when the transmission ends that starts now, if one starts.
    pub(crate) fn arrive<O: Observer>(
        &mut self,
        now: Time,
        queued: QueuedPacket,
        account: &mut Account,
        ctx: &mut PortCtx<'_, O>,
    ) -> Option<Time> {
        account.stats.arrived(now, queued.meta().ip_len);
        let backlog = self.port.backlog().packets;
        ctx.entered(now, &queued, account.link, backlog);
        let mut cx = Cx { now, rng: &mut self.rng, link: &self.info, flows: ctx.flows };
        let start =
            self.port.arrive(&mut cx, queued, &mut QueueSink { now, backlog, account, ctx });
        account.stats.holds(now, self.port.backlog().packets);
        self.started(now, start, account)
    }

    /// The transmission that was due ends: the packet that left and how, and when the next one
    /// ends.
    pub(crate) fn done<O: Observer>(
        &mut self,
        now: Time,
        account: &mut Account,
        ctx: &mut PortCtx<'_, O>,
    ) -> ((QueuedPacket, WireEffect), Option<Time>) {
        if self.hand.is_some() {
            self.through(now, account);
        }
        let backlog = self.port.backlog().packets;
        let mut cx = Cx { now, rng: &mut self.rng, link: &self.info, flows: ctx.flows };
        let (sent, start) = self.port.done(&mut cx, &mut QueueSink { now, backlog, account, ctx });
        (sent, self.started(now, start, account))
    }

    fn started(&mut self, now: Time, start: Option<Start>, account: &mut Account) -> Option<Time> {
        let Start { arrived, done } = start?;
        if self.hand.is_some() {
            self.takes_in_hand(now, arrived, done);
            return Some(done);
        }
        account.stats.served(arrived, now, done);
        account.stats.stayed(arrived, if self.port.counts_service() { done } else { now });
        Some(done)
    }

    /// The packet in transmission does not arrive: broken by what the other end sent, or given up
    /// for it.
    pub(crate) fn loses(&mut self, how: Through) {
        self.port.decide(WireEffect::Lost);
        if let Some(hand) = &mut self.hand {
            hand.given_up = how == Through::GivenUp;
        }
    }

    #[cold]
    fn takes_in_hand(&mut self, now: Time, arrived: Time, done: Time) {
        if let Some(hand) = &mut self.hand {
            **hand = Hand { arrived, taken: now, done, given_up: false, full: true };
        }
    }

    /// The packet in hand, if there is one, was through at `now`.
    #[cold]
    fn through(&mut self, now: Time, account: &mut Account) {
        if let Some(hand) = self.put_down() {
            self.accounts_for(&hand, now, account);
        }
    }

    /// The packet in hand, which is none any more.
    fn put_down(&mut self) -> Option<Hand> {
        let hand = self.hand.as_mut().filter(|hand| hand.full)?;
        hand.full = false;
        Some(**hand)
    }

    /// It was through at `now`. Its transmission is the last one, which went to its end: what it
    /// waited for the wire is wait.
    fn accounts_for(&self, hand: &Hand, now: Time, account: &mut Account) {
        let sent = if hand.given_up { Span::ZERO } else { hand.done.since(hand.taken) };
        account.stats.served(hand.arrived, Time::ZERO + now.since(Time::ZERO + sent), now);
        account
            .stats
            .stayed(hand.arrived, if self.port.counts_service() { now } else { hand.taken });
    }

    /// The discipline's clock is due.
    pub(crate) fn wake<O>(&mut self, now: Time, ctx: &PortCtx<'_, O>) {
        self.port.wake(&mut Cx { now, rng: &mut self.rng, link: &self.info, flows: ctx.flows });
    }
    /// The time of the discipline's next clock.
    pub(crate) fn next_wakeup(&self) -> Option<Time> {
        self.port.next_wakeup()
    }
    /// The run is over: those that still wait have waited until `end`.
    pub(crate) fn close(&mut self, end: Time, account: &mut Account) {
        self.port.waiting_since().into_iter().for_each(|since| account.stats.stayed(since, end));
        if let Some(hand) = self.put_down() {
            // It may have waited for the wire until now: then it begins no sooner.
            self.accounts_for(&hand, hand.done.max(end), account);
        }
    }
    /// The backlog.
    pub(crate) fn backlog(&self) -> Backlog {
        self.port.backlog()
    }
    /// Packets waiting or in transmission.
    pub(crate) fn held(&self) -> u64 {
        self.port.held()
    }
    /// The transmitter.
    pub(crate) fn service(&self) -> &AnyService {
        self.port.service()
    }
    /// The algorithm's numbers.
    pub(crate) fn probe(&self, out: &mut dyn Probe) {
        self.port.qdisc().probe(out);
    }
}
