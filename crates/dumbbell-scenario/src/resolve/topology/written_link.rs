//! A link as a scenario writes it, in a short form or in a `[[link]]`, and the settings of both its
//! directions.
use crate::language::lookup::Family;
use crate::language::node::Node;
use crate::language::scenario::{Cable, Link, WanLink, Wire};
use crate::resolve::context::At;
use crate::resolve::edges;
use crate::resolve::flow_names::flow_name::FlowName;
use crate::resolve::topology::duplex::couple;
use crate::resolve::topology::framing::{self, mtu};
use crate::resolve::topology::service::transmitter;
use crate::resolve::topology::{LinkSettings, QueueFrom};
use dumbbell_core::units::{Bytes, Rate, Span};
use dumbbell_plan::{Shared, Spec};

/// A link of either form.
pub struct WrittenLink<'c> {
    at: At<'c>,
    rate: Option<Rate>,
    delay: Span,
    mtu: Bytes,
    /// Rate and delay of the other direction, where they are written.
    reverse: (Option<Rate>, Option<Span>),
    /// The queues of both directions.
    queues: [QueueFrom; 2],
    /// Its cost in routing.
    cost: u64,
}

impl<'c> WrittenLink<'c> {
    /// The link of a short form, whose queues are written elsewhere.
    pub fn of_short_form(at: At<'c>, wire: &Wire, queues: [QueueFrom; 2]) -> Self {
        let Wire { rate, delay, mtu, ref reverse, .. } = *wire;
        let reverse = (reverse.rate, reverse.delay);
        WrittenLink { at, rate, delay, mtu, reverse, queues, cost: 1 }
    }

    /// A `[[link]]`.
    pub fn of_graph(at: At<'c>, link: &Link) -> Self {
        let Link { rate, delay, mtu, ref reverse, .. } = *link;
        let written = |at: At<'_>| QueueFrom::Written(at.path.into());
        let ahead =
            link.queue.as_ref().map_or(QueueFrom::Unlimited, |_| written(at.below("queue")));
        let back = match &reverse.queue {
            Some(_) => written(at.below("reverse").below("queue")),
            None => ahead.clone(),
        };
        let queues = [ahead, back];
        let cost = cost(link.cost, &at);
        let reverse = (reverse.rate, reverse.delay);
        WrittenLink { at, rate, delay, mtu, reverse, queues, cost }
    }

    /// A link of a fabric, both of whose directions are alike; `queue` is that of a switch's port.
    pub fn of_cable(at: At<'c>, cable: &Cable, queue: QueueFrom) -> Self {
        let Cable { rate, delay, mtu, .. } = *cable;
        let cost = cost(cable.cost, &at);
        let queues = [queue, QueueFrom::Unlimited];
        WrittenLink { at, rate, delay, mtu, reverse: (None, None), queues, cost }
    }

    /// A link of a wide-area network, of this rate and this delay.
    pub fn of_wan(at: At<'c>, link: &WanLink, own: (Rate, Span), queue: QueueFrom) -> Self {
        let mtu = link.mtu.unwrap_or(Bytes(1500));
        let queues = [queue, QueueFrom::Unlimited];
        let (rate, delay) = (Some(own.0), own.1);
        WrittenLink { at, rate, delay, mtu, reverse: (None, None), queues, cost: 1 }
    }

    /// The settings of the forward direction in a run of `duration`; `names` are the scenario's
    /// flows.
    pub fn one(self, duration: Span, names: &[FlowName]) -> LinkSettings {
        self.first(duration, names).0
    }

    /// The settings of the forward direction, and the rate at which its transmitter sends.
    fn first(self, duration: Span, names: &[FlowName]) -> (LinkSettings, Rate) {
        let WrittenLink { at, rate, delay, mtu: size, queues: [queue, _], cost, .. } = self;
        let own = transmitter(&at, rate, duration);
        let settings = LinkSettings {
            table: Some(at.path.clone().into()),
            rate: own.rate,
            service: own.service,
            delay: self::delay(delay, &at),
            mtu: mtu(size, &at),
            framing: framing::written(&at.below("framing")).unwrap_or_default(),
            report: queue != QueueFrom::Unlimited,
            queue,
            edge: edges::rules(&at.below("conditioner"), names),
            impairments: impairments(&at.below("impairment")),
            cost,
            down: Vec::new(),
        };
        (settings, own.base)
    }

    /// The settings of both directions in a run of `duration`; `names` are the scenario's flows.
    pub fn both(self, duration: Span, names: &[FlowName]) -> [LinkSettings; 2] {
        let (at, reverse, cost) = (self.at.clone(), self.reverse, self.cost);
        let queue_back = self.queues[1].clone();
        let (mut ahead, base) = self.first(duration, names);
        let other = at.below("reverse");
        let own = transmitter(&other, reverse.0.or(Some(base)), duration);
        let mut back = LinkSettings {
            table: Some(other.path.clone().into()),
            rate: own.rate,
            service: own.service,
            delay: reverse.1.map_or(ahead.delay, |delay| self::delay(delay, &other)),
            mtu: ahead.mtu,
            framing: ahead.framing,
            report: queue_back != QueueFrom::Unlimited,
            queue: queue_back,
            edge: edges::rules(&other.below("conditioner"), names),
            impairments: impairments(&other.below("impairment")),
            cost,
            down: Vec::new(),
        };
        couple(&mut ahead, &mut back, &at);
        [ahead, back]
    }
}

/// The longest delay of a link. A path of a hundred such links there and back takes less than the
/// longest time.
const LONGEST_DELAY: Span = Span::from_secs(86_400);

/// The delay of the link at `at`.
pub fn delay(written: Span, at: &At<'_>) -> Span {
    if written > LONGEST_DELAY {
        let cause = format!("a delay of {written} is longer than a day, the longest of a link");
        let fix = format!("write \"{LONGEST_DELAY}\" or less");
        at.below("delay").refuse(cause, fix);
    }
    written.min(LONGEST_DELAY)
}

/// The largest cost of a link: that of OSPF (RFC 2328, appendix C.3).
const MOST_COST: u64 = 65_535;

/// The cost of the link at `at` in routing.
pub fn cost(written: Option<u64>, at: &At<'_>) -> u64 {
    let cost = written.unwrap_or(1);
    if !(1..=MOST_COST).contains(&cost) {
        let fix = format!("write a whole number from 1 to {MOST_COST}");
        at.below("cost").refuse(format!("{cost} is not a cost of a link"), fix);
    }
    cost.clamp(1, MOST_COST)
}

/// What the wire does to packets, by the list at `at`.
pub fn impairments(at: &At<'_>) -> Vec<Shared<Spec>> {
    let items = at.node().map_or(&[][..], Node::items);
    let one = |(i, item)| at.below(i).algorithm(Family::Impairment, item, None);
    items.iter().enumerate().filter_map(one).map(Shared::from).collect()
}
