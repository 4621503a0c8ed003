//! Drop Tail: a queue that signals only by being full.
//!
//! With `victim = "front"` or `"random"` the arriving packet takes the place of the head or of a
//! packet drawn at random (Floyd, Jacobson 1993 section 8; drop from front: Lakshman, Neidhardt,
//! Ott, INFOCOM 1996).
use dumbbell_core::aqm::{Aqm, Cx, Hears, LinkInfo, Needs, QueueView, Slot, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Kernel, Law, Look, Over, PlotColor, Provenance, Size, SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which packet is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Victim {
    /// The arriving packet.
    #[default]
    Tail,
    /// The packet at the head of the queue.
    Front,
    /// One drawn at random from those that wait and the one that arrives.
    Random,
}

impl Victim {
    /// Its needs of its port: only an arriving packet can be dropped without holding the others.
    pub fn needs(self) -> Needs {
        if self == Victim::Tail { Needs::Arrival } else { Needs::Held }
    }
    /// The waiting packet that goes, of `waiting`; `None`: the arriving one.
    pub fn draw(self, waiting: u32, rng: &mut Stream) -> Option<Slot> {
        match self {
            Victim::Tail => None,
            Victim::Front => (waiting > 0).then_some(0),
            Victim::Random => Some(rng.below(waiting + 1)).filter(|slot| *slot < waiting),
        }
    }
}

/// Parameters of [`DropTail`].
#[config]
pub struct DropTailConfig {
    /// Which packet goes when one does not fit: the arriving one (`tail`), the head (`front`), or
    /// any (`random`).
    #[schemars(extend("x-source" = "tc-pfifo(8)"))]
    pub victim: Victim,
}

impl Config for DropTailConfig {}

/// Lets everything in that fits.
#[derive(Clone, Debug)]
pub struct DropTail {
    victim: Victim,
}

impl Algorithm for DropTail {
    type Config = DropTailConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "drop_tail",
        title: "Drop Tail",
        idea: "A packet that does not fit is dropped, or pushes another one out; nothing else is \
            ever signaled.",
        equations: "packets:  drop  iff  q + 1 > limit\n\
                    bytes:    drop  iff  q_bytes + L > limit",
        sources: &[
            "RFC 7567 section 2",
            "tc-pfifo(8), tc-bfifo(8)",
            "ns-2 Queue/DropTail \
            (drop_front_)",
        ],
        provenance: Provenance::TwoReadings,
        rule: "a full buffer, nothing else",
        look: Some(Look::new(PlotColor::Black, 's', 1)),
        kernel: Kernel::Has { name: "pfifo", note: "" },
        size: Size {
            measures: "the buffer, in the unit of the limit",
            byte_mode: "a limit in bytes",
            signals: SizeLaw::None,
        },
        law: Law::Over(Over {
            text: "drop iff the queue is at its limit",
            signals: "queue_packets >= limit",
            reasons: &["overflow"],
            queue: "limit = \"50 pkt\"",
            ..Over::PLAIN
        }),
        ..About::PLAIN
    };
    fn new(config: &DropTailConfig, _: &LinkInfo) -> Self {
        DropTail { victim: config.victim }
    }
}

impl Aqm for DropTail {
    fn needs(&self) -> Needs {
        self.victim.needs()
    }
    fn hears(&self) -> Hears {
        Hears::NOTHING
    }
    #[inline]
    fn arrive(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _fits: bool) -> Verdict {
        Verdict::Pass
    }
    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, _: &Meta) -> Option<Slot> {
        self.victim.draw(q.waiting(), cx.rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::aqm::Reason;
    use dumbbell_core::packet::Ecn;
    use dumbbell_core::qdisc::Fifo;
    use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
    use dumbbell_core::units::{Capacity, Time};

    type Queue = Bench<Fifo<DropTail, Numbered>>;

    fn queue(victim: Victim, capacity: Capacity, seed: u64) -> Queue {
        Bench::new(Fifo::new(DropTail { victim }), link(capacity), seed, false)
    }

    /// All at the start; the first packet is in transmission at once and no longer waits.
    fn send(q: &mut Queue, sizes: &[u32]) -> Vec<Event> {
        for bytes in sizes {
            q.arrive(Time::ZERO, packet(0, *bytes, Ecn::NotEct));
        }
        q.journal.0.clone()
    }

    #[test]
    fn three_of_503_do_not_fit_into_500() {
        for capacity in [Capacity::Packets(500), Capacity::Bytes(500 * 1500)] {
            let mut q = queue(Victim::Tail, capacity, 1);
            let events = send(&mut q, &[1500; 504]);
            assert_eq!(events, [501, 502, 503].map(|id| Event::Dropped(id, Reason::Overflow)));
        }
    }

    #[test]
    fn front_keeps_the_newest() {
        let mut q = queue(Victim::Front, Capacity::Packets(2), 1);
        assert_eq!(send(&mut q, &[1500; 5]), [1, 2].map(|id| Event::Dropped(id, Reason::Evicted)));
        q.drain();
        let sent: Vec<u64> = q
            .journal
            .0
            .iter()
            .filter_map(|e| if let Event::Sent(id, _) = e { Some(*id) } else { None })
            .collect();
        assert_eq!(sent, [0, 3, 4]);
    }

    #[test]
    fn a_large_packet_may_push_out_several_small_ones() {
        let mut q = queue(Victim::Front, Capacity::Bytes(1500), 1);
        let events = send(&mut q, &[1500, 500, 500, 500, 900]);
        assert_eq!(events, [1, 2].map(|id| Event::Dropped(id, Reason::Evicted)));
        assert_eq!(q.port.backlog().bytes, 1400);
    }

    #[test]
    fn a_packet_larger_than_the_queue_pushes_nobody_out() {
        for victim in [Victim::Tail, Victim::Front, Victim::Random] {
            let mut q = queue(victim, Capacity::Bytes(1500), 1);
            assert_eq!(
                send(&mut q, &[1500, 500, 500, 1501]),
                [Event::Dropped(3, Reason::Overflow)]
            );
        }
    }

    /// In byte mode a small packet may get in where a large one did not.
    #[test]
    fn bytes_depend_on_the_order() {
        let mut q = queue(Victim::Tail, Capacity::Bytes(1000), 1);
        assert_eq!(send(&mut q, &[1000, 600, 600, 400]), [Event::Dropped(2, Reason::Overflow)]);
    }

    /// Of four that wait and one that arrives each is the victim once in five: chi-square with 4
    /// degrees of freedom is below 23.5 but once in 10 000.
    #[test]
    fn random_draws_each_packet_alike() {
        let runs = 20_000;
        let mut victims = [0.0f64; 6];
        for seed in 0..runs {
            let mut q = queue(Victim::Random, Capacity::Packets(4), seed);
            let [Event::Dropped(id, reason)] = send(&mut q, &[100; 6])[..] else {
                panic!(
                    "one \
                victim"
                )
            };
            assert_eq!(reason, if id == 5 { Reason::Overflow } else { Reason::Evicted });
            victims[id as usize] += 1.0;
        }
        let expected = runs as f64 / 5.0;
        let chi_square: f64 =
            victims[1..].iter().map(|n| (n - expected) * (n - expected) / expected).sum();
        assert!(victims[0] == 0.0 && chi_square < 23.5, "{victims:?}");
    }
}
