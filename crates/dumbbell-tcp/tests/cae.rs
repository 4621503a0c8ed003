//! TCP CAE in a sender: the effect of its commands on the timer.
use crate::harness::*;
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::transport::segment::{Extra, Segment, flag, timestamp};
use dumbbell_core::units::{Bytes, Limit, Packets, Span, Time};
use dumbbell_tcp::{Receiver, Sender, TcpConfig};
use serde_json::{Value, json};

/// Segments of 1000 bytes beside the timestamps; RTO = SRTT + 4 RTTVAR without a floor.
fn config() -> TcpConfig {
    TcpConfig { timestamps: true, mss: Some(Bytes(1012)), min_rto: Span::from_us(1), ..plain() }
}

fn sender(config: &TcpConfig, name: &str, options: &Value) -> Sender<AnyCc> {
    Sender::new(config, |path| AnyCc::build(name, options, path).expect("valid options"))
}

/// A sender whose acknowledgments are written by hand: each of one segment, that left the receiver
/// at `r` and arrives at `t` with a round-trip time of `rtt`.
struct ByHand {
    sender: Sender<AnyCc>,
    r: Time,
    t: Time,
    segments: u64,
}

impl ByHand {
    fn new(options: &Value) -> Self {
        let mut sender = sender(&config(), "cae", options);
        let mut out = Out::default();
        sender.open(Time::ZERO, &mut out);
        sender.write(Time::ZERO, u64::MAX, &mut out);
        ByHand { sender, r: at_ms(1000), t: at_ms(1100), segments: 0 }
    }

    fn ack(&mut self, sent_ms: u64, came_ms: u64, rtt_ms: u64) {
        (self.r, self.t) = (self.r + Span::from_ms(sent_ms), self.t + Span::from_ms(came_ms));
        self.segments += 1;
        let echo = Time::from_ps(self.t.ps() - Span::from_ms(rtt_ms).ps());
        let segment = Segment {
            seq: (1 + self.segments * MSS) as u32,
            ts: timestamp(echo),
            ip_len: 52,
            flags: flag::ACK,
            ecn: Default::default(),
        };
        let extra = Extra { ts_val: timestamp(self.r), window: 1 << 30, ..Extra::default() };
        self.sender.on_segment(self.t, &segment, Some(&extra), &mut Out::default());
    }

    /// SRTT, RTTVAR, RTO in milliseconds.
    fn timer(&self) -> [f64; 3] {
        let v = self.sender.view();
        // Timestamps have units of 16.384 ns.
        [v.srtt.unwrap(), v.rttvar, v.rto].map(|x| (x.seconds() * 1e6).round() / 1e3)
    }
}

/// Spacing of 10 ms at the receiver and of 20 ms at arrival: one doubling, however many there are;
/// restored: the sample of that very acknowledgment is the first again.
#[test]
fn one_doubling_and_then_a_fresh_start() {
    let mut h = ByHand::new(&json!({}));
    // RTTVAR falls by a quarter with each sample of 100 ms.
    (0..60).for_each(|_| h.ack(10, 10, 100));
    assert_eq!(h.timer(), [100.0, 0.0, 100.0]);
    for _ in 0..10 {
        h.ack(10, 20, 100);
        assert_eq!(h.timer(), [100.0, 0.0, 200.0], "held through samples");
    }
    h.ack(10, 10, 160);
    assert_eq!(h.timer(), [160.0, 80.0, 480.0]);
    // A second episode.
    h.ack(10, 20, 160);
    assert_eq!(h.timer(), [160.0, 60.0, 2.0 * 400.0]);
    let stats = h.sender.stats();
    assert_eq!((stats.ordered_backoffs, stats.ordered_resets, stats.rtos), (2, 1, 0));
}

/// Without `hold` Karn's rule applies: the sample of the acknowledgment that rang the alarm ends
/// the backoff at once.
#[test]
fn without_hold_a_sample_ends_it() {
    let mut h = ByHand::new(&json!({"hold": false}));
    (0..60).for_each(|_| h.ack(10, 10, 100));
    h.ack(10, 20, 100);
    assert_eq!((h.timer(), h.sender.stats().ordered_backoffs), ([100.0, 0.0, 100.0], 1));
}

/// The timer that runs: from its start or from now. A duplicate (60 ms after the last new one)
/// restarts nothing else.
#[test]
fn the_running_timer_is_extended() {
    for (rule, late_ms) in [("from_start", 200), ("from_now", 260)] {
        let mut h = ByHand::new(&json!({"timer": rule}));
        (0..60).for_each(|_| h.ack(10, 10, 100));
        let started = h.t;
        assert_eq!(ms(h.sender.deadline()) - ms(started), 100);
        h.segments -= 1;
        h.ack(10, 60, 100);
        assert_eq!(ms(h.sender.deadline()) - ms(started), late_ms, "{rule}");
    }
}

/// Acknowledgments that come ever later, by half a round trip in each of three: each round trip of
/// a window of `window` segments, as a burst or spread. The timeout is never due: nothing is lost.
fn ramp(name: &str, options: &Value, window: u32, spread: bool) -> (u64, u64) {
    let mut config = config();
    config.receive_window = Limit::Packets(Packets(f64::from(window)));
    // More than a first step of the ramp: no TCP can know of that one.
    config.min_rto = Span::from_ms(160);
    let sender = sender(&config, name, options);
    let receiver = Receiver::new(sender_config(&sender, &config));
    let mut late = 0;
    let mut net = Net::of(sender, receiver).with_fate(move |way, n, _| {
        if way == Way::Forward {
            return if spread { vec![Span::from_ms(5 * (n % u64::from(window)))] } else { pass() };
        }
        // 100 ms, then 150, 225 and 337.5, and so it stays.
        let round = n.div_ceil(u64::from(window));
        late = late.max(match round {
            0..=30 => 0,
            31 => 50_000,
            32 => 125_000,
            _ => 237_500,
        });
        vec![Span::from_us(late)]
    });
    net = net.start(u64::MAX);
    net.run(at_ms(20_000));
    (net.sender.stats().rtos, u64::from(net.sender.stats().ordered_backoffs))
}

fn sender_config(sender: &Sender<AnyCc>, config: &TcpConfig) -> TcpConfig {
    use dumbbell_core::transport::CongestionControl;
    config.with_overrides(sender.cc().tcp_overrides())
}

/// With one or two samples in a round trip the base times out where CAE does not. With more of them
/// RTTVAR grows within the first late round by itself; and of a burst all but the first
/// acknowledgment come as far apart as they left, which ends the warning.
#[test]
fn a_ramp_of_delays_makes_fewer_spurious_timeouts() {
    for base in ["reno", "newreno", "sack"] {
        for (window, spread) in [(1, false), (2, false), (2, true)] {
            let (plain, _) = ramp(base, &json!({}), window, spread);
            let (cae, backoffs) = ramp("cae", &json!({"base": base}), window, spread);
            assert!(
                cae < plain && backoffs > 0,
                "{base}, {window} segments: {cae} timeouts, else \
                {plain}"
            );
        }
    }
}

/// With a threshold of 0 every packet leaves when its base's does, whatever happens to it.
#[test]
fn without_a_threshold_every_packet_is_its_bases() {
    for base in ["reno", "newreno", "sack"] {
        let log = |name: &str, options: Value| {
            let sender = sender(&config(), name, &options);
            let receiver = Receiver::new(sender_config(&sender, &config()));
            let mut net =
                Net::of(sender, receiver).with_fate(|way, n, _| match (way, n % 97, n % 41) {
                    (Way::Forward, 13 | 14, _) | (Way::Back, _, 20) => lose(),
                    (_, delay, jitter) => vec![Span::from_us(100 * delay + 70 * jitter)],
                });
            net = net.start(3000 * MSS);
            net.run(at_ms(600_000));
            assert!(net.sender.finished());
            let sent = net.log.iter().map(|s| (s.at, s.segment, s.lost)).collect::<Vec<_>>();
            (sent, *net.sender.stats())
        };
        let (plain, cae) =
            (log(base, json!({})), log("cae", json!({"base": base, "threshold": 0.0})));
        assert!(plain.1.rtos + plain.1.recoveries > 10);
        assert_eq!(plain, cae, "{base}");
        assert_ne!(
            plain.0,
            log("cae", json!({"base": base, "threshold": 1.0})).0,
            "a threshold of \
            1 is no base"
        );
    }
}
