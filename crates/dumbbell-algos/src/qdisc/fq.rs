//! Flow queueing (RFC 8290): a queue for each flow, turns of a quantum, and flows that send little
//! go first.
//!
//! The scheduler of FQ-CoDel with any AQM in its queues; `fq_codel`, `fq_pie` and `fq_cobalt` are
//! it with the parameters of theirs. The kernel's discipline `fq` is another thing: it paces the
//! flows of a host, and has no counterpart here.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | quantum | `quantum` | bytes that a queue may send in its turn |
//! | credits | | what a queue may still send in this turn; it sends while it has any, and may overdraw it by a packet |
use crate::aqm::AnyAqm;
use crate::aqm::drop_tail::DropTail;
use crate::qdisc::parts::child_aqm::Child;
use crate::qdisc::parts::flow_queues::{FqParameters, Queued};
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Look, PlotColor, Provenance,
};
use dumbbell_core::units::Bytes;
use dumbbell_macros::config;

/// Flow queueing with an AQM in each queue.
pub type Fq<P> = Queued<AnyAqm, P>;

/// Parameters of [`Fq`].
#[config]
pub struct FqConfig {
    /// Number of queues; flows are spread over them by a hash with a salt of the run.
    #[schemars(range(min = 1, max = 65536), extend("x-source" = "RFC 8290 section 5.2.4: 1024"))]
    #[config(default = FqParameters::RFC_8290.flows)]
    pub flows: u32,
    /// Bytes that a queue may send in its turn.
    #[schemars(extend("x-source" = "RFC 8290 section 5.2.3: 1514"))]
    #[config(default = FqParameters::RFC_8290.quantum)]
    pub quantum: Bytes,
    /// Bytes that all queues may hold, in addition to the port's limit.
    #[schemars(extend("x-source" = "tc-fq_codel(8): 32 MiB"))]
    #[config(default = FqParameters::RFC_8290.memory_limit)]
    pub memory_limit: Bytes,
    /// Packets dropped at once from the head of the queue with the most bytes when the buffer is
    /// full; at most half of it.
    #[schemars(range(min = 1, max = 65536), extend("x-source" = "tc-fq_codel(8): 64"))]
    #[config(default = FqParameters::RFC_8290.drop_batch)]
    pub drop_batch: u32,
    /// When each queue signals congestion.
    #[schemars(extend("x-source" = "none but the limit: for CoDel see fq_codel"))]
    #[config(default = Child::of::<DropTail>())]
    pub aqm: Child,
}

impl FqConfig {
    fn lot(&self) -> FqParameters {
        FqParameters {
            flows: self.flows,
            quantum: self.quantum,
            memory_limit: self.memory_limit,
            drop_batch: self.drop_batch,
        }
    }
}

impl Config for FqConfig {
    fn check(&self) -> Result<(), Fault> {
        self.lot().check()?;
        self.aqm.check("aqm")
    }
}

/// The scheduler's equations; those of its queues are on the page of their algorithm.
pub(super) const EQUATIONS: &str = "arrival:    a queue that is in no list joins the new ones with \
    credits = quantum\nfull:       drop from the head of the queue with the most bytes: \
    min(drop_batch, half of it) packets\ndeparture:  the first of the new queues, else of the old \
    ones\ncredits <= 0:  credits += quantum, to the end of the old ones, next\nempty:         a \
    new one to the end of the old ones, an old one out, next\nelse send, credits -= L";

impl<P> Algorithm for Fq<P> {
    type Config = FqConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "fq",
        title: "Flow queueing (FQ)",
        idea: "A queue for each flow; each may send a quantum in its turn, and flows that had \
            nothing waiting go first.",
        equations: EQUATIONS,
        sources: &["RFC 8290 sections 4.1, 4.2 and 5", "tc-fq_codel(8); not tc-fq(8), which paces"],
        provenance: Provenance::TwoReadings,
        rule: "turns between flows",
        family: "a queue for each flow",
        look: Some(Look::new(PlotColor::Green, 'o', 0)),
        kernel: Kernel::Lacks {
            why: "tc's fq is another thing: it paces the flows of a host; \
                fq_codel is this scheduler with CoDel",
            fix: "",
        },
        explained: Explained {
            clauses: &[(
                "reason == 'evicted'",
                "{buffer}, and its flow's queue held the most bytes, and \
                    gave up its oldest packets",
            )],
            story: "classes",
            remark: "",
        },
        ..About::PLAIN
    };
    fn new(config: &FqConfig, link: &LinkInfo) -> Self {
        config.lot().over(link, config.aqm.maker(link))
    }
}

#[cfg(test)]
mod presets;
#[cfg(test)]
mod tests;
