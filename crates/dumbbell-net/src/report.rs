//! The result of a run, and the check that every packet is accounted for.
pub(crate) mod names;
use crate::edge::report::MarkerReport;
use crate::fragment::oversize::FragmentationCounts;
use crate::fragment::reassembly::ReassemblyCounts;
use crate::link::Element;
use crate::measure::acks::AckSummary;
use crate::measure::colors::ProfileCounts;
use crate::measure::delays::DelaySummary;
use crate::measure::queue::Measures;
use crate::net::{Net, port_ctx};
use crate::observe::Observer;
use crate::port::Queue;
use crate::port::shared_buffer::SharedBufferReport;
use crate::report::names::ReportNames;
use dumbbell_algos::service::duplex_mismatch::medium::Counters;
use dumbbell_core::packet::fingerprint::Fingerprint;
use dumbbell_core::port::counters::PortCounters;
use dumbbell_core::probe::Gauges;
use dumbbell_core::service::{CpuCost, Service};
use dumbbell_core::units::Span;
use dumbbell_plan::LinkId;
use dumbbell_tcp::PathStats;

/// The result of a run. Rates, means and counts are those of the window from the warm-up to the
/// end.
#[derive(Clone, Debug)]
pub struct Report {
    /// Flows, in the plan's order.
    pub flows: Vec<FlowReport>,
    /// Queues of the links that are reported, in the plan's order.
    pub queues: Vec<QueueReport>,
    /// Markers and other conditioners, by link, a row for each of their places.
    pub markers: Vec<MarkerReport>,
    /// Processors of hosts, in the order of the plan's links.
    pub processors: Vec<ProcessorReport>,
    /// Buffers that switches share among their ports, in the order of the plan's nodes.
    pub shared_buffers: Vec<SharedBufferReport>,
    /// Changes when anything that left a port or a socket changes.
    pub fingerprint: u64,
    /// Packets times links.
    pub packet_hops: u64,
    /// Entries of the agenda.
    pub events: u64,
    /// The account of all packets.
    pub conservation: Conservation,
    /// Counts of packets that were too large; `None` if everything fits everywhere.
    pub fragmentation: Option<Fragmentation>,
}

/// Counts of packets that were too large, of the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragmentation {
    /// At the links that they did not fit into.
    pub cuts: FragmentationCounts,
    /// At the hosts that their fragments came to.
    pub reassembled: ReassemblyCounts,
}

/// One flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowReport {
    /// Its name.
    pub name: String,
    /// Its congestion control; `None` for datagrams.
    pub cc: Option<String>,
    /// Distinct bytes handed to the receiving application, per time.
    pub goodput_bps: f64,
    /// Bytes that waited at the receiver for missing data when the window began: they arrived
    /// before it and count in the goodput once they are handed over. `None` of datagrams, and
    /// without a warm-up.
    pub held_back_bytes: Option<u64>,
    /// Payload bytes that arrived, repetitions included, per time.
    pub throughput_bps: f64,
    /// The largest throughput of a period of the series; `None` where there is none, or no whole
    /// period.
    pub peak_throughput_bps: Option<f64>,
    /// Packets that the sender sent.
    pub sent_packets: u64,
    /// Of these, how many arrived.
    pub delivered_packets: u64,
    /// Of these, how many were dropped.
    pub lost_packets: u64,
    /// Packets sent again.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub rtos: u64,
    /// Packets that arrived with Congestion Experienced.
    pub marks: u64,
    /// Mean of the round-trip samples.
    pub srtt_mean_s: Option<f64>,
    /// Time-weighted mean congestion window.
    pub cwnd_mean_packets: Option<f64>,
    /// From its start until the receiving application had everything, whenever that was; `None` if
    /// its application has not closed, if something is missing, and for datagrams.
    pub completion: Option<Span>,
    /// Measures of its application, since its start.
    pub application: Gauges,
    /// Its packets by color; `None` in a plan without profiles.
    pub colors: Option<ProfileCounts>,
    /// The path's MTU that its sender came to, bytes, and how; `None`: it learned nothing.
    pub path: Option<(u32, PathStats)>,
    /// What a sender of QUIC counted; `None` for others.
    pub quic: Option<dumbbell_quic::SenderStats>,
    /// What a flow of SCReAM measured; `None` for others.
    pub media: Option<Box<dumbbell_scream::Media>>,
    /// Its acknowledgments; filled in by whoever followed them.
    pub acks: Option<AckSummary>,
    /// Delays of its packets: of datagrams; those of a connection are filled in by whoever followed
    /// them.
    pub delays: Option<Box<DelaySummary>>,
}

/// One queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueReport {
    /// The link's name.
    pub name: String,
    /// The algorithm.
    pub kind: String,
    /// Time-weighted mean length, by the port's convention.
    pub mean_packets: f64,
    /// Largest length.
    pub max_packets: u32,
    /// Mean waiting time before transmission.
    pub mean_sojourn_s: f64,
    /// Further measures of a reported queue.
    pub measures: Measures,
    /// Counts.
    pub counters: PortCounters,
    /// Bits sent over bits that the transmitter could have sent; at a constant rate the share of
    /// time in which it was busy.
    pub utilization: f64,
    /// Collisions of its end of an Ethernet; `None` where there is none to share.
    pub duplex: Option<Counters>,
}

/// A processor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessorReport {
    /// The link that it is.
    pub link: LinkId,
    /// Processor time that packets cost.
    pub cpu_cost: CpuCost,
    /// Share of time in which it was at work.
    pub utilization: f64,
    /// Packets that found its ring full.
    pub dropped: u64,
}

/// The account of all packets of a run: `sent = delivered + dropped + in_network`, copies included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conservation {
    /// True if it closes.
    pub ok: bool,
    /// Packets that left a socket or a router that answered, copies that wires made, and fragments
    /// beyond the first of each packet.
    pub sent: u64,
    /// Packets that arrived at one.
    pub delivered: u64,
    /// Packets dropped anywhere.
    pub dropped: u64,
    /// Of those sent, the copies.
    pub duplicated: u64,
    /// Of those dropped, the ones that a host discarded for a wrong bit.
    pub discarded: u64,
    /// Packets on their way at the end.
    pub in_network: u64,
    /// Faults: what does not balance, and where.
    pub faults: Vec<String>,
}

impl Net {
    /// Ends the run: settles every port to the end.
    pub fn close<O: Observer>(&mut self, observer: &mut O) {
        let end = self.end;
        for element in &mut self.elements {
            if let Element::Port(port) = element {
                port.close(end, port_ctx!(self, observer));
            }
        }
    }

    /// Reports of the queues that results report.
    pub fn queue_reports(&self, report_names: &ReportNames) -> Vec<QueueReport> {
        let reported = report_names.links().iter().filter(|link| link.report);
        reported
            .filter_map(|link| {
                let Element::Port(port) = &self.elements[link.number] else { return None };
                let stats = &port.account.stats;
                Some(QueueReport {
                    name: link.name.clone(),
                    kind: link.aqm.kind.clone(),
                    mean_packets: stats.mean_packets(),
                    max_packets: stats.max_packets(),
                    mean_sojourn_s: stats.mean_sojourn_s(),
                    measures: stats.measures().unwrap_or_default(),
                    counters: stats.window(),
                    utilization: port.utilization(),
                    duplex: self
                        .shared_media
                        .as_ref()
                        .and_then(|shared_media| shared_media.counters(link.number)),
                })
            })
            .collect()
    }

    /// Reports of the processors of hosts.
    pub fn processor_reports(&self) -> Vec<ProcessorReport> {
        let of = |(link, element): (usize, &Element)| {
            let Element::Port(port) = element else { return None };
            let (counters, utilization) = (port.account.stats.window(), port.utilization());
            Some(ProcessorReport {
                link,
                cpu_cost: port.service().cpu_cost()?,
                utilization,
                dropped: counters.dropped(),
            })
        };
        self.elements.iter().enumerate().filter_map(of).collect()
    }

    /// Reports of the buffers that switches share among their ports.
    pub fn shared_buffer_reports(&self) -> Vec<SharedBufferReport> {
        let sharing = self.elements.iter().filter_map(|element| match element {
            Element::Port(port) => match &port.queue {
                Queue::Held(queue) => queue.sharing(),
                Queue::Arrival(_) => None,
            },
            _ => None,
        });
        SharedBufferReport::of_queues(sharing)
    }

    /// Reports of the markers at edges.
    pub fn marker_reports(&self, report_names: &ReportNames) -> Vec<MarkerReport> {
        let mut all = Vec::new();
        for link in report_names.links() {
            if let Element::Port(port) = &self.elements[link.number]
                && let Some(edge) = &port.edge
            {
                all.extend(edge.reports(&link.name, |flow| report_names.name(flow)));
            }
        }
        all
    }

    /// Faults of markers whose token account does not balance.
    pub fn token_faults(&mut self, report_names: &ReportNames) -> Vec<String> {
        let end = self.end;
        let mut all = Vec::new();
        for link in report_names.links() {
            if let Element::Port(port) = &mut self.elements[link.number]
                && let Some(edge) = &mut port.edge
            {
                all.extend(edge.faults(end, &link.name, |flow| report_names.name(flow)));
            }
        }
        all
    }

    /// Ports and sockets in the plan's order, so that it does not depend on the order of visits.
    pub fn fingerprint(&self) -> u64 {
        let mut all = Fingerprint::default();
        for element in &self.elements {
            if let Element::Port(port) = element {
                port.account.fingerprint(&mut all);
            }
        }
        self.egresses.iter().for_each(|egress| all.mix(egress.sent.value()));
        all.value()
    }

    /// The conservation check; `faults` are those of tokens.
    pub fn conservation(
        &self,
        report_names: &ReportNames,
        mut faults: Vec<String>,
    ) -> Conservation {
        let held: u64 =
            self.elements.iter().map(|e| if let Element::Port(p) = e { p.held() } else { 0 }).sum();
        let t = &self.tally;
        let split = t.cuts.fragments - t.cuts.cut;
        let (sent, in_network) = (t.sent + t.copied + split, t.beyond_end + held);
        if sent != t.delivered + t.dropped + in_network {
            faults.push(format!(
                "{} packets left sockets, {} copies and {split} fragments more were made, but {} \
                    arrived, {} were dropped and {in_network} are on their way",
                t.sent, t.copied, t.delivered, t.dropped
            ));
        }
        for link in report_names.links() {
            if let Element::Port(p) = &self.elements[link.number]
                && !p.account.stats.total().balances(p.inside())
            {
                faults.push(format!(
                    "queue `{}`: {:?} does not balance with {} inside",
                    link.name,
                    p.account.stats.total(),
                    p.inside()
                ));
            }
        }
        if let Some(audit) = &self.audit {
            faults.extend(audit.faults(held));
        }
        if self.sidecars.in_use() as u64 > held {
            faults.push(format!(
                "{} extras are in use, but queues hold {held} packets",
                self.sidecars.in_use()
            ));
        }
        Conservation {
            ok: faults.is_empty(),
            sent,
            delivered: t.delivered,
            dropped: t.dropped,
            duplicated: t.copied,
            discarded: t.discarded,
            in_network,
            faults,
        }
    }
}
