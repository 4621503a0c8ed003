//! Weighted fair queueing: each flow's packets leave as if all flows were served at once, each by
//! its weight, bit by bit.
//!
//! Demers, Keshav, Shenker (SIGCOMM 1989); Parekh and Gallager (IEEE/ACM ToN 1(3), 1993) call it
//! PGPS: generalized processor sharing (GPS) packet by packet. Two clocks: `gps` follows the fluid
//! exactly (and needs the link's rate), `self_clocked` uses the tag of the packet that is sent
//! (Golestani, INFOCOM 1994).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | w_i | `weight` of the flow | its share: `weight` in the flow's table, 1 if it has none |
//! | V | `virtual_time` | what a flow of weight 1 would have been sent, bytes |
//! | F | | the virtual time at which a packet would have left the fluid |
//!
//! Bytes are those on the wire, because they take the link's time. A packet that an algorithm drops
//! after it came in stays in the fluid until its flow's queue runs dry.
use crate::aqm::AnyAqm;
use crate::aqm::drop_tail::DropTail;
use crate::qdisc::parts::child_aqm::Child;
use crate::qdisc::parts::classes::{ClassView, Classes};
use crate::qdisc::parts::gps::{Fluid, Tag};
use crate::qdisc::parts::scheduled::{Order, Scheduled};
use dumbbell_core::aqm::{Cx, LinkInfo};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Look, PlotColor, Provenance,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::Time;
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Weighted fair queueing with an AQM in each flow's queue.
pub type Wfq<P> = Scheduled<Tags, AnyAqm, P>;

/// How the virtual time is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// The fluid: V grows by the link's rate over the sum of the weights that the fluid still
    /// serves.
    #[default]
    Gps,
    /// The packet that is sent: V is its finish tag.
    SelfClocked,
}

/// Parameters of [`Wfq`]. The weights are the flows' (`weight` of a flow).
#[config]
pub struct WfqConfig {
    /// How the virtual time is computed: `gps` is exact and assumes a constant link rate,
    /// `self_clocked` needs no rate.
    #[schemars(extend("x-source" = "Parekh, Gallager 1993: the fluid"))]
    #[config(default = Clock::Gps)]
    pub clock: Clock,
    /// Number of queues; a flow's is its number modulo this, so that each has its own as long as
    /// there are enough.
    #[schemars(range(min = 1, max = 65536), extend("x-source" = "RFC 8290 section 5.2.4: 1024"))]
    #[config(default = 1024)]
    pub flows: u32,
    /// When each queue signals congestion.
    #[schemars(extend("x-source" = "only when the buffer is full"))]
    #[config(default = Child::of::<DropTail>())]
    pub aqm: Child,
}

impl Config for WfqConfig {
    fn check(&self) -> Result<(), Fault> {
        self.aqm.check("aqm")
    }
}

/// The order's state of one queue.
#[derive(Clone, Debug, Default)]
struct Line {
    /// The virtual times at which packets came, by their arrival, for those that still wait.
    stamps: VecDeque<(Time, f64)>,
    /// The finish tag of the packet that was sent last.
    sent: f64,
    weight: f64,
    /// The head as it was tagged, and its tag.
    head: Option<(Time, u32, f64)>,
}

/// The order of finish tags.
#[derive(Clone, Debug)]
pub struct Tags {
    clock: Clock,
    count: u32,
    fluid: Fluid,
    lines: Vec<Line>,
    /// Heads by their tags, the least first. An entry that is not the tag of its queue's head is
    /// stale.
    heads: BinaryHeap<Reverse<Tag>>,
    /// The finish tag of the packet that is sent.
    serving: f64,
}

impl<P> Algorithm for Wfq<P> {
    type Config = WfqConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "wfq",
        title: "Weighted fair queueing (WFQ)",
        idea: "Packets leave in the order in which a fluid that serves all flows at once, by \
            weight, would finish them.",
        equations: "gps:           dV/dt = C / sum of w_j over the flows j that the fluid still \
            serves\nself_clocked:  V = F of the packet that is sent\nF = max(F of the flow's \
            packet before, V at arrival) + L / w\nnext  =  the head with the least F",
        sources: &[
            "Demers, Keshav, Shenker: Analysis and Simulation of a Fair Queueing Algorithm, \
                SIGCOMM 1989",
            "Parekh, Gallager: A Generalized Processor Sharing Approach to Flow Control, IEEE/ACM \
                ToN 1(3), 1993",
            "Golestani: A Self-Clocked Fair Queueing Scheme for Broadband Applications, INFOCOM \
                1994",
        ],
        provenance: Provenance::TwoReadings,
        rule: "the order in which a weighted fluid would finish",
        family: "a queue for each flow",
        look: Some(Look::new(PlotColor::Black, '^', 3)),
        kernel: Kernel::Lacks { why: "no kernel has it", fix: "" },
        explained: Explained::as_story("classes", ""),
        ..About::PLAIN
    };
    fn new(config: &WfqConfig, link: &LinkInfo) -> Self {
        let classes = Classes::new(config.flows as usize, link, config.aqm.maker(link));
        Scheduled::of(Tags::new(config.clock, config.flows), classes)
    }
}

impl Tags {
    /// Tags for `count` empty queues.
    pub fn new(clock: Clock, count: u32) -> Self {
        Tags {
            clock,
            count,
            fluid: Fluid::default(),
            lines: Vec::new(),
            heads: BinaryHeap::new(),
            serving: 0.0,
        }
    }

    /// The virtual time.
    fn now(&mut self, cx: &Cx<'_>) -> f64 {
        match self.clock {
            Clock::Gps => self.fluid.at(cx.now, cx.link.rate),
            Clock::SelfClocked => self.serving,
        }
    }

    /// Tags the head of a queue, unless it has its tag.
    fn tag(&mut self, class: usize, q: &impl ClassView) {
        let line = &mut self.lines[class];
        let Some((since, p)) = q.head(class) else {
            line.head = None;
            return;
        };
        if line.head.is_none_or(|(at, bytes, _)| (at, bytes) != (since, p.wire_len)) {
            let finish = line.finish(since, p.wire_len);
            let before = line.head.replace((since, p.wire_len, finish));
            if before.is_none_or(|(_, _, tag)| tag != finish) {
                self.heads.push(Reverse(Tag { at: finish, class: class as u32 }));
            }
        }
    }
}

impl Line {
    /// The finish tag of a packet that came at `since` and is the next of its queue.
    fn finish(&mut self, since: Time, bytes: u32) -> f64 {
        while self.stamps.len() > 1 && self.stamps[0].0 < since {
            self.stamps.pop_front();
        }
        let came = self.stamps.front().map_or(0.0, |(_, v)| *v);
        self.sent.max(came) + f64::from(bytes) / self.weight
    }
}

/// A weight that can be divided by: what is not a positive number counts as 1.
fn weight(cx: &Cx<'_>, p: &Meta) -> f64 {
    cx.flows.get(p.flow).weight.filter(|w| *w > 0.0 && w.is_finite()).unwrap_or(1.0)
}

impl Order for Tags {
    fn classify(&mut self, _: &mut Cx<'_>, p: &Meta) -> usize {
        (p.flow.0 % self.count) as usize
    }
    fn joined(&mut self, cx: &Cx<'_>, class: usize, p: &Meta, q: &impl ClassView) {
        if self.lines.len() <= class {
            self.lines.resize_with(class + 1, Line::default);
        }
        let (v, weight) = (self.now(cx), weight(cx, p));
        self.fluid.takes(class, f64::from(p.wire_len), weight);
        let line = &mut self.lines[class];
        line.weight = weight;
        if line.stamps.back().is_none_or(|(at, _)| *at != cx.now) {
            line.stamps.push_back((cx.now, v));
        }
        self.tag(class, q);
    }
    fn next(&mut self, _: &Cx<'_>, q: &impl ClassView) -> Option<usize> {
        loop {
            let Reverse(first) = *self.heads.peek()?;
            let class = first.class as usize;
            // An algorithm may have pushed the head out meanwhile: the next one's tag may be
            // another, and even come first.
            self.tag(class, q);
            if self.lines[class].head.is_some_and(|(_, _, tag)| tag == first.at) {
                return Some(class);
            }
            if self.heads.peek() == Some(&Reverse(first)) {
                self.heads.pop();
            }
        }
    }
    /// If the algorithm dropped the head that was tagged, the packet that is sent has a tag of its
    /// own.
    fn sends(&mut self, class: usize, since: Time, p: &Meta, q: &impl ClassView) {
        self.heads.pop();
        let line = &mut self.lines[class];
        line.sent = match line.head.take() {
            Some((at, bytes, tag)) if (at, bytes) == (since, p.wire_len) => tag,
            _ => line.finish(since, p.wire_len),
        };
        self.serving = line.sent;
        self.tag(class, q);
    }
    fn ran_dry(&mut self, class: usize, _: &impl ClassView) {
        self.heads.pop();
        let line = &mut self.lines[class];
        line.head = None;
        line.stamps.clear();
        self.fluid.forgets(class);
    }
    fn idle(&mut self, cx: &Cx<'_>) {
        self.heads.clear();
        self.fluid.rests(cx.now);
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge(
            "virtual_time",
            if self.clock == Clock::Gps { self.fluid.last() } else { self.serving },
        );
    }
}

#[cfg(test)]
mod tests;
