//! TCP Peach in closed loop: what dummies find out, and what they must not disturb.
use crate::harness::*;
use dumbbell_core::transport::TcpOverrides;
use dumbbell_core::units::{Rate, Span};
use dumbbell_tcp::TcpConfig;

fn dummies(net: &Net<dumbbell_algos::cc::AnyCc>, way: Way) -> usize {
    net.log.iter().filter(|s| s.way == way && s.extra.is_some_and(|x| x.dummy)).count()
}

/// The paper's claim: over a satellite of 550 ms the window is open two round trips after the
/// handshake, where slow start from one segment takes log2(64) = 6.
#[test]
fn sudden_start_opens_the_window_in_two_round_trips() {
    let mut opened = Vec::new();
    for cc in ["peach", "newreno"] {
        let config = TcpConfig {
            handshake: true,
            initial_window: dumbbell_core::units::Packets(1.0),
            ..plain()
        };
        let mut net = Net::new(cc, &config);
        (net.delay, net.rate) = (Span::from_ms(275), Some(Rate::from_mbps(10)));
        net = net.start(u64::MAX);
        let round = (1..20).find(|round| {
            net.run(at_ms(550 + 550 * round + 60));
            net.sender.cwnd() >= 64 * MSS
        });
        opened.push(round.unwrap());
        assert_eq!((net.sender.stats().retransmits, net.sender.stats().recoveries), (0, 0));
        assert_eq!(dummies(&net, Way::Forward), if cc == "peach" { 63 } else { 0 });
    }
    assert_eq!(opened, [2, 6]);
}

/// On a path that drops every dummy nothing happens but congestion avoidance; and answered or not,
/// dummies are no data: what the application gets is each byte once, in order, and nothing is sent
/// again for them.
#[test]
fn dummies_are_no_data() {
    for (recovery, lost) in [("newreno", false), ("newreno", true), ("sack", false), ("sack", true)]
    {
        let config = TcpConfig { handshake: true, ..plain() }
            .with_overrides(TcpOverrides::recovery(recovery));
        let sender = dumbbell_tcp::Sender::new(&config, |path| cc("peach", path));
        let receiver = sender.receiver();
        let mut net = Net::of(sender, receiver);
        // The harness's script does not see extras: dummies repeat the last segment's number, 40 ms
        // after the handshake.
        let mut highest = 0;
        net = net.with_fate(move |way, _, s| {
            let again = way == Way::Forward && s.ip_len > 60 && s.seq <= highest;
            highest = if way == Way::Forward { highest.max(s.seq) } else { highest };
            if again && lost { lose() } else { pass() }
        });
        net = net.start(300 * MSS);
        net.run(at_ms(60_000));
        assert!(net.sender.finished() && net.receiver.finished(), "{recovery} {lost}");
        let (s, r) = (net.sender.stats(), net.receiver.stats());
        assert_eq!(
            (r.delivered_bytes, s.retransmits, s.recoveries, s.rtos),
            (300 * MSS, 0, 0, 0),
            "{recovery} \
            {lost}"
        );
        assert_eq!((dummies(&net, Way::Forward), s.dummies), (63, 63));
        assert_eq!(dummies(&net, Way::Back), if lost { 0 } else { 63 });
        assert!(
            if lost { net.sender.cwnd() < 30 * MSS } else { net.sender.cwnd() >= 64 * MSS },
            "{recovery} \
            {lost}"
        );
    }
}

/// A loss that was no congestion: the window is back a round trip after the recovery, where NewReno
/// has half of it.
#[test]
fn rapid_recovery_finds_the_path_free() {
    let window = |control: &str| {
        let config = TcpConfig { handshake: true, ..plain() };
        let mut net = Net::new(control, &config).lose_first(&[200]);
        net.rate = Some(Rate::from_mbps(100));
        net = net.start(u64::MAX);
        let mut before = 0;
        while net.sender.stats().recoveries == 0 {
            before = net.sender.cwnd();
            let next = ms(net.now) + 1;
            net.run(at_ms(next));
        }
        let end = ms(net.now) + 350;
        net.run(at_ms(end));
        net.sender.cwnd() as f64 / before as f64
    };
    let (peach, newreno) = (window("peach"), window("newreno"));
    assert!(peach > 0.95 && newreno < 0.6, "{peach} {newreno}");
}
