//! Checks for every conditioner: each packet leaves once or is dropped once; the holding times that
//! it reports are right; every token is accounted for; the same traffic gives the same output.
use super::parameters::choices;
use dumbbell_core::aqm::{Cx, Reason};
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::conditioner::{Conditioner, Emit};
use dumbbell_core::meter::{Color, Contract};
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Numbered, contract, packet};
use dumbbell_core::units::{Span, Time};

/// The outcome of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Out {
    /// It went on.
    Emitted(Time, u64),
    /// It was dropped.
    Dropped(u64, Reason),
}

struct Collected<'a> {
    now: Time,
    out: &'a mut Vec<Out>,
    colors: &'a mut Vec<(u64, Option<Color>)>,
    spans: &'a mut Vec<Span>,
}

impl Emit<Numbered> for Collected<'_> {
    fn release(&mut self, p: Numbered, color: Option<Color>, held: Span) {
        self.out.push(Out::Emitted(self.now, p.id));
        self.colors.push((p.id, color));
        self.spans.push(held);
    }
    fn drop(&mut self, p: Numbered, why: Reason) {
        self.out.push(Out::Dropped(p.id, why));
    }
}

/// A conditioner on a virtual clock.
pub struct Station<C> {
    /// The conditioner.
    pub inner: C,
    /// The outcomes so far.
    pub out: Vec<Out>,
    /// The colors of the packets that went on, in that order.
    pub colors: Vec<(u64, Option<Color>)>,
    /// The times for which they were held.
    pub spans: Vec<Span>,
    /// Packets that arrived.
    pub arrived: u64,
    site: Contract,
    rng: Stream,
}

impl<C: Conditioner<Numbered>> Station<C> {
    /// At the start of a run.
    pub fn new(build: impl FnOnce(&Contract) -> C) -> Self {
        let (site, rng) = (contract(), Stream::named(1, "station"));
        Station {
            inner: build(&site),
            out: Vec::new(),
            colors: Vec::new(),
            spans: Vec::new(),
            arrived: 0,
            site,
            rng,
        }
    }

    fn call(&mut self, now: Time, p: Option<Numbered>) {
        let flows = FlowTable::default();
        let mut cx = Cx { now, rng: &mut self.rng, link: &self.site.link, flows: &flows };
        let mut out =
            Collected { now, out: &mut self.out, colors: &mut self.colors, spans: &mut self.spans };
        match p {
            Some(p) => self.inner.arrive(&mut cx, p, &mut out),
            None => self.inner.wake(&mut cx, &mut out),
        }
    }

    /// A packet of `bytes` arrives at `now`, after what is due by then.
    pub fn arrive(&mut self, now: Time, bytes: u32) {
        self.run_to(now);
        self.arrive_first(now, bytes);
    }

    /// A packet of `bytes` arrives at `now`, before what is due by then.
    pub fn arrive_first(&mut self, now: Time, bytes: u32) {
        let p = Numbered {
            id: self.arrived,
            meta: packet(self.arrived as u32 % 3, bytes, Ecn::NotEct),
        };
        self.arrived += 1;
        self.call(now, Some(p));
    }

    /// Everything that is due until `end`.
    pub fn run_to(&mut self, end: Time) {
        while self.inner.next_wakeup() <= end {
            let due = self.inner.next_wakeup();
            self.call(due, None);
            assert!(self.inner.next_wakeup() > due, "the clock stands still at {due:?}");
        }
    }

    /// Runs until nothing waits for the clock.
    pub fn drain(&mut self) {
        while self.inner.next_wakeup() != Time::NEVER {
            self.run_to(self.inner.next_wakeup());
        }
    }
}

/// Random bursts and pauses through the conditioner; `watch` looks after each arrival.
fn run<C>(config: &C::Config, seed: u64, mut watch: impl FnMut(&Station<C>)) -> Station<C>
where
    C: Algorithm<Site = Contract> + Conditioner<Numbered>,
{
    run_at(config, seed, |station, _| watch(station))
}

/// The same, and when it was.
fn run_at<C>(
    config: &C::Config,
    seed: u64,
    mut watch: impl FnMut(&mut Station<C>, Time),
) -> Station<C>
where
    C: Algorithm<Site = Contract> + Conditioner<Numbered>,
{
    let (mut station, mut rng, mut now) =
        (Station::new(|l| C::new(config, l)), Stream::named(seed, "traffic"), Time::ZERO);
    for _ in 0..500 {
        now += Span::from_us(if rng.coin(0.05) { 400_000 } else { u64::from(rng.below(20_000)) });
        station.arrive(now, 40 + rng.below(1461));
        watch(&mut station, now);
    }
    station.drain();
    watch(&mut station, now);
    station
}

/// Arrived = emitted + dropped + held after every step, and each packet ends exactly once.
pub fn accounts_for_every_packet<C>()
where
    C: Algorithm<Site = Contract> + Conditioner<Numbered>,
{
    for (seed, config) in choices::<C>().iter().enumerate() {
        let end = run::<C>(config, seed as u64, |s| {
            assert_eq!(s.arrived, s.out.len() as u64 + s.inner.held())
        });
        let mut ids: Vec<u64> = end
            .out
            .iter()
            .map(|o| match o {
                Out::Emitted(_, id) | Out::Dropped(id, _) => *id,
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len() as u64 + end.inner.held(), end.arrived);
    }
}

/// Its tokens are balanced whenever it is examined, and its inner values are numbers; what it lets
/// go was held since it came, and what it let go at once was not held.
pub fn accounts_for_every_token<C>()
where
    C: Algorithm<Site = Contract> + Conditioner<Numbered>,
{
    for (seed, config) in choices::<C>().iter().enumerate() {
        let mut came = Vec::new();
        let end = run_at::<C>(config, seed as u64, |s, now| {
            s.inner.probe(&mut dumbbell_core::testing::Finite);
            assert!(s.inner.tokens(now).is_none_or(|t| t.balanced()));
            came.resize(s.arrived as usize, now);
        });
        let gone = end
            .out
            .iter()
            .filter_map(|o| if let Out::Emitted(at, id) = o { Some((*at, *id)) } else { None });
        for ((at, id), held) in gone.zip(&end.spans) {
            assert_eq!(came[id as usize] + *held, at, "packet {id}");
        }
    }
}

/// The same traffic gives the same output.
pub fn repeats_itself<C>()
where
    C: Algorithm<Site = Contract> + Conditioner<Numbered>,
{
    for config in choices::<C>() {
        assert_eq!(run::<C>(&config, 7, |_| {}).out, run::<C>(&config, 7, |_| {}).out);
    }
}
