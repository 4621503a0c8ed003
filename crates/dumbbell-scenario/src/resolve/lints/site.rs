//! What a rule sees: one planned point, and where its parts are written.
use crate::language::node::{Node, Path, path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::Scenario;
use crate::language::warnings::Lint;
use crate::resolve::sessions::ExpandedScenario;
use crate::resolve::topology::{LinkDraft, QueueFrom};
use dumbbell_core::units::{Capacity, Span};
use dumbbell_plan::{Flow, Link, LinkId, Plan, Spec, Transport};
use dumbbell_tcp::{DelayedAck, TcpConfig};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where a link and its queue are written.
#[derive(Clone, Debug)]
pub(crate) struct LinkPlace {
    queue: QueueFrom,
    table: Option<Rc<Path>>,
    cost: u64,
}

impl LinkPlace {
    /// Of a link that is not built yet.
    pub(crate) fn of(draft: &LinkDraft) -> Self {
        let settings = &draft.settings;
        let (queue, table) = (settings.queue.clone(), settings.table.clone());
        LinkPlace { queue, table, cost: settings.cost }
    }
}

/// One planned point, and where its parts are written.
pub(crate) struct Site<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The scenario with its sessions laid out as entries of `flow`.
    pub expanded: &'a ExpandedScenario<'a>,
    /// Of each flow its entry of `flow`.
    pub entries: &'a [usize],
    /// Of each link of the network where it is written.
    pub places: &'a [LinkPlace],
}

/// A link that is the slowest on the path of some bulk TCP flows.
pub(crate) struct Bottleneck {
    /// The link.
    pub link: LinkId,
    /// The numbers of these flows.
    pub flows: Vec<usize>,
    /// Their mean round-trip time without queues.
    pub rtt: Span,
    /// The bytes of their largest packet.
    pub packet: u64,
    /// The number of all flows that cross the link.
    pub crossing: usize,
    /// True if a flow that is no long-lived TCP flow is among them.
    pub shared: bool,
}

impl Bottleneck {
    /// Rate times round-trip time, bytes.
    pub fn bdp(&self, plan: &Plan) -> f64 {
        plan.links[self.link].rate.bps() as f64 / 8.0 * self.rtt.seconds()
    }
    /// The limit of its queue, bytes; `None` if there is none.
    pub fn limit(&self, plan: &Plan) -> Option<f64> {
        bytes(plan.links[self.link].capacity, self.packet)
    }
    /// The time that a packet waits in its full queue, seconds; 0 if it is unlimited.
    pub fn full_wait(&self, plan: &Plan) -> f64 {
        self.limit(plan).unwrap_or(0.0) * 8.0 / plan.links[self.link].rate.bps() as f64
    }
    /// The time that a packet waits at a peak, seconds: in a full queue, or one round-trip time if
    /// the queue signals earlier.
    pub fn wait(&self, plan: &Plan) -> f64 {
        let full = self.full_wait(plan);
        let early = !signals_when_full(&plan.links[self.link].aqm);
        if early { full.min(self.rtt.seconds()) } else { full }
    }
    /// The share of path and buffer of one of its flows, bytes; without the buffer if an early
    /// signal keeps it from filling.
    pub fn share(&self, plan: &Plan) -> f64 {
        let full = signals_when_full(&plan.links[self.link].aqm);
        let buffer = if full { self.limit(plan).unwrap_or(0.0) } else { 0.0 };
        (self.bdp(plan) + buffer) / self.flows.len() as f64
    }
}

impl Site<'_> {
    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.expanded.scenario
    }
    /// Its tree.
    pub fn root(&self) -> &Node {
        &self.expanded.root
    }

    /// The key of the short form that draws the network, if one does.
    pub fn short_form(&self) -> Option<&'static str> {
        let scenario = self.scenario();
        let lot = scenario.parking_lot.as_ref().map(|_| "parking_lot");
        scenario.dumbbell.as_ref().map(|_| "dumbbell").or(lot)
    }

    /// Adds a warning about `key`, or about `instead` if `key` is not written.
    pub fn warn(
        &self,
        lint: &'static Lint,
        (key, instead): (Path, Option<Path>),
        cause: String,
        fix: String,
        check: &mut Check,
    ) {
        let root = self.root();
        let at = match instead {
            Some(instead) if root.at(&key).is_none() && root.at(&instead).is_some() => instead,
            _ => key,
        };
        let d = Diagnostic::new(cause).at(root.nearest_place(&at)).fix(fix).key(&at);
        let mut found = [d];
        self.expanded.rename(&mut found);
        let [d] = found;
        check.warn(lint, d);
    }

    /// The path of a key of the entry that flow `i` comes from.
    pub fn flow_key(&self, i: usize, key: &str) -> Path {
        path(&["flow", &self.entries[i].to_string(), key])
    }

    /// The path of a TCP setting of flow `i`: the entry's own if it has one, else the scenario's.
    pub fn tcp_key(&self, i: usize, key: &str) -> Path {
        let own = [self.flow_key(i, "tcp"), path(&[key])].concat();
        if self.root().at(&own).is_some() { own } else { path(&["tcp", key]) }
    }

    /// The path of a key of a link's queue.
    pub fn queue_key(&self, link: LinkId, key: &str) -> Path {
        match self.places.get(link).map(|place| &place.queue) {
            Some(QueueFrom::Written(at)) => [at.to_vec(), path(&[key])].concat(),
            Some(QueueFrom::Unlimited) => self.link_key(link, "queue"),
            _ => path(&["queue"]),
        }
    }

    /// The path of a key of a link's table; of a link that has none, the key alone.
    pub fn link_key(&self, link: LinkId, key: &str) -> Path {
        let table = self.places.get(link).and_then(|place| place.table.as_ref());
        [table.map_or(&[][..], |table| table), &path(&[key])].concat()
    }

    /// The cost of a link in routing.
    pub fn cost(&self, link: LinkId) -> u64 {
        self.places.get(link).map_or(1, |place| place.cost)
    }

    /// True if the queue of a link is written in the scenario, or a default of a short form.
    pub fn has_queue(&self, link: LinkId) -> bool {
        self.places.get(link).is_some_and(|place| place.queue != QueueFrom::Unlimited)
    }

    /// The long-lived TCP flows: number, flow, congestion control and settings. Flows through a
    /// host's processor are left out: it may be their bottleneck.
    pub fn bulk(&self) -> impl Iterator<Item = (usize, &Flow, &Spec, &TcpConfig)> {
        self.plan.flows.iter().enumerate().filter_map(|(i, flow)| {
            let Transport::Tcp { cc, tcp } = &flow.transport else { return None };
            let plain = |l: &LinkId| self.plan.links[*l].host.is_none();
            let bulk = flow.source.kind == "bulk" && flow.forward.iter().all(plain);
            bulk.then_some((i, flow, &**cc, &**tcp))
        })
    }

    /// The bottlenecks of the long-lived TCP flows, by link.
    pub fn bottlenecks(&self) -> Vec<Bottleneck> {
        let mut found: BTreeMap<LinkId, Bottleneck> = BTreeMap::new();
        let mut sums: BTreeMap<LinkId, u128> = BTreeMap::new();
        for (i, flow, _, tcp) in self.bulk() {
            // Of equal links the first with a queue of its own.
            let order = |l: &&LinkId| (self.plan.links[**l].rate.bps(), !self.has_queue(**l));
            let Some(&link) = flow.forward.iter().min_by_key(order) else { continue };
            let one = found.entry(link).or_insert(Bottleneck {
                link,
                flows: Vec::new(),
                rtt: Span::ZERO,
                packet: 0,
                crossing: 0,
                shared: false,
            });
            one.flows.push(i);
            one.packet = one.packet.max(packet_bytes(tcp));
            *sums.entry(link).or_default() += u128::from(self.plan.base_rtt(flow).ps());
        }
        for flow in &self.plan.flows {
            for link in &flow.forward {
                if let Some(one) = found.get_mut(link) {
                    one.crossing += 1;
                    one.shared |= !matches!(&flow.transport, Transport::Tcp { .. })
                        || flow.source.kind != "bulk";
                }
            }
        }
        for (link, one) in &mut found {
            one.rtt = Span::from_ps((sums[link] / one.flows.len() as u128) as u64);
        }
        found.into_values().filter(|one| one.rtt > Span::ZERO).collect()
    }

    /// The name of a link in messages.
    pub fn name(&self, link: LinkId) -> &str {
        let Link { name, .. } = &self.plan.links[link];
        name
    }
}

/// The IP packet of a full segment, bytes.
pub(crate) fn packet_bytes(tcp: &TcpConfig) -> u64 {
    tcp.segment_bytes() + tcp.header.0 + tcp.option_bytes()
}

/// A capacity in bytes for packets of `size` bytes; `None` if there is no limit.
pub(crate) fn bytes(capacity: Capacity, size: u64) -> Option<f64> {
    let packets = capacity.in_packets(u32::try_from(size).unwrap_or(u32::MAX))?;
    Some(packets * size as f64)
}

/// True if a queue signals nothing before it is full: the default queue, alone or in each of the
/// queues of a discipline.
pub(crate) fn signals_when_full(queue: &Spec) -> bool {
    let kind = queue.config["aqm"]["kind"].as_str().unwrap_or(&queue.kind);
    kind == crate::language::lookup::drop_tail().kind
}

/// True if a window grows by acknowledgments that are counted one by one, and only every second
/// segment is acknowledged.
pub(crate) fn grows_slowly(tcp: &TcpConfig) -> bool {
    tcp.delayed_ack == DelayedAck::Second && tcp.growth_limit <= 1
}

/// A time with three significant digits.
pub(crate) fn time(seconds: f64) -> String {
    written(seconds, |x, _| x)
}

/// The same, rounded up.
pub(crate) fn time_up(seconds: f64) -> String {
    written(seconds, |x, places| {
        let unit = 10f64.powi(places as i32);
        // What is above by rounding alone is not above.
        (x * unit * (1.0 - 1e-9)).ceil() / unit
    })
}

/// A time in its unit, with two or three digits, after `round` to so many decimals.
fn written(seconds: f64, round: impl Fn(f64, usize) -> f64) -> String {
    let digits = |x: f64| {
        let places = if x >= 100.0 { 0 } else { usize::from(x < 10.0) + 1 };
        let text = format!("{:.places$}", round(x, places));
        let short = text.trim_end_matches('0').trim_end_matches('.');
        if text.contains('.') { short.to_string() } else { text }
    };
    match seconds {
        s if s >= 0.9995 => format!("{} s", digits(s)),
        s if s >= 0.999_5e-3 => format!("{} ms", digits(s * 1e3)),
        s => format!("{} us", digits(s * 1e6)),
    }
}
