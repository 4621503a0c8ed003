//! `fq` and its presets: the scheduling order of RFC 8290, over queues with any AQM.
use super::classes::{ClassView, Classes};
use super::scheduled::{DropPolicy, Order, Scheduled, TrimPolicy};
use crate::qdisc::parts::deficit_rounds::{DeficitRounds, LEAST_QUANTUM};
use crate::qdisc::parts::flow_hash::Hash;
use dumbbell_core::aqm::{Aqm, Cx, LinkInfo};
use dumbbell_core::catalogue::Fault;
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Bytes, Capacity, Time};

/// Flow queues with the same algorithm in each.
pub type Queued<A, P> = Scheduled<Flows, A, P>;

/// The parameters of the scheduler. Each preset has them among its own.
#[derive(Clone, Copy, Debug)]
pub struct FqParameters {
    /// Number of queues.
    pub flows: u32,
    /// Bytes of a turn.
    pub quantum: Bytes,
    /// Bytes that all queues may hold, in addition to the port's limit.
    pub memory_limit: Bytes,
    /// Packets dropped at once from the fattest queue.
    pub drop_batch: u32,
}

impl FqParameters {
    /// The values of RFC 8290 section 5.2, and of tc-fq_codel(8).
    pub const RFC_8290: FqParameters = FqParameters {
        flows: 1024,
        quantum: Bytes(1514),
        memory_limit: Bytes(32 << 20),
        drop_batch: 64,
    };

    /// Checks the parameters, by the names that they have in each preset.
    ///
    /// # Errors
    /// The field at fault, the cause and a fix.
    pub fn check(&self) -> Result<(), Fault> {
        check_quantum(self.quantum)?;
        if self.memory_limit.0 == 0 {
            return Err(Fault::at("memory_limit", "no packet would fit").fix(
                "write memory_limit = \
                \"32 MiB\"",
            ));
        }
        Ok(())
    }

    /// The discipline of these parameters.
    pub fn over<A: Aqm, P>(
        &self,
        link: &LinkInfo,
        aqm: impl Fn(usize) -> A + Send + 'static,
    ) -> Queued<A, P> {
        let count = self.flows as usize;
        let order = Flows {
            hash: None,
            count: self.flows,
            turns: DeficitRounds::new(count, self.quantum.0, true),
            trim: TrimPolicy {
                in_bytes: true,
                head: true,
                batch: self.drop_batch,
                memory: self.memory_limit.0,
                own: Capacity::Unlimited,
            },
        };
        Scheduled::of(order, Classes::new(count, link, aqm))
    }
}

/// A quantum with which turns come to an end.
///
/// # Errors
/// A quantum of nothing, or of too little.
pub fn check_quantum(quantum: Bytes) -> Result<(), Fault> {
    if quantum.0 >= LEAST_QUANTUM {
        return Ok(());
    }
    let cause = match quantum.0 {
        0 => "a queue could never send".to_string(),
        few => format!(
            "a queue may send {few} bytes in a turn: a packet takes it a hundred turns \
            and more"
        ),
    };
    Err(Fault::at("quantum", cause).fix("write quantum = \"1514 B\", or at least \"15 B\""))
}

/// The order of RFC 8290.
#[derive(Clone, Debug)]
pub struct Flows {
    /// Drawn when the first packet comes.
    hash: Option<Hash>,
    count: u32,
    turns: DeficitRounds,
    trim: TrimPolicy,
}

impl Flows {
    /// The rounds of the queues.
    pub fn turns(&self) -> &DeficitRounds {
        &self.turns
    }
}

impl Order for Flows {
    #[inline]
    fn classify(&mut self, cx: &mut Cx<'_>, p: &Meta) -> usize {
        let count = self.count;
        self.hash.get_or_insert_with(|| Hash::drawn(cx.rng, count)).of(p.flow)
    }
    #[inline]
    fn joined(&mut self, _: &Cx<'_>, class: usize, _: &Meta, _: &impl ClassView) {
        self.turns.joined(class);
    }
    #[inline]
    fn next(&mut self, _: &Cx<'_>, _: &impl ClassView) -> Option<usize> {
        self.turns.turn()
    }
    #[inline]
    fn sends(&mut self, class: usize, _: Time, p: &Meta, _: &impl ClassView) {
        self.turns.sends(class, p.ip_len);
    }
    fn ran_dry(&mut self, class: usize, _: &impl ClassView) {
        self.turns.ran_dry(class);
    }
    #[inline]
    fn full(&self) -> DropPolicy {
        DropPolicy::Longest(self.trim)
    }
    fn probe(&self, out: &mut dyn Probe) {
        let (new, old) = self.turns.lengths();
        out.gauge("new_flows", new as f64);
        out.gauge("old_flows", old as f64);
    }
}
