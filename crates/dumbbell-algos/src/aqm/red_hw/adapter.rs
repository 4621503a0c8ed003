//! A decision core as a queue's algorithm: what a packet's arrival is in the hardware's words, and
//! back.
//!
//! The model and the verilated RTL both come in here, behind [`Decider`], so that a scenario with
//! the one differs from the same scenario with the other in the core alone.
use super::bus::Bus;
use super::config::RedHwConfig;
use super::core::{Arrival, Core, Decision, FRACTION, Region, Shape, register};
use super::entry::{Entry, Steps, U21};
use super::lfsr;
use dumbbell_core::aqm::{Aqm, Cx, Hears, QueueView, Reason, Verdict};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Span, Time};

/// A core that is given packets one by one.
pub trait Decider {
    /// Writes a register. All are written before the first packet, the draw last: what is written
    /// to it stands in clock 0.
    fn write(&mut self, addr: u8, data: u32);
    /// The decision for a packet; clocks of packets ascend.
    fn decide(&mut self, packet: Arrival) -> Decision;
}

impl Decider for Core {
    #[inline]
    fn write(&mut self, addr: u8, data: u32) {
        Core::write(self, addr, data);
    }
    #[inline]
    fn decide(&mut self, packet: Arrival) -> Decision {
        Core::decide(self, packet)
    }
}

/// Most packets that the core can be told of.
const LONGEST: u32 = (1 << 12) - 1;

/// Queue 0 of a core, in front of a port.
#[derive(Clone, Debug)]
pub struct Adapter<D> {
    decider: D,
    bus: Bus,
    rest: Rest,
    /// The draw's first state; `None`: to be drawn, or written already.
    seed: Option<u32>,
    seeded: bool,
    interval: Option<Span>,
    started: bool,
    ticked: bool,
    /// The class of each codepoint.
    of: [u8; 64],
    mirror: Mirror,
}

impl<D: Decider> Adapter<D> {
    /// The core that `make` makes, with the registers that the configuration comes to.
    pub fn new(config: &RedHwConfig, make: impl FnOnce(Shape) -> D) -> Self {
        let (shape, (entries, steps)) = (config.shape(), config.registers());
        let mut decider = make(shape.clone());
        for (addr, data) in config.writes() {
            decider.write(addr, data);
        }
        let bus = Bus::new(config.clock);
        // The counter of half half-lives counts clocks, at least one.
        let half = bus.clock_at(Time::from_ps(config.idle_half_life.ps() / 2));
        Adapter {
            decider,
            bus,
            rest: Rest {
                half: if config.idle_half_life == Span::ZERO { 0 } else { half.max(1) },
                since: Some(0),
            },
            seed: (config.lfsr_seed != 0).then_some(config.lfsr_seed),
            seeded: false,
            interval: config.adaptive.then_some(config.interval),
            started: false,
            ticked: false,
            of: config.class_of(),
            mirror: Mirror::new(&shape, entries, steps),
        }
    }

    /// The core.
    pub fn decider(&self) -> &D {
        &self.decider
    }

    /// The core's answer for the last packet, as the registers show it.
    pub fn last(&self) -> Decision {
        self.mirror.last
    }
}

impl<D: Decider> Aqm for Adapter<D> {
    fn hears(&self) -> Hears {
        Hears { admitted: true, ..Hears::IDLE }
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _fits: bool) -> Verdict {
        if !self.seeded {
            let seed = self.seed.unwrap_or_else(|| lfsr::state(cx.rng.bits32()));
            self.decider.write(register::DRAW, seed);
            self.seeded = true;
        }
        let clock = self.bus.header(cx.now, p.ip_len);
        let packet = Arrival {
            clock,
            qid: 0,
            qlen: q.backlog().packets.min(LONGEST) as u16,
            class: self.of[usize::from(p.dscp.0 & 63)],
            idle: self.rest.arrive(clock),
            tick: std::mem::take(&mut self.ticked),
        };
        let decision = self.decider.decide(packet);
        self.mirror.saw(packet, decision);
        match (decision.drop, decision.region) {
            (false, _) => Verdict::Pass,
            (true, Region::Force) => Verdict::Drop(Reason::Forced),
            (true, _) => Verdict::Drop(Reason::Early),
        }
    }

    fn admitted(&mut self, _: &Meta) {
        self.rest.since = None;
    }

    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.rest.since = Some(self.bus.clock_at(cx.now));
    }

    fn tick(&mut self, _: &mut Cx<'_>, _: &impl QueueView) -> Option<Span> {
        // The first call is the start of the run and ends no interval.
        self.ticked = self.started;
        self.started = true;
        self.interval
    }

    fn ticks(&self) -> bool {
        self.interval.is_some()
    }

    fn probe(&self, out: &mut dyn Probe) {
        self.mirror.probe(out);
    }
}

/// The time for which the queue has been empty, as the hardware counts it: in ticks of a free
/// counter.
#[derive(Clone, Debug)]
struct Rest {
    /// Clocks of half a half-life; 0: nobody asks.
    half: u64,
    /// The clock since which the queue is empty, or that of its last packet, if it was dropped.
    since: Option<u64>,
}

impl Rest {
    #[inline]
    fn arrive(&mut self, clock: u64) -> u8 {
        let Some(since) = self.since.filter(|_| self.half > 0) else { return 0 };
        // A packet that does not go in leaves the queue empty, and what has been counted is not
        // counted again.
        self.since = Some(clock);
        (clock / self.half).saturating_sub(since / self.half).min(63) as u8
    }
}

/// The known state of the core, for observers: the RTL shows its average and draw, and not its
/// slope.
#[derive(Clone, Debug)]
struct Mirror {
    constant: bool,
    bits: u32,
    adaptive: bool,
    entries: [Entry; 4],
    steps: Steps,
    last: Decision,
    class: u8,
    p: u32,
}

impl Mirror {
    fn new(shape: &Shape, entries: [Entry; 4], steps: Steps) -> Self {
        let last = Decision { qid: 0, drop: false, region: Region::Queueing, avg: 0, draw: 0 };
        let (constant, bits, adaptive) = (shape.constant, shape.slope_bits(), shape.adapt);
        Mirror { constant, bits, adaptive, entries, steps, last, class: 0, p: 0 }
    }

    #[inline]
    fn saw(&mut self, packet: Arrival, decision: Decision) {
        (self.last, self.class) = (decision, packet.class);
        let entry = &mut self.entries[usize::from(packet.class & 3)];
        self.p = match decision.region {
            Region::Queueing => 0,
            Region::Random => entry.probability(decision.avg, self.constant),
            Region::Force => U21,
        };
        if self.adaptive {
            self.adapt(packet, decision.avg);
        }
    }

    fn adapt(&mut self, packet: Arrival, avg: u32) {
        if packet.tick {
            self.entries.iter_mut().for_each(|entry| entry.due = true);
        }
        let entry = &mut self.entries[usize::from(packet.class & 3)];
        if entry.due {
            entry.adapt(avg, &self.steps, self.bits);
        }
    }

    fn probe(&self, out: &mut dyn Probe) {
        let packets = |raw: u32| f64::from(raw) / f64::from(1 << FRACTION);
        let part = |raw: u32| f64::from(raw) / f64::from(1 << 21);
        let entry = &self.entries[usize::from(self.class & 3)];
        out.gauge("avg", packets(self.last.avg));
        out.gauge("region", f64::from(self.last.region as u8));
        out.gauge("p", if self.last.region == Region::Force { 1.0 } else { part(self.p) });
        out.gauge("draw", part(self.last.draw));
        out.gauge("min_th", packets(entry.min));
        out.gauge("max_th", packets(entry.max));
        out.gauge("max_p", entry.max_p(self.constant));
        out.gauge("class", f64::from(self.class));
    }
}
