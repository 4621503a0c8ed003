//! A port that holds nothing but the times at which its transmissions start and end: the plainest
//! model of a port whose algorithm decides at arrival, against which such algorithms are tested.
use dumbbell_core::aqm::{Aqm, Cx, Decision, Limit, LinkInfo, QueueView, Slot};
use dumbbell_core::packet::Meta;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::Event;
use dumbbell_core::units::{Backlog, Time, Transmitter};
use std::collections::VecDeque;

/// A transmission, past or to come.
struct Transmission {
    start: Time,
    end: Time,
    bytes: u32,
}

struct Lengths(Backlog);

impl QueueView for Lengths {
    fn backlog(&self) -> Backlog {
        self.0
    }
    fn meta(&self, slot: Slot) -> Option<Meta> {
        panic!("asked for the packet at {slot}, which only a held port knows")
    }
}

/// See the module's page.
pub struct Folded<A> {
    /// The fates of the packets, each known at its arrival.
    pub events: Vec<Event>,
    aqm: A,
    link: LinkInfo,
    rng: Stream,
    clock: Transmitter,
    counted: bool,
    ahead: VecDeque<Transmission>,
    free: Time,
    idle_told: bool,
    next_tick: Time,
    next_id: u64,
}

impl<A: Aqm> Folded<A> {
    /// An idle port. The stream of chance is that of the held bench.
    pub fn new(aqm: A, link: LinkInfo, seed: u64, counted: bool) -> Self {
        let next_tick = if aqm.ticks() { Time::ZERO } else { Time::NEVER };
        Folded {
            events: Vec::new(),
            aqm,
            link,
            rng: Stream::named(seed, "bench"),
            clock: Transmitter::new(link.rate),
            counted,
            ahead: VecDeque::new(),
            free: Time::ZERO,
            idle_told: true,
            next_tick,
            next_id: 0,
        }
    }

    /// The backlog at `now`.
    fn lengths(&mut self, now: Time) -> Lengths {
        let counted = self.counted;
        self.ahead.retain(|t| if counted { t.end > now } else { t.start > now });
        let bytes = self.ahead.iter().map(|t| u64::from(t.bytes)).sum();
        let size = self.link.capacity.buffer_size();
        let buffers =
            size.map_or(0, |size| self.ahead.iter().map(|t| t.bytes.div_ceil(size)).sum());
        Lengths(Backlog { packets: self.ahead.len() as u32, bytes, buffers })
    }

    /// Reports idle periods and clocks that were due by `now`, each as of its own instant.
    fn settle(&mut self, now: Time) {
        let flows = FlowTable::default();
        loop {
            let idle = if self.idle_told { Time::NEVER } else { self.free };
            let due = idle.min(self.next_tick);
            if due > now {
                return;
            }
            let q = self.lengths(due);
            let mut cx = Cx { now: due, rng: &mut self.rng, link: &self.link, flows: &flows };
            if due == idle {
                self.idle_told = true;
                self.aqm.idle(&mut cx);
            } else {
                self.next_tick =
                    self.aqm.tick(&mut cx, &q).map_or(Time::NEVER, |after| due + after);
            }
        }
    }

    /// A packet arrives: its fate and its departure are known at once.
    pub fn arrive(&mut self, now: Time, p: Meta) {
        let flows = FlowTable::default();
        self.settle(now);
        let q = self.lengths(now);
        let fits = self.link.capacity.fits(q.0, p.ip_len);
        let mut cx = Cx { now, rng: &mut self.rng, link: &self.link, flows: &flows };
        let verdict = self.aqm.arrive(&mut cx, &q, &p, fits);
        let id = self.next_id;
        self.next_id += 1;
        if !fits && verdict.admits(p.ecn) {
            self.aqm.overflowed(&mut cx, Limit::Own);
        }
        match verdict.decide(p.ecn, fits) {
            Decision::Drop(reason) => {
                self.events.push(Event::Dropped(id, reason));
                self.aqm.refused(&mut cx, &p, reason);
            }
            Decision::Admit(mark) => {
                self.events.extend(mark.map(|reason| Event::Marked(id, reason)));
                self.aqm.admitted(&p);
                let start = self.free.max(now);
                self.free = start + self.clock.span(p.wire_len);
                self.ahead.push_back(Transmission { start, end: self.free, bytes: p.ip_len });
                self.events.push(Event::Sent(id, self.free));
                self.idle_told = false;
            }
        }
    }
}
