//! When a probe of the search goes, and what its answer tells (RFC 4821, sections 7.4 and 7.6).
use super::*;

/// A sender of segments of 1460 bytes that has fallen to the base of 1024, though the path is as
/// wide as ever, and whose data is all acknowledged: 20 s after the start it searches.
fn searching(config: &TcpConfig, cwnd: u64) -> Net<Spy> {
    let config = TcpConfig { mss: Some(Bytes(1460)), ..config.clone() };
    let (mut net, _) = spied(&config, cwnd);
    net.mtus = vec![(Time::ZERO, 100), (at_ms(8_000), 9000)];
    net.act(|s, now, out| s.open(now, out));
    net.act(|s, now, out| s.write(now, 1460, out));
    net.run(at_ms(20_000));
    assert_eq!((net.sender.path_mtu(), net.sender.view().in_flight), (BASE, 0));
    net.rate = Some(Rate::from_mbps(8));
    net
}

/// The size to fall to; the payload of a segment that fills it; that of the first probe, whose
/// packet has 1280 bytes; and three segments behind that.
const BASE: u32 = 1024;
const SMALL: u64 = 1024 - 40;
const PROBE: u64 = 1280 - 40;
const WITH_PROBE: u64 = PROBE + 3 * SMALL;

/// RFC 4821 section 7.4: a probe has data behind it for as many duplicates as a loss takes, and
/// both fit into the window; else none goes.
#[test]
fn a_probe_has_enough_behind_it() {
    for (written, cwnd, probes) in [
        (WITH_PROBE, 1 << 20, 1),
        (WITH_PROBE - 1, 1 << 20, 0),
        (1 << 20, WITH_PROBE, 1),
        (1 << 20, WITH_PROBE - 1, 0),
    ] {
        let mut net = searching(&jumbo(Discovery::Probe), cwnd);
        net.act(|s, now, out| s.write(now, written, out));
        let path = net.sender.path_stats();
        assert_eq!(path.mtu_probes, probes, "{written} bytes in a window of {cwnd}");
    }
}

/// Four segments are on their way. A probe goes at once if the window has room for it, and else
/// with the acknowledgment that makes room; nothing goes meanwhile.
#[test]
fn a_probe_waits_for_the_window() {
    for missing in [0, 1] {
        let mut net = searching(&jumbo(Discovery::Probe), 4 * SMALL + PROBE - missing);
        net.act(|s, now, out| s.write(now, 4 * SMALL, out));
        let sent = net.sender.stats().sent_packets;
        net.act(|s, now, out| s.write(now, 1 << 20, out));
        let stats = (net.sender.path_stats().mtu_probes, net.sender.stats().sent_packets - sent);
        assert_eq!(stats, if missing == 0 { (1, 1) } else { (0, 0) });
        net.run(at_ms(20_102));
        assert_eq!(net.sender.path_stats().mtu_probes, 1);
    }
}

/// While a duplicate is all that is known, no probe goes, though nothing may go for the duplicate
/// either.
#[test]
fn a_probe_waits_while_anything_is_suspected() {
    for lost in [false, true] {
        let config = TcpConfig { limited_transmit: false, ..older(jumbo(Discovery::Probe), false) };
        let mut net = searching(&config, 1 << 20);
        let mut first = lost;
        net.fate =
            Box::new(move |_, _, _| if std::mem::take(&mut first) { lose() } else { pass() });
        net.act(|s, now, out| s.write(now, 2 * SMALL, out));
        net.run(at_ms(20_103));
        net.act(|s, now, out| s.write(now, WITH_PROBE, out));
        assert_eq!(net.sender.path_stats().mtu_probes, u32::from(!lost));
    }
}

/// The acknowledgment of a probe is enough: segments have its size before anything behind it is
/// acknowledged. So is a selective one, while what went before the probe is missing.
#[test]
fn a_probe_that_arrives_is_the_new_size() {
    for lost in [false, true] {
        let mut net = searching(&jumbo(Discovery::Probe), 1 << 20);
        let mut first = lost;
        net.fate =
            Box::new(move |_, _, _| if std::mem::take(&mut first) { lose() } else { pass() });
        if lost {
            net.act(|s, now, out| s.write(now, SMALL, out));
        }
        net.act(|s, now, out| s.write(now, WITH_PROBE, out));
        assert_eq!(net.sender.path_stats().mtu_probes, 1);
        // A packet of 1024 bytes takes 1.024 ms, the probe 1.28.
        let back = if lost { 20_000 + 102 } else { 20_000 + 101 };
        net.run(at_ms(back));
        assert_eq!(net.sender.path_mtu(), BASE, "{lost}");
        net.run(at_ms(back + 1));
        assert_eq!(net.sender.path_mtu(), 1280, "{lost}");
    }
}

/// A timeout while a probe is first in flight counts for its size: the search goes on below it, in
/// steps of 8. One of other data, a probe among it, tells nothing of it.
#[test]
fn a_timeout_tells_of_the_first_in_flight() {
    for (before, lost_probes) in [(0, 1), (SMALL, 0)] {
        let mut net = searching(&jumbo(Discovery::Probe), 100_000);
        net.fate = Box::new(|_, _, _| lose());
        net.act(|s, now, out| s.write(now, before, out));
        net.act(|s, now, out| s.write(now, WITH_PROBE, out));
        while net.sender.stats().rtos < 4 {
            net.run(net.now + Span::from_ms(100));
        }
        net.fate = Box::new(|_, _, _| pass());
        net.run(net.now + Span::from_secs(30));
        let path = net.sender.path_stats();
        assert_eq!((path.mtu_probes, path.mtu_probes_lost), (1, lost_probes), "{before}");
        net.act(|s, now, out| s.write(now, u64::MAX, out));
        net.run(net.now + Span::from_secs(30));
        let found = net.sender.path_mtu();
        assert_eq!(found, if before == 0 { 1272 } else { 1500 }, "{path:?}");
    }
}
