//! The part of the results about markers: one row for each meter state of an edge.
use dumbbell_core::units::{Rate, Span};
use dumbbell_sim::MarkerReport;
use serde_json::{Value, json};

/// One place of an edge, over a window of `window_s`.
pub fn row(m: &MarkerReport, window_s: f64) -> Value {
    let bps = |bytes: u64| bytes as f64 * 8.0 / window_s;
    let ([green, yellow, red], bytes) = (m.packets, m.bytes);
    let mut row = json!({
        "link": m.link,
        "rule": m.rule + 1,
        "flow": m.flow,
        "kind": m.kind,
        "reserved_bps": m.reserved.map(Rate::bps),
        "in_packets": green,
        "out_packets": yellow + red,
        "red_packets": red,
        "dropped_packets": m.dropped,
        "in_rate_bps": bps(bytes[0]),
        "out_rate_bps": bps(bytes[1] + bytes[2]),
    });
    if let Some(income) = m.income {
        let unit = if income.packets { "packets" } else { "bytes" };
        row[format!("tokens_made_{unit}")] = json!(income.made);
        row[format!("tokens_lost_{unit}")] = json!(income.lost);
        row["tokens_lost_share"] = json!((income.made > 0.0).then(|| income.lost / income.made));
        row[format!("tokens_mean_{unit}")] = json!(income.mean);
    }
    row["held_packets"] = json!(m.held);
    row["held_mean_packets"] = json!(m.mean_held);
    let keys = ["holding_mean_s", "holding_p99_s", "holding_max_s"];
    keys.iter().zip(m.holding).for_each(|(key, span)| row[key] = json!(span.map(Span::seconds)));
    row
}
