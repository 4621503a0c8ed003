//! The order of events at the same picosecond.
//!
//! Order is (time, rank). Kinds come in this order: end of transmission, clock of a queue, clock of
//! a conditioner, arrival from a link, clock of a socket, arrival from a socket. So a packet whose
//! service starts at t is gone for an arrival at t, and an acknowledgment at t comes before the
//! sender's own timer at t. What a socket emits at t comes after everything else at t, because a
//! run-ahead socket may have emitted it long before t is reached, and one that waits for its clock
//! only then: this order is the same for both. Within a kind the seed permutes, so that ties favor
//! nobody. Streams are numbered in the unfolded plan: folding only leaves ranks unused.
use dumbbell_core::rng;

/// The clock that an entry belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// A transmission of the link ends.
    Done(u32),
    /// A clock of the link's queue is due.
    Wake(u32),
    /// A clock of the conditioner before the link's queue is due.
    Edge(u32),
    /// A clock of socket 2 x flow (sender) or 2 x flow + 1 (receiver) is due.
    Socket(u32),
}

/// A stream of packets into a link, numbered among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// From another link.
    FromLink(u32),
    /// From a socket.
    FromSocket(u32),
}

/// The number of each kind in a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Population {
    /// Links.
    pub links: u32,
    /// Streams into links that come from other links.
    pub from_links: u32,
    /// Streams into links that come from sockets.
    pub from_sockets: u32,
    /// Sockets: two for each flow.
    pub sockets: u32,
}

/// The numbering of a plan's clocks.
pub(crate) struct Ranks {
    links: u32,
    sockets: Vec<u32>,
    socket_of: Vec<u32>,
    first_socket: u32,
}

/// The numbering of its streams: path segments are made with it, and know it by heart.
pub(crate) struct Arrivals {
    from_links: Vec<u32>,
    from_sockets: Vec<u32>,
    first_from_link: u32,
    first_from_socket: u32,
}

impl Ranks {
    /// Numbers a plan's population.
    pub(crate) fn new(seed: u64, p: Population) -> (Self, Arrivals) {
        let mut chance = rng::Stream::named(seed, "ranks");
        let mut permute = |n| permutation(n, &mut chance);
        let (from_links, from_sockets, sockets) =
            (permute(p.from_links), permute(p.from_sockets), permute(p.sockets));
        let mut socket_of = vec![0; sockets.len()];
        sockets.iter().zip(0..).for_each(|(place, socket)| socket_of[*place as usize] = socket);
        let first_from_link = 3 * p.links;
        let first_socket = first_from_link + p.from_links;
        let first_from_socket = first_socket + p.sockets;
        let arrivals = Arrivals { from_links, from_sockets, first_from_link, first_from_socket };
        (Ranks { links: p.links, sockets, socket_of, first_socket }, arrivals)
    }
    /// Rank of the end of a transmission on `link`.
    pub(crate) fn done(&self, link: u32) -> u32 {
        link
    }
    /// Rank of the clock of `link`'s queue.
    pub(crate) fn wake(&self, link: u32) -> u32 {
        self.links + link
    }
    /// Rank of the clock of the conditioner before `link`.
    pub(crate) fn edge(&self, link: u32) -> u32 {
        2 * self.links + link
    }
    /// Rank of socket `number`.
    pub(crate) fn socket(&self, number: u32) -> u32 {
        self.first_socket + self.sockets[number as usize]
    }
    /// The clock with this rank, which must not be the rank of an arrival.
    pub(crate) fn clock(&self, rank: u32) -> Clock {
        if rank >= self.first_socket {
            Clock::Socket(self.socket_of[(rank - self.first_socket) as usize])
        } else if rank >= 2 * self.links {
            Clock::Edge(rank - 2 * self.links)
        } else if rank >= self.links {
            Clock::Wake(rank - self.links)
        } else {
            Clock::Done(rank)
        }
    }
}

impl Arrivals {
    /// Rank of a stream into a link.
    pub(crate) fn rank(&self, stream: Stream) -> u32 {
        match stream {
            Stream::FromLink(n) => self.first_from_link + self.from_links[n as usize],
            Stream::FromSocket(n) => self.first_from_socket + self.from_sockets[n as usize],
        }
    }
}

/// A random permutation of `0..n` (Fisher and Yates).
fn permutation(n: u32, chance: &mut rng::Stream) -> Vec<u32> {
    let mut p: Vec<u32> = (0..n).collect();
    for i in (1..n).rev() {
        p.swap(i as usize, chance.below(i + 1) as usize);
    }
    p
}
