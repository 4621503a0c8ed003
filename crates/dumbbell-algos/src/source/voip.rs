//! Voice over RTP: packets of encoded speech at even intervals while somebody talks.
//!
//! The coder's clock never stops, so every packet lies on its grid. A spurt or silence that lasts X
//! takes ceil(X / interval) packets of the grid: of an exponential X that is a geometric number,
//! and talker and listener are a Markov chain of two states (P. T. Brady, A model for generating
//! on-off speech patterns in two-way conversation, BSTJ 48(7), 1969, seen from one party). A call
//! begins in the middle of a conversation, in the chain's stationary state.
use super::cbr::MAX_DATAGRAM;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Equipment, Source, Voice};
use dumbbell_core::units::{Bytes, Span, Time};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A coder of speech, and its usual packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Codec {
    /// G.711, 64 kbps: 160 B every 20 ms.
    #[default]
    G711,
    /// G.729 Annex A, 8 kbps: 20 B every 20 ms (two frames of 10 ms).
    G729,
    /// G.723.1, 6.3 kbps: 24 B every 30 ms.
    G723,
    /// Opus at 24 kbps: 60 B every 20 ms. The E-model of G.107 has no place for it.
    Opus,
}

impl Codec {
    /// Payload and interval of one packet (RFC 3551 table 1, section 4.5; Opus: RFC 6716 section
    /// 2.1), speech that it looks ahead, and its place in the E-model: G.113 Appendix I, G.711 with
    /// the concealment of its Appendix I, the others with silence suppression.
    fn voice(self) -> Voice {
        let (bytes, interval_us, look_ahead_us, place) = match self {
            Codec::G711 => (160, 20_000, 0, Some((0.0, 25.1))),
            Codec::G729 => (20, 20_000, 5_000, Some((11.0, 19.0))),
            Codec::G723 => (24, 30_000, 7_500, Some((15.0, 16.1))),
            Codec::Opus => (60, 20_000, 6_500, None),
        };
        Voice {
            interval: Span::from_us(interval_us),
            payload: Bytes(bytes),
            look_ahead: Span::from_us(look_ahead_us),
            impairment: place.map(|(ie, bpl)| Equipment { ie, bpl }),
        }
    }
}

/// Parameters of [`Voip`].
#[config]
pub struct VoipConfig {
    /// The coder, which sets the size of a packet and the time between packets.
    #[schemars(extend("x-source" = "our choice: what every telephone speaks"))]
    #[config(default = Codec::G711)]
    pub codec: Codec,
    /// Encoded speech in one packet; default the coder's.
    #[schemars(extend("x-source" = "RFC 3551 table 1"))]
    pub payload: Option<Bytes>,
    /// Time between packets; default the coder's.
    #[schemars(extend("x-source" = "RFC 3551 table 1"))]
    pub interval: Option<Span>,
    /// RTP's header; 22 B with the tag of SRTP.
    #[schemars(range(min = 12), extend("x-source" = "RFC 3550 section 5.1"))]
    #[config(default = Bytes(12))]
    pub header: Bytes,
    /// Whether nothing is sent in silences.
    #[schemars(extend("x-source" = "RFC 3551 section 4.1"))]
    #[config(default = true)]
    pub silence_suppression: bool,
    /// Mean length of a talk spurt.
    #[schemars(extend("x-source" = "ITU-T P.59 1.004 s"))]
    #[config(default = Span::from_ms(1004))]
    pub talk_mean: Span,
    /// Mean length of a silence.
    #[schemars(extend("x-source" = "ITU-T P.59 1.587 s"))]
    #[config(default = Span::from_ms(1587))]
    pub silence_mean: Span,
}

impl VoipConfig {
    fn resolved(&self) -> Voice {
        let usual = self.codec.voice();
        Voice {
            payload: self.payload.unwrap_or(usual.payload),
            interval: self.interval.unwrap_or(usual.interval),
            ..usual
        }
    }
}

impl Config for VoipConfig {
    fn check(&self) -> Result<(), Fault> {
        let Voice { payload, interval, .. } = self.resolved();
        if payload.0 == 0 || payload.0.saturating_add(self.header.0) > MAX_DATAGRAM {
            let cause =
                format!("{payload} of speech and {} of RTP header are no datagram", self.header);
            return Err(Fault::at("payload", cause).fix("write \"160 B\""));
        }
        if interval < Span::from_us(1) {
            return Err(Fault::at("interval", "packets are at least 1 us apart").fix(
                "write \"20 \
                ms\"",
            ));
        }
        for (at, mean) in [("talk_mean", self.talk_mean), ("silence_mean", self.silence_mean)] {
            if self.silence_suppression && mean < Span::from_us(1) {
                let fault = Fault::at(at, "a mean length of less than 1 us");
                return Err(fault.fix(
                    "write \"1 s\"; for speech without silences, \
                    silence_suppression = false",
                ));
            }
        }
        Ok(())
    }
}

/// One party's voice.
#[derive(Clone, Debug)]
pub struct Voip {
    /// Apart, so that a flow with a smaller source does not pay for it.
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    voice: Voice,
    /// Payload of the datagram: header and speech.
    bytes: u64,
    /// Mean lengths of spurts and silences, in seconds; `None`: no silences.
    means: Option<(f64, f64)>,
    started: bool,
    /// Packets that the spurt still has.
    left: u64,
}

impl Inner {
    /// Packets of the grid in a period of this mean: geometric, at least one.
    fn packets(&self, mean: f64, rng: &mut Stream) -> u64 {
        (libm::ceil(rng.exponential(mean) / self.voice.interval.seconds()) as u64).max(1)
    }

    /// Intervals of the grid until the next packet, of which the spurt that has it then has one
    /// less.
    fn intervals(&mut self, rng: &mut Stream) -> u64 {
        let first = !std::mem::replace(&mut self.started, true);
        let Some((talk, silence)) = self.means else { return u64::from(!first) };
        let quiet = match (first, self.left) {
            // The share of time in spurts: a stationary talker's state; what is left of a period is
            // geometric again.
            (true, _) => {
                let mean = |m: f64| 1.0 / -libm::expm1(-self.voice.interval.seconds() / m);
                let (on, off) = (mean(talk), mean(silence));
                if rng.unit() < on / (on + off) { 0 } else { self.packets(silence, rng) }
            }
            (false, 0) => 1 + self.packets(silence, rng),
            (false, _) => {
                self.left -= 1;
                return 1;
            }
        };
        self.left = self.packets(talk, rng) - 1;
        quiet
    }
}

impl Algorithm for Voip {
    type Config = VoipConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "voip",
        title: "Voice over RTP",
        idea: "Small packets of speech at even intervals; none in silences, if these are \
            suppressed.",
        equations: "UDP payload = header + payload, every interval while talking\npackets of a \
            spurt:  P(n > k) = exp(-k interval / talk_mean)\npackets of a silence: P(n > k) = \
            exp(-k interval / silence_mean), none of them sent\nshare of time in spurts = a / (a + \
            b),  a = 1 / (1 - exp(-interval / talk_mean)), b likewise",
        sources: &[
            "ITU-T P.59, Artificial conversational speech, 1993",
            "P. T. Brady: A model for generating on-off speech patterns in two-way conversation, \
                BSTJ 48(7), 1969",
            "RFC 3550 section 5.1, RFC 3551 sections 4.1 and 4.5",
            "ITU-T G.113 Appendix I",
        ],
        provenance: Provenance::Reconstruction,
        ..About::PLAIN
    };
    fn new(config: &VoipConfig, (): &()) -> Self {
        let voice = config.resolved();
        let means = (config.talk_mean.seconds(), config.silence_mean.seconds());
        Voip {
            inner: Box::new(Inner {
                bytes: voice.payload.0 + config.header.0,
                voice,
                means: config.silence_suppression.then_some(means),
                started: false,
                left: 0,
            }),
        }
    }
}

impl Source for Voip {
    fn next(&mut self, _: Time, rng: &mut Stream) -> Option<Burst> {
        let intervals = self.inner.intervals(rng);
        Some(Burst::new(self.inner.voice.interval * intervals, self.inner.bytes))
    }
    fn datagrams(&self) -> bool {
        true
    }
    fn largest(&self) -> Option<u64> {
        Some(self.inner.bytes)
    }
    fn voice(&self) -> Option<Voice> {
        Some(self.inner.voice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Intervals of the grid before each of `n` packets, of a call of its own for each name.
    fn gaps(config: &VoipConfig, name: &str, n: usize) -> Vec<u64> {
        let (mut source, mut rng) = (Voip::new(config, &()), Stream::named(7, name));
        let interval = source.voice().unwrap().interval;
        let gap = |burst: Burst| {
            assert_eq!(burst.after.ps() % interval.ps(), 0, "off the grid");
            burst.after.ps() / interval.ps()
        };
        (0..n).map(|_| gap(source.next(Time::ZERO, &mut rng).unwrap())).collect()
    }

    /// RFC 3551: 64 kbps is 80 kbps with RTP, UDP and IP; 8 kbps is 24 kbps.
    #[test]
    fn without_suppression_it_is_a_constant_rate() {
        for (codec, bytes, kbps) in
            [(Codec::G711, 172, 80.0), (Codec::G729, 32, 24.0), (Codec::Opus, 72, 40.0)]
        {
            let config = VoipConfig { codec, silence_suppression: false, ..VoipConfig::default() };
            let x = gaps(&config, "always", 100);
            assert!(x[0] == 0 && x[1..].iter().all(|g| *g == 1), "{x:?}");
            let source = Voip::new(&config, &());
            let interval = source.voice().unwrap().interval.seconds();
            assert_eq!(source.largest(), Some(bytes));
            assert!(
                ((bytes + 28) as f64 * 8.0 / interval / 1000.0 - kbps).abs() < 1e-9,
                "{codec:?}"
            );
        }
    }

    /// Lengths of spurts and silences are geometric, and the share of time in spurts is that of the
    /// chain.
    #[test]
    fn spurts_and_silences_have_their_laws() {
        let config = VoipConfig {
            talk_mean: Span::from_ms(200),
            silence_mean: Span::from_ms(300),
            ..VoipConfig::default()
        };
        let x = gaps(&config, "laws", 400_000);
        let silences: Vec<u64> = x[1..].iter().filter(|g| **g > 1).map(|g| g - 1).collect();
        let mut spurts = vec![0];
        for gap in &x[1..] {
            match gap {
                1 => *spurts.last_mut().unwrap() += 1,
                _ => spurts.push(0),
            }
        }
        spurts.iter_mut().for_each(|n| *n += 1);
        for (periods, mean) in [(&spurts[1..spurts.len() - 1], 0.2), (&silences[..], 0.3)] {
            let n = periods.len() as f64;
            for k in [1, 5, 10, 30] {
                let p = libm::exp(-0.02 * k as f64 / mean);
                let seen = periods.iter().filter(|v| **v > k).count() as f64 / n;
                assert!(
                    (seen - p).abs() < 4.4 * (p * (1.0 - p) / n).sqrt(),
                    "{mean} beyond {k}: \
                    {seen} {p}"
                );
            }
        }
        // 1 / (1 - exp(-0.1)) and 1 / (1 - exp(-1/15)); the variance of a ratio of renewal rewards.
        let (a, b) = (10.508_332, 15.505_555);
        let share = x.len() as f64 / x.iter().sum::<u64>() as f64;
        assert!((share - a / (a + b)).abs() < 0.01, "{share}");
    }

    /// A call begins in the middle: at its start as many talk as at any other time (4.4 standard
    /// errors).
    #[test]
    fn a_call_begins_in_the_stationary_state() {
        let (config, n) = (VoipConfig::default(), 4000);
        let first: Vec<u64> = (0..n).map(|i| gaps(&config, &format!("call {i}"), 1)[0]).collect();
        let (a, b) = (50.701_66, 79.851_05);
        let p = a / (a + b);
        let talks = first.iter().filter(|g| **g == 0).count() as f64 / f64::from(n);
        assert!((talks - p).abs() < 4.4 * (p * (1.0 - p) / f64::from(n)).sqrt(), "{talks} {p}");
    }

    #[test]
    fn what_is_no_voice_is_refused() {
        let of = |change: fn(&mut VoipConfig)| {
            let mut config = VoipConfig::default();
            change(&mut config);
            config.check().map_err(|fault| fault.at)
        };
        assert_eq!(of(|c| c.payload = Some(Bytes(0))), Err("payload".into()));
        assert_eq!(of(|c| c.payload = Some(Bytes(65_500))), Err("payload".into()));
        assert_eq!(of(|c| c.interval = Some(Span::ZERO)), Err("interval".into()));
        assert_eq!(of(|c| c.silence_mean = Span::ZERO), Err("silence_mean".into()));
        assert_eq!(of(|c| (c.silence_mean, c.silence_suppression) = (Span::ZERO, false)), Ok(()));
    }
}
