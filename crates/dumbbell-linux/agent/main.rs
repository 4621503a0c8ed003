//! The first and only program of a guest: it makes the hosts, runs their flows in the guest's
//! (virtual) time, and reports to the controller.
//!
//! It reads its orders from `/plan` (see `orders.rs`) and writes records (see `report.rs`) as
//! Ethernet frames to its control device. It is one thread; what happens at one instant happens in
//! a fixed order: sockets first, then the applications, then the counts.
mod hosts;
mod netlink;
mod orders;
mod programs;
mod qdisc;
mod receivers;
mod report;
mod run;
mod senders;
mod sockets;
mod sys;
mod world;

use std::fs;

/// The orders.
const PLAN: &str = "/plan";
/// What is written here appears in the guest's console, which the controller keeps.
const KERNEL_LOG: &str = "/dev/kmsg";

fn main() {
    std::panic::set_hook(Box::new(|info| {
        let _ = fs::write(KERNEL_LOG, format!("agent: {info}"));
    }));
    if let Err(cause) = work() {
        let _ = fs::write(KERNEL_LOG, format!("agent: {cause}"));
        std::process::exit(1);
    }
}

fn work() -> Result<(), String> {
    let text = fs::read_to_string(PLAN).map_err(|e| format!("could not read {PLAN}: {e}"))?;
    let orders = orders::Orders::parse(&text)?;
    sys::exact_timers().map_err(|e| format!("could not set the timers' slack: {e}"))?;
    sys::mount("proc", "/proc").map_err(|e| format!("could not mount /proc: {e}"))?;
    let mut report = report::Report::open(orders.control, orders.controls_host)?;
    let outcome = match (&orders.link, orders.client) {
        (Some(link), _) => qdisc::run(&orders, link, &mut report),
        (None, client) => hosts::up(&orders).and_then(|hosts| match client {
            Some(_) => programs::run(&orders, &hosts, &mut report),
            None => run::Run::new(&orders, &hosts, &mut report).and_then(run::Run::run),
        }),
    };
    if let Err(cause) = outcome {
        report.failure(&cause);
    }
    report.end();
    sys::pause()
}
