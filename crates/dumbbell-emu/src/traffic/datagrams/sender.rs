//! The thread that sends datagrams at their instants.
use super::{BATCH, DatagramsSent, stamp};
use crate::clock::{Clock, monotonic_ns};
use crate::sys::datagrams as call;
use crate::traffic::app::{Act, App};
use crate::traffic::job::{Job, SocketKind};
use crate::traffic::poller::{StopSignal, sleep_until};
use crate::traffic::priority::Priority;
use crate::traffic::usage::{CpuUsage, Role};
use dumbbell_core::units::{Span, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

/// The longest busy wait before an instant: the usual lateness of a wake-up. Of shorter waits a
/// quarter is a busy wait, which bounds its share of a core.
const SPIN: Span = Span::from_us(20);
/// The shortest wait for which the thread sleeps.
const SHORT: Span = Span::from_us(4);
/// The longest sleep before the stop signal is examined.
const NAP: Span = Span::from_ms(20);

/// A flow of the sending thread.
pub struct Task {
    /// The job.
    pub job: Job,
    /// The application.
    pub app: App,
    /// The socket.
    pub socket: Arc<OwnedFd>,
}

/// Sends all of its flows until the end.
pub struct Sender {
    clock: Clock,
    warmup: Time,
    end: Time,
    halt: StopSignal,
    flows: Vec<(Task, u64, DatagramsSent)>,
    due: BinaryHeap<Reverse<(Time, usize)>>,
    payloads: Vec<Vec<u8>>,
    /// It has slept for what comes then, and looks at the clock until it does.
    awake_until: Time,
}

impl Sender {
    /// A sender for a run that ends at `end`.
    pub fn new(
        tasks: Vec<Task>,
        clock: Clock,
        warmup: Time,
        end: Time,
        halt: &StopSignal,
    ) -> Sender {
        let largest = |t: Task| match t.job.socket_kind {
            SocketKind::Udp(d) => (t, u64::from(d.largest), DatagramsSent::default()),
            SocketKind::Tcp(_) => (t, 0, DatagramsSent::default()),
        };
        let flows: Vec<_> = tasks.into_iter().map(largest).collect();
        let due = flows.iter().enumerate().map(|(i, (t, ..))| Reverse((t.app.next(), i))).collect();
        Sender {
            clock,
            warmup,
            end,
            halt: halt.clone(),
            flows,
            due,
            payloads: vec![Vec::new(); BATCH],
            awake_until: Time::ZERO,
        }
    }

    /// Works until the end, or until it is told that it is over.
    pub fn run(mut self) -> (Vec<DatagramsSent>, CpuUsage) {
        let mut priority = Priority::begin(self.clock.now());
        let mut warm = None;
        while !self.halt.is_set() {
            priority.check(self.clock.now());
            let next = self.due.peek().map_or(Time::NEVER, |Reverse((at, _))| *at);
            let until = if warm.is_none() { next.min(self.warmup) } else { next }.min(self.end);
            let now = self.clock.now();
            if now < until {
                self.wait(now, until);
                continue;
            }
            if warm.is_none() && now >= self.warmup {
                warm = Some(CpuUsage::so_far(Role::DatagramSender));
                self.flows.iter_mut().for_each(|(_, _, sent)| sent.warm = (sent.count, sent.bytes));
            }
            if now >= self.end {
                break;
            }
            if next <= now
                && let Some(Reverse((_, i))) = self.due.pop()
            {
                self.act(i, now);
            }
        }
        let end = self.end;
        let spent = CpuUsage::so_far(Role::DatagramSender);
        let close = |(task, _, mut sent): (Task, u64, DatagramsSent)| {
            sent.application = task.app.measured(end);
            sent
        };
        (
            self.flows.into_iter().map(close).collect(),
            warm.map_or(spent, |before| spent.since(before)),
        )
    }

    /// Sleeps until shortly before `until`, and looks at the clock from then on.
    fn wait(&mut self, now: Time, until: Time) {
        let left = until.since(now);
        if left <= SHORT || now < self.awake_until {
            std::hint::spin_loop();
            return;
        }
        let spin = left.scaled(0.25).min(SPIN);
        let nap = left.saturating_sub(spin);
        if nap <= NAP {
            self.awake_until = until;
        }
        let wake = self.clock.ns(now + nap.min(NAP));
        sleep_until(wake);
    }

    /// Sends all that is due for flow `i` by `now`, as much as one call takes.
    fn act(&mut self, i: usize, now: Time) {
        let epoch = self.clock.epoch();
        let (task, largest, sent) = &mut self.flows[i];
        let mut count = 0;
        while count < BATCH && task.app.next() <= now {
            let planned = task.app.next();
            match task.app.act() {
                Act::Open => {}
                Act::Close => sent.closed = true,
                Act::Write(bytes) => {
                    let bytes = bytes.min(*largest);
                    let late = now.since(planned).ps() / 1000;
                    sent.late_sum_ns += late;
                    sent.late_max_ns = sent.late_max_ns.max(late);
                    stamp(
                        &mut self.payloads[count],
                        bytes as usize,
                        sent.count as u32,
                        monotonic_ns() - epoch,
                    );
                    sent.count += 1;
                    sent.bytes += bytes;
                    sent.opened.get_or_insert(now);
                    count += 1;
                }
            }
        }
        let payloads: Vec<&[u8]> = self.payloads[..count].iter().map(Vec::as_slice).collect();
        sent.refused += hand_over(&task.socket, &payloads);
        let next = task.app.next();
        if next < Time::NEVER {
            self.due.push(Reverse((next, i)));
        }
    }
}

/// Hands over all of `payloads`: how many of them the kernel did not take.
fn hand_over(socket: &OwnedFd, mut payloads: &[&[u8]]) -> u64 {
    let mut refused = 0;
    while !payloads.is_empty() {
        match call::send(socket.as_fd(), payloads) {
            Ok(count) => payloads = &payloads[count.max(1)..],
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            // The kernel reports a router's notice about an earlier datagram once, at the next one.
            Err(e) if e.kind() == io::ErrorKind::ConnectionRefused => {}
            Err(_) => {
                refused += 1;
                payloads = &payloads[1..];
            }
        }
    }
    refused
}
