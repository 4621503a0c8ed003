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
    /// The packet that is next in a class.
    fn head(&self, class: usize) -> Option<Meta>;
    /// How many classes there are.
    fn count(&self) -> usize;
}

/// The queues, by class.
pub struct Classes<A, P> {
    queues: Vec<Fifo<A, P>>,
    /// What the queues know of their link. The buffer is shared, so none has a limit of its own beside the whole.
    link: LinkInfo,
    total: Backlog,
    in_service: Backlog,
    /// Whose packet is in transmission, until that class was told that it is idle, or sends again.
    served: Option<usize>,
}

impl<A: Aqm, P> Classes<A, P> {
    /// `count` empty queues of `link`, each with an algorithm of its own.
    pub fn new(count: usize, link: &LinkInfo, aqm: impl Fn(usize) -> A) -> Self {
        Classes {
            queues: (0..count).map(|class| Fifo::new(aqm(class))).collect(),
            link: *link,
            total: Backlog::default(),
            in_service: Backlog::default(),
            served: None,
        }
    }
}

impl<A: Aqm, P: Packet> Classes<A, P> {
    /// What waits in all classes, with the packet in transmission where the port counts it.
    fn counted(&self) -> Backlog {
        let (w, s) = (self.total, self.in_service);
        Backlog { packets: w.packets + s.packets, bytes: w.bytes + s.bytes }
    }

    /// Whether the buffer has room for a packet of `bytes`.
    pub fn has_room(&self, bytes: u32) -> bool {
        let b = self.counted();
        self.link.capacity.fits(b.packets, b.bytes, bytes)
    }

    /// Whether more waits than the buffer holds.
    pub fn overfull(&self) -> bool {
        let b = self.counted();
        match self.link.capacity {
            Capacity::Packets(n) => b.packets > n,
            Capacity::Bytes(n) => b.bytes > n,
            Capacity::Unlimited => false,
        }
    }

    /// Does something to one queue, and keeps the total.
    fn with<T>(&mut self, class: usize, cx: &mut Cx<'_>, f: impl FnOnce(&mut Fifo<A, P>, &mut Cx<'_>) -> T) -> T {
        let queue = &mut self.queues[class];
        let before = queue.backlog();
        let mut own = Cx { now: cx.now, rng: cx.rng, link: &self.link, flows: cx.flows };
        let out = f(queue, &mut own);
        let after = queue.backlog();
        self.total.packets = self.total.packets + after.packets - before.packets;
        self.total.bytes = self.total.bytes + after.bytes - before.bytes;
        out
    }

    /// A packet arrives at a class; `room` says whether the buffer has room for it. Whether it went in.
    pub fn offer(&mut self, class: usize, cx: &mut Cx<'_>, p: P, room: bool, sink: &mut impl Sink<P>) -> bool {
        self.with(class, cx, |queue, cx| queue.offer(cx, p, room, sink))
    }

    /// The next packet of a class, unless its algorithm drops all that it holds.
    pub fn take(&mut self, class: usize, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Waiting<P>> {
        let taken = self.with(class, cx, |queue, cx| queue.dequeue(cx, sink))?;
        self.served = Some(class);
        Some(taken)
    }

    /// Drops the head of a class, to make room.
    pub fn push_out(&mut self, class: usize, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) {
        self.with(class, cx, |queue, _| queue.push_out(0, Reason::Evicted, sink));
    }

    /// The transmission is over: a class that has nothing more is idle now.
    pub fn transmitted(&mut self, cx: &mut Cx<'_>) {
        let Some(class) = self.served.take() else { return };
        if self.queues[class].backlog().packets == 0 {
            self.with(class, cx, |queue, cx| queue.idle(cx));
        }
    }

    /// What waits, without the packet in transmission.
    pub fn total(&self) -> Backlog {
        self.total
    }

    /// Counts (or no longer counts) a packet of `bytes` in transmission.
    pub fn set_in_service(&mut self, bytes: Option<u32>) {
        self.in_service = bytes.map_or(Backlog::default(), |b| Backlog { packets: 1, bytes: u64::from(b) });
    }

    /// When the clock of any queue is due next.
    pub fn next_wakeup(&self) -> Option<Time> {
        self.queues.iter().filter_map(Fifo::next_wakeup).min()
    }

    /// Calls every clock that is due.
    pub fn wake(&mut self, cx: &mut Cx<'_>) {
        for queue in &mut self.queues {
            if queue.next_wakeup().is_some_and(|due| due <= cx.now) {
                queue.wake(&mut Cx { now: cx.now, rng: cx.rng, link: &self.link, flows: cx.flows });
            }
        }
    }

    /// Arrival times of all that wait, in no order.
    pub fn waiting_since(&self) -> Vec<Time> {
        self.queues.iter().flat_map(Fifo::waiting_since).collect()
    }

    /// The queue of a class.
    pub fn queue(&self, class: usize) -> &Fifo<A, P> {
        &self.queues[class]
    }
}

impl<A: Aqm, P: Packet> Lines for Classes<A, P> {
    fn backlog(&self, class: usize) -> Backlog {
        self.queues[class].backlog()
    }
    fn head(&self, class: usize) -> Option<Meta> {
        self.queues[class].head()
    }
    fn count(&self) -> usize {
        self.queues.len()
    }
}
