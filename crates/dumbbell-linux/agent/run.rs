//! The run: one loop over sockets, applications and counts.
use crate::hosts::Namespace;
use crate::orders::Orders;
use crate::receivers::Receiver;
use crate::report::Report;
use crate::senders::Sender;
use crate::{sockets, sys};

/// Flags of counts: the end of the warm-up, the end of the run, an instant of the series, the
/// account of a flow that is over.
const WARM: u8 = 1;
const END: u8 = 2;
const ROW: u8 = 4;
const OVER: u8 = 8;

/// Bits of a token above the place of its end: who is meant.
const LISTENER: u64 = 1 << 62;
const CONNECTION: u64 = 1 << 63;

/// A run that is about to begin.
pub struct Run<'a> {
    orders: &'a Orders<'a>,
    report: &'a mut Report,
    poller: sys::Poller,
    senders: Vec<Sender<'a>>,
    receivers: Vec<Receiver<'a>>,
    /// Senders whose last account was told.
    told: Vec<bool>,
}

/// The next instants of a kind of counts.
struct Ticks {
    every: u64,
    regular: u64,
    warm: u64,
    end: u64,
}

impl Ticks {
    fn new(every: u64, orders: &Orders<'_>) -> Ticks {
        let regular = if every > 0 { 0 } else { u64::MAX };
        Ticks { every, regular, warm: orders.warm, end: orders.end }
    }
    fn next(&self) -> u64 {
        self.regular.min(self.warm).min(self.end)
    }
    /// Takes the next instant, with its flags.
    fn take(&mut self) -> (u64, u8) {
        let at = self.next();
        let mut flags = 0;
        if at == self.regular {
            (flags, self.regular) = (flags | ROW, at + self.every);
        }
        if at == self.warm {
            (flags, self.warm) = (flags | WARM, u64::MAX);
        }
        if at == self.end {
            (flags, self.end, self.regular) = (flags | END, u64::MAX, u64::MAX);
        }
        (at, flags)
    }
}

impl<'a> Run<'a> {
    /// Opens all sockets.
    pub fn new(
        orders: &'a Orders<'a>,
        hosts: &[Namespace],
        report: &'a mut Report,
    ) -> Result<Run<'a>, String> {
        let said = |e| format!("could not wait for sockets: {e}");
        let poller = sys::Poller::new().map_err(said)?;
        let (mut senders, mut receivers) = (vec![], vec![]);
        for end in &orders.ends {
            let of = |e: String| format!("flow {}: {e}", end.flow);
            let host = hosts.get(end.host).ok_or_else(|| of("it has no host".into()))?;
            host.enter().map_err(|e| of(e.to_string()))?;
            let socket = sockets::open(end).map_err(of)?;
            if end.sends {
                senders.push(Sender::new(end, socket));
            } else {
                let token = LISTENER | receivers.len() as u64;
                poller.add(&socket, token, sys::EPOLLIN).map_err(said)?;
                receivers.push(Receiver::new(end, socket));
            }
        }
        let told = vec![false; senders.len()];
        Ok(Run { orders, report, poller, senders, receivers, told })
    }

    /// Works until the end.
    pub fn run(mut self) -> Result<(), String> {
        let mut samples = Ticks::new(self.orders.sample, self.orders);
        let mut counts = Ticks::new(self.orders.row, self.orders);
        let mut events = vec![];
        let mut clock = sys::Clock::from(self.orders.zero);
        loop {
            let due = self.senders.iter().map(|s| s.due).min().unwrap_or(u64::MAX);
            let next = samples.next().min(counts.next()).min(due);
            if next == u64::MAX && samples.next() == u64::MAX {
                break;
            }
            let wake = self.orders.zero.saturating_add(next);
            events.clear();
            let said = |e| format!("could not wait: {e}");
            let due = self.poller.wait(wake, &mut events).map_err(said)?;
            clock.turn();
            events.iter().for_each(|(token, what)| self.event(&mut clock, *token, *what));
            if !due {
                continue;
            }
            let now = clock.now();
            for (i, sender) in self.senders.iter_mut().enumerate() {
                sender.act(&mut clock, i as u64, &self.poller, self.report);
            }
            while counts.next() <= now {
                let tick = counts.take();
                self.count(&mut clock, tick);
            }
            while samples.next() <= now {
                let (_, flags) = samples.take();
                self.sample(now, flags);
            }
        }
        self.senders.iter().for_each(|sender| sender.close(self.report));
        Ok(())
    }

    fn event(&mut self, clock: &mut sys::Clock, token: u64, what: u32) {
        let i = (token & !(LISTENER | CONNECTION)) as usize;
        if token & LISTENER != 0 {
            self.receivers[i].accept(clock, CONNECTION | i as u64, &self.poller, self.report);
        } else if token & CONNECTION != 0 {
            self.receivers[i].read(clock, &self.poller, self.report);
        } else {
            self.senders[i].event(clock, what, &self.poller, self.report);
        }
    }

    fn count(&mut self, clock: &mut sys::Clock, (tick, flags): (u64, u8)) {
        let total = flags & (WARM | END) != 0;
        for receiver in &mut self.receivers {
            if total || receiver.order.rows {
                receiver.count(clock, (tick, flags), &self.poller, self.report);
            }
        }
    }

    /// Samples the senders. The counters of a flow that is over do not change: it is told once
    /// more, and where totals are taken.
    fn sample(&mut self, now: u64, flags: u8) {
        let total = flags & (WARM | END) != 0;
        for (sender, told) in self.senders.iter().zip(&mut self.told) {
            if !sender.order.tcp || !sender.is_open() || (*told && !total) {
                continue;
            }
            *told = sender.over;
            sender.sample(now, flags | if sender.over { OVER } else { 0 }, self.report);
        }
    }
}
