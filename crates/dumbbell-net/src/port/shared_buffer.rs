//! A buffer that the queues of a switch share, with dynamic thresholds: A. K. Choudhury, E. L.
//! Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", IEEE/ACM
//! Transactions on Networking 6(2), 1998.
//!
//! A packet comes in if its queue, with it, then holds at most alpha times what is then free. A
//! port with classes has a queue for each, with a threshold of its own. Queues of one buffer are of
//! one switch, and each holds its packets: so all of them are asked in the order of time, and by
//! the same thread.
use crate::engine::queued_packet::QueuedPacket;
use dumbbell_algos::aqm::AnyAqm;
use dumbbell_algos::qdisc::sharing::SharingQdisc;
use dumbbell_core::aqm::{Cx, Reason};
use dumbbell_core::packet::Packet;
use dumbbell_core::probe::Probe;
use dumbbell_core::qdisc::packet_queue::Waiting;
use dumbbell_core::qdisc::{Fifo, Qdisc, Sharing, Sink};
use dumbbell_core::units::{Backlog, Time};
use dumbbell_macros::delegate;
use dumbbell_plan::{NodeId, Plan};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A shared buffer. One thread has it at a time; its numbers are atomic only so that a network may
/// move from one thread to another.
pub(crate) struct SharedBuffer {
    law: dumbbell_plan::SharedBuffer,
    /// Bytes that are taken.
    used: AtomicU64,
    /// The most that were taken within the window.
    most_used: AtomicU64,
    warm: Time,
    end: Time,
}

impl SharedBuffer {
    /// The buffers of a plan by their nodes, empty.
    pub(crate) fn of(plan: &Plan) -> BTreeMap<NodeId, Arc<SharedBuffer>> {
        let buffer = |law: &dumbbell_plan::SharedBuffer| {
            let buffer = SharedBuffer {
                law: *law,
                used: AtomicU64::new(0),
                most_used: AtomicU64::new(0),
                warm: Time::ZERO + plan.warmup,
                end: Time::ZERO + plan.duration,
            };
            (law.node, Arc::new(buffer))
        };
        plan.shared_buffers.iter().map(buffer).collect()
    }

    fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }

    /// A queue that held `before` bytes holds `after`.
    fn changes(&self, now: Time, before: u64, after: u64) {
        let was = self.used();
        let used = was - before + after;
        self.used.store(used, Relaxed);
        if now >= self.warm && now <= self.end {
            // What was taken when the window began counts, too.
            self.most_used.fetch_max(was.max(used), Relaxed);
        }
    }
}

/// What a port has had of a shared buffer in the window.
#[derive(Clone, Copy, Default)]
struct Share {
    /// Bytes that its queues hold now.
    bytes: u64,
    /// The time since when.
    since: Time,
    /// Bytes times picoseconds.
    byte_ps: u128,
    /// Packets that came above the threshold, and those that found the buffer full.
    above: u64,
    full: u64,
}

/// One queue, or several.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Queues {
    /// First in, first out.
    Fifo(Fifo<AnyAqm, QueuedPacket>),
    /// Classes and their order.
    Several(SharingQdisc<QueuedPacket>),
}

#[delegate(match self { Fifo, Several })]
impl Qdisc<QueuedPacket> for Queues {}

#[delegate(match self { Fifo, Several })]
impl Sharing<QueuedPacket> for Queues {}

/// The queues of a port in a shared buffer.
pub(crate) struct SharingQueue {
    queues: Queues,
    buffer: Arc<SharedBuffer>,
    share: Share,
}

/// What a drop shows when a packet has no room in a shared buffer, beside what the queue's
/// algorithm shows.
pub const SHARED_BUFFER_GAUGES: [&str; 5] =
    ["held_bytes", "threshold_bytes", "shared_used_bytes", "shared_free_bytes", "shared_alpha"];

/// Passes on what a queue drops, and notes that a packet did not fit.
struct Noted<'a, K> {
    sink: &'a mut K,
    overflow: bool,
    /// The values of [`SHARED_BUFFER_GAUGES`].
    values: [f64; SHARED_BUFFER_GAUGES.len()],
}

impl<K: Sink<QueuedPacket>> Sink<QueuedPacket> for Noted<'_, K> {
    fn dropped(
        &mut self,
        p: QueuedPacket,
        since: Option<Time>,
        why: Reason,
        saw: &dyn Fn(&mut dyn Probe),
    ) {
        if why != Reason::Overflow {
            return self.sink.dropped(p, since, why, saw);
        }
        self.overflow = true;
        let values = self.values;
        let all = |out: &mut dyn Probe| {
            saw(out);
            for (name, value) in SHARED_BUFFER_GAUGES.iter().zip(values) {
                out.gauge(name, value);
            }
        };
        self.sink.dropped(p, since, why, &all);
    }
    fn marked(&mut self, p: &QueuedPacket, why: Reason, saw: &dyn Fn(&mut dyn Probe)) {
        self.sink.marked(p, why, saw);
    }
}

impl SharingQueue {
    /// Empty queues in `buffer`.
    pub(crate) fn new(queues: Queues, buffer: Arc<SharedBuffer>) -> Self {
        SharingQueue { queues, buffer, share: Share::default() }
    }

    /// Adds the time until `now` to the integral.
    fn lasts_until(&mut self, now: Time) {
        let (from, to) = (self.share.since.max(self.buffer.warm), now.min(self.buffer.end));
        self.share.byte_ps += u128::from(self.share.bytes) * u128::from(to.since(from).ps());
        self.share.since = now;
    }

    /// The queues may have changed at the instant that is settled.
    fn settle(&mut self) {
        let bytes = self.queues.held();
        if bytes != self.share.bytes {
            self.buffer.changes(self.share.since, self.share.bytes, bytes);
            self.share.bytes = bytes;
        }
    }

    /// The most that a queue may hold with a packet of `bytes` that comes now.
    fn most_with(&self, bytes: u64) -> u64 {
        self.buffer.law.threshold(self.buffer.used() + bytes)
    }

    /// A packet comes to `queue`, and has no place in the shared buffer.
    #[cold]
    fn exceeds(
        &mut self,
        queue: usize,
        cx: &mut Cx<'_>,
        p: QueuedPacket,
        most: u64,
        sink: &mut impl Sink<QueuedPacket>,
    ) {
        let (used, law) = (self.buffer.used(), &self.buffer.law);
        let free = law.size.0.saturating_sub(used);
        let full = u64::from(p.meta().ip_len) > free;
        let counts = cx.now >= self.buffer.warm && cx.now <= self.buffer.end;
        let bytes = [self.queues.held_by(queue), most, used, free].map(|bytes| bytes as f64);
        let [held, threshold, used, free] = bytes;
        let values = [held, threshold, used, free, law.alpha];
        let mut noted = Noted { sink, overflow: false, values };
        self.queues.enqueue_in(queue, cx, p, Some(most), &mut noted);
        if noted.overflow && counts {
            *(if full { &mut self.share.full } else { &mut self.share.above }) += 1;
        }
    }
}

impl Qdisc<QueuedPacket> for SharingQueue {
    fn enqueue(&mut self, cx: &mut Cx<'_>, p: QueuedPacket, sink: &mut impl Sink<QueuedPacket>) {
        self.lasts_until(cx.now);
        let meta = p.meta();
        let queue = self.queues.queue_of(cx, &meta);
        let bytes = u64::from(meta.ip_len);
        let most = self.most_with(bytes);
        if self.queues.held_by(queue) + bytes > most {
            self.exceeds(queue, cx, p, most, sink);
        } else {
            self.queues.enqueue_in(queue, cx, p, None, sink);
        }
        self.settle();
    }
    fn dequeue(
        &mut self,
        cx: &mut Cx<'_>,
        sink: &mut impl Sink<QueuedPacket>,
    ) -> Option<Waiting<QueuedPacket>> {
        self.lasts_until(cx.now);
        let head = self.queues.dequeue(cx, sink);
        self.settle();
        head
    }
    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }
    /// A transmission ends and the next begins at one instant: what is taken changes when the port
    /// asks for the next packet.
    fn set_in_service(&mut self, bytes: Option<u32>) {
        self.queues.set_in_service(bytes);
        if bytes.is_some() {
            self.settle();
        }
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.queues.idle(cx);
    }
    fn next_wakeup(&self) -> Option<Time> {
        Qdisc::next_wakeup(&self.queues)
    }
    fn wake(&mut self, cx: &mut Cx<'_>) {
        self.queues.wake(cx);
    }
    fn waiting_since(&self) -> Vec<Time> {
        self.queues.waiting_since()
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.queues.probe(out);
    }
}

/// A shared buffer in the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedBufferReport {
    /// The switch.
    pub node: NodeId,
    /// Its size, bytes.
    pub size: u64,
    /// Its alpha.
    pub alpha: f64,
    /// Time-weighted mean of what was taken, bytes.
    pub mean_bytes: f64,
    /// The most that was taken, bytes.
    pub max_bytes: u64,
    /// Packets that were dropped because their queue was at its threshold.
    pub above_threshold: u64,
    /// Packets that were dropped because nothing was free.
    pub full: u64,
}

impl SharedBufferReport {
    /// The report of `buffer` without any of its queues.
    fn of(buffer: &SharedBuffer) -> Self {
        SharedBufferReport {
            node: buffer.law.node,
            size: buffer.law.size.0,
            alpha: buffer.law.alpha,
            mean_bytes: 0.0,
            max_bytes: buffer.most_used.load(Relaxed).max(buffer.used()),
            above_threshold: 0,
            full: 0,
        }
    }

    /// The reports of the buffers that `queues` share, in the order of nodes.
    pub(crate) fn of_queues<'a>(
        queues: impl Iterator<Item = &'a SharingQueue>,
    ) -> Vec<SharedBufferReport> {
        let mut reports = BTreeMap::new();
        for queue in queues {
            let (buffer, share) = (&queue.buffer, &queue.share);
            let report =
                reports.entry(buffer.law.node).or_insert_with(|| SharedBufferReport::of(buffer));
            let rest = buffer.end.since(share.since.max(buffer.warm));
            let byte_ps = share.byte_ps + u128::from(share.bytes) * u128::from(rest.ps());
            let window = buffer.end.since(buffer.warm);
            report.mean_bytes += byte_ps as f64 / window.ps().max(1) as f64;
            report.above_threshold += share.above;
            report.full += share.full;
        }
        reports.into_values().collect()
    }
}
