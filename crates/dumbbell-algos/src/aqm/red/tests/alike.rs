//! For the variants: whether one decides like RED, and a line whose length the test says.
use super::*;
use crate::suite::traffic;
use dumbbell_core::aqm::{Decision, Limit};
use dumbbell_core::packet::Dscp;

/// An algorithm at a line of a length that the test says; each packet of 500 B arrives at one
/// instant.
pub struct Line<A> {
    pub aqm: A,
    site: LinkInfo,
    rng: Stream,
    flows: FlowTable,
    pub now: Time,
    due: Time,
}

/// A line of some packets and bytes.
struct Long(Backlog);

impl QueueView for Long {
    fn backlog(&self) -> Backlog {
        self.0
    }
    fn meta(&self, _: Slot) -> Option<Meta> {
        None
    }
}

impl<A: Aqm> Line<A> {
    pub fn new(aqm: A, capacity: Capacity) -> Self {
        Line {
            aqm,
            site: link(capacity),
            rng: Stream::named(1, "line"),
            flows: FlowTable::default(),
            now: Time::ZERO,
            due: Time::ZERO,
        }
    }
    /// The algorithm's clock is due now.
    pub fn tick_now(&mut self) -> Option<Span> {
        let cx =
            &mut Cx { now: self.now, rng: &mut self.rng, link: &self.site, flows: &self.flows };
        self.aqm.tick(cx, &Long(Backlog::default()))
    }
    /// The algorithm's clock is due: now the first time, then after the span that it answered.
    pub fn tick(&mut self) {
        self.now = self.due;
        self.due = self.now + self.tick_now().unwrap();
    }
    /// Returns the value that the probe shows as `name`.
    pub fn gauge(&self, name: &str) -> f64 {
        let mut seen = Gauges::default();
        self.aqm.probe(&mut seen);
        seen.get(name).unwrap_or_else(|| panic!("it does not show {name}"))
    }
    /// A packet finds `packets` of 500 B.
    pub fn arrive(&mut self, packets: u32) -> Verdict {
        self.arrive_bytes(packets, 500 * u64::from(packets))
    }
    /// A packet with a codepoint finds `packets` of 500 B.
    pub fn arrive_as(&mut self, packets: u32, dscp: u8) -> Verdict {
        self.offer(packets, 500 * u64::from(packets), dscp)
    }
    /// A packet finds `packets` of `bytes` in all.
    pub fn arrive_bytes(&mut self, packets: u32, bytes: u64) -> Verdict {
        self.offer(packets, bytes, 0)
    }
    fn offer(&mut self, packets: u32, bytes: u64, dscp: u8) -> Verdict {
        let fits = self.site.capacity.fits(Backlog { packets, bytes, buffers: 0 }, 500);
        let meta = Meta { dscp: Dscp(dscp), ..packet(0, 500, Ecn::NotEct) };
        let cx =
            &mut Cx { now: self.now, rng: &mut self.rng, link: &self.site, flows: &self.flows };
        let q = Long(Backlog { packets, bytes, buffers: 0 });
        let verdict = self.aqm.arrive(cx, &q, &meta, fits);
        if !fits && verdict.admits(meta.ecn) {
            self.aqm.overflowed(cx, Limit::Own);
        }
        if let Decision::Drop(reason) = verdict.decide(meta.ecn, fits) {
            self.aqm.refused(cx, &meta, reason);
        }
        verdict
    }
}

/// Random traffic at random ports, packet by packet: what happens to each is what RED does with it.
///
/// # Errors
/// The first case with an event that differs; or RED signaled too little to compare.
pub fn same_as_red<A: Aqm>(
    config: &RedConfig,
    make: impl Fn(&LinkInfo) -> A,
) -> Result<(), String> {
    let mut signals = 0;
    for case in 0..120 {
        let mut rng = Stream::named(case, "alike");
        let (site, seed, counted) =
            (link(traffic::capacity(&mut rng)), rng.bits64(), rng.coin(0.5));
        let packets = traffic::arrivals(&mut rng);
        let ours = traffic::hold(make(&site), site, seed, counted, &packets, |_| {});
        let reds = traffic::hold(Red::new(config, &site), site, seed, counted, &packets, |_| {});
        let early = |e: &&Event| {
            matches!(e, Event::Dropped(_, Reason::Early | Reason::Forced) | Event::Marked(..))
        };
        signals += reds.iter().filter(early).count();
        if ours != reds {
            return Err(format!("case {case}: {:?}", ours.iter().zip(&reds).find(|(a, b)| a != b)));
        }
    }
    if signals < 100 { Err(format!("only {signals} signals: nothing to compare")) } else { Ok(()) }
}
