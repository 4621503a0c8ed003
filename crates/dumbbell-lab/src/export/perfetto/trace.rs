//! The trace itself: clock, names and tracks, then the events in the order of time.
use super::draft::{Draft, SentWords};
use super::packets::{Flights, repetition};
use super::tracks::Tracks;
use crate::export::external_sort::words;
use crate::export::output::Output;
use crate::formats::perfetto::{self, Kind, Names, TrackEvent};
use prost::Message;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

const PS_PER_NS: u64 = 1000;
/// The tracks of the packets in a queue: packets overlap, so each is alone on its track while it
/// stays, and Perfetto shows tracks of one name as one.
const STAYS: &str = "packets";

/// Writes it. Returns the number of events and of tracks.
///
/// # Errors
/// The output or a temporary file cannot be written.
pub fn write(draft: Draft<'_>, out: &mut Output) -> io::Result<(u64, u64)> {
    let Draft { mut names, tracks, sorter, start, .. } = draft;
    // Their names must be known before the names are written.
    let _ = repetition(&mut names, (0, 0), [0; 3], Some((0, true)));
    let mut bytes = Vec::new();
    perfetto::head(&names, &mut bytes);
    tracks.made.iter().for_each(|track| perfetto::descriptor(track.clone(), &mut bytes));
    let mut events = Events {
        names,
        tracks,
        bytes,
        free: HashMap::new(),
        stays: HashMap::new(),
        flights: Flights::new(),
        count: 0,
    };
    start.iter().for_each(|event| events.event(0, event));
    sorter.finish(|(ps, _), piece| {
        events.piece(ps / PS_PER_NS, piece);
        out.write_all(&events.bytes)?;
        events.bytes.clear();
        Ok(())
    })?;
    out.write_all(&events.bytes)?;
    Ok((events.count, events.tracks.len()))
}

/// The events on their way out, and what of the network they need to know: the packets that are in
/// queues and in flight at the instant.
struct Events<'p> {
    names: Names,
    tracks: Tracks<'p>,
    bytes: Vec<u8>,
    /// Tracks of each queue on which no packet is.
    free: HashMap<u64, BTreeSet<u64>>,
    /// Queue and track of each packet that is in a queue.
    stays: HashMap<u64, (u64, u64)>,
    flights: Flights,
    count: u64,
}

impl Events<'_> {
    fn piece(&mut self, ns: u64, piece: &[u8]) {
        let ([kind], rest) = words::<1>(piece);
        match kind {
            0 => self.encoded(ns, rest.to_vec()),
            1 => {
                let ([queue, stay], slice) = words::<2>(rest);
                let track = self.lane(queue);
                self.stays.insert(stay, (queue, track));
                self.encoded(ns, on(track, slice.to_vec()));
            }
            2 => {
                let ([stay], _) = words::<1>(rest);
                if let Some((queue, track)) = self.stays.remove(&stay) {
                    self.free.entry(queue).or_default().insert(track);
                    let end = Some(Kind::End as i32);
                    let event = TrackEvent { r#type: end, ..TrackEvent::default() };
                    self.encoded(ns, on(track, event.encode_to_vec()));
                }
            }
            3 => {
                let ([track, flow], packet) = words::<2>(rest);
                self.sent(ns, (track, flow), words::<5>(packet).0);
            }
            _ => {
                let ([flow, ack], _) = words::<2>(rest);
                self.flights.entry(flow).or_default().acknowledged(ack, &[]);
            }
        }
    }

    fn sent(&mut self, ns: u64, at: (u64, u64), [number, seq, end, payload, bits]: SentWords) {
        let flight = self.flights.entry(at.1).or_default();
        let before = flight.sent((seq, end), number, bits & 2 != 0);
        if bits & 1 != 0 {
            let before = before.map(|p| (p.number, p.what));
            let event = repetition(&mut self.names, at, [number, seq, payload], before);
            self.event(ns, &event);
        }
    }

    /// A track of a queue on which no packet is.
    fn lane(&mut self, queue: u64) -> u64 {
        if let Some(track) = self.free.get_mut(&queue).and_then(BTreeSet::pop_first) {
            return track;
        }
        let (track, descriptor) = self.tracks.another(queue, STAYS, None);
        perfetto::descriptor(descriptor, &mut self.bytes);
        track
    }

    fn event(&mut self, ns: u64, event: &TrackEvent) {
        self.encoded(ns, event.encode_to_vec());
    }

    fn encoded(&mut self, ns: u64, event: Vec<u8>) {
        self.count += 1;
        perfetto::event(ns, event, &mut self.bytes);
    }
}

/// An encoded event on a track: in protobuf, bytes one after the other are one message.
fn on(track: u64, mut event: Vec<u8>) -> Vec<u8> {
    let place = TrackEvent { track_uuid: Some(track), ..TrackEvent::default() };
    // A vector grows: encoding into it cannot fail.
    let _ = place.encode(&mut event);
    event
}
