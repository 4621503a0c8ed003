//! The account of delivery rates over whole transfers, with every machinery of repair.
use crate::harness::*;
use dumbbell_core::rng::Stream;
use dumbbell_core::transport::{Ack, Capabilities, Commands, CongestionControl, RateSample};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::delegate;
use dumbbell_tcp::{Sender, TcpConfig};
use std::cell::RefCell;
use std::rc::Rc;

type Samples = Rc<RefCell<Vec<(Time, u64, Option<RateSample>)>>>;

/// Another control that asks for rates and notes them, with the bytes that each acknowledgment
/// told of.
struct Noting {
    inner: dumbbell_algos::cc::AnyCc,
    seen: Samples,
}

#[delegate(self.inner)]
impl CongestionControl for Noting {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, rates: true, ..self.inner.capabilities() }
    }
    fn on_ack(&mut self, ack: &Ack, commands: &mut Commands) {
        self.seen.borrow_mut().push((ack.now, ack.una, ack.rate));
        self.inner.on_ack(ack, commands);
    }
}

const RATE: Rate = Rate::from_mbps(8);

/// A transfer of `segments` over 8 Mbps and 50 ms each way with losses of data at `p` and of
/// acknowledgments at `q`.
fn transfer(
    name: &str,
    config: &TcpConfig,
    segments: u64,
    (p, q): (f64, f64),
    seed: u64,
) -> (Samples, Sent) {
    let seen = Samples::default();
    let noted = Rc::clone(&seen);
    let sender = Sender::new(config, move |path| Noting { inner: cc(name, path), seen: noted });
    let receiver = sender.receiver();
    let mut chance = Stream::named(seed, "loss");
    let mut net = Net::of(sender, receiver).with_fate(move |way, _, _| {
        let lost = chance.coin(if way == Way::Forward { p } else { q });
        if lost { lose() } else { pass() }
    });
    net.rate = Some(RATE);
    net.record = false;
    let mut net = net.start(segments * MSS);
    net.run(at_ms(4_000_000));
    assert!(net.sender.finished(), "{name}: the transfer ends");
    (seen, *net.sender.stats())
}

type Sent = dumbbell_tcp::SenderStats;

fn machineries() -> Vec<(&'static str, TcpConfig)> {
    let second = dumbbell_tcp::DelayedAck::Second;
    let modern_second = TcpConfig { delayed_ack: second, timestamps: true, ..modern() };
    let plain_second = TcpConfig { delayed_ack: second, ..plain() };
    vec![
        ("sack", plain()),
        ("sack", modern()),
        ("sack", modern_second),
        ("newreno", plain()),
        ("newreno", plain_second),
        ("tahoe", plain()),
        ("reno", plain()),
    ]
}

/// Every byte is delivered once, whatever is lost, repaired, repeated or undone; nothing is left in
/// the network.
#[test]
fn what_is_acknowledged_is_delivered_once() {
    for (name, config) in machineries() {
        for (seed, loss) in [(1, (0.0, 0.0)), (2, (0.01, 0.0)), (3, (0.05, 0.02)), (4, (0.15, 0.1))]
        {
            let (seen, sent) = transfer(name, &config, 2000, loss, seed);
            let seen = seen.borrow();
            let (mut total, mut una, mut lost) = (0, 1, 0);
            for (now, acked_to, sample) in seen.iter() {
                una = una.max(*acked_to);
                let Some(s) = sample else { continue };
                let context = || format!("{name}, {loss:?}, at {now:?}: {s:?}");
                assert!(s.total_delivered > total, "a sample without anything new: {}", context());
                assert!(s.total_delivered >= una - 1, "less than is acknowledged: {}", context());
                assert!(s.delivered == s.total_delivered - s.prior_delivered, "{}", context());
                assert!(s.in_flight >= 1 && s.in_flight <= 2000 * MSS, "{}", context());
                (total, lost) = (s.total_delivered, lost + s.newly_lost);
            }
            let last = seen.iter().rev().find_map(|s| s.2).unwrap();
            assert_eq!((total, last.pipe), (2000 * MSS, 0), "{name}, {loss:?}");
            // All retransmissions except probes were found lost; a timeout may mark segments that
            // are not lost.
            let mss = config.segment_bytes();
            let again = sent.retransmits * mss;
            let probes = sent.tail_probes * mss;
            assert!(
                sent.rtos > 0 || (lost <= again && again <= lost + probes),
                "{name}, {loss:?}: \
                {lost}, {again}"
            );
            assert_eq!(
                lost == 0,
                again == 0,
                "{name}, {loss:?}: {lost} bytes lost, {again} sent \
                again"
            );
        }
    }
}

/// Never more than the bottleneck delivers in the interval, and one segment: the delivery that
/// closes it may be one that began before it.
#[test]
fn no_estimate_exceeds_the_bottleneck() {
    for (name, config) in machineries() {
        let overhead = 40 + if config.timestamps { 12 } else { 0 };
        let payload =
            RATE.bps() as f64 / 8.0 * (MSS as f64 - (overhead as f64 - 40.0)) / (MSS as f64 + 40.0);
        for (seed, loss) in [(1, (0.0, 0.0)), (2, (0.02, 0.0)), (3, (0.02, 0.3))] {
            let (seen, _) = transfer(name, &config, 3000, loss, seed);
            let (mut valid, mut best) = (0, 0.0f64);
            for (now, _, sample) in seen.borrow().iter() {
                let Some(s) = sample.filter(|s| s.interval > Span::ZERO) else { continue };
                let most = payload * s.interval.seconds() + MSS as f64;
                assert!(
                    s.delivered as f64 <= most,
                    "{name}, {loss:?}, at {now:?}: {} > {most}",
                    s.delivered
                );
                (valid, best) = (valid + 1, best.max(s.bytes_per_second().unwrap()));
            }
            assert!(valid > 500, "{name}, {loss:?}: {valid} samples");
            if loss == (0.0, 0.0) && name != "tahoe" {
                assert!(
                    (best / payload - 1.0).abs() < 0.01,
                    "{name}: the best is {best}, the path \
                    has {payload}"
                );
            }
        }
    }
}

/// A sender that writes less than the path takes says so in its samples; one that writes enough
/// does not.
#[test]
fn the_application_is_to_blame_or_not() {
    let seen = Samples::default();
    let noted = Rc::clone(&seen);
    let config = modern();
    let sender = Sender::new(&config, move |path| Noting { inner: cc("sack", path), seen: noted });
    let receiver = sender.receiver();
    let mut net = Net::of(sender, receiver);
    net.rate = Some(RATE);
    net.act(|s, now, out| s.open(now, out));
    // 20 segments in 100 ms are 1.6 Mbps; from 10 s on there is always enough.
    for n in 0..100 {
        net.run(at_ms(100 * n));
        net.act(|s, now, out| s.write(now, 20 * MSS, out));
    }
    net.run(at_ms(10_000));
    net.act(|s, now, out| s.write(now, 20_000 * MSS, out));
    net.run(at_ms(20_000));
    let share = |from, to| {
        let seen = seen.borrow();
        let within = |t: Time| t >= at_ms(from) && t < at_ms(to);
        let samples: Vec<bool> = seen
            .iter()
            .filter(|s| within(s.0))
            .filter_map(|s| s.2)
            .map(|s| s.app_limited)
            .collect();
        assert!(samples.len() > 100);
        samples.iter().filter(|a| **a).count() as f64 / samples.len() as f64
    };
    assert_eq!((share(1000, 9900), share(11_000, 20_000)), (1.0, 0.0));
}
