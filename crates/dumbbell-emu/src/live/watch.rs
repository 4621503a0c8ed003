//! What a run shows while it goes on: rows of the queues as the router's network samples them, and
//! of the senders from TCP_INFO. Neither the router nor the sampler waits for the reader.
use super::series::of_sample;
use crate::traffic::sampler::{Rows, Sample};
use dumbbell_core::units::{Span, Time};
use dumbbell_net::{FlowRow, Observer, QueueRow};
use rtrb::{Consumer, Producer, RingBuffer};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// Rows of queues that wait at most: what comes when there is no room is not shown.
const CAPACITY: usize = 1 << 14;

/// A row of a running run, with its time.
#[derive(Clone, Copy, Debug)]
pub enum Seen<'a> {
    /// Of the queue of a link, as the replay of the log will find it.
    Queue(Time, usize, &'a QueueRow),
    /// Of a flow, as its sender knows it: delivered bytes are those that were acknowledged.
    Flow(Time, usize, &'a FlowRow),
}

/// Called with each row, on a thread of its own.
pub type Watch<'a> = &'a mut (dyn FnMut(Seen<'_>) + Send);

type OfQueue = (Time, usize, QueueRow);

/// The router's side: it hands over the rows of its queues, if somebody watches.
pub struct QueueRows(Option<Producer<OfQueue>>);

impl Observer for QueueRows {
    fn queue(&mut self, t: Time, link: usize, row: &QueueRow) {
        if let Some(out) = &mut self.0 {
            // Without room the row is not shown; the log has it all the same.
            drop(out.push((t, link, row.clone())));
        }
    }
}

/// Both ends of the rows of queues; none go through if nobody watches (`watched`).
pub(crate) fn queues(watched: bool) -> (QueueRows, Option<Consumer<OfQueue>>) {
    let ring = watched.then(|| RingBuffer::new(CAPACITY));
    let (producer, consumer) = ring.unzip();
    (QueueRows(producer), consumer)
}

/// Shows rows until a run is over.
pub(crate) struct Showing<'a> {
    /// The watcher.
    pub watch: Watch<'a>,
    /// Rows of the queues.
    pub queues: Consumer<OfQueue>,
    /// Samples of the senders; none without connections of our own.
    pub samples: Option<Rows>,
    /// The period of the series; `None`: senders are not shown.
    pub every: Option<Span>,
}

impl Showing<'_> {
    /// Shows what comes until `over`. Returns the samples, which it took.
    pub(crate) fn run(mut self, over: &AtomicBool) -> Vec<Sample> {
        let (mut kept, mut last) = (Vec::new(), Vec::new());
        loop {
            // Asked first: what came before the end is shown.
            let ended = over.load(Ordering::Acquire);
            while let Ok((t, link, row)) = self.queues.pop() {
                (self.watch)(Seen::Queue(t, link, &row));
            }
            let fresh = self.samples.as_ref().map(Rows::take).unwrap_or_default();
            for sample in &fresh {
                self.show(sample, &mut last);
            }
            kept.extend(fresh);
            if ended {
                return kept;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Shows a sample as the row of its instant, if it is the first of that.
    fn show(&mut self, sample: &Sample, last: &mut Vec<Option<u64>>) {
        let Some(every) = self.every else { return };
        let (flow, instant) = (sample.flow as usize, sample.at.ps() / every.ps().max(1));
        last.resize(last.len().max(flow + 1), None);
        if last[flow].replace(instant) < Some(instant) {
            let row = FlowRow { delivered_bytes: sample.bytes_acked, ..of_sample(sample) };
            (self.watch)(Seen::Flow(Time::from_ps(instant * every.ps()), flow, &row));
        }
    }
}
