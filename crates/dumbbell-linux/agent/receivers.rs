//! The ends that receive: they take the connection, discard what comes, and count it.
use crate::orders::End;
use crate::report::{Kind, Report};
use crate::sys;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;

/// Bytes of one read at most.
const TURN: usize = 4 << 20;
/// Bytes after which the window's bound is not set again: the kernel forgets it when it first
/// learns the segment size.
const YOUNG: u64 = 1 << 20;

/// One end that receives.
pub struct Receiver<'a> {
    pub order: &'a End<'a>,
    pub listener: OwnedFd,
    connection: Option<OwnedFd>,
    bytes: u64,
    /// Datagrams.
    packets: u32,
    last: u64,
    over: bool,
}

impl<'a> Receiver<'a> {
    pub fn new(order: &'a End<'a>, listener: OwnedFd) -> Receiver<'a> {
        Receiver { order, listener, connection: None, bytes: 0, packets: 0, last: 0, over: false }
    }

    /// Takes the connection, if it waits.
    pub fn accept(
        &mut self,
        clock: &mut sys::Clock,
        token: u64,
        poller: &sys::Poller,
        report: &mut Report,
    ) {
        if !self.order.tcp {
            return self.datagrams();
        }
        match sys::accept(&self.listener) {
            Ok(fd) => {
                poller.remove(&self.listener);
                if let Err(e) = poller.add(&fd, token, sys::EPOLLIN) {
                    self.fail(clock.now(), &e.to_string(), report);
                }
                self.connection = Some(fd);
            }
            Err(e) if e.kind() == ErrorKind::WouldBlock => {}
            Err(e) => {
                self.fail(clock.now(), &format!("could not take the connection: {e}"), report)
            }
        }
    }

    fn datagrams(&mut self) {
        let mut into = vec![0; 1 << 16];
        while let Ok(count) = sys::receive(&self.listener, &mut into, sys::MSG_DONTWAIT) {
            self.bytes += count as u64;
            self.packets += 1;
        }
    }

    /// Reads what waits.
    pub fn read(&mut self, clock: &mut sys::Clock, poller: &sys::Poller, report: &mut Report) {
        let Some(fd) = self.connection.as_ref().filter(|_| !self.over) else { return };
        loop {
            match sys::discard(fd, TURN) {
                Ok(0) => {
                    report.add(Kind::Complete, self.order.flow, self.last, &[]);
                    sys::close_sending(fd);
                    poller.remove(fd);
                    self.over = true;
                }
                Ok(count) => {
                    self.bytes += count as u64;
                    if self.order.ends {
                        self.last = clock.now();
                    }
                    if let Some(window) = self.order.window.filter(|_| self.bytes < YOUNG) {
                        let (level, name) = (sys::IPPROTO_TCP, sys::TCP_WINDOW_CLAMP);
                        let _ = sys::set_number(fd, level, name, window);
                    }
                    if count == TURN {
                        continue;
                    }
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => {}
                Err(e) => {
                    poller.remove(fd);
                    let cause = e.to_string();
                    return self.fail(clock.now(), &cause, report);
                }
            }
            return;
        }
    }

    fn fail(&mut self, now: u64, cause: &str, report: &mut Report) {
        self.over = true;
        report.add(Kind::Failure, self.order.flow, now, &[&[1], cause.as_bytes()]);
    }

    /// Counts what has come by the tick `tick`.
    pub fn count(
        &mut self,
        clock: &mut sys::Clock,
        (tick, flags): (u64, u8),
        poller: &sys::Poller,
        report: &mut Report,
    ) {
        let now = clock.now();
        if self.order.tcp {
            self.read(clock, poller, report);
        } else {
            self.datagrams();
        }
        let segments = self.segments().to_le_bytes();
        let body: [&[u8]; 4] =
            [&[flags], &tick.to_le_bytes(), &self.bytes.to_le_bytes(), &segments];
        report.add(Kind::Count, self.order.flow, now, &body);
    }

    /// Segments with data that came: `tcpi_data_segs_in`.
    fn segments(&self) -> u32 {
        const DATA_SEGS_IN: usize = 152;
        let mut info = [0; 512];
        let Some(fd) = &self.connection else { return self.packets };
        let info = sys::get(fd, sys::IPPROTO_TCP, sys::TCP_INFO, &mut info).unwrap_or_default();
        info.get(DATA_SEGS_IN..DATA_SEGS_IN + 4)
            .map_or(0, |b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
    }
}
