//! A network whose sockets are outside: packets come from outside hosts, at instants of an outside
//! clock.
//!
//! [`Relay::send`] takes a packet in, and [`Relay::outgoing`] says which ones come out and when;
//! that may lie ahead, because links are run ahead here as in a simulation. What happens depends on
//! the plan, its seed and the packets that came, in their order, and on nothing else: another relay
//! of the same plan that gets the same packets does the same, however often either was polled in
//! between. That is how a live run is replayed.
mod in_flight;
mod lookahead;
mod observed;

use crate::build::{Built, Options, network};
use crate::edge::report::MarkerReport;
use crate::engine::egress::Egress;
use crate::engine::entry::{NO_SIDECAR, Pkt};
use crate::engine::ranks::Clock;
use crate::engine::sidecar::Fragment;
use crate::engine::socket::{RECEIVER, SENDER};
use crate::measure::colors::{FlowColors, ProfileCounts};
use crate::measure::delays::{DelaySummary, OneWay};
use crate::net::{Delivery, Net};
use crate::observe::{Observer, PacketId};
use crate::port::shared_buffer::SharedBufferReport;
use crate::report::names::ReportNames;
use crate::report::{Conservation, Fragmentation, ProcessorReport, QueueReport};
use dumbbell_core::aqm::Reason;
use dumbbell_core::catalogue::Fault;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::plugin::{Alarm, Failure, Plugins};
use dumbbell_core::transport::segment::{Extra, PacketTooBig, Segment, flag};
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::{Plan, Transport};
use in_flight::InFlight;
use lookahead::lookahead;

/// A packet that a host sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// The socket that sent it: 2 x flow + end, where end 0 sends the flow's data.
    pub socket: u32,
    /// The caller's number for it: from 1, ascending.
    pub number: u64,
    /// Length of the IP packet, bytes.
    pub ip_len: u16,
    /// Bytes of the application's in it.
    pub payload: u16,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its DiffServ codepoint.
    pub dscp: Dscp,
    /// Its sequence number, or what it acknowledges; of datagrams their number in the flow is used
    /// instead.
    pub seq: u32,
    /// See [`flag`].
    pub flags: u8,
}

/// A packet that comes out, to be handed to a host at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The time.
    pub at: Time,
    /// The socket that gets it: 2 x flow + end.
    pub socket: u32,
    /// Its sender's number for it; of a router's answer, that of the packet that it speaks of.
    pub number: u64,
    /// The ECN field that it has now.
    pub ecn: Ecn,
    /// The codepoint that it has now.
    pub dscp: Dscp,
    /// The part of the packet that it is, if a router fragmented it.
    pub fragment: Option<Fragment>,
    /// True if a wire gave it a wrong bit.
    pub damaged: bool,
    /// The ICMP message of a router about a packet that was too large.
    pub icmp_error: Option<PacketTooBig>,
}

/// Counts of one flow's packets, from the warm-up to the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RelayFlow {
    /// Packets of its sender that came in.
    pub sent_packets: u64,
    /// Their bytes of the application's.
    pub sent_bytes: u64,
    /// Packets of its sender that came out.
    pub delivered_packets: u64,
    /// Their bytes of the application's, repetitions included.
    pub received_bytes: u64,
    /// Packets of its sender that were dropped somewhere.
    pub lost_packets: u64,
    /// Packets of its sender that came out with Congestion Experienced.
    pub marks: u64,
    /// Packets that its sender sent again.
    pub retransmits: u64,
    /// By color, fragments of cut packets one by one; `None` in a plan without profiles.
    pub colors: Option<ProfileCounts>,
    /// Of datagrams.
    pub delays: Option<DelaySummary>,
}

/// The result of a run of the relay.
#[derive(Clone, Debug)]
pub struct RelayReport {
    /// Of each flow, in the plan's order.
    pub flows: Vec<RelayFlow>,
    /// Of each link that results report.
    pub queues: Vec<QueueReport>,
    /// Of edges.
    pub markers: Vec<MarkerReport>,
    /// Of processors.
    pub processors: Vec<ProcessorReport>,
    /// Buffers that switches share among their ports, in the order of the plan's nodes.
    pub shared_buffers: Vec<SharedBufferReport>,
    /// Changes when anything that came in or left a port changes.
    pub fingerprint: u64,
    /// Packets times links.
    pub packet_hops: u64,
    /// Entries of the agenda.
    pub events: u64,
    /// The account of all packets.
    pub conservation: Conservation,
    /// Of packets that were too large; `None`: everything fits everywhere.
    pub fragmentation: Option<Fragmentation>,
}

/// One flow while it passes.
#[derive(Default)]
struct FlowState {
    report: RelayFlow,
    delays: Option<Box<OneWay>>,
    datagrams: u32,
}

/// A network whose sockets are outside.
pub struct Relay {
    net: Net,
    report_names: ReportNames,
    alarm: Alarm,
    colors: Option<Box<FlowColors>>,
    warm: Time,
    now: Time,
    /// The least time between a cause and what comes out because of it.
    lookahead: Span,
    flows: Vec<FlowState>,
    in_flight: InFlight,
    out: Vec<Outgoing>,
    /// Packets of flows' senders that were dropped, for whoever wants to know.
    losses: Option<Vec<(Time, u32)>>,
}

impl Relay {
    /// The network of `plan` at its beginning.
    ///
    /// # Errors
    /// A name that is neither in the catalogue nor of `makers`, or parameters that it refuses.
    pub fn new(plan: &Plan, plugins: &Plugins) -> Result<Relay, Fault> {
        let alarm = Alarm::default();
        // Hosts write their own codepoints.
        let egress = |_, run_ahead| Egress::new(run_ahead, Dscp::default(), None);
        let Built { mut net, report_names, .. } =
            network(plan, Options::default(), plugins, &alarm, None, egress)?;
        if net.reads_acks() {
            let cause = "the queue does not see the options of acknowledgments from real hosts";
            let fix = "write ack_filter = \"none\", or simulate";
            return Err(Fault::at("ack_filter", cause).fix(fix));
        }
        net.sidecars.keep_lifetime_events();
        net.arm();
        let warm = Time::ZERO + plan.warmup;
        let passing = |flow: &dumbbell_plan::Flow| FlowState {
            delays: matches!(flow.transport, Transport::Udp { .. })
                .then(|| Box::new(OneWay::new(warm, plan.propagation(flow)))),
            ..FlowState::default()
        };
        Ok(Relay {
            lookahead: lookahead(&net),
            net,
            report_names,
            alarm,
            colors: FlowColors::of(plan),
            warm,
            now: Time::ZERO,
            flows: plan.flows.iter().map(passing).collect(),
            in_flight: InFlight::default(),
            out: Vec::new(),
            losses: None,
        })
    }

    /// The instant that it has reached.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The plugin that failed, if one did.
    pub fn failure(&self) -> Option<&Failure> {
        self.alarm.failure()
    }

    /// A packet comes in at `t`, after everything that is due before then; `t` is not before the
    /// instant that was reached. What is due at `t` itself waits for what else comes then: their
    /// order is that of a simulation, and not of the calls.
    fn take_in<O: Observer>(&mut self, t: Time, packet: Incoming, observer: &mut O) {
        debug_assert!(t >= self.now && packet.number >= self.in_flight.next());
        self.run_before(t, observer);
        let Incoming { socket, number, ip_len, payload, ecn, dscp, mut seq, flags } = packet;
        let flow = &mut self.flows[socket as usize / 2];
        if socket as usize % 2 == SENDER {
            if let Some(delays) = &mut flow.delays {
                seq = flow.datagrams;
                flow.datagrams += 1;
                delays.sent(t);
            }
            if t >= self.warm && t <= self.net.end {
                flow.report.sent_packets += 1;
                flow.report.sent_bytes += u64::from(payload);
                flow.report.retransmits += u64::from(flags & flag::RETRANSMIT != 0);
            }
        }
        self.in_flight.remember(number, payload);
        let handle = self.net.sidecars.tag(NO_SIDECAR, number);
        let mut pkt = Pkt::new(Segment { seq, ts: 0, ip_len, flags, ecn }, handle);
        pkt.set_dscp(dscp);
        self.net.launch(t, socket, pkt, observer);
        self.settle(observer);
    }

    /// Everything happens that is due before `t`.
    fn run_before<O: Observer>(&mut self, t: Time, observer: &mut O) {
        if t > Time::ZERO {
            self.run_through(Time::from_ps(t.ps() - 1).min(self.net.end), observer);
            self.now = self.now.max(t);
        }
    }

    fn run_through<O: Observer>(&mut self, end: Time, observer: &mut O) {
        while let Some(&entry) = self.net.agenda.pop(end.ps()) {
            self.net.tally.events += 1;
            let now = Time::from_ps(entry.t);
            if !entry.is_clock() {
                let delivery = self.net.arrive(now, &entry, observer);
                self.net.deliveries.extend(delivery);
            } else {
                match self.net.ranks.clock(entry.rank) {
                    Clock::Done(link) => {
                        let delivery = self.net.done(now, link, observer);
                        self.net.deliveries.extend(delivery);
                    }
                    Clock::Wake(link) => self.net.wake(now, link, observer),
                    Clock::Edge(link) => self.net.wake_edge(now, link, observer),
                    // An edge's word to a sender: a real one has no ear for it.
                    Clock::Socket(socket) => drop(self.net.host_signals.take(now, socket)),
                }
            }
            self.settle(observer);
        }
    }

    /// The earliest instant at which anything can come out that is not known yet, unless a packet
    /// comes in; `None`: never.
    pub fn next(&self) -> Option<Time> {
        self.net
            .agenda
            .next()
            .map(Time::from_ps)
            .filter(|t| *t <= self.net.end)
            .map(|t| t + self.lookahead)
    }

    /// Removes the packets that are known to come out, in any order.
    pub fn outgoing(&mut self) -> impl Iterator<Item = Outgoing> {
        self.out.drain(..)
    }

    /// Numbers of packets of which no part is on its way inside any more: what comes out of them
    /// was said.
    pub fn gone(&mut self) -> impl Iterator<Item = u64> {
        self.in_flight.gone()
    }

    /// From now on [`Self::losses`] has something to say.
    pub fn keep_losses(&mut self) {
        self.losses = Some(Vec::new());
    }

    /// Drops of packets of flows' senders since the last call, with time and flow, in any order. A
    /// time may lie ahead.
    pub fn losses(&mut self) -> impl Iterator<Item = (Time, u32)> {
        self.losses.iter_mut().flat_map(|losses| losses.drain(..))
    }

    /// The run is over, at the end of its plan: what the network saw.
    fn close<O: Observer>(mut self, observer: &mut O) -> RelayReport {
        self.run_through(self.net.end, observer);
        self.net.close(observer);
        self.settle(observer);
        let tokens = self.net.token_faults(&self.report_names);
        let (colors, cuts) = (self.colors, self.net.tally.cuts);
        let report = |(number, flow): (usize, FlowState)| RelayFlow {
            colors: colors.as_ref().map(|c| c.of_flow(number)),
            delays: flow.delays.map(|delays| delays.summary()),
            ..flow.report
        };
        RelayReport {
            flows: self.flows.into_iter().enumerate().map(report).collect(),
            queues: self.net.queue_reports(&self.report_names),
            markers: self.net.marker_reports(&self.report_names),
            processors: self.net.processor_reports(),
            shared_buffers: self.net.shared_buffer_reports(),
            fingerprint: self.net.fingerprint(),
            packet_hops: self.net.tally.packet_hops,
            events: self.net.tally.events,
            conservation: self.net.conservation(&self.report_names, tokens),
            fragmentation: self
                .net
                .oversize
                .as_ref()
                .map(|_| Fragmentation { cuts, reassembled: Default::default() }),
        }
    }

    /// Handles everything that one event led to.
    fn settle<O: Observer>(&mut self, observer: &mut O) {
        if !self.net.deliveries.is_empty() {
            let mut deliveries = std::mem::take(&mut self.net.deliveries);
            deliveries.drain(..).for_each(|delivery| self.deliver(delivery, observer));
            self.net.deliveries = deliveries;
        }
        if !self.net.drops.is_empty() {
            self.account_drops();
        }
        self.in_flight.update(self.net.sidecars.lifetime_events());
    }

    /// A packet comes out.
    fn deliver<O: Observer>(&mut self, Delivery { t, at, packet }: Delivery, observer: &mut O) {
        let (handle, flow, data) = (packet.sidecar(), at as usize / 2, at as usize % 2 == RECEIVER);
        let sidecars = &self.net.sidecars;
        let (number, fragment, wrong) =
            (sidecars.audit(handle), sidecars.fragment(handle), sidecars.corrupted(handle));
        let icmp_error = sidecars.get(handle).and_then(Extra::notice);
        if O::FOLLOWS && sidecars.number(handle) != 0 {
            let who = PacketId { flow, data, number: sidecars.number(handle) };
            match wrong {
                Some(link) => observer.discarded(t, who, link),
                None => observer.delivered(t, who, packet.ecn()),
            }
        }
        let (ecn, dscp) = (packet.ecn(), packet.dscp());
        self.out.push(Outgoing {
            at: t,
            socket: at,
            number,
            ecn,
            dscp,
            fragment,
            damaged: wrong.is_some(),
            icmp_error,
        });
        if wrong.is_some() {
            self.net.tally.dropped += 1;
            self.net.tally.discarded += 1;
        } else {
            self.net.tally.delivered += 1;
        }
        if data && icmp_error.is_none() {
            let whole = fragment.is_none_or(|fragment| fragment.last);
            if wrong.is_some() {
                self.arrives_damaged(flow, t, &packet);
            } else {
                let payload = whole.then(|| self.in_flight.payload(number));
                self.arrives(flow, t, &packet, payload);
            }
        }
        self.net.sidecars.take(handle);
    }

    /// A packet of a flow's sender comes out with a wrong bit.
    fn arrives_damaged(&mut self, number: usize, t: Time, packet: &Pkt) {
        let counts = t >= self.warm;
        let flow = &mut self.flows[number];
        let first = self.net.sidecars.loses(packet.sidecar(), counts);
        self.losses.iter_mut().filter(|_| first).for_each(|losses| losses.push((t, number as u32)));
        flow.report.lost_packets += u64::from(counts && first);
        if let Some(delays) = flow.delays.as_mut().filter(|_| first) {
            delays.lost(t, delays.number(packet.seq()));
        }
        self.colors
            .iter_mut()
            .filter(|_| counts)
            .for_each(|c| c.lost(number, packet.dscp(), Reason::Link));
    }

    /// A packet of a flow's sender comes out with a payload of so many bytes; of one that was cut,
    /// only its last fragment has it and stands for it.
    fn arrives(&mut self, number: usize, t: Time, packet: &Pkt, payload: Option<u16>) {
        let counts = t >= self.warm;
        let flow = &mut self.flows[number];
        self.colors.iter_mut().for_each(|c| c.delivered(t, number, packet.dscp(), packet.ip_len()));
        let Some(payload) = payload else { return };
        if let Some(delays) = &mut flow.delays {
            delays.arrived(t, delays.number(packet.seq()));
        }
        if counts {
            let report = &mut flow.report;
            report.delivered_packets += 1;
            report.received_bytes += u64::from(payload);
            report.marks += u64::from(packet.ecn() == Ecn::Ce);
        }
    }

    /// Takes drops to the accounts of their flows.
    #[cold]
    fn account_drops(&mut self) {
        let (flows, colors, warm) = (&mut self.flows, &mut self.colors, self.warm);
        let losses = &mut self.losses;
        self.net.account_drops(warm, |t, queued, why, first| {
            let flow = &mut flows[queued.flow as usize];
            if first {
                losses.iter_mut().for_each(|losses| losses.push((t, queued.flow)));
                flow.report.lost_packets += u64::from(t >= warm);
                if let Some(delays) = &mut flow.delays {
                    delays.lost(t, delays.number(queued.packet.seq()));
                }
            }
            if t >= warm {
                colors
                    .iter_mut()
                    .for_each(|c| c.lost(queued.flow as usize, queued.packet.dscp(), why));
            }
        });
    }
}

/// It may be made on one thread, work on another and be asked on a third.
const _: fn() = || {
    fn is_send<T: Send>() {}
    is_send::<Relay>();
};
