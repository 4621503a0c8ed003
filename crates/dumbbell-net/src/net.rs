//! Everything between sockets.
mod ahead;
mod borders;
mod held_ports;
mod oversize;
mod shared_medium;
mod sockets;
use crate::engine::agenda::Agenda;
use crate::engine::audit::Audit;
use crate::engine::egress::Egress;
use crate::engine::entry::{Entry, Pkt};
use crate::engine::host_signals::HostSignals;
use crate::engine::owners::Owners;
use crate::engine::path::{PathSegment, Paths, RunAhead};
use crate::engine::queued_packet::{QueuedPacket, Way};
use crate::engine::ranks::Ranks;
use crate::engine::sidecar::Sidecars;
use crate::engine::socket::SENDER;
use crate::fragment::oversize::{FragmentationCounts, Oversize};
use crate::link::Element;
use crate::link::shared_medium::SharedMedia;
use crate::observe::{Observer, PacketId};
use crate::partition::Mail;
use crate::port::Queue;
use crate::port::account::{Copies, Drops, PacketCopy};
use dumbbell_core::aqm::Reason;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::units::Time;

/// Counts of packets, by their fate.
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
    /// Packets that were still in the network at the end.
    pub beyond_end: u64,
    /// Copies that wires made.
    pub copied: u64,
    /// Of those dropped, packets that a socket discarded for a wrong bit.
    pub discarded: u64,
    /// Counts of packets that were too large, and of their fragments.
    pub cuts: FragmentationCounts,
}

/// A packet that reaches a socket without another event.
#[derive(Clone, Copy)]
pub struct Delivery {
    /// The time.
    pub t: Time,
    /// The socket: 2 x flow + end.
    pub at: u32,
    /// The packet.
    pub packet: Pkt,
}

/// The network without its sockets.
pub struct Net {
    /// The end of the run; later events are not handled.
    pub(crate) end: Time,
    /// Routes, cut at merges.
    pub(crate) paths: Paths,
    /// The order of events at one instant.
    pub(crate) ranks: Ranks,
    /// Future events.
    pub(crate) agenda: Agenda,
    /// One element for each link.
    pub(crate) elements: Vec<Element>,
    /// One egress for each socket (2 x flow + end).
    pub(crate) egresses: Vec<Egress>,
    /// Facts about flows that queues and edges may use.
    pub(crate) table: FlowTable,
    /// The sidecars of packets that have one.
    pub(crate) sidecars: Sidecars,
    /// Drops that wait for [`Net::account_drops`].
    pub(crate) drops: Drops,
    /// Copies of the packet that passed a port just now.
    pub(crate) copies: Copies,
    /// Packets that have reached a socket and wait to be handled there.
    pub(crate) deliveries: Vec<Delivery>,
    /// Counts of packets, by their fate.
    pub(crate) tally: Tally,
    /// The account of each packet by number, if one is kept.
    pub(crate) audit: Option<Audit>,
    /// Rules for packets larger than an MTU; `None` if all packets fit.
    pub(crate) oversize: Option<Box<Oversize>>,
    /// Host signals that are still to come.
    pub(crate) host_signals: HostSignals,
    /// Media that both directions of a link share; `None` without one.
    pub(crate) shared_media: Option<Box<SharedMedia>>,
    /// Scratch list: packets that an edge releases during one event.
    pub(crate) released: Vec<QueuedPacket>,
    /// Of one of several parts of a network: what belongs to which.
    pub(crate) owners: Option<Box<Owners>>,
    /// Packets that have left, by the part that they go to.
    pub(crate) outboxes: Vec<Mail>,
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
    /// An empty network.
    pub(crate) fn new(
        end: Time,
        paths: Paths,
        ranks: Ranks,
        agenda: Agenda,
        elements: Vec<Element>,
        egresses: Vec<Egress>,
    ) -> Self {
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
            owners: None,
            outboxes: Vec::new(),
        }
    }

    /// True if a queue reads what packets acknowledge.
    pub(crate) fn reads_acks(&self) -> bool {
        self.elements.iter().any(|element| match element {
            Element::Port(port) => matches!(&port.queue, Queue::Held(queue) if queue.reads_acks()),
            _ => false,
        })
    }

    /// Adds the first entries of ports that have a clock.
    pub fn arm(&mut self) {
        for link in 0..self.elements.len() {
            if !self.owns_link(link) {
                continue;
            }
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

    /// A packet leaves a socket at `t`. Inlined, because the one place that nearly always sends is
    /// the hot path.
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
        if let Some(delivery) = self.advance(leaves, run_ahead, socket, packet, observer) {
            self.deliveries.push(delivery);
        }
    }

    /// Tells an observer that follows packets of one that its socket sent; the handle that the
    /// packet now has.
    fn follow<O: Observer>(&mut self, t: Time, socket: u32, packet: Pkt, observer: &mut O) -> u32 {
        let (flow, data) = (socket / 2, socket as usize % 2 == SENDER);
        let who =
            PacketId { flow: flow as usize, data, number: observer.follow(flow as usize, data) };
        if who.number == 0 {
            return packet.sidecar();
        }
        observer.sent(t, who, &packet.segment(), self.sidecars.get(packet.sidecar()));
        self.sidecars.follow(packet.sidecar(), who.number)
    }

    /// A packet arrives at a merge at `now`; its delivery, if a socket is behind it.
    #[inline]
    pub fn arrive<O: Observer>(
        &mut self,
        now: Time,
        entry: &Entry,
        observer: &mut O,
    ) -> Option<Delivery> {
        let PathSegment { link, socket, run_ahead } =
            self.paths.segments[entry.path_segment as usize];
        let way = Way { socket, path_segment: entry.path_segment };
        // The packet is copied for those who may change it: else it need not be in memory.
        let (at, packet) = match self.elements.get_mut(link as usize) {
            None => (now, entry.packet),
            Some(Element::Wire(wire)) if !O::FOLLOWS => {
                self.tally.packet_hops += 1;
                (wire.pass(now, entry.packet.ip_len()), entry.packet)
            }
            Some(Element::Port(port)) if port.has_short_way(&entry.packet) => {
                self.tally.packet_hops += 1;
                if let Some(at) = port.pass_at_once(now, &entry.packet, way.flow()) {
                    (at, entry.packet)
                } else {
                    let mut packet = entry.packet;
                    let at = port.pass_simple(now, &mut packet, way, port_ctx!(self, observer))?;
                    (at, packet)
                }
            }
            Some(_) => {
                let mut packet = entry.packet;
                let at = self.pass(now, link, &mut packet, way, observer);
                if !self.copies.is_empty() {
                    self.together(at, packet, run_ahead, socket, observer);
                    return None;
                }
                (at?, packet)
            }
        };
        self.advance(at, run_ahead, socket, packet, observer)
    }

    /// A packet continues behind a port that held it, with its copies; `at`: when it is there,
    /// unless it is lost. Its delivery, if a socket is behind the port.
    #[inline(always)]
    pub(crate) fn goes_on<O: Observer>(
        &mut self,
        at: Option<Time>,
        queued: QueuedPacket,
        observer: &mut O,
    ) -> Option<Delivery> {
        let run_ahead = self.paths.segments[queued.path_segment as usize].run_ahead;
        if !self.copies.is_empty() {
            self.together(at, queued.packet, run_ahead, queued.socket(), observer);
            return None;
        }
        self.advance(at?, run_ahead, queued.socket(), queued.packet, observer)
    }

    /// A packet continues from the start of `run_ahead`, and behind it the copies that were made of
    /// it: each as far as it comes before the next one does, so that every link sees them in their
    /// order.
    #[inline(never)]
    fn together<O: Observer>(
        &mut self,
        at: Option<Time>,
        packet: Pkt,
        run_ahead: RunAhead,
        socket: u32,
        observer: &mut O,
    ) {
        let copies = std::mem::take(&mut self.copies);
        if !copies.is_empty() {
            self.counts(&copies);
        }
        let all = at.map(|at| (at, packet)).into_iter();
        for (at, packet) in all.chain(copies.iter().filter_map(|c| Some((c.at?, c.queued.packet))))
        {
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

    /// Counts a packet whose next event lies after the end: it is still in the network.
    #[cold]
    fn beyond_end(&mut self, packet: Pkt) {
        self.tally.beyond_end += 1;
        if let Some(audit) = &mut self.audit {
            audit.beyond_end(self.sidecars.audit(packet.sidecar()));
        }
        self.sidecars.take(packet.sidecar());
    }

    /// Takes drops to the account of the run; calls `lost` with each data packet that was dropped,
    /// when and why, and whether it is the first of its datagram that is told: of fragments one
    /// speaks for all, before the window, which begins at `warm`, and in it.
    #[cold]
    pub fn account_drops(
        &mut self,
        warm: Time,
        mut lost: impl FnMut(Time, &QueuedPacket, Reason, bool),
    ) {
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
