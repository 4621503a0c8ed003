//! DRIO, Dynamic RIO (Lin, Zheng, Hou, ICNP 1999): RIO that remembers whose packets were OUT
//! lately, and drops OUT packets of the flows that had most of them.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | H | `history` | the flows of the last OUT packets that arrived, dropped or not |
//! | h_i | `hit_ratio` | the share of flow i in H |
//! | N | `flows` | how many flows are in H |
//! | gamma | the same | how strongly h_i counts; with 0 it is RIO |
//!
//! The primary text was not available. We know of the history list and the hit ratio; all else is
//! reconstructed, and a parameter.
use super::rio::config::{RioConfig, check_weighed};
use crate::aqm::rio::classes::Classes;
use dumbbell_core::aqm::{Aqm, Cx, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::{FlowId, Meta};
use dumbbell_core::probe::Probe;
use dumbbell_core::units::Capacity;
use dumbbell_macros::{config, delegate};
use std::collections::VecDeque;

/// The length of the list where the queue has no limit that it could be twice of.
const UNLIMITED: u32 = 200;

/// Parameters of [`Drio`]. Thresholds are in packets.
#[config]
pub struct DrioConfig {
    /// Length of the history list, packets; 0: twice the queue's limit, or 200 where it has
    /// none. Reconstructed.
    #[schemars(range(min = 0), extend("x-source" = "reconstructed: twice the queue's limit"))]
    #[config(default = 0)]
    pub history: u32,
    /// Exponent of a flow's hit ratio over the mean one; 0: RIO. Reconstructed.
    #[schemars(
        range(min = 0.0, max = 8.0),
        extend("x-source" = "reconstructed: in proportion"),
    )]
    #[config(default = 1.0)]
    pub gamma: f64,
    /// Whether only flows with more than the mean hit ratio are signaled. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: all are, by their ratio"))]
    pub strict: bool,
    /// While the list is shorter than this, the algorithm is RIO. Reconstructed.
    #[schemars(range(min = 0), extend("x-source" = "reconstructed: 16 packets"))]
    #[config(default = 16)]
    pub warm_up: u32,
    /// RIO's parameters.
    #[config(flatten)]
    pub rio: RioConfig,
}

impl Config for DrioConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.history > 0 && self.history < self.warm_up {
            let cause =
                format!("a list of {} never has the {} of `warm_up`", self.history, self.warm_up);
            return Err(
                Fault::at("history", cause).fix("write a longer list, or a shorter warm_up")
            );
        }
        self.rio().check()?;
        check_weighed(self.spacing)
    }
}

impl DrioConfig {
    /// The length of the list at a link.
    fn length(&self, link: &LinkInfo) -> usize {
        let limit = match link.capacity {
            _ if self.history > 0 => return self.history as usize,
            Capacity::Packets(n) => u64::from(n),
            Capacity::Bytes(n) | Capacity::Reached(n) => n / self.mean_packet_size.0,
            limit @ Capacity::Buffers { .. } => limit
                .in_packets(self.mean_packet_size.0.min(u64::from(u32::MAX)) as u32)
                .unwrap_or_default() as u64,
            Capacity::Unlimited => u64::from(UNLIMITED) / 2,
        };
        (2 * limit.min(1 << 20)).max(u64::from(self.warm_up)).max(1) as usize
    }
}

/// The flows whose packets were OUT lately. Flows are numbered densely, so the counts are a list by
/// number.
#[derive(Clone, Debug)]
struct History {
    list: VecDeque<FlowId>,
    length: usize,
    counts: Vec<u32>,
    flows: u32,
}

impl History {
    fn new(length: usize) -> Self {
        History { list: VecDeque::with_capacity(length), length, counts: Vec::new(), flows: 0 }
    }

    fn count(&self, flow: FlowId) -> u32 {
        self.counts.get(flow.0 as usize).copied().unwrap_or(0)
    }

    /// The hit ratio of a flow, and that times the number of flows: just 1 for one that has as many
    /// as the others.
    fn ratio(&self, flow: FlowId) -> (f64, f64) {
        let (count, all) = (f64::from(self.count(flow)), self.list.len().max(1) as f64);
        (count / all, count * f64::from(self.flows) / all)
    }

    fn push(&mut self, flow: FlowId) {
        if self.list.len() == self.length
            && let Some(oldest) = self.list.pop_front()
        {
            let count = &mut self.counts[oldest.0 as usize];
            *count -= 1;
            self.flows -= u32::from(*count == 0);
        }
        let i = flow.0 as usize;
        if i >= self.counts.len() {
            self.counts.resize(i + 1, 0);
        }
        self.counts[i] += 1;
        self.flows += u32::from(self.counts[i] == 1);
        self.list.push_back(flow);
    }
}

/// RIO with a memory.
#[derive(Clone, Debug)]
pub struct Drio {
    classes: Classes,
    history: History,
    gamma: f64,
    strict: bool,
    warm_up: usize,
    hit_ratio: f64,
    weight: f64,
}

impl Algorithm for Drio {
    type Config = DrioConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "drio",
        title: "Dynamic RIO (DRIO)",
        idea: "RIO that drops a flow's OUT packets more often the more of the last OUT packets \
            were that flow's.",
        equations: "H: the flows of the last OUT packets;  h_i = share of i in H;  N = flows in H\n\
                    OUT:  p_a = RIO's p_a times (h_i N)^gamma;  strict: 0 unless h_i > 1/N\n\
                    IN, and while |H| < warm_up:  RIO",
        sources: &[
            "Lin, Zheng, Hou: Enhancing TCP Throughput over Differentiated Services, ICNP 1999 \
                (not at hand; as the paper on the data-buffer marker tells of it)",
            "Clark, Fang: Explicit Allocation of Best-Effort Packet Delivery Service, IEEE/ACM ToN \
                6(4), 1998 (RIO)",
        ],
        provenance: Provenance::Reconstruction,
        rule: "RIO's, and how many of the last OUT packets were the flow's",
        family: "in and out of profile",
        look: Some(Look::new(PlotColor::Orange, 's', 4)),
        kernel: Kernel::Lacks { why: "no kernel has it", fix: "" },
        size: Size { measures: "as `rio`", byte_mode: "bytes", signals: SizeLaw::Constant },
        law: Law::Named { law: "rio", remark: "one flow" },
        explained: Explained::as_story("rio", ""),
        ..About::PLAIN
    };
    const CHANCE: &'static str = "red";

    fn new(config: &DrioConfig, link: &LinkInfo) -> Self {
        let &DrioConfig { gamma, strict, warm_up, .. } = config;
        let (classes, history) = (Classes::new(&config.rio()), History::new(config.length(link)));
        Drio {
            classes,
            history,
            gamma,
            strict,
            warm_up: warm_up as usize,
            hit_ratio: 0.0,
            weight: 1.0,
        }
    }
}

impl Drio {
    /// Returns the factor on RIO's probability for an OUT packet of a flow.
    fn weigh(&mut self, flow: FlowId) -> f64 {
        let (hit, of_mean) = self.history.ratio(flow);
        self.hit_ratio = hit;
        if self.history.list.len() < self.warm_up || self.history.list.is_empty() {
            1.0
        } else if self.strict && of_mean <= 1.0 {
            0.0
        } else {
            libm::pow(of_mean, self.gamma)
        }
    }
}

#[delegate(self.classes)]
impl Aqm for Drio {
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        if self.classes.is_in(p) {
            return self.classes.arrive(cx, q, p, fits);
        }
        let weight = self.weigh(p.flow);
        self.weight = weight;
        self.history.push(p.flow);
        self.classes.arrive_weighed(cx, q, p, weight, None)
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.classes.probe(out);
        out.gauge("weight", self.weight);
        out.gauge("hit_ratio", self.hit_ratio);
        out.gauge("flows", f64::from(self.history.flows));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::red::spacing::SpacingLaw;
    use crate::aqm::rio::tests::{all_events, marked_shares, narrow};
    use crate::aqm::rio::{Rio, RioConfig};
    use dumbbell_core::catalogue::read;
    use dumbbell_core::packet::flow::FlowInfo;
    use dumbbell_core::testing::link;
    use dumbbell_core::units::{Bytes, Packets};
    use serde_json::json;

    /// DRIO with the curves of [`narrow`].
    fn like_narrow(changes: DrioConfig) -> DrioConfig {
        let RioConfig { w_q, min_in, max_in, max_p_in, min_mid, max_mid, min_out, max_out, .. } =
            narrow();
        DrioConfig { w_q, min_in, max_in, max_p_in, min_mid, max_mid, min_out, max_out, ..changes }
    }

    /// With gamma = 0, and while the list is short, it is RIO packet by packet; else not.
    #[test]
    fn without_memory_it_is_rio() {
        let events = |config: DrioConfig| {
            all_events(move |site| Drio::new(&like_narrow(config.clone()), site), |d| d)
        };
        let rio = all_events(|site| Rio::new(&narrow(), site), |d| d);
        assert_eq!(events(DrioConfig { gamma: 0.0, ..DrioConfig::default() }), rio);
        assert_eq!(events(DrioConfig { warm_up: 1000, ..DrioConfig::default() }), rio);
        assert_ne!(events(DrioConfig::default()), rio);
        assert_ne!(events(DrioConfig { strict: true, gamma: 0.0, ..DrioConfig::default() }), rio);
    }

    /// At an average of 20 RIO's curve says 0.1 for OUT. Of three flows that take turns all have
    /// the same; one that sends as often as the two others together has 3/2 of that where they have
    /// 3/4 each: twice theirs.
    #[test]
    fn who_sends_twice_as_much_out_loses_twice_as_often() {
        let shares = |config: DrioConfig, turns: &'static [u32]| {
            let config =
                DrioConfig { w_q: 1.0, ecn: true, spacing: SpacingLaw::Bernoulli, ..config };
            marked_shares(
                |site| Drio::new(&config, site),
                &[FlowInfo::default(); 3],
                20,
                |n| turns[n % turns.len()],
            )
        };
        let near = |shares: Vec<f64>, expected: [f64; 3]| {
            let close = |(share, p): (&f64, f64)| {
                (share - p).abs() < 4.0 * (p * (1.0 - p) / 15_000.0).sqrt() + 1e-12
            };
            assert!(shares.iter().zip(expected).all(close), "{shares:?} and not {expected:?}");
        };
        near(shares(DrioConfig::default(), &[0, 1, 2]), [0.1, 0.1, 0.1]);
        near(shares(DrioConfig::default(), &[0, 1, 0, 2]), [0.15, 0.075, 0.075]);
        near(
            shares(DrioConfig { gamma: 2.0, ..DrioConfig::default() }, &[0, 1, 0, 2]),
            [0.225, 0.05625, 0.05625],
        );
        near(
            shares(DrioConfig { strict: true, ..DrioConfig::default() }, &[0, 1, 0, 2]),
            [0.15, 0.0, 0.0],
        );
    }

    /// The list forgets the oldest; a flow that is no longer in it does not count.
    #[test]
    fn the_list_has_a_length() {
        let mut history = History::new(4);
        let ratio = |h: &History, flow| h.ratio(FlowId(flow));
        [0, 0, 1].into_iter().for_each(|flow| history.push(FlowId(flow)));
        assert_eq!((ratio(&history, 0), ratio(&history, 9)), ((2.0 / 3.0, 4.0 / 3.0), (0.0, 0.0)));
        [2, 1].into_iter().for_each(|flow| history.push(FlowId(flow)));
        assert_eq!((ratio(&history, 0), history.flows), ((0.25, 0.75), 3), "0 1 2 1");
        history.push(FlowId(1));
        assert_eq!((ratio(&history, 1), history.flows), ((0.75, 1.5), 2), "1 2 1 1");
        let length = |capacity, history| {
            DrioConfig { history, mean_packet_size: Bytes(500), ..DrioConfig::default() }
                .length(&link(capacity))
        };
        assert_eq!(length(Capacity::Packets(100), 0), 200);
        assert_eq!(length(Capacity::Bytes(50_000), 0), 200);
        assert_eq!((length(Capacity::Unlimited, 0), length(Capacity::Packets(100), 30)), (200, 30));
        assert_eq!(length(Capacity::Packets(0), 0), 16, "one that can warm up");
    }

    #[test]
    fn contradictions_are_refused() {
        let fault = |json| read::<DrioConfig>(&json).unwrap_err();
        assert_eq!(fault(json!({"history": 10})).at, "history");
        assert_eq!(fault(json!({"spacing": "uniform_stored"})).at, "spacing");
        assert_eq!(fault(json!({"min_out": "40 pkt"})).at, "max_out");
        assert_eq!(fault(json!({"gamma": -1})).at, "gamma");
        assert_eq!(
            read::<DrioConfig>(&json!({"min_out": "20 pkt"})).unwrap().rio().min_out,
            Packets(20.0)
        );
    }
}
