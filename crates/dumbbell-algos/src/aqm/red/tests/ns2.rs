//! Results of ns-2.35 itself: its automatic settings, read back from its queue after the start of a
//! run, and its decisions on packets of 400 bytes, with typical ones of 500, at an average that was
//! held still.
use super::*;
use crate::aqm::red::automatic::AutoWeight;
use dumbbell_core::catalogue::read;

/// ns-2 since October 2004: everything in bytes, and from the link.
fn since_2004() -> RedConfig {
    read(&serde_json::json!({
        "auto_th": true, "auto_w_q": "ten_rtt", "mean_packet_size": "500 B", "byte_mode": true,
        "byte_drop": "ns2", "gentle": true, "spacing": "uniform_wait", "max_p": 0.1,
        "min_q_for_drop": "0.5 pkt",
    }))
    .unwrap()
}

/// `Queue/RED` of ns-2.35 with its own defaults on a link of this rate, kbit/s, and delay, ms;
/// `mean_pktsize_`; and what it said for `thresh_`, `maxthresh_`, `q_weight_`.
#[test]
fn automatic_settings_are_those_of_the_program() {
    for (kbps, ms, size, min_th, max_th, w_q) in [
        (155_000, 2, 500, 96.875, 290.625, 2.580_611_862_934_568e-5),
        (50_000, 2, 500, 31.25, 93.75, 7.999_680_008_529_854e-5),
        (8_000, 2, 500, 5.0, 15.0, 4.998_750_208_307_09e-4),
        (1_500, 20, 500, 5.0, 15.0, 2.663_114_269_499_056e-3),
        (155_000, 50, 500, 96.875, 290.625, 1.719_527_817_622_968e-5),
        (155_000, 2, 1000, 48.4375, 145.3125, 5.161_157_130_284_533e-5),
        (100, 10, 500, 5.0, 15.0, 2.631_425_064_685_5e-2),
    ] {
        let rate = Rate::from_bps(1000 * kbps);
        let site = LinkInfo { rate, delay: Span::from_ms(ms), ..link(Capacity::Unlimited) };
        let on = RedConfig { mean_packet_size: Bytes(size), ..since_2004() }.on(&site);
        assert_eq!((on.min_th.0, on.max_th.0), (min_th, max_th), "{kbps} kbit/s");
        assert!((on.w_q / w_q - 1.0).abs() < 1e-10, "{kbps} kbit/s: {} and {w_q}", on.w_q);
        assert!(!on.auto_th && on.auto_w_q == AutoWeight::Off && on.gentle && on.byte_mode);
    }
}

/// By hand: 1.5 Mbit/s are 375 packets of 500 bytes a second, `q_weight_ 0` forgets in as many, -2
/// in a tenth of them.
#[test]
fn the_other_weights() {
    let site = LinkInfo { rate: Rate::from_bps(1_500_000), ..link(Capacity::Unlimited) };
    let w_q = |auto_w_q| RedConfig { auto_w_q, ..RedConfig::default() }.on(&site).w_q;
    assert!((w_q(AutoWeight::Second) - 0.002_663_114_27).abs() < 1e-11);
    assert!((w_q(AutoWeight::TenthSecond) - 0.026_314_250_65).abs() < 1e-10);
    assert_eq!(w_q(AutoWeight::Off), 0.002);
    let far = RedConfig { auto_th: true, target_delay: Span::from_ms(100), ..RedConfig::default() }
        .on(&site);
    assert_eq!(
        (far.min_th, far.max_th),
        (Packets(18.75), Packets(56.25)),
        "half of 100 ms at 375 \
        packets a second"
    );
}

/// A queue at `p_b` = 1/2 throughout: packets since the last signal, per cent, of the signals that
/// came after so many.
fn spacings(spacing: SpacingLaw) -> [f64; 5] {
    let config = RedConfig {
        spacing,
        min_th: Packets(0.0),
        max_p: 0.5,
        curve: curve::CurveShape::Constant,
        ..since_2004()
    };
    let config = RedConfig { auto_th: false, auto_w_q: AutoWeight::Off, w_q: 1e-12, ..config };
    let mut bench = Bench::new(
        Fifo::<_, Numbered>::new(red(&config, Capacity::Unlimited)),
        link(Capacity::Unlimited),
        7,
        false,
    );
    let (mut gaps, mut last) = ([0.0; 5], None);
    for _ in 0..40_000 {
        bench.journal.0.clear();
        let (id, _) = bench.arrive(Time::ZERO, packet(0, 400, Ecn::NotEct));
        if !bench.journal.0.is_empty()
            && let Some(before) = last.replace(id)
        {
            gaps[(id - before) as usize - 1] += 1.0;
        }
    }
    let signals: f64 = gaps.iter().sum();
    gaps.map(|n| 100.0 * n / signals)
}

/// The program, 40,000 packets: 40.4 % of its signals came at the third packet and 59.6 % at the
/// fourth; without `wait_` 40.2 % at the first and 59.8 % at the second. By hand: three packets of
/// 400 bytes are two whole ones of 500, so that x = 1, p = 0.5 / (2 - 1), and 400 / 500 of that are
/// 0.4. Were parts of packets counted, it would be 0.5.
#[test]
fn bytes_count_in_whole_packets() {
    for (law, at) in [(SpacingLaw::UniformWait, 2), (SpacingLaw::Uniform, 0)] {
        let gaps = spacings(law);
        assert!(
            (gaps[at] - 40.0).abs() < 1.0 && (gaps[at + 1] - 60.0).abs() < 1.0,
            "{law:?}: \
            {gaps:?}"
        );
    }
}

/// The program with an average beyond twice `maxthresh_`: in bytes the first packet goes out, the
/// second waits, the third is dropped; in packets one more waits.
#[test]
fn the_short_queue_that_is_left_alone() {
    let let_in = |config: RedConfig| 8 - at_once(&config, 8, Ecn::NotEct).len();
    let beyond =
        |config| RedConfig { w_q: 1.0, min_th: Packets(0.0), max_th: Packets(0.1), ..config };
    let in_bytes = RedConfig { auto_th: false, auto_w_q: AutoWeight::Off, ..since_2004() };
    assert_eq!(let_in(beyond(in_bytes)), 2);
    assert_eq!(let_in(beyond(RedConfig { gentle: true, ..RedConfig::default() })), 3);
}

#[test]
fn what_follows_from_the_link_is_not_said_as_well() {
    let fault = |json| read::<RedConfig>(&json).unwrap_err();
    assert_eq!(fault(serde_json::json!({"auto_th": true, "min_th": "6 pkt"})).at, "min_th");
    assert_eq!(fault(serde_json::json!({"auto_th": true, "max_th": "30 pkt"})).at, "max_th");
    assert_eq!(
        fault(serde_json::json!({"auto_w_q": "second", "w_q": 0.1})).fix.unwrap(),
        "write \
        auto_w_q = \"off\""
    );
    assert_eq!(fault(serde_json::json!({"target_delay": "1 ms"})).at, "target_delay");
}
