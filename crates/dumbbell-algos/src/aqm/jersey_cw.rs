//! Congestion warning, the router's part of TCP Jersey (Xu, Tian, Ansari, IEEE JSAC 22(4), 2004).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | q, avg | backlog, state | queue that the arriving packet finds, and its average |
//! | threshold | `threshold`, `length` | average from which on packets carry the warning |
//! | w | `w` | weight of the newest sample |
//!
//! It draws no random number and drops nothing: while the average is above the threshold *every*
//! ECN-capable packet is marked, so that a sender can tell a loss by congestion (marks within the
//! last round-trip) from a radio error.
//!
//! Reconstructed: the weight of the average, which the paper leaves open, and that an idle time
//! leaves it as it is.
use dumbbell_core::aqm::{Aqm, Cx, Hears, LinkInfo, QueueView, Reason, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Law, Look, Over, PlotColor, Provenance, Size, SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Backlog, Capacity, Packets};
use dumbbell_macros::config;

/// Parameters of [`JerseyCw`].
#[config]
pub struct JerseyCwConfig {
    /// Average queue beyond which all packets are marked, as a share of the queue's limit (in
    /// packets or bytes as that is). A queue without a limit needs `length`.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "75 % of the buffer, as papers on CAE-TCP \
            say of TCP Jersey")
    )]
    #[config(default = 0.75)]
    pub threshold: f64,
    /// The threshold as a length; `"0 pkt"`: the share of the limit counts.
    #[schemars(extend("x-source" = "Xu, Tian, Ansari 2004: a share of the buffer"))]
    #[config(default = Packets(0.0))]
    pub length: Packets,
    /// Weight of the newest sample in the average; 1: the queue as it is. Reconstructed.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "reconstructed: the paper has no value"),
    )]
    #[config(default = 0.2)]
    pub w: f64,
    /// Whether packets are marked; off, nothing is ever signaled.
    #[schemars(extend("x-source" = "Xu, Tian, Ansari 2004: the warning is the CE codepoint"))]
    #[config(default = true)]
    pub ecn: bool,
}

impl Config for JerseyCwConfig {}

/// Marks every packet while the average queue is long.
#[derive(Clone, Debug)]
pub struct JerseyCw {
    w: f64,
    ecn: bool,
    /// The unit in which queue and threshold are counted: a limit of that unit.
    unit: Capacity,
    threshold: f64,
    avg: f64,
}

impl Algorithm for JerseyCw {
    type Config = JerseyCwConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "jersey_cw",
        title: "Congestion warning (TCP Jersey's router)",
        idea: "While the average queue is beyond a threshold, mark every packet that can be \
            marked; drop none.",
        equations: "avg <- (1 - w) avg + w q                  at each arrival\n\
                    mark  iff  avg > threshold * limit        (avg > length, where that is given)",
        sources: &[
            "Xu, Tian, Ansari: TCP-Jersey for Wireless IP Communications, IEEE JSAC 22(4), \
            2004, section III",
        ],
        provenance: Provenance::Reconstruction,
        rule: "an average beyond one threshold: marks all, drops none",
        family: "RED family",
        look: Some(Look::new(PlotColor::Orange, '*', 2)),
        size: Size {
            measures: "average length, in the unit of the limit",
            byte_mode: "a limit in bytes",
            signals: SizeLaw::None,
        },
        law: Law::Over(Over {
            x: "avg",
            label: "average queue [packets]",
            text: "mark iff avg > threshold limit",
            signals: "avg > (length or threshold * limit)",
            whole: false,
            capable: true,
            queue: "limit = \"50 pkt\"",
            ..Over::PLAIN
        }),
        explained: Explained::by(&[
            (
                "reason == 'overflow'",
                "{full}; the average queue was {avg:length}, and \
                    congestion warnings only mark",
            ),
            (
                "",
                "the average queue was {avg:length}, beyond the threshold from which every \
                    packet that can be marked is",
            ),
        ]),
        ..About::PLAIN
    };
    fn new(config: &JerseyCwConfig, link: &LinkInfo) -> Self {
        let (unit, threshold) = match link.capacity.filled(Backlog::default()) {
            _ if config.length.0 > 0.0 => (Capacity::Packets(u32::MAX), config.length.0),
            Some((_, limit)) => (link.capacity, config.threshold * limit),
            None => (Capacity::Unlimited, f64::INFINITY),
        };
        JerseyCw { w: config.w, ecn: config.ecn, unit, threshold, avg: 0.0 }
    }
}

impl JerseyCw {
    fn length(&self, b: Backlog) -> f64 {
        self.unit.filled(b).map_or(f64::from(b.packets), |(length, _)| length)
    }
}

impl Aqm for JerseyCw {
    fn hears(&self) -> Hears {
        Hears::ARRIVALS
    }
    #[inline]
    fn arrive(&mut self, _: &mut Cx<'_>, q: &impl QueueView, _: &Meta, _fits: bool) -> Verdict {
        self.avg += self.w * (self.length(q.backlog()) - self.avg);
        if self.ecn && self.avg > self.threshold {
            Verdict::Mark(Reason::Forced)
        } else {
            Verdict::Pass
        }
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("avg", self.avg);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::packet::Ecn;
    use dumbbell_core::qdisc::Fifo;
    use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
    use dumbbell_core::units::{Span, Time};

    const NONE: [u64; 0] = [];
    type Queue = Bench<Fifo<JerseyCw, Numbered>>;

    fn queue(config: &JerseyCwConfig, capacity: Capacity) -> Queue {
        let site = link(capacity);
        Bench::new(Fifo::new(JerseyCw::new(config, &site)), site, 1, false)
    }

    /// Packets of `sizes` at once, the first of which is in transmission: which are marked.
    fn marked(q: &mut Queue, sizes: &[u32], ecn: Ecn) -> Vec<u64> {
        for bytes in sizes {
            q.arrive(Time::ZERO, packet(0, *bytes, ecn));
        }
        assert!(
            q.journal.0.iter().all(|e| matches!(e, Event::Marked(_, Reason::Forced))),
            "{:?}",
            q.journal
        );
        q.journal
            .0
            .iter()
            .map(|e| if let Event::Marked(id, _) = e { *id } else { u64::MAX })
            .collect()
    }

    fn now() -> JerseyCwConfig {
        JerseyCwConfig { w: 1.0, ..JerseyCwConfig::default() }
    }

    /// Packet n finds n - 1 in the queue: with eight places seven are the first beyond three
    /// quarters.
    #[test]
    fn all_are_marked_beyond_the_threshold() {
        let limit = Capacity::Packets(8);
        assert_eq!(marked(&mut queue(&now(), limit), &[1000; 9], Ecn::Ect0), [8]);
        let half = JerseyCwConfig { threshold: 0.5, ..now() };
        assert_eq!(marked(&mut queue(&half, limit), &[1000; 9], Ecn::Ect1), [6, 7, 8]);
        assert_eq!(marked(&mut queue(&half, limit), &[1000; 9], Ecn::NotEct), NONE);
        assert_eq!(
            marked(
                &mut queue(&JerseyCwConfig { ecn: false, ..half }, limit),
                &[1000; 9],
                Ecn::Ect0
            ),
            NONE
        );
    }

    #[test]
    fn the_threshold_is_in_the_units_of_the_limit() {
        let half = JerseyCwConfig { threshold: 0.5, ..now() };
        let bytes = Capacity::Bytes(8000);
        assert_eq!(marked(&mut queue(&half, bytes), &[1000; 9], Ecn::Ect0), [6, 7, 8]);
        assert_eq!(
            marked(&mut queue(&half, bytes), &[100, 500, 500, 500, 500, 1500, 600, 500], Ecn::Ect0),
            [7]
        );
        assert_eq!(marked(&mut queue(&half, Capacity::Unlimited), &[1000; 50], Ecn::Ect0), NONE);
        let three = JerseyCwConfig { length: Packets(3.0), ..now() };
        for capacity in [bytes, Capacity::Unlimited, Capacity::Packets(8)] {
            assert_eq!(marked(&mut queue(&three, capacity), &[1000; 7], Ecn::Ect0), [5, 6]);
        }
    }

    /// avg_n = Q (1 - (1 - w)^n) at a constant queue of Q.
    #[test]
    fn the_average_is_a_low_pass() {
        let site = link(Capacity::Packets(10));
        let (mut rng, flows) = (
            dumbbell_core::rng::Stream::named(1, "cw"),
            dumbbell_core::packet::flow::FlowTable::default(),
        );
        let mut jersey = JerseyCw::new(&JerseyCwConfig::default(), &site);
        let mut store = dumbbell_core::qdisc::packet_queue::PacketQueue::default();
        (0..9).for_each(|id| {
            store.push(Time::ZERO, Numbered { id, meta: packet(0, 1000, Ecn::Ect0) })
        });
        for n in 1..=20 {
            let cx = &mut Cx { now: Time::ZERO, rng: &mut rng, link: &site, flows: &flows };
            let verdict = jersey.arrive(cx, &store, &packet(0, 1000, Ecn::Ect0), true);
            let closed = 9.0 * (1.0 - libm::pow(0.8, f64::from(n)));
            assert!((jersey.avg - closed).abs() < 1e-12);
            // 9 (1 - 0.8^n) > 7.5 from n = 9 on.
            assert_eq!(verdict, if n >= 9 { Verdict::Mark(Reason::Forced) } else { Verdict::Pass });
        }
    }

    /// A burst into an empty queue, then one in for one out: packets carry the warning by the
    /// average, not by the queue.
    #[test]
    fn the_warning_follows_the_average() {
        let mut q = queue(&JerseyCwConfig::default(), Capacity::Packets(10));
        assert_eq!(marked(&mut q, &[1000; 11], Ecn::Ect0), NONE);
        (1..=8).for_each(|n| {
            _ = q.arrive(Time::ZERO + Span::from_ms(8 * n), packet(0, 1000, Ecn::Ect0))
        });
        q.drain();
        // The average is kept over the idle time, and falls with the packets that find nothing.
        (0..4).for_each(|n| {
            _ = q.arrive(Time::ZERO + Span::from_ms(1000 + 10 * n), packet(0, 1000, Ecn::Ect0))
        });
        let found = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9].into_iter().chain([9; 8]).chain([0; 4]);
        let averages = found.scan(0.0, |avg, n| {
            *avg += 0.2 * (f64::from(n) - *avg);
            Some(*avg)
        });
        let expected = averages
            .enumerate()
            .filter(|(_, avg)| *avg > 7.5)
            .map(|(id, _)| id as u64)
            .collect::<Vec<_>>();
        assert_eq!(expected.first(), Some(&14), "the fourth that finds nine");
        let events = q.journal.0.iter();
        let got: Vec<u64> = events
            .filter_map(|e| if let Event::Marked(id, _) = e { Some(*id) } else { None })
            .collect();
        assert_eq!(got, expected);
    }
}
