//! A network whose sockets are outside: packets come from somebody else's hosts, at instants of somebody else's clock.
//!
//! [`Relay::send`] takes a packet in, and [`Relay::outgoing`] says which ones come out and when; that may lie ahead, because
//! links are run ahead here as in a simulation. What happens depends on the plan, its seed and the packets that came, in
//! their order, and on nothing else: whoever gives the same packets to another relay of the same plan sees the same, however
//! often either was asked in between. That is how a live run is replayed.
mod ahead;
mod parts;

use crate::build::{Built, Options, network};
use crate::colours::{Colours, Tints};
use crate::delays::{DelaySummary, OneWay};
use crate::entry::{NONE, Pkt};
use crate::exit::Exit;
use crate::large::Fragment;
use crate::legend::Legend;
use crate::markers::MarkerReport;
use crate::net::{Landing, Net, RECEIVER, SENDER};
use crate::observe::{Observer, Who};
use crate::ranks::Clock;
use crate::report::{Conservation, Fragmentation, ProcessorReport, QueueReport};
use ahead::ahead;
use dumbbell_core::aqm::Reason;
use dumbbell_core::catalogue::Fault;
use dumbbell_core::foreign::{Alarm, Failure, Makers};
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::segment::{Notice, Segment, flag};
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::{Plan, Transport};
use parts::Parts;

/// A packet that a host sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// Whose: 2 x flow + end, where end 0 sends the flow's data.
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
    /// Its sequence number, or what it acknowledges; of datagrams their number in the flow is used instead.
    pub seq: u32,
    /// See [`flag`].
    pub flags: u8,
}

/// A packet that comes out, to be handed to a host at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// When.
    pub at: Time,
    /// To whom: 2 x flow + end.
    pub socket: u32,
    /// Its sender's number for it; of a router's answer, that of the packet that it speaks of.
    pub number: u64,
    /// The ECN field that it has now.
    pub ecn: Ecn,
    /// The codepoint that it has now.
    pub dscp: Dscp,
    /// Which part of the packet it is, if a router cut it.
    pub piece: Option<Fragment>,
    /// Whether a wire gave it a wrong bit.
    pub damaged: bool,
    /// What a router says to the sender of a packet that was too large.
    pub notice: Option<Notice>,
}

/// What the network saw of one flow, from the warm-up to the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passage {
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
    /// By colour, pieces of cut packets one by one; `None` in a plan without profiles.
    pub tints: Option<Tints>,
    /// Of datagrams.
    pub delays: Option<DelaySummary>,
}

/// What the network saw of all.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Of each flow, in the plan's order.
    pub flows: Vec<Passage>,
    /// Of each link that results report.
    pub queues: Vec<QueueReport>,
    /// Of edges.
    pub markers: Vec<MarkerReport>,
    /// Of processors.
    pub processors: Vec<ProcessorReport>,
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
struct Passing {
    passage: Passage,
    delays: Option<Box<OneWay>>,
    datagrams: u32,
}

/// A network whose sockets are outside.
pub struct Relay {
    net: Net,
    legend: Legend,
    alarm: Alarm,
    colours: Option<Box<Colours>>,
    warm: Time,
    now: Time,
    /// What comes out is not earlier than this after what causes it.
    ahead: Span,
    flows: Vec<Passing>,
    parts: Parts,
    out: Vec<Outgoing>,
    /// Packets of flows' senders that were dropped, for whoever wants to know.
    losses: Option<Vec<(Time, u32)>>,
}

impl Relay {
    /// The network of `plan` at its beginning.
    ///
    /// # Errors
    /// A name that is neither in the catalogue nor of `makers`, or parameters that it refuses.
    pub fn new(plan: &Plan, makers: &Makers) -> Result<Relay, Fault> {
        let alarm = Alarm::default();
        // Hosts write their own codepoints.
        let exit = |_, tail| Exit::new(tail, Dscp::default(), None);
        let Built { mut net, legend, .. } = network(plan, Options::default(), (makers, &alarm), exit)?;
        net.extras.keep_lives();
        net.arm();
        let warm = Time::ZERO + plan.warmup;
        let passing = |flow: &dumbbell_plan::Flow| Passing {
            delays: matches!(flow.transport, Transport::Udp { .. })
                .then(|| Box::new(OneWay::new(warm, plan.propagation(flow)))),
            ..Passing::default()
        };
        Ok(Relay {
            ahead: ahead(&net),
            net,
            legend,
            alarm,
            colours: Colours::of(plan),
            warm,
            now: Time::ZERO,
            flows: plan.flows.iter().map(passing).collect(),
            parts: Parts::default(),
            out: Vec::new(),
            losses: None,
        })
    }

    /// The instant that it has reached.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The algorithm of a caller's own that could not go on, if there was one.
    pub fn failure(&self) -> Option<&Failure> {
        self.alarm.heard()
    }

    /// A packet comes in at `t`, after everything that is due before then; `t` is not before the instant that was reached. What
    /// is due at `t` itself waits for what else comes then: their order is that of a simulation, and not of the calls.
    pub fn send<O: Observer>(&mut self, t: Time, packet: Incoming, observer: &mut O) {
        debug_assert!(t >= self.now && packet.number >= self.parts.next());
        self.run_until(t, observer);
        let Incoming { socket, number, ip_len, payload, ecn, dscp, mut seq, flags } = packet;
        let flow = &mut self.flows[socket as usize / 2];
        if socket as usize % 2 == SENDER {
            if let Some(delays) = &mut flow.delays {
                seq = flow.datagrams;
                flow.datagrams += 1;
                delays.sent(t);
            }
            if t >= self.warm && t <= self.net.end {
                flow.passage.sent_packets += 1;
                flow.passage.sent_bytes += u64::from(payload);
                flow.passage.retransmits += u64::from(flags & flag::RETRANSMIT != 0);
            }
        }
        self.parts.remember(number, payload);
        let handle = self.net.extras.tag(NONE, number);
        let mut pkt = Pkt::new(Segment { seq, ts: 0, ip_len, flags, ecn }, handle);
        pkt.set_dscp(dscp);
        self.net.launch(t, socket, pkt, observer);
        self.settle(observer);
    }

    /// Everything happens that is due before `t`.
    pub fn run_until<O: Observer>(&mut self, t: Time, observer: &mut O) {
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
                let landing = self.net.arrive(now, &entry, observer);
                self.net.landings.extend(landing);
            } else {
                match self.net.ranks.clock(entry.rank) {
                    Clock::Done(link) => self.net.done(now, link, observer),
                    Clock::Wake(link) => self.net.wake(now, link, observer),
                    Clock::Station(link) => self.net.station(now, link, observer),
                    // An edge's word to a sender: a real one has no ear for it.
                    Clock::Socket(socket) => drop(self.net.words.take(now, socket)),
                }
            }
            self.settle(observer);
        }
    }

    /// The earliest instant at which anything can come out that is not known yet, unless a packet comes in; `None`: never.
    pub fn next(&self) -> Option<Time> {
        self.net.agenda.next().map(Time::from_ps).filter(|t| *t <= self.net.end).map(|t| t + self.ahead)
    }

    /// What is known to come out and was not said yet, in any order.
    pub fn outgoing(&mut self) -> impl Iterator<Item = Outgoing> {
        self.out.drain(..)
    }

    /// Numbers of packets of which no part is on its way inside any more: what comes out of them was said.
    pub fn gone(&mut self) -> impl Iterator<Item = u64> {
        self.parts.gone()
    }

    /// From now on [`Self::losses`] has something to say.
    pub fn keep_losses(&mut self) {
        self.losses = Some(Vec::new());
    }

    /// When packets of which flows' senders were dropped since the last time, in any order; it may lie ahead.
    pub fn losses(&mut self) -> impl Iterator<Item = (Time, u32)> {
        self.losses.iter_mut().flat_map(|losses| losses.drain(..))
    }

    /// The run is over, at the end of its plan: what the network saw.
    pub fn finish<O: Observer>(mut self, observer: &mut O) -> Passed {
        self.run_through(self.net.end, observer);
        self.net.close(observer);
        self.settle(observer);
        let tokens = self.net.token_faults(&self.legend);
        let (colours, cuts) = (self.colours, self.net.tally.cuts);
        let passage = |(number, flow): (usize, Passing)| Passage {
            tints: colours.as_ref().map(|c| c.of_flow(number)),
            delays: flow.delays.map(|delays| delays.summary()),
            ..flow.passage
        };
        Passed {
            flows: self.flows.into_iter().enumerate().map(passage).collect(),
            queues: self.net.queue_reports(&self.legend),
            markers: self.net.marker_reports(&self.legend),
            processors: self.net.processor_reports(),
            fingerprint: self.net.fingerprint(),
            packet_hops: self.net.tally.packet_hops,
            events: self.net.tally.events,
            conservation: self.net.conservation(&self.legend, tokens),
            fragmentation: self.net.large.as_ref().map(|_| Fragmentation { cuts, gathered: Default::default() }),
        }
    }

    /// Takes note of everything that one event led to.
    fn settle<O: Observer>(&mut self, observer: &mut O) {
        if !self.net.landings.is_empty() {
            let mut landings = std::mem::take(&mut self.net.landings);
            landings.drain(..).for_each(|landing| self.land(landing, observer));
            self.net.landings = landings;
        }
        if !self.net.casualties.is_empty() {
            self.bury();
        }
        self.parts.live(self.net.extras.lives());
    }

    /// A packet comes out.
    fn land<O: Observer>(&mut self, Landing { t, at, packet }: Landing, observer: &mut O) {
        let (handle, flow, data) = (packet.extra(), at as usize / 2, at as usize % 2 == RECEIVER);
        let extras = &self.net.extras;
        let (number, piece, wrong) = (extras.audit(handle), extras.fragment(handle), extras.corrupted(handle));
        let notice = extras.get(handle).and_then(|extra| extra.notice);
        if O::FOLLOWS && extras.number(handle) != 0 {
            let who = Who { flow, data, number: extras.number(handle) };
            match wrong {
                Some(link) => observer.discarded(t, who, link),
                None => observer.delivered(t, who, packet.ecn()),
            }
        }
        let (ecn, dscp) = (packet.ecn(), packet.dscp());
        self.out.push(Outgoing { at: t, socket: at, number, ecn, dscp, piece, damaged: wrong.is_some(), notice });
        if wrong.is_some() {
            self.net.tally.dropped += 1;
            self.net.tally.discarded += 1;
        } else {
            self.net.tally.delivered += 1;
        }
        if data && notice.is_none() {
            let whole = piece.is_none_or(|piece| piece.last);
            let payload = self.parts.payload(number);
            self.arrives(flow, t, &packet, (payload, wrong.is_none(), whole));
        }
        self.net.extras.take(handle);
    }

    /// A packet of a flow's sender comes out; of one that was cut, its last piece stands for it.
    fn arrives(&mut self, number: usize, t: Time, packet: &Pkt, (payload, sound, whole): (u16, bool, bool)) {
        let counts = t >= self.warm;
        let flow = &mut self.flows[number];
        if !sound {
            let first = self.net.extras.loses(packet.extra(), counts);
            self.losses.iter_mut().filter(|_| first).for_each(|losses| losses.push((t, number as u32)));
            flow.passage.lost_packets += u64::from(counts && first);
            if let Some(delays) = flow.delays.as_mut().filter(|_| first) {
                delays.lost(t, delays.number(packet.seq()));
            }
            self.colours.iter_mut().filter(|_| counts).for_each(|c| c.lost(number, packet.dscp(), Reason::Link));
            return;
        }
        self.colours.iter_mut().for_each(|c| c.delivered(t, number, packet.dscp(), packet.ip_len()));
        if !whole {
            return;
        }
        if let Some(delays) = &mut flow.delays {
            delays.arrived(t, delays.number(packet.seq()));
        }
        if counts {
            let passage = &mut flow.passage;
            passage.delivered_packets += 1;
            passage.received_bytes += u64::from(payload);
            passage.marks += u64::from(packet.ecn() == Ecn::Ce);
        }
    }

    /// Takes drops to the accounts of their flows.
    #[cold]
    fn bury(&mut self) {
        let (flows, colours, warm) = (&mut self.flows, &mut self.colours, self.warm);
        let losses = &mut self.losses;
        self.net.bury(warm, |t, parcel, why, first| {
            let flow = &mut flows[parcel.flow as usize];
            if first {
                losses.iter_mut().for_each(|losses| losses.push((t, parcel.flow)));
                flow.passage.lost_packets += u64::from(t >= warm);
                if let Some(delays) = &mut flow.delays {
                    delays.lost(t, delays.number(parcel.packet.seq()));
                }
            }
            if t >= warm {
                colours.iter_mut().for_each(|c| c.lost(parcel.flow as usize, parcel.packet.dscp(), why));
            }
        });
    }
}

/// It may be made on one thread, work on another and be asked on a third.
const _: fn() = || {
    fn is_send<T: Send>() {}
    is_send::<Relay>();
};
