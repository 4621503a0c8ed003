//! The stream: what was written, sent, acknowledged and lost. Its FIN is one byte after the data.
use dumbbell_core::transport::Scoreboard;
use std::collections::VecDeque;

/// No stream is longer (RFC 9000 section 4.5).
const ENDLESS: u64 = 1 << 62;

/// One stream; offsets from 0.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// End of what the application has written.
    limit: u64,
    closed: bool,
    /// End of what was ever sent.
    high: u64,
    /// Everything below is acknowledged, and what is beyond.
    una: u64,
    acked: Scoreboard,
    /// What was lost and waits, in the order in which it was found.
    lost: VecDeque<(u64, u64)>,
}

/// A piece of the stream, for one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub from: u64,
    /// Its end, the FIN included.
    pub to: u64,
    pub fin: bool,
}

impl Piece {
    /// Its data, bytes.
    pub fn bytes(&self) -> u64 {
        self.to - self.from - u64::from(self.fin)
    }
}

impl Stream {
    pub fn limit(&self) -> u64 {
        self.limit
    }
    pub fn high(&self) -> u64 {
        self.high
    }
    pub fn una(&self) -> u64 {
        self.una
    }
    /// The end of the stream, with the FIN if it is closed.
    fn end(&self) -> u64 {
        self.limit + u64::from(self.closed)
    }
    pub fn finished(&self) -> bool {
        self.closed && self.una >= self.end()
    }
    pub fn write(&mut self, bytes: u64) {
        self.limit = self.limit.saturating_add(bytes).min(ENDLESS);
    }
    pub fn close(&mut self) {
        self.closed = true;
    }
    /// What was not sent never will be.
    pub fn cut(&mut self) {
        self.limit = self.limit.min(self.high);
    }
    /// Bytes that wait to be sent for the first time.
    pub fn waiting(&self) -> u64 {
        self.end() - self.high
    }
    /// True if nothing lost waits to be sent again.
    pub fn nothing_lost(&self) -> bool {
        self.lost.is_empty()
    }

    /// `[from, to)` of at most `room` bytes of data as a piece.
    fn piece(&self, from: u64, to: u64, room: u64) -> Piece {
        let cut = to.min(from + room);
        // A FIN takes no room.
        let to = if cut == self.limit { to.min(self.end()) } else { cut };
        Piece { from, to, fin: to > self.limit }
    }

    /// The next lost piece of at most `room` bytes; what was acknowledged since it was lost is
    /// dropped.
    pub fn next_lost(&mut self, room: u64) -> Option<Piece> {
        while let Some((from, to)) = self.lost.front().copied() {
            let mut start = from.max(self.una);
            start = self.acked.skip(start).unwrap_or(start);
            if start < to {
                let hole = self.acked.next_start(start).unwrap_or(u64::MAX);
                return Some(self.piece(start, to.min(hole), room));
            }
            self.lost.pop_front();
        }
        None
    }

    /// The next new piece of at most `room` bytes, none beyond `credit`.
    pub fn next_new(&self, room: u64, credit: u64) -> Option<Piece> {
        let to = self.end().min(self.una.saturating_add(credit) + u64::from(self.closed));
        (self.high < to).then(|| self.piece(self.high, to, room))
    }

    /// The first piece that is not acknowledged of what was sent.
    pub fn head(&self, room: u64) -> Option<Piece> {
        let hole = self.acked.next_start(self.una).unwrap_or(u64::MAX);
        (self.una < self.high).then(|| self.piece(self.una, self.high.min(hole), room))
    }

    /// The first such piece from `from` on.
    pub fn after(&self, from: u64, room: u64) -> Option<Piece> {
        let from = self.acked.skip(from).unwrap_or(from);
        let hole = self.acked.next_start(from).unwrap_or(u64::MAX);
        (from < self.high).then(|| self.piece(from, self.high.min(hole), room))
    }

    /// A piece goes out: true if it was sent before.
    #[inline]
    pub fn on_sent(&mut self, piece: Piece) -> bool {
        let again = piece.from < self.high;
        self.high = self.high.max(piece.to);
        again
    }

    /// The first lost piece goes out again, up to `to`.
    pub fn on_resent(&mut self, to: u64) {
        if let Some(front) = self.lost.front_mut() {
            front.0 = to;
            if front.0 >= front.1 {
                self.lost.pop_front();
            }
        }
    }

    /// `[from, to)` is acknowledged.
    #[inline]
    pub fn on_acked(&mut self, from: u64, to: u64) {
        if from <= self.una && self.acked.is_empty() {
            self.una = self.una.max(to);
        } else if to > self.una {
            self.acked.insert(from.max(self.una), to);
            if let Some(end) = self.acked.skip(self.una) {
                self.una = end;
                self.acked.advance(end);
            }
        }
    }

    /// `[from, to)` is lost.
    pub fn on_lost(&mut self, from: u64, to: u64) {
        if from < to {
            self.lost.push_back((from, to));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(from: u64, to: u64, fin: bool) -> Option<Piece> {
        Some(Piece { from, to, fin })
    }

    #[test]
    fn pieces_end_with_the_data_and_the_fin_takes_no_room() {
        let mut stream = Stream::default();
        stream.write(250);
        assert_eq!(stream.next_new(100, 1000), piece(0, 100, false));
        stream.on_sent(Piece { from: 0, to: 200, fin: false });
        assert_eq!(stream.next_new(100, 1000), piece(200, 250, false));
        stream.close();
        assert_eq!(stream.next_new(50, 1000), piece(200, 251, true), "50 bytes and the FIN");
        assert_eq!(stream.next_new(50, 220), piece(200, 221, false), "the credit ends");
        stream.on_sent(Piece { from: 200, to: 251, fin: true });
        assert_eq!((stream.next_new(50, 1000), stream.waiting()), (None, 0));
        assert!(!stream.finished());
        stream.on_acked(0, 251);
        assert!(stream.finished());
    }

    #[test]
    fn what_is_acknowledged_late_does_not_go_again() {
        let mut stream = Stream::default();
        stream.write(1000);
        stream.on_sent(Piece { from: 0, to: 1000, fin: false });
        stream.on_lost(0, 300);
        stream.on_acked(100, 200);
        assert_eq!(stream.next_lost(500), piece(0, 100, false));
        stream.on_resent(100);
        assert_eq!(stream.next_lost(500), piece(200, 300, false));
        stream.on_acked(200, 300);
        assert_eq!((stream.next_lost(500), stream.nothing_lost()), (None, true));
        stream.on_acked(0, 100);
        assert_eq!((stream.una(), stream.head(400)), (300, piece(300, 700, false)));
    }
}
