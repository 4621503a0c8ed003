//! The thread that receives over connections: it accepts them, reads, and counts every byte.
//!
//! Data is discarded inside the kernel (`MSG_TRUNC`) without a copy, unless a copy is asked for. At
//! the end of the warm-up, at each instant of the series and at the end of the run all sockets are
//! drained first, so that a count is what the application has at that instant, to one read.
use super::job::{Job, SocketKind};
use super::poller::{Poller, StopSignal};
use super::ticks::Ticks;
use super::usage::{CpuUsage, Role};
use crate::clock::Clock;
use crate::sys::tcp as call;
use dumbbell_core::units::Time;
use nix::sys::epoll::EpollFlags;
use nix::sys::socket::{MsgFlags, Shutdown, recv, shutdown};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;

/// A receiver's counts at an instant, since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Time of the count.
    pub at: Time,
    /// Distinct bytes in order, as the application gets them.
    pub bytes: u64,
    /// Segments with data that came, repetitions included; of connections in totals only, not in
    /// rows.
    pub segments: u32,
}

/// A row of the series: what a receiver had at the instant `at` of the series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The instant that was asked for.
    pub at: Time,
    /// The flow's number in the plan.
    pub flow: usize,
    /// The counts.
    pub delivered: Delivered,
}

/// Results of the receiving end of a connection.
#[derive(Clone, Debug, Default)]
pub struct Received {
    /// At the end of the warm-up.
    pub warm: Delivered,
    /// At the end of the run.
    pub end: Delivered,
    /// Time of the last byte's read, if the other end has closed.
    pub complete: Option<Time>,
    /// The error that broke the connection.
    pub failure: Option<String>,
    /// The connection's socket, kept open so that the sender can read its own account to the end.
    pub _connection: Option<Arc<OwnedFd>>,
}

struct Flow {
    number: usize,
    listener: Arc<OwnedFd>,
    connection: Option<Arc<OwnedFd>>,
    window: Option<u32>,
    rows: bool,
    bytes: u64,
    last: Time,
    received: Received,
    over: bool,
}

/// Bytes of one read at most.
const TURN: usize = 4 << 20;
/// Number of full reads of one socket before the others have their turn.
const TURNS: usize = 4;
/// Bytes after which the window's bound is not set again: the kernel forgets it when it first
/// learns the segment size.
const YOUNG: u64 = 1 << 20;

/// Receives all of the jobs until the end.
pub struct Receiver {
    clock: Clock,
    poller: Poller,
    flows: Vec<Flow>,
    ticks: Ticks,
    progress: Vec<Progress>,
    /// Buffer for data; empty: data is discarded inside the kernel.
    into: Vec<u8>,
}

/// Bytes of one read that copies.
const COPY: usize = 256 << 10;

impl Receiver {
    /// A receiver at the listening sockets of `jobs`, with counts at all `ticks`.
    ///
    /// # Errors
    /// No descriptors are left.
    pub fn new(
        jobs: &[(Job, Arc<OwnedFd>)],
        clock: Clock,
        ticks: Ticks,
        halt: &StopSignal,
    ) -> io::Result<Receiver> {
        let poller = Poller::new(clock, halt)?;
        let mut flows = Vec::with_capacity(jobs.len());
        for (i, (job, listener)) in jobs.iter().enumerate() {
            let SocketKind::Tcp(connection) = &job.socket_kind else { continue };
            poller.add(&**listener, (i as u64) << 1, EpollFlags::EPOLLIN)?;
            flows.push(Flow {
                number: job.flow,
                listener: Arc::clone(listener),
                connection: None,
                window: connection.receiver.window,
                rows: job.rows,
                bytes: 0,
                last: Time::ZERO,
                received: Received::default(),
                over: false,
            });
        }
        Ok(Receiver { clock, poller, flows, ticks, progress: Vec::new(), into: Vec::new() })
    }

    /// The thread's clock, for an account of what it costs.
    pub fn poller(&mut self) -> &mut Poller {
        &mut self.poller
    }

    /// Copies what it reads from now on, as an application does.
    pub fn copies(&mut self) {
        self.into = vec![0; COPY];
    }

    /// Works until the end, or until it is told that it is over: what each flow received, and the
    /// series.
    ///
    /// # Errors
    /// The kernel cannot wait.
    pub fn run(mut self) -> io::Result<(Vec<Received>, Vec<Progress>, CpuUsage)> {
        let mut events = Vec::new();
        let mut goes_on = true;
        while goes_on {
            events.clear();
            goes_on = self.poller.wait(self.ticks.next(), |token, _| events.push(token))?;
            events.iter().for_each(|token| self.on_event(*token));
            while self.ticks.next() <= self.clock.now() {
                self.drain_all()?;
                self.count_tick();
                if self.ticks.next() == Time::NEVER {
                    goes_on = false;
                }
            }
        }
        let at = self.clock.now();
        if self.ticks.next() < Time::NEVER {
            (0..self.flows.len())
                .for_each(|i| self.flows[i].received.end = self.delivered(i, at, true));
        }
        let spent = self.poller.spent(Role::Receiver);
        let close = |flow: Flow| Received { _connection: flow.connection, ..flow.received };
        Ok((self.flows.into_iter().map(close).collect(), self.progress, spent))
    }

    fn on_event(&mut self, token: u64) {
        let i = (token >> 1) as usize;
        if token & 1 == 0 { self.accept(i) } else { self.read_waiting(i) }
    }

    /// Reads what waits anywhere; of floods a few turns.
    fn drain_all(&mut self) -> io::Result<()> {
        let mut events = Vec::new();
        for _ in 0..TURNS {
            let more = self.poller.ready(|token| events.push(token))?;
            events.drain(..).for_each(|token| self.on_event(token));
            if !more {
                break;
            }
        }
        Ok(())
    }

    /// A connection for flow `i`: the first, there is no other.
    fn accept(&mut self, i: usize) {
        let flow = &mut self.flows[i];
        use io::ErrorKind::{ConnectionAborted, Interrupted, WouldBlock};
        let fd = match call::accept(flow.listener.as_fd()) {
            Ok(fd) => fd,
            Err(e) if matches!(e.kind(), WouldBlock | Interrupted | ConnectionAborted) => return,
            Err(e) => {
                flow.received.failure = Some(format!("could not take the connection: {e}"));
                return;
            }
        };
        if let Err(e) = self.poller.add(&fd, (i as u64) << 1 | 1, EpollFlags::EPOLLIN) {
            flow.received.failure = Some(format!("could not take the connection: {e}"));
        }
        let _ = self.poller.remove(&*flow.listener);
        flow.connection = Some(Arc::new(fd));
    }

    /// Reads what waits at flow `i`, a few turns of it at most.
    fn read_waiting(&mut self, i: usize) {
        let flow = &mut self.flows[i];
        let Some(fd) = flow.connection.as_ref().filter(|_| !flow.over) else { return };
        let most = if self.into.is_empty() { TURN } else { COPY };
        for _ in 0..TURNS {
            let read = match &mut self.into[..] {
                [] => call::discard(fd.as_fd(), TURN),
                into => recv(fd.as_raw_fd(), into, MsgFlags::MSG_DONTWAIT).map_err(io::Error::from),
            };
            match read {
                Ok(0) => {
                    flow.received.complete = Some(flow.last);
                    // Both ends have closed then, and the sender's account stands still.
                    let _ = shutdown(fd.as_raw_fd(), Shutdown::Write);
                    flow.over = true;
                }
                Ok(count) => {
                    flow.bytes += count as u64;
                    flow.last = self.clock.now();
                    if let Some(window) = flow.window.filter(|_| flow.bytes < YOUNG) {
                        let _ = call::set(
                            fd.as_fd(),
                            libc::IPPROTO_TCP,
                            libc::TCP_WINDOW_CLAMP,
                            window,
                        );
                    }
                    if count == most {
                        continue;
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                Err(e) => {
                    flow.received.failure = Some(e.to_string());
                    flow.over = true;
                }
            }
            break;
        }
        if flow.over {
            let _ = self.poller.remove(fd);
        }
    }

    /// Counts of flow `i` at `at`, with its segments if asked.
    fn delivered(&self, i: usize, at: Time, segments: bool) -> Delivered {
        let flow = &self.flows[i];
        let asked = flow
            .connection
            .as_ref()
            .filter(|_| segments)
            .and_then(|fd| call::info(fd.as_fd()).ok());
        Delivered {
            at,
            bytes: flow.bytes,
            segments: asked.map_or(0, |(info, _)| info.data_segs_in),
        }
    }

    /// The instant of a tick has come, and all was read: it is counted.
    fn count_tick(&mut self) {
        let tick = self.ticks.take();
        let total = tick.warm || tick.end;
        for i in 0..self.flows.len() {
            if !total && !self.flows[i].rows {
                continue;
            }
            let delivered = self.delivered(i, self.clock.now(), total);
            let flow = &mut self.flows[i];
            if tick.warm {
                flow.received.warm = delivered;
            }
            if tick.end {
                flow.received.end = delivered;
            }
            if tick.row && flow.rows {
                self.progress.push(Progress { at: tick.at, flow: flow.number, delivered });
            }
        }
    }
}
