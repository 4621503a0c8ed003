//! The verilated core where the model stands in a queue: one packet at a time.
//!
//! A packet is presented and clocks go by until its decision is out; then the core stands still
//! until the next one comes. In paper mode its draw would advance by millions of clocks in the
//! meantime: instead, the state that it would have is computed and written to the draw's register
//! in the clock before. All else of a decision is the RTL's own.
use crate::signals::{In, Out};
use crate::verilated::{Clocked, RtlCore};
use dumbbell_algos::aqm::red_hw::core::register;
use dumbbell_algos::aqm::red_hw::lfsr::{self, Polynomial};
use dumbbell_algos::aqm::red_hw::{Arrival, Decider, Decision, Region, Shape};

/// Clocks without an answer after which the core hangs.
const PATIENCE: u32 = 4096;

/// A core with the interface of the model.
pub struct RtlDecider {
    core: RtlCore,
    /// In paper mode: the draw, and the clock in which it stands.
    draw: Option<(u32, u64)>,
    queues: u8,
    failed: Option<String>,
}

impl RtlDecider {
    /// `core` after a reset; it was made with the parameters of `shape`.
    pub fn new(mut core: RtlCore, shape: &Shape) -> Self {
        let draw = shape.paper.then_some((shape.seed, 0));
        let mut failed = None;
        let clocks = [In { rst: true, ..In::default() }, In { rst: true, ..In::default() }];
        for inputs in &clocks {
            failed = failed.or(core.clock(inputs).err());
        }
        RtlDecider { core, draw, queues: shape.queues, failed }
    }

    /// Why it cannot go on. It lets every packet pass then.
    pub fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Clocks of `inputs` until `found` says something.
    fn clocks<T>(
        &mut self,
        inputs: &mut In,
        what: &str,
        found: impl Fn(&Out) -> Option<T>,
    ) -> Result<T, String> {
        for _ in 0..PATIENCE {
            let out = self.core.clock(inputs)?;
            if let Some(found) = found(&out) {
                return Ok(found);
            }
            inputs.tick = false;
        }
        Err(format!("the core hangs: {what} for {PATIENCE} clocks"))
    }

    fn ready(&mut self) -> Result<(), String> {
        self.clocks(&mut In::default(), "ready_o is low", |out| out.ready.then_some(()))
    }

    fn set(&mut self, cfg_addr: u8, cfg_data: u32) -> Result<(), String> {
        self.core.clock(&In { cfg_we: true, cfg_addr, cfg_data, ..In::default() }).map(drop)
    }

    fn one(&mut self, packet: Arrival) -> Result<Decision, String> {
        debug_assert!(packet.qid < self.queues, "{packet:?}");
        if let Some((state, since)) = self.draw {
            self.ready()?; // The packet must be accepted in the clock after the write.
            let now = Polynomial::Trinomial.jump(state, packet.clock - since);
            self.set(register::DRAW, now)?;
            self.draw = Some((now, packet.clock));
        }
        let Arrival { qid, qlen, class, idle, tick, .. } = packet;
        let mut inputs = In { valid: true, qid, qlen, class, idle, tick, ..In::default() };
        // A core without latency answers in the clock in which it accepts.
        let accepted = |out: &Out| out.ready.then_some(*out);
        let mut out = self.clocks(&mut inputs, "ready_o is low", accepted)?;
        if !out.valid {
            let answered = |out: &Out| out.valid.then_some(*out);
            out = self.clocks(&mut In::default(), "there is no decision", answered)?;
        }
        let region = match out.region {
            0 => Region::Queueing,
            1 => Region::Random,
            2 => Region::Force,
            other => return Err(format!("region_o is {other}, which is not a region")),
        };
        if out.qid != qid {
            return Err(format!("a packet of queue {qid} has a decision of queue {}", out.qid));
        }
        Ok(Decision { qid, drop: out.drop, region, avg: out.avg, draw: out.draw })
    }
}

impl Decider for RtlDecider {
    fn write(&mut self, addr: u8, data: u32) {
        if self.failed.is_some() {
            return;
        }
        self.failed = self.ready().and_then(|()| self.set(addr, data)).err();
        if let (Some(draw), register::DRAW) = (&mut self.draw, addr) {
            // Written before the first packet: it stands in clock 0.
            *draw = (lfsr::state(data), 0);
        }
    }

    fn decide(&mut self, packet: Arrival) -> Decision {
        let none =
            Decision { qid: packet.qid, drop: false, region: Region::Queueing, avg: 0, draw: 0 };
        if self.failed.is_some() {
            return none;
        }
        self.one(packet).unwrap_or_else(|why| {
            self.failed = Some(why);
            none
        })
    }
}
