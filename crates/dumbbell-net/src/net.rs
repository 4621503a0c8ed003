//! Everything between sockets, and the one function that runs packets ahead between merges.
mod held_ports;
use crate::port::account::{Drops, PacketCopy, Copies};
use crate::engine::agenda::Agenda;
use crate::engine::audit::Audit;
use crate::fragment::cut::FragmentationCounts;
use crate::engine::entry::{Entry, Pkt};
use crate::engine::egress::Egress;
use crate::engine::sidecar::Sidecars;
use crate::fragment::oversize::Oversize;
use crate::engine::path::{End, PathSegment, Paths, RunAhead};
use crate::link::shared_medium::SharedMedia;
use crate::observe::{Observer, PacketId};
use crate::engine::queued_packet::QueuedPacket;
use crate::port::{Port, Queue};
use crate::engine::ranks::Ranks;
use crate::link::wire::Wire;
use crate::engine::host_signals::HostSignals;
use dumbbell_core::aqm::Reason;
use dumbbell_core::packet::flow::FlowTable;
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
    pub beyond_end: u64,
    /// Copies that wires made.
    pub copied: u64,
    /// Of those dropped, how many at a socket, for a wrong bit.
    pub discarded: u64,
    /// What became of packets that were too large.
    pub cuts: FragmentationCounts,
}

/// A packet that came to a socket without a merge on its way there.
#[derive(Clone, Copy)]
pub struct Delivery {
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
    pub paths: Paths,
    /// Who comes first at one instant.
    pub ranks: Ranks,
    /// What is still to come.
    pub agenda: Agenda,
    /// Of each link.
    pub elements: Vec<Element>,
    /// Of each socket (2 x flow + end).
    pub egresses: Vec<Egress>,
    /// What routers know of flows.
    pub table: FlowTable,
    /// What only some packets carry.
    pub sidecars: Sidecars,
    /// Drops that their flows are to be told of.
    pub drops: Drops,
    /// Copies of the packet that passed a wire just now.
    pub copies: Copies,
    /// Packets that their sockets are to be given.
    pub deliveries: Vec<Delivery>,
    /// How many packets went where.
    pub tally: Tally,
    /// The account of each packet by number, if it is kept.
    pub audit: Option<Audit>,
    /// What is known of packets that do not fit everywhere.
    pub oversize: Option<Box<Oversize>>,
    /// What is still to be said to sockets.
    pub host_signals: HostSignals,
    /// Wires that both directions share.
    pub shared_media: Option<Box<SharedMedia>>,
    /// What a conditioner lets out, during one event.
    pub released: Vec<QueuedPacket>,
}

/// The parts of the network that a port needs, for one event.
macro_rules! port_ctx {
    ($net:expr, $observer:ident) => {
        &mut $crate::port::account::PortCtx {
            flows: &$net.table,
            sidecars: &mut $net.sidecars,
            drops: &mut $net.drops,
            copies: &mut $net.copies,
            observer: $observer,
        }
    };
}
pub(crate) use port_ctx;

impl Net {
    /// A network in which nothing is on its way.
    pub fn new(end: Time, paths: Paths, ranks: Ranks, agenda: Agenda, elements: Vec<Element>, egresses: Vec<Egress>) -> Self {
        Net {
            end,
            paths,
            ranks,
            agenda,
            elements,
            egresses,
            table: FlowTable::default(),
            sidecars: Sidecars::default(),
            drops: Drops::default(),
            copies: Copies::default(),
            deliveries: Vec::new(),
            tally: Tally::default(),
            audit: None,
            oversize: None,
            host_signals: HostSignals::default(),
            shared_media: None,
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
            if let Some(at) = port.edge.as_mut().and_then(|edge| edge.arm()) {
                self.agenda.push(Entry::clock(at.ps(), self.ranks.edge(link as u32)));
            }
        }
    }

    /// A packet leaves a socket at `t`. Inlined, because the one place that nearly always sends is the hot path.
    #[inline(always)]
    pub fn launch<O: Observer>(&mut self, t: Time, socket: u32, mut packet: Pkt, observer: &mut O) {
        self.tally.sent += 1;
        if let Some(audit) = &mut self.audit {
            packet = packet.with_sidecar(self.sidecars.tag(packet.sidecar(), audit.sent()));
        }
        let egress = &mut self.egresses[socket as usize];
        packet.put_dscp(egress.dscp);
        let (leaves, run_ahead) = (egress.leaves(t, &packet), egress.run_ahead);
        if O::FOLLOWS {
            packet = packet.with_sidecar(self.follow(t, socket, packet, observer));
        }
        if let Some(delivery) = self.advance(leaves, &run_ahead, socket, packet, observer) {
            self.deliveries.push(delivery);
        }
    }

    /// Tells an observer that follows packets of one that its socket sent; the handle that the packet now has.
    fn follow<O: Observer>(&mut self, t: Time, socket: u32, packet: Pkt, observer: &mut O) -> u32 {
        let (flow, data) = (socket / 2, socket as usize % 2 == SENDER);
        let who = PacketId { flow: flow as usize, data, number: observer.follow(flow as usize, data) };
        if who.number == 0 {
            return packet.sidecar();
        }
        observer.sent(t, who, &packet.segment(), self.sidecars.get(packet.sidecar()));
        self.sidecars.follow(packet.sidecar(), who.number)
    }

    /// Runs a packet ahead from `t` over private links to the end of `run_ahead`; its delivery, if that is a socket.
    /// The only place where folding happens: a loop, not a special case.
    #[inline(always)]
    pub fn advance<O: Observer>(
        &mut self,
        mut t: Time,
        run_ahead: &RunAhead,
        socket: u32,
        mut packet: Pkt,
        observer: &mut O,
    ) -> Option<Delivery> {
        for i in run_ahead.from..run_ahead.to {
            if t > self.end {
                self.beyond_end(packet);
                return None;
            }
            let link = self.paths.hops[i as usize];
            match &mut self.elements[link as usize] {
                Element::Wire(wire) if !O::FOLLOWS => {
                    self.tally.packet_hops += 1;
                    t = wire.pass(t, packet.ip_len());
                }
                _ => t = self.pass_between(t, &run_ahead.past(i), &mut packet, socket, observer)?,
            }
        }
        if t > self.end {
            self.beyond_end(packet);
            return None;
        }
        match run_ahead.end() {
            End::Merge(path_segment, rank) => {
                self.agenda.push(Entry { t: t.ps(), rank, path_segment, packet });
                None
            }
            End::Socket(at) => Some(Delivery { t, at, packet }),
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
        (socket, path_segment): (u32, u32),
        observer: &mut O,
    ) -> Option<Time> {
        self.tally.packet_hops += 1;
        match &mut self.elements[link as usize] {
            Element::Wire(wire) => {
                let at = wire.pass(t, packet.ip_len());
                wire.tell(t, link, &QueuedPacket::new(*packet, socket, path_segment), port_ctx!(self, observer));
                Some(at)
            }
            Element::Port(port) => {
                if u32::from(packet.ip_len()) > port.mtu {
                    return self.too_large(t, link, packet, (socket, path_segment), observer);
                }
                match port.queue {
                    Queue::Arrival(_) if port.edge.is_none() => {
                        port.pass(t, packet, (socket, path_segment), port_ctx!(self, observer))
                    }
                    _ => {
                        self.wait(t, link, QueuedPacket::new(*packet, socket, path_segment), observer);
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
        (socket, path_segment): (u32, u32),
        observer: &mut O,
    ) -> Option<Time> {
        let Element::Port(port) = &mut self.elements[link as usize] else { return None };
        match port.queue {
            Queue::Arrival(_) if port.edge.is_none() => port.pass(t, packet, (socket, path_segment), port_ctx!(self, observer)),
            _ => {
                self.wait(t, link, QueuedPacket::new(*packet, socket, path_segment), observer);
                None
            }
        }
    }

    /// The same of the first link of `run_ahead`, between merges, where wires are the rule. A packet that has copies goes on
    /// with them from here.
    #[inline(never)]
    fn pass_between<O: Observer>(
        &mut self,
        t: Time,
        run_ahead: &RunAhead,
        packet: &mut Pkt,
        socket: u32,
        observer: &mut O,
    ) -> Option<Time> {
        let link = self.paths.hops[run_ahead.from as usize];
        let at = self.pass(t, link, packet, (socket, 0), observer);
        if self.copies.is_empty() {
            return at;
        }
        self.together(at, *packet, &run_ahead.past(run_ahead.from + 1), socket, observer);
        None
    }

    /// A packet arrives at a merge at `now`; its delivery, if a socket is behind it.
    #[inline]
    pub fn arrive<O: Observer>(&mut self, now: Time, entry: &Entry, observer: &mut O) -> Option<Delivery> {
        let PathSegment { link, socket, run_ahead } = self.paths.segments[entry.path_segment as usize];
        let mut packet = entry.packet;
        let at = match self.elements.get_mut(link as usize) {
            None => now,
            Some(Element::Wire(wire)) if !O::FOLLOWS => {
                self.tally.packet_hops += 1;
                wire.pass(now, packet.ip_len())
            }
            Some(_) => {
                let at = self.pass(now, link, &mut packet, (socket, entry.path_segment), observer);
                if !self.copies.is_empty() {
                    self.together(at, packet, &run_ahead, socket, observer);
                    return None;
                }
                at?
            }
        };
        self.advance(at, &run_ahead, socket, packet, observer)
    }

    /// A packet goes on behind a port, with its copies, off the hot path; `at`: when it is there, unless it is lost.
    pub fn goes_on<O: Observer>(&mut self, at: Option<Time>, queued: QueuedPacket, observer: &mut O) {
        if at.is_some() || !self.copies.is_empty() {
            let run_ahead = self.paths.segments[queued.path_segment as usize].run_ahead;
            self.together(at, queued.packet, &run_ahead, queued.socket(), observer);
        }
    }

    /// A packet goes on from the start of `run_ahead`, and behind it the copies that were made of it: each as far as it comes
    /// before the next one does, so that every link sees them in their order.
    #[inline(never)]
    fn together<O: Observer>(&mut self, at: Option<Time>, packet: Pkt, run_ahead: &RunAhead, socket: u32, observer: &mut O) {
        let copies = std::mem::take(&mut self.copies);
        if !copies.is_empty() {
            self.counts(&copies);
        }
        let all = at.map(|at| (at, packet)).into_iter();
        for (at, packet) in all.chain(copies.iter().filter_map(|c| Some((c.at?, c.queued.packet)))) {
            if let Some(delivery) = self.advance(at, run_ahead, socket, packet, observer) {
                self.deliveries.push(delivery);
            }
        }
    }

    /// Copies are packets more; the fragments among them were counted where they were cut.
    #[cold]
    fn counts(&mut self, copies: &[PacketCopy]) {
        for copy in copies.iter().filter(|c| !c.fragment) {
            self.tally.copied += 1;
            if let Some(audit) = &mut self.audit {
                audit.copied(self.sidecars.audit(copy.queued.packet.sidecar()));
            }
        }
    }

    /// A packet whose next event lies after the end: it is still in the network.
    #[cold]
    fn beyond_end(&mut self, packet: Pkt) {
        self.tally.beyond_end += 1;
        if let Some(audit) = &mut self.audit {
            audit.beyond_end(self.sidecars.audit(packet.sidecar()));
        }
        self.sidecars.take(packet.sidecar());
    }

    /// Takes drops to the account of the run; calls `lost` with each data packet that was dropped, when and why, and whether it
    /// is the first of its datagram that is told: of fragments one speaks for all, before the window, which begins at `warm`,
    /// and in it.
    #[cold]
    pub fn account_drops(&mut self, warm: Time, mut lost: impl FnMut(Time, &QueuedPacket, Reason, bool)) {
        for (t, queued, why) in self.drops.drain(..) {
            if t > self.end {
                // Lost on the wire after the end: at the end it was still on its way.
                self.tally.beyond_end += 1;
            } else {
                self.tally.dropped += 1;
                if queued.data {
                    lost(t, &queued, why, self.sidecars.loses(queued.packet.sidecar(), t >= warm));
                }
            }
            if let Some(audit) = &mut self.audit {
                audit.dropped(self.sidecars.audit(queued.packet.sidecar()));
            }
            self.sidecars.take(queued.packet.sidecar());
        }
    }
}
