//! The registry of measurements: one entry for each measured number of a result.
//!
//! An entry states a measurement's name, unit, meaning, statistic and better direction, and reads
//! its value from the report. Everything else that names a measurement follows from the entry: the
//! JSON of a run, the rules that stop replications, the JSON Schema of results and, through the
//! schema, the types and tables of the Python package and the tables of the documentation.
mod acks;
mod flow;
mod fragments;
mod host;
mod marker;
mod media;
mod metric;
mod network;
mod queue;
mod session;
mod shared_buffer;
mod totals;

pub use acks::ACKS;
pub use flow::{DELAYS, FLOW, PATH, PEAK, PROFILE, PathReport, ProfileReport, QUIC, WAITING};
pub use fragments::{FRAGMENTED, REASSEMBLED};
pub use host::{HOST, HostReport};
pub use marker::{BYTE_TOKENS, HELD, MARKER, PACKET_TOKENS};
pub use media::MEDIA;
pub use metric::{Better, Entry, Group, Kind, Metric, Statistic, Window};
pub use network::CONSERVATION;
pub use queue::{DUPLEX, PROFILE_QUEUE, QUEUE, QueueProfile};
pub use session::{SESSION, SESSION_PACKETS, SIZES, SessionReport, TRANSFERS, Transfers, mean};
pub use shared_buffer::{SHARED_BUFFER, SharedBuffer};
pub use totals::{TARGETS, TOTALS, TargetErrors};

/// A sort of row of a result, with all measurements that it can have.
pub struct Row {
    /// What one row describes: `flow`, `queue`.
    pub name: &'static str,
    /// The key of the result that has these rows, such as `flows`; for a table within a row, the
    /// key there.
    pub key: &'static str,
    /// What a row is, as one sentence.
    pub doc: &'static str,
    /// Its measurements in the order of the JSON. A group is there as a whole or not at all.
    pub groups: Vec<Present>,
}

/// A group of a row: when it is there, and its entries.
pub struct Present {
    /// Empty if always, else the condition: `with a series (`record.every`)`.
    pub when: &'static str,
    /// Its entries.
    pub entries: Vec<Entry>,
}

impl Row {
    /// The names of its numbers, always there or not: in the order of the JSON.
    pub fn numbers(&self, always: bool) -> impl Iterator<Item = &'static str> {
        let groups = self.groups.iter().filter(move |group| group.when.is_empty() == always);
        groups.flat_map(|g| &g.entries).filter(|e| e.kind.is_number()).map(|e| e.name)
    }
}

/// Every sort of row, in the order of a result.
pub fn rows() -> Vec<Row> {
    let row = |name, key, doc, groups| Row { name, key, doc, groups };
    vec![
        row(
            "flow",
            "flows",
            "A flow.",
            vec![
                FLOW.present(),
                WAITING.present(),
                PROFILE.present(),
                DELAYS.present(),
                PEAK.present(),
            ],
        ),
        row(
            "path",
            "path",
            "What a flow's sender learned about its path's MTU.",
            vec![PATH.present()],
        ),
        row(
            "quic",
            "quic",
            "What a flow's sender of QUIC counted since its start.",
            vec![QUIC.present()],
        ),
        row("media", "media", "What a flow of SCReAM measured.", vec![MEDIA.present()]),
        row(
            "acks",
            "acks",
            "The acknowledgments of a flow that its receiver sent in the window.",
            vec![ACKS.present()],
        ),
        row("totals", "totals", "All flows together.", vec![TOTALS.present(), TARGETS.present()]),
        row(
            "queue",
            "queues",
            "A reported queue.",
            vec![QUEUE.present(), PROFILE_QUEUE.present(), DUPLEX.present()],
        ),
        row(
            "conservation",
            "conservation",
            "The account of all packets of the whole run: `sent` is `delivered` + `dropped` + \
             `in_network`.",
            vec![CONSERVATION.present()],
        ),
        row(
            "marker",
            "markers",
            "A marker or another conditioner before a link, for one flow or for all that its rule \
             takes.",
            vec![MARKER.present(), BYTE_TOKENS.present(), PACKET_TOKENS.present(), HELD.present()],
        ),
        row("host", "hosts", "A host's processor in one direction.", vec![HOST.present()]),
        row(
            "shared_buffer",
            "shared_buffers",
            "A buffer that the ports of a switch share.",
            vec![SHARED_BUFFER.present()],
        ),
        row(
            "fragmentation",
            "fragmentation",
            "Packets that were, or could have been, too large for a link, of the whole run.",
            vec![FRAGMENTED.present(), REASSEMBLED.present()],
        ),
        row(
            "session",
            "sessions",
            "The transfers of a session that started in the window.",
            vec![SESSION.present(), TRANSFERS.present(), SESSION_PACKETS.present()],
        ),
        row(
            "sizes",
            "by_size",
            "The transfers of a session in one class of sizes.",
            vec![SIZES.present(), TRANSFERS.present()],
        ),
    ]
}

#[cfg(test)]
mod tests;
