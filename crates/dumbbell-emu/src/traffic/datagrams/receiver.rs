//! The thread that receives datagrams.
use super::{BATCH, Datagram, Datagrams, STAMP, stamped};
use crate::clock::{Clock, monotonic_ns};
use crate::sys::{datagrams as call, tcp};
use crate::traffic::job::Job;
use crate::traffic::poller::{Poller, StopSignal, realtime_ns};
use crate::traffic::receiver::{Delivered, Progress};
use crate::traffic::ticks::Ticks;
use crate::traffic::usage::{CpuUsage, Role};
use dumbbell_core::units::Time;
use nix::sys::epoll::EpollFlags;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

struct Flow {
    number: usize,
    socket: Arc<OwnedFd>,
    rows: bool,
    log: bool,
    /// A bit for each number that came.
    came: Vec<u64>,
    highest: Option<u32>,
    got: Datagrams,
    delivered: Delivered,
    warm: Delivered,
    end: Delivered,
}

/// Receives all of the flows of datagrams until the end.
pub struct Receiver {
    clock: Clock,
    poller: Poller,
    flows: Vec<Flow>,
    ticks: Ticks,
    batch: call::Batch,
    progress: Vec<Progress>,
}

/// Results of a receiving end: counts at the end of the warm-up, at the end, and the datagrams.
pub type DatagramResult = (Delivered, Delivered, Datagrams);

impl Receiver {
    /// A receiver at the sockets of `jobs`, with counts at all `ticks`.
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
        for (i, (job, socket)) in jobs.iter().enumerate() {
            poller.add(&**socket, i as u64, EpollFlags::EPOLLIN)?;
            flows.push(Flow {
                number: job.flow,
                socket: Arc::clone(socket),
                rows: job.rows,
                log: job.log,
                came: Vec::new(),
                highest: None,
                got: Datagrams::default(),
                delivered: Delivered::default(),
                warm: Delivered::default(),
                end: Delivered::default(),
            });
        }
        Ok(Receiver {
            clock,
            poller,
            flows,
            ticks,
            batch: call::Batch::new(BATCH, STAMP),
            progress: Vec::new(),
        })
    }

    /// The thread's clock, for an account of what it costs.
    pub fn poller(&mut self) -> &mut Poller {
        &mut self.poller
    }

    /// Works until the end, or until it is told that it is over.
    ///
    /// # Errors
    /// The kernel cannot wait.
    pub fn run(mut self) -> io::Result<(Vec<DatagramResult>, Vec<Progress>, CpuUsage)> {
        let mut events = Vec::new();
        let mut goes_on = true;
        while goes_on {
            events.clear();
            goes_on =
                self.poller.wait(self.ticks.next(), |token, _| events.push(token as usize))?;
            events.iter().for_each(|&i| self.read_waiting(i));
            while self.ticks.next() <= self.clock.now() {
                self.drain_all()?;
                self.count_tick();
                goes_on &= self.ticks.next() < Time::NEVER;
            }
        }
        let broken_off = self.ticks.next() < Time::NEVER;
        let at = self.clock.now();
        let close = |mut flow: Flow| {
            flow.got.no_room = tcp::refused(flow.socket.as_fd()).unwrap_or(0);
            let end = if broken_off { Delivered { at, ..flow.delivered } } else { flow.end };
            (flow.warm, end, flow.got)
        };
        let spent = self.poller.spent(Role::DatagramReceiver);
        Ok((self.flows.into_iter().map(close).collect(), self.progress, spent))
    }

    /// Reads what waits at flow `i`.
    fn read_waiting(&mut self, i: usize) {
        let flow = &mut self.flows[i];
        // A turn of it at most, so that a flood at one socket does not starve the others.
        for _ in 0..64 {
            let Ok(count) = self.batch.read(flow.socket.as_fd()) else { return };
            // The kernel stamps with the wall clock: what it is ahead of ours by, just now.
            let ahead = realtime_ns().wrapping_sub(monotonic_ns()).wrapping_add(self.clock.epoch());
            let now = self.clock.now();
            for (note, head) in self.batch.datagrams() {
                let came = note
                    .at
                    .map_or(now, |at| Time::from_ps(at.wrapping_sub(ahead).saturating_mul(1000)));
                flow.count_datagram(&note, head, came.min(now));
            }
            if count < BATCH {
                return;
            }
        }
    }

    /// Reads what waits anywhere; of floods a few turns.
    fn drain_all(&mut self) -> io::Result<()> {
        let mut events = Vec::new();
        for _ in 0..4 {
            let more = self.poller.ready(|token| events.push(token as usize))?;
            events.drain(..).for_each(|i| self.read_waiting(i));
            if !more {
                break;
            }
        }
        Ok(())
    }

    /// The instant of a tick has come, and all was read: it is counted.
    fn count_tick(&mut self) {
        let tick = self.ticks.take();
        for i in 0..self.flows.len() {
            let now = self.clock.now();
            let flow = &mut self.flows[i];
            flow.delivered.at = now;
            if tick.warm {
                flow.warm = flow.delivered;
                flow.got.warm_ce = flow.got.ce;
            }
            if tick.end {
                flow.end = flow.delivered;
            }
            if tick.row && flow.rows {
                self.progress.push(Progress {
                    at: tick.at,
                    flow: flow.number,
                    delivered: flow.delivered,
                });
            }
        }
    }
}

impl Flow {
    /// A datagram came at `came`.
    fn count_datagram(&mut self, note: &call::Note, head: &[u8], came: Time) {
        let ce = note.tos.is_some_and(|tos| tos & 3 == 3);
        self.delivered.bytes += note.len as u64;
        self.delivered.segments = self.delivered.segments.wrapping_add(1);
        self.got.count += 1;
        self.got.ce += u64::from(ce);
        let (number, sent) = stamped(head);
        let Some(number) = number else { return };
        let (word, bit) = (number as usize / 64, 1u64 << (number % 64));
        if word >= self.came.len() {
            self.came.resize(word + 1, 0);
        }
        self.got.copies += u64::from(self.came[word] & bit != 0);
        self.came[word] |= bit;
        self.got.reordered += u64::from(self.highest.is_some_and(|h| number < h));
        self.highest = self.highest.max(Some(number));
        let Some(sent) = sent.map(|ns| Time::from_ps(ns.saturating_mul(1000))) else { return };
        self.got.delays.add(came.since(sent));
        if self.log {
            self.got.log.push(Datagram { number, sent, came, ce });
        }
    }
}
