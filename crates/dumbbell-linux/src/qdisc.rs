//! A queue of the kernel's own under a table of arrivals: what `dumbbell_net::drive` is for queues
//! of ours.
//!
//! The guest forwards packets from one device to another, before which the queue is. The other
//! device takes one packet at a time, and gives it back when the link has sent it. So the kernel
//! asks its queue for a packet at the instants at which a port of ours does.
mod kernel_link;

pub use kernel_link::{Fate, LEAST_BYTES, MOST_BYTES, MOST_FLOWS};

use crate::AGENT;
use crate::control::{Control, Place, Watch};
use crate::guest::{self, Guest, Kernel};
use crate::orders::{Instants, Orders, ns};
use crate::records::Records;
use crate::run::{ZERO_NS, explain, failed, most_cpu_s, sockets};
use crate::vhost::Identity;
use dumbbell_core::units::{Span, Time};
use dumbbell_emu::error::EnvError;
use dumbbell_emu::live::error::LiveFault;
use dumbbell_net::Arrival;
use dumbbell_plan::{Link, Plan};
use kernel_link::KernelLink;
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The device behind the queue, and the one at which packets arrive, as numbers of the guest's.
const OUT: usize = 1;
const IN: usize = 2;
/// After the last packet can have left, the kernel has this time to do what it delays.
const GRACE: Span = Span::from_secs(2);
/// Before the run's zero the queue is made.
const MADE_BEFORE: Span = Span::from_ms(500);

/// A queue of the kernel's, or a class of the one before it.
pub struct Discipline {
    /// True: a class, and what follows is below it.
    pub class: bool,
    /// Its kind, as tc calls it.
    pub kind: String,
    /// Its options: the attributes of the kernel's message (linux/pkt_sched.h).
    pub options: Vec<u8>,
}

/// What is asked of a kernel.
pub struct QueueOptions<'a> {
    /// A plan with the link.
    pub plan: &'a Plan,
    /// The link, of which the rate, the framing and the delay hold.
    pub link: &'a Link,
    /// The queue: the root, then each below the one before it.
    pub disciplines: &'a [Discipline],
    /// The packets, in order of time.
    pub arrivals: &'a [Arrival],
    /// The user-mode Linux.
    pub kernel: &'a Path,
    /// Set from outside to end it.
    pub stop: &'a AtomicBool,
}

/// What a kernel did.
pub struct KernelFates {
    /// Of each packet.
    pub fates: Vec<Fate>,
    /// Packets that the kernel says that it has dropped.
    pub dropped: u32,
    /// Packets that its queue still held at the end.
    pub held: u32,
}

/// Sends arrivals through a queue of the kernel's.
///
/// # Errors
/// The kernel or this machine lacks something, it refuses the queue, or the guest broke.
pub fn drive(options: &QueueOptions<'_>) -> Result<KernelFates, LiveFault> {
    let QueueOptions { plan, link, arrivals, kernel, stop, .. } = *options;
    if AGENT.is_empty() {
        let fix = "run it on such a machine, or without `on`";
        return Err(EnvError::new("guests need Linux on x86-64", fix).into());
    }
    let kernel = Kernel { program: kernel, seed: plan.seed };
    let orders = orders(options);
    let mtu = arrivals.iter().map(|a| a.ip_len).max().unwrap_or_default();
    let identity = |nic: usize| Identity { mac: [2, 0xdb, 0, 0, 0, nic as u8], mtu };
    let (listener, clock, mut sockets) = sockets(&[IN])?;
    let devices = sockets.pop().unwrap_or_default();
    let sockets = guest::Sockets { clock: &clock, devices };
    let guest = guest::start(&kernel, 0, sockets, guest::initramfs(orders.text()), identity)?;
    let places = [OUT, IN].map(|nic| Place { guest: 0, nic }).to_vec();
    let between = KernelLink::new(link, arrivals, ZERO_NS);
    let watch = Watch { stop, progress: &|_| (), most_cpu_s: most_cpu_s() };
    let parts = (between, Records::new(plan));
    let mut control = Control::new(vec![guest], places, parts, watch).map_err(failed)?;
    let booted = control.boot(&listener);
    if let Err(ended) = booted.and_then(|()| control.run()) {
        return Err(explain(ended, &mut control, kernel.program));
    }
    if let Some(cause) = control.network.fault() {
        return Err(LiveFault::Failed(cause));
    }
    let told = control.records.queue.take().unwrap_or_default();
    let [dropped, held] = [0, 4]
        .map(|at| told.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    drop(control.guests.drain(..).collect::<Vec<Guest>>());
    Ok(KernelFates { fates: control.network.fates(), dropped, held })
}

/// What the agent is to do.
fn orders(options: &QueueOptions<'_>) -> Orders {
    let QueueOptions { link, disciplines, arrivals, .. } = *options;
    let bytes = |a: &Arrival| u64::from(link.framing().wire_len(u32::from(a.ip_len)));
    let last = arrivals.last().map_or(Time::ZERO, |a| a.at);
    let sending = link.rate.span_of(arrivals.iter().map(bytes).sum());
    let end = last.since(Time::ZERO) + sending + GRACE;
    let no_time = Span::ZERO;
    let mut orders =
        Orders::new(Instants { zero_ns: ZERO_NS, warm: no_time, end, row: None, sample: no_time });
    let made = ZERO_NS - ns(Time::ZERO + MADE_BEFORE);
    let mut lines = format!("link eth{IN} eth{OUT} {} {made}\n", link.mtu.min(MOST_BYTES));
    for Discipline { class, kind, options } in disciplines {
        let what = if *class { "class" } else { "qdisc" };
        let _ = write!(lines, "{what} {kind} ");
        options.iter().for_each(|byte| {
            let _ = write!(lines, "{byte:02x}");
        });
        lines.push('\n');
    }
    orders.link(&lines);
    orders
}
