//! What became of packets that were too large for a link: the document's `fragmentation`.
use dumbbell_sim::Fragmentation;
use serde_json::{Value, json};

/// Of the whole run, warm-up included.
pub fn of_run(all: &Fragmentation) -> Value {
    let Fragmentation { cuts, gathered } = all;
    json!({
        "cut_packets": cuts.cut,
        "fragments": cuts.fragments,
        "refused_packets": cuts.refused,
        "answers": cuts.answered,
        "arrived_fragments": gathered.fragments,
        "reassembled_packets": gathered.whole,
        "expired_packets": gathered.expired,
        "duplicate_fragments": gathered.duplicates,
        "discarded_fragments": gathered.full,
        "max_memory_bytes": gathered.most_bytes,
    })
}
