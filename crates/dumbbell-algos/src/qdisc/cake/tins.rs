//! CAKE's tins: classes by codepoint, each with a threshold of bandwidth up to which it goes before
//! the next.
use dumbbell_core::units::{Rate, Span, Time};
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
    /// Network control (CS7, CS6), minimum latency (CS5, CS4, EF, VA), shells (CS2), transactions
    /// (AF2x, 4), video (AF4x, AF3x, CS3), the rest, high throughput (AF1x, CS1, 2), background
    /// (LE).
    Diffserv8,
    /// The eight values of the first three bits (RFC 791), the highest first.
    Precedence,
}

/// A tin: its threshold is `part / of` of the bandwidth.
#[derive(Clone, Copy, Debug)]
pub struct TinClass {
    /// The share of the bandwidth up to which it goes before the next tins.
    pub share: Share,
    codepoints: &'static [u8],
}

/// A fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The numerator.
    pub part: u32,
    /// The denominator.
    pub of: u32,
}

impl Share {
    /// The time that `bytes` take at this share of `rate`, to the nearest picosecond.
    fn span_of(self, bytes: u32, rate: Rate) -> Span {
        const PS_IN_BYTE_AT_1_BPS: u128 = 8_000_000_000_000;
        let bps = u128::from(rate.bps().max(1)) * u128::from(self.part);
        let work = u128::from(bytes) * u128::from(self.of) * PS_IN_BYTE_AT_1_BPS;
        let ps = (work + bps / 2) / bps;
        Span::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}

const fn tin(divisor: u32, codepoints: &'static [u8]) -> TinClass {
    TinClass { share: Share { part: 1, of: divisor }, codepoints }
}

/// The tin with `below` tins under it: its threshold is 7/8 of that of the next lower one.
const fn eighths(below: u32, codepoints: &'static [u8]) -> TinClass {
    TinClass { share: Share { part: 7_u32.pow(below), of: 8_u32.pow(below) }, codepoints }
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
        const EIGHT: [TinClass; 8] = [
            eighths(7, &[56, 48]),
            eighths(6, &[46, 44, 40, 32]),
            eighths(5, &[16]),
            eighths(4, &[22, 20, 18, 4]),
            eighths(3, &[38, 36, 34, 30, 28, 26, 24]),
            eighths(2, &[]),
            eighths(1, &[14, 12, 10, 8, 2]),
            eighths(0, &[1]),
        ];
        const PRECEDENCE: [TinClass; 8] = [
            eighths(7, &[]),
            eighths(6, &[]),
            eighths(5, &[]),
            eighths(4, &[]),
            eighths(3, &[]),
            eighths(2, &[]),
            eighths(1, &[]),
            eighths(0, &[]),
        ];
        match self {
            DiffServ::Besteffort => &[BEST_EFFORT],
            DiffServ::Diffserv3 => &THREE,
            DiffServ::Diffserv4 => &FOUR,
            DiffServ::Diffserv8 => &EIGHT,
            DiffServ::Precedence => &PRECEDENCE,
        }
    }

    /// The tin of codepoints that no tin names.
    fn rest(self) -> usize {
        match self {
            DiffServ::Diffserv8 => 5,
            _ => self.tins().len() - 1,
        }
    }

    /// The tin of each of the 64 codepoints.
    pub fn by_codepoint(self) -> [u8; 64] {
        if self == DiffServ::Precedence {
            return std::array::from_fn(|codepoint| 7 - (codepoint >> 3) as u8);
        }
        let mut of = [self.rest() as u8; 64];
        for (i, tin) in self.tins().iter().enumerate() {
            tin.codepoints.iter().for_each(|codepoint| of[usize::from(*codepoint)] = i as u8);
        }
        of
    }
}

/// The virtual clock that compares what a tin sends with its threshold.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    share: Share,
    /// The time at which a tin that sent at its threshold would send its next packet.
    clock: Time,
}

impl Threshold {
    /// A clock that has not begun.
    pub fn new(share: Share) -> Self {
        Threshold { share, clock: Time::ZERO }
    }

    /// A packet comes to the empty tin: it saves up nothing while it is empty.
    pub fn begins(&mut self, now: Time) {
        self.clock = self.clock.max(now);
    }

    /// The tin sends `bytes` of a bandwidth of `rate`. What it sends beyond its threshold, because
    /// no other tin had a better claim, counts as one packet at most.
    pub fn sends(&mut self, now: Time, bytes: u32, rate: Rate) {
        self.clock = self.clock.min(now) + self.share.span_of(bytes, rate);
    }

    /// True if the tin is below its threshold.
    pub fn is_below(&self, now: Time) -> bool {
        self.share.part == self.share.of || self.clock <= now
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
