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
//! | next | `ack_filter` | the next byte that an acknowledgment expects |
//!
//! The filter of acknowledgments is that of the message with which it was proposed for Linux
//! ("sch_cake: Add optional ACK filter", netdev 2018), except that an acknowledgment with SACK
//! blocks or other options is never dropped. It looks at what arrives: nothing is dropped at
//! departure. The message says that the conservative filter keeps at least two acknowledgments;
//! here the newest is one of them.
//!
//! The thresholds of `diffserv8` are those that users read from `tc -s qdisc`; its codepoints are
//! those of RFC 4594's classes under their names, and LE and CS1 as a message of 2022 has them
//! ("sch_cake: revise Diffserv docs"). Those of `precedence` are in no document: they are the same
//! here.
//!
//! Not here: `autorate-ingress`, `ingress`, `nat`, `fwmark`, `split-gso` and filters.
pub mod ack_filter;
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
            full:       drop from the head of the queue with the most bytes\n\
            filter:     an acknowledgment came: drop the oldest of its flow with a lower next, no \
            options,\n.           and no other echo of congestion since",
        sources: &[
            "Hoeiland-Joergensen, Taht, Morton: Piece of CAKE: A Comprehensive Queue Management \
                Solution for Home Gateways, IEEE LANMAN 2018 (from memory)",
            "tc-cake(8): options, tins, overheads, the numbers of its example",
            "The message of the patch \"sch_cake: Add optional ACK filter\", netdev, July 2018",
            "RFC 8290 section 4.2 (lists of new and old queues)",
            "Palmei et al.: Design and Evaluation of COBALT Queue Discipline, IEEE LANMAN 2019 \
                (`dumbbell explain cobalt`)",
        ],
        provenance: Provenance::Recollection,
        rule: "a shaper; tins; turns between hosts and flows; COBALT in each queue",
        family: "a queue for each flow",
        look: Some(Look::new(PlotColor::Green, 'P', 5)),
        kernel: Kernel::Has { name: "cake", note: "" },
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
