//! FQ-COBALT: flow queueing with COBALT in each queue, as in ns-3 (and, among much else, in CAKE).
//!
//! [`fq`](super::fq) has the scheduler, [`cobalt`](crate::aqm::cobalt) the algorithm. A queue that
//! is cut because the buffer is full counts that as its own overflow: BLUE's probability rises.
use crate::aqm::cobalt::{Cobalt, CobaltConfig};
use crate::qdisc::parts::flow_queues::{FqParameters, Queued};
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Look, PlotColor, Provenance,
};
use dumbbell_core::units::{Bytes, Span};
use dumbbell_macros::config;

/// Flow queueing with COBALT.
pub type FqCobalt<P> = Queued<Cobalt, P>;

/// Parameters of [`FqCobalt`]. The port's limit is that of all queues (ns-3: 10240 packets).
#[config]
pub struct FqCobaltConfig {
    /// The acceptable standing delay in a queue; also the least time from one step of BLUE's
    /// probability to the next.
    #[schemars(extend("x-source" = "ns-3 FqCobaltQueueDisc: 5 ms"))]
    #[config(default = CobaltConfig::default().target)]
    pub target: Span,
    /// Time between the first two signals: of the order of the largest round-trip time in common
    /// use.
    #[schemars(extend("x-source" = "ns-3 FqCobaltQueueDisc: 100 ms"))]
    #[config(default = CobaltConfig::default().interval)]
    pub interval: Span,
    /// BLUE's step up, at an overflow.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "CAKE and ns-3: 1/256"))]
    #[config(default = CobaltConfig::default().p_inc)]
    pub p_inc: f64,
    /// BLUE's step down, at an empty queue.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "CAKE and ns-3: 1/4096"))]
    #[config(default = CobaltConfig::default().p_dec)]
    pub p_dec: f64,
    /// A delay above which BLUE's probability steps up, too; `"0 s"`: none.
    #[schemars(extend("x-source" = "CAKE; ns-3 BlueThreshold 400 ms"))]
    #[config(default = CobaltConfig::default().blue_threshold)]
    pub blue_threshold: Span,
    /// Whether CoDel's part marks ECN-capable packets rather than dropping them; BLUE's part never
    /// does.
    #[schemars(extend("x-source" = "ns-3 FqCobaltQueueDisc: UseEcn true"))]
    #[config(default = true)]
    pub ecn: bool,
    /// Number of queues; flows are spread over them by a hash with a salt of the run.
    #[schemars(range(min = 1, max = 65536), extend("x-source" = "ns-3 FqCobaltQueueDisc: 1024"))]
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
    #[schemars(range(min = 1, max = 65536), extend("x-source" = "ns-3 FqCobaltQueueDisc: 64"))]
    #[config(default = FqParameters::RFC_8290.drop_batch)]
    pub drop_batch: u32,
}

impl FqCobaltConfig {
    fn lot(&self) -> FqParameters {
        let FqCobaltConfig { flows, quantum, memory_limit, drop_batch, .. } = *self;
        FqParameters { flows, quantum, memory_limit, drop_batch }
    }
    fn aqm(&self) -> CobaltConfig {
        let FqCobaltConfig { target, interval, p_inc, p_dec, blue_threshold, ecn, .. } = *self;
        CobaltConfig {
            target,
            interval,
            p_inc,
            p_dec,
            blue_threshold,
            ecn,
            ..CobaltConfig::default()
        }
    }
}

impl Config for FqCobaltConfig {
    fn check(&self) -> Result<(), Fault> {
        self.lot().check()?;
        self.aqm().check()
    }
}

impl<P> Algorithm for FqCobalt<P> {
    type Config = FqCobaltConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "fq_cobalt",
        title: "Flow queueing with COBALT (FQ-COBALT)",
        idea: "A queue for each flow, in turns of a quantum, flows that send little first; COBALT \
            keeps each queue short.",
        equations: super::fq::EQUATIONS,
        sources: &[
            "RFC 8290 (the scheduler)",
            "Palmei et al.: Design and Evaluation of COBALT Queue Discipline, IEEE LANMAN 2019 \
                (`dumbbell explain cobalt`)",
            "ns-3 FqCobaltQueueDisc (defaults)",
        ],
        provenance: Provenance::Recollection,
        rule: "turns between flows; COBALT in each queue",
        family: "a queue for each flow",
        look: Some(Look::new(PlotColor::Green, 's', 1)),
        kernel: Kernel::Lacks { why: "Linux has COBALT only within cake", fix: "" },
        explained: Explained::by(&[
            (
                "reason == 'evicted'",
                "{buffer}, and its flow's queue held the most bytes, and \
                    gave up its oldest packets",
            ),
            ("reason == 'overflow'", "{full}"),
            (
                "reason == 'head'",
                "COBALT of its flow's own queue took it, where the delay had \
                    stood above {target} for an interval of {interval}; {found} in all queues",
            ),
            (
                "",
                "BLUE's chance in its flow's own queue, which had been full, fell on it; \
                    {found} in all queues",
            ),
        ]),
        ..About::PLAIN
    };
    fn new(config: &FqCobaltConfig, link: &LinkInfo) -> Self {
        let (cobalt, site) = (config.aqm(), *link);
        config.lot().over(link, move |_| Cobalt::new(&cobalt, &site))
    }
}
