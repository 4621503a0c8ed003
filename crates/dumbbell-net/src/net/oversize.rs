//! Routers and packets above the MTU of the next link: fragmentation, or a drop and an ICMP
//! message.
use crate::engine::entry::{NO_SIDECAR, Pkt};
use crate::engine::queued_packet::{QueuedPacket, Way};
use crate::engine::sidecar::Fragment;
use crate::fragment::oversize::{Oversize, SizeVerdict, fragment_ranges};
use crate::link::Element;
use crate::net::{Net, port_ctx};
use crate::observe::Observer;
use crate::port::account::{Copies, PacketCopy};
use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::segment::{Extra, PacketTooBig, Segment, Special, flag};
use dumbbell_core::units::Time;

impl Net {
    /// A packet comes to a port that asks about its size; when it, or the first of its fragments,
    /// is at the far end, if that is known now. The other fragments are left among the copies, and
    /// follow it as these do.
    #[cold]
    #[inline(never)]
    pub(crate) fn too_large<O: Observer>(
        &mut self,
        t: Time,
        link: u32,
        packet: &mut Pkt,
        way: Way,
        observer: &mut O,
    ) -> Option<Time> {
        let Element::Port(port) = &mut self.elements[link as usize] else { return None };
        let size_verdict =
            |oversize: &Oversize| oversize.size_verdict(link, port.mtu, way.socket, packet);
        match self.oversize.as_deref().map_or(SizeVerdict::Refuse(port.mtu), size_verdict) {
            SizeVerdict::Fits => self.fits(t, link, packet, way, observer),
            SizeVerdict::Fragment(mtu) => self.fragment(t, link, packet, way, mtu, observer),
            SizeVerdict::Refuse(mtu) => {
                port.refuse(t, QueuedPacket::new(*packet, way), port_ctx!(self, observer));
                self.tally.cuts.refused += u64::from(t <= self.end);
                self.answer(t, link, packet, way.socket, mtu, observer);
                None
            }
        }
    }

    /// Cuts a packet into fragments for `mtu`, each of which comes to the port by itself.
    fn fragment<O: Observer>(
        &mut self,
        t: Time,
        link: u32,
        packet: &mut Pkt,
        way: Way,
        mtu: u32,
        observer: &mut O,
    ) -> Option<Time> {
        let (header, more) =
            self.oversize.as_ref().map_or((20, 0), |oversize| oversize.headers(way.socket));
        let (audit, already) =
            (self.sidecars.audit(packet.sidecar()), self.sidecars.fragment(packet.sidecar()));
        let whole = already.unwrap_or_else(|| Fragment {
            datagram: self.sidecars.datagram(way.socket),
            from: 0,
            to: packet.ip_len() - header as u16,
            last: true,
        });
        // The first fragments may have ended before the last is cut.
        self.sidecars.hold_datagram(whole.datagram);
        let room = mtu.saturating_sub(header + more);
        // Each fragment is of the packet as it came: what the port writes on one is not on the
        // next.
        let came = *packet;
        let (mut first, mut behind, mut made) = (None, Copies::new(), 0);
        for (from, to) in fragment_ranges(whole.from, whole.to, room) {
            let piece = Fragment { from, to, last: whole.last && to == whole.to, ..whole };
            let handle = if made == 0 { came.sidecar() } else { NO_SIDECAR };
            let mut handle = self.sidecars.cut(handle, piece);
            if made > 0 && audit != 0 {
                handle = self.sidecars.tag(handle, audit);
                self.audit.iter_mut().for_each(|book| book.copied(audit));
            }
            let mut own = came.with_sidecar(handle).with_len(to - from + (header + more) as u16);
            let at = self.fits(t, link, &mut own, way, observer);
            let copies = std::mem::take(&mut self.copies);
            if made == 0 {
                (first, *packet) = (at, own);
            } else if at.is_some() {
                behind.push(PacketCopy { at, queued: QueuedPacket::new(own, way), fragment: true });
            }
            behind.extend(copies);
            made += 1;
        }
        self.sidecars.release_datagram(whole.datagram);
        self.copies = behind;
        self.tally.cuts.cut += 1;
        self.tally.cuts.fragments += made;
        first
    }

    /// The router before `link` tells the sender of a packet that it did not fit into `mtu`, if
    /// there is a way and it speaks.
    fn answer<O: Observer>(
        &mut self,
        t: Time,
        link: u32,
        packet: &Pkt,
        socket: u32,
        mtu: u32,
        observer: &mut O,
    ) {
        let Some(oversize) = self.oversize.as_deref().filter(|_| t <= self.end) else { return };
        let Some(run_ahead) = oversize.answer(socket / 2, link) else { return };
        let ip_len = oversize.answer_len(socket, packet);
        let segment =
            Segment { seq: packet.seq(), ts: 0, ip_len, flags: flag::ACK, ecn: Ecn::NotEct };
        let special = Special::TooBig(PacketTooBig { mtu, seq: packet.seq() });
        let extra = Extra { special, ..Extra::default() };
        let mut handle = self.sidecars.put(Some(extra));
        self.tally.sent += 1;
        self.tally.cuts.answered += 1;
        // A caller that keeps packets outside needs the packet of this notice until the notice
        // arrives.
        let about = self.sidecars.audit(packet.sidecar());
        match &mut self.audit {
            Some(audit) => handle = self.sidecars.tag(handle, audit.sent()),
            None if about != 0 => handle = self.sidecars.tag(handle, about),
            None => {}
        }
        if let Some(delivery) =
            self.advance(t, run_ahead, socket + 1, Pkt::new(segment, handle), observer)
        {
            self.deliveries.push(delivery);
        }
    }
}
