//! A link that fails and returns: what is on it or comes to it meanwhile is lost.
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::config;

/// Parameters of [`Down`].
#[config]
pub struct DownConfig {
    /// From when and for how long the link is down: `[["10 ms", "5 ms"], ["50 ms", "10 ms"]]`.
    #[schemars(extend("x-source" = "none: an example, to be replaced"))]
    #[config(default = vec![(Span::from_ms(10), Span::from_ms(10))])]
    pub at: Vec<(Span, Span)>,
    /// Propagation delay of the link: a packet is lost, too, whose last bit left at most so long
    /// before the link failed.
    #[schemars(extend("x-source" = "ours: what `links` fills in"))]
    #[config(default = Span::ZERO)]
    pub delay: Span,
}

impl Config for DownConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.at.is_empty() {
            let fix = "write at = [[\"10 ms\", \"20 ms\"]]";
            return Err(Fault::at("at", "the link is never down").fix(fix));
        }
        if let Some(i) = self.at.iter().position(|(_, long)| *long == Span::ZERO) {
            let cause = "a failure of 0 s is none";
            return Err(Fault::at(&format!("at[{i}]"), cause).fix("leave it out"));
        }
        if let Some(i) = self.at.windows(2).position(|w| w[0].0 + w[0].1 >= w[1].0) {
            let cause = "the link fails here while it is down";
            let fix = "write the failures in the order of time, or as one";
            return Err(Fault::at(&format!("at[{}]", i + 1), cause).fix(fix));
        }
        Ok(())
    }
}

/// Loses what is on the link while it is down.
#[derive(Clone, Debug)]
pub struct Down {
    config: DownConfig,
    /// The failures that are over.
    over: usize,
}

impl Algorithm for Down {
    type Config = DownConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "down",
        title: "Link failure",
        idea: "The link fails and returns at given times. It loses what is on the wire when it \
            fails, and what the transmitter sends until it returns.",
        equations: "lost  iff  from - delay <= t < from + long,  t when the last bit leaves",
        sources: &["ours: the definition"],
        provenance: Provenance::Recollection,
        ..About::PLAIN
    };
    fn new(config: &DownConfig, (): &()) -> Self {
        Down { config: config.clone(), over: 0 }
    }
}

impl Impairment for Down {
    fn effect(&mut self, now: Time, _: &mut Stream, _: &Meta) -> WireEffect {
        let at = &self.config.at;
        while at.get(self.over).is_some_and(|(from, long)| Time::ZERO + *from + *long <= now) {
            self.over += 1;
        }
        let fails = |(from, _): &(Span, Span)| Time::ZERO + *from <= now + self.config.delay;
        if at.get(self.over).is_some_and(fails) { WireEffect::Lost } else { WireEffect::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::catalogue::read;
    use serde_json::{Value, json};

    /// The milliseconds at which packets are lost, of one each millisecond.
    fn lost(v: Value) -> Vec<u64> {
        let (mut down, mut rng) = (Down::new(&read(&v).unwrap(), &()), Stream::named(1, "unused"));
        let at = |n: u64| Time::ZERO + Span::from_ms(n);
        (0..20)
            .filter(|n| down.effect(at(*n), &mut rng, &Meta::default()) == WireEffect::Lost)
            .collect()
    }

    #[test]
    fn it_loses_while_it_is_down() {
        let twice = json!({ "at": [["3 ms", "3 ms"], ["10 ms", "2 ms"]] });
        assert_eq!(lost(twice), [3, 4, 5, 10, 11]);
        assert_eq!(lost(json!({ "at": [["0 ms", "2 ms"]] })), [0, 1]);
    }

    /// What left 2 ms before the failure is on the wire when it comes.
    #[test]
    fn what_is_on_the_wire_is_lost() {
        assert_eq!(lost(json!({ "at": [["5 ms", "2 ms"]], "delay": "2 ms" })), [3, 4, 5, 6]);
    }

    #[test]
    fn refuses_what_is_no_failure() {
        let at = |v: Value| read::<DownConfig>(&v).unwrap_err().at;
        assert_eq!(at(json!({ "at": [] })), "at");
        assert_eq!(at(json!({ "at": [["2 ms", "0 ms"]] })), "at[0]");
        assert_eq!(at(json!({ "at": [["2 ms", "3 ms"], ["5 ms", "1 ms"]] })), "at[1]");
    }
}
