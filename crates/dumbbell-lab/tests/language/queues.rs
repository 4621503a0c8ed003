//! Queues: their kinds, and limits and thresholds that follow from others.
use crate::bottleneck;
use crate::common::{RED, plan, study};
use dumbbell_core::units::Capacity;
use dumbbell_lab::language::lookup::limit_factor;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn a_new_kind_drops_what_it_does_not_know_with_a_remark() {
    for form in ["queue=drop_tail", "queue.kind=drop_tail", "queue={kind=\"drop_tail\"}"] {
        let s = study(RED, &[form]).unwrap();
        assert_eq!(
            s.notes,
            [
                "`queue.min_th` does not apply to drop_tail: left out",
                "`queue.max_th` does not apply to drop_tail: left out"
            ]
        );
        let b = bottleneck(&s.plan(&s.points[0], 1).unwrap()).clone();
        assert_eq!(
            (b.aqm.kind.as_str(), b.capacity),
            ("drop_tail", Capacity::Packets(36)),
            "the \
            buffer stays"
        );
    }
    // Only what was written for another kind goes silently: a slip of the pen is still an error.
    assert!(study(RED, &["queue=drop_tail", "queue.min_th=\"3 pkt\""]).is_err());
    assert!(study(&RED.replace("min_th", "min_ht"), &["queue=drop_tail"]).is_err());
}

#[test]
fn a_threshold_may_follow_the_buffer() {
    let p = plan(RED, &["queue.limit=60 pkt", "queue.min_th=limit / 6", "queue.max_th=0.5 limit"]);
    let config = &bottleneck(&p).aqm.config;
    assert_eq!((&config["min_th"], &config["max_th"]), (&json!("10 pkt"), &json!("30 pkt")));
    let bytes = plan(RED, &["queue.limit=45 kB", "queue.min_th=limit / 6", "queue.max_th=limit"]);
    assert_eq!(bottleneck(&bytes).aqm.config["max_th"], "30 pkt");
}

#[test]
fn a_limit_in_bdp_refers_to_the_mean_rtt_of_the_flows_that_cross() {
    let two = [
        "queue.limit=1 BDP",
        "flow=[{rtt=\"40 ms\"}, {rtt=\"80 ms\"}, {rtt=\"200 ms\", \
        direction=\"reverse\"}]",
    ];
    // 10 Mbps times 60 ms.
    assert_eq!(bottleneck(&plan(RED, &two)).capacity, Capacity::Bytes(75_000));
}

proptest! {
    #[test]
    fn fractions_of_the_limit(x in 0.01f64..100.0) {
        prop_assert_eq!(limit_factor(&format!("limit / {x}")), Some((1.0, x)));
        prop_assert_eq!(limit_factor(&format!("limit*{x}")), Some((x, 1.0)));
        prop_assert_eq!(limit_factor(&format!("{x} * limit")), Some((x, 1.0)));
        prop_assert_eq!(limit_factor(&format!("{x} pkt")), None);
    }
}
