//! (r, RTT)-adaptive dropping: its weights, what it counts, and RIO where all flows are alike.
use super::active::Shares;
use super::*;
use crate::aqm::rio::tests::{events_knowing, known, marked_shares, narrow};
use crate::aqm::rio::{Rio, RioConfig};
use dumbbell_core::catalogue::read;
use dumbbell_core::packet::FlowId;
use dumbbell_core::packet::flow::FlowInfo;
use dumbbell_core::testing::link;
use dumbbell_core::units::{Capacity, Rate};
use serde_json::json;

type Set = RRttAdaptiveConfig;

fn like_narrow(changes: Set) -> Set {
    let RioConfig { w_q, min_in, max_in, max_p_in, min_mid, max_mid, min_out, max_out, .. } =
        narrow();
    Set { w_q, min_in, max_in, max_p_in, min_mid, max_mid, min_out, max_out, ..changes }
}

/// With the same r and RTT for all it is RIO packet by packet, also where the RTT is not known and
/// is what the parameter says.
#[test]
fn where_all_are_alike_it_is_rio() {
    let events = |flows: &[FlowInfo]| {
        events_knowing(|site| RRttAdaptive::new(&like_narrow(Set::default()), site), flows)
    };
    let rio = events_knowing(|site| Rio::new(&narrow(), site), &[]);
    assert_eq!(events(&[]), rio);
    assert_eq!(events(&[known(300, 10); 4]), rio);
    assert_eq!(events(&[known(0, 100), FlowInfo::default()]), rio, "100 ms is the parameter's");
    assert_ne!(events(&[known(300, 10), known(300, 20), known(300, 10), known(300, 10)]), rio);
    assert_ne!(events(&[known(300, 10), known(200, 10), known(300, 10), known(300, 10)]), rio);
}

/// The shares of active flows at 1 Mbps.
fn active(flows: &[FlowInfo]) -> (Shares, Vec<f64>) {
    let mut active = Active::default();
    let terms = |f: &FlowInfo| Terms {
        reserved: f.reserved.map_or(0, |r| r.bps()),
        rtt: f.rtt.unwrap_or_default(),
    };
    for (i, flow) in flows.iter().enumerate() {
        active.see(FlowId(i as u32), terms(flow), 0);
    }
    let shares = active.shares(Rate::from_mbps(1), 0.01);
    (shares, flows.iter().map(|f| shares.weight(terms(f))).collect())
}

/// Doubling the RTT makes a quarter; a larger r a smaller weight, as 1 / (r + S); the mean is 1.
#[test]
fn weights_are_the_models() {
    let near =
        |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b.abs().max(1.0), "{a} and not {b}");
    let (shares, w) = active(&[known(100, 10), known(100, 20)]);
    near(shares.spare, 400e3);
    near(w[0] / w[1], 4.0);
    near((w[0] + w[1]) / 2.0, 1.0);
    let (shares, w) = active(&[known(100, 10), known(300, 10), known(0, 10), known(0, 40)]);
    near(shares.spare, 150e3);
    near(w[0] / w[1], 450.0 / 250.0);
    near(w[2] / w[0], 250.0 / 150.0);
    near(w[2] / w[3], 16.0);
    near(w.iter().sum::<f64>() / 4.0, 1.0);
    // More is reserved than there is: 1 % of C / n.
    near(active(&[known(800, 10), known(800, 20)]).0.spare, 5e3);
}

/// Flows count for one to two windows, each once, by its terms.
#[test]
fn silent_flows_are_forgotten() {
    let mut active = Active::default();
    let terms = |kbps: u64| Terms { reserved: 1000 * kbps, rtt: Span::from_ms(10) };
    let mut see = |flow, kbps, window| {
        active.see(FlowId(flow), terms(kbps), window);
        (active.len(), active.shares(Rate::from_mbps(1), 0.01).spare)
    };
    assert_eq!(see(0, 100, 0), (1, 900e3));
    assert_eq!(see(1, 300, 0), (2, 300e3));
    assert_eq!(see(1, 300, 1), (2, 300e3), "flow 0 sent in the window before");
    assert_eq!(see(1, 300, 2), (1, 700e3));
    assert_eq!(see(2, 0, 9), (1, 1e6));
    assert_eq!(see(0, 100, 9), (2, 450e3));
}

/// At an average of 20, where RIO's curve says 0.1: flows of 10, 20 and 20 ms have weights 2, 1/2
/// and 1/2.
#[test]
fn the_nearer_flow_is_dropped_four_times_as_often() {
    let flows = [known(100, 10), known(100, 20), known(100, 20)];
    let config = Set { w_q: 1.0, ecn: true, spacing: SpacingLaw::Bernoulli, ..Set::default() };
    let shares =
        marked_shares(|site| RRttAdaptive::new(&config, site), &flows, 20, |n| n as u32 % 3);
    for (share, p) in shares.iter().zip([0.2, 0.05, 0.05]) {
        assert!((share - p).abs() < 4.0 * libm::sqrt(p * (1.0 - p) / 20_000.0), "{shares:?}");
    }
}

/// 1 Mbps, 500 B, k = 1.22. S = 400 kbps, t = 500 kbps: (4880 bit / RTT)^2 / (t S) = 0.0744 at 40
/// ms, and a sixteenth at 160 ms. At 10 ms it is 1.19, and max_p_out bounds it.
#[test]
fn exact_is_the_models_probability() {
    let config =
        Set { w_q: 1.0, ecn: true, spacing: SpacingLaw::Bernoulli, exact: true, ..Set::default() };
    for (rtts, expected) in [([40, 160], [0.074_42, 0.004_651]), ([40, 10], [0.074_42, 0.2])] {
        let flows = rtts.map(|rtt| known(100, rtt));
        let shares =
            marked_shares(|site| RRttAdaptive::new(&config, site), &flows, 20, |n| n as u32 % 2);
        for (share, p) in shares.iter().zip(expected) {
            assert!(
                (share - p).abs() < 4.0 * libm::sqrt(p * (1.0 - p) / 30_000.0),
                "{shares:?} \
                and not {expected:?}"
            );
        }
    }
    // Below min_out there is nothing.
    let none = marked_shares(
        |site| RRttAdaptive::new(&config, site),
        &[known(100, 10); 2],
        9,
        |n| n as u32 % 2,
    );
    assert_eq!(none, [0.0, 0.0]);
}

/// The model's probability makes a TCP of the model send its target: k MSS / (RTT sqrt(p_out S /
/// t)) = t.
#[test]
fn the_model_closes() {
    let aqm =
        RRttAdaptive::new(&Set { max_p_out: 1.0, ..Set::default() }, &link(Capacity::Unlimited));
    let packet = Meta { ip_len: 500, ..Meta::default() };
    for (reserved, rtt, spare) in [(100, 40, 400e3), (0, 100, 100e3), (2000, 80, 500e3)] {
        let terms = Terms { reserved: 1000 * reserved, rtt: Span::from_ms(rtt) };
        let t = terms.target(spare);
        let p = aqm.model(terms, spare, &packet) * spare / t;
        let sent = 4000.0 * 1.22 / (terms.rtt.seconds() * libm::sqrt(p));
        assert!((sent / t - 1.0).abs() < 1e-12, "{sent} and not {t}");
    }
}

#[test]
fn contradictions_are_refused() {
    let fault = |json| read::<Set>(&json).unwrap_err();
    assert_eq!(fault(json!({"rtt": "0 ms"})).at, "rtt");
    assert_eq!(fault(json!({"window": "0 s"})).at, "window");
    assert_eq!(fault(json!({"exact": true})).at, "exact");
    assert!(read::<Set>(&json!({"exact": true, "spacing": "bernoulli"})).is_ok());
    assert_eq!(fault(json!({"spacing": "uniform_stored"})).at, "spacing");
    assert_eq!(fault(json!({"spare_floor": 0})).at, "spare_floor");
}
