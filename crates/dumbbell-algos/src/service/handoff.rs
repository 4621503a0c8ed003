//! Handoff from one base station to the next: a wire that is down for a moment, and another one
//! after it.
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::impairment::WireEffect;
use dumbbell_core::service::{Service, Site, Transmitted};
use dumbbell_core::units::{Rate, Span, Time, Transmitter};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to the packets that wait when a handoff begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// They go with the host; the one whose transmission is cut off is sent again.
    #[default]
    Kept,
    /// They stay behind with the old station, which drops them: they are lost on the link.
    Flushed,
}

/// Parameters of [`Handoff`].
#[config]
pub struct HandoffConfig {
    /// Rate before the first handoff; default: the link's `rate`.
    #[schemars(extend("x-source" = "ours: the link's"))]
    pub rate: Option<Rate>,
    /// Each handoff: its start, how long the wire is down, the rate from then on, and the delay
    /// from then on in addition to the link's own: `[["10 s", "200 ms", "2 Mbps", "30 ms"]]`.
    #[schemars(extend("x-source" = "none: an example, to be replaced"))]
    #[config(default = vec![
        (Span::from_secs(10), Span::from_ms(200), Rate::from_mbps(2), Span::from_ms(30)),
    ])]
    pub handoffs: Vec<(Span, Span, Rate, Span)>,
    /// What happens to the packets that wait when a handoff begins.
    #[schemars(extend("x-source" = "ours: the gentler of the two"))]
    #[config(default = Waiting::Kept)]
    pub queue: Waiting,
}

impl Config for HandoffConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.handoffs.is_empty() {
            return Err(Fault::at("handoffs", "there is no handoff")
                .fix("write handoffs = [[\"10 s\", \"200 ms\", \"2 Mbps\", \"0 s\"]]"));
        }
        if let Some(i) = self.handoffs.windows(2).position(|w| w[0].0 + w[0].1 >= w[1].0) {
            let cause = "this handoff begins before the one before it is over";
            return Err(Fault::at(&format!("handoffs[{}]", i + 1), cause).fix(
                "write them in order \
                of time",
            ));
        }
        Ok(())
    }
}

/// The state of the wire between two handoffs.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// The start of the handoff to it, and the time at which the wire is up again.
    at: Time,
    ready: Time,
    rate: Rate,
    longer: Span,
}

/// A transmitter that moves from one wire to the next.
#[derive(Clone, Debug)]
pub struct Handoff {
    /// In order of time; the first is that before all handoffs.
    stages: Vec<Stage>,
    now: usize,
    clock: Transmitter,
    queue: Waiting,
    window: (Time, Time),
    /// Bits per second times picoseconds.
    used: u128,
}

impl Algorithm for Handoff {
    type Config = HandoffConfig;
    type Site = Site;
    const ABOUT: About = About {
        name: "handoff",
        title: "Handoff",
        idea: "At given times the wire is down for a moment, and has another rate and delay after \
            it.",
        equations: "handoff (at, outage, rate, delay): nothing is sent from `at` to at + outage\n\
                    kept:     the packet that is cut off is sent again then, the others after it\n\
                    flushed:  packets that came before `at` and have not left yet are lost at \
                    `at`\n\
                    packets that leave after the outage have `delay` added to the delay of the \
                    link\n\
                    packets may overtake each other  iff  delay before > outage + delay after\n\
                    nominal rate = the last rate",
        sources: &[
            "Caceres, Iftode: Improving the performance of reliable transport protocols in mobile \
                computing environments, JSAC 13(5), 1995",
            "RFC 4057 section 2, RFC 6077 section 3.5: mobility changes the path at once",
        ],
        provenance: Provenance::Recollection,
        ..About::PLAIN
    };
    fn new(config: &HandoffConfig, site: &Site) -> Self {
        let rate = config.rate.unwrap_or(site.link.rate);
        let first = Stage { at: Time::ZERO, ready: Time::ZERO, rate, longer: Span::ZERO };
        let stage = |&(at, outage, rate, longer): &(Span, Span, Rate, Span)| {
            let at = Time::ZERO + at;
            Stage { at, ready: at + outage, rate, longer }
        };
        let stages = [first].into_iter().chain(config.handoffs.iter().map(stage)).collect();
        let window = (Time::ZERO, Time::ZERO);
        Handoff {
            stages,
            now: 0,
            clock: Transmitter::new(rate),
            queue: config.queue,
            window,
            used: 0,
        }
    }
}

impl Handoff {
    /// The next handoff, if it begins before `t`.
    fn next_before(&self, t: Time) -> Option<Time> {
        self.stages.get(self.now + 1).map(|next| next.at).filter(|at| *at < t)
    }

    fn moves(&mut self) {
        self.now += 1;
        self.clock = Transmitter::new(self.stages[self.now].rate);
    }

    /// Something is sent from `from` to `to`.
    fn sends(&mut self, from: Time, to: Time) {
        let (from, to) = (from.max(self.window.0), to.min(self.window.1));
        if from < to {
            self.used +=
                u128::from(to.since(from).ps()) * u128::from(self.stages[self.now].rate.bps());
        }
    }
}

impl Service for Handoff {
    fn finish(&mut self, arrived: Time, start: Time, wire_bytes: u32) -> Transmitted {
        while self.next_before(start.next()).is_some() {
            self.moves();
        }
        let flushed = self.queue == Waiting::Flushed;
        if flushed && self.now > 0 && arrived < self.stages[self.now].at {
            return Transmitted::lost(start);
        }
        loop {
            let Stage { ready, longer, .. } = self.stages[self.now];
            let from = start.max(ready);
            let done = from + self.clock.span(wire_bytes);
            let Some(cut) = self.next_before(done) else {
                self.sends(from, done);
                let effect = if longer > Span::ZERO {
                    WireEffect::Delayed(longer)
                } else {
                    WireEffect::Arrives
                };
                return Transmitted { done, effect };
            };
            self.sends(from, cut);
            self.moves();
            if flushed {
                return Transmitted::lost(cut);
            }
        }
    }
    fn rate(&self) -> Rate {
        self.stages[self.stages.len() - 1].rate
    }
    fn reorders(&self) -> bool {
        self.stages.windows(2).any(|w| w[0].longer > w[1].longer + w[1].ready.since(w[1].at))
    }
    fn outages(&self, until: Time) -> Vec<(Time, Time)> {
        let down = self.stages.iter().filter(|stage| stage.ready > stage.at && stage.at <= until);
        down.map(|stage| (stage.at, stage.ready)).collect()
    }
    fn watch(&mut self, from: Time, to: Time) {
        self.window = (from, to);
    }
    fn utilization(&self) -> Option<f64> {
        let ends = self.stages.iter().skip(1).map(|next| next.at).chain([Time::NEVER]);
        let offered: u128 = self
            .stages
            .iter()
            .zip(ends)
            .map(|(stage, end)| {
                let (from, to) = (stage.ready.max(self.window.0), end.min(self.window.1));
                if from < to {
                    u128::from(to.since(from).ps()) * u128::from(stage.rate.bps())
                } else {
                    0
                }
            })
            .sum();
        Some(if offered == 0 { 0.0 } else { self.used as f64 / offered as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::catalogue::read;
    use dumbbell_core::testing::site;
    use serde_json::{Value, json};

    fn handoff(config: Value) -> Handoff {
        Handoff::new(&read(&config).unwrap(), &site(1))
    }

    fn ms(at: u64) -> Time {
        Time::ZERO + Span::from_ms(at)
    }

    fn late(done: Time, by: u64) -> Transmitted {
        Transmitted { done, effect: WireEffect::Delayed(Span::from_ms(by)) }
    }

    /// 8 Mbps is 1000 bytes a millisecond, 2 Mbps 250.
    #[test]
    fn packets_go_with_the_host() {
        let two = json!([["10 ms", "5 ms", "2 Mbps", "30 ms"], ["40 ms", "0 s", "4 Mbps", "0 s"]]);
        let mut s = handoff(json!({ "rate": "8 Mbps", "handoffs": two }));
        assert_eq!((s.rate(), s.reorders()), (Rate::from_mbps(4), true));
        assert_eq!(s.outages(ms(1_000)), [(ms(10), ms(15))]);
        s.watch(ms(0), ms(50));
        assert_eq!(s.finish(ms(0), ms(0), 8000), Transmitted::sent(ms(8)));
        assert_eq!(
            s.finish(ms(0), ms(8), 3000),
            late(ms(27), 30),
            "cut off after 2 ms, sent again \
            from 15 ms on"
        );
        assert_eq!(
            s.finish(ms(0), ms(27), 3250),
            late(ms(40), 30),
            "through just as the next \
            begins"
        );
        assert_eq!(s.finish(ms(0), ms(40), 500), Transmitted::sent(ms(41)));
        // 10 ms, 25 ms and 1 ms in use, of 10 and 25 and 10 ms.
        assert_eq!(s.utilization(), Some((80.0 + 50.0 + 4.0) / (80.0 + 50.0 + 40.0)));
    }

    #[test]
    fn packets_stay_behind() {
        let config = json!({
            "rate": "8 Mbps", "handoffs": [["10 ms", "5 ms", "2 Mbps", "0 s"]], "queue": "flushed",
        });
        let mut s = handoff(config);
        assert!(!s.reorders());
        assert_eq!(s.finish(ms(0), ms(0), 9000), Transmitted::sent(ms(9)));
        assert_eq!(s.finish(ms(1), ms(9), 1001), Transmitted::lost(ms(10)), "in transmission");
        assert_eq!(s.finish(ms(2), ms(10), 1000), Transmitted::lost(ms(10)), "waiting");
        assert_eq!(s.finish(ms(9), ms(10), 1000), Transmitted::lost(ms(10)), "waiting");
        assert_eq!(s.finish(ms(10), ms(10), 250), Transmitted::sent(ms(16)), "came as it began");
        assert_eq!(s.finish(ms(12), ms(16), 250), Transmitted::sent(ms(17)));
    }

    #[test]
    fn says_when_packets_overtake() {
        let shorter = |outage: &str| {
            let two =
                json!([["1 s", "0 s", "2 Mbps", "30 ms"], ["2 s", outage, "2 Mbps", "10 ms"]]);
            handoff(json!({ "rate": "8 Mbps", "handoffs": two })).reorders()
        };
        assert_eq!(
            [shorter("0 s"), shorter("19 ms"), shorter("20 ms"), shorter("1 s")],
            [true, true, false, false]
        );
    }

    #[test]
    fn refuses_what_is_no_handoff() {
        let at = |v: Value| read::<HandoffConfig>(&v).unwrap_err().at;
        assert_eq!(at(json!({ "handoffs": [] })), "handoffs");
        let two = json!([["1 s", "2 s", "1 Mbps", "0 s"], ["2 s", "0 s", "1 Mbps", "0 s"]]);
        assert_eq!(at(json!({ "handoffs": two })), "handoffs[1]");
        assert_eq!(at(json!({ "handoffs": [["1 s", "0 s", "0 Mbps", "0 s"]] })), "handoffs[0][2]");
        assert_eq!(at(json!({ "handoffs": [["1 s", "-1 s", "1 Mbps", "0 s"]] })), "handoffs[0][1]");
    }
}
