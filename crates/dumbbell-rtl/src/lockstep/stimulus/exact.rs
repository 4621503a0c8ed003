//! Comparisons that are decided by one: an average on a threshold, a draw that equals the
//! probability, a credit that equals it, a slope at its limit. By chance these come once in
//! millions of packets; a `<` that should be `<=` is found by them.
use super::{Dice, Stimulus, Thresholds, U18, U21, U22};
use crate::lockstep::testbench::{Action, Packet};
use dumbbell_algos::aqm::red_hw::core::{Arrival, Core, register, table};

/// At this distance from the lower threshold the probability is the slope: p = (slope x d) >> 12.
const UNIT: u32 = 1 << 12;

impl Dice {
    /// One less, as much, one more.
    fn nearly(&mut self, n: u32) -> u32 {
        (n + self.below(3)).saturating_sub(1)
    }
}

/// A model that goes ahead, to see where averages and slopes will stand.
struct Ahead {
    core: Core,
    clock: u64,
}

impl Ahead {
    fn of(core: &Core) -> Self {
        // Only the draw hangs on the clock. Any that has not been will do.
        Ahead { core: core.clone(), clock: u64::MAX / 2 }
    }

    /// The average after a packet.
    fn after(&mut self, packet: Packet) -> u32 {
        let Packet { qid, qlen, class, idle, tick } = packet;
        self.clock += 1;
        self.core.decide(Arrival { clock: self.clock, qid, qlen, class, idle, tick }).avg
    }
}

impl Stimulus {
    /// A packet whose fate hangs on one bit, or two that hang together.
    pub(super) fn exact(&mut self, core: &Core, qid: u8, class: u8, out: &mut Vec<Action>) {
        let qlen = self.qlen(core, qid, class);
        let packet = Packet { qid, qlen, class, idle: 0, tick: false };
        let shape = &self.parameters.shape;
        match self.dice.below(4) {
            0 => self.on_a_threshold(Ahead::of(core).after(packet), packet, out),
            1 if shape.gap => self.on_the_credit(Ahead::of(core), packet, out),
            2 if shape.adapt => self.at_a_limit(core, packet, out),
            _ => {
                let avg = Ahead::of(core).after(packet);
                let mut writes = vec![];
                let p = self.chance();
                let draw = self.dice.nearly(p).clamp(1, U21);
                self.probability(packet, avg, p, &mut writes);
                writes.push((register::DRAW, draw));
                out.push(Action::Write(writes));
                self.packet(packet, out);
            }
        }
    }

    /// A probability that a slope can say.
    fn chance(&mut self) -> u32 {
        self.dice.magnitude(self.slope_bits()).max(2)
    }

    /// Registers with which a packet that finds `avg` has the probability `p`.
    fn probability(&mut self, packet: Packet, avg: u32, p: u32, writes: &mut Vec<(u8, u32)>) {
        let min = avg.min(U22 - 1).saturating_sub(UNIT);
        let width = (UNIT + 1 + self.dice.magnitude(16)).min(U22 - min).min(U18);
        self.write(packet.class, packet.qid, (min, min + width, p), writes);
    }

    /// The average is a threshold, or one beside it.
    fn on_a_threshold(&mut self, avg: u32, packet: Packet, out: &mut Vec<Action>) {
        let avg = avg.clamp(2, U22 - 2);
        let (edge, width) = (self.dice.nearly(avg), self.dice.magnitude(17).max(1));
        let upper = self.dice.one_in(2);
        let min = if upper { edge.saturating_sub(width) } else { edge.min(U22 - 1) };
        let max = if upper { edge } else { (min + width).min(U22) };
        let (slope, mut writes) = (self.slope(), vec![]);
        self.write(packet.class, packet.qid, (min, max, slope), &mut writes);
        out.push(Action::Write(writes));
        self.packet(packet, out);
    }

    /// A packet that leaves its draw as the credit, and one whose probability is that.
    fn on_the_credit(&mut self, mut ahead: Ahead, packet: Packet, out: &mut Vec<Action>) {
        let credit = self.chance();
        let (first, second) = (ahead.after(packet), ahead.after(packet));
        let min = first.min(U22 - 2) + 1; // Below it, the credit is loaded.
        let (slope, mut writes) = (self.slope(), vec![]);
        self.write(packet.class, packet.qid, (min, min + 1, slope), &mut writes);
        writes.push((register::DRAW, credit));
        out.push(Action::Write(writes));
        self.packet(packet, out);
        let (p, mut writes) = (self.dice.nearly(credit).min(U18), vec![]);
        self.probability(packet, second, p, &mut writes);
        out.push(Action::Write(writes));
        self.packet(packet, out);
    }

    /// A slope that Adaptive RED may step or may not, and a packet whose draw tells what happened
    /// to it.
    fn at_a_limit(&mut self, core: &Core, packet: Packet, out: &mut Vec<Action>) {
        let (avg, Packet { class, qid, .. }) = (Ahead::of(core).after(packet), packet);
        let slope = self.dice.magnitude(17).max(16);
        let (mut writes, alpha) = (vec![], self.dice.magnitude(10));
        self.probability(packet, avg, slope, &mut writes);
        let (lower, upper) = if self.dice.one_in(2) {
            (0, self.dice.nearly(avg.max(1)).saturating_sub(1)) // On the upper side: up.
        } else {
            (self.dice.nearly(avg), U22) // On the lower one: down.
        };
        let (least, largest) = (self.dice.nearly(slope), self.dice.nearly(slope));
        writes.extend([
            (register::address(table::LOWER, class, qid), lower.min(U22)),
            (register::address(table::UPPER, class, qid), upper.min(U22)),
            (register::ALPHA, alpha),
            (register::LEAST, least),
            (register::LARGEST, largest),
        ]);
        let (ticked, mut ahead) = (Packet { tick: true, ..packet }, Ahead::of(core));
        writes.iter().for_each(|(addr, data)| ahead.core.write(*addr, *data));
        out.push(Action::Write(writes));
        ahead.after(ticked);
        self.packet(ticked, out);
        let (slope, second) = (ahead.core.slope(class, qid), ahead.after(packet));
        let min = second.min(U22 - 1).saturating_sub(UNIT);
        let max = (min + 2 * UNIT).min(U22);
        let place = self.entry(class, qid);
        self.thresholds[place] = Thresholds { min, max };
        out.push(Action::Write(vec![
            (register::address(table::MIN, class, qid), min),
            (register::address(table::MAX, class, qid), max),
            (register::DRAW, self.dice.nearly(slope).max(1)),
        ]));
        self.packet(packet, out);
    }
}
