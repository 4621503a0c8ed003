//! The part of the results about a session: the completion times of its transfers, and the slowdown
//! compared with a transfer alone.
use dumbbell_core::units::{Bytes, Span};
use dumbbell_plan::{Flow, Plan, Transport};
use dumbbell_sim::{FlowReport, Report};
use serde_json::{Value, json};

/// Classes of size, each up to and with so many bytes.
const CLASSES: [(u64, &str); 5] = [
    (10_000, "up to 10 kB"),
    (100_000, "up to 100 kB"),
    (1_000_000, "up to 1 MB"),
    (10_000_000, "up to 10 MB"),
    (u64::MAX, "above 10 MB"),
];

/// One transfer of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// Its flow.
    pub flow: usize,
    /// Its session.
    pub session: usize,
    /// Its start.
    pub start: Span,
    /// Its size.
    pub size: Bytes,
    /// Its duration; `None` if it had not finished by the end.
    pub took: Option<Span>,
    /// The least time that it can take.
    pub ideal: Span,
}

impl Completion {
    fn slowdown(&self) -> Option<f64> {
        Some(self.took?.seconds() / self.ideal.seconds())
    }
}

/// The class of a size.
fn class_of(size: Bytes) -> usize {
    CLASSES.iter().position(|(most, _)| size.0 <= *most).unwrap_or(CLASSES.len() - 1)
}

/// The transfers of all sessions.
pub fn of_plan<'a>(plan: &'a Plan, report: &'a Report) -> impl Iterator<Item = Completion> + 'a {
    let of = |(number, (flow, seen)): (usize, (&'a Flow, &'a FlowReport))| {
        let size = flow.source.config["size"].as_str()?.parse().ok()?;
        let session = flow.session? as usize;
        let ideal = ideal(plan, flow, size);
        Some(Completion {
            flow: number,
            session,
            start: flow.start,
            size,
            took: seen.completion,
            ideal,
        })
    };
    plan.flows.iter().zip(&report.flows).enumerate().filter_map(of)
}

/// The time that a transfer takes at least: the propagation of its data's path, and its bytes with
/// their headers at the nominal rate of the slowest link.
fn ideal(plan: &Plan, flow: &Flow, size: Bytes) -> Span {
    let (mss, header) = match &flow.transport {
        Transport::Tcp { tcp, .. } => (tcp.mss.map_or(1460, |m| m.0), tcp.header.0),
        Transport::Udp { header, .. } => (size.0.max(1), u64::from(*header)),
    };
    let packets = size.0.div_ceil(mss);
    let sending = |l: &usize| {
        let link = &plan.links[*l];
        let framing = link.framing();
        let full = u64::from(framing.wire_len((mss + header) as u32));
        let last =
            (size.0 + packets * header).saturating_sub(packets.saturating_sub(1) * (mss + header));
        link.rate
            .span_of(packets.saturating_sub(1) * full + u64::from(framing.wire_len(last as u32)))
    };
    let way = flow.forward.iter().fold(Span::ZERO, |sum, l| sum + plan.links[*l].delay);
    way + flow.forward.iter().map(sending).max().unwrap_or_default()
}

/// The document's `sessions`: of the flows that started after the warm-up.
pub fn of_run(plan: &Plan, report: &Report) -> Vec<Value> {
    let mut of_session: Vec<Vec<Completion>> = vec![Vec::new(); plan.sessions.len()];
    of_plan(plan, report)
        .filter(|c| c.start >= plan.warmup)
        .for_each(|c| of_session[c.session].push(c));
    let window = plan.duration.saturating_sub(plan.warmup).seconds();
    let one = |(session, all): (&dumbbell_plan::Session, &Vec<Completion>)| {
        let count =
            |of: fn(&FlowReport) -> u64| all.iter().map(|c| of(&report.flows[c.flow])).sum::<u64>();
        let bytes: u64 = all.iter().map(|c| c.size.0).sum();
        let mut out = json!({
            "name": session.name,
            "flows": all.len(),
            "finished": all.iter().filter(|c| c.took.is_some()).count(),
            "offered_bps": session.offered_bps,
            "arrived_bps": bytes as f64 * 8.0 / window,
            "mean_bytes": mean(all.iter().map(|c| c.size.0 as f64)),
        });
        times(all, &mut out);
        out["completion_percentiles_s"] = percentiles(all);
        out["sent_packets"] = count(|f| f.sent_packets).into();
        out["lost_packets"] = count(|f| f.lost_packets).into();
        out["retransmits"] = count(|f| f.retransmits).into();
        out["rtos"] = count(|f| f.rtos).into();
        out["by_size"] = by_size(all).into();
        out
    };
    plan.sessions.iter().zip(&of_session).map(one).collect()
}

/// Mean and quantiles of completion times and slowdowns of what finished; null if nothing did.
fn times(all: &[Completion], out: &mut Value) {
    let took = sorted(all.iter().filter_map(|c| c.took.map(Span::seconds)));
    let slowdown = sorted(all.iter().filter_map(Completion::slowdown));
    for (values, what) in [(took, "completion_s"), (slowdown, "slowdown")] {
        out[format!("mean_{what}")] = mean(values.iter().copied()).into();
        for percent in [50, 95, 99] {
            out[format!("p{percent}_{what}")] = rank(&values, percent).into();
        }
    }
}

/// Quantiles of the completion time, by percent from 0 (the least) to 100.
fn percentiles(all: &[Completion]) -> Value {
    let took = sorted(all.iter().filter_map(|c| c.took.map(Span::seconds)));
    if took.is_empty() {
        Value::Null
    } else {
        (0..=100).map(|percent| json!(rank(&took, percent))).collect()
    }
}

fn by_size(all: &[Completion]) -> Vec<Value> {
    let class = |(i, (_, name)): (usize, &(u64, &str))| {
        let mine: Vec<Completion> = all.iter().filter(|c| class_of(c.size) == i).copied().collect();
        let mut out = json!({
            "sizes": name,
            "flows": mine.len(),
            "finished": mine.iter().filter(|c| c.took.is_some()).count(),
            "mean_bytes": mean(mine.iter().map(|c| c.size.0 as f64)),
        });
        times(&mine, &mut out);
        out
    };
    CLASSES.iter().enumerate().map(class).collect()
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (n, sum) = values.fold((0u64, 0.0), |(n, sum), x| (n + 1, sum + x));
    (n > 0).then(|| sum / n as f64)
}

/// The quantile by the nearest rank: the least value that so many percent do not exceed.
fn rank(sorted: &[f64], percent: usize) -> Option<f64> {
    sorted.get((percent * sorted.len()).div_ceil(100).max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_the_nearest() {
        let x: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!(
            [0, 1, 50, 95, 99, 100].map(|p| rank(&x, p)),
            [1.0, 2.0, 100.0, 190.0, 198.0, 200.0].map(Some)
        );
        assert_eq!((rank(&[], 50), rank(&[7.0], 99)), (None, Some(7.0)));
        assert_eq!([1, 10_000, 10_001, u64::MAX].map(|n| class_of(Bytes(n))), [0, 0, 1, 4]);
    }
}
