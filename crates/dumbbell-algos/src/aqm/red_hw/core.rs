//! The decision core of `rtl/red/SPEC.md`, packet by packet: integers, and every bit as in the
//! hardware.
//!
//! One call stands for the hardware's work on one accepted packet in its pipeline. Between packets
//! only the draw of the paper's mode advances, one step each clock; the core gets the clock of each
//! packet and jumps.
mod decision_trace;
use super::entry::{Entry, Steps, U18, U21, U22};
pub use super::entry::{FRACTION, Region};
use super::lfsr::{self, MASK, Polynomial};

/// Queues and classes that an address of a register can name.
const QUEUES: usize = 8;
const CLASSES: usize = 4;

/// The parameters of the core, by the names of `SPEC.md` in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// `NQ`: queues, 1 to 8.
    pub queues: u8,
    /// `W`: weight of the average, 2^-w.
    pub w: u8,
    /// `PAPER`: draw and average as in the paper.
    pub paper: bool,
    /// `CONSTANT`: one probability between the thresholds.
    pub constant: bool,
    /// `GAP`: uniform gaps between drops.
    pub gap: bool,
    /// `IDLE`: decay of the average while idle.
    pub idle: bool,
    /// `CLASSES`: 1, or 4 with thresholds for each class.
    pub classes: u8,
    /// `ADAPT`: Adaptive RED.
    pub adapt: bool,
    /// `SEED`: the draw's first state.
    pub seed: u32,
    /// `DEF_MIN`: lower threshold after reset.
    pub def_min: u32,
    /// `DEF_MAX`: upper threshold after reset.
    pub def_max: u32,
    /// `DEF_SLOPE`: slope after reset; with `constant` the probability.
    pub def_slope: u32,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            queues: 8,
            w: 9,
            paper: false,
            constant: false,
            gap: false,
            idle: false,
            classes: 1,
            adapt: false,
            seed: 1,
            def_min: 6 << FRACTION,
            def_max: 12 << FRACTION,
            def_slope: 27_962,
        }
    }
}

impl Shape {
    /// `constant`, and its own default probability: 0.02.
    pub fn with_constant(self) -> Self {
        Shape { constant: true, def_slope: 41_943, ..self }
    }

    /// The bits of a slope.
    pub(crate) fn slope_bits(&self) -> u32 {
        if self.constant { U21 } else { U18 }
    }

    /// Sound mode steps it 32 times for each packet, paper mode once each clock.
    fn polynomial(&self) -> Polynomial {
        if self.paper { Polynomial::Trinomial } else { Polynomial::Dense }
    }
}

/// The tables of registers, `{table, class, queue}` of an address.
pub mod table {
    /// Lower thresholds.
    pub const MIN: u8 = 0;
    /// Upper thresholds.
    pub const MAX: u8 = 1;
    /// Slopes.
    pub const SLOPE: u8 = 2;
    /// Lower targets of Adaptive RED.
    pub const LOWER: u8 = 3;
    /// Upper targets.
    pub const UPPER: u8 = 4;
    /// Registers of the whole core.
    pub const CORE: u8 = 7;
}

/// The registers of [`table::CORE`], and the address of any.
pub mod register {
    /// Bit 0: enable.
    pub const CONTROL: u8 = address(super::table::CORE, 0, 0);
    /// The draw's state.
    pub const DRAW: u8 = address(super::table::CORE, 0, 1);
    /// Adaptive RED's step upwards.
    pub const ALPHA: u8 = address(super::table::CORE, 0, 2);
    /// Its least slope.
    pub const LEAST: u8 = address(super::table::CORE, 0, 3);
    /// Its largest slope.
    pub const LARGEST: u8 = address(super::table::CORE, 0, 4);

    /// The address of the register of a class and a queue.
    pub const fn address(table: u8, class: u8, queue: u8) -> u8 {
        table << 5 | class << 3 | queue
    }
}

/// A packet that is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The clock in which it is; counted from the reset, and never less than that of the packet
    /// before.
    pub clock: u64,
    /// Its queue.
    pub qid: u8,
    /// Packets in its queue, without it.
    pub qlen: u16,
    /// Its drop precedence, 0 to 3.
    pub class: u8,
    /// Half half-lives that its queue had been empty, at most 63.
    pub idle: u8,
    /// True if an interval of Adaptive RED ended since the packet before.
    pub tick: bool,
}

/// The core's answer for a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Its queue.
    pub qid: u8,
    /// True if it is dropped.
    pub drop: bool,
    /// The region of the average.
    pub region: Region,
    /// The average after this packet, U12.10.
    pub avg: u32,
    /// Its draw.
    pub draw: u32,
}

/// The core.
#[derive(Clone, Debug)]
pub struct Core {
    shape: Shape,
    enable: bool,
    /// The draw's state in clock `since`.
    draw: u32,
    since: u64,
    /// The averages, with W further bits in sound mode.
    acc: [u64; QUEUES],
    credit: [u32; QUEUES],
    entries: [Entry; CLASSES * QUEUES],
    steps: Steps,
}

impl Core {
    /// A core after its reset: its seed stands in clock 0.
    ///
    /// # Panics
    /// If the parameters are not those of a core: `queues` 1 to 8, `w` 1 to 20, `classes` 1 or 4,
    /// `seed` 21 bits and not 0.
    pub fn new(shape: Shape) -> Self {
        assert!((1..=8).contains(&shape.queues), "1 to 8 queues");
        assert!((1..=20).contains(&shape.w), "a weight of 2^-1 to 2^-20");
        assert!(matches!(shape.classes, 1 | 4), "1 or 4 classes");
        assert!(shape.seed != 0 && shape.seed <= MASK, "a seed of 21 bits");
        let mut core = Core {
            shape,
            enable: true,
            draw: 1,
            since: 0,
            acc: [0; QUEUES],
            credit: [0; QUEUES],
            entries: [Entry::default(); CLASSES * QUEUES],
            steps: Steps::RESET,
        };
        core.reset();
        core
    }

    /// The parameters.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Everything as after `rst`. Clocks are counted from here: the seed stands in clock 0.
    pub fn reset(&mut self) {
        self.reset_at(0);
    }

    /// As [`reset`](Self::reset), of which `next` is the first clock after: the seed stands in it.
    pub fn reset_at(&mut self, next: u64) {
        let Shape { def_min: min, def_max: max, def_slope: slope, .. } = self.shape;
        let slope = slope & self.shape.slope_bits();
        self.enable = true;
        self.draw = self.shape.seed;
        self.since = next;
        self.acc = [0; QUEUES];
        self.credit = [U21; QUEUES];
        self.entries =
            [Entry { min: min & U22, max: max & U22, slope, ..Entry::default() }; CLASSES * QUEUES];
        self.steps = Steps::RESET;
    }

    /// Writes a register. What is written to the draw stands in the clock after the last packet
    /// (after a reset, in clock 0).
    pub fn write(&mut self, addr: u8, data: u32) {
        self.write_at(self.since, addr, data);
    }

    /// As [`write`](Self::write) in clock `next - 1`: what is written to the draw stands in clock
    /// `next`.
    pub fn write_at(&mut self, next: u64, addr: u8, data: u32) {
        let slope_bits = self.shape.slope_bits();
        let (class, queue) = (addr >> 3 & 3, addr & 7);
        if addr >> 5 == table::CORE {
            return match addr {
                register::CONTROL => self.enable = data & 1 == 1,
                register::DRAW => (self.draw, self.since) = (lfsr::state(data), next),
                register::ALPHA => self.steps.alpha = data & U18,
                register::LEAST => self.steps.least = data & U18,
                register::LARGEST => self.steps.largest = data & U18,
                _ => {}
            };
        }
        if class >= self.shape.classes || queue >= self.shape.queues {
            return;
        }
        let entry = &mut self.entries[entry(class, queue)];
        match addr >> 5 {
            table::MIN => entry.min = data & U22,
            table::MAX => entry.max = data & U22,
            table::SLOPE => entry.slope = data & slope_bits,
            table::LOWER => entry.lower = data & U22,
            table::UPPER => entry.upper = data & U22,
            _ => {}
        }
    }

    /// The decision for a packet.
    #[inline]
    pub fn decide(&mut self, packet: Arrival) -> Decision {
        debug_assert!(packet.qid < self.shape.queues && packet.qlen < 1 << 12, "{packet:?}");
        let qid = packet.qid & 7;
        let class = if self.shape.classes == 4 { packet.class & 3 } else { 0 };
        if packet.tick && self.shape.adapt {
            self.entries.iter_mut().for_each(|entry| entry.due = true);
        }
        let avg = self.average(usize::from(qid), packet);
        let draw = self.draw_at(packet.clock);
        let e = entry(class, qid);
        let entry = &self.entries[e];
        let (region, p) = (self.region(entry, avg), entry.probability(avg, self.shape.constant));
        let hit = self.hit(usize::from(qid), region, draw, p);
        if self.shape.adapt && self.entries[e].due {
            self.entries[e].adapt(avg, &self.steps, self.shape.slope_bits());
        }
        let drop = region == Region::Force || (region == Region::Random && hit);
        Decision { qid, drop, region, avg, draw }
    }

    /// Idle decay, then the average.
    #[inline]
    fn average(&mut self, k: usize, packet: Arrival) -> u32 {
        let mut acc = self.acc[k];
        if self.shape.idle && packet.idle > 0 {
            acc >>= packet.idle >> 1 & 31;
            if packet.idle & 1 == 1 {
                acc -= acc >> 2;
            }
        }
        let (q, w) = (u64::from(packet.qlen) << FRACTION, u32::from(self.shape.w));
        if self.shape.paper {
            // The difference has a sign, and is rounded down.
            acc = acc.wrapping_add_signed((q as i64 - acc as i64) >> w);
        } else {
            acc = acc - (acc >> w) + q;
        }
        self.acc[k] = acc;
        (if self.shape.paper { acc } else { acc >> w }) as u32
    }

    #[inline]
    fn draw_at(&mut self, clock: u64) -> u32 {
        if self.shape.paper {
            debug_assert!(clock >= self.since, "clock {clock} is before {}", self.since);
            let draw = self.shape.polynomial().jump(self.draw, clock.wrapping_sub(self.since));
            (self.draw, self.since) = (self.shape.polynomial().step(draw), clock + 1);
            return draw;
        }
        let draw = self.draw;
        self.draw = self.shape.polynomial().leap(draw);
        draw
    }

    /// Switched off, the core is in the queueing region at any average.
    #[inline]
    fn region(&self, entry: &Entry, avg: u32) -> Region {
        if self.enable { entry.region(avg) } else { Region::Queueing }
    }

    /// True if chance drops the packet, if it is for chance to say.
    #[inline]
    fn hit(&mut self, k: usize, region: Region, draw: u32, p: u32) -> bool {
        if !self.shape.gap {
            return draw < p;
        }
        let hit = self.credit[k] < p;
        self.credit[k] = if region != Region::Random || hit { draw } else { self.credit[k] - p };
        hit
    }

    /// The probability of a packet of this class and queue, if the average stays where it is:
    /// U0.21.
    pub fn p(&self, class: u8, qid: u8) -> u32 {
        let (entry, avg) = (&self.entries[entry(class & 3, qid & 7)], self.avg(qid));
        match self.region(entry, avg) {
            Region::Queueing => 0,
            Region::Random => entry.probability(avg, self.shape.constant),
            Region::Force => U21,
        }
    }

    /// A queue's average, U12.10.
    pub fn avg(&self, qid: u8) -> u32 {
        let acc = self.acc[usize::from(qid & 7)];
        (if self.shape.paper { acc } else { acc >> self.shape.w }) as u32
    }

    /// The slope of a class and queue.
    pub fn slope(&self, class: u8, qid: u8) -> u32 {
        self.entries[entry(class & 3, qid & 7)].slope
    }
}

#[inline]
const fn entry(class: u8, queue: u8) -> usize {
    (class as usize) << 3 | queue as usize
}

pub use decision_trace::DecisionTrace;

#[cfg(test)]
mod tests;
