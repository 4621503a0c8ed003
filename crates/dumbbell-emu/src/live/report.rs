//! The report of a live run, in the form of a simulation's: from the replayed network and the
//! hosts.
use crate::live::spurious::SpuriousRetransmissions;
use crate::traffic::outcome::{Outcome, Outcomes};
use dumbbell_core::units::Time;
use dumbbell_net::{FlowReport, Report};
use dumbbell_net::{RelayFlow, RelayReport};
use dumbbell_plan::Plan;

/// Puts both together. Flows that no traffic of ours made (a program's) are known to the network
/// alone: their goodput is what came out, less what `spurious` says had arrived before.
pub fn report(
    plan: &Plan,
    passed: RelayReport,
    outcomes: &Outcomes,
    spurious: &SpuriousRetransmissions,
) -> Report {
    let window_s = plan.duration.saturating_sub(plan.warmup).seconds();
    let bps = |bytes: u64| if window_s > 0.0 { bytes as f64 * 8.0 / window_s } else { 0.0 };
    let of = |(i, passage): (usize, RelayFlow)| {
        let (outcome, throughput_bps) = (outcomes.flows.get(i), bps(passage.received_bytes));
        let distinct = || bps(passage.received_bytes.saturating_sub(spurious.needless_bytes(i)));
        let goodput_bps = outcome.map_or_else(distinct, Outcome::goodput_bps);
        flow(plan, i, passage, (outcome, goodput_bps, throughput_bps))
    };
    let flows = passed.flows.into_iter().enumerate().map(of).collect();
    Report {
        flows,
        queues: passed.queues,
        markers: passed.markers,
        processors: passed.processors,
        shared_buffers: passed.shared_buffers,
        fingerprint: passed.fingerprint,
        packet_hops: passed.packet_hops,
        events: passed.events,
        conservation: passed.conservation,
        fragmentation: passed.fragmentation,
    }
}

fn flow(
    plan: &Plan,
    i: usize,
    passage: RelayFlow,
    (outcome, goodput_bps, throughput_bps): (Option<&Outcome>, f64, f64),
) -> FlowReport {
    let planned = &plan.flows[i];
    let cc = planned.transport.cc().map(|cc| cc.kind.clone());
    let tcp = outcome.filter(|o| o.control.is_some());
    FlowReport {
        name: planned.name.clone(),
        cc,
        goodput_bps,
        throughput_bps,
        held_back_bytes: None,
        peak_throughput_bps: None,
        sent_packets: passage.sent_packets,
        delivered_packets: passage.delivered_packets,
        lost_packets: passage.lost_packets,
        retransmits: tcp.map_or(passage.retransmits, |o| o.retransmits().into()),
        rtos: tcp.and_then(Outcome::timeouts).unwrap_or(0).into(),
        marks: passage.marks,
        srtt_mean_s: tcp.and_then(|o| o.means.rtt()),
        cwnd_mean_packets: tcp.and_then(|o| o.means.cwnd()),
        completion: outcome
            .and_then(|o| o.completed)
            .map(|at| at.since(Time::ZERO + planned.start)),
        application: outcome.map(|o| o.application.clone()).unwrap_or_default(),
        colors: passage.colors,
        quic: None,
        media: None,
        path: None,
        acks: None,
        delays: passage.delays.map(Box::new),
    }
}
