//! Measures the router on this machine, between two hosts with TUN devices:
//!
//! - `straight [spin|hybrid|sleep]`: nothing in the way: packets a second, and the time there and
//!   back;
//! - `pace MBPS [spin|hybrid|sleep] [SECONDS]`: datagrams at 115 % of a link's rate: how even they
//!   come, as the receiver's kernel stamps them.
//! - `tcp MBPS [hybrid|sleep] [SECONDS] [MTU] [BYTES]`: three connections of the kernel's Reno over
//!   it, with the log, as a run has them; with `BYTES` of each packet in it. Without a calibration
//!   before if `BYTES` is given, 0 too.
//!
//! For figures that mean something nothing else runs.
#![allow(clippy::print_stdout, reason = "a program")]
#[path = "../tests/net/mod.rs"]
mod net;

use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::{Bytes, Capacity, Rate, Span};
use dumbbell_emu::calibrate::{ProbeHosts, measure};
use dumbbell_emu::live::RunOptions;
use dumbbell_emu::router::Router;
use dumbbell_emu::router::wait::WaitMode;
use dumbbell_emu::validity::Facts;
use dumbbell_plan::Wait;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use std::io::IoSliceMut;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, thread};

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let wait_mode = match words
        .iter()
        .find_map(|word| ["spin", "hybrid", "sleep"].iter().position(|m| m == word))
    {
        Some(0) => WaitMode::Spin,
        Some(2) => WaitMode::Sleep,
        _ => WaitMode::Hybrid,
    };
    let number = |at: usize, default: f64| {
        words.get(at).and_then(|word| word.parse().ok()).unwrap_or(default)
    };
    match words.first().map(String::as_str) {
        Some("pace") => {
            pace(
                number(1, 100.0),
                (wait_mode, !words.iter().any(|word| word == "normal")),
                number(3, 5.0),
            );
        }
        Some("tcp") => {
            let captured = words.get(5).and_then(|word| word.parse().ok());
            tcp(number(1, 100.0), wait_mode, (number(3, 5.0), number(4, 1500.0) as u32), captured);
        }
        _ => straight(wait_mode),
    }
}

fn straight(wait_mode: WaitMode) {
    let (hosts, nics) = net::hosts(1500);
    let ends = ProbeHosts { sockets: net::sockets(&hosts), nics: [0, 1], mtu: 1500, largest: 1500 };
    let (found, _doors) = measure(nics, &ends, wait_mode, true, None).expect("doors");
    println!("{wait_mode:?}: {found:#?}");
}

fn tcp(mbps: f64, wait_mode: WaitMode, (seconds, mtu): (f64, u32), captured: Option<u64>) {
    let rate = Rate::from_bps((mbps * 1e6) as u64);
    let mut plan = net::plan(rate, Span::from_us(2_500), Span::from_secs_f64(seconds), mtu);
    net::connected(&mut plan, 3);
    // A round trip's worth.
    plan.links[0].capacity =
        Capacity::Packets((mbps * 1e6 * 0.005 / 8.0 / f64::from(mtu)).ceil() as u32 + 20);
    plan.testbed.wait = if wait_mode == WaitMode::Sleep { Wait::Sleep } else { Wait::Hybrid };
    plan.testbed.calibrate = captured.is_none();
    if let Some(bytes) = captured.filter(|bytes| *bytes > 0) {
        plan.testbed.snaplen = Bytes(bytes);
        plan.record.packets = (0..plan.flows.len()).collect();
    }
    let orders = RunOptions {
        plan: &plan,
        plugins: &Plugins::default(),
        log: Box::new(std::io::sink()),
        user_program: None,
        threads: Default::default(),
        stop: &AtomicBool::new(false),
        estimate: &|_| {},
        progress: &|_| {},
        watch: None,
    };
    let live = match dumbbell_emu::live::run(orders) {
        Ok(live) => live,
        Err(fault) => return println!("{fault:?}"),
    };
    println!("{:#?}\n{:?}", live.finished.measured(), live.calibration);
    let measured = live.finished.measured();
    let packets = (measured.counts.incoming + measured.counts.written) as f64;
    let busy_ns = measured.cpu.router_share * measured.seconds * 1e9;
    println!(
        "{:.0} packets/s in, {:.0} ns of a core for each in or out",
        measured.counts.incoming as f64 / measured.seconds,
        busy_ns / packets
    );
    let facts = Facts { calibration: live.calibration, ..Facts::default() };
    let (_, validity) = live.finished.judge(&facts);
    println!("{:#?}", validity.reasons);
}

fn pace(mbps: f64, (wait_mode, real_time): (WaitMode, bool), seconds: f64) {
    let rate = Rate::from_bps((mbps * 1e6) as u64);
    let plan = net::plan(rate, Span::from_ms(1), Span::from_secs_f64(seconds), 1500);
    let (hosts, nics) = net::hosts(1500);
    let [near, far] = net::sockets(&hosts);
    let (network, headers) = net::network(&plan);
    let mut setup = net::setup(&plan);
    (setup.wait_mode, setup.real_time) = (wait_mode, real_time);
    let router = Router::new(setup, nics, network, headers, None).expect("doors");
    let stop = AtomicBool::new(false);
    let (stamps, measured) = thread::scope(|scope| {
        let routing = scope.spawn(|| router.run(&AtomicBool::new(false)));
        let sending = scope.spawn(|| offer(&near, 1.15 * mbps * 1e6 / 8.0 / 1500.0, &stop));
        let receiving = scope.spawn(|| stamps(&far, &stop));
        let finished = routing.join().expect("no panic").expect("doors");
        stop.store(true, Ordering::Relaxed);
        sending.join().expect("no panic");
        (receiving.join().expect("no panic"), finished.measured().clone())
    });
    let ideal = rate.span_of(1500).ps() as f64 / 1e3;
    // The first packets come before the queue is full.
    let stamps = &stamps[stamps.len().min(100)..];
    let mut errors: Vec<f64> =
        stamps.windows(2).map(|w| ((w[1] - w[0]) as f64 - ideal).abs() / 1e3).collect();
    errors.sort_by(f64::total_cmp);
    let at = |q: f64| errors[((errors.len() - 1) as f64 * q) as usize];
    let mean = (stamps[stamps.len() - 1] - stamps[0]) as f64 / (stamps.len() - 1) as f64;
    println!("{measured:#?}");
    println!(
        "receiver: {} packets, mean gap {mean:.1} ns (rate error {:.5} %), gap error us p50 {:.2} \
            p99 {:.2} p99.9 {:.1}",
        stamps.len(),
        (ideal / mean - 1.0) * 100.0,
        at(0.5),
        at(0.99),
        at(0.999)
    );
}

/// Sends packets of 1500 bytes, so many a second.
fn offer(socket: &UdpSocket, per_second: f64, stop: &AtomicBool) {
    let (clock, mut sent) = (dumbbell_emu::clock::Clock::start(), 0.0);
    // Many at once, which the kernel cuts, where single ones would be too slow.
    let at_once = if per_second > 50_000.0 { 40 } else { 1 };
    if at_once > 1 {
        setsockopt(socket, sockopt::UdpGsoSegment, &1472).expect("Linux 4.18");
    }
    let bytes = vec![0; at_once * 1472];
    while !stop.load(Ordering::Relaxed) {
        while sent < clock.now().seconds() * per_second {
            let _ = socket.send(&bytes);
            sent += at_once as f64;
        }
        thread::park_timeout(Duration::from_micros(300));
    }
}

/// Returns the arrival times of packets in nanoseconds, as the kernel stamps them.
fn stamps(socket: &UdpSocket, stop: &AtomicBool) -> Vec<i64> {
    setsockopt(socket, sockopt::ReceiveTimestampns, &true).expect("every Linux");
    socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket");
    let (mut stamps, mut bytes, mut space) =
        (vec![], [0; 2048], nix::cmsg_space!(nix::sys::time::TimeSpec));
    while !stop.load(Ordering::Relaxed) {
        let mut slices = [IoSliceMut::new(&mut bytes)];
        let Ok(message) =
            recvmsg::<()>(socket.as_raw_fd(), &mut slices, Some(&mut space), MsgFlags::empty())
        else {
            continue;
        };
        for control in message.cmsgs().expect("room for a stamp") {
            if let ControlMessageOwned::ScmTimestampns(at) = control {
                stamps.push(at.tv_sec() * 1_000_000_000 + at.tv_nsec());
            }
        }
    }
    stamps
}
