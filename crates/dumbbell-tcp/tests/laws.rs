//! Closed forms: what a long connection must achieve.
mod harness;
use dumbbell_core::rng::Stream;
use dumbbell_tcp::{DelayedAck, TcpConfig};
use harness::*;

/// Mean goodput in segments per round trip over 1000 s (10,000 round trips) and three seeds, with independent
/// losses of data at probability `p`.
fn segments_per_rtt(name: &str, config: &TcpConfig, p: f64) -> f64 {
    let one = |seed| {
        let mut chance = Stream::named(seed, "loss");
        let mut net = Net::new(name, config)
            .with_fate(move |way, _, _| if way == Way::Forward && chance.coin(p) { lose() } else { pass() });
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
    for (name, config, b) in [("sack", &each, 1.0), ("newreno", &each, 1.0), ("sack", &second, 2.0)] {
        for p in [3e-4, 1e-3, 3e-3] {
            let law = (3.0f64 / (2.0 * b * p)).sqrt();
            let measured = segments_per_rtt(name, config, p);
            assert!((measured / law - 1.0).abs() < 0.15, "{name}, b = {b}, p = {p}: {measured} against {law}");
        }
    }
}

/// AIMD(a, b): W = sqrt(a (2 - b) / (2 b p)); on the TCP-friendly line a = 3 b / (2 - b) it is Reno's.
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
        let mut net = Net::of(sender, receiver)
            .with_fate(move |way, _, _| if way == Way::Forward && chance.coin(p) { lose() } else { pass() });
        net.record = false;
        net = net.start(u64::MAX);
        net.run(at_ms(3_000_000));
        let measured = net.receiver.stats().delivered_bytes as f64 / MSS as f64 / 30_000.0;
        assert!((measured / law - 1.0).abs() < 0.15, "b = {b}: {measured} against {law}");
    }
}
