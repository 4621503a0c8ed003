//! CAKE (Hoeiland-Joergensen, Taht, Morton: Piece of CAKE, IEEE LANMAN 2018; tc-cake(8)): shaper,
//! tins, fairness between hosts and between flows, and COBALT in each queue.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | t_next | `bandwidth` | the time at which the shaper lets the next packet go |
//! | L | `overhead`, `mpu`, `link_layer` | the length of a packet on the link |
//! | tin | `diffserv` | a class of codepoints with a threshold of bandwidth |
//! | flow, set | `flows`, `ways` | a queue, and those of which a flow may take one |
//! | load | `isolation` | active flows of the busier host of a flow |
//! | credits | `quantum` | what a queue may still send in its turn |
//!
//! Not here: the filter of acknowledgments (a queue does not see SACK blocks and windows), the
//! tins `precedence` and `diffserv8` (their thresholds are in no document), `autorate-ingress`,
//! `ingress`, `nat`, `wash` and filters.
pub mod config;
pub mod hosts;
pub mod link_layer;
pub mod order;
pub mod set_hash;
pub mod shaper;
pub mod tins;

#[cfg(test)]
mod tests;

use crate::aqm::cobalt::Cobalt;
use crate::qdisc::parts::classes::Classes;
use crate::qdisc::parts::scheduled::Scheduled;
use config::CakeConfig;
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::catalogue::{About, Algorithm, Explained, Kernel, Look, PlotColor, Provenance};
use order::CakeOrder;

/// CAKE.
pub type Cake<P> = Scheduled<CakeOrder, Cobalt, P>;

impl<P> Algorithm for Cake<P> {
    type Config = CakeConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "cake",
        title: "Common Applications Kept Enhanced (CAKE)",
        idea: "A shaper, classes that go first up to a share of its bandwidth, and in each a queue \
            for each flow: hosts share it first, then the flows of each; COBALT keeps each queue \
            short.",
        equations: "shaper:     send when t_next has come;  t_next <- t_next + 8 L / bandwidth\n\
            tin:        the first below its threshold, else the one that will be next\n\
            flow:       its own queue, else a free one of its set of `ways`, else a shared one\n\
            load:       max(active flows from its source, active flows to its destination)\n\
            turn:       credits <- credits + quantum / load  where credits <= 0, else send, \
            credits -= L\n\
            full:       drop from the head of the queue with the most bytes",
        sources: &[
            "Hoeiland-Joergensen, Taht, Morton: Piece of CAKE: A Comprehensive Queue Management \
                Solution for Home Gateways, IEEE LANMAN 2018 (from memory)",
            "tc-cake(8): options, tins, overheads, the numbers of its example",
            "RFC 8290 section 4.2 (lists of new and old queues)",
            "Palmei et al.: Design and Evaluation of COBALT Queue Discipline, IEEE LANMAN 2019 \
                (`dumbbell explain cobalt`)",
        ],
        provenance: Provenance::Recollection,
        rule: "a shaper; tins; turns between hosts and flows; COBALT in each queue",
        family: "a queue for each flow",
        look: Some(Look::new(PlotColor::Green, 'P', 5)),
        kernel: Kernel::Lacks {
            why: "Linux's cake is this algorithm, and `tc` lines are not written for it yet",
            fix: "",
        },
        explained: Explained::by(&[
            (
                "reason == 'evicted'",
                "{buffer}, and its flow's queue held the most bytes, and gave up its oldest packet",
            ),
            ("reason == 'overflow'", "{full}"),
            (
                "reason == 'head'",
                "COBALT of its flow's own queue took it, where the delay had stood above target \
                    (a twentieth of {rtt}); {found} in all queues",
            ),
            (
                "",
                "BLUE's chance in its flow's own queue, which had been full, fell on it; {found} \
                    in all queues",
            ),
        ]),
        ..About::PLAIN
    };
    fn new(config: &CakeConfig, link: &LinkInfo) -> Self {
        let (flows, site) = (config.flows as usize, *link);
        let cobalts: Vec<_> = config.tins().iter().map(|tin| config.cobalt(tin, link)).collect();
        let count = flows * cobalts.len();
        let cobalt = move |class: usize| Cobalt::new(&cobalts[class / flows], &site);
        Scheduled::of(CakeOrder::new(&config.order()), Classes::new(count, link, cobalt))
    }
}
