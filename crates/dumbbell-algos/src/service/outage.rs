//! A wire that is down for a while: at given times, periodically, or by chance.
use crate::service::parts::outage_windows::Windows;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::service::{Service, Site, Transmitted};
use dumbbell_core::units::{Rate, Span, Time, Transmitter};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The least mean time: shorter ones are far below the time of a packet, and too many to count.
const LEAST_MEAN: Span = Span::from_us(10);

/// What happens to a packet whose transmission is cut off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CutOff {
    /// The rest of it is sent when the wire is up again.
    #[default]
    Held,
    /// It is lost; the next one waits.
    Lost,
}

/// Parameters of [`Outage`].
#[config]
pub struct OutageConfig {
    /// Rate while the wire is up; default: the link's `rate`.
    #[schemars(extend("x-source" = "ours: the link's"))]
    pub rate: Option<Rate>,
    /// From when and for how long the wire is down: `[["10 s", "2 s"], ["30 s", "500 ms"]]`.
    #[schemars(extend("x-source" = "none: an example, to be replaced"))]
    #[config(default = vec![(Span::from_secs(10), Span::from_secs(1))])]
    pub at: Vec<(Span, Span)>,
    /// Period after which the outages repeat; 0 s: never.
    #[schemars(extend("x-source" = "none: an example, to be replaced"))]
    #[config(default = Span::ZERO)]
    pub period: Span,
    /// Mean time that the wire is up, exponentially distributed, instead of given times: 10 us or
    /// more; 0 s: given times.
    #[schemars(extend("x-source" = "ours: given times"))]
    #[config(default = Span::ZERO)]
    pub mean_up: Span,
    /// Mean time that it is down, exponentially distributed: 10 us or more; 0 s: given times.
    #[schemars(extend("x-source" = "ours: given times"))]
    #[config(default = Span::ZERO)]
    pub mean_down: Span,
    /// What happens to a packet whose transmission is cut off.
    #[schemars(extend("x-source" = "ours: what a step of rate to zero does"))]
    #[config(default = CutOff::Held)]
    pub cut_off: CutOff,
}

impl OutageConfig {
    fn by_chance(&self) -> bool {
        self.mean_up + self.mean_down > Span::ZERO
    }

    fn check_chance(&self) -> Result<(), Fault> {
        for (name, mean, other) in
            [("mean_up", self.mean_up, "mean_down"), ("mean_down", self.mean_down, "mean_up")]
        {
            if mean == Span::ZERO {
                let cause = format!(
                    "`{other}` is written, and the wire would be in its other \
                    state for no time"
                );
                return Err(Fault::at(name, cause).fix(format!(
                    "write {name} = \"10 s\", or leave \
                    both out"
                )));
            }
        }
        for (name, mean) in [("mean_up", self.mean_up), ("mean_down", self.mean_down)] {
            if mean < LEAST_MEAN {
                let cause = format!("a mean of {mean} is shorter than {LEAST_MEAN}");
                return Err(Fault::at(name, cause).fix(format!("write {name} = \"1 ms\"")));
            }
        }
        let default = OutageConfig::default();
        for (name, written) in
            [("at", self.at != default.at), ("period", self.period != default.period)]
        {
            if written {
                let cause = "outages come at given times, or by chance after times of their own, \
                    not both";
                return Err(Fault::at(name, cause).fix(format!(
                    "leave out `{name}`, or `mean_up` \
                    and `mean_down`"
                )));
            }
        }
        Ok(())
    }
}

impl Config for OutageConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.by_chance() {
            return self.check_chance();
        }
        if self.at.is_empty() {
            return Err(
                Fault::at("at", "there is no outage").fix("write at = [[\"10 s\", \"2 s\"]]")
            );
        }
        if let Some(i) = self.at.iter().position(|(_, long)| *long == Span::ZERO) {
            return Err(Fault::at(&format!("at[{i}]"), "an outage of 0 s is none").fix(
                "leave it \
                out",
            ));
        }
        if let Some(i) = self.at.windows(2).position(|w| w[0].0 + w[0].1 >= w[1].0) {
            let cause = "this outage begins before the one before it is over";
            return Err(Fault::at(&format!("at[{}]", i + 1), cause).fix(
                "write them in order of \
                time, or as one",
            ));
        }
        let (first, (last, long)) = (self.at[0].0, self.at[self.at.len() - 1]);
        // One that lasts into the next round must leave that round's first alone.
        if self.period > Span::ZERO && last + long >= self.period + first {
            let cause = format!(
                "the last outage is over at {}, when the next round's has begun",
                last + long
            );
            return Err(Fault::at("period", cause).fix(
                "make it longer, or \"0 s\" for outages that \
                do not come again",
            ));
        }
        Ok(())
    }
}

/// A transmitter with outages.
#[derive(Clone, Debug)]
pub struct Outage {
    clock: Transmitter,
    nominal: Rate,
    cut_off: CutOff,
    /// All outages, from the first on, and those that are not over.
    all: Windows,
    to_come: Windows,
    window: (Time, Time),
    used: Span,
}

impl Algorithm for Outage {
    type Config = OutageConfig;
    type Site = Site;
    const ABOUT: About = About {
        name: "outage",
        title: "Outages",
        idea: "The wire is down at given times, periodically, or for random times, and packets \
            wait for its return.",
        equations: "while down nothing is sent;  a packet that is cut off is sent on later, or \
            lost\nby chance: up and down for exponential times, -mean ln(1 - U), up at the \
            start\nnominal rate = rate * (share of time that the wire is up in the long run)",
        sources: &[
            "Goff, Moronski, Phatak, Gupta: Freeze-TCP, INFOCOM 2000, section 1 (disconnections)",
            "Alternating renewal process: Cox, Renewal Theory, chapter 7",
        ],
        provenance: Provenance::Recollection,
        ..About::PLAIN
    };
    fn new(config: &OutageConfig, site: &Site) -> Self {
        let rate = config.rate.unwrap_or(site.link.rate);
        let (all, up) = if config.by_chance() {
            let (up, down) = (config.mean_up.seconds(), config.mean_down.seconds());
            (Windows::by_chance(up, down, site.chance.clone()), up / (up + down))
        } else {
            let down: f64 = config.at.iter().map(|(_, long)| long.seconds()).sum();
            let up =
                if config.period > Span::ZERO { 1.0 - down / config.period.seconds() } else { 1.0 };
            (Windows::given(config.at.clone(), config.period), up)
        };
        let nominal = Rate::from_bps(libm::round(rate.bps() as f64 * up).max(1.0) as u64);
        Outage {
            clock: Transmitter::new(rate),
            nominal,
            cut_off: config.cut_off,
            to_come: all.clone(),
            all,
            window: (Time::ZERO, Time::ZERO),
            used: Span::ZERO,
        }
    }
}

impl Outage {
    /// Something was sent from `from` to `to`.
    fn sends(&mut self, from: Time, to: Time) {
        let (from, to) = (from.max(self.window.0), to.min(self.window.1));
        if from < to {
            self.used = self.used + to.since(from);
        }
    }
}

impl Service for Outage {
    fn finish(&mut self, _arrived: Time, start: Time, wire_bytes: u32) -> Transmitted {
        let (mut at, mut left) = (start, self.clock.span(wire_bytes));
        loop {
            let Some((down, up)) = self.to_come.first().filter(|(down, _)| *down < at + left)
            else {
                self.sends(at, at + left);
                return Transmitted::sent(at + left);
            };
            if down > at {
                self.sends(at, down);
                if self.cut_off == CutOff::Lost {
                    return Transmitted::lost(down);
                }
                left = left - down.since(at);
            }
            at = at.max(up);
            self.to_come.pass();
        }
    }
    fn rate(&self) -> Rate {
        self.nominal
    }
    fn outages(&self, until: Time) -> Vec<(Time, Time)> {
        self.all.until(until).collect()
    }
    fn watch(&mut self, from: Time, to: Time) {
        self.window = (from, to);
    }
    fn utilization(&self) -> Option<f64> {
        let (from, to) = self.window;
        let down = self.all.until(to).fold(Span::ZERO, |sum, (down, up)| {
            let (down, up) = (down.max(from), up.min(to));
            if down < up { sum + up.since(down) } else { sum }
        });
        let offered = to.since(from) - down;
        Some(if offered == Span::ZERO { 0.0 } else { self.used.ps() as f64 / offered.ps() as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::catalogue::read;
    use dumbbell_core::impairment::WireEffect;
    use dumbbell_core::testing::site;
    use serde_json::{Value, json};

    fn outage(config: Value) -> Outage {
        Outage::new(&read(&config).unwrap(), &site(1))
    }

    fn ms(at: u64) -> Time {
        Time::ZERO + Span::from_ms(at)
    }

    /// 8 Mbps is 1000 bytes a millisecond: the times can be read off.
    #[test]
    fn packets_wait_for_the_wire() {
        let config = json!({ "rate": "8 Mbps", "at": [["10 ms", "5 ms"], ["20 ms", "1 ms"]] });
        let mut s = outage(config.clone());
        assert_eq!(
            s.finish(ms(0), ms(7), 3000),
            Transmitted::sent(ms(10)),
            "through just as the \
            outage begins"
        );
        assert_eq!(s.finish(ms(0), ms(10), 1000), Transmitted::sent(ms(16)));
        assert_eq!(
            s.finish(ms(0), ms(16), 6000),
            Transmitted::sent(ms(23)),
            "4 ms, an outage, 2 \
            ms"
        );
        assert_eq!(s.finish(ms(90), ms(90), 1000), Transmitted::sent(ms(91)));

        let mut lost = config;
        lost["cut_off"] = json!("lost");
        let mut s = outage(lost);
        assert_eq!(s.finish(ms(0), ms(9), 1001), Transmitted::lost(ms(10)), "it lacks a byte");
        assert_eq!(s.finish(ms(0), ms(10), 1000), Transmitted::sent(ms(16)), "the next one waits");
        assert_eq!(s.finish(ms(0), ms(16), 6000), Transmitted::lost(ms(20)));
        assert_eq!(s.finish(ms(20), ms(20), 1000), Transmitted::sent(ms(22)));
    }

    #[test]
    fn outages_come_again() {
        let mut s =
            outage(json!({ "rate": "8 Mbps", "at": [["8 ms", "4 ms"]], "period": "10 ms" }));
        assert_eq!(s.rate(), Rate::from_bps(4_800_000));
        assert_eq!(s.outages(ms(20)), [(ms(8), ms(12)), (ms(18), ms(22))]);
        assert_eq!(s.finish(ms(0), ms(0), 20_000), Transmitted::sent(ms(28)), "8, 6 and 6 ms");
        assert_eq!(s.finish(ms(1_000_000), ms(1_000_000), 1000), Transmitted::sent(ms(1_000_003)));
    }

    /// Times up and down are exponential: chi-square of ten equal bins each (39.3 is exceeded with
    /// probability 1e-5 at 9 degrees of freedom: their law has no parameter that was fitted), and
    /// the share of time down is mean_down / (mean_up + mean_down).
    #[test]
    fn times_by_chance_are_exponential() {
        let s = outage(json!({ "mean_up": "900 ms", "mean_down": "100 ms" }));
        let until = Time::ZERO + Span::from_secs(20_000);
        let all = s.outages(until);
        let down: Vec<f64> = all.iter().map(|(from, to)| to.since(*from).seconds()).collect();
        let up: Vec<f64> = all.windows(2).map(|w| w[1].0.since(w[0].1).seconds()).collect();
        for (times, mean) in [(&down, 0.1), (&up, 0.9)] {
            let mut bins = [0.0f64; 10];
            times.iter().for_each(|t| bins[((1.0 - libm::exp(-t / mean)) * 10.0) as usize] += 1.0);
            let expected = times.len() as f64 / 10.0;
            let chi: f64 = bins.iter().map(|seen| libm::pow(seen - expected, 2.0) / expected).sum();
            assert!(chi < 39.3, "{mean}: {chi}");
        }
        // Renewals: about 20 000 of them in 20 000 s, with a variance of (0.9^2 + 0.1^2) each.
        assert!(
            (all.len() as f64 - 20_000.0).abs() < 4.4 * (20_000.0 * 0.82f64).sqrt(),
            "{}",
            all.len()
        );
    }

    /// The outages told beforehand are those that happen: a saturated wire sends outside of its
    /// outages, and all of that time.
    #[test]
    fn chance_is_drawn_once() {
        let config = json!({ "rate": "8 Mbps", "mean_up": "90 ms", "mean_down": "30 ms" });
        let (mut s, mut at) = (outage(config), Time::ZERO);
        let told = s.outages(ms(10_000));
        s.watch(Time::ZERO, ms(10_000));
        while at < ms(10_000) {
            let next = s.finish(Time::ZERO, at, 1000).done;
            let down: Span = told.iter().fold(Span::ZERO, |sum, (from, to)| {
                let (from, to) = ((*from).max(at), (*to).min(next));
                if from < to { sum + to.since(from) } else { sum }
            });
            assert_eq!(next.since(at), Span::from_ms(1) + down);
            at = next;
        }
        assert_eq!(s.utilization(), Some(1.0));
        let mut half = outage(json!({ "rate": "8 Mbps", "at": [["10 ms", "80 ms"]] }));
        half.watch(Time::ZERO, ms(100));
        assert!(half.finish(ms(0), ms(5), 10_000).effect == WireEffect::Arrives);
        assert_eq!(half.utilization(), Some(0.5), "10 of 20 ms");
    }

    #[test]
    fn refuses_what_is_no_outage() {
        let at = |v: Value| read::<OutageConfig>(&v).unwrap_err().at;
        assert_eq!(at(json!({ "at": [] })), "at");
        assert_eq!(at(json!({ "at": [["1 s", "0 s"]] })), "at[0]");
        assert_eq!(at(json!({ "at": [["1 s", "2 s"], ["3 s", "1 s"]] })), "at[1]");
        assert_eq!(at(json!({ "at": [["1 s", "2 s"]], "period": "2 s" })), "period");
        assert_eq!(at(json!({ "mean_up": "1 s" })), "mean_down");
        assert_eq!(at(json!({ "mean_down": "1 s" })), "mean_up");
        assert_eq!(at(json!({ "mean_up": "1 ps", "mean_down": "1 s" })), "mean_up");
        assert_eq!(at(json!({ "mean_up": "10 us", "mean_down": "9 us" })), "mean_down");
        assert_eq!(at(json!({ "mean_up": "1 s", "mean_down": "1 s", "period": "5 s" })), "period");
        assert_eq!(
            at(json!({ "mean_up": "1 s", "mean_down": "1 s", "at": [["1 s", "2 s"]] })),
            "at"
        );
        assert_eq!(at(json!({ "rate": "0 bps" })), "rate");
    }
}
