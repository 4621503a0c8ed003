//! What a router does with packets that are too large for the next link: it cuts them, or drops them and says so.
use crate::account::{Copied, Copies};
use crate::entry::{NONE, Pkt};
use crate::large::{Fragment, Sentence, pieces};
use crate::net::{Element, Net, scene};
use crate::observe::Observer;
use crate::parcel::Parcel;
use dumbbell_core::packet::Ecn;
use dumbbell_core::segment::{Extra, Notice, Segment, flag};
use dumbbell_core::units::Time;

/// What became of packets that were too large, and of their pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cuts {
    /// Packets that were cut, pieces that were cut again included.
    pub cut: u64,
    /// Pieces that were made of them.
    pub fragments: u64,
    /// Packets that were dropped because they must not be cut.
    pub refused: u64,
    /// Of these, how many senders were told of.
    pub answered: u64,
}

impl Net {
    /// A packet comes to a port that asks about its size; when it, or the first of its pieces, is at the far end, if that is
    /// known now. The other pieces are left among the copies, and follow it as these do.
    #[cold]
    #[inline(never)]
    pub fn too_large<O: Observer>(
        &mut self,
        t: Time,
        link: u32,
        packet: &mut Pkt,
        way: (u32, u32),
        observer: &mut O,
    ) -> Option<Time> {
        let Element::Port(port) = &mut self.elements[link as usize] else { return None };
        let judge = |large: &crate::large::Large| large.judge(link, port.mtu, way.0, packet);
        match self.large.as_deref().map_or(Sentence::Refused(port.mtu), judge) {
            Sentence::Fits => self.fits(t, link, packet, way, observer),
            Sentence::Cut(mtu) => self.cut_up(t, link, packet, (way, mtu), observer),
            Sentence::Refused(mtu) => {
                port.refuse(t, Parcel::new(*packet, way.0, way.1), scene!(self, observer));
                self.tally.cuts.refused += u64::from(t <= self.end);
                self.answer(t, link, packet, (way.0, mtu), observer);
                None
            }
        }
    }

    /// Cuts a packet into pieces for `mtu`, each of which comes to the port by itself.
    fn cut_up<O: Observer>(
        &mut self,
        t: Time,
        link: u32,
        packet: &mut Pkt,
        (way, mtu): ((u32, u32), u32),
        observer: &mut O,
    ) -> Option<Time> {
        let (header, more) = self.large.as_ref().map_or((20, 0), |large| large.headers(way.0));
        let (audit, already) = (self.extras.audit(packet.extra()), self.extras.fragment(packet.extra()));
        let whole = already.unwrap_or_else(|| Fragment {
            datagram: self.extras.datagram(way.0),
            from: 0,
            to: packet.ip_len() - header as u16,
            last: true,
        });
        // The first pieces may have ended before the last is cut.
        self.extras.holds(whole.datagram);
        let room = mtu.saturating_sub(header + more);
        // Each piece is of the packet as it came: what the port writes on one is not on the next.
        let came = *packet;
        let (mut first, mut behind, mut made) = (None, Copies::new(), 0);
        for (from, to) in pieces(whole.from, whole.to, room) {
            let piece = Fragment { from, to, last: whole.last && to == whole.to, ..whole };
            let handle = if made == 0 { came.extra() } else { NONE };
            let mut handle = self.extras.cut(handle, piece);
            if made > 0 && audit != 0 {
                handle = self.extras.tag(handle, audit);
                self.audit.iter_mut().for_each(|book| book.copied(audit));
            }
            let mut own = came.with_extra(handle).with_len(to - from + (header + more) as u16);
            let at = self.fits(t, link, &mut own, way, observer);
            let copies = std::mem::take(&mut self.copies);
            if made == 0 {
                (first, *packet) = (at, own);
            } else if at.is_some() {
                behind.push(Copied { at, parcel: Parcel::new(own, way.0, way.1), piece: true });
            }
            behind.extend(copies);
            made += 1;
        }
        self.extras.releases(whole.datagram);
        self.copies = behind;
        self.tally.cuts.cut += 1;
        self.tally.cuts.fragments += made;
        first
    }

    /// The router before `link` tells the sender of a packet that it did not fit into `mtu`, if there is a way and it speaks.
    fn answer<O: Observer>(&mut self, t: Time, link: u32, packet: &Pkt, (socket, mtu): (u32, u32), observer: &mut O) {
        let Some(large) = self.large.as_deref().filter(|_| t <= self.end) else { return };
        let Some(tail) = large.answer(socket / 2, link) else { return };
        let ip_len = large.answer_len(socket, packet);
        let segment = Segment { seq: packet.seq(), ts: 0, ip_len, flags: flag::ACK, ecn: Ecn::NotEct };
        let extra = Extra { notice: Some(Notice { mtu, seq: packet.seq() }), ..Extra::default() };
        let mut handle = self.extras.put(Some(extra));
        self.tally.sent += 1;
        self.tally.cuts.answered += 1;
        // Whoever keeps packets outside needs the one that this speaks of until it is there.
        let about = self.extras.audit(packet.extra());
        match &mut self.audit {
            Some(audit) => handle = self.extras.tag(handle, audit.sent()),
            None if about != 0 => handle = self.extras.tag(handle, about),
            None => {}
        }
        if let Some(landing) = self.advance(t, &tail, socket + 1, Pkt::new(segment, handle), observer) {
            self.landings.push(landing);
        }
    }
}
