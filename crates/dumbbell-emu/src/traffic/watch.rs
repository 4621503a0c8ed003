//! The thread that asks for connections that are not ours: those of programs inside hosts.
use super::poller::{StopSignal, Poller};
use super::sampler::Sample;
use crate::clock::Clock;
use crate::host::netlink::{Connection, Netlink};
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::NodeId;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;

/// A connection that was seen in a host.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedConnection {
    /// The host.
    pub host: NodeId,
    /// Its end there.
    pub local: SocketAddr,
    /// Its other end.
    pub remote: SocketAddr,
    /// The congestion control.
    pub control: String,
    /// How it stood, look by look; `flow` of a sample is its place in the list of connections.
    pub samples: Vec<Sample>,
}

/// Looks at all connections of some hosts, again and again.
pub struct Watcher {
    clock: Clock,
    poller: Poller,
    every: Span,
    hosts: Vec<(NodeId, Netlink)>,
    seen: Vec<ObservedConnection>,
    /// The place of each connection in `seen`.
    places: BTreeMap<(NodeId, u64), usize>,
}

impl Watcher {
    /// Looks `every` so often into `hosts`, each by a conversation that was opened inside it ([`Netlink::diagnosis`]).
    ///
    /// # Errors
    /// No descriptors are left.
    pub fn new(hosts: Vec<(NodeId, Netlink)>, clock: Clock, every: Span, halt: &StopSignal) -> io::Result<Watcher> {
        let poller = Poller::new(clock, halt)?;
        Ok(Watcher { clock, poller, every, hosts, seen: Vec::new(), places: BTreeMap::new() })
    }

    /// Works until it is told that it is over: every connection that existed at the instant of a look.
    ///
    /// # Errors
    /// The kernel cannot wait, or cannot tell of sockets.
    pub fn run(mut self) -> io::Result<Vec<ObservedConnection>> {
        let mut next = self.clock.now();
        while self.poller.wait(next, |_, _| {})? {
            let now = self.clock.now();
            if now >= next {
                self.look(now)?;
                // An instant that was missed is not made up for.
                let periods = now.since(next).ps() / self.every.ps().max(1) + 1;
                next += Span::from_ps(self.every.ps().max(1) * periods);
            }
        }
        self.look(self.clock.now())?;
        Ok(self.seen)
    }

    fn look(&mut self, now: Time) -> io::Result<()> {
        for i in 0..self.hosts.len() {
            let host = self.hosts[i].0;
            for connection in self.hosts[i].1.connections()? {
                self.note(host, connection, now);
            }
        }
        Ok(())
    }

    fn note(&mut self, host: NodeId, found: Connection, now: Time) {
        let Connection { local, remote, cookie, control, info, known } = found;
        let place = *self.places.entry((host, cookie)).or_insert(self.seen.len());
        if place == self.seen.len() {
            self.seen.push(ObservedConnection { host, local, remote, control, samples: Vec::new() });
        }
        self.seen[place].samples.push(Sample::of(now, place, &info, known));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::given;
    use crate::error::Context;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_strangers_connection_is_seen_while_it_lasts() {
        let opened = Netlink::sock_diag().and_then(|mut n| n.connections().context("ask for sockets").map(|_| n));
        let Some(netlink) = given("sock_diag", opened) else { return };
        let halt = StopSignal::new().unwrap();
        let watcher = Watcher::new(vec![(7, netlink)], Clock::start(), Span::from_ms(2), &halt).unwrap();
        let thread = std::thread::spawn(move || watcher.run());
        let listener = TcpListener::bind("127.9.8.6:0").unwrap();
        let mut stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let here = stream.local_addr().unwrap();
        stream.write_all(&[1; 5000]).unwrap();
        let mut got = [0; 5000];
        listener.accept().unwrap().0.read_exact(&mut got).unwrap();
        halt.set();
        let seen = thread.join().unwrap().unwrap();
        let ours: Vec<_> = seen.iter().filter(|s| s.local == here).collect();
        assert_eq!(ours.len(), 1, "one connection, however often it is looked at");
        assert_eq!(ours[0].host, 7);
        assert_eq!(ours[0].samples.last().unwrap().bytes_sent, 5000);
    }
}
