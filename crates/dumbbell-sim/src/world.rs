//! The network in virtual time: one loop over the agenda, and one `advance` that runs ahead between merges.
use crate::account::Casualties;
use crate::agenda::Agenda;
use crate::audit::Audit;
use crate::entry::{Entry, NONE, Pkt};
use crate::extras::Extras;
use crate::flow::{Flow, RECEIVER, SENDER};
use crate::legend::Legend;
use crate::legs::{End, Leg, Legs, Tail};
use crate::observe::{Observer, Who};
use crate::parcel::Parcel;
use crate::port::{Port, Queue};
use crate::ranks::{Clock, Ranks};
use crate::socket::{Emission, Socket};
use crate::wire::Wire;
use dumbbell_core::flow::FlowTable;
use dumbbell_core::foreign::{Alarm, Failure};
use dumbbell_core::units::Time;
use dumbbell_plan::Plan;

/// One direction of a link.
#[allow(clippy::large_enum_variant)]
pub enum Element {
    /// Without limit, algorithm, impairment or report: arithmetic.
    Wire(Wire),
    /// Everything else.
    Port(Box<Port>),
}

/// How many packets went where.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Entries of the agenda that were handled.
    pub events: u64,
    /// Packets times links.
    pub packet_hops: u64,
    /// Packets that left a socket.
    pub sent: u64,
    /// Packets that arrived at a socket.
    pub delivered: u64,
    /// Packets dropped anywhere.
    pub dropped: u64,
    /// Packets whose next event lies after the end.
    pub cut: u64,
}

/// A network in virtual time.
pub struct World {
    pub(crate) legend: Legend,
    pub(crate) warm: Time,
    pub(crate) end: Time,
    pub(crate) legs: Legs,
    pub(crate) ranks: Ranks,
    pub(crate) agenda: Agenda,
    pub(crate) elements: Vec<Element>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) table: FlowTable,
    pub(crate) extras: Extras,
    pub(crate) casualties: Casualties,
    pub(crate) tally: Tally,
    pub(crate) audit: Option<Audit>,
    alarm: Alarm,
    now: Time,
    emissions: Vec<Emission>,
    /// What a conditioner lets out, during one event.
    released: Vec<Parcel>,
}

/// What a new world is made of.
pub(crate) struct Parts<'a> {
    pub plan: &'a Plan,
    pub legs: Legs,
    pub ranks: Ranks,
    pub agenda: Agenda,
    pub elements: Vec<Element>,
    pub flows: Vec<Flow>,
    pub audit: bool,
    pub alarm: Alarm,
}

/// The parts of the world that a port needs, for one event.
macro_rules! scene {
    ($world:ident, $observer:ident) => {
        &mut $crate::account::Scene {
            flows: &$world.table,
            extras: &$world.extras,
            casualties: &mut $world.casualties,
            observer: $observer,
        }
    };
}
pub(crate) use scene;

impl World {
    pub(crate) fn assemble(parts: Parts<'_>) -> Self {
        let Parts { plan, legs, ranks, agenda, elements, flows, audit, alarm } = parts;
        let mut world = World {
            warm: Time::ZERO + plan.warmup,
            end: Time::ZERO + plan.duration,
            table: FlowTable::new(plan.flows.iter().map(|f| f.info)),
            extras: Extras::default(),
            casualties: Casualties::default(),
            tally: Tally::default(),
            audit: audit.then(Audit::default),
            alarm,
            now: Time::ZERO,
            emissions: Vec::new(),
            released: Vec::new(),
            legend: Legend::of(plan, |link| matches!(elements[link], Element::Port(_))),
            legs,
            ranks,
            agenda,
            elements,
            flows,
        };
        (0..world.flows.len()).for_each(|f| world.arm(f, SENDER));
        for link in 0..world.elements.len() {
            let Element::Port(port) = &mut world.elements[link] else { continue };
            if let Queue::Held(queue) = &port.queue
                && let Some(at) = queue.next_wakeup()
            {
                world.agenda.push(Entry::clock(at.ps(), world.ranks.wake(link as u32)));
            }
            if let Some(at) = port.station.as_mut().and_then(|station| station.arm()) {
                world.agenda.push(Entry::clock(at.ps(), world.ranks.station(link as u32)));
            }
        }
        world
    }

    /// The instant that the agenda has reached.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The algorithm of a caller's own that could not go on, if there was one: what happened since is not what it
    /// would have done. Look after each [`World::run`].
    pub fn failure(&self) -> Option<&Failure> {
        self.alarm.heard()
    }

    /// Handles at most `events` entries; true when the end is reached.
    pub fn run<O: Observer>(&mut self, observer: &mut O, events: u64) -> bool {
        for _ in 0..events {
            let Some(&entry) = self.agenda.pop(self.end.ps()) else {
                self.now = self.end;
                return true;
            };
            self.tally.events += 1;
            self.now = Time::from_ps(entry.t);
            if entry.is_clock() {
                self.clock(entry.rank, observer);
            } else {
                self.arrive(entry, observer);
            }
            if !self.emissions.is_empty() {
                self.launch_all(observer);
            }
        }
        false
    }

    /// A clock is due.
    fn clock<O: Observer>(&mut self, rank: u32, observer: &mut O) {
        match self.ranks.clock(rank) {
            Clock::Socket(socket) => self.due(socket as usize, observer),
            Clock::Done(link) => self.done(link as usize, observer),
            Clock::Wake(link) => self.wake(link as usize, observer),
            Clock::Station(link) => self.station(link, observer),
        }
    }

    /// A packet arrives at a merge.
    #[inline]
    fn arrive<O: Observer>(&mut self, entry: Entry, observer: &mut O) {
        let Leg { link, flow, data, tail } = self.legs.legs[entry.leg as usize];
        let parcel = Parcel { packet: entry.packet, flow, leg: entry.leg, framing: 0, data };
        let Some(element) = self.elements.get_mut(link as usize) else {
            return self.advance(self.now, tail, parcel, observer);
        };
        self.tally.packet_hops += 1;
        if let Element::Port(port) = element
            && let Some(station) = &mut port.station
        {
            station.arrive(self.now, parcel, &mut self.released, &mut port.account, scene!(self, observer));
            return self.release(link, observer);
        }
        self.enter(link, parcel, tail, observer);
    }

    /// A packet comes to the queue of a merge, with `tail` behind it.
    #[inline(always)]
    fn enter<O: Observer>(&mut self, link: u32, mut parcel: Parcel, tail: Tail, observer: &mut O) {
        let at = match &mut self.elements[link as usize] {
            Element::Wire(wire) => Some(wire.pass(self.now, link, &parcel, scene!(self, observer))),
            Element::Port(port) => match port.queue {
                Queue::Arrival(_) => port.pass(self.now, &mut parcel, scene!(self, observer)),
                Queue::Held(_) => {
                    if let Some(done) = port.arrive(self.now, parcel, scene!(self, observer)) {
                        self.agenda.push(Entry::clock(done.ps(), self.ranks.done(link)));
                    }
                    None
                }
            },
        };
        if !self.casualties.is_empty() {
            self.settle_casualties();
        }
        if let Some(at) = at {
            self.advance(at, tail, parcel, observer);
        }
    }

    /// What a conditioner let out goes on to the queue, and its clock gets an entry.
    #[cold]
    fn release<O: Observer>(&mut self, link: u32, observer: &mut O) {
        let mut released = std::mem::take(&mut self.released);
        for parcel in released.drain(..) {
            self.enter(link, parcel, self.legs.legs[parcel.leg as usize].tail, observer);
        }
        self.released = released;
        self.settle_casualties();
        if let Element::Port(port) = &mut self.elements[link as usize]
            && let Some(station) = &mut port.station
            && let Some(at) = station.arm()
        {
            self.agenda.push(Entry::clock(at.ps(), self.ranks.station(link)));
        }
    }

    /// The clock of a conditioner is due.
    fn station<O: Observer>(&mut self, link: u32, observer: &mut O) {
        if let Element::Port(port) = &mut self.elements[link as usize]
            && let Some(station) = &mut port.station
        {
            station.wake(self.now, &mut self.released, &mut port.account, scene!(self, observer));
            self.release(link, observer);
        }
    }

    /// A transmission of a held queue ends.
    fn done<O: Observer>(&mut self, link: usize, observer: &mut O) {
        let Element::Port(port) = &mut self.elements[link] else { return };
        let (parcel, at, next) = port.done(self.now, scene!(self, observer));
        if let Some(next) = next {
            self.agenda.push(Entry::clock(next.ps(), self.ranks.done(link as u32)));
        }
        self.settle_casualties();
        if let Some(at) = at {
            self.advance(at, self.legs.legs[parcel.leg as usize].tail, parcel, observer);
        }
    }

    /// The clock of a held queue is due.
    fn wake<O: Observer>(&mut self, link: usize, observer: &mut O) {
        let Element::Port(port) = &mut self.elements[link] else { return };
        if let Some(at) = port.wake(self.now, scene!(self, observer)) {
            self.agenda.push(Entry::clock(at.ps(), self.ranks.wake(link as u32)));
        }
    }

    /// A socket's entry is due; it may be stale, because deadlines move and entries do not.
    fn due<O: Observer>(&mut self, socket: usize, observer: &mut O) {
        let (flow, end) = (socket / 2, socket % 2);
        let armed = &mut self.flows[flow].sides[end].armed;
        if *armed == self.now {
            *armed = Time::NEVER;
            self.settle_socket(flow, end, self.now, observer);
            self.arm(flow, end);
        }
    }

    /// Lets one end of a flow do what is due of itself by `t`, in order.
    fn settle_socket<O: Observer>(&mut self, f: usize, end: usize, t: Time, observer: &mut O) {
        loop {
            let flow = &mut self.flows[f];
            let due = flow.due(end);
            if due > t {
                return;
            }
            flow.look_until(end, due, observer);
            let mut socket = Socket {
                t: due,
                flow: f as u32,
                end: end as u8,
                emissions: &mut self.emissions,
                extras: &mut self.extras,
            };
            match end {
                SENDER => {
                    let before = if O::FOLLOWS { flow.stance(observer) } else { None };
                    flow.sender_acts(due, &mut socket);
                    if let Some(before) = before {
                        flow.tell_reaction(due, before, observer);
                    }
                }
                _ => flow.receiver_acts(due, &mut socket),
            }
        }
    }

    /// Sees to it that the agenda holds an entry at or before the next deadline of this end.
    fn arm(&mut self, f: usize, end: usize) {
        if let Some(due) = self.flows[f].due_unarmed(end) {
            self.arm_at(f, end, due);
        }
    }

    #[cold]
    fn arm_at(&mut self, f: usize, end: usize, due: Time) {
        self.flows[f].sides[end].armed = due;
        if due <= self.end {
            self.agenda.push(Entry::clock(due.ps(), self.ranks.socket((2 * f + end) as u32)));
        }
    }

    /// Sends on what sockets emitted, and what that makes other sockets emit.
    #[inline]
    fn launch_all<O: Observer>(&mut self, observer: &mut O) {
        let mut i = 0;
        while let Some(&Emission { t, flow, end, mut packet }) = self.emissions.get(i) {
            i += 1;
            self.tally.sent += 1;
            if let Some(audit) = &mut self.audit {
                packet.extra = self.extras.tag(packet.extra, audit.sent());
            }
            let f = &mut self.flows[flow as usize];
            let side = &mut f.sides[usize::from(end)];
            side.sent.mix(t.ps());
            side.sent.mix(packet.word());
            let tail = side.tail;
            let data = usize::from(end) == SENDER;
            let leaves = if data { f.leaves(t) } else { t };
            if O::FOLLOWS {
                packet.extra = self.follow(t, flow, data, packet, observer);
            }
            self.advance(leaves, tail, Parcel { packet, flow, leg: 0, framing: 0, data }, observer);
        }
        self.emissions.clear();
    }

    /// Tells an observer that follows packets of one that its socket sent; the handle that the packet now has.
    fn follow<O: Observer>(&mut self, t: Time, flow: u32, data: bool, packet: Pkt, observer: &mut O) -> u32 {
        let who = Who { flow: flow as usize, data, number: observer.follow(flow as usize, data) };
        if who.number == 0 {
            return packet.extra;
        }
        observer.sent(t, who, &packet.segment(), self.extras.get(packet.extra));
        self.extras.follow(packet.extra, who.number)
    }

    /// Runs a packet ahead from `t` over private links, to the next merge or to a socket. The only place where
    /// folding happens: a loop, not a special case. Inlined, because a call would take longer than most of its loops.
    #[inline(always)]
    fn advance<O: Observer>(&mut self, mut t: Time, tail: Tail, mut parcel: Parcel, observer: &mut O) {
        for i in tail.from..tail.to {
            if t > self.end {
                return self.cut(parcel.packet);
            }
            self.tally.packet_hops += 1;
            let link = self.legs.hops[i as usize];
            match &mut self.elements[link as usize] {
                Element::Wire(wire) => t = wire.pass(t, link, &parcel, scene!(self, observer)),
                Element::Port(port) => {
                    let at = port.pass(t, &mut parcel, scene!(self, observer));
                    if !self.casualties.is_empty() {
                        self.settle_casualties();
                    }
                    let Some(at) = at else { return };
                    t = at;
                }
            }
        }
        if t > self.end {
            return self.cut(parcel.packet);
        }
        match tail.end {
            End::Merge(leg, rank) => self.agenda.push(Entry { t: t.ps(), rank, leg, packet: parcel.packet }),
            End::Receiver(f) => self.deliver::<RECEIVER, O>(f as usize, t, parcel.packet, observer),
            End::Sender(f) => self.deliver::<SENDER, O>(f as usize, t, parcel.packet, observer),
        }
    }

    /// A packet arrives at one end of a flow. The end's own timers that were due before come first; one that is due
    /// at this very instant comes after. Compiled once for each end, and not into each caller of `advance`.
    #[inline(never)]
    fn deliver<const END: usize, O: Observer>(&mut self, f: usize, t: Time, packet: Pkt, observer: &mut O) {
        self.tally.delivered += 1;
        if let Some(audit) = &mut self.audit {
            audit.delivered(self.extras.audit(packet.extra));
        }
        if self.flows[f].due(END) < t {
            self.settle_socket(f, END, Time::from_ps(t.ps() - 1), observer);
        }
        if O::FOLLOWS && packet.extra != NONE {
            let who = Who { flow: f, data: END == RECEIVER, number: self.extras.number(packet.extra) };
            if who.number != 0 {
                observer.delivered(t, who, packet.ecn);
            }
        }
        let extra = self.extras.take(packet.extra);
        let flow = &mut self.flows[f];
        flow.look_until(END, t, observer);
        let before = if O::FOLLOWS && END == SENDER { flow.stance(observer) } else { None };
        let mut socket =
            Socket { t, flow: f as u32, end: END as u8, emissions: &mut self.emissions, extras: &mut self.extras };
        match END {
            SENDER => flow.sender_gets(t, &packet.segment(), extra.as_ref(), &mut socket),
            _ => flow.receiver_gets(t, &packet.segment(), extra.as_ref(), &mut socket),
        }
        if let Some(before) = before {
            flow.tell_reaction(t, before, observer);
        }
        debug_assert!(flow.due(END) >= t, "flow {f} wants to act in the past: at {:?}, and it is {t:?}", flow.due(END));
        if let Some(due) = flow.due_unarmed(END) {
            self.arm_at(f, END, due);
        }
    }

    /// A packet whose next event lies after the end: it is still in the network.
    fn cut(&mut self, packet: Pkt) {
        self.tally.cut += 1;
        if let Some(audit) = &mut self.audit {
            audit.cut(self.extras.audit(packet.extra));
        }
        self.extras.take(packet.extra);
    }

    /// Takes drops to the accounts of their flows.
    #[cold]
    pub(crate) fn settle_casualties(&mut self) {
        let (warm, end) = (self.warm, self.end);
        for (t, parcel) in self.casualties.drain(..) {
            if t > end {
                // Lost on the wire after the end: at the end it was still on its way.
                self.tally.cut += 1;
            } else {
                self.tally.dropped += 1;
                if parcel.data && t >= warm {
                    self.flows[parcel.flow as usize].loses();
                }
            }
            if let Some(audit) = &mut self.audit {
                audit.dropped(self.extras.audit(parcel.packet.extra));
            }
            self.extras.take(parcel.packet.extra);
        }
    }
}
