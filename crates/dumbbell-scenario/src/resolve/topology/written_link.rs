//! A link as a scenario writes it, in a short form or in a `[[link]]`, and the settings of both its
//! directions.
use crate::language::lookup::Family;
use crate::language::node::Node;
use crate::language::scenario::{Link, Wire};
use crate::resolve::context::At;
use crate::resolve::edges;
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
}

impl<'c> WrittenLink<'c> {
    /// The link of a short form, whose queues are written elsewhere.
    pub fn of_short_form(at: At<'c>, wire: &Wire, queues: [QueueFrom; 2]) -> Self {
        let Wire { rate, delay, mtu, ref reverse, .. } = *wire;
        WrittenLink { at, rate, delay, mtu, reverse: (reverse.rate, reverse.delay), queues }
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
        WrittenLink { at, rate, delay, mtu, reverse: (reverse.rate, reverse.delay), queues }
    }

    /// The settings of both directions in a run of `duration`; `names` are the scenario's flows.
    pub fn both(self, duration: Span, names: &[(usize, String)]) -> [LinkSettings; 2] {
        let WrittenLink { at, rate, delay, mtu: size, reverse, queues: [queue, queue_back] } = self;
        let own = transmitter(&at, rate, duration);
        let mut ahead = LinkSettings {
            table: Some(at.path.clone().into()),
            rate: own.rate,
            service: own.service,
            delay,
            mtu: mtu(size, &at),
            framing: framing::written(&at.below("framing")).unwrap_or_default(),
            report: queue != QueueFrom::Unlimited,
            queue,
            edge: edges::rules(&at.below("conditioner"), names),
            impairments: impairments(&at.below("impairment")),
        };
        let other = at.below("reverse");
        let own = transmitter(&other, reverse.0.or(Some(own.base)), duration);
        let mut back = LinkSettings {
            table: Some(other.path.clone().into()),
            rate: own.rate,
            service: own.service,
            delay: reverse.1.unwrap_or(delay),
            mtu: ahead.mtu,
            framing: ahead.framing,
            report: queue_back != QueueFrom::Unlimited,
            queue: queue_back,
            edge: edges::rules(&other.below("conditioner"), names),
            impairments: impairments(&other.below("impairment")),
        };
        couple(&mut ahead, &mut back, &at);
        [ahead, back]
    }
}

/// What the wire does to packets, by the list at `at`.
fn impairments(at: &At<'_>) -> Vec<Shared<Spec>> {
    let items = at.node().map_or(&[][..], Node::items);
    let one = |(i, item)| at.below(i).algorithm(Family::Impairment, item, None);
    items.iter().enumerate().filter_map(one).map(Shared::from).collect()
}
