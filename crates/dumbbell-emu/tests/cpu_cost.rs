//! The cost of a gigabyte consists of positive numbers, and the measurement leaves nothing behind.
use dumbbell_emu::cpu_cost::{Condition, Cost, Request, measure};
use dumbbell_emu::host::netlink::Netlink;
use dumbbell_emu::host::testing::namespaces;
use dumbbell_emu::live::error::LiveFault;
use std::fs;
use std::sync::atomic::AtomicBool;

const REQUEST: Request = Request {
    mtu_bytes: 1500,
    condition: Condition::Plain,
    seconds: 0.5,
    warmup_s: 0.1,
    idle_s: 0.05,
};

/// Descriptors of this process, and devices of its network: threads of tests share the former, so
/// there is one test.
fn held() -> (usize, usize) {
    let descriptors = fs::read_dir("/proc/self/fd").unwrap().count();
    (descriptors, Netlink::open().unwrap().links().unwrap().len())
}

fn adds_up(cost: &Cost) {
    let Cost { sender_s_per_gb, receiver_s_per_gb, .. } = *cost;
    assert!(cost.bytes > 0 && cost.goodput_bps > 0.0 && cost.seconds > 0.2, "{cost:?}");
    assert!(sender_s_per_gb > 0.0 && receiver_s_per_gb > 0.0, "{cost:?}");
    let parts = sender_s_per_gb
        + receiver_s_per_gb
        + cost.soft_interrupts_s_per_gb.unwrap_or(0.0)
        + cost.router_s_per_gb.unwrap_or(0.0);
    assert_eq!(cost.sum_s_per_gb, parts);
    assert_eq!(cost.router_s_per_gb.is_some(), cost.condition == Condition::Router);
    let goodput = cost.bytes as f64 * 8.0 / cost.seconds;
    assert!((cost.goodput_bps / goodput - 1.0).abs() < 1e-9, "{cost:?}");
}

#[test]
fn a_gigabyte_costs_something_under_every_condition_and_nothing_is_left() {
    if !namespaces() {
        return;
    }
    let never = AtomicBool::new(false);
    let before = held();
    for condition in [Condition::Plain, Condition::Offloads, Condition::Router] {
        let cost = measure(&Request { condition, mtu_bytes: 9000, ..REQUEST }, &never).unwrap();
        assert_eq!((cost.condition, cost.mtu_bytes), (condition, 9000));
        adds_up(&cost);
        assert_eq!(held(), before, "{condition:?}");
    }
    let stopped = measure(&REQUEST, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(LiveFault::Stopped)), "{stopped:?}");
    assert_eq!(held(), before);
}

#[test]
fn what_cannot_be_had_is_told_by_its_field() {
    assert_eq!(REQUEST.wrong(), None);
    let wrong = |request: Request| request.wrong().map(|(field, _)| field);
    assert_eq!(wrong(Request { mtu_bytes: 100, ..REQUEST }), Some("mtu_bytes"));
    assert_eq!(wrong(Request { seconds: f64::NAN, ..REQUEST }), Some("seconds"));
    assert_eq!(wrong(Request { warmup_s: 0.4, ..REQUEST }), Some("warmup_s"));
    assert_eq!(wrong(Request { idle_s: -1.0, ..REQUEST }), Some("idle_s"));
}
