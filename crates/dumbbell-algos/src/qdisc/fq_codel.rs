//! FQ-CoDel (RFC 8290): flow queueing with CoDel in each queue.
//!
//! [`fq`](super::fq) has the scheduler, [`codel`](crate::aqm::codel) the algorithm; here are their
//! parameters, flat as in `tc`.
use crate::aqm::codel::{Codel, CodelConfig};
use crate::qdisc::parts::flow_queues::{FqParameters, Queued};
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Look, PlotColor, Provenance,
};
use dumbbell_core::units::{Bytes, Span};
use dumbbell_macros::config;

/// Flow queueing with CoDel.
pub type FqCodel<P> = Queued<Codel, P>;

/// Parameters of [`FqCodel`]. The port's limit is that of all queues (tc-fq_codel(8): 10240
/// packets).
#[config]
pub struct FqCodelConfig {
    /// The acceptable standing delay in a queue.
    #[schemars(extend("x-source" = "RFC 8290 section 5.2.2: 5 ms"))]
    #[config(default = CodelConfig::default().target)]
    pub target: Span,
    /// For how long the delay may be above `target`: of the order of the largest round-trip time in
    /// common use.
    #[schemars(extend("x-source" = "RFC 8290 section 5.2.1: 100 ms"))]
    #[config(default = CodelConfig::default().interval)]
    pub interval: Span,
    /// Whether ECN-capable packets are marked rather than dropped.
    #[schemars(extend("x-source" = "RFC 8290 section 5.2.6: on"))]
    #[config(default = true)]
    pub ecn: bool,
    /// In addition, each ECN-capable packet that waited longer than this is marked; `"0 s"`: none.
    /// Needs `ecn`.
    #[schemars(extend("x-source" = "RFC 8290 section 5.2.7: off"))]
    #[config(default = CodelConfig::default().ce_threshold)]
    pub ce_threshold: Span,
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
    #[schemars(range(min = 1, max = 65536), extend("x-source" = "RFC 8290 section 4.1: 64"))]
    #[config(default = FqParameters::RFC_8290.drop_batch)]
    pub drop_batch: u32,
}

impl FqCodelConfig {
    fn lot(&self) -> FqParameters {
        let FqCodelConfig { flows, quantum, memory_limit, drop_batch, .. } = *self;
        FqParameters { flows, quantum, memory_limit, drop_batch }
    }
    fn aqm(&self) -> CodelConfig {
        let FqCodelConfig { target, interval, ecn, ce_threshold, .. } = *self;
        CodelConfig { target, interval, ecn, ce_threshold, ..CodelConfig::default() }
    }
}

impl Config for FqCodelConfig {
    fn check(&self) -> Result<(), Fault> {
        self.lot().check()?;
        self.aqm().check()
    }
}

impl<P> Algorithm for FqCodel<P> {
    type Config = FqCodelConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "fq_codel",
        title: "Flow queueing with CoDel (FQ-CoDel)",
        idea: "A queue for each flow, in turns of a quantum, flows that send little first; CoDel \
            keeps each queue short.",
        equations: super::fq::EQUATIONS,
        sources: &["RFC 8290", "RFC 8289 (CoDel; `dumbbell explain codel`)", "tc-fq_codel(8)"],
        provenance: Provenance::TwoReadings,
        rule: "turns between flows; CoDel in each queue",
        family: "a queue for each flow",
        look: Some(Look::new(PlotColor::Green, 'D', 3)),
        kernel: Kernel::Has { name: "fq_codel", note: "" },
        explained: Explained::by(&[
            (
                "reason == 'evicted'",
                "{buffer}, and its flow's queue held the most bytes, and \
                    gave up its oldest packets",
            ),
            ("reason == 'overflow'", "{full}"),
            (
                "reason == 'head' and marked and ce_threshold != '0 s'",
                "the delay in its flow's own queue was above ce_threshold {ce_threshold}, or \
                    had stood above target {target}; {found} in all queues",
            ),
            (
                "reason == 'head'",
                "CoDel of its flow's own queue took it, where the delay had \
                    stood above {target} for an interval of {interval}; {found} in all queues",
            ),
        ]),
        ..About::PLAIN
    };
    fn new(config: &FqCodelConfig, link: &LinkInfo) -> Self {
        let (codel, site) = (config.aqm(), *link);
        config.lot().over(link, move |_| Codel::new(&codel, &site))
    }
}
