//! Freeze-TCP across a disconnection, beside a TCP that is not told.
use crate::harness::*;
use dumbbell_core::transport::{HostSignal, TcpOverrides};
use dumbbell_core::units::{Limit, Packets, Rate};
use dumbbell_tcp::{SenderView, TcpConfig};

/// Congestion avoidance from eight segments on.
fn config(base: TcpConfig) -> TcpConfig {
    TcpConfig { initial_ssthresh: Limit::Packets(Packets(8.0)), ..base }
}

/// 60 round trips, then a disconnection of 5 s, of which the receiver's host speaks `warning` ms
/// ahead; all on the way when it begins is lost. The sender before, and 15 ms after the
/// reconnection's ACKs have reached it; and the network.
fn disconnect(
    cc: &str,
    config: &TcpConfig,
    warning: u64,
) -> (SenderView, SenderView, Net<dumbbell_algos::cc::AnyCc>) {
    let mut net = Net::new(cc, config).start(u64::MAX);
    net.rate = Some(Rate::from_mbps(8));
    net.run(at_ms(6013 - warning));
    net.answer(|r, now, out| r.local(now, HostSignal::PathDown, out));
    net.run(at_ms(6013));
    let before = net.sender.view();
    net.cut();
    net.fate = Box::new(|_, _, _| lose());
    net.run(at_ms(11_013));
    net.fate = Box::new(|_, _, _| pass());
    net.answer(|r, now, out| r.local(now, HostSignal::PathUp, out));
    net.run(at_ms(11_078));
    let after = net.sender.view();
    net.run(at_ms(14_000));
    (before, after, net)
}

/// Warned a round trip ahead, nothing is on its way when the path vanishes: the window, the
/// threshold and the round-trip time are as they were, a whole window goes at once, and there was
/// neither a timeout nor a recovery.
#[test]
fn a_warned_sender_goes_on_where_it_was() {
    for base in [
        plain(),
        plain().with_overrides(TcpOverrides::recovery("newreno")),
        modern(),
        TcpConfig { timestamps: true, ..modern() },
    ] {
        let config = config(base);
        let (before, after, net) = disconnect("freeze", &config, 150);
        let s = net.sender.stats();
        assert_eq!((s.rtos, s.recoveries, s.undone(), s.retransmits - s.probes), (0, 0, 0, 0));
        assert!(s.probes >= 2, "persist mode probes: {s:?}");
        assert_eq!(
            (after.cwnd, after.ssthresh, after.srtt),
            (before.cwnd, before.ssthresh, before.srtt)
        );
        assert!(before.cwnd > 60 * MSS, "{before:?}");
        // 11,013 ms and 50 on the way: everything that the window allows leaves at that instant.
        assert_eq!(
            burst(&net.data(), 11_063).len() as u64,
            before.cwnd / config.segment_bytes(),
            "{before:?}"
        );

        let (_, told, net) = disconnect("newreno", &config, 150);
        assert!(net.sender.stats().rtos >= 3, "{:?}", net.sender.stats());
        assert!(told.cwnd < before.cwnd / 4, "{told:?}");
    }
}

/// Without a warning in time all that is on its way is lost: it goes again when the path is back,
/// at the same window.
#[test]
fn what_was_on_its_way_goes_again() {
    for base in [plain(), plain().with_overrides(TcpOverrides::recovery("newreno")), modern()] {
        let config = config(base);
        let (before, after, net) = disconnect("freeze", &config, 55);
        let s = net.sender.stats();
        assert!(before.in_flight > 0 && after.cwnd >= before.cwnd, "{before:?} {after:?}");
        assert_eq!((s.rtos, s.recoveries), (0, 0), "{s:?}");
        let again = burst(&net.data(), 11_063).into_iter().filter(|n| *n < 0).count() as u64;
        assert!(again >= before.in_flight / MSS / 2, "{again} {before:?} {s:?}");
        assert_eq!(again, s.retransmits - s.probes, "all of it at once: {s:?}");
        assert_eq!(net.receiver.stats().duplicates, 0, "and nothing of it needlessly");
        assert!(
            after.phase == dumbbell_core::transport::Phase::Loss
                && net.sender.view().phase != after.phase
        );
    }
}

/// One of the three ACKs that announce the reconnection is enough, whichever it is, and they are no
/// duplicates: with the first segment lost on the new path there is one reduction, and not before
/// three true duplicates.
#[test]
fn one_announcement_is_enough() {
    for kept in 0..3 {
        let config = config(plain());
        let mut net = Net::new("freeze", &config).start(u64::MAX);
        net.run(at_ms(2013));
        net.answer(|r, now, out| r.local(now, HostSignal::PathDown, out));
        net.run(at_ms(3000));
        let cwnd = net.sender.cwnd();
        let mut n = 0;
        net.fate = Box::new(move |way, _, _| {
            n += u64::from(way == Way::Back);
            if way == Way::Back && n <= 3 && n != kept + 1 { lose() } else { pass() }
        });
        net.answer(|r, now, out| r.local(now, HostSignal::PathUp, out));
        net.run(at_ms(3060));
        assert_eq!(
            (net.sender.cwnd(), burst(&net.data(), 3050).len() as u64),
            (cwnd, cwnd / MSS),
            "{kept}"
        );
        net.run(at_ms(6000));
        assert_eq!((net.sender.stats().recoveries, net.sender.stats().rtos), (0, 0));
    }
}

/// While the path is there, a loss is a loss, by duplicates and by RACK's timer alike; and behind a
/// window that a receiver without the option closes, RACK's timer still finds one.
#[test]
fn a_loss_on_a_path_that_is_there_is_congestion() {
    for base in [plain(), modern()] {
        // The last segment but one: only time tells that it is lost.
        let mut net = Net::new("freeze", &base).lose_first(&[9]).start(10 * MSS);
        net.run(at_ms(1000));
        let expected = u64::from(base.detection == dumbbell_tcp::Detection::Rack);
        assert_eq!(net.sender.stats().recoveries, expected);
    }
    let mut net = Net::new("sack", &modern()).lose_first(&[9]).start(10 * MSS);
    net.run(at_ms(101));
    net.answer(|r, now, out| r.offer(now, 0, out));
    let una = net.sender.view().una;
    net.run(at_ms(1000));
    assert_eq!((una, net.sender.stats().recoveries), (1 + 8 * MSS, 1));
}

/// A receiver that has moved says so on every acknowledgment, and the sender's control hears it
/// once, though the first of them are lost.
#[test]
fn a_move_is_heard_once() {
    use dumbbell_core::transport::{Ack, Commands, Congestion, CongestionControl};
    struct Listens(Vec<u64>);
    impl CongestionControl for Listens {
        fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
            self.0.extend(ack.moved.then(|| ms(ack.now)));
        }
        fn on_congestion(&mut self, _: &Congestion<'_>, _: &mut Commands) {}
        fn cwnd(&self) -> u64 {
            4 * MSS
        }
    }
    let sender = dumbbell_tcp::Sender::new(plain(), |_| Listens(Vec::new()));
    let receiver = sender.receiver();
    let mut net = Net::of(sender, receiver).start(u64::MAX);
    net.run(at_ms(1010));
    net.answer(|r, now, out| r.local(now, HostSignal::PathUp, out));
    let mut lost = 0;
    net.fate = Box::new(move |way, _, _| {
        lost += u64::from(way == Way::Back && lost < 3);
        if way == Way::Back && lost < 3 { lose() } else { pass() }
    });
    net.run(at_ms(3010));
    net.answer(|r, now, out| r.local(now, HostSignal::PathDown, out));
    net.answer(|r, now, out| r.local(now, HostSignal::PathUp, out));
    net.run(at_ms(5000));
    let heard = &net.sender.cc().0;
    assert!(heard.len() == 2 && heard[0] < 1200 && (3050..3200).contains(&heard[1]), "{heard:?}");
}
