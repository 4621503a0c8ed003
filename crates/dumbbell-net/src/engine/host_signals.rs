//! Signals to ends of connections beside packets: of their hosts, at times that the plan knows, and
//! to senders of an edge that tells them its colors.
use crate::engine::socket::{RECEIVER, SENDER};
use dumbbell_core::transport::HostSignal;
use dumbbell_core::units::Time;
use dumbbell_plan::{Flow, Plan, SignalTarget};
use std::collections::BTreeMap;

/// The end of a flow that gets a signal.
fn end(to: SignalTarget) -> usize {
    match to {
        SignalTarget::Sender => SENDER,
        SignalTarget::Receiver => RECEIVER,
    }
}

/// True if the plan has signals for this end of the flow. Its packets then wait in the agenda for
/// their instant.
pub(crate) fn has_signals(flow: &Flow, listener: usize) -> bool {
    flow.words.iter().any(|words| words.iter().any(|w| end(w.to) == listener))
}

/// Signals that are still to come, by time and socket (2 x flow + end).
#[derive(Default)]
pub(crate) struct HostSignals(BTreeMap<(Time, u32), Vec<HostSignal>>);

impl HostSignals {
    /// The signals of `plan`.
    pub(crate) fn of(plan: &Plan) -> Self {
        let mut all = BTreeMap::new();
        for (f, flow) in plan.flows.iter().enumerate() {
            for word in flow.words.iter().flat_map(|words| words.iter()) {
                let key = (Time::ZERO + word.at, (2 * f + end(word.to)) as u32);
                all.entry(key).or_insert_with(Vec::new).push(word.say);
            }
        }
        HostSignals(all)
    }
    /// Adds a signal. True if it is the first for this socket at this time.
    pub(crate) fn add(&mut self, now: Time, socket: u32, word: HostSignal) -> bool {
        let words = self.0.entry((now, socket)).or_default();
        words.push(word);
        words.len() == 1
    }
    /// Times and sockets, ascending.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Time, u32)> {
        self.0.keys().copied()
    }
    /// True if no signal is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Removes the signals for `socket` at `now`.
    pub(crate) fn take(&mut self, now: Time, socket: u32) -> Vec<HostSignal> {
        self.0.remove(&(now, socket)).unwrap_or_default()
    }
}
