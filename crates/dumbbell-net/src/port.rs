//! A port of the simulated network: its queue, decided at arrival or held, and the wire behind it.
use crate::account::{Account, Event, Scene};
use crate::arrival::ArrivalQueue;
use crate::entry::{NONE, Pkt};
use crate::held::HeldQueue;
use crate::observe::{Looks, Observer, QueueRow};
use crate::parcel::Parcel;
use crate::station::Station;
use dumbbell_algos::impairment::AnyImpairment;
use dumbbell_algos::service::AnyService;
use dumbbell_core::aqm::{Backlog, Reason};
use dumbbell_core::impairment::Fate;
use dumbbell_core::packet::Framing;
use dumbbell_core::probe::Gauges;
use dumbbell_core::rng::Stream;
use dumbbell_core::service::{Service, Taken};
use dumbbell_core::units::{Span, Time};

/// How a queue decides.
#[allow(clippy::large_enum_variant)]
pub enum Queue {
    /// When a packet arrives; it keeps no packets.
    Arrival(ArrivalQueue),
    /// Also when one departs; it keeps them.
    Held(HeldQueue),
}

/// One port, and the wire behind it.
pub struct Port {
    /// What packets pass before the queue.
    pub station: Option<Box<Station>>,
    /// The queue.
    pub queue: Queue,
    /// Its account.
    pub account: Account,
    /// What the wire does to packets, each with its own chance.
    pub impairments: Vec<(AnyImpairment, Stream)>,
    /// When it is looked at.
    pub looks: Looks,
    /// Nothing of its own is due before this instant: no clock, no look, no idle period to be told.
    pub quiet_until: Time,
    /// What the link adds to each packet.
    pub framing: Framing,
    /// Largest IP packet that passes without a question, bytes.
    pub mtu: u32,
    /// Propagation delay.
    pub delay: Span,
}

impl Port {
    /// A packet comes to a queue that decides at arrival: when it is at the far end, or `None` if it is lost.
    pub fn pass<O: Observer>(
        &mut self,
        t: Time,
        packet: &mut Pkt,
        (socket, leg): (u32, u32),
        scene: &mut Scene<'_, O>,
    ) -> Option<Time> {
        let mut parcel = Parcel::new(*packet, socket, leg);
        let at = self.takes(t, &mut parcel, scene);
        *packet = parcel.packet;
        at
    }

    #[inline(always)]
    fn takes<O: Observer>(&mut self, t: Time, parcel: &mut Parcel, scene: &mut Scene<'_, O>) -> Option<Time> {
        if t >= self.quiet_until {
            self.settle(t, scene);
        }
        self.frames(parcel, scene);
        let Queue::Arrival(queue) = &mut self.queue else { unreachable!("a held queue is a merge") };
        let taken = queue.offer(t, parcel, &mut self.account, scene)?;
        self.quiet_until = taken.done.min(self.quiet_until);
        self.onto_the_wire(taken, parcel, scene)
    }

    /// Says on the packet what the link adds to it, and whether it is a fragment.
    #[inline]
    fn frames<O: Observer>(&self, parcel: &mut Parcel, scene: &Scene<'_, O>) {
        parcel.framing = self.framing;
        let handle = parcel.packet.extra();
        parcel.fragment = handle != NONE && scene.extras.fragment(handle).is_some();
    }

    /// A packet comes that is larger than the link carries, and must not be cut: it is dropped.
    #[cold]
    pub fn refuse<O: Observer>(&mut self, t: Time, parcel: Parcel, scene: &mut Scene<'_, O>) {
        if t >= self.quiet_until {
            self.settle(t, scene);
        }
        self.account.stats.arrived(t, u32::from(parcel.packet.ip_len()));
        self.account.stats.came(parcel.flow, u32::from(parcel.packet.ip_len()), parcel.packet.dscp());
        self.account.drop(parcel, &Event { t, reason: Reason::Mtu, backlog: 0, saw: &|_| {} }, scene);
    }

    /// The packet left at `done`: when it is at the far end, or `None` if it is lost.
    #[inline(always)]
    fn onto_the_wire<O: Observer>(
        &mut self,
        Taken { done, fate }: Taken,
        parcel: &mut Parcel,
        scene: &mut Scene<'_, O>,
    ) -> Option<Time> {
        if fate != Fate::Arrives || !self.impairments.is_empty() {
            return self.suffers(done, fate, parcel, scene);
        }
        let at = done + self.delay;
        self.account.departed(done, parcel);
        scene.left(parcel, self.account.link, done, at);
        Some(at)
    }

    /// A packet comes to a held queue: when the transmission ends that starts now, if one starts.
    pub fn arrive<O: Observer>(&mut self, t: Time, mut parcel: Parcel, scene: &mut Scene<'_, O>) -> Option<Time> {
        self.look_until(t, scene.observer);
        self.frames(&mut parcel, scene);
        self.account.stats.came(parcel.flow, u32::from(parcel.packet.ip_len()), parcel.packet.dscp());
        let Queue::Held(queue) = &mut self.queue else { unreachable!("asked of a queue that decides at arrival") };
        let done = queue.arrive(t, parcel, &mut self.account, scene);
        self.account.stats.became(t, queue.backlog());
        done
    }

    /// A transmission of a held queue ends: the packet, when it is at the far end (`None`: lost on the wire), and
    /// when the next transmission ends.
    pub fn done<O: Observer>(&mut self, t: Time, scene: &mut Scene<'_, O>) -> (Parcel, Option<Time>, Option<Time>) {
        self.look_before(t, scene.observer);
        let Queue::Held(queue) = &mut self.queue else { unreachable!("asked of a queue that decides at arrival") };
        let ((mut parcel, fate), next) = queue.done(t, &mut self.account, scene);
        self.account.stats.became(t, queue.backlog());
        let at = self.onto_the_wire(Taken { done: t, fate }, &mut parcel, scene);
        (parcel, at, next)
    }

    /// A clock of a held queue is due; when it is due again.
    pub fn wake<O: Observer>(&mut self, t: Time, scene: &mut Scene<'_, O>) -> Option<Time> {
        self.look_before(t, scene.observer);
        let Queue::Held(queue) = &mut self.queue else { unreachable!("asked of a queue that decides at arrival") };
        queue.wake(t, scene);
        self.account.stats.became(t, queue.backlog());
        queue.next_wakeup()
    }

    /// Brings the port up to `t`: clocks of a queue that decides at arrival, and looks, in order of time; at one
    /// instant departures come first, then clocks, then looks.
    #[inline]
    pub fn settle<O: Observer>(&mut self, t: Time, scene: &mut Scene<'_, O>) {
        loop {
            let clock = match &self.queue {
                Queue::Arrival(queue) => queue.next_clock(),
                Queue::Held(_) => Time::NEVER,
            };
            let look = self.next_look();
            self.quiet_until = clock.min(look);
            if self.quiet_until > t {
                return;
            }
            match &mut self.queue {
                Queue::Arrival(queue) if clock <= look => queue.clock(scene.flows, &mut self.account.stats),
                _ => self.look(scene.observer),
            }
        }
    }

    fn look_before(&mut self, t: Time, observer: &mut impl Observer) {
        if t > Time::ZERO {
            self.look_until(Time::from_ps(t.ps() - 1), observer);
        }
    }

    #[inline]
    fn look_until(&mut self, t: Time, observer: &mut impl Observer) {
        while self.next_look() <= t {
            self.look(observer);
        }
    }

    /// When somebody looks next: for a row of a series, or for the measures.
    #[inline]
    fn next_look(&self) -> Time {
        self.looks.next().min(self.account.stats.next_turn())
    }

    #[cold]
    fn look(&mut self, observer: &mut impl Observer) {
        let at = self.next_look();
        let backlog = self.backlog_at(at);
        if self.account.stats.next_turn() == at {
            self.account.stats.turn(backlog);
        }
        if self.looks.next() > at {
            return;
        }
        let due = self.looks.take();
        if !due.sample {
            return;
        }
        let mut gauges = Gauges::default();
        match &self.queue {
            Queue::Arrival(q) => q.probe(&mut gauges),
            Queue::Held(q) => q.probe(&mut gauges),
        }
        let dropped = self.account.stats.total.dropped();
        let row = QueueRow { packets: backlog.packets, bytes: backlog.bytes, dropped, gauges };
        observer.queue(due.at, self.account.link, &row);
    }

    /// What waits at `t`, by when everything before is settled.
    fn backlog_at(&mut self, t: Time) -> Backlog {
        match &mut self.queue {
            Queue::Arrival(q) => {
                q.drain(t, &mut self.account.stats);
                q.backlog()
            }
            Queue::Held(q) => q.backlog(),
        }
    }

    /// The run is over at `end`.
    pub fn close<O: Observer>(&mut self, end: Time, scene: &mut Scene<'_, O>) {
        if let Some(station) = &mut self.station {
            station.close(end, self.account.link, scene.observer);
        }
        self.settle(end, scene);
        let backlog = self.backlog_at(end);
        self.account.stats.close(backlog);
        if let Queue::Held(q) = &mut self.queue {
            q.close(end, &mut self.account);
        }
    }

    /// Bits sent over bits that the transmitter could have sent, in the window.
    pub fn utilization(&self) -> f64 {
        self.service().utilization().unwrap_or_else(|| self.account.stats.busy_share())
    }

    /// The transmitter.
    pub fn service(&self) -> &AnyService {
        match &self.queue {
            Queue::Arrival(q) => q.service(),
            Queue::Held(q) => q.service(),
        }
    }

    /// Packets that came to the queue and are neither through nor dropped at the end.
    pub fn inside(&self) -> u64 {
        self.account.late() + self.in_queue()
    }

    /// Packets that it holds in queue and station; a queue that decides at arrival holds none.
    pub fn held(&self) -> u64 {
        self.in_queue() + self.station.as_ref().map_or(0, |s| s.held())
    }

    fn in_queue(&self) -> u64 {
        match &self.queue {
            Queue::Arrival(_) => 0,
            Queue::Held(q) => q.held(),
        }
    }
}
