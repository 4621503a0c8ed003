//! Every meter: the same again, no token from nowhere, and a stream far below its contract is green.
use super::parameters::choices;
use dumbbell_core::aqm::Cx;
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::flow::FlowTable;
use dumbbell_core::meter::{Colour, Contract, Meter};
use dumbbell_core::packet::Ecn;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{contract, packet};
use dumbbell_core::units::{Span, Time};

/// A meter on a virtual clock.
pub struct Bench<M> {
    /// The meter.
    pub meter: M,
    site: Contract,
    rng: Stream,
}

impl<M: Meter + Algorithm<Site = Contract>> Bench<M> {
    /// At the start of a run, with the contract of [`contract`].
    pub fn new(config: &M::Config) -> Self {
        let site = contract();
        Bench { meter: M::new(config, &site), site, rng: Stream::named(1, "meter") }
    }
    /// The colour of a packet of `bytes` at `now` that nobody coloured before.
    pub fn colour(&mut self, now: Time, bytes: u32) -> Colour {
        self.recolour(now, bytes, Colour::Green)
    }
    /// The colour of one that came with the colour `before`.
    pub fn recolour(&mut self, now: Time, bytes: u32, before: Colour) -> Colour {
        let flows = FlowTable::default();
        let mut cx = Cx { now, rng: &mut self.rng, link: &self.site.link, flows: &flows };
        self.meter.colour(&mut cx, &packet(0, bytes, Ecn::NotEct), before)
    }
}

/// The initials of the colours of arrivals: millisecond, bytes, the colour that each came with.
pub fn colours<M: Meter + Algorithm<Site = Contract>>(bench: &mut Bench<M>, arrivals: &[(u64, u32, Colour)]) -> String {
    let initial = |c: Colour| ["G", "Y", "R"][c.index()];
    arrivals
        .iter()
        .map(|(ms, bytes, before)| initial(bench.recolour(Time::ZERO + Span::from_ms(*ms), *bytes, *before)))
        .collect()
}

/// The share of each colour of `n` packets of 1000 bytes at a constant rate, less the first quarter.
pub fn share<M: Meter + Algorithm<Site = Contract>>(bench: &mut Bench<M>, bps: f64, n: u32) -> [f64; 3] {
    let (gap, skip) = (8000.0 / bps, n / 4);
    let mut counts = [0u32; 3];
    for i in 0..n {
        let at = Time::ZERO + Span::from_secs_f64(f64::from(i) * gap);
        let colour = bench.colour(at, 1000);
        counts[colour.index()] += u32::from(i >= skip);
    }
    counts.map(|c| f64::from(c) / f64::from(n - skip))
}

/// The green share of a flow whose rate is TCP's sawtooth, from two thirds of `bps` to four thirds in each `period` seconds:
/// packets of 1000 bytes, less the first of 40 periods.
pub fn sawtooth<M: Meter + Algorithm<Site = Contract>>(bench: &mut Bench<M>, bps: f64, period: f64) -> f64 {
    let (mut t, mut all, mut green) = (0.0, 0u32, 0u32);
    while t < 40.0 * period {
        let phase = t / period - libm::floor(t / period);
        t += 8000.0 / (bps * (2.0 / 3.0 + 2.0 / 3.0 * phase));
        let colour = bench.colour(Time::ZERO + Span::from_secs_f64(t), 1000);
        if t > period {
            all += 1;
            green += u32::from(colour == Colour::Green);
        }
    }
    f64::from(green) / f64::from(all)
}

/// The colours of random bursts and pauses, of any colour; `watch` looks after each.
fn run<M: Meter + Algorithm<Site = Contract>>(
    config: &M::Config,
    seed: u64,
    mut watch: impl FnMut(&mut Bench<M>, Time),
) -> Vec<Colour> {
    let (mut bench, mut rng, mut now) = (Bench::<M>::new(config), Stream::named(seed, "traffic"), Time::ZERO);
    let mut colours = Vec::new();
    for _ in 0..500 {
        now += Span::from_us(if rng.coin(0.05) { 400_000 } else { u64::from(rng.below(20_000)) });
        let before = Colour::ALL[rng.below(3) as usize];
        colours.push(bench.recolour(now, 40 + rng.below(1461), before));
        watch(&mut bench, now);
    }
    colours
}

/// The same traffic gets the same colours.
pub fn repeats_itself<M: Meter + Algorithm<Site = Contract>>() {
    for config in choices::<M>() {
        assert_eq!(run::<M>(&config, 7, |_, _| {}), run::<M>(&config, 7, |_, _| {}));
    }
}

/// Its account is balanced at every moment, and its inner values are numbers.
pub fn accounts_for_every_token<M: Meter + Algorithm<Site = Contract>>() {
    for (seed, config) in choices::<M>().iter().enumerate() {
        run::<M>(config, seed as u64, |bench, now| {
            bench.meter.probe(&mut dumbbell_core::testing::Finite);
            assert!(bench.meter.tokens(now).is_none_or(|t| t.balanced()));
        });
    }
}

/// A packet a second is far below what was reserved: in the long run nearly all of it is green, under the defaults.
pub fn favours_what_fits<M: Meter + Algorithm<Site = Contract>>() {
    let mut bench = Bench::<M>::new(&M::Config::default());
    let colours = (0..400).map(|s| bench.colour(Time::ZERO + Span::from_secs(s), 1000));
    let green = colours.skip(200).filter(|c| *c == Colour::Green).count();
    assert!(green >= 190, "{green} of 200");
}
