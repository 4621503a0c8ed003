//! Drop Tail: a queue that signals only by being full.
//!
//! With `victim = "front"` or `"random"` the arriving packet takes the place of the head or of a packet drawn
//! at random (Floyd, Jacobson 1993 section 8; drop from front: Lakshman, Neidhardt, Ott, INFOCOM 1996).
use dumbbell_core::aqm::{Aqm, Cx, LinkInfo, Needs, QueueView, Slot, Verdict};
use dumbbell_core::catalogue::{About, Algorithm, Config, Provenance};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who goes when a packet must.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Victim {
    /// The arriving packet.
    #[default]
    Tail,
    /// The packet at the head of the queue.
    Front,
    /// One drawn at random from those that wait and the one that arrives.
    Random,
}

impl Victim {
    /// What it asks of its port: only an arriving packet can be dropped without holding the others.
    pub fn needs(self) -> Needs {
        if self == Victim::Tail { Needs::Arrival } else { Needs::Held }
    }
    /// The waiting packet that goes, of `waiting`; `None`: the arriving one.
    pub fn draw(self, waiting: u32, rng: &mut Stream) -> Option<Slot> {
        match self {
            Victim::Tail => None,
            Victim::Front => (waiting > 0).then_some(0),
            Victim::Random => Some(rng.below(waiting + 1)).filter(|slot| *slot < waiting),
        }
    }
}

/// Parameters of [`DropTail`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DropTailConfig {
    /// Which packet goes when one does not fit: the arriving one (`tail`), the head (`front`), or any (`random`).
    #[schemars(extend("x-source" = "tc-pfifo(8)"))]
    pub victim: Victim,
}

impl Config for DropTailConfig {}

/// Lets everything in that fits.
#[derive(Clone, Debug)]
pub struct DropTail {
    victim: Victim,
}

impl Algorithm for DropTail {
    type Config = DropTailConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "drop_tail",
        title: "Drop Tail",
        idea: "A packet that does not fit is dropped, or pushes another one out; nothing else is ever signalled.",
        equations: "packets:  drop  iff  q + 1 > limit\n\
                    bytes:    drop  iff  q_bytes + L > limit",
        sources: &["RFC 7567 section 2", "tc-pfifo(8), tc-bfifo(8)", "ns-2 Queue/DropTail (drop_front_)"],
        provenance: Provenance::TwoReadings,
    };
    fn new(config: &DropTailConfig, _: &LinkInfo) -> Self {
        DropTail { victim: config.victim }
    }
}

impl Aqm for DropTail {
    fn needs(&self) -> Needs {
        self.victim.needs()
    }
    #[inline]
    fn arrive(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _fits: bool) -> Verdict {
        Verdict::Pass
    }
    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, _: &Meta) -> Option<Slot> {
        self.victim.draw(q.waiting(), cx.rng)
    }
}
