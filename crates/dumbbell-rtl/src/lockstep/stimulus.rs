//! The stimulus of a core: random packets that stay where decisions are hard.
//!
//! Averages of random queue lengths alone would stay in one region forever. So every queue is
//! steered toward a region that changes from time to time, thresholds are drawn around where the
//! average stands, and now and then registers, queue length and draw are set so that a comparison
//! is decided by its last bit ([`exact`]).
mod exact;

use crate::core_ports::Parameters;
use crate::lockstep::testbench::{Action, Packet};
use dumbbell_algos::aqm::red_hw::core::{Core, FRACTION, register, table};
use dumbbell_core::rng::{key_of, split_mix};

/// Packets between two times that all thresholds are drawn again.
const REDRAWN: u64 = 10_000;
/// Of 1024 packets, how many come after a reset or a change of registers: 1 %; and of these, one in
/// so many is a reset.
const EVENTS: u64 = 10;
const RESETS: u32 = 16;
/// Of 1024 packets, how many come right behind one of the same queue, beside those that do by
/// chance.
const BEHIND: u64 = 260;
/// Largest values: thresholds and averages, their distance, a slope, a draw.
const U22: u32 = (1 << 22) - 1;
const U18: u32 = (1 << 18) - 1;
const U21: u32 = (1 << 21) - 1;
const LONGEST: u32 = (1 << 12) - 1;

/// Random numbers that are cheap: a counter through the finaliser of SplitMix64.
#[derive(Clone, Debug)]
struct Dice(u64);

impl Dice {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        split_mix(self.0)
    }
    /// Uniform in `0..n`.
    fn below(&mut self, n: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(n)) >> 32) as u32
    }
    /// Uniform in `from..=to`.
    fn within(&mut self, from: u32, to: u32) -> u32 {
        from + self.below(to - from + 1)
    }
    /// 0 to `2^bits - 1`, each number of bits as likely as another.
    fn magnitude(&mut self, bits: u32) -> u32 {
        let bits = self.within(0, bits);
        self.below(1 << bits)
    }
    fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }
}

/// Registers of a class of a queue as they were last written.
#[derive(Clone, Copy, Debug)]
struct Thresholds {
    min: u32,
    max: u32,
}

/// A region that a queue is steered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Below,
    Between,
    Above,
}

/// The stimulus of one core.
pub struct Stimulus {
    dice: Dice,
    parameters: Parameters,
    made: u64,
    redraw_at: u64,
    last: u8,
    goals: [Goal; 8],
    thresholds: [Thresholds; 32],
    off: bool,
}

impl Stimulus {
    /// The stimulus of a seed; `part` is one of many that may be made side by side.
    pub fn new(parameters: &Parameters, seed: u64, part: u64) -> Self {
        let shape = &parameters.shape;
        let dice =
            Dice(key_of(seed, &format!("lockstep/{:?}/{}/{part}", shape, parameters.spaced)));
        let reset = Thresholds { min: shape.def_min, max: shape.def_max };
        Stimulus {
            dice,
            parameters: parameters.clone(),
            made: 0,
            redraw_at: 0,
            last: 0,
            goals: [Goal::Between; 8],
            thresholds: [reset; 32],
            off: false,
        }
    }

    /// The next actions, up to and including one packet or two; `core` is the model, which knows
    /// where averages stand.
    pub fn next(&mut self, core: &Core, out: &mut Vec<Action>) {
        if self.made == 0 {
            self.reset(out);
        }
        if self.made >= self.redraw_at {
            self.redraw_at += REDRAWN;
            self.redraw(core, out);
        }
        let r = self.dice.bits();
        if r & 1023 < EVENTS {
            self.event(core, out);
        }
        let spaced = self.parameters.spaced;
        let behind = r >> 10 & 1023 < BEHIND && !spaced;
        if behind {
            self.push(core, self.last, out);
            return;
        }
        if r >> 20 & 7 == 0 {
            let clocks =
                if r >> 23 & 63 == 0 { self.dice.within(1, 300) } else { self.dice.within(1, 8) };
            out.push(Action::Idle(clocks as u16));
        }
        if r >> 30 & 127 == 0 {
            out.push(Action::Tick);
        }
        let qid = self.dice.below(self.parameters.shape.queues.into()) as u8;
        self.push(core, qid, out);
    }

    /// One packet of a queue.
    fn push(&mut self, core: &Core, qid: u8, out: &mut Vec<Action>) {
        let r = self.dice.bits();
        // Mostly short: a long rest empties the average, and nothing would be left to decide.
        let idle = if r & 15 == 0 { self.dice.magnitude(6) as u8 } else { 0 };
        let (class, tick) = ((r >> 9 & 3) as u8, r >> 11 & 63 == 0);
        let qlen = self.qlen(core, qid, class);
        self.packet(Packet { qid, qlen, class, idle, tick }, out);
    }

    fn packet(&mut self, packet: Packet, out: &mut Vec<Action>) {
        self.last = packet.qid;
        self.made += 1;
        out.push(Action::Packet(packet));
    }

    /// A queue length that takes the average to where it should be.
    fn qlen(&mut self, core: &Core, qid: u8, class: u8) -> u16 {
        let k = usize::from(qid);
        let r = self.dice.bits();
        if r & 63 == 0 {
            self.goals[k] =
                [Goal::Below, Goal::Between, Goal::Above, Goal::Between][(r >> 6 & 3) as usize];
        }
        let Thresholds { min, max } = self.thresholds[self.entry(class, qid)];
        let target = match self.goals[k] {
            Goal::Below => min / 2,
            Goal::Between => min + (max - min) / 2,
            Goal::Above => max.saturating_add(2048).min(U22),
        };
        let avg = core.avg(qid);
        let (now, target) = (avg >> FRACTION, target >> FRACTION);
        let qlen = match r >> 8 & 15 {
            0 => self.dice.below(64),
            1 => (now + self.dice.below(3)).saturating_sub(1),
            2 => self.dice.magnitude(12),
            3 => target,
            // Uphill in steps that are not too large, downhill as fast as it goes.
            _ if now < target => target + self.dice.magnitude(10),
            _ if now > target => self.dice.below(target + 1),
            _ => target + self.dice.below(2),
        };
        qlen.min(LONGEST) as u16
    }

    fn entry(&self, class: u8, qid: u8) -> usize {
        let class = if self.parameters.shape.classes == 4 { class & 3 } else { 0 };
        usize::from(class) << 3 | usize::from(qid)
    }

    fn classes(&self) -> u8 {
        self.parameters.shape.classes
    }

    fn reset(&mut self, out: &mut Vec<Action>) {
        out.push(Action::Reset(self.dice.within(1, 3) as u8));
        let shape = &self.parameters.shape;
        self.thresholds = [Thresholds { min: shape.def_min, max: shape.def_max }; 32];
        self.off = false;
    }

    /// Thresholds of all queues and classes.
    fn redraw(&mut self, core: &Core, out: &mut Vec<Action>) {
        let mut writes = vec![(register::CONTROL, 1)];
        self.off = false;
        for qid in 0..self.parameters.shape.queues {
            for class in 0..self.classes() {
                self.around(core, class, qid, &mut writes);
            }
        }
        out.push(Action::Write(writes));
    }

    /// Something that is not a packet, for one in a hundred of them.
    fn event(&mut self, core: &Core, out: &mut Vec<Action>) {
        if self.dice.one_in(RESETS) {
            if self.dice.one_in(2) {
                out.push(Action::Idle(12)); // What is on its way comes out before.
            }
            return self.reset(out);
        }
        let qid = self.dice.below(self.parameters.shape.queues.into()) as u8;
        let class = self.dice.below(self.classes().into()) as u8;
        let mut writes = vec![];
        match self.dice.below(16) {
            0 => {
                // Off for a while only: nothing is seen of a core that is.
                self.off = !self.off && self.dice.one_in(4);
                writes
                    .push((register::CONTROL, self.dice.bits() as u32 & !1 | u32::from(!self.off)));
            }
            1 => writes.push((
                register::DRAW,
                [0, self.dice.bits() as u32][self.dice.below(4).min(1) as usize],
            )),
            2 | 3 => self.steps(&mut writes),
            4..=8 => return self.exact(core, qid, class, out),
            _ => {
                self.around(core, class, qid, &mut writes);
                self.targets(core, class, qid, &mut writes);
            }
        }
        if self.off && self.dice.one_in(2) {
            self.off = false;
            writes.push((register::CONTROL, 1));
        }
        out.push(Action::Write(writes));
    }

    /// Thresholds that put the average of the queue into one of the regions, and a slope.
    fn around(&mut self, core: &Core, class: u8, qid: u8, writes: &mut Vec<(u8, u32)>) {
        let avg = core.avg(qid).min(U22);
        // Seldom narrow: an average that moves by whole packets would never be between them.
        let width = if self.dice.one_in(4) {
            self.dice.magnitude(18).max(1)
        } else {
            self.dice.within(1 << 13, U18)
        };
        let min = match self.dice.below(4) {
            0 => avg.saturating_add(self.dice.magnitude(14)),
            1 => avg.saturating_sub(width).saturating_sub(self.dice.magnitude(12)),
            _ => avg.saturating_sub(self.dice.below(width)),
        };
        let min = min.min(U22 - 1);
        let slope = self.slope();
        self.write(class, qid, (min, min.saturating_add(width).min(U22), slope), writes);
    }

    fn slope(&mut self) -> u32 {
        self.dice.magnitude(self.slope_bits())
    }

    fn write(
        &mut self,
        class: u8,
        qid: u8,
        (min, max, slope): (u32, u32, u32),
        writes: &mut Vec<(u8, u32)>,
    ) {
        debug_assert!(min < max && max - min <= U18, "{min} {max}");
        let entry = self.entry(class, qid);
        self.thresholds[entry] = Thresholds { min, max };
        for (table, data) in [(table::MIN, min), (table::MAX, max), (table::SLOPE, slope)] {
            let bits = if table != table::SLOPE { 22 } else { self.slope_bits() };
            writes.push((register::address(table, class, qid), self.dirty(data, bits)));
        }
    }

    fn slope_bits(&self) -> u32 {
        if self.parameters.shape.constant { 21 } else { 18 }
    }

    /// With random bits above those that the register has.
    fn dirty(&mut self, data: u32, bits: u32) -> u32 {
        data | self.dice.bits() as u32 & !((1 << bits) - 1)
    }

    /// The range that Adaptive RED leaves alone, around the average.
    fn targets(&mut self, core: &Core, class: u8, qid: u8, writes: &mut Vec<(u8, u32)>) {
        let avg = core.avg(qid).min(U22);
        let lower = if self.dice.one_in(2) {
            avg.saturating_sub(self.dice.magnitude(12))
        } else {
            avg + self.dice.magnitude(10)
        };
        let upper = lower.saturating_add(self.dice.magnitude(12));
        writes.push((register::address(table::LOWER, class, qid), lower.min(U22)));
        writes.push((register::address(table::UPPER, class, qid), upper.min(U22)));
    }

    /// Steps of Adaptive RED. A slope that goes up must fit.
    fn steps(&mut self, writes: &mut Vec<(u8, u32)>) {
        let alpha = self.dice.magnitude(16);
        let least = self.dice.magnitude(16);
        let largest = U18 - alpha - self.dice.magnitude(17).min(U18 - alpha);
        writes.extend([
            (register::ALPHA, alpha),
            (register::LEAST, least),
            (register::LARGEST, largest),
        ]);
    }
}
