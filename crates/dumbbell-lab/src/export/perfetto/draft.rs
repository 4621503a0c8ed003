//! A trace in the making: its names, its tracks, and its events, which wait to be put in the order
//! of time.
use super::tracks::Tracks;
use crate::export::external_sort::{Sorter, put};
use crate::formats::perfetto::{Names, TrackEvent};
use dumbbell_plan::Plan;
use prost::Message;
use std::io;

/// The order of events at one instant: what leaves a queue comes before what arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A packet leaves a queue.
    Leaves,
    /// A counter has a new value.
    Counter,
    /// An acknowledgment arrives at the sender.
    Acknowledged,
    /// A queue drops or marks a packet, or a sender reacts.
    Decision,
    /// A sender sends data.
    Sent,
    /// A packet comes to a queue.
    Arrives,
}

/// What a piece of the sorter holds; its first word.
pub enum Piece<'a> {
    /// A whole event.
    Event(&'a TrackEvent),
    /// A packet comes to the queue of a track, and stays under a number.
    Arrives { queue: u64, stay: u64, slice: &'a TrackEvent },
    /// A packet leaves its queue.
    Leaves { stay: u64 },
    /// Data of a flow leave: the flow's track and number, and the words of the packet.
    Sent { track: u64, flow: u64, packet: SentWords },
    /// An acknowledgment of a flow arrives.
    Acknowledged { flow: u64, ack: u64 },
}

/// A data packet: number, first byte, byte after the last, payload, and 1 if it repeats plus 2 if
/// it was dropped.
pub type SentWords = [u64; 5];

/// The parts of a trace.
pub struct Draft<'p> {
    /// Names of events and annotations.
    pub names: Names,
    /// Groups, counters and other tracks.
    pub tracks: Tracks<'p>,
    /// The events.
    pub sorter: Sorter,
    /// Events of the start, which stand before all others.
    pub start: Vec<TrackEvent>,
    stays: u64,
}

impl<'p> Draft<'p> {
    /// An empty one. plan: the network, if it is known.
    pub fn new(plan: Option<&'p Plan>) -> Self {
        Draft {
            names: Names::default(),
            tracks: Tracks::new(plan),
            sorter: Sorter::default(),
            start: Vec::new(),
            stays: 0,
        }
    }

    /// A number for the stay of a packet in a queue.
    pub fn stay(&mut self) -> u64 {
        self.stays += 1;
        self.stays
    }

    /// Adds what happens at an instant in picoseconds.
    ///
    /// # Errors
    /// A temporary file cannot be written.
    pub fn push(&mut self, ps: u64, order: Order, piece: &Piece<'_>) -> io::Result<()> {
        self.sorter.push((ps, order as u64), |out| match piece {
            Piece::Event(event) => {
                put(out, &[0]);
                encode(event, out);
            }
            Piece::Arrives { queue, stay, slice } => {
                put(out, &[1, *queue, *stay]);
                encode(slice, out);
            }
            Piece::Leaves { stay } => put(out, &[2, *stay]),
            Piece::Sent { track, flow, packet } => {
                put(out, &[3, *track, *flow]);
                put(out, packet);
            }
            Piece::Acknowledged { flow, ack } => put(out, &[4, *flow, *ack]),
        })
    }
}

/// Appends the bytes of an event.
fn encode(event: &TrackEvent, out: &mut Vec<u8>) {
    // A vector grows: encoding into it cannot fail.
    let _ = event.encode(out);
}
