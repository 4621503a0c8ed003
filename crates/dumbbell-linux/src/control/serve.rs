//! A guest's turn: it is served until it waits, and it is looked after meanwhile.
use super::{Action, CONTROL, Control, Ended, Until};
use crate::between::{Accepted, Between};
use crate::nic::TRANSMIT;
use crate::patience::{LOOK_MS, Lost, Patience};
use crate::timing::{Message, notes};
use crate::vhost::{self, Request, request};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::Ordering;

/// Looks at a guest that has closed, until it has ended.
const MOST_LOOKS: u32 = 20;

impl<N: Between> Control<'_, N> {
    /// The first of `fds` that has something, within `most_ms`.
    pub(super) fn ready(
        &self,
        fds: &[BorrowedFd<'_>],
        most_ms: u16,
    ) -> Result<Option<usize>, Ended> {
        if self.watch.stop.load(Ordering::Relaxed) {
            return Err(Ended::Stopped);
        }
        let mut all: Vec<PollFd<'_>> =
            fds.iter().map(|fd| PollFd::new(*fd, PollFlags::POLLIN)).collect();
        match poll(&mut all, PollTimeout::from(most_ms)) {
            Ok(0) | Err(Errno::EINTR) => Ok(None),
            Ok(_) => Ok(all.iter().position(|fd| fd.any() == Some(true))),
            Err(e) => Err(io::Error::from(e).into()),
        }
    }

    /// Which guest has closed its connections.
    pub(super) fn who_is_gone(&mut self, error: io::Error) -> Ended {
        for _ in 0..MOST_LOOKS {
            if let Some(guest) = self.guests.iter_mut().position(|guest| guest.ended().is_some()) {
                return self.gone(guest);
            }
            let _ = poll(&mut [], PollTimeout::from(LOOK_MS));
        }
        Ended::Failed(error)
    }

    /// Has a guest look at a ring, if it wants to be told.
    pub(super) fn call(&mut self, guest: usize, nic: usize, ring: usize) -> Result<(), Ended> {
        let device = &self.guests[guest].nics[nic];
        if !device.listens(ring)? || self.clock.call(guest, notes::Place { nic, ring }, self.now)? {
            return Ok(());
        }
        if let Some(calls) = &device.calls {
            vhost::call(calls, ring as u32)?;
            // Who shares the time has nothing to ask before it answers.
            if self.clock.shares(guest)? && vhost::called_soon(calls)? {
                return Ok(());
            }
        }
        self.serve(guest, Until::Answers(nic))
    }

    /// Serves a guest, and nobody else.
    pub(super) fn serve(&mut self, guest: usize, until: Until) -> Result<(), Ended> {
        let mut patience = Patience::default();
        if until == Until::Waits && self.clock.in_memory(guest) {
            while !self.clock.wait(guest)? {
                // A kick that its notes have no room for is a message.
                self.listen(guest, until, 0, &mut patience)?;
            }
            return self.take_kicks(guest);
        }
        while !self.listen(guest, until, LOOK_MS, &mut patience)? {}
        Ok(())
    }

    /// Takes a message of a guest's, if there is one within `most_ms`; true: it waits, or has
    /// answered.
    fn listen(
        &mut self,
        guest: usize,
        until: Until,
        most_ms: u16,
        patience: &mut Patience,
    ) -> Result<bool, Ended> {
        let known = &self.guests[guest];
        let mut fds = Vec::with_capacity(known.nics.len() + 2);
        let Some(stream) = &known.clock else {
            return Err(Ended::Guest(guest, "it is gone".into()));
        };
        fds.push(stream.as_fd());
        for nic in &known.nics {
            fds.push(nic.requests.as_ref().map_or(nic.listener.as_fd(), AsFd::as_fd));
        }
        if let Until::Answers(nic) = until
            && let Some(calls) = &known.nics[nic].calls
        {
            fds.push(calls.as_fd());
        }
        match self.ready(&fds, most_ms)? {
            Some(0) => return Ok(self.time_message(guest)? && until == Until::Waits),
            Some(place) if place <= known.nics.len() => self.device(guest, place - 1)?,
            Some(_) => {
                if let Until::Answers(nic) = until
                    && let Some(calls) = &self.guests[guest].nics[nic].calls
                {
                    vhost::called(calls)?;
                }
                return Ok(true);
            }
            None => self.is_working(guest, patience)?,
        }
        Ok(false)
    }

    /// A guest has said nothing for a while: it works, or it is gone, or it never sleeps, or it
    /// waits as we do.
    pub(super) fn is_working(
        &mut self,
        guest: usize,
        patience: &mut Patience,
    ) -> Result<(), Ended> {
        if self.guests[guest].ended().is_some() {
            return Err(self.gone(guest));
        }
        let (activity, most) = (self.guests[guest].activity(), self.watch.most_cpu_s);
        let programs = self.records.programs.is_some();
        patience.look(&activity, most).map_err(|lost| match lost {
            Lost::Busy(seconds) if programs => Ended::Busy(seconds),
            lost => Ended::Guest(guest, lost.to_string()),
        })
    }

    /// A guest has closed a connection: its process ends, and how is known in a moment.
    fn gone(&mut self, guest: usize) -> Ended {
        for _ in 0..MOST_LOOKS {
            if let Some(how) = self.guests[guest].ended() {
                return Ended::Guest(guest, format!("its kernel has ended ({how})"));
            }
            let _ = poll(&mut [], PollTimeout::from(LOOK_MS));
        }
        Ended::Guest(guest, "its kernel has closed its connections".into())
    }

    /// A message of a guest's clock; true: it waits.
    fn time_message(&mut self, guest: usize) -> Result<bool, Ended> {
        let Some(stream) = &self.guests[guest].clock else { return Ok(true) };
        match Message::read(stream)? {
            Some(message) => Ok(self.clock.serve(guest, stream, message)?),
            None => Err(self.gone(guest)),
        }
    }

    /// A guest connects a device, or has a request for it.
    fn device(&mut self, guest: usize, nic: usize) -> Result<(), Ended> {
        let device = &mut self.guests[guest].nics[nic];
        let Some(stream) = &device.requests else {
            device.requests = Some(device.listener.accept()?.0);
            return Ok(());
        };
        let Some(mut asked) = Request::read(stream, device.is_running())? else {
            return Err(self.gone(guest));
        };
        if asked.kind == request::VRING_KICK {
            self.kick(guest, nic, asked.u32(0) as usize)?;
        } else {
            device.set_up(&mut asked)?;
        }
        let device = &self.guests[guest].nics[nic];
        if let Some(stream) = &device.requests {
            asked.answer(stream, &device.identity)?;
        }
        Ok(())
    }

    /// A guest has put frames into a ring, and waits for the answer.
    fn kick(&mut self, guest: usize, nic: usize, ring: usize) -> Result<(), Ended> {
        self.take_kicks(guest)?;
        if ring == TRANSMIT {
            self.take_frames(guest, nic, None)?;
        }
        let limit = self.limit(guest)?;
        match &self.guests[guest].clock {
            Some(stream) => Ok(self.clock.limit(guest, stream, limit)?),
            None => Ok(()),
        }
    }

    /// Takes the frames of all kicks in a guest's notes.
    fn take_kicks(&mut self, guest: usize) -> Result<(), Ended> {
        for notes::Kick { place: notes::Place { nic, ring }, upto } in self.clock.kicks(guest)? {
            if ring == TRANSMIT && nic < self.guests[guest].nics.len() {
                self.take_frames(guest, nic, Some(upto))?;
            }
        }
        Ok(())
    }

    /// Takes the frames that a device sends: up to an index of its ring, or all.
    fn take_frames(&mut self, guest: usize, nic: usize, upto: Option<u16>) -> Result<(), Ended> {
        let now = self.clock.now()?;
        while let Some(sent) = self.guests[guest].nics[nic].sent(upto)? {
            let Accepted { done, awaited } = if nic == CONTROL {
                self.records.frame(&sent.frame);
                Accepted { done: Some(now), awaited: true }
            } else {
                self.network.send(self.hosts[guest][nic], &sent.frame, now)?
            };
            if let Some(done) = done {
                self.due.push(done, Action::Sent { guest, nic, buffer: sent.buffer, awaited });
            }
            self.take_outgoing();
        }
        Ok(())
    }
}

/// The other end of a connection has gone.
pub(super) fn is_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}
