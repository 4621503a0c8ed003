//! The edge of a DiffServ domain (RFC 2475 section 2.3.3): a classifier, behind each of its rules a
//! meter or a conditioner, and an action for each color: a codepoint, a drop, or none.
//!
//! A packet goes to the first rule that matches, and passes the edge unchanged if none does. A rule
//! keeps one meter state for all its packets, or one for each flow; a flow without a contract is
//! best effort, which is never in profile and never held.
mod levels;
mod stats;

pub use levels::{Levels, TokenIncome};
pub use stats::{MeterCounts, MeterStats};

use crate::conditioner::AnyConditioner;
use crate::meter::AnyMeter;
use dumbbell_core::aqm::{Cx, LinkInfo, Reason};
use dumbbell_core::conditioner::{Conditioner, Emit};
use dumbbell_core::meter::{Action, Actions, Color, Meter, Tokens, color_of};
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::packet::{Dscp, FlowId, Packet};
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};
use std::collections::BTreeSet;

/// No meter state.
const NOWHERE: u32 = u32::MAX;

/// The stage that meters the packets of a meter state.
#[allow(clippy::large_enum_variant)]
pub enum Stage<P> {
    /// Answers with a color at once.
    Meter(AnyMeter),
    /// This stage may hold packets.
    Conditioner(AnyConditioner<P>),
    /// No contract: every packet has this color.
    BestEffort(Color),
}

/// The context of an edge: [`Cx`] without random numbers, since each meter state has a stream of
/// its own.
#[derive(Clone, Copy)]
pub struct EdgeCx<'a> {
    /// The current time.
    pub now: Time,
    /// The link whose port is behind the edge.
    pub link: &'a LinkInfo,
    /// Reservations, round-trip times and weights of the flows.
    pub flows: &'a FlowTable,
}

impl<'a> EdgeCx<'a> {
    fn with(self, rng: &'a mut Stream) -> Cx<'a> {
        Cx { now: self.now, rng, link: self.link, flows: self.flows }
    }
}

/// One state of a rule: that of a flow, or of all packets that match the rule.
pub struct MeterState<P> {
    stage: Stage<P>,
    actions: Actions,
    rng: Stream,
    /// True if senders are informed of packets that are not green.
    tells: bool,
    /// The time at which its clock is due.
    due: Time,
    /// Its statistics.
    pub account: MeterStats,
}

/// A rule of the classifier.
struct Rule {
    /// The codepoints, one bit each.
    codepoints: u64,
    /// The meter state of each flow's data, or the one of all packets.
    to: To,
}

enum To {
    All(u32),
    Flows(Vec<u32>),
}

/// A classifier and its meter states.
pub struct Edge<P> {
    rules: Vec<Rule>,
    states: Vec<MeterState<P>>,
    /// The clocks of the meter states that are set.
    clocks: BTreeSet<(Time, u32)>,
    told: Vec<FlowId>,
}

/// A set of codepoints, one bit each.
pub fn codepoints(those: &[Dscp]) -> u64 {
    those.iter().fold(0, |set, d| set | 1 << (d.0 & 63))
}

impl<P: Packet> Default for Edge<P> {
    fn default() -> Self {
        Edge { rules: Vec::new(), states: Vec::new(), clocks: BTreeSet::new(), told: Vec::new() }
    }
}

impl<P: Packet> Edge<P> {
    /// Adds a meter state with its own random stream and measurement window; returns its number.
    pub fn add_state(
        &mut self,
        stage: Stage<P>,
        actions: Actions,
        rng: Stream,
        (from, to): (Time, Time),
    ) -> u32 {
        let tells = matches!(&stage, Stage::Meter(m) if m.tells_sender());
        let account = MeterStats::new(from, to);
        self.states.push(MeterState { stage, actions, rng, tells, due: Time::NEVER, account });
        self.states.len() as u32 - 1
    }

    /// Adds a rule: packets of all flows with one of `codepoints` go to `state`.
    pub fn rule_for_all(&mut self, codepoints: u64, state: u32) {
        self.rules.push(Rule { codepoints, to: To::All(state) });
    }

    /// Adds a rule: data of these flows with one of `codepoints` goes to the flows' meter states.
    pub fn rule_for_flows(&mut self, codepoints: u64, flows: &[(FlowId, u32)]) {
        let last = flows.iter().map(|(f, _)| f.0 as usize + 1).max().unwrap_or(0);
        let mut to = vec![NOWHERE; last];
        flows.iter().for_each(|(flow, state)| to[flow.0 as usize] = *state);
        self.rules.push(Rule { codepoints, to: To::Flows(to) });
    }

    /// The meter state of a packet; `reply`: it is an acknowledgment, which belongs to no flow's
    /// profile.
    #[inline]
    fn classify(&self, flow: FlowId, dscp: Dscp, reply: bool) -> Option<u32> {
        let takes = |rule: &Rule| {
            if rule.codepoints >> (dscp.0 & 63) & 1 == 0 {
                return None;
            }
            match &rule.to {
                To::All(state) => Some(*state),
                To::Flows(_) if reply => None,
                To::Flows(to) => to.get(flow.0 as usize).copied().filter(|state| *state != NOWHERE),
            }
        };
        self.rules.iter().find_map(takes)
    }

    /// A packet arrives.
    pub fn arrive(&mut self, edge_cx: EdgeCx<'_>, p: P, reply: bool, out: &mut impl Emit<P>) {
        let meta = p.meta();
        let Some(number) = self.classify(meta.flow, meta.dscp, reply) else { return out.emit(p) };
        let state = &mut self.states[number as usize];
        state.settle(edge_cx.now);
        let MeterState { stage, actions, rng, tells, account, .. } = state;
        let mut action_sink = ActionSink { now: edge_cx.now, actions, account, out };
        let cx = &mut edge_cx.with(rng);
        match stage {
            Stage::Meter(meter) => {
                let color = meter.color(cx, &meta, color_of(meta.dscp, actions));
                if *tells && color != Color::Green && !reply {
                    self.told.push(meta.flow);
                }
                action_sink.release(p, Some(color), Span::ZERO);
            }
            Stage::BestEffort(color) => action_sink.release(p, Some(*color), Span::ZERO),
            Stage::Conditioner(conditioner) => {
                conditioner.arrive(cx, p, &mut action_sink);
                self.set_clock(number);
            }
        }
    }

    /// The time of the next [`Edge::wake`]; [`Time::NEVER`] if nothing waits for it.
    pub fn next_wakeup(&self) -> Time {
        self.clocks.first().map_or(Time::NEVER, |(due, _)| *due)
    }

    /// The clock reached [`Edge::next_wakeup`].
    pub fn wake(&mut self, edge_cx: EdgeCx<'_>, out: &mut impl Emit<P>) {
        while let Some((due, number)) = self.clocks.first().copied()
            && due <= edge_cx.now
        {
            let state = &mut self.states[number as usize];
            state.settle(edge_cx.now);
            let MeterState { stage, actions, rng, account, .. } = state;
            if let Stage::Conditioner(conditioner) = stage {
                conditioner.wake(
                    &mut edge_cx.with(rng),
                    &mut ActionSink { now: edge_cx.now, actions, account, out },
                );
            }
            self.set_clock(number);
        }
    }

    /// Updates the clock of a meter state after a call.
    fn set_clock(&mut self, number: u32) {
        let state = &mut self.states[number as usize];
        let Stage::Conditioner(conditioner) = &state.stage else { return };
        let due = conditioner.next_wakeup();
        if due == state.due {
            return;
        }
        self.clocks.remove(&(state.due, number));
        state.due = due;
        if due < Time::NEVER {
            self.clocks.insert((due, number));
        }
    }

    /// Packets held.
    pub fn held(&self) -> u64 {
        self.states.iter().map(MeterState::held).sum()
    }

    /// True if the sender of `flow` may be told anything of its packets.
    pub fn tells(&self, flow: FlowId) -> bool {
        self.rules.iter().any(|rule| {
            let state = match &rule.to {
                To::All(state) => Some(*state),
                To::Flows(to) => to.get(flow.0 as usize).copied(),
            };
            state.and_then(|state| self.states.get(state as usize)).is_some_and(|state| state.tells)
        })
    }

    /// The flows whose senders are to be told that a packet of theirs was just now not green.
    pub fn told(&mut self) -> impl Iterator<Item = FlowId> + '_ {
        self.told.drain(..)
    }

    /// Its meter states, in the order in which they were added.
    pub fn states(&self) -> &[MeterState<P>] {
        &self.states
    }

    /// Its meter states, to settle them.
    pub fn states_mut(&mut self) -> &mut [MeterState<P>] {
        &mut self.states
    }
}

impl<P: Packet> MeterState<P> {
    /// Packets held.
    pub fn held(&self) -> u64 {
        if let Stage::Conditioner(c) = &self.stage { c.held() } else { 0 }
    }

    /// The account of its bucket until `now`, if it has one.
    pub fn tokens(&mut self, now: Time) -> Option<Tokens> {
        self.stage.tokens(now)
    }

    /// Adds its tokens and held packets until `now` to its statistics, before anything changes at
    /// `now`.
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

/// Applies the action for the color of each packet that leaves a stage.
struct ActionSink<'a, O> {
    now: Time,
    actions: &'a Actions,
    account: &'a mut MeterStats,
    out: &'a mut O,
}

impl<P: Packet, O: Emit<P>> Emit<P> for ActionSink<'_, O> {
    fn release(&mut self, mut p: P, color: Option<Color>, held: Span) {
        let action = color.map_or(Action::Pass, |c| self.actions[c.index()]);
        if action == Action::Drop {
            return self.drop(p, Reason::Policed);
        }
        if let Action::Mark(dscp) = action {
            p.set_dscp(dscp);
        }
        self.account.passed(self.now, color, p.meta().ip_len, held);
        self.out.release(p, color, held);
    }
    fn drop(&mut self, p: P, why: Reason) {
        self.account.dropped(self.now);
        self.out.drop(p, why);
    }
}

#[cfg(test)]
mod tests;
