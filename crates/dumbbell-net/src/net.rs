//! Everything between sockets, and the one function that runs packets ahead between merges.
use crate::account::{Casualties, Copied, Copies};
use crate::agenda::Agenda;
use crate::audit::Audit;
use crate::cutting::Cuts;
use crate::entry::{Entry, Pkt};
use crate::exit::Exit;
use crate::extras::Extras;
use crate::large::Large;
use crate::legs::{End, Leg, Legs, Tail};
use crate::media::Media;
use crate::observe::{Observer, Who};
use crate::parcel::Parcel;
use crate::port::{Port, Queue};
use crate::ranks::Ranks;
use crate::wire::Wire;
use crate::words::Words;
use dumbbell_core::aqm::Reason;
use dumbbell_core::flow::FlowTable;
use dumbbell_core::units::Time;

/// The end of a flow that sends its data, in the numbers of sockets.
pub const SENDER: usize = 0;
/// The other end.
pub const RECEIVER: usize = 1;

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
    /// Copies that wires made.
    pub copied: u64,
    /// Of those dropped, how many at a socket, for a wrong bit.
    pub discarded: u64,
    /// What became of packets that were too large.
    pub cuts: Cuts,
}

/// A packet that came to a socket without a merge on its way there.
#[derive(Clone, Copy)]
pub struct Landing {
    /// When.
    pub t: Time,
    /// At which socket: 2 x flow + end.
    pub at: u32,
    /// The packet.
    pub packet: Pkt,
}

/// The network without its sockets.
pub struct Net {
    /// When the run ends: what happens later is not its own any more.
    pub end: Time,
    /// Its routes, cut at merges.
    pub legs: Legs,
    /// Who comes first at one instant.
    pub ranks: Ranks,
    /// What is still to come.
    pub agenda: Agenda,
    /// Of each link.
    pub elements: Vec<Element>,
    /// Of each socket (2 x flow + end).
    pub exits: Vec<Exit>,
    /// What routers know of flows.
    pub table: FlowTable,
    /// What only some packets carry.
    pub extras: Extras,
    /// Drops that their flows are to be told of.
    pub casualties: Casualties,
    /// Copies of the packet that passed a wire just now.
    pub copies: Copies,
    /// Packets that their sockets are to be given.
    pub landings: Vec<Landing>,
    /// How many packets went where.
    pub tally: Tally,
    /// The account of each packet by number, if it is kept.
    pub audit: Option<Audit>,
    /// What is known of packets that do not fit everywhere.
    pub large: Option<Box<Large>>,
    /// What is still to be said to sockets.
    pub words: Words,
    /// Wires that both directions share.
    pub media: Option<Box<Media>>,
    /// What a conditioner lets out, during one event.
    pub released: Vec<Parcel>,
}

/// The parts of the network that a port needs, for one event.
macro_rules! scene {
    ($net:expr, $observer:ident) => {
        &mut $crate::account::Scene {
            flows: &$net.table,
            extras: &mut $net.extras,
            casualties: &mut $net.casualties,
            copies: &mut $net.copies,
            observer: $observer,
        }
    };
}
pub(crate) use scene;

impl Net {
    /// A network in which nothing is on its way.
    pub fn new(end: Time, legs: Legs, ranks: Ranks, agenda: Agenda, elements: Vec<Element>, exits: Vec<Exit>) -> Self {
        Net {
            end,
            legs,
            ranks,
            agenda,
            elements,
            exits,
            table: FlowTable::default(),
            extras: Extras::default(),
            casualties: Casualties::default(),
            copies: Copies::default(),
            landings: Vec::new(),
            tally: Tally::default(),
            audit: None,
            large: None,
            words: Words::default(),
            media: None,
            released: Vec::new(),
        }
    }

    /// The first entries of ports that have a clock.
    pub fn arm(&mut self) {
        for link in 0..self.elements.len() {
            let Element::Port(port) = &mut self.elements[link] else { continue };
            if let Queue::Held(queue) = &port.queue
                && let Some(at) = queue.next_wakeup()
            {
                self.agenda.push(Entry::clock(at.ps(), self.ranks.wake(link as u32)));
            }
            if let Some(at) = port.station.as_mut().and_then(|station| station.arm()) {
                self.agenda.push(Entry::clock(at.ps(), self.ranks.station(link as u32)));
            }
        }
    }

    /// A packet leaves a socket at `t`. Inlined, because the one place that nearly always sends is the hot path.
    #[inline(always)]
    pub fn launch<O: Observer>(&mut self, t: Time, socket: u32, mut packet: Pkt, observer: &mut O) {
        self.tally.sent += 1;
        if let Some(audit) = &mut self.audit {
            packet = packet.with_extra(self.extras.tag(packet.extra(), audit.sent()));
        }
        let exit = &mut self.exits[socket as usize];
        packet.put_dscp(exit.dscp);
        let (leaves, tail) = (exit.leaves(t, &packet), exit.tail);
        if O::FOLLOWS {
            packet = packet.with_extra(self.follow(t, socket, packet, observer));
        }
        if let Some(landing) = self.advance(leaves, &tail, socket, packet, observer) {
            self.landings.push(landing);
        }
    }

    /// Tells an observer that follows packets of one that its socket sent; the handle that the packet now has.
    fn follow<O: Observer>(&mut self, t: Time, socket: u32, packet: Pkt, observer: &mut O) -> u32 {
        let (flow, data) = (socket / 2, socket as usize % 2 == SENDER);
        let who = Who { flow: flow as usize, data, number: observer.follow(flow as usize, data) };
        if who.number == 0 {
            return packet.extra();
        }
        observer.sent(t, who, &packet.segment(), self.extras.get(packet.extra()));
        self.extras.follow(packet.extra(), who.number)
    }

    /// Runs a packet ahead from `t` over private links to the end of `tail`; its landing, if that is a socket.
    /// The only place where folding happens: a loop, not a special case.
    #[inline(always)]
    pub fn advance<O: Observer>(
        &mut self,
        mut t: Time,
        tail: &Tail,
        socket: u32,
        mut packet: Pkt,
        observer: &mut O,
    ) -> Option<Landing> {
        for i in tail.from..tail.to {
            if t > self.end {
                self.cut(packet);
                return None;
            }
            let link = self.legs.hops[i as usize];
            match &mut self.elements[link as usize] {
                Element::Wire(wire) if !O::FOLLOWS => {
                    self.tally.packet_hops += 1;
                    t = wire.pass(t, packet.ip_len());
                }
                _ => t = self.pass_between(t, &tail.past(i), &mut packet, socket, observer)?,
            }
        }
        if t > self.end {
            self.cut(packet);
            return None;
        }
        match tail.end() {
            End::Merge(leg, rank) => {
                self.agenda.push(Entry { t: t.ps(), rank, leg, packet });
                None
            }
            End::Socket(at) => Some(Landing { t, at, packet }),
        }
    }

    /// A packet passes a link that is more than arithmetic, or that somebody looks at; when it is at the far end, if
    /// that is known now.
    #[inline(always)]
    fn pass<O: Observer>(
        &mut self,
        t: Time,
        link: u32,
        packet: &mut Pkt,
        (socket, leg): (u32, u32),
        observer: &mut O,
    ) -> Option<Time> {
        self.tally.packet_hops += 1;
        match &mut self.elements[link as usize] {
            Element::Wire(wire) => {
                let at = wire.pass(t, packet.ip_len());
                wire.tell(t, link, &Parcel::new(*packet, socket, leg), scene!(self, observer));
                Some(at)
            }
            Element::Port(port) => {
                if u32::from(packet.ip_len()) > port.mtu {
                    return self.too_large(t, link, packet, (socket, leg), observer);
                }
                match port.queue {
                    Queue::Arrival(_) if port.station.is_none() => {
                        port.pass(t, packet, (socket, leg), scene!(self, observer))
                    }
                    _ => {
                        self.wait(t, link, Parcel::new(*packet, socket, leg), observer);
                        None
                    }
                }
            }
        }
    }

    /// A packet that was found to fit comes to a port; when it is at the far end, if that is known now.
    pub fn fits<O: Observer>(
        &mut self,
        t: Time,
        link: u32,
        packet: &mut Pkt,
        (socket, leg): (u32, u32),
        observer: &mut O,
    ) -> Option<Time> {
        let Element::Port(port) = &mut self.elements[link as usize] else { return None };
        match port.queue {
            Queue::Arrival(_) if port.station.is_none() => port.pass(t, packet, (socket, leg), scene!(self, observer)),
            _ => {
                self.wait(t, link, Parcel::new(*packet, socket, leg), observer);
                None
            }
        }
    }

    /// The same of the first link of `tail`, between merges, where wires are the rule. A packet that has copies goes on
    /// with them from here.
    #[inline(never)]
    fn pass_between<O: Observer>(
        &mut self,
        t: Time,
        tail: &Tail,
        packet: &mut Pkt,
        socket: u32,
        observer: &mut O,
    ) -> Option<Time> {
        let link = self.legs.hops[tail.from as usize];
        let at = self.pass(t, link, packet, (socket, 0), observer);
        if self.copies.is_empty() {
            return at;
        }
        self.together(at, *packet, &tail.past(tail.from + 1), socket, observer);
        None
    }

    /// A packet arrives at a merge at `now`; its landing, if a socket is behind it.
    #[inline]
    pub fn arrive<O: Observer>(&mut self, now: Time, entry: &Entry, observer: &mut O) -> Option<Landing> {
        let Leg { link, socket, tail } = self.legs.legs[entry.leg as usize];
        let mut packet = entry.packet;
        let at = match self.elements.get_mut(link as usize) {
            None => now,
            Some(Element::Wire(wire)) if !O::FOLLOWS => {
                self.tally.packet_hops += 1;
                wire.pass(now, packet.ip_len())
            }
            Some(_) => {
                let at = self.pass(now, link, &mut packet, (socket, entry.leg), observer);
                if !self.copies.is_empty() {
                    self.together(at, packet, &tail, socket, observer);
                    return None;
                }
                at?
            }
        };
        self.advance(at, &tail, socket, packet, observer)
    }

    /// A packet goes on behind a port, with its copies, off the hot path; `at`: when it is there, unless it is lost.
    pub fn goes_on<O: Observer>(&mut self, at: Option<Time>, parcel: Parcel, observer: &mut O) {
        if at.is_some() || !self.copies.is_empty() {
            let tail = self.legs.legs[parcel.leg as usize].tail;
            self.together(at, parcel.packet, &tail, parcel.socket(), observer);
        }
    }

    /// A packet goes on from the start of `tail`, and behind it the copies that were made of it: each as far as it comes
    /// before the next one does, so that every link sees them in their order.
    #[inline(never)]
    fn together<O: Observer>(&mut self, at: Option<Time>, packet: Pkt, tail: &Tail, socket: u32, observer: &mut O) {
        let copies = std::mem::take(&mut self.copies);
        if !copies.is_empty() {
            self.counts(&copies);
        }
        let all = at.map(|at| (at, packet)).into_iter();
        for (at, packet) in all.chain(copies.iter().filter_map(|c| Some((c.at?, c.parcel.packet)))) {
            if let Some(landing) = self.advance(at, tail, socket, packet, observer) {
                self.landings.push(landing);
            }
        }
    }

    /// Copies are packets more; the pieces among them were counted where they were cut.
    #[cold]
    fn counts(&mut self, copies: &[Copied]) {
        for copy in copies.iter().filter(|c| !c.piece) {
            self.tally.copied += 1;
            if let Some(audit) = &mut self.audit {
                audit.copied(self.extras.audit(copy.parcel.packet.extra()));
            }
        }
    }

    /// A packet whose next event lies after the end: it is still in the network.
    #[cold]
    fn cut(&mut self, packet: Pkt) {
        self.tally.cut += 1;
        if let Some(audit) = &mut self.audit {
            audit.cut(self.extras.audit(packet.extra()));
        }
        self.extras.take(packet.extra());
    }

    /// Takes drops to the account of the run; calls `lost` with each data packet that was dropped, when and why, and whether it
    /// is the first of its datagram that is told: of fragments one speaks for all, before the window, which begins at `warm`,
    /// and in it.
    #[cold]
    pub fn bury(&mut self, warm: Time, mut lost: impl FnMut(Time, &Parcel, Reason, bool)) {
        for (t, parcel, why) in self.casualties.drain(..) {
            if t > self.end {
                // Lost on the wire after the end: at the end it was still on its way.
                self.tally.cut += 1;
            } else {
                self.tally.dropped += 1;
                if parcel.data {
                    lost(t, &parcel, why, self.extras.loses(parcel.packet.extra(), t >= warm));
                }
            }
            if let Some(audit) = &mut self.audit {
                audit.dropped(self.extras.audit(parcel.packet.extra()));
            }
            self.extras.take(parcel.packet.extra());
        }
    }
}
