//! Who goes first when two things happen at the same picosecond.
//!
//! Order is (time, rank). Kinds come in this order: end of transmission, clock of a queue, clock of a conditioner,
//! arrival, clock of a socket; so a packet whose service starts at t is gone for an arrival at t, and an acknowledgement at t comes
//! before the sender's own timer at t. Within a kind the seed permutes, so that ties favour nobody. Streams are
//! numbered in the unfolded plan: folding only leaves ranks unused.
use dumbbell_core::rng::Stream;

/// What an entry's rank says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A transmission of the link ends.
    Done(u32),
    /// A clock of the link's queue is due.
    Wake(u32),
    /// A clock of the conditioner before the link's queue is due.
    Station(u32),
    /// A packet arrives at a merge; the entry's leg says where.
    Arrival,
    /// A clock of socket 2 x flow (sender) or 2 x flow + 1 (receiver) is due.
    Socket(u32),
}

/// The numbering of a plan.
pub struct Ranks {
    links: u32,
    first_arrival: u32,
    first_socket: u32,
    arrivals: Vec<u32>,
    sockets: Vec<u32>,
    socket_of: Vec<u32>,
}

impl Ranks {
    /// Numbers `links` links, `streams` streams and two sockets for each of `flows` flows.
    pub fn new(seed: u64, links: usize, streams: usize, flows: usize) -> Self {
        let mut chance = Stream::named(seed, "ranks");
        let arrivals = permutation(streams, &mut chance);
        let sockets = permutation(2 * flows, &mut chance);
        let mut socket_of = vec![0; sockets.len()];
        sockets.iter().zip(0..).for_each(|(place, socket)| socket_of[*place as usize] = socket);
        let first_arrival = 3 * links as u32;
        let first_socket = first_arrival + streams as u32;
        Ranks { links: links as u32, first_arrival, first_socket, arrivals, sockets, socket_of }
    }
    /// Rank of the end of a transmission on `link`.
    pub fn done(&self, link: u32) -> u32 {
        link
    }
    /// Rank of the clock of `link`'s queue.
    pub fn wake(&self, link: u32) -> u32 {
        self.links + link
    }
    /// Rank of the clock of the conditioner before `link`.
    pub fn station(&self, link: u32) -> u32 {
        2 * self.links + link
    }
    /// Rank of stream `number`.
    pub fn arrival(&self, number: u32) -> u32 {
        self.first_arrival + self.arrivals[number as usize]
    }
    /// Rank of socket `number`.
    pub fn socket(&self, number: u32) -> u32 {
        self.first_socket + self.sockets[number as usize]
    }
    /// What `rank` means.
    #[inline]
    pub fn kind(&self, rank: u32) -> Kind {
        if rank >= self.first_socket {
            Kind::Socket(self.socket_of[(rank - self.first_socket) as usize])
        } else if rank >= self.first_arrival {
            Kind::Arrival
        } else if rank >= 2 * self.links {
            Kind::Station(rank - 2 * self.links)
        } else if rank >= self.links {
            Kind::Wake(rank - self.links)
        } else {
            Kind::Done(rank)
        }
    }
}

/// A random permutation of `0..n` (Fisher and Yates).
fn permutation(n: usize, chance: &mut Stream) -> Vec<u32> {
    let mut p: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        p.swap(i, chance.below(i as u32 + 1) as usize);
    }
    p
}
