//! Checks for every meter: the same traffic gives the same colors; tokens come from the contract
//! only; a stream far below its contract is all green, and of a stream far above it only the
//! contract is; a meter that is aware of colors never improves one.
use super::parameters::choices;
use dumbbell_core::aqm::Cx;
use dumbbell_core::catalogue::{Algorithm, read};
use dumbbell_core::meter::{Color, Contract, Meter};
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::FlowTable;
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
    /// The color of a packet of `bytes` at `now` that nobody colored before.
    pub fn color(&mut self, now: Time, bytes: u32) -> Color {
        self.recolor(now, bytes, Color::Green)
    }
    /// The color of one that came with the color `before`.
    pub fn recolor(&mut self, now: Time, bytes: u32, before: Color) -> Color {
        let flows = FlowTable::default();
        let mut cx = Cx { now, rng: &mut self.rng, link: &self.site.link, flows: &flows };
        self.meter.color(&mut cx, &packet(0, bytes, Ecn::NotEct), before)
    }
}

/// The initials of the colors of arrivals: millisecond, bytes, the color that each came with.
pub fn colors<M: Meter + Algorithm<Site = Contract>>(
    bench: &mut Bench<M>,
    arrivals: &[(u64, u32, Color)],
) -> String {
    let initial = |c: Color| ["G", "Y", "R"][c.index()];
    arrivals
        .iter()
        .map(|(ms, bytes, before)| {
            initial(bench.recolor(Time::ZERO + Span::from_ms(*ms), *bytes, *before))
        })
        .collect()
}

/// The share of each color of `n` packets of 1000 bytes at a constant rate, less the first
/// quarter.
pub fn share<M: Meter + Algorithm<Site = Contract>>(
    bench: &mut Bench<M>,
    bps: f64,
    n: u32,
) -> [f64; 3] {
    let (gap, skip) = (8000.0 / bps, n / 4);
    let mut counts = [0u32; 3];
    for i in 0..n {
        let at = Time::ZERO + Span::from_secs_f64(f64::from(i) * gap);
        let color = bench.color(at, 1000);
        counts[color.index()] += u32::from(i >= skip);
    }
    counts.map(|c| f64::from(c) / f64::from(n - skip))
}

/// The green share of a flow whose rate is TCP's sawtooth, from two thirds of `bps` to four thirds
/// in each `period` seconds: packets of 1000 bytes, less the first of 40 periods.
pub fn sawtooth<M: Meter + Algorithm<Site = Contract>>(
    bench: &mut Bench<M>,
    bps: f64,
    period: f64,
) -> f64 {
    let (mut t, mut all, mut green) = (0.0, 0u32, 0u32);
    while t < 40.0 * period {
        let phase = t / period - libm::floor(t / period);
        t += 8000.0 / (bps * (2.0 / 3.0 + 2.0 / 3.0 * phase));
        let color = bench.color(Time::ZERO + Span::from_secs_f64(t), 1000);
        if t > period {
            all += 1;
            green += u32::from(color == Color::Green);
        }
    }
    f64::from(green) / f64::from(all)
}

/// The colors of random bursts and pauses, of any color; `watch` looks after each.
fn run<M: Meter + Algorithm<Site = Contract>>(
    config: &M::Config,
    seed: u64,
    mut watch: impl FnMut(&mut Bench<M>, Time),
) -> Vec<Color> {
    let (mut bench, mut rng, mut now) =
        (Bench::<M>::new(config), Stream::named(seed, "traffic"), Time::ZERO);
    let mut colors = Vec::new();
    for _ in 0..500 {
        now += Span::from_us(if rng.coin(0.05) { 400_000 } else { u64::from(rng.below(20_000)) });
        let before = Color::ALL[rng.below(3) as usize];
        colors.push(bench.recolor(now, 40 + rng.below(1461), before));
        watch(&mut bench, now);
    }
    colors
}

/// The same traffic gets the same colors.
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

/// One that minds colors says so by a parameter; with that, no packet becomes better than it came.
pub fn never_betters_a_colour<M: Meter + Algorithm<Site = Contract>>() {
    let Ok(config) = read::<M::Config>(&serde_json::json!({ "colour_aware": true })) else {
        return;
    };
    let (mut bench, mut rng, mut now) =
        (Bench::<M>::new(&config), Stream::named(3, "traffic"), Time::ZERO);
    let mut kept = 0;
    for _ in 0..2000 {
        now += Span::from_us(u64::from(rng.below(40_000)));
        let before = Color::ALL[rng.below(3) as usize];
        let after = bench.recolor(now, 1000, before);
        assert!(after >= before, "{before:?} became {after:?}");
        kept += usize::from(after == before && after != Color::Red);
    }
    assert!(kept > 200, "a color-aware meter must leave some colors: {kept} kept theirs");
}

/// However much comes, what is green in the long run is the contract; its colors are no worse than
/// its worst.
pub fn green_is_the_contract<M: Meter + Algorithm<Site = Contract>>() {
    for load in [2.0, 10.0] {
        let mut bench = Bench::<M>::new(&M::Config::default());
        let reserved = bench.site.reserved.map_or(0.0, |r| r.bps() as f64);
        let found = share(&mut bench, load * reserved, 40_000);
        // A target of throughput is no reservation: a flow that has it needs no mark at all.
        let target = M::ABOUT.name == "adaptive_packet_marking";
        let expected = if target { 0.0 } else { 1.0 / load };
        assert!((found[0] - expected).abs() < 0.02, "load {load}: {found:?}");
        let beyond = Color::ALL.iter().filter(|c| **c > bench.meter.worst());
        assert!(beyond.map(|c| found[c.index()]).all(|share| share == 0.0), "{found:?}");
    }
}

/// A packet a second is far below what was reserved: in the long run nearly all of it is green,
/// under the defaults.
pub fn favours_what_fits<M: Meter + Algorithm<Site = Contract>>() {
    let mut bench = Bench::<M>::new(&M::Config::default());
    let colors = (0..400).map(|s| bench.color(Time::ZERO + Span::from_secs(s), 1000));
    let green = colors.skip(200).filter(|c| *c == Color::Green).count();
    assert!(green >= 190, "{green} of 200");
}
