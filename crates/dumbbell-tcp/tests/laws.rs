//! Closed forms: what a long connection must achieve.
use crate::harness::*;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Bytes, Span};
use dumbbell_tcp::{DelayedAck, Discovery, TcpConfig};

/// Mean goodput in segments per round trip over 1000 s (10,000 round trips) and three seeds, with
/// independent losses of data at probability `p`.
fn segments_per_rtt(name: &str, config: &TcpConfig, p: f64) -> f64 {
    let one = |seed| {
        let mut chance = Stream::named(seed, "loss");
        let mut net = Net::new(name, config).with_fate(move |way, _, _| {
            if way == Way::Forward && chance.coin(p) { lose() } else { pass() }
        });
        net.record = false;
        net = net.start(u64::MAX);
        net.run(at_ms(1_000_000));
        net.receiver.stats().delivered_bytes as f64 / MSS as f64 / 10_000.0
    };
    (1..=3).map(one).sum::<f64>() / 3.0
}

/// Mathis, Semke, Mahdavi, Ott (CCR 27(3), 1997): W = sqrt(3 / (2 b p)), b packets per ACK.
#[test]
fn the_inverse_square_root_of_loss() {
    let each = plain();
    let second = TcpConfig { delayed_ack: DelayedAck::Second, ..plain() };
    for (name, config, b) in [("sack", &each, 1.0), ("newreno", &each, 1.0), ("sack", &second, 2.0)]
    {
        for p in [3e-4, 1e-3, 3e-3] {
            let law = (3.0f64 / (2.0 * b * p)).sqrt();
            let measured = segments_per_rtt(name, config, p);
            assert!(
                (measured / law - 1.0).abs() < 0.15,
                "{name}, b = {b}, p = {p}: {measured} \
                against {law}"
            );
        }
    }
}

/// AIMD(a, b): W = sqrt(a (2 - b) / (2 b p)); on the TCP-friendly line a = 3 b / (2 - b) it is
/// Reno's.
#[test]
fn the_tcp_friendly_line() {
    use dumbbell_tcp::Sender;
    let config = plain();
    let p = 1e-3;
    let law = (1.5f64 / p).sqrt();
    for b in [0.5, 0.125] {
        let parameters = serde_json::json!({ "a": 3.0 * b / (2.0 - b), "b": b });
        let make = |path: &_| dumbbell_algos::cc::AnyCc::build("aimd", &parameters, path).unwrap();
        let sender = Sender::new(&config, make);
        let receiver = sender.receiver();
        let mut chance = Stream::named(7, "loss");
        let mut net = Net::of(sender, receiver).with_fate(move |way, _, _| {
            if way == Way::Forward && chance.coin(p) { lose() } else { pass() }
        });
        net.record = false;
        net = net.start(u64::MAX);
        net.run(at_ms(3_000_000));
        let measured = net.receiver.stats().delivered_bytes as f64 / MSS as f64 / 30_000.0;
        assert!((measured / law - 1.0).abs() < 0.15, "b = {b}: {measured} against {law}");
    }
}

/// Goodput over 600 s at a loss of 1e-3 with segments of `mss` on a path that carries `mtu`, bytes
/// per round trip.
fn bytes_per_rtt(config: &TcpConfig, mss: u64, mtu: u32) -> f64 {
    let config = TcpConfig { mss: Some(Bytes(mss)), ..config.clone() };
    let mut chance = Stream::named(11, "loss");
    let mut net = Net::new("sack", &config).with_fate(move |way, _, _| {
        if way == Way::Forward && chance.coin(1e-3) { lose() } else { pass() }
    });
    (net.mtus, net.tells) = (vec![(at_ms(0), mtu)], Some((Span::from_ms(50), true)));
    net.record = false;
    net = net.start(u64::MAX);
    net.run(at_ms(600_000));
    assert_eq!(net.sender.path_mtu(), mtu.min(mss as u32 + 40));
    net.receiver.stats().delivered_bytes as f64 / 6000.0
}

/// Mathis et al.: at equal loss and round-trip time the rate goes by the MSS, whether both ends
/// agreed on it or it was discovered in the course.
#[test]
fn the_rate_goes_by_the_mss() {
    let config = TcpConfig { pmtu_discovery: Discovery::Icmp, ..plain() };
    let law = |mss: u64| (1.5f64 / 1e-3).sqrt() * mss as f64;
    for mss in [536, 1460, 4312, 8960, 9140] {
        let measured = bytes_per_rtt(&config, mss, 65_535);
        assert!((measured / law(mss) - 1.0).abs() < 0.2, "{mss}: {measured} against {}", law(mss));
    }
    for mtu in [576, 1500, 4352] {
        let (agreed, found) = (
            bytes_per_rtt(&config, u64::from(mtu) - 40, 65_535),
            bytes_per_rtt(&config, 9140, mtu),
        );
        assert!((found / agreed - 1.0).abs() < 0.1, "{mtu}: {found} against {agreed}");
    }
}
