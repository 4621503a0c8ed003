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

/// A packet a second is far below what was reserved: nearly all of it is green, under the defaults.
pub fn favours_what_fits<M: Meter + Algorithm<Site = Contract>>() {
    let mut bench = Bench::<M>::new(&M::Config::default());
    let colours = (0..200).map(|s| bench.colour(Time::ZERO + Span::from_secs(s), 1000));
    let green = colours.filter(|c| *c == Colour::Green).count();
    assert!(green >= 190, "{green} of 200");
}
