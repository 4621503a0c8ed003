//! The event loop of a traffic thread: sockets, a timer, and the stop signal.
use super::usage::{CpuUsage, Role};
use crate::clock::Clock;
use crate::traffic::priority::Priority;
use dumbbell_core::units::Time;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use nix::time::{ClockNanosleepFlags, clock_gettime, clock_nanosleep};
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// CLOCK_REALTIME, nanoseconds.
pub fn realtime_ns() -> u64 {
    // The kernel has the clock always.
    let now = clock_gettime(nix::time::ClockId::CLOCK_REALTIME);
    now.map_or(0, |t| t.tv_sec() as u64 * 1_000_000_000 + t.tv_nsec() as u64)
}

/// Sleeps until nanosecond `ns` of CLOCK_MONOTONIC, or until a signal comes.
pub fn sleep_until(ns: u64) {
    let at = TimeSpec::new((ns / 1_000_000_000) as i64, (ns % 1_000_000_000) as i64);
    // The caller reads the clock afterwards.
    let _ = clock_nanosleep(
        nix::time::ClockId::CLOCK_MONOTONIC,
        ClockNanosleepFlags::TIMER_ABSTIME,
        &at,
    );
}

/// Tells all threads of a run to stop.
#[derive(Clone)]
pub struct StopSignal(Arc<(EventFd, AtomicBool)>);

impl StopSignal {
    /// Not said yet.
    ///
    /// # Errors
    /// No descriptor is left.
    pub fn new() -> io::Result<StopSignal> {
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        Ok(StopSignal(Arc::new((EventFd::from_value_and_flags(0, flags)?, AtomicBool::new(false)))))
    }
    /// Tells all threads to stop.
    pub fn set(&self) {
        self.0.1.store(true, Ordering::Relaxed);
        // It can fail only if it was said 2^64 times.
        let _ = self.0.0.write(1);
    }
    /// True if it was set.
    pub fn is_set(&self) -> bool {
        self.0.1.load(Ordering::Relaxed)
    }
}

/// Token of the timer, and of the word that it is over.
const TIMER: u64 = u64::MAX;
const HALT: u64 = u64::MAX - 1;

/// A set of sockets to wait for, and a clock.
pub struct Poller {
    clock: Clock,
    epoll: Epoll,
    timer: TimerFd,
    armed: Time,
    _halt: StopSignal,
    /// Start of the account of processor time, and the reading then.
    account: (Time, Option<CpuUsage>),
    /// Of the thread that waits; from its first wait on.
    priority: Option<Priority>,
    events: Vec<EpollEvent>,
}

impl Poller {
    /// A poller for a run with this clock, which ends when `halt` is set.
    ///
    /// # Errors
    /// No descriptor is left.
    pub fn new(clock: Clock, halt: &StopSignal) -> io::Result<Poller> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let timer = TimerFd::new(
            ClockId::CLOCK_MONOTONIC,
            TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK,
        )?;
        epoll.add(&timer, EpollEvent::new(EpollFlags::EPOLLIN, TIMER))?;
        epoll.add(&halt.0.0, EpollEvent::new(EpollFlags::EPOLLIN, HALT))?;
        Ok(Poller {
            clock,
            epoll,
            timer,
            armed: Time::NEVER,
            _halt: halt.clone(),
            account: (Time::NEVER, None),
            priority: None,
            events: vec![EpollEvent::empty(); 256],
        })
    }

    /// Counts what the thread costs from `warmup` on.
    pub fn account_from(&mut self, warmup: Time) {
        self.account = (warmup, None);
    }

    /// Processor use since that start; since the thread's start before it.
    pub fn spent(&self, role: Role) -> CpuUsage {
        let now = CpuUsage::so_far(role);
        self.account.1.map_or(now, |before| now.since(before))
    }

    /// Reports `interest` at `socket` under the name `token`.
    ///
    /// # Errors
    /// It is among them already, or no socket.
    pub fn add(&self, socket: impl AsFd, token: u64, interest: EpollFlags) -> io::Result<()> {
        Ok(self.epoll.add(socket, EpollEvent::new(interest, token))?)
    }

    /// Reports something else from now on.
    ///
    /// # Errors
    /// It is not among them.
    pub fn change(&self, socket: impl AsFd, token: u64, interest: EpollFlags) -> io::Result<()> {
        Ok(self.epoll.modify(socket, &mut EpollEvent::new(interest, token))?)
    }

    /// Reports it no more.
    ///
    /// # Errors
    /// It is not among them.
    pub fn remove(&self, socket: impl AsFd) -> io::Result<()> {
        Ok(self.epoll.delete(socket)?)
    }

    /// Waits until something happens, or `until` has come; gives what happened to `each`. False: it
    /// is over.
    ///
    /// # Errors
    /// The kernel cannot wait.
    pub fn wait(&mut self, until: Time, mut each: impl FnMut(u64, EpollFlags)) -> io::Result<bool> {
        let (warmup, before) = self.account;
        self.arm(if before.is_none() { until.min(warmup) } else { until })?;
        let count = match self.epoll.wait(&mut self.events, EpollTimeout::NONE) {
            Ok(count) => count,
            Err(nix::errno::Errno::EINTR) => 0,
            Err(e) => return Err(e.into()),
        };
        let now = self.clock.now();
        self.priority.get_or_insert_with(|| Priority::begin(now)).check(now);
        if before.is_none() && now >= warmup {
            self.account.1 = Some(CpuUsage::so_far(Role::Sender));
        }
        let mut goes_on = true;
        for event in &self.events[..count] {
            match event.data() {
                TIMER => self.armed = Time::ZERO,
                HALT => goes_on = false,
                token => each(token, event.events()),
            }
        }
        Ok(goes_on)
    }

    /// Gives what happens just now to `each`, and waits for nothing. True: there may be more.
    ///
    /// # Errors
    /// The kernel cannot tell.
    pub fn ready(&mut self, mut each: impl FnMut(u64)) -> io::Result<bool> {
        let count = match self.epoll.wait(&mut self.events, EpollTimeout::ZERO) {
            Ok(count) => count,
            Err(nix::errno::Errno::EINTR) => 0,
            Err(e) => return Err(e.into()),
        };
        self.events[..count]
            .iter()
            .map(EpollEvent::data)
            .filter(|token| *token < HALT)
            .for_each(&mut each);
        Ok(count == self.events.len())
    }

    /// Sets the timer, unless it stands there already. A timer that has fired is read by being set
    /// again.
    fn arm(&mut self, until: Time) -> io::Result<()> {
        if until == self.armed {
            return Ok(());
        }
        self.armed = until;
        if until == Time::NEVER {
            return Ok(self.timer.unset()?);
        }
        // Zero would unset it; what lies in the past fires at once.
        let at = self.clock.ns(until).max(1);
        let at = TimeSpec::new((at / 1_000_000_000) as i64, (at % 1_000_000_000) as i64);
        Ok(self.timer.set(Expiration::OneShot(at), TimerSetTimeFlags::TFD_TIMER_ABSTIME)?)
    }
}
