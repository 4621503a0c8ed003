//! The bench: a core with clocks on one side, the model on the other, and every decision compared.
//!
//! It keeps the contract of `SPEC.md` whatever it is asked to do: a packet is held until it is
//! accepted, registers are written while no decision is on its way, `idle_i` is 0 shortly after a
//! packet of the queue. So any part of a stimulus is a stimulus, too, on which [`super::shrink`]
//! relies.
use crate::core_ports::Parameters;
use crate::signals::{In, Out};
use crate::verilated::Clocked;
use dumbbell_algos::aqm::red_hw::core::{Arrival, Core, Decision, DecisionTrace, Region};
use serde::Serialize;
use std::collections::VecDeque;

/// An action on both, model and core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// `rst` for some clocks, whatever is on its way.
    Reset(u8),
    /// Clocks in which nothing is asked.
    Idle(u16),
    /// `tick_i` in a clock of its own.
    Tick,
    /// Registers, `(address, data)`, written one after another once every decision is out.
    Write(Vec<(u8, u32)>),
    /// A packet, right behind what is before it.
    Packet(Packet),
}

/// A packet as it is presented.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Packet {
    /// `qid_i`.
    pub qid: u8,
    /// `qlen_i`.
    pub qlen: u16,
    /// `class_i`.
    pub class: u8,
    /// `idle_i`.
    pub idle: u8,
    /// `tick_i`.
    pub tick: bool,
}

/// The first difference between the two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The packet, counted from 0; of a decision that nobody asked for, the one that is next.
    pub packet: u64,
    /// The clock.
    pub clock: u64,
    /// A description of the difference.
    pub what: String,
    /// The presented packet.
    pub presented: Option<Packet>,
    /// The model's decision.
    pub expected: Option<Decision>,
    /// The core's decision.
    pub got: Option<Out>,
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that were accepted.
    pub packets: u64,
    /// Clocks.
    pub clocks: u64,
    /// Decisions in each region.
    pub regions: [u64; 3],
    /// Packets of each queue.
    pub queues: [u64; 8],
    /// Packets in the clock after another of the same queue.
    pub back_to_back: u64,
    /// Packets that were dropped.
    pub drops: u64,
    /// Resets.
    pub resets: u64,
    /// Groups of registers that were written.
    pub writes: u64,
    /// The most clocks from acceptance to decision.
    pub latency: u64,
}

impl Counts {
    /// Both.
    pub fn and(mut self, other: &Counts) -> Counts {
        let pairs = self
            .regions
            .iter_mut()
            .zip(other.regions)
            .chain(self.queues.iter_mut().zip(other.queues));
        pairs.for_each(|(a, b)| *a += b);
        self.packets += other.packets;
        self.clocks += other.clocks;
        self.back_to_back += other.back_to_back;
        self.drops += other.drops;
        self.resets += other.resets;
        self.writes += other.writes;
        self.latency = self.latency.max(other.latency);
        self
    }
}

/// A decision that is on its way.
#[derive(Clone, Copy, Debug)]
struct Due {
    number: u64,
    since: u64,
    packet: Packet,
    decision: Decision,
}

/// A packet, what the model thinks of it, and what the core said.
#[derive(Clone, Copy, Debug)]
pub struct ComparedPacket {
    /// The packet, counted from 0.
    pub number: u64,
    /// As it was accepted.
    pub packet: Packet,
    /// The model's decision and what it follows from.
    pub inside: DecisionTrace,
    /// The core's outputs; none while its decision is on its way.
    pub got: Option<Out>,
}

/// Never, for the last clock in which something happened.
const NEVER: u64 = u64::MAX;
/// The last decisions that are remembered.
pub const BEFORE: usize = 8;

/// The testbench: the core, the model, and the comparison.
pub struct Testbench<'a> {
    dut: &'a mut dyn Clocked,
    /// The model. Who makes a stimulus looks at it.
    pub core: Core,
    parameters: &'a Parameters,
    /// Clocks without an answer after which the core hangs.
    patience: u64,
    due: VecDeque<Due>,
    /// True if `ready_o` was seen since the reset, and whether it was high in the last clock.
    ready: bool,
    open: bool,
    /// True if `tick_i` came since the packet before.
    ticked: bool,
    accepted: [u64; 8],
    last: Option<(u64, u8)>,
    /// The counts so far.
    pub counts: Counts,
    recent: VecDeque<(u64, Packet, Decision)>,
    /// Every packet with the model's inside and the core's answer, for whoever asks for it: it
    /// costs time.
    pub watched: Option<Vec<ComparedPacket>>,
}

impl<'a> Testbench<'a> {
    /// A bench for a core that was made with `parameters`; the first action must be a reset.
    pub fn new(dut: &'a mut dyn Clocked, parameters: &'a Parameters, patience: u64) -> Self {
        Testbench {
            dut,
            core: Core::new(parameters.shape.clone()),
            parameters,
            patience,
            due: VecDeque::new(),
            ready: false,
            open: false,
            ticked: false,
            accepted: [NEVER; 8],
            last: None,
            counts: Counts::default(),
            recent: VecDeque::with_capacity(BEFORE),
            watched: None,
        }
    }

    /// The last packets whose decisions were right, the oldest first.
    pub fn recent(&self) -> impl Iterator<Item = &(u64, Packet, Decision)> {
        self.recent.iter()
    }

    /// Does it.
    ///
    /// # Errors
    /// A mismatch of core and model, or the reason why the core stopped.
    pub fn act(&mut self, action: &Action) -> Result<(), Mismatch> {
        match action {
            Action::Packet(packet) => self.present(*packet),
            Action::Idle(clocks) => {
                (0..*clocks).try_for_each(|_| self.clock(&In::default()).map(drop))
            }
            Action::Reset(clocks) => {
                self.counts.resets += 1;
                (0..*clocks)
                    .try_for_each(|_| self.clock(&In { rst: true, ..In::default() }).map(drop))
            }
            Action::Tick => {
                self.settle(false)?;
                self.clock(&In { tick: true, ..In::default() }).map(drop)
            }
            Action::Write(writes) => {
                self.settle(true)?;
                self.counts.writes += 1;
                writes.iter().try_for_each(|(cfg_addr, cfg_data)| {
                    let write = In {
                        cfg_we: true,
                        cfg_addr: *cfg_addr,
                        cfg_data: *cfg_data,
                        ..In::default()
                    };
                    self.clock(&write).map(drop)
                })
            }
        }
    }

    /// Waits until the core is ready, as after its reset; with `all` until every decision is out,
    /// too.
    ///
    /// # Errors
    /// As [`Testbench::act`].
    pub fn settle(&mut self, all: bool) -> Result<(), Mismatch> {
        let began = self.counts.clocks;
        while !self.open || (all && !self.due.is_empty()) {
            self.clock(&In::default())?;
            if !self.open && self.counts.clocks - began > self.patience {
                let what = format!("the core hangs: ready_o is low for {} clocks", self.patience);
                return Err(self.part(what, None, None));
            }
        }
        Ok(())
    }

    fn present(&mut self, packet: Packet) -> Result<(), Mismatch> {
        let k = usize::from(packet.qid & 7);
        let now = self.counts.clocks;
        if self.parameters.spaced && self.last == Some((now.wrapping_sub(1), packet.qid)) {
            self.clock(&In::default())?;
        }
        let near = self.accepted[k] != NEVER && self.counts.clocks - self.accepted[k] <= 3;
        let packet = Packet {
            idle: if near && self.parameters.shape.idle { 0 } else { packet.idle },
            tick: packet.tick && self.ready,
            ..packet
        };
        let Packet { qid, qlen, class, idle, tick } = packet;
        let mut inputs = In { valid: true, qid, qlen, class, idle, tick, ..In::default() };
        let began = self.counts.clocks;
        loop {
            if self.clock(&inputs)?.ready {
                return Ok(());
            }
            inputs.tick = false; // One interval ended, not one each clock.
            if self.counts.clocks - began > self.patience {
                let what = format!(
                    "the core hangs: a packet waits for ready_o for {} clocks",
                    self.patience
                );
                return Err(self.part(what, Some(packet), None));
            }
        }
    }

    /// One clock of both.
    fn clock(&mut self, inputs: &In) -> Result<Out, Mismatch> {
        let now = self.counts.clocks;
        let out = match self.dut.clock(inputs) {
            Ok(out) => out,
            Err(why) => return Err(self.part(format!("the core stopped: {why}"), None, None)),
        };
        self.counts.clocks += 1;
        self.open = out.ready && !inputs.rst;
        if inputs.rst {
            // Packets in the pipeline are lost, and the outputs at this clock edge are meaningless.
            self.due.clear();
            self.core.reset_at(now + 1);
            // The contract of `idle_i` knows no resets.
            (self.ready, self.ticked, self.last) = (false, false, None);
            return Ok(out);
        }
        self.ready |= out.ready;
        self.ticked |= inputs.tick;
        if inputs.valid && out.ready {
            self.accept(inputs, now);
        }
        if inputs.cfg_we {
            self.core.write_at(now + 1, inputs.cfg_addr, inputs.cfg_data);
        }
        if out.valid {
            return self.compare(now, &out).map(|()| out);
        }
        if let Some(due) = self.due.front().filter(|due| now - due.since > self.patience) {
            let (packet, what) =
                (due.packet, format!("the core hangs: no decision for {} clocks", self.patience));
            return Err(self.part(what, Some(packet), None));
        }
        Ok(out)
    }

    fn accept(&mut self, inputs: &In, now: u64) {
        let In { qid, qlen, class, idle, tick, .. } = *inputs;
        let arrival =
            Arrival { clock: now, qid, qlen, class, idle, tick: std::mem::take(&mut self.ticked) };
        let packet = Packet { qid, qlen, class, idle, tick };
        let number = self.counts.packets;
        if let Some(watched) = &mut self.watched {
            watched.push(ComparedPacket {
                number,
                packet,
                inside: self.core.inside(arrival),
                got: None,
            });
        }
        let decision = self.core.decide(arrival);
        let counts = &mut self.counts;
        self.due.push_back(Due { number, since: now, packet, decision });
        counts.packets += 1;
        counts.regions[decision.region as usize] += 1;
        counts.queues[usize::from(qid)] += 1;
        counts.drops += u64::from(decision.drop);
        counts.back_to_back += u64::from(self.last == Some((now.wrapping_sub(1), qid)));
        self.accepted[usize::from(qid)] = now;
        self.last = Some((now, qid));
    }

    fn compare(&mut self, now: u64, out: &Out) -> Result<(), Mismatch> {
        let Some(due) = self.due.pop_front() else {
            return Err(self.part(
                "valid_o is high, and no decision is on its way".into(),
                None,
                Some(*out),
            ));
        };
        let Due { number, since, packet, decision } = due;
        if let Some(one) = self.watched.iter_mut().flatten().rfind(|one| one.number == number) {
            one.got = Some(*out);
        }
        let Decision { qid, drop, region, avg, draw } = decision;
        self.counts.latency = self.counts.latency.max(now - since);
        if (out.qid, out.drop, out.region, out.avg, out.draw)
            == (qid, drop, region as u8, avg, draw)
        {
            if self.recent.len() == BEFORE {
                self.recent.pop_front();
            }
            self.recent.push_back((number, packet, decision));
            return Ok(());
        }
        let (presented, expected, got) = (Some(packet), Some(decision), Some(*out));
        Err(Mismatch {
            packet: number,
            clock: now,
            what: parted(out, &decision),
            presented,
            expected,
            got,
        })
    }

    fn part(&self, what: String, presented: Option<Packet>, got: Option<Out>) -> Mismatch {
        let front = self.due.front();
        Mismatch {
            packet: front.map_or(self.counts.packets, |due| due.number),
            clock: self.counts.clocks,
            what,
            presented,
            expected: front.map(|due| due.decision),
            got,
        }
    }
}

/// The ports that differ.
fn parted(out: &Out, expected: &Decision) -> String {
    let pairs = [
        ("qid_o", u32::from(out.qid), u32::from(expected.qid)),
        ("drop_o", u32::from(out.drop), u32::from(expected.drop)),
        ("region_o", u32::from(out.region), expected.region as u32),
        ("avg_o", out.avg, expected.avg),
        ("draw_o", out.draw, expected.draw),
    ];
    let parted = pairs.iter().filter(|(_, got, due)| got != due);
    parted
        .map(|(port, got, due)| format!("{port} is {got}, the model says {due}"))
        .collect::<Vec<_>>()
        .join("; ")
}

/// A region's name.
pub fn name(region: Region) -> &'static str {
    ["queueing", "random", "force"][region as usize]
}
