//! The ends that send: they open at their instant, hand over what their application has, and close.
use crate::orders::{Act, End};
use crate::report::{Kind, Report};
use crate::{sockets, sys};
use std::io::ErrorKind;
use std::os::fd::OwnedFd;

/// Bytes of one write at most.
const PIECE: usize = 256 << 10;
/// An application that waits for acknowledgments looks again after this long, should the kernel
/// not tell.
const LOOK: u64 = 20_000_000;

/// One end that sends.
pub struct Sender<'a> {
    pub order: &'a End<'a>,
    pub socket: OwnedFd,
    /// The next of its acts.
    next: usize,
    /// When the act is due; `u64::MAX`: never by itself.
    pub due: u64,
    opened: bool,
    established: bool,
    /// Bytes that the socket has not taken; `u64::MAX`: no end of them.
    backlog: u64,
    written: u64,
    /// True while it waits for acknowledgments.
    waits: bool,
    closing: bool,
    closed: bool,
    full: bool,
    /// True when both ends have closed, or it has failed.
    pub over: bool,
}

impl<'a> Sender<'a> {
    pub fn new(order: &'a End<'a>, socket: OwnedFd) -> Sender<'a> {
        Sender {
            order,
            socket,
            next: 0,
            due: order.open,
            opened: false,
            established: false,
            backlog: 0,
            written: 0,
            waits: false,
            closing: false,
            closed: false,
            full: false,
            over: false,
        }
    }

    /// True once its connection is asked for.
    pub fn is_open(&self) -> bool {
        self.opened
    }

    /// Does what is due by `now`.
    pub fn act(
        &mut self,
        clock: &mut sys::Clock,
        token: u64,
        poller: &sys::Poller,
        report: &mut Report,
    ) {
        let now = clock.now();
        while self.due <= now && !self.over {
            if !self.opened {
                self.open(now, token, poller, report);
            } else if self.waits && self.order.stop > now {
                // It only looks.
                self.due = (now + LOOK).min(self.order.stop);
                return self.flush(clock, report);
            } else {
                let act = self.order.acts.get(self.next).copied().unwrap_or(Act::Close(now));
                self.next += 1;
                match act {
                    Act::At(_, bytes) | Act::After(_, bytes) if self.order.stop > now => {
                        self.hand_over(bytes);
                    }
                    _ => (self.closing, self.waits) = (true, false),
                }
                self.plan();
            }
            self.flush(clock, report);
        }
    }

    fn open(&mut self, now: u64, token: u64, poller: &sys::Poller, report: &mut Report) {
        self.opened = true;
        report.add(Kind::Opened, self.order.flow, now, &[]);
        let connected = sys::connect_to(&self.socket, self.order.to);
        let result = connected.and_then(|()| {
            if self.order.tcp {
                poller.add(&self.socket, token, sys::EPOLLOUT | sys::EPOLLET)
            } else {
                self.established = true;
                Ok(())
            }
        });
        match result {
            Ok(()) => self.plan(),
            Err(e) => self.fail(now, &format!("could not connect: {e}"), report),
        }
    }

    fn hand_over(&mut self, bytes: u64) {
        if !self.order.tcp {
            // One datagram, whatever waits.
            let piece = vec![0; bytes.min(65_507) as usize];
            if sys::send_to(&self.socket, &piece, sys::MSG_DONTWAIT | sys::MSG_NOSIGNAL).is_ok() {
                self.written += bytes;
            }
        } else if bytes == u64::MAX {
            self.backlog = u64::MAX;
        } else {
            self.backlog = self.backlog.saturating_add(bytes);
        }
    }

    /// When the next act is due.
    fn plan(&mut self) {
        if self.closing {
            self.due = u64::MAX;
            return;
        }
        self.waits = matches!(self.order.acts.get(self.next), Some(Act::After(..)));
        self.due = match self.order.acts.get(self.next) {
            Some(Act::At(at, _) | Act::Close(at)) => (*at).min(self.order.stop),
            Some(Act::After(..)) => 0,
            None => self.order.stop,
        };
        if self.waits {
            self.due = self.order.stop;
        }
    }

    /// The poller has something to say about it.
    pub fn event(
        &mut self,
        clock: &mut sys::Clock,
        events: u32,
        poller: &sys::Poller,
        report: &mut Report,
    ) {
        if self.over {
            return;
        }
        if events & (sys::EPOLLERR | sys::EPOLLHUP) != 0 {
            let told = sys::clear_errors(&self.socket);
            if let Some(e) = sockets::error(&self.socket) {
                return self.fail(clock.now(), &e.to_string(), report);
            }
            if told == 0 && events & sys::EPOLLHUP != 0 {
                self.over = true;
                return poller.remove(&self.socket);
            }
        }
        if events & sys::EPOLLOUT != 0 {
            if !self.established {
                self.established = true;
                report.add(Kind::Established, self.order.flow, clock.now(), &[]);
            }
            self.full = false;
        }
        self.flush(clock, report);
    }

    /// Hands the socket as much as it takes.
    fn flush(&mut self, clock: &mut sys::Clock, report: &mut Report) {
        static ZEROS: [u8; PIECE] = [0; PIECE];
        if !self.order.tcp {
            return;
        }
        while self.backlog > 0 && !self.full && self.established && !self.over {
            let count = self.backlog.min(PIECE as u64) as usize;
            let flags = sys::MSG_DONTWAIT | sys::MSG_NOSIGNAL;
            match sys::send_to(&self.socket, &ZEROS[..count], flags) {
                Ok(taken) => {
                    self.written += taken as u64;
                    if self.backlog != u64::MAX {
                        self.backlog -= taken as u64;
                    }
                    self.full = taken < count;
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => self.full = true,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return self.fail(clock.now(), &e.to_string(), report),
            }
        }
        if self.over || !self.established {
            return;
        }
        if self.closing && (self.backlog == 0 || self.backlog == u64::MAX) && !self.closed {
            // A transfer without an end ends when its application does.
            (self.closed, self.backlog) = (true, 0);
            sys::close_sending(&self.socket);
        }
        self.acknowledged(clock, report);
    }

    /// Goes on if everything was acknowledged and it waits for that.
    fn acknowledged(&mut self, clock: &mut sys::Clock, report: &mut Report) {
        if self.waits && self.backlog == 0 && matches!(sys::unacknowledged(&self.socket), Ok(0)) {
            let now = clock.now();
            self.waits = false;
            report.add(Kind::Acknowledged, self.order.flow, now, &[]);
            if let Some(Act::After(after, _)) = self.order.acts.get(self.next) {
                self.due = (now + after).min(self.order.stop);
            }
        }
    }

    fn fail(&mut self, now: u64, cause: &str, report: &mut Report) {
        self.over = true;
        report.add(Kind::Failure, self.order.flow, now, &[&[0], cause.as_bytes()]);
    }

    /// Tells TCP_INFO and what the congestion control says of itself, with `flags` of the instant.
    pub fn sample(&self, now: u64, flags: u8, report: &mut Report) {
        let (mut info, mut state) = ([0; 512], [0; 64]);
        let Ok(info) = sys::get(&self.socket, sys::IPPROTO_TCP, sys::TCP_INFO, &mut info) else {
            return;
        };
        let state = sys::get(&self.socket, sys::IPPROTO_TCP, sys::TCP_CC_INFO, &mut state);
        let state = state.unwrap_or_default();
        let head = [flags, state.len() as u8];
        report.add(Kind::Sample, self.order.flow, now, &[&head, state, info]);
    }

    /// The account at the end.
    pub fn close(&self, report: &mut Report) {
        let flow = self.order.flow;
        let whole = self.closed && self.backlog == 0;
        let account = [&self.written.to_le_bytes()[..], &[u8::from(whole)]];
        report.add(Kind::Sent, flow, 0, &account);
        if self.order.tcp {
            report.add(Kind::Control, flow, 0, &[sockets::control(&self.socket).as_bytes()]);
        }
    }
}
