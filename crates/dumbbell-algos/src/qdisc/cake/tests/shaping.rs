//! The shaper at a port: when packets leave.
use super::*;

/// A port of 1 Mbit/s.
fn port(json: &Value) -> Bench<Cake<Numbered>> {
    let site = link(Capacity::Unlimited);
    Bench::new(Cake::new(&config(json), &site), site, 1, false)
}

fn at(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// The instants at which transmissions of `bytes` each at 1 Mbit/s began, in microseconds.
fn starts(bench: &Bench<Cake<Numbered>>, bytes: u32) -> Vec<u64> {
    let sent = |e: &Event| match e {
        Event::Sent(_, done) => Some(done.ps() / 1_000_000 - u64::from(bytes) * 8),
        _ => None,
    };
    bench.journal.0.iter().filter_map(sent).collect()
}

/// Packets of 1000 bytes at 500 kbit/s: one each 16 ms, from the first on. After a pause the next
/// leaves at once and the one behind it not earlier: no burst was saved up.
#[test]
fn packets_leave_at_the_bandwidth_without_a_burst() {
    let mut bench = port(&json!({"bandwidth": "500 kbps", "rtt": "10 s"}));
    for us in [0, 0, 0, 1_000_000, 1_000_000, 1_000_000] {
        bench.arrive(at(us), packet(0, 1000, Ecn::NotEct));
    }
    bench.drain();
    let expected = [0, 16_000, 32_000, 1_000_000, 1_016_000, 1_032_000];
    assert_eq!(starts(&bench, 1000), expected);
}

/// A packet that comes to the empty queue while the one before still counts waits for the clock.
#[test]
fn a_packet_waits_for_the_one_before_even_if_that_is_gone() {
    let mut bench = port(&json!({"bandwidth": "500 kbps", "rtt": "10 s"}));
    for us in [0, 9_000, 40_000] {
        bench.arrive(at(us), packet(0, 1000, Ecn::NotEct));
    }
    bench.drain();
    assert_eq!(starts(&bench, 1000), [0, 16_000, 40_000]);
}

/// 1500 + 8 bytes are 32 cells of 53 bytes: 1696 bytes, 27.136 ms at 500 kbit/s; PTM's 1508 + 24
/// bytes take 24.512 ms.
#[test]
fn the_length_on_the_link_counts() {
    for (layer, us) in [("none", 24_128), ("atm", 27_136), ("ptm", 24_512)] {
        let json = json!({
            "bandwidth": "500 kbps", "overhead": 8, "link_layer": layer, "rtt": "10 s",
        });
        let mut bench = port(&json);
        for _ in 0..4 {
            bench.arrive(at(0), packet(0, 1500, Ecn::NotEct));
        }
        bench.drain();
        assert_eq!(starts(&bench, 1500), [0, us, 2 * us, 3 * us]);
    }
}

/// Above the link's rate the shaper has no effect.
#[test]
fn a_slow_link_sends_when_it_can() {
    let mut bench = port(&json!({"bandwidth": "2 Mbps", "rtt": "10 s"}));
    for _ in 0..4 {
        bench.arrive(at(0), packet(0, 1000, Ecn::NotEct));
    }
    bench.drain();
    assert_eq!(starts(&bench, 1000), [0, 8_000, 16_000, 24_000]);
}

/// The clock carries remainders on: 1000 packets of 1500 bytes at 7 Mbit/s take 1000 x 12000 / 7e6
/// seconds to a picosecond, where a rounded time of each would be off by many.
#[test]
fn the_rate_is_exact() {
    let mut shaper = shaper::Shaper::new(Rate::from_mbps(7));
    (0..1000).for_each(|_| shaper.sends(1500));
    assert_eq!(shaper.clock().ps(), 12_000_000 * 1_000_000_000_000 / 7_000_000);
}

/// A flow that sends now and then stays sparse though the shaper holds the port between its
/// packets: each goes before the backlog of another.
#[test]
fn a_sparse_flow_stays_sparse_under_a_shaper() {
    let mut bench = port(&json!({"bandwidth": "500 kbps", "rtt": "1000 s"}));
    for n in 0..40 {
        bench.arrive(at(100_000 * n), packet(1, 1000, Ecn::NotEct));
    }
    let now = bench.now;
    bench.run_to(now + Span::from_ms(100));
    for _ in 0..20 {
        bench.arrive(now + Span::from_ms(100), packet(0, 1000, Ecn::NotEct));
    }
    let (sparse, _) = bench.arrive(now + Span::from_ms(101), packet(1, 100, Ecn::NotEct));
    bench.drain();
    let mut sent = bench.journal.0.iter().filter_map(|e| match e {
        Event::Sent(id, _) => Some(*id),
        _ => None,
    });
    // One of the backlog was in transmission, and the sparse packet is next.
    assert_eq!(sent.nth(41), Some(sparse));
}
