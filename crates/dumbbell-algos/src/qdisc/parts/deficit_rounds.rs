//! Turns for many queues in O(1): deficit round robin with a list of new queues before that of old
//! ones (RFC 8290 section 4.2), or with a single list.
use super::classes::ClassView;
use std::collections::VecDeque;

/// The list that a queue is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    No,
    New,
    Old,
}

/// The turns. A queue with credit sends, whatever the length of its packet, and pays for it
/// afterward.
#[derive(Clone, Debug)]
pub struct DeficitRounds {
    quantum: i64,
    /// True if queues that were empty go before the others, until they have sent a quantum.
    sparse_first: bool,
    credits: Vec<i64>,
    listed: Vec<Listed>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
}

/// Least quantum: a turn in which nobody may send costs time as well, and a packet of 1500 bytes
/// takes 100 of these.
pub const LEAST_QUANTUM: u64 = 15;

impl DeficitRounds {
    /// No queue of `count` holds anything.
    pub fn new(count: usize, quantum: u64, sparse_first: bool) -> Self {
        DeficitRounds {
            quantum: i64::try_from(quantum).unwrap_or(i64::MAX / 4).min(i64::MAX / 4),
            sparse_first,
            credits: vec![0; count],
            listed: vec![Listed::No; count],
            new: VecDeque::with_capacity(count),
            old: VecDeque::with_capacity(count),
        }
    }

    /// A packet went into a queue: one that is in no list comes to the end of the first, with one
    /// quantum of credit.
    #[inline]
    pub fn joined(&mut self, queue: usize) {
        if self.listed[queue] == Listed::No {
            self.joined_with(queue, self.quantum);
        }
    }

    /// A queue that is in no list comes to the end of the first, with so much credit.
    #[inline]
    pub fn joined_with(&mut self, queue: usize, credit: i64) {
        self.credits[queue] = credit;
        let list = if self.sparse_first { Listed::New } else { Listed::Old };
        self.append(queue, list);
    }

    /// True if a queue is in a list.
    #[inline]
    pub fn is_listed(&self, queue: usize) -> bool {
        self.listed[queue] != Listed::No
    }

    fn append(&mut self, queue: usize, list: Listed) {
        self.listed[queue] = list;
        let lane = if list == Listed::New { &mut self.new } else { &mut self.old };
        lane.push_back(queue as u32);
    }

    /// The queue whose turn it is: it may have run dry meanwhile.
    #[inline]
    pub fn turn(&mut self) -> Option<usize> {
        let quantum = self.quantum;
        self.turn_by(|_| quantum)
    }

    /// The same with a quantum of each queue's own, which must be positive.
    #[inline]
    pub fn turn_by(&mut self, quantum: impl Fn(usize) -> i64) -> Option<usize> {
        loop {
            let queue = *self.new.front().or(self.old.front())? as usize;
            if self.credits[queue] > 0 {
                return Some(queue);
            }
            self.credits[queue] += quantum(queue);
            self.pop();
            self.append(queue, Listed::Old);
        }
    }

    /// Takes the queue whose turn it is from its list; whether that was the list of new ones.
    fn pop(&mut self) -> bool {
        let fresh = self.new.pop_front();
        if fresh.is_none() {
            self.old.pop_front();
        }
        fresh.is_some()
    }

    /// The queue whose turn it was sent so many bytes.
    #[inline]
    pub fn sends(&mut self, queue: usize, bytes: u32) {
        self.pays(queue, i64::from(bytes));
    }

    /// The queue whose turn it was pays so much credit.
    #[inline]
    pub fn pays(&mut self, queue: usize, credit: i64) {
        self.credits[queue] -= credit;
    }

    /// The queue whose turn it was held nothing. A new one waits for a turn among the old ones, so
    /// that it cannot come back as a new one at once (RFC 8290 section 4.2); an old one leaves.
    pub fn ran_dry(&mut self, queue: usize) {
        let list = if self.pop() { Listed::Old } else { Listed::No };
        self.listed[queue] = list;
        if list == Listed::Old {
            self.old.push_back(queue as u32);
        }
    }

    /// Begins again with the queues that hold packets.
    pub fn restart(&mut self, q: &impl ClassView) {
        self.new.clear();
        self.old.clear();
        self.listed.fill(Listed::No);
        let mut busy = q.busy().to_vec();
        busy.sort_unstable();
        busy.into_iter().for_each(|queue| self.joined(queue as usize));
    }

    /// The numbers of new and of old queues.
    pub fn lengths(&self) -> (usize, usize) {
        (self.new.len(), self.old.len())
    }

    /// The credit of a queue, bytes.
    pub fn credit(&self, queue: usize) -> i64 {
        self.credits[queue]
    }
}
