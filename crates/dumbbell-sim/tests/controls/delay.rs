//! Controls that look at delay, or at the length of the path.
use crate::bottleneck::{Bottleneck, one};
use serde_json::json;

/// With random losses Reno's goodput goes as 1 / RTT, and Hybla's, by rho^2 segments per round
/// trip, hardly with it: it is that of a Reno with RTT_0.
#[test]
fn hybla_does_as_well_on_a_long_path() {
    let goodput = |control, rtt| {
        Bottleneck { rate: 100, rtt, buffer: 1000, loss: 0.002 }.goodput(control, 120, 10)
    };
    let [near, far] = [50, 200].map(|rtt| goodput("hybla", rtt));
    assert!((0.7..1.4).contains(&(near / far)), "{near} {far}");
    let [reference, short, long] = [25, 50, 200].map(|rtt| goodput("newreno", rtt));
    assert!(short / long > 3.0, "{short} {long}");
    assert!((0.7..1.4).contains(&(far / reference)), "{far} {reference}");
}

/// A buffer of a tenth of the pipe: Reno leaves a quarter of it empty after a loss.
#[test]
fn illinois_fills_a_large_pipe() {
    let path = Bottleneck { rate: 50, rtt: 100, buffer: 62, loss: 0.0 };
    let (illinois, newreno) = (path.goodput("illinois", 200, 60), path.goodput("newreno", 200, 60));
    assert!(illinois > 1.1 * newreno, "{illinois} {newreno}");
}

/// Beside Reno on a small path both get their share.
#[test]
fn illinois_and_compound_are_friendly() {
    let path = Bottleneck { rate: 10, rtt: 40, buffer: 50, loss: 0.0 };
    for control in ["illinois", "compound"] {
        let report = path.run(&[(control, json!({}), 0), ("newreno", json!({}), 0)], 300, 30);
        let share = report.flows[1].goodput_bps
            / (report.flows[0].goodput_bps + report.flows[1].goodput_bps);
        assert!((0.3..0.65).contains(&share), "{control} leaves {share} to NewReno");
    }
}

/// One packet in a hundred lost by chance, on a path with room.
#[test]
fn veno_beats_newreno_on_a_lossy_channel() {
    let path = Bottleneck { rate: 10, rtt: 60, buffer: 100, loss: 0.01 };
    let (veno, newreno) = (path.goodput("veno", 300, 10), path.goodput("newreno", 300, 10));
    assert!(veno > 1.25 * newreno, "{veno} {newreno}");
}

/// The buffer holds the pipe once more. YeAH fills the pipe, and of the buffer its 80 packets at
/// most; Reno fills both.
#[test]
fn yeah_keeps_the_queue_short() {
    let path = Bottleneck { rate: 50, rtt: 100, buffer: 625, loss: 0.0 };
    let (yeah, newreno) = (path.run(&one("yeah"), 120, 40), path.run(&one("newreno"), 120, 40));
    let (queue, used) = (yeah.queues[0].mean_packets, yeah.queues[0].utilization);
    assert!(
        queue < 80.0 && used > 0.97 && yeah.queues[0].counters.dropped() == 0,
        "{queue} {used}"
    );
    assert!(newreno.queues[0].mean_packets > 3.0 * queue, "{}", newreno.queues[0].mean_packets);
}

/// A loss in ten thousand packets holds Reno to 122 packets of 625; Compound's second window fills
/// what is left.
#[test]
fn compound_fills_what_rare_losses_leave_empty() {
    let path = Bottleneck { rate: 50, rtt: 100, buffer: 100, loss: 1e-4 };
    let (compound, newreno) = (path.goodput("compound", 300, 30), path.goodput("newreno", 300, 30));
    assert!(compound > 1.4 * newreno, "{compound} {newreno}");
}

/// Section 3 of Copa's paper: the queue goes from 0 to 2.5 / delta packets and back, so that the
/// path is used. Beside a flow that fills the buffer it takes more by competing.
#[test]
fn copa_keeps_the_queue_short_and_competes() {
    let path = Bottleneck { rate: 20, rtt: 60, buffer: 600, loss: 0.0 };
    let report = path.run(&one("copa"), 60, 20);
    let (queue, used) = (report.queues[0].mean_packets, report.queues[0].utilization);
    assert!(queue <= 2.5 / 0.5 && used > 0.9, "{queue} {used}");
    let path = Bottleneck { rate: 20, rtt: 60, buffer: 150, loss: 0.0 };
    let share = |competes| {
        let flows = [("copa", json!({"competes": competes}), 0), ("cubic", json!({}), 0)];
        let report = path.run(&flows, 120, 20);
        report.flows[0].goodput_bps / (report.flows[0].goodput_bps + report.flows[1].goodput_bps)
    };
    let (competing, giving_way) = (share(true), share(false));
    assert!(competing > 2.0 * giving_way, "{competing} {giving_way}");
}

/// Theorem 2 of Vivace's paper: alone it leaves the round-trip time as it is, within the share by
/// which it probes.
#[test]
fn vivace_keeps_the_queue_empty() {
    let path = Bottleneck { rate: 50, rtt: 30, buffer: 200, loss: 0.0 };
    let report = path.run(&one("vivace"), 60, 20);
    let (queue, used) = (report.queues[0].mean_packets, report.queues[0].utilization);
    assert!(queue <= 0.05 * path.bdp() && used > 0.85, "{queue} {used}");
}
