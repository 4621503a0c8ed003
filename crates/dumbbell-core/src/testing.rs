//! A test bench for queues: numbered packets, a port on a virtual clock, and a journal of the
//! outcome of each packet. For the tests of algorithms, here and in a user's own crate.
use crate::aqm::{Cx, LinkInfo, Reason};
use crate::meter::Contract;
use crate::packet::flow::FlowTable;
use crate::packet::{Dscp, Ecn, FlowId, Meta, Packet};
use crate::port::counters::PortCounters;
use crate::port::{HeldPort, Start};
use crate::probe::Probe;
use crate::qdisc::{Qdisc, Sink};
use crate::rng::Stream;
use crate::service::Site;
use crate::units::{Capacity, Rate, Span, Time, Transmitter};

/// A packet with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// Its number.
    pub id: u64,
    /// Its properties.
    pub meta: Meta,
}

impl Packet for Numbered {
    fn meta(&self) -> Meta {
        self.meta
    }
    fn set_ce(&mut self) {
        self.meta.ecn = Ecn::Ce;
    }
    fn set_dscp(&mut self, dscp: Dscp) {
        self.meta.dscp = dscp;
    }
}

/// A packet of `bytes` on the wire and in its IP header alike.
pub fn packet(flow: u32, bytes: u32, ecn: Ecn) -> Meta {
    Meta { ip_len: bytes, wire_len: bytes, flow: FlowId(flow), ecn, ..Meta::default() }
}

/// A link of 1 Mbps and 10 ms with an MTU of 1500 B.
pub fn link(capacity: Capacity) -> LinkInfo {
    LinkInfo { rate: Rate::from_mbps(1), capacity, mtu: 1500, delay: Span::from_ms(10) }
}

/// The site of a service on that link in the run with `seed`.
pub fn site(seed: u64) -> Site {
    Site { link: link(Capacity::Unlimited), chance: Stream::named(seed, "link/service") }
}

/// The contract of a meter on that link: 400 kbps are reserved, the round-trip time is 100 ms.
pub fn contract() -> Contract {
    let (link, rtt) = (link(Capacity::Unlimited), Some(Span::from_ms(100)));
    Contract { link, reserved: Some(Rate::from_bps(400_000)), rtt }
}

/// The outcome of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Its last bit left at this instant.
    Sent(u64, Time),
    /// It was dropped.
    Dropped(u64, Reason),
    /// It was marked and continues.
    Marked(u64, Reason),
}

/// The outcomes of all packets, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal(pub Vec<Event>);

impl Journal {
    /// The number of packets dropped for `reason`.
    pub fn dropped(&self, reason: Reason) -> usize {
        self.0.iter().filter(|e| matches!(e, Event::Dropped(_, r) if *r == reason)).count()
    }
    /// The number of marked packets.
    pub fn marked(&self) -> usize {
        self.0.iter().filter(|e| matches!(e, Event::Marked(..))).count()
    }
}

impl Sink<Numbered> for Journal {
    fn dropped(&mut self, p: Numbered, _: Option<Time>, why: Reason, saw: &dyn Fn(&mut dyn Probe)) {
        saw(&mut Finite);
        self.0.push(Event::Dropped(p.id, why));
    }
    fn marked(&mut self, p: &Numbered, why: Reason, saw: &dyn Fn(&mut dyn Probe)) {
        saw(&mut Finite);
        self.0.push(Event::Marked(p.id, why));
    }
}

/// A probe that refuses values that are not numbers.
pub struct Finite;

impl Probe for Finite {
    fn gauge(&mut self, name: &'static str, value: f64) {
        assert!(value.is_finite(), "{name} is {value}");
    }
}

/// Counts drops and marks on their way to the caller's sink.
struct Counted<'a, K> {
    counters: &'a mut PortCounters,
    sink: &'a mut K,
}

impl<P, K: Sink<P>> Sink<P> for Counted<'_, K> {
    fn dropped(&mut self, p: P, since: Option<Time>, why: Reason, saw: &dyn Fn(&mut dyn Probe)) {
        self.counters.drops[why.index()] += 1;
        self.sink.dropped(p, since, why, saw);
    }
    fn marked(&mut self, p: &P, why: Reason, saw: &dyn Fn(&mut dyn Probe)) {
        self.counters.marks += 1;
        self.sink.marked(p, why, saw);
    }
}

/// A held port that a test drives.
pub struct Bench<Q> {
    /// The port.
    pub port: HeldPort<Numbered, Q, Transmitter>,
    /// Its link.
    pub link: LinkInfo,
    /// The outcomes of the packets.
    pub journal: Journal,
    /// The instant.
    pub now: Time,
    rng: Stream,
    flows: FlowTable,
    done: Option<Time>,
    next_id: u64,
    counters: PortCounters,
}

/// A [`Cx`] of the bench's own parts, so that the others stay free to borrow.
macro_rules! cx {
    ($bench:expr) => {
        &mut Cx { now: $bench.now, rng: &mut $bench.rng, link: &$bench.link, flows: &$bench.flows }
    };
}

impl<Q: Qdisc<Numbered>> Bench<Q> {
    /// An idle port at the start of a run.
    pub fn new(qdisc: Q, link: LinkInfo, seed: u64, count_in_service: bool) -> Self {
        Bench {
            port: HeldPort::new(qdisc, Transmitter::new(link.rate), count_in_service),
            link,
            journal: Journal::default(),
            now: Time::ZERO,
            rng: Stream::named(seed, "bench"),
            flows: FlowTable::default(),
            done: None,
            next_id: 0,
            counters: PortCounters::default(),
        }
    }

    /// Sets the information about flows.
    pub fn knowing(self, flows: FlowTable) -> Self {
        Bench { flows, ..self }
    }

    /// A packet arrives at `at`, after everything that is due by then; its number, and whether it
    /// starts at once.
    pub fn arrive(&mut self, at: Time, meta: Meta) -> (u64, Option<Start>) {
        self.run_to(at);
        let id = self.next_id;
        self.next_id += 1;
        self.counters.arrivals += 1;
        self.counters.arrived_bytes += u64::from(meta.ip_len);
        let sink = &mut Counted { counters: &mut self.counters, sink: &mut self.journal };
        let start = self.port.arrive(cx!(self), Numbered { id, meta }, sink);
        self.done = self.done.or(start.map(|s| s.done));
        (id, start)
    }

    /// Everything that is due until `end`, transmissions before the discipline's clock where both
    /// are due at once.
    pub fn run_to(&mut self, end: Time) {
        while let Some(due) = self.next_event().filter(|t| *t <= end) {
            self.now = due;
            if self.done == Some(due) {
                let sink = &mut Counted { counters: &mut self.counters, sink: &mut self.journal };
                let ((sent, _), next) = self.port.done(cx!(self), sink);
                self.counters.departures += 1;
                self.counters.departed_bytes += u64::from(sent.meta.ip_len);
                self.journal.0.push(Event::Sent(sent.id, due));
                self.done = next.map(|s| s.done);
            } else if self.port.next_wakeup() == Some(due) {
                self.port.wake(cx!(self));
            } else {
                let sink = &mut Counted { counters: &mut self.counters, sink: &mut self.journal };
                self.done = self.port.resume(cx!(self), sink).map(|s| s.done);
            }
        }
        self.now = end;
    }

    /// The time of what is due next.
    fn next_event(&self) -> Option<Time> {
        let held = self.port.holds_until(self.now);
        [self.done, self.port.next_wakeup(), held].into_iter().flatten().min()
    }

    /// The port's counters.
    pub fn counters(&self) -> &PortCounters {
        &self.counters
    }

    /// Runs until nothing is held.
    pub fn drain(&mut self) {
        while let Some(next) = self.done.or_else(|| self.port.holds_until(self.now)) {
            self.run_to(next);
        }
    }
}
