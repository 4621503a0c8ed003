//! CAKE's tins: classes by codepoint, each with a threshold of bandwidth up to which it goes before
//! the next.
use dumbbell_core::units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How codepoints are divided into tins (tc-cake(8)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiffServ {
    /// One tin for all.
    Besteffort,
    /// Voice (CS7, CS6, EF, VA, 4), bulk (CS1, LE), best effort.
    #[default]
    Diffserv3,
    /// Voice (CS7, CS6, EF, VA, CS5, CS4), video (AF4x, AF3x, CS3, AF2x, CS2, 4), bulk (CS1, LE),
    /// best effort.
    Diffserv4,
}

/// A tin: its threshold is `1 / divisor` of the bandwidth.
#[derive(Clone, Copy, Debug)]
pub struct TinClass {
    /// The whole bandwidth in units of the threshold.
    pub divisor: u32,
    codepoints: &'static [u8],
}

const fn tin(divisor: u32, codepoints: &'static [u8]) -> TinClass {
    TinClass { divisor, codepoints }
}

const BULK: TinClass = tin(16, &[8, 1]);
/// The rest. Its threshold is the whole bandwidth: were it not the last, those behind it would
/// starve.
const BEST_EFFORT: TinClass = tin(1, &[]);

impl DiffServ {
    /// The tins, the one that goes first in front.
    pub fn tins(self) -> &'static [TinClass] {
        const THREE: [TinClass; 3] = [tin(4, &[56, 48, 46, 44, 4]), BULK, BEST_EFFORT];
        const FOUR: [TinClass; 4] = [
            tin(4, &[56, 48, 46, 44, 40, 32]),
            tin(2, &[38, 36, 34, 30, 28, 26, 24, 22, 20, 18, 16, 4]),
            BULK,
            BEST_EFFORT,
        ];
        match self {
            DiffServ::Besteffort => &[BEST_EFFORT],
            DiffServ::Diffserv3 => &THREE,
            DiffServ::Diffserv4 => &FOUR,
        }
    }

    /// The tin of each of the 64 codepoints.
    pub fn by_codepoint(self) -> [u8; 64] {
        let tins = self.tins();
        let mut of = [tins.len() as u8 - 1; 64];
        for (i, tin) in tins.iter().enumerate() {
            tin.codepoints.iter().for_each(|codepoint| of[usize::from(*codepoint)] = i as u8);
        }
        of
    }
}

/// The virtual clock that compares what a tin sends with its threshold.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    divisor: u32,
    /// The time at which a tin that sent at its threshold would send its next packet.
    clock: Time,
}

impl Threshold {
    /// A clock that has not begun.
    pub fn new(divisor: u32) -> Self {
        Threshold { divisor, clock: Time::ZERO }
    }

    /// A packet comes to the empty tin: it saves up nothing while it is empty.
    pub fn begins(&mut self, now: Time) {
        self.clock = self.clock.max(now);
    }

    /// The tin sends `bytes` of a bandwidth of `rate`. What it sends beyond its threshold, because
    /// no other tin had a better claim, counts as one packet at most.
    pub fn sends(&mut self, now: Time, bytes: u32, rate: Rate) {
        let span = rate.span_of(u64::from(bytes) * u64::from(self.divisor));
        self.clock = self.clock.min(now) + span;
    }

    /// True if the tin is below its threshold.
    pub fn is_below(&self, now: Time) -> bool {
        self.divisor == 1 || self.clock <= now
    }
}

/// Of the tins that hold packets, in the order of their priority, the one that sends: the first
/// below its threshold; if none is, the one that will be next.
pub fn choose<'a>(now: Time, tins: impl Iterator<Item = (usize, &'a Threshold)>) -> Option<usize> {
    let mut next: Option<(usize, Time)> = None;
    for (tin, threshold) in tins {
        if threshold.is_below(now) {
            return Some(tin);
        }
        if next.is_none_or(|(_, clock)| threshold.clock < clock) {
            next = Some((tin, threshold.clock));
        }
    }
    next.map(|(tin, _)| tin)
}
