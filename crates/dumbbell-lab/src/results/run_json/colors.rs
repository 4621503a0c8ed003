//! The part of the results about profiles: each flow's packets in and out of profile and its target
//! bandwidth, and each queue's packets. Only plans with profiles have it.
use crate::language::result_names::{PROFILE_FLOW_NUMBERS, PROFILE_QUEUE_NUMBERS};
use dumbbell_plan::{Flow, Plan};
use dumbbell_sim::{ColorCounts, FlowReport, QueueReport};
use serde_json::{Map, Value, json};

/// Adds those of a flow to what is said of it; `target` is the bandwidth that was meant for it.
pub fn add_to_flow(
    out: &mut Value,
    f: &FlowReport,
    planned: &Flow,
    window_s: f64,
    target: Option<f64>,
) {
    let Some(colors) = f.colors else { return };
    let bps = |tint: ColorCounts| tint.delivered_bytes as f64 * 8.0 / window_s;
    let sent = |tint: ColorCounts| tint.delivered_packets + tint.lost_packets;
    let (inside, outside) = (colors.inside, colors.outside);
    let values = [
        json!(planned.info.reserved.map(|r| r.bps())),
        json!(bps(inside)),
        json!(bps(outside)),
        json!(sent(inside)),
        json!(inside.lost_packets),
        json!(sent(outside)),
        json!(outside.lost_packets),
        json!(target),
    ];
    PROFILE_FLOW_NUMBERS.iter().zip(values).for_each(|(key, value)| out[key] = value);
}

/// Adds those of a queue.
pub fn add_to_queue(out: &mut Value, q: &QueueReport) {
    if let (Some(arrivals), Some(drops)) = (q.measures.arrivals, q.measures.drops) {
        let values = [arrivals[0], drops[0], arrivals[1], drops[1]];
        PROFILE_QUEUE_NUMBERS.iter().zip(values).for_each(|(key, value)| out[key] = value.into());
    }
}

/// The bandwidth that was meant for each flow, bits per second, where flows with and without
/// reservations share one reported link: what it reserved and an equal part of what is not
/// reserved; and if more is reserved than there is, its part in proportion (Choi and Kim 2001,
/// equations 1 and 2). `None` for a flow that does not cross that link, and for all where nothing
/// is reserved, where several reported links carry data, and where flows come and go in sessions.
pub fn targets(plan: &Plan) -> Vec<Option<f64>> {
    let none = vec![None; plan.flows.len()];
    let reported =
        |l: &usize| plan.links[*l].report && plan.flows.iter().any(|f| f.forward.contains(l));
    let reported: Vec<usize> = (0..plan.links.len()).filter(reported).collect();
    let ([link], true) = (&reported[..], plan.sessions.is_empty()) else { return none };
    let crosses = |f: &Flow| f.forward.contains(link);
    let reserved = |f: &Flow| f.info.reserved.map_or(0.0, |r| r.bps() as f64);
    let all: Vec<f64> = plan.flows.iter().filter(|f| crosses(f)).map(reserved).collect();
    if all.iter().all(|r| *r == 0.0) {
        return none;
    }
    let mut shares = shares(&all, plan.links[*link].rate.bps() as f64).into_iter();
    plan.flows.iter().map(|f| if crosses(f) { shares.next() } else { None }).collect()
}

/// Each one's part of `rate`, of all that share it and have `reserved`.
fn shares(reserved: &[f64], rate: f64) -> Vec<f64> {
    let sum: f64 = reserved.iter().sum();
    let spare = (rate - sum) / reserved.len() as f64;
    reserved.iter().map(|r| if sum <= rate { r + spare } else { r * rate / sum }).collect()
}

/// Computes the distance of `flows`, as results list them, from their targets: the mean of |x - t|
/// / t over flows with a target above zero, and the sum of |x - t|, where x is the throughput in
/// and out of profile. The map is empty without targets.
pub fn errors(flows: &[Value]) -> Map<String, Value> {
    let pair = |f: &Value| {
        let x = f["in_throughput_bps"].as_f64()? + f["out_throughput_bps"].as_f64()?;
        Some((x, f["target_bps"].as_f64()?))
    };
    let pairs: Vec<(f64, f64)> = flows.iter().filter_map(pair).collect();
    if pairs.is_empty() {
        return Map::new();
    }
    let relative: Vec<f64> =
        pairs.iter().filter(|(_, t)| *t > 0.0).map(|(x, t)| (x - t).abs() / t).collect();
    let mean = (!relative.is_empty()).then(|| relative.iter().sum::<f64>() / relative.len() as f64);
    let sum: f64 = pairs.iter().map(|(x, t)| (x - t).abs()).sum();
    [
        ("target_error_mean".to_string(), json!(mean)),
        ("target_error_sum_bps".to_string(), json!(sum)),
    ]
    .into_iter()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mbit/s, to a bit/s.
    fn is(reserved: &[f64], rate: f64, wanted: &[f64]) {
        let got = shares(reserved, rate);
        assert!(
            got.iter().zip(wanted).all(|(x, t)| (x - t).abs() < 5e-5),
            "{got:?}, not \
            {wanted:?}"
        );
    }

    /// Choi and Kim 2001: the targets of the first experiment (of which one stands for six), of the
    /// second at three rates of the bottleneck, of the third.
    #[test]
    fn targets_of_the_paper() {
        let first = [[1.0; 6], [0.0; 6]].concat();
        is(&first, 10.0, &[[1.3333; 6], [0.3333; 6]].concat());
        let second = [2.0, 1.0, 0.5, 0.1, 2.0, 1.0, 0.5, 0.1, 0.0, 0.0];
        let both =
            |four: [f64; 4], best_effort: f64| [&four[..], &four, &[best_effort; 2]].concat();
        is(&second, 12.0, &both([2.48, 1.48, 0.98, 0.58], 0.48));
        is(&second, 8.0, &both([2.08, 1.08, 0.58, 0.18], 0.08));
        is(&second, 6.0, &both([1.66667, 0.83333, 0.41667, 0.08333], 0.0));
        is(&[[1.0; 8], [0.0; 8]].concat(), 14.0, &[[1.375; 8], [0.375; 8]].concat());
    }

    /// Both equations say the same where all of the link is reserved.
    #[test]
    fn the_equations_meet() {
        let reserved = [3.0, 2.0, 0.0];
        is(&reserved, 5.0, &reserved);
        is(&reserved, 5.0 - 1e-9, &reserved);
    }

    #[test]
    fn errors_by_hand() {
        let flow = |x: f64, y: f64, t: Option<f64>| {
            json!({
                "in_throughput_bps": x, "out_throughput_bps": y, "target_bps": t,
            })
        };
        let flows = [
            flow(1.0, 1.0, Some(4.0)),
            flow(3.0, 0.0, Some(2.0)),
            flow(0.0, 1.0, Some(0.0)),
            flow(9.0, 9.0, None),
        ];
        let said = errors(&flows);
        assert_eq!(
            (&said["target_error_mean"], &said["target_error_sum_bps"]),
            (&json!(0.5), &json!(4.0))
        );
        assert!(errors(&flows[3..]).is_empty());
    }
}
