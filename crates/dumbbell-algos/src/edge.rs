//! The edge of a DiffServ domain (RFC 2475 section 2.3.3): a classifier, behind each of its rules a meter or a
//! conditioner, and what each colour leads to: a codepoint, a drop, nothing.
//!
//! A packet goes to the first rule that takes it, and past the edge untouched if none does. A rule keeps one state for all
//! that it takes, or one for each flow; a flow without a contract is best effort, which is never in profile and never held.
mod account;
mod standing;

pub use account::{Account, Seen};
pub use standing::{Income, Standing};

use crate::conditioner::AnyConditioner;
use crate::meter::AnyMeter;
use dumbbell_core::aqm::{Cx, LinkInfo, Reason};
use dumbbell_core::conditioner::{Conditioner, Emit};
use dumbbell_core::flow::FlowTable;
use dumbbell_core::meter::{Action, Actions, Colour, Meter, Tokens, colour_of};
use dumbbell_core::packet::{Dscp, FlowId, Packet};
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};
use std::collections::BTreeSet;

/// No place.
const NOWHERE: u32 = u32::MAX;

/// What judges the packets of a place.
#[allow(clippy::large_enum_variant)]
pub enum Stage<P> {
    /// A colour at once.
    Meter(AnyMeter),
    /// It may hold packets.
    Conditioner(AnyConditioner<P>),
    /// No contract: every packet has this colour.
    BestEffort(Colour),
}

/// What an edge may see of the world: [`Cx`] less the chance, which each place has of its own.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// The present instant.
    pub now: Time,
    /// The link whose port is behind the edge.
    pub link: &'a LinkInfo,
    /// What is known of the flows.
    pub flows: &'a FlowTable,
}

impl<'a> Around<'a> {
    fn with(self, rng: &'a mut Stream) -> Cx<'a> {
        Cx { now: self.now, rng, link: self.link, flows: self.flows }
    }
}

/// One state of a rule: that of a flow, or of all that the rule takes.
pub struct Place<P> {
    stage: Stage<P>,
    actions: Actions,
    rng: Stream,
    /// Whether senders are told of what is not green.
    tells: bool,
    /// When its clock is due.
    due: Time,
    /// What passed, and what it had in it.
    pub account: Account,
}

/// What a rule takes, and where to.
struct Rule {
    /// The codepoints, one bit each.
    codepoints: u64,
    /// The place of each flow's data, or the one of all packets.
    to: To,
}

enum To {
    All(u32),
    Flows(Vec<u32>),
}

/// A classifier and what is behind it.
pub struct Edge<P> {
    rules: Vec<Rule>,
    places: Vec<Place<P>>,
    /// The clocks of the places, those that are set.
    clocks: BTreeSet<(Time, u32)>,
    told: Vec<FlowId>,
}

/// A set of codepoints, one bit each.
pub fn codepoints(those: &[Dscp]) -> u64 {
    those.iter().fold(0, |set, d| set | 1 << (d.0 & 63))
}

impl<P: Packet> Default for Edge<P> {
    fn default() -> Self {
        Edge { rules: Vec::new(), places: Vec::new(), clocks: BTreeSet::new(), told: Vec::new() }
    }
}

impl<P: Packet> Edge<P> {
    /// One more place, with chance of its own, measured in a window; its number.
    pub fn place(&mut self, stage: Stage<P>, actions: Actions, rng: Stream, (from, to): (Time, Time)) -> u32 {
        let tells = matches!(&stage, Stage::Meter(m) if m.tells_sender());
        let account = Account::new(from, to);
        self.places.push(Place { stage, actions, rng, tells, due: Time::NEVER, account });
        self.places.len() as u32 - 1
    }

    /// One more rule: packets with one of `codepoints`, whosever they are, go to `place`.
    pub fn rule_for_all(&mut self, codepoints: u64, place: u32) {
        self.rules.push(Rule { codepoints, to: To::All(place) });
    }

    /// One more rule: data with one of `codepoints` of these flows goes to their places.
    pub fn rule_for_flows(&mut self, codepoints: u64, flows: &[(FlowId, u32)]) {
        let last = flows.iter().map(|(f, _)| f.0 as usize + 1).max().unwrap_or(0);
        let mut to = vec![NOWHERE; last];
        flows.iter().for_each(|(flow, place)| to[flow.0 as usize] = *place);
        self.rules.push(Rule { codepoints, to: To::Flows(to) });
    }

    /// Where a packet goes; `reply`: it is an acknowledgement, which is of no flow's profile.
    #[inline]
    fn classify(&self, flow: FlowId, dscp: Dscp, reply: bool) -> Option<u32> {
        let takes = |rule: &Rule| {
            if rule.codepoints >> (dscp.0 & 63) & 1 == 0 {
                return None;
            }
            match &rule.to {
                To::All(place) => Some(*place),
                To::Flows(_) if reply => None,
                To::Flows(to) => to.get(flow.0 as usize).copied().filter(|place| *place != NOWHERE),
            }
        };
        self.rules.iter().find_map(takes)
    }

    /// A packet arrives.
    pub fn arrive(&mut self, around: Around<'_>, p: P, reply: bool, out: &mut impl Emit<P>) {
        let meta = p.meta();
        let Some(number) = self.classify(meta.flow, meta.dscp, reply) else { return out.emit(p) };
        let place = &mut self.places[number as usize];
        place.settle(around.now);
        let Place { stage, actions, rng, tells, account, .. } = place;
        let mut brush = Brush { now: around.now, actions, account, out };
        let cx = &mut around.with(rng);
        match stage {
            Stage::Meter(meter) => {
                let colour = meter.colour(cx, &meta, colour_of(meta.dscp, actions));
                if *tells && colour != Colour::Green && !reply {
                    self.told.push(meta.flow);
                }
                brush.release(p, Some(colour), Span::ZERO);
            }
            Stage::BestEffort(colour) => brush.release(p, Some(*colour), Span::ZERO),
            Stage::Conditioner(conditioner) => {
                conditioner.arrive(cx, p, &mut brush);
                self.set_clock(number);
            }
        }
    }

    /// When its clock is due; [`Time::NEVER`] if nothing waits for it.
    pub fn next_wakeup(&self) -> Time {
        self.clocks.first().map_or(Time::NEVER, |(due, _)| *due)
    }

    /// The clock reached [`Edge::next_wakeup`].
    pub fn wake(&mut self, around: Around<'_>, out: &mut impl Emit<P>) {
        while let Some((due, number)) = self.clocks.first().copied()
            && due <= around.now
        {
            let place = &mut self.places[number as usize];
            place.settle(around.now);
            let Place { stage, actions, rng, account, .. } = place;
            if let Stage::Conditioner(conditioner) = stage {
                conditioner.wake(&mut around.with(rng), &mut Brush { now: around.now, actions, account, out });
            }
            self.set_clock(number);
        }
    }

    /// Follows the clock of a place after it was called.
    fn set_clock(&mut self, number: u32) {
        let place = &mut self.places[number as usize];
        let Stage::Conditioner(conditioner) = &place.stage else { return };
        let due = conditioner.next_wakeup();
        if due == place.due {
            return;
        }
        self.clocks.remove(&(place.due, number));
        place.due = due;
        if due < Time::NEVER {
            self.clocks.insert((due, number));
        }
    }

    /// Packets held.
    pub fn held(&self) -> u64 {
        self.places.iter().map(Place::held).sum()
    }

    /// Whether the sender of `flow` may be told anything of its packets.
    pub fn tells(&self, flow: FlowId) -> bool {
        self.rules.iter().any(|rule| {
            let place = match &rule.to {
                To::All(place) => Some(*place),
                To::Flows(to) => to.get(flow.0 as usize).copied(),
            };
            place.and_then(|place| self.places.get(place as usize)).is_some_and(|place| place.tells)
        })
    }

    /// The flows whose senders are to be told that a packet of theirs was just now not green.
    pub fn told(&mut self) -> impl Iterator<Item = FlowId> + '_ {
        self.told.drain(..)
    }

    /// Its places, in the order in which they were made.
    pub fn places(&self) -> &[Place<P>] {
        &self.places
    }

    /// The same, to look until now.
    pub fn places_mut(&mut self) -> &mut [Place<P>] {
        &mut self.places
    }
}

impl<P: Packet> Place<P> {
    /// Packets held.
    pub fn held(&self) -> u64 {
        if let Stage::Conditioner(c) = &self.stage { c.held() } else { 0 }
    }

    /// The account of its bucket until `now`, if it has one.
    pub fn tokens(&mut self, now: Time) -> Option<Tokens> {
        self.stage.tokens(now)
    }

    /// Takes what it had in it until `now` to its account, before anything happens to it then.
    pub fn settle(&mut self, now: Time) {
        let held = self.held();
        self.account.standing.look(now, |t| self.stage.tokens(t), held);
    }
}

impl<P: Packet> Stage<P> {
    fn tokens(&mut self, now: Time) -> Option<Tokens> {
        match self {
            Stage::Meter(m) => m.tokens(now),
            Stage::Conditioner(c) => c.tokens(now),
            Stage::BestEffort(_) => None,
        }
    }
}

/// Puts the colour of what comes out of a stage into practice.
struct Brush<'a, O> {
    now: Time,
    actions: &'a Actions,
    account: &'a mut Account,
    out: &'a mut O,
}

impl<P: Packet, O: Emit<P>> Emit<P> for Brush<'_, O> {
    fn release(&mut self, mut p: P, colour: Option<Colour>, held: Span) {
        let action = colour.map_or(Action::Pass, |c| self.actions[c.index()]);
        if action == Action::Drop {
            return self.drop(p, Reason::Policed);
        }
        if let Action::Mark(dscp) = action {
            p.set_dscp(dscp);
        }
        self.account.passed(self.now, colour, p.meta().ip_len, held);
        self.out.release(p, colour, held);
    }
    fn drop(&mut self, p: P, why: Reason) {
        self.account.dropped(self.now);
        self.out.drop(p, why);
    }
}

#[cfg(test)]
mod tests;
