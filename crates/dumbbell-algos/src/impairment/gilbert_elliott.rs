//! Loss in bursts: a channel that is good or bad, as a Markov chain with a step for each packet
//! (Gilbert, BSTJ 39, 1960; Elliott, BSTJ 42, 1963), with a step each so many milliseconds, or in
//! continuous time.
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::config;

/// Parameters of [`GilbertElliott`].
#[config]
pub struct GilbertElliottConfig {
    /// Probability that a good channel turns bad after a step: `p`.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "ours: bad bursts 110 packets apart"),
    )]
    #[config(default = 0.01)]
    pub to_bad: f64,
    /// Probability that a bad channel turns good after a step: `r`. A bad burst has `1 / to_good`
    /// steps.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "ours: bad bursts of 10 packets"))]
    #[config(default = 0.1)]
    pub to_good: f64,
    /// Probability of loss while bad: `1 - h`.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "tc-netem(8), loss gemodel: 1-h is 100 %"),
    )]
    #[config(default = 1.0)]
    pub loss_bad: f64,
    /// Probability of loss while good: `1 - k`.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "tc-netem(8), loss gemodel: 1-k is 0"),
    )]
    #[config(default = 0.0)]
    pub loss_good: f64,
    /// Period of the steps, whether packets come or not; 0 s: a step for each packet.
    #[schemars(extend("x-source" = "Gilbert 1960: a step for each digit that is sent"))]
    #[config(default = Span::ZERO)]
    pub every: Span,
    /// Mean time that the channel stays good, exponentially distributed, instead of steps; 0 s:
    /// steps.
    #[schemars(extend("x-source" = "Gilbert 1960: steps"))]
    #[config(default = Span::ZERO)]
    pub mean_good: Span,
    /// Mean time that the channel stays bad; 0 s: steps.
    #[schemars(extend("x-source" = "Gilbert 1960: steps"))]
    #[config(default = Span::ZERO)]
    pub mean_bad: Span,
}

impl Config for GilbertElliottConfig {
    fn check(&self) -> Result<(), Fault> {
        for (name, mean, other) in
            [("mean_good", self.mean_good, "mean_bad"), ("mean_bad", self.mean_bad, "mean_good")]
        {
            if mean == Span::ZERO && self.mean_good + self.mean_bad > Span::ZERO {
                let cause = format!(
                    "`{other}` is written, and the channel stays for no time in \
                    its other state"
                );
                return Err(Fault::at(name, cause).fix(format!(
                    "write {name} = \"100 ms\", or leave \
                    both out"
                )));
            }
        }
        if self.every > Span::ZERO && self.mean_good > Span::ZERO {
            let cause = "the channel changes in steps, or after times of its own, not both";
            return Err(Fault::at("every", cause).fix(
                "leave out `every`, or `mean_good` and \
                `mean_bad`",
            ));
        }
        Ok(())
    }
}

/// The event that makes the channel change.
#[derive(Clone, Copy, Debug)]
enum Pace {
    /// Each packet.
    Packet,
    /// Each multiple of a time, picoseconds.
    Every(u64),
    /// Chance at any time: rates at which it becomes bad and good, per second.
    Anytime(f64, f64),
}

/// A channel with two states. It is good for the first packet, or at the start of the run.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    config: GilbertElliottConfig,
    pace: Pace,
    bad: bool,
    /// The time at which its state was drawn last, if time makes it change.
    last: Time,
}

impl Algorithm for GilbertElliott {
    type Config = GilbertElliottConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "gilbert_elliott",
        title: "Gilbert-Elliott loss",
        idea: "The channel is good or bad for a while, and loses packets by its state: losses come \
            in bursts.",
        equations: "good -> bad with p = to_bad,  bad -> good with r = to_good,  one step for each \
            packet\nP(lost) = (p loss_bad + r loss_good) / (p + r),  bad bursts of 1 / r \
            packets\nb = p / (p + r);  k steps later  P(bad) = b + ([bad before] - b) (1 - p - \
            r)^k\nevery: one step per `every`;  bad bursts of every / r on average\nmeans: p \
            = 1 \
            / mean_good, r = 1 / mean_bad per second;  time t later\nP(bad) = b + ([bad before] - \
            b) e^(-(p + r) t)",
        sources: &[
            "Gilbert: Capacity of a burst-noise channel, BSTJ 39, 1960",
            "Elliott: Estimates of error rates for codes on burst-noise channels, BSTJ 42, 1963",
            "tc-netem(8), loss gemodel",
        ],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &GilbertElliottConfig, (): &()) -> Self {
        let pace = match (config.every, config.mean_good) {
            (Span::ZERO, Span::ZERO) => Pace::Packet,
            (every, Span::ZERO) => Pace::Every(every.ps()),
            (_, good) => Pace::Anytime(1.0 / good.seconds(), 1.0 / config.mean_bad.seconds()),
        };
        GilbertElliott { config: config.clone(), pace, bad: false, last: Time::ZERO }
    }
}

impl GilbertElliott {
    /// The state at `now`, where time makes it change: how much is left of the state before, and
    /// what it tends to.
    fn catch_up(&mut self, now: Time, rng: &mut Stream) {
        let (p, r, left) = match self.pace {
            Pace::Packet => return,
            Pace::Every(every) => {
                let steps = (now.ps() / every).saturating_sub(self.last.ps() / every);
                let (p, r) = (self.config.to_bad, self.config.to_good);
                (p, r, libm::pow(1.0 - p - r, steps as f64))
            }
            Pace::Anytime(p, r) => {
                let passed = now.max(self.last).since(self.last).seconds();
                (p, r, libm::exp(-(p + r) * passed))
            }
        };
        self.last = self.last.max(now);
        if p + r > 0.0 {
            let (tends, was) = (p / (p + r), f64::from(u8::from(self.bad)));
            self.bad = rng.coin(tends + (was - tends) * left);
        }
    }
}

impl Impairment for GilbertElliott {
    fn effect(&mut self, now: Time, rng: &mut Stream, _: &Meta) -> WireEffect {
        self.catch_up(now, rng);
        let c = &self.config;
        let (loss, change) =
            if self.bad { (c.loss_bad, c.to_good) } else { (c.loss_good, c.to_bad) };
        let lost = rng.coin(loss);
        if let Pace::Packet = self.pace {
            self.bad ^= rng.coin(change);
        }
        if lost { WireEffect::Lost } else { WireEffect::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(config: GilbertElliottConfig, n: usize) -> Vec<bool> {
        spaced(config, n, Span::ZERO)
    }

    /// The losses of packets that come each `gap`.
    fn spaced(config: GilbertElliottConfig, n: usize, gap: Span) -> Vec<bool> {
        let (mut channel, mut rng) =
            (GilbertElliott::new(&config, &()), Stream::named(6, "gilbert"));
        let at = |i: usize| Time::ZERO + gap * i as u64;
        (0..n)
            .map(|i| channel.effect(at(i), &mut rng, &Meta::default()) == WireEffect::Lost)
            .collect()
    }

    /// The lengths of bursts of losses, compared with a geometric law with the mean 1 / (1 - stay).
    fn are_geometric(lost: &[bool], stay: f64) {
        let bursts: Vec<usize> =
            lost.chunk_by(|a, b| a == b).filter(|c| c[0]).map(<[bool]>::len).collect();
        let n = bursts.len() as f64;
        for k in [1, 5, 10, 30] {
            let (seen, law) =
                (bursts.iter().filter(|b| **b > k).count() as f64 / n, libm::pow(stay, k as f64));
            assert!(
                (seen - law).abs() < 4.4 * (law * (1.0 - law) / n).sqrt(),
                "beyond {k}: \
                {seen}, {law}"
            );
        }
    }

    /// Mean over 100 batches, within 4.4 standard errors of the law.
    fn agrees(lost: &[bool], law: f64) -> bool {
        let batch = lost.len() / 100;
        let means: Vec<f64> = lost
            .chunks(batch)
            .map(|c| c.iter().filter(|l| **l).count() as f64 / batch as f64)
            .collect();
        let mean = means.iter().sum::<f64>() / 100.0;
        let error =
            (means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / 99.0 / 100.0).sqrt();
        error < 0.02 * law && (mean - law).abs() < 4.4 * error
    }

    /// p = 0.01, r = 0.1, all lost while bad: mean loss 1/11, bursts geometric with mean 10.
    #[test]
    fn losses_come_in_geometric_bursts() {
        let lost = losses(GilbertElliottConfig::default(), 1_000_000);
        assert!(agrees(&lost, 1.0 / 11.0));
        are_geometric(&lost, 0.9);
    }

    /// A packet for each step is the chain with a step for each packet. With a packet each third
    /// step bursts are geometric in packets with what three steps leave: P(bad | bad) = b + (1 - b)
    /// 0.89^3, and the mean loss stays.
    #[test]
    fn steps_pass_without_packets() {
        let slots =
            GilbertElliottConfig { every: Span::from_ms(10), ..GilbertElliottConfig::default() };
        let b: f64 = 1.0 / 11.0;
        for (gap, stay) in [(10, 0.9), (30, b + (1.0 - b) * libm::pow(0.89, 3.0))] {
            let lost = spaced(slots.clone(), 1_000_000, Span::from_ms(gap));
            assert!(agrees(&lost, b), "{gap} ms");
            are_geometric(&lost, stay);
        }
        // Within one step nothing changes.
        let within = spaced(slots, 100_000, Span::from_us(100));
        assert!(within.chunks(100).all(|step| step.iter().all(|l| *l == step[0])));
    }

    /// Good for 1 s and bad for 100 ms in the mean: 1/11 of packets are lost, and of two 20 ms
    /// apart the second is bad after a bad first with b + (1 - b) e^(-11 x 0.02). Seen every
    /// millisecond, the bad times are 100 ms long in the mean.
    #[test]
    fn sojourns_are_exponential() {
        let (mean_good, mean_bad) = (Span::from_secs(1), Span::from_ms(100));
        let config =
            GilbertElliottConfig { mean_good, mean_bad, ..GilbertElliottConfig::default() };
        let b: f64 = 1.0 / 11.0;
        let lost = spaced(config.clone(), 1_000_000, Span::from_ms(20));
        assert!(agrees(&lost, b));
        are_geometric(&lost, b + (1.0 - b) * libm::exp(-0.22));
        let fine = spaced(config, 2_000_000, Span::from_ms(1));
        let bursts: Vec<f64> =
            fine.chunk_by(|a, b| a == b).filter(|c| c[0]).map(|c| c.len() as f64).collect();
        let (n, mean) = (bursts.len() as f64, bursts.iter().sum::<f64>() / bursts.len() as f64);
        let law = 1.0 / (1.0 - (b + (1.0 - b) * libm::exp(-0.011)));
        assert!((mean - law).abs() < 4.4 * law / n.sqrt(), "{mean} {law}");
    }

    #[test]
    fn refuses_half_a_time() {
        use dumbbell_core::catalogue::read;
        use serde_json::json;
        let at = |v| read::<GilbertElliottConfig>(&v).unwrap_err().at;
        assert_eq!(at(json!({ "mean_good": "1 s" })), "mean_bad");
        assert_eq!(at(json!({ "mean_bad": "1 s" })), "mean_good");
        assert_eq!(at(json!({ "mean_bad": "1 s", "mean_good": "1 s", "every": "1 ms" })), "every");
        assert_eq!(at(json!({ "to_bad": 1.5 })), "to_bad");
    }

    #[test]
    fn the_mean_is_that_of_both_states() {
        let config = GilbertElliottConfig {
            to_bad: 0.05,
            to_good: 0.2,
            loss_bad: 0.6,
            loss_good: 0.02,
            ..GilbertElliottConfig::default()
        };
        assert!(agrees(&losses(config, 1_000_000), (0.05 * 0.6 + 0.2 * 0.02) / 0.25));
    }

    #[test]
    fn the_first_packet_meets_a_good_channel() {
        let stuck =
            GilbertElliottConfig { to_bad: 1.0, to_good: 0.0, ..GilbertElliottConfig::default() };
        assert_eq!(losses(stuck, 4), [false, true, true, true]);
    }
}
