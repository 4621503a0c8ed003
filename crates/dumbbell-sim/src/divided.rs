//! A world in parts: each caller simulates the part that it holds; at the end the parts are joined.
//!
//! The protocol: take the least of [`World::horizon`] over all parts; let each run to it
//! ([`World::run_before`]); bring what has left each ([`World::outboxes`]) into the part that
//! it is for ([`World::enter`]); again, until no part has a horizon.
use crate::flow::Ends;
use crate::world::World;
use dumbbell_core::units::{Span, Time};
use dumbbell_net::partition::Mail;
use dumbbell_net::{RECEIVER, SENDER};

impl World {
    /// The time before which nothing comes to another part from this one, except what has come
    /// there; `None` if nothing ever does, and nothing happens here until the end.
    pub fn horizon(&self, lookahead: Span) -> Option<Time> {
        let next = self.net.next_entry().filter(|next| *next <= self.end);
        let crosses = self.net.earliest_crossing();
        crosses.into_iter().chain(next.map(|next| next + lookahead)).min()
    }

    /// Handles all entries before `bound`, and within the run.
    pub fn run_before(&mut self, bound: Time) {
        let by = Time::from_ps(bound.ps() - 1).min(self.end);
        self.go_unobserved(u64::MAX, by);
    }

    /// The packets that have left for other parts, by their part.
    pub fn outboxes(&mut self) -> &mut [Mail] {
        self.net.outboxes()
    }

    /// Packets come from another part, whose mail is empty then.
    pub fn enter(&mut self, mail: &mut Mail) {
        for i in 0..mail.len() {
            if let Some(delivery) = self.net.enter_part(mail, i) {
                self.dispatch(delivery, &mut ());
            }
            self.handle_rest(&mut ());
        }
        mail.clear();
    }

    /// The whole world at its end, of parts that have come there, in their order.
    ///
    /// # Panics
    /// There is no part.
    pub fn join(parts: Vec<World>) -> World {
        let mut parts = parts.into_iter().map(|mut part| {
            part.net.close(&mut ());
            part.account_drops();
            part
        });
        let mut whole = parts.next().expect("a partition has parts");
        parts.for_each(|mut part| whole.absorb(&mut part));
        (whole.now, whole.closed) = (whole.end, true);
        whole
    }

    /// Takes what `other` knows of its own sockets and links.
    fn absorb(&mut self, other: &mut World) {
        for (f, (flow, theirs)) in self.flows.iter_mut().zip(&mut other.flows).enumerate() {
            flow.lost_packets += theirs.lost_packets;
            for end in [SENDER, RECEIVER] {
                if other.net.owns_socket(2 * f + end) {
                    flow.take_end(end, theirs);
                }
            }
        }
        if let (Some(colors), Some(theirs)) = (&mut self.colors, &other.colors) {
            colors.absorb(theirs);
        }
        self.net.absorb(&mut other.net);
    }
}

impl crate::flow::Flow {
    /// Takes the state of one end from the same flow of another part.
    fn take_end(&mut self, end: usize, theirs: &mut Self) {
        std::mem::swap(&mut self.sides[end], &mut theirs.sides[end]);
        if let Some(warm) = &theirs.warm {
            self.warm.get_or_insert_default()[end] = warm[end];
        } else if let Some(warm) = &mut self.warm {
            warm[end] = Default::default();
        }
        match (&mut self.ends, &mut theirs.ends, end) {
            (Ends::Tcp { sender, .. }, Ends::Tcp { sender: s, .. }, SENDER) => {
                std::mem::swap(sender, s);
            }
            (Ends::Tcp { receiver, .. }, Ends::Tcp { receiver: r, .. }, _) => {
                std::mem::swap(receiver, r);
            }
            (Ends::Quic(own), Ends::Quic(theirs), SENDER) => {
                std::mem::swap(&mut own.sender, &mut theirs.sender);
            }
            (Ends::Quic(own), Ends::Quic(theirs), _) => {
                std::mem::swap(&mut own.receiver, &mut theirs.receiver);
            }
            (Ends::Scream(own), Ends::Scream(theirs), SENDER) => {
                std::mem::swap(&mut own.sender, &mut theirs.sender);
            }
            (Ends::Scream(own), Ends::Scream(theirs), _) => {
                std::mem::swap(&mut own.receiver, &mut theirs.receiver);
            }
            _ => unreachable!("a world with datagrams is not divided"),
        }
        match end {
            SENDER => {
                std::mem::swap(&mut self.app, &mut theirs.app);
                (self.cwnd_integral, self.cwnd_since) = (theirs.cwnd_integral, theirs.cwnd_since);
            }
            _ => {
                std::mem::swap(&mut self.completion, &mut theirs.completion);
            }
        }
    }
}
