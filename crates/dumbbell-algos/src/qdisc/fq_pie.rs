//! FQ-PIE: flow queueing with PIE in each queue.
//!
//! [`fq`](super::fq) has the scheduler, [`pie`](crate::aqm::pie) the algorithm; here are the
//! parameters of tc-fq_pie(8).
use crate::aqm::pie::{Pie, PieConfig};
use crate::qdisc::parts::flow_queues::{FqParameters, Queued};
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Look, PlotColor, Provenance,
};
use dumbbell_core::units::{Bytes, Span};
use dumbbell_macros::config;

/// Flow queueing with PIE.
pub type FqPie<P> = Queued<Pie, P>;

/// Parameters of [`FqPie`]. The port's limit is that of all queues (tc-fq_pie(8): 10240 packets).
#[config]
pub struct FqPieConfig {
    /// The delay in a queue that the controller steers to.
    #[schemars(extend("x-source" = "tc-fq_pie(8): 15 ms"))]
    #[config(default = PieConfig::default().target)]
    pub target: Span,
    /// Time between two updates of the probability.
    #[schemars(extend("x-source" = "tc-fq_pie(8): 15 ms"))]
    #[config(default = PieConfig::default().tupdate)]
    pub tupdate: Span,
    /// Gain of the distance from the target, in 1/s (`tc` writes 16 times it).
    #[schemars(range(min = 0.0), extend("x-source" = "tc-fq_pie(8): 2/16"))]
    #[config(default = PieConfig::default().alpha)]
    pub alpha: f64,
    /// Gain of the delay's growth, in 1/s (`tc` writes 16 times it).
    #[schemars(range(min = 0.0), extend("x-source" = "tc-fq_pie(8): 20/16"))]
    #[config(default = PieConfig::default().beta)]
    pub beta: f64,
    /// Whether ECN-capable packets are marked rather than dropped.
    #[schemars(extend("x-source" = "tc-fq_pie(8): noecn"))]
    pub ecn: bool,
    /// From this probability on ECN-capable packets too are dropped.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "tc-fq_pie(8): ecn_prob 10 %"))]
    #[config(default = PieConfig::default().mark_ecnth)]
    pub mark_ecnth: f64,
    /// Whether the probability is scaled by the packet's size.
    #[schemars(extend("x-source" = "tc-fq_pie(8): nobytemode"))]
    pub bytemode: bool,
    /// Number of queues; flows are spread over them by a hash with a salt of the run.
    #[schemars(range(min = 1, max = 65536), extend("x-source" = "tc-fq_pie(8): 1024"))]
    #[config(default = FqParameters::RFC_8290.flows)]
    pub flows: u32,
    /// Bytes that a queue may send in its turn.
    #[schemars(extend("x-source" = "tc-fq_pie(8): 1514"))]
    #[config(default = FqParameters::RFC_8290.quantum)]
    pub quantum: Bytes,
    /// Bytes that all queues may hold, in addition to the port's limit.
    #[schemars(extend("x-source" = "tc-fq_pie(8): 32 MiB"))]
    #[config(default = FqParameters::RFC_8290.memory_limit)]
    pub memory_limit: Bytes,
    /// Packets dropped at once from the head of the queue with the most bytes when the buffer is
    /// full; at most half of it. (The kernel's drops the arriving packet.)
    #[schemars(range(min = 1, max = 65536), extend("x-source" = "RFC 8290 section 4.1: 64"))]
    #[config(default = FqParameters::RFC_8290.drop_batch)]
    pub drop_batch: u32,
}

impl FqPieConfig {
    fn lot(&self) -> FqParameters {
        let FqPieConfig { flows, quantum, memory_limit, drop_batch, .. } = *self;
        FqParameters { flows, quantum, memory_limit, drop_batch }
    }
    fn aqm(&self) -> PieConfig {
        let FqPieConfig { target, tupdate, alpha, beta, ecn, mark_ecnth, bytemode, .. } = *self;
        PieConfig {
            target,
            tupdate,
            alpha,
            beta,
            ecn,
            mark_ecnth,
            bytemode,
            ..PieConfig::default()
        }
    }
}

impl Config for FqPieConfig {
    fn check(&self) -> Result<(), Fault> {
        self.lot().check()?;
        self.aqm().check()
    }
}

impl<P> Algorithm for FqPie<P> {
    type Config = FqPieConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "fq_pie",
        title: "Flow queueing with PIE (FQ-PIE)",
        idea: "A queue for each flow, in turns of a quantum, flows that send little first; PIE \
            steers each queue's delay.",
        equations: super::fq::EQUATIONS,
        sources: &[
            "RFC 8290 (the scheduler)",
            "RFC 8033 (PIE; `dumbbell explain pie`)",
            "tc-fq_pie(8)",
        ],
        provenance: Provenance::TwoReadings,
        rule: "turns between flows; PIE in each queue",
        family: "a queue for each flow",
        look: Some(Look::new(PlotColor::Green, 'v', 2)),
        kernel: Kernel::Has { name: "fq_pie", note: "" },
        explained: Explained::by(&[
            (
                "reason == 'evicted'",
                "{buffer}, and its flow's queue held the most bytes, and \
                    gave up its oldest packets",
            ),
            ("reason == 'overflow'", "{full}"),
            (
                "reason == 'early'",
                "PIE of its flow's own queue drew it, to bring the delay \
                    there to {target}; {found} in all queues",
            ),
        ]),
        ..About::PLAIN
    };
    fn new(config: &FqPieConfig, link: &LinkInfo) -> Self {
        let (pie, site) = (config.aqm(), *link);
        config.lot().over(link, move |_| Pie::new(&pie, &site))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::units::Span;

    /// Each parameter of PIE that it has is that of its queues.
    #[test]
    fn its_queues_have_its_parameters() {
        let config = FqPieConfig {
            target: Span::from_ms(50),
            tupdate: Span::from_ms(20),
            alpha: 0.5,
            beta: 2.5,
            ecn: true,
            mark_ecnth: 0.5,
            bytemode: true,
            ..FqPieConfig::default()
        };
        let PieConfig { target, tupdate, alpha, beta, ecn, mark_ecnth, bytemode, .. } =
            config.aqm();
        assert_eq!((target, tupdate), (config.target, config.tupdate));
        assert_eq!((alpha, beta, mark_ecnth), (0.5, 2.5, 0.5));
        assert!(ecn && bytemode && !PieConfig::default().bytemode);
    }
}
