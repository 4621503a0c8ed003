//! Adaptive RED's vectors, its band and its bounds.
use super::*;
use crate::aqm::red::RedConfig;
use crate::aqm::red::tests::alike::{Line, same_as_red};
use dumbbell_core::catalogue::read;
use dumbbell_core::testing::link;
use dumbbell_core::units::{Bytes, Capacity, Rate};
use serde_json::json;

/// Thresholds 5 and 15, so that the target is 9 to 11; the average is what the arriving packet
/// finds.
fn given(config: AdaptiveRedConfig) -> AdaptiveRedConfig {
    AdaptiveRedConfig {
        min_th: Packets(5.0),
        max_th: Packets(15.0),
        auto_w_q: AutoWeight::Off,
        w_q: 1.0,
        ..config
    }
}

fn line(config: AdaptiveRedConfig) -> Line<AdaptiveRed> {
    let capacity = Capacity::Packets(50);
    Line::new(AdaptiveRed::new(&given(config), &link(capacity)), capacity)
}

/// The automatic settings for three links.
#[test]
fn automatic_settings() {
    for (bps, size, w_q, min_th, max_th) in [
        (1_500_000, 500, 0.002_663_1, 5.0, 15.0),
        (15_000_000, 500, 2.666_31e-4, 9.375, 28.125),
        (100_000_000, 1500, 1.199_93e-4, 20.833_3, 62.5),
    ] {
        let config = AdaptiveRedConfig { mean_packet_size: Bytes(size), ..Default::default() };
        let on = config.on(&LinkInfo { rate: Rate::from_bps(bps), ..link(Capacity::Unlimited) });
        for (ours, theirs) in [(on.0, min_th), (on.1, max_th), (on.2, w_q)] {
            assert!((ours / theirs - 1.0).abs() < 1e-5, "{bps}: {on:?}");
        }
    }
}

/// 15 Mbps of 500 B packets are 3750 packets/s; 10 ms of delay make a round trip of 100 ms at
/// least, 100 ms one of 300.
#[test]
fn the_other_weights() {
    let w_q = |auto_w_q, ms| {
        let config = AdaptiveRedConfig { auto_w_q, ..Default::default() };
        let link = LinkInfo {
            rate: Rate::from_mbps(15),
            delay: Span::from_ms(ms),
            ..link(Capacity::Unlimited)
        };
        config.on(&link).2
    };
    let near = |x: f64, packets: f64| {
        assert!(
            (x - (1.0 - libm::exp(-1.0 / packets))).abs() < 1e-12,
            "{x} \
        {packets}"
        )
    };
    near(w_q(AutoWeight::TenRtt, 10), 3750.0);
    near(w_q(AutoWeight::TenRtt, 100), 10.0 * (0.3 + 3.0 / 3750.0) * 3750.0);
    near(w_q(AutoWeight::TenthSecond, 10), 375.0);
    assert_eq!(w_q(AutoWeight::Off, 10), 0.002);
}

#[test]
fn an_automatic_bottom() {
    let bottom = |mbps| {
        let config = AdaptiveRedConfig { bottom: 0.0, ..Default::default() };
        config.on(&LinkInfo { rate: Rate::from_mbps(mbps), ..link(Capacity::Unlimited) }).3
    };
    assert_eq!((bottom(1), bottom(100)), (0.01, 0.0008));
}

/// Above the target max_p goes from 0.1 by 0.01 an interval to 0.5, in 40 intervals, and stays
/// there.
#[test]
fn upwards() {
    let mut line = line(AdaptiveRedConfig::default());
    line.tick();
    for n in 1..=45 {
        line.arrive(12);
        line.tick();
        let expected = 0.1 + 0.01 * f64::from(n.min(40));
        assert!((line.gauge("max_p") - expected).abs() < 1e-9, "{n}: {}", line.gauge("max_p"));
    }
    assert_eq!(line.gauge("max_p"), 0.5);
}

/// A small max_p is raised by a quarter: from 0.02 by 0.005.
#[test]
fn a_small_probability_takes_small_steps() {
    let mut line = line(AdaptiveRedConfig { max_p: 0.02, ..Default::default() });
    line.tick();
    line.arrive(12);
    line.tick();
    assert!((line.gauge("max_p") - 0.025).abs() < 1e-15);
}

/// Below the target it shrinks by a tenth an interval until it is below 0.01: 22 steps, 0.00985.
#[test]
fn downwards() {
    let mut line = line(AdaptiveRedConfig::default());
    line.tick();
    for n in 1..=30 {
        line.arrive(8);
        line.tick();
        let expected = 0.1 * libm::pow(0.9, f64::from(n.min(22)));
        assert!((line.gauge("max_p") - expected).abs() < 1e-12, "{n}: {}", line.gauge("max_p"));
    }
    assert!((line.gauge("max_p") - 0.009_85).abs() < 5e-6);
}

/// Within the target, bounds included, nothing moves.
#[test]
fn on_target() {
    for q in [9, 10, 11] {
        let mut line = line(AdaptiveRedConfig::default());
        for _ in 0..10 {
            line.arrive(q);
            line.tick();
        }
        assert_eq!(line.gauge("max_p"), 0.1);
    }
}

/// ns-2: a step that changes nothing does not start the interval again, one that does does.
#[test]
fn the_trigger_at_an_arrival() {
    let mut line =
        line(AdaptiveRedConfig { adapt_trigger: AdaptTrigger::Arrival, ..Default::default() });
    assert!(!line.aqm.ticks());
    let mut after = |ms, q| {
        line.now = Time::ZERO + Span::from_ms(ms);
        line.arrive(q);
        line.gauge("max_p")
    };
    assert_eq!(after(500, 12), 0.1, "not yet more than an interval");
    assert_eq!(after(700, 10), 0.1, "on target");
    let raised = after(701, 12);
    assert!((raised - 0.11).abs() < 1e-12, "{raised}");
    assert_eq!(after(1201, 12), raised, "an interval since the last change, not more");
    assert!((after(1202, 12) - 0.12).abs() < 1e-12);
}

#[test]
fn without_steps_it_is_red() {
    let red = RedConfig { w_q: 1.0, gentle: true, ..Default::default() };
    for adapt_trigger in [AdaptTrigger::Timer, AdaptTrigger::Arrival] {
        let none =
            given(AdaptiveRedConfig { alpha: 0.0, beta: 1.0, adapt_trigger, ..Default::default() });
        same_as_red(&red, |site| AdaptiveRed::new(&none, site)).unwrap();
        let steps = AdaptiveRedConfig { beta: 0.3, interval: Span::from_ms(50), ..none };
        assert!(
            same_as_red(&red, |site| AdaptiveRed::new(&steps, site)).is_err(),
            "steps must \
            show"
        );
    }
}

#[test]
fn contradictions_are_refused() {
    let fault = |json| read::<AdaptiveRedConfig>(&json).unwrap_err();
    assert_eq!(fault(json!({"w_q": 0.01})).fix.as_deref(), Some("write auto_w_q = \"off\""));
    assert!(read::<AdaptiveRedConfig>(&json!({"w_q": 0.01, "auto_w_q": "off"})).is_ok());
    assert_eq!(fault(json!({"max_th": "15 pkt"})).at, "min_th");
    assert_eq!(fault(json!({"max_th": "15 pkt", "min_th": "20 pkt"})).at, "max_th");
    assert!(read::<AdaptiveRedConfig>(&json!({"min_th": "20 pkt"})).is_ok());
    assert_eq!(fault(json!({"bottom": 0.6})).at, "bottom");
    for too_short in ["0 s", "1 ps", "999 ns"] {
        assert_eq!(fault(json!({ "interval": too_short })).at, "interval");
    }
}
