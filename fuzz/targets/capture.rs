//! Captures, pcapng and pcap: packets until the end or until a place that is named, and their
//! connections.
use dumbbell_lab::formats::capture;
use dumbbell_lab::formats::connections::Connections;

/// A file.
pub fn run(data: &[u8]) {
    let mut connections = Connections::default();
    if let Some(damage) = capture::read(data, |packet| connections.take(packet)) {
        assert!(damage.offset <= data.len() && !damage.cause.is_empty(), "{damage:?}");
    }
    drop(connections.json());
}
