//! Drops and marks of a run, each with what its decision saw.
use dumbbell_plan::Plan;
use dumbbell_sim::Signal;
use serde_json::{Map, Value, json};

/// The first drops and marks of a run, and how many there were.
#[derive(Debug, Default)]
pub struct Signals {
    most: usize,
    count: usize,
    kept: Vec<Signal>,
}

impl Signals {
    /// Keeps at most so many.
    pub fn new(most: usize) -> Signals {
        Signals { most, ..Signals::default() }
    }

    /// One more.
    pub fn add(&mut self, signal: &Signal) {
        self.count += 1;
        if self.kept.len() < self.most {
            self.kept.push(signal.clone());
        }
    }

    /// `{"count", "rows": [{"time_s", "queue", "flow", "data", "reason", "marked", "retransmit",
    /// "ip_len_bytes", "queue_packets", "gauges"}]}`.
    pub fn json(&self, plan: &Plan) -> Value {
        let row = |s: &Signal| {
            let gauges: Map<String, Value> =
                s.gauges.0.iter().map(|(name, value)| (name.to_string(), json!(value))).collect();
            json!({
                "time_s": s.t.seconds(),
                "queue": plan.links[s.link].name,
                "flow": plan.flows[s.flow].name,
                "data": s.data,
                "reason": s.reason.name(),
                "marked": s.marked,
                "retransmit": s.retransmit,
                "ip_len_bytes": s.ip_len,
                "queue_packets": s.backlog_packets,
                "gauges": gauges,
            })
        };
        json!({ "count": self.count, "rows": self.kept.iter().map(row).collect::<Vec<_>>() })
    }
}
