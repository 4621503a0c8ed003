//! The router: one thread with all NICs and the network between them.
//!
//! It reads the hosts' packets, feeds each to the network at the instant at which it was read, and
//! writes what comes out when it is due. It uses no file, no lock, and in the long run no
//! allocation. Its clock is the network's virtual clock: a packet that is written late is written
//! with its lateness noted, and the next one is due as if it had not been late, so that a link's
//! rate never depends on the thread.
pub mod codec;
pub(crate) mod cpu_budget;
pub(crate) mod departures;
pub mod forward;
pub mod ip_codec;
pub mod log_ring;
pub mod measures;
pub mod network;
pub(crate) mod nics;
pub(crate) mod privileges;
pub(crate) mod reserved_core;
pub mod slab;
#[cfg(test)]
mod tests;
pub mod wait;

use crate::clock::Clock;
use crate::host::nic::Nic;
use crate::log::Entry;
use crate::router::codec::PacketCodec;
use crate::router::cpu_budget::{Awake, Budget};
use crate::router::departures::Departures;
use crate::router::log_ring::{Capture, LogRing};
use crate::router::measures::bottleneck::Bottleneck;
use crate::router::measures::cpu::CpuWaits;
use crate::router::measures::nic_wait::NicWait;
use crate::router::measures::{Measured, Measures};
use crate::router::network::Network;
use crate::router::nics::NicState;
use crate::router::privileges::Privileges;
use crate::router::slab::Slab;
use crate::router::wait::{PACKETS, WaitMode, Waiter};
use dumbbell_core::units::{Span, Time};
use nix::poll::PollFd;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Packets that are read from one NIC, or written to all, before the others have their turn.
const BATCH: usize = 16;
/// A full NIC is tried again after this long.
const AGAIN: Span = Span::from_us(50);
/// Packets in a millisecond from which on the router counts as busy: the next packet is a matter of
/// microseconds.
const BUSY: u32 = 100;

/// Options of a router.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The clock; its zero is the start of the run.
    pub clock: Clock,
    /// The end of the run.
    pub end: Time,
    /// The way in which the thread waits.
    pub wait_mode: WaitMode,
    /// True if it asks for real-time priority and a core of its own.
    pub real_time: bool,
    /// The core; `None`: the last of those that the thread may use.
    pub core: Option<usize>,
    /// The NIC of each socket's host, by socket.
    pub nic_of: Vec<u16>,
    /// The largest IP packet, bytes.
    pub max_ip_len: u16,
    /// Memory for packets, bytes at most.
    pub memory: usize,
    /// The bottleneck for the measures; `None`: there is none.
    pub bottleneck: Option<Bottleneck>,
    /// Counts records that the log had no room for, for whoever writes its end.
    pub unlogged: Arc<AtomicU64>,
    /// The packets to capture; `None`: none.
    pub capture: Option<Capture>,
}

/// A router before and while it runs.
pub struct Router<N, W> {
    setup: Setup,
    network: N,
    codec: W,
    nics: Vec<NicState>,
    slab: Slab,
    departures: Departures,
    log_ring: LogRing,
    measures: Measures,
    /// The network has been told of everything before this.
    network_time: Time,
    /// For packets that are not written as they came.
    scratch: Vec<u8>,
}

/// A run that is over. Only [`Finished::judge`] gives out what the network found, with the run's
/// validity.
pub struct Finished<N, W> {
    pub(crate) network: N,
    codec: W,
    nics: Vec<Box<dyn Nic>>,
    pub(crate) measured: Measured,
}

impl<N, W> Finished<N, W> {
    /// Results of the measures.
    pub fn measured(&self) -> &Measured {
        &self.measured
    }
    /// The codec.
    pub fn codec(&self) -> &W {
        &self.codec
    }
    /// Gives back the NICs, in their order; afterward there are none.
    pub fn take_nics(&mut self) -> Vec<Box<dyn Nic>> {
        std::mem::take(&mut self.nics)
    }
}

impl Setup {
    /// Options for a run from `clock`'s zero to `end`; all others at their defaults, and no
    /// sockets.
    pub fn new(clock: Clock, end: Time) -> Self {
        Setup {
            clock,
            end,
            wait_mode: WaitMode::default(),
            real_time: true,
            core: None,
            nic_of: vec![],
            max_ip_len: 1500,
            memory: 1 << 30,
            bottleneck: None,
            unlogged: Arc::default(),
            capture: None,
        }
    }
}

impl<N: Network, W: PacketCodec> Router<N, W> {
    /// A router for `nics`, in the order of [`Setup::nic_of`]. `log` gets a record of each packet.
    ///
    /// # Errors
    /// A NIC's counters cannot be read.
    pub fn new(
        setup: Setup,
        nics: Vec<Box<dyn Nic>>,
        network: N,
        codec: W,
        log: Option<rtrb::Producer<Entry>>,
    ) -> io::Result<Self> {
        let nics = nics.into_iter().map(NicState::new).collect::<io::Result<Vec<_>>>()?;
        let slab = Slab::new(usize::from(setup.max_ip_len), setup.memory, 1 << 12);
        let measures = Measures::new(setup.bottleneck.clone());
        let scratch = Vec::with_capacity(usize::from(u16::MAX));
        let departures = Departures::new();
        let log_ring = LogRing::new(log, setup.capture.clone(), Arc::clone(&setup.unlogged));
        Ok(Router {
            setup,
            network,
            codec,
            nics,
            slab,
            departures,
            log_ring,
            measures,
            network_time: Time::ZERO,
            scratch,
        })
    }

    /// Runs on the calling thread until the end, or until `stop` is set.
    ///
    /// # Errors
    /// A NIC is gone.
    pub fn run(mut self, stop: &AtomicBool) -> io::Result<Finished<N, W>> {
        let privileges = if self.setup.real_time {
            Privileges::claim(self.setup.core)
        } else {
            Privileges::unprivileged()
        };
        self.measures.nic_wait = NicWait::of_this_thread();
        let fds = self
            .nics
            .iter()
            .map(|nic| nic.device.fd().try_clone_to_owned())
            .collect::<io::Result<Vec<_>>>()?;
        let before = measures::cpu::Reading::now();
        let ended = self.work(&fds, stop)?;
        self.settle(ended)?;
        let cpu = before.until(&measures::cpu::Reading::now());
        let losses = self.nics.iter().map(NicState::losses).collect::<io::Result<Vec<_>>>()?;
        let inside = self.slab.inside();
        let planned = self.setup.end;
        (self.measures.counts.log_overflow, self.measures.counts.uncaptured) =
            (self.log_ring.lost, self.log_ring.uncaptured);
        let measured =
            self.measures.finish((ended, planned), (losses, inside), cpu, privileges.report());
        let nics = self.nics.into_iter().map(|nic| nic.device).collect();
        Ok(Finished { network: self.network, codec: self.codec, nics, measured })
    }

    /// Turn after turn; when it ended.
    fn work(&mut self, fds: &[OwnedFd], stop: &AtomicBool) -> io::Result<Time> {
        let clock = self.setup.clock;
        let mut polled: Vec<PollFd<'_>> =
            fds.iter().map(|fd| PollFd::new(fd.as_fd(), PACKETS)).collect();
        let mut waiter = Waiter::new(clock, self.setup.wait_mode);
        let mut budget = Budget::new(clock.now(), measures::cpu::thread_ns());
        let mut waits = CpuWaits::of_this_thread(clock.now());
        let mut pace = Pace::default();
        let mut more = false;
        while !stop.load(Ordering::Relaxed) {
            let until = if more { self.network_time } else { self.deadline() };
            let woken = waiter.wait(until, &mut polled, pace.busy(), &budget)?;
            if woken.now >= self.setup.end {
                return Ok(self.setup.end);
            }
            let mut read = 0;
            more = false;
            for (nic, poll) in polled.iter().enumerate().filter(|_| woken.packets) {
                if poll.any() == Some(true) {
                    let n = self.read(nic, woken.drained_at)?;
                    more |= n == BATCH;
                    read += n;
                }
            }
            let (written, left) = self.step()?;
            self.measures.nic_wait.settle(&woken);
            more |= left;
            let done = clock.now();
            if let Some(from) = woken.absent_since(until, read + written > 0) {
                self.measures.stretch(from, done, budget.awake() != Awake::Never);
            }
            if let Some(waited) = waits.since(done) {
                self.measures.waited(waited);
            }
            pace.count(done, read as u32);
            budget.check(done, measures::cpu::thread_ns);
            if let Some(rest) = budget.must_rest() {
                privileges::sleep_for(rest);
                self.measures.rested();
            }
        }
        Ok(clock.now().min(self.setup.end))
    }

    /// The next time at which there is something to do, arrivals apart.
    fn deadline(&mut self) -> Time {
        let network = self.network.next().unwrap_or(Time::NEVER);
        let departures = self.departures.next().unwrap_or(Time::NEVER);
        let again = if self.nics.iter().any(|nic| !nic.delayed.is_empty()) {
            self.network_time + AGAIN
        } else {
            Time::NEVER
        };
        network.min(departures).min(again).min(self.setup.end)
    }

    /// Everything that was due by the end happens.
    fn settle(&mut self, end: Time) -> io::Result<()> {
        self.advance(end);
        while self.write_due(end)?.1 {}
        self.retry()?;
        self.flush()
    }
}

/// The recent packet rate.
#[derive(Default)]
struct Pace {
    since: Time,
    packets: u32,
    busy: bool,
}

impl Pace {
    fn count(&mut self, now: Time, packets: u32) {
        self.packets += packets;
        if now.since(self.since) >= Span::from_ms(1) {
            (self.busy, self.packets, self.since) = (self.packets >= BUSY, 0, now);
        }
    }
    fn busy(&self) -> bool {
        self.busy
    }
}
