//! The model as a core with clocks: any latency, ready some clocks after a reset. It stands in for
//! RTL where vectors are written, and where the bench itself is tested.
use crate::signals::{In, Out};
use crate::verilated::Clocked;
use dumbbell_algos::aqm::red_hw::core::{Arrival, Core, Decision, Shape};
use std::collections::VecDeque;

/// The model behind the ports.
pub struct ModelCore {
    core: Core,
    now: u64,
    latency: u64,
    /// Clocks from a reset to `ready_o`, and from one packet to the next.
    clearing: u64,
    interval: u64,
    ready_at: u64,
    ticked: bool,
    due: VecDeque<(u64, Decision)>,
}

impl ModelCore {
    /// A model whose decisions take `latency` clocks, at least 0, and that is ready `clearing`
    /// clocks after a reset and takes a packet every `interval` clocks, at least 1.
    pub fn new(shape: &Shape, latency: u64, clearing: u64, interval: u64) -> Self {
        let core = Core::new(shape.clone());
        ModelCore {
            core,
            now: 0,
            latency,
            clearing,
            interval,
            ready_at: u64::MAX,
            ticked: false,
            due: VecDeque::new(),
        }
    }

    /// One clock, and the decision for the packet that was accepted in it.
    pub fn step(&mut self, inputs: &In) -> (Out, Option<Decision>) {
        let now = self.now;
        self.now += 1;
        if inputs.rst {
            self.core.reset_at(now + 1);
            (self.ready_at, self.ticked) = (now + 1 + self.clearing, false);
            self.due.clear();
            return (Out::default(), None);
        }
        let ready = now >= self.ready_at;
        self.ticked |= inputs.tick;
        let In { qid, qlen, class, idle, .. } = *inputs;
        let accepted = (inputs.valid && ready).then(|| {
            let tick = std::mem::take(&mut self.ticked);
            self.ready_at = now + self.interval;
            self.core.decide(Arrival { clock: now, qid, qlen, class, idle, tick })
        });
        self.due.extend(accepted.map(|decision| (now + self.latency, decision)));
        if inputs.cfg_we {
            self.core.write_at(now + 1, inputs.cfg_addr, inputs.cfg_data);
        }
        let is_due = self.due.front().is_some_and(|(at, _)| *at <= now);
        let due = if is_due { self.due.pop_front() } else { None };
        let out = due.map_or(Out { ready, ..Out::default() }, |(_, d)| Out {
            ready,
            valid: true,
            qid: d.qid,
            drop: d.drop,
            region: d.region as u8,
            avg: d.avg,
            draw: d.draw,
        });
        (out, accepted)
    }
}

impl Clocked for ModelCore {
    fn clock(&mut self, inputs: &In) -> Result<Out, String> {
        Ok(self.step(inputs).0)
    }
}
