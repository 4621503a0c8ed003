//! Running packets ahead between merges.
use super::{Delivery, Net, port_ctx};
use crate::engine::entry::{Entry, Pkt};
use crate::engine::path::{End, RunAhead};
use crate::engine::queued_packet::{QueuedPacket, Way};
use crate::link::Element;
use crate::observe::Observer;
use crate::port::Queue;
use dumbbell_core::units::Time;

impl Net {
    /// Runs a packet ahead from `t` over private links to the end of `run_ahead`; its delivery, if
    /// that is a socket. This and [`Self::advance_with_care`] are the only places where folding
    /// happens: a loop, not a special case.
    #[inline(always)]
    pub(crate) fn advance<O: Observer>(
        &mut self,
        mut t: Time,
        run_ahead: RunAhead,
        socket: u32,
        mut packet: Pkt,
        observer: &mut O,
    ) -> Option<Delivery> {
        if run_ahead.has_links() {
            if !O::FOLLOWS
                && t <= self.end
                && let Some(link) = run_ahead.only_link()
                && let Element::Wire(wire) = &mut self.elements[link as usize]
            {
                self.tally.packet_hops += 1;
                t = wire.pass(t, packet.ip_len());
            } else {
                (t, packet) = self.advance_with_care(t, run_ahead, socket, packet, observer)?;
            }
        }
        self.come_to(t, run_ahead, packet)
    }

    /// [`Self::advance`] from a link that is more than arithmetic, or that somebody looks at, or
    /// from the end of the run: when the packet is behind the last link, if that is known now, and
    /// what it is there.
    #[inline(never)]
    fn advance_with_care<O: Observer>(
        &mut self,
        mut t: Time,
        run_ahead: RunAhead,
        socket: u32,
        mut packet: Pkt,
        observer: &mut O,
    ) -> Option<(Time, Pkt)> {
        if t <= self.end
            && let Some(link) = run_ahead.only_link()
            && let Some(at) = self.pass_at_once(t, link, &packet, socket)
        {
            return Some((at, packet));
        }
        let mut left = run_ahead.links();
        while left > 0 {
            if t > self.end {
                self.beyond_end(packet);
                return None;
            }
            let link = self.paths.link(&run_ahead, left);
            left -= 1;
            t = match self.pass_at_once(t, link, &packet, socket) {
                Some(at) => at,
                None => {
                    let rest = run_ahead.last(left);
                    self.pass_between(t, link, rest, &mut packet, socket, observer)?
                }
            };
        }
        Some((t, packet))
    }

    /// [`Port::pass_at_once`](crate::port::Port::pass_at_once) at `link`.
    #[inline(always)]
    fn pass_at_once(&mut self, t: Time, link: u32, packet: &Pkt, socket: u32) -> Option<Time> {
        let Element::Port(port) = &mut self.elements[link as usize] else { return None };
        if !port.has_short_way(packet) {
            return None;
        }
        let at = port.pass_at_once(t, packet, socket / 2)?;
        self.tally.packet_hops += 1;
        Some(at)
    }

    /// A packet comes to the end of `run_ahead` at `t`; its delivery, if that is a socket.
    #[inline(always)]
    fn come_to(&mut self, t: Time, run_ahead: RunAhead, packet: Pkt) -> Option<Delivery> {
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
            End::Border(border) => {
                self.leave(t, border, packet);
                None
            }
        }
    }

    /// A packet passes a link that is more than arithmetic, or that somebody looks at; when it is
    /// at the far end, if that is known now.
    #[inline(always)]
    pub(super) fn pass<O: Observer>(
        &mut self,
        t: Time,
        link: u32,
        packet: &mut Pkt,
        way: Way,
        observer: &mut O,
    ) -> Option<Time> {
        self.tally.packet_hops += 1;
        match &mut self.elements[link as usize] {
            Element::Wire(wire) => {
                let at = wire.pass(t, packet.ip_len());
                wire.tell(t, link, &QueuedPacket::new(*packet, way), port_ctx!(self, observer));
                Some(at)
            }
            Element::UnevenWire(uneven) => {
                let (at, packet) =
                    (uneven.pass(t, packet.ip_len()), QueuedPacket::new(*packet, way));
                uneven.wire().tell(t, link, &packet, port_ctx!(self, observer));
                Some(at)
            }
            Element::Port(port) => {
                if u32::from(packet.ip_len()) > port.mtu {
                    return self.too_large(t, link, packet, way, observer);
                }
                match port.queue {
                    Queue::Arrival(_) if port.edge.is_none() => {
                        port.pass(t, packet, way, port_ctx!(self, observer))
                    }
                    Queue::Held(_) if port.edge.is_none() => {
                        self.hold(t, link, QueuedPacket::new(*packet, way), observer);
                        None
                    }
                    _ => {
                        self.wait(t, link, QueuedPacket::new(*packet, way), observer);
                        None
                    }
                }
            }
        }
    }

    /// A packet that was found to fit comes to a port; when it is at the far end, if that is known
    /// now.
    pub(crate) fn fits<O: Observer>(
        &mut self,
        t: Time,
        link: u32,
        packet: &mut Pkt,
        way: Way,
        observer: &mut O,
    ) -> Option<Time> {
        let Element::Port(port) = &mut self.elements[link as usize] else { return None };
        match port.queue {
            Queue::Arrival(_) if port.edge.is_none() => {
                port.pass(t, packet, way, port_ctx!(self, observer))
            }
            _ => {
                self.wait(t, link, QueuedPacket::new(*packet, way), observer);
                None
            }
        }
    }

    /// A packet passes a link before `rest`, between merges, where wires are the rule. One with
    /// copies goes on with them from here.
    #[inline]
    fn pass_between<O: Observer>(
        &mut self,
        t: Time,
        link: u32,
        rest: RunAhead,
        packet: &mut Pkt,
        socket: u32,
        observer: &mut O,
    ) -> Option<Time> {
        let at = self.pass(t, link, packet, Way { socket, path_segment: 0 }, observer);
        if self.copies.is_empty() {
            return at;
        }
        self.together(at, *packet, rest, socket, observer);
        None
    }
}
