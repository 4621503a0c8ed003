//! ea-RED's invariants, its walk to a steady average, its options, and RED where its steps are
//! none.
use super::*;
use crate::aqm::red::RedConfig;
use crate::aqm::red::tests::alike::{Line, same_as_red};
use dumbbell_core::catalogue::{Config, read};
use dumbbell_core::testing::link;
use dumbbell_core::units::{Capacity, Packets};
use proptest::prelude::*;
use serde_json::json;

fn ea_red(config: &EaRedConfig) -> EaRed {
    config.check().unwrap();
    EaRed::new(config, &link(Capacity::Packets(50)))
}

/// An ea-RED whose average is what the arriving packet finds.
fn instant(config: &EaRedConfig) -> Line<EaRed> {
    Line::new(ea_red(&EaRedConfig { w_q: 1.0, ..config.clone() }), Capacity::Packets(50))
}

fn thresholds(line: &Line<EaRed>) -> (f64, f64) {
    (line.gauge("min_th"), line.gauge("max_th"))
}

fn near(a: (f64, f64), b: (f64, f64)) -> bool {
    (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9
}

/// With an average of 0, max_th decays from 15 to its floor of min_lim + gap in 8 arrivals; min_th
/// is there already.
#[test]
fn an_idle_start() {
    let mut line = instant(&EaRedConfig::default());
    for max_th in [14.25, 13.5375, 12.860_625, 12.217_593_75, 11.606_714_062_5, 11.026_378_359_375]
    {
        line.arrive(0);
        assert!(near(thresholds(&line), (5.0, max_th)), "{:?} and not {max_th}", thresholds(&line));
    }
    line.arrive(0);
    assert!(thresholds(&line).1 > 10.0);
    line.arrive(0);
    assert_eq!(thresholds(&line), (5.0, 10.0));
    line.arrive(0);
    assert_eq!(thresholds(&line), (5.0, 10.0));
}

/// An average that stays at 40 draws the thresholds up until they hold it: 15 x 1.05^n >= 40 for n
/// = 21.
#[test]
fn an_average_pinned_at_forty() {
    let mut line = instant(&EaRedConfig::default());
    for n in 1..=21 {
        line.arrive(40);
        let grown = libm::pow(1.05, f64::from(n));
        assert!(
            near(thresholds(&line), (5.0 * grown, 15.0 * grown)),
            "{n}: {:?}",
            thresholds(&line)
        );
    }
    let (min_th, max_th) = thresholds(&line);
    assert!((min_th - 13.93).abs() < 0.005 && (max_th - 41.79).abs() < 0.005, "{min_th} {max_th}");
    for _ in 0..50 {
        line.arrive(40);
    }
    assert_eq!(thresholds(&line), (min_th, max_th), "the average is between them: nothing moves");
}

/// From 15 to 45 takes 23 arrivals with an average beyond both, and there it ends.
#[test]
fn the_upper_limit() {
    let mut line = instant(&EaRedConfig::default());
    let reached = (1..100).find(|_| {
        line.arrive(49);
        thresholds(&line).1 >= 45.0
    });
    assert_eq!((reached, thresholds(&line).1), (Some(23), 45.0));
    for _ in 0..50 {
        line.arrive(49);
    }
    assert_eq!(thresholds(&line), (40.0, 45.0), "min_th ends a gap below");
}

/// One arrival of each kind with each form of step.
#[test]
fn the_forms_of_a_step() {
    let after = |step, found| {
        let mut line = instant(&EaRedConfig {
            step,
            min_th: Packets(10.0),
            max_th: Packets(20.0),
            ..Default::default()
        });
        line.arrive(found);
        thresholds(&line)
    };
    assert!(near(after(Step::Mult, 30), (10.5, 21.0)) && near(after(Step::Mult, 4), (9.5, 19.0)));
    assert!(near(after(Step::Add, 30), (10.05, 20.05)) && near(after(Step::Add, 4), (9.95, 19.95)));
    assert!(near(after(Step::Prop, 30), (11.0, 20.5)) && near(after(Step::Prop, 4), (9.7, 19.2)));
    for step in [Step::Mult, Step::Add, Step::Prop] {
        assert_eq!(after(step, 15), (10.0, 20.0));
    }
}

/// Averages of 10, 40 and 3 at a full queue, in each order of the rules and either direction.
#[test]
fn an_overflow() {
    let after = |overflow_dir, overflow_first, avg: f64| {
        let config = EaRedConfig {
            overflow_dir,
            overflow_first,
            min_th: Packets(8.0),
            ..Default::default()
        };
        let mut aqm = ea_red(&config);
        let curve = &mut aqm.red.dropper.curve;
        aqm.rule.adapt(curve, avg, false);
        (curve.min_th, curve.max_th)
    };
    let (down, up) = ((7.6, 14.25), (8.4, 15.75));
    for first in [true, false] {
        assert!(
            near(after(OverflowDir::Lower, first, 10.0), down)
                && near(after(OverflowDir::Raise, first, 10.0), up)
        );
        assert!(
            near(after(OverflowDir::Lower, first, 3.0), down)
                && near(after(OverflowDir::Raise, first, 3.0), up)
        );
    }
    assert!(near(after(OverflowDir::Lower, true, 40.0), down), "the overflow goes first");
    assert!(near(after(OverflowDir::Lower, false, 40.0), up), "the average goes first");
}

#[test]
fn an_average_at_a_threshold() {
    let after = |at_bound, found| {
        let mut line = instant(&EaRedConfig {
            at_bound,
            min_th: Packets(10.0),
            max_th: Packets(20.0),
            ..Default::default()
        });
        line.arrive(found);
        thresholds(&line)
    };
    assert_eq!((after(false, 20), after(false, 10)), ((10.0, 20.0), (10.0, 20.0)));
    assert!(near(after(true, 20), (10.5, 21.0)) && near(after(true, 10), (9.5, 19.0)));
}

/// An average of 15.5 is beyond 15 and not beyond the 15.75 that it moves max_th to: the packet is
/// dropped for certain only if it is judged first.
#[test]
fn the_decision_sees_the_new_thresholds_unless_it_goes_first() {
    use dumbbell_core::aqm::Reason;
    let verdict = |adapt_after_decision| {
        let config = EaRedConfig {
            adapt_after_decision,
            byte_mode: true,
            w_q: 1.0,
            max_p: 0.0,
            ..Default::default()
        };
        let mut line = Line::new(ea_red(&config), Capacity::Packets(50));
        let verdict = line.arrive_bytes(31, 15 * 500 + 250);
        assert!(near(thresholds(&line), (5.25, 15.75)));
        verdict
    };
    assert_eq!(verdict(false), Verdict::Pass);
    assert_eq!(verdict(true), Verdict::Drop(Reason::Forced));
}

/// With no steps it is RED: the same fate of every packet, and the same draws.
#[test]
fn without_steps_it_is_red() {
    for (ecn, gentle, adapt_after_decision) in
        [(false, false, false), (true, false, true), (true, true, false)]
    {
        let none = EaRedConfig {
            alpha_max: 0.0,
            beta_max: 0.0,
            alpha_min: 0.0,
            beta_min: 0.0,
            ecn,
            gentle,
            w_q: 0.1,
            adapt_after_decision,
            ..Default::default()
        };
        let red = RedConfig { ecn, gentle, w_q: 0.1, ..Default::default() };
        same_as_red(&red, |site| EaRed::new(&none, site)).unwrap();
        let steps = EaRedConfig { alpha_max: 0.05, ..none };
        assert!(same_as_red(&red, |site| EaRed::new(&steps, site)).is_err(), "steps must show");
    }
    let defaults = EaRedConfig::default().red().with(5.0, 15.0, 0.1);
    assert_eq!(defaults, RedConfig::default(), "the common parameters have RED's defaults");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// min_lim <= min_th <= max_th - gap and max_th <= max_lim after every arrival, whatever the
    /// options.
    #[test]
    fn thresholds_keep_their_limits(
        found in prop::collection::vec(0u32..60, 1..200),
        step in prop::sample::select(vec![Step::Mult, Step::Add, Step::Prop]),
        dir in prop::sample::select(vec![OverflowDir::Lower, OverflowDir::Raise]),
        first: bool,
        after: bool,
        steps in prop::array::uniform4(0.0f64..1.0),
        w_q in 0.01f64..1.0,
    ) {
        let [alpha_max, beta_max, alpha_min, beta_min] = steps;
        let config = EaRedConfig {
            step,
            overflow_dir: dir,
            overflow_first: first,
            adapt_after_decision: after,
            alpha_max,
            beta_max,
            alpha_min,
            beta_min,
            w_q,
            ..Default::default()
        };
        let mut line = Line::new(ea_red(&config), Capacity::Packets(50));
        for q in found {
            line.arrive(q);
            let (min_th, max_th) = thresholds(&line);
            prop_assert!(
                5.0 <= min_th && min_th + 5.0 <= max_th + 1e-9 && max_th <= 45.0,
                "{} {}",
                min_th,
                max_th
            );
        }
    }
}

#[test]
fn contradictions_are_refused() {
    let fault = |json| read::<EaRedConfig>(&json).unwrap_err();
    assert_eq!(fault(json!({"max_lim": "12 pkt"})).at, "max_lim");
    assert_eq!(fault(json!({"min_th": "3 pkt"})).at, "min_th");
    let close = fault(json!({"max_th": "9 pkt"}));
    assert_eq!(
        (close.at.as_str(), close.fix.as_deref()),
        (
            "max_th",
            Some(
                "write \"10 pkt\", or \
        lower min_th + gap"
            )
        )
    );
    assert_eq!(fault(json!({"beta_min": 2})).at, "beta_min");
    assert!(read::<EaRedConfig>(&json!({"beta_min": 2, "step": "add"})).is_ok());
    assert_eq!(fault(json!({"mean_packet_size": "0 B"})).at, "mean_packet_size");
    assert!(fault(json!({"alpha_mx": 0.1})).fix.unwrap().contains("alpha_max"));
}
