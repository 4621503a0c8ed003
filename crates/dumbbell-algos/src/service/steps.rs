//! A rate that changes in steps, once or again and again; a step of zero is an outage.
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::service::{LATEST, Service, Site, Transmitted};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::config;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// Work of one byte: picoseconds at one bit per second.
const PER_BYTE: u128 = 8_000_000_000_000;

/// A rate that may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRate(pub Rate);

impl Serialize for StepRate {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.0.bps() == 0 { s.serialize_str("0 bps") } else { self.0.serialize(s) }
    }
}

impl<'de> Deserialize<'de> for StepRate {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(d)?;
        let number = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '0' | '.'));
        // Zero of any unit of rate.
        let none = number.len() < text.len() && format!("1 {number}").parse::<Rate>().is_ok();
        if none && number.starts_with(|c: char| c.is_alphabetic()) {
            return Ok(StepRate(Rate::from_bps(0)));
        }
        text.parse().map(StepRate).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for StepRate {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "StepRate".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string", "examples": ["10 Mbps", "0 bps"] })
    }
}

/// Parameters of [`Steps`].
#[config]
pub struct StepsConfig {
    /// The rate from each time on: `[["0 s", "12 Mbps"], ["10 s", "0 bps"]]`; the first is at 0 s,
    /// a rate of 0 is an outage.
    #[schemars(extend("x-source" = "none: an example, to be replaced"))]
    #[config(default = vec![step(0, 12), step(10, 4)])]
    pub steps: Vec<(Span, StepRate)>,
    /// Period after which the steps repeat; 0 s: never, the last rate stays.
    #[schemars(extend("x-source" = "none: an example, to be replaced"))]
    #[config(default = Span::from_secs(20))]
    pub period: Span,
}

fn step(seconds: u64, mbps: u64) -> (Span, StepRate) {
    (Span::from_secs(seconds), StepRate(Rate::from_mbps(mbps)))
}

impl Config for StepsConfig {
    fn check(&self) -> Result<(), Fault> {
        let Some((last, rate)) = self.steps.last() else {
            return Err(Fault::at("steps", "there is no step").fix(
                "write steps = [[\"0 s\", \"10 \
                Mbps\"]]",
            ));
        };
        if self.steps[0].0 > Span::ZERO {
            return Err(Fault::at("steps[0]", "nothing says the rate at the start").fix(
                "begin with \
                \"0 s\"",
            ));
        }
        if let Some(i) = self.steps.windows(2).position(|w| w[0].0 >= w[1].0) {
            return Err(Fault::at(
                &format!("steps[{}]", i + 1),
                "this step is not after the one \
                before it",
            )
            .fix("write the steps in order of time"));
        }
        if self.period == Span::ZERO {
            return match rate.0.bps() {
                0 => Err(Fault::at("steps", "the last step is an outage that never ends")
                    .fix("end with a rate above zero, or give a `period`")),
                _ => Ok(()),
            };
        }
        if self.period <= *last {
            return Err(Fault::at(
                "period",
                format!(
                    "the last step is at {last}, not before the \
                period's end"
                ),
            )
            .fix("make it longer, or \"0 s\" for steps that do not repeat"));
        }
        if Steps::work(self).iter().all(|p| p.rate == 0) {
            return Err(Fault::at("steps", "every step is an outage").fix(
                "let one rate be above \
                zero",
            ));
        }
        Ok(())
    }
}

/// A stretch of one rate within a round.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: u64,
    rate: u64,
    /// Work that the round can do before it: bits per second times picoseconds.
    before: u128,
}

/// A transmitter whose rate is a step function of time. Its account is exact: what rounding to a
/// picosecond leaves of a packet is done with the next.
#[derive(Clone, Debug)]
pub struct Steps {
    pieces: Vec<Piece>,
    period: u64,
    /// Work of a whole round.
    round: u128,
    nominal: Rate,
    remainder: u128,
    window: (Time, Time),
    used: u128,
}

impl Algorithm for Steps {
    type Config = StepsConfig;
    type Site = Site;
    const ABOUT: About = About {
        name: "steps",
        title: "Steps of rate",
        idea: "The rate changes at given times, once or periodically; a rate of zero is an outage.",
        equations: "W(t) = integral of rate from 0 to t\n\
                    finish = the first t with W(t) >= W(start) + wire_bytes * 8\n\
                    nominal rate = W(period) / period; without a period the last rate",
        sources: &["Fluid service with a time-varying rate: Chang, Performance Guarantees in \
            Communication Networks"],
        provenance: Provenance::Recollection,
        ..About::PLAIN
    };
    fn new(config: &StepsConfig, _: &Site) -> Self {
        let pieces = Steps::work(config);
        let endless = config.period == Span::ZERO;
        let period = if endless { u64::MAX } else { config.period.ps() };
        let last = pieces[pieces.len() - 1];
        let round = last.before + u128::from(period - last.from) * u128::from(last.rate);
        let mean = (round + u128::from(period / 2)) / u128::from(period);
        let nominal = Rate::from_bps(if endless { last.rate } else { mean.max(1) as u64 });
        Steps {
            pieces,
            period,
            round,
            nominal,
            remainder: 0,
            window: (Time::ZERO, Time::ZERO),
            used: 0,
        }
    }
}

impl Steps {
    fn work(config: &StepsConfig) -> Vec<Piece> {
        let mut before = 0;
        let mut pieces: Vec<Piece> = Vec::with_capacity(config.steps.len());
        for (at, rate) in &config.steps {
            if let Some(p) = pieces.last() {
                before += u128::from(at.ps() - p.from) * u128::from(p.rate);
            }
            pieces.push(Piece { from: at.ps(), rate: rate.0.bps(), before });
        }
        pieces
    }

    /// W(t).
    fn done_by(&self, t: Time) -> u128 {
        let (rounds, within) = (t.ps() / self.period, t.ps() % self.period);
        let piece = self.pieces[self.pieces.partition_point(|p| p.from <= within) - 1];
        u128::from(rounds) * self.round
            + piece.before
            + u128::from(within - piece.from) * u128::from(piece.rate)
    }

    /// The last picosecond by which no more than `work`, which is above zero, is done, but not in
    /// an outage after that; and what is left to do then.
    fn when(&self, work: u128) -> (Time, u128) {
        let rounds = (work - 1) / self.round;
        let within = work - rounds * self.round;
        let piece = self.pieces[self.pieces.partition_point(|p| p.before < within) - 1];
        let rest = within - piece.before;
        let rate = u128::from(piece.rate);
        let ps = rounds * u128::from(self.period) + u128::from(piece.from) + rest / rate;
        (u64::try_from(ps).map_or(LATEST, |ps| Time::from_ps(ps).min(LATEST)), rest % rate)
    }
}

impl Service for Steps {
    fn finish(&mut self, _arrived: Time, start: Time, wire_bytes: u32) -> Transmitted {
        let work = u128::from(wire_bytes) * PER_BYTE + self.remainder;
        let (done, left) = self.when(self.done_by(start) + work);
        let done = done.max(start);
        self.remainder = left;
        let (from, to) = (start.max(self.window.0), done.min(self.window.1));
        if from < to {
            self.used += self.done_by(to) - self.done_by(from);
        }
        Transmitted::sent(done)
    }
    fn rate(&self) -> Rate {
        self.nominal
    }
    fn outages(&self, until: Time) -> Vec<(Time, Time)> {
        let mut out: Vec<(Time, Time)> = Vec::new();
        let mut round = 0u64;
        // The last one may go on in the next round, which so is looked at, too.
        while self.pieces.iter().any(|piece| piece.rate == 0) {
            let ends = self.pieces.iter().skip(1).map(|p| p.from).chain([self.period]);
            for (piece, end) in self.pieces.iter().zip(ends).filter(|(piece, _)| piece.rate == 0) {
                let (from, to) =
                    (Time::from_ps(round + piece.from), Time::from_ps(round.saturating_add(end)));
                match out.last_mut() {
                    Some((_, last)) if *last == from => *last = to,
                    _ if from <= until => out.push((from, to)),
                    _ => return out,
                }
            }
            match round.checked_add(self.period) {
                Some(next) if self.period < u64::MAX => round = next,
                _ => break,
            }
        }
        out
    }
    fn watch(&mut self, from: Time, to: Time) {
        self.window = (from, to);
    }
    fn utilization(&self) -> Option<f64> {
        let offered = self.done_by(self.window.1) - self.done_by(self.window.0);
        Some(if offered == 0 { 0.0 } else { self.used as f64 / offered as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::catalogue::read;
    use dumbbell_core::testing::site;
    use dumbbell_core::units::Transmitter;
    use serde_json::json;

    fn steps(config: serde_json::Value) -> Steps {
        Steps::new(&read(&config).unwrap(), &site(1))
    }

    fn us(at: u64) -> Time {
        Time::ZERO + Span::from_us(at)
    }

    /// 8 Mbps is a byte a microsecond: the times can be read off.
    #[test]
    fn packets_leave_when_the_integral_of_the_rate_says() {
        let mut s = steps(json!({
            "steps": [["0 s", "8 Mbps"], ["2 ms", "0 bps"], ["5 ms", "4 Mbps"]], "period": "10 ms"
        }));
        assert_eq!(s.rate(), Rate::from_bps(3_600_000));
        assert_eq!(s.finish(us(0), us(0), 1500).done, us(1500));
        assert_eq!(s.finish(us(0), us(1500), 500).done, us(2000), "done just as the outage begins");
        assert_eq!(
            s.finish(us(0), us(2000), 1000).done,
            us(7000),
            "waits until 5 ms, then half as \
            fast"
        );
        assert_eq!(
            s.finish(us(0), us(7000), 2000).done,
            us(10_500),
            "1500 until 10 ms, 500 at the \
            full rate again"
        );
        assert_eq!(
            s.finish(us(30_000), us(30_000), 5500).done,
            us(41_000),
            "a round is 4500 bytes"
        );
        assert_eq!(s.finish(us(43_000), us(43_000), 100).done, us(45_200), "came in an outage");
    }

    #[test]
    fn one_rate_is_a_transmitter() {
        for bps in [8_000_000, 7_000_003, 999_983] {
            let mut s = steps(json!({ "steps": [["0 s", format!("{bps} bps")]], "period": "0 s" }));
            let mut t = Transmitter::new(Rate::from_bps(bps));
            let mut at = Time::ZERO;
            for i in 0..5_000u32 {
                let start = at + Span::from_us(u64::from(i % 3) * 500);
                let bytes = 40 + i * 37 % 1461;
                at = t.finish(start, start, bytes).done;
                assert_eq!(s.finish(start, start, bytes), Transmitted::sent(at));
            }
            assert_eq!(s.rate(), t.rate());
        }
    }

    /// One across the end of a round is one, and is told with its whole length.
    #[test]
    fn tells_its_outages() {
        let ms = |at: u64| us(1_000 * at);
        let s = steps(json!({
            "steps": [["0 s", "0 bps"], ["2 ms", "8 Mbps"], ["6 ms", "0 bps"]],
            "period": "10 ms",
        }));
        assert_eq!(s.outages(ms(17)), [(ms(0), ms(2)), (ms(6), ms(12)), (ms(16), ms(22))]);
        let once = json!({ "steps": [["0 s", "8 Mbps"], ["2 ms", "0 bps"], ["3 ms", "0 bps"], ["5 \
            ms", "1 \
            bps"]],
            "period": "0 s" });
        assert_eq!(steps(once).outages(ms(1_000)), [(ms(2), ms(5))]);
    }

    #[test]
    fn utilization_is_bits_sent_over_bits_offered() {
        let mut s = steps(json!({ "steps": [["0 s", "8 Mbps"], ["2 ms", "2 Mbps"]], "period": "4 \
            ms" }));
        s.watch(us(1000), us(6000));
        // Offered: 1000 B, 500 B, 2000 B. Sent: 500 of the first 1500, and then 750 of 1000.
        s.finish(us(0), us(0), 1500);
        assert_eq!(s.utilization(), Some(500.0 / 3500.0));
        s.finish(us(5250), us(5250), 1000);
        assert_eq!(s.utilization(), Some(1250.0 / 3500.0));
    }

    #[test]
    fn refuses_steps_that_lead_nowhere() {
        let at = |config: serde_json::Value| read::<StepsConfig>(&config).unwrap_err().at;
        assert_eq!(at(json!({ "steps": [] })), "steps");
        assert_eq!(at(json!({ "steps": [["1 s", "1 Mbps"]] })), "steps[0]");
        assert_eq!(at(json!({ "steps": [["0 s", "1 Mbps"], ["0 s", "2 Mbps"]] })), "steps[1]");
        assert_eq!(at(json!({ "steps": [["0 s", "0 bps"]] })), "steps");
        assert_eq!(
            at(json!({ "steps": [["0 s", "1 Mbps"], ["1 s", "0 Mbps"]], "period": "0 s" })),
            "steps"
        );
        assert_eq!(
            at(json!({ "steps": [["0 s", "1 Mbps"], ["1 s", "2 Mbps"]], "period": "1 s" })),
            "period"
        );
        assert_eq!(at(json!({ "steps": [["0 s", "0 mbps"]] })), "steps[0][1]");
        assert_eq!(at(json!({ "steps": [["0 s", "0"]] })), "steps[0][1]");
    }

    #[test]
    fn the_end_of_the_clock_is_reached_in_order() {
        let mut s = steps(json!({ "steps": [["0 s", "1 bps"]], "period": "0 s" }));
        let mut last = Time::ZERO;
        for _ in 0..3_000 {
            let done = s.finish(Time::ZERO, last, 1500).done;
            assert!(done >= last && done <= LATEST);
            last = done;
        }
        assert_eq!(last, LATEST);
    }
}
