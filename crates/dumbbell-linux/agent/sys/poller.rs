//! What the program waits for.
use super::c::{
    CLOCK_MONOTONIC, EPOLL_CTL_ADD, EPOLL_CTL_DEL, EPOLLIN, Event, SOCK_NONBLOCK,
    TFD_TIMER_ABSTIME, Timespec, checked, epoll_create1, epoll_ctl, epoll_wait, owned, read,
    timerfd_create, timerfd_settime,
};
use std::ffi::c_int;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

/// The sockets and the instant that this program waits for. The instant is a timer's: a timeout of
/// epoll may be late by a thousandth of itself.
pub struct Poller {
    epoll: OwnedFd,
    timer: OwnedFd,
    armed: u64,
}

/// The timer's token.
const TIMER: u64 = u64::MAX;

impl Poller {
    pub fn new() -> io::Result<Poller> {
        // SAFETY: take numbers.
        let (epoll, timer) = unsafe {
            (owned(epoll_create1(0))?, owned(timerfd_create(CLOCK_MONOTONIC, SOCK_NONBLOCK))?)
        };
        let poller = Poller { epoll, timer, armed: u64::MAX };
        poller.add(&poller.timer, TIMER, EPOLLIN)?;
        Ok(poller)
    }

    /// Sets the instant, of the guest's clock; the largest number: none.
    fn arm(&mut self, at: u64) -> io::Result<()> {
        if at == self.armed {
            return Ok(());
        }
        // An instant of zero would be none.
        let ns = if at == u64::MAX { 0 } else { at.max(1) };
        let at_once = Timespec {
            seconds: (ns / 1_000_000_000) as i64,
            nanoseconds: (ns % 1_000_000_000) as i64,
        };
        let times = [Timespec { seconds: 0, nanoseconds: 0 }, at_once];
        let (fd, from) = (self.timer.as_raw_fd(), &raw const times);
        // SAFETY: the kernel reads two `timespec`.
        checked(unsafe { timerfd_settime(fd, TFD_TIMER_ABSTIME, from, ptr::null_mut()) })?;
        self.armed = at;
        Ok(())
    }

    fn control(&self, op: c_int, fd: &impl AsRawFd, token: u64, events: u32) -> io::Result<()> {
        let mut event = Event { events, token };
        // SAFETY: the kernel reads one event.
        checked(unsafe { epoll_ctl(self.epoll.as_raw_fd(), op, fd.as_raw_fd(), &raw mut event) })
            .map(drop)
    }

    pub fn add(&self, fd: &impl AsRawFd, token: u64, events: u32) -> io::Result<()> {
        self.control(EPOLL_CTL_ADD, fd, token, events)
    }

    pub fn remove(&self, fd: &impl AsRawFd) {
        let _ = self.control(EPOLL_CTL_DEL, fd, 0, 0);
    }

    /// Waits until `at` of the guest's clock at most; `found` gets token and events of what is
    /// ready. True if the instant has come.
    pub fn wait(&mut self, at: u64, found: &mut Vec<(u64, u32)>) -> io::Result<bool> {
        self.arm(at)?;
        let mut events = [Event { events: 0, token: 0 }; 64];
        let (fd, most) = (self.epoll.as_raw_fd(), events.len() as c_int);
        // SAFETY: the kernel writes at most 64 events.
        let count = checked(unsafe { epoll_wait(fd, events.as_mut_ptr(), most, -1) })?;
        let mut expired = false;
        for Event { events, token } in events.into_iter().take(count as usize) {
            if token == TIMER {
                expired = true;
                self.armed = u64::MAX - 1; // It has expired.
                self.read_timer();
            } else {
                found.push((token, events));
            }
        }
        Ok(expired)
    }

    /// The timer is ready until it is read.
    fn read_timer(&self) {
        let mut count = [0; 8];
        // SAFETY: the kernel writes at most eight bytes.
        unsafe { read(self.timer.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
    }
}
