//! Controls that leave the link to others.
use crate::bottleneck::{Bottleneck, Sender, one};
use dumbbell_sim::Report;
use serde_json::json;

/// A buffer of 240 ms.
const HOME: Bottleneck = Bottleneck { rate: 10, rtt: 40, buffer: 300, loss: 0.0 };

/// The first flow's share of what both get.
fn share(report: &Report) -> f64 {
    report.flows[0].goodput_bps / report.flows.iter().map(|f| f.goodput_bps).sum::<f64>()
}

fn beside(control: &'static str, other: &'static str) -> Report {
    let flows: [Sender; 2] = [(control, json!({}), 0), (other, json!({}), 20)];
    HOME.run(&flows, 140, 60)
}

/// Alone the queue stands at the target of 100 ms, or whatever else it is told.
#[test]
fn ledbat_keeps_its_target() {
    for ms in [100, 25] {
        let flow: [Sender; 1] = [("ledbat", json!({"target": format!("{ms} ms")}), 0)];
        let r = HOME.run(&flow, 100, 40);
        let (queue, target) = (&r.queues[0], f64::from(ms) / 1e3);
        assert!(queue.utilization > 0.99 && queue.counters.dropped() == 0, "{}", queue.utilization);
        assert!((queue.mean_sojourn_s / target - 1.0).abs() < 0.1, "{} s", queue.mean_sojourn_s);
    }
}

/// LEDBAT++ fills the link but for its slowdowns, which take a tenth of the time at most, and stays
/// within its target.
#[test]
fn ledbat_pp_keeps_below_its_target() {
    let r = HOME.run(&one("ledbat_pp"), 120, 20);
    let queue = &r.queues[0];
    assert!(queue.utilization > 0.9 && queue.counters.dropped() == 0, "{}", queue.utilization);
    assert!((0.02..0.065).contains(&queue.mean_sojourn_s), "{} s", queue.mean_sojourn_s);
}

/// With a Reno whose queue is longer than their target they give way.
#[test]
fn background_transports_yield() {
    for (control, most) in [("ledbat", 0.1), ("ledbat_pp", 0.1), ("lp", 0.1), ("newreno", 0.9)] {
        let left = share(&beside(control, "newreno"));
        assert!(left < most, "{control} takes {left}");
        assert!(control != "newreno" || left > 0.3, "two NewRenos share: {left}");
    }
}

/// Alone TCP-LP uses what there is.
#[test]
fn lp_uses_an_empty_link() {
    let r = HOME.run(&one("lp"), 120, 40);
    assert!(r.queues[0].utilization > 0.9, "{}", r.queues[0].utilization);
    assert!(r.queues[0].mean_sojourn_s < 0.08, "{}", r.queues[0].mean_sojourn_s);
}

/// The latecomer of two LEDBATs takes the queue that it finds for the path and pushes the first
/// aside; with slowdowns both find the base delay.
#[test]
fn the_latecomer() {
    let (ledbat, plus) = (beside("ledbat", "ledbat"), beside("ledbat_pp", "ledbat_pp"));
    assert!(share(&ledbat) < 0.3, "{}", share(&ledbat));
    assert!((0.3..0.7).contains(&share(&plus)), "{}", share(&plus));
}
