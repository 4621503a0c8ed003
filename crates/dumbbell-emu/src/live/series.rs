//! Time series of the flows of a live run, in the form of a simulation's: from TCP_INFO of senders,
//! the receivers' counts, and the log.
use super::replay::ReplayObserver;
use crate::log::Record;
use crate::traffic::outcome::Outcomes;
use crate::traffic::sampler::Sample;
use dumbbell_core::units::{Span, Time};
use dumbbell_net::FlowRow;

/// Counts of a flow's data packets between two samples.
#[derive(Clone, Copy, Default)]
struct Counts {
    sent: u64,
    delivered: u64,
    lost: u64,
    received_bytes: u64,
}

/// Counts what a log has about each flow by instants of the series.
pub struct FlowCounts {
    every: Span,
    /// By flow, then by instant: from the instant before (not included) to it.
    seen: Vec<Vec<Counts>>,
    /// Bytes of the application's in each packet, by number.
    payload: Vec<u16>,
}

impl FlowCounts {
    /// Counts for `flows` flows and a series of this period, until `end`.
    pub fn new(flows: usize, every: Span, end: Time) -> FlowCounts {
        let instants = (end.ps() / every.ps().max(1)) as usize + 1;
        FlowCounts { every, seen: vec![vec![Counts::default(); instants]; flows], payload: vec![0] }
    }

    /// The first instant of the series that is not before `t`, if it has one.
    fn at(&mut self, flow: usize, t: Time) -> Option<&mut Counts> {
        let instant = t.ps().div_ceil(self.every.ps().max(1)) as usize;
        self.seen.get_mut(flow)?.get_mut(instant)
    }
}

impl ReplayObserver for FlowCounts {
    fn record(&mut self, record: &Record) {
        match *record {
            Record::In { t, packet } => {
                self.payload.resize((packet.number as usize).max(self.payload.len()), 0);
                self.payload.push(packet.payload);
                if packet.socket % 2 == 0
                    && let Some(seen) = self.at(packet.socket as usize / 2, t)
                {
                    seen.sent += 1;
                }
            }
            Record::Out { out, .. }
                if out.socket % 2 == 1 && !out.damaged && out.icmp_error.is_none() =>
            {
                // Of one that was cut, its last piece stands for it.
                let whole = out.fragment.is_none_or(|fragment| fragment.last);
                let payload = self.payload.get(out.number as usize).copied().unwrap_or(0);
                if let Some(seen) = self.at(out.socket as usize / 2, out.at).filter(|_| whole) {
                    seen.delivered += 1;
                    seen.received_bytes += u64::from(payload);
                }
            }
            Record::Out { .. } => {}
        }
    }

    fn lost(&mut self, t: Time, flow: usize) {
        if let Some(seen) = self.at(flow, t) {
            seen.lost += 1;
        }
    }
}

/// A row for each flow and instant, by flow and then by time; instants at which nobody looked have
/// none.
pub fn rows(
    counted: &FlowCounts,
    outcomes: &Outcomes,
    samples: &[Sample],
) -> Vec<(Time, usize, FlowRow)> {
    let every = counted.every;
    let instant = |t: Time| (t.ps() / every.ps().max(1)) as usize;
    let mut of_flow: Vec<Vec<&Sample>> = vec![vec![]; counted.seen.len()];
    for sample in samples {
        of_flow.get_mut(sample.flow as usize).into_iter().for_each(|own| own.push(sample));
    }
    let mut out = Vec::new();
    for (flow, seen) in counted.seen.iter().enumerate() {
        let control = outcomes.flows.get(flow).and_then(|o| o.control.as_deref()).unwrap_or("");
        let mut rows: Vec<Option<FlowRow>> = vec![None; seen.len()];
        for sample in &of_flow[flow] {
            if let Some(row) = rows.get_mut(instant(sample.at)) {
                // The first look from the instant on: what comes later is not its own any more.
                row.get_or_insert_with(|| FlowRow {
                    gauges: sample.state.gauges(control),
                    ..of_sample(sample)
                });
            }
        }
        let mut bytes = vec![None; seen.len()];
        for progress in outcomes.progress.iter().filter(|p| p.flow == flow) {
            if let Some(place) = bytes.get_mut(instant(progress.at)) {
                *place = Some(progress.delivered.bytes);
            }
        }
        let datagrams = outcomes.flows.get(flow).is_some_and(|o| o.datagrams.is_some());
        let (mut so_far, mut delivered) = (Counts::default(), 0);
        for ((number, seen), row) in (0u64..).zip(seen).zip(rows) {
            so_far.sent += seen.sent;
            so_far.delivered += seen.delivered;
            so_far.lost += seen.lost;
            so_far.received_bytes += seen.received_bytes;
            delivered = bytes[number as usize].unwrap_or(if datagrams {
                so_far.received_bytes
            } else {
                delivered
            });
            // Datagrams have no sender that could be asked.
            let Some(row) = row.or_else(|| datagrams.then(FlowRow::default)) else { continue };
            let row = FlowRow {
                sent_packets: so_far.sent,
                delivered_packets: so_far.delivered,
                lost_packets: so_far.lost,
                received_bytes: so_far.received_bytes,
                delivered_bytes: delivered,
                ..row
            };
            out.push((Time::from_ps(number * every.ps()), flow, row));
        }
    }
    out
}

/// What a sample says of its flow.
pub(crate) fn of_sample(s: &Sample) -> FlowRow {
    let mss = u64::from(s.mss);
    FlowRow {
        cwnd_bytes: u64::from(s.cwnd) * mss,
        cwnd_packets: f64::from(s.cwnd),
        ssthresh_bytes: s.ssthresh.map(|segments| u64::from(segments) * mss),
        srtt: (s.rtt_us > 0).then(|| Span::from_us(s.rtt_us.into())),
        rto: Span::from_us(s.rto_us.into()),
        in_flight_bytes: u64::from(s.in_flight) * mss,
        sent_bytes: s.bytes_sent,
        retransmits: s.total_retrans.into(),
        phase: s.phase,
        ..FlowRow::default()
    }
}
