//! The part of the results about one-way delays: of datagrams, and of connections whose delays are
//! recorded.
use crate::language::result_names::DELAY_NUMBERS;
use dumbbell_sim::FlowReport;
use serde_json::{Value, json};

/// Adds them to what is said of a flow.
pub fn add_to_flow(out: &mut Value, f: &FlowReport) {
    let Some(d) = &f.delays else { return };
    let [p50, p95, p99, p999] = d.percentiles_s.map(|p| json!(p));
    let values = [
        json!(d.min_s),
        json!(d.mean_s),
        p50,
        p95,
        p99,
        p999,
        json!(d.max_s),
        json!(d.range_s),
        json!(d.jitter_s),
        json!(d.jitter_mean_s),
        json!(d.ipdv_mean_abs_s),
        json!(d.pdv_p99_s),
        json!(d.reordered),
        json!(d.extent_max),
        json!(d.duplicates),
        json!(d.loss_burst_max),
    ];
    DELAY_NUMBERS.iter().zip(values).for_each(|(key, value)| out[key] = value);
}
