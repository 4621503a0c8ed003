//! Who gets how much of a tin.
use super::*;

const QUANTUM: f64 = 1514.0;
const MTU: f64 = 1500.0;

/// The bytes that each flow gets of a link on which all of them always have packets of `sizes`.
fn served(isolation: &str, ends: &[(u32, u32)], sizes: impl Fn(usize) -> u32) -> Vec<f64> {
    let json = json!({"isolation": isolation, "memory_limit": "1 GB"});
    let mut d = deck(&json, ends, Capacity::Unlimited);
    let mut served = vec![0.0; ends.len()];
    for flow in 0..ends.len() {
        for _ in 0..20 {
            d.put(flow as u32, 0, sizes(flow));
        }
    }
    for _ in 0..6000 {
        let meta = d.take().unwrap().meta;
        served[meta.flow.0 as usize] += f64::from(meta.ip_len);
        d.put(meta.flow.0, 0, meta.ip_len);
    }
    served
}

/// Each flow gets its weight of the whole: deficits stay within a packet, and all flows have had
/// the same number of turns but one (Shreedhar, Varghese, theorem 4).
fn shares_are(isolation: &str, ends: &[(u32, u32)], weights: &[f64]) {
    for sizes in [|_: usize| 1500, |flow: usize| 200 + 130 * (flow as u32 % 10)] {
        let served = served(isolation, ends, sizes);
        for (i, (a, w)) in served.iter().zip(weights).enumerate() {
            for (j, (b, v)) in served.iter().zip(weights).enumerate() {
                let apart = (a / w - b / v).abs();
                let bound = QUANTUM + MTU / w + MTU / v;
                assert!(apart <= bound, "{isolation}, flows {i} and {j}: {served:?}");
            }
        }
    }
}

/// One flow from host 0 and nine from host 1, to ten hosts.
fn one_and_nine() -> Vec<(u32, u32)> {
    (0..10).map(|flow| (u32::from(flow > 0), 10 + flow)).collect()
}

fn turned(ends: &[(u32, u32)]) -> Vec<(u32, u32)> {
    ends.iter().map(|(from, to)| (*to, *from)).collect()
}

#[test]
fn two_hosts_with_one_and_nine_flows_get_half_each() {
    let mut weights = vec![1.0 / 9.0; 10];
    weights[0] = 1.0;
    let (from, to) = (one_and_nine(), turned(&one_and_nine()));
    for (isolation, ends) in
        [("triple", &from), ("triple", &to), ("dual_src_host", &from), ("dual_dst_host", &to)]
    {
        shares_are(isolation, ends, &weights);
        let served = served(isolation, ends, |_| 1500);
        let (one, nine) = (served[0], served[1..].iter().sum::<f64>());
        let half = (one + nine) / 2.0;
        assert!((one - half).abs() < 0.002 * half, "{isolation}: {one} and {nine}");
    }
}

#[test]
fn a_mode_that_looks_at_the_other_side_shares_by_flows() {
    let (from, to) = (one_and_nine(), turned(&one_and_nine()));
    for (isolation, ends) in [("flows", &from), ("dual_src_host", &to), ("dual_dst_host", &from)] {
        shares_are(isolation, ends, &[1.0; 10]);
    }
}

/// The busier host of a flow counts: three flows of host 0 and one of host 1 go to host 9, one of
/// host 2 goes elsewhere.
#[test]
fn triple_isolation_goes_by_the_busier_host() {
    let ends = [(0, 9), (0, 9), (0, 9), (1, 9), (2, 8)];
    shares_are("triple", &ends, &[0.25, 0.25, 0.25, 0.25, 1.0]);
    shares_are("dual_src_host", &ends, &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 1.0, 1.0]);
}

/// A host whose flows end leaves the quantum to those that it still has.
#[test]
fn the_load_of_a_host_falls_when_its_flows_end() {
    let json = json!({"isolation": "dual_src_host"});
    let mut d = deck(&json, &[(0, 9), (1, 9), (1, 9), (1, 9)], Capacity::Unlimited);
    for flow in 0..4 {
        let packets = if flow < 2 { 3000 } else { 30 };
        for _ in 0..packets {
            d.put(flow, 0, 1500);
        }
    }
    let mut count = [0; 4];
    let take = |d: &mut TestQdisc<Cake<Numbered>>, count: &mut [i32; 4]| {
        count[d.take().unwrap().meta.flow.0 as usize] += 1;
    };
    while count[2] + count[3] < 60 {
        take(&mut d, &mut count);
    }
    let (mut then, before) = (count, count);
    (0..1000).for_each(|_| take(&mut d, &mut then));
    // While all sent, each flow of host 1 had a third of host 0's.
    assert!((before[0] - 3 * before[1]).abs() <= 6, "{before:?}");
    assert!(((then[0] - before[0]) - (then[1] - before[1])).abs() <= 4, "{before:?} {then:?}");
}

/// The source of what goes back to a flow's sender is the flow's receiver.
#[test]
fn acknowledgments_count_for_the_host_that_sends_them() {
    let json = json!({"isolation": "dual_src_host"});
    // Data of flow 0 from host 1, and the acknowledgments of three flows, from host 2.
    let mut d = deck(&json, &[(1, 5), (6, 2), (7, 2), (8, 2)], Capacity::Unlimited);
    let one = |flow| Meta { back: flow > 0, ..packet(flow, 1000, Ecn::NotEct) };
    for n in 0..4000 {
        d.put_meta(one(n % 4));
    }
    let mut count = [0i32; 4];
    (0..1200).for_each(|_| count[d.take().unwrap().meta.flow.0 as usize] += 1);
    assert!(count[0].abs_diff(600) <= 4, "{count:?}");
    assert!(count[1..].iter().all(|n| n.abs_diff(200) <= 4), "{count:?}");
}

/// Queues of hosts: what shares a queue leaves in order of arrival, and turns are between queues.
#[test]
fn a_queue_for_each_host_or_pair() {
    let ends = [(0, 7), (0, 8), (1, 7)];
    let order = |isolation: &str| {
        let mut d = deck(&json!({"isolation": isolation}), &ends, Capacity::Unlimited);
        // Each turn of 1514 bytes is two packets.
        for n in 0..12 {
            d.put(n % 3, 0, 1000);
        }
        let flows = std::iter::from_fn(|| d.take()).map(|p| p.meta.flow.0);
        flows.map(|flow| char::from(b'a' + flow as u8)).collect::<String>()
    };
    assert_eq!(order("flowblind"), "abcabcabcabc");
    assert_eq!(order("src_host"), "abccabccabab");
    assert_eq!(order("dst_host"), "acbbacbbacac");
    assert_eq!(order("hosts"), "aabbccaabbcc");
}

/// A flow that had nothing waiting goes before those that are backlogged, and no later than they
/// once it has had its quantum.
#[test]
fn a_sparse_flow_goes_first() {
    let ends: Vec<_> = (0..6).map(|flow| (flow, 10 + flow)).collect();
    let mut d = deck(&json!({}), &ends, Capacity::Unlimited);
    for n in 0..200 {
        d.put(n % 5, 0, 1500);
    }
    for _ in 0..20 {
        d.take().unwrap();
    }
    let sparse = d.put(5, 0, 100);
    assert_eq!(d.take().unwrap().id, sparse);
    // It has left the new queues: the next packet waits for the others' turns.
    d.take().unwrap();
    let again = d.put(5, 0, 100);
    let behind = (0..).find(|_| d.take().unwrap().id == again).unwrap();
    assert!((1..=10).contains(&behind), "{behind}");
}

/// Up to 8 flows in the only set have a queue each; of nine, two share one.
#[test]
fn eight_flows_of_a_set_are_apart() {
    let collisions = |flows: u32| {
        let mut d = deck(&json!({"flows": 8}), &[], Capacity::Unlimited);
        for n in 0..4 * flows {
            d.put(n % flows, 0, 1000);
        }
        let mut seen = dumbbell_core::probe::Gauges::default();
        d.qdisc.probe(&mut seen);
        seen.0.iter().find(|(name, _)| *name == "collisions").unwrap().1
    };
    assert_eq!([1, 8, 9].map(collisions), [0.0, 0.0, 1.0]);
}
