//! What is said to the ends of connections beside packets: by their hosts, at instants that the plan knows, and to senders
//! by an edge that tells them of its colours.
use crate::net::{RECEIVER, SENDER};
use dumbbell_core::transport::HostSignal;
use dumbbell_core::units::Time;
use dumbbell_plan::{Flow, SignalTarget, Plan};
use std::collections::BTreeMap;

/// The end of a flow that hears a word.
fn end(to: SignalTarget) -> usize {
    match to {
        SignalTarget::Sender => SENDER,
        SignalTarget::Receiver => RECEIVER,
    }
}

/// Whether the host of this end ever says anything. Packets for it wait for their instant then, as words do.
pub fn has_signals(flow: &Flow, listener: usize) -> bool {
    flow.words.iter().any(|words| words.iter().any(|w| end(w.to) == listener))
}

/// All words that are still to be said, by instant and socket (2 x flow + end); those of one instant in their order.
#[derive(Default)]
pub struct HostSignals(BTreeMap<(Time, u32), Vec<HostSignal>>);

impl HostSignals {
    /// Those of `plan`.
    pub fn of(plan: &Plan) -> Self {
        let mut all = BTreeMap::new();
        for (f, flow) in plan.flows.iter().enumerate() {
            for word in flow.words.iter().flat_map(|words| words.iter()) {
                let key = (Time::ZERO + word.at, (2 * f + end(word.to)) as u32);
                all.entry(key).or_insert_with(Vec::new).push(word.say);
            }
        }
        HostSignals(all)
    }
    /// One more word; whether it is the first of its instant to this socket.
    pub fn add(&mut self, now: Time, socket: u32, word: HostSignal) -> bool {
        let words = self.0.entry((now, socket)).or_default();
        words.push(word);
        words.len() == 1
    }
    /// The instants and sockets, ascending.
    pub fn all(&self) -> impl Iterator<Item = (Time, u32)> {
        self.0.keys().copied()
    }
    /// Whether nothing is left to say.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// What is said to `socket` at `now`.
    pub fn take(&mut self, now: Time, socket: u32) -> Vec<HostSignal> {
        self.0.remove(&(now, socket)).unwrap_or_default()
    }
}
