//! The part of the results about packets that were too large for a link: the document's
//! `fragmentation`, and a flow's `path`.
use dumbbell_sim::Fragmentation;
use dumbbell_tcp::PathStats;
use serde_json::{Value, json};

/// At links, of the whole run, warm-up included; what hosts of their own kernel did with pieces
/// nobody tells.
pub fn at_links(all: &Fragmentation) -> Value {
    let cuts = &all.cuts;
    json!({
        "cut_packets": cuts.cut,
        "fragments": cuts.fragments,
        "refused_packets": cuts.refused,
        "answers": cuts.answered,
    })
}

/// The object of a whole run: [`at_links`] and the reassembly at hosts.
pub fn of_run(all: &Fragmentation) -> Value {
    let Fragmentation { cuts, reassembled } = all;
    json!({
        "cut_packets": cuts.cut,
        "fragments": cuts.fragments,
        "refused_packets": cuts.refused,
        "answers": cuts.answered,
        "arrived_fragments": reassembled.fragments,
        "reassembled_packets": reassembled.whole,
        "expired_packets": reassembled.expired,
        "duplicate_fragments": reassembled.duplicates,
        "discarded_fragments": reassembled.full,
        "max_memory_bytes": reassembled.most_bytes,
    })
}

/// Describes what a sender learned of its path since its start, and the packet size that it has
/// reached.
pub fn path(mtu: u32, stats: &PathStats) -> Value {
    json!({
        "mtu_bytes": mtu,
        "mtu_changes": stats.mtu_changes,
        "mtu_probes": stats.mtu_probes,
        "mtu_probes_lost": stats.mtu_probes_lost,
        "black_holes": stats.black_holes,
        "notices": stats.notices,
        "notices_ignored": stats.notices_ignored,
    })
}
