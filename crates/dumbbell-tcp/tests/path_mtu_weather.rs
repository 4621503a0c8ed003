//! Whatever routers say, forge and swallow, and however often the path changes: what was written
//! arrives once and in order, and what is counted is right all the while.
use crate::harness::*;
use dumbbell_core::rng::Stream;
use dumbbell_core::transport::CongestionControl;
use dumbbell_core::transport::segment::{PacketTooBig, flag};
use dumbbell_core::units::{Bytes, Rate, Span, Time};
use dumbbell_tcp::{DelayedAck, Detection, Discovery, Recovery, Reduction, TcpConfig};
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Weather {
    control: usize,
    config: TcpConfig,
    bytes: u64,
    seed: u64,
    loss: f64,
    reordering: f64,
    rate: bool,
    mtus: Vec<(u64, u32)>,
    tells: Option<(u64, bool)>,
    forged: u64,
}

fn config() -> impl Strategy<Value = TcpConfig> {
    (any::<[bool; 8]>(), 0u32..3, prop::sample::select(vec![536u64, 1460, 8960]), 70u64..600)
        .prop_map(|(on, way, mss, raise)| TcpConfig {
            mss: Some(Bytes(mss)),
            pmtu_discovery: if on[0] { Discovery::Icmp } else { Discovery::Probe },
            pmtu_raise_after: Span::from_secs(raise),
            pmtu_base: Bytes(if on[1] { 1024 } else { 300 }),
            handshake: on[2],
            timestamps: on[3],
            sack: way < 2,
            recovery: if way < 2 { Recovery::Sack } else { Recovery::Newreno },
            detection: if way == 0 { Detection::Rack } else { Detection::Dupack },
            reduction: if on[4] { Reduction::Prr } else { Reduction::Rfc6675 },
            tail_loss_probe: on[5],
            frto: on[6],
            dsack_undo: on[6],
            eifel: on[7],
            pacing: on[7] && on[5],
            delayed_ack: if on[4] { DelayedAck::Each } else { DelayedAck::Second },
            ..plain()
        })
}

fn weather() -> impl Strategy<Value = Weather> {
    let mtus = prop::collection::vec(
        (0u64..20_000, prop::sample::select(vec![300u32, 576, 1000, 1500, 4000, 9000])),
        0..4,
    );
    // Four of five name the size.
    let tells = (any::<bool>(), 1u64..200, prop::bool::weighted(0.8));
    let odds = (
        prop::sample::select(vec![0.0, 0.0, 0.01, 0.05]),
        prop::sample::select(vec![0.0, 0.1]),
        any::<bool>(),
    );
    (
        0..dumbbell_algos::cc::CATALOGUE.len(),
        config(),
        1u64..500_000,
        any::<u64>(),
        odds,
        mtus,
        tells,
        0u64..30,
    )
        .prop_map(
            |(
                control,
                config,
                bytes,
                seed,
                (loss, reordering, rate),
                mut mtus,
                (says, after, named),
                forged,
            )| {
                mtus.sort_unstable();
                // Only a sender that relies on notices must get them.
                let told = says || config.pmtu_discovery == Discovery::Icmp;
                let tells = told.then_some((after, named));
                Weather {
                    control,
                    config,
                    bytes,
                    seed,
                    loss,
                    reordering,
                    rate,
                    mtus,
                    tells,
                    forged,
                }
            },
        )
}

fn net(w: &Weather) -> Net<dumbbell_algos::cc::AnyCc> {
    let mut chance = Stream::named(w.seed, "weather");
    let (loss, reordering) = (w.loss, w.reordering);
    let name = dumbbell_algos::cc::CATALOGUE[w.control].about.name;
    let mut net = Net::new(name, &w.config).with_fate(move |_, _, _| {
        if chance.coin(loss) {
            return lose();
        }
        vec![Span::from_secs_f64(if chance.coin(reordering) { chance.unit() * 0.06 } else { 0.0 })]
    });
    net.rate = w.rate.then(|| Rate::from_mbps(5));
    net.mtus = w.mtus.iter().map(|m| (at_ms(m.0), m.1)).collect();
    net.tells = w.tells.map(|(after, named)| (Span::from_ms(after), named));
    let mut chance = Stream::named(w.seed, "forged");
    for i in 0..w.forged {
        let at = at_ms(u64::from(chance.below(10_000)));
        let (mtu, seq) = (
            [0, 40, 68, 300, 1280, 1499, 5000, 70_000][chance.below(8) as usize],
            chance.below(400_000),
        );
        net.notices.insert((at, (1 << 40) + i), PacketTooBig { mtu, seq });
    }
    net
}

proptest! {
    #![proptest_config(
        ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() }
    )]
    #[test]
    fn notices_and_probes_lose_nothing(w in weather()) {
        let mut net = net(&w).start(w.bytes);
        let (mut step, mut last) = (Time::ZERO, 0);
        while !net.sender.finished() && step < at_ms(100_000_000) {
            step = step + (Span::from_ms(37) + step.since(Time::ZERO).scaled(0.1));
            net.run(step);
            let v = net.sender.view();
            prop_assert!(
                v.una <= v.nxt.max(v.una) && v.in_flight <= v.nxt - v.una.min(v.nxt),
                "{:?}",
                v
            );
            prop_assert!(net.receiver.stats().delivered_bytes >= last);
            last = net.receiver.stats().delivered_bytes;
        }
        prop_assert!(
            net.sender.finished(),
            "{:?} {:?} at {:?}",
            net.sender.view(),
            net.sender.path_stats(),
            net.now
        );
        prop_assert_eq!(last, w.bytes);
        prop_assert_eq!(net.sender.view().in_flight, 0);
        // New data follows what was sent before it, without a gap; nothing is larger than both ends
        // allow.
        let name = dumbbell_algos::cc::CATALOGUE[w.control].about.name;
        let implied = cc(name, &dumbbell_core::transport::Path::PLAIN).tcp_overrides();
        let header = 40 + w.config.with_overrides(implied).option_bytes();
        let most = w.config.mss.unwrap().0 + 40;
        let mut high = 1u64;
        for s in
            net.log.iter().filter(|s| s.way == Way::Forward && s.segment.flags & flag::SYN == 0)
        {
            let bytes = u64::from(s.segment.ip_len) - header;
            prop_assert!(u64::from(s.segment.ip_len) <= most, "{:?}", s);
            let (from, dummy) = (u64::from(s.segment.seq), s.extra.is_some_and(|x| x.dummy));
            prop_assert!(dummy || from <= high, "a gap before {:?}", s);
            prop_assert!(dummy || s.again() == (from < high) || bytes == 0, "{:?}", s);
            high = if dummy { high } else { high.max(from + bytes) };
        }
        prop_assert_eq!(high, 1 + w.bytes);
    }
}
