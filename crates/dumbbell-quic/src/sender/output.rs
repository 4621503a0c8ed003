//! Output: selects and sends the next packet.
use super::{Sender, Stage};
use crate::sender::packets::{Packet, State};
use crate::sender::stream::Piece;
use crate::wire::{DATA_OVERHEAD, INITIAL, PING};
use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment, Special, flag};
use dumbbell_core::transport::{CongestionControl, Sent, Tag};
use dumbbell_core::units::Time;

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A piece of the stream; `copy`: another packet answers for it.
    Data {
        piece: Piece,
        copy: bool,
    },
    Initial,
    Ping,
}

impl<C: CongestionControl> Sender<C> {
    /// Data for which a packet has room.
    #[inline]
    pub(super) fn room(&self) -> u64 {
        self.datagram - DATA_OVERHEAD
    }

    /// Sends what the window, the receiver's credit and the pacing allow: first what was lost.
    #[inline]
    pub(super) fn transmit(&mut self, now: Time, out: &mut impl Outbox) {
        self.pacing = false;
        if self.stage != Stage::Established || self.frozen {
            return;
        }
        while let Some((piece, again)) = self.next_piece() {
            let size = DATA_OVERHEAD + piece.bytes();
            let fits = self.packets.in_flight() + size <= self.cc.cwnd();
            if !(fits || self.spare) || !self.released(now) {
                self.window_limited = true;
                return;
            }
            self.spare &= fits;
            self.send_piece(now, piece, again, out);
        }
        (self.window_limited, self.spare) = (false, false);
    }

    /// The next piece to send, and whether it was lost.
    #[inline]
    fn next_piece(&mut self) -> Option<(Piece, bool)> {
        let room = self.room();
        if !self.stream.nothing_lost()
            && let Some(piece) = self.stream.next_lost(room)
        {
            return Some((piece, true));
        }
        self.stream.next_new(room, self.config.window.0).map(|piece| (piece, false))
    }

    /// Sends the next piece whatever the window; false if none waits, or the receiver has no room.
    pub(super) fn send_next(&mut self, now: Time, out: &mut impl Outbox) -> bool {
        let Some((piece, again)) = self.next_piece() else { return false };
        self.send_piece(now, piece, again, out);
        true
    }

    fn send_piece(&mut self, now: Time, piece: Piece, again: bool, out: &mut impl Outbox) {
        if again {
            self.stream.on_resent(piece.to);
        }
        self.emit(now, Kind::Data { piece, copy: false }, out);
    }

    /// Sends a piece again while the packet with it may arrive.
    pub(super) fn send_copy(&mut self, now: Time, piece: Piece, out: &mut impl Outbox) {
        self.emit(now, Kind::Data { piece, copy: true }, out);
    }

    /// Sends the client's first datagram, or sends it again.
    pub(super) fn send_initial(&mut self, now: Time, out: &mut impl Outbox) {
        self.emit(now, Kind::Initial, out);
    }

    /// Sends a packet that only asks for an ACK.
    pub(super) fn send_ping(&mut self, now: Time, out: &mut impl Outbox) {
        self.emit(now, Kind::Ping, out);
    }

    fn emit(&mut self, now: Time, kind: Kind, out: &mut impl Outbox) {
        let number = self.packets.next();
        let (mut flags, mut again, mut size) = (flag::UDP, false, PING);
        let (mut piece, mut copied) = (Piece { from: 0, to: 0, fin: false }, false);
        match kind {
            Kind::Data { piece: own, copy } => {
                (piece, copied, size) = (own, copy, DATA_OVERHEAD + own.bytes());
                again = self.stream.on_sent(own);
                flags |= if own.fin { flag::FIN } else { 0 };
            }
            Kind::Initial => {
                (size, again) = (INITIAL, number > 0);
                flags |= flag::SYN;
            }
            Kind::Ping => {}
        }
        if again {
            self.stats.retransmits += 1;
            flags |= flag::RETRANSMIT;
        }
        let tag = self.note_sent(now, number, size, again);
        let dscp = if tag.0 == 0 { None } else { self.cc.algorithm().codepoint(tag) };
        self.packets.push(Packet {
            sent: now,
            from: piece.from,
            to: piece.to,
            size: size as u32,
            state: State::Flying,
            copy: copied,
            tag,
        });
        self.pace(now, size);
        self.last_sent = now;
        self.stats.sent_packets += 1;
        self.stats.sent_bytes += piece.bytes();
        let ip_len = (self.config.header.0 + size) as u16;
        let ecn = if kind == Kind::Initial { Ecn::NotEct } else { self.ect };
        let segment = Segment { seq: number as u32, ts: piece.from as u32, ip_len, flags, ecn };
        let color = |own| Extra { special: Special::Color(own), ..Extra::default() };
        out.send(segment, dscp.map(color));
    }

    /// Tells the congestion control and the account of rates of a packet; the control's tag.
    #[inline]
    fn note_sent(&mut self, now: Time, number: u64, size: u64, again: bool) -> Tag {
        let in_flight = self.packets.in_flight();
        if let Some(rates) = &mut self.rates {
            rates.on_sent(now, number, size, in_flight);
        }
        let seq = self.delivered() + in_flight;
        self.cc.on_sent(&Sent::new(now, seq, size, again, in_flight))
    }
}
