//! The settings that the flows of one `[[flow]]` have in common.
use crate::resolve::context::Context;
use dumbbell_plan::{Ip, ScheduledSignal, Shared, Spec, Transport};
use std::collections::BTreeMap;

/// The MTUs that a TCP's segment sizes follow from, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sizes {
    /// Of the sender's own link.
    pub sender: u64,
    /// Of the receiver's.
    pub receiver: u64,
    /// The smallest on the way of the data.
    pub path: u64,
}

/// The common part of all flows of one entry. A TCP's `mss` may still be open.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowTemplate {
    /// The source.
    pub source: Shared<Spec>,
    /// The largest payload of a datagram that the source hands over, bytes, if there is such a
    /// thing.
    pub largest: Option<u64>,
    /// The transport.
    pub transport: Transport,
    /// The signals of the hosts to their ends of the connection.
    pub words: Option<Shared<Vec<ScheduledSignal>>>,
    /// The version of IP.
    pub ip: Ip,
    /// True if a note about its sizes was given: one is enough for all flows of the entry.
    pub told: bool,
    /// The transport with the sizes of a path: flows of one kind on paths of one size have one.
    pub fitted: BTreeMap<Sizes, Transport>,
}

impl FlowTemplate {
    /// Says a word of its sizes, if none was said.
    pub fn says(&mut self, word: impl Fn() -> String, cx: &Context<'_>) {
        if !std::mem::replace(&mut self.told, true) {
            cx.note(word());
        }
    }
}
