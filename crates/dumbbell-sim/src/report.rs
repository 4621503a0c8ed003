//! The end of a world: what happened, and whether every packet is accounted for.
use crate::flow::Ends;
use crate::world::World;
use dumbbell_core::units::Time;
use dumbbell_net::Observer;
use dumbbell_net::{FlowReport, Fragmentation, Report};

impl World {
    /// The work of [`World::finish`]. It is compiled once for each `O`: only `alone` and `observed`
    /// call it.
    pub(crate) fn close<O: Observer>(mut self, observer: &mut O) -> Report {
        let end = self.end;
        if !self.closed {
            self.net.close(observer);
            self.account_drops();
        }
        self.net.close_reassembly(&mut self.reassembler);
        self.give_up(end);
        let tokens = self.net.token_faults(&self.report_names);
        let flows = (0..self.flows.len()).map(|i| self.flow_report(i, observer)).collect();
        Report {
            flows,
            queues: self.net.queue_reports(&self.report_names),
            markers: self.net.marker_reports(&self.report_names),
            processors: self.net.processor_reports(),
            shared_buffers: self.net.shared_buffer_reports(),
            fingerprint: self.net.fingerprint(),
            packet_hops: self.net.tally().packet_hops,
            events: self.net.tally().events,
            conservation: self.net.conservation(&self.report_names, tokens),
            fragmentation: self.fragmentation(),
        }
    }

    /// Counts of packets that were too large; `None` if none can be.
    fn fragmentation(&self) -> Option<Fragmentation> {
        self.net.may_fragment().then(|| Fragmentation {
            cuts: self.net.tally().cuts,
            reassembled: self.reassembler.counts,
        })
    }

    fn flow_report<O: Observer>(&mut self, i: usize, observer: &mut O) -> FlowReport {
        let report_names = &self.report_names;
        let window = self.end.since(self.warm).seconds();
        let from = report_names.warmup.max(report_names.start(i));
        let active = (report_names.duration.saturating_sub(from)).seconds();
        let flow = &mut self.flows[i];
        let w = flow.close(self.end, observer);
        let c = w.counts;
        let stream = matches!(flow.ends, Ends::Tcp { .. } | Ends::Quic(_));
        let windowed = !matches!(flow.ends, Ends::Udp(_));
        let bps = |bytes: u64| bytes as f64 * 8.0 / window;
        FlowReport {
            name: report_names.name(i).into(),
            cc: report_names.cc(i).map(Into::into),
            goodput_bps: bps(c.delivered_bytes),
            held_back_bytes: (stream && self.warm > Time::ZERO).then_some(c.held_bytes),
            throughput_bps: bps(c.received_bytes),
            peak_throughput_bps: w.peak_bps,
            sent_packets: c.sent_packets,
            delivered_packets: c.delivered_packets,
            lost_packets: w.lost_packets,
            retransmits: c.retransmits,
            rtos: c.rtos,
            marks: c.marks,
            srtt_mean_s: (c.rtt_samples > 0).then(|| c.rtt_sum_s / c.rtt_samples as f64),
            cwnd_mean_packets: (windowed && active > 0.0).then(|| c.cwnd_integral / active),
            completion: flow.completed_at().map(|at| at.since(Time::ZERO + report_names.start(i))),
            application: flow.application(self.end),
            colors: self.colors.as_ref().map(|c| c.of_flow(i)),
            path: flow.path(),
            quic: match &flow.ends {
                Ends::Quic(quic) => Some(*quic.sender.stats()),
                _ => None,
            },
            media: match &flow.ends {
                Ends::Scream(scream) => Some(Box::new(scream.media())),
                _ => None,
            },
            acks: None,
            delays: w.delays.map(Box::new),
        }
    }
}
