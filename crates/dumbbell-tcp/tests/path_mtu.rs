//! A path that carries less than its ends: discovery by routers' notices (RFC 1191) and by probing
//! (RFC 4821). 50 ms each way.
mod probes;

use crate::harness::*;
use dumbbell_core::transport::segment::PacketTooBig;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase,
};
use dumbbell_core::units::{Bytes, Limit, Packets, Rate, Span, Time};
use dumbbell_tcp::{DelayedAck, Detection, Discovery, PathStats, Sender, TcpConfig};
use std::cell::RefCell;
use std::rc::Rc;

/// Jumbo frames at both ends.
fn jumbo(discovery: Discovery) -> TcpConfig {
    TcpConfig { mss: Some(Bytes(8960)), pmtu_discovery: discovery, ..modern() }
}
/// Returns the configuration without RACK, and without SACK if `sack` is false.
fn older(config: TcpConfig, sack: bool) -> TcpConfig {
    let recovery = if sack { config.recovery } else { dumbbell_tcp::Recovery::Newreno };
    let (detection, reduction) = (Detection::Dupack, dumbbell_tcp::Reduction::Rfc6675);
    TcpConfig {
        detection,
        reduction,
        sack,
        recovery,
        tail_loss_probe: false,
        frto: false,
        dsack_undo: false,
        ..config
    }
}
/// With RACK, with RFC 6675, and without SACK.
fn ways(discovery: Discovery) -> [(&'static str, TcpConfig); 3] {
    [
        ("sack", jumbo(discovery)),
        ("sack", older(jumbo(discovery), true)),
        ("newreno", older(jumbo(discovery), false)),
    ]
}

/// The events that a congestion control received.
#[derive(Default)]
struct Heard {
    events: Vec<Cause>,
    sizes: Vec<u64>,
    lost: u64,
    most_pipe: u64,
}

/// A window that nothing moves, and that reads everything.
struct Spy {
    cwnd: u64,
    heard: Rc<RefCell<Heard>>,
}

impl CongestionControl for Spy {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            paces: false,
            timer: false,
            commands: false,
            rates: true,
            ..Capabilities::ALL
        }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        let mut heard = self.heard.borrow_mut();
        if let Some(rate) = ack.rate {
            heard.lost += rate.newly_lost;
            heard.most_pipe = heard.most_pipe.max(rate.pipe);
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.heard.borrow_mut().events.push(event.cause);
    }
    fn on_mss(&mut self, mss: u64) {
        self.heard.borrow_mut().sizes.push(mss);
    }
    fn cwnd(&self) -> u64 {
        self.cwnd
    }
}

fn spied(config: &TcpConfig, cwnd: u64) -> (Net<Spy>, Rc<RefCell<Heard>>) {
    let heard = Rc::new(RefCell::new(Heard::default()));
    let sender = Sender::new(config, |_: &Path| Spy { cwnd, heard: Rc::clone(&heard) });
    let receiver = sender.receiver();
    (Net::of(sender, receiver), heard)
}

/// RFC 9293 section 3.7.1: segments are no larger than what the other end announces. Only a smaller
/// size is news to the congestion control.
#[test]
fn the_smaller_segments_of_the_other_end_are_heard_of() {
    let config = TcpConfig { handshake: true, ..plain() };
    for (theirs, heard_of) in [(MSS / 2, vec![MSS / 2]), (MSS, vec![]), (2 * MSS, vec![])] {
        let (mut net, heard) = spied(&config, 20_000);
        let other = TcpConfig { mss: Some(Bytes(theirs)), ..config.clone() };
        net.receiver = Sender::new(&other, |path| cc("newreno", path)).receiver();
        net = net.start(10 * MSS);
        net.run(at_ms(10_000));
        assert!(net.sender.finished());
        assert_eq!(heard.borrow().sizes, heard_of, "{theirs}");
        let largest = net.log.iter().map(|s| u64::from(s.segment.ip_len) - 40).max();
        assert_eq!(largest, Some(theirs.min(MSS)));
    }
}

/// Discovery by notices takes a round trip, whatever finds losses: everything arrives, nothing is
/// reduced, no timer expires.
#[test]
fn notices_find_the_size_within_a_round_trip() {
    for (name, config) in ways(Discovery::Icmp) {
        for (told, found) in [(true, 1500), (false, 1492)] {
            let mut net = Net::new(name, &config);
            (net.mtus, net.tells) = (vec![(Time::ZERO, 1500)], Some((Span::from_ms(50), told)));
            net = net.start(400_000);
            let before = net.sender.view().cwnd;
            // A router that does not say its size is asked four times: 8166, 4352, 2002, 1492.
            net.run(at_ms(if told { 99 } else { 299 }));
            assert_eq!(
                (net.sender.path_mtu(), net.sender.view().cwnd),
                (found, before),
                "{name} \
                {told}"
            );
            net.run(at_ms(20_000));
            let (stats, path) = (*net.sender.stats(), net.sender.path_stats());
            assert!(net.sender.finished(), "{name} {told}: {:?}", net.sender.view());
            assert_eq!(net.receiver.stats().delivered_bytes, 400_000);
            assert_eq!(
                (stats.rtos, stats.recoveries, net.sender.view().ssthresh),
                (0, 0, None),
                "{name} \
                {told}"
            );
            assert_eq!(
                (path.mtu_changes, path.notices),
                if told { (1, 1) } else { (4, 4) },
                "{name} \
                {told}"
            );
            let largest =
                net.log.iter().filter(|s| !s.lost).map(|s| s.segment.ip_len).max().unwrap();
            assert_eq!(u32::from(largest), found);
        }
    }
}

/// The congestion control hears of the size and of nothing else; the account of rates has no loss
/// in it, and never more in the network than the window.
#[test]
fn notices_are_no_congestion() {
    for (name, config) in ways(Discovery::Icmp) {
        let (mut net, heard) = spied(&config, 89_600);
        // The path shrinks twice in the midst of a transfer.
        net.mtus = vec![(Time::ZERO, 9000), (at_ms(520), 4352), (at_ms(1470), 1500)];
        (net.tells, net.rate) = (Some((Span::from_ms(20), true)), Some(Rate::from_mbps(8)));
        net = net.start(2_000_000);
        net.run(at_ms(60_000));
        assert!(net.sender.finished(), "{name}: {:?}", net.sender.view());
        assert_eq!(net.receiver.stats().delivered_bytes, 2_000_000);
        let heard = heard.borrow();
        assert_eq!(
            (heard.events.len(), heard.lost, &heard.sizes[..]),
            (0, 0, &[4312, 1460][..]),
            "{name} {:?}",
            heard.events
        );
        assert!(heard.most_pipe <= 89_600, "{name}: {}", heard.most_pipe);
    }
}

/// In the midst of a recovery: it is over, the window is the one that it led to, and no second
/// reduction follows.
#[test]
fn a_notice_ends_a_recovery() {
    for (name, config) in ways(Discovery::Icmp) {
        let mut net = Net::new(name, &config);
        let mut lost = false;
        net = net.with_fate(move |way, n, _| {
            let doomed = way == Way::Forward && n == 8 && !lost;
            lost |= doomed;
            if doomed { lose() } else { pass() }
        });
        (net.mtus, net.tells) =
            (vec![(Time::ZERO, 9000), (at_ms(290), 1500)], Some((Span::from_ms(10), true)));
        net = net.start(1_000_000);
        net.run(at_ms(305));
        assert_eq!(
            (net.sender.view().phase, net.sender.stats().recoveries),
            (Phase::Recovery, 1),
            "{name}"
        );
        net.run(at_ms(315));
        let reduced = net.sender.view().ssthresh;
        net.run(at_ms(60_000));
        assert!(net.sender.finished(), "{name}: {:?}", net.sender.view());
        assert_eq!((net.sender.stats().recoveries, net.sender.stats().rtos), (1, 0), "{name}");
        assert_eq!((net.sender.path_mtu(), net.sender.view().ssthresh), (1500, reduced), "{name}");
    }
}

/// Without notices, `icmp` is stuck: the very segments that RFC 2923 section 2.1 describes.
#[test]
fn a_black_hole_swallows_who_only_listens() {
    let mut net = Net::new("sack", &jumbo(Discovery::Icmp));
    net.mtus = vec![(Time::ZERO, 1500)];
    net = net.start(100_000);
    net.run(at_ms(100_000));
    assert_eq!((net.receiver.stats().delivered_bytes, net.sender.path_mtu()), (0, 9000));
    // 1, 3, 7, 15, 31, 63 s.
    assert_eq!(net.sender.stats().rtos, 6);
}

/// Goodput from 60 to 120 s of a flow at 8 Mbps, whose window is large enough for the path, bytes.
fn late_goodput(name: &str, config: &TcpConfig, mtu: u32) -> (u64, PathStats, u32) {
    let config = TcpConfig { receive_window: Limit::Bytes(Bytes(150_000)), ..config.clone() };
    let mut net = Net::new(name, &config);
    (net.mtus, net.rate, net.record) = (vec![(Time::ZERO, mtu)], Some(Rate::from_mbps(8)), false);
    net = net.start(u64::MAX);
    net.run(at_ms(60_000));
    let before = net.receiver.stats().delivered_bytes;
    net.run(at_ms(120_000));
    (net.receiver.stats().delivered_bytes - before, net.sender.path_stats(), net.sender.path_mtu())
}

/// Probing survives: three timeouts (7 s), then the search, and from then on as fast as who knows
/// the path, within 10 %.
#[test]
fn probing_survives_a_black_hole() {
    for (name, config) in ways(Discovery::Probe) {
        for delayed_ack in [DelayedAck::Each, DelayedAck::Second] {
            let config = TcpConfig { delayed_ack, ..config.clone() };
            let known = TcpConfig {
                mss: Some(Bytes(1460)),
                pmtu_discovery: Discovery::Known,
                ..config.clone()
            };
            let (reference, none, _) = late_goodput(name, &known, 1500);
            assert_eq!(none, PathStats::default());
            let (probing, path, found) = late_goodput(name, &config, 1500);
            assert_eq!((found, path.black_holes, path.notices), (1500, 1, 0), "{name} {path:?}");
            assert!(path.mtu_probes <= 12 && path.mtu_probes_lost <= 8, "{name} {path:?}");
            let share = probing as f64 / reference as f64;
            assert!(
                (0.9..=1.01).contains(&share),
                "{name} {delayed_ack:?}: {share} of {reference}"
            );
        }
    }
}

/// Lost probes of the search are no congestion: after the timeouts of the black hole the control
/// hears only of sizes, the last of which is the path's to less than a step.
#[test]
fn lost_probes_are_no_congestion() {
    for (name, config) in ways(Discovery::Probe) {
        for mtu in [1024, 1400, 1500, 4352, 8999, 9000] {
            let (mut net, heard) = spied(&config, 120_000);
            // The path is gone for a while, and comes back as narrow as `mtu`.
            net.mtus = vec![(Time::ZERO, 9000), (at_ms(300), 100), (at_ms(8_000), mtu)];
            net.rate = Some(Rate::from_mbps(8));
            net = net.start(u64::MAX);
            net.run(at_ms(30_000));
            let (path, heard) = (net.sender.path_stats(), heard.borrow());
            let timeouts =
                heard.events.iter().take_while(|c| matches!(c, Cause::Timeout { .. })).count();
            assert_eq!(timeouts, heard.events.len(), "{name} {mtu}: {:?}", heard.events);
            assert!((3..=5).contains(&timeouts), "{name} {mtu}: {timeouts}");
            let found = net.sender.path_mtu();
            assert!(found <= mtu && mtu - found < 8, "{name} {mtu}: {found} {path:?}");
            assert!(heard.sizes.iter().skip(1).is_sorted(), "{name} {mtu}: {:?}", heard.sizes);
            assert_eq!(heard.sizes.len() as u32, path.mtu_changes);
            assert_eq!(net.sender.stats().recoveries, 0, "{name} {mtu}");
        }
    }
}

/// A false alarm, the path gone for ten seconds: the search ends at the largest size again, and
/// nothing is left to be raised.
#[test]
fn a_false_alarm_is_undone() {
    let (mut net, _) = spied(&jumbo(Discovery::Probe), 120_000);
    net.mtus = vec![(Time::ZERO, 9000), (at_ms(300), 100), (at_ms(10_000), 9000)];
    net.rate = Some(Rate::from_mbps(8));
    net = net.start(4_000_000);
    net.run(at_ms(900_000));
    assert_eq!((net.sender.path_mtu(), net.sender.path_stats().mtu_probes_lost), (9000, 0));
    assert!(net.sender.finished() && net.sender.deadline() == Time::NEVER);
}

/// A router's notice of a probe names the size to try next: it is found at once.
#[test]
fn notices_shorten_the_search() {
    for (name, config) in ways(Discovery::Probe) {
        let (mut net, heard) = spied(&config, 120_000);
        net.mtus = vec![(Time::ZERO, 9000), (at_ms(300), 100), (at_ms(8_000), 1437)];
        net.rate = Some(Rate::from_mbps(8));
        net = net.start(u64::MAX);
        net.run(at_ms(8_000));
        net.tells = Some((Span::from_ms(30), true));
        net.run(at_ms(30_000));
        let path = net.sender.path_stats();
        assert_eq!(net.sender.path_mtu(), 1437, "{name} {path:?}");
        assert!(
            path.mtu_probes_lost == 1 && path.mtu_probes == 3 && path.notices == 1,
            "{name} \
            {path:?}"
        );
        assert!(heard.borrow().events.iter().all(|c| matches!(c, Cause::Timeout { .. })));
    }
}

/// After `pmtu_raise_after` the larger size is back: at once where routers tell, by a search where
/// not.
#[test]
fn a_path_that_grows_is_used() {
    for discovery in [Discovery::Icmp, Discovery::Probe] {
        for (name, config) in ways(discovery) {
            let config = TcpConfig { pmtu_raise_after: Span::from_secs(20), ..config };
            let (mut net, heard) = spied(&config, 120_000);
            net.mtus = vec![(Time::ZERO, 1500), (at_ms(15_000), 9000)];
            (net.tells, net.rate, net.record) =
                (Some((Span::from_ms(30), true)), Some(Rate::from_mbps(8)), false);
            net = net.start(u64::MAX);
            net.run(at_ms(19_900));
            assert_eq!(net.sender.path_mtu(), 1500, "{name} {discovery:?}");
            net.run(at_ms(40_000));
            assert_eq!(
                net.sender.path_mtu(),
                9000,
                "{name} {discovery:?} {:?}",
                net.sender.path_stats()
            );
            assert_eq!(heard.borrow().events.len(), 0, "{name} {discovery:?}");
            let probes = net.sender.path_stats().mtu_probes;
            assert_eq!(probes > 0, discovery == Discovery::Probe, "{name} {discovery:?}");
        }
    }
}

/// The short way of ordinary acknowledgments is open again after a change of size, and does what
/// the careful way does.
#[test]
fn a_changed_size_goes_the_short_way() {
    for discovery in [Discovery::Icmp, Discovery::Probe] {
        let log = |careful: bool| {
            let mut config = TcpConfig { pmtu_raise_after: Span::from_secs(9), ..jumbo(discovery) };
            config.receive_window = Limit::Packets(Packets(12.0));
            let mut net = Net::new("sack", &config);
            if careful {
                net.sender.disable_fast_path();
            }
            net.mtus = vec![(Time::ZERO, 1500)];
            (net.tells, net.rate) = (Some((Span::from_ms(30), true)), Some(Rate::from_mbps(8)));
            net = net.start(12_000_000);
            net.run(at_ms(60_000));
            assert!(net.sender.finished());
            net.log.iter().map(|s| (s.at, s.segment)).collect::<Vec<_>>()
        };
        assert_eq!(log(false), log(true), "{discovery:?}");
    }
}

/// Segments of the wrong connection, of old data and of none: nothing moves.
#[test]
fn forged_notices_change_nothing() {
    let log = |forged: bool| {
        let mut net = Net::new("sack", &jumbo(Discovery::Icmp));
        if forged {
            for (i, seq) in [0, 1, 5_000_000, u32::MAX, 3_000_000_000].into_iter().enumerate() {
                net.notices
                    .insert((at_ms(250 + i as u64), 1 << 40), PacketTooBig { mtu: 576, seq });
            }
        }
        net = net.start(600_000);
        net.run(at_ms(60_000));
        let path = net.sender.path_stats();
        assert_eq!((path.notices, path.notices_ignored), (0, if forged { 5 } else { 0 }));
        net.log.iter().map(|s| (s.at, s.segment)).collect::<Vec<_>>()
    };
    assert_eq!(log(true), log(false));
}
