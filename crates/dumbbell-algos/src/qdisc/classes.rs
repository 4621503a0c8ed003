//! The queues of a scheduler, which share one buffer: what each holds, what all hold, and when each is idle.
use dumbbell_core::aqm::{Aqm, Backlog, Cx, LinkInfo, Reason};
use dumbbell_core::packet::{Meta, Packet};
use dumbbell_core::qdisc::{Fifo, Qdisc, Sink};
use dumbbell_core::store::Waiting;
use dumbbell_core::units::{Capacity, Time};

/// What a scheduler may see of its queues, each in O(1).
pub trait Lines {
    /// What waits in a class.
    fn backlog(&self, class: usize) -> Backlog;
    /// The packet that is next in a class, and since when it waits.
    fn head(&self, class: usize) -> Option<(Time, Meta)>;
    /// How many classes there are.
    fn count(&self) -> usize;
    /// The classes that hold packets, in no order.
    fn busy(&self) -> &[u32];
}

/// The queues, by class.
pub struct Classes<A, P> {
    queues: Vec<Fifo<A, P>>,
    /// How much may wait in all of them.
    capacity: Capacity,
    total: Backlog,
    /// Classes that hold packets, and the place of each class in that list.
    busy: Vec<u32>,
    place: Vec<u32>,
    /// Whose packet is in transmission, until that class was told that it is idle, or sends again.
    served: Option<usize>,
    /// The packet in transmission where the port counts it, and the class that counts it as well.
    in_service: Backlog,
    counting: Option<usize>,
    /// When a clock of a queue is due.
    due: Option<Time>,
}

/// The place of a class that holds nothing.
const NOWHERE: u32 = u32::MAX;

impl<A: Aqm, P> Classes<A, P> {
    /// `count` empty queues of `link`, each with an algorithm of its own.
    pub fn new(count: usize, link: &LinkInfo, aqm: impl Fn(usize) -> A) -> Self {
        let queues: Vec<Fifo<A, P>> = (0..count).map(|class| Fifo::new(aqm(class))).collect();
        let ticks = queues.iter().any(Fifo::ticks);
        Classes {
            queues,
            capacity: link.capacity,
            total: Backlog::default(),
            busy: Vec::with_capacity(count),
            place: vec![NOWHERE; count],
            served: None,
            in_service: Backlog::default(),
            counting: None,
            due: ticks.then_some(Time::ZERO),
        }
    }
}

impl<A: Aqm, P: Packet> Classes<A, P> {
    /// What waits in all classes, with the packet in transmission where the port counts it.
    fn counted(&self) -> Backlog {
        let (w, s) = (self.total, self.in_service);
        Backlog { packets: w.packets + s.packets, bytes: w.bytes + s.bytes }
    }

    /// How much of the buffer the other classes leave to this one, which counts a packet of its own in transmission.
    pub fn left_for(&self, class: usize) -> Capacity {
        let (all, own) = (self.counted(), self.queues[class].counted());
        match self.capacity {
            Capacity::Packets(n) => Capacity::Packets(n.saturating_sub(all.packets - own.packets)),
            Capacity::Bytes(n) => Capacity::Bytes(n.saturating_sub(all.bytes - own.bytes)),
            Capacity::Unlimited => Capacity::Unlimited,
        }
    }

    /// Whether more waits than the buffer holds.
    pub fn overfull(&self) -> bool {
        let b = self.counted();
        match self.capacity {
            Capacity::Packets(n) => b.packets > n,
            Capacity::Bytes(n) => b.bytes > n,
            Capacity::Unlimited => false,
        }
    }

    /// Does something to one queue, and keeps the account.
    #[inline]
    fn with<T>(&mut self, class: usize, f: impl FnOnce(&mut Fifo<A, P>) -> T) -> T {
        let queue = &mut self.queues[class];
        let before = queue.backlog();
        let out = f(queue);
        let after = queue.backlog();
        self.total.packets = self.total.packets + after.packets - before.packets;
        self.total.bytes = self.total.bytes + after.bytes - before.bytes;
        if (before.packets > 0) != (after.packets > 0) {
            self.list(class, after.packets > 0);
        }
        out
    }

    /// Enters a class into the list of those that hold packets, or strikes it out.
    fn list(&mut self, class: usize, holds: bool) {
        if holds {
            self.place[class] = self.busy.len() as u32;
            self.busy.push(class as u32);
            return;
        }
        let place = std::mem::replace(&mut self.place[class], NOWHERE) as usize;
        self.busy.swap_remove(place);
        if let Some(moved) = self.busy.get(place) {
            self.place[*moved as usize] = place as u32;
        }
    }

    /// Tells a class that lost its last packet otherwise than by sending it that it is idle.
    fn emptied(&mut self, class: usize, held: bool, cx: &mut Cx<'_>) {
        if held && self.place[class] == NOWHERE && self.served != Some(class) {
            self.queues[class].idle(cx);
        }
    }

    /// A packet arrives at a class, which may hold as much as `own`. Whether it went in.
    #[inline]
    pub fn offer(&mut self, class: usize, cx: &mut Cx<'_>, p: P, own: Capacity, sink: &mut impl Sink<P>) -> bool {
        let held = self.place[class] != NOWHERE;
        let inside = self.with(class, |queue| queue.offer(cx, p, own, sink));
        self.emptied(class, held, cx);
        inside
    }

    /// The next packet of a class, unless its algorithm drops all that it holds.
    #[inline]
    pub fn take(&mut self, class: usize, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Waiting<P>> {
        let held = self.place[class] != NOWHERE;
        let taken = self.with(class, |queue| queue.dequeue(cx, sink));
        match taken {
            Some(_) => self.served = Some(class),
            None => self.emptied(class, held, cx),
        }
        taken
    }

    /// Drops the packet at `slot` of a class, to make room.
    pub fn push_out(&mut self, class: usize, slot: u32, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) {
        let held = self.place[class] != NOWHERE;
        self.with(class, |queue| queue.push_out(slot, Reason::Evicted, sink));
        self.emptied(class, held, cx);
    }

    /// Moves every waiting packet to the class that `of` says, in order of arrival.
    pub fn rearrange(&mut self, cx: &mut Cx<'_>, of: impl Fn(&Meta) -> usize) {
        let mut all = Vec::with_capacity(self.total.packets as usize);
        let classes = self.busy.clone();
        for class in &classes {
            while let Some(w) = self.with(*class as usize, Fifo::move_out) {
                all.push(w);
            }
        }
        all.sort_by_key(|w: &Waiting<P>| w.since);
        for w in all {
            let class = of(&w.packet.meta());
            self.with(class, |queue| queue.move_in(w));
        }
        for class in classes {
            self.emptied(class as usize, true, cx);
        }
    }

    /// The transmission is over: a class that has nothing more is idle now.
    #[inline]
    pub fn transmitted(&mut self, cx: &mut Cx<'_>) {
        let Some(class) = self.served.take() else { return };
        if self.place[class] == NOWHERE {
            self.queues[class].idle(cx);
        }
    }

    /// What waits, without the packet in transmission.
    pub fn total(&self) -> Backlog {
        self.total
    }

    /// Counts (or no longer counts) a packet of `bytes` in transmission: for the whole, and for its class.
    pub fn set_in_service(&mut self, bytes: Option<u32>) {
        self.in_service = bytes.map_or(Backlog::default(), |b| Backlog { packets: 1, bytes: u64::from(b) });
        let counts = if bytes.is_some() { self.served } else { None };
        if let Some(class) = self.counting.take() {
            self.queues[class].set_in_service(None);
        }
        if let Some(class) = counts {
            self.queues[class].set_in_service(bytes);
        }
        self.counting = counts;
    }

    /// When the clock of any queue is due next.
    pub fn next_wakeup(&self) -> Option<Time> {
        self.due
    }

    /// Calls every clock that is due.
    pub fn wake(&mut self, cx: &mut Cx<'_>) {
        self.due = None;
        for queue in &mut self.queues {
            if queue.next_wakeup().is_some_and(|due| due <= cx.now) {
                queue.wake(cx);
            }
            self.due = [self.due, queue.next_wakeup()].into_iter().flatten().min();
        }
    }

    /// Arrival times of all that wait, in no order.
    pub fn waiting_since(&self) -> Vec<Time> {
        self.busy.iter().flat_map(|class| self.queues[*class as usize].waiting_since()).collect()
    }

    /// The queue of a class.
    pub fn queue(&self, class: usize) -> &Fifo<A, P> {
        &self.queues[class]
    }
}

impl<A: Aqm, P: Packet> Lines for Classes<A, P> {
    #[inline]
    fn backlog(&self, class: usize) -> Backlog {
        self.queues[class].backlog()
    }
    #[inline]
    fn head(&self, class: usize) -> Option<(Time, Meta)> {
        self.queues[class].head()
    }
    fn count(&self) -> usize {
        self.queues.len()
    }
    fn busy(&self) -> &[u32] {
        &self.busy
    }
}
