//! The one loop of a run: who may run, until when, and what happens meanwhile.
//!
//! Exactly one party runs. While all wait, the earliest has its turn: the network and the devices
//! first, then guests by their numbers. A guest that runs is served until it waits again; nothing
//! else happens meanwhile, and it may run on by itself up to what comes next from elsewhere.
mod serve;

use crate::between::Between;
use crate::due::Due;
use crate::guest::Guest;
use crate::nic::{Nic, RECEIVE, TRANSMIT};
use crate::patience::{LOOK_MS, Patience};
use crate::records::Records;
use crate::timing::{Clock, Message, op};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};

/// Turns between two looks.
const TURNS: u32 = 1 << 12;
/// Time that a guest with programs of others may run on by itself at most: one that says nothing
/// for long has not come so far, and is computing.
const MOST_ALONE_NS: u64 = 100_000_000;
/// The device of a guest through which its agent reports.
pub const CONTROL: usize = 0;

/// Why a run ended early.
pub enum Ended {
    /// It was stopped.
    Stopped,
    /// A program of the user's did not sleep within so many seconds of processor time.
    Busy(f64),
    /// A guest ended before it had begun: which, and how.
    NoStart(usize, String),
    /// A guest broke: which, and what is wrong.
    Guest(usize, String),
    /// Something else.
    Failed(io::Error),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Ended {
        Ended::Failed(error)
    }
}

/// What is due on our side of the devices.
enum Action<P> {
    /// A device has sent a frame: its guest gets the buffer back.
    Sent { guest: usize, nic: usize, buffer: u16, awaited: bool },
    /// A packet reaches a host.
    Deliver(P),
}

/// Where a host's device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its guest.
    pub guest: usize,
    /// Its device there.
    pub nic: usize,
}

/// Who watches over a run.
pub struct Watch<'a> {
    /// Set from outside to end it.
    pub stop: &'a AtomicBool,
    /// Told how far it is, 0 to 1.
    pub progress: &'a dyn Fn(f64),
    /// Processor time that a guest may use in one turn, seconds.
    pub most_cpu_s: f64,
}

/// What a guest is served for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// Until it waits.
    Waits,
    /// Until it has answered the call of a device.
    Answers(usize),
}

/// A run in progress.
pub struct Control<'a, N: Between> {
    /// All guests.
    pub guests: Vec<Guest>,
    /// The network between their devices.
    pub network: N,
    /// What agents told.
    pub records: Records,
    clock: Clock,
    /// The device of each host.
    places: Vec<Place>,
    /// The host of each device, by guest.
    hosts: Vec<Vec<usize>>,
    due: Due<Action<N::Packet>>,
    /// The present nanosecond of the guests' clock.
    pub now: u64,
    watch: Watch<'a>,
    turns: u32,
}

impl<'a, N: Between> Control<'a, N> {
    /// A run of guests that were started, whose hosts' devices are at `places`.
    ///
    /// # Errors
    /// No memory is left.
    pub fn new(
        guests: Vec<Guest>,
        places: Vec<Place>,
        (network, records): (N, Records),
        watch: Watch<'a>,
    ) -> io::Result<Self> {
        let mut hosts: Vec<Vec<usize>> = guests.iter().map(|g| vec![0; g.nics.len()]).collect();
        places.iter().enumerate().for_each(|(host, at)| hosts[at.guest][at.nic] = host);
        let (due, turns, now) = (Due::default(), 0, 0);
        let clock = Clock::new(guests.len())?;
        Ok(Control { guests, network, records, clock, places, hosts, due, now, watch, turns })
    }

    /// Connects the guests, which start at `listener`, and lets one after the other boot, at time
    /// zero.
    ///
    /// # Errors
    /// A guest ends before it is up.
    pub fn boot(&mut self, listener: &UnixListener) -> Result<(), Ended> {
        for _ in 0..self.guests.len() {
            self.connect(listener)?;
        }
        for guest in 0..self.guests.len() {
            let known = &self.guests[guest];
            if let (Some(stream), Some(start)) = (&known.clock, known.start) {
                self.clock.welcome(guest, stream, start)?;
            }
            self.serve(guest, Until::Waits)?;
        }
        Ok(())
    }

    fn connect(&mut self, listener: &UnixListener) -> Result<(), Ended> {
        let mut patience = Patience::default();
        loop {
            if self.ready(&[listener.as_fd()], LOOK_MS)?.is_some() {
                let (stream, _) = listener.accept()?;
                let start = Message::read(&stream)?.filter(|message| message.op == op::START);
                let number = start.map_or(usize::MAX, |message| message.time as usize);
                let Some(guest) = self.guests.get_mut(number) else {
                    return Err(io::Error::other("a guest does not say who it is").into());
                };
                (guest.clock, guest.start) = (Some(stream), start);
                return Ok(());
            }
            let missing = self.guests.iter().position(|guest| guest.clock.is_none());
            let Some(guest) = missing else { return Ok(()) };
            match self.guests.iter_mut().enumerate().find_map(|(n, g)| Some((n, g.ended()?))) {
                Some((guest, how)) => return Err(Ended::NoStart(guest, how)),
                None => self.is_working(guest, &mut patience)?,
            }
        }
    }

    /// Runs until all agents have told everything.
    ///
    /// # Errors
    /// See [`Ended`].
    pub fn run(&mut self) -> Result<(), Ended> {
        match self.turns() {
            Err(Ended::Failed(error)) if serve::is_closed(&error) => Err(self.who_is_gone(error)),
            other => other,
        }
    }

    fn turns(&mut self) -> Result<(), Ended> {
        while self.records.ended < self.guests.len() {
            self.turns += 1;
            if self.turns.is_multiple_of(TURNS) {
                if self.watch.stop.load(Ordering::Relaxed) {
                    return Err(Ended::Stopped);
                }
                (self.watch.progress)(self.network.share(self.now));
            }
            self.turn()?;
            if let Some(cause) = self.records.failure.take() {
                return Err(io::Error::other(cause).into());
            }
        }
        // Programs may have ended long before the run's time.
        let all = if self.records.programs.is_some() { self.now } else { u64::MAX };
        self.network.advance(all);
        Ok(())
    }

    /// One turn: of the network and the devices, or of a guest.
    fn turn(&mut self) -> Result<(), Ended> {
        let mut first: Option<(u64, usize)> = None;
        for guest in 0..self.guests.len() {
            if let Some(at) = self.clock.request(guest)?
                && first.is_none_or(|(other, _)| at < other)
            {
                first = Some((at, guest));
            }
        }
        let own = self.own_next();
        match first {
            Some((at, guest)) if own.is_none_or(|own| at < own) => {
                self.now = self.now.max(at);
                let limit = self.limit(guest)?;
                let known = &self.guests[guest];
                let Some(stream) = &known.clock else {
                    return Err(Ended::Guest(guest, "it is gone".into()));
                };
                if known.nics.iter().all(Nic::is_running) {
                    self.clock.offer_notes(guest)?;
                }
                self.clock.run(guest, stream, self.now, limit)?;
                self.serve(guest, Until::Waits)?;
                self.now = self.now.max(self.clock.now()?);
                Ok(())
            }
            _ => match own {
                Some(at) => {
                    self.now = self.now.max(at);
                    self.clock.ours(self.now)?;
                    self.own_turn()
                }
                None => Err(io::Error::other("no guest has anything to do any more").into()),
            },
        }
    }

    /// When the network or a device is due.
    fn own_next(&self) -> Option<u64> {
        self.due.first().into_iter().chain(self.network.next()).min()
    }

    /// The instant up to which a guest may run by itself.
    fn limit(&self, guest: usize) -> io::Result<u64> {
        let mut limit = self.own_next().unwrap_or(u64::MAX / 4);
        if self.records.programs.is_some() {
            limit = limit.min(self.now + MOST_ALONE_NS);
        }
        for other in (0..self.guests.len()).filter(|other| *other != guest) {
            limit = limit.min(self.clock.request(other)?.unwrap_or(u64::MAX));
        }
        Ok(limit)
    }

    fn own_turn(&mut self) -> Result<(), Ended> {
        if self.network.next().is_some_and(|at| at <= self.now) {
            self.network.advance(self.now);
            self.take_outgoing();
            if let Some(failure) = self.network.failure() {
                let (what, cause) = (&failure.algorithm, &failure.cause);
                return Err(io::Error::other(format!("{what} failed: {cause}")).into());
            }
        }
        match self.due.take(self.now) {
            Some(Action::Sent { guest, nic, buffer, awaited }) => {
                self.guests[guest].nics[nic].give_back(TRANSMIT, buffer, 0)?;
                // The guest finds others' buffers when it next sends or receives.
                if awaited { self.call(guest, nic, TRANSMIT) } else { Ok(()) }
            }
            Some(Action::Deliver(out)) => self.deliver(out),
            None => Ok(()),
        }
    }

    fn deliver(&mut self, out: N::Packet) -> Result<(), Ended> {
        let Place { guest, nic } = self.places[self.network.nic(&out)];
        let device = &mut self.guests[guest].nics[nic];
        let frame = self.network.frame(&out, device.identity.mac);
        let taken = frame
            .as_deref()
            .is_some_and(|frame| !frame.is_empty() && { device.deliver(frame).unwrap_or(false) });
        self.network.delivered(&out, frame.as_deref(), !taken)?;
        if taken { self.call(guest, nic, RECEIVE) } else { Ok(()) }
    }

    fn take_outgoing(&mut self) {
        for (at, out) in self.network.outgoing() {
            self.due.push(at, Action::Deliver(out));
        }
    }
}
