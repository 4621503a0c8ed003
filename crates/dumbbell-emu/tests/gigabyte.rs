//! What a gigabyte costs: positive numbers, and nothing is left.
use dumbbell_emu::gigabyte::{Condition, Cost, Wish, measure};
use dumbbell_emu::live::fault::LiveFault;
use dumbbell_emu::netlink::Netlink;
use dumbbell_emu::testing::namespaces;
use std::fs;
use std::sync::atomic::AtomicBool;

const WISH: Wish = Wish { mtu_bytes: 1500, condition: Condition::Plain, seconds: 0.5, warmup_s: 0.1, idle_s: 0.05 };

/// Descriptors of this process, and devices of its network: threads of tests share the former, so there is one test.
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
        let cost = measure(&Wish { condition, mtu_bytes: 9000, ..WISH }, &never).unwrap();
        assert_eq!((cost.condition, cost.mtu_bytes), (condition, 9000));
        adds_up(&cost);
        assert_eq!(held(), before, "{condition:?}");
    }
    let stopped = measure(&WISH, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(LiveFault::Stopped)), "{stopped:?}");
    assert_eq!(held(), before);
}

#[test]
fn what_cannot_be_had_is_told_by_its_field() {
    assert_eq!(WISH.wrong(), None);
    let wrong = |wish: Wish| wish.wrong().map(|(field, _)| field);
    assert_eq!(wrong(Wish { mtu_bytes: 100, ..WISH }), Some("mtu_bytes"));
    assert_eq!(wrong(Wish { seconds: f64::NAN, ..WISH }), Some("seconds"));
    assert_eq!(wrong(Wish { warmup_s: 0.4, ..WISH }), Some("warmup_s"));
    assert_eq!(wrong(Wish { idle_s: -1.0, ..WISH }), Some("idle_s"));
}
