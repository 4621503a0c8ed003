//! The queues of a scheduler, which share one buffer: backlogs, limits and idle periods.
use dumbbell_core::aqm::{Aqm, Cx, LinkInfo, Reason};
use dumbbell_core::packet::{Meta, Packet};
use dumbbell_core::qdisc::packet_queue::Waiting;
use dumbbell_core::qdisc::{Fifo, Qdisc, Sink};
use dumbbell_core::units::{Backlog, Capacity, Time};

/// The queues as a scheduler sees them. Every method takes O(1).
pub trait ClassView {
    /// The backlog of a class.
    fn backlog(&self, class: usize) -> Backlog;
    /// The packet that is next in a class, and since when it waits.
    fn head(&self, class: usize) -> Option<(Time, Meta)>;
    /// The number of classes.
    fn count(&self) -> usize;
    /// The classes that hold packets, in no order.
    fn busy(&self) -> &[u32];
}

/// The queues, by class. A queue is made when its class first gets a packet: of 1024 most never do.
pub struct Classes<A, P> {
    queues: Vec<Fifo<A, P>>,
    make: Box<dyn Fn(usize) -> A + Send>,
    places: Vec<Place>,
    /// The limit on the backlog of all of them.
    capacity: Capacity,
    total: Backlog,
    /// Classes that hold packets.
    busy: Vec<u32>,
    /// The class whose packet is in transmission, until that class was told that it is idle, or
    /// sends again.
    served: Option<usize>,
    /// The packet in transmission where the port counts it, and the class that counts it as well.
    in_service: Backlog,
    counting: Option<usize>,
    /// The time at which a clock of a queue is due.
    due: Option<Time>,
}

/// The places of a class: its queue, and its entry in the list of those that hold packets.
#[derive(Clone, Copy)]
struct Place {
    queue: u32,
    busy: u32,
}

/// The place of what is not there.
const NOWHERE: u32 = u32::MAX;

impl<A: Aqm, P> Classes<A, P> {
    /// `count` empty queues of `link`, each with an algorithm of its own.
    pub fn new(count: usize, link: &LinkInfo, make: impl Fn(usize) -> A + Send + 'static) -> Self {
        let mut classes = Classes {
            queues: Vec::new(),
            make: Box::new(make),
            places: vec![Place { queue: NOWHERE, busy: NOWHERE }; count],
            capacity: link.capacity,
            total: Backlog::default(),
            busy: Vec::new(),
            served: None,
            in_service: Backlog::default(),
            counting: None,
            due: None,
        };
        // The first says whether there are clocks: a port asks for them when the run begins.
        let first = classes.queue_of(0);
        classes.due = classes.queues[first].next_tick();
        classes
    }

    /// The place of the queue of `class`, which is made if there is none. Clocks of all queues go
    /// together.
    #[inline]
    fn queue_of(&mut self, class: usize) -> usize {
        match self.places[class].queue {
            NOWHERE => self.found(class),
            queue => queue as usize,
        }
    }

    #[cold]
    fn found(&mut self, class: usize) -> usize {
        let queue = self.queues.len();
        self.places[class].queue = queue as u32;
        let made = Fifo::starting((self.make)(class), self.due.unwrap_or(Time::ZERO));
        self.queues.push(made.counting(self.capacity.buffer_size()));
        queue
    }
}

impl<A: Aqm, P: Packet> Classes<A, P> {
    /// The backlog of all classes, with the packet in transmission if the port counts it.
    pub fn counted(&self) -> Backlog {
        self.total.and(self.in_service)
    }

    /// The number of buffers in use, if the limit counts them.
    pub fn buffers(&self) -> Option<u32> {
        self.capacity.buffer_size().map(|_| self.counted().buffers)
    }

    /// The part of the buffer that the other classes leave to this one, which counts a packet of
    /// its own in transmission.
    pub fn left_for(&self, class: usize) -> Capacity {
        self.capacity.less(self.counted().without(self.counted_by(class)))
    }

    /// True if more waits than the buffer holds.
    pub fn overfull(&self) -> bool {
        self.capacity.exceeded(self.counted())
    }

    /// Does something to one queue, and keeps the account.
    #[inline]
    fn with<T>(&mut self, class: usize, f: impl FnOnce(&mut Fifo<A, P>) -> T) -> T {
        let queue = self.queue_of(class);
        let queue = &mut self.queues[queue];
        let before = queue.backlog();
        let out = f(queue);
        let after = queue.backlog();
        self.total = self.total.and(after).without(before);
        if (before.packets > 0) != (after.packets > 0) {
            self.list(class, after.packets > 0);
        }
        out
    }

    /// Enters a class into the list of those that hold packets, or strikes it out.
    fn list(&mut self, class: usize, holds: bool) {
        if holds {
            self.places[class].busy = self.busy.len() as u32;
            self.busy.push(class as u32);
            return;
        }
        let place = std::mem::replace(&mut self.places[class].busy, NOWHERE);
        self.busy.swap_remove(place as usize);
        if let Some(moved) = self.busy.get(place as usize) {
            self.places[*moved as usize].busy = place;
        }
    }

    /// True if a class holds packets.
    #[inline]
    fn holds(&self, class: usize) -> bool {
        self.places[class].busy != NOWHERE
    }

    /// Tells a class that lost its last packet otherwise than by sending it that it is idle.
    fn emptied(&mut self, class: usize, held: bool, cx: &mut Cx<'_>) {
        if held && !self.holds(class) && self.served != Some(class) {
            self.rest(class, cx);
        }
    }

    /// A packet arrives at a class, which may hold as much as `own`. Whether it went in.
    #[inline]
    pub fn offer(
        &mut self,
        class: usize,
        cx: &mut Cx<'_>,
        p: P,
        own: Capacity,
        sink: &mut impl Sink<P>,
    ) -> bool {
        let held = self.holds(class);
        let inside = self.with(class, |queue| queue.offer(cx, p, own, sink));
        self.emptied(class, held, cx);
        inside
    }

    /// The next packet of a class, unless its algorithm drops all that it holds.
    #[inline]
    pub fn take(
        &mut self,
        class: usize,
        cx: &mut Cx<'_>,
        sink: &mut impl Sink<P>,
    ) -> Option<Waiting<P>> {
        let held = self.holds(class);
        let taken = self.with(class, |queue| queue.dequeue(cx, sink));
        match taken {
            Some(_) => self.served = Some(class),
            None => self.emptied(class, held, cx),
        }
        taken
    }

    /// Drops the packet at `slot` of a class, to make room.
    pub fn push_out(&mut self, class: usize, slot: u32, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) {
        let held = self.holds(class);
        self.with(class, |queue| queue.push_out(slot, Reason::Evicted, sink));
        self.emptied(class, held, cx);
    }

    /// The packets that wait in a class, head first.
    pub fn packets(&self, class: usize) -> impl Iterator<Item = &P> {
        self.queue(class).into_iter().flat_map(Fifo::packets)
    }

    /// Tells a class that the buffer is full, and that it has to make room.
    pub fn overflowed(&mut self, class: usize, cx: &mut Cx<'_>) {
        let queue = self.queue_of(class);
        self.queues[queue].overflowed(cx);
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
        if !self.holds(class) {
            self.rest(class, cx);
        }
    }

    fn rest(&mut self, class: usize, cx: &mut Cx<'_>) {
        let queue = self.queue_of(class);
        self.queues[queue].idle(cx);
    }

    /// The backlog without the packet in transmission.
    pub fn total(&self) -> Backlog {
        self.total
    }

    /// Counts (or no longer counts) a packet of `bytes` in transmission: for the whole, and for its
    /// class.
    pub fn set_in_service(&mut self, bytes: Option<u32>) {
        let size = self.capacity.buffer_size();
        self.in_service = bytes.map_or(Backlog::default(), |b| Backlog::one(b, size));
        if let Some(class) = self.counting.take() {
            let queue = self.queue_of(class);
            self.queues[queue].set_in_service(None);
        }
        if let (Some(class), true) = (self.served, bytes.is_some()) {
            let queue = self.queue_of(class);
            self.queues[queue].set_in_service(bytes);
            self.counting = Some(class);
        }
    }

    /// The time at which the clock of any queue is due next.
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
        self.queues.iter().flat_map(Fifo::waiting_since).collect()
    }

    /// The backlog of a class, with a packet of its own in transmission if the port counts it.
    pub fn counted_by(&self, class: usize) -> Backlog {
        self.queue(class).map_or(Backlog::default(), Fifo::counted)
    }

    #[inline]
    fn queue(&self, class: usize) -> Option<&Fifo<A, P>> {
        self.queues.get(self.places[class].queue as usize)
    }
}

impl<A: Aqm, P: Packet> ClassView for Classes<A, P> {
    #[inline]
    fn backlog(&self, class: usize) -> Backlog {
        self.queue(class).map_or(Backlog::default(), Fifo::backlog)
    }
    #[inline]
    fn head(&self, class: usize) -> Option<(Time, Meta)> {
        self.queue(class)?.head()
    }
    fn count(&self) -> usize {
        self.places.len()
    }
    fn busy(&self) -> &[u32] {
        &self.busy
    }
}
