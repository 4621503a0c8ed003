//! Random traffic for queues and random lives for connections, from a seed.
use dumbbell_core::aqm::Aqm;
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::packet::{Dscp, Ecn, Meta};
use dumbbell_core::qdisc::Fifo;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, packet};
use dumbbell_core::units::{Capacity, Span, Time};

/// A packet that arrives some time after the one before.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The time since the packet before.
    pub gap: Span,
    /// The packet.
    pub meta: Meta,
}

/// Bursts and pauses, all sizes, some flows, all ECN codepoints and some of DiffServ: at most 300
/// packets.
pub fn arrivals(rng: &mut Stream) -> Vec<Arrival> {
    const ECN: [Ecn; 5] = [Ecn::NotEct, Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce];
    // Best effort, AF11 to AF13, CS1, EF.
    const DSCP: [u8; 6] = [0, 10, 12, 14, 8, 46];
    let one = |rng: &mut Stream| {
        let pause = rng.below(41) == 0;
        let gap = Span::from_us(u64::from(if pause {
            100_000 + rng.below(200_000)
        } else {
            rng.below(5_000)
        }));
        let (flow, bytes, ecn) = (rng.below(4), 40 + rng.below(1460), ECN[rng.below(5) as usize]);
        let dscp = Dscp(DSCP[rng.below(6) as usize]);
        Arrival { gap, meta: Meta { dscp, ..packet(flow, bytes, ecn) } }
    };
    (0..1 + rng.below(299)).map(|_| one(rng)).collect()
}

/// Any limit, none too.
pub fn capacity(rng: &mut Stream) -> Capacity {
    match rng.below(4) {
        0 => Capacity::Packets(rng.below(30)),
        1 => Capacity::Bytes(u64::from(rng.below(20_000))),
        2 => Capacity::Buffers { count: rng.below(40), size: 64 + rng.below(1500) },
        _ => Capacity::Unlimited,
    }
}

/// Sends the traffic through a held port, with the random numbers of `seed`; `watch` looks at it
/// after each arrival.
pub fn hold<A: Aqm>(
    aqm: A,
    site: LinkInfo,
    seed: u64,
    counted: bool,
    traffic: &[Arrival],
    mut watch: impl FnMut(&Bench<Fifo<A, Numbered>>),
) -> Vec<Event> {
    let mut bench = Bench::new(Fifo::new(aqm), site, seed, counted);
    let mut now = Time::ZERO;
    for arrival in traffic {
        now += arrival.gap;
        bench.arrive(now, arrival.meta);
        watch(&bench);
    }
    bench.drain();
    watch(&bench);
    bench.journal.0
}
