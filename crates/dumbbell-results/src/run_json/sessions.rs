//! The part of the results about a session: the completion times of its transfers, and the slowdown
//! compared with a transfer alone.
use crate::run_json::Row;
use dumbbell_core::units::{Bytes, Span};
use dumbbell_net::metrics::{self, SessionReport, Transfers, Window};
use dumbbell_plan::{Flow, Plan, Transport};
use dumbbell_sim::{FlowReport, Report};
use serde_json::json;

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
        Transport::Quic { quic, .. } => {
            let beside = dumbbell_quic::wire::DATA_OVERHEAD;
            (quic.datagram_bytes() - beside, quic.header.0 + beside)
        }
        Transport::Scream { scream } => (scream.mss.0, scream.header.0),
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
pub fn of_run(plan: &Plan, report: &Report, w: &Window) -> Vec<Row> {
    let mut of_session: Vec<Vec<Completion>> = vec![Vec::new(); plan.sessions.len()];
    of_plan(plan, report)
        .filter(|c| c.start >= plan.warmup)
        .for_each(|c| of_session[c.session].push(c));
    let one = |(planned, all): (&dumbbell_plan::Session, &Vec<Completion>)| {
        let session = session(planned, report, all);
        let mut row: Row = metrics::SESSION.values(&session, w).collect();
        row.extend(metrics::TRANSFERS.values(&session.transfers, w));
        row.extend(metrics::SESSION_PACKETS.values(&session, w));
        row.insert("by_size".into(), json!(by_size(all, w)));
        row
    };
    plan.sessions.iter().zip(&of_session).map(one).collect()
}

fn session(planned: &dumbbell_plan::Session, report: &Report, all: &[Completion]) -> SessionReport {
    let count =
        |of: fn(&FlowReport) -> u64| all.iter().map(|c| of(&report.flows[c.flow])).sum::<u64>();
    SessionReport {
        transfers: transfers(&planned.name, all),
        offered_bps: planned.offered_bps,
        bytes: all.iter().map(|c| c.size.0).sum(),
        sent_packets: count(|f| f.sent_packets),
        lost_packets: count(|f| f.lost_packets),
        retransmits: count(|f| f.retransmits),
        rtos: count(|f| f.rtos),
    }
}

fn transfers(name: &str, all: &[Completion]) -> Transfers {
    Transfers {
        name: name.into(),
        flows: all.len() as u64,
        finished: all.iter().filter(|c| c.took.is_some()).count() as u64,
        mean_bytes: metrics::mean(all.iter().map(|c| c.size.0 as f64)),
        completion_s: sorted(all.iter().filter_map(|c| c.took.map(Span::seconds))),
        slowdown: sorted(all.iter().filter_map(Completion::slowdown)),
    }
}

fn by_size(all: &[Completion], w: &Window) -> Vec<Row> {
    let class = |(i, (_, name)): (usize, &(u64, &str))| {
        let mine: Vec<Completion> = all.iter().filter(|c| class_of(c.size) == i).copied().collect();
        let class = transfers(name, &mine);
        let mut row: Row = metrics::SIZES.values(&class, w).collect();
        row.extend(metrics::TRANSFERS.values(&class, w));
        row
    };
    CLASSES.iter().enumerate().map(class).collect()
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_end_with_their_size() {
        assert_eq!([1, 10_000, 10_001, u64::MAX].map(|n| class_of(Bytes(n))), [0, 0, 1, 4]);
    }
}
