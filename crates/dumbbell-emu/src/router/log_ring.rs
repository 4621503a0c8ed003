//! The router's end of the log: a ring of records, each after the first bytes of its packet if that
//! is captured.
use crate::log::{Entry, Record, captured_bytes as bytes};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The sockets whose packets are captured, and how much of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// Bytes of IP kept of each packet, at most.
    pub snaplen: usize,
    /// True for sockets whose packets are captured, by socket (2 x flow + end).
    pub sockets: Vec<bool>,
}

impl Capture {
    fn wants(&self, socket: u32) -> bool {
        self.sockets.get(socket as usize) == Some(&true)
    }

    /// The bytes that are kept of a packet of `socket`; `None` if it is not captured.
    pub fn kept<'a>(&self, socket: u32, packet: &'a [u8]) -> Option<&'a [u8]> {
        self.wants(socket).then(|| &packet[..packet.len().min(self.snaplen)])
    }
}

/// Writes to the ring that the collector empties; it never waits.
pub(super) struct LogRing {
    ring: Option<rtrb::Producer<Entry>>,
    capture: Option<Capture>,
    /// Counts lost records for the collector, which writes the end of the log.
    unlogged: Arc<AtomicU64>,
    /// Records for which there was no room.
    pub lost: u64,
    /// Packets whose bytes had no room.
    pub uncaptured: u64,
}

impl LogRing {
    pub fn new(
        ring: Option<rtrb::Producer<Entry>>,
        capture: Option<Capture>,
        unlogged: Arc<AtomicU64>,
    ) -> LogRing {
        LogRing { ring, capture, unlogged, lost: 0, uncaptured: 0 }
    }

    /// Writes a record.
    #[inline]
    pub fn note(&mut self, record: &Record) {
        if let Some(ring) = &mut self.ring
            && ring.push(record.encode()).is_err()
        {
            self.lost += 1;
            self.unlogged.fetch_add(1, Ordering::Release);
        }
    }

    /// Writes the record of a packet of `socket`, with the packet's first bytes if they are
    /// captured.
    #[inline]
    pub fn note_packet(&mut self, record: &Record, socket: u32, packet: &[u8]) {
        match self.capture.as_ref().and_then(|capture| capture.kept(socket, packet)) {
            Some(kept) => {
                if !self.push(record, kept) {
                    self.uncaptured += 1;
                    self.note(record);
                }
            }
            None => self.note(record),
        }
    }

    /// Writes both, or nothing. Half of the ring is kept free for records: a capture must not cost
    /// a run its validity.
    fn push(&mut self, record: &Record, kept: &[u8]) -> bool {
        let Some(ring) = &mut self.ring else { return true };
        let reserve = ring.buffer().capacity() / 2;
        let Ok(room) = ring.write_chunk_uninit(bytes::entries(kept.len()) + 1 + reserve) else {
            return false;
        };
        room.fill_from_iter(bytes::encode(kept).chain([record.encode()]));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::network::Incoming;
    use dumbbell_core::packet::{Dscp, Ecn};
    use dumbbell_core::units::Time;

    fn record(socket: u32) -> Record {
        let (ecn, dscp) = (Ecn::NotEct, Dscp(0));
        let packet =
            Incoming { socket, number: 1, ip_len: 100, payload: 0, ecn, dscp, seq: 0, flags: 0 };
        Record::In { t: Time::ZERO, packet }
    }

    /// 16 places: a packet of 50 bytes takes 3, and bytes leave 8 to records.
    #[test]
    fn bytes_come_before_their_record_and_leave_room_for_records() {
        let (producer, mut consumer) = rtrb::RingBuffer::new(16);
        let capture = Capture { snaplen: 50, sockets: vec![true, false] };
        let mut log_ring = LogRing::new(Some(producer), Some(capture), Arc::default());
        let packet: Vec<u8> = (0..100).collect();
        log_ring.note_packet(&record(1), 1, &packet);
        (0..4).for_each(|_| log_ring.note_packet(&record(0), 0, &packet));
        assert_eq!(
            (log_ring.lost, log_ring.uncaptured),
            (0, 2),
            "1, then 3 and 3 of 8 places; the other two keep their records"
        );
        let entries: Vec<Entry> = std::iter::from_fn(|| consumer.pop().ok()).collect();
        let kinds: Vec<u8> = entries.iter().map(|entry| entry[0]).collect();
        assert_eq!(kinds, [1, 3, 3, 1, 3, 3, 1, 1, 1]);
        let kept: Vec<u8> =
            entries[1..3].iter().flat_map(|entry| bytes::decode(entry).unwrap().to_vec()).collect();
        assert_eq!(kept, packet[..50]);
    }
}
