//! The objects that an AQM in Python reads: each object is made once for an instance and filled
//! before each call.
use dumbbell_core::aqm::{Cx as CoreCx, LinkInfo, QueueView, Slot};
use dumbbell_core::packet::flow::{FlowInfo, FlowTable};
use dumbbell_core::packet::{Ecn, FlowId, Meta};
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Capacity, Time};
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock that nobody else ever wants: an instance belongs to one run, and its calls come one after
/// another.
pub fn open<T>(cell: &Mutex<T>) -> MutexGuard<'_, T> {
    cell.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Random numbers of the algorithm's own: the same in each run with the same seed.
#[pyclass(frozen, module = "dumbbell")]
pub struct Rng(Mutex<Stream>);

#[pymethods]
impl Rng {
    /// Uniform in [0, 1).
    fn unit(&self) -> f64 {
        open(&self.0).unit()
    }
    /// True with probability `p`.
    fn coin(&self, p: f64) -> bool {
        open(&self.0).coin(p)
    }
    /// Uniform in 0 .. n - 1.
    fn below(&self, n: u32) -> u32 {
        open(&self.0).below(n)
    }
    /// Exponential with this mean.
    fn exponential(&self, mean: f64) -> f64 {
        open(&self.0).exponential(mean)
    }
    /// Pareto with shape `a` > 1 and this mean.
    fn pareto(&self, a: f64, mean: f64) -> f64 {
        open(&self.0).pareto(a, mean)
    }
    /// 32 uniform bits.
    fn bits32(&self) -> u32 {
        open(&self.0).bits32()
    }
}

/// The link that the queue feeds.
#[pyclass(frozen, module = "dumbbell")]
pub struct Link(Mutex<LinkInfo>);

#[pymethods]
impl Link {
    /// Its rate now, bits a second.
    #[getter]
    fn rate(&self) -> u64 {
        open(&self.0).rate.bps()
    }
    /// Its limit in packets; None: in bytes or buffers, or none.
    #[getter]
    fn packets(&self) -> Option<u32> {
        if let Capacity::Packets(n) = open(&self.0).capacity { Some(n) } else { None }
    }
    /// Its limit in bytes; None: in packets or buffers, or none.
    #[getter]
    fn bytes(&self) -> Option<u64> {
        match open(&self.0).capacity {
            Capacity::Bytes(n) | Capacity::Reached(n) => Some(n),
            _ => None,
        }
    }
    /// Its limit in buffers: how many, and bytes of each; None: in packets or bytes, or none.
    #[getter]
    fn buffers(&self) -> Option<(u32, u32)> {
        if let Capacity::Buffers { count, size } = open(&self.0).capacity {
            Some((count, size))
        } else {
            None
        }
    }
    /// Largest IP packet, bytes.
    #[getter]
    fn mtu(&self) -> u32 {
        open(&self.0).mtu
    }
    /// Propagation delay, seconds.
    #[getter]
    fn delay(&self) -> f64 {
        open(&self.0).delay.seconds()
    }
}

impl Link {
    pub fn new(info: LinkInfo) -> Self {
        Link(Mutex::new(info))
    }
}

/// What is known of the flows.
#[pyclass(frozen, module = "dumbbell")]
pub struct Flows(Mutex<Option<FlowTable>>);

#[pymethods]
impl Flows {
    /// (reserved rate in bits a second, round-trip time in seconds, weight) of a flow; each may be
    /// None.
    fn get(&self, flow: u32) -> (Option<u64>, Option<f64>, Option<f64>) {
        let FlowInfo { reserved, rtt, weight } =
            open(&self.0).as_ref().map(|t| t.get(FlowId(flow))).unwrap_or_default();
        (reserved.map(|r| r.bps()), rtt.map(|t| t.seconds()), weight)
    }
}

/// What an algorithm may see of the world.
#[pyclass(frozen, module = "dumbbell")]
pub struct Cx {
    now: Mutex<Time>,
    rng: Py<Rng>,
    link: Py<Link>,
    flows: Py<Flows>,
}

#[pymethods]
impl Cx {
    /// The present instant, seconds.
    #[getter]
    fn now(&self) -> f64 {
        open(&self.now).seconds()
    }
    /// The present instant, picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        open(&self.now).ps()
    }
    /// The algorithm's own random numbers.
    #[getter]
    fn rng(&self, py: Python<'_>) -> Py<Rng> {
        self.rng.clone_ref(py)
    }
    /// Its link.
    #[getter]
    fn link(&self, py: Python<'_>) -> Py<Link> {
        self.link.clone_ref(py)
    }
    /// What is known of the flows.
    #[getter]
    fn flows(&self, py: Python<'_>) -> Py<Flows> {
        self.flows.clone_ref(py)
    }
}

impl Cx {
    pub fn new(py: Python<'_>, link: LinkInfo) -> PyResult<Self> {
        Ok(Cx {
            now: Mutex::new(Time::ZERO),
            rng: Py::new(py, Rng(Mutex::new(Stream::named(0, ""))))?,
            link: Py::new(py, Link::new(link))?,
            flows: Py::new(py, Flows(Mutex::new(None)))?,
        })
    }
    /// Before a call: the world's state, its random numbers too.
    pub fn fill(&self, cx: &CoreCx<'_>) {
        *open(&self.now) = cx.now;
        *open(&self.rng.get().0) = cx.rng.clone();
        open(&self.link.get().0).rate = cx.link.rate;
        let mut flows = open(&self.flows.get().0);
        if flows.is_none() {
            *flows = Some(cx.flows.clone()); // The table of a run does not change.
        }
    }
    /// After it: what was drawn is drawn.
    pub fn drawn(&self, cx: &mut CoreCx<'_>) {
        *cx.rng = open(&self.rng.get().0).clone();
    }
    pub fn link_of(&self, py: Python<'_>) -> Py<Link> {
        self.link.clone_ref(py)
    }
}

/// A packet, as a queue may know it. The same object is used again for the next packet.
#[pyclass(frozen, module = "dumbbell")]
pub struct Packet(Mutex<Meta>);

#[pymethods]
impl Packet {
    /// Length of the IP packet, bytes.
    #[getter]
    fn ip_len(&self) -> u32 {
        open(&self.0).ip_len
    }
    /// Length on the wire with the link's framing, bytes.
    #[getter]
    fn wire_len(&self) -> u32 {
        open(&self.0).wire_len
    }
    /// The flow's number.
    #[getter]
    fn flow(&self) -> u32 {
        open(&self.0).flow.0
    }
    /// The ECN field: "not_ect", "ect0", "ect1" or "ce".
    #[getter]
    fn ecn(&self) -> &'static str {
        ecn_name(open(&self.0).ecn)
    }
    /// Whether it may be marked instead of dropped.
    #[getter]
    fn capable(&self) -> bool {
        open(&self.0).ecn.capable()
    }
    /// The DiffServ codepoint.
    #[getter]
    fn dscp(&self) -> u8 {
        open(&self.0).dscp.0
    }
    /// Whether it is a fragment.
    #[getter]
    fn fragment(&self) -> bool {
        open(&self.0).fragment
    }
    fn __repr__(&self) -> String {
        let Meta { ip_len, flow, ecn, .. } = *open(&self.0);
        format!("<Packet flow {} of {ip_len} B, {}>", flow.0, ecn_name(ecn))
    }
}

impl Packet {
    pub fn new() -> Self {
        Packet(Mutex::new(Meta::default()))
    }
    pub fn fill(&self, meta: &Meta) {
        *open(&self.0) = *meta;
    }
}

fn ecn_name(ecn: Ecn) -> &'static str {
    match ecn {
        Ecn::NotEct => "not_ect",
        Ecn::Ect0 => "ect0",
        Ecn::Ect1 => "ect1",
        Ecn::Ce => "ce",
    }
}

/// The queue as its algorithm may see it.
#[pyclass(frozen, module = "dumbbell")]
pub struct Queue(Mutex<Backlog>);

struct Backlog {
    capacity: Capacity,
    packets: u32,
    bytes: u64,
    buffers: u32,
    waiting: Slot,
    /// Those that wait, head first; only where the port holds them.
    metas: VecDeque<Meta>,
    /// The last one was admitted since the queue was examined: it may carry a mark by now.
    fresh: bool,
}

#[pymethods]
impl Queue {
    /// Packets in the backlog, by the port's convention (`count_in_service`).
    #[getter]
    fn packets(&self) -> u32 {
        open(&self.0).packets
    }
    /// Bytes of IP length in the backlog.
    #[getter]
    fn bytes(&self) -> u64 {
        open(&self.0).bytes
    }
    /// Buffers in use, where the limit is a number of them; else 0.
    #[getter]
    fn buffers(&self) -> u32 {
        open(&self.0).buffers
    }
    /// How full it is: the backlog over the limit, in the unit of the limit; 0 without a limit.
    #[getter]
    fn fullness(&self) -> f64 {
        let b = open(&self.0);
        let waits =
            dumbbell_core::aqm::Backlog { packets: b.packets, bytes: b.bytes, buffers: b.buffers };
        b.capacity.filled(waits).map_or(0.0, |(length, limit)| length / limit.max(1.0))
    }
    /// Packets that have a slot: the backlog less a packet in transmission.
    #[getter]
    fn waiting(&self) -> u32 {
        open(&self.0).waiting
    }
    /// The packet at `slot` (0: the head); None beyond the end, and where the algorithm does not
    /// ask for `needs = "held"`.
    fn meta(&self, slot: usize) -> Option<Packet> {
        open(&self.0).metas.get(slot).map(|m| Packet(Mutex::new(*m)))
    }
}

impl Queue {
    pub fn new(capacity: Capacity) -> Self {
        let metas = VecDeque::new();
        Queue(Mutex::new(Backlog {
            capacity,
            packets: 0,
            bytes: 0,
            buffers: 0,
            waiting: 0,
            metas,
            fresh: false,
        }))
    }
    pub fn fill(&self, q: &dyn QueueView) {
        let mut b = open(&self.0);
        let now = q.backlog();
        (b.packets, b.bytes, b.buffers, b.waiting) =
            (now.packets, now.bytes, now.buffers, q.waiting());
        if std::mem::take(&mut b.fresh)
            && let Some(meta) = b.metas.len().checked_sub(1).and_then(|last| q.meta(last as Slot))
            && let Some(last) = b.metas.back_mut()
        {
            *last = meta;
        }
    }
    /// A packet goes in at the tail of a held queue.
    pub fn push(&self, meta: &Meta) {
        let mut b = open(&self.0);
        b.metas.push_back(*meta);
        b.fresh = true;
    }
    /// The head leaves it.
    pub fn pop(&self) {
        let mut b = open(&self.0);
        b.metas.pop_front();
        b.fresh &= !b.metas.is_empty();
    }
    /// A packet is pushed out of it.
    pub fn remove(&self, slot: Slot) {
        let mut b = open(&self.0);
        b.metas.remove(slot as usize);
        b.fresh = false;
    }
    pub fn waits(&self) -> Slot {
        open(&self.0).waiting
    }
}
