//! Stochastic fairness queueing (McKenney, INFOCOM 1990): flows are hashed onto queues that take
//! turns, and a full buffer takes from the longest queue.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | divisor | `divisor` | number of queues that the hash knows |
//! | allot | | bytes that a queue may still send in its turn |
use crate::aqm::AnyAqm;
use crate::aqm::drop_tail::DropTail;
use crate::qdisc::parts::child_aqm::Child;
use crate::qdisc::parts::classes::{ClassView, Classes};
use crate::qdisc::parts::deficit_rounds::DeficitRounds;
use crate::qdisc::parts::flow_hash::Hash;
use crate::qdisc::parts::flow_queues::check_quantum;
use crate::qdisc::parts::scheduled::{DropPolicy, Order, Scheduled, TrimPolicy};
use dumbbell_core::aqm::{Cx, LinkInfo};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Look, PlotColor, Provenance,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Bytes, Capacity, Span, Time};
use dumbbell_macros::config;

/// Stochastic fairness queueing with an AQM in each queue.
pub type Sfq<P> = Scheduled<Buckets, AnyAqm, P>;

/// Parameters of [`Sfq`]. The port's limit is that of all queues (tc-sfq(8): 127 packets).
#[config]
pub struct SfqConfig {
    /// Number of queues that flows are hashed onto.
    #[schemars(range(min = 1, max = 65536), extend("x-source" = "tc-sfq(8): 1024"))]
    #[config(default = 1024)]
    pub divisor: u32,
    /// Bytes that a queue may send in its turn.
    #[schemars(extend("x-source" = "tc-sfq(8): the MTU"))]
    #[config(default = Bytes(1500))]
    pub quantum: Bytes,
    /// Packets that one queue may hold.
    #[schemars(range(min = 1, max = 65535), extend("x-source" = "tc-sfq(8): 127"))]
    #[config(default = 127)]
    pub depth: u32,
    /// Period after which the hash is drawn again and waiting packets are moved, so that no two
    /// flows share a queue for long; zero: never.
    #[schemars(extend("x-source" = "tc-sfq(8): 0; McKenney: from time to time"))]
    #[config(default = Span::ZERO)]
    pub perturb: Span,
    /// Whether the longest queue loses its oldest packets instead of its newest.
    #[schemars(extend("x-source" = "tc-sfq(8): the newest"))]
    pub headdrop: bool,
    /// When each queue signals congestion.
    #[schemars(extend("x-source" = "tc-sfq(8): only when the buffer is full"))]
    #[config(default = Child::of::<DropTail>())]
    pub aqm: Child,
}

/// Least time between two draws of the hash: moving what waits costs time.
const LEAST_PERTURB: Span = Span::from_ms(1);

impl Config for SfqConfig {
    fn check(&self) -> Result<(), Fault> {
        check_quantum(self.quantum)?;
        if self.perturb > Span::ZERO && self.perturb < LEAST_PERTURB {
            let cause = format!("the hash would be drawn again every {}", self.perturb);
            return Err(Fault::at("perturb", cause).fix(
                "write perturb = \"10 s\", or \"0 s\" for \
                never",
            ));
        }
        self.aqm.check("aqm")
    }
}

/// The order of queues.
#[derive(Clone, Debug)]
pub struct Buckets {
    /// Drawn when the first packet comes.
    hash: Option<Hash>,
    count: u32,
    turns: DeficitRounds,
    trim: TrimPolicy,
    period: Span,
    next_stir: Option<Time>,
}

impl<P> Algorithm for Sfq<P> {
    type Config = SfqConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "sfq",
        title: "Stochastic fairness queueing (SFQ)",
        idea: "Flows are hashed onto many queues that take turns; a full buffer takes from the \
            longest of them.",
        equations: "arrival:    queue = hash(flow, salt);  full: drop the newest (headdrop: \
            oldest) of the longest queue\ndeparture:  the queue whose turn it is:  allot <= 0:  \
            allot += quantum, next\nelse send, allot -= L;  empty: out\nperturb:    new salt; \
            waiting packets move to their new queues in the order of arrival",
        sources: &["McKenney: Stochastic Fairness Queueing, INFOCOM 1990", "tc-sfq(8)"],
        provenance: Provenance::TwoReadings,
        rule: "turns between hashed flows; the longest gives up a packet",
        family: "a queue for each flow",
        look: Some(Look::new(PlotColor::Black, 'D', 2)),
        kernel: Kernel::Has { name: "sfq", note: "" },
        explained: Explained {
            clauses: &[
                (
                    "reason == 'evicted' and headdrop",
                    "{buffer}, and its flow's queue held the most packets, and gave up its oldest",
                ),
                (
                    "reason == 'evicted'",
                    "{buffer}, and its flow's queue held the most packets, and \
                    gave up its newest",
                ),
            ],
            story: "classes",
            remark: "",
        },
        ..About::PLAIN
    };
    fn new(config: &SfqConfig, link: &LinkInfo) -> Self {
        let count = config.divisor as usize;
        let order = Buckets {
            hash: None,
            count: config.divisor,
            turns: DeficitRounds::new(count, config.quantum.0, false),
            trim: TrimPolicy {
                in_bytes: false,
                head: config.headdrop,
                batch: 1,
                memory: u64::MAX,
                own: Capacity::Packets(config.depth),
            },
            period: config.perturb,
            next_stir: (config.perturb > Span::ZERO).then(|| Time::ZERO + config.perturb),
        };
        Scheduled::of(order, Classes::new(count, link, config.aqm.maker(link)))
    }
}

impl Order for Buckets {
    #[inline]
    fn classify(&mut self, cx: &mut Cx<'_>, p: &Meta) -> usize {
        let count = self.count;
        self.hash.get_or_insert_with(|| Hash::drawn(cx.rng, count)).of(p.flow)
    }
    fn joined(&mut self, _: &Cx<'_>, class: usize, _: &Meta, _: &impl ClassView) {
        self.turns.joined(class);
    }
    fn next(&mut self, _: &Cx<'_>, _: &impl ClassView) -> Option<usize> {
        self.turns.turn()
    }
    /// A queue that is empty leaves at once, and comes back with a full turn.
    fn sends(&mut self, class: usize, _: Time, p: &Meta, q: &impl ClassView) {
        self.turns.sends(class, p.ip_len);
        if q.backlog(class).packets == 0 {
            self.turns.ran_dry(class);
        }
    }
    fn ran_dry(&mut self, class: usize, _: &impl ClassView) {
        self.turns.ran_dry(class);
    }
    fn full(&self) -> DropPolicy {
        DropPolicy::Longest(self.trim)
    }
    fn next_stir(&self) -> Option<Time> {
        self.next_stir
    }
    fn stir(&mut self, cx: &mut Cx<'_>) -> Option<Hash> {
        self.next_stir = Some(cx.now + self.period);
        self.hash = Some(Hash::drawn(cx.rng, self.count));
        self.hash
    }
    fn stirred(&mut self, q: &impl ClassView) {
        self.turns.restart(q);
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("active", self.turns.lengths().1 as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qdisc::parts::test_qdisc::{TestQdisc, numbers};
    use dumbbell_core::catalogue::read;
    use dumbbell_core::testing::{Numbered, link};
    use serde_json::json;

    type Fair = TestQdisc<Sfq<Numbered>>;

    fn deck(config: serde_json::Value, capacity: Capacity) -> Fair {
        TestQdisc::new(|site| Sfq::new(&read(&config).unwrap(), site), link(capacity))
    }

    #[test]
    fn queues_take_turns() {
        let mut d = deck(json!({}), Capacity::Unlimited);
        for flow in [1, 1, 1, 2, 2, 3] {
            d.put(flow, 0, 1500);
        }
        assert_eq!(numbers(&mut d), [0, 3, 5, 1, 4, 2]);
    }

    /// Packets of half the quantum: two in each turn.
    #[test]
    fn turns_are_counted_in_bytes() {
        let mut d = deck(json!({"quantum": "1000 B"}), Capacity::Unlimited);
        for (flow, bytes) in [(1, 500), (1, 500), (1, 500), (2, 1000), (2, 1000)] {
            d.put(flow, 0, bytes);
        }
        assert_eq!(numbers(&mut d), [0, 1, 3, 2, 4]);
    }

    #[test]
    fn a_full_buffer_takes_the_newest_of_the_longest() {
        for (headdrop, gone) in
            [(false, [(3, "evicted"), (5, "evicted")]), (true, [(0, "evicted"), (1, "evicted")])]
        {
            let mut d = deck(json!({ "headdrop": headdrop }), Capacity::Packets(4));
            for flow in [1, 1, 1, 1, 2, 1] {
                d.put(flow, 0, 100);
            }
            assert_eq!(d.dropped(), gone);
        }
    }

    #[test]
    fn one_queue_holds_no_more_than_its_depth() {
        for (headdrop, gone) in
            [(false, [(2, "overflow"), (4, "overflow")]), (true, [(0, "evicted"), (1, "evicted")])]
        {
            let mut d = deck(json!({"depth": 2, "headdrop": headdrop}), Capacity::Unlimited);
            for flow in [1, 1, 1, 2, 1] {
                d.put(flow, 0, 100);
            }
            assert_eq!(d.dropped(), gone);
        }
    }

    /// Two flows in one of two queues are parted by a new draw within some periods, and nothing is
    /// lost or overtaken.
    #[test]
    fn a_new_hash_parts_flows_that_collide() {
        let mut d =
            deck(json!({"divisor": 2, "perturb": "10 s", "depth": 65535}), Capacity::Unlimited);
        for n in 0..100 {
            d.put(n % 2, 0, 100);
        }
        let (mut apart, mut together) = (false, false);
        for period in 1..=20 {
            assert_eq!(d.qdisc.classes().busy().len() == 2, d.qdisc.order().turns.lengths().1 == 2);
            apart |= d.qdisc.classes().busy().len() == 2;
            together |= d.qdisc.classes().busy().len() == 1;
            d.now = Time::ZERO + Span::from_secs(10 * period);
            d.wake();
        }
        assert!(apart && together);
        let mut left: [Vec<u64>; 2] = Default::default();
        numbers(&mut d).into_iter().for_each(|id| left[(id % 2) as usize].push(id));
        assert!(left.iter().all(|ids| ids.len() == 50 && ids.is_sorted()), "{left:?}");
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (config, at) in [
            (json!({"divisor": 0}), "divisor"),
            (json!({"depth": 0}), "depth"),
            (json!({"quantum": "0 B"}), "quantum"),
            (json!({"perturb": "1 us"}), "perturb"),
            (json!({"aqm": {"kind": "red", "max_p": 3}}), "aqm.max_p"),
        ] {
            let fault = read::<SfqConfig>(&config).unwrap_err();
            assert!(fault.at == at && fault.fix.is_some(), "{fault:?}");
        }
    }
}
